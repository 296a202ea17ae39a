"""What a legalization function works with: expressions over views, kernel calls, and core ops that are legalized afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.kernel import DTYPES, Instr, Ints, KernelOp, Program, Step, View, dense, has_function, loops
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.rewrite.fold import constant_array


def dims(value: Value) -> Ints:
    """The shape as integers.  Raises ConversionError MLC0401 for a shape that is not known at conversion time, MLC0402 for an element type without code."""
    t = value.tensor
    if not t.is_static:
        raise ConversionError(Code.MLC0401, f"native code is made for static shapes so far, {t} is not", help="pin the inputs with --shape NAME=D,D,...")
    if t.dtype not in DTYPES:
        raise ConversionError(Code.MLC0402, f"no native code for elements of type {t.dtype.display} yet")
    return t.static_shape()


def refuse(reason: str) -> ConversionError:
    """The error of an op, or of a form of it, without a kernel."""
    return ConversionError(Code.MLC0401, f"no native code for it yet: {reason}")


def unsupported(what: str, dtype: DType) -> ConversionError:
    """The error of an op that has no meaning, or no code, for an element type."""
    return ConversionError(Code.MLC0402, f"no native code for {what} of {dtype.display}")


def fixed(value: Value, what: str) -> Array:
    """Contents of a parameter that must be known.  Raises ConversionError MLC0401 when it is computed at run time."""
    array = constant_array(value)
    if array is None:
        raise refuse(f"{what} is computed at run time")
    return array


def broadcast(shape: Ints, target: Ints) -> View:
    """View of a dense tensor over the axes of a shape that it broadcasts to."""
    strides = dense(shape)
    padded = (1,) * (len(target) - len(shape)) + shape
    return View(0, tuple(0 if d == 1 else s for d, s in zip(padded, (0,) * (len(target) - len(shape)) + strides, strict=True)))


class Expr:
    """A program under construction.  operands: shared by the programs of a kernel; a value is listed once."""

    def __init__(self, operands: list[Value], code: Sequence[Instr] = ()) -> None:
        self.operands, self.code = operands, list(code)

    @staticmethod
    def after(operands: list[Value], dtype: DType) -> Expr:
        """The expression behind a reduction: value 0 is what was combined; its program starts with a mark that is cut off."""
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

    def load_at(self, value: Value, view: View, index: int, stride: int, count: int) -> int:
        return self.add(Instr("load_at", value.tensor.dtype, (self.operand(value), index), (view, stride, count)))

    def const(self, dtype: DType, number: float) -> int:
        return self.add(Instr("const", dtype, (), number))

    def op(self, opcode: str, *args: int, dtype: DType | None = None) -> int:
        """A function of values; its type is the first argument's unless given.  Raises ConversionError MLC0402 when there is no code for it."""
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


class Emit:
    """Emits at one place."""

    __slots__ = ("builder",)

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def y(self, op: OpDef) -> Value:
        """Insert a core op with one result; it is legalized afterwards."""
        return self.builder.emit(op).result

    def constant(self, value: Const | Array) -> Value:
        return self.y(core.Constant(value=value if isinstance(value, Const) else make_const(value)))

    def ints(self, numbers: Sequence[int]) -> Value:
        return self.constant(np.asarray(numbers, np.int64))

    def kernel(self, op: KernelOp) -> Value:
        return self.builder.emit(op).result

    def alias(self, x: Value, type_: TensorType) -> Value:
        """The same buffer under another shape."""
        return self.kernel(KernelOp("kernel.alias", [x], {}, type_))

    def reshaped(self, x: Value, shape: Ints) -> Value:
        return self.alias(x, x.tensor.with_shape(shape))

    def transposed(self, x: Value, perm: Ints) -> Value:
        return x if perm == tuple(range(len(perm))) else self.y(core.Transpose(x, perm=perm))

    def map(self, type_: TensorType, build: Callable[[Expr], int], extents: Ints | None = None) -> Value:
        """One value for each point of `extents` (the result's shape, or its elements in the same order)."""
        operands: list[Value] = []
        expr = Expr(operands)
        last = build(expr)
        code = expr.program()
        if last != len(code) - 1:
            raise ConversionError(Code.MLC0901, f"an expression yields value {last} of {len(code)}")
        shape = type_.static_shape() if extents is None else extents
        return self.kernel(loops(operands, [Step(shape, 0, "", code, (), View(0, dense(shape)))], type_))

    def copy(self, x: Value, type_: TensorType, view: View, extents: Ints | None = None) -> Value:
        """x's elements by a view."""
        return self.map(type_, lambda e: e.load(x, view), extents)

    def padded(self, x: Value, amounts: Sequence[tuple[int, int]], fill: float, spread: Ints | None = None) -> Value:
        """x with `fill` around it; negative amounts crop.  spread: places x's cells that far apart on each axis."""
        shape = dims(x)
        spread = spread or (1,) * len(shape)
        wide = tuple((d - 1) * s + 1 for d, s in zip(shape, spread, strict=True))
        if all(a == (0, 0) for a in amounts) and wide == shape:
            return x
        out = tuple(d + lo + hi for d, (lo, hi) in zip(wide, amounts, strict=True))
        type_ = x.tensor.with_shape(out)
        strides, operands = dense(out), [x]
        steps = [Step(e, 0, "", (Instr("const", type_.dtype, (), fill),), (), View(o, strides)) for e, o in _borders(out, amounts, spread, wide == shape)]
        begin = tuple(-(min(lo, 0) // s) for (lo, _), s in zip(amounts, spread, strict=True))  # first cell that is kept
        last = tuple(min(d, (n - 1 - lo) // s + 1) for d, n, (lo, _), s in zip(shape, out, amounts, spread, strict=True))
        extents = tuple(b - a for a, b in zip(begin, last, strict=True))
        if all(e > 0 for e in extents):
            source = View(sum(a * s for a, s in zip(begin, dense(shape), strict=True)), dense(shape))
            start = sum((lo + a * s) * k for (lo, _), a, s, k in zip(amounts, begin, spread, strides, strict=True))
            target = View(start, tuple(s * k for s, k in zip(spread, strides, strict=True)))
            steps.append(Step(extents, 0, "", (Instr("load", type_.dtype, (0,), source),), (), target))
        return self.kernel(loops(operands, steps, type_))


def _borders(out: Ints, amounts: Sequence[tuple[int, int]], spread: Ints, close: bool) -> list[tuple[Ints, int]]:
    """(extents, offset) of the boxes to fill, no two of which share a cell: slabs at both ends of each axis, or everything when the cells lie apart."""
    if not close:
        return [(out, 0)]
    strides, boxes = dense(out), []
    inner, origin = list(out), 0  # what earlier axes leave
    for axis, (lo, hi) in enumerate(amounts):
        low, high = (min(max(n, 0), out[axis]) for n in (lo, hi))
        for size, start in ((low, 0), (min(high, out[axis] - low), max(out[axis] - high, low))):
            if size > 0:
                boxes.append(((*inner[:axis], size, *inner[axis + 1 :]), origin + start * strides[axis]))
        inner[axis] = max(0, out[axis] - low - high)
        origin += low * strides[axis]
    return [box for box in boxes if all(box[0])]
