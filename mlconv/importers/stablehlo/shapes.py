"""Types of tensors, with the sizes that a file leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.source import SourceOp
from mlconv.importers.stablehlo.ir import DYNAMIC, MlirFunction, MlirModule, MlirType, Shaped
from mlconv.ir.constants import Const, check_size
from mlconv.ir.core import Region, Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType


class Sizes:
    """What is known of the sizes of one module."""

    def names_of(self, module: MlirModule, main: MlirFunction) -> dict[int, dict[int, str]]:
        return {}

    def of_input(
        self, type_: MlirType, name: str, given: Sequence[int | str] | None, symbols: dict[int, str]
    ) -> TensorType:
        """The type of an input."""
        return self.of_argument(type_, None)

    def of_argument(self, type_: MlirType, shape: tuple[Size, ...] | None) -> TensorType:
        """Raises ConversionError ElementTypeUnsupported, ShapeNotStatic, TensorTooLarge."""
        if not isinstance(type_, Shaped):
            raise ConversionError(Code.ElementTypeUnsupported, f"a value of type {type_} is not supported")
        if type_.shape is None or DYNAMIC in type_.shape or type_.bounds:
            raise ConversionError(Code.ShapeNotStatic, "a size is known at run time only")
        if isinstance(type_.element, DType):
            check_size(type_.shape, type_.element, "a value")
        return TensorType(type_.element, type_.shape)

    def results(
        self,
        opcode: str,
        attributes: dict[str, object],
        operands: list[Value],
        stated: Sequence[MlirType],
        regions: Sequence[Region],
    ) -> tuple[str, list[Value], list[TensorType]]:
        return opcode, operands, [self.of_argument(t, None) for t in stated]

    def constant(self, value: Value, constant: Const) -> None:
        pass

    def contents(self, op: SourceOp) -> None:
        pass
