"""Expressions of kernels: loads and elementwise functions on values that are one number or a vector of them."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.interleaving import apart, starts
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.tables import ENTRIES, picked
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, integers, memory_type, misfit, zero
from mlconv.dialects.kernel import Instr
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType

_INT32 = (1 << 31) - 1


def load(b: Builder, dtype: DType, pointer: Value, lanes: int = 1) -> Value:
    """Elements at a pointer, aligned to their size."""
    t = memory_type(dtype).of_lanes(lanes)
    value = b.load(t, pointer, t.align)
    return b.icmp("ne", value, zero(t)) if dtype is DType.BOOL else value


def store(b: Builder, dtype: DType, value: Value, pointer: Value) -> None:
    """Write elements."""
    t = memory_type(dtype).of_lanes(value.type.lanes)
    if dtype is DType.BOOL:
        value = b.convert("zext", value, t)
    if value.type is not t:
        raise misfit("store", value, t)
    b.store(value, pointer, t.align)


class Values:
    """Values of an expression at one place.  `uniform` ones are scalars that stand for all lanes."""

    def __init__(self, b: Builder, lanes: int) -> None:
        self.b, self.lanes = b, lanes
        self.values: list[Value] = []
        self.uniform: list[bool] = []
        self.dtypes: list[DType] = []

    def add(self, value: Value, dtype: DType, uniform: bool) -> None:
        self.values.append(value)
        self.dtypes.append(dtype)
        self.uniform.append(uniform)

    def vector(self, i: int) -> Value:
        """Value i in all lanes."""
        if not self.uniform[i]:
            return self.values[i]
        return self.b.splat(self.values[i], self.lanes)

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
        args = [self.values[a] if uniform else self.vector(a) for a in instr.args]
        self.add(
            Scalars(self.b, lanes).apply(instr.opcode, instr.dtype, args, [self.dtypes[a] for a in instr.args]),
            instr.dtype,
            uniform,
        )

    def load(self, instr: Instr, pointer: Value, stride: Size) -> None:
        """Append a load; stride: elements from lane to lane, 0 to 4.  load_at goes by an index that is the same in all
        lanes, picks bytes of a table or gathers elements.
        """
        if instr.opcode == "load_at":
            at = instr.args[1]
            if not self.uniform[at] and self.lanes > 1:
                tabled = instr.dtype.itemsize == 1
                found = picked(self.b, pointer, self.values[at]) if tabled else self._gathered(instr, pointer, stride)
                self.add(found, instr.dtype, False)
                return
            pointer = self.indexed(instr, pointer)
        self.read(instr, pointer, stride)

    def read(self, instr: Instr, pointer: Value, stride: Size) -> None:
        """Append what stands at a pointer; stride: as of `load`."""
        uniform = stride == 0 or self.lanes == 1
        if not uniform and isinstance(stride, int) and stride > 1:
            places = [self.b.moved(pointer, memory_type(instr.dtype), at) for at in starts(self.lanes, stride)]
            parts = [load(self.b, instr.dtype, place, self.lanes) for place in places]
            self.add(apart(self.b, parts), instr.dtype, False)
            return
        self.add(load(self.b, instr.dtype, pointer, 1 if uniform else self.lanes), instr.dtype, uniform)

    def _gathered(self, instr: Instr, pointer: Value, apart: Size) -> Value:
        """Elements by an index of each lane, limited as that of one; apart: from one lane to the next."""
        b, at, (_, stride, count) = self.b, instr.args[1], instr.value
        reach = stride * (count - 1) + apart * self.lanes
        near = isinstance(reach, int) and reach <= _INT32 and self.dtypes[at].bits <= DType.I32.bits
        dtype = DType.I32 if near and self.dtypes[at] is not DType.U32 else DType.I64
        ops = Scalars(b, self.lanes)

        def everywhere(size: Size) -> Value:
            value = (
                literal(dtype, size) if isinstance(size, int) else Scalars(b, 1).cast(b.number(size), DType.I64, dtype)
            )
            return b.splat(value, self.lanes)

        place = ops.cast(self.values[at], self.dtypes[at], dtype)
        negative = b.icmp("slt", place, everywhere(0))
        place = b.select(negative, b.add(place, everywhere(count)), place)
        for opcode, limit in (("maximum", 0), ("minimum", count - 1)):
            place = ops.apply(opcode, dtype, [place, everywhere(limit)], [dtype, dtype])
        if stride != 1:
            place = b.mul(place, everywhere(stride))
        if isinstance(apart, int) and apart:
            place = b.add(place, integers(place.type, [apart * i for i in range(self.lanes)]))
        return b.gather(pointer, memory_type(instr.dtype), place)

    def indexed(self, instr: Instr, pointer: Value) -> Value:
        """The pointer moved to index * stride; the index counts from the end when negative and is limited to the
        axis.
        """
        _, at = instr.args
        _, stride, count = instr.value
        b, one = self.b, Scalars(self.b, 1)
        place = one.cast(self.values[at], self.dtypes[at], DType.I64)
        if self.dtypes[at] is DType.U8 and count == ENTRIES:
            return b.offset(pointer, memory_type(instr.dtype), place, stride)  # there is no other byte
        wrapped = b.add(place, b.number(count))
        negative = b.icmp("slt", place, index(0))
        place = b.select(negative, wrapped, place)
        for opcode, limit in (("maximum", 0), ("minimum", count - 1)):
            place = one.apply(opcode, DType.I64, [place, b.number(limit)], [DType.I64, DType.I64])
        return b.offset(pointer, memory_type(instr.dtype), place, stride)


def last_values(values: Values, program: Sequence[Instr], first: int = 0) -> int:
    """Position of the value that a program yields: its last one, or value `first` of an empty program."""
    return len(values.values) - 1 if program else first
