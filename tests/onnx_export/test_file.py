"""What stands in the file: names, places in the source, open sizes, weights beside it; and what is refused."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.exporters.onnx.export import export
from mlconv.exporters.onnx.metadata import STACK_KEY
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.passes.patterns import normalization
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation, frames
from mlconv.rewrite import edit, greedy
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.runtime.onnx_runtime import OnnxRuntime, session_of
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.onnx_files import check, op_types, to_onnx
from tests.support.onnx_models import F, model, save, value

X = np.arange(6, dtype=np.float32).reshape(2, 3)
TRACE = CallStack(
    (
        FileLocation("/home/me/net.py", 14, 0, "forward", "return self.fc(x)"),
        FileLocation("/home/me/run.py", 3, 0, "<module>", "net(x)"),
    )
)


def weighted(b: Builder, x: Value) -> list[Value]:
    """Two products, a large and a small constant."""
    large = const(b, np.arange(3 * 400, dtype=np.float32).reshape(3, 400))
    small = const(b, np.ones((400, 2), np.float32))
    return [b.emit(core.MatMul(b.emit(core.MatMul(x, large)).y, small)).y]


def test_names_and_places_go_along(tmp_path: pathlib.Path) -> None:
    m = module(lambda b, x: [b.emit(core.Gelu(x)).y], [X])
    for op in m.main.block.ops:
        edit.relocate(op, NameLocation("block/gelu", TRACE))
    proto = to_onnx(m)
    assert len({n.name for n in proto.graph.node}) == len(proto.graph.node) > 3
    assert all(n.name.startswith("block/gelu") for n in proto.graph.node)
    trace = {p.key: p.value for p in proto.graph.node[0].metadata_props}[STACK_KEY]
    assert trace.splitlines()[0] == 'File "/home/me/run.py", line 3, in <module>'
    back = mlconv.load(str(save(tmp_path, proto)))
    assert {frames(op.location) for op in back.module.walk() if op.results} >= {TRACE.frames}


@pytest.mark.parametrize("name", ["batch", "my batch"])
def test_open_sizes_are_named(name: str) -> None:
    m = module(lambda b, x: [b.emit(core.Concat([x, x], axis=0)).y], [X])
    n = Dim.symbol(name)
    edit.retype(m.main.inputs[0], TensorType(DType.F32, (n, 3)))
    edit.retype(m.main.outputs[0], TensorType(DType.F32, (2 * n, 3)))
    proto = to_onnx(m)
    sizes = [[d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim] for v in proto.graph.input]
    assert sizes == [[name, 3]]
    assert proto.graph.output[0].type.tensor_type.shape.dim[0].dim_param == str(2 * n)


def test_same_bytes(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for name in ("a", "b"):
        mlconv.convert(models / "digits_rnn.onnx", "onnx", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("name", ["digits_cnn", "digits_rnn", "digits_transformer"])
@pytest.mark.parametrize("suffix", ["onnx", "pb"])
def test_models_are_verified(models: pathlib.Path, tmp_path: pathlib.Path, name: str, suffix: str) -> None:
    done = mlconv.convert(models / f"{name}.{suffix}", "onnx", tmp_path / "m.onnx", verify=1)
    assert done.verification
    onnx.checker.check_model(str(tmp_path / "m.onnx"), full_check=True)


def test_a_model_keeps_its_transposes(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    mlconv.convert(models / "digits_cnn.onnx", "onnx", tmp_path / "m.onnx")
    before, after = (onnx.load(p) for p in (models / "digits_cnn.onnx", tmp_path / "m.onnx"))
    assert op_types(after).count("Transpose") <= op_types(before).count("Transpose")


@pytest.mark.parametrize("limit", [1 << 30, 2000])
def test_weights_lie_beside_a_file_that_would_be_too_large(tmp_path: pathlib.Path, limit: int) -> None:
    m = module(weighted, [X])
    plain = to_onnx(m)
    lower(m, "onnx")
    path = tmp_path / "m.onnx"
    size = export(m, path, external_data=limit > 2000, limit=limit)
    beside = tmp_path / "m.onnx.data"
    assert size == path.stat().st_size + beside.stat().st_size
    assert path.stat().st_size < 2000
    onnx.checker.check_model(str(path), full_check=True)
    assert [i.raw_data for i in onnx.load(path).graph.initializer] == [i.raw_data for i in plain.graph.initializer]
    assert OnnxRuntime(str(path)).session.run(None, {"in0": X})[0].shape == (2, 2)


def test_a_graph_that_is_too_large_itself_is_refused(tmp_path: pathlib.Path) -> None:
    m = module(weighted, [X])
    lower(m, "onnx")
    with pytest.raises(ConversionError) as error:
        export(m, tmp_path / "m.onnx", limit=100)
    assert error.value.code is Code.TensorTooLarge
    assert not list(tmp_path.iterdir())


def test_the_file_beside_is_listed(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    mlconv.convert(models / "digits_cnn.onnx", "onnx", tmp_path / "m.onnx", external_data=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.onnx", "m.onnx.data"]
    assert session_of(str(tmp_path / "m.onnx"))
    tensors = onnx.load(tmp_path / "m.onnx", load_external_data=False).graph.initializer
    lengths = [int(e.value) for t in tensors for e in t.external_data if e.key == "length"]
    assert len(lengths) > 1 and (tmp_path / "m.onnx.data").stat().st_size < sum(lengths) + 16 * len(lengths)


def test_equal_constants_are_stored_once() -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        return [b.emit(core.Add(b.emit(core.Mul(x, const(b, np.float32(3)))).y, const(b, np.float32(3)))).y]

    assert len(check(module(make, [X]), [X]).graph.initializer) == 1

    def masks(b: Builder, x: Value) -> list[Value]:
        return [b.emit(core.Add(b.emit(core.Mul(x, const(b, mask.copy()))).y, const(b, mask.copy()))).y]

    mask = random(40, 40)
    assert len(check(module(masks, [mask]), [mask]).graph.initializer) == 1


def test_outputs_have_their_names_whatever_makes_them() -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        y = b.emit(core.Neg(x)).y
        return [y, y, x, const(b, np.float32(2))]

    proto = check(module(make, [X]), [X])
    assert [o.name for o in proto.graph.output] == ["out0", "out1", "out2", "out3"]


def test_constants_of_one_element_are_made_at_run_time() -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        return [b.emit(core.Add(x, b.emit(core.BroadcastTo(const(b, np.float32(1)), const(b, [500, 2, 3]))).y)).y]

    assert "Expand" in op_types(check(module(make, [X]), [X]))


@pytest.mark.parametrize(("opset", "operator"), [(17, "Erf"), (20, "Gelu")])
def test_the_operator_set_is_chosen(opset: int, operator: str) -> None:
    proto = check(module(lambda b, x: [b.emit(core.Gelu(x)).y], [X]), [X], opset=opset)
    assert proto.opset_import[0].version == opset and operator in op_types(proto)


def test_operator_sets_that_there_are_not() -> None:
    with pytest.raises(ConversionError) as error:
        to_onnx(module(lambda b, x: [x], [X]), opset=16)
    assert error.value.code is Code.UsageError


def test_the_least_operator_set() -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        return [b.emit(core.ReduceMax(x, axes=(0,))).y]

    assert check(module(make, [X]), [X]).opset_import[0].version == 17
    bits = np.arange(6, dtype=np.int32).reshape(2, 3)
    proto = check(module(lambda b, x: [b.emit(core.And(x, x)).y], [bits]), [bits])
    assert proto.opset_import[0].version == 18


def test_control_flow_comes_back(tmp_path: pathlib.Path) -> None:
    body = onnx.helper.make_graph(
        [
            onnx.helper.make_node("Add", ["s", "k"], ["t"]),
            onnx.helper.make_node("ReduceSum", ["t"], ["r"], keepdims=0),
            onnx.helper.make_node("Less", ["r", "limit"], ["more"]),
        ],
        "body",
        [value("i", [], 7), value("c", [], 9), value("s", [3])],
        [value("more", [], 9), value("t", [3])],
    )
    nodes = [onnx.helper.make_node("Loop", ["", "go", "x"], ["y"], body=body)]
    constants = {"go": np.asarray(True), "k": np.ones(3, np.float32), "limit": np.float32(20)}
    path = save(tmp_path, model(nodes, [value("x", [3], F)], [value("y", [3], F)], constants))
    mlconv.convert(path, "onnx", tmp_path / "out.onnx", verify=1)
    assert op_types(onnx.load(tmp_path / "out.onnx")).count("Loop") == 1


def run_command(arguments: list[str]) -> Any:
    from click.testing import CliRunner

    from mlconv.cli import main

    return CliRunner().invoke(main, arguments)


def test_command_line(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "m.onnx"
    arguments = [
        "convert",
        str(models / "digits_cnn.onnx"),
        "--to",
        "onnx",
        "-o",
        str(out),
        "--opset",
        "20",
        "--verify",
    ]
    done = run_command([*arguments, "--onnx-profile", "tensorrt"])
    assert done.exit_code == 0, done.output
    assert onnx.load(out).opset_import[0].version == 20


@pytest.mark.parametrize("negated", [False, True])
def test_layer_normalization_of_tensorflow_is_one_operator(negated: bool) -> None:
    """x * m + (bias - mean * m), as tf.nn.batch_normalization has it, once its mean is subtracted from x."""
    x = random(2, 5, 6)

    def make(b: Builder, x: Value) -> list[Value]:
        e = CoreBuilder(b)
        scale, bias = (const(b, random(1, 1, 6, seed=s)) for s in (1, 2))
        mean = e.mean(x, (2,), keepdims=True)
        centred = e.sub(x, mean)
        total = e.add(e.mean(e.mul(centred, centred), (2,), keepdims=True), const(b, np.float32(1e-3)))
        inverse = e.y(core.Rsqrt(total)) if negated else e.div(const(b, np.float32(1)), e.sqrt(total))
        factor = e.mul(inverse, scale)
        moved = e.add(e.mul(e.y(core.Neg(mean)), factor), bias) if negated else e.sub(bias, e.mul(mean, factor))
        return [e.add(e.mul(x, factor), moved)]

    m = module(make, [x])
    greedy(m.main.block, normalization.PATTERNS)
    assert op_types(check(m, [x], tolerance=1e-4)) == ["LayerNormalization"]


@pytest.mark.parametrize(
    ("axes", "size", "scales"), [((2,), 6, []), ((1, 2), 6, []), ((1, 2), 400, ["ConstantOfShape"])]
)
def test_layer_normalization_without_a_scale_is_one_operator(
    axes: tuple[int, ...], size: int, scales: list[str]
) -> None:
    """`elementwise_affine=False` of torch, or a scale of ones, which folding drops: 2 000 of them are not stored."""
    x = random(2, 5, size)

    def make(b: Builder, x: Value) -> list[Value]:
        e = CoreBuilder(b)
        centred = e.sub(x, e.mean(x, axes, keepdims=True))
        total = e.add(e.mean(e.mul(centred, centred), axes, keepdims=True), const(b, np.float32(1e-3)))
        return [e.div(centred, e.sqrt(total))]

    assert op_types(check(module(make, [x]), [x], tolerance=1e-4)) == [*scales, "LayerNormalization"]


def test_values_leave_out_the_folder_that_nodes_have() -> None:
    """Names of TensorFlow's values are those of their nodes."""
    m = module(lambda b, x: [b.emit(core.Tanh(b.emit(core.Exp(b.emit(core.Tanh(x)).y)).y)).y], [X])
    for op, name in zip(m.main.block.ops, ("a/b/c", "a/b/d/e", "a/b/y"), strict=False):
        edit.relocate(op, NameLocation(name))
        op.results[0].name = name
    nodes = to_onnx(m).graph.node
    assert [n.name for n in nodes] == ["a/b/c", "a/b/d/e", "a/b/y"]
    assert [n.output[0] for n in nodes][:2] == ["c", "d/e"]


@pytest.mark.parametrize("opset", [0, 18])
def test_layer_normalization_is_one_operator(tmp_path: pathlib.Path, opset: int) -> None:
    nodes = [
        onnx.helper.make_node("LayerNormalization", ["x", "s", "b"], ["y"], axis=-2, epsilon=1e-3),
        onnx.helper.make_node("LayerNormalization", ["y", "t"], ["z"]),
    ]
    rng = np.random.default_rng(1)
    sizes = {"s": (5, 6), "b": (5, 6), "t": (6,)}
    constants = {n: rng.standard_normal(shape).astype(np.float32) for n, shape in sizes.items()}
    path = save(tmp_path, model(nodes, [value("x", ["n", 5, 6])], [value("z", ["n", 5, 6])], constants))
    mlconv.convert(path, "onnx", tmp_path / "out.onnx", verify=1, opset=opset)
    assert op_types(onnx.load(tmp_path / "out.onnx")) == ["LayerNormalization"] * 2


def test_ranks_that_nobody_knows(tmp_path: pathlib.Path) -> None:
    """ONNX Runtime takes such a file, onnx's checker does not: a warning says so."""
    m = module(lambda b, x: b.emit(core.Neg(x)).y, [X])
    edit.retype(m.main.inputs[0], TensorType(DType.F32, None))
    edit.retype(m.main.outputs[0], TensorType(DType.F32, None))
    path = tmp_path / "m.onnx"
    (found,) = mlconv.convert(m, "onnx", path).diagnostics
    assert found.code is Code.ShapeNotStatic and "ranks of in0, out0" in found.message
    with pytest.raises(onnx.checker.ValidationError):
        onnx.checker.check_model(onnx.load(path))
    np.testing.assert_array_equal(session_of(str(path)).run(None, {"in0": X})[0], -X)
    ranked = module(lambda b, x: b.emit(core.Neg(x)).y, [X])
    assert not mlconv.convert(ranked, "onnx", path).diagnostics
    onnx.checker.check_model(onnx.load(path), full_check=True)
