"""Single operators: native code beside ONNX Runtime, one thread, least processor time of interleaved rounds.

    python benchmarks/operators.py [NAME ...] [--open] [--seconds S] [--json FILE]

A row for each operator, the slowest beside ONNX Runtime first: its time over ours, both times, and the largest
difference.  --open: ours with open sizes beside ours with those of the inputs, in place of ONNX Runtime; channels stay,
where there are images.  They are run as a model of one operator, so that layouts are changed where one wants others.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import tempfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import mlconv
from mlconv.diagnostics import ConversionError

OPSET = 20
LINE = 64  # bytes
Run = Callable[[], list[np.ndarray]]


class Case(NamedTuple):
    """An operator, by the inputs that are given, and those that are constants (None: not there), in order."""

    kind: str
    inputs: dict[str, np.ndarray]
    constants: dict[str, Any]
    attributes: dict[str, Any]


def _numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def _places(most: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(most).integers(0, most, shape)


def _boxes(count: int, most: float) -> np.ndarray:
    corners = np.random.default_rng(count).uniform(0, most, (count, 2, 2))
    return np.sort(corners, 1).reshape(count, 4).astype(np.float32)


def _aligned(x: np.ndarray) -> np.ndarray:
    """A copy that begins with a line of the cache, as tensors of most frameworks do: times depend on where they lie."""
    room = np.empty(x.nbytes + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    found = room[begin : begin + x.nbytes].view(x.dtype).reshape(x.shape)
    found[...] = x
    return found


def _case(kind: str, *inputs: np.ndarray, **rest: Any) -> Case:
    """Arguments that begin with a capital letter are constant inputs, behind the others."""
    constants = {name: value for name, value in rest.items() if name[0].isupper()}
    attributes = {name: value for name, value in rest.items() if name not in constants}
    return Case(kind, {f"x{i}": _aligned(x) for i, x in enumerate(inputs)}, constants, attributes)


def _windows() -> dict[str, Case]:
    image, grid = _numbers(1, 64, 56, 56), np.clip(_numbers(1, 64, 64, 2), -1.2, 1.2)
    two = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    regions = _boxes(100, 60), np.zeros(100, np.int64)
    align = {"output_height": 7, "output_width": 7}
    scales = np.array([1, 1, 2, 2], np.float32)
    return {
        "Conv": _case("Conv", image, W=_numbers(64, 64, 3, 3), pads=[1] * 4),
        "Conv in groups": _case("Conv", image, W=_numbers(64, 8, 3, 3), pads=[1] * 4, group=8),
        "Conv by channels": _case("Conv", image, W=_numbers(64, 1, 3, 3), pads=[1] * 4, group=64),
        "Conv of lines": _case("Conv", _numbers(1, 64, 2000), W=_numbers(64, 64, 7), pads=[3, 3]),
        "Conv of volumes": _case("Conv", _numbers(1, 16, 16, 32, 32), W=_numbers(32, 16, 3, 3, 3), pads=[1] * 6),
        "ConvTranspose": _case("ConvTranspose", image, W=_numbers(64, 32, 4, 4), strides=[2, 2], pads=[1] * 4),
        "MaxPool": _case("MaxPool", image, **two),
        "AveragePool": _case("AveragePool", image, **two),
        "Resize nearest": _case("Resize", image, Roi=None, Scales=scales, mode="nearest"),
        "Resize linear": _case("Resize", image, Roi=None, Scales=scales, mode="linear"),
        "GridSample": _case("GridSample", image, grid),
        "GridSample cubic": _case("GridSample", image, grid, mode="cubic"),
        "RoiAlign": _case("RoiAlign", image, *regions, sampling_ratio=2, **align),
        "RoiAlign of all samples": _case("RoiAlign", image, *regions, **align),
        "InstanceNormalization": _case("InstanceNormalization", image, S=_numbers(64), B=_numbers(64)),
        "Pad by reflection": _case("Pad", image, Pads=np.array([0, 0, 2, 2, 0, 0, 2, 2]), mode="reflect"),
    }


def _orders() -> dict[str, Case]:
    boxes, scores = _boxes(2000, 200)[None], np.abs(_numbers(1, 4, 2000)) / 4
    limits = {"Most": np.array([100]), "Iou": np.array([0.5], np.float32), "Least": np.array([0.3], np.float32)}
    return {
        "TopK of rows": _case("TopK", _numbers(8, 20000), K=np.array([100])),
        "TopK of few": _case("TopK", _numbers(64, 1000), K=np.array([5])),
        "TopK of all": _case("TopK", _numbers(1, 20000), K=np.array([20000])),
        "NonMaxSuppression": _case("NonMaxSuppression", boxes, scores, **limits),
        "ArgMax": _case("ArgMax", _numbers(64, 20000), axis=1),
        "CumSum": _case("CumSum", _numbers(64, 4096), Axis=np.array(1)),
        "Unique": _case("Unique", _places(500, 5000).astype(np.float32)),
        "NonZero": _case("NonZero", (_numbers(256, 256) > 0.5).astype(np.float32)),
        "Gather": _case("Gather", _numbers(30000, 128), _places(30000, 512)),
        "GatherElements": _case("GatherElements", _numbers(256, 1024), _places(1024, 256, 1024), axis=1),
        "ScatterND": _case("ScatterND", _numbers(4096, 64), _places(4096, 1000, 1), _numbers(1000, 64)),
        "Transpose": _case("Transpose", _numbers(8, 64, 32, 32), perm=[0, 2, 3, 1]),
    }


def _functions() -> dict[str, Case]:
    x = _numbers(512, 1024)
    found = {name: _case(name, x) for name in ("Erf", "Tanh", "Exp", "Gelu", "Sigmoid", "Sin", "Atan", "Softmax")}
    found["Acos"] = _case("Acos", np.clip(x, -1, 1))
    found["Pow"] = _case("Pow", np.abs(x), x[::-1].copy())
    found["LayerNormalization"] = _case("LayerNormalization", _numbers(128, 768), S=_numbers(768), B=_numbers(768))
    found["ReduceMax"] = _case("ReduceMax", x, Axes=np.array([1]))
    found["MatMul"] = _case("MatMul", _numbers(128, 768), W=_numbers(768, 768))
    found["LSTM"] = _case("LSTM", _numbers(50, 1, 128), W=_numbers(1, 512, 128) / 9, R=_numbers(1, 512, 128) / 9)
    found["LSTM"].attributes["hidden_size"] = 128
    return found


def model_of(case: Case, is_open: bool) -> onnx.ModelProto:
    outputs = {"TopK": 2, "LSTM": 3, "Unique": 1}.get(case.kind, 1)
    names = [*case.inputs, *(name if value is not None else "" for name, value in case.constants.items())]
    node = helper.make_node(case.kind, names, [f"y{i}" for i in range(outputs)], **case.attributes)

    def sizes(x: np.ndarray) -> list[int | str]:
        images = x.ndim > 2
        return [n if not is_open or (images and i == 1) or n < 5 else f"s{n}" for i, n in enumerate(x.shape)]

    def told(name: str, x: np.ndarray) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), sizes(x))

    given = [told(name, x) for name, x in case.inputs.items()]
    held = [numpy_helper.from_array(x, name) for name, x in case.constants.items() if x is not None]
    graph = helper.make_graph([node], "g", given, [onnx.ValueInfoProto(name=n) for n in node.output], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def peer_of(path: pathlib.Path, inputs: dict[str, np.ndarray]) -> Run:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda: list(session.run(None, inputs))


def native_of(path: pathlib.Path, inputs: dict[str, np.ndarray], folder: pathlib.Path) -> Run:
    target = folder / f"{path.stem}.o"
    mlconv.convert(path, to="native", output=target)
    model = mlconv.load_native(target)
    return lambda: list(model.run(inputs).values())


def least(runs: tuple[Run, Run], seconds: float) -> list[float]:
    """Microseconds of each."""
    best, count, end = [float("inf")] * 2, 1, time.monotonic() + seconds
    while time.monotonic() < end:
        for i, run in enumerate(runs):
            start = time.process_time_ns()
            for _ in range(count):
                run()
            best[i] = min(best[i], (time.process_time_ns() - start) / count / 1e3)
        if min(best) * count < 500:
            count = min(2 * count, 64)
    return best


def row(case: Case, is_open: bool, seconds: float, folder: pathlib.Path) -> dict[str, Any]:
    plain, wide = folder / "plain.onnx", folder / "open.onnx"
    onnx.save(model_of(case, False), plain)
    onnx.save(model_of(case, True), wide)
    try:
        own = native_of(wide if is_open else plain, case.inputs, folder)
        other = native_of(plain, case.inputs, folder) if is_open else peer_of(plain, case.inputs)
    except ConversionError as error:
        return {"refused": f"{error.code}: {error}"}
    pairs = list(zip(other(), own(), strict=True))
    apart = max((float(np.abs(a.astype(np.float64) - b).max(initial=0)) for a, b in pairs if a.shape == b.shape))
    theirs, ours = least((other, own), seconds)
    return {"ratio": theirs / ours, "theirs_us": theirs, "ours_us": ours, "apart": apart}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json")
    asked = parser.parse_args()
    cases = {**_windows(), **_orders(), **_functions()}
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.names or cases:
            found[name] = row(cases[name], asked.open, asked.seconds, pathlib.Path(folder))
    for name, made in sorted(found.items(), key=lambda item: item[1].get("ratio", 0)):
        if "refused" in made:
            print(f"refused  {name}: {made['refused']}")
        else:
            peer = "with these sizes" if asked.open else "ONNX Runtime"
            print(f"{made['ratio']:7.2f}  {name}: {peer} {made['theirs_us']:.0f} us, mlconv {made['ours_us']:.0f} us")
    if asked.json:
        pathlib.Path(asked.json).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
