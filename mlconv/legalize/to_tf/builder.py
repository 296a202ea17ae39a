"""What a rule works with: it emits ops of TensorFlow, and core ops that become such in their turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.dialects.source import SourceOp
from mlconv.dialects.tf import OpDef, find_op
from mlconv.ir.core import Region, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import Shape, TensorType, Type
from mlconv.legalize.to_tf.elements import UNLISTED, chosen_types, spread
from mlconv.rewrite.core_builder import CoreBuilder

PREFIX = "tf."
SMALL_INT = (1 << 31) - 1


class TfBuilder(CoreBuilder):
    """Emits at one place."""

    __slots__ = ()

    def op(self, name: str, operands: Sequence[Value], types: Sequence[Type], **attributes: object) -> list[Value]:
        """Insert an op; returns its results, of the given types.  Attributes that element types and numbers of tensors
        decide are filled in; where no kernel takes a type, operands are cast to a wider one and results back.  Raises
        ConversionError TargetLacksType.
        """
        spec = signature(name)
        chosen = chosen_types(spec, operands, types, list(attributes))
        ins, outs = spread(spec.inputs, len(operands)), spread(spec.outputs, len(types))
        given = [
            v if formal.element not in chosen else self.raw_cast(v, chosen[formal.element])
            for v, formal in zip(operands, ins, strict=True)
        ]
        made = [
            t.with_dtype(chosen[f.element]) if isinstance(t, TensorType) and f.element in chosen else t
            for t, f in zip(types, outs, strict=True)
        ]
        found = self.raw(name, given, made, **{**chosen, **counts(spec, len(operands), len(types)), **attributes})
        return [
            v if v.type == t or not isinstance(t, TensorType) else self.raw_cast(v, t.dtype)
            for v, t in zip(found, types, strict=True)
        ]

    def raw(self, name: str, operands: Sequence[Value], types: Sequence[Type], **attributes: object) -> list[Value]:
        """Insert an op as it is said."""
        return self.builder.emit(SourceOp(PREFIX + name, list(operands), attributes, types)).results

    def one(self, name: str, operands: Sequence[Value], type_: Type, **attributes: object) -> Value:
        """Insert an op with one result."""
        return self.op(name, operands, [type_], **attributes)[0]

    def control(
        self, name: str, operands: Sequence[Value], types: Sequence[Type], regions: Sequence[Region]
    ) -> list[Value]:
        """Insert an op with regions."""
        return self.builder.emit(SourceOp(PREFIX + name, list(operands), {}, types, regions)).results

    def raw_cast(self, x: Value, dtype: DType, **more: bool) -> Value:
        """Cast, as TensorFlow's kernel does it; constants of few numbers are stored as the other type."""
        have = x.tensor.dtype
        if have is dtype:
            return x
        if {have, dtype} & (UNLISTED - _CASTABLE):
            raise ConversionError(
                Code.TargetLacksType, f"TensorFlow has no way from {have.display} to {dtype.display} on CPUs"
            )
        return self.raw("Cast", [x], [x.tensor.with_dtype(dtype)], SrcT=have, DstT=dtype, **more)[0]

    def identity(self, x: Value) -> Value:
        """Another name for a value."""
        return self.raw("Identity", [x], [x.tensor], T=x.tensor.dtype)[0]

    def ints(self, values: Sequence[int]) -> Value:
        """A vector of int32, or of int64 where a number is too large for that."""
        array = np.asarray(list(values), np.int64).reshape(-1)
        fits = not array.size or int(np.abs(array).max()) <= SMALL_INT
        return self.constant(array.astype(np.int32) if fits else array)

    def number(self, value: int) -> Value:
        """An int32 scalar."""
        return self.constant(np.asarray(value, np.int32))

    def indices(self, *values: Value) -> list[Value]:
        """Integers of one type for them all: int32 where they have it or are constants that it holds, else int64."""
        dtype = DType.I32 if all(_is_small(v) for v in values) else DType.I64
        return [self.as_constant(v, dtype) for v in values]

    def as_constant(self, x: Value, dtype: DType) -> Value:
        """Integers in another type; those of a constant are stored in it."""
        constant = const_of(x)
        if x.tensor.dtype is dtype:
            return x
        if constant is not None and constant.dtype.is_int and constant.size <= _FEW:
            return self.constant(constant.view().astype(dtype.numpy))
        return self.cast(x, dtype)


def _is_small(value: Value) -> bool:
    known = ints_of(value)
    return value.tensor.dtype is DType.I32 if known is None else all(abs(n) <= SMALL_INT for n in known)


_FEW = 1 << 16
_CASTABLE = frozenset({DType.F8E4M3FN, DType.F8E5M2})
"""Of the types without rows in the table of kernels, those that Cast takes."""


def signature(name: str) -> OpDef:
    """The signature of an op that rules emit."""
    found = find_op(name)
    if found is None:
        raise ConversionError(Code.InternalError, f"TensorFlow has no op {name}")
    return found


def counts(spec: OpDef, operands: int, results: int) -> dict[str, int]:
    """Attributes that say how many tensors there are."""
    found = {}
    for formals, count in ((spec.inputs, operands), (spec.outputs, results)):
        single = sum(1 for f in formals if not (f.number or f.types))
        found.update({f.number: count - single for f in formals if f.number})
    return found


def rank_of(x: Value, what: str) -> int:
    """The rank of x.  Raises ConversionError ShapeNotStatic."""
    return len(shape_of(x, what))


def shape_of(x: Value, what: str) -> Shape:
    """The shape of x.  Raises ConversionError ShapeNotStatic where its rank is not known."""
    if x.tensor.shape is None:
        raise ConversionError(Code.ShapeNotStatic, f"{what} must be of known rank for TensorFlow, it is {x.tensor}")
    return x.tensor.shape


def refuse(why: str, help_: str = "") -> ConversionError:
    """The error for what TensorFlow has no form for."""
    return ConversionError(Code.TargetLacksOp, why, help=help_)
