"""Ops of targets: declared as classes, as those of core are; result types are given by who makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from mlconv.ir.core import Op, Region, Value
from mlconv.ir.spec import OpSpec
from mlconv.ir.types import OpaqueType, TensorType, Type
from mlconv.provenance.locations import Location


class TargetOp(Op):
    """One op of a target.  Subclasses declare operands, attributes, results and traits, and override `verify`."""

    __slots__ = ()
    spec: ClassVar[OpSpec]

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

    @property
    def has_sizes(self) -> bool:
        """Whether `verify_with` has something to say: what it computes goes by sizes that are known at run time."""
        return False

    def verify_with(self, sizes: Mapping[str, int]) -> None:
        """As `verify`, for a run with these sizes."""
