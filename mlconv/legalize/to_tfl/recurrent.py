"""Recurrent layers: unrolled for short sequences of known length where a step is little work, else a WHILE loop.

TFLite's fused sequence ops keep their state in variable tensors from one invocation to the next, which the layers here
do not, and have no initial state; so they are not used.  The product of the whole sequence with the input weights is
taken out of the loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Activation, Layer
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir import recipes
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.formula import lstm_cell
from mlconv.legalize.functions import Ex
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.one_op import ints_of
from mlconv.rewrite import Rules

RULES = Rules()

UNROLL_STEPS = 16
FEW_STEPS = 3  # no more ops than a loop is
STEP_WORK = 1 << 15  # multiplications of a step that take as long as the turn of a loop: more ops gain nothing
Step = Callable[[TflBuilder, Value, list[Value]], list[Value]]

_SWAP = (1, 0, 2)  # steps and batches


class _Sequence(NamedTuple):
    """Steps along an axis, 0 or 1, and batches along the other one."""

    v: Value
    steps: int

    def holding(self, v: Value) -> _Sequence:
        return _Sequence(v, self.steps)


_ACTIVATIONS: dict[str, Callable[[Ex, float, float], Ex]] = {
    "sigmoid": lambda x, a, b: x.of(core.Sigmoid),
    "tanh": lambda x, a, b: x.of(core.Tanh),
    "relu": lambda x, a, b: x.of(core.Clamp, lo=0.0, hi=float("inf")),
    "affine": lambda x, a, b: x * a + b,
    "leakyrelu": lambda x, a, b: x.of(core.LeakyRelu, alpha=a),
    "thresholdedrelu": lambda x, a, b: x.where(core.Greater, a, x, 0.0),
    "scaledtanh": lambda x, a, b: (x * b).of(core.Tanh) * a,
    "hardsigmoid": lambda x, a, b: (x * a + b).of(core.Clamp, lo=0.0, hi=1.0),
    "elu": lambda x, a, b: x.of(core.Elu, alpha=a),
    "softsign": lambda x, a, b: x / (x.abs + 1.0),
    "softplus": lambda x, a, b: x.of(core.Softplus),
    "identity": lambda x, a, b: x,
}


def activate(kind: Activation, x: Ex, clip: float) -> Ex:
    """An activation of a gate, after clipping."""
    if kind[0] not in _ACTIVATIONS:
        raise refuse(f"activation {kind[0]} of a recurrent layer has no TFLite form")
    return _ACTIVATIONS[kind[0]](x.of(core.Clamp, lo=-clip, hi=clip) if clip > 0 else x, kind[1], kind[2])


def _gates(e: TflBuilder, x: Value, w: Value, *biases: Value | None) -> Value:
    """x [time, batch, input] times w' plus biases: [time, batch, gates]."""
    y = e.y(core.MatMul(x, w, transpose_b=True))
    for bias in biases:
        if bias is not None:
            y = e.y(core.Add(y, bias))
    return y


def _state(e: TflBuilder, given: Value | None, like: TensorType, x: Value) -> Value:
    """The initial state: as given, else zeros [batch, hidden]."""
    if given is not None:
        return given
    if like.is_static:
        return e.constant(np.zeros(like.static_shape(), np.float32), DType.F32)
    return e.broadcast_to(e.constant(0.0, DType.F32), like.shape or (), x)


def _linear(e: TflBuilder, h: Value, r: Value) -> Value:
    return e.y(core.MatMul(h, r, transpose_b=True))


@RULES.rule(core.Lstm)
def lstm(op: core.Lstm, e: TflBuilder) -> list[Value]:
    """Gates i, o, f, c."""
    hidden = shape_of(op.h)[1]
    peepholes: list[Value] = []
    if op.peepholes is not None:
        peepholes = list(e.emit(core.Split(op.peepholes, sizes=(_int(hidden),) * 3, axis=0)).ys)

    def step(inner: TflBuilder, gates: Value, states: list[Value]) -> list[Value]:
        h, c = states
        parts = inner.emit(
            core.Split(inner.y(core.Add(gates, _linear(inner, h, op.r))), sizes=(_int(hidden),) * 4, axis=1)
        ).ys
        gated = [Ex(inner, p) for p in parts]
        y = lstm_cell(
            gated, Ex(inner, c), [Ex(inner, p) for p in peepholes], op.activations, op.clip, op.input_forget, activate
        )
        return [v.v for v in y]

    states = [_state(e, op.h0, op.h.tensor, op.x), _state(e, op.c0, op.c.tensor, op.x)]
    x = _ordered(e, op)
    return _scan(op, e, x.holding(_gates(e, x.v, op.w, op.bias)), states, step)


@RULES.rule(core.Gru)
def gru(op: core.Gru, e: TflBuilder) -> list[Value]:
    """Gates z, r, h."""
    f, g = op.activations
    hidden = _int(shape_of(op.h)[1])
    rz, rr, rn = _thirds(e, op.r, hidden)
    bias = _thirds(e, op.recurrent_bias, hidden) if op.recurrent_bias is not None else (None, None, None)

    def plus(inner: TflBuilder, value: Value, b: Value | None) -> Ex:
        return Ex(inner, value if b is None else inner.y(core.Add(value, b)))

    def step(inner: TflBuilder, gates: Value, states: list[Value]) -> list[Value]:
        h = Ex(inner, states[0])
        xz, xr, xn = (Ex(inner, p) for p in inner.emit(core.Split(gates, sizes=(hidden,) * 3, axis=1)).ys)
        z = activate(f, xz + plus(inner, _linear(inner, h.v, rz), bias[0]), op.clip)
        reset = activate(f, xr + plus(inner, _linear(inner, h.v, rr), bias[1]), op.clip)
        if op.linear_before_reset:
            candidate = reset * plus(inner, _linear(inner, h.v, rn), bias[2])
        else:
            candidate = plus(inner, _linear(inner, (reset * h).v, rn), bias[2])
        return [((1.0 - z) * activate(g, xn + candidate, op.clip) + z * h).v]

    x = _ordered(e, op)
    return _scan(op, e, x.holding(_gates(e, x.v, op.w, op.input_bias)), [_state(e, op.h0, op.h.tensor, op.x)], step)


@RULES.rule(core.Rnn)
def rnn(op: core.Rnn, e: TflBuilder) -> list[Value]:
    """One gate."""

    def step(inner: TflBuilder, gates: Value, states: list[Value]) -> list[Value]:
        return [activate(op.activations[0], Ex(inner, gates) + Ex(inner, _linear(inner, states[0], op.r)), op.clip).v]

    x = _ordered(e, op)
    return _scan(op, e, x.holding(_gates(e, x.v, op.w, op.bias)), [_state(e, op.h0, op.h.tensor, op.x)], step)


def _int(d: Size) -> int:
    if not isinstance(d, int):
        raise refuse(f"the hidden size {d} of a recurrent layer is not known")
    return d


def _thirds(e: TflBuilder, v: Value, hidden: int) -> list[Value]:
    constant = const_of(v)
    if constant is None:
        return list(e.emit(core.Split(v, sizes=(hidden,) * 3, axis=0)).ys)
    rest = constant.shape[1:]
    return [
        e.constant(recipes.slices(constant, (k * hidden, *(0 for _ in rest)), ((k + 1) * hidden, *rest)))
        for k in range(3)
    ]


def _ordered(e: TflBuilder, op: Layer) -> _Sequence:
    """The sequence in the order of the steps, as it is in front of a TRANSPOSE that takes batches behind them."""
    turned = op.x.producer
    is_turned = isinstance(turned, core.Transpose) and turned.perm == _SWAP
    x = _Sequence(turned.inputs[0], 1) if turned is not None and is_turned else _Sequence(op.x, 0)
    return x.holding(_reversed(e, op, x)) if op.reverse else x


def _reversed(e: TflBuilder, op: Layer, x: _Sequence) -> Value:
    if op.lengths is None:
        return e.y(core.Reverse(x.v, axes=(x.steps,)))
    return e.y(core.ReverseSequence(x.v, op.lengths, time_axis=x.steps, batch_axis=1 - x.steps))


def _scan(op: Layer, e: TflBuilder, gates: _Sequence, states: list[Value], step: Step) -> list[Value]:
    """Run the steps; results y, then the final states.  Where all that reads y takes batches in front, it is made so:
    what reads it is lowered, and the TRANSPOSE behind this one's undoes it.
    """
    time = shape_of(op.x)[0]
    few = UNROLL_STEPS if estimate(shape_of(op.x)[1]) * _elements(op.r) < STEP_WORK else FEW_STEPS
    turned = [isinstance(u, TflOp) and u.builtin == "TRANSPOSE" and ints_of(u.inputs[1]) for u in op.y.users]
    steps = int(bool(turned) and all(order == [*_SWAP] for order in turned))
    if isinstance(time, int) and time <= few:
        y, final = _unrolled(op, e, gates, states, step, time, steps)
    else:
        y, final = _loop(op, e, gates, states, step, time, steps)
    if op.reverse:
        y = _reversed(e, op, _Sequence(y, steps))
    return [e.transpose(y, _SWAP) if steps else y, *final]


def _elements(weights: Value) -> int:
    return math.prod(map(estimate, shape_of(weights)))


def _advance(
    op: Layer, e: TflBuilder, gates: Value, states: list[Value], step: Step, t: Value | int
) -> tuple[Value, list[Value]]:
    """One step: the output and the new states, where rows that have ended keep theirs and output zeros."""
    new = step(e, gates, states)
    if op.lengths is None:
        return new[0], new
    lengths = e.i32(op.lengths)
    column = e.y(core.Less(e.i(t) if isinstance(t, int) else t, e.reshape(lengths, (*shape_of(lengths), 1))))
    kept = [e.y(core.Select(column, n, s)) for n, s in zip(new, states, strict=True)]
    return e.y(core.Select(column, new[0], e.asarray(0, new[0]))), kept


def _slot(y: Value, steps: int) -> Shape:
    """The shape of one step of a sequence that has steps along an axis."""
    batch, width = shape_of(y)
    return (batch, 1, width) if steps else (1, batch, width)


def _unrolled(
    op: Layer, e: TflBuilder, gates: _Sequence, states: list[Value], step: Step, time: int, steps: int
) -> tuple[Value, list[Value]]:
    """steps: axis of them in the result."""
    width, batch = shape_of(gates.v)[2], shape_of(gates.v)[1 - gates.steps]
    rows = e.emit(core.Split(gates.v, sizes=(1,) * time, axis=gates.steps)).ys if time > 1 else [gates.v]
    outputs = []
    for t in range(time):
        row = e.reshape(rows[t], (batch, width))
        y, states = _advance(op, e, row, states, step, t)
        outputs.append(e.reshape(y, _slot(y, steps)))
    if not outputs:
        shape = [n if isinstance(n, int) else 0 for n in _sequence_shape(op, steps)]
        return e.constant(np.zeros(shape, np.float32), DType.F32), states
    return e.y(core.Concat(outputs, axis=steps)), states


def _loop(
    op: Layer, e: TflBuilder, gates: _Sequence, states: list[Value], step: Step, time: Size, steps: int
) -> tuple[Value, list[Value]]:
    """WHILE over t with the states and the outputs so far, which each step writes one slice of.  steps: axis of them in
    the result.
    """
    count = e.reshape(e.size(time, op.x, gates.v), ())
    start = e.y(core.BroadcastTo(e.constant(0.0, DType.F32), _output_shape(op, e, steps)))
    carried = [e.i(0), start, *states]
    types = [v.type for v in carried]
    types[1] = op.y.tensor.with_shape(_sequence_shape(op, steps))
    for i, s in enumerate(states):
        types[2 + i] = s.tensor.with_shape(shape_of(op.h))
    cond, body = Block(types), Block(types)
    inner = e.within(cond)
    inner.emit(Yield([inner.y(core.Less(cond.arguments[0], count))]))
    inner = e.within(body)
    t, outputs, *old = body.arguments
    row = inner.y(core.Gather(gates.v, t, axis=gates.steps))
    y, new = _advance(op, inner, row, old, step, t)
    slot = inner.reshape(y, _slot(y, steps))
    places = [inner.ints([0]), inner.ints([0]), inner.ints([0])]
    places[steps] = inner.reshape(t, (1,))
    begin = inner.y(core.Concat(places, axis=0))
    written = inner.one("DYNAMIC_UPDATE_SLICE", [outputs, slot, begin], outputs.type)
    following = inner.y(core.Add(t, inner.i(1)))
    inner.emit(Yield([following, written, *new]))
    results: Sequence[Value] = e.emit(core.While(carried, cond=Region(cond), body=Region(body))).results
    return results[1], list(results[2:])


def _sequence_shape(op: Layer, steps: int) -> Shape:
    """Of the result, with steps along an axis."""
    time, batch, width = shape_of(op.y)
    return (batch, time, width) if steps else (time, batch, width)


def _output_shape(op: Layer, e: TflBuilder, steps: int) -> Value:
    """The same at run time."""
    time, batch, _ = shape_of(op.x)
    parts = [e.size(time, op.x), e.size(batch, op.x), e.size(shape_of(op.y)[2], op.r)]
    return e.y(core.Concat([parts[steps], parts[1 - steps], parts[2]], axis=0))
