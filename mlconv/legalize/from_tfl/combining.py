"""Builtins that are StableHLO ops with computations, or with windows, of their own.

Source: openxla.org/stablehlo/spec; tensorflow/lite/kernels/stablehlo_scatter.cc, stablehlo_reduce_window.cc,
reduce_window.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.source import SourceOp
from mlconv.dialects.tfl_table import ENUMS
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.types import TensorType
from mlconv.legalize.from_tfl.node import TflNode, tfl_rules
from mlconv.rewrite import edit

RULES: Final = tfl_rules()

_OPCODES: Final = {
    "ADD": "add",
    "MUL": "multiply",
    "MAXIMUM": "maximum",
    "MINIMUM": "minimum",
    "LOGICAL_AND": "and",
    "LOGICAL_OR": "or",
    "STABLEHLO_ADD": "add",
    "STABLEHLO_MULTIPLY": "multiply",
    "STABLEHLO_MAXIMUM": "maximum",
    "STABLEHLO_MINIMUM": "minimum",
    "STABLEHLO_AND": "and",
    "STABLEHLO_OR": "or",
}
_FUNCTIONS: Final = {
    ENUMS["ReduceWindowFunction"][name]: opcode
    for name, opcode in (
        ("ADD", "add"),
        ("MUL", "multiply"),
        ("MINIMUM", "minimum"),
        ("MAXIMUM", "maximum"),
        ("ALL", "and"),
        ("ANY", "or"),
    )
}


def _regions(n: TflNode) -> list[Region]:
    """The computations of an op, whose ops are HLO's where those tell what is computed."""
    regions = edit.take_regions(n.op)
    for region in regions:
        for op in list(region.block.ops):
            opcode = _OPCODES.get(op.name.partition(".")[2])
            if opcode is not None:
                types = [v.tensor for v in op.results]
                made = SourceOp(f"hlo.{opcode}", op.operands, {}, types, location=op.location)
                edit.replace(op, edit.insert(made, before=op).results)
    return regions


def _pairs(flat: Sequence[int], count: int) -> list[tuple[int, int]]:
    if len(flat) != 2 * count:
        raise ConversionError(Code.AttributeInvalid, f"{len(flat)} amounts of padding for {count} axes")
    return [(flat[2 * i], flat[2 * i + 1]) for i in range(count)]


@RULES.rule("STABLEHLO_REDUCE")
def reduce(n: TflNode) -> Sequence[Value]:
    return n.hlo("reduce", n.numbers(), _regions(n), dimensions=tuple(n.attr("dimensions")))


@RULES.rule("STABLEHLO_SCATTER")
def scatter(n: TflNode) -> Value:
    return n.hlo(
        "scatter",
        [n.number(0), n.operand(1), n.number(2)],
        _regions(n),
        update_window_dims=tuple(n.attr("update_window_dims")),
        inserted_window_dims=tuple(n.attr("inserted_window_dims")),
        scatter_dims_to_operand_dims=tuple(n.attr("scatter_dims_to_operand_dims")),
        index_vector_dim=n.attr("index_vector_dim"),
        input_batching_dims=(),
        scatter_indices_batching_dims=(),
    )[0]


@RULES.rule("STABLEHLO_SORT")
def sort(n: TflNode) -> Sequence[Value]:
    return n.hlo("sort", n.numbers(), _regions(n), dimensions=(n.attr("dimension"),))


@RULES.rule("STABLEHLO_REDUCE_WINDOW")
def reduce_window(n: TflNode) -> Sequence[Value]:
    """Each axis has a window with a stride, pads and dilations."""
    sizes = n.attr("window_dimensions")
    ones = (1,) * len(sizes)
    steps = [tuple(n.attr(k)) or ones for k in ("window_strides", "window_dilations", "base_dilations")]
    pads = _pairs(n.attr("padding") or (0,) * (2 * len(sizes)), len(sizes))
    window = tuple(
        (size, stride, low, high, dilation, base)
        for size, stride, (low, high), dilation, base in zip(sizes, steps[0], pads, *steps[1:], strict=True)
    )
    return n.hlo("reduce-window", n.numbers(), _regions(n), window=window, reversed=())


@RULES.rule("REDUCE_WINDOW")
def tfl_reduce_window(n: TflNode) -> Value:
    """Operands: x, the initial value, sizes, strides and dilations of the window, each [rank]."""
    opcode = _FUNCTIONS.get(n.attr("reduce_function"))
    if opcode is None:
        raise ConversionError(Code.AttributeInvalid, f"the function {n.attr('reduce_function')} of {n.kind}")
    rows = zip(n.ints(2), n.ints(3), n.ints(4), strict=True)
    window = tuple((size, stride, 0, 0, dilation, 1) for size, stride, dilation in rows)
    x, initial = n.number(0), n.scalar(n.number(1))
    scalar = TensorType(x.tensor.dtype, ())
    block = Block([scalar, scalar])
    op = SourceOp(f"hlo.{opcode}", block.arguments, {}, [scalar], location=n.rewriter.location)
    block.insert(op)
    block.insert(Yield(op.results, n.rewriter.location))
    return n.hlo("reduce-window", [x, initial], [Region(block)], window=window, reversed=())[0]


@RULES.rule("STABLEHLO_CONVOLUTION")
def convolution(n: TflNode) -> Value:
    axes = n.attr("input_spatial_dimensions")
    count = len(axes)
    ones = (1,) * count
    kernel = n.operand(1).tensor.static_shape()
    sizes = [kernel[a] for a in n.attr("kernel_spatial_dimensions")]
    steps = [tuple(n.attr(k)) or ones for k in ("window_strides", "rhs_dilation", "lhs_dilation")]
    pads = _pairs(n.attr("padding") or (0,) * (2 * count), count)
    rows = zip(sizes, steps[0], pads, *steps[1:], strict=True)
    return n.hlo(
        "convolution",
        n.numbers(),
        window=tuple((k, s, low, high, d, base) for k, s, (low, high), d, base in rows),
        reversed=tuple(i for i, turned in enumerate(n.attr("window_reversal")) if turned),
        x_layout=_layout(n.attr("input_batch_dimension"), "N", n.attr("input_feature_dimension"), "C", axes),
        w_layout=_layout(
            n.attr("kernel_input_feature_dimension"),
            "I",
            n.attr("kernel_output_feature_dimension"),
            "O",
            n.attr("kernel_spatial_dimensions"),
        ),
        y_layout=_layout(
            n.attr("output_batch_dimension"),
            "N",
            n.attr("output_feature_dimension"),
            "C",
            n.attr("output_spatial_dimensions"),
        ),
        groups=n.attr("feature_group_count"),
        batch_groups=n.attr("batch_group_count"),
    )[0]


def _layout(first: int, letter: str, second: int, other: str, spatial: Sequence[int]) -> str:
    """A letter for each axis.  Raises ConversionError AttributeInvalid for axes that are none, or named twice."""
    letters = {first: letter, second: other, **{axis: str(i) for i, axis in enumerate(spatial)}}
    if sorted(letters) != list(range(len(spatial) + 2)):
        raise ConversionError(Code.AttributeInvalid, f"the dimension numbers {[first, second, *spatial]}")
    return "".join(letters[i] for i in range(len(letters)))
