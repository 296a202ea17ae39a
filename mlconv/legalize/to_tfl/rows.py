"""Products over the last axis, whatever the axes before it: FULLY_CONNECTED takes x of any rank (`keep_num_dims`,
kernels/fully_connected.cc), or merges all but the last, so that x need not become a matrix in front of one.
"""

from __future__ import annotations

from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import MATRIX
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.dtypes_table import DELEGATE_RANK
from mlconv.rewrite import edit


def keep_rows(block: Block) -> int:
    """Let products read what a RESHAPE makes a matrix of; returns how many do."""
    products = [op for op in walk(block) if isinstance(op, TflOp) and op.builtin == "FULLY_CONNECTED"]
    return sum(_keep(op) or _merge(op) for op in products)


def _merge(op: TflOp) -> bool:
    """Without `keep_num_dims` the kernel merges the axes in front of the last one itself.  Products of integers are
    left: what quantizes their rows looks at the axes.
    """
    x, w = _merged(op), op.operands[1]
    if x is None or w is None or any(v.tensor.quant is not None or v.tensor.dtype is not DType.F32 for v in (x, w)):
        return False
    _read(op, x)
    return True


def _keep(op: TflOp) -> bool:
    x, y = _merged(op), op.result
    old, made = (v.tensor.shape if v is not None else None for v in (x, y))
    behind = list(y.users)
    if x is None or not old or not made or len(made) != MATRIX or not behind:
        return False
    if any(not isinstance(u, TflOp) or u.builtin != "RESHAPE" or u.operands[0] is not y for u in behind):
        return False
    edit.set_attribute(op, "keep_num_dims", True)
    edit.retype(y, TensorType(y.tensor.element, (*old[:-1], made[-1])))
    for user in behind:
        if user.results[0].type == y.type:
            name = user.results[0].name or y.name
            edit.merge(user, into=op, by="rows")
            edit.rename(y, name)
    _read(op, x)
    return True


def _merged(op: TflOp) -> Value | None:
    """What a product reads as a matrix whose rows are merged axes, if it has no more of them than delegates take."""
    rows = op.operands[0]
    before = rows.producer if rows is not None else None
    if rows is None or op.attributes.get("keep_num_dims") or not isinstance(before, TflOp):
        return None
    x = before.operands[0] if before.builtin == "RESHAPE" else None
    old, flat = (v.tensor.shape if v is not None else None for v in (x, rows))
    if not old or not flat or len(flat) != MATRIX or not MATRIX <= len(old) <= DELEGATE_RANK:
        return None
    return x if old[-1] == flat[-1] else None


def _read(op: TflOp, x: Value) -> None:
    """Let a product read x itself, and not what a RESHAPE makes of it."""
    before = op.inputs[0].producer
    edit.set_operand(op, 0, x)
    if before is not None and not before.results[0].users:
        edit.absorb(op, before, by="rows")
        edit.erase(before)
