"""Orders of ops: against all orders of small graphs, and against the source order of large ones."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlconv.passes.schedule.graph import Buffer, Graph, least, peak, use
from mlconv.passes.schedule.order import candidates, cuts, ordered


@st.composite
def graphs(draw: st.DrawFn, most: int = 8) -> Graph:
    """Ops that read results of those before them and buffers from outside; some take the place of an operand."""
    n = draw(st.integers(1, most))
    sizes = st.integers(0, 9)
    near = draw(st.integers(1, n))
    outside = draw(st.integers(0, 2))
    readers: list[list[int]] = [[] for _ in range(outside + n)]
    needs = []
    for op in range(n):
        known = range(max(0, outside + op - near), outside + op)
        read = draw(st.sets(st.sampled_from(known), max_size=3)) if known else set()
        for value in read:
            readers[value].append(op)
        ordered_behind = draw(st.sets(st.integers(max(0, op - near), op - 1), max_size=1)) if op else set()
        needs.append(tuple(sorted({v - outside for v in read if v >= outside} | ordered_behind)))
    buffers = [
        Buffer(draw(sizes), i - outside if i >= outside else -1, tuple(r), draw(st.integers(0, 9)) == 0)
        for i, r in enumerate(readers)
    ]
    over: list[tuple[int, ...]] = [()] * n
    for op in range(n):
        operands = [i for i, b in enumerate(buffers) if op in b.readers]
        if operands and draw(st.booleans()):
            taken = draw(st.sampled_from(operands))
            over[op] = (taken,)
            buffers[outside + op] = buffers[outside + op]._replace(size=buffers[taken].size)
    return Graph(buffers, needs, [draw(st.sampled_from((0, 0, 0, 5))) for _ in range(n)], over)


def works(graph: Graph, order: list[int]) -> bool:
    at = {op: i for i, op in enumerate(order)}
    return sorted(order) == list(range(graph.size)) and all(
        at[need] < at[op] for op in range(graph.size) for need in graph.needs[op]
    )


def best_of_all(graph: Graph) -> int:
    """The definition: each order that works."""
    orders = (list(order) for order in itertools.permutations(range(graph.size)))
    return min(peak(graph, order) for order in orders if works(graph, order))


@settings(max_examples=60, deadline=None)
@given(graphs(most=6))
def test_small_graphs_against_all_orders(graph: Graph) -> None:
    found = ordered(graph)
    assert works(graph, found.order)
    assert found.exact and found.peak == peak(graph, found.order) == best_of_all(graph)
    assert least(graph) <= found.peak


@settings(max_examples=40, deadline=None)
@given(graphs(most=60), st.sampled_from((4, 16, 256)))
def test_never_above_the_source_order(graph: Graph, longest: int) -> None:
    """Long parts are cut; the order is the same each time."""
    found = ordered(graph, longest=longest)
    assert works(graph, found.order)
    assert found.peak == peak(graph, found.order) <= peak(graph, range(graph.size))
    assert ordered(graph, longest=longest) == found
    assert ordered(graph, floor=0, longest=longest).peak <= peak(graph, range(graph.size))
    assert all(works(graph, order) for order in candidates(graph))


@settings(max_examples=40, deadline=None)
@given(graphs(most=7))
def test_every_order_passes_through_cuts(graph: Graph) -> None:
    orders = [o for o in map(list, itertools.permutations(range(graph.size))) if works(graph, o)]
    always = [k for k in range(1, graph.size + 1) if len({frozenset(o[:k]) for o in orders}) == 1]
    found = cuts(graph)
    assert set(found) <= set(always)
    through = [k for k in always if len({o[k - 1] for o in orders}) == 1]
    assert found == through


@settings(max_examples=60, deadline=None)
@given(graphs(most=12), st.randoms(use_true_random=False))
def test_memory_behind_ops_is_that_of_their_set(graph: Graph, random: object) -> None:
    """Whatever the order."""
    found = ordered(graph)
    by_set: dict[frozenset[int], int] = {}
    for order in (list(range(graph.size)), found.order):
        for i, after in enumerate(use(graph, order).after):
            assert by_set.setdefault(frozenset(order[: i + 1]), after) == after


def branches(count: int, large: int = 10) -> Graph:
    """One value; `count` ops that make something large of it, then as many that make it small, then their sum."""
    n = 2 * count + 2
    buffers = [Buffer(1, 0, tuple(range(1, count + 1)))]
    buffers += [Buffer(large, 1 + i, (1 + count + i,)) for i in range(count)]
    buffers += [Buffer(1, 1 + count + i, (n - 1,)) for i in range(count)]
    buffers += [Buffer(1, n - 1, (), True)]
    needs = [(), *[(0,)] * count, *[(1 + i,) for i in range(count)], tuple(range(1 + count, n - 1))]
    return Graph(buffers, needs, [0] * n, [()] * n)


@pytest.mark.parametrize("count", [2, 10, 100])
def test_branches_go_one_by_one(count: int) -> None:
    """By hand: all large results live at the same time, or one of them."""
    graph = branches(count)
    assert peak(graph, range(graph.size)) == 10 * count + 1
    assert min(peak(graph, order) for order in candidates(graph)) == 10 + count
