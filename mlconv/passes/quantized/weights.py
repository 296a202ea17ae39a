"""Constants that are stored as integers and become numbers."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Op, Value, clone_op
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType, Scheme
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.spec import OpDef
from mlconv.rewrite import Rewriter, edit, remake

STORAGE = (DType.I8, DType.U8, DType.I4)
"""Storage that may have scales along an axis.  Source: TFLite, kernels/dequantize.h."""


_FLOATS = (DType.F32, DType.F16)
"""What products of floats are of, which compute in float32 (the pass `reduce-float16`)."""

BLOCK = 8  # what blocks are a multiple of, of weights that products take apart
_WIDE_BLOCK = 4 * BLOCK  # places from which on a block is worth its scales
_MOST_OF_BLOCK = 8 * BLOCK  # places that products sum at once
_FILLED = 1.05  # places that may be made of one along the depth, where there is a choice
_MOST_FILLED = 1.08  # in all, so that zero points of whole bytes have room
PANEL = 16  # columns that packed weights are filled up to
_LEAST_OF_GROUP = 4  # results of a group that products have panels for


def is_taken_apart(quant: QuantType, user: Op, w: Value) -> bool:
    """A product of floats takes weights of 4 bits as they are stored, two in a byte: the second factor, a matrix of
    constants, in blocks along its rows or with scales of its columns; those of 8 bits in blocks.
    """
    if not isinstance(user, core.MatMul) or user.b is not w or user.a is w or w.tensor.rank != 2:
        return False
    rows, shape = int(user.transpose_b), w.tensor.shape or ()
    depth, columns, scheme = shape[rows], shape[1 - rows], quant.scheme
    narrow = quant.storage is DType.I4 or (quant.storage in STORAGE and isinstance(quant.scheme, Blocked))
    if not narrow or quant.expressed is not DType.F32 or user.a.tensor.dtype is not DType.F32:
        return False
    if not isinstance(depth, int) or not isinstance(columns, int) or depth < BLOCK:
        return False
    if isinstance(scheme, Blocked):
        fits, most = quant.axis == rows and scheme.size % BLOCK == 0, _MOST_FILLED
    else:
        fits, most = quant.axis in (None, 1 - rows), _FILLED
    if not fits:
        return False
    filled = depth_in_blocks(depth, scheme)[0]
    return filled <= most * depth and filled * -(-columns // PANEL) * PANEL <= _MOST_FILLED * depth * columns


def is_unpacked(quant: QuantType, user: Op, w: Value) -> bool:
    """A convolution of floats makes panels of numbers of such weights in each run: constants in blocks along the input
    channels, two of 4 bits in a byte.
    """
    if not isinstance(user, (core.Conv, core.ConvTranspose)) or user.w is not w or user.x is w:
        return False
    axis, shape = user.w_layout.index("I"), w.tensor.shape or ()
    depth, columns = shape[axis], shape[user.w_layout.index("O")]
    if not isinstance(quant.scheme, Blocked) or not isinstance(depth, int) or not isinstance(columns, int):
        return False
    floats = quant.expressed is DType.F32 and user.x.tensor.dtype in _FLOATS
    fits = quant.storage in STORAGE and floats and quant.axis == axis
    if isinstance(user, core.Conv):
        columns //= user.groups
    else:
        depth //= user.groups
    whole = depth % quant.scheme.size == 0 and quant.scheme.size * quant.storage.bits % DType.I8.bits == 0
    volume = user.groups == 1 and (user.x.tensor.shape or (None,))[user.x_layout.index("N")] == 1
    panels = user.groups == 1 or columns >= _LEAST_OF_GROUP
    return fits and whole and panels and (len(user.strides) <= 2 or volume)


def depth_in_blocks(depth: int, scheme: Scheme) -> tuple[int, int]:
    """What the depth of weights that are taken apart is filled up to, and places that are summed at once: a part of
    those that share scales.  Without blocks of their own, whole ones of a size that pays; with them, the largest that
    fill little up, where the last one is short.
    """
    if not isinstance(scheme, Blocked):
        depth = -(-depth // _WIDE_BLOCK) * _WIDE_BLOCK
    shared = scheme.size if isinstance(scheme, Blocked) else depth
    found = [(-(-depth // n) * n, n) for n in range(_MOST_OF_BLOCK, 0, -BLOCK) if shared % n == 0]
    return next((filled for filled in found if filled[0] <= _FILLED * depth), found[-1])


def narrowest(numbers: Array) -> DType:
    """The floats of fewest bits that hold such of float32."""
    return next((t for t in (DType.BF16, DType.F16) if holds(t, numbers)), DType.F32)


def holds(dtype: DType, numbers: Array) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.array_equal(numbers.astype(dtype.numpy).astype(np.float32), numbers))


def in_bytes(w: Value) -> core.Constant:
    """Constant weights of fewer than 8 bits, as int8 of the same scales, for kernels that take no others."""
    quant, value = quantized(w), const_of(w)
    assert value is not None
    zeros = quant.zero_points
    zeros = zeros if isinstance(zeros, int) else recipes.cast(zeros, DType.I8)
    element = QuantType(DType.I8, quant.expressed, quant.scheme, quant.scales, zeros)
    return core.Constant(value=recipes.cast(value, DType.I8), element=element)


MOVING = (core.Transpose, core.Reshape, core.ExpandDims, core.Squeeze)


def is_weights(value: Value) -> bool:
    """A constant whose numbers are taken, as kernels do."""
    quant = value.tensor.quant
    if quant is None or const_of(value) is None or isinstance(quant.scheme, Blocked):
        return False
    fits = quant.storage in STORAGE or (
        quant.storage is DType.I16 and quant.is_per_tensor and not quant.zero_array().any()
    )
    return fits and any(isinstance(user, core.Dequantize) for user in value.users)


def is_taken(quant: QuantType) -> bool:
    """Products of floats, where they take weights as they are stored, take such: with one scale or one along an
    axis.
    """
    fits = quant.storage in (DType.I8, DType.I4, DType.I16, DType.U16) and quant.expressed is DType.F32
    return fits and not isinstance(quant.scheme, Blocked)


def is_product_of_stored(border: core.Dequantize) -> bool:
    """Weights of products of floats alone, which take them as they are stored, or what moves them first.  Those in
    blocks, and large matrices that others read, become numbers when they are used.
    """
    quant, constant = quantized(border.x), const_of(border.x)
    if constant is None or quant.expressed not in _FLOATS:
        return False
    quant = of_float32(quant)
    if isinstance(quant.scheme, Blocked):
        return constant.nbytes >= _LEAST_BLOCKS
    is_large = constant.nbytes >= _LEAST_MATRIX and sum(n > 1 for n in constant.shape) > 1
    return is_large or (is_taken(quant) and all(is_taken_by(user, w, quant) for user, w in readers(border.y)))


def of_float32(quant: QuantType) -> QuantType:
    """With numbers that are not rounded to 16 bits, as they are computed with."""
    scheme, zeros = quant.scheme, quant.zero_points
    return QuantType(quant.storage, DType.F32, scheme, quant.scales, zeros, quant.qmin, quant.qmax)


def in_float32(x: Value, rewriter: Rewriter) -> Value:
    """The same integers, a constant's, for numbers of float32."""
    maker = x.producer
    assert isinstance(maker, (core.Constant, core.StorageCast))
    return rewriter.emit(remake(maker, maker.operands, element=of_float32(quantized(x)))).results[0]


def is_widened(op: Op | None) -> bool:
    """Makes float32 of halves that integers stand for."""
    if not isinstance(op, core.Cast) or op.dtype is not DType.F32 or op.x.tensor.dtype is not DType.F16:
        return False
    maker = op.x.producer
    return isinstance(maker.x.producer if isinstance(maker, core.Transpose) else maker, core.Dequantize)


def readers(numbers: Value, turned: bool = False) -> list[tuple[Op, Value]]:
    """What reads numbers, and as what: halves through what widens them.  turned: matrices through transpositions."""
    found: list[tuple[Op, Value]] = []
    for user in numbers.users:
        is_turned = turned and isinstance(user, core.Transpose) and numbers.tensor.rank == 2
        through = is_turned or is_widened(user)
        found += readers(user.results[0], turned) if through else [(user, numbers)]
    return found


# bytes of weights that are not numbers for the sake of room
_LEAST_BLOCKS, _LEAST_MATRIX = 1 << 8, 1 << 10


def is_taken_by(user: Op, w: Value, quant: QuantType) -> bool:
    """A product of floats takes such weights as they are stored, or something moves them first."""
    axis = quant.axis
    if isinstance(user, (core.Conv, core.ConvTranspose)):
        fits = user.groups == 1 or quant.storage.bits <= DType.I8.bits or not quant.zero_array().any()
        return fits and user.w is w and user.x is not w and axis in (None, user.w_layout.index("O"))
    if isinstance(user, core.MatMul):
        columns = (w.tensor.rank or 0) - (2 if user.transpose_b else 1)
        return user.b is w and user.a is not w and columns >= 0 and axis in (None, columns)
    return isinstance(user, MOVING)


def moved(op: OpDef, c: Const) -> Const | None:
    """A constant whose elements are laid out in another way."""
    if isinstance(op, core.Transpose):
        return recipes.transpose(c, op.perm)
    if isinstance(op, (core.Reshape, core.ExpandDims, core.Squeeze)) and op.y.tensor.is_static:
        return c.reshape(op.y.tensor.static_shape())
    return None


def moved_weights(op: OpDef, rewriter: Rewriter) -> Value | None:
    """What makes numbers of a constant, behind what moves the numbers; None where scales cannot follow."""
    maker = op.inputs[0].producer
    if not isinstance(maker, (core.Dequantize, core.Cast)):
        return None
    trial = rewriter.emit(clone_op(op, {op.inputs[0]: maker.x}))
    try:
        assert isinstance(trial, OpDef)
        (inferred,) = trial.inferred()
        edit.retype(trial.results[0], inferred)
    except ConversionError:  # no axis has these scales behind it
        edit.erase(trial)
        return None
    source = const_of(maker.x)
    constant = None if source is None else moved(trial, source)
    if constant is None:
        edit.erase(trial)
        return None
    integers = rewriter.emit(core.Constant(value=constant, element=quant_of(trial.results[0]))).y
    edit.erase(trial)
    numbers = rewriter.emit(clone_op(maker, {maker.x: integers})).results[0]
    edit.retype(numbers, op.results[0].type)
    return numbers
