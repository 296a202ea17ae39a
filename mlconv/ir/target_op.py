"""Ops of targets: declared as classes, as those of core are; result types are given by who makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Op, Region, Value
from mlconv.ir.spec import MISREAD, OpSpec
from mlconv.ir.types import OpaqueType, TensorType, Type
from mlconv.provenance.locations import Location


class TargetOp(Op):
    """One op of a target.  Subclasses declare operands, attributes, results and traits, and override `verify`.

    takes_quantized: its operands and results may have quantized element types.
    """

    __slots__ = ()
    spec: ClassVar[OpSpec]
    takes_quantized: ClassVar[bool] = False

    def __init__(
        self,
        operands: Sequence[Value | None],
        attributes: dict[str, Any],
        types: Type | Sequence[Type],
        regions: Sequence[Region] = (),
        location: Location | None = None,
    ) -> None:
        listed = [types] if isinstance(types, (TensorType, OpaqueType)) else list(types)
        super().__init__(operands, attributes, listed, regions, location)

    def verify(self) -> None:
        """What the declaration does not say.  Raises ConversionError ArtifactInvalid when types, shapes and attributes
        do not fit together.
        """

    def check(self) -> None:
        """`verify`, and what holds of all targets.  Raises ConversionError ArtifactInvalid, also where attributes are
        such that `verify` cannot read them.
        """
        if not self.takes_quantized:
            for value in (*self.inputs, *self.results):
                if value.type.quant is not None:
                    raise self.malformed(f"{value.type} is quantized; {self.name.partition('.')[0]} ops take numbers")
        try:
            self.verify()
        except MISREAD as e:
            raise self.malformed(f"its attributes do not fit ({type(e).__name__}: {e})") from e

    def malformed(self, why: str) -> ConversionError:
        """The error of an op whose parts do not fit together."""
        results = ", ".join(str(v.type) for v in self.results)
        return ConversionError(
            Code.ArtifactInvalid, f"{self.describe()} giving {results} is malformed: {why}", location=self.location
        )

    @property
    def has_sizes(self) -> bool:
        """Whether `verify_with` has something to say: what it computes goes by sizes that are known at run time."""
        return False

    def verify_with(self, sizes: Mapping[str, int]) -> None:
        """As `verify`, for a run with these sizes."""
