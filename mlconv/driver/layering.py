"""Two models layer by layer: one is run on the interpreter, from what the other one computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.kept_nan import in_numbers
from mlconv.driver.options import Options
from mlconv.driver.ranged_side import RangedSide
from mlconv.driver.roundings import rounding_of, tflite_rounding
from mlconv.driver.side import Side
from mlconv.driver.sides import ModelSide, TfliteSide, grids_of, readable
from mlconv.driver.source_values import source_values
from mlconv.ir.constants import Array
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.provenance.locations import first_name, frames, node_names
from mlconv.runtime.compare import has_nan
from mlconv.runtime.layer_noise import Rounding
from mlconv.runtime.layer_report import Called, Layer, LayerReport
from mlconv.runtime.layer_values import LayerValue, interpreted_values, tflite_values
from mlconv.runtime.layers import Judge
from mlconv.runtime.pairing import Pair

_SHOWN = ("onnxruntime", "tensorflow")  # what they compute inside of a model without integers
_NODES = 3  # of a layer, beside its own, in words


@dataclass
class Layers:
    """reference: path of the model whose ops are named.  other: of the one that is looked at."""

    reference: str
    other: str
    report: LayerReport

    @property
    def problem(self) -> str:
        """What differs first, in words; empty when nothing does."""
        layer = self.report.first
        return "" if layer is None else f"{place_of(layer)}: {layer.why}"


def place_of(layer: Layer) -> str:
    """Op and node, in words, and the nodes that it may be one with."""
    own = first_name(layer.location)
    others = [node for node in nodes_of(layer) if node != own]
    together = f" (with {', '.join(others[:_NODES])}{' ...' if len(others) > _NODES else ''})" if others else ""
    return f"{layer.op.name} {own}".rstrip() + together


def nodes_of(layer: Layer) -> list[str]:
    """Nodes of all ops of a layer, in order."""
    return [*dict.fromkeys(node for op in layer.ops for node in node_names(op.location) if node)]


def line_of(layer: Layer) -> str:
    """FILE:LINE; empty where no line is known."""
    found = frames(layer.location)
    return f"{found[0].file}:{found[0].line}" if found else ""


def compare_layers(
    first: Side,
    second: Side,
    inputs: Sequence[Pair],
    call: Mapping[str, Array],
    options: Options,
    drawn: bool = False,
) -> Layers:
    """The first side's ops, or the second's where the first cannot be read or rounds and the second does not, against
    the other one's values.  call: inputs as the first takes them; drawn: at random.

    Raises ConversionError VerificationImpossible where no side can be interpreted, or the other one shows no values.
    """
    found, holds_none = _found(first, second, inputs, call, options, drawn)
    if found.report.first is not None and holds_none and any(map(has_nan, call.values())):
        numbers = {name: in_numbers(x) for name, x in call.items()}
        return _found(first, second, inputs, numbers, options, drawn)[0]
    return found


def _found(
    first: Side, second: Side, inputs: Sequence[Pair], call: Mapping[str, Array], options: Options, drawn: bool
) -> tuple[Layers, bool]:
    """Layers, and whether a model computes with integers, which hold no NaN."""
    call = {p.a.name: _whole(first, second, p, call[p.a.name]) for p in inputs if p.a.name in call}
    grids = grids_of(first, second, inputs, call)
    integers = {p.a.name: p.b.quant for p in inputs if p.b.quant is not None and p.b.dtype.is_int}
    grids = {**integers, **grids}
    call = {name: rounded(x, grids.get(name)) for name, x in call.items()}
    other_call = second.begun({p.b.name: p.to_b(call[p.a.name]) for p in inputs if p.a.name in call})
    call = first.begun(call)
    turned = first.rounds and not second.rounds and readable(second, options) is not None
    reference = None if turned else readable(first, options)
    if reference is not None:
        return _layers(reference, reference.begun(call), second, other_call, options, drawn)
    reference = readable(second, options)
    if reference is None:
        raise ConversionError(
            Code.VerificationImpossible,
            f"neither {first.path} nor {second.path} can be read into ops, which layers are told by",
            help="compare with the model that they were made of",
        )
    return _layers(reference, reference.begun(other_call), first, call, options, drawn)


def _whole(first: Side, second: Side, pair: Pair, x: Array) -> Array:
    """An input of the first side, of the largest sizes where one has values of these alone."""
    if isinstance(first, RangedSide):
        return first.whole(pair.a.name, x)
    return pair.to_a(second.whole(pair.b.name, pair.to_b(x))) if isinstance(second, RangedSide) else x


def rounded(x: Array, grid: QuantType | None) -> Array:
    """Inputs as one of the sides rounds them, so that this is no difference."""
    return x if grid is None or x.dtype.kind != "f" else grid.dequantize(grid.quantize(x)).astype(x.dtype)


def _layers(
    reference: ModelSide,
    call: Mapping[str, Array],
    other: Side,
    other_call: Mapping[str, Array],
    options: Options,
    drawn: bool,
) -> tuple[Layers, bool]:
    values, rounding, called = _values(other, other_call, options)
    called = None if called is None else called._replace(drawn=drawn)
    judge = Judge(_function(reference, call), call, values, rounding, called)
    return Layers(reference.path, other.path, judge.report()), rounding.is_integer or judge.is_quantized


def _function(side: ModelSide, call: Mapping[str, Array]) -> Function:
    loaded = side.core
    return loaded.main if loaded.by_values is None else loaded.by_values(call).main


def _values(
    side: Side, call: Mapping[str, Array], options: Options
) -> tuple[list[LayerValue], Rounding, Called | None]:
    """All values of a run, how weights are rounded, and the ops, where these are known."""
    if isinstance(side, TfliteSide):
        kept = side.keeping()
        kept.file.run(call)
        called = _called(side, call, options) if tflite_rounding(kept.file).is_integer else None
        function = None if called is None else called.function
        return tflite_values(kept.file, function), tflite_rounding(kept.file, function), called
    model = readable(side, options)
    if model is None:
        raise ConversionError(
            Code.VerificationImpossible,
            f"{side.path} does not show what it computes inside",
            help="compare the model that it was made of, or its TFLite file, layer by layer; mlconv bisect finds the "
            "pass that changes numbers",
        )
    if isinstance(side, ModelSide) and side.backend in _SHOWN and not (side.rounds or side.is_cut):
        found = source_values(side.source, call, side.options)
        return found.values, found.rounding, _called(side, call, options)
    function = _function(model, call)
    return interpreted_values(function, call)[0], rounding_of(function), Called(function, call)


def _called(side: Side, call: Mapping[str, Array], options: Options) -> Called | None:
    """None of a file whose ops are not all known."""
    try:
        model = readable(side, options)
        return None if model is None else Called(_function(model, call), call, interprets=False)
    except ConversionError:
        return None
