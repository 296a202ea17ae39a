"""A factor and an offset of an int8 image as filters of one channel each.  HardSigmoid is that, and has no kernel over
integers.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.rounding import factors, rescale
from mlconv.dialects.core.rounding_tables import stored_numbers
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import PerTensor, QuantType
from mlconv.passes.quantized.borders import (
    Rounding,
    has_one_live_use,
    is_signed,
    limits_of,
    quant_of_stored,
    rounding_of,
)
from mlconv.passes.quantized.tables import Chain
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement

_ALL = 256  # integers of 8 bits
_TOP = 127  # of the integers of weights
_LARGEST = (1 << 31) - 1
_FILTERS = {"N01C": "01IO", "NC01": "OI01"}  # by the layout of the images


@rewrite(core.Quantize)
def affine_as_filters(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """Products with scalars and sums with them, where the sum of one product is rounded to the same integers."""
    found = rounding_of(op)
    is_affine = isinstance(found.value.producer, (core.Add, core.Sub, core.Mul, core.Div))
    if not is_affine or not is_signed(op.element) or not has_one_live_use(found.value):
        return NOT_MEANT
    chain = Chain()
    numbers = chain.of(found.value)
    layout = None if chain.x is None else _layout_of(chain.x)
    if numbers is None or numbers.shape != (_ALL,) or chain.x is None or layout is None:
        return NOT_MEANT
    channels = (chain.x.tensor.shape or ())[layout.index("C")]
    fitted = _fitted(quant_of_stored(chain.x), numbers, found)
    if not isinstance(channels, int) or fitted is None:
        return NoMatch("channels are open, or filters would give other integers")
    code, of_w, offset, of_bias = fitted
    rw.fuse(*found.ops, *chain.ops, by="quant-lower")
    shape = tuple(channels if c == "O" else 1 for c in _FILTERS[layout])
    codes = make_const(np.full(shape, code, np.int8), DType.I8)
    biases = make_const(np.full((channels,), offset, np.int32), DType.I32)
    w, bias = (rw.emit(core.Constant(value=c, element=e)).y for c, e in ((codes, of_w), (biases, of_bias)))
    one = (1, 1)
    made = core.QuantConv(
        chain.x,
        w,
        bias,
        strides=one,
        pads=((0, 0), (0, 0)),
        dilations=one,
        groups=channels,
        x_layout=layout,
        w_layout=_FILTERS[layout],
        y_layout=layout,
        **limits_of(found),
    )
    return rw.emit(made).y


def _fitted(quant: QuantType, numbers: Array, found: Rounding) -> tuple[int, QuantType, int, QuantType] | None:
    """A weight and a bias, and what they stand for, that give the integers of numbers.  numbers: for each integer of
    x, whose parameters are `quant`.  Biases of other weights, and those next to them, round other halves as numbers do.
    """
    wide, zero, scale = numbers.astype(np.float64), int(quant.zero_array()), float(quant.scales.view())
    slope, element = (wide[-1] - wide[0]) / (_ALL - 1), found.element
    if not np.isfinite(wide).all() or slope == 0:
        return None
    want = np.clip(element.quantize(numbers), found.lo, found.hi)
    steps = stored_numbers(quant).astype(np.int64) - zero
    for size, nudge in product(range(_TOP, _TOP // 2, -1), (0, 1, -1)):
        code = size if slope > 0 else -size
        offset = float(np.rint(wide[zero - quant.qmin] / (slope / code))) + nudge
        of_w = _symmetric(slope / scale / code, DType.I8, _TOP)
        made = rescale(steps * code + np.int64(offset), factors(quant, of_w, element), element, found.lo, found.hi)
        if abs(offset) <= _LARGEST and (made == want).all():
            return code, of_w, int(offset), _symmetric(scale * float(of_w.scales.view()), DType.I32, _LARGEST)
    return None


def _layout_of(x: Value) -> str | None:
    """Of an image that a convolution made."""
    maker = x.producer
    if isinstance(maker, core.Quantize):
        maker = rounding_of(maker).value.producer
    layout = maker.y_layout if isinstance(maker, (core.Conv, core.QuantConv)) else ""
    return layout if layout in _FILTERS else None


def _symmetric(scale: float, storage: DType, top: int) -> QuantType:
    return QuantType(storage, DType.F32, PerTensor(), make_const(np.asarray(scale, np.float32)), 0, -top, top)
