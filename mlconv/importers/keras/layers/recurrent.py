"""Recurrent layers, and layers that hold one.  Source: keras/src/layers/rnn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Activation
from mlconv.importers.keras.call import Call, Results, Rules
from mlconv.importers.keras.fields import Fields
from mlconv.importers.keras.graph import object_of
from mlconv.importers.keras.weights import Weights
from mlconv.ir.core import Value

RULES: Final = Rules()
_KINDS: Final = ("LSTM", "GRU", "SimpleRNN")
_STATES: Final = {"LSTM": 2, "GRU": 1, "SimpleRNN": 1}
_ACTIVATIONS: Final[dict[str, Activation]] = {
    "tanh": ("tanh", 0.0, 0.0),
    "sigmoid": ("sigmoid", 0.0, 0.0),
    "relu": ("relu", 0.0, 0.0),
    "linear": ("identity", 0.0, 0.0),
    "hard_sigmoid": ("hardsigmoid", 1 / 6, 0.5),
    "elu": ("elu", 1.0, 0.0),
    "leaky_relu": ("leakyrelu", 0.2, 0.0),
    "softsign": ("softsign", 0.0, 0.0),
    "softplus": ("softplus", 0.0, 0.0),
}
# Layers that do the same to each step as to all steps at once.
_STEPWISE: Final = frozenset({"Dense", "Activation", "ReLU", "LeakyReLU", "ELU", "Dropout", "Rescaling", "Identity"})


class _Layer(NamedTuple):
    """A recurrent layer: class, configuration, weights."""

    kind: str
    fields: Fields
    weights: Weights


class _Ran(NamedTuple):
    """y: outputs of all steps, in the order of the steps, [steps, batch, units].  last: that of the step that was done
    last.  states: [batch, units].
    """

    y: Value
    last: Value
    states: list[Value]


@RULES.rule(*_KINDS)
def recurrent(n: Call) -> Results:
    """Steps that do not count leave states and outputs as they are, which is left to Keras."""
    if n.mask is not None:
        raise n.unknown("a mask")
    layer = _Layer(n.kind, n.fields, n.weights)
    x, states = _given(n, _STATES[n.kind])
    backwards = n.fields.flag("go_backwards")
    sequence, every = n.fields.flag("return_sequences"), n.fields.flag("return_state")
    ran = _run(n, layer, n.transpose(x, [1, 0, 2]), states, backwards)
    y = ran.last
    if sequence:
        y = n.y(core.Reverse(ran.y, axes=(0,))) if backwards else ran.y
        y = n.transpose(y, [1, 0, 2])
    return [y, *ran.states] if every else y


def _given(n: Call, count: int) -> tuple[Value, list[Value] | None]:
    """The sequence [batch, steps, channels], and the states that it begins with."""
    first = n.args[0] if n.args else None
    given: object = n.args[1] if len(n.args) == 2 else n.kwarg("initial_state")
    if not isinstance(first, Value) or len(n.args) > 2 or n.rank(first) != 3:
        raise n.unknown("it is given no sequence")
    if given is None:
        return n.value(first), None
    states = [n.value(v) for v in (given if isinstance(given, list) else [given])]
    if len(states) != count:
        raise n.unknown(f"it is given {len(states)} states")
    return n.value(first), states


def _run(n: Call, layer: _Layer, x: Value, states: Sequence[Value] | None, backwards: bool) -> _Ran:
    """x: [steps, batch, channels]."""
    f = layer.fields
    units, channels = f.integer("units", None, 1), n.size(x, 2)
    f.absent("stateful", "time_major")
    f.unused(
        "unroll", "zero_output_for_mask", "unit_forget_bias", "dropout", "recurrent_dropout", "activity_regularizer"
    )
    f.unused("return_sequences", "return_state", "go_backwards")
    function = _activation(f, "activation", "tanh")
    bias = f.flag("use_bias", True)
    gates = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}[layer.kind]
    shapes: list[tuple[int, ...]] = [(channels, gates * units), (units, gates * units)]
    after = layer.kind == "GRU" and f.flag("reset_after", True)
    if bias:
        shapes.append((2, gates * units) if after else (gates * units,))
    found = n.held(layer.kind, layer.weights.at("cell", 0), *shapes)
    w, r = (n.transpose(v, [1, 0]) for v in found[:2])
    given: list[Value | None] = [*states] if states else [None, None]
    if layer.kind == "SimpleRNN":
        ran = n.emit(
            core.Rnn(x, w, r, found[2] if bias else None, given[0], reverse=backwards, activations=(function,))
        )
        return _Ran(ran.y, ran.h, [ran.h])
    inner = _activation(f, "recurrent_activation", "sigmoid")
    if layer.kind == "GRU":
        ib, rb = found[2] if bias else None, None
        if ib is not None and after:
            ib, rb = (n.squeeze(v, 0) for v in n.split(ib, (1, 1), 0))
        gru = n.emit(
            core.Gru(
                x, w, r, ib, rb, given[0], reverse=backwards, activations=(inner, function), linear_before_reset=after
            )
        )
        return _Ran(gru.y, gru.h, [gru.h])
    w, r = _output_second(n, w, units), _output_second(n, r, units)
    b = _output_second(n, found[2], units) if bias else None
    lstm = n.emit(core.Lstm(x, w, r, b, given[0], given[1], reverse=backwards, activations=(inner, function, function)))
    return _Ran(lstm.y, lstm.h, [lstm.h, lstm.c])


def _activation(f: Fields, name: str, default: str) -> Activation:
    found = _ACTIVATIONS.get(f.text(name, default)) if f.given.get(name, default) is not None else None
    if found is None:
        raise f.wrong(name)
    return found


def _output_second(n: Call, v: Value, units: int) -> Value:
    """Gates i, f, c, o as i, o, f, c."""
    i, f, c, o = n.split(v, (units,) * 4, 0)
    return n.concat([i, o, f, c], 0)


@RULES.rule("Bidirectional")
def bidirectional(n: Call) -> Results:
    """A layer that goes forwards and one that goes backwards over the same sequence."""
    if n.mask is not None:
        raise n.unknown("a mask")
    layers = [_held(n, "layer", "forward_layer", 0), _held(n, "backward_layer", "backward_layer", 1)]
    kind, merge = layers[0].kind, n.fields.get("merge_mode")
    x, states = _given(n, 2 * _STATES[kind])
    count = _STATES[kind]
    sequence, every = (layers[0].fields.flag(name) for name in ("return_sequences", "return_state"))
    steps = n.transpose(x, [1, 0, 2])
    ran: list[_Ran] = []
    for i, layer in enumerate(layers):
        backwards = layer.fields.flag("go_backwards")
        if layer.kind != kind or backwards != (i == 1) or layer.fields.flag("return_sequences") != sequence:
            raise n.unknown("its layers are not a pair")
        given = None if states is None else states[i * count : (i + 1) * count]
        ran.append(_run(n, layer, steps, given, backwards))
        layer.fields.finish()
    outputs = [r.y if sequence else r.last for r in ran]
    merged = [_merged(n, merge, outputs)] if merge is not None else outputs
    laid = [n.transpose(y, [1, 0, 2]) for y in merged] if sequence else merged
    if every:
        laid += [*ran[0].states, *ran[1].states]
    return laid if len(laid) > 1 else laid[0]


def _merged(n: Call, how: object, outputs: list[Value]) -> Value:
    a, b = outputs
    if how == "concat":
        return n.concat([a, b], n.rank(a) - 1)
    if how == "sum":
        return n.add(a, b)
    if how == "mul":
        return n.mul(a, b)
    if how == "ave":
        return n.div(n.add(a, b), 2.0)
    raise n.fields.wrong("merge_mode")


def _held(n: Call, field: str, attribute: str, index: int) -> _Layer:
    """A recurrent layer that this one holds."""
    kind, config = object_of(n.fields.get(field))
    if kind not in _KINDS:
        raise n.unknown(f"it holds a {kind}")
    n.same_policy(config)
    return _Layer(kind, Fields(kind, config), n.weights.at(attribute, index))


@RULES.rule("TimeDistributed")
def time_distributed(n: Call) -> Results:
    """The layer that it holds on each step: steps are taken for elements of the batch."""
    if n.mask is not None:
        raise n.unknown("a mask")
    x, given = n.x, n.fields.get("layer")
    kind, _ = object_of(given)
    weights = n.weights.at("layer", 0)
    if kind in _STEPWISE:
        return n.layer(given, weights, [x])
    sizes = n.dims(x)
    if len(sizes) < 3:
        raise n.unknown("its input has no steps")
    if not all(isinstance(s, int) for s in sizes[1:]):
        raise n.unknown("sizes of its input are not known")
    inner = n.layer(given, weights, [n.reshape(x, [-1, *sizes[2:]])])
    if not isinstance(inner, Value):
        raise n.unknown("its layer has several results")
    rest = n.dims(inner)[1:]
    if not all(isinstance(s, int) for s in rest):
        raise n.unknown("sizes of its result are not known")
    return n.reshape(inner, [-1, *sizes[1:2], *rest])
