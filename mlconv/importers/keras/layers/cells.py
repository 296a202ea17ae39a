"""What recurrent layers do at each step: cells.  Source: keras/src/layers/rnn, `call` of each cell.

Cells whose activations the ops of recurrent layers have are those ops; others are loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Activation
from mlconv.importers.keras.call import Call
from mlconv.importers.keras.fields import Fields
from mlconv.importers.keras.graph import object_of, snake_case
from mlconv.importers.keras.layers.activation import Function, function_of
from mlconv.importers.keras.weights import Weights
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.repeat import repeat

# A cell of an inner builder: what it makes of a row and of its states, the first of which is its output.
Step: TypeAlias = Callable[[Call, Value, Sequence[Value]], Sequence[Value]]
Outputs: TypeAlias = tuple[Value, list[Value]]

_ACTIVATIONS: Final[dict[object, Activation]] = {
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
_GATES: Final = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}


class Cell(NamedTuple):
    """kind: LSTM, GRU, SimpleRNN, or Stacked, of cells that work one behind the other."""

    kind: str
    fields: Fields
    weights: Weights
    cells: tuple[Cell, ...] = ()

    @property
    def states(self) -> int:
        """How many states it has."""
        return sum(c.states for c in self.cells) if self.cells else 2 if self.kind == "LSTM" else 1

    @property
    def widths(self) -> list[int]:
        """Of its states."""
        inner = [width for c in self.cells for width in c.widths]
        return inner or [self.fields.integer("units", None, 1)] * self.states

    @property
    def output(self) -> int:
        """Which state is what it gives."""
        return self.states - self.cells[-1].states + self.cells[-1].output if self.cells else 0

    def run(
        self, n: Call, x: Value, states: Sequence[Value] | None, backwards: bool = False, lengths: Value | None = None
    ) -> Outputs:
        """x: [steps, batch, channels].  Outputs of all steps, [steps, batch, units], and the states behind the last.

        lengths: int32 [batch], how many steps of each row are done; what is said of others is of no use.
        """
        if not self.cells:
            return _run(n, self, x, states, backwards, lengths)
        y, ends = x, list[Value]()
        for cell in self.cells:
            own = None if states is None else states[len(ends) : len(ends) + cell.states]
            y, made = cell.run(n, y, own, backwards, lengths)
            ends += made
        return y, ends

    def finish(self) -> None:
        """Raises LeftToKerasError for a field that nobody asked for."""
        for cell in self.cells:
            cell.finish()
        self.fields.finish()


def cell_of(n: Call, given: object, weights: Weights) -> Cell:
    """A serialized cell."""
    kind, config = object_of(given)
    n.same_policy(config)
    fields = Fields(kind, config)
    if kind == "StackedRNNCells":
        listed = fields.get("cells")
        if not isinstance(listed, list) or not listed:
            raise fields.wrong("cells")
        inside = weights.listed("cells", [snake_case(object_of(c)[0]) for c in listed])
        return Cell("Stacked", fields, weights, tuple(cell_of(n, c, w) for c, w in zip(listed, inside, strict=True)))
    if kind.removesuffix("Cell") not in _GATES or not kind.endswith("Cell"):
        raise n.unknown(f"it holds a {kind}")
    return Cell(kind.removesuffix("Cell"), fields, weights)


class _Work(NamedTuple):
    """What the op of a recurrent layer takes: weights as Keras has them, and the rest."""

    x: Value
    w: Value
    r: Value
    bias: Value | None
    states: list[Value]
    lengths: Value | None
    backwards: bool
    after: bool

    @property
    def first(self) -> Value | None:
        return self.states[0] if self.states else None


def _run(
    n: Call, cell: Cell, x: Value, states: Sequence[Value] | None, backwards: bool, lengths: Value | None
) -> Outputs:
    f = cell.fields
    units, channels, gates = f.integer("units", None, 1), n.size(x, 2), _GATES[cell.kind]
    f.unused("unit_forget_bias", "dropout", "recurrent_dropout")
    after = cell.kind == "GRU" and f.flag("reset_after", True)
    shapes: list[tuple[int, ...]] = [(channels, gates * units), (units, gates * units)]
    if f.flag("use_bias", True):
        shapes.append((2, gates * units) if after else (gates * units,))
    w, r, bias = [*n.held(cell.kind, cell.weights, *shapes), None][:3]
    assert w is not None and r is not None
    work = _Work(x, w, r, bias, list(states or ()), lengths, backwards, after)
    names = ["activation"] if cell.kind == "SimpleRNN" else ["recurrent_activation", "activation"]
    functions = [function_of(f, name, "tanh" if name == "activation" else "sigmoid") for name in names]
    kinds = [_ACTIVATIONS[g.name] for g in functions if g.name in _ACTIVATIONS]
    if len(kinds) == len(functions):
        return _OPS[cell.kind](n, work, units, kinds)
    return _looped(n, work, units, cell.states, _STEPS[cell.kind](n, work, units, functions))


def _rnn(n: Call, k: _Work, units: int, kinds: Sequence[Activation]) -> Outputs:
    w, r = n.transpose(k.w, [1, 0]), n.transpose(k.r, [1, 0])
    op = core.Rnn(k.x, w, r, k.bias, k.first, k.lengths, reverse=k.backwards, activations=tuple(kinds))
    return n.emit(op).y, [op.h]


def _gru(n: Call, k: _Work, units: int, kinds: Sequence[Activation]) -> Outputs:
    w, r = n.transpose(k.w, [1, 0]), n.transpose(k.r, [1, 0])
    before, behind = k.bias, None
    if k.bias is not None and k.after:
        before, behind = (n.squeeze(v, 0) for v in n.split(k.bias, (1, 1), 0))
    op = core.Gru(
        k.x,
        w,
        r,
        before,
        behind,
        k.first,
        k.lengths,
        reverse=k.backwards,
        activations=tuple(kinds),
        linear_before_reset=k.after,
    )
    return n.emit(op).y, [op.h]


def _lstm(n: Call, k: _Work, units: int, kinds: Sequence[Activation]) -> Outputs:
    w, r = (_output_second(n, n.transpose(v, [1, 0]), units) for v in (k.w, k.r))
    bias = None if k.bias is None else _output_second(n, k.bias, units)
    h, c = k.states or (None, None)
    op = core.Lstm(k.x, w, r, bias, h, c, k.lengths, reverse=k.backwards, activations=(kinds[0], kinds[1], kinds[1]))
    return n.emit(op).y, [op.h, op.c]


_OPS: Final = {"LSTM": _lstm, "GRU": _gru, "SimpleRNN": _rnn}


def _output_second(n: Call, v: Value, units: int) -> Value:
    """Gates i, f, c, o as i, o, f, c."""
    i, f, c, o = n.split(v, (units,) * 4, 0)
    return n.concat([i, o, f, c], 0)


def _looped(n: Call, k: _Work, units: int, count: int, step: Step) -> Outputs:
    """The product of all steps with the weights of what they are given lies in front of the loop."""
    x = n.matmul(k.x, k.w)
    if k.bias is not None:
        x = n.add(x, n.squeeze(n.slice_axis(k.bias, 0, 0, 1), 0) if k.after else k.bias)
    zero = n.constant(0.0, n.dtype)
    states = k.states or [n.broadcast_to(zero, [n.dim(x, 1), units]) for _ in range(count)]
    return scanned(n, x, states, step, k.backwards, k.lengths)


def scanned(
    n: Call, x: Value, states: Sequence[Value], step: Step, backwards: bool = False, lengths: Value | None = None
) -> Outputs:
    """A loop over x [steps, batch, ...] with states [batch, ...], of which the first is the output of a step."""
    steps = n.dim(x, 0)
    sizes: list[Part] = [steps, *n.dims(states[0])]
    outputs = n.broadcast_to(n.constant(0.0, states[0].tensor.dtype), sizes)

    limit = n.constant(steps, DType.I32) if isinstance(steps, int) else n.scalar(n.cast(steps, DType.I32))

    def turn(builder: CoreBuilder, at: Value, values: Sequence[Value]) -> Sequence[Value]:
        inner = n.within(builder.builder)
        place = inner.sub(inner.sub(limit, 1), at) if backwards else at
        made = step(inner, inner.gather(x, place), values[1:])
        if lengths is not None:
            going = inner.less(at, lengths)
            made = [inner.where(_column(inner, going, m), m, old) for m, old in zip(made, values[1:], strict=True)]
        zero = inner.constant(0, DType.I32)
        begins = [place, *[zero] * inner.rank(made[0])]
        return [inner.y(core.UpdateSlice(values[0], inner.expand_dims(made[0], 0), begins)), *made]

    y, *ends = repeat(n, steps, [outputs, *states], turn)
    return y, ends


def _column(n: Call, of_rows: Value, like: Value) -> Value:
    return n.expand_dims(of_rows, *range(1, n.rank(like)))


def _lstm_step(n: Call, k: _Work, units: int, functions: Sequence[Function]) -> Step:
    """Gates i, f, c, o."""
    gate, function = functions

    def step(inner: Call, row: Value, states: Sequence[Value]) -> Sequence[Value]:
        h, c = states
        i, f, g, o = inner.split(inner.add(row, inner.matmul(h, k.r)), (units,) * 4, 1)
        new = inner.add(inner.mul(gate(inner, f), c), inner.mul(gate(inner, i), function(inner, g)))
        return [inner.mul(gate(inner, o), function(inner, new)), new]

    return step


def _gru_step(n: Call, k: _Work, units: int, functions: Sequence[Function]) -> Step:
    """Gates z, r, h.  after: the state is reset behind the product, which has a bias of its own."""
    gate, function = functions
    gates, candidate = n.split(k.r, (2 * units, units), 1)
    bias = n.squeeze(n.slice_axis(k.bias, 0, 1, 2), 0) if k.bias is not None and k.after else None

    def step(inner: Call, row: Value, states: Sequence[Value]) -> Sequence[Value]:
        (h,) = states
        x_z, x_r, x_h = inner.split(row, (units,) * 3, 1)
        product = inner.matmul(h, k.r if k.after else gates)
        product = product if bias is None else inner.add(product, bias)
        parts = inner.split(product, (units,) * (3 if k.after else 2), 1)
        z, reset = gate(inner, inner.add(x_z, parts[0])), gate(inner, inner.add(x_r, parts[1]))
        behind = inner.mul(reset, parts[2]) if k.after else inner.matmul(inner.mul(reset, h), candidate)
        made = function(inner, inner.add(x_h, behind))
        return [inner.add(inner.mul(z, h), inner.mul(inner.sub(1.0, z), made))]

    return step


def _plain_step(n: Call, k: _Work, units: int, functions: Sequence[Function]) -> Step:
    (function,) = functions
    return lambda inner, row, states: [function(inner, inner.add(row, inner.matmul(states[0], k.r)))]


_STEPS: Final = {"LSTM": _lstm_step, "GRU": _gru_step, "SimpleRNN": _plain_step}
