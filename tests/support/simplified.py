"""Models before and after `mlconv.simplify`, compared on ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort

import mlconv
from mlconv.driver.simplification import Simplification


def parsed(text: str, opset: int = 17, ir: int = 8, more: str = "") -> onnx.ModelProto:
    """A model of a graph in ONNX's text syntax.  more: further operator sets, and functions behind the graph.
    Constants that are declared without numbers get random ones.
    """
    domains, _, functions = more.partition("\n")
    model = onnx.parser.parse_model(f'<ir_version: {ir}, opset_import: ["" : {opset}{domains}]>\n{text}\n{functions}')
    made = {name for node in model.graph.node for name in node.output}
    rng = np.random.default_rng(7)
    for info in [v for v in model.graph.value_info if v.name not in made]:
        shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
        kind = onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        array = rng.standard_normal(shape).astype(kind)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, info.name))
        model.graph.value_info.remove(info)
    return model


def simplified(
    proto: onnx.ModelProto, folder: Path, **settings: object
) -> tuple[Simplification, onnx.ModelProto, onnx.ModelProto]:
    """What was done, the model as it was, and as it is; compared on ONNX Runtime as it comes."""
    source, target = folder / "m.onnx", folder / "out.onnx"
    source.write_bytes(proto.SerializeToString())
    found = mlconv.simplify(source, target, **settings)
    onnx.checker.check_model(str(target))
    return found, onnx.load(source), onnx.load(target)


def ops(proto: onnx.ModelProto) -> str:
    """Operators of the main graph, sorted."""
    return " ".join(sorted(f"{n.domain}.{n.op_type}" if n.domain else n.op_type for n in proto.graph.node))


def answers(path: Path | str, seed: int = 0, size: int = 3) -> dict[str, np.ndarray]:
    """What ONNX Runtime gives, with all that it does to graphs, for random inputs; open sizes are `size`."""
    settings = ort.SessionOptions()
    settings.log_severity_level = 4
    session = ort.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(seed)
    given = {}
    for port in session.get_inputs():
        shape = [d if isinstance(d, int) else size for d in port.shape]
        kind = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(double)": np.float64}.get(port.type)
        if kind is not None:
            given[port.name] = rng.standard_normal(shape).astype(kind)
        elif port.type == "tensor(string)":
            given[port.name] = rng.choice(np.asarray(["a", "b"], object), shape)
        else:
            types = {"tensor(bool)": bool, "tensor(uint8)": np.uint8, "tensor(int32)": np.int32}
            given[port.name] = rng.integers(0, 2, shape).astype(types.get(port.type, np.int64))
    names = [port.name for port in session.get_outputs()]
    return dict(zip(names, session.run(names, given), strict=True))


def assert_equal(source: Path | str, made: Path | str, rtol: float = 1e-5, size: int = 3) -> None:
    """Equal names, integers and texts; floats within a part of the largest magnitude."""
    for seed in range(2):
        expected, got = answers(source, seed, size), answers(made, seed, size)
        assert list(expected) == list(got)
        for name, x in expected.items():
            y = got[name]
            if not isinstance(x, np.ndarray):
                assert x == y
                continue
            assert x.shape == y.shape and x.dtype == y.dtype
            if x.dtype.kind != "f":
                np.testing.assert_array_equal(x, y)
            elif x.size:
                np.testing.assert_allclose(x, y, rtol=0, atol=rtol * float(np.abs(x).max()) + 1e-7)
