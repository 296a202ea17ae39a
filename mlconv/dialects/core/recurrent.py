"""Recurrent layers in one direction, over the whole sequence.

Layouts: x [time, batch, input]; w [gates * hidden, input], r [gates * hidden, hidden], biases [gates * hidden]; states
[batch, hidden].  `lengths` [batch] integers or absent: steps at and beyond a row's length leave its state alone and
output zeros; with `reverse` each row starts at its own last step.  Bidirectional layers are two ops and a concat.
Source: ONNX LSTM-14, GRU-14, RNN-14.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Union

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_integer_type, check_rank
from mlconv.dialects.core.math import sigmoid, softplus
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import floordiv
from mlconv.ir.spec import OpDef, attr, op, operand, optional_operand, result
from mlconv.ir.types import TensorType

Activation = tuple[str, float, float]  # name (lower case), alpha, beta
_ACTIVATIONS: dict[str, Callable[[Array, float, float], Array]] = {
    "sigmoid": lambda x, a, b: sigmoid(x),
    "tanh": lambda x, a, b: np.tanh(x),
    "relu": lambda x, a, b: np.maximum(x, 0),
    "affine": lambda x, a, b: a * x + b,
    "leakyrelu": lambda x, a, b: np.where(x < 0, a * x, x),
    "thresholdedrelu": lambda x, a, b: np.where(x > a, x, 0),
    "scaledtanh": lambda x, a, b: a * np.tanh(b * x),
    "hardsigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "elu": lambda x, a, b: np.where(x < 0, a * np.expm1(np.minimum(x, 0)), x),
    "softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "softplus": lambda x, a, b: softplus(x),
    "identity": lambda x, a, b: x,
}


def activate(kind: Activation, x: Array, clip: float) -> Array:
    if kind[0] not in _ACTIVATIONS:
        raise ConversionError(Code.VariantUnsupported, f"activation {kind[0]!r} of a recurrent layer is not known")
    bounded = np.clip(x, -clip, clip) if clip > 0 else x
    return np.asarray(_ACTIVATIONS[kind[0]](bounded, kind[1], kind[2])).astype(x.dtype)


class Recurrent(OpDef):
    """Common to the three: types and the walk over time."""

    __slots__ = ()
    gates = 1

    def sequence_types(
        self, x: Value, r: Value, lengths: Value | None, *states: Value | None
    ) -> tuple[TensorType, TensorType]:
        """Types of the sequence of outputs and of a state, which may be one for the whole batch.

        Raises ConversionError ShapeMismatch for states and lengths of another batch, TypeMismatch for
        lengths that are no integers.
        """
        if lengths is not None:
            check_integer_type(lengths, "lengths")
        kinds, count = self.attributes["activations"], max(1, self.gates - 1)
        if len(kinds) != count:
            raise ConversionError(Code.AttributeInvalid, f"{self.name} has {len(kinds)} activations, expected {count}")
        time, batch, _ = check_rank(x, 3, "the sequence")
        shape = check_rank(r, 2, "the recurrent weights")
        hidden = shape[1]
        if isinstance(shape[0], int) and isinstance(hidden, int) and shape[0] != self.gates * hidden:
            raise ConversionError(
                Code.ShapeMismatch, f"recurrent weights {r.tensor} do not hold {self.gates} gates of {hidden}"
            )
        for given, sizes, one in (*((v, (batch, hidden), 1) for v in states), (lengths, (batch,), batch)):
            have = sizes if given is None else check_rank(given, len(sizes), "a state or the lengths")
            if given is not None and any(
                isinstance(a, int) and isinstance(b, int) and a not in (b, one)
                for a, b in zip(have, sizes, strict=True)
            ):
                raise ConversionError(
                    Code.ShapeMismatch,
                    f"{given.tensor} does not fit a layer of {batch} rows and {hidden} numbers in a state",
                )
        t = x.tensor
        return t.with_shape((time, batch, hidden)), t.with_shape((batch, floordiv(shape[0], self.gates)))


def steps(x: Array, lengths: Array | None, reverse: bool) -> list[tuple[Array, Array]]:
    """(time index of each row, whether the row is active) for each step."""
    time, batch = x.shape[:2]
    count = np.full(batch, time) if lengths is None else np.minimum(lengths.astype(np.int64), time)
    out = []
    for t in range(time):
        active = t < count
        out.append((np.where(reverse & active, count - 1 - t, t), active[:, None]))
    return out


@op("core.lstm")
class Lstm(Recurrent):
    """i, o, f = f(x w' + h r' + b [+ p * c]); c~ = g(...); c = f * c + i * c~; h = o * h(c).  Gate order i, o, f, c
    (ONNX).

    peepholes [3 * hidden] in order i, o, f, or absent.  `input_forget`: f = 1 - i.  clip <= 0 means none.
    """

    gates = 4
    x: Value = operand()
    w: Value = operand()
    r: Value = operand()
    bias: Value | None = optional_operand(default=None)
    h0: Value | None = optional_operand(default=None)
    c0: Value | None = optional_operand(default=None)
    lengths: Value | None = optional_operand(default=None)
    peepholes: Value | None = optional_operand(default=None)
    reverse: bool = attr(default=False)
    activations: tuple[Activation, ...] = attr(default=(("sigmoid", 0.0, 0.0), ("tanh", 0.0, 0.0), ("tanh", 0.0, 0.0)))
    clip: float = attr(default=0.0)
    input_forget: bool = attr(default=False)
    y: Value = result()
    h: Value = result()
    c: Value = result()

    def infer(self) -> list[TensorType]:
        sequence, state = self.sequence_types(self.x, self.r, self.lengths, self.h0, self.c0)
        return [sequence, state, state]

    def eval(
        self,
        x: Array,
        w: Array,
        r: Array,
        bias: Array | None,
        h0: Array | None,
        c0: Array | None,
        lengths: Array | None,
        p: Array | None,
    ) -> tuple[Array, ...]:
        batch, hidden = x.shape[1], r.shape[1]
        h = np.zeros((batch, hidden), x.dtype) if h0 is None else np.broadcast_to(h0, (batch, hidden))
        c = np.zeros((batch, hidden), x.dtype) if c0 is None else np.broadcast_to(c0, (batch, hidden))
        pi, po, pf = np.split(np.zeros(3 * hidden, x.dtype) if p is None else p, 3)
        f, g, out = self.activations
        gates = x @ w.T + (0 if bias is None else bias)
        y = np.zeros((*x.shape[:2], hidden), x.dtype)
        rows = np.arange(batch)
        for at, active in steps(x, lengths, self.reverse):
            i_, o_, f_, c_ = np.split(gates[at, rows] + h @ r.T, 4, -1)
            i = activate(f, i_ + pi * c, self.clip)
            forget = 1 - i if self.input_forget else activate(f, f_ + pf * c, self.clip)
            c_new = forget * c + i * activate(g, c_, self.clip)
            h_new = activate(f, o_ + po * c_new, self.clip) * activate(out, c_new, 0.0)
            y[at, rows] = np.where(active, h_new, 0)
            h, c = np.where(active, h_new, h), np.where(active, c_new, c)
        return y, h.astype(x.dtype), c.astype(x.dtype)


@op("core.gru")
class Gru(Recurrent):
    """z, r = f(x w' + h r' + b); n = g(x w' + bw + (r * h) r' + br), or r * (h r' + br) with `linear_before_reset`; h =
    (1 - z) * n + z * h.

    Gate order z, r, h (ONNX).  input_bias and recurrent_bias [3 * hidden] or absent.
    """

    gates = 3
    x: Value = operand()
    w: Value = operand()
    r: Value = operand()
    input_bias: Value | None = optional_operand(default=None)
    recurrent_bias: Value | None = optional_operand(default=None)
    h0: Value | None = optional_operand(default=None)
    lengths: Value | None = optional_operand(default=None)
    reverse: bool = attr(default=False)
    activations: tuple[Activation, ...] = attr(default=(("sigmoid", 0.0, 0.0), ("tanh", 0.0, 0.0)))
    clip: float = attr(default=0.0)
    linear_before_reset: bool = attr(default=False)
    y: Value = result()
    h: Value = result()

    def infer(self) -> list[TensorType]:
        return list(self.sequence_types(self.x, self.r, self.lengths, self.h0))

    def eval(
        self, x: Array, w: Array, r: Array, bw: Array | None, br: Array | None, h0: Array | None, lengths: Array | None
    ) -> tuple[Array, ...]:
        batch, hidden = x.shape[1], r.shape[1]
        h = np.zeros((batch, hidden), x.dtype) if h0 is None else np.broadcast_to(h0, (batch, hidden))
        zero = np.zeros(3 * hidden, x.dtype)
        gates = x @ w.T + (zero if bw is None else bw)
        rz, rr, rn = np.split(r, 3)
        bz, b_r, bn = np.split(zero if br is None else br, 3)
        f, g = self.activations
        y = np.zeros((*x.shape[:2], hidden), x.dtype)
        rows = np.arange(batch)
        for at, active in steps(x, lengths, self.reverse):
            xz, xr, xn = np.split(gates[at, rows], 3, -1)
            z = activate(f, xz + h @ rz.T + bz, self.clip)
            reset = activate(f, xr + h @ rr.T + b_r, self.clip)
            inner = reset * (h @ rn.T + bn) if self.linear_before_reset else (reset * h) @ rn.T + bn
            h_new = (1 - z) * activate(g, xn + inner, self.clip) + z * h
            y[at, rows] = np.where(active, h_new, 0)
            h = np.where(active, h_new, h)
        return y, h.astype(x.dtype)


@op("core.rnn")
class Rnn(Recurrent):
    """h = f(x w' + h r' + b)."""

    x: Value = operand()
    w: Value = operand()
    r: Value = operand()
    bias: Value | None = optional_operand(default=None)
    h0: Value | None = optional_operand(default=None)
    lengths: Value | None = optional_operand(default=None)
    reverse: bool = attr(default=False)
    activations: tuple[Activation, ...] = attr(default=(("tanh", 0.0, 0.0),))
    clip: float = attr(default=0.0)
    y: Value = result()
    h: Value = result()

    def infer(self) -> list[TensorType]:
        return list(self.sequence_types(self.x, self.r, self.lengths, self.h0))

    def eval(
        self, x: Array, w: Array, r: Array, bias: Array | None, h0: Array | None, lengths: Array | None
    ) -> tuple[Array, ...]:
        h = np.zeros((x.shape[1], r.shape[1]), x.dtype) if h0 is None else np.broadcast_to(h0, (x.shape[1], r.shape[1]))
        gates = x @ w.T + (0 if bias is None else bias)
        y = np.zeros((*x.shape[:2], r.shape[1]), x.dtype)
        rows = np.arange(x.shape[1])
        for at, active in steps(x, lengths, self.reverse):
            h_new = activate(self.activations[0], gates[at, rows] + h @ r.T, self.clip)
            y[at, rows] = np.where(active, h_new, 0)
            h = np.where(active, h_new, h)
        return y, h.astype(x.dtype)


Layer = Union[Lstm, Gru, Rnn]
