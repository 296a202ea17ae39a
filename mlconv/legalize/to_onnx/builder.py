"""What a rule works with: it emits ONNX operators, and core ops that become such in their turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.onnx import PREFIX
from mlconv.dialects.onnx_types import DTYPES
from mlconv.dialects.source import SourceOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Region, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import Shape, TensorType, Type
from mlconv.legalize.to_onnx.elements import chosen_types, variables_of
from mlconv.rewrite.core_builder import CoreBuilder

NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
"""Numbers of TensorProto.DataType by element type."""
MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"


@dataclass(slots=True)
class Version:
    """The operator set that ops are emitted for.  fixed: the user named it.  needed: the least that rules asked for.
    profile: the runtime that the file is for.  blocks: how products with weights of 4 bits in blocks are said.
    """

    opset: int
    fixed: bool = False
    profile: str = "ort"
    blocks: str = "dequantize"
    needed: int = 0

    def need(self, opset: int, what: str) -> None:
        """A rule needs an operator set.  Raises ConversionError TargetLacksOp where the user named an older one."""
        if opset > self.opset and self.fixed:
            raise ConversionError(
                Code.TargetLacksOp,
                f"{what} needs opset {opset}, and --opset is {self.opset}",
                help=f"pass --opset {opset}, or leave it out",
            )
        self.needed = max(self.needed, opset)


class OnnxBuilder(CoreBuilder):
    """Emits at one place."""

    __slots__ = ("version",)

    def __init__(self, builder: Builder, version: Version) -> None:
        super().__init__(builder)
        self.version = version

    @property
    def opset(self) -> int:
        return self.version.opset

    def has(self, opset: int) -> bool:
        """The file is of this operator set or a newer one anyhow."""
        return self.version.opset >= opset

    def op(
        self, name: str, operands: Sequence[Value | None], types: Sequence[Type], since: int = 0, **attributes: Any
    ) -> list[Value]:
        """Insert an operator of ai.onnx; returns its results, of the given types.  since: the operator set that it, or
        this form of it, needs.  Raises ConversionError TargetLacksOp, TargetLacksType.
        """
        if since > self.opset:
            self.version.need(since, name)
        opset = max(self.opset, since)
        self._need_types(operands, types)
        chosen = chosen_types(name, opset, operands, types, self.version.profile == "ort")
        attributes["opset_version"] = opset
        if not chosen:
            return self._emitted(name, operands, types, attributes)
        ins, outs = variables_of(name, opset, len(operands), len(types))
        given = [
            v if v is None or variable not in chosen else self.raw_cast(v, chosen[variable])
            for v, variable in zip(operands, ins, strict=False)
        ]
        made = [
            t.with_dtype(chosen[variable]) if isinstance(t, TensorType) and variable in chosen else t
            for t, variable in zip(types, outs, strict=False)
        ]
        results = self._emitted(name, given, made, attributes)
        return [
            v if v.type == t or not isinstance(t, TensorType) else self.raw_cast(v, t.dtype)
            for v, t in zip(results, types, strict=True)
        ]

    def _emitted(
        self, name: str, operands: Sequence[Value | None], types: Sequence[Type], attributes: dict[str, Any]
    ) -> list[Value]:
        given = list(operands)
        while given and given[-1] is None:
            given.pop()
        return self.builder.emit(SourceOp(PREFIX + name, given, attributes, types)).results

    def control(
        self,
        name: str,
        operands: Sequence[Value | None],
        types: Sequence[Type],
        regions: Sequence[tuple[str, Region]],
    ) -> list[Value]:
        """Insert an operator with graphs."""
        attributes = {"region_names": tuple(n for n, _ in regions), "opset_version": self.opset}
        op = SourceOp(PREFIX + name, list(operands), attributes, types, [r for _, r in regions])
        return self.builder.emit(op).results

    def _need_types(self, operands: Sequence[Value | None], types: Sequence[Type]) -> None:
        """Element types that came with an operator set ask for it (onnx.proto, TensorProto.DataType)."""
        for t in (*(v.type for v in operands if v is not None), *types):
            if isinstance(t, TensorType) and t.dtype in _TYPES_SINCE:
                self.version.need(_TYPES_SINCE[t.dtype], t.dtype.display)

    def one(self, name: str, operands: Sequence[Value | None], type_: Type, since: int = 0, **attributes: Any) -> Value:
        """Insert an operator with one result."""
        return self.op(name, operands, [type_], since, **attributes)[0]

    def contrib(self, name: str, operands: Sequence[Value | None], type_: Type, **attributes: Any) -> Value:
        """Insert an operator of com.microsoft with one result."""
        return self.of_domain(MICROSOFT, 1, name, operands, type_, **attributes)

    def of_domain(
        self, domain: str, version: int, name: str, operands: Sequence[Value | None], type_: Type, **attributes: Any
    ) -> Value:
        """Insert an operator of another domain with one result.  version: of the domain's operator set."""
        attributes["opset_version"] = version
        return self.builder.emit(SourceOp(f"{PREFIX}{domain}.{name}", list(operands), attributes, [type_])).results[0]

    def raw_cast(self, x: Value, dtype: DType, **more: int) -> Value:
        """Cast, by ONNX's rules."""
        if x.tensor.dtype is dtype:
            return x
        attributes = {"to": NUMBERS[dtype], **more, "opset_version": self.opset}
        self._need_types([x], [x.tensor.with_dtype(dtype)])
        return self.builder.emit(SourceOp(f"{PREFIX}Cast", [x], attributes, [x.tensor.with_dtype(dtype)])).results[0]

    def ints(self, values: Sequence[int]) -> Value:
        """An int64 vector."""
        return self.constant(np.asarray(list(values), np.int64).reshape(-1))

    def int64(self, x: Value) -> Value:
        """Integers as int64, which sizes and places are."""
        return self.cast(x, DType.I64)

    def indices(self, x: Value) -> Value:
        """Integers as int32 or int64, which indices are."""
        return x if x.tensor.dtype in (DType.I32, DType.I64) else self.cast(x, DType.I64)


_TYPES_SINCE = {
    DType.F8E4M3FN: 19,
    DType.F8E4M3FNUZ: 19,
    DType.F8E5M2: 19,
    DType.F8E5M2FNUZ: 19,
    DType.I4: 21,
    DType.U4: 21,
    DType.F4E2M1: 23,
    DType.F8E8M0: 24,
    DType.I2: 25,
    DType.U2: 25,
}


def rank_of(x: Value, what: str) -> int:
    """The rank of x.  Raises ConversionError ShapeNotStatic."""
    return len(shape_of(x, what))


def shape_of(x: Value, what: str) -> Shape:
    """The shape of x.  Raises ConversionError ShapeNotStatic where its rank is not known."""
    if x.tensor.shape is None:
        raise ConversionError(Code.ShapeNotStatic, f"{what} must be of known rank for ONNX, it is {x.tensor}")
    return x.tensor.shape


def static_shape(x: Value, what: str) -> tuple[int, ...]:
    """The sizes of x.  Raises ConversionError ShapeNotStatic."""
    ints = static(x.tensor.shape)
    if ints is None:
        raise ConversionError(Code.ShapeNotStatic, f"the sizes of {what} must be known for ONNX, it is {x.tensor}")
    return ints


def refuse(why: str, help_: str = "") -> ConversionError:
    """The error for what ONNX has no form for."""
    return ConversionError(Code.TargetLacksOp, why, help=help_)
