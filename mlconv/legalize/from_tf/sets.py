"""Sets as the last axis of dense tensors, or as rows of sparse ones.  Each value is compared with each.

Source: tensorflow/core/ops/set_ops.cc, tensorflow/core/kernels/set_kernels.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.from_tf.sparse_tensors import first_size, flat_places, place_tuples
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


class _Entries(NamedTuple):
    """Values of all sets, the number of the set of each, and the sizes that sets are numbered by, int64."""

    sets: Value
    values: Value
    sizes: Value


def _of_dense(n: SourceNode, x: Value) -> _Entries:
    shape = n.y(core.ShapeOf(x))
    sizes = n.slice_axis(shape, 0, None, -1)
    count = n.y(core.ReduceProd(sizes, axes=(0,)))
    numbers = n.y(core.Range(n.constant(0, DType.I64), count, n.constant(1, DType.I64)))
    spread = n.y(core.BroadcastTo(n.reshape(numbers, n.concat([sizes, n.vector([1])], 0)), shape))
    return _Entries(n.reshape(spread, [-1]), n.reshape(x, [-1]), sizes)


def _of_sparse(n: SourceNode, at: int) -> _Entries:
    """Operands from `at` on: indices, values, shape."""
    sizes = n.slice_axis(n.cast(n.operand(at + 2), DType.I64), 0, None, -1)
    lead = n.slice_axis(n.operand(at), 1, None, -1)
    return _Entries(flat_places(n, lead, sizes), n.operand(at + 1), sizes)


def _same(n: SourceNode, a: Value) -> Value:
    """[i, j]: whether two elements are equal."""
    return n.equal(n.expand_dims(a, 1), a)


def _repeated(n: SourceNode, same: Value, count: Value) -> Value:
    """Which elements stand before, too."""
    steps = n.y(core.Range(n.constant(0, DType.I64), count, n.constant(1, DType.I64)))
    return _any(n, n.logical_and(same, n.less(steps, n.expand_dims(steps, 1))))


def _any(n: SourceNode, mask: Value) -> Value:
    return n.y(core.ReduceAny(mask, axes=(1,)))


@RULES.rule("SetSize")
def set_size(n: SourceNode) -> Value:
    """Operands: indices, values, shape.  Result: how many different values each set has, int32."""
    sets, values, sizes = _of_sparse(n, 0)
    same = n.logical_and(_same(n, sets), _same(n, values))
    new = n.logical_not(_repeated(n, same, first_size(n, values)))
    return n.y(core.ScatterFill(n.slice_axis(n.operand(0), 1, None, -1), n.cast(new, DType.I32), sizes))


@RULES.rule("DenseToDenseSetOperation", "DenseToSparseSetOperation", "SparseToSparseSetOperation")
def set_operation(n: SourceNode) -> Sequence[Value]:
    """Results: a sparse tensor of rising values.  `set_operation`: a-b, b-a, intersection or union."""
    first = _of_sparse(n, 0) if n.kind.startswith("Sparse") else _of_dense(n, n.operand(0))
    second = _of_dense(n, n.operand(1)) if "ToDense" in n.kind else _of_sparse(n, n.n_operands - 3)
    sets, values = (n.concat([p, q], 0) for p, q in zip(first[:2], second[:2], strict=True))
    count = first_size(n, values)
    steps = n.y(core.Range(n.constant(0, DType.I64), count, n.constant(1, DType.I64)))
    of_first = n.less(steps, first_size(n, first.values))
    together = _same(n, sets)
    same = n.logical_and(together, _same(n, values))
    in_first = _any(n, n.logical_and(same, of_first))
    in_second = _any(n, n.logical_and(same, n.logical_not(of_first)))
    kept = n.logical_and(_wanted(n, in_first, in_second), n.logical_not(_repeated(n, same, count)))
    smaller = n.less(values, n.expand_dims(values, 1))  # [i, j]: j is less than i
    mates = n.cast(n.logical_and(n.logical_and(together, smaller), kept), DType.I64)
    earlier = n.cast(n.logical_and(n.less(sets, n.expand_dims(sets, 1)), kept), DType.I64)
    place = n.sum(mates, (1,))
    chosen = n.squeeze(n.y(core.NonZero(kept)), 1)
    order = n.gather(n.add(n.sum(earlier, (1,)), place), chosen)
    ranked = n.emit(core.TopK(order, first_size(n, order), axis=0, largest=False)).indices
    chosen = n.gather(chosen, ranked)
    column = n.gather(place, chosen)
    indices = n.concat([place_tuples(n, n.gather(sets, chosen), first.sizes), n.expand_dims(column, 1)], 1)
    widest = n.max(n.concat([n.vector([0]), n.add(column, 1)], 0), (0,), keepdims=True)
    return [indices, n.gather(values, chosen), n.concat([first.sizes, widest], 0)]


def _wanted(n: SourceNode, in_first: Value, in_second: Value) -> Value:
    kind = n.attr("set_operation")
    kind = kind.decode() if isinstance(kind, bytes) else kind
    if kind == "a-b":
        return n.logical_and(in_first, n.logical_not(in_second))
    if kind == "b-a":
        return n.logical_and(in_second, n.logical_not(in_first))
    if kind == "intersection":
        return n.logical_and(in_first, in_second)
    if kind == "union":
        return n.logical_or(in_first, in_second)
    raise n.unsupported(f"the operation {kind}")


@RULES.rule("CTCGreedyDecoder")
def ctc_greedy_decoder(n: SourceNode) -> Sequence[Value]:
    """Operands: scores [time, batch, classes], lengths.  Results: indices, values, shape of the best classes without
    blanks (and without repetitions where they are merged), and the negative sum of the best scores [batch, 1].
    """
    scores, lengths = n.operands()
    classes = n.dim(scores, 2)
    blank = n.attr("blank_index", -1)
    if not isinstance(classes, int):
        raise n.unsupported("an open number of classes")
    blank = classes + blank if blank < 0 else blank
    best = n.transpose(n.y(core.ArgMax(scores, axis=2, dtype=DType.I64)), [1, 0])
    inside = n.less(n.arange(n.dim(scores, 0)), n.expand_dims(n.cast(lengths, DType.I64), 1))
    kept = n.logical_and(inside, n.y(core.NotEqual(best, n.asarray(blank, best))))
    if n.attr("merge_repeated", False):
        before = n.pad(n.slice_axis(best, 1, None, -1), [(0, 0), (1, 0)], -1)
        kept = n.logical_and(kept, n.y(core.NotEqual(best, before)))
    place = n.y(core.NonZero(kept))
    counted = n.y(core.CumSum(n.cast(kept, DType.I64), axis=1))
    column = n.sub(n.y(core.GatherNd(counted, place)), 1)
    indices = n.concat([n.slice_axis(place, 1, 0, 1), n.expand_dims(column, 1)], 1)
    widest = n.max(counted, (0, 1))
    top = n.transpose(n.max(scores, (2,)), [1, 0])
    total = n.sum(n.where(inside, top, 0.0), (1,), keepdims=True)
    shape = n.stack([n.dim(best, 0), widest])
    return [indices, n.y(core.GatherNd(best, place)), shape, n.neg(total)]
