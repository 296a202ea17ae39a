"""Recurrent layers.  Source: tensorflow/lite/kernels/unidirectional_sequence_lstm.cc, lstm_eval.cc,
unidirectional_sequence_rnn.cc, rnn.cc, svdf.cc.

States are variables of the interpreter: they go on from one run to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_tfl.elementwise import activated
from mlconv.legalize.from_tfl.node import TflNode, numbers_of, tfl_rules

RULES: Final = tfl_rules()

_ORDER: Final = (0, 3, 1, 2)
"""Core's gates i, o, f, c among TFLite's i, f, c, o."""
_ACTIVATIONS: Final = {"TANH": "tanh", "RELU": "relu", "SIGMOID": "sigmoid", "NONE": "identity"}


def keep_state(n: TflNode, i: int, value: Value) -> None:
    """Operand i, a variable, is `value` from now on."""
    variable = n.operand(i).producer
    if not isinstance(variable, core.ReadVariable):
        raise n.unsupported(f"its state, operand {i}, is no variable")
    element = n.operand(i).type.quant
    stored = value if element is None else n.y(core.Quantize(value, element=element))
    n.emit(core.AssignVariable(stored, variable=variable.variable))


def _gates(n: TflNode, first: int) -> Value:
    """The four parts from operand `first` on, as core has them: one below the other."""
    return n.concat([n.number(first + k) for k in _ORDER], 0)


def _lstm(n: TflNode, x: Value, first: int, bias: int, states: tuple[int, int]) -> Value:
    """Over x [time, batch, inputs]; the sequence of outputs.  first: of the weights; bias: of the biases."""
    for i in (first, first + 4):
        if not n.has(i):
            raise n.unsupported("coupled input and forget gates")
    peepholes = None
    if n.has(first + 9):
        peepholes = n.concat([n.number(first + 8), n.number(first + 10), n.number(first + 9)], 0)
    if n.attr("proj_clip", 0.0) or n.attr("cell_clip", 0.0):
        raise n.unsupported("states that are clipped")
    activation = _ACTIVATIONS.get(n.attr("fused_activation_function"), "")
    if activation != "tanh":
        raise n.unsupported(f"the activation {n.attr('fused_activation_function')}")
    found = n.emit(
        core.Lstm(
            x,
            _gates(n, first),
            _gates(n, first + 4),
            _gates(n, bias),
            n.number(states[0]),
            n.number(states[1]),
            None,
            peepholes,
        )
    )
    keep_state(n, states[0], found.h)
    keep_state(n, states[1], found.c)
    return found.y


@RULES.rule("UNIDIRECTIONAL_SEQUENCE_LSTM")
def sequence_lstm(n: TflNode) -> Value:
    """Operands: x, weights of inputs (i, f, c, o), of outputs, peepholes (i, f, o), biases, projection, states, layer
    normalization.
    """
    if any(n.has(i) for i in (16, 17)):
        raise n.unsupported("a projection of the outputs")
    if any(n.has(i) for i in range(20, 24)):
        raise n.unsupported("normalization of layers")
    x, major = n.number(0), n.attr("time_major")
    y = _lstm(n, x if major else n.transpose(x, (1, 0, 2)), 1, 12, (18, 19))
    return y if major else n.transpose(y, (1, 0, 2))


@RULES.rule("LSTM")
def lstm(n: TflNode) -> Value | Sequence[Value]:
    """One step: FULL has the operands of the sequence's, BASIC is a product with all weights."""
    if n.attr("kernel_type") == "BASIC":
        return _basic_lstm(n)
    if any(n.has(i) for i in (16, 17)) or any(n.has(i) for i in range(20, 24)):
        raise n.unsupported("a projection, or normalization of layers")
    y = _lstm(n, n.expand_dims(n.number(0), 0), 1, 12, (18, 19))
    return n.squeeze(y, 0)


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


@RULES.rule("UNIDIRECTIONAL_SEQUENCE_RNN")
def sequence_rnn(n: TflNode) -> Value:
    """h = activation(x w' + h r' + bias)."""
    x, major = n.number(0), n.attr("time_major")
    y = _rnn(n, x if major else n.transpose(x, (1, 0, 2)))
    return y if major else n.transpose(y, (1, 0, 2))


@RULES.rule("RNN")
def rnn(n: TflNode) -> Value:
    return n.squeeze(_rnn(n, n.expand_dims(n.number(0), 0)), 0)


def _rnn(n: TflNode, x: Value) -> Value:
    kind = _ACTIVATIONS.get(n.attr("fused_activation_function"), "")
    if kind not in ("tanh", "relu", "sigmoid"):
        raise n.unsupported(f"the activation {n.attr('fused_activation_function')}")
    found = n.emit(
        core.Rnn(x, n.number(1), n.number(2), n.number(3), n.number(4), None, activations=((kind, 0.0, 0.0),))
    )
    keep_state(n, 4, found.h)
    return found.y


@RULES.rule("SVDF")
def svdf(n: TflNode) -> Value:
    """Each filter's newest product joins its memory [batch, filters, memory], which is weighted along time; filters of
    a unit, `rank` of them, are added.
    """
    x, features, times = n.number(0), n.number(1), n.number(2)
    bias = n.number(3) if n.has(3) else None
    rank = n.attr("rank")
    filters, memory = times.tensor.static_shape()
    state = n.reshape(numbers_of(n, n.operand(4)), [n.dim(x, 0), filters, memory])
    newest = n.expand_dims(n.matmul(x, features, transpose_b=True), 2)
    moved = n.concat([n.slice_axis(state, 2, 1, None), newest], 2)
    keep_state(n, 4, n.reshape(moved, [n.dim(x, 0), filters * memory]))
    each = n.sum(n.mul(moved, times), [2])
    units = n.sum(n.reshape(each, [n.dim(x, 0), filters // rank, rank]), [2])
    return activated(n, units if bias is None else n.add(units, bias))
