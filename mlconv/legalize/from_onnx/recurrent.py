"""LSTM, GRU and RNN: one core op per direction, joined.  Source: ONNX LSTM-14, GRU-14, RNN-14."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Activation
from mlconv.ir.core import Value
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite import constant_array, edit

RULES = OnnxRules()
_Given: TypeAlias = "tuple[Value, Value, Value]"

# Activations that take alpha and beta, with the defaults of the operators of the same name (None: takes none).
_ALPHA_BETA: dict[str, tuple[float | None, float | None]] = {
    "affine": (1.0, 0.0),
    "leakyrelu": (0.01, None),
    "thresholdedrelu": (1.0, None),
    "scaledtanh": (1.0, 1.0),
    "hardsigmoid": (0.2, 0.5),
    "elu": (1.0, None),
}


@dataclass(frozen=True, slots=True)
class _Direction:
    """Operands of one direction, and its activations."""

    reverse: bool
    w: Value
    r: Value
    biases: tuple[Value, Value] | None
    h0: Value | None
    c0: Value | None
    peepholes: Value | None
    activations: tuple[Activation, ...]


def _activations(n: Node, default: tuple[str, ...], directions: int) -> list[tuple[Activation, ...]]:
    names = n.op.attributes.get("activations") or default * directions
    if len(names) != len(default) * directions:
        raise ConversionError(
            Code.AttributeInvalid,
            f"{n.op_type}: {len(names)} activations for {directions} directions of {len(default)}",
        )
    alphas, betas = list(n.floats("activation_alpha", ())), list(n.floats("activation_beta", ()))
    found: list[Activation] = []
    for name in names:
        kind = str(name).lower()
        alpha, beta = _ALPHA_BETA.get(kind, (None, None))
        a = 0.0 if alpha is None else alphas.pop(0) if alphas else alpha
        b = 0.0 if beta is None else betas.pop(0) if betas else beta
        found.append((kind, a, b))
    k = len(default)
    return [tuple(found[i * k : (i + 1) * k]) for i in range(directions)]


def _directions(n: Node, gates: int, default: tuple[str, ...], weights: tuple[Value, Value]) -> list[_Direction]:
    kind = n.s("direction", "forward").lower()
    if kind not in ("forward", "reverse", "bidirectional"):
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: direction is {kind!r}, expected forward, reverse or bidirectional"
        )
    count = 2 if kind == "bidirectional" else 1
    given, recurrent = weights
    if n.dim(given, 0) != count:
        raise ConversionError(
            Code.ShapeMismatch,
            f"{n.op_type}: the weights {given.type} are for {n.dim(given, 0)} directions, the node has {count}",
            operand=1,
        )
    kinds = _activations(n, default, count)
    batch_first = n.i("layout", 0) == 1
    out = []
    for i in range(count):

        def part(value: Value | None, axis: int = 0, i: int = i) -> Value | None:
            return None if value is None else n.squeeze(n.slice_axis(value, axis, i, i + 1), axis)

        bias = part(n.opt(3))
        biases = None
        if bias is not None:
            half = n.dim(recurrent, 2)
            size = gates * half if isinstance(half, int) else -1
            first, second = n.split(bias, [size, size], 0)
            biases = (first, second)
        w, r = part(given), part(recurrent)
        states = [part(n.opt(k), 1 if batch_first else 0) for k in (5, 6)]
        if w is None or r is None:
            raise ConversionError(Code.WrongArity, f"{n.op_type} needs weights")
        reverse = kind == "reverse" or i == 1
        out.append(_Direction(reverse, w, r, biases, states[0], states[1], part(n.opt(7)), kinds[i]))
    return out


_Make: TypeAlias = "Callable[[Value, _Direction, Value | None], tuple[Value, ...]]"


def _layer(n: Node, gates: int, default: tuple[str, ...], make: _Make, given: _Given | None = None) -> list[Value]:
    """All directions: Y [time, directions, batch, hidden] and final states [directions, batch, hidden]; batch first
    with layout 1.  given: input and weights where they are not those of the node.
    """
    batch_first = n.i("layout", 0) == 1
    x, *weights = given or (n.x(0), n.x(1), n.x(2))
    if n.rank(x) != 3:
        raise ConversionError(Code.ShapeMismatch, f"{n.op_type}: the input is {x.type}, expected rank 3")
    x = n.transpose(x, (1, 0, 2)) if batch_first else x
    results = []
    for d in _directions(n, gates, default, (weights[0], weights[1])):
        y, *last = make(x, d, n.opt(4))
        results.append(
            (y, *(_of_empty_rows(n, s, n.opt(4)) if d.h0 is not None or d.c0 is not None else s for s in last))
        )
    axis = 2 if batch_first else 1
    sequences = [n.transpose(r[0], (1, 0, 2)) if batch_first else r[0] for r in results]
    y = n.concat([n.expand_dims(s, axis) for s in sequences], axis)
    side = 1 if batch_first else 0
    states = [n.concat([n.expand_dims(r[k], side) for r in results], side) for k in range(1, len(results[0]))]
    return [y, *states]


def _of_empty_rows(n: Node, state: Value, lengths: Value | None) -> Value:
    """A final state [batch, hidden], 0 where the row has no steps: ONNX Runtime does not hand the initial state
    through.
    """
    known = constant_array(lengths)
    if lengths is None or (known is not None and known.all()):
        return state
    return n.where(n.equal(n.reshape(lengths, [-1, 1]), 0), 0, state)


def _summed(n: Node, d: _Direction) -> Value | None:
    return None if d.biases is None else n.add(*d.biases)


@RULES.rule("LSTM")
def lstm(n: Node) -> list[Value]:
    return lstm_of(n)


def lstm_of(
    n: Node, given: _Given | None = None, made_of: Callable[[core.Lstm, int], list[Value]] | None = None
) -> list[Value]:
    """LSTM with the attributes of `n`.  given: input [time, batch, k] and weights [directions, 4 h, k] and
    [directions, 4 h, h] where they are not those of the node.  made_of: what the layer of a direction becomes.
    """
    count = itertools.count()

    def make(x: Value, d: _Direction, lengths: Value | None) -> tuple[Value, ...]:
        op = n.emit(
            core.Lstm(
                x,
                d.w,
                d.r,
                _summed(n, d),
                d.h0,
                d.c0,
                lengths,
                d.peepholes,
                reverse=d.reverse,
                activations=d.activations,
                clip=n.f("clip", 0.0),
                input_forget=n.flag("input_forget"),
            )
        )
        if made_of is None:
            return tuple(op.results)
        made = made_of(op, next(count))
        edit.erase(op)
        return tuple(made)

    return _layer(n, 4, ("Sigmoid", "Tanh", "Tanh"), make, given)


@RULES.rule("GRU")
def gru(n: Node) -> list[Value]:
    def make(x: Value, d: _Direction, lengths: Value | None) -> tuple[Value, ...]:
        input_bias, recurrent_bias = d.biases or (None, None)
        return n.ys(
            core.Gru(
                x,
                d.w,
                d.r,
                input_bias,
                recurrent_bias,
                d.h0,
                lengths,
                reverse=d.reverse,
                activations=d.activations,
                clip=n.f("clip", 0.0),
                linear_before_reset=n.flag("linear_before_reset"),
            )
        )

    return _layer(n, 3, ("Sigmoid", "Tanh"), make)


@RULES.rule("RNN")
def rnn(n: Node) -> list[Value]:
    def make(x: Value, d: _Direction, lengths: Value | None) -> tuple[Value, ...]:
        return n.ys(
            core.Rnn(
                x,
                d.w,
                d.r,
                _summed(n, d),
                d.h0,
                lengths,
                reverse=d.reverse,
                activations=d.activations,
                clip=n.f("clip", 0.0),
            )
        )

    return _layer(n, 1, ("Tanh",), make)
