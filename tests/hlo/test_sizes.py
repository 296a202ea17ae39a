"""Sizes with a range: one module, run on XLA at several sizes, with the worst behind the valid part of each input."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.types import TensorType
from tests.support.hlo_sizes import (
    FLOAT,
    RANGES,
    L,
    M,
    N,
    Row,
    build,
    check_row,
    const,
    ints,
    one,
    recurrent,
    turns,
    written,
)
from tests.support.lowering import lower
from tests.support.modules import module_of_types, random
from tests.support.onnx_models import model, save, value
from tests.support.xla import xla_here

TESTDATA = pathlib.Path(__file__).parent.parent.parent / "testdata" / "models"


def attention(b: Builder, x: Value) -> Value:
    scores = b.emit(core.MatMul(x, x, transpose_b=True)).y
    return b.emit(core.MatMul(b.emit(core.Softmax(scores, axis=-1)).y, x)).y


def heads(b: Builder, x: Value) -> Value:
    """[N, M, 4] to [N * M, 4] by a shape that is computed, and back, as TensorFlow's dense layers do it."""
    size = b.emit(core.ShapeOf(x)).y
    flat = b.emit(core.MatMul(b.emit(core.Reshape(x, ints(b, -1, 4))).y, const(b, WEIGHTS))).y
    return b.emit(core.Reshape(flat, size)).y


def mean_by_shape(b: Builder, x: Value) -> Value:
    size = b.emit(core.Slice(b.emit(core.ShapeOf(x)).y, ints(b, 0), ints(b, 1), ints(b, 1))).y
    total = b.emit(core.ReduceSum(x, axes=(0,))).y
    return b.emit(core.Div(total, b.emit(core.Cast(size, dtype=FLOAT)).y)).y


def normalized(b: Builder, x: Value) -> Value:
    mean = b.emit(core.ReduceMean(x, axes=(0, 2), keepdims=True)).y
    centered = b.emit(core.Sub(x, mean)).y
    square = b.emit(core.ReduceMean(b.emit(core.Mul(centered, centered)).y, axes=(0, 2), keepdims=True)).y
    return b.emit(core.Mul(centered, b.emit(core.Rsqrt(b.emit(core.Add(square, const(b, 1e-3))).y)).y)).y


def ones_like_sum(b: Builder, x: Value) -> Value:
    ones = b.emit(core.BroadcastTo(const(b, 1.0), b.emit(core.ShapeOf(x)).y)).y
    return b.emit(core.ReduceSum(ones, axes=(0, 1))).y


def convolution(b: Builder, x: Value) -> Value:
    w = const(b, np.random.default_rng(5).standard_normal((3, 3, 2, 5)))
    y = b.emit(
        core.Conv(
            x,
            w,
            None,
            strides=(2, 2),
            pads=((1, 1), (1, 1)),
            dilations=(1, 1),
            x_layout="N01C",
            w_layout="01IO",
            y_layout="N01C",
        )
    ).y
    y = b.emit(core.MaxPool(y, window=(2, 2), strides=(1, 1), pads=((0, 0), (0, 0)), dilations=(1, 1), layout="N01C")).y
    return b.emit(
        core.AvgPool(y, window=(2, 2), strides=(1, 1), pads=((0, 0), (0, 0)), dilations=(1, 1), layout="N01C")
    ).y


def sliced(b: Builder, x: Value) -> Value:
    return b.emit(core.Slice(x, ints(b, 0, 1), ints(b, -1, 4), ints(b, 1, 2), end_mask=1)).y


def padded(b: Builder, x: Value) -> Value:
    y = b.emit(core.Pad(x, const(b, [[1, 2], [0, 1]], DType.I64), const(b, 9.0))).y
    return b.emit(core.ReduceMax(y, axes=(0,))).y


def filled_blocks(b: Builder, x: Value) -> Value:
    """[N, 4] in blocks of 4 rows: what is missing is one row or more only where N is less than it may be."""
    n = b.emit(core.Slice(b.emit(core.ShapeOf(x)).y, ints(b, 0), ints(b, 1), ints(b, 1))).y
    rest = b.emit(core.FloorMod(b.emit(core.Neg(n)).y, ints(b, 4))).y
    filler = b.emit(core.BroadcastTo(const(b, 9.0), b.emit(core.Concat([rest, ints(b, 4)], axis=0)).y)).y
    y = b.emit(core.Reshape(b.emit(core.Concat([x, filler], axis=0)).y, ints(b, -1, 4, 4))).y
    return b.emit(core.ReduceMax(y, axes=(1,))).y


def layer(b: Builder, x: Value) -> Value:
    return b.emit(core.Tanh(b.emit(core.MatMul(x, const(b, WEIGHTS))).y)).y


def less_its_sum(b: Builder, x: Value) -> Value:
    return b.emit(core.Sub(x, b.emit(core.ReduceSum(x, axes=(0,), keepdims=True)).y)).y


WEIGHTS = np.random.default_rng(3).standard_normal((4, 4))
NX, NMX = (N, 4), (N, M, 4)
ROWS = [
    Row("exp", [NX], one(core.Exp)),
    Row("log_softmax", [NX], one(core.LogSoftmax, axis=0)),
    Row("softmax", [NX], one(core.Softmax, axis=0)),
    Row(
        "reduce_max_of_negative",
        [NX],
        lambda b, x: b.emit(core.ReduceMax(b.emit(core.Neg(b.emit(core.Exp(x)).y)).y, axes=(0,))).y,
    ),
    Row("reduce_min", [NMX], one(core.ReduceMin, axes=(1,))),
    Row("reduce_prod", [NMX], one(core.ReduceProd, axes=(0, 2))),
    Row("mean", [NMX], one(core.ReduceMean, axes=(0, 1))),
    Row("mean_of_fixed_axis", [NMX], one(core.ReduceMean, axes=(2,))),
    Row("mean_by_shape", [NX], mean_by_shape),
    Row("normalized", [NMX], normalized),
    Row("arg_max", [NMX], one(core.ArgMax, axis=1)),
    Row("arg_min", [NX], one(core.ArgMin, axis=0)),
    Row("product_over_size", [(4, N), NX], one(core.MatMul)),
    Row("product_of_rows", [NMX], lambda b, x: b.emit(core.MatMul(x, const(b, WEIGHTS))).y),
    Row("attention", [NMX], attention),
    Row("heads", [(N, 3, 4)], heads),
    Row("convolution", [(N, 8, 8, 2)], convolution),
    Row("concat_along", [NX, (M, 4)], lambda b, x, y: b.emit(core.Concat([x, y, x], axis=0)).y),
    Row("concat_to_a_multiple", [(N, 4)], filled_blocks),
    Row("concat_across", [NX, NX], lambda b, x, y: b.emit(core.Concat([x, y], axis=1)).y),
    Row(
        "concat_then_sum", [NX], lambda b, x: b.emit(core.ReduceSum(b.emit(core.Concat([x, x], axis=0)).y, axes=(0,))).y
    ),
    Row("reverse", [NX], one(core.Reverse, axes=(0,))),
    Row("pad", [NX], padded),
    Row("slice", [NX], sliced),
    Row("transpose", [NMX], one(core.Transpose, perm=(1, 2, 0))),
    Row(
        "flatten",
        [(N, 3, 4)],
        lambda b, x: b.emit(core.ReduceSum(b.emit(core.Reshape(x, ints(b, -1, 2))).y, axes=(0,))).y,
    ),
    Row("squeeze", [(N, 1, M)], one(core.Squeeze, axes=(1,))),
    Row("shape_of", [NMX], one(core.ShapeOf)),
    Row("ones_like", [NMX], ones_like_sum),
    Row("cumsum", [NX], one(core.CumSum, axis=0)),
    Row("embedding", [(N, M)], lambda b, i: b.emit(core.Gather(const(b, WEIGHTS), i, axis=0)).y, index=(0,)),
    Row("rows_of_fixed_axis", [NMX], lambda b, x: b.emit(core.Gather(x, ints(b, 2, -1), axis=2)).y),
    Row("one_hot", [(N,)], lambda b, i: b.emit(core.OneHot(i, ints(b, 5), const(b, 1.0), const(b, 0.0))).y, index=(0,)),
    Row("tile", [NX], lambda b, x: b.emit(core.Tile(x, ints(b, 1, 3))).y),
    Row("split", [NX], lambda b, x: b.emit(core.Split(x, sizes=(1, 3), axis=1)).ys),
    Row("broadcast", [(N, 1), (1, M)], one(core.Add)),
    Row(
        "gelu_and_select",
        [NX],
        lambda b, x: b.emit(core.Select(b.emit(core.Less(x, const(b, 0.0))).y, b.emit(core.Gelu(x)).y, x)).y,
    ),
    Row("lstm", [(7, N, 4)], recurrent(core.Lstm, 4)),
    Row("lstm_of_lengths", [(7, N, 4), (N,)], recurrent(core.Lstm, 4), index=(1,)),
    Row("short_gru", [(3, N, 4)], recurrent(core.Gru, 3)),
    Row("rnn_backwards", [(7, N, 4)], recurrent(core.Rnn, 1, reverse=True)),
    Row("loop", [NX], lambda b, x: turns(b, x, layer)),
    Row("top_k", [NX], lambda b, x: b.emit(core.TopK(x, ints(b, 2), axis=1)).results[0]),
    Row(
        "last row", [NX], lambda b, x: b.emit(core.Slice(x, ints(b, -1, 0), ints(b, 0, 4), ints(b, 1, 1), end_mask=1)).y
    ),
    Row("negative rows", [NX], lambda b, x: b.emit(core.Gather(x, ints(b, -1), axis=0)).y),
    Row("rows run together", [(3, N)], lambda b, x: b.emit(core.Reshape(x, ints(b, -1))).y),
    Row("spatial", [(2, L, 9, 2)], convolution),
    Row("window", [NX], one(core.Lrn, axis=0, radius=1, radius_after=1, alpha=1.0, beta=0.5, bias=1.0)),
    Row(
        "mirrored",
        [NX],
        lambda b, x: b.emit(core.Pad(x, const(b, [[0, 0], [1, 1]], DType.I64), const(b, 0.0), mode="reflect")).y,
    ),
    Row("repeated", [NX], lambda b, x: b.emit(core.Tile(x, ints(b, 2, 1))).y),
    Row("backwards", [NX], one(core.CumSum, axis=0, reverse=True)),
    Row("time", [(N, 2, 4)], recurrent(core.Lstm, 4)),
    Row("turned around", [(7, N, 4), (N,)], recurrent(core.Lstm, 4, reverse=True), index=(1,)),
    Row("loop that sums", [NX], lambda b, x: turns(b, x, less_its_sum)),
    Row("transform", [(2, N)], lambda b, x: b.emit(core.Fft(b.emit(core.Complex(x, x)).y, axes=(1,))).y),
    Row("sorted", [NX], lambda b, x: b.emit(core.TopK(x, ints(b, 1), axis=0)).results[0]),
]


@pytest.mark.share(8)
@pytest.mark.parametrize("suffix", ["hlo.pb", "mlir"])
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_sizes(row: Row, suffix: str, tmp_path: pathlib.Path) -> None:
    check_row(row, tmp_path / f"m.{suffix}")


def kernel(b: Builder, x: Value, w: Value) -> Value:
    layouts = {"x_layout": "N01C", "w_layout": "01IO", "y_layout": "N01C"}
    return b.emit(core.Conv(x, w, strides=(1, 1), pads=((0, 0), (0, 0)), dilations=(1, 1), **layouts)).y


REFUSED = [
    Row("kernel", [(2, 9, 9, 3), (N, N, 3, 4)], kernel),
]


@pytest.mark.parametrize("row", REFUSED, ids=lambda r: r.name)
def test_what_depends_on_the_size_is_refused_by_name(row: Row) -> None:
    engine = DiagnosticEngine()
    lower(build(row), "hlo", engine)
    errors = [d for d in engine.diagnostics if d.code is Code.TargetLacksOp]
    assert errors and all("core." in error.message and error.help for error in errors)


def test_a_range_that_the_model_does_not_fit_is_refused() -> None:
    m = module_of_types(one(core.Add), [TensorType(FLOAT, (N, 4)), TensorType(FLOAT, (3, 4))])
    m.main.facts.where = SizeFacts(RANGES)
    engine = DiagnosticEngine()
    lower(m, "hlo", engine)
    (error,) = engine.diagnostics
    assert error.code in (Code.ShapeMismatch, Code.TargetLacksOp) and error.location is not None


@pytest.mark.parametrize(("ends", "fits"), [("1..9", False), ("13..31", False), ("1..31", True)])
def test_a_range_beside_others_that_the_model_does_not_fit_is_refused(
    ends: str, fits: bool, tmp_path: pathlib.Path
) -> None:
    """A length that an exporter wrote down, beside an open batch: it must be 12 for every one, which is written."""
    nodes = [
        helper.make_node("Shape", ["x"], ["batch"], start=0, end=1),
        helper.make_node("Concat", ["batch", "rest"], ["to"], axis=0),
        helper.make_node("Reshape", ["x", "to"], ["y"], name="flat"),
    ]
    types = [value("x", ["b", "n", 4])], [value("y", ["b", 48])]
    path = save(tmp_path, model(nodes, *types, {"rest": np.array([48])}))
    shapes = {"x": ("1..2", ends, 4)}
    if fits:
        mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo.pb", shapes=shapes)
        (condition,) = json.loads((tmp_path / "m.hlo.pb.json").read_text())["conditions"]
        assert condition["asked_by"] == "flat"
        return
    with pytest.raises(ConversionError, match="sizes of the ranges are") as error:
        mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo.pb", shapes=shapes)
    assert error.value.diagnostics[0].code is Code.ShapeMismatch


def meeting(first: str | int, second: str | int) -> onnx.ModelProto:
    """Inputs whose sizes have different names, and must agree: nothing else can be put behind one another."""
    return model(
        [helper.make_node("Concat", ["a", "b"], ["y"], name="side_by_side", axis=1)],
        [value("a", [first, 3]), value("b", [second, 2])],
        [value("y")],
    )


@pytest.mark.parametrize("target", ["hlo", "stablehlo"])
def test_what_sizes_must_fulfil_is_written(target: str, tmp_path: pathlib.Path) -> None:
    """And kept to by verification, which has no other way to find sizes that fit: ranges are wide."""
    output = tmp_path / f"m.{target}"
    shapes = {"a": ["N:1..50", 3], "b": ["M:1..50", 2]}
    result = mlconv.convert(save(tmp_path, meeting("N", "M")), to=target, output=output, shapes=shapes, verify=True)
    assert all(v["ok"] for v in result.verification)
    if target == "hlo":
        (condition,) = json.loads((tmp_path / "m.hlo.json").read_text())["conditions"]
        assert condition == {"kind": "equal", "a": "N", "b": "M", "asked_by": "side_by_side"}
    else:
        assert 'mlconv.conditions = ["N must be M, for side_by_side"]' in output.read_text()


@pytest.mark.parametrize("ends", [(50, 40), (40, 50)], ids=str)
def test_sizes_that_agree_with_other_ranges(ends: tuple[int, int], tmp_path: pathlib.Path) -> None:
    path = save(tmp_path, meeting("N", "M"))
    shapes = {"a": [f"N:1..{ends[0]}", 3], "b": [f"M:1..{ends[1]}", 2]}
    mlconv.convert(path, "hlo", tmp_path / "m.hlo.pb", shapes=shapes)
    main, module = (
        mlconv.load(path, shapes=shapes).main,
        xla_here(tmp_path / "m.hlo.pb"),
    )
    for n in (1, 7, 40):
        a, b = random(n, 3), random(n, 2, seed=1)
        np.testing.assert_array_equal(module.run(main, {"a": a, "b": b})["y"], np.concatenate([a, b], 1))


def test_sizes_that_the_model_takes_are_some_of_the_range(tmp_path: pathlib.Path) -> None:
    """Even ones: the range may end at an odd one, and buffers with it."""
    halves = [
        helper.make_node("AveragePool", ["x"], [name], kernel_shape=[2], strides=[2], ceil_mode=mode)
        for mode, name in enumerate("ab")
    ]
    proto = model(
        [*halves, helper.make_node("Concat", ["a", "b"], ["y"], axis=1)], [value("x", [1, 2, "N"])], [value("y")]
    )
    path, shapes = save(tmp_path, proto), {"x": [1, 2, "N:2..35"]}
    mlconv.convert(path, "hlo", tmp_path / "m.hlo.pb", shapes=shapes)
    facts = json.loads((tmp_path / "m.hlo.pb.json").read_text())
    assert facts["sizes"] == [{"name": "N", "low": 2, "high": 35}]
    main, module = (
        mlconv.load(path, shapes=shapes).main,
        xla_here(tmp_path / "m.hlo.pb"),
    )
    for n in (2, 20, 34):
        x = random(1, 2, n)
        half = x.reshape(1, 2, n // 2, 2).mean(-1)
        np.testing.assert_allclose(module.run(main, {"x": x})["y"], np.concatenate([half, half], 1), rtol=1e-5)


def test_a_range_that_ends_where_the_model_does_not(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError, match="at N = 50, N must be 9") as e:
        shapes = {"a": ["N:1..50", 3]}
        mlconv.convert(save(tmp_path, meeting("N", 9)), "hlo", tmp_path / "m.hlo.pb", shapes=shapes)
    assert e.value.diagnostic.node == "side_by_side" and e.value.diagnostic.op == "core.concat"


def test_a_range_that_ends_at_one_is_refused() -> None:
    m = build(ROWS[0])
    m.main.facts.where = SizeFacts({"N": (0, 1)})
    engine = DiagnosticEngine()
    lower(m, "hlo", engine)
    assert [d.code for d in engine.diagnostics] == [Code.ShapeNotStatic]


def test_loops_of_tensorflow(tmp_path: pathlib.Path) -> None:
    result = mlconv.convert(
        TESTDATA / "digits_rnn.pb",
        to="hlo",
        output=tmp_path / "m.hlo.pb",
        shapes={"image": ("1..16", 8, 8)},
        verify=True,
    )
    assert all(v["ok"] for v in result.verification)


@pytest.mark.share(4)
@pytest.mark.parametrize("target", ["hlo", "stablehlo"])
def test_command(target: str, tmp_path: pathlib.Path) -> None:
    output = tmp_path / f"out.{target}"
    shapes = {"image": ("1..16", 8, 8)}
    result = mlconv.convert(TESTDATA / "digits_transformer.onnx", to=target, output=output, shapes=shapes, verify=True)
    assert all(v["ok"] for v in result.verification)
    if target == "hlo":
        facts = json.loads((tmp_path / "out.hlo.json").read_text())
        assert facts["inputs"] == ["image"] and facts["outputs"] == ["scores"]
        assert facts["sizes"] == [{"name": "image_0", "low": 1, "high": 16}]
        assert facts["shapes"] == {"image": ["image_0", 8, 8], "scores": ["image_0", 10]}
    else:
        assert 'mlconv.range = "1..16"' in output.read_text() and "#stablehlo.bounds" not in output.read_text()


@pytest.mark.parametrize(
    ("shapes", "what"),
    [
        ({"a": ("1..1099511627776", 1), "b": (1, "1..1099511627776")}, {"a", "b"}),
        ({"a": ("1..4294967296", 1), "b": (1, "1..2")}, {"a"}),
        ({"a": ("1..2000000000", 1), "b": (1, "1..2000000000")}, {"y"}),
    ],
)
@pytest.mark.parametrize("target", ["hlo", "stablehlo"])
def test_ranges_that_no_machine_holds_are_refused(
    shapes: dict[str, Any], what: set[str], target: str, tmp_path: pathlib.Path
) -> None:
    """Of inputs, and of what is computed from them: a module would have the largest sizes."""
    types = [
        helper.make_tensor_value_info("a", TensorProto.FLOAT, ["N", 1]),
        helper.make_tensor_value_info("b", TensorProto.FLOAT, [1, "M"]),
    ]
    node = helper.make_node("Add", ["a", "b"], ["y"], name="y")
    graph = helper.make_graph([node], "g", types, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    path = tmp_path / "m.onnx"
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    )
    with pytest.raises(ConversionError) as error:
        mlconv.convert(path, to=target, output=tmp_path / "m.out", shapes=shapes)
    assert {(d.code, d.node) for d in error.value.diagnostics} == {(Code.TensorTooLarge, name) for name in what}
    assert not (tmp_path / "m.out").exists()


def test_a_module_without_masks_is_read_back_too(tmp_path: pathlib.Path) -> None:
    m = build(ROWS[0])
    written(m, tmp_path / "m.hlo.pb")
    sizes = [row["name"] for row in json.loads((tmp_path / "m.hlo.pb.json").read_text())["sizes"]]
    assert sizes and mlconv.load(tmp_path / "m.hlo.pb").main.input_names == [*m.main.input_names, *sizes]


def test_help_says_what_to_pass() -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.convert(TESTDATA / "digits_cnn.onnx", to="hlo", output="never.hlo.pb")
    (diagnostic,) = error.value.diagnostics
    assert (
        diagnostic.code is Code.ShapeNotStatic
        and "--shape image=1,1,8,8" in diagnostic.help
        and "--shape image=1..32,1,8,8" in diagnostic.help
    )


def test_inputs_that_share_a_size(tmp_path: pathlib.Path) -> None:
    nodes = [
        helper.make_node("Concat", ["a", "b"], ["c"], axis=1),
        helper.make_node("ReduceMean", ["c"], ["y"], axes=[0], keepdims=0),
    ]
    types = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["?", 3]) for n in "ab"]
    graph = helper.make_graph(nodes, "g", types, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [6])])
    path = tmp_path / "m.onnx"
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
    )
    shapes = {"a": ("N:1..9", 3), "b": ("N:1..9", 3)}
    result = mlconv.convert(path, to="hlo", shapes=shapes, verify=True)
    assert all(v["ok"] for v in result.verification)
    assert json.loads((tmp_path / "m.hlo.pb.json").read_text())["sizes"] == [{"name": "N", "low": 1, "high": 9}]
    assert mlconv.load(tmp_path / "m.hlo.pb").main.input_names == ["a", "b", "N"]
    with pytest.raises(ConversionError) as error:
        mlconv.convert(path, to="hlo", shapes={"a": ("N:1..9", 3), "b": ("N:1..8", 3)})
    assert error.value.diagnostic.code is Code.UsageError
