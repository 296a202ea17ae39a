"""HLO ops that move elements, or make them."""

from __future__ import annotations

import math
from collections.abc import Callable

from mlconv.dialects.hlo_checks.base import (
    axes,
    dtype,
    is_index,
    numbers,
    one_axis,
    one_element_type,
    result_is,
    shape,
)
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp
from mlconv.ir.types import TensorType


def _broadcast(op: TargetOp) -> None:
    have, want = shape(op), op.results[0].tensor.static_shape()
    at = axes(op, "dimensions", len(want))
    fit = len(at) == len(have) and list(at) == sorted(at) and all(want[i] == n for i, n in zip(at, have, strict=True))
    if not fit:
        raise op.malformed(f"axes {list(at)} do not fit")
    result_is(op, want, dtype(op))


def _reshape(op: TargetOp) -> None:
    want = op.results[0].tensor.static_shape()
    if math.prod(shape(op)) != math.prod(want):
        raise op.malformed("sizes differ")
    result_is(op, want, dtype(op))


def _transpose(op: TargetOp) -> None:
    perm, sizes = axes(op, "dimensions", len(shape(op))), shape(op)
    if len(perm) != len(sizes):
        raise op.malformed(f"{list(perm)} is not a permutation")
    result_is(op, [sizes[p] for p in perm], dtype(op))


def _concatenate(op: TargetOp) -> None:
    element = one_element_type(op)
    sizes = [v.tensor.static_shape() for v in op.inputs]
    axis = one_axis(op, min(map(len, sizes)))
    if any(s[:axis] != sizes[0][:axis] or s[axis + 1 :] != sizes[0][axis + 1 :] for s in sizes):
        raise op.malformed("shapes differ")
    result_is(op, (*sizes[0][:axis], sum(s[axis] for s in sizes), *sizes[0][axis + 1 :]), element)


def _slice(op: TargetOp) -> None:
    sizes, out = shape(op), []
    bounds = (numbers(op, name, len(sizes)) for name in ("starts", "limits", "strides"))
    for n, start, limit, stride in zip(sizes, *bounds, strict=True):
        if not (0 <= start <= limit <= n and stride > 0):
            raise op.malformed(f"[{start}:{limit}:{stride}] leaves the size {n}")
        out.append(-(-(limit - start) // stride))
    result_is(op, out, dtype(op))


def _pad(op: TargetOp) -> None:
    padding, sizes, out = op.attributes["padding"], shape(op), []
    if len(padding) != len(sizes):
        raise op.malformed(f"padding has {len(padding)} entries, expected {len(sizes)}")
    for n, (low, high, inner) in zip(sizes, padding, strict=True):
        size = n + low + high + max(n - 1, 0) * inner
        if inner < 0 or size < 0:
            raise op.malformed(f"padding {low}, {high}, {inner} of the size {n}")
        out.append(size)
    if shape(op, 1) != ():
        raise op.malformed(f"the value is {op.inputs[1].type}, not a scalar")
    result_is(op, out, one_element_type(op))


def _reverse(op: TargetOp) -> None:
    axes(op, "dimensions", len(shape(op)))
    result_is(op, shape(op), dtype(op))


def _iota(op: TargetOp) -> None:
    made = op.results[0].tensor
    if not made.dtype.is_numeric:
        raise op.malformed(f"it counts in {made.dtype.display}")
    one_axis(op, len(made.static_shape()))


def _dynamic_slice(op: TargetOp) -> None:
    sizes, have = numbers(op, "sizes", len(shape(op))), shape(op)
    if any(not 0 <= s <= n for s, n in zip(sizes, have, strict=True)):
        raise op.malformed(f"a slice of {list(sizes)} does not fit")
    _begins(op, 1, len(have))
    result_is(op, sizes, dtype(op))


def _dynamic_update_slice(op: TargetOp) -> None:
    have, update = shape(op), shape(op, 1)
    if (
        dtype(op, 1) is not dtype(op)
        or len(update) != len(have)
        or any(u > n for u, n in zip(update, have, strict=True))
    ):
        raise op.malformed("the update does not fit")
    _begins(op, 2, len(have))
    result_is(op, have, dtype(op))


def _begins(op: TargetOp, first: int, rank: int) -> None:
    """An index for each axis: integer scalars of one type."""
    begins = [v.tensor for v in op.inputs[first:]]
    if len(begins) != rank:
        raise op.malformed(f"it has {len(begins)} indices for {rank} axes")
    if any(b.shape != () or not is_index(b.dtype) or b.dtype is not begins[0].dtype for b in begins):
        raise op.malformed("an index is not an integer scalar of one type")


def _set_size(op: TargetOp) -> None:
    one_axis(op, len(shape(op)))
    if op.inputs[1].tensor != TensorType(DType.I32, ()):
        raise op.malformed("the size is not an int32 scalar")
    result_is(op, shape(op), dtype(op))


def _rng(op: TargetOp) -> None:
    element = one_element_type(op)
    if shape(op, 0) or shape(op, 1):
        raise op.malformed("a parameter of the distribution is not a scalar")
    if op.attributes["distribution"] == "RNG_NORMAL" and not element.is_float:
        raise op.malformed(f"{element.display} has no normal distribution")
    result_is(op, op.results[0].tensor.static_shape(), element)


CHECKS: dict[str, Callable[[TargetOp], None]] = {
    "broadcast": _broadcast,
    "reshape": _reshape,
    "transpose": _transpose,
    "concatenate": _concatenate,
    "slice": _slice,
    "pad": _pad,
    "reverse": _reverse,
    "iota": _iota,
    "dynamic-slice": _dynamic_slice,
    "dynamic-update-slice": _dynamic_update_slice,
    "set-dimension-size": _set_size,
    "rng": _rng,
}
