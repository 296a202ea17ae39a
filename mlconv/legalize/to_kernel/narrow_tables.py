"""What is looked up in tables of 4 bits, which are stored two in a byte: in halves of the last axis."""

from __future__ import annotations

import numpy as np

from mlconv.dialects.kernel import Ints, View
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.recipes import Derived
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder
from mlconv.legalize.to_kernel.lookups import Lookup, Part, half_of_byte, in_parts
from mlconv.legalize.to_kernel.narrow import BYTES


def narrow_table(found: Lookup, e: KernelBuilder) -> Value | None:
    """None where the table has whole bytes, or is looked up along its last axis."""
    narrow, width = _narrow(found.table), found.table.shape[-1]
    if narrow is None or found.stride % width or found.view.strides[-1] != 1 or found.extents[-1] != width:
        return None
    half = -(-width // 2)
    table = e.constant(make_const(_halves(narrow.view())))
    view = View(0, tuple(s if s == 1 else s // width * half for s in found.view.strides))

    def part(high: bool) -> Part:
        def element(x: Expr) -> int:
            at = x.load(found.op.xs[found.at.args[0]], found.at.value)
            byte = x.load_at(table, view, at, found.stride // width * half, found.size)
            return half_of_byte(x, byte, high, found.table.dtype)

        extents: Ints = (width - half,) if high else (half,)
        return Part(extents, View(half * high, (1,)), element)

    return in_parts(found, [part(high) for high in (False, True)[: 1 + (width > 1)]], e)


def _narrow(table: Const) -> Const | None:
    """Integers of 4 bits that have become bytes."""
    if not isinstance(table, Derived) or table.recipe != "cast" or table.shape != table.inputs[0].shape:
        return None
    (narrow,) = table.inputs
    return narrow if narrow.dtype in (DType.I4, DType.U4) and BYTES[narrow.dtype] is table.dtype else None


def _halves(table: Array) -> Array:
    """The first half of the last axis in low bits, the other one in high bits, in two's complement."""
    numbers, half = table.astype(np.uint8), -(-table.shape[-1] // 2)
    high = np.zeros((*table.shape[:-1], half), np.uint8)
    high[..., : table.shape[-1] - half] = numbers[..., half:] & 15
    return (numbers[..., :half] & 15) | (high << 4)
