"""Diagonals and bands of matrices: constant index tables over the last one or two axes.

Source: tensorflow/core/ops/array_ops.cc (MatrixDiagV3, MatrixDiagPartV3, MatrixSetDiagV3, MatrixBandPart).
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.from_tf import at_run_time
from mlconv.legalize.from_tf.operands import dim_value, last_sizes, rank_of, reshape, shape_of, tf_rules
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
_Ints = npt.NDArray[np.int64]


def _band(n: SourceNode, operand: int) -> tuple[int, int]:
    """First and last diagonal of `k`."""
    if not n.has(operand):
        return 0, 0
    values = n.ints(operand)
    return values[0], values[-1]


def _aligned_offset(align: str, k: int, width: int, length: int) -> int:
    """Where a diagonal that is shorter than the widest begins in its row.  `align` is
    <superdiagonals>_<subdiagonals>.
    """
    upper, lower = align.split("_")
    side = upper if k >= 0 else lower
    return width - length if side == "RIGHT" else 0


def _positions(rows: int, columns: int, band: tuple[int, int], align: str) -> _Ints:
    """For each element of a matrix its flat place in the packed diagonals [count, width], -1 outside of the band."""
    check_table((rows, columns), "table of diagonals")
    lo, hi = band
    check_table((max(0, hi - lo + 1), 1), "list of diagonals")
    lengths = {k: max(0, min(rows + min(k, 0), columns - max(k, 0))) for k in range(lo, hi + 1)}
    width = max(lengths.values(), default=0)
    i, j = np.indices((rows, columns))
    k = j - i
    along = np.minimum(i, j)
    starts = np.array([_aligned_offset(align, d, width, lengths[d]) for d in range(lo, hi + 1)])
    inside = (k >= lo) & (k <= hi)
    bounded = np.clip(k, lo, hi)
    return np.where(inside, (hi - bounded) * width + starts[bounded - lo] + along, -1)


def _flat_diagonals(n: SourceNode, diagonal: Value, band: tuple[int, int]) -> Value:
    """Diagonals [..., count, width] (or [..., width] for one) with the last axes merged."""
    if band[0] == band[1]:
        return diagonal
    count, width = last_sizes(diagonal, 2, "the diagonals")
    return reshape(n, diagonal, [*shape_of(diagonal)[:-2], count * width])


def _take(n: SourceNode, flat: Value, places: npt.NDArray[Any]) -> Value:
    """flat[..., places]."""
    return n.emit(core.Gather(flat, n.constant(places, DType.I32), axis=rank_of(flat) - 1)).y


def _matrix_size(n: SourceNode, band: tuple[int, int], width: int) -> tuple[int, int]:
    """Rows and columns of MatrixDiagV2/V3: given, or as small as the band allows."""
    rows, columns = (n.ints(i)[0] if n.has(i) else -1 for i in (2, 3))
    least_rows, least_columns = width - min(band[1], 0), width + max(band[0], 0)
    if rows == columns == -1:
        size = max(least_rows, least_columns)
        return size, size
    return (least_rows if rows == -1 else rows), (least_columns if columns == -1 else columns)


@RULES.rule("MatrixDiag", "MatrixDiagV2", "MatrixDiagV3")
def matrix_diag(n: SourceNode) -> Value:
    """Operands: diagonals, k, rows, columns, padding."""
    diagonal = n.operand(0)
    band = _band(n, 1)
    if band == (0, 0) and (
        not isinstance(shape_of(diagonal)[-1], int) or any(n.has(i) and n.const_or_none(i) is None for i in (2, 3))
    ):
        return _main_diagonal(n, diagonal)
    (width,) = last_sizes(diagonal, 1, "the diagonals")
    rows, columns = _matrix_size(n, band, width)
    places = _positions(rows, columns, band, n.attr("align", "LEFT_LEFT"))
    flat = _flat_diagonals(n, diagonal, band)
    padding = n.scalar(n.operand(4)) if n.has(4) else n.asarray(0, diagonal)
    whole = _take(n, flat, np.maximum(places, 0))
    return n.emit(core.Select(n.constant(places >= 0), whole, padding)).y


def _main_diagonal(n: SourceNode, diagonal: Value) -> Value:
    """A square matrix for each row of run-time length."""
    if any((n.has(i) and n.const_or_none(i) is None) or (n.has(i) and n.ints(i)[0] != -1) for i in (2, 3)):
        raise n.unsupported("rows and columns that are computed by the model")
    square = n.expand_dims(diagonal, rank_of(diagonal) - 1)
    along = at_run_time.positions(n, diagonal, -1)
    mask = n.emit(core.Equal(n.expand_dims(along, 1), along)).y
    padding = n.scalar(n.operand(4)) if n.has(4) else n.asarray(0, diagonal)
    return n.emit(core.Select(mask, square, padding)).y


@RULES.rule("Diag")
def diag(n: SourceNode) -> Value:
    """[a, b] -> [a, b, a, b] with zeros off the diagonal."""
    x = n.operand(0)
    sizes = last_sizes(x, rank_of(x), "the diagonal")
    total = math.prod(sizes)
    check_table((total, total), "mask of the diagonal")
    flat = reshape(n, x, [total])
    spread = n.emit(core.Select(n.constant(np.eye(total, dtype=bool)), flat, n.asarray(0, x))).y
    return reshape(n, spread, [*sizes, *sizes])


@RULES.rule("DiagPart")
def diag_part(n: SourceNode) -> Value:
    x = n.operand(0)
    sizes = last_sizes(x, rank_of(x), "the tensor")
    half = sizes[: len(sizes) // 2]
    total = math.prod(half)
    return reshape(n, _take(n, reshape(n, x, [total * total]), np.arange(total) * (total + 1)), list(half))


@RULES.rule("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3")
def matrix_set_diag(n: SourceNode) -> Value:
    """Operands: matrices, diagonals, k."""
    x, diagonal = n.operand(0), n.operand(1)
    band = _band(n, 2)
    if band == (0, 0) and static(shape_of(x)[-2:]) is None:
        return _set_main_diagonal(n, x, diagonal)
    rows, columns = last_sizes(x, 2, "the matrices")
    places = _positions(rows, columns, band, n.attr("align", "LEFT_LEFT"))
    whole = _take(n, _flat_diagonals(n, diagonal, band), np.maximum(places, 0))
    return n.emit(core.Select(n.constant(places >= 0), whole, x)).y


def _set_main_diagonal(n: SourceNode, x: Value, diagonal: Value) -> Value:
    """The diagonal has min(rows, columns) elements; columns behind it are never chosen."""
    rows, columns = at_run_time.positions(n, x, -2), at_run_time.positions(n, x, -1)
    last = n.sub(dim_value(n, diagonal, rank_of(diagonal) - 1), n.constant(1, DType.I64))
    spread = n.emit(core.Gather(diagonal, n.emit(core.Minimum(columns, last)).y, axis=rank_of(diagonal) - 1)).y
    return n.emit(core.Select(n.emit(core.Equal(rows, columns)).y, n.expand_dims(spread, rank_of(x) - 2), x)).y


@RULES.rule("MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3")
def matrix_diag_part(n: SourceNode) -> Value:
    """Operands: matrices, k, padding."""
    x = n.operand(0)
    lo, hi = _band(n, 1)
    rows, columns = last_sizes(x, 2, "the matrices")
    places = _positions(rows, columns, (lo, hi), n.attr("align", "LEFT_LEFT"))
    lengths = [max(0, min(rows + min(k, 0), columns - max(k, 0))) for k in range(lo, hi + 1)]
    width = max(lengths, default=0)
    check_table((hi - lo + 1, width), "table of diagonals")
    source = np.full((hi - lo + 1) * width, rows * columns)  # the padding stands behind the matrix
    elements = np.flatnonzero(places.reshape(-1) >= 0)
    source[places.reshape(-1)[elements]] = elements
    lead = shape_of(x)[:-2]
    flat = reshape(n, x, [*lead, rows * columns])
    padding = n.scalar(n.operand(2)) if n.has(2) else n.asarray(0, x)
    picked = _take(n, flat, np.minimum(source, rows * columns - 1))
    if (source == rows * columns).any():
        picked = n.emit(core.Select(n.constant(source < rows * columns), picked, padding)).y
    return picked if lo == hi else reshape(n, picked, [*lead, hi - lo + 1, width])


@RULES.rule("MatrixBandPart")
def matrix_band_part(n: SourceNode) -> Value:
    """Operands: matrices, number of subdiagonals and of superdiagonals that stay; negative: all."""
    x = n.operand(0)
    if n.const_or_none(1) is None or n.const_or_none(2) is None or static(shape_of(x)[-2:]) is None:
        return _band_at_run_time(n, x)
    rows, columns = last_sizes(x, 2, "the matrices")
    check_table((rows, columns), "mask of the band")
    (below, *more), (above, *others) = n.ints(1), n.ints(2)
    if more or others or below > rows or above > columns:
        raise ConversionError(
            Code.ShapeMismatch,
            f"MatrixBandPart of {x.tensor} keeps {below} subdiagonals "
            f"and {above} superdiagonals, which it does not have",
        )
    i, j = np.indices((rows, columns))
    kept = ((below < 0) | (i - j <= below)) & ((above < 0) | (j - i <= above))
    return n.emit(core.Select(n.constant(kept), x, n.asarray(0, x))).y


def _band_at_run_time(n: SourceNode, x: Value) -> Value:
    rows, columns = at_run_time.positions(n, x, -2), at_run_time.positions(n, x, -1)
    mask: Value = n.constant(True, DType.BOOL)
    for operand, distance in ((1, n.sub(rows, columns)), (2, n.sub(columns, rows))):
        bound = n.cast(n.scalar(n.operand(operand)), DType.I64)
        kept = n.emit(
            core.Or(n.emit(core.Less(bound, n.constant(0, DType.I64))).y, n.emit(core.LessEqual(distance, bound)).y)
        ).y
        mask = n.emit(core.And(mask, kept)).y
    return n.emit(core.Select(mask, x, n.asarray(0, x))).y


@RULES.rule("Cross")
def cross(n: SourceNode) -> Value:
    """Vector product along the last axis, of size 3."""
    a, b = n.operand(0), n.operand(1)
    first, second = np.array([1, 2, 0]), np.array([2, 0, 1])
    left = n.emit(core.Mul(_take(n, a, first), _take(n, b, second))).y
    right = n.emit(core.Mul(_take(n, a, second), _take(n, b, first))).y
    return n.emit(core.Sub(left, right)).y
