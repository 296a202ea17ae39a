"""The rank that a value must have for what reads it: which branch of an If is meant, where they differ in rank.

Operators are followed while they are those of the source still; nothing is known behind one that is not listed here.
Source: the operator documents of ONNX.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from mlconv.ir.constants import Const
from mlconv.ir.core import Op, Value
from mlconv.ir.types import TensorType
from mlconv.legalize.from_onnx.constraints import rank_bounds
from mlconv.legalize.from_onnx.elementwise import BINARY, UNARY, VARIADIC
from mlconv.legalize.from_onnx.reduce import REDUCTIONS
from mlconv.rewrite import constant_array

_MOST = 256  # values that are followed
NEVER: Final = -1  # where an operator does not take what it is given

Ranks: TypeAlias = Sequence["int | None"]


def takes_rank(value: Value, rank: int) -> bool:
    """Whether all that reads a value takes it with this rank, and gives what the file declares, as far as is known."""
    known, left = {value: rank}, [value]
    if not _is_declared(value, rank):
        return False
    while left and len(known) < _MOST:
        for op in left.pop().users:
            behind = _behind(op, known)
            if behind == NEVER:
                return False
            if behind is None:
                continue
            for result in op.results:
                if not _is_declared(result, behind):
                    return False
                if result not in known:
                    known[result] = behind
                    left.append(result)
    return True


def _is_declared(value: Value, rank: int) -> bool:
    declared = value.type.rank if isinstance(value.type, TensorType) else None
    return declared is None or declared == rank


def _behind(op: Op, known: Mapping[Value, int]) -> int | None:
    """The rank of the results; None where it is not known."""
    name = op.name.removeprefix("onnx.")
    ranks = [_rank_of(v, known) for v in op.operands]
    for i, rank in enumerate(ranks):
        bounds = rank_bounds(name, i)
        if bounds is not None and rank is not None and not bounds[0] <= rank <= bounds[1]:
            return NEVER
    rule = _RULES.get(name)
    return None if rule is None or not ranks else rule(op, ranks)


def _rank_of(value: Value | None, known: Mapping[Value, int]) -> int | None:
    if value is None or value in known:
        return None if value is None else known[value]
    return value.type.rank if isinstance(value.type, TensorType) else None


def _numbers(op: Op, name: str, i: int) -> list[int] | None:
    """Integers from an attribute or from input i, where they are constant."""
    found = op.attributes.get(name)
    if isinstance(found, tuple):
        return [int(k) for k in found]
    value = op.operands[i] if 0 <= i < len(op.operands) else None
    array = constant_array(value)
    if array is None and value is not None and value.producer is not None and value.producer.name == "onnx.Constant":
        held = value.producer.attributes.get("value", value.producer.attributes.get("value_ints"))
        return [int(k) for k in held.view().reshape(-1)] if isinstance(held, Const) else list(held or ()) or None
    return None if array is None else [int(k) for k in array.reshape(-1)]


def _same(op: Op, ranks: Ranks) -> int | None:
    axis, rank = op.attributes.get("axis"), ranks[0]
    return NEVER if isinstance(axis, int) and rank is not None and not -rank <= axis < max(rank, 1) else rank


def _broadcast(op: Op, ranks: Ranks) -> int | None:
    known = [r for r in ranks if r is not None]
    return max(known) if len(known) == len(ranks) else None


def _alike(op: Op, ranks: Ranks) -> int | None:
    """All operands have one rank."""
    known = {r for r in ranks if r is not None}
    return NEVER if len(known) > 1 else next(iter(known), None)


def _windows(op: Op, ranks: Ranks) -> int | None:
    """As many axes as the weights, or two more than the window."""
    window = _numbers(op, "kernel_shape", -1)
    wanted = ranks[1] if len(ranks) > 1 else None if window is None else len(window) + 2
    return ranks[0] if None in (wanted, ranks[0]) or wanted == ranks[0] else NEVER


def _transpose(op: Op, ranks: Ranks) -> int | None:
    perm = _numbers(op, "perm", -1)
    return ranks[0] if perm is None or ranks[0] in (None, len(perm)) else NEVER


def _pad(op: Op, ranks: Ranks) -> int | None:
    pads = _numbers(op, "pads", 1) if len(ranks) < 4 else None
    return ranks[0] if pads is None or ranks[0] in (None, len(pads) // 2) else NEVER


def _matmul(op: Op, ranks: Ranks) -> int | None:
    a, b = ranks[:2]
    if a is None or b is None:
        return None
    return max(a, b) if min(a, b) > 1 else max(a, b) - 1 if max(a, b) > 1 else 0


def _squeeze(op: Op, ranks: Ranks) -> int | None:
    axes, rank = _numbers(op, "axes", 1), ranks[0]
    if axes is None or rank is None:
        return None
    return rank - len({a % rank for a in axes}) if all(-rank <= a < rank for a in axes) else NEVER


def _unsqueeze(op: Op, ranks: Ranks) -> int | None:
    axes = _numbers(op, "axes", 1)
    if axes is None or ranks[0] is None:
        return None
    rank = ranks[0] + len(axes)
    return rank if all(-rank <= a < rank for a in axes) else NEVER


def _reduce(op: Op, ranks: Ranks) -> int | None:
    rank, axes = ranks[0], _numbers(op, "axes", 1)
    if rank is None or any(not -rank <= a < rank for a in axes or ()):
        return None if rank is None else NEVER
    if op.attributes.get("keepdims", 1):
        return rank
    return None if axes is None else rank - len({a % rank for a in axes})


def _arg(op: Op, ranks: Ranks) -> int | None:
    rank = _same(op, ranks)
    return rank if rank in (None, NEVER) or op.attributes.get("keepdims", 1) else rank - 1


def _gather(op: Op, ranks: Ranks) -> int | None:
    x, at = _same(op, ranks), ranks[1]
    return x if x is None or x == NEVER or at is None else x - 1 + at


def _two(op: Op, ranks: Ranks) -> int | None:
    return 2


_SAME = (
    "BatchNormalization CastLike Celu Clip CumSum Dropout Elu Gelu GlobalAveragePool GlobalMaxPool GroupNormalization "
    "HardSigmoid HardSwish Hardmax Identity InstanceNormalization LRN LayerNormalization LeakyRelu LogSoftmax Mish "
    "RMSNormalization Reciprocal Resize Selu Slice Softmax Softsign Split ThresholdedRelu Tile TopK Trilu Cast"
)
_RULES: dict[str, Callable[[Op, Ranks], int | None]] = {
    **dict.fromkeys((*_SAME.split(), *UNARY), _same),
    **dict.fromkeys((*BINARY, *VARIADIC, "Where", "Sum", "Mean", "PRelu"), _broadcast),
    **dict.fromkeys(("Concat", "GatherElements", "ScatterElements"), _alike),
    **dict.fromkeys(("Conv", "ConvTranspose", "AveragePool", "MaxPool", "LpPool"), _windows),
    **dict.fromkeys((*REDUCTIONS, "ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceSumSquare"), _reduce),
    **dict.fromkeys(("ArgMax", "ArgMin"), _arg),
    **dict.fromkeys(("Flatten", "Gemm"), _two),
    "Gather": _gather,
    "MatMul": _matmul,
    "Pad": _pad,
    "Squeeze": _squeeze,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
