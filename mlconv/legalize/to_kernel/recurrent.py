"""Recurrent layers: a loop over time whose body is ops of core, which are legalized like any others.

The product of the whole sequence with the input weights is taken out of the loop; the recurrent weights are packed once
and used in every turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Activation
from mlconv.dialects.kernel import PANEL
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.formula import CORE_OPS, Formula, lstm_cell
from mlconv.legalize.to_kernel.builder import KernelBuilder, broadcast, number, refuse, sizes
from mlconv.rewrite import Rules
from mlconv.rewrite.fold import constant_array

RULES = Rules()

Turn = Callable[[KernelBuilder, Value, list[Value]], list[Value]]


@dataclass(frozen=True, slots=True)
class _F(Formula):
    """A value with arithmetic of core ops."""

    e: KernelBuilder
    v: Value

    def wrap(self, other: _F | float) -> _F:
        if isinstance(other, _F):
            return other
        return _F(self.e, self.e.constant(np.asarray(other, self.v.tensor.dtype.numpy)))

    def of(self, cls: Callable[..., OpDef], *others: _F | float, **attributes: Any) -> _F:
        return _F(self.e, self.e.y(cls(self.v, *(self.wrap(o).v for o in others), **attributes)))

    def calculate(self, operation: str, other: _F | float) -> _F:
        return self.of(CORE_OPS[operation], other)

    def where(self, cls: Callable[..., OpDef], bound: float, a: _F, b: _F | float) -> _F:
        """a where this value compares so with `bound`, else b."""
        return _F(self.e, self.e.y(core.Select(self.of(cls, bound).v, a.v, self.wrap(b).v)))


_ACTIVATIONS: dict[str, Callable[[_F, float, float], _F]] = {
    "sigmoid": lambda x, a, b: x.of(core.Sigmoid),
    "tanh": lambda x, a, b: x.of(core.Tanh),
    "relu": lambda x, a, b: x.of(core.Maximum, 0.0),
    "affine": lambda x, a, b: x * a + b,
    "leakyrelu": lambda x, a, b: x.where(core.Less, 0.0, x * a, x),
    "thresholdedrelu": lambda x, a, b: x.where(core.Greater, a, x, 0.0),
    "scaledtanh": lambda x, a, b: (x * b).of(core.Tanh) * a,
    "hardsigmoid": lambda x, a, b: (x * a + b).of(core.Clamp, lo=0.0, hi=1.0),
    "elu": lambda x, a, b: x.where(core.Less, 0.0, x.of(core.Minimum, 0.0).of(core.Expm1) * a, x),
    "softsign": lambda x, a, b: x / (x.of(core.Abs) + 1.0),
    "softplus": lambda x, a, b: x.of(core.Softplus),
    "identity": lambda x, a, b: x,
}


def _activate(kind: Activation, x: _F, clip: float) -> _F:
    """An activation of a gate, after clipping."""
    if kind[0] not in _ACTIVATIONS:
        raise refuse(f"activation {kind[0]} of a recurrent layer")
    return _ACTIVATIONS[kind[0]](x.of(core.Clamp, lo=-clip, hi=clip) if clip > 0 else x, kind[1], kind[2])


def _cut(e: KernelBuilder, x: Value, axis: int, *counts: int) -> list[Value]:
    """Parts along an axis, as the counts are to each other; those of a constant are constants."""
    size = number(sizes(x)[axis], "the width of a layer") // sum(counts)
    ends = [size * sum(counts[: i + 1]) for i in range(len(counts))]
    array = constant_array(x)
    if array is not None:
        return [e.constant(np.ascontiguousarray(part)) for part in np.split(array, ends[:-1], axis)]
    return list(e.builder.emit(core.Split(x, sizes=tuple(size * n for n in counts), axis=axis)).results)


def _linear(e: KernelBuilder, h: Value, r: Value, bias: Value | None = None) -> _F:
    y = _F(e, e.y(core.MatMul(h, r, transpose_b=True)))
    return y if bias is None else y + _F(e, bias)


def _state(e: KernelBuilder, given: Value | None, like: Value) -> Value:
    """What a layer starts with: zeros, or a state that may be one for the whole batch."""
    if given is None:
        return e.map(like.tensor, lambda x: x.const(like.tensor.dtype, 0))
    return given if sizes(given) == sizes(like) else e.copy(given, like.tensor, broadcast(sizes(given), sizes(like)))


def _begins_and_ends(op: core.Lstm | core.Rnn) -> bool:
    """One step from zeros: products with weights that are finite add nothing."""
    if op.h0 is not None or sizes(op.x)[0] != 1:
        return False
    weights = constant_array(op.r)
    return weights is not None and weights.dtype.kind == "f" and bool(np.isfinite(weights).all())


def _of_gates(e: KernelBuilder, h: Value, r: Value, counts: Sequence[int], bias: Value | None = None) -> list[_F]:
    """What a state adds to so many gates at a time.  Where the weights of a gate fill whole panels, these are products
    of their own, of which what follows is the epilogue, which is computed while the next weights are on their way.
    """
    if constant_array(r) is None or number(sizes(r)[0], "the width of a layer") % (sum(counts) * PANEL):
        return [_F(e, part) for part in _cut(e, _linear(e, h, r, bias).v, 1, *counts)]
    biases = [None for _ in counts] if bias is None else _cut(e, bias, 0, *counts)
    return [_linear(e, h, weights, b) for weights, b in zip(_cut(e, r, 0, *counts), biases, strict=True)]


@RULES.rule(core.Lstm)
def lstm(op: core.Lstm, e: KernelBuilder) -> Sequence[Value]:
    """Gates i, o, f, c.  The first three have one activation, of the three at once where no peephole is in between."""
    counts = (3, 1) if op.peepholes is None else (1, 1, 1, 1)
    peepholes = _cut(e, op.peepholes, 0, 1, 1, 1) if op.peepholes is not None else []

    def turn(inner: KernelBuilder, gates: Value, states: list[Value]) -> list[Value]:
        parts = [_F(inner, part) for part in _cut(inner, gates, 1, *counts)]
        if not _begins_and_ends(op):
            parts = [x + h for x, h in zip(parts, _of_gates(inner, states[0], op.r, counts), strict=True)]
        done: list[_F] = []
        if not peepholes:
            three = _activate(op.activations[0], parts[0], op.clip)
            done = [_F(inner, part) for part in _cut(inner, three.v, 1, 1, 1, 1)]

        def activate(kind: Activation, x: _F, clip: float) -> _F:
            return x if any(x is ready for ready in done) else _activate(kind, x, clip)

        weights, cell = [_F(inner, p) for p in peepholes], _F(inner, states[1])
        whole = [*done, *parts[1:]] if done else parts
        y = lstm_cell(whole, cell, weights, op.activations, op.clip, op.input_forget, activate)
        return [v.v for v in y]

    return _scan(op, e, _linear(e, op.x, op.w, op.bias).v, [_state(e, op.h0, op.h), _state(e, op.c0, op.c)], turn)


@RULES.rule(core.Gru)
def gru(op: core.Gru, e: KernelBuilder) -> Sequence[Value]:
    """Gates z, r, h.  The first two have one activation."""
    f, g = op.activations
    counts = (2, 1) if op.linear_before_reset else (2,)  # gates whose products with the state are those of the weights
    first, rest = (op.r, None) if op.linear_before_reset else _cut(e, op.r, 0, 2, 1)
    bias, rest_bias = op.recurrent_bias, None
    if bias is not None and rest is not None:
        bias, rest_bias = _cut(e, bias, 0, 2, 1)

    def turn(inner: KernelBuilder, gates: Value, states: list[Value]) -> list[Value]:
        h = _F(inner, states[0])
        x, xn = (_F(inner, part) for part in _cut(inner, gates, 1, 2, 1))
        made = _of_gates(inner, h.v, first, counts, bias)
        z, reset = (_F(inner, part) for part in _cut(inner, _activate(f, x + made[0], op.clip).v, 1, 1, 1))
        candidate = reset * made[1] if rest is None else _linear(inner, (reset * h).v, rest, rest_bias)
        return [((1.0 - z) * _activate(g, xn + candidate, op.clip) + z * h).v]

    return _scan(op, e, _linear(e, op.x, op.w, op.input_bias).v, [_state(e, op.h0, op.h)], turn)


@RULES.rule(core.Rnn)
def rnn(op: core.Rnn, e: KernelBuilder) -> Sequence[Value]:
    def turn(inner: KernelBuilder, gates: Value, states: list[Value]) -> list[Value]:
        whole = _F(inner, gates)
        if not _begins_and_ends(op):
            whole += _linear(inner, states[0], op.r)
        return [_activate(op.activations[0], whole, op.clip).v]

    return _scan(op, e, _linear(e, op.x, op.w, op.bias).v, [_state(e, op.h0, op.h)], turn)


def _number(e: KernelBuilder, size: Size) -> Value:
    """A size as an int32 scalar."""
    if isinstance(size, int):
        return e.constant(np.asarray(size, np.int32))
    return e.map(TensorType(DType.I32, ()), lambda x: x.size(DType.I32, size))


def _scan(
    op: core.Lstm | core.Gru | core.Rnn, e: KernelBuilder, gates: Value, states: list[Value], turn: Turn
) -> Sequence[Value]:
    """The loop.  With lengths and `reverse`, the gates are turned around row by row before, and the outputs after."""
    time = sizes(gates)[0]
    turned = op.lengths if op.reverse else None
    if turned is not None:
        gates = e.y(core.ReverseSequence(gates, turned, time_axis=0, batch_axis=1))
    lengths = None
    if op.lengths is not None:
        lengths = e.y(core.Cast(e.reshape(op.lengths, (*sizes(op.lengths), 1)), dtype=DType.I32))
    zeros = e.map(op.y.tensor, lambda x: x.const(op.y.tensor.dtype, 0))
    carried = [e.constant(np.zeros((), np.int32)), zeros, *states]
    types = [v.tensor for v in carried]

    def body(inner: KernelBuilder, arguments: list[Value]) -> list[Value]:
        i = arguments[0]
        at = i
        if op.reverse and turned is None:
            at = inner.y(core.Sub(_number(inner, time - 1), i))
        new = turn(inner, inner.y(core.Gather(gates, at, axis=0)), arguments[2:])
        row = new[0]
        if lengths is not None:
            keep = inner.y(core.Less(i, lengths))
            row = inner.y(core.Select(keep, row, inner.constant(np.zeros((), row.tensor.dtype.numpy))))
            new = [inner.y(core.Select(keep, n, old)) for n, old in zip(new, arguments[2:], strict=True)]
        zero = inner.constant(np.zeros((), np.int32))
        y = inner.y(core.UpdateSlice(arguments[1], inner.y(core.ExpandDims(row, axes=(0,))), [at, zero, zero]))
        return [inner.y(core.Add(i, inner.constant(np.asarray(1, np.int32)))), y, *new]

    def test(inner: KernelBuilder, arguments: list[Value]) -> list[Value]:
        return [inner.y(core.Less(arguments[0], _number(inner, time)))]

    regions = []
    for make in (test, body):
        block = Block(types)
        builder = Builder(block, e.builder.location)
        builder.emit(Yield(make(KernelBuilder(builder), block.arguments)))
        regions.append(Region(block))
    _, y, *last = e.builder.emit(core.While(carried, cond=regions[0], body=regions[1])).results
    if turned is not None:
        y = e.y(core.ReverseSequence(y, turned, time_axis=0, batch_axis=1))
    return [y, *last]
