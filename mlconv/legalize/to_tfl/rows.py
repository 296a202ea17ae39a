"""Products over the last axis, whatever the axes before it: FULLY_CONNECTED takes x of any rank (`keep_num_dims`,
kernels/fully_connected.cc), or merges all but the last, so that x need not become a matrix in front of one.
"""

from __future__ import annotations

from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Block, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.rewrite import edit


def keep_rows(block: Block) -> int:
    """Let products read what a RESHAPE makes a matrix of; returns how many do."""
    products = [op for op in walk(block) if isinstance(op, TflOp) and op.builtin == "FULLY_CONNECTED"]
    return sum(_keep(op) or _merge(op) for op in products)


def _merge(op: TflOp) -> bool:
    """Without `keep_num_dims` the kernel merges the axes in front of the last one itself.  Products of integers are
    left: what quantizes their rows looks at the axes.
    """
    rows, w = op.operands[0], op.operands[1]
    before = rows.producer if rows is not None else None
    if op.attributes.get("keep_num_dims") or not isinstance(before, TflOp) or before.builtin != "RESHAPE":
        return False
    x = before.operands[0]
    old, flat = (v.tensor.shape if v is not None else None for v in (x, rows))
    if x is None or w is None or not old or not flat or len(flat) != 2 or len(old) < 2 or old[-1] != flat[-1]:
        return False
    if any(v.tensor.quant is not None or v.tensor.dtype is not DType.F32 for v in (x, w)):
        return False
    edit.set_operand(op, 0, x)
    if not before.result.users:
        edit.absorb(op, before, by="rows")
        edit.erase(before)
    return True


def _keep(op: TflOp) -> bool:
    rows = op.operands[0]
    before = rows.producer if rows is not None else None
    if op.attributes.get("keep_num_dims") or not isinstance(before, TflOp) or before.builtin != "RESHAPE":
        return False
    x, y = before.operands[0], op.result
    old, flat, made = (v.tensor.shape if v is not None else None for v in (x, rows, y))
    if x is None or not old or not flat or not made or len(made) != 2 or len(old) < 2 or old[-1] != flat[-1]:
        return False
    behind = list(y.users)
    if not behind or any(not isinstance(u, TflOp) or u.builtin != "RESHAPE" or u.operands[0] is not y for u in behind):
        return False
    edit.set_operand(op, 0, x)
    edit.set_attribute(op, "keep_num_dims", True)
    edit.retype(y, TensorType(y.tensor.element, (*old[:-1], made[-1])))
    for user in behind:
        if user.results[0].type == y.type:
            name = user.results[0].name or y.name
            edit.merge(user, into=op, by="rows")
            edit.rename(y, name)
    if not before.result.users:
        edit.erase(before)
    return True
