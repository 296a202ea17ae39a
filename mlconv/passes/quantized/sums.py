"""Products of quantized tensors that are wanted as floats: sums of integers, times the product of the scales."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.passes.quantized.borders import quant_of_stored, stored
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_BYTES = (DType.I8, DType.U8)
_NARROW = {DType.I4: DType.I8, DType.U4: DType.U8}


@rewrite(core.Conv, core.MatMul)
def sum_of_integers(op: core.Conv | core.MatMul, rw: Rewriter) -> Replacement | NoMatch:
    """A convolution or a product of matrices, of tensors of 8 bits, or weights of fewer."""
    values = [stored(v) for v in op.inputs[:2]]
    x, w = values
    if x is None or w is None or op.y.tensor.dtype is not DType.F32:
        return NOT_MEANT
    of_x, of_w = quant_of_stored(x), quant_of_stored(w)
    rank = w.tensor.rank or 2
    outputs = op.w_layout.index("O") if isinstance(op, core.Conv) else rank - 2 if op.transpose_b else rank - 1
    if of_x.storage not in _BYTES or not of_x.is_per_tensor:
        return NoMatch(f"{of_x} is not of 8 bits with one scale")
    if isinstance(of_w.scheme, Blocked) or of_w.axis not in (None, outputs):
        return NoMatch(f"scales of {of_w} are not those of outputs")
    if of_w.storage not in _BYTES and (const_of(w) is None or of_w.storage not in _NARROW):
        return NoMatch(f"{of_w} is not of 8 bits, nor are these weights of fewer")
    b = CoreBuilder(rw)
    total = b.cast(_product(op, _plain(x, b), _plain(w, b), (of_x, of_w), b), DType.F32)
    scales = np.float32(of_x.scales.view()) * of_w.scales.view().astype(np.float32)
    y = b.mul(total, b.constant(_along(op, np.asarray(scales, np.float32))))
    if not isinstance(op, core.Conv) or op.bias is None:
        return y
    return b.add(y, b.reshape(op.bias, [-1 if c == "C" else 1 for c in op.y_layout]))


def _plain(value: Value, b: CoreBuilder) -> Value:
    """The integers, in bytes."""
    constant, storage = const_of(value), value.tensor.dtype
    if constant is not None:
        return b.constant(recipes.cast(constant, _NARROW.get(storage, storage)))
    return b.y(core.StorageCast(value, element=storage))


def _product(
    op: core.Conv | core.MatMul, x: Value, w: Value, quants: tuple[QuantType, QuantType], b: CoreBuilder
) -> Value:
    zeros: list[Value | None] = []
    for value, quant in zip((x, w), quants, strict=True):
        numbers = quant.zero_array().astype(value.tensor.dtype.numpy)
        if isinstance(op, core.MatMul) and op.transpose_b and numbers.ndim:
            numbers = numbers.reshape(-1, 1)
        zeros.append(b.constant(numbers) if numbers.any() else None)
    if isinstance(op, core.MatMul):
        return b.y(core.IntegerMatMul(x, w, a_zero=zeros[0], b_zero=zeros[1], **op.attributes))
    return b.y(core.IntegerConv(x, w, x_zero=zeros[0], w_zero=zeros[1], **op.attributes))


def _along(op: core.Conv | core.MatMul, numbers: Array) -> Array:
    """Numbers of outputs so that they broadcast against the result."""
    if isinstance(op, core.MatMul) or not numbers.ndim:
        return numbers
    return numbers.reshape([-1 if c == "C" else 1 for c in op.y_layout])


PATTERNS = (sum_of_integers,)
