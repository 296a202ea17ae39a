"""Recurrent layers as loops over core ops, so that their products are seen: what quantization rounds are products.

The product of the whole sequence with the input weights stands in front of the loop; the loop has that of the state
with the recurrent weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Activation, Layer
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.legalize.formula import CORE_OPS, Formula, lstm_cell
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import Rewriter
from mlconv.rewrite.core_builder import CoreBuilder

Step = Callable[[CoreBuilder, Value, Value, list[Value]], list[Value]]
"""Of a number of the step, gates and states: the new states."""


class Products:
    """How a layer multiplies its input and its state."""

    def of_input(self, op: Layer, e: CoreBuilder) -> Value:
        """[time, batch, gates], in the order of the steps."""
        return e.matmul(in_order(op, op.x, e), op.w, transpose_b=True)

    def of_state(self, op: Layer, t: Value, h: Value, r: Value, e: CoreBuilder) -> Value:
        """[batch, gates] of the state before step t and recurrent weights."""
        return e.matmul(h, r, transpose_b=True)


@dataclass(frozen=True, slots=True)
class Number(Formula):
    """A value with arithmetic of core ops."""

    e: CoreBuilder
    v: Value

    def wrap(self, other: Number | float) -> Number:
        return other if isinstance(other, Number) else Number(self.e, self.e.asarray(other, self.v))

    def calculate(self, operation: str, other: Number | float) -> Number:
        return self.of(CORE_OPS[operation], self.wrap(other).v)

    def of(self, make: type[OpDef], *others: Value, **attributes: Any) -> Number:
        return Number(self.e, self.e.y(make(self.v, *others, **attributes)))


_ACTIVATIONS: dict[str, Callable[[Number, float, float], Number]] = {
    "sigmoid": lambda x, a, b: x.of(core.Sigmoid),
    "tanh": lambda x, a, b: x.of(core.Tanh),
    "relu": lambda x, a, b: x.of(core.Clamp, lo=0.0, hi=float("inf")),
    "affine": lambda x, a, b: x * a + b,
    "leakyrelu": lambda x, a, b: x.of(core.LeakyRelu, alpha=a),
    "thresholdedrelu": lambda x, a, b: Number(x.e, x.e.where(x.e.less(a, x.v), x.v, 0.0)),
    "scaledtanh": lambda x, a, b: (x * b).of(core.Tanh) * a,
    "hardsigmoid": lambda x, a, b: (x * a + b).of(core.Clamp, lo=0.0, hi=1.0),
    "elu": lambda x, a, b: x.of(core.Elu, alpha=a),
    "softsign": lambda x, a, b: x / (x.of(core.Abs) + 1.0),
    "softplus": lambda x, a, b: x.of(core.Softplus),
    "identity": lambda x, a, b: x,
}


def _activate(kind: Activation, x: Number, clip: float) -> Number:
    """An activation of a gate, after clipping."""
    bounded = x.of(core.Clamp, lo=-clip, hi=clip) if clip > 0 else x
    return _ACTIVATIONS[kind[0]](bounded, kind[1], kind[2])


class ExpandRecurrent(Pass):
    """LSTM, GRU and RNN layers become loops; layers with activations that are not known stay."""

    name: ClassVar[str] = "expand-recurrent"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        found = [op for op in walk(function.block) if isinstance(op, (core.Lstm, core.Gru, core.Rnn))]
        for op in found:
            if all(kind in _ACTIVATIONS for kind, _, _ in op.activations):
                rewriter = Rewriter(op)
                rewriter.replace(op, expanded(op, CoreBuilder(rewriter)))
        if found:
            eliminate_dead_code(function.block)
        context.count(self.name, len(found))


def expanded(op: Layer, e: CoreBuilder, products: Products | None = None) -> list[Value]:
    """The results of a layer by a loop; with products of its own."""
    products = products or Products()
    bias = op.input_bias if isinstance(op, core.Gru) else op.bias
    gates = products.of_input(op, e)
    gates = gates if bias is None else e.add(gates, bias)
    states = [_state(op, op.h0, e), *([_state(op, op.c0, e)] if isinstance(op, core.Lstm) else [])]
    y, final = _loop(op, gates, states, products, e)
    return [in_order(op, y, e), *final]


def in_order(op: Layer, x: Value, e: CoreBuilder) -> Value:
    """A sequence in the order of the steps, and the other way round."""
    if not op.reverse:
        return x
    if op.lengths is None:
        return e.y(core.Reverse(x, axes=(0,)))
    return e.y(core.ReverseSequence(x, op.lengths, time_axis=0, batch_axis=1))


def _state(op: Layer, given: Value | None, e: CoreBuilder) -> Value:
    """The initial state [batch, hidden], zeros where none is given."""
    shape = [e.dim(op.x, 1), e.dim(op.r, 1)]
    return e.broadcast_to(e.constant(0.0, op.x.tensor.dtype) if given is None else given, shape)


def _loop(
    op: Layer, gates: Value, states: list[Value], products: Products, e: CoreBuilder
) -> tuple[Value, list[Value]]:
    """A loop over time with the states and the outputs so far, which each step writes one slice of."""
    step = _STEPS[type(op)](op, products, e)
    time = e.dim(op.x, 0)
    count = e.constant(time, DType.I64) if isinstance(time, int) else e.scalar(time)
    outputs = e.broadcast_to(e.constant(0.0, op.x.tensor.dtype), [time, e.dim(op.x, 1), e.dim(op.r, 1)])
    carried = [e.constant(0, DType.I64), outputs, *states]
    types = [v.type for v in carried]
    types[1] = op.y.type
    types[2:] = [op.h.type] * len(states)
    cond, body = Block(types), Block(types)
    inner = _within(cond, e)
    inner.emit(Yield([inner.less(cond.arguments[0], count)]))
    inner = _within(body, e)
    t, before, *old = body.arguments
    new = step(inner, t, inner.gather(gates, t), old)
    y = new[0]
    if op.lengths is not None:
        active = inner.less(t, inner.expand_dims(inner.cast(op.lengths, DType.I64), 1))
        y = inner.where(active, y, 0.0)
        new = [inner.where(active, n, s) for n, s in zip(new, old, strict=True)]
    zero = inner.constant(0, DType.I64)
    written = inner.y(core.UpdateSlice(before, inner.expand_dims(y, 0), [t, zero, zero]))
    inner.emit(Yield([inner.add(t, 1), written, *new]))
    results = e.emit(core.While(carried, cond=Region(cond), body=Region(body))).results
    return results[1], list(results[2:])


def _within(block: Block, e: CoreBuilder) -> CoreBuilder:
    return CoreBuilder(Builder(block, e.builder.location))


def _hidden(op: Layer) -> int:
    """Raises ConversionError ShapeNotStatic."""
    size = (op.r.tensor.shape or (None, None))[1]
    if not isinstance(size, int):
        raise ConversionError(Code.ShapeNotStatic, f"the hidden size of {op.name} is not known")
    return size


def _lstm(op: core.Lstm, products: Products, e: CoreBuilder) -> Step:
    """Gates i, o, f, c."""
    hidden = _hidden(op)
    peepholes = e.split(op.peepholes, (hidden,) * 3, 0) if op.peepholes is not None else ()

    def step(inner: CoreBuilder, t: Value, gates: Value, states: list[Value]) -> list[Value]:
        h, c = states
        parts = inner.split(inner.add(gates, products.of_state(op, t, h, op.r, inner)), (hidden,) * 4, 1)
        gated = [Number(inner, p) for p in parts]
        weights = [Number(inner, p) for p in peepholes]
        made = lstm_cell(gated, Number(inner, c), weights, op.activations, op.clip, op.input_forget, _activate)
        return [v.v for v in made]

    return step


def _gru(op: core.Gru, products: Products, e: CoreBuilder) -> Step:
    """Gates z, r, h."""
    f, g = op.activations
    hidden = _hidden(op)
    weights = _thirds(op.r, hidden, e)
    biases = _thirds(op.recurrent_bias, hidden, e) if op.recurrent_bias is not None else None

    def step(inner: CoreBuilder, t: Value, gates: Value, states: list[Value]) -> list[Value]:
        h = Number(inner, states[0])

        def product(value: Value, gate: int) -> Number:
            made = Number(inner, products.of_state(op, t, value, weights[gate], inner))
            return made if biases is None else made + Number(inner, biases[gate])

        xz, xr, xn = (Number(inner, p) for p in inner.split(gates, (hidden,) * 3, 1))
        z = _activate(f, xz + product(h.v, 0), op.clip)
        reset = _activate(f, xr + product(h.v, 1), op.clip)
        candidate = reset * product(h.v, 2) if op.linear_before_reset else product((reset * h).v, 2)
        return [((1.0 - z) * _activate(g, xn + candidate, op.clip) + z * h).v]

    return step


def _rnn(op: core.Rnn, products: Products, e: CoreBuilder) -> Step:
    """One gate."""

    def step(inner: CoreBuilder, t: Value, gates: Value, states: list[Value]) -> list[Value]:
        total = Number(inner, inner.add(gates, products.of_state(op, t, states[0], op.r, inner)))
        return [_activate(op.activations[0], total, op.clip).v]

    return step


def _thirds(v: Value, hidden: int, e: CoreBuilder) -> Sequence[Value]:
    constant = const_of(v)
    if constant is None:
        return e.split(v, (hidden,) * 3, 0)
    rest = constant.shape[1:]
    starts = ((k * hidden, *(0 for _ in rest)) for k in range(3))
    return [e.constant(recipes.slices(constant, s, (s[0] + hidden, *rest))) for s in starts]


_STEPS: dict[type[Layer], Callable[[Any, Products, CoreBuilder], Step]] = {
    core.Lstm: _lstm,
    core.Gru: _gru,
    core.Rnn: _rnn,
}
