"""Evaluation of values at conversion time, on demand and within limits.

`constant_of` looks whether a value is, or can be computed to be, a constant.  Small results are computed with the op's
`eval`; nothing is computed whose result or operands are larger than `LIMIT_BYTES`.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, Const, Inline, Splat, make_const
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.traits import Elementwise, is_pure
from mlconv.ir.types import TensorType

LIMIT_BYTES = 1 << 18
MOST_BYTES = 1 << 29
"""Most bytes of operands and results of an op that is computed at conversion time: a second's work, and memory that
every machine has.
"""


def constant_of(value: Value, limit_bytes: int = LIMIT_BYTES) -> Const | None:
    """The constant that a value is, computing small pure ops over constants; None when it depends on inputs or is too
    large to compute here.
    """
    stack = [value]
    done: dict[Value, Const | None] = {}
    while stack:
        v = stack[-1]
        if v in done:
            stack.pop()
            continue
        direct = _direct(v)
        producer = v.producer
        if direct is not None or not isinstance(producer, OpDef) or not is_foldable(producer, limit_bytes):
            done[v] = direct
            continue
        if any(o in done and done[o] is None for o in producer.inputs):
            done.update(dict.fromkeys(producer.results))
            continue
        missing = next((o for o in producer.inputs if o not in done), None)
        if missing is not None:
            stack.append(missing)
            continue
        operands = [None if o is None else done[o] for o in producer.operands]
        for r, c in zip(producer.results, fold(producer, operands), strict=True):
            done[r] = c
    return done[value]


def _direct(v: Value) -> Const | None:
    handle = const_of(v)
    if handle is not None:
        return handle
    if v.known is not None and isinstance(v.type, TensorType):
        limits = np.iinfo(v.type.dtype.numpy)
        # what the type does not hold wraps where it is computed
        ints = [k for k in v.known if isinstance(k, int) and limits.min <= k <= limits.max]
        if len(ints) == len(v.known):
            shape = v.type.static_shape() if v.type.is_static else (len(ints),)
            return make_const(np.asarray(ints, v.type.dtype.numpy).reshape(shape), v.type.dtype)
    return None


def is_foldable(op: OpDef, limit_bytes: int = LIMIT_BYTES) -> bool:
    """Pure, without regions, with results within the limit, of no size that a run tells."""
    if op.regions or not is_pure(op):
        return False
    for value in (*op.results, *op.inputs):
        if not isinstance(value.type, TensorType) or any(
            isinstance(d, Dim) and d.is_known for d in value.type.shape or ()
        ):
            return False
    for value in op.results:
        size = value.tensor.size
        if isinstance(size, int) and size * value.tensor.dtype.itemsize > limit_bytes:
            return False
    return sum(_dense_bytes(v) for v in (*op.results, *op.inputs)) <= MOST_BYTES


def _dense_bytes(value: Value) -> int:
    """What a value takes as an array; a constant of one repeated element takes little until it is computed with."""
    size = value.tensor.size
    return size * value.tensor.dtype.itemsize if isinstance(size, int) else 0


def fold(op: OpDef, operands: list[Const | None]) -> list[Const]:
    """Run an op's `eval` on constants.  Raises ConversionError ShapeMismatch when they are none that the op takes,
    TensorTooLarge when they take too much memory.
    """
    shape = _shape_of_one_number(op, operands)
    if shape is not None:
        operands = [None if c is None else c.reshape(()) for c in operands]
    try:
        with np.errstate(all="ignore"):
            result = op.evaluate(*(None if c is None else c.view() for c in operands))
    # numpy's own checks of contents: indices, shapes, counts
    except (ArithmeticError, IndexError, TypeError, ValueError) as error:
        raise ConversionError(
            Code.ShapeMismatch, f"{op.name} cannot be computed from the constants that it is given: {error}"
        ) from error
    except MemoryError as error:
        raise ConversionError(
            Code.TensorTooLarge,
            f"{op.name} of {', '.join(str(v.type) for v in op.results)} is too large to be computed here",
        ) from error
    arrays = result if isinstance(result, (tuple, list)) else (result,)
    if shape is not None:
        return [Splat(arrays[0], op.results[0].tensor.dtype, shape)]
    return [
        Inline(np.ascontiguousarray(a), v.tensor.dtype) if a.ndim else Inline(np.asarray(a), v.tensor.dtype)
        for a, v in zip(arrays, op.results, strict=True)
    ]


def _shape_of_one_number(op: OpDef, operands: list[Const | None]) -> tuple[int, ...] | None:
    """The shape of what an elementwise op makes of operands that are one number each, however often; else None."""
    if Elementwise not in op.spec.traits or len(op.results) != 1 or op.results[0].tensor.quant is not None:
        return None
    if not any(isinstance(c, Splat) and c.shape for c in operands):
        return None
    if not all(c is None or isinstance(c, Splat) or c.size == 1 for c in operands):
        return None
    return static(op.results[0].tensor.shape)


def constant_array(value: Value | None, limit_bytes: int = LIMIT_BYTES) -> Array | None:
    """The data of a value that is constant, else None."""
    if value is None:
        return None
    c = constant_of(value, limit_bytes)
    return None if c is None else c.view()


def from_known(op: OpDef) -> Const | None:
    """A small integer result whose contents are known, e.g. the shape of a static tensor."""
    if len(op.results) != 1:
        return None
    value = op.results[0]
    known = static(known_ints(value))
    if known is None or not isinstance(value.type, TensorType):
        return None
    shape = static(value.type.shape)
    return make_const(list(known), value.type.dtype).reshape((len(known),) if shape is None else shape)
