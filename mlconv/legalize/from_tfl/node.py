"""One TFLite operator as its legalization sees it.

Rules work with the numbers that quantized tensors stand for; what they make is rounded to what the file says of the
results.  What ops over integers become on a target is decided there (`quant-lower`), by what its kernels compute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.source import SourceOp
from mlconv.dialects.tfl import default_options
from mlconv.ir import recipes
from mlconv.ir.core import Op, Region, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import MISSING
from mlconv.ir.types import TensorType
from mlconv.legalize.source import Keep, OpTable, SourceConversion, SourceNode
from mlconv.rewrite import Rewriter, Rules, edit

Results: TypeAlias = Union[Value, Sequence[Value]]
Handler: TypeAlias = Callable[["TflNode"], Results]

_COPYING: Final = frozenset(
    {
        *("MAXIMUM", "MINIMUM", "REDUCE_MAX", "REDUCE_MIN", "TOPK_V2", "SELECT", "SELECT_V2"),
        *("AVERAGE_POOL_2D", "MAX_POOL_2D", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"),
        *("BROADCAST_TO", "DEPTH_TO_SPACE", "RESHAPE", "REVERSE_SEQUENCE", "REVERSE_V2", "SPACE_TO_DEPTH", "SQUEEZE"),
        *("PAD", "PADV2", "SLICE", "SPLIT", "SPLIT_V", "STRIDED_SLICE", "TILE", "TRANSPOSE"),
        *("DYNAMIC_UPDATE_SLICE", "EMBEDDING_LOOKUP", "GATHER", "GATHER_ND"),
    }
)
"""Kernels that move, compare or average stored integers and never look at scales, though operands and results may have
others: LiteRT's, as XNNPACK refuses what it would have to scale.  The kernels of EXPAND_DIMS, MIRROR_PAD, PACK, UNPACK
and those of blocks and batches refuse scales that differ; so do REDUCE_MAX and REDUCE_MIN, which XNNPACK copies.
"""
_COPYING_WIDE: Final = frozenset({"CONCATENATION"})
"""The same of 16 bits; of 8 the kernel scales, or refuses scales that differ."""


_READS_AS_SIGNED: Final = frozenset(
    {
        *("CONV_2D", "FULLY_CONNECTED", "EMBEDDING_LOOKUP", "SVDF"),
        *("LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_LSTM"),
        *("RNN", "UNIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE_RNN"),
    }
)
"""Kernels of floats that read weights of uint8 as int8 without a zero point: files of 2018 say so, before there was
int8.  Source: kernels/kernel_util.h, IsHybridOp; fully_connected.cc, conv.cc, EvalHybrid; embedding_lookup.cc.
"""


class TflNode(SourceNode):
    """A `tfl.*` op."""

    __slots__ = ()
    conversion: TflConversion

    def left_out(self, name: str) -> object:
        """An option as the schema has it: files have all, ops that were made here need not."""
        return default_options(self.kind).get(name, MISSING)

    def maybe(self, i: int) -> Value | None:
        """Operand i as the kernel reads it, or None when it is absent."""
        value = super().maybe(i)
        constant = None if value is None or self.kind not in _READS_AS_SIGNED else const_of(value)
        quant = None if value is None else value.type.quant
        if constant is None or quant is None or quant.storage is not DType.U8:
            return value
        if self.op.results[0].tensor.element is not DType.F32:
            return value
        element = QuantType.of(DType.I8, quant.scales.view(), 0, quant.axis)
        return self.y(core.Constant(value=recipes.cast(constant, DType.I8), element=element))

    def number(self, i: int) -> Value:
        """What operand i stands for."""
        return self._number(self.operand(i))

    def numbers(self, start: int = 0) -> list[Value]:
        """What all operands from `start` on stand for."""
        return [self._number(v) for v in self.operands(start)]

    def _number(self, value: Value) -> Value:
        """What an operand stands for: where its integers are copied, what they do in the first result."""
        quant, own = self.copied(), value.type.quant
        if quant is None or own is None or own == quant or own.storage is not quant.storage:
            return numbers_of(self, value)
        return numbers_of(self, self.y(core.StorageCast(value, element=quant)))

    def copied(self) -> QuantType | None:
        """How the first result is quantized, where the kernel copies integers into it."""
        quant = self.op.results[0].type.quant
        if quant is None or not quant.is_per_tensor:
            return None
        is_copying = self.kind in _COPYING or (self.kind in _COPYING_WIDE and quant.storage is DType.I16)
        return quant if is_copying else None

    def integers(self, i: int) -> Value:
        """Operand i, of a kernel that computes with stored integers as with plain ones."""
        value = self.operand(i)
        quant = value.type.quant
        return value if quant is None else self.y(core.StorageCast(value, element=quant.storage))

    def tf(self, kind: str, operands: Sequence[Value], /, **attributes: object) -> list[Value]:
        """What TensorFlow's op of a kind is, with these operands and attributes, for the results of this one."""
        return self._by(self.conversion.tensorflow, kind, operands, attributes)

    def tf1(self, kind: str, operands: Sequence[Value], /, **attributes: object) -> Value:
        """The same for an op of one result."""
        return self.tf(kind, operands, **attributes)[0]

    def tf_with_regions(self, kind: str, operands: Sequence[Value]) -> list[Value]:
        """The same with the regions of this op."""
        return self._by(self.conversion.tensorflow, kind, operands, {}, edit.take_regions(self.op))

    def hlo(
        self, opcode: str, operands: Sequence[Value], /, regions: Sequence[Region] = (), **attributes: object
    ) -> list[Value]:
        """What an HLO instruction is, with these operands and attributes, for the results of this one."""
        return self._by(self.conversion.hlo, opcode, operands, attributes, regions)

    def _by(
        self,
        table: OpTable,
        kind: str,
        operands: Sequence[Value],
        attributes: dict[str, object],
        regions: Sequence[Region] = (),
    ) -> list[Value]:
        rule = table.find(kind, 0)
        if rule is None:
            raise ConversionError(Code.InternalError, f"there is no rule for {table.dialect}.{kind}")
        op = SourceOp(
            f"{table.dialect}.{kind}", operands, attributes, self.plain_types(), regions, self.rewriter.location
        )
        try:
            made = rule.apply(SourceNode(op, self.rewriter, 0, self.conversion))
        finally:
            for region in op.regions:
                region.block.erase_all()
            edit.forget(op)
        if isinstance(made, Value):
            return [made]
        if not isinstance(made, Sequence):
            raise self.unsupported(str(made))
        return list(made)

    def plain_types(self) -> list[TensorType]:
        """Types of the results as numbers."""
        return [as_number(v.tensor) for v in self.op.results]


def as_number(t: TensorType) -> TensorType:
    """The type of what a quantized tensor stands for; others are what they are."""
    return t if t.quant is None else TensorType(t.quant.expressed, t.shape)


def numbers_of(n: SourceNode, value: Value) -> Value:
    """What a value stands for."""
    return value if value.type.quant is None else n.y(core.Dequantize(value))


class TflConversion(SourceConversion):
    """`tfl.*` ops are to go.  Select operators are TensorFlow's, those of some computations HLO's."""

    def __init__(
        self,
        table: OpTable,
        engine: DiagnosticEngine,
        keep: Keep | None,
        more: Rules,
        tensorflow: OpTable,
        hlo: OpTable,
    ) -> None:
        super().__init__(table, engine, lambda op: 0, keep, more, (tensorflow, hlo))
        self.tensorflow, self.hlo = tensorflow, hlo

    def builder(self, op: Op, rewriter: Rewriter) -> SourceNode:
        return (TflNode if op.name.startswith("tfl.") else SourceNode)(op, rewriter, 0, self)


def tfl_rules() -> Rules:
    """Rules whose results are rounded to what the file says of them, and which refuse numbers of the file that do not
    fit one another.
    """
    return Rules(guard=_guarded)


def stored_rules() -> Rules:
    """Rules whose results are as they are to be."""
    return Rules(guard=_refusing)


def _refusing(handler: Handler) -> Handler:
    def run(n: TflNode) -> Results:
        try:
            return handler(n)
        except (IndexError, KeyError, OverflowError, TypeError, ValueError, ZeroDivisionError) as error:
            raise ConversionError(
                Code.AttributeInvalid, f"the options and operands of {n.kind} do not fit together: {error}"
            ) from error

    run.__name__ = handler.__name__
    return run


def _guarded(handler: Handler) -> Handler:
    def run(n: TflNode) -> Results:
        made = handler(n)
        values = [made] if isinstance(made, Value) else list(made)
        return [_as_declared(n, value, i) for i, value in enumerate(values[: n.n_results])]

    run.__name__ = handler.__name__
    return _refusing(run)


def _as_declared(n: TflNode, value: Value, i: int) -> Value:
    """A result with the element type that the file states."""
    declared, own = n.op.results[i].tensor, value.tensor
    if declared.element == own.element:
        return value
    if declared.quant is not None and own.dtype is declared.quant.storage and own.quant is None:
        return n.y(core.StorageCast(value, element=declared.quant))
    number, copied = numbers_of(n, value), n.copied()
    if declared.quant is None:
        return n.cast(number, declared.dtype)
    if copied is not None and copied.storage is declared.quant.storage and copied != declared.quant:
        stored = n.y(core.Quantize(n.cast(number, copied.expressed), element=copied))
        return n.y(core.StorageCast(stored, element=declared.quant))
    return n.y(core.Quantize(n.cast(number, declared.quant.expressed), element=declared.quant))
