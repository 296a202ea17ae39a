"""What became of layers.  Which ops compute with integers is planned before they are lowered, and lowering decides:
a float op between integers becomes a table, a planned one becomes floats where a target has no form of it.  Ops are
found again by the nodes of the source that they were made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Plumbing, has_trait
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import Location, origins
from mlconv.quantize.choose import is_border, is_real
from mlconv.quantize.report import FLOAT, Layer

_BORDERS = (core.Quantize, core.Dequantize, core.StorageCast, core.Constant, core.ToIntegers, core.FromIntegers)
_SIZES = (core.ShapeOf.name, "tfl.SHAPE", "tfl.RANK")


class Row(NamedTuple):
    """A layer as it was planned.  scheme: that its op has, where that is static, else empty.  moving: the scheme of the
    integers that it may move, if it does nothing else, whatever is asked for it: that changes no number.
    """

    layer: Layer
    place: Location | None
    scheme: str
    moving: str


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
    rows, ops = list(rows), list(ops)
    floats = [op for op in ops if computes(op) and not is_border(op)]
    moving, working = ([op for op in floats if has_trait(op, Plumbing) is moves] for moves in (True, False))
    known = {name for row in rows if row.layer.scheme == FLOAT for name in origins(row.place)}
    moved, worked = _names(moving), _names(working)
    new = _names(op for op in working if known.isdisjoint(origins(op.location)))
    new_moved = _names(op for op in moving if known.isdisjoint(origins(op.location)))
    integers = _names(op for op in ops if has_trait(op, Plumbing) and any(_is_quantized(v) for v in op.results))
    for row in rows:
        names, is_float = set(origins(row.place)), row.layer.scheme == FLOAT
        scheme = row.scheme or (row.moving if names & integers else "")
        if row.scheme and not is_float and names & (new_moved if row.moving else new):
            row.layer.scheme, row.layer.reason = FLOAT, lacks
        elif scheme and is_float and names.isdisjoint(moved if row.moving else worked):
            row.layer.scheme, row.layer.reason = scheme, ""


def _names(ops: Iterable[Op]) -> set[str]:
    return {name for op in ops for name in origins(op.location)}


def _is_quantized(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.quant is not None
