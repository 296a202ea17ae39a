"""Cubic resampling of axes of known sizes to sizes that are known at run time: products with matrices of few ops.

Between two elements the result is a cubic polynomial of the place.  All of them are one sum over powers of
`clamp(2 * (place - k) - 1, -1, 1)`, which goes from -1 to 1 in the gap behind element k: what the result rises by up to
the place.  The coefficients of the powers are constants.  Formulas: ONNX Resize-19; `core.Resize`.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.legalize.resample import cubic_powers
from mlconv.legalize.to_tfl.builder import TflBuilder, shape_of

_MOST = 64  # elements of an axis: a matrix has three columns for each
_SHIFTS = {"half_pixel": 0.5, "pytorch_half_pixel": 0.5, "asymmetric": 0.0}
_ALWAYS = -2.0  # a gap that every place lies behind


def by_polynomials(op: core.Resize, e: TflBuilder) -> Value | None:
    """The result; None where axes are open or long, or places are others."""
    shape = list(shape_of(op.x))
    known = all(isinstance(n, int) and 1 <= n <= _MOST for n in (shape[a] for a in op.axes))
    plain = op.mode == "cubic" and op.coordinates in _SHIFTS and op.roi is None
    if not known or not plain or op.scales is not None or op.antialias or op.exclude_outside:
        return None
    y, sizes = op.x, e.i32(op.sizes)
    for i, axis in enumerate(op.axes):
        count = e.reshape(e.y(core.Gather(sizes, e.ints([i]))), ())
        n, size = shape[axis], shape_of(op.y)[axis]
        if isinstance(n, int):
            matrix = _matrix(op, e, n, size, count)
            columns = e.reshape(y, (*shape[: axis + 1], product(shape[axis + 1 :])), op.x)
            shape[axis] = size
            y = e.reshape(e.y(core.MatMul(matrix, columns)), tuple(shape), op.x, op.sizes)
    return y


def _matrix(op: core.Resize, e: TflBuilder, n: int, size: Size, count: Value) -> Value:
    """[size, n], by which an axis of n elements is multiplied."""
    shift, gaps = _SHIFTS[op.coordinates], [_ALWAYS, *range(-1, n)]
    wide = e.cast(count, DType.F32)
    divisor = wide
    if op.coordinates == "pytorch_half_pixel":  # a single result is the first element
        alone = e.y(core.Mul(e.y(core.Sub(e.asarray(2.0, wide), wide)), e.asarray(float(n), wide)))
        divisor = e.y(core.Maximum(wide, alone))
    step = e.y(core.Div(e.asarray(2.0 * n, wide), divisor))
    results = e.one("RANGE", [e.asarray(shift, wide), wide, e.asarray(1.0, wide)], wide.tensor.with_shape((size,)))
    places = e.y(core.Mul(results, step))
    middles = 2 * np.asarray(gaps, np.float32) + np.float32(2 * shift + 1)
    starts = e.constant(np.repeat(middles, 3).reshape(-1, 1)[2:], DType.F32)  # the first power is enough of the first
    powers = e.constant(np.asarray([[1], *[[1], [2], [3]] * (n + 1)], np.float32), DType.F32)
    terms = e.y(core.Pow(e.y(core.Clamp(e.y(core.Sub(places, starts)), lo=-1.0, hi=1.0)), powers))
    factors = e.constant(_coefficients(n, op.cubic_a), DType.F32)
    return e.one("BATCH_MATMUL", [terms, factors], wide.tensor.with_shape((size, n)), adj_x=True, adj_y=False)


def _coefficients(n: int, a: float) -> Array:
    """[1 + 3 * (n + 1), n]: of each element, first of what no place changes, then in each power in each gap."""
    out = np.zeros((1 + 3 * (n + 1), n))
    out[0, 0] = 1
    rises = np.asarray(cubic_powers(a)) / np.asarray([[2], [4], [8]])
    by_middle = np.asarray([[1, 1, 1], [1, 2, 3], [0, 1, 3], [0, 0, 1]]) @ rises  # powers of u + 1 as powers of u
    for gap in range(-1, n):
        row = 1 + 3 * (gap + 1)
        for tap in range(4):
            element = min(max(gap - 1 + tap, 0), n - 1)
            out[0, element] += by_middle[0, tap]
            out[row : row + 3, element] += by_middle[1:, tap]
    return out.astype(np.float32)
