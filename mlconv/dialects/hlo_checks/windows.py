"""HLO ops that combine elements: reductions, windows, sorting."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.dialects.hlo_checks.base import Ints, axes, dtype, one_axis, region_types, result_is, scalars, shape
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp
from mlconv.ir.types import TensorType


def windowed(op: TargetOp, sizes: Ints) -> Ints:
    """How often the window fits along each axis."""
    window, out = op.attributes["window"], []
    if len(window) != len(sizes):
        raise op.malformed(f"the window has {len(window)} axes, expected {len(sizes)}")
    for n, (k, s, low, high, d, base) in zip(sizes, window, strict=True):
        if min(k, s, d, base) < 1:
            raise op.malformed("a window size, stride or dilation is not positive")
        room = max(0, (n - 1) * base + 1) + low + high - ((k - 1) * d + 1)
        out.append(room // s + 1 if room >= 0 else 0)
    return tuple(out)


def _combined(op: TargetOp, sizes: Ints) -> None:
    """Operands and the values that they start with make a result each, of those sizes."""
    count = len(op.inputs) // 2
    if len(op.inputs) != 2 * count or len(op.results) != count or not count:
        raise op.malformed(f"it has {len(op.inputs)} operands and {len(op.results)} results")
    for i in range(count):
        if shape(op, count + i) or dtype(op, count + i) is not dtype(op, i):
            raise op.malformed(f"operand {i} starts with {op.inputs[count + i].type}")
        if shape(op, i) != shape(op):
            raise op.malformed("the operands have different shapes")
        result_is(op, sizes, dtype(op, i), i)
    each = scalars(op, 0, count)
    region_types(op, op.regions[0], [*each, *each], each, "the computation")


def _reduce(op: TargetOp) -> None:
    gone = axes(op, "dimensions", len(shape(op)))
    _combined(op, tuple(n for i, n in enumerate(shape(op)) if i not in gone))


def _reduce_window(op: TargetOp) -> None:
    axes(op, "reversed", len(shape(op)))
    _combined(op, windowed(op, shape(op)))


def _sort(op: TargetOp) -> None:
    if not op.inputs or len(op.results) != len(op.inputs):
        raise op.malformed(f"it has {len(op.inputs)} operands and {len(op.results)} results")
    one_axis(op, len(shape(op)))
    for i in range(len(op.inputs)):
        if shape(op, i) != shape(op):
            raise op.malformed("the operands have different shapes")
        result_is(op, shape(op), dtype(op, i), i)
    pairs: Sequence[TensorType] = [TensorType(v.tensor.dtype, ()) for v in op.inputs for _ in range(2)]
    region_types(op, op.regions[0], pairs, [TensorType(DType.BOOL, ())], "the comparison")


CHECKS: dict[str, Callable[[TargetOp], None]] = {
    "reduce": _reduce,
    "reduce-window": _reduce_window,
    "sort": _sort,
}
