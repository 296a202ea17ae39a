"""The shape that tables of sizes begin with: of a value that something reads the shape of, in place of an input that
tells no more.  That vector is no longer gathered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeGuard

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim, Size, divide_exactly
from mlconv.ir.dtypes import DType
from mlconv.ir.types import Shape
from mlconv.legalize.to_tfl.size_plans import Apply, FromTable, Plan, ShapeOf, all_parts, leaves_of

_ARITHMETIC = ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "POW", "SQUARED_DIFFERENCE", "SELECT_V2")
_RELATIONS = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
_UNARY = ("ABS", "CAST", "GELU", "LOGISTIC", "NEG", "RELU", "RELU6", "RSQRT", "SOFTMAX", "SQRT", "TANH")
_PRODUCTS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
_MOVEMENT = ("EXPAND_DIMS", "GATHER", "SQUEEZE", "TRANSPOSE")
# LiteRT knows the shapes of their results before it runs where it knows those of their operands
_PLANNED: Final = frozenset((*_ARITHMETIC, *_RELATIONS, *_UNARY, *_PRODUCTS, *_MOVEMENT))
_STEPS: Final = 64  # back from a value

Axes = Mapping[Size, tuple[Value, int]]


class Read(NamedTuple):
    """A plan, the place where it is read, and the sizes that it holds or makes."""

    plan: Plan
    at: int
    shape: Shape


def table_base(
    value: Value, axes: Axes, plans: Sequence[Read], shapes: Mapping[Shape, Value], place: Mapping[Op, int]
) -> Value | None:
    """What tells all sizes that plans take of an input, and whose whole shape one of them is.  shapes: of values, the
    first of each.
    """
    own = {n for read in plans for _, n in leaves_of(read.plan) if isinstance(n, Dim) and axes[n][0] is value}
    if not own or any(isinstance(p, ShapeOf) and p.value is value for read in plans for p in all_parts(read.plan)):
        return None
    first = min(read.at for read in plans if leaves_of(read.plan))  # where the table is made
    for read in plans:
        base = shapes.get(read.shape) if is_vector(read.plan) and own <= set(read.shape) else None
        producer = None if base is None else base.producer
        if base is not None and producer is not None and place[producer] < first and is_planned(base):
            return base
    return None


def is_vector(plan: Plan) -> TypeGuard[FromTable]:
    """A vector that is gathered from the table of int32."""
    return isinstance(plan, FromTable) and not plan.scalar and plan.dtype is DType.I32


def multiple(sizes: Shape, values: Iterable[Value], with_numbers: bool = False) -> Plan | None:
    """A vector of sizes as numbers times the shape of a value.  with_numbers: to which numbers are added that are no
    multiples.
    """
    for value in values:
        shape = value.tensor.shape or ()
        factors = [divide_exactly(a, b) for a, b in zip(sizes, shape, strict=False)]
        if len(sizes) != len(shape):
            continue
        added = [a if with_numbers and isinstance(a, int) else 0 for a in sizes]
        scales = [0 if n else f for f, n in zip(factors, added, strict=True)]
        numbers = tuple(f for f, n in zip(scales, added, strict=True) if isinstance(f, int) and (n or f > 0))
        if len(numbers) != len(shape):
            continue
        plan = Apply("MUL", ShapeOf(value, DType.I32), FromTable(numbers, False, DType.I32))
        return Apply("ADD", plan, FromTable(tuple(added), False, DType.I32)) if any(added) else plan
    return None


def is_planned(value: Value) -> bool:
    """LiteRT knows its shape before it runs."""
    pending, seen = [value], set[Value]()
    while pending:
        x = pending.pop()
        if x in seen or x.producer is None or isinstance(x.producer, Constant):
            continue
        seen.add(x)
        op = x.producer
        if not isinstance(op, TflOp) or op.builtin not in _PLANNED or len(seen) > _STEPS:
            return False
        pending += op.inputs
    return True
