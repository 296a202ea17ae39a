"""Neutral numbers in place of what lies behind the valid part of operands, where an op would mix the two."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.dialects.hlo import HloOp, hlo_op
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Splat
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import Sizes
from mlconv.rewrite import edit

Derived = tuple["Size | None", ...]  # None: as wide as the op that asked for it says


class Masks:
    """What is put into operands.  dry: sizes alone are followed, no op is made."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.dry = False
        self._made: dict[tuple[Block | None, Value, int, object], Value] = {}

    def fill(self, op: HloOp, i: int, axis: int, size: Size, number: Value | int) -> None:
        """Give operand i a number (a scalar of its element type) behind its valid part along an axis, if there is
        one.
        """
        if self.dry or not isinstance(size, Dim):
            return
        x = op.inputs[i]
        key = (op.block, x, axis, number)
        if key not in self._made:
            other = number if isinstance(number, Value) else self.scalar(op, number, x.tensor.dtype)
            self._made[key] = self._filled(op, x, axis, size, other)
        edit.set_operand(op, i, self._made[key])

    def _filled(self, op: HloOp, x: Value, axis: int, size: Size, number: Value) -> Value:
        shape = x.tensor.static_shape()
        places = TensorType(DType.I32, shape)
        index = self.emit(op, "iota", [], places, dimensions=(axis,))
        end = self.emit(op, "broadcast", [self.sizes.value(size)], places, dimensions=())
        valid = self.emit(op, "compare", [index, end], TensorType(DType.BOOL, shape), direction="LT")
        neutral = self.emit(op, "broadcast", [number], x.tensor, dimensions=())
        y = self.emit(op, "select", [valid, x, neutral], x.tensor)
        known = list(self.sizes.of(x))
        known[axis] = shape[axis]
        self.sizes.state(y, tuple(known))
        return y

    def emit(self, op: HloOp, opcode: str, operands: Sequence[Value], type_: TensorType, **attributes: object) -> Value:
        """An HLO op in front of `op`."""
        return self._insert(
            op, hlo_op(opcode, operands, {**attributes, "op_type": op.attributes.get("op_type", "")}, [type_])
        )

    def scalar(self, op: HloOp, number: int, dtype: DType) -> Value:
        """A constant of rank 0."""
        return self._insert(op, Constant(value=Splat(number, dtype, ())))

    def _insert(self, op: HloOp, made: Op) -> Value:
        if op.block is None or op.location is None:
            raise ConversionError(Code.InternalError, f"{op.name} is in no block")
        Builder(op.block, op.location, op).emit(made)
        return made.results[0]


def made_in(block: Block) -> list[Value]:
    """Arguments and results of a block and of all regions in it."""
    return [
        *block.arguments,
        *(
            v
            for op in walk(block)
            for v in (*op.results, *(a for region in op.regions for a in region.block.arguments))
        ),
    ]


def refuse(op: HloOp, why: str) -> ConversionError:
    """The refusal of an op over a size that is not fixed."""
    what = op.attributes.get("op_type") or op.opcode
    return ConversionError(
        Code.TargetLacksOp,
        f"{what} over a size with a range: {op.opcode} {why}",
        help="pin the size with --shape NAME=D,D,...",
    )
