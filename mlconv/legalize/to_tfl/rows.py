"""Products over the last axis, whatever the axes before it: FULLY_CONNECTED takes x of any rank (`keep_num_dims`,
kernels/fully_connected.cc), or merges all but the last, so that x need not become a matrix in front of one.
"""

from __future__ import annotations

from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import MATRIX
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tfl.dtypes_table import DELEGATE_RANK
from mlconv.rewrite import edit


def keep_rows(block: Block) -> int:
    """Let products read what a RESHAPE in front does, and write what one behind does; returns how many do."""
    products = [op for op in walk(block) if isinstance(op, TflOp) and op.builtin == "FULLY_CONNECTED"]
    return sum([_keep(op) or _merge(op) for op in products]) + sum([_write_matrix(op) for op in products])


def _merge(op: TflOp) -> bool:
    """Without `keep_num_dims` the kernel merges the axes in front of the last one itself.  Products of integers are
    left: what quantizes their rows looks at the axes.
    """
    x = None if op.attributes.get("keep_num_dims") or not _is_float(op) else _before(op)
    if x is None:
        return False
    _read(op, x)
    return True


def _write_matrix(op: TflOp) -> bool:
    """The same where a RESHAPE behind it does so, and was not taken before it."""
    y = op.result
    behind, made = list(y.users), y.tensor.shape
    if len(behind) != 1 or not made or len(made) <= MATRIX or not _are_reshapes(y) or not _is_float(op):
        return False
    flat = behind[0].results[0].tensor.shape
    if not flat or len(flat) != MATRIX or flat[-1] != made[-1]:
        return False
    edit.set_attribute(op, "keep_num_dims", False)
    _write(op, flat[:-1])
    return True


def _is_float(op: TflOp) -> bool:
    return all(v.tensor.quant is None and v.tensor.dtype is DType.F32 for v in op.inputs[:2])


def _are_reshapes(y: Value) -> bool:
    """Whether a value is only given other shapes."""
    return bool(y.users) and all(
        isinstance(u, TflOp) and u.builtin == "RESHAPE" and u.operands[0] is y for u in y.users
    )


def _keep(op: TflOp) -> bool:
    """The axes that a RESHAPE in front splits or merges, where one behind does so anyway."""
    x = _before(op)
    old = x.tensor.shape if x is not None else None
    if x is None or not old or not _are_reshapes(op.result):
        return False
    edit.set_attribute(op, "keep_num_dims", len(old) > MATRIX)
    _write(op, old[:-1])
    _read(op, x)
    return True


def _write(op: TflOp, rows: Shape) -> None:
    """Let a product write rows, and not what RESHAPE makes these of."""
    y = op.result
    edit.retype(y, TensorType(y.tensor.element, (*rows, *(y.tensor.shape or ())[-1:])))
    for user in list(y.users):
        if user.results[0].type == y.type:
            name = user.results[0].name or y.name
            edit.merge(user, into=op, by="rows")
            edit.rename(y, name)


def _before(op: TflOp) -> Value | None:
    """What a product reads with other axes in front of the last one, if it has no more of them than delegates take."""
    rows = op.operands[0]
    before = rows.producer if rows is not None else None
    if rows is None or not isinstance(before, TflOp) or before.builtin != "RESHAPE":
        return None
    x = before.operands[0]
    old, now = (v.tensor.shape if v is not None else None for v in (x, rows))
    if not old or not now or len(now) < MATRIX or not MATRIX <= len(old) <= DELEGATE_RANK:
        return None
    return x if old[-1] == now[-1] else None


def _read(op: TflOp, x: Value) -> None:
    """Let a product read x itself, and not what a RESHAPE makes of it."""
    before = op.inputs[0].producer
    edit.set_operand(op, 0, x)
    if before is not None and not before.results[0].users:
        edit.absorb(op, before, by="rows")
        edit.erase(before)
