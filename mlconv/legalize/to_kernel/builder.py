"""What a legalization function works with: expressions over views, kernel calls, and core ops that are legalized
afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import (
    DTYPES,
    WORD,
    AliasOp,
    Instr,
    Ints,
    KernelOp,
    LoopNestOp,
    Program,
    Sizes,
    Step,
    View,
    dense,
    has_function,
    known,
)
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, maximum, minimum, total
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_one_at_most, is_told
from mlconv.ir.types import TensorType
from mlconv.legalize.limits import check_table
from mlconv.rewrite.core_builder import Emitter
from mlconv.rewrite.fold import constant_array

_PIN = "pin the inputs with --shape NAME=D,D,..."
_DECIDE = f"{_PIN}; a number that sizes follow from is made a constant by --freeze NAME=VALUE"


def dims(value: Value) -> Ints:
    """The shape as integers.  Raises ConversionError TargetLacksOp for a shape that is not known at conversion time,
    TargetLacksType for an element type without code.
    """
    t = value.tensor
    if not t.is_static:
        raise ConversionError(
            Code.TargetLacksOp, f"native code for this needs sizes that are fixed, {t} has others", help=_PIN
        )
    return known(sizes(value))


def sizes(value: Value) -> Sizes:
    """The shape, in integers and in dimensions that are known at run time.

    Raises ConversionError: TargetLacksOp when the rank is unknown, or a size is not told by those of the inputs;
    TargetLacksType for an element type without code.
    """
    t = value.tensor
    if t.shape is None or not is_told(t.shape):
        from mlconv.passes.bounded_sizes import advice

        raise ConversionError(
            Code.TargetLacksOp,
            f"native code needs sizes that those of the inputs tell, {t} has others",
            help=advice(value) or _DECIDE,
        )
    if t.dtype not in DTYPES:
        raise ConversionError(Code.TargetLacksType, f"no native code for elements of type {t.dtype.display} yet")
    return t.shape


def number(size: Size, what: str) -> int:
    """A size that must be fixed.  Raises ConversionError TargetLacksOp for one that is known at run time only."""
    if not isinstance(size, int):
        raise ConversionError(
            Code.TargetLacksOp, f"native code for this needs {what} to be fixed, it is {size}", help=_PIN
        )
    return size


def refuse(reason: str) -> ConversionError:
    """The error of an op, or of a form of it, without a kernel."""
    return ConversionError(Code.TargetLacksOp, f"no native code for it yet: {reason}")


def unsupported(what: str, dtype: DType) -> ConversionError:
    """The error of an op that has no meaning, or no code, for an element type."""
    return ConversionError(Code.TargetLacksType, f"no native code for {what} of {dtype.display}")


def fixed(value: Value, what: str) -> Array:
    """Contents of a parameter that must be known.  Raises ConversionError TargetLacksOp when it is computed at run
    time.
    """
    array = constant_array(value)
    if array is None:
        raise refuse(f"{what} is computed at run time")
    return array


def broadcast(shape: Sizes, target: Sizes) -> View:
    """View of a dense tensor over the axes of a shape that it broadcasts to.  Whether it does is a condition of the op
    (`conditions`).
    """
    more = len(target) - len(shape)
    return View(
        0,
        tuple(
            _spread(d, t, s) for d, t, s in zip((1,) * more + shape, target, (0,) * more + dense(shape), strict=True)
        ),
    )


def _spread(size: Size, target: Size, stride: Size) -> Size:
    """The stride along an axis: 0 where the size is 1, which may be known at run time only."""
    if size == 1 or (not isinstance(size, int) and is_one_at_most(size)):
        return 0
    if isinstance(size, int) and isinstance(target, int) and size != target:
        raise ConversionError(Code.ShapeMismatch, f"a size of {size} does not broadcast to {target}")
    return stride if isinstance(size, int) or size == target else stride * minimum(size - 1, 1)


class Expr:
    """A program under construction.  operands: shared by the programs of a kernel; a value is listed once."""

    def __init__(self, operands: list[Value], code: Sequence[Instr] = ()) -> None:
        self.operands, self.code = operands, list(code)

    @staticmethod
    def after(operands: list[Value], dtype: DType) -> Expr:
        """The expression behind a reduction: value 0 is what was combined; its program starts with a mark that is cut
        off.
        """
        return Expr(operands, [Instr("combined", dtype)])

    def add(self, instr: Instr) -> int:
        self.code.append(instr)
        return len(self.code) - 1

    def operand(self, value: Value) -> int:
        if value not in self.operands:
            self.operands.append(value)
        return self.operands.index(value)

    def load(self, value: Value, view: View) -> int:
        """A value's elements; one that is a constant number is no load."""
        producer = value.producer
        if isinstance(producer, core.Constant) and value.tensor.size == 1:
            return self.const(value.tensor.dtype, producer.value.view().reshape(-1)[0].item())
        return self.add(Instr("load", value.tensor.dtype, (self.operand(value),), view))

    def load_at(self, value: Value, view: View, index: int, stride: Size, count: Size) -> int:
        return self.add(Instr("load_at", value.tensor.dtype, (self.operand(value), index), (view, stride, count)))

    def const(self, dtype: DType, number: float) -> int:
        return self.add(Instr("const", dtype, (), number))

    def size(self, dtype: DType, size: Size) -> int:
        """A size as a number."""
        return self.const(dtype, size) if isinstance(size, int) else self.add(Instr("size", dtype, (), size))

    def op(self, opcode: str, *args: int, dtype: DType | None = None) -> int:
        """A function of values; its type is the first argument's unless given.  Raises ConversionError TargetLacksType
        when there is no code for it.
        """
        for i in args:
            if not has_function(opcode, self.code[i].dtype):
                raise unsupported(opcode, self.code[i].dtype)
        return self.add(Instr(opcode, dtype or self.code[args[0]].dtype, args))

    def with_number(self, opcode: str, x: int, number: float) -> int:
        """opcode(x, number)."""
        return self.op(opcode, x, self.const(self.code[x].dtype, number))

    def cast(self, x: int, dtype: DType) -> int:
        return x if self.code[x].dtype is dtype else self.op("cast", x, dtype=dtype)

    def program(self) -> Program:
        return tuple(self.code)


class SharedWeights(NamedTuple):
    """Constants that several products of integers read.  zeros: products add up sums of the weights times their zero
    points; scales: they make their factors of those of the weights.
    """

    zeros: AbstractSet[Value] = frozenset()
    scales: AbstractSet[Value] = frozenset()


class Forms(NamedTuple):
    """What kernels are made for.  winograd: convolutions may be done by Winograd's algorithm.  unsigned: bytes are
    multiplied without a sign, as the machine's instructions take them.  small: tables of 16 bits lie in parts, or are
    formulas.  places: of weights of 8 bits that are multiplied at once.  pairs: bytes may be multiplied two by two.
    caches: there are caches, so that it matters where lines of them lie.  shared: weights whose products share what
    scales and zero points make of them.
    """

    winograd: bool = True
    unsigned: bool = False
    small: bool = False
    places: int = WORD
    pairs: bool = False
    caches: bool = False
    shared: SharedWeights = SharedWeights()


PLAIN = Forms()


class KernelBuilder(Emitter):
    """Emits at one place."""

    __slots__ = ("forms",)

    def __init__(self, builder: Builder, forms: Forms = PLAIN) -> None:
        super().__init__(builder)
        self.forms = forms

    def kernel(self, op: KernelOp) -> Value:
        return self.builder.emit(op).result

    def alias(self, x: Value, type_: TensorType) -> Value:
        """The same buffer under another shape."""
        return self.kernel(AliasOp([x], None, type_))

    def reshape(self, x: Value, shape: Sizes) -> Value:
        return self.alias(x, x.tensor.with_shape(shape))

    def transpose(self, x: Value, perm: Ints) -> Value:
        return x if perm == tuple(range(len(perm))) else self.y(core.Transpose(x, perm=perm))

    def turned(self, x: Value) -> Value:
        """Matrices on the last two axes, transposed; constants ahead of the run."""
        rank, known = len(sizes(x)), const_of(x)
        axes = (*range(rank - 2), rank - 1, rank - 2)
        if known is None or x.tensor.quant is not None:
            return self.transpose(x, axes)
        return self.constant(recipes.transpose(known, axes))

    def map(self, type_: TensorType, build: Callable[[Expr], int], extents: Sizes | None = None) -> Value:
        """One value for each point of `extents` (the result's shape, or its elements in the same order)."""
        operands: list[Value] = []
        expr = Expr(operands)
        last = build(expr)
        code = expr.program()
        if last != len(code) - 1:
            raise ConversionError(Code.InternalError, f"an expression yields value {last} of {len(code)}")
        shape = (type_.shape or ()) if extents is None else extents
        return self.kernel(LoopNestOp(operands, (Step(shape, 0, "", code, (), View(0, dense(shape))),), type_))

    def copy(self, x: Value, type_: TensorType, view: View, extents: Sizes | None = None) -> Value:
        """x's elements by a view."""
        return self.map(type_, lambda e: e.load(x, view), extents)

    def nothing(self, t: TensorType) -> Value:
        """A tensor without elements, of which some sizes may be known at run time only."""
        if t.is_static:
            return self.constant(np.zeros(t.static_shape(), t.dtype.numpy))
        return self.map(t, lambda e: e.const(t.dtype, 0))

    def counted(self, count: Size, dtype: DType, axis: int = 0, rank: int = 1) -> Value:
        """0, 1, ... along an axis, with one place of the others: a table, or counted where their number is known at run
        time.
        """
        shape = tuple(count if i == axis else 1 for i in range(rank))
        if isinstance(count, int):
            check_table((count,), "the list of numbers")
            return self.constant(np.arange(count).astype(dtype.numpy).reshape(known(shape)))
        ones = self.map(TensorType(dtype, shape), lambda x: x.const(dtype, 1))
        return self.y(core.CumSum(ones, axis=axis, exclusive=True))

    def padded(self, x: Value, amounts: Sequence[tuple[Size, Size]], fill: float, spread: Ints | None = None) -> Value:
        """x with `fill` around it; negative amounts crop.  spread: places x's elements that far apart on each axis."""
        shape = sizes(x)
        spread = spread or (1,) * len(shape)
        wide = tuple((d - 1) * s + 1 for d, s in zip(shape, spread, strict=True))
        if all(a == (0, 0) for a in amounts) and wide == shape:
            return x
        out = tuple(d + lo + hi for d, (lo, hi) in zip(wide, amounts, strict=True))
        type_ = x.tensor.with_shape(out)
        strides, operands = dense(out), list[Value]()
        steps = [
            Step(e, 0, "", (Instr("const", type_.dtype, (), fill),), (), View(o, strides))
            for e, o in _borders(out, amounts, spread, wide == shape)
        ]
        begin = tuple(
            -(minimum(lo, 0) // s) for (lo, _), s in zip(amounts, spread, strict=True)
        )  # first element that is kept
        last = tuple(_last(d, n, pair, s) for d, n, pair, s in zip(shape, out, amounts, spread, strict=True))
        extents = tuple(_kept(a, b, pair) for a, b, pair in zip(begin, last, amounts, strict=True))
        if all(not isinstance(e, int) or e > 0 for e in extents):
            source = View(total(a * s for a, s in zip(begin, dense(shape), strict=True)), dense(shape))
            start = total((lo + a * s) * k for (lo, _), a, s, k in zip(amounts, begin, spread, strides, strict=True))
            target = View(start, tuple(s * k for s, k in zip(spread, strides, strict=True)))
            steps.append(Step(extents, 0, "", (Instr("load", type_.dtype, (0,), source),), (), target))
            operands.append(x)
        return self.kernel(LoopNestOp(operands, tuple(steps), type_))


def _last(size: Size, out: Size, amounts: tuple[Size, Size], spread: int) -> Size:
    """Behind the last element that is kept along an axis."""
    low, high = amounts
    if isinstance(size, int) and isinstance(out, int) and isinstance(low, int):
        return min(size, (out - 1 - low) // spread + 1)
    return size + minimum(high, 0) // spread


def _kept(begin: Size, last: Size, amounts: tuple[Size, Size]) -> Size:
    """Elements along an axis: none where one end is cropped by more than there is, and the other filled up."""
    low, high = amounts
    mixed = isinstance(low, int) and isinstance(high, int) and min(low, high) < 0 < max(low, high)
    return maximum(last - begin, 0) if mixed else last - begin


def _borders(out: Sizes, amounts: Sequence[tuple[Size, Size]], spread: Ints, close: bool) -> list[tuple[Sizes, Size]]:
    """(extents, offset) of the boxes to fill, no two of which share an element: slabs at both ends of each axis, or
    everything when the elements lie apart.
    """
    if not close:
        return [(out, 0)]
    strides, inner = dense(out), list(out)  # inner: what earlier axes leave
    boxes: list[tuple[Sizes, Size]] = []
    origin: Size = 0
    for axis, (lo, hi) in enumerate(amounts):
        low, end, left = _ends(out[axis], maximum(lo, 0), maximum(hi, 0))
        for size, start in ((low, 0), end):
            if not isinstance(size, int) or size > 0:
                boxes.append(((*inner[:axis], size, *inner[axis + 1 :]), origin + start * strides[axis]))
        inner[axis] = left
        origin = origin + low * strides[axis]
    return [box for box in boxes if all(s != 0 for s in box[0])]


def _ends(whole: Size, low: Size, high: Size) -> tuple[Size, tuple[Size, Size], Size]:
    """Of an axis: how much is filled in front; how much behind, and from where on; what is between."""
    if isinstance(whole, int) and isinstance(low, int) and isinstance(high, int):
        low, high = min(low, whole), min(high, whole)
        return low, (min(high, whole - low), max(whole - high, low)), max(0, whole - low - high)
    return low, (high, whole - high), whole - low - high
