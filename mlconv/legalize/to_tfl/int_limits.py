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

_OTHER = {"MINIMUM": "MAXIMUM", "MAXIMUM": "MINIMUM"}
_LARGEST = {DType.I32: 2**31 - 1, DType.I64: 2**63 - 1}


def limit_from_0(op: TflOp) -> bool:
    """min(max(x, low), high) - low is RELU(min(x, high) - low), in any order of the limits.  Without that to the other
    side the sum might wrap.
    """
    x, moved = op.inputs
    by = _number(moved)
    if by is None or x.tensor.shape != op.result.tensor.shape:
        return False
    low = by if op.builtin == "SUB" else -by
    if low > 0 or op.attributes.get("fused_activation_function", "NONE") != "NONE":
        return False  # what is far below 0 would wrap
    outer = made_by(x, *_OTHER)
    inner = None if outer is None else made_by(outer.inputs[0], _OTHER[outer.builtin])
    if outer is None or inner is None or not x.has_one_use:
        return False
    most, least = (outer, inner) if outer.builtin == "MINIMUM" else (inner, outer)
    high = _number(most.inputs[1])
    if high is None or not low <= high <= _LARGEST[x.tensor.dtype] + low or _number(least.inputs[1]) != low:
        return False
    if not least.result.has_one_use or least.inputs[0].tensor.shape != op.result.tensor.shape:
        return False
    edit.set_operand(op if least is outer else outer, 0, least.inputs[0])
    edit.set_attribute(op, "fused_activation_function", "RELU")
    edit.absorb(op, least, by="limit-from-0")
    erase_unused([least])
    return True


def _number(value: Value) -> int | None:
    constant = const_of(value)
    if constant is None or constant.size != 1 or value.tensor.element not in _LARGEST:
        return None
    return int(constant.view().reshape(()))
