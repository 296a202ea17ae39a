"""What quantization would do, without samples and without weights: the same rules and the same ops, with scales that
stand for those that samples would give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.spec import OpDef
from mlconv.provenance.locations import Location
from mlconv.quantize.collect import Collector, InTurn
from mlconv.quantize.observe import K, Observe
from mlconv.quantize.quantizer import Quantizer
from mlconv.quantize.ranges import MIN_MAX
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.report import FLOAT, Layer
from mlconv.quantize.unread import Unread
from mlconv.rewrite import edit

_LARGE = 1 << 10
"""Bytes of a constant whose numbers are not looked at."""
INTEGERS, RUN_TIME, STORED = "integers", "integers at run time", "stored"
STATUSES = (FLOAT, STORED, RUN_TIME, INTEGERS)


class _NoSamples(Collector):
    """Values are within [-1, 1], and nothing else is known."""

    def collect(
        self, function: Function, wanted: Mapping[K, Value], observe: Observe[K], stage: str = ""
    ) -> dict[K, list[Array]]:
        ends = [np.asarray(-1.0, np.float32), np.asarray(1.0, np.float32)]
        return {key: ends for key in wanted if isinstance(key, Value)}


class Planned(NamedTuple):
    """One op, at a place.  status: `float`, `stored` (its weights are integers, it computes with floats), `integers at
    run time` or `integers`.  reason: why it is not `integers`.
    """

    layer: Layer
    place: Location | None
    status: str
    reason: str


@dataclass
class Planner(Quantizer):
    """Quantizes a module that is looked at and never written."""

    def quantize(self, module: Module) -> None:
        """Raises ConversionError RuleMatchesNothing, UsageError."""
        for op in module.walk():
            if isinstance(op, core.Constant) and op.value.dtype is DType.F32 and op.value.nbytes > _LARGE:
                edit.set_attribute(op, "value", Unread(op.value, op.value.shape))
        super().quantize(module)

    def planned(self, lowered: str, lacks: str) -> list[Planned]:
        """What becomes of each op.  To be asked right behind the lowering to ops over integers.  lowered: the status of
        ops whose operands and results are quantized, where nothing lowers them; empty where that was done.  lacks: why
        an op that might compute with integers does not.
        """
        return [
            Planned(layer, op.location, *self._status(op, layer, lowered, lacks))
            for op, layer in self.described.layers.items()
        ]

    def _status(self, op: OpDef, layer: Layer, lowered: str, lacks: str) -> tuple[str, str]:
        if layer.scheme == FLOAT:
            return FLOAT, layer.reason
        is_static = op in self.described.tails and self.described.tails[op][2] is not None
        if is_static:
            status = lowered or (INTEGERS if op.block is None else FLOAT)
            return status, "" if status == INTEGERS else lacks
        if op.block is None and not isinstance(op, core.Gather):
            return RUN_TIME, "what it reads is rounded when it runs"
        return STORED, f"{layer.scheme} stores weights; it computes with floats"


def planner(recipe: Recipe, dynamic: bool, dynamic_blocks: bool) -> Planner:
    """dynamic, dynamic_blocks: what the target has, as `Quantizer` takes them."""
    nothing = _NoSamples(lambda function: (), InTurn(lambda module: lambda inputs: {}), samples=1)
    plain = replace(recipe, equalize=False, only_integers=False, ranges=MIN_MAX)
    return Planner(plain, nothing, dynamic, dynamic_blocks)
