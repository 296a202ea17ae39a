"""Which inputs of a function say where something is looked up: runtimes refuse places that a table does not have, or
take others, as native code does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, cut_function
from mlconv.ir.traits import Elementwise, Plumbing, has_trait
from mlconv.ir.types import TensorType

_LOOKUPS = (core.Gather, core.GatherElements, core.GatherNd)
_CLASSES, _MOST_CLASSES = 3, 1 << 20  # that make classes of a number: fewer are asked for as a flag
_MOVING = (core.Concat, core.ExpandDims, core.Reverse, core.ShapeOf, core.Slice, core.Split, core.Squeeze, core.Tile)


class Lookup(NamedTuple):
    """op: looks something up.  inputs: that places are made of.  sizes: of the axes that they are of; several where
    places are tuples.
    """

    op: Op
    inputs: tuple[str, ...]
    sizes: Sequence[Size]

    def check(self, places: Array, what: str) -> None:
        """Raises ConversionError ShapeMismatch."""
        for i, size in enumerate(self.sizes):
            own = places if len(self.sizes) == 1 else places[..., i]
            if isinstance(size, int) and own.size:
                self._check(int(own.min()), int(own.max()), size, what)

    def _check(self, least: int, most: int, size: int, what: str) -> None:
        low = 0 if getattr(self.op, "from_start", False) else -size
        if low <= least and most < size:
            return
        raise ConversionError(
            Code.ShapeMismatch,
            f"{what} for input {' and '.join(map(repr, self.inputs))} has {most if most >= size else least}, and "
            f"{self.op.describe()} looks that up in {size} elements",
            location=self.op.location,
            help=f"give what makes numbers from {low} to {size - 1}",
        )


class Lookups:
    """Those of a function at places that integers of its inputs alone make, by casts, data movement and arithmetic:
    these are computed of samples.  inputs: all that places are made of.  most: the largest number of an input that all
    tables have which it is looked up in, and that something is compared with.
    """

    def __init__(self, function: Function) -> None:
        made = _of_inputs(function)
        self._found = [*_lookups(made)]
        self.most = _most(self._found, made)
        places = [lookup.op.inputs[1] for lookup in self._found]
        ops, wanted = list[Op](), {*places}
        for op in reversed([*function.block.ops]):
            if any(v in wanted for v in op.results):
                ops.append(op)
                wanted |= {*op.inputs}
        inputs = [v for v in function.inputs if v in wanted]
        self.inputs = [v.name for v in inputs]
        self._places = cut_function(function, inputs, places, ops[::-1])
        self._places.output_names = [str(i) for i in range(len(places))]

    def check(self, sample: Mapping[str, Array], what: str) -> None:
        """Raises ConversionError ShapeMismatch."""
        if self._found and all(name in sample for name in self.inputs):
            places = run_function(self._places, {name: sample[name] for name in self.inputs})
            for i, lookup in enumerate(self._found):
                lookup.check(places[str(i)], what)


def _most(found: Sequence[Lookup], made: Mapping[Value, tuple[str, ...]]) -> dict[str, int]:
    """By input; tables without an element count for nothing."""
    ends = [(name, size - 1) for one in found for name in one.inputs for size in one.sizes if isinstance(size, int)]
    for value, names in made.items():
        for op, i in value.uses if names else ():
            other = const_of(op.inputs[1 - i]) if isinstance(op, core.Equal) else None
            if other is not None and _CLASSES <= other.size <= _MOST_CLASSES:
                ends += [(name, int(other.view().max())) for name in names]
    least: dict[str, int] = {}
    for name, end in ends:
        least[name] = min(end, least.get(name, end))
    return {name: end for name, end in least.items() if end > 0}


def _of_inputs(function: Function) -> dict[Value, tuple[str, ...]]:
    """Integers and truths that are made of inputs, and of which."""
    made: dict[Value, tuple[str, ...]] = {v: (v.name,) for v in function.inputs if _counts(v)}
    for op in function.block.ops:
        follows = has_trait(op, Elementwise) or has_trait(op, Plumbing) or isinstance(op, _MOVING)
        if follows and not op.regions and all(v in made for v in op.inputs) and all(map(_counts, op.results)):
            names = dict.fromkeys(name for v in op.inputs for name in made[v])
            made |= dict.fromkeys(op.results, tuple(names))
    return made


def _counts(value: Value) -> bool:
    if not isinstance(value.type, TensorType) or value.tensor.quant is not None:
        return False
    return value.tensor.dtype.is_int or value.tensor.dtype is DType.BOOL


def _lookups(made: Mapping[Value, tuple[str, ...]]) -> Iterator[Lookup]:
    for value, names in made.items():
        for op, i in value.uses if names else ():
            shape = op.inputs[0].tensor.shape if isinstance(op, _LOOKUPS) and i == 1 else None
            if shape is None:
                continue
            if isinstance(op, core.GatherNd):
                depth = (value.tensor.shape or (None,))[-1]
                yield Lookup(op, names, shape[op.batch_dims :][:depth] if isinstance(depth, int) else ())
            elif isinstance(op, (core.Gather, core.GatherElements)):
                yield Lookup(op, names, (shape[op.axis],))
