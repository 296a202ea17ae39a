"""LSTM layers.

Source: tensorflow/lite/kernels/lstm.cc, unidirectional_sequence_lstm.cc, bidirectional_sequence_lstm.cc, lstm_eval.cc
(LstmStepFloat); of normalization: portable_tensor_utils.cc, PortableMeanStddevNormalization.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tfl.elementwise import LIMITS
from mlconv.legalize.from_tfl.node import TflNode, tfl_rules
from mlconv.legalize.from_tfl.recurrent import keep_state, time_first
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.repeat import repeat

RULES: Final = tfl_rules()

_TINY: Final = 1e-8  # of the variance
_CORE_ORDER: Final = (0, 3, 1, 2)
"""Core's gates i, o, f, c among TFLite's i, f, c, o."""


@dataclass
class Cell:
    """One direction.  Lists are by gate, i, f, c, o, with None for what is not there; peepholes of i, f, o.

    further: weights of a further input.  diagonal: recurrent weights are vectors.
    """

    w: list[Value | None]
    r: list[Value | None]
    bias: list[Value | None]
    peepholes: list[Value | None]
    norms: list[Value | None]
    further: list[Value | None]
    projection: Value | None
    projection_bias: Value | None
    activation: str
    cell_clip: float
    proj_clip: float
    diagonal: bool = False

    @property
    def is_plain(self) -> bool:
        """It is the layer that core has."""
        extras = [*self.norms, *self.further, self.projection, self.projection_bias]
        clipped = self.cell_clip > 0 or self.proj_clip > 0
        whole = all(v is not None for v in (*self.w, *self.r, *self.bias))
        return whole and self.activation == "TANH" and not clipped and not self.diagonal and not any(extras)


def _maybe(n: TflNode, i: int) -> Value | None:
    return n.number(i) if n.has(i) else None


def _cell(n: TflNode, first: int, norms: int = 0, further: int = 0) -> Cell:
    """first: of its operands: weights of inputs, of outputs, peepholes, biases, projection.  norms, further: of other
    operands, 0 where there are none.
    """
    four = [[_maybe(n, first + start + k) for k in range(4)] for start in (0, 4, 11)]
    return Cell(
        w=four[0],
        r=four[1],
        bias=four[2],
        peepholes=[_maybe(n, first + 8 + k) for k in range(3)],
        norms=[_maybe(n, norms + k) if norms else None for k in range(4)],
        further=[_maybe(n, further + k) if further else None for k in range(4)],
        projection=_maybe(n, first + 15),
        projection_bias=_maybe(n, first + 16),
        activation=n.attr("fused_activation_function"),
        cell_clip=n.attr("cell_clip"),
        proj_clip=n.attr("proj_clip"),
        diagonal=bool(n.attr("diagonal_recurrent_tensors", False)),
    )


def _required(values: Sequence[Value | None]) -> list[Value]:
    found = [v for v in values if v is not None]
    if len(found) != len(values):
        raise ConversionError(Code.WrongArity, "weights or biases of some gates are missing")
    return found


def _activated(n: CoreBuilder, kind: str, x: Value) -> Value:
    if kind in LIMITS:
        return n.clamp(x, *LIMITS[kind])
    return {"TANH": n.tanh, "SIGMOID": n.sigmoid}.get(kind, lambda v: v)(x)


def _normalized(n: CoreBuilder, x: Value, weights: Value) -> Value:
    """Less its mean, by its deviation, times weights."""
    centred = n.sub(x, n.mean(x, [1], keepdims=True))
    spread = n.add(n.mean(n.mul(centred, centred), [1], keepdims=True), _TINY)
    return n.mul(n.mul(centred, n.y(core.Rsqrt(spread))), weights)


def _gate(n: CoreBuilder, cell: Cell, k: int, xs: Sequence[Value], h: Value, peeped: Value | None) -> Value:
    """What goes into gate k, before its function."""
    w, r, bias = _required([cell.w[k], cell.r[k], cell.bias[k]])
    total = n.matmul(xs[0], w, transpose_b=True)
    more = cell.further[k]
    if more is not None:
        total = n.add(total, n.matmul(xs[1], more, transpose_b=True))
    total = n.add(total, n.mul(h, r) if cell.diagonal else n.matmul(h, r, transpose_b=True))
    total = total if peeped is None else n.add(total, peeped)
    weights = cell.norms[k]
    return n.add(total if weights is None else _normalized(n, total, weights), bias)


def _step(n: CoreBuilder, cell: Cell, xs: Sequence[Value], h: Value, c: Value) -> tuple[Value, Value]:
    """The next output and state."""

    def peeped(k: int, state: Value) -> Value | None:
        weights = cell.peepholes[k]
        return None if weights is None else n.mul(weights, state)

    f = n.sigmoid(_gate(n, cell, 1, xs, h, peeped(1, c)))
    coupled = cell.w[0] is None
    i = n.sub(1, f) if coupled else n.sigmoid(_gate(n, cell, 0, xs, h, peeped(0, c)))
    g = _activated(n, cell.activation, _gate(n, cell, 2, xs, h, None))
    c = n.add(n.mul(c, f), n.mul(g, i))
    c = n.clamp(c, -cell.cell_clip, cell.cell_clip) if cell.cell_clip > 0 else c
    o = n.sigmoid(_gate(n, cell, 3, xs, h, peeped(2, c)))
    h = n.mul(o, _activated(n, cell.activation, c))
    if cell.projection is not None:
        h = n.matmul(h, cell.projection, transpose_b=True)
        h = h if cell.projection_bias is None else n.add(h, cell.projection_bias)
        h = n.clamp(h, -cell.proj_clip, cell.proj_clip) if cell.proj_clip > 0 else h
    return h, c


def _layer(n: TflNode, cell: Cell, xs: Sequence[Value], states: tuple[int, int], reverse: bool = False) -> Value:
    """Over xs [time, batch, inputs]; the sequence of outputs.  states: operands that are kept."""
    h, c = n.number(states[0]), n.number(states[1])
    if cell.is_plain:
        w, r, bias = (n.concat([_required(part)[k] for k in _CORE_ORDER], 0) for part in (cell.w, cell.r, cell.bias))
        i, f, o = cell.peepholes
        peepholes = None if i is None else n.concat(_required([i, o, f]), 0)
        found = n.emit(core.Lstm(xs[0], w, r, bias, h, c, None, peepholes, reverse=reverse))
        y, h, c = found.y, found.h, found.c
    else:
        y, h, c = _loop(n, cell, xs, h, c, reverse)
    keep_state(n, states[0], h)
    keep_state(n, states[1], c)
    return y


def _loop(n: TflNode, cell: Cell, xs: Sequence[Value], h: Value, c: Value, reverse: bool) -> tuple[Value, Value, Value]:
    time = n.dim(xs[0], 0)
    if time == 1:
        h, c = _step(n, cell, [n.squeeze(x, 0) for x in xs], h, c)
        return n.expand_dims(h, 0), h, c
    y = n.broadcast_to(n.constant(0, DType.F32), n.vector([time, *n.dims(h)]))
    last = n.constant(time - 1, DType.I32) if isinstance(time, int) else n.sub(n.scalar(n.cast(time, DType.I32)), 1)

    def step(inner: CoreBuilder, turn: Value, values: Sequence[Value]) -> Sequence[Value]:
        before, state, out = values
        place = inner.sub(last, turn) if reverse else turn
        rows = [inner.gather(x, place, 0) for x in xs]
        after, state = _step(inner, cell, rows, before, state)
        zero = inner.constant(0, DType.I32)
        out = inner.y(core.UpdateSlice(out, inner.expand_dims(after, 0), [place, zero, zero]))
        return [after, state, out]

    h, c, y = repeat(n, time, [h, c, y], step)
    return y, h, c


@RULES.rule("UNIDIRECTIONAL_SEQUENCE_LSTM")
def sequence_lstm(n: TflNode) -> Value:
    """Operands: x, weights of inputs (i, f, c, o), of outputs, peepholes (i, f, o), biases, projection, states, layer
    normalization.
    """
    cell = _cell(n, 1, norms=20)
    return time_first(n, _layer(n, cell, [time_first(n, n.number(0))], (18, 19)))


@RULES.rule("BIDIRECTIONAL_SEQUENCE_LSTM")
def bidirectional_lstm(n: TflNode) -> Sequence[Value]:
    """Operands: x, both directions, states, a further input with weights for both; without those it is what the
    backward direction sees.
    """
    x = time_first(n, n.number(0))
    further = time_first(n, n.number(39)) if n.has(39) else None
    xs = [x] if further is None else [x, further]
    both = xs if n.has(41) or further is None else [further]
    forward = _layer(n, _cell(n, 1, further=40), xs, (35, 36))
    backward = _layer(n, _cell(n, 18, further=44), both, (37, 38), reverse=True)
    ways = [time_first(n, forward), time_first(n, backward)]
    return [n.concat(ways, 2)] if n.attr("merge_outputs") else ways


@RULES.rule("LSTM")
def lstm(n: TflNode) -> Value | Sequence[Value]:
    """One step: FULL has the operands of the sequence's, BASIC is a product with all weights."""
    if n.attr("kernel_type") == "BASIC":
        return _basic_lstm(n)
    cell = _cell(n, 1, norms=20)
    y = n.squeeze(_layer(n, cell, [n.expand_dims(n.number(0), 0)], (18, 19)), 0)
    return [y] * n.n_results  # scratch tensors of old files come behind it


def _basic_lstm(n: TflNode) -> Sequence[Value]:
    """Operands: x, last output, weights [4 * hidden, inputs + hidden], bias, last state; gates i, c, f, o.

    Results: output, state, what went into the product, its result.
    """
    x, last, w, bias, state = n.numbers()
    joined = n.concat([x, last], 1)
    gates = n.add(n.matmul(joined, w, transpose_b=True), bias)
    hidden = (state.tensor.shape or ())[-1]
    if not isinstance(hidden, int):
        raise ConversionError(Code.ShapeNotStatic, f"the state {state.type} of {n.kind} must be of a known shape")
    i, c, f, o = n.split(gates, (hidden,) * 4, 1)
    new = n.add(n.mul(n.sigmoid(i), n.tanh(c)), n.mul(n.sigmoid(f), state))
    return [n.mul(n.sigmoid(o), n.tanh(new)), new, joined, gates]
