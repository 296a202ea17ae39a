"""Products and embeddings with weights of few bits in blocks: MatMulNBits, MatMulBnb4, GatherBlockQuantized.

Source: ONNX Runtime, docs/ContribOperators.md, contrib_ops/cpu/quantization: matmul_nbits.cc,
blockwise_quant_block_bnb4.h, gather_block_quantized.cc.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.matmul import matmul_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.quantize import dequantized
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.limits import check_table
from mlconv.rewrite import constant_of
from mlconv.rewrite.core_builder import CoreBuilder

RULES = OnnxRules()

_SIGNED: Final = {2: DType.I2, 4: DType.I4, 8: DType.I8}

# What the 16 codes of a weight stand for, as parts of the largest of its block: with an exponent of 2 bits and a
# mantissa of 1, and at quantiles of the normal distribution.
_FP4 = (0.0, 5.208333333e-03, 0.66666667, 1.0, 0.33333333, 0.5, 0.16666667, 0.25)
_NF4 = (
    (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334)
    + (-0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224)
    + (0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0)
)
_CODES: Final = ((*_FP4, *(-x for x in _FP4)), _NF4)


def _bytes(n: Node, i: int) -> Const:
    """Input i, constant bytes.  Raises ConversionError ShapeNotStatic."""
    found = constant_of(n.x(i))
    if found is None:
        raise ConversionError(
            Code.ShapeNotStatic,
            f"{n.op_type}: its packed weights (input {i}) must be known at conversion time",
            operand=i,
            help="make them a constant (an initializer) in the model",
        )
    if found.dtype is not DType.U8:
        raise ConversionError(
            Code.TypeMismatch, f"{n.op_type}: its packed weights are {found.dtype.display}, expected uint8", operand=i
        )
    return found


def _sized(n: Node, const: Const, shape: tuple[int, ...], what: str) -> Const:
    """A constant of this many elements under this shape.  Raises ConversionError ShapeMismatch."""
    if const.size != np.prod(shape, dtype=np.int64):
        raise ConversionError(
            Code.ShapeMismatch, f"{n.op_type}: {what} are of shape {list(const.shape)}, expected {list(shape)}"
        )
    return const.reshape(shape)


def _block_size(n: Node, default: int | None = None) -> int:
    size = n.i("block_size", default)
    if size < 16 or size & (size - 1):
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type}: block_size is {size}, expected 16, 32, 64, ...")
    return size


@RULES.rule("MatMulNBits", domain=DOMAIN)
def matmul_nbits(n: Node) -> Value:
    """a times the transpose of weights [n, k] of 2, 4 or 8 bits, whose blocks along k have a scale each.

    accuracy_level lets ONNX Runtime round a to 8 bits; it is not done here.
    """
    a, bits, rows, inner = n.x(0), n.i("bits", 4), n.i("N"), n.i("K")
    size = _block_size(n)
    if bits not in _SIGNED:
        raise n.refuse(f"weights of {bits} bits are not supported, only those of 2, 4 and 8")
    if n.i("weight_prepacked", 0):
        raise n.refuse("weight_prepacked is set: the weights have the layout of a GPU")
    if rows < 1 or inner < 1:
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type}: N is {rows}, K is {inner}")
    blocks = -(-inner // size)
    packed = _sized(n, _bytes(n, 1), (rows, blocks * size * bits // 8), "the packed weights")
    scales = _wide(n, n.x(2), (rows, blocks))
    order = _order(n, blocks, size)
    shift = _real_zeros(n, (rows, blocks), in_blocks=n.opt(4) is None or order is not None)
    w = _numbers(n, packed, scales, size, order, has_zeros=shift is None)
    filled = n.dim(w, 1)
    missing = filled - inner if isinstance(filled, int) else 0
    a = n.cast(a, DType.F32)  # as ONNX Runtime multiplies halves
    if missing:  # zeros against what fills up the last block
        a = n.pad(a, [*[(0, 0)] * (n.rank(a) - 1), (0, missing)])
    if order is not None:
        a = n.gather(a, n.constant(order), n.rank(a) - 1)
    vector = n.rank(a) == 1
    a = n.expand_dims(a, 0) if vector else a
    y = n.matmul(a, w, transpose_b=True)
    if shift is not None:  # zero points are the same for all that a block sums
        sums = n.sum(n.reshape(a, [*n.dims(a)[:-1], blocks, size]), [n.rank(a)])
        y = n.sub(y, n.matmul(sums, n.mul(shift, scales), transpose_b=True))
    y = n.cast(n.squeeze(y, 0) if vector else y, n.x(0).tensor.dtype)
    bias = n.opt(5)
    return y if bias is None else n.add(y, bias)


def _wide(n: Node, x: Value, shape: tuple[int, ...]) -> Value:
    """x in float32, under a shape; what is constant stays so, however large: older files have scales in a row.  Raises
    ConversionError ShapeMismatch.
    """
    known = constant_of(x)
    if known is None:
        return n.reshape(n.cast(x, DType.F32), shape)
    return n.constant(recipes.cast(_sized(n, known, shape, "the scales or zero points"), DType.F32))


def _order(n: Node, blocks: int, size: int) -> Const | None:
    """The places along k by the block that g_idx puts them in, where each block has as many; None for other weights.

    Weights in this order, and a in it, are blocks of neighbours.
    """
    given = n.opt(4)
    groups = None if given is None else constant_of(given)
    if groups is None or groups.shape != (blocks * size,):
        return None
    places: Array = groups.view().astype(np.int64)
    if not ((places >= 0) & (places < blocks)).all() or (np.bincount(places, minlength=blocks) != size).any():
        return None
    return make_const(np.argsort(places, kind="stable"))


def _real_zeros(n: Node, shape: tuple[int, int], *, in_blocks: bool) -> Value | None:
    """Zero points less the middle of the range, where products are of stored integers and these are none; else None.
    in_blocks: weights that share one are neighbours.
    """
    given = n.opt(3) if in_blocks else None
    if given is None or constant_of(given) is None or constant_of(n.x(2)) is None or _has_stored_zeros(n):
        return None
    return n.sub(_wide(n, given, shape), 1 << (n.i("bits", 4) - 1))


def _has_stored_zeros(n: Node) -> bool:
    """Zero points are integers of as many bits as weights, if there are any."""
    given, bits = n.opt(3), n.i("bits", 4)
    if given is None or given.tensor.dtype is DType.U8:
        return True
    known = constant_of(given)
    if known is None:
        return False
    points: Array = known.view().astype(np.float32)
    return bool(((points == np.rint(points)) & (points >= 0) & (points < 1 << bits)).all())


def _numbers(
    n: Node, packed: Const, scales: Value, size: int, order: Const | None = None, has_zeros: bool = True
) -> Value:
    """The weights [n, k] in float32 that bytes stand for; whole blocks of them without `has_zeros` or with an order.

    order: of the places along k, other than that of the bytes.  has_zeros: zero points are taken off.
    """
    bits, (rows, blocks) = n.i("bits", 4), (d for d in scales.tensor.shape or () if isinstance(d, int))
    groups, middle = n.opt(4), 1 << (bits - 1)
    plain = (groups is None or order is not None) and constant_of(scales) is not None
    if plain and (not has_zeros or _has_stored_zeros(n)):
        stored = recipes.unpack(packed, bits, _SIGNED[bits], middle)
        if order is not None:
            stored = recipes.take(stored, order, 1)
        elif has_zeros:
            stored = recipes.slices(stored, (0, 0), (rows, n.i("K")))
        zeros = _zeros(n, rows, blocks, _SIGNED[bits], whole=True) if has_zeros else None
        return dequantized(n, n.constant(stored), scales, zeros, 1, size)
    weights = n.constant(recipes.unpack(packed, bits, DType.I8, middle))
    whole = blocks * size
    if groups is None:
        check_table([whole], "the list of blocks")
        groups = n.constant(np.arange(whole, dtype=np.int64) // size)
    elif n.dim(groups, 0) == n.i("K") < whole:  # what fills up the last block is multiplied with zeros
        groups = n.pad(groups, [(0, whole - n.i("K"))])
    elif n.dim(groups, 0) != whole:
        raise n.refuse(f"g_idx {groups.type} for weights {weights.type} that fill up their last block")
    zeros, real = _zeros(n, rows, blocks, DType.I8), n.cast(weights, DType.F32)
    if zeros is not None:
        real = n.sub(real, n.gather(n.cast(zeros, DType.F32), groups, 1))
    return n.mul(real, n.gather(scales, groups, 1))


def _zeros(n: Node, rows: int, blocks: int, dtype: DType, whole: bool = False) -> Value | None:
    """Zero points [rows, blocks] less the middle of the range, floats or of this type; None where they are just that.

    whole: floats that are known are integers.
    """
    given, bits = n.opt(3), n.i("bits", 4)
    middle = 1 << (bits - 1)
    if given is None:
        return None
    if given.tensor.dtype is DType.U8:
        packed = _sized(n, _bytes(n, 3), (rows, -(-blocks * bits // 8)), "the packed zero points")
        return n.constant(recipes.slices(recipes.unpack(packed, bits, dtype, middle), (0, 0), (rows, blocks)))
    known = constant_of(given) if whole else None
    if known is None:
        return n.sub(_wide(n, given, (rows, blocks)), middle)
    points = _sized(n, known, (rows, blocks), "the scales or zero points").view().astype(np.float32)
    return n.constant(make_const(points - middle, dtype))


@RULES.rule("MatMulBnb4", domain=DOMAIN)
def matmul_bnb4(n: Node) -> Value:
    """a times weights [n, k] of 4 bits, codes of numbers, whose blocks of the flattened weights have a largest each."""
    rows, inner, kind = n.i("N"), n.i("K"), n.i("quant_type")
    size = _block_size(n)
    if kind not in (0, 1) or rows < 1 or inner < 1:
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: quant_type is {kind}, expected 0 or 1; N is {rows}, K is {inner}"
        )
    total = rows * inner
    blocks = -(-total // size)
    packed = _sized(n, _bytes(n, 1), (-(-total // 2),), "the packed weights")
    codes = n.constant(recipes.unpack(packed, 4, DType.I32, high_first=True))
    table = n.constant(np.asarray(_CODES[kind], np.float32))
    numbers = n.gather(table, codes)
    numbers = n.pad(n.slice_axis(numbers, 0, 0, total), [(0, blocks * size - total)])
    largest = n.reshape(n.cast(n.x(2), DType.F32), [blocks, 1])
    scaled = n.reshape(n.mul(n.reshape(numbers, [blocks, size]), largest), [blocks * size])
    w = n.cast(n.reshape(n.slice_axis(scaled, 0, 0, total), [rows, inner]), n.x(0).tensor.dtype)
    return matmul_of(n, n.x(0), n.transpose(w, (1, 0)) if n.flag("transB", True) else w)


@RULES.rule("GatherBlockQuantized", domain=DOMAIN)
def gather_block_quantized(n: Node) -> Value:
    """Slices of a table of integers with scales in blocks, as numbers; zeros where an index is out of range."""
    data, indices, scales, zeros = n.x(0), n.x(1), n.x(2), n.opt(3)
    rank = n.rank(data)
    axis, along = n.axis(n.i("gather_axis", 0), rank), n.axis(n.i("quantize_axis", 1), rank)
    if axis == along:
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type}: gather_axis and quantize_axis are both {axis}")
    if data.tensor.dtype.is_float:
        raise n.refuse(f"a table of {data.tensor.dtype.display} is not supported, only integers are")
    size = _block_size(n, 128)
    if data.tensor.dtype is DType.U8:
        data, zeros = _unpacked(n, along == rank - 1, zeros)
    places, there = _inside(n, indices, n.dim(data, axis))
    q = n.rank(indices)
    if isinstance(n.dim(data, along), int) and all(
        x is None or constant_of(x) is not None for x in (data, scales, zeros)
    ):
        y = n.gather(dequantized(n, data, scales, zeros, along, size), places, axis)
    else:
        given = (data, DType.I8), (scales, scales.tensor.dtype), (zeros, DType.I8)
        taken = [None if x is None else n.gather(n.cast(x, dtype), places, axis) for x, dtype in given]
        y = _blockwise(n, taken, along if along < axis else along + q - 1, size)
    there = n.expand_dims(there, *range(q, q + rank - axis - 1))  # to stand at the axes of the indices
    return n.where(there, y, 0)


def _blockwise(n: Node, taken: list[Value | None], axis: int, size: int) -> Value:
    data, scales, zeros = taken
    if data is None or scales is None:
        raise ConversionError(Code.WrongArity, f"{n.op_type} needs data and scales")
    return dequantized(n, data, scales, zeros, axis, size)


def _inside(n: CoreBuilder, indices: Value, size: int | Value) -> tuple[Value, Value]:
    """Indices from 0 to size - 1, 0 where they are out of range; whether they are inside."""
    wide = n.cast(indices, DType.I64)
    limit = n.constant(size, DType.I64) if isinstance(size, int) else n.reshape(size, [])
    counted = n.where(n.less(wide, 0), n.add(wide, limit), wide)
    there = n.logical_and(n.less_equal(0, counted), n.less(counted, limit))
    return n.where(there, counted, 0), there


def _unpacked(n: Node, last: bool, zeros: Value | None) -> tuple[Value, Value | None]:
    """The table and zero points of uint8 inputs, less the middle of the range, which stands for 0 without any."""
    bits = n.i("bits", 4)
    if bits not in _SIGNED:
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type}: bits is {bits}, expected 2, 4 or 8")
    middle = 1 << (bits - 1)
    data = n.constant(recipes.unpack(_bytes(n, 0), bits, _SIGNED[bits], middle))
    if zeros is None:
        return data, None
    points = recipes.unpack(_bytes(n, 3), bits, _SIGNED[bits], middle)
    blocks = n.dim(n.x(2), n.rank(n.x(2)) - 1)
    if not isinstance(blocks, int) or (bits < 8 and not last):
        raise n.refuse("packed zero points along another axis than the last, or of unknown number")
    ends = (*points.shape[:-1], min(blocks, points.shape[-1]))
    return data, n.constant(recipes.slices(points, (0,) * len(ends), ends))
