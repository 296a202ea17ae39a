"""Fused recurrent cells.  Source: tensorflow/core/ops/rnn_ops.cc, tensorflow/core/kernels/rnn/lstm_ops.h, gru_ops.h.

Weights act on [x, h] joined; the gates of LSTM blocks stand in the order i, c, f, o (BlockLSTMV2: i, f, c, o).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_tf.operands import shape_of, tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


class Cell(NamedTuple):
    """What an LSTM step needs besides its input: weights [input + hidden, 4 hidden], peepholes [hidden] or None,
    bias.
    """

    w: Value
    peepholes: tuple[Value, Value, Value] | None  # input, forget, output gate
    bias: Value
    forget_bias: float
    clip: float


def _step(n: SourceNode, cell: Cell, x: Value, c_before: Value, h_before: Value) -> list[Value]:
    """i, cs, f, o, ci, co, h of one step."""
    joined = n.concat([x, h_before], 1)
    gates = n.add(n.emit(core.MatMul(joined, cell.w)).y, cell.bias)
    hidden = shape_of(cell.bias)[0]
    if not isinstance(hidden, int):
        raise n.unsupported("the cell's width is not known")
    i, c, f, o = n.emit(core.Split(gates, sizes=(hidden // 4,) * 4, axis=1)).ys
    if n.kind == "BlockLSTMV2":
        c, f = f, c
    if cell.forget_bias:
        f = n.add(f, n.asarray(cell.forget_bias, f))
    if cell.peepholes is not None:
        i, f = n.add(i, n.mul(cell.peepholes[0], c_before)), n.add(f, n.mul(cell.peepholes[1], c_before))
    i, f = n.emit(core.Sigmoid(i)).y, n.emit(core.Sigmoid(f)).y
    candidate = n.emit(core.Tanh(c)).y
    state = n.add(n.mul(i, candidate), n.mul(f, c_before))
    if cell.clip > 0:
        state = n.emit(core.Clamp(state, lo=-cell.clip, hi=cell.clip)).y
    if cell.peepholes is not None:
        o = n.add(o, n.mul(cell.peepholes[2], state))
    o = n.emit(core.Sigmoid(o)).y
    out = n.emit(core.Tanh(state)).y
    return [i, state, f, o, candidate, out, n.mul(o, out)]


def _cell(n: SourceNode, first: int, forget_bias: float) -> Cell:
    """Operands from `first`: w, wci, wcf, wco, b."""
    w, wci, wcf, wco, bias = n.operands()[first : first + 5]
    return Cell(w, (wci, wcf, wco) if n.attr("use_peephole") else None, bias, forget_bias, n.attr("cell_clip"))


@RULES.rule("LSTMBlockCell")
def lstm_block_cell(n: SourceNode) -> Sequence[Value]:
    """Operands: x, cs_prev, h_prev, w, wci, wcf, wco, b."""
    return _step(n, _cell(n, 3, n.attr("forget_bias")), n.operand(0), n.operand(1), n.operand(2))


@RULES.rule("BlockLSTM", "BlockLSTMV2")
def block_lstm(n: SourceNode) -> Sequence[Value]:
    """Operands: seq_len_max, x [time, batch, input], cs_prev, h_prev, w, wci, wcf, wco, b.  Unrolled; steps from
    seq_len_max on give zeros.
    """
    x, c, h = n.operand(1), n.operand(2), n.operand(3)
    time = shape_of(x)[0]
    if not isinstance(time, int):
        raise n.unsupported("a sequence of unknown length")
    limit = n.const_or_none(0)
    if limit is None:
        raise n.unsupported("seq_len_max that is computed by the model")
    cell = _cell(n, 4, n.attr("forget_bias", 0.0))
    rows: list[list[Value]] = []
    for step in range(min(time, int(limit))):
        outputs = _step(n, cell, n.squeeze(n.slice_axis(x, 0, step, step + 1), 0), c, h)
        c, h = outputs[1], outputs[6]
        rows.append(outputs)
    if not rows:
        raise n.unsupported("a sequence without steps")
    stacked: list[Value] = []
    for k in range(7):
        whole = n.concat([n.expand_dims(row[k], 0) for row in rows], 0)
        if len(rows) < time:
            amounts = np.zeros((3, 2), np.int64)
            amounts[0, 1] = time - len(rows)
            whole = n.emit(core.Pad(whole, n.constant(amounts), n.asarray(0, whole))).y
        stacked.append(whole)
    return stacked


@RULES.rule("GRUBlockCell")
def gru_block_cell(n: SourceNode) -> Sequence[Value]:
    """Operands: x, h_prev, w_ru, w_c, b_ru, b_c.  Results: r, u, c, h = u h_prev + (1 - u) c."""
    x, before, w_ru, w_c, b_ru, b_c = n.operands()
    gates = n.emit(core.Sigmoid(n.add(n.emit(core.MatMul(n.concat([x, before], 1), w_ru)).y, b_ru))).y
    width = shape_of(b_c)[0]
    if not isinstance(width, int):
        raise n.unsupported("the cell's width is not known")
    r, u = n.emit(core.Split(gates, sizes=(width, width), axis=1)).ys
    reset = n.concat([x, n.mul(r, before)], 1)
    c = n.emit(core.Tanh(n.add(n.emit(core.MatMul(reset, w_c)).y, b_c))).y
    h = n.add(n.mul(u, before), n.mul(n.sub(n.asarray(1, u), u), c))
    return [r, u, c, h]
