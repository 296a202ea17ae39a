"""Core ops in numpy's words: one way to say common things, for importers, passes, targets and tests.

A number stands for a constant of the other operand's element type; a size is a number, or an int64 tensor [1].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar, Union

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.base import ranked
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef

O = TypeVar("O", bound=Op)  # noqa: E741
Number: TypeAlias = Union[int, float]
Part: TypeAlias = Union[int, Value]


class Emitter:
    """Emits ops at one place: what all vocabularies share."""

    __slots__ = ("builder",)

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def emit(self, op: O) -> O:
        """Insert an op."""
        return self.builder.emit(op)

    def y(self, op: OpDef) -> Value:
        """Insert an op of one result."""
        return self.builder.emit(op).result

    def ys(self, op: OpDef) -> tuple[Value, ...]:
        """Insert an op of several results."""
        return tuple(self.builder.emit(op).results)

    def constant(
        self,
        value: Const | Array | Sequence[Any] | Number | bool,
        dtype: DType | None = None,
        element: QuantType | None = None,
    ) -> Value:
        """A constant of an array, number or list, or of a handle, which has its own type.  element: what its integers
        stand for.
        """
        handle = value if isinstance(value, Const) else make_const(np.asarray(value), dtype)
        return self.y(core.Constant(value=handle, element=element))


class CoreBuilder(Emitter):
    """Core ops with numpy's names.  Numbers become constants of the other operand's type."""

    __slots__ = ()

    # Constants

    def asarray(self, value: Value | Number, other: Value) -> Value:
        """`value` if it is one, else the number as a scalar of other's element type."""
        return value if isinstance(value, Value) else self.constant(value, other.tensor.dtype)

    def full_like(self, x: Value, value: Number) -> Value:
        """Equal elements of the shape, known or not, and the element type of x."""
        return self.broadcast_to(self.constant(value, x.tensor.dtype), self.y(core.ShapeOf(x)))

    # Arithmetic

    def _binary(self, cls: type[OpDef], a: Value | Number, b: Value | Number) -> Value:
        first = a if isinstance(a, Value) else b
        if not isinstance(first, Value):
            raise TypeError("arithmetic needs at least one value")
        return self.y(cls(self.asarray(a, first), self.asarray(b, first)))

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
        return self.y(core.And(a, b))

    def logical_or(self, a: Value, b: Value) -> Value:
        return self.y(core.Or(a, b))

    def logical_not(self, a: Value) -> Value:
        return self.y(core.LogicalNot(a))

    def neg(self, x: Value) -> Value:
        return self.y(core.Neg(x))

    def exp(self, x: Value) -> Value:
        return self.y(core.Exp(x))

    def sqrt(self, x: Value) -> Value:
        return self.y(core.Sqrt(x))

    def floor(self, x: Value) -> Value:
        return self.y(core.Floor(x))

    def sigmoid(self, x: Value) -> Value:
        return self.y(core.Sigmoid(x))

    def tanh(self, x: Value) -> Value:
        return self.y(core.Tanh(x))

    def clamp(self, x: Value, lo: float = -math.inf, hi: float = math.inf) -> Value:
        return self.y(core.Clamp(x, lo=lo, hi=hi))

    def where(self, cond: Value, a: Value | Number, b: Value | Number) -> Value:
        first = a if isinstance(a, Value) else b
        if not isinstance(first, Value):
            raise TypeError("select needs at least one value")
        return self.y(core.Select(cond, self.asarray(a, first), self.asarray(b, first)))

    def cast(self, x: Value, dtype: DType) -> Value:
        return x if x.tensor.dtype is dtype else self.y(core.Cast(x, dtype=dtype))

    def matmul(self, a: Value, b: Value, *, transpose_a: bool = False, transpose_b: bool = False) -> Value:
        return self.y(core.MatMul(a, b, transpose_a=transpose_a, transpose_b=transpose_b))

    # Reductions

    def sum(self, x: Value, axes: Sequence[int], *, keepdims: bool = False) -> Value:
        return self.y(core.ReduceSum(x, axes=tuple(axes), keepdims=keepdims))

    def mean(self, x: Value, axes: Sequence[int], *, keepdims: bool = False) -> Value:
        return self.y(core.ReduceMean(x, axes=tuple(axes), keepdims=keepdims))

    def max(self, x: Value, axes: Sequence[int], *, keepdims: bool = False) -> Value:
        return self.y(core.ReduceMax(x, axes=tuple(axes), keepdims=keepdims))

    # Shapes

    def rank(self, x: Value, what: str = "an operand") -> int:
        """The rank of x.  Raises ConversionError ShapeNotStatic when it is not known."""
        return len(ranked(x, what))

    def axis(self, axis: int, rank: int) -> int:
        """An axis counted from the front.  Raises ConversionError ShapeMismatch."""
        if not -rank <= axis < max(rank, 1):
            raise ConversionError(Code.ShapeMismatch, f"axis {axis} is out of range for rank {rank}")
        return axis % max(rank, 1)

    def dim(self, x: Value, axis: int) -> Part:
        """The size of x along an axis: a number, or the run-time size."""
        shape = x.tensor.shape
        axis = self.axis_of(x, axis)
        size = None if shape is None else shape[axis]
        if isinstance(size, int):
            return size
        return self.slice_axis(self.y(core.ShapeOf(x)), 0, axis, axis + 1)

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

    def shape_of(self, x: Value) -> Value:
        """The shape of x as an int64 vector: a constant where it is static."""
        shape = static(x.tensor.shape)
        return self.y(core.ShapeOf(x)) if shape is None else self.vector(shape)

    def vector(self, parts: Sequence[Part]) -> Value:
        """An int64 vector of numbers and run-time sizes.  Raises ConversionError TensorTooLarge for numbers that it
        does not hold.
        """
        groups: list[Value] = []
        run: list[int] = []
        for part in parts:
            if isinstance(part, int):
                run.append(part)
                continue
            if run:
                groups.append(self._numbers(run))
                run = []
            groups.append(part)
        if run or not groups:
            groups.append(self._numbers(run))
        return groups[0] if len(groups) == 1 else self.y(core.Concat(groups, axis=0))

    def _numbers(self, values: Sequence[int]) -> Value:
        if any(not -(1 << 63) <= v < 1 << 63 for v in values):
            raise ConversionError(
                Code.TensorTooLarge, f"a size or place among {list(values)[:8]} is too large for 64 bits"
            )
        return self.constant(np.asarray(list(values), np.int64))

    def stack(self, parts: Sequence[Part]) -> Value:
        """An int64 vector of numbers and integer tensors of one element, of any type and rank."""
        numbers = [p for p in parts if isinstance(p, int)]
        if len(numbers) == len(parts):
            return self.vector(numbers)
        one = [
            self.vector([p]) if isinstance(p, int) else self.reshape(self.cast(p, DType.I64), self.vector([1]))
            for p in parts
        ]
        return self.concat(one, 0)

    def prod(self, parts: Sequence[Part]) -> Part:
        """The product of sizes."""
        fixed = math.prod(p for p in parts if isinstance(p, int))
        total: Part = fixed
        for part in parts:
            if isinstance(part, Value):
                total = part if isinstance(total, int) and total == 1 else self.mul(part, total)
        return total

    def reshape(self, x: Value, parts: Sequence[Part] | Value) -> Value:
        if not isinstance(parts, Value) and x.tensor.shape == tuple(parts):
            return x
        return self.y(core.Reshape(x, parts if isinstance(parts, Value) else self.vector(parts)))

    def broadcast_to(self, x: Value, parts: Sequence[Part] | Value) -> Value:
        if not isinstance(parts, Value) and x.tensor.shape == tuple(parts):
            return x
        return self.y(core.BroadcastTo(x, parts if isinstance(parts, Value) else self.vector(parts)))

    def in_room(self, x: Value, axis: int, size: Part) -> Value:
        """x in front of zeros, with which it has `size` elements along an axis."""
        sizes = self.dims(x)
        length, sizes[axis] = sizes[axis], size
        room = self.broadcast_to(self.constant(0, x.tensor.dtype), sizes)
        starts = [self.constant(0, DType.I64)] * len(sizes)
        return room if length == 0 else self.y(core.UpdateSlice(room, x, starts))

    def transpose(self, x: Value, perm: Sequence[int]) -> Value:
        return (
            x
            if x.tensor.rank in (None, len(perm)) and list(perm) == list(range(len(perm)))
            else self.y(core.Transpose(x, perm=tuple(perm)))
        )

    def expand_dims(self, x: Value, *axes: int) -> Value:
        """Dimensions of size 1 at these (non-negative) axes of the result."""
        return self.y(core.ExpandDims(x, axes=tuple(sorted(axes)))) if axes else x

    def squeeze(self, x: Value, *axes: int) -> Value:
        return self.y(core.Squeeze(x, axes=tuple(sorted(axes)))) if axes else x

    def scalar(self, x: Value) -> Value:
        """A tensor of one element as one of rank 0."""
        return x if x.tensor.shape == () else self.reshape(x, [])

    def concat(self, xs: Sequence[Value], axis: int) -> Value:
        return xs[0] if len(xs) == 1 else self.y(core.Concat(list(xs), axis=axis))

    def split(self, x: Value, sizes: Sequence[int], axis: int) -> tuple[Value, ...]:
        """Parts along an axis; of a vector of sizes each is followed on its own."""
        whole = sum(sizes)
        if x.known is not None and x.tensor.shape == (whole,) and -1 not in sizes and self.rank(x) == 1:
            ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
            return tuple(self.slice_axis(x, 0, end - size, end) for size, end in zip(sizes, ends, strict=True))
        return self.ys(core.Split(x, sizes=tuple(sizes), axis=axis))

    def gather(
        self, x: Value, indices: Value | Sequence[int] | int, axis: int = 0, *, from_start: bool = False
    ) -> Value:
        where = indices if isinstance(indices, Value) else self.constant(np.asarray(indices, np.int64))
        return self.y(core.Gather(x, where, axis=axis, from_start=from_start))

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
        return self.y(
            core.Slice(
                x, self.vector(begins), self.vector(ends), self.vector(steps), begin_mask=begin_mask, end_mask=end_mask
            )
        )

    def pad(self, x: Value, pads: Sequence[tuple[Part, Part]], fill: Value | Number = 0) -> Value:
        """x with `fill` before and after along each axis; negative amounts crop."""
        if all(p == (0, 0) for p in pads):
            return x
        flat = [p for pair in pads for p in pair]
        fixed = [p for p in flat if isinstance(p, int)]
        if len(fixed) == len(flat):
            amounts = self.constant(np.asarray(fixed, np.int64).reshape(-1, 2))
        else:
            amounts = self.reshape(self.vector(flat), [len(pads), 2])
        return self.y(core.Pad(x, amounts, self.asarray(fill, x)))

    def arange(self, limit: Part) -> Value:
        """0, 1, ... below a limit, int64."""
        if isinstance(limit, int) and limit <= 1 << 16:
            return self.vector(list(range(limit)))
        stop = self.constant(limit, DType.I64) if isinstance(limit, int) else self.reshape(limit, [])
        return self.y(core.Range(self.constant(0, DType.I64), stop, self.constant(1, DType.I64)))
