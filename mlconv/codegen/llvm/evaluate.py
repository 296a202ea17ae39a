"""Expressions of kernels: loads and elementwise functions on values that are one number or a vector of them."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.scalars import TYPES, Scalars, literal
from mlconv.codegen.llvm.text import Builder
from mlconv.dialects.kernel import Instr
from mlconv.ir.dtypes import DType


def memory_type(dtype: DType) -> str:
    """LLVM type of an element in memory: a bool takes a byte."""
    return "i8" if dtype is DType.BOOL else TYPES[dtype]


def load(b: Builder, dtype: DType, pointer: str, lanes: int) -> str:
    """Elements at a pointer, aligned to their size."""
    base = memory_type(dtype)
    wide = base if lanes == 1 else f"<{lanes} x {base}>"
    value = b.op(f"load {wide}, ptr {pointer}, align {min(dtype.itemsize, 8)}")
    if dtype is not DType.BOOL:
        return value
    zero = "0" if lanes == 1 else "zeroinitializer"
    return b.op(f"icmp ne {wide} {value}, {zero}")


def store(b: Builder, dtype: DType, value: str, pointer: str, lanes: int) -> None:
    """Write elements."""
    scalars = Scalars(b, lanes)
    if dtype is DType.BOOL:
        value = b.op(f"zext {scalars.wide('i1')} {value} to {scalars.wide('i8')}")
    b.do(f"store {scalars.wide(memory_type(dtype))} {value}, ptr {pointer}, align {min(dtype.itemsize, 8)}")


class Values:
    """Values of an expression at one place.  `uniform` ones are scalars that stand for all lanes."""

    def __init__(self, b: Builder, lanes: int) -> None:
        self.b, self.lanes = b, lanes
        self.names: list[str] = []
        self.uniform: list[bool] = []
        self.dtypes: list[DType] = []

    def add(self, name: str, dtype: DType, uniform: bool) -> None:
        self.names.append(name)
        self.dtypes.append(dtype)
        self.uniform.append(uniform)

    def vector(self, i: int) -> str:
        """Value i in all lanes."""
        if not self.uniform[i]:
            return self.names[i]
        return Scalars(self.b, self.lanes).splat(self.dtypes[i], self.names[i])

    def compute(self, instr: Instr) -> None:
        """Append a constant or a function of earlier values."""
        if instr.opcode == "const":
            self.add(literal(instr.dtype, instr.value), instr.dtype, True)
            return
        if instr.opcode == "size":
            self.add(Scalars(self.b, 1).cast(self.b.number(instr.value), DType.I64, instr.dtype), instr.dtype, True)
            return
        uniform = all(self.uniform[a] for a in instr.args)
        lanes = 1 if uniform else self.lanes
        args = [self.names[a] if uniform else self.vector(a) for a in instr.args]
        self.add(
            Scalars(self.b, lanes).apply(instr.opcode, instr.dtype, args, [self.dtypes[a] for a in instr.args]),
            instr.dtype,
            uniform,
        )

    def load(self, instr: Instr, pointer: str, stride: int) -> None:
        """Append a load; stride: elements from lane to lane, 0 or 1.  load_at goes by an index that is the same in all
        lanes.
        """
        if instr.opcode == "load_at":
            pointer = self._indexed(instr, pointer)
        uniform = stride == 0 or self.lanes == 1
        self.add(load(self.b, instr.dtype, pointer, 1 if uniform else self.lanes), instr.dtype, uniform)

    def _indexed(self, instr: Instr, pointer: str) -> str:
        """The pointer moved to index * stride; the index counts from the end when negative and is limited to the
        axis.
        """
        _, at = instr.args
        _, stride, count = instr.value
        b, one = self.b, Scalars(self.b, 1)
        index = one.cast(self.names[at], self.dtypes[at], DType.I64)
        wrapped = b.op(f"add i64 {index}, {b.number(count)}")
        negative = b.op(f"icmp slt i64 {index}, 0")
        index = b.op(f"select i1 {negative}, i64 {wrapped}, i64 {index}")
        for opcode, limit in (("maximum", 0), ("minimum", count - 1)):
            index = one.apply(opcode, DType.I64, [index, b.number(limit)], [DType.I64, DType.I64])
        return b.offset(pointer, memory_type(instr.dtype), index, stride)


def last_values(values: Values, program: Sequence[Instr], first: int = 0) -> int:
    """Position of the value that a program yields: its last one, or value `first` of an empty program."""
    return len(values.names) - 1 if program else first
