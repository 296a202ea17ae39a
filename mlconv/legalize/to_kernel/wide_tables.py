"""Functions of 16 bits without their tables of 65 536 integers, by the formulas that LiteRT's kernels make these of.

Sources: LiteRT, kernels/internal/common.h (LUTLookup), reference/integer_ops/logistic.h and tanh.h, as
`dialects.core.rounding_wide` has them.  A formula is taken where it gives a table, all of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.rounded_base import per_tensor
from mlconv.dialects.core.rounding_wide import SIGMOID_STEPS, Scaled, scaled_sigmoid, sigmoid_ends, wide_table
from mlconv.dialects.kernel import View
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, sizes
from mlconv.legalize.to_kernel.integers import limited_integer, scaled_twice, zero_of

Formula = Callable[[Expr, int], int]
_STEP = 7  # bits of places that share a line
_FEW = 1 << 15  # numbers that are computed faster by lines than a table of 128 KB is read into a near cache, about
_VERY_FEW = 1 << 13  # by longer formulas
_HALF = 16  # bits of each of two numbers in a word


def by_formula(op: core.QuantTable, x: Value, table: Array, e: KernelBuilder) -> Value | None:
    """The function at each of x, int16; None for tables that no formula gives, or that are faster for so many."""
    count = 0 if e.forms.small else estimate(product(sizes(op.y)))
    formula = _of_leaky_relu(op, table)
    if formula is None and count <= _FEW:
        formula = _of_lines(op, table, e)
    if formula is None and count <= _VERY_FEW:
        formula = _of_sigmoid(op, table, e)
    if formula is None:
        return None
    shape = sizes(op.y)

    def build(made: Expr) -> int:
        return formula(made, made.cast(made.load(x, broadcast(shape, shape)), DType.I32))

    return e.map(op.y.tensor.stored, build)


def _of_leaky_relu(op: core.QuantTable, table: Array) -> Formula | None:
    """One of two factors, rounded twice."""
    of_x, alpha, scale = per_tensor(op.x), op.alpha, np.float32(per_tensor(op.x).scales.view())
    if op.function != "leaky_relu":
        return None
    whole, steps = wide_table(op.function, alpha, of_x, op.element), op.element.scales.view()
    if whole is None or zero_of(of_x) or not np.array_equal(np.clip(whole, op.lo, op.hi), table):
        return None
    above, below = float(scale / steps), float(scale * np.float32(abs(alpha)) / steps)

    def formula(made: Expr, x: int) -> int:
        wide = made.cast(x, DType.I64)
        first = scaled_twice(made, wide, above)
        second = scaled_twice(made, made.with_number("mul", wide, int(np.sign(alpha))), below)
        is_below = made.op("less", x, made.const(DType.I32, 0), dtype=DType.BOOL)
        total = made.op("select", is_below, second, first, dtype=DType.I64)
        return limited_integer(op, made, made.with_number("add", total, zero_of(op.element)))

    return formula


def _of_lines(op: core.QuantTable, table: Array, e: KernelBuilder) -> Formula | None:
    """first + (slope * rest + 64 >> 7), of 128 neighbours each; both numbers are one word."""
    words = _lines(table)
    if words is None:
        return None
    lines, nowhere = e.constant(words), View(0, (0,) * len(sizes(op.y)))

    def formula(made: Expr, x: int) -> int:
        place = made.with_number("add", made.with_number("shr", x, _STEP), words.size // 2)
        rest = made.with_number("and", x, (1 << _STEP) - 1)
        word = made.load_at(lines, nowhere, place, 1, words.size)
        moved = made.op("mul", made.with_number("shr", word, _HALF), rest)
        moved = made.with_number("shr", made.with_number("add", moved, 1 << _STEP - 1), _STEP)
        return made.cast(made.op("add", word, moved), DType.I16)  # the lower halves

    return formula


def _lines(table: Array) -> Array | None:
    """Words of 128 neighbours each, slopes in the upper halves; None where these lie on no line."""
    rows = table.reshape(-1, 1 << _STEP).astype(np.int64)
    first, rest = rows[:, :1], np.arange(1 << _STEP)
    change, half = (rows[:, -1:] - first) << _STEP, 1 << _STEP - 1
    least = -((half - change) // rest[-1])
    slope, fits = least, np.zeros(first.shape, bool)
    for more in range(2):  # 127 steps of one slope more end one or none higher
        found = (first + (((least + more) * rest + half) >> _STEP) == rows).all(1, keepdims=True)
        slope, fits = np.where(found, least + more, slope), fits | found
    if not fits.all() or np.abs(slope).max() >= 1 << _HALF - 1:
        return None
    return np.asarray((slope << _HALF) | (first & (1 << _HALF) - 1)).reshape(-1).astype(np.int32)


def _of_sigmoid(op: core.QuantTable, table: Array, e: KernelBuilder) -> Formula | None:
    """The logistic function, or the hyperbolic tangent, of the magnitude, and the sign."""
    of_x, is_tanh = per_tensor(op.x), op.function == "tanh"
    if op.function not in ("sigmoid", "tanh"):
        return None
    whole = wide_table(op.function, 0.0, of_x, op.element)
    scaled = scaled_sigmoid(float(of_x.scales.view()))
    if whole is None or not np.array_equal(np.clip(whole, op.lo, op.hi), table) or not _fits(scaled):
        return None
    ends = sigmoid_ends(is_tanh)
    words = ends.first + (ends.slope << _HALF)
    lines, nowhere = e.constant(words.astype(np.int32)), View(0, (0,) * len(sizes(op.y)))

    def formula(made: Expr, x: int) -> int:
        wide = made.with_number("add", made.with_number("mul", x, scaled.factor), (1 << scaled.shift) >> 1)
        wide = made.with_number("shr", wide, scaled.shift)
        size = made.op("abs", wide)
        place = made.with_number("minimum", made.with_number("shr", size, ends.bits), SIGMOID_STEPS - 1)
        word = made.load_at(lines, nowhere, place, 1, words.size)
        first = made.with_number("shl", made.with_number("and", word, (1 << _HALF) - 1), ends.bits)
        rest = made.with_number("and", size, (1 << ends.bits) - 1)
        above = made.op("add", first, made.op("mul", made.with_number("shr", word, _HALF), rest))
        above = made.with_number("sub", above, ends.taken) if ends.taken else above
        sign = made.with_number("shr", wide, 31)  # no branch: -x - 1 is x with all bits turned
        total = made.op("xor", above, sign)
        if ends.one != ends.taken:
            total = made.op("add", total, made.with_number("and", sign, ends.one - ends.taken))
        rounded = made.with_number("add", total, (1 << ends.behind) >> 1)
        return limited_integer(op, made, made.with_number("shr", rounded, ends.behind))

    return formula


def _fits(scaled: Scaled) -> bool:
    """All products of 16 bits fit 32."""
    return (scaled.factor << 15) + ((1 << scaled.shift) >> 1) < 1 << 31
