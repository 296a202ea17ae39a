"""Constants of integers whose numbers no kernel makes on its way: each run makes them in workspace, of integers that
are in the object as they are in the file, several of less than a byte in one.
"""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import Ints, LoopNestOp, Step, View, dense
from mlconv.ir import recipes
from mlconv.ir.constants import Const, Splat, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked
from mlconv.legalize.to_kernel.blocks import without_sign
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder
from mlconv.passes.quantized.weights import narrowest
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules

RULES = Rules()


class Packed(NamedTuple):
    """Integers of which `planes` share a byte: places of an axis from 0 on in the lowest bits, then those `rows` behind
    them.
    """

    bytes: Const
    planes: int
    axis: int
    rows: int


@RULES.rule(core.FromIntegers)
def numbers_of_constant(op: core.FromIntegers, e: KernelBuilder) -> Value | NoMatch:
    """Not of integers that are data, of more than 16 bits, or of whole bytes that do not lie in blocks."""
    stored = const_of(op.x.producer.x if isinstance(op.x.producer, core.StorageCast) else op.x)
    bits, is_blocked = op.quant.storage.bits, isinstance(op.quant.scheme, Blocked)
    if stored is None or bits > DType.I16.bits or (bits >= DType.I8.bits and not is_blocked) or not op.y.tensor.size:
        return NOT_MEANT
    if bits > DType.I8.bits:
        packed, sign = Packed(stored, 1, 0, stored.shape[0]), 0
    else:
        packed = _packed(without_sign(stored, bits), bits, op.quant.axis)
        sign = 1 << bits - 1 if op.quant.storage.is_signed_int else 0  # what makes integers unsigned
    return _Numbers(op, packed, sign, e).made()


def _packed(c: Const, bits: int, avoided: int | None) -> Packed:
    """Along the axis that is filled up least, but for that of blocks."""
    planes = DType.U8.bits // bits
    axes = [i for i in range(len(c.shape)) if i != avoided]
    axis = min(axes, key=lambda i: (-(-c.shape[i] // planes) * planes / c.shape[i], i), default=None)
    if planes == 1 or axis is None or c.shape[axis] == 1:
        return Packed(c, 1, 0, c.shape[0])
    rows = -(-c.shape[axis] // planes)
    filled = recipes.pad_zeros(c, tuple((0, rows * planes - n if i == axis else 0) for i, n in enumerate(c.shape)))
    shape = tuple(rows if i == axis else n for i, n in enumerate(c.shape))
    total: Const | None = None
    for plane in range(planes):
        begin = tuple(plane * rows if i == axis else 0 for i in range(len(shape)))
        part = recipes.slices(filled, begin, tuple(a + n for a, n in zip(begin, shape, strict=True)))
        if plane:
            part = recipes.binary("mul", part, Splat(1 << plane * bits, DType.U8, shape))
        total = part if total is None else recipes.binary("add", total, part)
    assert total is not None
    return Packed(total, planes, axis, rows)


class _Numbers:
    """Makes numbers: a step for each plane, and for what is left behind whole blocks."""

    def __init__(self, op: core.FromIntegers, packed: Packed, sign: int, e: KernelBuilder) -> None:
        self.quant, self.packed, self.type = op.quant, packed, op.y.tensor
        self.shape = op.y.tensor.static_shape()
        self.operands: list[Value] = []
        self.e, self.stored = e, e.constant(packed.bytes)
        dtype = narrowest(self.quant.scales.view())
        scales = self.quant.scales if dtype is DType.F32 else recipes.cast(self.quant.scales, dtype)
        self.scales = e.constant(scales)
        zero = self.quant.shared_zero()
        self.zero: Value | int = sign + (zero or 0)
        if zero is None:
            narrow = DType.U8 if self.quant.storage.bits <= DType.U8.bits else self.quant.storage
            self.zero = e.constant(make_const((self.quant.zero_array() + sign).astype(narrow.numpy), narrow))

    def made(self) -> Value:
        packed, steps = self.packed, list[Step]()
        for plane in range(packed.planes):
            first = plane * packed.rows
            count = min(packed.rows, self.shape[packed.axis] - first) if packed.planes > 1 else packed.rows
            steps += [self._step(plane, first, count, *part) for part in self._parts() if count > 0]
        return self.e.kernel(LoopNestOp(self.operands, tuple(steps), self.type))

    def _parts(self) -> list[tuple[int, int, int]]:
        """The first place along the axis of blocks, how many blocks, and their places."""
        scheme = self.quant.scheme
        if not isinstance(scheme, Blocked):
            return [(0, 1, 1)]
        whole, rest = divmod(self.shape[scheme.axis], scheme.size)
        found = [(0, whole, scheme.size), (whole * scheme.size, 1, rest)]
        return [part for part in found if part[1] and part[2]]

    def _step(self, plane: int, first: int, count: int, start: int, blocks: int, places: int) -> Step:
        """Of a plane, whose places along its axis begin with the first, and of blocks from a place on."""
        packed, scheme = self.packed, self.quant.scheme
        split = scheme.axis if isinstance(scheme, Blocked) else None
        sizes = tuple(count if i == packed.axis else n for i, n in enumerate(self.shape))

        def along(strides: Ints, before: int) -> View:
            """Of elements; before: places of the plane in front of the first."""
            offset = before * strides[packed.axis] + (0 if split is None else start * strides[split])
            return View(offset, _split(strides, split, size))

        size = scheme.size if isinstance(scheme, Blocked) else 1
        extents = _split(sizes, split, 1)
        if split is not None:
            extents = (*sizes[:split], blocks, places, *sizes[split + 1 :])
        x = Expr(self.operands)
        number = x.load(self.stored, along(dense(packed.bytes.shape), 0))
        if packed.planes > 1:
            bits = self.quant.storage.bits
            number = x.with_number("shr", number, plane * bits) if plane else number
            number = x.with_number("and", number, (1 << bits) - 1)
        number = x.cast(number, DType.F32)
        of_scale = self._of_scale(first, start // size, split)
        if not isinstance(self.zero, int):
            number = x.op("sub", number, x.cast(x.load(self.zero, of_scale), DType.F32))
        elif self.zero:
            number = x.with_number("sub", number, self.zero)
        number = x.op("mul", number, x.cast(x.load(self.scales, of_scale), DType.F32))
        x.cast(number, self.type.dtype)
        return Step(extents, 0, "", x.program(), (), along(dense(self.shape), first))

    def _of_scale(self, first: int, block: int, split: int | None) -> View:
        """Of scales and zero points."""
        rank, axis = len(self.shape), self.quant.axis
        if axis is None:
            return View(0, (0,) * rank)
        if split is None:
            strides = tuple(int(i == axis) for i in range(rank))
            return View(first * strides[self.packed.axis], strides)
        strides = dense(self.quant.scales.shape)
        offset = first * strides[self.packed.axis] + block * strides[split]
        return View(offset, (*strides[: split + 1], 0, *strides[split + 1 :]))


def _split(strides: Ints, axis: int | None, size: int) -> Ints:
    """Strides of an axis of blocks of a size, and of one of their places."""
    return strides if axis is None else (*strides[:axis], strides[axis] * size, *strides[axis:])
