"""Builtins that are StableHLO ops.  Source: openxla.org/stablehlo/spec; tensorflow/lite/kernels/stablehlo_*.cc."""

from __future__ import annotations

from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tfl.node import Handler, TflNode, tfl_rules

RULES: Final = tfl_rules()

_SAME: Final = {
    "ABS": "Abs",
    "ADD": "AddV2",
    "COSINE": "Cos",
    "DIVIDE": "Div",
    "EXPONENTIAL": "Exp",
    "FLOOR": "Floor",
    "LOG": "Log",
    "LOGISTIC": "Sigmoid",
    "MAXIMUM": "Maximum",
    "MINIMUM": "Minimum",
    "MULTIPLY": "Mul",
    "NEGATE": "Neg",
    "POWER": "Pow",
    "REMAINDER": "TruncateMod",
    "RSQRT": "Rsqrt",
    "SELECT": "SelectV2",
    "SHIFT_LEFT": "LeftShift",
    "SUBTRACT": "Sub",
    "TANH": "Tanh",
}
_COMPARE: Final = {
    0: "Equal",
    1: "NotEqual",
    2: "GreaterEqual",
    3: "Greater",
    4: "LessEqual",
    5: "Less",
}
"""StablehloComparisonDirection."""


def _same(kind: str) -> Handler:
    return lambda n: n.tf1(kind, n.numbers())


for _name, _kind in _SAME.items():
    RULES.add(f"STABLEHLO_{_name}", _same(_kind))


@RULES.rule("STABLEHLO_AND", "STABLEHLO_OR")
def logical(n: TflNode) -> Value:
    a, b = n.operands()
    return n.logical_and(a, b) if n.kind.endswith("AND") else n.logical_or(a, b)


@RULES.rule("STABLEHLO_COMPARE")
def compare(n: TflNode) -> Value:
    return n.tf1(_COMPARE[n.attr("comparison_direction")], n.numbers())


@RULES.rule("STABLEHLO_CONVERT")
def convert(n: TflNode) -> Value:
    return n.cast(n.number(0), n.plain_types()[0].dtype)


@RULES.rule("STABLEHLO_CBRT")
def cbrt(n: TflNode) -> Value:
    x = n.number(0)
    return n.mul(n.y(core.Sign(x)), n.y(core.Pow(n.y(core.Abs(x)), n.asarray(1 / 3, x))))


@RULES.rule("STABLEHLO_CLAMP")
def clamp(n: TflNode) -> Value:
    low, x, high = n.numbers()
    return n.minimum(n.maximum(x, low), high)


@RULES.rule("STABLEHLO_CONCATENATE")
def concatenate(n: TflNode) -> Value:
    return n.concat(n.numbers(), n.attr("dimension"))


@RULES.rule("STABLEHLO_RESHAPE")
def reshape(n: TflNode) -> Value:
    return n.reshape(n.number(0), n.plain_types()[0].static_shape())


@RULES.rule("STABLEHLO_TRANSPOSE")
def transpose(n: TflNode) -> Value:
    return n.transpose(n.number(0), n.attr("permutation"))


@RULES.rule("STABLEHLO_SLICE")
def slice_(n: TflNode) -> Value:
    x = n.number(0)
    rows = zip(n.attr("start_indices"), n.attr("limit_indices"), n.attr("strides"), strict=True)
    return n.slice(x, dict(enumerate(rows)))


@RULES.rule("STABLEHLO_BROADCAST_IN_DIM")
def broadcast_in_dim(n: TflNode) -> Value:
    """Axis i of x is axis `broadcast_dimensions[i]` of the result."""
    x, shape, places = n.number(0), n.plain_types()[0].static_shape(), n.attr("broadcast_dimensions")
    own = x.tensor.static_shape()
    order = sorted(range(len(places)), key=lambda i: places[i])
    turned = n.transpose(x, order)
    sizes = [1] * len(shape)
    for axis in order:
        sizes[places[axis]] = own[axis]
    return n.broadcast_to(n.reshape(turned, sizes), shape)


@RULES.rule("STABLEHLO_IOTA")
def iota(n: TflNode) -> Value:
    t, axis = n.plain_types()[0], n.attr("iota_dimension")
    shape = t.static_shape()
    row = n.cast(n.arange(shape[axis]), t.dtype)
    return n.broadcast_to(n.reshape(row, [s if i == axis else 1 for i, s in enumerate(shape)]), shape)


@RULES.rule("STABLEHLO_DYNAMIC_SLICE")
def dynamic_slice(n: TflNode) -> Value:
    """Starts are moved so that the slice lies inside."""
    x, sizes = n.number(0), n.attr("slice_sizes")
    starts = [n.scalar(n.cast(v, DType.I64)) for v in n.operands(1)]
    room = [int(d) - s for d, s in zip(x.tensor.static_shape(), sizes, strict=True)]
    inside = [n.minimum(n.maximum(v, 0), most) for v, most in zip(starts, room, strict=True)]
    return n.y(core.DynamicSlice(x, n.stack(inside), n.vector(sizes)))


@RULES.rule("STABLEHLO_DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(n: TflNode) -> Value:
    x, update = n.number(0), n.number(1)
    return n.y(core.UpdateSlice(x, update, [n.scalar(v) for v in n.operands(2)]))


@RULES.rule("STABLEHLO_PAD")
def pad(n: TflNode) -> Value:
    rows = zip(n.attr("edge_padding_low"), n.attr("edge_padding_high"), n.attr("interior_padding"), strict=True)
    return n.hlo("pad", n.numbers(), padding=tuple(rows))[0]


@RULES.rule("STABLEHLO_GATHER")
def gather(n: TflNode) -> Value:
    return n.hlo(
        "gather",
        [n.number(0), n.operand(1)],
        offset_dims=tuple(n.attr("offset_dims")),
        collapsed_slice_dims=tuple(n.attr("collapsed_slice_dims")),
        start_index_map=tuple(n.attr("start_index_map")),
        index_vector_dim=n.attr("index_vector_dim"),
        operand_batching_dims=(),
        start_indices_batching_dims=(),
        slice_sizes=tuple(n.attr("slice_sizes")),
    )[0]


@RULES.rule("STABLEHLO_DOT_GENERAL")
def dot_general(n: TflNode) -> Value:
    return n.hlo(
        "dot",
        n.numbers(),
        lhs_contracting=tuple(n.attr("lhs_contracting_dimensions")),
        rhs_contracting=tuple(n.attr("rhs_contracting_dimensions")),
        lhs_batch=tuple(n.attr("lhs_batching_dimensions")),
        rhs_batch=tuple(n.attr("rhs_batching_dimensions")),
    )[0]
