"""Rows that are looked up in a table that a product has as weights, in panels: they are read out of these, so that the
table is stored once (embeddings whose table makes the logits, too).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import PANEL, WORD, BlockGemm, BlockGemmOp, Gemm, GemmOp, View
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.legalize.to_kernel.arithmetic import less_half, packed
from mlconv.legalize.to_kernel.blocks import packed_blocks, without_sign
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder
from mlconv.legalize.to_kernel.lookups import Lookup, Part, half_of_byte, in_parts, lookups, position
from mlconv.legalize.to_kernel.narrow_tables import narrow_table
from mlconv.rewrite import Rewriter, edit

_LEAST = 1 << 12  # bytes of a table
_READ = 1 << 26  # bytes of tables whose elements are compared


class Panels(NamedTuple):
    """A table as packed weights.  columns: that are stored; places: of each column, in elements of memory.  group: of
    neighbouring places.  bits: of a weight; where two share an element, they are of halves of the columns of a panel
    (by_columns), or of two groups.  missing: what a number of the table is above its weight.
    """

    weights: Const
    columns: int
    places: int
    group: int
    bits: int
    by_columns: bool = False
    missing: int = 0

    @property
    def by_groups(self) -> bool:
        """Two groups share bytes."""
        return self.bits < self.weights.dtype.bits and not self.by_columns


def store_tables_once(module: Module) -> None:
    """Rewrite lookups in tables that products have, too, and those in tables of 4 bits."""
    found = [*lookups(module)]
    products = [op for op in module.walk() if isinstance(op, (GemmOp, BlockGemmOp))] if found else []
    for lookup in found:
        rewriter = Rewriter(lookup.op)
        e = KernelBuilder(rewriter)
        panels = _panels(lookup.table, products) if lookup.is_of_rows else None
        y = narrow_table(lookup, e) if panels is None else _rows(lookup, panels, e)
        if y is not None:
            rewriter.replace(lookup.op, y)
            if not lookup.maker.is_used:
                edit.erase(lookup.maker)


def _panels(table: Const, products: Iterable[GemmOp | BlockGemmOp]) -> Panels | None:
    """Of a product whose weights are the columns of a table [channels, depth]."""
    if table.nbytes < _LEAST or table.shape[0] < PANEL:
        return None
    for op in products:
        weights = const_of(op.operands[1])
        if weights is None or op.indexing.channels != table.shape[0] or op.indexing.window:
            continue
        found = _of_product(op.problem, table) if isinstance(op, GemmOp) else _of_blocks(op.problem, table)
        if found is not None and _is_same(found.weights, weights):
            return found._replace(weights=weights)
    return None


def _is_same(a: Const, b: Const) -> bool:
    if a.key == b.key:
        return True
    alike = a.dtype is b.dtype and a.shape == b.shape and a.nbytes <= _READ
    return alike and bool(np.array_equal(a.view(), b.view()))


def _of_product(problem: Gemm, table: Const) -> Panels | None:
    """As `kernel.gemm` has them."""
    types, (channels, depth) = problem.types, table.shape
    shared = any(problem.weight_strides) or problem.pitch
    wanted = DType.I8 if types.weights is DType.I4 else types.weights
    half = 1 << table.dtype.bits - 1 if table.dtype in (DType.U8, DType.U16) and wanted is not table.dtype else 0
    stored = less_half(table) if half else table
    if problem.run != depth or shared or stored.dtype is not wanted:
        return None
    weights = packed(recipes.transpose(stored, (1, 0)), depth, channels, types, depth, problem.dense)
    by_columns = types.shared > 1 and types.sums.is_float
    bits = types.weights.bits
    return Panels(weights, problem.columns, problem.stored_depth, types.group, bits, by_columns, half)


def _of_blocks(problem: BlockGemm, table: Const) -> Panels | None:
    """As `kernel.block_gemm` has them."""
    depth, bits = table.shape[1], problem.bits
    if table.dtype not in (DType.I8, DType.U8) or problem.depth < depth:
        return None
    half = 1 << bits - 1 if table.dtype is DType.I8 else 0
    columns = recipes.transpose(without_sign(table, bits), (1, 0))
    weights = packed_blocks(recipes.pad_zeros(columns, ((0, problem.depth - depth), (0, 0))), bits)
    return Panels(weights, problem.panels * PANEL, problem.depth * bits // 8, WORD, bits, missing=-half)


def _rows(found: Lookup, panels: Panels, e: KernelBuilder) -> Value:
    """Rows of a table, out of columns of panels: whole groups, those that share bytes apart, and the last places."""
    depth, group, shares = found.table.shape[1], panels.group, 1 + panels.by_groups
    whole, rest = depth // group, depth % group
    of = _Places(found, panels, e.constant(panels.weights))
    if group == 1:
        return in_parts(found, [Part((depth,), View(0, (1,)), of._replace(apart=1).element)], e)
    parts = []
    for high in range(min(shares, whole)):
        places = View(high * group, (shares * group, 1))
        element = of._replace(is_high=bool(high), apart=group, of_group=group).element
        parts.append(Part((len(range(high, whole, shares)), group), places, element))
    if rest:
        first = whole // shares * group
        of_group = min(group, panels.places - first)
        element = of._replace(is_high=bool(whole % shares), first=first, of_group=of_group).element
        parts.append(Part((rest,), View(whole * group, (1,)), element))
    return in_parts(found, parts, e)


class _Places(NamedTuple):
    """Some places of a column.  first: how many lie in front of them; apart: from one group of them to the next, 0 for
    those of a single one; of_group: how many a column has in it side by side, 0 for one.  is_high: they are in upper
    halves of bytes.
    """

    found: Lookup
    panels: Panels
    table: Value
    is_high: bool = False
    first: int = 0
    apart: int = 0
    of_group: int = 0

    def element(self, x: Expr) -> int:
        """A number of the row that has become a column, of a whole panel or of the last one, which is smaller."""
        panels, dtype = self.panels, self.found.table.dtype
        at = position(x, self.found, bool(self.apart) + bool(self.of_group))
        whole, size = panels.columns // PANEL * PANEL, PANEL * panels.places
        panel = x.with_number("mul", x.with_number("shr", at, PANEL.bit_length() - 1), size)
        y = self._of_panel(x, PANEL, 0, x.with_number("and", at, PANEL - 1), panel, (whole // PANEL - 1) * size)
        if panels.columns > whole:
            behind = x.with_number("maximum", x.with_number("sub", at, whole), 0)
            last = self._of_panel(x, panels.columns - whole, whole * panels.places, behind)
            y = x.op(
                "select", x.op("less", at, x.const(DType.I64, whole), dtype=DType.BOOL), y, last, dtype=x.code[y].dtype
            )
        if panels.missing:
            wide = x.cast(y, DType.I32 if panels.bits > DType.I8.bits else DType.I16)
            y = x.with_number("add", wide, panels.missing)
        return x.cast(y, dtype)

    def _of_panel(self, x: Expr, columns: int, start: int, lane: int, panel: int | None = None, last: int = 0) -> int:
        """Of a panel of so many columns.  start: of all such; panel: from there to the panel, at most `last`."""
        panels, rank = self.panels, len(self.found.extents) - 1
        width = columns // (1 + panels.by_columns)
        strides = (*[self.apart * width] * bool(self.apart), *[1] * bool(self.of_group))
        view = View(start + self.first * width, (*(0,) * rank, *strides))
        place = x.with_number("and", lane, width - 1) if panels.by_columns else lane
        beside = max(1, self.of_group)
        at = x.with_number("mul", place, beside) if beside > 1 else place
        at = at if panel is None else x.op("add", panel, at)
        y = x.load_at(self.table, view, at, 1, last + (width - 1) * beside + 1)
        if panels.by_groups:
            return half_of_byte(x, y, self.is_high, self.table.tensor.dtype)
        if not panels.by_columns:
            return y
        low, high = (half_of_byte(x, y, is_high, self.table.tensor.dtype) for is_high in (False, True))
        is_low = x.op("less", lane, x.const(DType.I64, width), dtype=DType.BOOL)
        return x.op("select", is_low, low, high, dtype=self.table.tensor.dtype)
