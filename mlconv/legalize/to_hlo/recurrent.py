"""Recurrent layers: short sequences are unrolled, longer ones are a while loop over time.

The product of the whole sequence with the input weights is taken out of the loop.
"""

from __future__ import annotations

from collections.abc import Callable

from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Activation, Layer
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.formula import lstm_cell
from mlconv.legalize.to_hlo.builder import HloBuilder, dims, refuse
from mlconv.legalize.to_hlo.dynamic_sizes.places import number
from mlconv.legalize.to_hlo.mathfn import Ex
from mlconv.rewrite import Rules

RULES = Rules()

UNROLL_STEPS = 4
Step = Callable[[HloBuilder, Value, list[Value]], list[Value]]

_ACTIVATIONS: dict[str, Callable[[Ex, float, float], Ex]] = {
    "sigmoid": lambda x, a, b: x.fn("logistic"),
    "tanh": lambda x, a, b: x.fn("tanh"),
    "relu": lambda x, a, b: x.max(0.0),
    "affine": lambda x, a, b: x * a + b,
    "leakyrelu": lambda x, a, b: x.where("LT", 0.0, x * a, x),
    "thresholdedrelu": lambda x, a, b: x.where("GT", a, x, 0.0),
    "scaledtanh": lambda x, a, b: (x * b).fn("tanh") * a,
    "hardsigmoid": lambda x, a, b: (x * a + b).max(0.0).min(1.0),
    "elu": lambda x, a, b: x.where("LT", 0.0, x.min(0.0).fn("exponential-minus-one") * a, x),
    "softsign": lambda x, a, b: x / (x.fn("abs") + 1.0),
    "softplus": lambda x, a, b: x.of(core.Softplus),
    "identity": lambda x, a, b: x,
}


def activate(kind: Activation, x: Ex, clip: float) -> Ex:
    """An activation of a gate, after clipping."""
    if kind[0] not in _ACTIVATIONS:
        raise refuse(f"activation {kind[0]} of a recurrent layer has no HLO form")
    return _ACTIVATIONS[kind[0]](x.max(-clip).min(clip) if clip > 0 else x, kind[1], kind[2])


def _linear(e: HloBuilder, h: Value, r: Value) -> Value:
    return e.y(core.MatMul(h, r, transpose_b=True))


def _gates(e: HloBuilder, op: Layer, bias: Value | None) -> Value:
    """x [time, batch, input] times w' plus a bias: [time, batch, gates]."""
    y = e.y(core.MatMul(op.x, op.w, transpose_b=True))
    return y if bias is None else e.binary("add", y, bias)


def _state(e: HloBuilder, given: Value | None, like: Value) -> Value:
    return given if given is not None else e.full(dims(like), 0, like.tensor.dtype)


def _split(e: HloBuilder, x: Value, axis: int, count: int) -> list[Value]:
    size = dims(x)[axis] // count
    return [e.slice_axis(x, axis, i * size, (i + 1) * size) for i in range(count)]


@RULES.rule(core.Lstm)
def lstm(op: core.Lstm, e: HloBuilder) -> list[Value]:
    """Gates i, o, f, c."""
    peepholes = _split(e, op.peepholes, 0, 3) if op.peepholes is not None else []

    def step(inner: HloBuilder, gates: Value, states: list[Value]) -> list[Value]:
        h, c = states
        parts = [Ex(inner, p) for p in _split(inner, inner.binary("add", gates, _linear(inner, h, op.r)), 1, 4)]
        y = lstm_cell(
            parts, Ex(inner, c), [Ex(inner, p) for p in peepholes], op.activations, op.clip, op.input_forget, activate
        )
        return [v.v for v in y]

    return _scan(op, e, _gates(e, op, op.bias), [_state(e, op.h0, op.h), _state(e, op.c0, op.c)], step)


@RULES.rule(core.Gru)
def gru(op: core.Gru, e: HloBuilder) -> list[Value]:
    """Gates z, r, h."""
    f, g = op.activations
    rz, rr, rn = _split(e, op.r, 0, 3)
    biases: list[Value | None] = [None, None, None]
    if op.recurrent_bias is not None:
        biases = [*_split(e, op.recurrent_bias, 0, 3)]

    def linear(inner: HloBuilder, h: Value, r: Value, bias: Value | None) -> Ex:
        y = _linear(inner, h, r)
        return Ex(inner, y if bias is None else inner.binary("add", y, bias))

    def step(inner: HloBuilder, gates: Value, states: list[Value]) -> list[Value]:
        h = Ex(inner, states[0])
        xz, xr, xn = (Ex(inner, p) for p in _split(inner, gates, 1, 3))
        z = activate(f, xz + linear(inner, h.v, rz, biases[0]), op.clip)
        reset = activate(f, xr + linear(inner, h.v, rr, biases[1]), op.clip)
        if op.linear_before_reset:
            candidate = reset * linear(inner, h.v, rn, biases[2])
        else:
            candidate = linear(inner, (reset * h).v, rn, biases[2])
        return [((1.0 - z) * activate(g, xn + candidate, op.clip) + z * h).v]

    return _scan(op, e, _gates(e, op, op.input_bias), [_state(e, op.h0, op.h)], step)


@RULES.rule(core.Rnn)
def rnn(op: core.Rnn, e: HloBuilder) -> list[Value]:
    """One gate."""

    def step(inner: HloBuilder, gates: Value, states: list[Value]) -> list[Value]:
        return [activate(op.activations[0], Ex(inner, gates) + Ex(inner, _linear(inner, states[0], op.r)), op.clip).v]

    return _scan(op, e, _gates(e, op, op.bias), [_state(e, op.h0, op.h)], step)


def _scan(op: Layer, e: HloBuilder, gates: Value, states: list[Value], step: Step) -> list[Value]:
    """Runs `step` over time.  With lengths and `reverse`, the gates are turned around row by row before, and the
    outputs after.
    """
    time, batch, width = dims(gates)
    size = e.sizes.of(op.x)[0]
    turned = op.lengths if op.reverse else None
    if turned is not None and isinstance(size, Dim):
        turned = e.binary("minimum", e.convert(turned, DType.I32), number(e, size))
    if turned is not None:
        gates = e.y(core.ReverseSequence(gates, turned, time_axis=0, batch_axis=1))
    active = None
    if op.lengths is not None:
        extents = (time, batch)
        active = e.compare("LT", e.iota(DType.I32, extents, 0), e.spread(e.convert(op.lengths, DType.I32), 1, extents))
    backwards = op.reverse and turned is None

    def advance(inner: HloBuilder, at: Value | int, carried: list[Value]) -> tuple[list[Value], Value]:
        new = step(inner, inner.reshape(_row(inner, gates, at), (batch, width)), carried)
        if active is None:
            return new, new[0]
        keep = inner.broadcast_to(inner.reshape(_row(inner, active, at), (batch, 1)), dims(new[0]))
        zero = inner.scalar(0, new[0].tensor.dtype)
        return [inner.select(keep, n, c) for n, c in zip(new, carried, strict=True)], inner.select(keep, new[0], zero)

    y_type: TensorType = op.y.tensor
    if time <= UNROLL_STEPS and isinstance(size, int):
        rows: dict[int, Value] = {}
        for t in reversed(range(time)) if backwards else range(time):
            states, row = advance(e, t, states)
            rows[t] = e.reshape(row, (1, *dims(row)))
        y = e.concat([rows[t] for t in range(time)], 0)
    else:

        def body(inner: HloBuilder, i: Value, carried: list[Value]) -> list[Value]:
            last = inner.binary("subtract", number(inner, size), inner.scalar(1, DType.I32))
            at = inner.binary("subtract", last, i) if backwards else i
            new, row = advance(inner, at, carried[1:])
            zero = inner.scalar(0, DType.I32)
            return [
                inner.one(
                    "dynamic-update-slice", [carried[0], inner.reshape(row, (1, *dims(row))), at, zero, zero], y_type
                ),
                *new,
            ]

        y, *states = e.repeat(
            size if isinstance(size, int) else number(e, size), [e.full(dims(op.y), 0, y_type.dtype), *states], body
        )
    if turned is not None:
        y = e.y(core.ReverseSequence(y, turned, time_axis=0, batch_axis=1))
    return [y, *states]


def _row(e: HloBuilder, x: Value, at: Value | int) -> Value:
    """x[at : at + 1], by a number or a computed index."""
    if isinstance(at, int):
        return e.slice_axis(x, 0, at, at + 1)
    sizes = (1, *dims(x)[1:])
    zero = e.scalar(0, DType.I32)
    return e.one("dynamic-slice", [x, at, *[zero] * (len(sizes) - 1)], TensorType(x.tensor.dtype, sizes), sizes=sizes)
