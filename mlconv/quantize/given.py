"""Ops that a source has between quantized tensors already: it says what their integers mean."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Op, Value
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Plumbing, has_trait
from mlconv.quantize.choose import PRODUCTS, floats_of, may_round

_STEPS = 4  # between two borders: a transpose, a product, its bias, limits


def is_given(op: Op) -> bool:
    """All that the op reads was integers, and all that it makes becomes such, as a bias and limits behind a product do;
    or the op is a border of these.
    """
    if isinstance(op, (core.Quantize, core.Dequantize)):
        return True
    return _passes(op) and _is_from_integers(op) and _is_for_integers(op)


def _passes(op: Op) -> bool:
    return isinstance(op, OpDef) and (isinstance(op, PRODUCTS) or may_round(op) or has_trait(op, Plumbing))


def _is_from_integers(op: Op, steps: int = _STEPS) -> bool:
    values = [op.operands[i] for i in floats_of(op)] if isinstance(op, OpDef) else []
    found = [value for value in values if value is not None and const_of(value) is None]
    return bool(found) and all(_was_integers(value, steps) for value in found)


def _was_integers(value: Value, steps: int) -> bool:
    maker = value.producer
    if isinstance(maker, core.Dequantize):
        return True
    return steps > 0 and maker is not None and _passes(maker) and _is_from_integers(maker, steps - 1)


def _is_for_integers(op: Op, steps: int = _STEPS) -> bool:
    users = [user for value in op.results for user in value.users]
    return bool(users) and all(
        isinstance(user, core.Quantize)
        or (steps > 0 and not isinstance(user, PRODUCTS) and _passes(user) and _is_for_integers(user, steps - 1))
        for user in users
    )
