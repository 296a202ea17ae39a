"""Short ways to say common things in core: arithmetic with numbers, shapes made of numbers and run-time sizes, slices.

A `Kit` emits where its source node stands.  Numbers become constants of the other operand's element type.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias, Union

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const, Splat, make_const
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef, known_ints
from mlconv.legalize.limits import MAX_LIST
from mlconv.rewrite import constant_array

Number: TypeAlias = Union[int, float]
Part: TypeAlias = Union[int, Value]
"""A size: a number, or an int64 tensor [1]."""


class Kit:
    """Emission of core ops at one place."""

    __slots__ = ("builder",)

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def emit(self, op: OpDef) -> Value:
        """Insert an op of one result."""
        return self.builder.emit(op).result

    def emit_all(self, op: OpDef) -> tuple[Value, ...]:
        """Insert an op of several results."""
        return tuple(self.builder.emit(op).results)

    # Constants

    def const(self, value: Const | Array | Sequence[Any] | Number | bool, dtype: DType | None = None) -> Value:
        if isinstance(value, Const):
            return self.emit(core.Constant(value=value))
        return self.emit(core.Constant(value=make_const(np.asarray(value), dtype)))

    def vec(self, values: Sequence[int]) -> Value:
        """An int64 vector.  Raises ConversionError TensorTooLarge for numbers that it does not hold."""
        if any(not -(1 << 63) <= v < 1 << 63 for v in values):
            raise ConversionError(
                Code.TensorTooLarge, f"a size or place among {list(values)[:8]} is too large for 64 bits"
            )
        return self.const(np.asarray(list(values), np.int64))

    def like(self, value: Value | Number, other: Value) -> Value:
        """`value` if it is one, else the number as a scalar of other's element type."""
        return value if isinstance(value, Value) else self.const(value, other.tensor.dtype)

    def full(self, number: Number | Array, dtype: DType, shape: tuple[int, ...]) -> Value:
        """A constant of equal elements."""
        return self.const(Splat(number, dtype, shape))

    # Arithmetic

    def _binary(self, cls: type[OpDef], a: Value | Number, b: Value | Number) -> Value:
        first = a if isinstance(a, Value) else b
        if not isinstance(first, Value):
            raise TypeError("arithmetic needs at least one value")
        return self.emit(cls(self.like(a, first), self.like(b, first)))

    def add(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.Add, a, b)

    def sub(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.Sub, a, b)

    def mul(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.Mul, a, b)

    def div(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.Div, a, b)

    def maximum(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.Maximum, a, b)

    def minimum(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.Minimum, a, b)

    def less(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.Less, a, b)

    def less_equal(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.LessEqual, a, b)

    def greater_equal(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.GreaterEqual, a, b)

    def equal(self, a: Value | Number, b: Value | Number) -> Value:
        return self._binary(core.Equal, a, b)

    def logical_and(self, a: Value, b: Value) -> Value:
        return self.emit(core.And(a, b))

    def logical_or(self, a: Value, b: Value) -> Value:
        return self.emit(core.Or(a, b))

    def logical_not(self, a: Value) -> Value:
        return self.emit(core.LogicalNot(a))

    def neg(self, x: Value) -> Value:
        return self.emit(core.Neg(x))

    def exp(self, x: Value) -> Value:
        return self.emit(core.Exp(x))

    def sqrt(self, x: Value) -> Value:
        return self.emit(core.Sqrt(x))

    def floor(self, x: Value) -> Value:
        return self.emit(core.Floor(x))

    def sigmoid(self, x: Value) -> Value:
        return self.emit(core.Sigmoid(x))

    def tanh(self, x: Value) -> Value:
        return self.emit(core.Tanh(x))

    def clamp(self, x: Value, lo: float = -math.inf, hi: float = math.inf) -> Value:
        return self.emit(core.Clamp(x, lo=lo, hi=hi))

    def select(self, cond: Value, a: Value | Number, b: Value | Number) -> Value:
        first = a if isinstance(a, Value) else b
        if not isinstance(first, Value):
            raise TypeError("select needs at least one value")
        return self.emit(core.Select(cond, self.like(a, first), self.like(b, first)))

    def cast(self, x: Value, dtype: DType) -> Value:
        return x if x.tensor.dtype is dtype else self.emit(core.Cast(x, dtype=dtype))

    def widened(self, x: Value) -> Value:
        """16-bit and shorter floats as float32, where their sums and squares are finite, and in which ONNX Runtime has
        them.
        """
        dtype = x.tensor.dtype
        return self.cast(x, DType.F32) if dtype.is_float and dtype.bits < 32 else x

    def matmul(self, a: Value, b: Value, *, transpose_a: bool = False, transpose_b: bool = False) -> Value:
        return self.emit(core.MatMul(a, b, transpose_a=transpose_a, transpose_b=transpose_b))

    # Reductions

    def sum(self, x: Value, axes: Sequence[int], *, keepdims: bool = False) -> Value:
        return self.emit(core.ReduceSum(x, axes=tuple(axes), keepdims=keepdims))

    def mean(self, x: Value, axes: Sequence[int], *, keepdims: bool = False) -> Value:
        return self.emit(core.ReduceMean(x, axes=tuple(axes), keepdims=keepdims))

    def max(self, x: Value, axes: Sequence[int], *, keepdims: bool = False) -> Value:
        return self.emit(core.ReduceMax(x, axes=tuple(axes), keepdims=keepdims))

    # Shapes

    def rank(self, x: Value, what: str = "an operand") -> int:
        """The rank of x.  Raises ConversionError ShapeNotStatic when it is not known."""
        rank = x.tensor.rank
        if rank is None:
            raise ConversionError(
                Code.ShapeNotStatic,
                f"the rank of {what} must be known",
                help="give the input's shape with --shape NAME=...",
            )
        return rank

    def axis(self, axis: int, rank: int) -> int:
        """An axis counted from the front.  Raises ConversionError ShapeMismatch."""
        if not -rank <= axis < max(rank, 1):
            raise ConversionError(Code.ShapeMismatch, f"axis {axis} is out of range for rank {rank}")
        return axis % max(rank, 1)

    def dim(self, x: Value, axis: int) -> Part:
        """The size of x along an axis: a number, or the run-time size."""
        shape = x.tensor.shape
        axis = self.axis_of(x, axis)
        if shape is not None and isinstance(shape[axis], int):
            return int(str(shape[axis]))
        return self.slice_axis(self.emit(core.ShapeOf(x)), 0, axis, axis + 1)

    def axis_of(self, x: Value, axis: int) -> int:
        """An axis that x has, counted from the front.  Raises ConversionError ShapeMismatch."""
        rank = self.rank(x)
        if not -rank <= axis < rank:
            raise ConversionError(Code.ShapeMismatch, f"{x.type} has no axis {axis}")
        return axis % rank

    def dims(self, x: Value) -> list[Part]:
        return [self.dim(x, i) for i in range(self.rank(x))]

    def dims_of(self, x: Value, rank: int) -> list[Part]:
        """The sizes of x, which must be of a rank.  Raises ConversionError ShapeMismatch."""
        if self.rank(x) != rank:
            raise ConversionError(Code.ShapeMismatch, f"{x.type} has rank {self.rank(x)}, expected {rank}")
        return self.dims(x)

    def shape(self, x: Value) -> Value:
        """The shape of x as an int64 vector: a constant where it is static."""
        shape = x.tensor.shape
        if shape is not None and all(isinstance(d, int) for d in shape):
            return self.vec([int(str(d)) for d in shape])
        return self.emit(core.ShapeOf(x))

    def parts(self, parts: Sequence[Part]) -> Value:
        """An int64 vector of sizes."""
        groups: list[Value] = []
        run: list[int] = []
        for part in parts:
            if isinstance(part, int):
                run.append(part)
                continue
            if run:
                groups.append(self.vec(run))
                run = []
            groups.append(part)
        if run or not groups:
            groups.append(self.vec(run))
        return groups[0] if len(groups) == 1 else self.emit(core.Concat(groups, axis=0))

    def times(self, parts: Sequence[Part]) -> Part:
        """The product of sizes."""
        fixed = math.prod(p for p in parts if isinstance(p, int))
        total: Part = fixed
        for part in parts:
            if isinstance(part, Value):
                total = part if isinstance(total, int) and total == 1 else self.mul(part, total)
        return total

    def reshape(self, x: Value, parts: Sequence[Part] | Value) -> Value:
        return self.emit(core.Reshape(x, parts if isinstance(parts, Value) else self.parts(parts)))

    def broadcast(self, x: Value, parts: Sequence[Part] | Value) -> Value:
        return self.emit(core.BroadcastTo(x, parts if isinstance(parts, Value) else self.parts(parts)))

    def transpose(self, x: Value, perm: Sequence[int]) -> Value:
        return (
            x
            if x.tensor.rank in (None, len(perm)) and list(perm) == list(range(len(perm)))
            else self.emit(core.Transpose(x, perm=tuple(perm)))
        )

    def expand(self, x: Value, *axes: int) -> Value:
        """Dimensions of size 1 at these (non-negative, sorted) axes of the result."""
        return self.emit(core.ExpandDims(x, axes=tuple(axes))) if axes else x

    def squeeze(self, x: Value, *axes: int) -> Value:
        return self.emit(core.Squeeze(x, axes=tuple(axes))) if axes else x

    def fitted(self, value: Value, target: Value) -> Value:
        """A value that must broadcast to the shape of `target`: as it is where the types tell that it does, else
        broadcast, which asks at run time.

        Raises ConversionError ShapeMismatch when it cannot.
        """
        have, wanted = value.tensor.shape, target.tensor.shape
        if have is None or wanted is None:
            return value
        if len(have) <= len(wanted) and not any(
            a != 1 and may_differ(a, b) for a, b in zip(reversed(have), reversed(wanted), strict=False)
        ):
            return value
        return self.broadcast(value, self.shape(target))

    def concat(self, xs: Sequence[Value], axis: int) -> Value:
        return xs[0] if len(xs) == 1 else self.emit(core.Concat(list(xs), axis=axis))

    def split(self, x: Value, sizes: Sequence[int], axis: int) -> tuple[Value, ...]:
        return self.emit_all(core.Split(x, sizes=tuple(sizes), axis=axis))

    def gather(self, x: Value, indices: Value | Sequence[int] | int, axis: int = 0) -> Value:
        where = indices if isinstance(indices, Value) else self.const(np.asarray(indices, np.int64))
        return self.emit(core.Gather(x, where, axis=axis))

    def reverse(self, x: Value, *axes: int) -> Value:
        return self.emit(core.Reverse(x, axes=tuple(axes)))

    def slice_axis(self, x: Value, axis: int, begin: Part | None, end: Part | None, step: int = 1) -> Value:
        """x[begin:end:step] along one axis; None is an open bound."""
        return self.slice(x, {axis: (begin, end, step)})

    def slice(self, x: Value, bounds: dict[int, tuple[Part | None, Part | None, int]]) -> Value:
        """x[begin:end:step] along some axes, everything along the others."""
        rank = self.rank(x)
        begins: list[Part] = [0] * rank
        ends: list[Part] = [0] * rank
        steps = [1] * rank
        begin_mask = end_mask = (1 << rank) - 1
        for place, (begin, end, step) in bounds.items():
            axis = self.axis_of(x, place)
            steps[axis] = step
            if begin is not None:
                begins[axis], begin_mask = begin, begin_mask & ~(1 << axis)
            if end is not None:
                ends[axis], end_mask = end, end_mask & ~(1 << axis)
        return self.emit(
            core.Slice(
                x, self.parts(begins), self.parts(ends), self.vec(steps), begin_mask=begin_mask, end_mask=end_mask
            )
        )

    def pad(self, x: Value, pads: Sequence[tuple[Part, Part]], fill: Value | Number = 0) -> Value:
        """x with `fill` before and after along each axis; negative amounts crop."""
        if all(p == (0, 0) for p in pads):
            return x
        flat = [p for pair in pads for p in pair]
        fixed = [p for p in flat if isinstance(p, int)]
        if len(fixed) == len(flat):
            amounts = self.const(np.asarray(fixed, np.int64).reshape(-1, 2))
        else:
            amounts = self.reshape(self.parts(flat), [len(pads), 2])
        return self.emit(core.Pad(x, amounts, self.like(fill, x)))

    def range(self, limit: Part) -> Value:
        """0, 1, ... below a limit, int64."""
        if isinstance(limit, int) and limit <= 1 << 16:
            return self.vec(list(range(limit)))
        stop = self.const(limit, DType.I64) if isinstance(limit, int) else self.reshape(limit, [])
        return self.emit(core.Range(self.const(0, DType.I64), stop, self.const(1, DType.I64)))


def may_differ(a: Size, b: Size) -> bool:
    """Whether two sizes may be told apart: they are not the same, and neither depends on what nobody knows before it is
    computed.
    """
    return a != b and not any(isinstance(d, Dim) and "?" in d.symbols() for d in (a, b))


def known_list(value: Value | None, what: str) -> list[int]:
    """The integers of a small tensor.  Raises ConversionError ShapeNotStatic when they are not known at conversion
    time, TensorTooLarge when there are too many.
    """
    array = small_integers(value, what)
    if array is not None:
        return array
    known = known_ints(value)
    if known is None or not all(isinstance(k, int) for k in known):
        raise ConversionError(
            Code.ShapeNotStatic,
            f"{what} must be known at conversion time",
            help="make it a constant (an initializer) in the model",
        )
    return [int(str(k)) for k in known]


def small_integers(value: Value | None, what: str) -> list[int] | None:
    """The entries of a constant integer tensor, None when it is not constant.  Raises ConversionError TypeMismatch and
    TensorTooLarge.
    """
    array = constant_array(value)
    if array is None:
        return None
    if array.dtype.kind not in "iub":
        raise ConversionError(Code.TypeMismatch, f"{what} must be integers, they are {array.dtype.name}")
    if array.size > MAX_LIST:
        raise ConversionError(Code.TensorTooLarge, f"{what} are too many: {array.size} numbers, at most {MAX_LIST}")
    return [int(i) for i in array.reshape(-1)]


def largest_finite(dtype: DType) -> float:
    """The largest number of a floating-point type."""
    if dtype in (DType.F16, DType.F32, DType.F64):
        return float(np.finfo(dtype.numpy).max)
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype.numpy).max)  # type: ignore[no-untyped-call]
