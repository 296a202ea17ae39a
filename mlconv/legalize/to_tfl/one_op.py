"""What the forms of several TFLite ops that become one ask and write."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.rewrite import edit


def builder_at(op: Op, before: Op | None = None) -> TflBuilder:
    """A builder that writes before an op, at its place."""
    assert op.block is not None and op.location is not None
    return TflBuilder(Builder(op.block, op.location, before or op))


def made_by(value: Value | None, *builtins: str) -> TflOp | None:
    """The op behind a value, one of these, without an activation."""
    op = None if value is None else value.producer
    if not isinstance(op, TflOp) or op.builtin not in builtins:
        return None
    return op if op.attributes.get("fused_activation_function", "NONE") == "NONE" else None


def feeds_one(x: Value) -> bool:
    """One op reads the numbers of x; what reads its shape may read that of what it goes into as well."""
    return sum(not (isinstance(op, TflOp) and op.builtin == "SHAPE") for op in x.users) == 1


def chain(value: Value, *builtins: str) -> list[TflOp] | None:
    """The ops behind a value, the last one first, each of which the one before alone reads as its first operand."""
    found: list[TflOp] = []
    for builtin in builtins:
        made = made_by(value, builtin)
        if made is None or not value.has_one_use:
            return None
        found.append(made)
        value = made.inputs[0]
    return found


def ints_of(value: Value) -> list[int] | None:
    """Numbers of a constant, such as axes and bounds."""
    constant = const_of(value)
    return None if constant is None else [int(n) for n in constant.view().reshape(-1)]


def replace(op: TflOp, parts: Sequence[Op], y: Value, by: str) -> None:
    """y takes the place of the op, with the places of its parts, which go where nothing else uses them."""
    made = y.producer
    assert made is not None
    edit.absorb(made, *parts, by=by)
    edit.rename(y, op.result.name or y.name)
    edit.replace(op, [y])
    erase_unused(parts)


def erase_unused(parts: Sequence[Op]) -> None:
    """Those of which nothing is used go."""
    for part in parts:
        if part.block is not None and not part.is_used:
            edit.erase(part)
