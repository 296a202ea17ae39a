"""Integers that are limited and then moved to count from 0, as places in tables are: ADD and SUB hold them there
themselves.

Source: LiteRT, kernels/add.cc, sub.cc: `CalculateActivationRange` for int32 and int64 too.
"""

from __future__ import annotations

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.one_op import erase_unused, made_by
from mlconv.rewrite import edit


def limit_from_0(op: TflOp) -> bool:
    """max(x, low) - low is RELU(x - low), and so where the limit to the other side is between."""
    x, moved = op.inputs
    by = _number(moved)
    if by is None or x.tensor.shape != op.result.tensor.shape:
        return False
    low = by if op.builtin == "SUB" else -by
    if low > 0 or op.attributes.get("fused_activation_function", "NONE") != "NONE":
        return False  # what is far below 0 would wrap
    most = made_by(x, "MINIMUM")
    high = None if most is None else _number(most.inputs[1])
    within = most.inputs[0] if most is not None and high is not None and high >= low and x.has_one_use else x
    least = made_by(within, "MAXIMUM")
    if least is None or not within.has_one_use or _number(least.inputs[1]) != low:
        return False
    if least.inputs[0].tensor.shape != op.result.tensor.shape:
        return False
    edit.set_operand(op if within is x else most or op, 0, least.inputs[0])
    edit.set_attribute(op, "fused_activation_function", "RELU")
    edit.absorb(op, least, by="limit-from-0")
    erase_unused([least])
    return True


def _number(value: Value) -> int | None:
    constant = const_of(value)
    if constant is None or constant.size != 1 or value.tensor.element not in (DType.I32, DType.I64):
        return None
    return int(constant.view().reshape(()))
