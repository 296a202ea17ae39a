"""What orders of summation may change: sums of products of bfloat16 are float32, in any order, and denormal factors and
sums may be zeros; numbers that are rounded behind them may be the next ones then.

A sum of n products in float32 differs from the exact one by at most min(n + 1, 2 sqrt(n)) 2^-24 times the sum of their
magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 2002, (3.5), always; Higham and Mary, A New Approach
to Probabilistic Rounding Error Analysis, 2019, theorem 2.4, where n is large), two orders by twice that; zeros for
denormals add 2^-126 for each factor and sum.  A model is run again with all sums as far apart: outputs of a runtime may
differ from those of the reference by `compare.APART` times what that changes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Op
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType

UNIT, LEAST = 2.0**-24, 2.0**-126
_FUNCTIONS = 2.0**-21  # what functions of float32 may be off by in front of a rounding, relative
_HALF = 2.0**-11  # what a rounding to float16 may change, relative
_LIKELY = 2.0
PRODUCTS = (core.Conv, core.ConvTranspose, core.MatMul)
AT_RUN_TIME = (core.DynamicConv, core.DynamicMatMul)
"""Products of integers whose scales a run tells."""
SUMS = (core.ReduceSum, core.ReduceMean, core.CumSum, core.AvgPool)
_SIGNS = ((1.0, -1.0), (-1.0, 1.0))  # of changes of neighbouring elements: one run for each


def difference(op: OpDef, values: Sequence[Array | None]) -> Array:
    """How far two orders of summation may be apart, for each element of the result of a product or a sum.  Where a NaN
    or an infinity is added, any order gives one.
    """
    x, w = values[0], values[1] if isinstance(op, PRODUCTS) else None
    assert x is not None
    taken = [np.where(np.isfinite(one), np.abs(one), 0) for one in (x, w) if one is not None]
    sums = op.evaluate(*taken, *(None for _ in values[len(taken) :]))
    depth = _terms(op, x) if w is None else _depth(op, x, w)
    largest = float(max(*(a.max(initial=0) for a in taken), 1))
    steps = min(depth + 1, _LIKELY * math.sqrt(depth))
    return np.asarray(2 * (steps * UNIT * sums + 4 * depth * LEAST * largest), np.float32)


def _depth(op: OpDef, x: Array, w: Array) -> int:
    """Products of a sum, at most."""
    if isinstance(op, core.MatMul):
        return int(x.shape[-2 if op.transpose_a else -1])
    assert isinstance(op, (core.Conv, core.ConvTranspose))
    outputs: int = w.shape[op.w_layout.index("O")]
    return w.size // max(1, outputs)


def _terms(op: OpDef, x: Array) -> int:
    """Of a sum, at most."""
    if isinstance(op, core.CumSum):
        return int(x.shape[op.axis])
    axes = op.axes if isinstance(op, (core.ReduceSum, core.ReduceMean)) else range(x.ndim)
    return math.prod(x.shape[axis] for axis in axes)


def spread(function: Function, inputs: Mapping[str, Array], expected: Mapping[str, Array]) -> dict[str, Array]:
    """How far outputs go from `expected`, those of a run, when sums are in other orders; by name."""
    out: dict[str, Array] = {}
    for signs in _SIGNS:
        found = run_function(function, inputs, change=Change(signs))
        for name, y in found.items():
            with np.errstate(invalid="ignore"):
                apart = np.abs(y.astype(np.float64) - expected[name].astype(np.float64))
            out[name] = np.maximum(out.get(name, 0.0), np.where(np.isfinite(apart), apart, 0.0))
    return out


def rounds_to_half(op: Op) -> bool:
    """It computes with float16: runtimes round what it makes, or leave it in float32 for the next op."""
    if not isinstance(op, OpDef) or op.regions or isinstance(op, (core.Constant, core.Bitcast, core.Dequantize)):
        return False
    if op.spec.quant.carries:
        return False
    return any(isinstance(v.type, TensorType) and v.type.dtype is DType.F16 for v in op.results)


class Change:
    """Moves results by what they may be off.  signs: in turn."""

    def __init__(self, signs: tuple[float, ...]) -> None:
        self.signs = signs

    def __call__(self, op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        if isinstance(op, (*PRODUCTS, *SUMS)) and results[0].dtype == np.float32:
            return [(results[0] + self.signed(difference(op, values))).astype(np.float32)]
        if isinstance(op, core.Cast) and op.dtype is DType.BF16 and values[0] is not None:
            x = values[0]
            if x.dtype == np.float32:
                return [op.evaluate(x + self.signed(np.abs(x) * np.float32(_FUNCTIONS)))]
        if rounds_to_half(op):
            return [self._rounded(y) if y.dtype == np.float16 else y for y in results]
        return results

    def _rounded(self, y: Array) -> Array:
        """The same numbers, rounded the other way, or not."""
        with np.errstate(all="ignore"):
            wide = y.astype(np.float32)
            moved = (wide + self.signed(np.abs(wide) * np.float32(_HALF))).astype(np.float16)
        return np.where(np.isfinite(moved), moved, y)

    def signed(self, x: Array) -> Array:
        """Each element up or down, in turn."""
        signs = np.resize(np.array(self.signs, np.float32), math.prod(x.shape))
        return np.asarray(x * signs.reshape(x.shape))


class Scattered(Change):
    """The same with signs that follow no order: those of the channels of a sum would be the same everywhere, and might
    cancel.
    """

    def __init__(self) -> None:
        super().__init__((1.0, -1.0))

    def signed(self, x: Array) -> Array:
        drawn = np.random.default_rng(x.size).integers(0, 2, x.size, np.int8)
        return np.asarray(x * (2 * drawn - 1).astype(np.float32).reshape(x.shape))
