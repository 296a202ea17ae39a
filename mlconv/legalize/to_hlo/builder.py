"""What a legalization function works with: it emits core and HLO ops in front of the op that it replaces.

HLO broadcasts nothing by itself and has numbers for sizes: the helpers here infer result types and insert the
broadcasts.  What is emitted as core ops is legalized afterwards, also inside regions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.base import broadcast_shapes
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.dialects.hlo import hlo_op
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Splat
from mlconv.ir.core import Block, Op, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.spec import check_type
from mlconv.ir.types import TensorType, Type
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import Sizes
from mlconv.passes.bounded_sizes import advice
from mlconv.rewrite.core_builder import Emitter

O = TypeVar("O", bound=Op)  # noqa: E741
Ints = tuple[int, ...]
RUNS = 8  # a selection along an axis with more straight pieces than this is a gather


class HloBuilder(Emitter):
    """Emits at one place.  op_type: the core op that is being replaced, for metadata.  sizes: those that are known at
    run time.
    """

    __slots__ = ("op_type", "sizes")

    def __init__(self, builder: Builder, op_type: str, sizes: Sizes) -> None:
        super().__init__(builder)
        self.op_type, self.sizes = op_type, sizes

    # -- ops ---------------------------------------------------------------------------------------

    def hlo(
        self,
        opcode: str,
        operands: Sequence[Value],
        types: Sequence[Type],
        regions: Sequence[Region] = (),
        **attributes: object,
    ) -> list[Value]:
        """Insert an HLO op; returns its results.  Raises ConversionError TensorTooLarge for larger ones than any
        machine holds: ranges of sizes allow that.
        """
        for t in types:
            if isinstance(t, TensorType):
                check_type(t, self.op_type)
        return self.builder.emit(
            hlo_op(opcode, operands, {**attributes, "op_type": self.op_type}, types, regions)
        ).results

    def one(
        self, opcode: str, operands: Sequence[Value], type_: Type, regions: Sequence[Region] = (), **attributes: object
    ) -> Value:
        """Insert an HLO op with one result."""
        return self.hlo(opcode, operands, [type_], regions, **attributes)[0]

    def region(self, types: Sequence[Type], fill: Callable[[HloBuilder, list[Value]], Sequence[Value]]) -> Region:
        """A region whose block takes `types` and yields what `fill(emit, arguments)` returns."""
        block = Block(types)
        inner = HloBuilder(Builder(block, self.builder.location), self.op_type, self.sizes)
        results = fill(inner, block.arguments)
        block.insert(Yield(list(results), self.builder.location))
        return Region(block)

    # -- constants ---------------------------------------------------------------------------------

    def scalar(self, value: Array | float | bool, dtype: DType) -> Value:
        """A constant of rank 0."""
        return self.constant(Splat(value, dtype, ()))

    def full(self, shape: Sequence[int], value: Array | float | bool, dtype: DType) -> Value:
        """One number in every element."""
        return self.broadcast_to(self.scalar(value, dtype), tuple(shape))

    def full_like(self, x: Value, value: Array | float | bool) -> Value:
        """One number, of x's type and shape."""
        return self.full(dims(x), value, x.tensor.dtype)

    # -- elementwise -------------------------------------------------------------------------------

    def unary(self, opcode: str, x: Value) -> Value:
        """An op whose result has the operand's type."""
        return self.one(opcode, [x], x.tensor)

    def binary(self, opcode: str, a: Value, b: Value) -> Value:
        """An op of two operands of one element type, broadcast."""
        shape = joint(a, b)
        return self.one(
            opcode, [self.broadcast_to(a, shape), self.broadcast_to(b, shape)], TensorType(a.tensor.dtype, shape)
        )

    def compare(self, direction: str, a: Value, b: Value) -> Value:
        """EQ, NE, LT, LE, GT or GE."""
        shape = joint(a, b)
        return self.one(
            "compare",
            [self.broadcast_to(a, shape), self.broadcast_to(b, shape)],
            TensorType(DType.BOOL, shape),
            direction=direction,
        )

    def select(self, cond: Value, a: Value, b: Value) -> Value:
        """a where the condition holds, else b; all broadcast."""
        shape = joint(cond, a, b)
        return self.one(
            "select", [self.broadcast_to(v, shape) for v in (cond, a, b)], TensorType(a.tensor.dtype, shape)
        )

    def convert(self, x: Value, dtype: DType) -> Value:
        """x in another element type, by HLO's rules."""
        return x if x.tensor.dtype is dtype else self.one("convert", [x], TensorType(dtype, dims(x)))

    # -- movement ----------------------------------------------------------------------------------

    def broadcast_to(self, x: Value, shape: Sequence[int]) -> Value:
        """x repeated to `shape` by numpy's rules."""
        have, want = dims(x), tuple(shape)
        if have == want:
            return x
        lead = len(want) - len(have)
        keep = [i for i, d in enumerate(have) if d == want[lead + i]]
        core_ = self.reshape(x, [have[i] for i in keep])
        return self.one(
            "broadcast", [core_], TensorType(x.tensor.dtype, want), dimensions=tuple(lead + i for i in keep)
        )

    def spread(self, x: Value, axis: int, shape: Sequence[int]) -> Value:
        """A vector laid along one axis of `shape`."""
        return self.one("broadcast", [x], TensorType(x.tensor.dtype, tuple(shape)), dimensions=(axis,))

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        """x under another shape; a constant is relabelled."""
        if dims(x) == tuple(shape):
            return x
        constant = const_of(x)
        if constant is not None:
            return self.constant(constant.reshape(tuple(shape)))
        return self.one("reshape", [x], TensorType(x.tensor.dtype, tuple(shape)))

    def transpose(self, x: Value, perm: Sequence[int]) -> Value:
        """y.shape[i] = x.shape[perm[i]]."""
        perm = tuple(perm)
        if perm == tuple(range(len(perm))):
            return x
        shape = dims(x)
        return self.one("transpose", [x], TensorType(x.tensor.dtype, tuple(shape[p] for p in perm)), dimensions=perm)

    def slice(self, x: Value, begin: Sequence[int], end: Sequence[int], strides: Sequence[int] | None = None) -> Value:
        """x[begin:end:strides] with non-negative bounds and positive strides."""
        strides = tuple(strides or (1,) * len(begin))
        shape = tuple(max(0, -(-(e - b) // s)) for b, e, s in zip(begin, end, strides, strict=True))
        if shape == dims(x) and all(s == 1 for s in strides):
            return x
        ends = tuple(max(b, e) for b, e in zip(begin, end, strict=True))
        return self.one(
            "slice", [x], TensorType(x.tensor.dtype, shape), starts=tuple(begin), limits=ends, strides=strides
        )

    def slice_axis(self, x: Value, axis: int, begin: int, end: int, stride: int = 1) -> Value:
        """x[begin:end:stride] along one axis."""
        shape = dims(x)
        begins, ends, strides = [0] * len(shape), list(shape), [1] * len(shape)
        begins[axis], ends[axis], strides[axis] = begin, end, stride
        return self.slice(x, begins, ends, strides)

    def pad(self, x: Value, value: Value, low: Sequence[int], high: Sequence[int]) -> Value:
        """x with elements of a scalar around it; negative amounts crop."""
        if not any(low) and not any(high):
            return x
        shape = tuple(n + a + b for n, a, b in zip(dims(x), low, high, strict=True))
        config = tuple((a, b, 0) for a, b in zip(low, high, strict=True))
        return self.one("pad", [x, self.reshape(value, ())], TensorType(x.tensor.dtype, shape), padding=config)

    def concat(self, xs: Sequence[Value], axis: int) -> Value:
        """Operands joined along an axis."""
        xs = [x for x in xs if dims(x)[axis]] or [xs[0]]
        if len(xs) == 1:
            return xs[0]
        shape = list(dims(xs[0]))
        shape[axis] = sum(dims(x)[axis] for x in xs)
        return self.one("concatenate", xs, TensorType(xs[0].tensor.dtype, tuple(shape)), dimensions=(axis,))

    def reverse(self, x: Value, axes: Sequence[int]) -> Value:
        """x reversed along axes."""
        return self.one("reverse", [x], x.tensor, dimensions=tuple(axes)) if axes else x

    def iota(self, dtype: DType, shape: Sequence[int], axis: int) -> Value:
        """0, 1, ... along one axis."""
        return self.one("iota", [], TensorType(dtype, tuple(shape)), dimensions=(axis,))

    def take(self, x: Value, index: Array, axis: int) -> Value:
        """Rows of x by constant indices in [0, size): as slices, reversed slices and repeated rows where these are few,
        else as a gather.
        """
        runs = _runs([int(i) for i in index])
        if len(runs) > RUNS:
            return self.y(core.Gather(x, self.constant(np.asarray(index, np.int32), DType.I32), axis=axis))
        parts = []
        for first, step, count in runs:
            if step == 0:
                shape = list(dims(x))
                shape[axis] = count
                parts.append(self.broadcast_to(self.slice_axis(x, axis, first, first + 1), shape))
            elif step > 0:
                parts.append(self.slice_axis(x, axis, first, first + count))
            else:
                parts.append(self.reverse(self.slice_axis(x, axis, first - count + 1, first + 1), (axis,)))
        return self.concat(parts, axis)

    # -- called computations -----------------------------------------------------------------------

    def reduce(self, opcode: str, x: Value, init: Array | float | bool, axes: Sequence[int]) -> Value:
        """x combined along `axes` by a binary opcode, from a number."""
        scalar = TensorType(x.tensor.dtype, ())
        region = self.region([scalar, scalar], lambda e, a: [e.one(opcode, a, scalar)])
        shape = tuple(d for i, d in enumerate(dims(x)) if i not in axes)
        return self.one(
            "reduce",
            [x, self.scalar(init, x.tensor.dtype)],
            TensorType(x.tensor.dtype, shape),
            [region],
            dimensions=tuple(axes),
        )

    def reduce_window(
        self, opcode: str, x: Value, init: Any, window: Sequence[tuple[int, int, int, int, int, int]]
    ) -> Value:
        """Windows of x combined by a binary opcode.  window, per axis: size, stride, pad before, pad after, dilation of
        the window, of x.
        """
        scalar = TensorType(x.tensor.dtype, ())
        region = self.region([scalar, scalar], lambda e, a: [e.one(opcode, a, scalar)])
        shape = tuple(
            (n + lo + hi - ((k - 1) * d + 1)) // s + 1 for n, (k, s, lo, hi, d, _) in zip(dims(x), window, strict=True)
        )
        init_ = self.scalar(init, x.tensor.dtype)
        return self.one("reduce-window", [x, init_], TensorType(x.tensor.dtype, shape), [region], window=tuple(window))

    def scatter(self, data: Value, indices: Value, updates: Value, combine: str, **numbers: object) -> Value:
        """updates put into data; combine: a binary opcode, or empty for replacement."""
        scalar = TensorType(data.tensor.dtype, ())
        region = self.region([scalar, scalar], lambda e, a: [e.one(combine, a, scalar) if combine else a[1]])
        return self.one("scatter", [data, indices, updates], data.tensor, [region], **numbers)

    def repeat(
        self,
        count: int | Value,
        inits: Sequence[Value],
        step: Callable[[HloBuilder, Value, list[Value]], Sequence[Value]],
    ) -> list[Value]:
        """A loop over an int32 counter, up to a number or an int32 scalar: `step(emit, i, carried)` gives the next
        values.
        """
        counter = TensorType(DType.I32, ())
        types = [counter, *(v.type for v in inits)]
        cond = self.region(
            types,
            lambda e, a: [e.compare("LT", a[0], count if isinstance(count, Value) else e.scalar(count, DType.I32))],
        )
        body = self.region(types, lambda e, a: [e.binary("add", a[0], e.scalar(1, DType.I32)), *step(e, a[0], a[1:])])
        return self.hlo("while", [self.scalar(0, DType.I32), *inits], types, [cond, body])[1:]


def _runs(index: list[int]) -> list[tuple[int, int, int]]:
    """Pieces (first, step, count) with step 1, -1 or 0."""
    runs: list[tuple[int, int, int]] = []
    at = 0
    while at < len(index):
        step = index[at + 1] - index[at] if at + 1 < len(index) else 1
        step = step if step in (-1, 0, 1) else 1
        end = at + 1
        while end < len(index) and index[end] - index[end - 1] == step:
            end += 1
        runs.append((index[at], step, end - at))
        at = end
    return runs


def dims(x: Value) -> Ints:
    """The shape of x.  Raises ConversionError ShapeNotStatic when a size is not known."""
    ints = static(x.tensor.shape)
    if ints is None:
        what = f" of {x.name}" if x.name else ""
        why = f"HLO needs every size, or a range that it follows from, and the shape{what} is {x.tensor}"
        how = advice(x) or "give the shapes of inputs with --shape NAME=D,D,..."
        raise ConversionError(Code.ShapeNotStatic, why, help=how)
    return ints


def need_ints(x: Value, what: str) -> Ints:
    """Contents of an integer operand.  Raises ConversionError ShapeNotStatic when they depend on the inputs."""
    found = ints_of(x)
    if found is None:
        raise ConversionError(
            Code.ShapeNotStatic, f"{what} must be known at conversion time for HLO, and depends on the model's inputs"
        )
    return found


def refuse(why: str, help_: str = "") -> ConversionError:
    """The error for an op that HLO has no form for."""
    return ConversionError(Code.TargetLacksOp, why, help=help_)


def is_small_float(dtype: DType) -> bool:
    """Computed with in float32, as core does."""
    return dtype.is_float and dtype.bits < 32


def joint(*values: Value) -> Ints:
    """The shape to which values broadcast.  Raises ConversionError ShapeMismatch when they do not."""
    return tuple(d for d in broadcast_shapes(*map(dims, values)) or () if isinstance(d, int))
