"""Recurrent layers, a node for each direction.  Sources: ONNX LSTM-14, GRU-14, RNN-14."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Activation
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_onnx.builder import OnnxBuilder, refuse
from mlconv.rewrite import Rules

RULES = Rules()

_NAMES = {
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "relu": "Relu",
    "affine": "Affine",
    "leakyrelu": "LeakyRelu",
    "thresholdedrelu": "ThresholdedRelu",
    "scaledtanh": "ScaledTanh",
    "hardsigmoid": "HardSigmoid",
    "elu": "Elu",
    "softsign": "Softsign",
    "softplus": "Softplus",
}
_ALPHA = frozenset({"affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu"})
_BETA = frozenset({"affine", "scaledtanh", "hardsigmoid"})


def _attributes(
    op: core.Lstm | core.Gru | core.Rnn, kinds: Sequence[Activation], usual: tuple[str, ...]
) -> dict[str, Any]:
    hidden = (op.r.tensor.shape or (0, None))[1]
    if not isinstance(hidden, int):
        raise refuse(f"the number of hidden units must be known, the weights are {op.r.tensor}")
    found: dict[str, Any] = {"hidden_size": hidden, "direction": "reverse" if op.reverse else "forward"}
    if op.clip > 0:
        found["clip"] = float(op.clip)
    if any(kind[0] == "identity" for kind in kinds):  # 1 * x + 0
        kinds = [("affine", 1.0, 0.0) if kind[0] == "identity" else kind for kind in kinds]
    if tuple(kind[0] for kind in kinds) == usual:
        return found
    found["activations"] = tuple(_NAMES[kind[0]] for kind in kinds)
    alphas = tuple(float(a) for name, a, _ in kinds if name in _ALPHA)
    betas = tuple(float(b) for name, _, b in kinds if name in _BETA)
    return found | ({"activation_alpha": alphas} if alphas else {}) | ({"activation_beta": betas} if betas else {})


def _one(e: OnnxBuilder, x: Value | None) -> Value | None:
    """For one direction."""
    return None if x is None else e.expand_dims(x, 0)


def _bias(e: OnnxBuilder, own: Value | None, recurrent: Value | None) -> Value | None:
    """Both halves of the bias for one direction."""
    present = own if own is not None else recurrent
    if present is None:
        return None
    halves = [v if v is not None else e.full_like(present, 0) for v in (own, recurrent)]
    return _one(e, e.concat(halves, 0))


def _state(e: OnnxBuilder, op: core.Lstm | core.Gru | core.Rnn, state: Value | None) -> Value | None:
    """A state for each row: one may stand for all."""
    if state is None:
        return None
    wanted, have = op.h.tensor.shape, state.tensor.shape
    if wanted is not None and have is not None and have[0] == 1 and wanted[0] != 1:
        state = e.broadcast_to(state, [e.dim(op.x, 1), e.dim(state, 1)])
    return _one(e, state)


def _emit(
    e: OnnxBuilder,
    name: str,
    op: core.Lstm | core.Gru | core.Rnn,
    operands: Sequence[Value | None],
    attributes: dict[str, Any],
) -> list[Value]:
    """The node, and its results without the axis of directions."""
    types = []
    for i, y in enumerate(op.results):
        shape = y.tensor.shape
        at = 1 if i == 0 else 0
        types.append(y.tensor.with_shape(None if shape is None else (*shape[:at], 1, *shape[at:])))
    results = e.op(name, operands, types, **attributes)
    return [e.squeeze(y, 1 if i == 0 else 0) for i, y in enumerate(results)]


def _lengths(e: OnnxBuilder, lengths: Value | None) -> Value | None:
    return None if lengths is None else e.cast(lengths, DType.I32)


@RULES.rule(core.Lstm)
def lstm(op: core.Lstm, e: OnnxBuilder) -> list[Value]:
    """LSTM."""
    attributes = _attributes(op, op.activations, ("sigmoid", "tanh", "tanh"))
    if op.input_forget:
        attributes["input_forget"] = 1
    states = [_state(e, op, v) for v in (op.h0, op.c0)]
    bias = _bias(e, op.bias, None)
    weights = [_one(e, op.w), _one(e, op.r)]
    operands = [op.x, *weights, bias, _lengths(e, op.lengths), *states, _one(e, op.peepholes)]
    return _emit(e, "LSTM", op, operands, attributes)


@RULES.rule(core.Gru)
def gru(op: core.Gru, e: OnnxBuilder) -> list[Value]:
    """GRU."""
    attributes = _attributes(op, op.activations, ("sigmoid", "tanh"))
    if op.linear_before_reset:
        attributes["linear_before_reset"] = 1
    bias = _bias(e, op.input_bias, op.recurrent_bias)
    weights = [_one(e, op.w), _one(e, op.r)]
    operands = [op.x, *weights, bias, _lengths(e, op.lengths), _state(e, op, op.h0)]
    return _emit(e, "GRU", op, operands, attributes)


@RULES.rule(core.Rnn)
def rnn(op: core.Rnn, e: OnnxBuilder) -> list[Value]:
    """RNN."""
    attributes = _attributes(op, op.activations, ("tanh",))
    operands = [
        op.x,
        _one(e, op.w),
        _one(e, op.r),
        _bias(e, op.bias, None),
        _lengths(e, op.lengths),
        _state(e, op, op.h0),
    ]
    return _emit(e, "RNN", op, operands, attributes)
