"""What ops infer of their results once more is known of what they read: sharper shapes, contents of small tensors."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from mlconv.diagnostics import ConversionError
from mlconv.ir.core import Known, Op, Value
from mlconv.ir.dims import Dim
from mlconv.ir.spec import OpDef, contents
from mlconv.ir.types import Shape, TensorType
from mlconv.rewrite import edit


def refine_users(values: Iterable[Value]) -> list[Op]:
    """More is known of values: so it may be of what the ops of a function's own block make of them, and so on.  Returns
    the ops of whose results more is known now.  What is known only grows, so that no op is asked more often than its
    operands have axes and elements.
    """
    pending = deque(values)
    refined: dict[Op, None] = {}
    while pending:
        for op in pending.popleft().users:
            if not isinstance(op, OpDef) or op.regions or _is_nested(op):
                continue
            before = [_known_of(v) for v in op.results]
            try:
                _refine(op)
            except ConversionError:
                continue  # who computes it says what does not fit, and where
            more = [v for v, known in zip(op.results, before, strict=True) if _known_of(v) > known]
            pending.extend(more)
            if more:
                refined[op] = None
    return list(refined)


def _refine(op: OpDef) -> None:
    for value, type_ in zip(op.results, op.inferred(), strict=True):
        if isinstance(type_, TensorType):
            sharpen(value, _without_new_sizes(value, type_.shape))
    if len(op.results) == 1:
        _learn(op)


def tells_more(new: Value, old: Value) -> bool:
    """More is known of what takes the place of a value."""
    return _known_of(new) > _known_of(old)


def _is_nested(op: Op) -> bool:
    """It stands in a region, whose types others must agree with."""
    return op.block is None or op.block.parent is not None


def _known_of(value: Value) -> tuple[int, int]:
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return _told((*(shape or ()), *(value.known or ())))


def _without_new_sizes(value: Value, shape: Shape | None) -> Shape | None:
    """A shape in which sizes that nothing is known about stay those of the value's."""
    have = value.tensor.shape
    if shape is None or have is None or len(have) != len(shape):
        return shape
    return tuple(h if isinstance(s, Dim) and not s.is_known else s for h, s in zip(have, shape, strict=True))


def refine_op(op: OpDef) -> None:
    if all(isinstance(v.type, TensorType) and v.type.is_static for v in op.results) and len(op.results) != 1:
        return
    for value, type_ in zip(op.results, op.inferred(), strict=True):
        if isinstance(type_, TensorType):
            sharpen(value, type_.shape)
    if len(op.results) == 1:
        _learn(op)


def _learn(op: OpDef) -> None:
    """Integer contents that can be deduced now."""
    value = op.results[0]
    known = contents(op)
    if known is not None and (value.known is None or _told(known) > _told(value.known)):
        value.known = known


def _told(known: Known) -> tuple[int, int]:
    """How many are numbers, how many are sizes or numbers."""
    numbers = sum(isinstance(k, int) for k in known)
    return numbers, numbers + sum(isinstance(k, Dim) and k.is_known for k in known)


def sharpen(value: Value, shape: Shape | None) -> None:
    """Take over the sizes of `shape` where the value's type has no number, but not what nothing is known about where it
    has an expression.
    """
    have = value.tensor.shape
    if shape is None or have == shape:
        return
    if have is None:
        edit.retype(value, value.tensor.with_shape(shape))
    elif len(have) == len(shape):
        edit.retype(
            value,
            value.tensor.with_shape(
                tuple(
                    h if isinstance(h, int) or (h.is_known and isinstance(s, Dim) and not s.is_known) else s
                    for h, s in zip(have, shape, strict=True)
                )
            ),
        )
