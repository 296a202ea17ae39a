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
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from operator_cases import Case, all_cases

import mlconv
from mlconv.diagnostics import ConversionError

OPSET = 20
CONTRIB = "com.microsoft"
RESULTS = {"TopK": 2, "LSTM": 3, "GRU": 2, "DynamicQuantizeLinear": 3}
Run = Callable[[], list[np.ndarray]]


def model_of(case: Case, is_open: bool) -> onnx.ModelProto:
    domain, _, kind = case.kind.rpartition(".")
    outputs = case.attributes.get("num_outputs") or RESULTS.get(kind, 1)
    names = [*case.inputs, *(name if value is not None else "" for name, value in case.constants.items())]
    node = helper.make_node(kind, names, [f"y{i}" for i in range(outputs)], domain=domain, **case.attributes)

    def sizes(x: np.ndarray) -> list[int | str]:
        images = x.ndim > 2
        return [n if not is_open or (images and i == 1) or n < 5 else f"s{n}" for i, n in enumerate(x.shape)]

    def told(name: str, x: np.ndarray) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), sizes(x))

    given = [told(name, x) for name, x in case.inputs.items()]
    held = [numpy_helper.from_array(np.asarray(x), name) for name, x in case.constants.items() if x is not None]
    graph = helper.make_graph([node], "g", given, [onnx.ValueInfoProto(name=n) for n in node.output], held)
    sets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(graph, opset_imports=sets, ir_version=10)


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
    cases = all_cases()
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
