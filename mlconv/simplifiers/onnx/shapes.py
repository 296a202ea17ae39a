"""Sizes that nodes are told by other nodes: constants where they are known, also of tensors whose sizes are open.

A Reshape takes 0 for the size that the axis had and one -1 for what is left; an Expand takes 1 for a size that stays;
a Slice takes the largest integer for the end.
"""

from __future__ import annotations

import numpy as np

from mlconv.ir.constants import make_const
from mlconv.ir.dims import Size
from mlconv.ir.types import Shape
from mlconv.simplifiers.onnx.graph import Graph, Node
from mlconv.simplifiers.onnx.rules import Rules

RULES = Rules()
_END = (1 << 63) - 1
_BROADCASTING = (
    *("Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Less", "Greater", "LessOrEqual"),
    *("GreaterOrEqual", "Where", "Max", "Min", "Mod"),
)


def shape_words(wanted: Shape | None, given: Shape | None) -> list[int] | None:
    """What a Reshape is told to make of one shape another; None where numbers do not say it."""
    if wanted is None:
        return None
    words: list[int] = []
    for i, size in enumerate(wanted):
        if isinstance(size, int):
            words.append(size)
        elif given is not None and i < len(given) and given[i] == size:
            words.append(0)
        else:
            words.append(-1)
    if words.count(-1) == 1 and 0 in wanted:
        return None  # what is left is not told by a product of 0
    if words.count(-1) == 0 and words.count(0) == 1 and 0 not in wanted:
        words[words.index(0)] = -1  # says less of what was before, and joins others
    zeros = any(size == 0 and (given is None or i >= len(given) or given[i] != 0) for i, size in enumerate(wanted))
    return None if words.count(-1) > 1 or zeros else words


def reshape_to(g: Graph, n: Node, source: str, out: str) -> bool:
    """Make a node a Reshape of a value to the sizes that its result has.  Operators before version 5 have no such."""
    words = shape_words(g.shape(out), g.shape(source))
    if words is None or g.model.opset() < 5:
        return False
    shape = g.add(make_const(np.asarray(words, np.int64)), f"{out}/shape")
    old = list(n.inputs)
    g.emit("Reshape", [source, shape], [out], n)
    replaced(g, n, old)
    return True


def replaced(g: Graph, n: Node, read: list[str]) -> None:
    """A node goes whose results another one makes by now."""
    g.retire(n)
    for name in dict.fromkeys(read):
        if name:
            g.drop(name)


@RULES.on("Reshape")
def _shape_of_reshape(g: Graph, n: Node) -> bool:
    """The shape is a constant."""
    if len(n.inputs) < 2 or g.maker(n.inputs[1]) is None or n.integer("allowzero", 0):
        return False
    words = shape_words(g.shape(n.output), g.shape(n.inputs[0]))
    if words is None:
        return False
    g.set_input(n, 1, g.add(make_const(np.asarray(words, np.int64)), f"{n.output}/shape"))
    return True


@RULES.on("Expand")
def _shape_of_expand(g: Graph, n: Node) -> bool:
    if g.maker(n.inputs[1]) is None:
        return False
    have, wanted = g.shape(n.inputs[0]), g.shape(n.output)
    if have is None or wanted is None:
        return False
    padded: list[Size] = [*[1] * (len(wanted) - len(have)), *have]
    words = [b if isinstance(b, int) else 1 for b in wanted]
    if any(not isinstance(b, int) and a != b for a, b in zip(padded, wanted, strict=True)):
        return False
    g.set_input(n, 1, g.add(make_const(np.asarray(words, np.int64)), f"{n.output}/shape"))
    return True


@RULES.on("Slice")
def _ends_of_slice(g: Graph, n: Node) -> bool:
    """Starts and ends are constants; an end that is the size of its axis is that of any."""
    if g.model.opset() < 10 or len(n.inputs) < 3:
        return False
    shape, steps = g.shape(n.inputs[0]), g.integers(n.inputs[4]) if n.has(4) else None
    axes = g.integers(n.inputs[3]) if n.has(3) else None
    if (n.has(3) and axes is None) or (n.has(4) and steps is None):
        return False
    changed = False
    for i in (1, 2):
        known = g.fact(n.inputs[i]).known
        if g.maker(n.inputs[i]) is None or known is None:
            continue
        sizes = [shape[a] for a in (axes or range(len(known)))] if shape is not None and i == 2 else []
        forward = steps is None or all(s > 0 for s in steps)
        words = [
            k if isinstance(k, int) else _END if forward and k is not None and sizes[j : j + 1] == [k] else None
            for j, k in enumerate(known)
        ]
        if all(w is not None for w in words):
            g.set_input(n, i, g.add(make_const(np.asarray(words, np.int64)), f"{n.output}/{'_se'[i]}"))
            changed = True
    if not changed:
        return False
    types = [g.constant(name) for name in n.inputs[1:] if name]
    return _as_int64(g, n) if len({c.dtype for c in types if c is not None}) > 1 else True


def _as_int64(g: Graph, n: Node) -> bool:
    """All lists of a Slice are of one element type."""
    for i in range(1, len(n.inputs)):
        numbers = g.integers(n.inputs[i]) if n.inputs[i] else None
        if numbers is not None:
            g.set_input(n, i, g.add(make_const(np.asarray(numbers, np.int64)), f"{n.output}/{i}"))
    return True


@RULES.on(*_BROADCASTING)
def _expand_before_broadcast(g: Graph, n: Node) -> bool:
    """The operator expands by itself."""
    if g.model.opset() < 8:
        return False
    wanted = g.shape(n.output)
    for i, name in enumerate(n.inputs):
        inner = g.one(name, "Expand")
        if inner is None or wanted is None:
            continue
        others = [g.shape(x) for j, x in enumerate(n.inputs) if j != i]
        if _covers([g.shape(inner.inputs[0]), *others], wanted):
            g.set_input(n, i, inner.inputs[0])
            return True
    return False


def _covers(shapes: list[Shape | None], wanted: Shape) -> bool:
    """The shapes broadcast to what is wanted, as far as they tell."""
    known = [s for s in shapes if s is not None]
    if len(known) < len(shapes):
        return False
    return all(any(k <= len(s) and s[-k] == size for s in known) or size == 1 for k, size in _from_behind(wanted)) and (
        max(map(len, known)) == len(wanted)
    )


def _from_behind(shape: Shape) -> list[tuple[int, Size]]:
    return [(len(shape) - i, size) for i, size in enumerate(shape)]


@RULES.on("Unsqueeze")
def _gather_with_axis(g: Graph, n: Node) -> bool:
    """Unsqueeze(Gather(x, i)) at the axis that went is Gather(x, [i])."""
    inner = g.sole(n.inputs[0], "Gather")
    axes = g.listed(n, "axes", 1)
    if inner is None or axes is None or len(axes) != 1:
        return False
    index, rank = g.array(inner.inputs[1]), g.rank(inner.inputs[0])
    if index is None or index.ndim or rank is None:
        return False
    axis = inner.integer("axis", 0) % rank
    if axes[0] % rank != axis:
        return False
    place = g.add(make_const(index.reshape(1)), f"{inner.inputs[1]}/1d")
    old = list(n.inputs)
    g.emit("Gather", [inner.inputs[0], place], [n.output], inner, axis=axis or None)
    replaced(g, n, old)
    return True


@RULES.on("Concat")
def _gathers_of_one(g: Graph, n: Node) -> bool:
    """Neighbours that are picked from one vector are picked together."""
    parts = [g.sole(name, "Gather") for name in n.inputs]
    for i in range(len(parts) - 1):
        a, b = parts[i], parts[i + 1]
        if a is None or b is None or a.inputs[0] != b.inputs[0] or g.rank(a.inputs[0]) != 1:
            continue
        x, y = g.array(a.inputs[1]), g.array(b.inputs[1])
        if x is None or y is None or x.ndim != 1 or y.ndim != 1 or x.dtype != y.dtype:
            continue
        place = g.add(make_const(np.concatenate([x, y])), f"{n.output}/picked")
        name = g.model.fresh(f"{n.output}/picked_sizes")
        g.emit("Gather", [a.inputs[0], place], [name], a)
        old = list(n.inputs)
        n.inputs = [*n.inputs[:i], name, *n.inputs[i + 2 :]]
        g.reread(n)
        for gone in old[i : i + 2]:
            g.drop(gone)
        return True
    return False


@RULES.on("Gather")
def _part_of_shape(g: Graph, n: Node) -> bool:
    """Neighbouring sizes are what Shape gives by itself, from version 15 on."""
    inner = g.sole(n.inputs[0], "Shape")
    index = g.array(n.inputs[1])
    if inner is None or index is None or index.ndim != 1 or not index.size or g.model.opset() < 15:
        return False
    rank = g.rank(inner.inputs[0])
    if rank is None or inner.has_attribute("start") or inner.has_attribute("end"):
        return False
    places = [int(i) % rank for i in index]
    if places != list(range(places[0], places[0] + len(places))):
        return False
    old = list(n.inputs)
    end = places[-1] + 1
    g.emit("Shape", [inner.inputs[0]], [n.output], inner, start=places[0] or None, end=None if end == rank else end)
    replaced(g, n, old)
    return True
