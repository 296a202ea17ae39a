"""What vectors of sizes hold, told from the TFLite ops that compute them.

Source: the kernels of the ops: shape.cc, gather.cc, strided_slice.cc, slice.cc, concatenation.cc, pack.cc, unpack.cc,
split.cc, split_v.cc, floor_div.cc, div.cc (which rounds towards zero), select.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final, TypeAlias, Union

import numpy as np

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import TflOp
from mlconv.ir.constants import Array
from mlconv.ir.core import Known, Op, Value
from mlconv.ir.dims import Size, divide_exactly, maximum, minimum, product, sign_of, total
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.size_facts import SizeFacts, holds, simplify, truncated
from mlconv.ir.spec import MAX_KNOWN, known_of_array
from mlconv.ir.types import TensorType

_INTEGERS: Final = frozenset({DType.I32, DType.I64, DType.BOOL})
_RELATIONS: Final = {
    "LESS": "<",
    "LESS_EQUAL": "<=",
    "GREATER": ">",
    "GREATER_EQUAL": ">=",
    "EQUAL": "==",
    "NOT_EQUAL": "!=",
}
_INT32_MAX: Final = 2**31 - 1


class SizeContents:
    """Contents of integer tensors of rank 0 and 1, and of matrices of pads, of one block, op by op, in order.  facts:
    what is known of sizes.
    """

    def __init__(self, facts: SizeFacts) -> None:
        self.facts = facts
        self._found: dict[Value, Known] = {}

    def of(self, value: Value | None) -> Known | None:
        """Flattened; None in it for a number that is not known, None for it all where nothing is."""
        if value is None:
            return None
        if value not in self._found and isinstance(value.producer, Constant):
            constant = value.producer.value
            if constant.dtype in _INTEGERS and len(constant.shape) <= 1 and constant.size <= MAX_KNOWN:
                known = known_of_array(constant.view())
                if known is not None:
                    self._found[value] = known
        return self._found.get(value)

    def learn(self, op: Op) -> None:
        """What the results of an op hold."""
        if not isinstance(op, TflOp) or not all(map(_is_small, op.results)):
            return
        rule = _RULES.get(op.builtin)
        followed = [*op.results, *(v for v in op.operands if v in self._found)]
        if rule is None or (op.builtin not in _OF_MATRICES and any(v.tensor.rank == 2 for v in followed if v)):
            return
        for value, known in zip(op.results, rule(op, self) or (), strict=False):
            if any(k is not None for k in known) and len(known) == _length(value):
                self._found[value] = tuple(None if k is None else simplify(k, self.facts) for k in known)


def open_bounds(value: Value) -> frozenset[int]:
    """Elements of a vector that nothing depends on: bounds of STRIDED_SLICE that its masks leave open."""
    free: set[int] | None = None
    for op, i in value.uses:
        if not isinstance(op, TflOp) or op.builtin != "STRIDED_SLICE" or i not in (1, 2):
            return frozenset()
        if any(op.attributes.get(k) for k in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask", "offset")):
            return frozenset()
        mask = int(op.attributes.get("begin_mask" if i == 1 else "end_mask") or 0)
        masked = {axis for axis in range(_length(value)) if mask >> axis & 1}
        free = masked if free is None else free & masked
    return frozenset(free or ())


def _is_small(value: Value) -> bool:
    t = value.type
    return (
        isinstance(t, TensorType)
        and t.quant is None
        and t.dtype in _INTEGERS
        and t.shape is not None
        and len(t.shape) <= 2
        and isinstance(t.size, int)
        and t.size <= MAX_KNOWN
    )


def _length(value: Value) -> int:
    n = product(value.tensor.shape or ())
    return n if isinstance(n, int) else -1


def _numbers(known: Known | None) -> list[int] | None:
    """Contents that are all numbers."""
    numbers = [k for k in known or () if isinstance(k, int)]
    return None if known is None or len(numbers) != len(known) else numbers


_Made: TypeAlias = Union[Sequence[Known], None]


def _shape(op: TflOp, c: SizeContents) -> _Made:
    x = op.operands[0]
    return None if x is None or x.tensor.shape is None else [x.tensor.shape]


def _same(op: TflOp, c: SizeContents) -> _Made:
    known = c.of(op.operands[0])
    return None if known is None else [known]


def _cast(op: TflOp, c: SizeContents) -> _Made:
    """Truths are no sizes."""
    x = op.operands[0]
    is_truth = x is not None and DType.BOOL in (x.tensor.dtype, op.results[0].tensor.dtype)
    return None if is_truth else _same(op, c)


def _gather(op: TflOp, c: SizeContents) -> _Made:
    x, at = c.of(op.operands[0]), _numbers(c.of(op.operands[1]))
    whole = op.operands[0].tensor.shape if op.operands[0] is not None else None
    width = whole[1] if whole is not None and len(whole) == 2 else 1
    if x is None or at is None or op.attributes.get("axis") or not isinstance(width, int):
        return None
    if not all(0 <= (i + 1) * width <= len(x) for i in at):
        return None
    return [tuple(x[i * width + k] for i in at for k in range(width))]


def _matrix(op: TflOp, c: SizeContents) -> Array | None:
    """The first operand, of rank 2, as an array of objects."""
    x, known = op.operands[0], c.of(op.operands[0])
    shape = None if x is None else static(x.tensor.shape)
    if known is None or shape is None or len(shape) != 2:
        return None
    flat = np.empty(len(known), object)
    flat[:] = known
    return flat.reshape(shape)


def _transpose(op: TflOp, c: SizeContents) -> _Made:
    x, perm = _matrix(op, c), _numbers(c.of(op.operands[1]))
    return None if x is None or perm is None else [tuple(x.transpose(perm).reshape(-1))]


def _slice_of_matrix(op: TflOp, c: SizeContents) -> _Made:
    x, bounds = _matrix(op, c), [_numbers(c.of(v)) for v in op.operands[1:4]]
    masks = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask", "offset")
    if x is None or any(b is None or len(b) != 2 for b in bounds) or any(op.attributes.get(k) for k in masks):
        return None
    open_begin, open_end = (int(op.attributes.get(k) or 0) for k in ("begin_mask", "end_mask"))
    parts = tuple(
        slice(None if open_begin >> i & 1 else begin, None if open_end >> i & 1 else end, step)
        for i, (begin, end, step) in enumerate(zip(*(b or () for b in bounds), strict=True))
    )
    return [tuple(x[parts].reshape(-1))]


def _strided_slice(op: TflOp, c: SizeContents) -> _Made:
    if op.operands[0] is not None and op.operands[0].tensor.rank == 2:
        return _slice_of_matrix(op, c)
    x = c.of(op.operands[0])
    bounds = [_numbers(c.of(v)) for v in op.operands[1:4]]
    options = op.attributes
    if x is None or any(options.get(k) for k in ("ellipsis_mask", "new_axis_mask", "offset")):
        return None
    begin, end, step = (b[0] if b is not None and len(b) == 1 else None for b in bounds)
    if begin is None or end is None or not step:
        return None
    if options.get("shrink_axis_mask"):
        return [(x[begin],)] if -len(x) <= begin < len(x) else None
    return [x[slice(None if options.get("begin_mask") else begin, None if options.get("end_mask") else end, step)]]


def _slice(op: TflOp, c: SizeContents) -> _Made:
    x, begin, size = c.of(op.operands[0]), *(_numbers(c.of(v)) for v in op.operands[1:3])
    if x is None or begin is None or size is None or len(begin) != 1 or begin[0] < 0:
        return None
    return [x[begin[0] :] if size[0] < 0 else x[begin[0] : begin[0] + size[0]]]


def _concatenation(op: TflOp, c: SizeContents) -> _Made:
    parts: list[Size | None] = []
    for x in op.operands:
        known = c.of(x)
        parts += known if known is not None else [None] * (_length(x) if x is not None and _is_small(x) else 0)
    return [tuple(parts)]


def _unpack(op: TflOp, c: SizeContents) -> _Made:
    known = c.of(op.operands[0])
    return None if known is None else [(k,) for k in known]


def _split(op: TflOp, c: SizeContents) -> _Made:
    return _cut(c.of(op.operands[1]), [_length(y) for y in op.results])


def _split_v(op: TflOp, c: SizeContents) -> _Made:
    return _cut(c.of(op.operands[0]), [_length(y) for y in op.results])


def _cut(known: Known | None, lengths: list[int]) -> _Made:
    if known is None:
        return None
    ends = list(accumulate(lengths))
    return [known[end - n : end] for n, end in zip(lengths, ends, strict=True)]


def _pairs(a: Known | None, b: Known | None) -> list[tuple[Size | None, Size | None]] | None:
    """Elements that meet under broadcasting."""
    if a is None or b is None or not (len(a) == len(b) or 1 in (len(a), len(b))):
        return None
    n = 0 if not a or not b else max(len(a), len(b))
    return list(zip(a * n if len(a) == 1 else a, b * n if len(b) == 1 else b, strict=False))


def _binary(compute: Callable[[Size, Size, SizeFacts], Size | None]) -> Callable[[TflOp, SizeContents], _Made]:
    def rule(op: TflOp, c: SizeContents) -> _Made:
        if op.attributes.get("fused_activation_function", "NONE") != "NONE":
            return None
        pairs = _pairs(c.of(op.operands[0]), c.of(op.operands[1]))
        if pairs is None:
            return None
        return [tuple(None if a is None or b is None else compute(a, b, c.facts) for a, b in pairs)]

    return rule


def _floor_div(a: Size, b: Size, facts: SizeFacts) -> Size | None:
    """A size that divides is not 0: the op fails there."""
    return a // b if sign_of(b) == 1 else divide_exactly(a, b)


def _div(a: Size, b: Size, facts: SizeFacts) -> Size | None:
    """Towards zero."""
    return _floor_div(a, b, facts) if holds(a, ">=", 0, facts) else truncated(a, b)


def _minimum(a: Size, b: Size, facts: SizeFacts) -> Size:
    """No size is larger than int32 holds: indices of 64 bits are held to that."""
    return minimum(a, b) if not isinstance(b, int) or b < _INT32_MAX else a


def _maximum(a: Size, b: Size, facts: SizeFacts) -> Size:
    known = holds(a, ">=", b, facts)
    return maximum(a, b) if known is None else (a if known else b)


def _mod(a: Size, b: Size, facts: SizeFacts) -> Size | None:
    return a % b if sign_of(b) == 1 else None


def _neg(op: TflOp, c: SizeContents) -> _Made:
    known = c.of(op.operands[0])
    return None if known is None else [tuple(None if k is None else -k for k in known)]


def _relation(op: TflOp, c: SizeContents) -> _Made:
    pairs = _pairs(c.of(op.operands[0]), c.of(op.operands[1]))
    if pairs is None:
        return None
    relation = _RELATIONS[op.builtin]
    told = [None if a is None or b is None else holds(a, relation, b, c.facts) for a, b in pairs]
    return [tuple(None if t is None else int(t) for t in told)]


def _select(op: TflOp, c: SizeContents) -> _Made:
    cond, x, y = (c.of(v) for v in op.operands)
    n = _length(op.results[0])
    if cond is None or x is None or y is None or not all(len(v) in (1, n) for v in (cond, x, y)):
        return None
    q, a, b = (v * n if len(v) == 1 else v for v in (cond, x, y))
    return [tuple(None if k is None else (i if k else j) for k, i, j in zip(q, a, b, strict=True))]


def _reduction(compute: Callable[[Sequence[Size]], Size]) -> Callable[[TflOp, SizeContents], _Made]:
    def rule(op: TflOp, c: SizeContents) -> _Made:
        known, axes, x = c.of(op.operands[0]), _numbers(c.of(op.operands[1])), _matrix(op, c)
        if x is not None:
            rows = [[k for k in row if k is not None] for row in x.tolist()]
            whole = axes in ([1], [-1]) and all(len(row) == x.shape[1] > 0 for row in rows)
            return [tuple(compute(row) for row in rows)] if whole else None
        if known is None or not axes or set(axes) - {0, -1} or op.operands[0] is None:
            return None
        sizes = [k for k in known if k is not None]
        return [(compute(sizes),)] if len(sizes) == len(known) > 0 else None

    return rule


def _repeated(op: TflOp, c: SizeContents) -> _Made:
    """BROADCAST_TO and FILL of one number."""
    value = c.of(op.operands[1 if op.builtin == "FILL" else 0])
    n = _length(op.results[0])
    return [value * n] if value is not None and len(value) == 1 and 0 <= n <= MAX_KNOWN else None


def _reverse(op: TflOp, c: SizeContents) -> _Made:
    known = c.of(op.operands[0])
    return None if known is None else [known[::-1]]


_OF_MATRICES: Final = frozenset(
    {
        *("CAST", "RESHAPE", "SQUEEZE", "EXPAND_DIMS", "GATHER", "TRANSPOSE", "STRIDED_SLICE"),
        *("NEG", "MAXIMUM", "SUM"),  # what pads cut off
    }
)
_RULES: Final[dict[str, Callable[[TflOp, SizeContents], _Made]]] = {
    "SHAPE": _shape,
    "CAST": _cast,
    **dict.fromkeys(("RESHAPE", "SQUEEZE", "EXPAND_DIMS"), _same),
    "GATHER": _gather,
    "TRANSPOSE": _transpose,
    "STRIDED_SLICE": _strided_slice,
    "SLICE": _slice,
    **dict.fromkeys(("CONCATENATION", "PACK"), _concatenation),
    "UNPACK": _unpack,
    "SPLIT": _split,
    "SPLIT_V": _split_v,
    "NEG": _neg,
    "ADD": _binary(lambda a, b, _: a + b),
    "SUB": _binary(lambda a, b, _: a - b),
    "MUL": _binary(lambda a, b, _: a * b),
    "MINIMUM": _binary(_minimum),
    "MAXIMUM": _binary(_maximum),
    "FLOOR_DIV": _binary(_floor_div),
    "FLOOR_MOD": _binary(_mod),
    "DIV": _binary(_div),
    **dict.fromkeys(_RELATIONS, _relation),
    **dict.fromkeys(("SELECT", "SELECT_V2"), _select),
    "REDUCE_PROD": _reduction(product),
    "SUM": _reduction(total),
    **dict.fromkeys(("BROADCAST_TO", "FILL"), _repeated),
    "REVERSE_V2": _reverse,
}
