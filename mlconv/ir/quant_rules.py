"""What ops say about quantized operands and results, and what follows from that for types and values.

An op over quantized tensors means what it means over the numbers that they stand for.  Its rule, `OpSpec.quant`, says
which quantizations its results have.  Source: TFLite 8-bit quantization specification; LiteRT's kernels.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Declaration, Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, lost
from mlconv.ir.types import OpaqueType, TensorType, Type

if TYPE_CHECKING:
    from mlconv.ir.constants import Array


class Relation(enum.Enum):
    """How the quantizations of results follow."""

    NONE = "none"
    SAME = "same"
    SAME_SCALE = "same scale"
    FIXED = "fixed output"
    BIAS = "bias is product"
    FREE = "free"
    OWN = "own"


class QuantRule(NamedTuple):
    """A relation.  fixed: of a fixed output, scale and zero point by storage type."""

    relation: Relation
    fixed: tuple[tuple[DType, float, int], ...] = ()

    def __str__(self) -> str:
        return self.relation.value

    @property
    def carries(self) -> bool:
        """Results have the quantization of operands: the op moves numbers, or chooses among them."""
        return self.relation in (Relation.SAME, Relation.SAME_SCALE)


NONE = QuantRule(Relation.NONE)
"""Quantized operands are refused."""
SAME = QuantRule(Relation.SAME)
"""Results have the quantization of the operand; axes follow `QuantizableOp.carried`."""
SAME_SCALE = QuantRule(Relation.SAME_SCALE)
"""All operands and results share one quantization."""
BIAS = QuantRule(Relation.BIAS)
"""Free; the third operand, the bias, has the product of the scales of the first two, and no zero point."""
FREE = QuantRule(Relation.FREE)
"""Results have any quantization, or none."""
OWN = QuantRule(Relation.OWN)
"""`infer` and `eval` know quantized types: borders, and what only hands values on."""


def fixed_output(*rows: tuple[DType, float, int]) -> QuantRule:
    """Results of a range that is known: scale and zero point for each storage type that there is a form for."""
    return QuantRule(Relation.FIXED, rows)


UNIT = fixed_output((DType.I8, 1 / 256, -128), (DType.U8, 1 / 256, 0), (DType.I16, 1 / 32768, 0))
"""Results in [0, 1)."""
SIGNED_UNIT = fixed_output((DType.I8, 1 / 128, 0), (DType.U8, 1 / 128, 128), (DType.I16, 1 / 32768, 0))
"""Results in [-1, 1)."""
LOG_UNIT = fixed_output((DType.I8, 1 / 16, 127), (DType.U8, 1 / 16, 255))
"""Results in [-16, 0]."""


class QuantizedDeclaration(Declaration, Protocol):
    """A declaration with a rule."""

    @property
    def quant(self) -> QuantRule:
        """What the op says about quantized operands."""


class QuantizableOp(Op):
    """What rules ask of an op: the base of typed ops."""

    __slots__ = ()
    spec: ClassVar[QuantizedDeclaration]
    quant_rule: ClassVar[QuantRule] = NONE

    def infer(self) -> Type | Sequence[Type]:
        """Result types from operand types and attributes.  Raises ConversionError MLC02xx when they do not fit."""
        raise TypeError(f"{self.name} does not infer")

    def eval(self, *values: Any) -> Any:
        """numpy arrays of the operands (None where absent) to the array, or tuple of arrays, of the results."""
        raise ConversionError(Code.VariantUnsupported, f"{self.name} has no reference evaluation")

    def carried(self, quants: Sequence[QuantType], types: Sequence[Type]) -> list[QuantType]:
        """For rules `same` and `same scale`: quantizations of the results, from those of the operands.  Ops that
        change axes say what becomes of scales along them.
        """
        quant = equal(quants, self.name)
        if not quant.is_per_tensor:
            raise ConversionError(
                Code.TypeMismatch, f"{self.name} does not take scales along an axis: {quant}", help="dequantize first"
            )
        return [quant] * len(types)

    def moves_integers(self) -> bool:
        """For rules `same` and `same scale`: the op does to the integers what it does to the numbers."""
        return True


def quant_of(value: Value | None) -> QuantType | None:
    """The quantization of a value; None for others."""
    return None if value is None else value.type.quant


def has_quantized(values: Iterable[Value | None]) -> bool:
    """Whether any value is quantized."""
    for value in values:  # noqa: SIM110  asked of each op that is made
        if value is not None and value.type.quant is not None:
            return True
    return False


def on_numbers(op: QuantizableOp) -> QuantizableOp:
    """The op as it is over the numbers that its quantized operands and results stand for: to be asked for types and
    values only, it stands in no block.
    """
    view = object.__new__(type(op))
    view.operands = [None if v is None else _number(v) for v in op.operands]
    view.results = [_number(v) for v in op.results]
    view.attributes, view.regions, view.location = op.attributes, op.regions, op.location
    view.block = view.next = view.prev = None
    return view


def _number(v: Value) -> Value:
    if quant_of(v) is None:
        return v
    other = type(v)(v.tensor.expressed, v.owner, v.index, v.name)
    return other


def infer_quantized(op: QuantizableOp) -> list[Type]:
    """Types of results of an op with quantized operands.  Raises ConversionError TypeMismatch where the op has no rule,
    or the operands do not keep to it.
    """
    rule = op.spec.quant
    if rule.relation is Relation.NONE:
        names = " and ".join(str(v.type) for v in op.inputs if quant_of(v) is not None)
        raise ConversionError(
            Code.TypeMismatch,
            f"{op.name} has no rule for quantized operands: {names}",
            help="dequantize them, or cast them to their integers",
        )
    inferred = listed(on_numbers(op).infer())
    if rule.relation is Relation.BIAS:
        _check_bias(op)
    if rule.relation is Relation.FIXED:
        return [TensorType(_fixed(op, t), t.shape) if isinstance(t, TensorType) else t for t in inferred]
    if rule.carries:
        carried = op.carried(_shared(op), inferred)
        expressed = carried[0].expressed
        return [
            TensorType(q, t.shape) if isinstance(t, TensorType) and t.dtype is expressed else t
            for q, t in zip(carried, inferred, strict=True)
        ]
    return inferred


def listed(types: Type | Sequence[Type]) -> list[Type]:
    """What `infer` gave, as a list."""
    return [types] if isinstance(types, (TensorType, OpaqueType)) else list(types)


def _shared(op: QuantizableOp) -> list[QuantType]:
    """The quantizations of all operands that hold numbers of the model.  Those of an op without axes of its own are
    equal.
    """
    found = []
    for i, v in enumerate(op.operands):
        quant = quant_of(v)
        if quant is not None:
            found.append(quant)
        elif v is not None and isinstance(v.type, TensorType) and v.type.dtype.is_float:
            raise ConversionError(
                Code.TypeMismatch, f"{op.name}: an operand is {v.type} while others are quantized", operand=i
            )
    return found


def _fixed(op: QuantizableOp, t: TensorType) -> QuantType:
    (first, *_) = (q for q in map(quant_of, op.operands) if q is not None)
    for storage, scale, zero in op.spec.quant.fixed:
        if storage is first.storage:
            return QuantType.of(storage, scale, zero, expressed=t.dtype)
    lost(f"{op.name} has no form for {first.storage.display}")


def _check_bias(op: QuantizableOp) -> None:
    x, w, bias = (quant_of(op.operands[i]) if i < len(op.operands) else None for i in range(3))
    if bias is None:
        return
    if x is None or w is None or not bias.is_product_of(x, w):
        raise ConversionError(
            Code.TypeMismatch,
            f"{op.name}: the scales of the bias ({bias}) are not products of those of input and weights "
            f"({x} and {w}), with zero point 0",
            operand=2,
        )


def equal(quants: Sequence[QuantType], what: str) -> QuantType:
    """The quantization that all of several are.  Raises ConversionError TypeMismatch where they differ."""
    if any(q != quants[0] for q in quants):
        lost(f"the operands of {what} have different scales or zero points: {' and '.join(map(str, quants))}")
    return quants[0]


def fits(rule: QuantRule, inferred: Type, actual: Type) -> bool:
    """Whether a result may have an element type, where the op infers one."""
    if isinstance(inferred, OpaqueType) or isinstance(actual, OpaqueType):
        return True
    if inferred.element == actual.element:
        return True
    free = rule.relation in (Relation.FREE, Relation.BIAS)
    return free and inferred.quant is None and actual.quant is not None and inferred.dtype is actual.quant.expressed


def computes_with_quantized(op: QuantizableOp) -> bool:
    """The op takes quantized operands for the numbers that they stand for, or rounds what it computes to such: it is no
    border, and does not only move integers or choose among them.
    """
    rule = op.spec.quant
    if rule is OWN or not has_quantized([*op.operands, *op.results]):
        return False
    return not (rule.carries and op.moves_integers())


def evaluate_quantized(op: QuantizableOp, arrays: Sequence[Array | None]) -> Any:
    """Results of an op with quantized operands or results: their integers.  Ops that only move or choose among numbers
    move the integers.
    """
    if not computes_with_quantized(op):
        return op.eval(*arrays)
    numbers = [
        x if q is None or x is None else q.dequantize(x)
        for x, q in zip(arrays, map(quant_of, op.operands), strict=True)
    ]
    made = on_numbers(op).eval(*numbers)
    results = made if isinstance(made, (tuple, list)) else (made,)
    stored = [y if q is None else q.quantize(y) for y, q in zip(results, map(quant_of, op.results), strict=True)]
    return tuple(stored) if isinstance(made, (tuple, list)) else stored[0]
