"""Numbers that are rounded to integers which nothing else reads."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Block, walk
from mlconv.ir.dtypes import DType
from mlconv.rewrite import Rewriter
from mlconv.rewrite.core_builder import CoreBuilder


def round_numbers(block: Block) -> None:
    """Whole numbers between shifted limits, times the scale: without zero points, and casts to integers and back, which
    are ops of their own in files.
    """
    for op in [*walk(block)]:
        if isinstance(op, core.ToIntegers) and _is_of_numbers(op):
            for made in [*op.y.users]:
                assert isinstance(made, core.FromIntegers)
                _round(op, made)


def _is_of_numbers(op: core.ToIntegers) -> bool:
    quant, users = op.quant, op.y.users
    fits = quant.is_per_tensor and quant.storage.bits <= DType.I16.bits and quant.expressed is DType.F32
    is_read = all(isinstance(user, core.FromIntegers) and user.quant == quant for user in users)
    return fits and bool(users) and is_read and op.x.tensor.dtype is DType.F32


def _round(op: core.ToIntegers, made: core.FromIntegers) -> None:
    quant, rewriter = op.quant, Rewriter(made)
    e, zero = CoreBuilder(rewriter), int(quant.zero_array())
    scale = e.constant(quant.scales)
    steps = rewriter.emit(core.Round(rewriter.emit(core.Div(op.x, scale)).y)).y
    limited = rewriter.emit(core.Clamp(steps, lo=float(quant.qmin - zero), hi=float(quant.qmax - zero))).y
    rewriter.replace(made, e.mul(limited, scale))
