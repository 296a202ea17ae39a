"""Operands in other forms: parts of weights, and the numbers that integers stand for."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.core import Value
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of, stored_weights


def split_weights(e: TflBuilder, w: Value, axis: int, parts: int) -> list[Value]:
    """Equal parts of a value; of a constant, and of what a constant stands for, by recipes."""
    shape = shape_of(w)
    size = shape[axis]
    if not isinstance(size, int):
        raise refuse("a grouped convolution needs known channel counts")
    stored = stored_weights(w)
    if stored is not None:
        return [e.numbers_like(w, part) for part in split_weights(e, stored, axis, parts)]
    constant = const_of(w)
    if constant is None:
        return list(e.emit(core.Split(w, sizes=(size // parts,) * parts, axis=axis)).ys)
    out = []
    for i in range(parts):
        begin = tuple(i * (size // parts) if a == axis else 0 for a in range(len(shape)))
        end = tuple((i + 1) * (size // parts) if a == axis else d for a, d in enumerate(constant.shape))
        quant = w.tensor.quant
        part = quant and quant.sliced(axis, begin[axis], end[axis])
        out.append(e.constant(recipes.slices(constant, begin, end), element=part))
    return out


def numbers_of(e: TflBuilder, v: Value) -> Value:
    """The numbers of a tensor; biases, of 32 and 64 bits, have no DEQUANTIZE."""
    quant, constant = v.tensor.quant, const_of(v)
    if quant is None:
        return v
    if constant is None or quant.storage.bits < 32:
        return e.y(core.Dequantize(v))
    return e.constant(quant.dequantize(constant.view()).astype(quant.expressed.numpy), quant.expressed)
