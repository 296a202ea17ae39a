"""What became of layers.  Which ops compute with integers is planned before they are lowered, and lowering decides:
a float op between integers becomes a table, a planned one becomes floats where a target has no form of it.  Ops are
found again by the nodes of the source that they were made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Op
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Plumbing, has_trait
from mlconv.provenance.locations import Location, origins
from mlconv.quantize.choose import is_real
from mlconv.quantize.report import FLOAT, Layer

_BORDERS = (core.Quantize, core.Dequantize, core.StorageCast, core.Constant, core.ToIntegers, core.FromIntegers)
_SIZES = (core.ShapeOf.name, "tfl.SHAPE", "tfl.RANK")


class Row(NamedTuple):
    """A layer as it was planned.  scheme: that its op has, where that is static, else empty.  moves: the op only moves
    numbers.
    """

    layer: Layer
    place: Location | None
    scheme: str
    moves: bool


def has_floats(op: Op) -> bool:
    """The op reads or makes float tensors, constants aside; to ask for their sizes reads no number."""
    if op.regions or op.name in _SIZES:
        return False
    read = [v for v in op.inputs if not isinstance(v.producer, core.Constant)]
    return any(map(is_real, (*read, *op.results)))


def computes_floats(op: Op) -> bool:
    """A core op does, and is no border of integers."""
    return isinstance(op, OpDef) and not isinstance(op, _BORDERS) and has_floats(op)


def tell_outcome(rows: Iterable[Row], ops: Iterable[Op], computes: Callable[[Op], bool], lacks: str) -> None:
    """Tell layers whether they compute with floats.  ops: what the layers have become.  computes: tells ops over
    floats.  lacks: why an op that was to compute with integers does not.
    """
    rows = list(rows)
    floats = [op for op in ops if computes(op)]
    moving, working = ([op for op in floats if has_trait(op, Plumbing) is moves] for moves in (True, False))
    known = {name for row in rows if row.layer.scheme == FLOAT for name in origins(row.place)}
    moved, worked = _names(moving), _names(working)
    new = _names(op for op in working if known.isdisjoint(origins(op.location)))
    new_moved = _names(op for op in moving if known.isdisjoint(origins(op.location)))
    for row in rows:
        names = set(origins(row.place))
        if not row.scheme:
            continue
        if row.layer.scheme == FLOAT:
            if names.isdisjoint(worked) and not (row.moves and names & moved):
                row.layer.scheme, row.layer.reason = row.scheme, ""
        elif names & new or (row.moves and names & new_moved):
            row.layer.scheme, row.layer.reason = FLOAT, lacks


def _names(ops: Iterable[Op]) -> set[str]:
    return {name for op in ops for name in origins(op.location)}
