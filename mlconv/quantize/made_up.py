"""What the last products read in a model whose other weights are integers, beside what they read before: their weights
are fitted to make up for what is lost in front of them.

Source: Li et al. 2025, "GPTAQ", section 3, asymmetric calibration: the output of the float layer on what it read is
what the rounded one is to give on what it reads.  Here for last products alone, which takes one run over the samples.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from mlconv.dialects import core
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
from mlconv.quantize.store import Integers, integers_of, set_weights
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder

_FEW = 4  # bits of weights that lose enough for that
_DEEPEST = MOST[8]  # numbers of a sum: there are twice as many moments as otherwise


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


def weights_of(
    function: Function,
    schemes: Mapping[OpDef, Scheme],
    moments: Mapping[OpDef, Moments],
    collector: Collector | None,
    stage: str,
) -> dict[OpDef, Integers]:
    """Integers of the weights of products, in order; biases make up for what is lost on average.  The last products
    are rounded with regard to what they read behind the others, with floats in between whatever the target rounds, so
    that all targets have the same.  schemes: of the products.  collector: has samples, or what another run found under
    the stage; where it has neither for these schemes, moments of the float model do.
    """
    few = [op for op in last_of(function, schemes) if op in moments and schemes[op].bits <= _FEW]
    names, old = keys_of(function), snapshot(function)
    found = {op: integers_of(op, scheme, moments) for op, scheme in schemes.items() if op not in few}
    known = dict(moments)
    if few and found and collector is not None:
        before = {op: op.operands[1] for op in found}
        for op, integers in found.items():
            set_weights(op, *integers)
        stage = f"{stage}-{_digest(names, schemes)}"
        known |= _passed_on(old, function, few, collector, {op: (stage, names[op]) for op in few})
        for op, value in before.items():
            edit.set_operand(op, 1, value)
        eliminate_dead_code(function.block)
    found.update({op: integers_of(op, schemes[op], known) for op in few})
    return {op: found[op] for op in schemes}


def _digest(names: Mapping[Value | Op, str], schemes: Mapping[OpDef, Scheme]) -> str:
    """Names a way to quantize: sums that were found behind other integers tell nothing."""
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
