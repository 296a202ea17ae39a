"""Rows that are looked up in a table that a product has as weights, in panels: they are read out of these, so that the
table is stored once (embeddings whose table makes the logits, too).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import FLOAT32, PANEL, View, dense
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.legalize.to_kernel.arithmetic import as_packed, numbers_of_zeros, packed, stored_weights
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, sizes
from mlconv.legalize.to_kernel.few_rows import is_turned

_LEAST = 1 << 12  # bytes of a table


def tied_tables(module: Module) -> Mapping[Hashable, Const]:
    """Weights [depth, channels] of products, by the key of what they are turned: tables [channels, depth]."""
    found = {}
    for op in module.walk():
        if isinstance(op, core.MatMul) and op.b.tensor.rank == 2 and not is_turned(op):
            weights = _weights(op)
            if weights is not None and weights.nbytes >= _LEAST:
                turned = recipes.transpose(weights, (1, 0))
                table, columns = (weights, turned) if op.transpose_b else (turned, weights)
                found[table.key] = columns
    return found


def _weights(op: core.MatMul) -> Const | None:
    """As a product of floats has them in panels, one element after the other."""
    if op.y.tensor.dtype is not DType.F32 or not op.y.tensor.size:
        return None
    stored = stored_weights(op.b)
    if stored is not None:
        fits = stored[0].dtype is DType.I8 and numbers_of_zeros(stored[1]) is None
        return stored[0] if fits else None
    numbers = const_of(op.b)
    return numbers if numbers is not None and numbers.dtype is DType.F32 else None


def tied_rows(op: core.Gather, e: KernelBuilder) -> Value | None:
    """None where the table is no such weights, or is not looked up along its first axis."""
    table = const_of(op.x)
    weights = None if table is None else e.forms.tied.get(table.key)
    if weights is None or op.axis % 2 or op.batch_dims or not op.y.tensor.size:
        return None
    depth, channels = weights.shape
    types = as_packed(FLOAT32._replace(weights=weights.dtype), weights, 1, depth, channels)
    if types.weights is DType.I4 or types.group > 1 or channels < PANEL:
        return None
    panels = e.constant(packed(weights, depth, channels, types, depth, e.forms.dense))
    tail = types.columns(channels, e.forms.dense) % PANEL
    index = sizes(op.indices)
    places = View(0, (*dense(index), 0))

    def build(x: Expr) -> int:
        at = x.cast(x.load(op.indices, places), DType.I64)
        negative = x.op("less", at, x.const(DType.I64, 0), dtype=DType.BOOL)
        at = x.op("select", negative, x.with_number("add", at, channels), at, dtype=DType.I64)
        at = x.with_number("minimum", x.with_number("maximum", at, 0), channels - 1)
        return _element(x, panels, at, (channels, depth, tail), len(index))

    return e.map(op.y.tensor, build, (*index, depth))


def _element(x: Expr, panels: Value, column: int, shape: tuple[int, int, int], rank: int) -> int:
    """Of the row that has become a column.  shape: columns, their depth, and columns of the last, smaller panel."""
    channels, depth, tail = shape
    whole = channels - tail
    panel, lane = x.with_number("shr", column, PANEL.bit_length() - 1), x.with_number("and", column, PANEL - 1)
    at = x.op("add", x.with_number("mul", panel, PANEL * depth), lane)
    first = (-(-whole // PANEL) - 1) * PANEL * depth + PANEL  # places where a column may begin
    y = x.load_at(panels, View(0, (*(0,) * rank, PANEL)), at, 1, first)
    if not tail:
        return y
    behind = x.with_number("maximum", x.with_number("sub", column, whole), 0)
    other = x.load_at(panels, View(whole * depth, (*(0,) * rank, tail)), behind, 1, tail)
    is_whole = x.op("less", column, x.const(DType.I64, whole), dtype=DType.BOOL)
    return x.op("select", is_whole, y, other, dtype=panels.tensor.dtype)
