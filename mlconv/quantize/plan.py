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
from mlconv.quantize.collect import Collector, InTurn
from mlconv.quantize.observe import K, Observe
from mlconv.quantize.outcome import Row
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
        self, function: Function, wanted: Mapping[K, Value], observe: Observe[K], stage: str = "", answers: int = 0
    ) -> dict[K, list[Array]]:
        ends = [np.asarray(-1.0, np.float32), np.asarray(1.0, np.float32)]
        return {key: ends for key in wanted if isinstance(key, Value)}


class Planned(NamedTuple):
    """One op, at a place.  kind: where nothing keeps it in floats, `stored` (its weights are integers, it computes with
    floats), `integers at run time` or `integers`.
    """

    row: Row
    kind: str

    @property
    def layer(self) -> Layer:
        return self.row.layer

    @property
    def status(self) -> str:
        """`float`, or the kind."""
        return FLOAT if self.layer.scheme == FLOAT else self.kind

    @property
    def reason(self) -> str:
        """Why it is not `integers`."""
        if self.layer.scheme == FLOAT or self.kind == INTEGERS:
            return self.layer.reason
        if self.kind == RUN_TIME:
            return "what it reads is rounded when it runs"
        return self.layer.reason or f"{self.layer.scheme} stores weights; it computes with floats"


@dataclass
class Planner(Quantizer):
    """Quantizes a module that is looked at and never written."""

    def quantize(self, module: Module) -> None:
        """Raises ConversionError RuleMatchesNothing, UsageError."""
        for op in module.walk():
            if isinstance(op, core.Constant) and op.value.dtype is DType.F32 and op.value.nbytes > _LARGE:
                edit.set_attribute(op, "value", Unread(op.value, op.value.shape))
        super().quantize(module)

    def planned(self) -> list[Planned]:
        """What becomes of each op.  To be asked right behind the lowering to ops over integers."""
        rows = self.described.rows()
        return [Planned(row, _kind(op, row)) for op, row in zip(self.described.layers, rows, strict=True)]


def _kind(op: OpDef, row: Row) -> str:
    if row.scheme:
        return INTEGERS
    return RUN_TIME if op.block is None and not isinstance(op, core.Gather) else STORED


def planner(recipe: Recipe, dynamic: bool, dynamic_blocks: bool, symmetric: bool = False) -> Planner:
    """dynamic, dynamic_blocks, symmetric: what the target has, as `Quantizer` takes them."""
    nothing = _NoSamples(lambda function: (), InTurn(lambda module: lambda inputs: {}), samples=1)
    plain = replace(recipe, equalize=False, ranges=MIN_MAX)
    return Planner(plain, nothing, dynamic, dynamic_blocks, symmetric)
