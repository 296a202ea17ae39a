"""Loops whose variables keep the sizes that they start with, if a run asks for it: the body joins such a variable with
something of another open size, as TensorFlow's `dynamic_rnn` chooses between old and new states by the lengths of all
sequences.

The sizes that the body gives back are the larger ones then, `max(lengths, batch)`.  Behind the question whether no
other is larger they are those of the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.ir.core import values_of
from mlconv.ir.facts import Condition, joined_as
from mlconv.ir.shapes import is_told, symbols_of, with_size
from mlconv.ir.size_facts import SizeFacts, simplify
from mlconv.passes.refine_shapes import forget, learned, refine_loop, refine_shapes
from mlconv.passes.size_names import Names
from mlconv.provenance.locations import first_name
from mlconv.rewrite import edit

Place: TypeAlias = tuple[int, int]
"""A variable of a loop, and an axis of it."""


def keep_sizes(loop: core.While, names: Names) -> None:
    """Ask for what lets variables whose sizes are not known keep those of the start.  Only sizes of inputs are asked
    about, as those that data decide are not known when a run begins.
    """
    inputs = {n for v in names.inputs for n in symbols_of([v.tensor.shape])}
    places = list(_open(loop))
    while places:
        asked = _asked(loop, places, names.facts)
        kept = [place for place in places if place in asked and all(c.symbols <= inputs for c in asked[place])]
        if len(kept) == len(places):
            _keep(loop, kept)
            names.ask_first(c for place in kept for c in asked[place])
            refine_loop(loop, names.facts)
            return
        places = kept


def _open(loop: core.While) -> Iterator[Place]:
    """Where nothing is known of a variable but how large it is at the start."""
    for i, (result, init) in enumerate(zip(loop.results, loop.inits, strict=True)):
        for axis, (size, first) in enumerate(zip(result.tensor.shape or (), init.tensor.shape or (), strict=False)):
            if not is_told((size,)) and is_told((first,)):
                yield i, axis


def _keep(loop: core.While, places: Iterable[Place]) -> None:
    for i, axis in places:
        size = (loop.inits[i].tensor.shape or ())[axis]
        for value in (loop.results[i], *(region.block.arguments[i] for region in loop.regions)):
            t = value.tensor
            edit.retype(value, t.with_shape(with_size(t.shape or (), axis, size)))


def _asked(loop: core.While, places: Sequence[Place], facts: SizeFacts) -> dict[Place, tuple[Condition, ...]]:
    """What lets variables keep their sizes if all of these do, by place; not of those that change in another way."""
    body, node = loop.body.block, first_name(loop.location)
    saved = learned([*values_of(body), *loop.results, *loop.cond.block.arguments])
    found: dict[Place, tuple[Condition, ...]] = {}
    _keep(loop, places)
    try:
        refine_shapes(body, facts)
    except ConversionError:
        places = ()  # the body does not take what it starts with
    for i, axis in places:
        before, behind = body.arguments[i].tensor.shape or (), body.outputs[i].tensor.shape or ()
        asked = joined_as(before[axis], simplify(behind[axis], facts), node) if len(before) == len(behind) else None
        found |= {} if asked is None else {(i, axis): asked}
    forget(saved)
    return found
