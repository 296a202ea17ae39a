"""Integers of less than a byte, inside of a model: a byte each, holding numbers of the narrow range."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir import recipes
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import unsupported
from mlconv.rewrite import edit
from mlconv.rewrite.convert import diagnose
from mlconv.rewrite.pattern import Rewriter

BYTES = {DType.I4: DType.I8, DType.I2: DType.I8, DType.U4: DType.U8, DType.U2: DType.U8}


def widen(block: Block) -> None:
    """Give every narrow value a whole byte.  Casts to narrow types stay, their rule cuts the upper bits off.

    Raises ConversionError TargetLacksType for arithmetic on narrow integers, which would have to wrap, and for narrow
    outputs.
    """
    for value in block.outputs:
        if _is_narrow(value):
            raise unsupported("an output", value.tensor.dtype)
    for op in [*walk(block)]:
        if not any(_is_narrow(v) for v in (*op.results, *(a for r in op.regions for a in r.block.arguments))):
            continue
        if isinstance(op, OpDef) and Elementwise in op.spec.traits and not isinstance(op, (core.Cast, core.Select)):
            error = unsupported(op.name, op.result.tensor.dtype)
            error.diagnostic = diagnose(op, error)
            raise error
        if isinstance(op, core.Constant):
            rewriter = Rewriter(op)
            rewriter.replace(op, rewriter.emit(core.Constant(value=recipes.cast(op.value, BYTES[op.value.dtype]))).y)
        for value in op.results:
            _widen(value)
        for region in op.regions:
            for value in region.block.arguments:
                _widen(value)


def _is_narrow(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype in BYTES


def _widen(value: Value) -> None:
    if not _is_narrow(value):
        return
    quant = value.tensor.quant
    if quant is None:
        edit.retype(value, value.tensor.with_dtype(BYTES[value.tensor.dtype]))
        return
    wide = _wide(quant)
    edit.retype(value, TensorType(wide, value.tensor.shape))
    if isinstance(value.producer, OpDef) and "element" in value.producer.attributes:
        edit.set_attribute(value.producer, "element", wide)


def _wide(quant: QuantType) -> QuantType:
    """The same integers in bytes."""
    storage, zeros = BYTES[quant.storage], quant.zero_points
    moved = zeros if isinstance(zeros, int) else recipes.cast(zeros, storage)
    return QuantType(storage, quant.expressed, quant.scheme, quant.scales, moved, quant.qmin, quant.qmax)
