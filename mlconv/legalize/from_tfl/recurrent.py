"""Recurrent layers but LSTM, and how states are kept.  Source: tensorflow/lite/kernels/unidirectional_sequence_rnn.cc,
bidirectional_sequence_rnn.cc, rnn.cc, svdf.cc.

States are variables of the interpreter: they go on from one run to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_tfl.elementwise import activated
from mlconv.legalize.from_tfl.node import TflNode, numbers_of, tfl_rules

RULES: Final = tfl_rules()
_ACTIVATIONS: Final = {"TANH": "tanh", "RELU": "relu", "SIGMOID": "sigmoid", "NONE": "identity"}


def keep_state(n: TflNode, i: int, value: Value) -> None:
    """Operand i, a variable, is `value` from now on."""
    made, element = n.operand(i).producer, n.operand(i).type.quant
    variable = made.x.producer if isinstance(made, core.StorageCast) else made
    if not isinstance(variable, core.ReadVariable):
        raise n.unsupported(f"its state, operand {i}, is no variable")
    if element is not None:
        value = n.y(core.StorageCast(n.y(core.Quantize(value, element=element)), element=element.storage))
    n.emit(core.AssignVariable(value, variable=variable.variable))


def time_first(n: TflNode, x: Value) -> Value:
    """A sequence with time in front of the batch; and the way back."""
    return x if n.attr("time_major") else n.transpose(x, (1, 0, 2))


@RULES.rule("UNIDIRECTIONAL_SEQUENCE_RNN")
def sequence_rnn(n: TflNode) -> Value:
    """h = activation(x w' + h r' + bias)."""
    return time_first(n, _rnn(n, time_first(n, n.number(0)), 1))


@RULES.rule("RNN")
def rnn(n: TflNode) -> Value:
    return n.squeeze(_rnn(n, n.expand_dims(n.number(0), 0), 1), 0)


@RULES.rule("BIDIRECTIONAL_SEQUENCE_RNN")
def bidirectional_rnn(n: TflNode) -> Sequence[Value]:
    """Operands: x, and w, r, bias, state of either direction; further input with weights of its own."""
    if n.has(9):
        raise n.unsupported("an auxiliary input")
    x = time_first(n, n.number(0))
    both = [time_first(n, _rnn(n, x, 1)), time_first(n, _rnn(n, x, 5, reverse=True))]
    return [n.concat(both, 2)] if n.attr("merge_outputs") else both


def _rnn(n: TflNode, x: Value, first: int, reverse: bool = False) -> Value:
    kind = _ACTIVATIONS.get(n.attr("fused_activation_function"), "")
    if kind not in ("tanh", "relu", "sigmoid"):
        raise n.unsupported(f"the activation {n.attr('fused_activation_function')}")
    w, r, bias, state = (n.number(first + i) for i in range(4))
    kinds = ((kind, 0.0, 0.0),)
    found = n.emit(core.Rnn(x, w, r, bias, state, None, reverse=reverse, activations=kinds))
    keep_state(n, first + 3, found.h)
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
