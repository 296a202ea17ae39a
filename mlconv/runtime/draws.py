"""What a function is tried with at random: sizes and integers, until its results tell something.

A model of sound gives no frame of two samples, and zeros alone where its lengths are 0 or 1: that such results agree
says nothing of a conversion.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.ir.constants import Array
from mlconv.ir.core import walk
from mlconv.ir.data_sizes import data_sizes
from mlconv.ir.dim_fold import number_at
from mlconv.ir.dims import Size
from mlconv.ir.module import Function
from mlconv.ir.size_examples import are_allowed
from mlconv.ir.types import TensorType
from mlconv.runtime.inputs import DYNAMIC_SIZE, nearest, random_inputs, ranges_of, size_choices, sized, symbols_of
from mlconv.runtime.loop_ends import SEEDS_APART, ending
from mlconv.runtime.places import Lookups

R = TypeVar("R")
Sizes = dict[str, int]

_LONG = (512, 2048, 8192)
_MOST_LONG = 4
_MOST_ELEMENTS = 1 << 23  # of a tensor, at sizes that are tried to see more
MOST_IN_VAIN = 3
_EDGES = {"reflect": 1, "symmetric": 0}  # elements that are not repeated


class Draw(NamedTuple):
    """sizes: of symbols.  most: the largest integer of inputs of which no table tells one.  whole: tables are looked up
    in all their elements, else in the first two.
    """

    sizes: Sizes
    most: int = 1
    whole: bool = True


class Draws:
    """Those of a function, named and laid out as the model is.  made: the same one in core ops."""

    def __init__(self, function: Function, made: Function) -> None:
        self.function, self.made = function, made
        self._lookups, self._symbols = Lookups(made), symbols_of(function)
        self._made_names = {v.name: other.name for v, other in zip(function.inputs, made.inputs, strict=False)}
        most = {name: self._lookups.most.get(other) for name, other in self._made_names.items()}
        self._most = {name: n for name, n in most.items() if n is not None}
        self._mirrors = [op for op in walk(made.block) if isinstance(op, core.Pad) and op.mode in _EDGES]
        self._counts = _has_integers(function) and not data_sizes(made.block)
        self._empty = {n for n, v in zip(function.output_names, made.outputs, strict=False) if 0 in _shape(v.type)}

    @property
    def choose(self) -> bool:
        """There is more than one draw."""
        return bool(self._symbols) or self._counts

    def inputs(self, draw: Draw, seed: int) -> dict[str, Array]:
        """Raises ConversionError VerificationImpossible, and ShapeMismatch for integers that a table does not have."""
        told = self._most if draw.whole else {}
        most = {v.name: told.get(v.name, draw.most) for v in self.function.inputs}
        found = ending(
            self.made,
            lambda k: random_inputs(self.function, seed + k * SEEDS_APART, draw.sizes, most),
            self._made_names,
        )
        if draw.whole or draw.most > 1:
            self._lookups.check({self._made_names.get(n, n): array for n, array in found.items()}, "what was drawn")
        return found

    def phases(
        self,
        takes: Callable[[Sizes], bool],
        first: Iterable[Sizes] = (),
        adapt: Callable[[Sizes], Sizes] = lambda sizes: sizes,
    ) -> Iterator[Iterator[list[Draw]]]:
        """Steps of draws: at sizes that are found otherwise, at small ones, at such with one long axis, and last at
        those that a source hardly takes.  takes: says whether a model takes sizes, as far as is known.  adapt: makes
        of sizes what it takes.
        """
        yield self._of([sizes] for sizes in first if takes(sizes))
        for usual, choices in ((True, self._small), (True, self._long), (False, self._small), (False, self._long)):
            taken = ([sizes for sizes in map(adapt, step) if takes(sizes)] for step in choices())
            yield self._of([sizes for sizes in step if self._are_usual(sizes) == usual] for step in taken)

    def _of(self, choices: Iterable[Sequence[Sizes]]) -> Iterator[list[Draw]]:
        """With integers of whole tables, then of 0 and 1, then with larger ones where there are such inputs."""
        for step in choices:
            yield [draw for sizes in step for draw in self._with_integers(sizes)]

    def _with_integers(self, sizes: Sizes) -> Iterator[Draw]:
        yield Draw(sizes)
        if self._most:
            yield Draw(sizes, whole=False)
        if self._counts:
            yield Draw(sizes, self._largest(sizes))

    def _small(self) -> Iterator[list[Sizes]]:
        """A single choice where all sizes are fixed."""
        return size_choices(self.function) if self._symbols else iter([[{}]])

    def _long(self) -> Iterator[list[Sizes]]:
        symbols, ranges = self._symbols, ranges_of(self.function)
        for n in _LONG if 0 < len(symbols) <= _MOST_LONG else ():
            step = [{s: nearest(n if s == long else DYNAMIC_SIZE, s, ranges) for s in symbols} for long in symbols]
            yield [sizes for sizes in step if self._elements(sizes) <= _MOST_ELEMENTS]

    def _elements(self, sizes: Sizes) -> int:
        """Of the largest tensor, as far as sizes tell."""
        types = (v.type for op in walk(self.made.block) for v in op.results)
        shapes = ([number_at(d, sizes) for d in _shape(t)] for t in types)
        return max((math.prod(n for n in shape if n is not None) for shape in shapes), default=0)

    def tell(self, outputs: Mapping[str, Array]) -> bool:
        """As the function does of results; those that are always empty do not count."""
        return tell([array for name, array in outputs.items() if name not in self._empty])

    def _are_usual(self, sizes: Sizes) -> bool:
        """A source's runtime takes them, as far as is known: no result is empty, and what is mirrored is there."""
        if not are_allowed(self.made, sizes):
            return True  # another rule has to say so
        shapes = [_shape(v.type) for v in self.made.outputs]
        empty = any(d != 0 and number_at(d, sizes) == 0 for shape in shapes for d in shape)
        return not empty and all(_reflects(op, sizes) for op in self._mirrors)

    def _largest(self, sizes: Sizes) -> int:
        shapes = [_shape(v.type) for v in self.function.inputs]
        return max((sized(d, sizes) for shape in shapes for d in shape), default=1)


def tell(results: Sequence[Array]) -> bool:
    """No result is empty, and not all are one number again and again."""
    several = [array for array in results if array.size > 1]
    return all(array.size for array in results) and (not several or any(map(_varies, several)))


def tried(
    phases: Iterable[Iterable[Sequence[Draw]]], run: Callable[[Draw], R], tells: Callable[[R], bool]
) -> Iterator[R]:
    """What `run` gives for the first draw of each step that tells something.  A phase ends behind a few that do not;
    what these gave comes last, the latest first.  Raises what `run` raised first where it takes no draw at all.
    """
    problem: ConversionError | None = None
    spare: list[R] = []
    some = False
    for steps in phases:
        before = len(spare)
        for step in steps:
            for draw in step:
                try:
                    found = run(draw)
                except ConversionError as error:  # a model need not take every size
                    problem = problem or error
                    continue
                if tells(found):
                    some = True
                    yield found
                    break
                spare.append(found)
            if len(spare) - before >= MOST_IN_VAIN:
                break
    yield from reversed(spare)
    if problem is not None and not some and not spare:
        raise problem


def _reflects(op: core.Pad, sizes: Sizes) -> bool:
    """A pad that mirrors finds what it asks for, as far as sizes tell."""
    for d, amounts in zip(_shape(op.x.type), pad_amounts(op.pads) or (), strict=False):
        most = [number_at(n, sizes) for n in (d, *(0 if n is None else n for n in amounts))]
        if most[0] is not None and any(n is not None and n > most[0] - _EDGES[op.mode] for n in most[1:]):
            return False
    return True


def _has_integers(function: Function) -> bool:
    states = {slot.input for slot in function.facts.state.values()}
    types = [v.type for v in function.inputs if v.name not in states]
    return any(isinstance(t, TensorType) and t.quant is None and t.dtype.is_int for t in types)


def _shape(type_: object) -> Sequence[Size]:
    return (type_.shape if isinstance(type_, TensorType) else None) or ()


def _varies(array: Array) -> bool:
    return array.size < 2 or bool((array != array.reshape(-1)[0]).any())
