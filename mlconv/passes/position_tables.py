"""Functions of a distance that is known at run time, as tables: buckets of relative positions, and masks made of them.

`bucket(i - j)` is a dozen elementwise ops over a square of positions.  It changes for small distances only: where that
is proved, by intervals from there to the largest distance, it is a look-up at the distance, limited to the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product as combinations
from typing import Final, NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary, Compare
from mlconv.dialects.core.shape import const_of
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import without_units
from mlconv.ir.spec import OpDef
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.index_forms import positions

_FARTHEST: Final = 1 << 30  # no tensor has an axis that is longer
_LONGEST: Final = 1 << 13  # a table on either side of 0
_GAIN: Final = 6  # ops that a table takes the place of, at least
_TYPES: Final = frozenset({DType.I32, DType.I64, DType.F32, DType.BOOL})

_RISING = (
    core.Cast,
    core.Exp,
    core.Expm1,
    core.Log,
    core.Log1p,
    core.Sqrt,
    core.Floor,
    core.Ceil,
    core.Round,
    core.Sign,
    core.Clamp,
    core.Sigmoid,
    core.Tanh,
)
_CORNERS = (core.Add, core.Sub, core.Mul, core.Div, core.Minimum, core.Maximum)
_TRUTHS = (core.And, core.Or, core.LogicalNot)
_MOVING = (core.ExpandDims, core.Squeeze, core.Reshape)
_PARTS = (*_RISING, *_CORNERS, *_TRUTHS, core.Neg, core.Abs, core.Select, Compare)


class Table(NamedTuple):
    """values[d - first] for a distance d, limited to the table."""

    first: int
    values: Array


class _Cone(NamedTuple):
    """What is computed of one tensor of distances alone.  ops: in order."""

    source: Value
    ops: dict[Op, None]


def look_up_distances(block: Block) -> int:
    """Replace functions of positions by tables; returns how many."""
    cones: dict[Value, _Cone] = {}
    for op in block.ops:
        cone = _joined(op, cones)
        if cone is not None:
            cones[op.results[0]] = cone
    found = [(value, cone, _worth(value, cone)) for value, cone in cones.items() if _leaves(value, cones)]
    of_source: dict[Value, list[tuple[Value, Table]]] = {}
    for value, cone, table in found:
        if table is not None:
            of_source.setdefault(cone.source, []).append((value, table))
    for source, tables in of_source.items():
        _replace(source, tables)
    return sum(map(len, of_source.values()))


def _leaves(value: Value, cones: Mapping[Value, _Cone]) -> bool:
    """Something reads a value, as it is or with other axes of size 1, that is no function of the same distances."""
    if not value.users:
        return False
    for op in value.users:
        if not op.results or op.results[0] not in cones:
            return True
        if isinstance(op, _MOVING) and _leaves(op.results[0], cones):
            return True
    return False


def _joined(op: Op, cones: Mapping[Value, _Cone]) -> _Cone | None:
    """The cone of an op's result; None where it depends on more than one tensor, or on none."""
    if not isinstance(op, OpDef) or not isinstance(op, (*_PARTS, *_MOVING)) or op.results[0].tensor.is_static:
        return None
    if isinstance(op, _MOVING) and not _moves_units(op):
        return None
    read = [op.operands[0]] if isinstance(op, _MOVING) else op.operands
    sources: dict[Value, None] = {}
    ops: dict[Op, None] = {}
    for value in read:
        if value is None or _is_number(value):
            continue
        inner = cones.get(value)
        sources[value if inner is None else inner.source] = None
        ops.update({} if inner is None else inner.ops)
    if len(sources) != 1:
        return None
    (source,) = sources
    if source.tensor.dtype not in (DType.I32, DType.I64) or not _is_aligned(op.results[0], source):
        return None
    if not ops and (isinstance(op, _MOVING) or positions(source) is None):
        return None
    return _Cone(source, {**ops, op: None})


def _moves_units(op: Op) -> bool:
    """The shape changes by axes of size 1 alone."""
    x, y = op.operands[0], op.results[0]
    if x is None or x.tensor.shape is None or y.tensor.shape is None:
        return False
    return without_units(x.tensor.shape) == without_units(y.tensor.shape)


def _is_number(value: Value) -> bool:
    constant = const_of(value)
    return constant is not None and constant.size == 1 and constant.dtype in _TYPES


def _worth(value: Value, cone: _Cone) -> Table | None:
    """The table of a function that takes more ops than looking it up."""
    gone = [op for op in cone.ops if not isinstance(op, _MOVING)]
    if value.tensor.dtype not in _TYPES or isinstance(value.producer, _MOVING) or len(gone) < _GAIN:
        return None
    return _table(value, cone)


def _replace(distances: Value, tables: list[tuple[Value, Table]]) -> None:
    """Look functions of the same distances up, in tables of one length."""
    low = min(table.first for _, table in tables)
    high = max(table.first + len(table.values) - 1 for _, table in tables)
    at: Value | None = None
    for value, table in tables:
        last = value.producer
        assert last is not None and last.block is not None and last.location is not None
        e = CoreBuilder(Builder(last.block, last.location, last))
        if at is None:
            at = e.maximum(e.minimum(distances, high), low)
            at = e.sub(at, low) if low else at
        before, behind = table.first - low, high - (table.first + len(table.values) - 1)
        found = e.y(core.Gather(e.constant(np.pad(table.values, (before, behind), "edge"), value.tensor.dtype), at))
        found = e.expand_dims(found, *range((value.tensor.rank or 0) - (found.tensor.rank or 0)))
        edit.replace_uses(value, found)


def _is_aligned(value: Value, source: Value) -> bool:
    """The shape of the function is that of the distances, behind axes of size 1."""
    a, b = value.tensor.shape, source.tensor.shape
    return a is not None and b is not None and len(a) >= len(b) and a == (1,) * (len(a) - len(b)) + b


def _table(value: Value, cone: _Cone) -> Table | None:
    """The numbers of a function; None where it may change far from 0."""
    size = 1
    while size <= _LONGEST:
        ends = [_range(cone, value, low, high) for low, high in ((-_FARTHEST, -size), (size, _FARTHEST))]
        if all(end is not None and _is_point(end) for end in ends):
            break
        size *= 2
    if size > _LONGEST:
        return None
    distances = np.arange(-size, size + 1)
    values = _computed(cone, value, distances.astype(cone.source.tensor.dtype.numpy))
    changes = np.flatnonzero(values[1:] != values[:-1])
    if not len(changes):
        return None
    first, last = int(changes[0]), int(changes[-1]) + 1
    return Table(int(distances[first]), values[first : last + 1])


def _computed(cone: _Cone, value: Value, distances: Array) -> Array:
    env: dict[Value, Array] = {cone.source: distances}

    def of(v: Value) -> Array:
        constant = const_of(v)
        return env[v] if v in env or constant is None else np.asarray(constant.view()).reshape(())

    for op in cone.ops:
        if isinstance(op, _MOVING):
            env[op.results[0]] = of(op.inputs[0])
        elif isinstance(op, OpDef):
            with np.errstate(all="ignore"):
                y = np.asarray(op.eval(*(of(v) for v in op.inputs)))
            env[op.results[0]] = y
    return np.broadcast_to(env[value], distances.shape).copy()


_Ends = tuple[Array, Array]


def _is_point(ends: _Ends) -> bool:
    return bool(ends[0] == ends[1])


def _range(cone: _Cone, value: Value, low: int, high: int) -> _Ends | None:
    """The least and the largest value between two distances."""
    dtype = cone.source.tensor.dtype.numpy
    env: dict[Value, _Ends | None] = {cone.source: (np.asarray(low, dtype), np.asarray(high, dtype))}
    for op in cone.ops:
        ends = [env[v] if v in env else _number(v) for v in (op.inputs[:1] if isinstance(op, _MOVING) else op.inputs)]
        with np.errstate(all="ignore"):
            env[op.results[0]] = _ends(op, ends)
    return env[value]


def _number(value: Value) -> _Ends:
    constant = const_of(value)
    assert constant is not None
    number = np.asarray(constant.view()).reshape(())
    return number, number


def _ends(op: Op, ends: list[_Ends | None]) -> _Ends | None:
    if isinstance(op, core.Select):
        return _chosen(ends)
    known = [end for end in ends if end is not None]
    if len(known) != len(ends) or not isinstance(op, OpDef):
        return None
    if isinstance(op, _MOVING):
        return known[0]
    if isinstance(op, Binary) and isinstance(op, core.Div) and not (known[1][0] > 0 or known[1][1] < 0):
        return None
    if isinstance(op, core.Abs) and known[0][0] < 0 < known[0][1]:
        return np.zeros_like(known[0][0]), np.maximum(-known[0][0], known[0][1])
    if isinstance(op, Compare):
        return _compared(op, known)
    results = [np.asarray(op.eval(*corner)) for corner in combinations(*known)]
    if any(np.isnan(r) for r in results):
        return None
    return min(results, key=float), max(results, key=float)


def _chosen(ends: list[_Ends | None]) -> _Ends | None:
    cond, a, b = ends
    if cond is not None and _is_point(cond):
        return a if cond[0] else b
    if a is None or b is None:
        return None
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])


def _compared(op: Compare, known: list[_Ends]) -> _Ends:
    """A comparison that two intervals decide; else either."""
    (al, ah), (bl, bh) = known
    apart: Callable[[Array, Array], Array] = op.eval
    if al > bh or ah < bl or (_is_point(known[0]) and _is_point(known[1])):
        told = np.asarray(apart(al, bl))
        return told, told
    if isinstance(op, (core.LessEqual, core.GreaterEqual, core.Less, core.Greater)):
        results = [np.asarray(apart(a, b)) for a, b in combinations((al, ah), (bl, bh))]
        if all(bool(r) == bool(results[0]) for r in results):
            return results[0], results[0]
    return np.asarray(False), np.asarray(True)
