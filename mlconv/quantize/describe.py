"""The report of a function that is quantized: its layers, what they compute with and what that costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Plumbing, has_trait
from mlconv.provenance.locations import first_name, frames
from mlconv.quantize.assign import Assignment, activations_of
from mlconv.quantize.causes import Facts, causes_of, saturation
from mlconv.quantize.choose import (
    AMONG,
    PRODUCTS,
    STEEP,
    Choice,
    bias_behind,
    bias_of,
    is_border,
    is_wide,
    may_round,
    walk_floats,
    walk_real,
)
from mlconv.quantize.costs import ShapeOf, bytes_of, macs_of, sized
from mlconv.quantize.given import is_given
from mlconv.quantize.halves import exceeds_halves, halves_of
from mlconv.quantize.losses import Measured
from mlconv.quantize.measure import Site
from mlconv.quantize.outcome import Row
from mlconv.quantize.ranges import Range
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.report import FLOAT, Layer, OutputLoss, Report, decibels
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.select import selecting
from mlconv.quantize.store import SHORT, rounds_reads, stores_integers, stores_table

_SPANS = "it spans more magnitudes than integers hold"
_NO_FORM = "it has no form over integers"
_WIDE = "it is of float64, and schemes are for float32: --reduce-float64 makes it that"
_TOO_LARGE = "its weights are larger, or all smaller, than floats of 16 bits hold"
_BIAS_LIMIT = 0.99 * (1 << 30)


class Flow(NamedTuple):
    """op: None where values only get other names."""

    op: Op | None
    read: tuple[Value, ...]
    made: tuple[Value, ...]


@dataclass
class Described:
    """Layers of a function, in order, by op; and of those that have fewer bits, what they were and how they are
    rounded.  data: what products read besides constant weights.  flows: what
    comes from what, in order: an op or None, values that are read, and made of them.
    """

    layers: dict[OpDef, Layer] = field(default_factory=dict)
    schemes: dict[OpDef, Scheme] = field(default_factory=dict)
    tails: dict[OpDef, tuple[Value, frozenset[Value], QuantType | None]] = field(default_factory=dict)
    data: dict[OpDef, tuple[int, ...]] = field(default_factory=dict)
    flows: list[Flow] = field(default_factory=list)

    def rows(self) -> list[Row]:
        """Layers as they were planned."""
        static = {op: scheme.name for op, scheme in self.schemes.items() if scheme.is_static}
        others = next(iter(static.values()), "")
        return [
            Row(layer, op.location, static.get(op, ""), static.get(op, others) if has_trait(op, Plumbing) else "")
            for op, layer in self.layers.items()
        ]

    def tell_integers(self, op: Op) -> None:
        """The layer of an op that its integers need no longer, if there is one, has its scheme."""
        if isinstance(op, OpDef) and op in self.layers and self.schemes[op].is_static:
            self.layers[op].scheme, self.layers[op].reason = self.schemes[op].name, ""

    def sites(self, made: Mapping[Value, Value]) -> list[Site]:
        """made: what took the part of values."""
        found = []
        for op, (before, inner, element) in self.tails.items():
            after = made.get(before, before)
            found.append(Site(op, inner | {before, after}, before, after, element, self.data.get(op, ())))
        return found


def described(
    function: Function,
    choice: Choice,
    assignment: Assignment | None,
    ranges: Mapping[Value, Range],
    scheme_of: Callable[[Op], Scheme],
    keeps_given: bool,
) -> Described:
    """Layers as they are going to be.  assignment: None where ranges are not known.  keeps_given: what a source has
    quantized stays as it is, and is no layer.
    """
    found = Described(flows=list(_flows(function.block)))
    fused: dict[OpDef, list[Op]] = {}
    for part, head in choice.fused.items():
        fused.setdefault(head, []).append(part)
    behind = _biases(function, scheme_of)
    added = set(behind.values())
    alone = {
        str(v.tensor.shape[0]): 1 for v in function.inputs if v.tensor.shape and isinstance(v.tensor.shape[0], Dim)
    }
    shape_of = sized(alone)
    for op in _with_floats(function):
        if op in choice.fused or op in added or op.regions or (keeps_given and is_given(op)):
            continue
        scheme = scheme_of(op)
        layer = found.layers[op] = _layer(op, shape_of)
        found.schemes[op] = scheme
        parts = fused.get(op, [behind[op]] if op in behind else [])
        if op in choice.integers:
            tail = choice.tails[op]
            element = None if assignment is None else assignment.results[tail]
            _describe_integers(layer, tail, element, ranges)
            if isinstance(op, PRODUCTS) and len(activations_of(op)) == 1:
                found.data[op] = tuple(activations_of(op))
        elif _is_stored(op, scheme):
            tail, element = (parts[-1].results[0] if parts else op.results[0]), None
            layer.reason = SHORT if scheme.dynamic and isinstance(op, PRODUCTS) and not rounds_reads(op, scheme) else ""
        else:
            layer.reason = _reason(op, scheme, choice)
            continue
        layer.scheme, layer.fused = scheme.name, [part.name for part in parts]
        inner = frozenset(v for part in (op, *parts) for v in part.results)
        found.tails[op] = tail, inner, element
    return found


def _with_floats(function: Function) -> Iterator[OpDef]:
    """All ops that make or read floats, but for what gives inputs and outputs other floats than those inside."""
    return (op for op in walk_real(function) if not is_border(op))


def _biases(function: Function, scheme_of: Callable[[Op], Scheme]) -> dict[OpDef, Op]:
    """Biases of products whose weights become integers; some become part of these."""
    found: dict[OpDef, Op] = {}
    for op in walk_floats(function):
        if isinstance(op, core.MatMul) and stores_integers(op, scheme_of(op)):
            _, add = bias_behind(op)
            if add is not None:
                found[op] = add
    return found


def _is_stored(op: OpDef, scheme: Scheme) -> bool:
    """The op computes with floats, and constants of it are stored in fewer bits."""
    if scheme.activations is DType.BF16 and isinstance(op, PRODUCTS):
        return True
    return stores_integers(op, scheme) or stores_table(op, scheme) or bool(halves_of(op, scheme))


def _reason(op: OpDef, scheme: Scheme, choice: Choice) -> str:
    """Why an op computes with floats."""
    if scheme.name != FLOAT and any(map(is_wide, (*op.inputs, *op.results))):
        return _WIDE
    if exceeds_halves(op, scheme):
        return _TOO_LARGE
    if not scheme.is_static:
        return f"its scheme is {scheme.name}" if scheme.name == FLOAT else f"{scheme.name} stores weights, it has none"
    return choice.reasons.get(op) or (AMONG if may_round(op) else _SPANS if isinstance(op, STEEP) else _NO_FORM)


def _layer(op: OpDef, shape_of: ShapeOf) -> Layer:
    """shape_of: for one sample."""
    place = next(iter(frames(op.location)), None)
    line = "" if place is None else f"{place.file}:{place.line}"
    layer = Layer(op.name, first_name(op.location), line, FLOAT, select=selecting(op))
    layer.macs, layer.bytes = macs_of(op, shape_of), bytes_of(op, shape_of)
    return layer


def _describe_integers(layer: Layer, tail: Value, element: QuantType | None, ranges: Mapping[Value, Range]) -> None:
    if tail in ranges:
        layer.low, layer.high = ranges[tail].whole
    if element is not None:
        layer.scale, layer.zero_point = float(element.scales.view()), int(element.zero_array())


def constant_bytes(block: Block) -> int:
    """Size of all constants that are used, each counted once."""
    found = {op.value: op.y.tensor for op in walk(block) if isinstance(op, core.Constant) and op.y.uses}
    return sum((t.dtype if t.quant is None else t.quant.storage).packed_bytes(c.size) for c, t in found.items())


def tell_losses(report: Report, found: Described, measured: Measured, names: list[str], recipe: Recipe) -> None:
    """Put what was measured into the report.  names: of outputs."""
    report.measured = measured.samples
    for op, loss in measured.sites.items():
        assert isinstance(op, OpDef)
        layer = found.layers[op]
        layer.snr, layer.network_snr = decibels(loss.signal, loss.own), decibels(loss.signal, loss.network)
        layer.saturation = saturation(loss)
        if loss.result is not None:
            layer.channel_ratio = loss.result.channel_ratio
            layer.peak_ratio = loss.result.peak / loss.result.rms if loss.result.rms else None
    worst = _worst_in_front(found)
    for op, loss in measured.sites.items():
        assert isinstance(op, OpDef)
        layer, front = found.layers[op], worst.get(op)
        facts = Facts(
            found.schemes[op],
            layer.select,
            widened_channels(op) if op in found.data else 0,
            "" if front is None else front.node or front.place,
            None if front is None else front.snr,
            recipe.equalize,
            found.schemes[op].dynamic and not isinstance(op, core.Gather) and not layer.reason,
        )
        layer.causes = causes_of(loss, facts)
    report.outputs = [OutputLoss(names[i], decibels(*sums)) for i, sums in measured.outputs.items()]


def _flows(block: Block) -> Iterator[Flow]:
    """Through loops once: what a turn hands to the next is left out."""
    for op in block.ops:
        if isinstance(op, core.While):
            for init, argument in zip(op.inits, op.body.block.arguments, strict=True):
                yield Flow(None, (init,), (argument,))
        for region in op.regions:
            yield from _flows(region.block)
        if isinstance(op, (core.While, core.If)):
            ends = [op.body.block] if isinstance(op, core.While) else [op.then.block, op.orelse.block]
            for *outputs, result in zip(*(end.outputs for end in ends), op.results, strict=True):
                yield Flow(None, tuple(outputs), (result,))
        else:
            yield Flow(op, tuple(op.inputs), tuple(op.results))


def _worst_in_front(found: Described) -> dict[Op, Layer]:
    """Of all layers that a layer's operands come from, the one that loses most by itself."""
    best: dict[Value, Layer] = {}
    front: dict[Op, Layer] = {}
    for op, read, made in found.flows:
        known = [best[v] for v in read if v in best]
        layer = found.layers.get(op) if isinstance(op, OpDef) else None
        if known and op is not None:
            front[op] = min(known, key=_ratio)
        if layer is not None and layer.snr is not None:
            known.append(layer)
        if known:
            best.update(dict.fromkeys(made, min(known, key=_ratio)))
    return front


def _ratio(layer: Layer) -> float:
    return math.inf if layer.snr is None else layer.snr


def widened_channels(op: OpDef) -> int:
    """Output channels of a product of integers with constant weights whose biases take all of 32 bits."""
    x, w = (_element(v) for v in op.operands[:2])
    bias = bias_of(op)
    numbers = const_of(bias)
    if x is None or w is None or numbers is None or not x.is_per_tensor:
        return 0
    units = x.scales.view().astype(np.float64) * w.scales.view()
    if units.ndim and units.shape != numbers.shape:
        return 0
    return int(np.count_nonzero(np.abs(numbers.view()) / units >= _BIAS_LIMIT))


def _element(value: Value | None) -> QuantType | None:
    maker = None if value is None else value.producer
    return maker.x.tensor.quant if isinstance(maker, core.Dequantize) else None
