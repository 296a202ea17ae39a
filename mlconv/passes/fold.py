"""Constant folding: pure ops over constants are computed, within a limit on growth; cheap changes to large constants
are written down as recipes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import ReadsContents
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.fold_together import computed_together
from mlconv.passes.quantized.weights import MOVING, in_float32, is_product_of_stored, is_widened, moved, moved_weights
from mlconv.provenance.locations import Location
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.convert import diagnose
from mlconv.rewrite.fold import fold, from_known, is_foldable
from mlconv.rewrite.refine import refine_users, tells_more


@dataclass(frozen=True, eq=False, repr=False)
class Fold(Pass):
    """Replace ops over constants by constants.  limit: a folding may add at most so many bytes to the model.  stored:
    weights that are stored in fewer bits than they have as numbers stay so; products: those of integers that products
    of floats read, and tables that are looked up, alone; halves: those of 16 bits are numbers.
    """

    name: ClassVar[str] = "fold"
    limit: int = 1 << 20
    stored: bool = False
    products: bool = False
    halves: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        count = self.fold_block(function.block)
        context.count("fold", count)

    def fold_block(self, block: Block) -> int:
        """Of a block and its regions; how many ops became constants."""
        count = 0
        for op in block.ops:
            for region in op.regions:
                count += self.fold_block(region.block)
            if isinstance(op, OpDef) and not isinstance(op, core.Constant) and op.location is not None:
                if self._stays(op):
                    continue
                try:
                    constants = self._fold(op)
                except ConversionError as error:  # constants of the file that the op does not take
                    error.diagnostic = diagnose(op, error)
                    raise
                if constants is not None:
                    replace_by_constants(op, op.location, constants)
                    count += 1
        for op, constants in computed_together(block, self._keeps, self.limit):
            if op.location is not None:
                replace_by_constants(op, op.location, constants)
                count += 1
        return count

    def _stays(self, op: OpDef) -> bool:
        if self.products and _widened_as_stored(op, self._keeps):
            return True
        return self._keeps(op) or (self.stored and _moved_as_stored(op, self._keeps))

    def _keeps(self, op: Op | None) -> bool:
        if not self.stored:
            return False
        return (_is_multiplied if self.products else _is_stored_integers if self.halves else is_stored)(op)

    def _fold(self, op: OpDef) -> list[Const] | None:
        if ReadsContents in op.spec.traits and any(isinstance(v.producer, core.Constant) for v in op.inputs):
            op.inferred()
        known = from_known(op)
        if known is not None:
            return [known]
        values = [const_of(v) for v in op.operands]
        if any(c is None for c, v in zip(values, op.operands, strict=True) if v is not None):
            return None
        if not op.inputs or not is_foldable(op, 1 << 62):
            return None
        recipe = _as_recipe(op, values)
        if recipe is not None:
            return [recipe]
        sizes = static(v.tensor.size for v in op.results)
        if sizes is None:
            return fold(op, values) if self._small(values) else None
        grown = sum(n * v.tensor.dtype.itemsize for n, v in zip(sizes, op.results, strict=True))
        shrunk = sum(
            c.nbytes
            for c, v in zip(values, op.operands, strict=True)
            if c is not None and v is not None and v.has_one_use
        )
        if grown - shrunk > self.limit:
            return None
        repeated = values[0] if isinstance(op, core.BroadcastTo) else None
        shape = static(op.results[0].tensor.shape)
        if repeated is not None and repeated.size == 1 and shape is not None:
            return [Splat(repeated.view().reshape(()), repeated.dtype, shape)]
        return fold(op, values)

    def _small(self, values: list[Const | None]) -> bool:
        return sum(c.nbytes for c in values if c is not None) <= self.limit


_LEAST_STORED = 1 << 8
"""Bytes of a constant that stays as it is stored; smaller ones, and vectors, are numbers, which other foldings need."""


def is_stored(op: Op | None) -> bool:
    """Makes numbers of a constant that is stored in fewer bits: integers of a quantization, or floats of 16 bits."""
    narrow = isinstance(op, core.Cast) and op.x.tensor.dtype.is_half and op.dtype is DType.F32
    if not isinstance(op, (core.Dequantize, core.Cast)) or not (narrow or isinstance(op, core.Dequantize)):
        return False
    value = const_of(op.x)
    if value is None or len(value.shape) < 2:
        return False
    return value.nbytes >= _LEAST_STORED or _is_factor(op.results[0])


def _is_stored_integers(op: Op | None) -> bool:
    return isinstance(op, core.Dequantize) and is_stored(op)


def _is_factor(numbers: Value) -> bool:
    """Integers are multiplied with it: ONNX Runtime quantizes weights of such a product that are floats by itself, with
    one scale for all (WeightBiasQuantization).
    """
    for user in numbers.users:
        if isinstance(user, MOVING) and _is_factor(user.results[0]):
            return True
        x = user.operands[0] if isinstance(user, (core.Conv, core.ConvTranspose, core.MatMul)) else None
        border = None if x is None or x is numbers else _moved_from(x)
        if isinstance(border, core.Dequantize) and const_of(border.x) is None:
            return True
    return False


def _moved_from(value: Value) -> Op | None:
    """What makes a value, but for moving it: ONNX Runtime takes transpositions to the other side of a border."""
    maker = value.producer
    while isinstance(maker, MOVING):
        maker = maker.inputs[0].producer
    return maker


def _is_multiplied(op: Op | None) -> bool:
    """Makes numbers of integers that products of floats take as they are, or of tables that are looked up."""
    if not isinstance(op, core.Dequantize):
        return False
    from mlconv.passes.quantized.lookups import is_looked_up

    return is_product_of_stored(op) or is_looked_up(op)


def _moved_as_stored(op: OpDef, keeps: Callable[[Op | None], bool]) -> bool:
    """Weights that are moved become numbers behind that, where their scales can follow."""
    maker = op.inputs[0].producer if isinstance(op, MOVING) else None
    if not keeps(maker):
        return False
    rewriter = Rewriter(op)
    numbers = moved_weights(op, rewriter)
    if numbers is None:
        return False
    rewriter.replace(op, numbers)
    return True


def _widened_as_stored(op: OpDef, keeps: Callable[[Op | None], bool]) -> bool:
    """Halves of weights that are widened for products are float32 from the start, as `reduce-float16` has it."""
    halves = op.inputs[0].producer if is_widened(op) else None
    if not isinstance(halves, core.Dequantize) or not keeps(halves):
        return False
    rewriter = Rewriter(op)
    rewriter.replace(op, rewriter.emit(core.Dequantize(in_float32(halves.x, rewriter))).y)
    return True


def replace_by_constants(op: Op, location: Location, constants: list[Const]) -> None:
    """Put constants in the place of an op, whose users learn what they tell."""
    if op.block is None:
        return
    builder = Builder(op.block, location, before=op)
    made = []
    for old, value in zip(op.results, constants, strict=True):
        made.append(builder.emit(core.Constant(value=value, element=quant_of(old))).y)
    sharper = [new for old, new in zip(op.results, made, strict=True) if tells_more(new, old)]
    edit.replace(op, made)
    refine_users(sharper)


def _as_recipe(op: OpDef, values: list[Const | None]) -> Const | None:
    """Changes that need not be computed now."""
    c = values[0] if values else None
    if isinstance(op, core.StorageCast):
        return c
    if c is None or c.nbytes < 1 << 12:
        return None
    if isinstance(op, core.Cast) and op.dtype.is_float and c.dtype.is_float:
        return recipes.cast(c, op.dtype)
    if isinstance(op, core.Requantize):
        from mlconv.passes.quantized.borders import shifted

        if shifted(op.y) is not None:
            return recipes.signed(c) if c.dtype is DType.U8 else recipes.unsigned(c)
    return moved(op, c)
