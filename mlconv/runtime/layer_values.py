"""Values inside of a model when it runs, and those of another model that stand for the same: by their names, or by the
source ops that they come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from mlconv.dialects import core
from mlconv.formats.node_names import allowed
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.passes.quantized.grids import grid_of
from mlconv.provenance.locations import origins
from mlconv.runtime.layer_orders import FAR, distance, laid_as, magnitude
from mlconv.runtime.tflite_file import TfliteFile

T = TypeVar("T")
_MUCH_NEARER = 0.25
_SAME = 1e-5  # of a difference, as a part of the magnitude
_MANY = 8  # elements of values that are not the same by chance
_SCALING = (core.Quantize, core.Dequantize, core.Requantize)
_ON_GRID = 1e-3  # of a step
_DIGITS = "0123456789"
_NUMBER = re.compile(r"_\d+$")


class LayerValue(NamedTuple):
    """A value of a run.  names: that it may have in another model.  origins: of its op.  array: in numbers.  quant: of
    the integers that these were.
    """

    names: tuple[str, ...]
    origins: tuple[str, ...]
    array: Array
    quant: QuantType | None = None

    @property
    def step(self) -> float:
        """Of its integers; 0 of floats."""
        return step_of(self.quant)


def step_of(quant: QuantType | None) -> float:
    """The largest step of integers; 0 of floats."""
    return float(quant.scales.view().max()) if quant is not None else 0.0


def ends_of(quant: QuantType) -> Array:
    """The least number that integers of one scale stand for, and the largest."""
    return quant.dequantize(np.array([quant.qmin, quant.qmax]))


def quant_of_value(value: Value) -> QuantType | None:
    return value.type.quant if isinstance(value.type, TensorType) else None


def in_numbers(array: Array, quant: QuantType | None) -> Array:
    """What stored integers stand for."""
    return quant.dequantize(array) if quant is not None and DType.from_numpy(array.dtype).is_int else array


def as_integers(value: Value) -> Value:
    """What is made of integers counts for these."""
    op = value.producer
    return op.x if isinstance(op, core.Dequantize) and op.x.producer is not None else value


def on_grid(value: Value, one: LayerValue) -> LayerValue:
    """Numbers of another model that are integers of this one's scale: runtimes give outputs, and do not say of what."""
    quant = None if one.quant is not None or one.array.dtype.kind != "f" else quant_of_value(as_integers(value))
    if quant is None or not quant.is_per_tensor or quant.storage.bits > 8:  # of 16 bits, any number is near one
        return one
    steps = one.array / quant.scales.view()
    return one._replace(quant=quant) if bool((np.abs(steps - np.rint(steps)) <= _ON_GRID).all()) else one


def is_moving(op: Op) -> bool:
    """What is computed of integers is these again, elsewhere, or others of another scale."""
    return isinstance(op, OpDef) and (op.spec.quant.carries or isinstance(op, _SCALING))


def interpreted_values(function: Function, inputs: Mapping[str, Array]) -> tuple[list[LayerValue], dict[str, Array]]:
    """All values that ops of a function of core ops make, constants left out, and its outputs."""
    found: list[LayerValue] = []
    names = dict(zip(function.outputs, function.output_names, strict=True))

    def keep(op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        if op.block is function.block and not isinstance(op, core.Constant):
            for value, array in zip(op.results, results, strict=True):
                own = tuple(filter(None, dict.fromkeys((value.name, names.get(value, "")))))
                quant = quant_of_value(value)
                number, rounded = in_numbers(array, quant), grid_of(value)
                if rounded is not None and number.dtype.kind == "f":
                    quant, number = rounded, rounded.dequantize(rounded.quantize(number)).astype(number.dtype)
                found.append(LayerValue(own, tuple(origins(op.location)), number, quant))
        return results

    outputs = run_function(function, inputs, change=keep)
    return _with_scales(found), outputs


def _with_scales(values: list[LayerValue]) -> list[LayerValue]:
    """Floats that are nothing but what some integers stand for, with the scale of these."""
    known = {v.array.tobytes(): v.quant for v in values if v.quant is not None and _tells(v.array)}
    return [v._replace(quant=known.get(v.array.tobytes())) if v.quant is None and known else v for v in values]


def tflite_values(file: TfliteFile, function: Function | None = None) -> list[LayerValue]:
    """All tensors of a file that was run, without those that it holds; floats that all of their readers round, as these
    do.  function: the file in core ops, where it is read.  TensorFlow names them after the nodes that
    became the op, the last one first, with digits behind to tell them apart; mlconv after the value, or after the node
    and the op that it became.
    """
    found, grids = [], _grids(function)
    for name, array, quant, is_constant in file.values():
        if is_constant:
            continue
        if array.dtype.kind == "f" and (grid := grids.get(name)) is not None:
            array, quant = grid.quantize(array), grid
        parts = [part for part in name.split(";") if part]
        last = parts[-1].rstrip(_DIGITS) if len(parts) > 1 else ""
        names = tuple(dict.fromkeys((name, *parts, last) if last else (name, *parts)))
        node = name.rpartition("/")[0]
        found.append(LayerValue(names, (*names, node) if node else names, in_numbers(array, quant), quant))
    return _with_scales(found)


def _grids(function: Function | None) -> dict[str, QuantType]:
    """What all readers of a value round it to, by its name."""
    ops = [] if function is None else function.block.ops
    return {v.name: grid for op in ops for v in op.results if v.name and (grid := grid_of(v)) is not None}


def node_value(tensor: str, array: Array) -> LayerValue:
    """A tensor of a graph of TensorFlow, which is named after its node."""
    return of_node(LayerValue((tensor,), (tensor.rpartition(":")[0] or tensor,), array))


def of_node(value: LayerValue) -> LayerValue:
    """mlconv names nodes of TensorFlow after those they were made of, with digits behind to tell them apart."""
    bases = (base for node in value.origins for base in (node, _NUMBER.sub("", node)))
    return value._replace(origins=tuple(dict.fromkeys(bases)))


def _tells(array: Array) -> bool:
    """Its numbers are not the same by chance."""
    return array.size > 1 and bool((array != array.flat[0]).any())


def _may_tell(array: Array, plain: Array) -> bool:
    """One number throughout is what a loop fills, and no value."""
    return array.size < 2 or _tells(array) or not _tells(plain)


class Places:
    """What values of a function are called, and which ones a source op has made, in order."""

    def __init__(self, function: Function) -> None:
        self.order: dict[Value, int] = {}
        self.by_name: dict[str, Value] = {}
        self.by_origin: dict[str, list[Value]] = {}
        for op in function.block.ops:
            if isinstance(op, core.Constant):
                continue
            for value in op.results:
                self.order[value] = len(self.order)
                if value.name:
                    self.by_name[value.name] = value
            for origin in dict.fromkeys(origins(op.location)):
                self.by_origin.setdefault(origin, []).extend(op.results)
        self.by_name.update(
            (n, v) for n, v in zip(function.output_names, function.outputs, strict=True) if v in self.order
        )
        self.by_origin = {origin: values for origin, values in self.by_origin.items() if values}
        self.by_node = _unambiguous((allowed(origin), values) for origin, values in self.by_origin.items())
        self.by_end = self._by_end()
        self.named_ends = _unambiguous((end, value) for name, value in self.by_name.items() for end in _ends(name))

    def sorted(self, ops: Iterable[Op]) -> tuple[Op, ...]:
        """Ops in the order of the function; those that make nothing but constants first."""
        return tuple(sorted(ops, key=lambda op: self.order.get(op.results[0], -1)))

    def _by_end(self) -> dict[str, list[Value]]:
        found: dict[str, list[Value]] = {}
        ambiguous: set[str] = set()
        for name, values in {**self.by_origin, **{n: [v] for n, v in self.by_name.items()}}.items():
            for end in _ends(name):
                if found.setdefault(end, values)[-1] is not values[-1]:
                    ambiguous.add(end)
        return {end: values for end, values in found.items() if end not in ambiguous}

    def named(self, names: Iterable[str]) -> Value | None:
        """The last of the values that one of the names belongs to."""
        found = [v for name in names for v in (self.by_name.get(name), self.by_name.get(f"{name}:0")) if v is not None]
        return max(found, key=self.order.__getitem__, default=None)

    def made_from(self, texts: Sequence[str]) -> list[Value]:
        """The values that ops of one of the origins have made: of the one that made the last of all."""
        for paths in (texts, [end for text in texts for end in _ends(text)]):
            found = [values for path in paths for values in self._of(path)]
            if found:
                return max(found, key=lambda values: self.order[values[-1]])
        return []

    def ending(self, names: Sequence[str]) -> list[Value]:
        """The value whose name ends as one of some names does, or the other way round."""
        found = [self.named_ends[end] for name in names for end in (name, *_ends(name)) if end in self.named_ends]
        return found[:1]

    def _of(self, path: str) -> Iterator[list[Value]]:
        yield from (known[path] for known in (self.by_origin, self.by_end, self.by_node) if path in known)
        if path in self.by_name:
            yield [self.by_name[path]]


def _unambiguous(pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    found: dict[str, T] = {}
    ambiguous: set[str] = set()
    for end, value in pairs:
        if found.setdefault(end, value) is not value:
            ambiguous.add(end)
    return {end: value for end, value in found.items() if end not in ambiguous}


def _ends(name: str) -> Iterator[str]:
    """What stands behind each slash of a path: another tool may have put the same nodes below another one."""
    at = name.find("/")
    while at >= 0:
        if "/" in name[at + 1 :]:
            yield name[at + 1 :].removesuffix(":0")
        at = name.find("/", at + 1)


def nearest_behind(
    value: Value, function: Function, captured: Mapping[Value, Sequence[Op]], known: Container[Value]
) -> list[Value]:
    """The nearest values behind one that are known.  captured: ops whose regions read a value."""
    found: dict[Value, None] = {}
    seen, left = {value}, [value]
    while left:
        one = left.pop()
        for op in (*one.users, *captured.get(one, ())):
            for result in op.results if op.block is function.block else ():
                if result in known:
                    found[result] = None
                elif result not in seen:
                    seen.add(result)
                    left.append(result)
    return list(found)


def matched(places: Places, values: Sequence[LayerValue], plain: Mapping[Value, Array]) -> dict[Value, LayerValue]:
    """The values of another model by those of a function that they stand for.  plain: the function's, in numbers.

    A name tells more than an origin, from which several ops may have been made: the last one of these that has as many
    elements is taken, unless another one is much nearer.  Of a name alone, the number of elements may be another.
    """
    by_name: dict[Value, LayerValue] = {}
    by_origin: dict[Value, LayerValue] = {}
    for one in values:
        value = places.named(one.names)
        if value is not None and (_has_size(plain, value, one) or _has_one_size(plain, value, one)):
            by_name.setdefault(value, one)
            continue
        made = [v for v in _made(places, one) if _has_size(plain, v, one) and _may_tell(one.array, plain[v])]
        if made:
            value = _nearest(plain, made, one)
            by_origin[value] = _nearer(plain[value], by_origin.get(value), one)
    by_origin = _others_for_far(by_origin, values, plain)
    return {**{v: one for v, one in by_origin.items() if _may_be(plain[v], one)}, **by_name}


def _may_be(plain: Array, one: LayerValue) -> bool:
    """Integers are exact: others that come from the same node, as sizes do, are another part of it."""
    is_exact = plain.dtype.kind in "biu" and one.quant is None and one.array.dtype.kind in "biu"
    return not is_exact or bool((plain == laid_as(plain, one.array)).all())


def _others_for_far(
    by_origin: Mapping[Value, LayerValue], values: Sequence[LayerValue], plain: Mapping[Value, Array]
) -> dict[Value, LayerValue]:
    """Ops of several nodes that became one are told by one of these: where what an origin tells is far from a value,
    and another one is the same, that one stands for it.
    """
    by_size: dict[int, list[tuple[float, LayerValue]]] = {}
    for one in values:
        if one.array.dtype.kind == "f" and one.array.size >= _MANY:
            by_size.setdefault(one.array.size, []).append((magnitude(one.array), one))
    found = dict(by_origin)
    for value, one in by_origin.items():
        own = plain[value]
        most = magnitude(own) if own.dtype.kind == "f" and own.size >= _MANY else 0.0
        if not most or distance(own, laid_as(own, one.array)) <= FAR * most:
            continue
        near = (other for size, other in by_size.get(own.size, ()) if abs(size - most) <= _SAME * most)
        same = (o for o in near if distance(own, laid_as(own, o.array)) <= _SAME * most)
        found[value] = next(same, one)
    return found


def _made(places: Places, one: LayerValue) -> list[Value]:
    """By what a value is called below another path, else by the nodes of its op, which may have become several, or one
    with the activation behind it.
    """
    paths = [name for name in one.names if "/" in name]
    made = places.ending(paths) or places.made_from(one.origins)
    behind = [v for x in made for op in x.users if isinstance(op, core.Clamp) for v in op.results if v in places.order]
    return [*(v for v in behind if v not in made), *made]


def _has_size(plain: Mapping[Value, Array], value: Value, one: LayerValue) -> bool:
    return value in plain and plain[value].size == one.array.size


def _has_one_size(plain: Mapping[Value, Array], value: Value, one: LayerValue) -> bool:
    """The size is fixed, and the value has that name alone: with other elements it cannot be the same."""
    shape = value.tensor.shape
    return value in plain and len(one.names) == 1 and shape is not None and all(isinstance(d, int) for d in shape)


def _nearest(plain: Mapping[Value, Array], made: Sequence[Value], one: LayerValue) -> Value:
    """The last one, unless another one is much nearer."""
    last = made[-1]
    if len(made) == 1 or one.array.dtype.kind not in "fiu":
        return last
    far = {v: distance(plain[v], laid_as(plain[v], one.array)) for v in made}
    nearest = min(made, key=far.__getitem__)
    return nearest if far[nearest] < _MUCH_NEARER * far[last] else last


def _nearer(plain: Array, earlier: LayerValue | None, later: LayerValue) -> LayerValue:
    """Of two values that one stands for: the later one, unless the other is much nearer."""
    if earlier is None or plain.dtype.kind not in "fiu":
        return later
    far = [distance(plain, laid_as(plain, one.array)) for one in (earlier, later)]
    return earlier if far[0] < _MUCH_NEARER * far[1] else later


def first_unclear(value: Value, unclear: Sequence[Value], behind: Callable[[Value], Sequence[Value]]) -> Value:
    """The first of a row of suspects in front of a value that is off: they were let go since something else was off
    behind them, which this value's being off explains.  behind: the values next behind one.
    """
    while True:
        front = next((v for v in unclear if value in behind(v)), None)
        if front is None:
            return value
        value, unclear = front, [v for v in unclear if v is not front]
