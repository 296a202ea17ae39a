"""What is known of bounds that tf2onnx computes: it puts what the masks of StridedSlice say into arithmetic.

`max(float(end), masked * 1e9)` is an end, and `where(end == 1e9 and step < 0, -1e9, end)` one of a step of any sign.
Source: tf2onnx, onnx_opset/tensor.py, `StridedSlice.version_10`.
"""

from __future__ import annotations

from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Known, Value
from mlconv.ir.dtypes import EXACT_INTEGERS
from mlconv.ir.spec import MAX_KNOWN
from mlconv.rewrite import constant_array

_DEPTH: Final = 6


def told_integers(value: Value, depth: int = _DEPTH) -> Known | None:
    """Contents of a small integer tensor, as `known_ints` has them, also of what was a float in between, and of choices
    that constants decide.  depth: of ops that are looked through.
    """
    op, t = value.producer, value.tensor
    if value.known is not None:
        return value.known
    if not depth or not isinstance(t.size, int) or t.size > MAX_KNOWN:
        return None
    if isinstance(op, core.Cast):
        return _cast(told_integers(op.x, depth - 1), op)
    if isinstance(op, core.Select):
        side = None if (chosen := _decided(op.cond, depth)) is None else op.a if chosen else op.b
        return told_integers(side, depth - 1) if side is not None and side.tensor.shape == t.shape else None
    if isinstance(op, (core.Maximum, core.Minimum)) and op.a.tensor.shape == op.b.tensor.shape:
        return _between(op, depth - 1)
    array = constant_array(value)
    return None if array is None else tuple(int(n) if float(n).is_integer() else None for n in array.reshape(-1))


def _cast(known: Known | None, op: core.Cast) -> Known | None:
    if known is None or not op.dtype.is_float:
        return known
    most = EXACT_INTEGERS.get(op.dtype, 0)
    return tuple(k if isinstance(k, int) and abs(k) <= most else None for k in known)


def _between(op: core.Maximum | core.Minimum, depth: int) -> Known | None:
    a, b = (told_integers(v, depth) for v in op.inputs)
    choose = max if isinstance(op, core.Maximum) else min
    pairs = zip(a or (), b or (), strict=False)
    return tuple(choose(x, y) if isinstance(x, int) and isinstance(y, int) else None for x, y in pairs) or None


def _decided(condition: Value, depth: int) -> bool | None:
    """What a condition is for all elements, where constants tell."""
    array = constant_array(condition)
    if array is not None:
        return bool(array.flat[0]) if array.size and (array == array.flat[0]).all() else None
    op = condition.producer
    if depth and isinstance(op, core.And) and any(_decided(side, depth - 1) is False for side in op.inputs):
        return False
    return None
