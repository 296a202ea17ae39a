"""What is compared layer by layer, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.provenance.locations import Location
from mlconv.runtime.order import PRODUCTS

_SHAPING = (core.Reshape, core.Squeeze, core.ExpandDims)


class Called(NamedTuple):
    """A function of core ops, and its inputs.  interprets: these are what its values were computed by.  drawn: inputs
    are no samples, so that integers may end before them.
    """

    function: Function
    inputs: Mapping[str, Array]
    interprets: bool = True
    drawn: bool = False


@dataclass(frozen=True)
class Layer:
    """A value of both models.  ops: that it is computed by, from values that are of both, too; the other model may have
    them in one.  own_db: signal to noise of what arises in these.  total_db: with all that comes from in front.
    max_abs: largest difference that arises here.  why: it is more than roundings do; empty else.  place: where it is
    in the source, where that is known better than by the place of its op.
    """

    value: Value
    ops: tuple[Op, ...]
    own_db: float
    total_db: float
    max_abs: float
    why: str = ""
    place: Location | None = None

    @property
    def location(self) -> Location | None:
        return self.place or self.op.location

    @property
    def op(self) -> Op:
        """The one that the layer is named by: a product, where there is one, a loop, or another one with weights; else
        the last that does more than to give another shape.
        """
        computing = [op for op in self.ops if not isinstance(op, _SHAPING)]
        return next(filter(_has_weights, self.ops), (computing or self.ops)[-1])


@dataclass
class LayerReport:
    """layers: in order.  first: whose result differs, and not by what it reads.  values: of the function, of which
    `layers` have a counterpart.  ended: outputs where what is in front ends as the other model's integers do.  agreed:
    names of outputs that are computed from the other model's values as it does.  outputs: layers of all, by name.
    """

    layers: list[Layer]
    first: Layer | None
    values: int
    ended: Mapping[str, Array] = field(default_factory=dict)
    agreed: frozenset[str] = frozenset()
    outputs: Mapping[str, Layer] = field(default_factory=dict)

    def names_output(self, name: str, why: str) -> None:
        """An output is off though nothing inside is: what gives it is at fault, as where its elements lie elsewhere."""
        layer = self.outputs.get(name)
        if layer is not None:
            self.first = replace(layer, why=why)
            self.layers = [*(one for one in self.layers if one.value is not layer.value), self.first]


def _has_weights(op: Op) -> bool:
    constants = [v for v in op.operands if v is not None and const_of(v) is not None]
    return isinstance(op, PRODUCTS) or bool(op.regions) or any(len(v.tensor.shape or ()) > 2 for v in constants)
