"""Attention of a few rows, as in a step of a decoder: keys and values are read once, from where they lie, those of
earlier steps from the cache that a model is given.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.base import broadcast_shapes
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import Routine, RoutineOp, Sizes
from mlconv.dialects.kernel.row_attention import MOST_ROWS, WHOLE, RowAttention
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, divide_exactly, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import MATRIX
from mlconv.legalize.to_kernel.builder import KernelBuilder, broadcast, sizes
from mlconv.passes.patterns.shared_matrices import shared_factor
from mlconv.rewrite.fold import constant_array

_LEAST = 64  # keys that are worth a kernel of their own
_DEEP = 6  # ops from a product to what softmax is of


class _Scores(NamedTuple):
    """product * factor + mask, in rows of keys.  shape: where the mask is added.  no_nan: what softmax makes of them is
    0 where it is NaN.  choice: numbers that stand in place of some scores, before or after a mask is added.
    """

    product: core.MatMul
    factor: float
    mask: Value | None
    shape: Sizes
    no_nan: bool
    choice: _Choice | None


class _Choice(NamedTuple):
    """`number` where the condition holds, or, kept, where it does not.  masked: the mask is added to it, too."""

    condition: Value
    number: Value
    kept: bool
    masked: bool

    def shape(self, mask: Value | None) -> Sizes:
        """Of what stands in place of scores."""
        masks = [sizes(v) for v in (self.condition, mask if self.masked else None) if v is not None]
        return broadcast_shapes(*masks) or ()

    def replacements(self, mask: Value | None, e: KernelBuilder) -> Value:
        """What stands in place of scores, NaN where they stay."""
        nan = e.constant(math.nan, DType.F32)
        value = e.y(core.Add(self.number, mask)) if self.masked and mask is not None else self.number
        return e.y(core.Select(self.condition, *((nan, value) if self.kept else (value, nan))))


class _Matrices(NamedTuple):
    """Keys or values [*lead, n, elements]: two parts along n, or the whole.  rows: of the first factor, for each."""

    whole: Value
    parts: tuple[Value, Value] | None
    lead: Sizes
    rows: Size


def attention_of_rows(op: core.MatMul, e: KernelBuilder) -> Value | None:
    """op: the product of what softmax leaves with values.  None where it is no such attention."""
    scores = _scores(op)
    if scores is None:
        return None
    factor, of_keys = _times(scores.product.b)
    keys, values = _matrices(scores.product.a, of_keys), _matrices(op.a, op.b)
    if keys is None or values is None or (keys.lead, keys.rows) != (values.lead, values.rows):
        return None
    if keys.parts is None or values.parts is None or _counts(keys) != _counts(values):
        keys, values = keys._replace(parts=None), values._replace(parts=None)
    past, new = _counts(keys)
    rows, depth, width = keys.rows, sizes(keys.whole)[-1], sizes(values.whole)[-1]
    if not isinstance(depth, int) or not isinstance(width, int):
        return None
    count = past + new
    factor *= scores.factor
    fits = _are_few(rows, count) and depth > 0 < width and depth % WHOLE == width % WHOLE == 0
    if (
        not fits
        or {sizes(values.whole)[-2], scores.shape[-1]} != {count}
        or (isinstance(count, int) and count < _LEAST)
    ):
        return None
    choice = scores.choice
    mask = () if scores.mask is None else _axes(sizes(scores.mask), scores, keys, count)
    chosen = () if choice is None else _axes(choice.shape(scores.mask), scores, keys, count)
    if mask is None or chosen is None:
        return None
    heads = keys.lead[-1] if keys.lead else 1
    given = RowAttention(product(keys.lead), heads, rows, past, new, depth, width, factor, mask, scores.no_nan, chosen)
    operands = [scores.product.a, *(keys.parts or [keys.whole]), *(values.parts or [values.whole])]
    if scores.mask is not None:
        operands.append(_of_all_keys(scores.mask, (*mask, count), e))
    if choice is not None:
        operands.append(_of_all_keys(choice.replacements(scores.mask, e), (*chosen, count), e))
    problem = Routine("row_attention", tuple(given), given.needs().scratch, -1)
    return e.kernel(RoutineOp(operands, problem, [op.y.tensor]))


def _are_few(rows: Size, count: Size) -> bool:
    """So few that keys are read as they lie; where the run tells how many rows or keys there are, any."""
    if isinstance(rows, int):
        return rows >= 1 and (rows <= MOST_ROWS or not isinstance(count, int))
    return rows.is_known


def _scores(op: core.MatMul) -> _Scores | None:
    """What softmax is of, where nothing else needs what lies between."""
    weights = _of_rows(op.a)
    softmax, no_nan = weights.producer, False
    if isinstance(softmax, core.Select) and _drops_nan(softmax):
        softmax, no_nan = softmax.b.producer, True
    if op.transpose_a or op.transpose_b or not isinstance(softmax, core.Softmax) or not weights.has_one_use:
        return None
    x, factor, mask, shape, choice = softmax.x, 1.0, None, sizes(softmax.x), None
    if softmax.axis != len(shape) - 1 or op.y.tensor.dtype is not DType.F32:
        return None
    while _is_read_once(x := _of_rows(x)):
        made = x.producer
        if isinstance(made, core.MatMul):
            fine = made.transpose_b and not made.transpose_a and x.tensor.dtype is DType.F32
            return _Scores(made, factor, mask, shape, no_nan, choice) if fine else None
        if isinstance(made, core.Add) and mask is None and factor == 1.0:
            first = _is_scores(made.a)
            x, mask, shape = (made.a, made.b, sizes(x)) if first else (made.b, made.a, sizes(x))
            if mask.tensor.dtype is not DType.F32 or sizes(x) != shape:
                return None
        elif isinstance(made, core.Select) and choice is None and factor == 1.0:
            kept = _is_scores(made.a)
            choice = _Choice(made.cond, made.b if kept else made.a, kept, mask is not None)
            x, shape = made.a if kept else made.b, sizes(x)
            if sizes(x) != shape or not _is_number(choice.number):
                return None
        elif isinstance(made, core.Mul | core.Div):
            part, x = _times(x)
            if x is made.y:
                return None
            factor *= part
        else:
            return None
    return None


def _is_number(x: Value) -> bool:
    """One that is known, and not NaN."""
    known = constant_array(x)
    return known is not None and known.size == 1 and not math.isnan(known.item())


def _is_read_once(x: Value) -> bool:
    """By one op; shapes are known without."""
    return sum(not isinstance(user, core.ShapeOf) for user, _ in x.uses) == 1


def _of_rows(x: Value) -> Value:
    """The same rows, as they were before they stood in other axes."""
    while isinstance(x.producer, core.Reshape) and _is_read_once(x) and sizes(x.producer.x)[-1:] == sizes(x)[-1:]:
        x = x.producer.x
    return x


def _times(x: Value) -> tuple[float, Value]:
    """A number, and what it multiplies."""
    made = x.producer
    if not isinstance(made, core.Mul | core.Div) or not _is_read_once(x) or sizes(made.a) != sizes(x):
        return 1.0, x
    number = constant_array(made.b)
    if number is None or number.size != 1 or not number.item():
        return 1.0, x
    return (float(number.item()) if isinstance(made, core.Mul) else 1 / float(number.item())), made.a


def _drops_nan(op: core.Select) -> bool:
    """0 where b is NaN, else b, which nothing else reads."""
    made, zero = op.cond.producer, constant_array(op.a)
    is_zero = zero is not None and zero.size == 1 and zero.item() == 0
    return is_zero and isinstance(made, core.IsNan) and made.x is op.b and set(op.b.users) == {op, made}


def _is_scores(x: Value, depth: int = _DEEP) -> bool:
    """What was computed by a product with keys, rather than a mask."""
    made = x.producer
    if isinstance(made, core.MatMul) or depth == 0:
        return depth > 0
    if isinstance(made, core.Mul | core.Div | core.Reshape):
        return _is_scores(made.inputs[0], depth - 1)
    return isinstance(made, core.Add | core.Select) and any(_is_scores(v, depth - 1) for v in (made.a, made.b))


def _matrices(first: Value, second: Value) -> _Matrices | None:
    """The second factor of a product, and how many rows of the first one each matrix has."""
    a, b = sizes(first), sizes(second)
    if len(a) != len(b) or const_of(second) is not None or second.tensor.dtype is not DType.F32:
        return None
    shared = shared_factor(first, second)
    if shared is None:
        return _Matrices(second, _parts(second), b[:-MATRIX], a[-2]) if a[:-MATRIX] == b[:-MATRIX] else None
    made = shared.matrices.producer
    if not isinstance(made, core.ExpandDims | core.Reshape) or sizes(made.x) != (*b[:-3], shared.own, *b[-2:]):
        return None
    return _Matrices(made.x, _parts(made.x), (*b[:-3], shared.own), shared.times * a[-2])


def _parts(x: Value) -> tuple[Value, Value] | None:
    """What lies one behind the other."""
    made = x.producer
    if not isinstance(made, core.Concat) or len(made.xs) != 2 or made.axis != len(sizes(x)) - MATRIX:
        return None
    first, second = made.xs
    return None if const_of(first) is not None or const_of(second) is not None else (first, second)


def _counts(matrices: _Matrices) -> tuple[Size, Size]:
    """Rows of both parts."""
    if matrices.parts is None:
        return sizes(matrices.whole)[-2], 0
    first, second = matrices.parts
    return sizes(first)[-2], sizes(second)[-2]


def _axes(shape: Sizes, scores: _Scores, keys: _Matrices, count: Size) -> Sizes | None:
    """Batches, heads and rows of a mask of that shape; None for one that the kernel does not take."""
    if not 0 < len(shape) <= len(scores.shape):
        return None
    if isinstance(count, int) and shape[-1] != count:
        return None
    lead: Sizes = (*(1,) * (len(scores.shape) - len(shape)), *shape[:-1])
    lead, rows = lead[:-1], 1 if lead[-1] == 1 else scores.shape[-2]
    if divide_exactly(keys.rows, rows) is None:  # scores stand in other axes where the mask is added
        return None
    if all(n == 1 for n in lead):
        return 1, 1, rows
    if len(lead) != MATRIX or len(keys.lead) != MATRIX or scores.shape[:2] != (keys.lead[0], scores.shape[1]):
        return None
    batches, heads = lead
    each = heads == 1 or (heads == keys.lead[1] == scores.shape[1])
    return (batches, heads, rows) if each and batches in (1, keys.lead[0]) else None


def _of_all_keys(mask: Value, shape: Sizes, e: KernelBuilder) -> Value:
    """With a number for each row and key: where a size has another name, it may be one for all."""
    given: Sizes = (1, *sizes(mask))
    if given[-MATRIX:] == shape[-MATRIX:]:
        return mask
    return e.copy(mask, mask.tensor.with_shape(shape), broadcast(sizes(mask), shape))
