"""Two transpositions with a view between: windows of images and heads of attention, written channels last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from mlconv.ir.constants import make_const
from mlconv.ir.dims import Size
from mlconv.ir.types import TensorType
from mlconv.simplifiers.onnx.graph import Graph, Node
from mlconv.simplifiers.onnx.rules import Rules
from mlconv.simplifiers.onnx.shapes import replaced, shape_words

RULES = Rules()
_VIEWS = ("Reshape", "Flatten", "Squeeze", "Unsqueeze")


@RULES.on("Transpose")
def _transposed_through_view(g: Graph, n: Node) -> bool:
    """One transposition: behind the view where that divides axes, in front of it where it joins them."""
    view = g.sole(n.inputs[0], *_VIEWS)
    first = None if view is None else g.sole(view.inputs[0], "Transpose")
    if view is None or first is None or g.model.opset() < 5:
        return False
    x, middle, viewed = g.type_of(first.inputs[0]), g.shape(view.inputs[0]), g.shape(n.inputs[0])
    if x is None or x.shape is None or middle is None or viewed is None:
        return False
    before, after = _perm(first, len(middle)), _perm(n, len(viewed))
    divided = _parts(middle, viewed)
    if divided is not None:
        return _divide_first(g, n, first.inputs[0], before, after, [viewed[p.start : p.stop] for p in divided])
    joined = _parts(viewed, middle)
    if joined is not None:
        perm = [before[i] for k in after for i in joined[k]]
        return _join_last(g, n, first.inputs[0], perm)
    return False


def _perm(n: Node, rank: int) -> tuple[int, ...]:
    return n.integers("perm") or tuple(reversed(range(rank)))


def _parts(whole: Sequence[Size], fine: Sequence[Size]) -> list[range] | None:
    """For each axis of a shape, those of a finer one that it is divided into, at least one; None where it is not."""
    found, at = list[range](), 0
    for size in whole:
        start, product = at, 1
        if at < len(fine) and fine[at] == size:
            at += 1
        else:
            while at < len(fine) and product != size:
                one = fine[at]
                if not isinstance(one, int) or not isinstance(size, int) or not one or product > size:
                    return None
                product, at = product * one, at + 1
            if product != size or at == start:
                return None
        found.append(range(start, at))
    if not found or any(size != 1 for size in fine[at:]):
        return None
    return [*found[:-1], range(found[-1].start, len(fine))]


def _divide_first(
    g: Graph, n: Node, x: str, before: Sequence[int], after: Sequence[int], parts: Sequence[Sequence[Size]]
) -> bool:
    """parts: sizes that each axis behind the first transposition is divided into."""
    own = dict(zip(before, parts, strict=True))  # by axes of x
    starts = [0, *accumulate(len(own[i]) for i in range(len(own)))]
    places = [starts[axis] + i for axis, part in zip(before, parts, strict=True) for i in range(len(part))]
    type_ = g.type_of(x)
    shape = tuple(size for i in range(len(own)) for size in own[i])
    words = shape_words(shape, g.shape(x))
    if type_ is None or words is None:
        return False
    made = g.model.fresh(f"{n.output}/x")
    g.note(made, TensorType(type_.dtype, shape))
    old = list(n.inputs)
    g.emit("Reshape", [x, g.add(make_const(np.asarray(words, np.int64)), f"{n.output}/shape")], [made], n)
    g.emit("Transpose", [made], [n.output], n, perm=tuple(places[k] for k in after))
    replaced(g, n, old)
    return True


def _join_last(g: Graph, n: Node, x: str, perm: Sequence[int]) -> bool:
    """perm: of all axes of x, which are joined then."""
    type_ = g.type_of(x)
    if type_ is None or type_.shape is None:
        return False
    shape = tuple(type_.shape[i] for i in perm)
    words = shape_words(g.shape(n.output), shape)
    if words is None:
        return False
    made = g.model.fresh(f"{n.output}/x")
    g.note(made, TensorType(type_.dtype, shape))
    old = list(n.inputs)
    g.emit("Transpose", [x], [made], n, perm=tuple(perm))
    g.emit("Reshape", [made, g.add(make_const(np.asarray(words, np.int64)), f"{n.output}/shape")], [n.output], n)
    replaced(g, n, old)
    return True
