"""Several TFLite ops as the one that does the same: PACK, PRELU, SQUARED_DIFFERENCE, L2_NORMALIZATION, CAST,
reductions.

Vectors of sizes alone are left as they are: the runtime computes what CONCATENATION makes of them before it runs, and
not what PACK does.  Source: LiteRT, kernels/pack.cc, activations.cc, squared_difference.cc, l2norm.cc.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import unit_axes
from mlconv.ir.types import Shape
from mlconv.legalize.to_tfl.counted_rows import count_rows
from mlconv.legalize.to_tfl.int_limits import limit_from_0
from mlconv.legalize.to_tfl.joined import join_last
from mlconv.legalize.to_tfl.one_op import builder_at, chain, erase_unused, ints_of, made_by, replace
from mlconv.legalize.to_tfl.picks import bucketize, diagonal, drop_axes, half, narrow_places
from mlconv.legalize.to_tfl.sizes import erase_dead
from mlconv.legalize.to_tfl.two_bits import store_two_bits
from mlconv.legalize.to_tfl.unpack import unpack_parts, unpack_picks
from mlconv.rewrite import edit

MOST_AXES = 4
"""Of the kernels that broadcast."""
MOST_NUMBERS = 8
"""Of a vector that is packed."""
_KNOWN = frozenset(("SHAPE", "CONCATENATION", "GATHER", "MUL", "RESHAPE", "STRIDED_SLICE"))
"""Whose integers the runtime computes before it runs, where it knows the operands."""
_SMALLEST = 1e-30
"""Of factors that become one: none is lost."""
_PACKED = (DType.F32, DType.I8, DType.U8, DType.I16, DType.I32, DType.I64)
"""What the kernel copies, with the scales of quantized ones."""


def contract(block: Block) -> int:
    """Returns how many ops became one with others."""
    found = 0
    for op in list(walk(block)):
        if isinstance(op, TflOp) and op.block is not None:
            form = _FORMS.get(op.builtin)
            found += form is not None and form(op)
            if op.block is not None and op.builtin in _BROADCASTING:
                found += _lead(op)
    found += join_last(block)
    erase_dead(block)
    return found


def _lead(op: TflOp) -> bool:
    """Axes of one element in front of an operand, which the kernel puts there itself beside one that has them."""
    for i, x in enumerate(op.inputs):
        made, other = made_by(x, "RESHAPE", "EXPAND_DIMS"), op.inputs[1 - i].tensor
        shape = None if made is None else made.inputs[0].tensor.shape
        if made is None or shape is None or x.tensor.shape is None or other.rank != op.result.tensor.rank:
            continue
        more = len(x.tensor.shape) - len(shape)
        if more > 0 and x.has_one_use and x.tensor.shape == (*[1] * more, *shape) and len(x.tensor.shape) <= MOST_AXES:
            edit.set_operand(op, i, made.inputs[0])
            edit.absorb(op, made, by="lead")
            erase_unused([made])
            return True
    return False


def _pack(op: TflOp) -> bool:
    """CONCATENATION of tensors that were given an axis of size 1 for it."""
    axis, y = op.attributes["axis"], op.result
    shape = y.tensor.shape
    if (
        shape is None
        or y.tensor.dtype not in _PACKED
        or op.attributes.get("fused_activation_function", "NONE") != "NONE"
    ):
        return False
    if len(shape) < 2 and y.tensor.dtype is not DType.F32:
        return _pack_numbers(op)
    axis %= len(shape)
    inner = shape[:axis] + shape[axis + 1 :]
    parts = [made_by(v, "RESHAPE", "EXPAND_DIMS") for v in op.inputs]
    if len(parts) < 2 or not all(
        part is not None and _has(part.inputs[0], y, inner) and v.has_one_use and v.tensor.shape is not None
        for part, v in zip(parts, op.inputs, strict=True)
    ):
        return False
    taken = [part for part in parts if part is not None]
    values = [part.inputs[0] for part in taken]
    packed = builder_at(op).one("PACK", values, y.type, values_count=len(values), axis=axis)
    replace(op, taken, packed, "pack")
    return True


def _pack_numbers(op: TflOp) -> bool:
    """CONCATENATION of integers, constants among them, of which one at least the runtime does not know before it
    runs.
    """
    values: list[Value] = []
    parts: list[TflOp] = []
    e = builder_at(op)
    for v in op.inputs:
        part, constant = made_by(v, "RESHAPE", "EXPAND_DIMS"), const_of(v)
        if constant is not None and constant.size <= MOST_NUMBERS:
            values += [e.asarray(int(n), v) for n in constant.view().reshape(-1)]
        elif part is not None and v.has_one_use and _has(part.inputs[0], op.result, ()) and v.tensor.shape == (1,):
            values.append(part.inputs[0])
            parts.append(part)
        else:
            return False
    if not parts or all(_is_known(part.inputs[0]) for part in parts):
        return False
    replace(op, parts, e.one("PACK", values, op.result.type, values_count=len(values), axis=0), "pack")
    return True


def _is_known(x: Value, depth: int = 16) -> bool:
    """The runtime computes it of shapes alone before it runs (`SetTensorToPersistentRo` in kernels/)."""
    maker = x.producer
    if const_of(x) is not None:
        return True
    if not isinstance(maker, TflOp) or maker.builtin not in _KNOWN or depth == 0:
        return False
    return maker.builtin == "SHAPE" or all(_is_known(v, depth - 1) for v in maker.inputs)


def _has(x: Value, like: Value, shape: Shape) -> bool:
    return x.tensor.shape == shape and x.tensor.element == like.tensor.element


def _squared_difference(op: TflOp) -> bool:
    """MUL of a difference and itself.  What reads the shape of the difference reads that of the result."""
    d = op.inputs[0]
    sub = made_by(d, "SUB")
    shapes = [user for user in d.users if isinstance(user, TflOp) and user.builtin == "SHAPE"]
    if d is not op.inputs[1] or sub is None or len(d.uses) != 2 + len(shapes):
        return False
    if not _is_computed(*sub.inputs, d, op.result) or not _broadcasts(*sub.inputs):
        return False
    if made_by(op.result, op.builtin) is None:
        return False
    y = builder_at(op, before=sub).one("SQUARED_DIFFERENCE", sub.inputs, op.result.type)
    for shape in shapes:
        edit.set_operand(shape, 0, y)
    replace(op, [sub], y, "squared-difference")
    return True


def _mul(op: TflOp) -> bool:
    return _squared_difference(op) or any(_l2_normalization(op, *pair) for pair in (op.inputs, op.inputs[::-1]))


def _l2_normalization(op: TflOp, x: Value, factor: Value) -> bool:
    """MUL of x and one by the square root of its squares along the last axis, 1e-12 at least: the kernel's 1e-6."""
    parts = chain(factor, "RSQRT", "MAXIMUM", "SUM")
    if parts is None:
        return False
    value = parts[-1].inputs[0]
    square = made_by(value, "MUL")
    if square is None or not value.has_one_use or square.inputs[0] is not x or square.inputs[1] is not x:
        return False
    least, axis, rank = const_of(parts[1].inputs[1]), const_of(parts[2].inputs[1]), x.tensor.rank
    if least is None or least.size != 1 or axis is None or axis.size != 1 or rank is None:
        return False
    last = int(axis.view().reshape(())) % max(rank, 1) == rank - 1 and parts[2].attributes["keep_dims"]
    if not last or least.view().reshape(()) != np.float32(1e-12) or not 0 < rank <= MOST_AXES:
        return False
    if not _is_float(x, op.result) or made_by(op.result, op.builtin) is None:
        return False
    y = builder_at(op).one("L2_NORMALIZATION", [x], op.result.type, fused_activation_function="NONE")
    replace(op, [*parts, square], y, "l2-normalization")
    return True


def _prelu(op: TflOp) -> bool:
    """SELECT_V2 of x and its product with slopes, by its sign."""
    test, *sides = op.inputs
    less, product = made_by(test, "LESS"), made_by(sides[0], "MUL")
    x = sides[1]
    if (
        less is None
        or product is None
        or not test.has_one_use
        or not sides[0].has_one_use
        or not _is_float(x, op.result)
    ):
        return False
    zero = const_of(less.inputs[1])
    if less.inputs[0] is not x or zero is None or zero.size != 1 or zero.view().reshape(()) != 0:
        return False
    others = [v for v in product.inputs if v is not x]
    slope = others[0] if len(others) == 1 else None
    constant = const_of(slope)
    if slope is None or constant is None or not _broadcasts(x, slope) or op.result.tensor.shape != x.tensor.shape:
        return False
    y = builder_at(op).one("PRELU", [x, slope], op.result.type)
    replace(op, [less, product], y, "prelu")
    return True


def _cast(op: TflOp) -> bool:
    """CAST of integers that were made wider: of what they were before."""
    inner = made_by(op.inputs[0], "CAST")
    if inner is None or (inner.inputs[0].tensor.dtype, op.inputs[0].tensor.dtype) != (DType.I32, DType.I64):
        return False
    x, type_ = inner.inputs[0], op.result.tensor
    options = {"in_data_type": "INT32", "out_data_type": op.attributes["out_data_type"]}
    y = x if x.type == type_ else builder_at(op).one("CAST", [x], type_, **options)
    if y is x:
        edit.replace(op, [x])
        erase_unused([inner])
    else:
        replace(op, [inner], y, "join-casts")
    return True


def _is_computed(*values: Value) -> bool:
    """Numbers that SQUARED_DIFFERENCE takes."""
    return all(v.tensor.quant is None and v.tensor.dtype in (DType.F32, DType.I32) for v in values)


def _is_float(*values: Value) -> bool:
    return all(v.tensor.quant is None and v.tensor.dtype is DType.F32 for v in values)


def _broadcasts(*values: Value) -> bool:
    """The kernels have as many axes."""
    ranks = [v.tensor.rank for v in values]
    return all(r is not None and r <= MOST_AXES for r in ranks)


def _reduce(op: TflOp) -> bool:
    """What lost axes of one element is combined along others: along all of these at once.  A mean of integers is left,
    whose kernels differ.
    """
    x, axes = op.inputs[0], ints_of(op.inputs[1])
    flat = made_by(x, "RESHAPE", "SQUEEZE")
    shape = None if flat is None else flat.inputs[0].tensor.shape
    if flat is None or axes is None or shape is None or x.tensor.shape is None or op.attributes["keep_dims"]:
        return False
    lost = unit_axes(x.tensor.shape, shape)
    if not lost or not x.has_one_use or len(shape) > MOST_AXES or (op.builtin == "MEAN" and not _is_float(x)):
        return False
    kept = [a for a in range(len(shape)) if a not in lost]
    e = builder_at(op)
    every = sorted([*lost, *(kept[a] for a in axes)])
    replace(op, [flat], e.one(op.builtin, [flat.inputs[0], e.ints(every)], op.result.type, keep_dims=False), "reduce")
    return True


def _scale_once(op: TflOp) -> bool:
    """BATCH_MATMUL of two tensors that are both multiplied with a number, as torch writes attention: one of them is."""
    a, b = op.inputs
    parts = [made_by(v, "MUL") for v in (a, b)]
    left, right = (None if part is None else _scaled(part) for part in parts)
    if (
        left is None
        or right is None
        or not (a.has_one_use and b.has_one_use)
        or op.result.tensor.dtype is not DType.F32
    ):
        return False
    number = np.multiply(left[1], right[1], dtype=np.float32)
    if not _SMALLEST < abs(number) < 1 / _SMALLEST:
        return False
    e = builder_at(op)
    scaled = e.one("MUL", [left[0], e.constant(number)], a.type, fused_activation_function="NONE")
    edit.rename(scaled, a.name)
    y = e.one(op.builtin, [scaled, right[0]], op.result.type, **op.attributes)
    replace(op, [part for part in parts if part is not None], y, "scale-once")
    return True


def _scaled(op: TflOp) -> tuple[Value, np.float32] | None:
    """What is multiplied with a number, and the number."""
    for x, factor in (op.inputs, op.inputs[::-1]):
        constant = const_of(factor)
        if constant is not None and constant.size == 1 and x.type == op.result.type and _is_float(x, factor):
            return x, np.float32(constant.view().reshape(()))
    return None


def _drop_axes(op: TflOp) -> bool:
    return drop_axes(op) or _drop_reduced(op)


def _drop_reduced(op: TflOp) -> bool:
    """RESHAPE that drops axes which a reduction has left of size 1: a flatten behind a global pool.  Integers are left,
    whose mean has another kernel.
    """
    x, y = op.inputs[0], op.result
    made = made_by(x, *_REDUCTIONS)
    axes, before = (None, None) if made is None else (ints_of(made.inputs[1]), x.tensor.shape)
    if made is None or axes is None or before is None or not x.has_one_use or not _is_float(x, y):
        return False
    rank = len(before)
    kept = tuple(n for a, n in enumerate(before) if a not in [i % rank for i in axes])
    if not made.attributes["keep_dims"] or len(kept) == rank or y.tensor.shape != kept or not kept:
        return False
    options = {**made.attributes, "keep_dims": False}
    replace(op, [made], builder_at(op, before=made).one(made.builtin, made.inputs, y.type, **options), "drop-reduced")
    return True


def _sum(op: TflOp) -> bool:
    return bucketize(op) or _reduce(op)


def _gather(op: TflOp) -> bool:
    return unpack_picks(op) or narrow_places(op)


def _transpose(op: TflOp) -> bool:
    """TRANSPOSE that undoes the one before."""
    inner, order = made_by(op.inputs[0], "TRANSPOSE"), ints_of(op.inputs[1])
    first = None if inner is None else ints_of(inner.inputs[1])
    if inner is None or first is None or order is None or [first[a] for a in order] != [*range(len(order))]:
        return False
    x = inner.inputs[0]
    if x.producer is None or x.producer.block is not op.block or not x.has_one_use:
        return False  # what others read, too, keeps its name
    edit.absorb(x.producer, op, inner, by="transposed-back")
    edit.rename(x, op.result.name or x.name)
    edit.replace(op, [x])
    erase_unused([inner])
    return True


def _select(op: TflOp) -> bool:
    return _prelu(op) or diagonal(op)


_REDUCTIONS = ("SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD")
_BROADCASTING = frozenset(
    ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "LESS", "GREATER", "EQUAL")
)
_FORMS: dict[str, Callable[[TflOp], bool]] = {
    "BATCH_MATMUL": _scale_once,
    "CONCATENATION": _pack,
    "FULLY_CONNECTED": store_two_bits,
    "SPLIT": unpack_parts,
    "GATHER": _gather,
    "GATHER_ND": narrow_places,
    "MUL": _mul,
    "SELECT_V2": _select,
    "STRIDED_SLICE": count_rows,
    "TRANSPOSE": _transpose,
    **dict.fromkeys(("ADD", "SUB"), limit_from_0),
    "CAST": _cast,
    "RESHAPE": _drop_axes,
    "REAL": half,
    "IMAG": half,
    **dict.fromkeys(_REDUCTIONS, _reduce),
    "SUM": _sum,
}
