"""Ops over constants that are folded together, for in the end they take no more room than what they are computed of:
weights that a network standardizes (Weight Standardization, Qiao et al. 2019), or that others are added to (LoRA).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.ir.value_groups import Groups
from mlconv.rewrite.fold import fold, is_foldable

_LARGE = 1 << 12  # bytes of a constant that ops are computed together for


def computed_together(block: Block, keeps: Callable[[Op], bool], limit: int) -> Iterator[tuple[OpDef, list[Const]]]:
    """Ops of a block whose results depend on constants alone and are read by others, with these results; where all that
    is computed of some large constants adds at most `limit` bytes to the model.  keeps: whether an op stays.
    """
    for ops in _groups(block, keeps):
        if _growth(ops) > limit:
            continue
        known: dict[Value, Const | None] = {}
        for op in ops:
            results = fold(op, [None if v is None else known.get(v, const_of(v)) for v in op.operands])
            known.update(zip(op.results, results, strict=True))
            if _is_read(op, ops):
                yield op, results


def _groups(block: Block, keeps: Callable[[Op], bool]) -> list[dict[OpDef, None]]:
    """Ops over constants that read one another's results, or one large constant, in order."""
    found, groups = dict[OpDef, None](), Groups()
    for op in block.ops:
        if not isinstance(op, OpDef) or isinstance(op, core.Constant) or not op.inputs or keeps(op):
            continue
        if not all(const_of(v) is not None or v.producer in found for v in op.inputs):
            continue
        if static(v.tensor.size for v in op.results) is None or not is_foldable(op, 1 << 62):
            continue
        found[op] = None
        for v in (*op.inputs, *op.results):
            c = const_of(v)
            if c is None or c.nbytes > _LARGE:
                groups.join(v, op.results[0])
    together: dict[Value, dict[OpDef, None]] = {}
    for op in found:
        together.setdefault(groups.root(op.results[0]), {})[op] = None
    return list(together.values())


def _is_read(op: OpDef, ops: Collection[Op]) -> bool:
    return any(user not in ops for v in op.results for user in v.users)


def _growth(ops: dict[OpDef, None]) -> int:
    """Bytes of what others read, less those of constants that nothing else does."""
    constants = {v: c for op in ops for v in op.inputs if (c := const_of(v)) is not None}
    freed = sum(c.nbytes for v, c in constants.items() if all(user in ops for user in v.users))
    made = [v for op in ops if _is_read(op, ops) for v in op.results]
    return sum(n * v.tensor.dtype.itemsize for v in made if isinstance(n := v.tensor.size, int)) - freed
