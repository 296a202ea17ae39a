"""Equal TFLite ops and constants made one: functions that work on their own ask for the same shapes, axes and casts
again and again.
"""

from __future__ import annotations

from collections.abc import Hashable

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import TflOp
from mlconv.ir.constants import Const, Inline, Splat
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dims import Dim
from mlconv.ir.shapes import is_told
from mlconv.ir.traits import Commutative, is_pure
from mlconv.ir.types import TensorType
from mlconv.rewrite import edit

_HASHED_BYTES = 1 << 12


def merge_equal(block: Block) -> int:
    """Merge within a block, and within each region's own block; returns how many ops went.  Results of merged ops keep
    the first one's names.
    """
    pending, merged = [block], 0
    while pending:
        current = pending.pop()
        seen: dict[Hashable, Op] = {}
        for op in current.ops:
            pending.extend(region.block for region in op.regions)
            key = _key(op)
            if key is None:
                continue
            first = seen.setdefault(key, op)
            if first is op or not all(map(_alike, op.results, first.results)):
                continue
            edit.merge(op, into=first, by="merge")
            merged += 1
    return merged


def _alike(a: Value, b: Value) -> bool:
    """Of one type, but for sizes that the run tells: what equal ops make has equal ones."""
    t, u = a.type, b.type
    if t == u or not isinstance(t, TensorType) or not isinstance(u, TensorType):
        return t == u
    if t.element != u.element or t.shape is None or u.shape is None or len(t.shape) != len(u.shape):
        return False
    sizes = zip(t.shape, u.shape, strict=True)
    return all(n == m or (isinstance(n, Dim) and isinstance(m, Dim)) or not is_told((n, m)) for n, m in sizes)


def _key(op: Op) -> Hashable | None:
    """What makes two ops equal; None for ops that are not to be merged."""
    if isinstance(op, Constant):
        return _constant_key(op.value)
    if not isinstance(op, TflOp) or op.regions or not is_pure(op):
        return None
    operands = tuple(-1 if v is None else id(v) for v in op.operands)
    if op.spec is not None and Commutative in op.spec.traits:
        operands = tuple(sorted(operands))
    attributes = tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in op.attributes.items())
    return (op.name, operands, attributes)


def _constant_key(constant: Const) -> Hashable | None:
    is_small = constant.nbytes <= _HASHED_BYTES and isinstance(constant, Inline)
    return constant.key if is_small or isinstance(constant, Splat) else ("object", id(constant))
