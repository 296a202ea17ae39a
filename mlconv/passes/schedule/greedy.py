"""An order of a whole graph, op by op: next comes the op that leaves the least memory in use, the first of those.

It follows a branch to where it is small before it begins another one, however far apart their ops are in the source.
"""

from __future__ import annotations

import heapq

from mlconv.passes.schedule.graph import Buffer, Graph


def greedy(graph: Graph) -> list[int]:
    """The order.  n log n in ops and in what they read."""
    made, read = graph.made(), graph.read()
    waiting = [set(b.readers) for b in graph.buffers]
    growth = [sum(graph.buffers[i].size for i in made[op] if _is_held(graph.buffers[i])) for op in range(graph.size)]
    for buffer in graph.buffers:
        if len(buffer.readers) == 1 and not buffer.kept:
            growth[buffer.readers[0]] -= buffer.size
    missing = [len(needs) for needs in graph.needs]
    followers: list[list[int]] = [[] for _ in range(graph.size)]
    for op, needs in enumerate(graph.needs):
        for need in needs:
            followers[need].append(op)
    ready = [(growth[op], op) for op in range(graph.size) if not missing[op]]
    heapq.heapify(ready)
    done, order = [False] * graph.size, []
    while ready:
        _, op = heapq.heappop(ready)
        if done[op]:
            continue
        done[op] = True
        order.append(op)
        for i in read[op]:
            waiting[i].discard(op)
            if len(waiting[i]) == 1 and not graph.buffers[i].kept:
                (last,) = waiting[i]
                growth[last] -= graph.buffers[i].size
                if not missing[last]:
                    heapq.heappush(ready, (growth[last], last))
        for follower in followers[op]:
            missing[follower] -= 1
            if not missing[follower]:
                heapq.heappush(ready, (growth[follower], follower))
    return order


def _is_held(buffer: Buffer) -> bool:
    """It lives on behind the op that makes it."""
    return buffer.kept or bool(buffer.readers)
