"""A row or more for every core op: arrays, and the op that is built over them.  Tests of `eval`, of each target and of
what comes back from HLO run all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Op, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.types import TensorType
from tests.support.graphs import Graph
from tests.support.modules import module

RNG = np.random.default_rng(11)


F, B, I, C = np.float32, np.bool_, np.int32, np.complex64  # noqa: E741


def arr(*shape: int, dtype: Any = F, low: int = 0, high: int = 5) -> np.ndarray:
    if dtype is F:
        return RNG.standard_normal(shape).astype(F)
    if dtype is C:
        return (RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)).astype(C)
    return RNG.integers(low, 2 if dtype is B else high, shape).astype(dtype)


class Row:
    """An op over arrays.  build(values, const): values are the inputs, const makes a constant operand."""

    def __init__(
        self,
        name: str,
        inputs: list[np.ndarray],
        build: Callable[[list[Value], Callable[..., Value]], Op],
        symbolic: bool = True,
    ) -> None:
        self.name, self.inputs, self.build, self.symbolic = name, inputs, build, symbolic


UNARY = [
    getattr(core, name)
    for name in (
        "Neg Abs Sign Exp Expm1 Log Log1p Sqrt Rsqrt Sin Cos Tan Asin Acos "
        "Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf Erfc Lgamma Digamma Floor "
        "Ceil Round Sigmoid Softplus Gelu HardSwish Elu IsNan IsInf IsFinite"
    ).split()
]


FLOAT_BINARY = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "FloorDiv",
    "FloorMod",
    "Rem",
    "Pow",
    "Maximum",
    "Minimum",
    "Atan2",
    "Equal",
    "NotEqual",
    "Less",
    "LessEqual",
    "Greater",
    "GreaterEqual",
]


INT_BINARY = ["And", "Or", "Xor", "ShiftLeft", "ShiftRight", "Div", "FloorDiv", "FloorMod", "Rem"]


REDUCE = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"]


X4, X3 = arr(2, 6, 8, 4), arr(2, 3, 4)


Q = QuantType.of(DType.I8, 0.1, 3)


WINDOW: dict[str, Any] = {"window": (3, 2), "strides": (2, 1), "dilations": (1, 1)}


PADS = ((1, 1), (0, 1))


def rows() -> list[Row]:
    out = [Row(c.name, [np.abs(X3) + 0.5], lambda v, k, c=c: c(v[0])) for c in UNARY]
    for name in FLOAT_BINARY:
        out.append(
            Row(name, [np.abs(X3) + 1, np.abs(arr(3, 1)) + 1], lambda v, k, c=getattr(core, name): c(v[0], v[1]))
        )
    for name in INT_BINARY:
        out.append(Row(name, [arr(2, 3, dtype=I), arr(3, dtype=I)], lambda v, k, c=getattr(core, name): c(v[0], v[1])))
    for name in REDUCE:
        for keep in (False, True):
            out.append(
                Row(name, [X3], lambda v, k, c=getattr(core, name), keep=keep: c(v[0], axes=(0, 2), keepdims=keep))
            )
    for name in ("ReduceAny", "ReduceAll"):
        out.append(Row(name, [arr(2, 3, dtype=B)], lambda v, k, c=getattr(core, name): c(v[0], axes=(1,))))
    for name in ("ArgMax", "ArgMin"):
        out.append(
            Row(name, [X3], lambda v, k, c=getattr(core, name): c(v[0], axis=1, select_last=True, dtype=DType.I32))
        )
    for name in ("CumSum", "CumProd"):
        out.append(Row(name, [X3], lambda v, k, c=getattr(core, name): c(v[0], axis=1, exclusive=True, reverse=True)))
    for name in ("Softmax", "LogSoftmax"):
        out.append(Row(name, [X3], lambda v, k, c=getattr(core, name): c(v[0], axis=1)))
    return out + elementwise_rows() + shape_rows() + index_rows() + window_rows() + other_rows()


def elementwise_rows() -> list[Row]:
    return [
        Row("clamp", [X3], lambda v, k: core.Clamp(v[0], lo=-0.5, hi=np.inf)),
        Row("leaky", [X3], lambda v, k: core.LeakyRelu(v[0], alpha=0.2)),
        Row("cast", [X3], lambda v, k: core.Cast(v[0], dtype=DType.I32)),
        Row("bitcast", [X3], lambda v, k: core.Bitcast(v[0], dtype=DType.U16)),
        Row(
            "bitcast wider",
            [arr(3, 4, dtype=np.int16)],
            lambda v, k: core.Bitcast(v[0], dtype=DType.I64),
            symbolic=False,
        ),
        Row("not", [arr(3, dtype=B)], lambda v, k: core.LogicalNot(v[0])),
        Row("invert", [arr(3, dtype=I)], lambda v, k: core.BitwiseNot(v[0])),
        Row("select", [arr(3, 1, dtype=B), X3, arr(4)], lambda v, k: core.Select(v[0], v[1], v[2])),
        Row("complex", [X3, X3], lambda v, k: core.Complex(v[0], v[1])),
        Row("real", [arr(2, 3, dtype=C)], lambda v, k: core.Real(v[0])),
        Row("imag", [arr(2, 3, dtype=C)], lambda v, k: core.Imag(v[0])),
        Row("fft", [arr(2, 4, dtype=C)], lambda v, k: core.Fft(v[0], axes=(0, 1), inverse=True)),
        Row("rfft", [X3], lambda v, k: core.Rfft(v[0], axes=(1, 2))),
        Row("irfft", [arr(2, 3, dtype=C)], lambda v, k: core.Irfft(v[0], axes=(1,), length=5)),
        Row("quantize", [X3], lambda v, k: core.Quantize(v[0], element=Q)),
        Row(
            "quantize axis",
            [X3],
            lambda v, k: core.Quantize(v[0], element=QuantType.of(DType.U8, (0.1, 0.2, 0.3), (0, 1, 2), 1)),
            symbolic=False,
        ),
        Row("storage_cast", [arr(2, 3, dtype=np.int8)], lambda v, k: core.StorageCast(v[0], element=Q)),
        Row("to_integers", [X3], lambda v, k: core.ToIntegers(v[0], quant=Q)),
        Row("from_integers", [arr(2, 3, dtype=np.int8)], lambda v, k: core.FromIntegers(v[0], quant=Q)),
        Row("fake_quant", [X3], lambda v, k: core.FakeQuant(v[0], quant=Q)),
        Row("lrn", [X4], lambda v, k: core.Lrn(v[0], radius=1, radius_after=2, alpha=0.1, beta=0.5, bias=1.0, axis=3)),
    ]


def shape_rows() -> list[Row]:
    return [
        Row("constant", [], lambda v, k: core.Constant(value=make_const(X3))),
        Row("shape_of", [X3], lambda v, k: core.ShapeOf(v[0], dtype=DType.I32)),
        Row("reshape", [X3], lambda v, k: core.Reshape(v[0], k([4, -1])), symbolic=False),
        Row("reshape rest", [X3], lambda v, k: core.Reshape(v[0], k([-1]))),
        Row("expand_dims", [X3], lambda v, k: core.ExpandDims(v[0], axes=(0, 2))),
        Row("squeeze", [arr(2, 1, 3, 1)], lambda v, k: core.Squeeze(v[0], axes=(1, 3))),
        Row("transpose", [X3], lambda v, k: core.Transpose(v[0], perm=(2, 0, 1))),
        Row("concat", [X3, arr(2, 5, 4)], lambda v, k: core.Concat(v, axis=1)),
        Row("split", [X3], lambda v, k: core.Split(v[0], sizes=(1, -1), axis=1)),
        Row(
            "slice",
            [X4],
            lambda v, k: core.Slice(v[0], k([0, 5, -3, 0]), k([2, 0, 99, -1]), k([1, -2, 2, 1])),
            symbolic=False,
        ),
        Row(
            "slice open",
            [X4],
            lambda v, k: core.Slice(
                v[0], k([0, 1, 0, 9]), k([0, 0, 0, 0]), k([1, 2, 1, -1]), begin_mask=8, end_mask=15
            ),
        ),
        Row("dynamic_slice", [X3], lambda v, k: core.DynamicSlice(v[0], k([0, 1, 2]), k([-1, 2, 1]))),
        Row(
            "update_slice",
            [X3, arr(1, 2, 2)],
            lambda v, k: core.UpdateSlice(v[0], v[1], [k(1), k(-1), k(9)]),
        ),
        Row("pad", [X3], lambda v, k: core.Pad(v[0], k([[1, 0], [0, 2], [-1, 1]]), k(F(7)))),
        Row("pad reflect", [X3], lambda v, k: core.Pad(v[0], k([[1, 0], [2, 2], [0, 1]]), k(F(0)), mode="reflect")),
        Row("pad symmetric", [X3], lambda v, k: core.Pad(v[0], k([[1, 0], [2, 3], [0, 1]]), k(F(0)), mode="symmetric")),
        Row("pad edge", [X3], lambda v, k: core.Pad(v[0], k([[1, 0], [2, 2], [0, 1]]), k(F(0)), mode="edge")),
        Row("pad wrap", [X3], lambda v, k: core.Pad(v[0], k([[1, 0], [2, 2], [0, 1]]), k(F(0)), mode="wrap")),
        Row("tile", [X3], lambda v, k: core.Tile(v[0], k([1, 3, 2]))),
        Row("broadcast_to", [arr(3, 1)], lambda v, k: core.BroadcastTo(v[0], k([2, 3, 4])), symbolic=False),
        Row("reverse", [X3], lambda v, k: core.Reverse(v[0], axes=(0, 2))),
        Row("reverse_sequence", [X3], lambda v, k: core.ReverseSequence(v[0], k([2, 1, 3]), time_axis=2, batch_axis=1)),
        Row("range", [], lambda v, k: core.Range(k(I(2)), k(I(11)), k(I(4)))),
        Row("range float", [], lambda v, k: core.Range(k(F(1)), k(F(-1)), k(F(-0.5)))),
        Row("depth_to_space", [X4], lambda v, k: core.DepthToSpace(v[0], block_size=2)),
        Row(
            "depth_to_space crd",
            [arr(1, 8, 3, 2)],
            lambda v, k: core.DepthToSpace(v[0], block_size=2, layout="NCHW", mode="crd"),
        ),
        Row("space_to_depth", [X4], lambda v, k: core.SpaceToDepth(v[0], block_size=2)),
        Row("space_to_batch", [X4], lambda v, k: core.SpaceToBatch(v[0], k([[1, 1], [0, 2]]), block_size=(2, 5))),
        Row(
            "batch_to_space",
            [arr(12, 3, 4, 2)],
            lambda v, k: core.BatchToSpace(v[0], k([[1, 0], [0, 2]]), block_size=(2, 3)),
        ),
    ]


def index_rows() -> list[Row]:
    at = arr(2, 3, dtype=I, high=3)
    return [
        Row("gather", [X3, at], lambda v, k: core.Gather(v[0], v[1], axis=1)),
        Row(
            "gather batch",
            [X3, arr(2, 5, dtype=I, low=-3, high=3)],
            lambda v, k: core.Gather(v[0], v[1], axis=1, batch_dims=1),
        ),
        Row(
            "gather_elements",
            [X3, arr(2, 2, 4, dtype=I, low=-3, high=3)],
            lambda v, k: core.GatherElements(v[0], v[1], axis=1),
        ),
        Row("gather_nd", [X3, arr(5, 2, dtype=I, high=2)], lambda v, k: core.GatherNd(v[0], v[1]), symbolic=False),
        Row(
            "gather_nd batch",
            [X3, arr(2, 5, 1, dtype=I, high=3)],
            lambda v, k: core.GatherNd(v[0], v[1], batch_dims=1),
            symbolic=False,
        ),
        Row(
            "scatter_nd",
            [X3, arr(5, 2, dtype=I, high=2), arr(5, 4)],
            lambda v, k: core.ScatterNd(v[0], v[1], v[2], reduction="add"),
        ),
        Row(
            "scatter_elements",
            [X3, arr(1, 3, 4, dtype=I, high=2), arr(1, 3, 4)],
            lambda v, k: core.ScatterElements(v[0], v[1], v[2], axis=0),
        ),
        Row(
            "scatter_fill",
            [arr(5, 1, dtype=I, high=4), arr(5, 2)],
            lambda v, k: core.ScatterFill(v[0], v[1], k([4, 2])),
        ),
        Row("one_hot", [at], lambda v, k: core.OneHot(v[0], k(I(4)), k(F(1)), k(F(0)), axis=1)),
        Row("nonzero", [arr(3, 4, dtype=I, high=2)], lambda v, k: core.NonZero(v[0])),
        Row("top_k", [X3], lambda v, k: core.TopK(v[0], k(I(2)), axis=1, largest=False)),
        Row(
            "lookup",
            [arr(2, 3, dtype=I)],
            lambda v, k: core.Lookup(v[0], k(F(-1)), k(np.array([3, 1], I)), k(np.array([30, 10], F))),
        ),
        Row("trees", [arr(9, 3)], _trees),
        Row("trees of several targets", [arr(9, 3)], lambda v, k: _trees(v, k, reduction="max")),
        Row("unique", [arr(9, dtype=I)], lambda v, k: core.Unique(v[0], sorted=False)),
        Row("unique axis", [arr(5, 2, dtype=I, high=2)], lambda v, k: core.Unique(v[0], axis=0)),
        *(
            Row(
                f"segment {kind}",
                [X3, arr(2, dtype=I, low=-1, high=3)],
                lambda v, k, kind=kind: core.SegmentReduce(v[0], v[1], k(I(4)), reduction=kind),
            )
            for kind in ("add", "mul", "max", "min", "mean")
        ),
        Row(
            "nms",
            [np.abs(arr(6, 4)), np.abs(arr(6))],
            lambda v, k: core.NonMaxSuppression(v[0], v[1], k(I(4)), k(F(0.5)), k(F(0.1)), k(F(0)), padded=True),
        ),
        Row(
            "nms soft",
            [np.abs(arr(6, 4)), np.abs(arr(6))],
            lambda v, k: core.NonMaxSuppression(v[0], v[1], k(I(4)), k(F(0.5)), k(F(0.1)), k(F(0.5))),
        ),
    ]


def _trees(v: Any, k: Any, reduction: str = "add") -> Any:
    """Three trees: of two nodes, of one, and a leaf."""
    nodes = [k(np.array(a)) for a in (I([0, 2, 1]), F([0.1, -0.3, 0]), I([[1, -1], [-2, -3], [-4, -5]]), I([0, 2, -6]))]
    flags = k(np.array([0, 2, 1], np.uint8))
    if reduction == "add":
        return core.TreeEnsemble(v[0], *nodes, k(arr(6)), k(I([1, 0, 1])), flags, targets=2)
    return core.TreeEnsemble(v[0], *nodes, k(arr(6, 4)), None, None, targets=4, reduction=reduction)


def window_rows() -> list[Row]:
    one = {"strides": (2, 1), "dilations": (1, 2)}
    first = {"x_layout": "NC01", "w_layout": "OI01", "y_layout": "NC01"}
    return [
        Row("conv", [X4, arr(3, 2, 4, 5), arr(5)], lambda v, k: core.Conv(*v, pads=PADS, **one)),
        Row(
            "conv groups",
            [arr(1, 4, 7, 6), arr(6, 2, 3, 2)],
            lambda v, k: core.Conv(v[0], v[1], None, pads=PADS, groups=2, **one, **first),
            symbolic=False,
        ),
        Row(
            "integer conv",
            [
                arr(2, 6, 7, 4, dtype=np.uint8, high=256),
                arr(3, 2, 4, 5, dtype=np.int8, low=-128, high=128),
                arr(5, dtype=np.int8, low=-9, high=9),
            ],
            lambda v, k: core.IntegerConv(v[0], v[1], None, k(np.uint8(7)), v[2], pads=PADS, **one),
            symbolic=False,
        ),
        Row("conv same", [X4, arr(3, 2, 4, 5)], lambda v, k: core.Conv(v[0], v[1], None, pads="SAME_UPPER", **one)),
        Row(
            "conv transpose",
            [X4, arr(3, 2, 5, 4), arr(5)],
            lambda v, k: core.ConvTranspose(*v, pads=PADS, output_pads=(1, 0), **one),
        ),
        Row(
            "conv transpose groups",
            [arr(1, 4, 3, 5), arr(4, 3, 2, 2)],
            lambda v, k: core.ConvTranspose(
                v[0],
                v[1],
                None,
                pads=PADS,
                output_pads=(0, 0),
                groups=2,
                x_layout="NC01",
                w_layout="IO01",
                y_layout="NC01",
                **one,
            ),
        ),
        Row("max_pool", [X4], lambda v, k: core.MaxPool(v[0], pads=PADS, **WINDOW)),
        Row(
            "max_pool ceil",
            [X4],
            lambda v, k: core.MaxPool(v[0], pads=((0, 0), (0, 0)), ceil_mode=True, **WINDOW),
            symbolic=False,
        ),
        Row("avg_pool", [X4], lambda v, k: core.AvgPool(v[0], pads=PADS, count_include_pad=True, **WINDOW)),
        Row("avg_pool same", [X4], lambda v, k: core.AvgPool(v[0], pads="SAME_LOWER", **WINDOW)),
        Row(
            "integer matmul",
            [
                arr(5, 3, 4, dtype=np.uint8, high=256),
                arr(6, 4, dtype=np.int8, low=-128, high=128),
                arr(6, 1, dtype=np.int8, low=-9, high=9),
            ],
            lambda v, k: core.IntegerMatMul(v[0], v[1], k(np.uint8(7)), v[2], transpose_b=True),
        ),
        Row("matmul", [arr(5, 1, 3, 4), arr(2, 6, 4)], lambda v, k: core.MatMul(v[0], v[1], transpose_b=True)),
        *(
            Row(
                f"resize {mode} {kind}",
                [X4],
                lambda v, k, mode=mode, kind=kind: core.Resize(
                    v[0], k([9, 5]), axes=(1, 2), mode=mode, coordinates=kind
                ),
            )
            for mode in ("nearest", "linear", "cubic")
            for kind in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric")
        ),
    ]


def other_rows() -> list[Row]:
    x, w, r = arr(4, 2, 3), arr(20, 3), arr(20, 5)
    lengths = np.array([4, 2], np.int32)
    return [
        Row(
            "lstm",
            [x, w, r, arr(20), arr(2, 5), arr(2, 5), lengths, arr(15)],
            lambda v, k: core.Lstm(*v, reverse=True, clip=1.0),
        ),
        Row("gru", [x, arr(15, 3), arr(15, 5)], lambda v, k: core.Gru(*v, linear_before_reset=True)),
        Row("rnn", [x, arr(5, 3), arr(5, 5), arr(5)], lambda v, k: core.Rnn(*v)),
        Row("random_uniform", [], lambda v, k: core.RandomUniform(k([2, 3]), seed=1)),
        Row("random_normal", [], lambda v, k: core.RandomNormal(k([2, 3]), seed=1)),
    ]


ROWS = rows()


def loop(limit: int) -> tuple[Any, Graph]:
    g = Graph((3,))
    types = [TensorType(DType.I32, ()), g.xs[0].type]
    cond, body = Block(types), Block(types)
    c, b = g.at(cond), g.at(body)
    end = c.emit(core.Constant(value=make_const(np.int32(limit)))).y
    c.emit(Yield([c.emit(core.Less(cond.arguments[0], end)).y]))
    one = b.emit(core.Constant(value=make_const(np.int32(1)))).y
    b.emit(Yield([b.emit(core.Add(body.arguments[0], one)).y, b.emit(core.Add(body.arguments[1], g.xs[0])).y]))
    start = g.const(np.int32(0))
    return g.finish(*g.emit(core.While([start, g.xs[0]], cond=Region(cond), body=Region(body))).ys), g


def named_loop(limit: int) -> Any:
    """The module of a loop that uses what is around it, with the names that targets are run by."""
    m, _ = loop(limit)
    m.main.block.arguments[0].name = "in0"
    m.main.output_names = ["out0", "out1"]
    return m


# Sizes that depend on data, which HLO has not; random numbers, whose streams differ.
DYNAMIC = (core.NonZero, core.Unique, core.NonMaxSuppression)
RANDOM = (core.RandomNormal, core.RandomUniform)


def build(row: Row, made: list[Any]) -> Any:
    """The module of a row; its op is appended to `made`."""

    def make(b: Builder, *inputs: Value) -> list[Value]:
        def const(value: Any, dtype: DType | None = None) -> Value:
            return b.emit(core.Constant(value=make_const(np.asarray(value), dtype))).y

        op = b.emit(row.build(list(inputs), const))
        made.append(op)
        return op.results

    return module(make, row.inputs)
