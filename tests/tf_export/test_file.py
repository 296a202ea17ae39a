"""What stands in the files: names, places, open sizes, variables, signatures, loops; and what is refused."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from onnx import helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.exporters.savedmodel.export import export_graph_def, export_saved_model
from mlconv.formats.protos import tf_pb
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation, frames
from mlconv.rewrite import edit
from tests.support.core_rows import named_loop
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.onnx_models import model, save, value
from tests.support.tf_files import check, export, graph_of, ops_of, runner
from tests.support.thinning import thinned

X = np.arange(6, dtype=np.float32).reshape(2, 3)
TRACE = CallStack(
    (
        FileLocation("/home/me/net.py", 14, 8, "forward", "return self.fc(x)"),
        FileLocation("/home/me/run.py", 3, 0, "<module>", "net(x)"),
    )
)
FORMATS = ("savedmodel", "graphdef")
LARGE = random(3, 400)


def weighted(b: Builder, x: Value) -> list[Value]:
    """Two products, with a large and a small constant."""
    return [b.emit(core.MatMul(b.emit(core.MatMul(x, const(b, LARGE))).y, const(b, random(400, 1)[:, :0]))).y]


@pytest.mark.share(6)
@pytest.mark.parametrize(
    ("name", "target"), thinned(2, ["digits_cnn.onnx", "digits_rnn.pb", "digits_transformer.onnx"], FORMATS)
)
def test_models_are_verified(models: pathlib.Path, tmp_path: pathlib.Path, name: str, target: str) -> None:
    done = mlconv.convert(models / name, target, tmp_path / "m", verify=True)
    assert done.verification and all(row["ok"] for row in done.verification)


@pytest.mark.parametrize("target", FORMATS)
def test_places_go_along(tmp_path: pathlib.Path, target: str) -> None:
    m = named_loop(3)
    for op in m.walk():
        edit.relocate(op, NameLocation("block/step", TRACE))
    export(m, tmp_path / "m", target)
    graph = graph_of(tmp_path / "m")
    names = [n.name for n in graph.node]
    assert len(set(names)) == len(names)
    back = mlconv.load(tmp_path / "m")
    found = {op.name: frames(op.location) for op in back.module.walk() if op.results}
    assert found["core.while"] == TRACE.frames and found["core.add"] == TRACE.frames


@pytest.mark.share(4)
@pytest.mark.parametrize("target", FORMATS)
def test_sizes_stay_open(tmp_path: pathlib.Path, target: str) -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        return [b.emit(core.Concat([x, x], axis=0)).y]

    m = module(make, [X], [(Dim.symbol("batch"), 3)])
    export(m, tmp_path / "m", target)
    placeholder = next(n for n in graph_of(tmp_path / "m").node if n.op == "Placeholder")
    assert [d.size for d in placeholder.attr["shape"].shape.dim] == [-1, 3]
    model = runner(tmp_path / "m", target)
    for rows in (1, 5):
        x = random(rows, 3)
        np.testing.assert_array_equal(model.run(m.main, {"in0": x})["out0"], np.concatenate([x, x]))


@pytest.mark.parametrize("target", FORMATS)
def test_same_bytes(models: pathlib.Path, tmp_path: pathlib.Path, target: str) -> None:
    for name in ("a", "b"):
        mlconv.convert(models / "digits_rnn.onnx", target, tmp_path / name)
    files = [p.relative_to(tmp_path / "a") for p in (tmp_path / "a", *(tmp_path / "a").rglob("*")) if p.is_file()]
    assert files
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)


def test_large_constants_are_variables_and_equal_ones_one(tmp_path: pathlib.Path) -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        first = b.emit(core.MatMul(x, const(b, LARGE))).y
        second = b.emit(core.MatMul(x, const(b, LARGE.copy()))).y
        return [b.emit(core.Add(first, second)).y, b.emit(core.Add(second, const(b, np.float32(3)))).y]

    m = module(make, [X])
    graph = check(m, [X])
    assert ops_of(graph).count("VarHandleOp") == 1
    export(m, tmp_path / "m")
    data = (tmp_path / "m/variables/variables.data-00000-of-00001").read_bytes()
    assert data == LARGE.tobytes()
    assert (tmp_path / "m/saved_model.pb").stat().st_size < 4000
    assert len(mlconv.load(tmp_path / "m").run({"in0": X})) == 2


@pytest.mark.parametrize("target", FORMATS)
def test_outputs_have_their_names_whatever_makes_them(target: str) -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        y = b.emit(core.Neg(x)).y
        return [y, y, x, const(b, np.float32(2))]

    check(module(make, [X]), [X], target)


def loop_of(b: Builder, x: Value, times: Value) -> list[Value]:
    """A loop that multiplies by a large constant, in a branch, and counts."""
    types = [TensorType(DType.I32, ()), TensorType(DType.F32, (3, 400))]
    cond, body = Block(types), Block(types)
    c, inner = b.at(cond), b.at(body)
    c.emit(Yield([c.emit(core.Less(cond.arguments[0], times)).y]))
    is_even = inner.emit(core.Equal(inner.emit(core.FloorMod(body.arguments[0], const(inner, np.int32(2)))).y, x)).y
    then, orelse = Block(), Block()
    t, o = inner.at(then), inner.at(orelse)
    t.emit(Yield([t.emit(core.Add(body.arguments[1], const(t, LARGE))).y]))
    o.emit(Yield([o.emit(core.Neg(body.arguments[1])).y]))
    chosen = inner.emit(core.If(is_even, then=Region(then), orelse=Region(orelse))).ys[0]
    inner.emit(Yield([inner.emit(core.Add(body.arguments[0], const(inner, np.int32(1)))).y, chosen]))
    return b.emit(core.While([const(b, np.int32(0)), const(b, LARGE)], cond=Region(cond), body=Region(body))).ys


@pytest.mark.parametrize("target", FORMATS)
def test_loops_see_what_is_around_them(target: str) -> None:
    given = [np.array(0, np.int32), np.array(5, np.int32)]
    graph = check(module(loop_of, given), given, target)
    assert {"StatelessWhile", "StatelessIf"} <= set(ops_of(graph))
    assert len(graph.library.function) == 4
    inside = [n for f in graph.library.function for n in f.node_def]
    assert max(n.ByteSize() for n in inside) < 1000, "a large constant lies in a function"
    check(named_loop(3), [np.array([1, 2, 3], np.float32)], target)


def counting(looped: bool) -> Module:
    """A variable that grows by the input, in a branch where `looped`; its value before and after go out."""

    def grow(b: Builder, x: Value, of: TensorType) -> Value:
        old = b.emit(core.ReadVariable(variable="total", of=of)).y
        b.emit(core.AssignVariable(b.emit(core.Add(old, x)).y, variable="total"))
        return old

    def make(b: Builder, x: Value, flag: Value) -> list[Value]:
        of = TensorType(DType.F32, (3,))
        if not looped:
            old = grow(b, x, of)
        else:
            then, orelse = Block(), Block()
            t, o = b.at(then), b.at(orelse)
            t.emit(Yield([grow(t, x, of)]))
            o.emit(Yield([o.emit(core.ReadVariable(variable="total", of=of)).y]))
            old = b.emit(core.If(flag, then=Region(then), orelse=Region(orelse))).ys[0]
        return [old, b.emit(core.ReadVariable(variable="total", of=of)).y]

    m = module(make, [np.ones(3, np.float32), np.array(True)])
    m.main.facts.variables = {"total": const_of_ones()}
    return m


def const_of_ones() -> Any:
    from mlconv.ir.constants import make_const

    return make_const(np.ones(3, np.float32))


@pytest.mark.parametrize("looped", [False, True])
def test_variables_keep_what_a_run_leaves(tmp_path: pathlib.Path, looped: bool) -> None:
    m = counting(looped)
    export(m, tmp_path / "m")
    model = runner(tmp_path / "m")
    x, total = np.array([1, 2, 3], np.float32), np.ones(3, np.float32)
    for flag in (True, True, False):
        found = model.run(m.main, {"in0": x, "in1": np.array(flag)})
        np.testing.assert_array_equal(found["out0"], total)
        total = total + x if flag or not looped else total
        np.testing.assert_array_equal(found["out1"], total)
    model.reset()
    np.testing.assert_array_equal(model.run(m.main, {"in0": x, "in1": np.array(True)})["out0"], np.ones(3))
    back = mlconv.load(tmp_path / "m").module.main
    assert list(back.facts.variables) == ["total"]


def test_a_model_with_variables_is_verified(tmp_path: pathlib.Path) -> None:
    source = pathlib.Path(__file__).parent.parent / "tf" / "stateful_saved_model"
    done = mlconv.convert(source, "savedmodel", tmp_path / "m", verify=True)
    assert all(row["ok"] for row in done.verification)


def test_signatures_share_variables(tmp_path: pathlib.Path) -> None:
    def first(b: Builder, x: Value) -> Value:
        return b.emit(core.MatMul(x, const(b, LARGE))).y

    def second(b: Builder, x: Value) -> Value:
        return b.emit(core.Tanh(b.emit(core.MatMul(x, const(b, LARGE))).y)).y

    functions = [module(make, [X]).main for make in (first, second)]
    functions[1].name, functions[1].signature = "other", "squashed"
    m = Module(functions)
    export(m, tmp_path / "m")
    assert ops_of(graph_of(tmp_path / "m")).count("VarHandleOp") == 1
    model = runner(tmp_path / "m")
    product = X @ LARGE
    np.testing.assert_allclose(model.run(functions[0], {"in0": X})["out0"], product, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(model.run(functions[1], {"in0": X})["out0"], np.tanh(product), rtol=1e-5, atol=1e-5)
    assert len(mlconv.load(tmp_path / "m", signature="*").module.functions) == 2
    lower(m, "graphdef")
    with pytest.raises(ConversionError) as error:
        export_graph_def(m, tmp_path / "m.pb")
    assert error.value.code is Code.TargetLacksType


def test_names_that_nodes_cannot_have(tmp_path: pathlib.Path) -> None:
    m = module(lambda b, x: [b.emit(core.Neg(x)).y, b.emit(core.Abs(x)).y], [X])
    edit.rename(m.main.inputs[0], "_in put:0")
    m.main.output_names = ["y:0", "y:1"]
    for target in FORMATS:
        export(m, tmp_path / target, target)
        found = runner(tmp_path / target, target).run(m.main, {"_in put:0": X})
        np.testing.assert_array_equal(found["y:0"], -X)
        np.testing.assert_array_equal(found["y:1"], np.abs(X))


def test_a_graph_that_is_too_large_is_refused(tmp_path: pathlib.Path) -> None:
    m = module(weighted, [X])
    lower(m, "graphdef")
    with pytest.raises(ConversionError) as error:
        export_graph_def(m, tmp_path / "m.pb", limit=3000)
    assert error.value.code is Code.TensorTooLarge
    assert "--to savedmodel" in str(error.value.diagnostic.help)
    assert not list(tmp_path.iterdir())


def test_ops_of_another_level_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as error:
        export_saved_model(module(weighted, [X]), tmp_path / "m")
    assert error.value.code is Code.TargetLacksOp


@pytest.mark.long
def test_quantized_models_become_arithmetic(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    done = mlconv.convert(
        models / "digits_cnn.onnx",
        "savedmodel",
        tmp_path / "m",
        quantize="int8",
        calibration=[{"image": random(16, 1, 8, 8)}],
        verify=True,
    )
    assert all(row["ok"] for row in done.verification)


def test_a_folder_is_written_over_a_saved_model_alone(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    source, target = models / "digits_cnn.onnx", tmp_path / "m"
    for _ in range(2):
        mlconv.convert(source, "savedmodel", f"{target}/")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m"]
    (target / "notes.txt").write_text("mine")
    with pytest.raises(ConversionError) as error:
        mlconv.convert(source, "savedmodel", target)
    assert error.value.code is Code.OutputNotWritable and "notes.txt" in error.value.diagnostic.message
    assert (target / "saved_model.pb").exists()
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConversionError):
        mlconv.convert(source, "savedmodel", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_model_is_not_written_over_itself(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    mlconv.convert(models / "digits_cnn.onnx", "savedmodel", tmp_path / "m")
    before = (tmp_path / "m" / "saved_model.pb").read_bytes()
    with pytest.raises(ConversionError) as error:
        mlconv.convert(tmp_path / "m", "savedmodel", tmp_path / "m")
    assert error.value.code is Code.OutputNotWritable
    assert (tmp_path / "m" / "saved_model.pb").read_bytes() == before
    done = mlconv.convert(tmp_path / "m", "savedmodel")
    assert pathlib.Path(done.output).name == "m_saved_model"


def test_checking_says_what_is_lacking() -> None:
    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.Custom([x], code="mine", options=b"", types=(TensorType(DType.F32, (2, 3)),))).ys[0]

    engine = lower(module(make, [X]), "savedmodel")
    assert [d.code for d in engine.diagnostics] == [Code.TargetLacksOp]


def test_the_meta_graph_is_one_for_every_loader(tmp_path: pathlib.Path) -> None:
    export(module(weighted, [X]), tmp_path / "m")
    proto = tf_pb("protobuf.saved_model_pb2").SavedModel.FromString((tmp_path / "m/saved_model.pb").read_bytes())
    meta = proto.meta_graphs[0]
    nodes = {n.name for n in meta.graph_def.node}
    assert meta.saver_def.restore_op_name in nodes
    assert list(meta.meta_info_def.tags) == ["serve"]
    definition = tf_pb("framework.variable_pb2").VariableDef.FromString(
        meta.collection_def["variables"].bytes_list.value[0]
    )
    assert {definition.initializer_name, definition.variable_name.partition(":")[0]} <= nodes


def test_a_resized_image_of_an_open_batch_is_one_op_and_its_sizes_are_int32(tmp_path: pathlib.Path) -> None:
    """As torch writes `interpolate`: all four sizes, the batch among them.  LiteRT does not follow sizes of int64."""
    nodes = [
        helper.make_node("Shape", ["x"], ["n"], start=0, end=1),
        helper.make_node("Concat", ["n", "rest"], ["sizes"], axis=0),
        helper.make_node("Resize", ["x", "", "", "sizes"], ["r"], mode="linear"),
        helper.make_node("Expand", ["z", "sizes"], ["e"]),
        helper.make_node("Concat", ["r", "e"], ["y"], axis=1),
    ]
    given = [value("x", ["b", 3, 4, 4]), value("z", [8])]
    path = save(tmp_path, model(nodes, given, [value("y", None)], {"rest": np.asarray([3, 8, 8])}))
    mlconv.convert(path, to="graphdef", output=tmp_path / "m.pb", verify=True)
    graph = graph_of(tmp_path / "m.pb")
    assert ops_of(graph).count("ResizeBilinear") == 1
    assert {n.attr["out_type"].type for n in graph.node if n.op == "Shape"} == {3}
