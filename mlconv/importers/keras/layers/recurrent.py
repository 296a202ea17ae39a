"""Recurrent layers, and layers that hold one.  Source: keras/src/layers/rnn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Results, Rules
from mlconv.importers.keras.fields import Fields
from mlconv.importers.keras.graph import object_of
from mlconv.importers.keras.layers.cells import Cell, Outputs, cell_of
from mlconv.importers.keras.layers.conv_lstm import ConvCell
from mlconv.importers.keras.layers.shape import joined
from mlconv.importers.keras.layers.steps import Counted, Ran
from mlconv.importers.keras.weights import Weights
from mlconv.ir.core import Value
from mlconv.ir.types import TensorType

RULES: Final = Rules()
_KINDS: Final = ("LSTM", "GRU", "SimpleRNN")
_CONVOLUTIONS: Final = ("ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D")
# Layers that do the same to each step as to all steps at once.
_STEPWISE: Final = frozenset({"Dense", "Activation", "ReLU", "LeakyReLU", "ELU", "Dropout", "Rescaling", "Identity"})
# Layers whose call takes a mask, or that call others.
_MASKED: Final = frozenset(
    {
        *_KINDS,
        *_CONVOLUTIONS,
        "RNN",
        "Bidirectional",
        "TimeDistributed",
        "Softmax",
        "GlobalAveragePooling1D",
        "Functional",
        "Model",
        "Sequential",
        "Attention",
        "AdditiveAttention",
    }
)


class _Cells(Protocol):
    """What a layer does at each step."""

    @property
    def states(self) -> int:
        """How many states it has."""

    @property
    def output(self) -> int:
        """Which state is what it gives."""

    def run(
        self, n: Call, x: Value, states: Sequence[Value] | None, backwards: bool = False, lengths: Value | None = None
    ) -> Outputs:
        """Outputs of the steps of x [steps, batch, ...], and states behind the last."""

    def finish(self) -> None:
        """Raises LeftToKerasError for a field that nobody asked for."""


class _Layer(NamedTuple):
    """A recurrent layer: its configuration, and what it does at each step."""

    fields: Fields
    cell: _Cells

    @property
    def backwards(self) -> bool:
        return self.fields.flag("go_backwards")

    @property
    def sequence(self) -> bool:
        return self.fields.flag("return_sequences")

    @property
    def every(self) -> bool:
        return self.fields.flag("return_state")

    @property
    def kept(self) -> bool:
        return self.fields.flag("stateful")


def _layer(n: Call, kind: str, fields: Fields, weights: Weights) -> _Layer:
    fields.absent("time_major")
    fields.unused("unroll", "activity_regularizer", "return_sequences", "return_state", "go_backwards")
    below = weights.at("cell", 0)
    if kind == "RNN":
        return _Layer(fields, cell_of(n, fields.get("cell"), below))
    if kind in _CONVOLUTIONS:
        return _Layer(fields, ConvCell(int(kind[-2]), fields, below))
    return _Layer(fields, Cell(kind, fields, below))


@RULES.rule(*_KINDS, *_CONVOLUTIONS, "RNN")
def recurrent(n: Call) -> Results:
    layer = _layer(n, n.kind, n.fields, n.weights)
    x, states = _given(n, layer.cell.states)
    ran = _run(n, layer, x, states, _steps_that_count(n, states), layer.fields.flag("zero_output_for_mask"))
    y = _laid(n, _in_turn(n, ran.y, layer.backwards)) if layer.sequence else ran.last
    if isinstance(layer.cell, Cell):
        layer.cell.finish()
    return _masked(n, y, layer.sequence, [y, *ran.states] if layer.every else y)


def _given(n: Call, count: int) -> tuple[Value, list[Value] | None]:
    """The sequence [batch, steps, ...], and the states that it begins with."""
    first = n.args[0] if n.args else None
    given: object = n.args[1] if len(n.args) == 2 else n.kwarg("initial_state")
    if not isinstance(first, Value) or len(n.args) > 2 or n.rank(first) < 3:
        raise n.unknown("it is given no sequence")
    if given is None:
        return n.value(first), None
    states = [n.value(v) for v in _leaves(given)]
    if len(states) != count:
        raise n.unknown(f"it is given {len(states)} states")
    return n.value(first), states


def _leaves(given: object) -> Iterator[object]:
    """What is in lists of lists."""
    if isinstance(given, list):
        for item in given:
            yield from _leaves(item)
    else:
        yield given


def _steps_that_count(n: Call, states: Sequence[Value] | None) -> Value | None:
    """The mask that a layer is given.

    Keras gives a layer the mask of what it is called with where that is one tensor: beside states, the mask has to be
    given too (keras/src/layers/layer.py, `Layer.__call__`, "Populate mask argument(s)").
    """
    return n.mask if states is None or n.kwarg("mask") is not None else None


def _masked(n: Call, y: Value, sequence: bool, results: Results) -> Results:
    """The mask of the sequence that it is given is that of the sequence that it gives."""
    if sequence and n.mask is not None:
        n.masks[y] = n.mask
    return results


def _run(
    n: Call, layer: _Layer, x: Value, states: Sequence[Value] | None, mask: Value | None, zeros: bool, at: str = ""
) -> Ran:
    """Steps of x [batch, steps, ...].  zeros: steps that do not count give zeros.  at: where its variables are."""
    if not layer.kept:
        return _steps(n, layer, x, states, mask, zeros)
    if not isinstance(layer.cell, Cell):
        raise n.unknown("it keeps its states")
    batch, names, begin = n.size(x, 0), list[str](), list[Value]()
    for i, width in enumerate(layer.cell.widths):
        names.append(n.variable(f"{at}rnn_state{f'_{i}' if i else ''}", (batch, width)))
        of = TensorType(n.dtype, (batch, width))
        begin.append(n.y(core.ReadVariable(variable=names[-1], of=of)))
    ran = _steps(n, layer, x, begin if states is None else states, mask, zeros)
    for name, state in zip(names, ran.states, strict=True):
        n.emit(core.AssignVariable(state, variable=name))
    return ran


def _steps(n: Call, layer: _Layer, x: Value, states: Sequence[Value] | None, mask: Value | None, zeros: bool) -> Ran:
    """x: [batch, steps, ...].  zeros: steps that do not count give zeros."""
    backwards = layer.backwards
    if mask is None:
        y, ends = layer.cell.run(n, _laid(n, x), states, backwards)
        return Ran(y, ends[layer.cell.output], ends)
    counted = Counted(n, mask, backwards)
    together = _laid(n, counted.together(n, x))
    y, ends = layer.cell.run(n, together, states, lengths=counted.lengths if layer.every or layer.kept else None)
    if layer.sequence:
        apart = counted.apart(n, y, zeros)
        return Ran(_laid(n, apart), apart, ends)
    return Ran(y, counted.last(n, y, zeros), ends)


def _laid(n: Call, x: Value) -> Value:
    """The first two axes change places."""
    return n.transpose(x, [1, 0, *range(2, n.rank(x))])


def _in_turn(n: Call, y: Value, backwards: bool) -> Value:
    """Outputs [steps, ...] of a layer in the order in which they were made."""
    return n.y(core.Reverse(y, axes=(0,))) if backwards else y


@RULES.rule("Bidirectional")
def bidirectional(n: Call) -> Results:
    """Two layers over the same sequence, one of which goes backwards.  Steps that do not count give zeros."""
    layers = [_held(n, "layer", "forward_layer", 0), _held(n, "backward_layer", "backward_layer", 1)]
    first, second = layers
    sequence, every = first.sequence, first.every
    if first.backwards == second.backwards or (second.sequence, second.every) != (sequence, every):
        raise n.unknown("its layers are not a pair")
    x, states = _given(n, first.cell.states + second.cell.states)
    mask = _steps_that_count(n, states)
    half = first.cell.states
    parts = (None, None) if states is None else (states[:half], states[half:])
    ran: list[Ran] = []
    for layer, own in zip(layers, parts, strict=True):
        layer.fields.unused("zero_output_for_mask")
        at = "backward/" if ran else "forward/"
        ran.append(_run(n, layer, x, own, mask, zeros=sequence, at=at))
        layer.cell.finish()
        layer.fields.finish()
    outputs = [r.last for r in ran]
    if sequence:
        # the second one is turned around behind what it gives
        outputs = [_in_turn(n, ran[0].y, first.backwards), _in_turn(n, ran[1].y, not second.backwards)]
    merge = n.fields.get("merge_mode")
    merged = [_merged(n, merge, outputs)] if merge is not None else outputs
    laid = [_laid(n, y) for y in merged] if sequence else merged
    if sequence and n.mask is not None:
        n.masks.update(dict.fromkeys(laid, n.mask))
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
    if kind not in (*_KINDS, *_CONVOLUTIONS, "RNN"):
        raise n.unknown(f"it holds a {kind}")
    n.same_policy(config)
    return _layer(n, kind, Fields(kind, config), n.weights.at(attribute, index))


@RULES.rule("TimeDistributed")
def time_distributed(n: Call) -> Results:
    """The layer that it holds on each step: steps are taken for elements of the batch."""
    x, given = n.x, n.fields.get("layer")
    kind, _ = object_of(given)
    if n.mask is not None and kind in _MASKED:
        raise n.unknown(f"a mask, and a {kind} for each step")
    y = _of_each_step(n, x, kind, given)
    if n.mask is not None:
        n.masks[y] = n.mask
    return y


def _of_each_step(n: Call, x: Value, kind: str, given: object) -> Value:
    weights = n.weights.at("layer", 0)
    if kind in _STEPWISE:
        y = n.layer(given, weights, [x])
        assert isinstance(y, Value)
        return y
    sizes = n.dims(x)
    if len(sizes) < 3:
        raise n.unknown("its input has no steps")
    inner = n.layer(given, weights, [n.reshape(x, [-1, *sizes[2:]])])
    if not isinstance(inner, Value):
        raise n.unknown("its layer has several results")
    rest = n.dims(inner)[1:]
    if all(isinstance(s, int) for s in (sizes[1], *rest)):
        return n.reshape(inner, [-1, sizes[1], *rest])
    return joined(n, inner, [*sizes[:2], *rest])
