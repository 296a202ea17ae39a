"""float16 computed in float32, as runtimes do that have no arithmetic of float16.

What one op makes and the next one takes is not rounded in between, as ONNX Runtime's CPU provider has it
(onnxruntime/core/optimizer/insert_cast_transformer.cc: casts that it put in cancel one another).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Final

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.core import Block, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant_rules import has_quantized
from mlconv.ir.spec import OpDef
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.quantized.weights import in_float32
from mlconv.rewrite import Rewriter, remake

_STORED: Final = (core.Constant, core.Bitcast, core.Quantize)


@dataclass(frozen=True, eq=False, repr=False)
class ReduceFloat16(Pass):
    """Ops that compute with float16 are computed in float32, and what moves their results moves float32.  bfloat16: and
    those that compute with bfloat16.

    Inputs, outputs, constants, the source's own casts to float16, and what loops and branches hand on are rounded; what
    integers stand for is not.
    What only moves numbers that are float16 anyway keeps them.
    """

    name: ClassVar[str] = "reduce-float16"
    bfloat16: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        narrow = (DType.F16, DType.BF16) if self.bfloat16 else (DType.F16,)
        context.count(self.name, _in_block(function.block, {}, narrow))


def _in_block(block: Block, wide: dict[Value, Value], narrow: Collection[DType]) -> int:
    """wide: numbers of float32 by what is them, rounded to 16 bits."""
    done = 0
    for op in list(block.ops):
        if isinstance(op, OpDef) and _is_to_change(op, wide, narrow):
            _change(op, wide, narrow)
            done += 1
        for region in op.regions:
            done += _in_block(region.block, wide, narrow)
    return done


def _is_to_change(op: OpDef, wide: dict[Value, Value], narrow: Collection[DType]) -> bool:
    if isinstance(op, core.Dequantize):
        return op.y.tensor.dtype in narrow and isinstance(op.x.producer, (core.Constant, core.StorageCast))
    halves = [v for v in op.operands if v is not None and v.tensor.dtype in narrow]
    if not halves or op.regions or not op.results or isinstance(op, _STORED) or has_quantized(op.results):
        return False
    if isinstance(op, core.Cast):
        return op.x in wide and op.dtype is DType.F32
    return not op.spec.quant.carries or any(v in wide for v in halves)


def _change(op: OpDef, wide: dict[Value, Value], narrow: Collection[DType]) -> None:
    rewriter = Rewriter(op)
    if isinstance(op, core.Cast):
        rewriter.replace(op, [wide[op.x]])
        return
    if isinstance(op, core.Dequantize):
        numbers = rewriter.emit(core.Dequantize(in_float32(op.x, rewriter))).y
        rounded = rewriter.emit(core.Cast(numbers, dtype=op.y.tensor.dtype)).y
        wide[rounded] = numbers
        rewriter.replace(op, rounded)
        return

    def widened(value: Value | None) -> Value | None:
        if value is None or value.tensor.dtype not in narrow:
            return value
        if value in wide:
            return wide[value]
        number = const_of(value)
        if number is not None and number.size == 1:  # sizes may be made of it
            return rewriter.emit(core.Constant(value=recipes.cast(number, DType.F32))).y
        return rewriter.emit(core.Cast(value, dtype=DType.F32)).y

    attributes = {name: DType.F32 if isinstance(v, DType) and v in narrow else v for name, v in op.attributes.items()}
    made = rewriter.emit(remake(op, [widened(v) for v in op.operands], **attributes)).results
    results = []
    for old, new in zip(op.results, made, strict=True):
        value = new
        if old.tensor.dtype in narrow:
            value = rewriter.emit(core.Cast(new, dtype=old.tensor.dtype)).y
            wide[value] = new
        results.append(value)
    rewriter.replace(op, results)
