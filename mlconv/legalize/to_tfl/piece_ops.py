"""What is computed of each number of a vector, one by one, is computed before the numbers are taken apart: sizes of all
levels of a pyramid as floats, less a half, ...
"""

from __future__ import annotations

from collections.abc import Hashable

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.one_op import builder_at, erase_unused
from mlconv.rewrite import edit

_ELEMENTWISE = frozenset(("CAST", "ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM"))
_TYPES = (DType.F32, DType.I32)  # what UNPACK copies, and these ops compute

Kind = tuple[Hashable, ...]


def compute_before_unpack(block: Block) -> None:
    """In place."""
    waiting = [op for op in block.ops if isinstance(op, TflOp) and op.builtin == "UNPACK" and _is_vector(op)]
    while waiting:
        op = waiting.pop()
        kinds: dict[Kind, list[tuple[int, TflOp]]] = {}
        for i, part in enumerate(op.results):
            for user in dict.fromkeys(part.users):
                kind = _kind(user, part)
                if isinstance(user, TflOp) and kind is not None:
                    kinds.setdefault(kind, []).append((i, user))
        for users in kinds.values():
            made = _at_once(op, users)
            waiting += [] if made is None else [made]
        erase_unused([op])


def _is_vector(op: TflOp) -> bool:
    x = op.inputs[0].tensor
    return x.rank == 1 and x.quant is None and op.next is not None


def _kind(user: Op, part: Value) -> Kind | None:
    """The same for ops that compute the same of a number and of constants; None of others."""
    producer = part.producer
    if not isinstance(user, TflOp) or producer is None or user.block is not producer.block:
        return None
    y = user.result.tensor if user.builtin in _ELEMENTWISE else None
    if y is None or y.dtype not in _TYPES or y.quant is not None:
        return None
    if user.builtin == "DIV" and y.dtype.is_int:
        return None  # the kernel refuses divisors of 0, which numbers that nobody divides by may be
    operands: list[Hashable] = []
    for x in user.inputs:
        if x is part:
            operands.append(None)
            continue
        constant = const_of(x)
        if constant is None or constant.size != 1 or x.tensor.rank:
            return None
        operands.append((x.tensor.dtype, constant.view().tobytes()))
    return (user.builtin, y.dtype, tuple(operands), tuple(sorted(map(repr, user.attributes.items()))))


def _at_once(op: TflOp, users: list[tuple[int, TflOp]]) -> TflOp | None:
    """One op and one more UNPACK in the place of ops, where these are more."""
    ops = dict.fromkeys(user for _, user in users)
    is_read = any(user not in ops for part in op.results for user in part.users)
    following = op.next
    if len(ops) <= 1 + is_read or following is None:
        return None
    first, x, e = users[0][1], op.inputs[0], builder_at(following)
    parts_of = set(op.results)
    numbers = [(v, const_of(v)) for v in first.inputs if v not in parts_of]
    made = {v: e.constant(c.view(), v.tensor.dtype) for v, c in numbers if c is not None}
    dtype = first.result.tensor.dtype
    whole = e.one(first.builtin, [made.get(v, x) for v in first.inputs], x.tensor.with_dtype(dtype), **first.attributes)
    types = [part.tensor.with_dtype(dtype) for part in op.results]
    parts = e.tfl("UNPACK", [whole], types, num=len(types), axis=op.attributes["axis"])
    again = parts[0].producer
    assert isinstance(again, TflOp) and whole.producer is not None
    for one in (whole.producer, again):
        edit.absorb(one, *ops, by="compute-before-unpack")
    for i, user in users:
        edit.rename(parts[i], user.result.name or parts[i].name)
        edit.replace(user, [parts[i]])
    return again
