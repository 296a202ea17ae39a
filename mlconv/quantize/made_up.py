"""What products read behind weights that are integers, beside what they read before: their own weights are fitted to
make up for what is lost in front of them.

Source: Li et al. 2025, "GPTAQ", section 3, asymmetric calibration: the output of the float layer on what it read is
what the rounded one is to give on what it reads.  Here for some products along the model and the last ones: each takes
a run over the samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.module import Function
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.passes.dce import eliminate_dead_code
from mlconv.quantize.collect import Collector
from mlconv.quantize.joined import Snapshot, joined, snapshot
from mlconv.quantize.moments import MOST, Moments, depth_of, rows_of_data
from mlconv.quantize.observe import Join, Seen, behind
from mlconv.quantize.saved import keys_of
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.shared import Sharing, sharing
from mlconv.quantize.store import Integers, integers_of, set_weights
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder

_FEW = 4  # bits of weights that lose enough for that
_DEEPEST = MOST[8]  # numbers of a sum: there are twice as many moments as otherwise
_STOPS = 7  # products that do so, in front of the last ones
_WORK = 1 << 31  # multiply-adds of all samples that one of these is worth


def last_of(function: Function, products: Iterable[OpDef]) -> list[OpDef]:
    """Products that no other one follows, outside of loops and branches."""
    known: set[Op] = set(products)
    leading: set[Value] = set()
    found: list[OpDef] = []
    for op in reversed([*function.block.ops]):
        inner = [each for region in op.regions for each in walk(region.block)]
        leads = not leading.isdisjoint(op.results)
        if op in known and not leads and isinstance(op, OpDef):
            found.append(op)
        if leads or op in known or not known.isdisjoint(inner):
            leading.update(v for each in (op, *inner) for v in each.inputs)
    return [op for op in reversed(found) if depth_of(op) <= _DEEPEST]


def stops_of(function: Function, moments: Mapping[OpDef, Moments], shared: Sharing) -> list[list[OpDef]]:
    """Products that make up for what is lost in front of them, in order: some along the model, evenly, where runs up to
    there take little time; then the last ones.  Those that share their weights do so together or not at all.  moments:
    of the products, in order.
    """
    last = last_of(function, moments)
    last = [op for op in last if all(other in last for other in shared[op])]
    others: list[OpDef] = []
    in_front = 0
    for op, (square, _, rows, *_) in moments.items():
        work = 2 * (in_front + rows * square.size)
        alone = op not in last and len(shared[op]) == 1
        if op.block is function.block and alone and depth_of(op) <= _DEEPEST and in_front and work <= _WORK:
            others.append(op)
        weights = const_of(op.operands[1])
        in_front += 0 if weights is None else rows * weights.size
    count = min(_STOPS, len(others))
    return [*([others[-1 - i * len(others) // count]] for i in reversed(range(count))), last]


def weights_of(
    function: Function,
    schemes: Mapping[OpDef, Scheme],
    moments: Mapping[OpDef, Moments],
    collector: Collector | None,
    stage: str,
) -> dict[OpDef, Integers]:
    """Integers of the weights of products, in order; biases make up for what is lost on average.  Some products are
    rounded with regard to what they read behind those in front, with floats in between whatever the target rounds, so
    that all targets have the same.  schemes: of the products.  collector: has samples, or what another run found under
    the stage; where it has neither for these schemes, moments of the float model do.
    """
    if not schemes:
        return {}
    few = {op: moments[op] for op in schemes if op in moments and schemes[op].bits <= _FEW}
    names, old = keys_of(function), snapshot(function)
    stage = f"{stage}-{_digest(names, schemes)}"
    shared = sharing(schemes, schemes)
    known, found, before = dict(moments), dict[OpDef, Integers](), dict[OpDef, Value | None]()
    stops = stops_of(function, few, shared) if collector is not None else []
    for stop in stops:
        for op in _in_front(stop, stops[-1], schemes):
            if op not in found:
                found[op], before[op] = integers_of(op, schemes[op], known, shared), op.operands[1]
                set_weights(op, *found[op])
        if found and stop and collector is not None:
            known |= _passed_on(old, function, stop, collector, {op: (stage, names[op]) for op in stop})
    for op, value in before.items():
        edit.set_operand(op, 1, value)
    eliminate_dead_code(function.block)
    found.update({op: integers_of(op, scheme, known, shared) for op, scheme in schemes.items() if op not in found})
    return {op: found[op] for op in schemes}


def _in_front(stop: Sequence[OpDef], last: Sequence[OpDef], products: Iterable[OpDef]) -> list[OpDef]:
    """Of products in order, those before a stop; all others before the last one."""
    before = products if stop is last else takewhile(lambda op: op is not stop[0], products)
    return [op for op in before if op not in last]


def _digest(names: Mapping[Value | Op, str], schemes: Mapping[OpDef, Scheme]) -> str:
    """Names a way to quantize: sums that were found behind other integers tell nothing."""
    import hashlib  # loads OpenSSL

    lines = [f"{names[op]} {scheme.name} {scheme.block}" for op, scheme in schemes.items()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _passed_on(
    old: Snapshot,
    function: Function,
    products: Sequence[OpDef],
    collector: Collector,
    places: Mapping[OpDef, tuple[str, str]],
) -> dict[OpDef, Moments]:
    """places: under which what is found is saved."""
    if collector.saved is not None:
        arrays = collector.saved.arrays
        sums = {op: arrays[place][0] for op, place in places.items() if arrays.get(place)}
        for op, array in sums.items():
            groups, depth = op.groups if isinstance(op, core.Conv) else 1, depth_of(op) + 1
            collector.saved.check(places[op][1], [array], [[(groups, depth, 2 * depth - 1)]])
    else:
        sums = _sums(old, function, products, collector)
        if collector.kept is not None:
            for op, array in sums.items():
                collector.kept.add(*places[op], [array])
    return {op: _moments_of(array) for op, array in sums.items()}


def _sums(old: Snapshot, function: Function, products: Sequence[OpDef], collector: Collector) -> dict[OpDef, Array]:
    """Sums over all samples, [groups, k + 1, 2 k + 1]: of y' y, y' x and y, behind which stand those of x' (the last
    row), where y is what products read now, and x what they read in the snapshot.
    """
    both = joined(old, function)
    pairs: dict[OpDef, Value] = {}
    for op in products:
        value = op.operands[0]
        assert value is not None
        was, now = both.before[old.values[value]], both.after[value]
        pairs[op] = CoreBuilder(behind(now, function.location)).concat([was, now], _rows_axis(op))
    found = collector.collect(both.function, pairs, _observe)
    return {op: array for op, (array,) in found.items()}


def _rows_axis(op: OpDef) -> int:
    """An axis whose places have rows of their own."""
    if isinstance(op, core.Conv):
        return op.x_layout.index("N")
    assert isinstance(op, core.MatMul)
    return 1 if op.transpose_a and op.a.tensor.rank == 2 else 0


def _observe(value: Value, op: OpDef, e: CoreBuilder) -> Seen:
    rows = rows_of_data(value, op, e)
    groups, count, _ = static(rows.tensor.shape) or (1, 1, 1)
    half = count // 2
    was, now = e.slice(rows, {1: (0, half, 1)}), e.slice(rows, {1: (half, count, 1)})
    ones = e.constant(np.ones((groups, half, 1), np.float32))
    return [(e.matmul(e.concat([now, ones], 2), e.concat([now, was, ones], 2), transpose_a=True), Join.SUM)]


def _moments_of(sums: Array) -> Moments:
    depth = sums.shape[1] - 1
    square, cross = sums[:, :depth, :depth], sums[:, :depth, depth:-1]
    return Moments(square, sums[:, depth, :depth], int(sums[0, -1, -1]), cross, sums[:, depth, depth:-1])
