"""TFLite's products and recurrent ops."""

from __future__ import annotations

from mlconv.dialects.tfl_checks.base import (
    Check,
    Extent,
    Sizes,
    agree,
    alike,
    broadcast,
    count,
    element,
    given,
    gives,
    has_rank,
    option,
    sizes,
    text,
)
from mlconv.dialects.tfl_checks.windows import bias
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp


def _fully_connected(op: TargetOp) -> None:
    """filter [outer, inner]; the operand is rows of `inner` numbers."""
    if option(op, "weights_format") != "DEFAULT":
        return
    has_rank(op, 1, 2)
    _weights(op, 0, 1)
    x = sizes(op, 0)
    outer, inner = sizes(op, 1) or (None, None)
    bias(op, 2, outer)
    if not op.results:
        raise op.malformed("it has no result")
    made = op.results[0].tensor.dtype
    if made is not element(op, 0) and not (made is DType.I16 and element(op, 0) in (DType.I8, DType.U8)):
        raise op.malformed(f"it gives {made.display} of {element(op, 0).display}")
    if x is None:
        return
    total = count(x)
    if total is not None and inner is not None and (not inner or total % inner):
        raise op.malformed(f"{text(x)} is not rows of {inner}")
    if not option(op, "keep_num_dims"):
        gives(op, (None if total is None or inner is None else total // inner, outer))
        return
    if not x or not agree(x[-1], inner):
        raise op.malformed(f"{text(x)} is not rows of {inner}")
    gives(op, (*x[:-1], outer))


def _weights(op: TargetOp, x: int, w: int) -> None:
    """Weights may be stored in fewer bits than x."""
    if element(op, w) is not element(op, x) and not element(op, w).is_int:
        raise op.malformed(f"weights are {element(op, w).display} for {element(op, x).display}")


def _matrices(op: TargetOp, i: int, flip: bool) -> Sizes | None:
    """The shape of an operand as it is multiplied."""
    shape = sizes(op, i)
    if shape is not None and len(shape) < 2:
        raise op.malformed(f"operand {i} is {text(shape)}, no matrix")
    return (*shape[:-2], shape[-1], shape[-2]) if shape is not None and flip else shape


def _batch_matmul(op: TargetOp) -> None:
    x, y = _matrices(op, 0, option(op, "adj_x")), _matrices(op, 1, option(op, "adj_y"))
    _weights(op, 0, 1)
    made = op.results[0].tensor.dtype
    if made is not element(op, 0) and not (made is DType.I32 and element(op, 0) is DType.I8):
        raise op.malformed(f"it gives {made.display} of {element(op, 0).display}")
    if x is None or y is None:
        return
    if not agree(x[-1], y[-2]):
        raise op.malformed(f"{text(x)} times {text(y)}")
    batch = broadcast(op, x[:-2], y[:-2])
    gives(op, None if batch is None else (*batch, x[-2], y[-1]))


# recurrent -------------------------------------------------------------------------------------------------------
def _matrix(op: TargetOp, i: int, rows: Extent, columns: Extent) -> Sizes:
    """The shape of a matrix of weights, where there is one; refuses one of other sizes."""
    if given(op, i) is None:
        return rows, columns
    have = sizes(op, i)
    if not alike(have, (rows, columns)):
        raise op.malformed(f"operand {i} is {text(have)}, expected {text((rows, columns))}")
    return have or (rows, columns)


def _row(op: TargetOp, i: int, size: Extent) -> None:
    """A number for each unit, where there are any."""
    if given(op, i) is not None and not alike(sizes(op, i), (size,)):
        raise op.malformed(f"operand {i} is {text(sizes(op, i))}, expected {text((size,))}")


def _cell(op: TargetOp, at: int, inner: Extent) -> Extent:
    """Weights, recurrent weights, bias and state of a plain cell; the number of its units."""
    units, _ = _matrix(op, at, None, inner)
    _matrix(op, at + 1, units, units)
    _row(op, at + 2, units)
    _matrix(op, at + 3, None, units)
    return units


def _rnn(op: TargetOp) -> None:
    has_rank(op, 0, 2)
    batch, inner = sizes(op) or (None, None)
    gives(op, (batch, _cell(op, 1, inner)), element(op))


def _sequence_rnn(op: TargetOp) -> None:
    has_rank(op, 0, 3)
    x = sizes(op) or (None,) * 3
    gives(op, (*x[:2], _cell(op, 1, x[2])), element(op))


def _both_rnn(op: TargetOp) -> None:
    has_rank(op, 0, 3)
    x = sizes(op) or (None,) * 3
    units = [_cell(op, at, x[2] if given(op, 9) is None or at == 1 else None) for at in (1, 5)]
    _both(op, x, units)


def _both(op: TargetOp, x: Sizes, units: list[Extent]) -> None:
    """Results of a forward and a backward pass, as one or as two."""
    if len(op.results) != (1 if option(op, "merge_outputs") else 2):
        raise op.malformed(f"it has {len(op.results)} results, merge_outputs is {option(op, 'merge_outputs')}")
    if len(op.results) == 2:
        for i in range(2):
            gives(op, (*x[:2], units[i]), element(op), i)
        return
    total = None if units[0] is None or units[1] is None else units[0] + units[1]
    gives(op, (*x[:2], total), element(op))


def _gates(op: TargetOp, at: int, inner: Extent) -> Extent:
    """Weights of the four gates from operand `at` on, of the recurrent path, peepholes and biases; what is put out."""
    for i in (1, 2, 3, 5, 6, 7, 12, 13, 14):
        if given(op, at + i) is None:
            raise op.malformed(f"operand {at + i} is missing")
    cells, _ = _matrix(op, at + 1, None, inner)
    _, out = _matrix(op, at + 5, cells, None)
    for i in range(4):
        _matrix(op, at + i, cells, inner)
        _matrix(op, at + 4 + i, cells, out)
    for i in range(8, 15):
        _row(op, at + i, cells)
    _matrix(op, at + 15, out, cells)
    return out


def _lstm(op: TargetOp) -> None:
    """The basic kernel has one matrix for all gates; the full one has 20 operands, and 4 more to normalize layers."""
    basic = option(op, "kernel_type") == "BASIC"
    if len(op.operands) not in ((5,) if basic else (20, 24)):
        raise op.malformed(f"it has {len(op.operands)} operands, its kernel takes {'5' if basic else '20 or 24'}")
    has_rank(op, 0, 2)
    batch, inner = sizes(op) or (None, None)
    if not basic:
        gives(op, (batch, _gates(op, 1, inner)), element(op))
        return
    if len(op.results) != 4 or None in op.operands:
        raise op.malformed(f"its basic kernel gives 4 results, it has {len(op.results)}")
    out = (sizes(op, 1) or (None, None))[1]
    gives(op, (batch, out), element(op))


def _sequence_lstm(op: TargetOp) -> None:
    has_rank(op, 0, 3)
    if len(op.operands) not in (20, 24):
        raise op.malformed(f"it has {len(op.operands)} operands, expected 20 or 24")
    x = sizes(op) or (None,) * 3
    diagonal = option(op, "diagonal_recurrent_tensors")  # of recurrent weights only their diagonals are there
    gives(op, (*x[:2], None if diagonal else _gates(op, 1, x[2])), element(op))


def _both_lstm(op: TargetOp) -> None:
    has_rank(op, 0, 3)
    if len(op.operands) != 48:
        raise op.malformed(f"it has {len(op.operands)} operands, expected 48")
    x = sizes(op) or (None,) * 3
    units = [_gates(op, at, x[2] if given(op, 39) is None or at == 1 else None) for at in (1, 18)]
    _both(op, x, units)


def _svdf(op: TargetOp) -> None:
    has_rank(op, 0, 2)
    batch, inner = sizes(op) or (None, None)
    rank = int(option(op, "rank"))
    filters, _ = _matrix(op, 1, None, inner)
    _matrix(op, 2, filters, None)
    if rank < 1 or (filters is not None and filters % rank):
        raise op.malformed(f"{filters} filters of rank {rank}")
    units = None if filters is None else filters // rank
    _row(op, 3, units)
    gives(op, (batch, units), element(op))


CHECKS: dict[str, tuple[Check, ...]] = {
    "FULLY_CONNECTED": (_fully_connected,),
    "BATCH_MATMUL": (_batch_matmul,),
    "RNN": (_rnn,),
    "UNIDIRECTIONAL_SEQUENCE_RNN": (_sequence_rnn,),
    "BIDIRECTIONAL_SEQUENCE_RNN": (_both_rnn,),
    "LSTM": (_lstm,),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (_sequence_lstm,),
    "BIDIRECTIONAL_SEQUENCE_LSTM": (_both_lstm,),
    "SVDF": (_svdf,),
}
