"""Padding: PAD, PADV2 and MIRROR_PAD, and gathers for what these do not know.

Sources: kernels/pad.cc (up to five dimensions), mirror_pad.cc.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.slicing import cuts_own, pad_amounts
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.types import TensorType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.dtypes_table import MAX_RANK
from mlconv.rewrite import Rules
from mlconv.rewrite.index_forms import not_negative

RULES = Rules()


@RULES.rule(core.Pad)
def pad(op: core.Pad, e: TflBuilder) -> Value:
    """PAD, PADV2 for constants, MIRROR_PAD, else a gather along each axis; negative pads are a slice first, or behind
    it where they reach beyond x.
    """
    amounts = pad_amounts(op.pads)
    ints = (
        [(lo, hi) for lo, hi in amounts if isinstance(lo, int) and isinstance(hi, int)] if amounts is not None else None
    )
    if amounts is None or ints is None or len(ints) != len(amounts):
        if op.mode not in ("constant", "reflect", "symmetric"):
            return _repeated(op, e, amounts)
        told = all(d is not None and holds(d, ">=", 0, SizeFacts()) for pair in amounts or ((None,),) for d in pair)
        return _pad_at_run_time(op, e, amounts, told or not_negative(op.pads))
    if not any(lo or hi for lo, hi in ints):
        return e.copy(op.x)
    x = op.x
    if op.mode != "constant":
        return _pad_mirror(op, e, ints)
    pads = np.maximum(np.asarray(ints, np.int32).reshape(-1, 2), 0)
    if not all(cuts_own(size, lo, hi) for size, (lo, hi) in zip(shape_of(x), ints, strict=True)):
        return _cropped(e.y(core.Pad(x, e.constant(pads, DType.I32), op.value)), ints, e)
    x = _cropped(x, ints, e)
    if not pads.any():
        return x
    rank = len(shape_of(x))
    if rank > MAX_RANK["pad"]:
        return _pad_merged(op, e, x, pads)
    return _pad_kernel(op, e, x, e.constant(pads, DType.I32))


def _cropped(x: Value, amounts: Sequence[tuple[int, int]], e: TflBuilder) -> Value:
    """Without the elements that negative amounts name."""
    for axis, (lo, hi) in enumerate(amounts):
        if lo < 0 or hi < 0:
            x = e.slice_axis(x, axis, max(0, -lo), None if hi >= 0 else hi)
    return x


def _pad_at_run_time(
    op: core.Pad, e: TflBuilder, amounts: Sequence[tuple[Size | None, Size | None]] | None, positive: bool
) -> Value:
    """Amounts that the run decides.  The kernels refuse negative ones, which are cut off before, or behind where they
    may reach beyond x.
    """
    pads, x = e.i32(op.pads), op.x
    if positive:
        return _pad_kernel(op, e, x, pads)
    shape = shape_of(x)
    open_type = x.tensor.with_shape(tuple(Dim.unknown() for _ in shape))
    first = amounts is not None and all(cuts_own(size, *pair) for size, pair in zip(shape, amounts, strict=True))
    wide = x if first else _pad_kernel(op, e, x, e.y(core.Maximum(pads, e.i(0))), open_type)
    cut = e.y(core.Maximum(e.y(core.Neg(pads)), e.i(0)))
    sizes = e.y(core.Sub(e.y(core.ShapeOf(wide, dtype=DType.I32)), e.y(core.ReduceSum(cut, axes=(1,)))))
    begins = e.reshape(e.slice_axis(cut, 1, 0, 1), (len(shape),))
    kept = e.one("SLICE", [wide, begins, sizes], open_type if first else op.y.type)
    return _pad_kernel(op, e, kept, e.y(core.Maximum(pads, e.i(0)))) if first else kept


def _repeated(op: core.Pad, e: TflBuilder, amounts: Sequence[tuple[Size | None, Size | None]] | None) -> Value:
    """Elements at places that are brought inside, along each axis that has computed amounts, or fixed ones."""
    x, pads, shape = op.x, e.i32(op.pads), e.y(core.ShapeOf(op.x, dtype=DType.I32))
    for axis in range(len(shape_of(op.x))):
        if amounts is not None and amounts[axis] == (0, 0):
            continue
        before, after = (e.reshape(e.y(core.Gather(e.y(core.Gather(pads, e.i(axis))), e.i(k))), ()) for k in range(2))
        size = e.y(core.Gather(shape, e.i(axis)))
        places = e.y(core.Range(e.y(core.Neg(before)), e.y(core.Add(size, after)), e.i(1)))
        if op.mode == "wrap":
            places = e.y(core.FloorMod(places, size))
        else:
            places = e.y(core.Maximum(e.y(core.Minimum(places, e.y(core.Sub(size, e.i(1))))), e.i(0)))
        x = e.y(core.Gather(x, places, axis=axis))
    return x


def _pad_kernel(op: core.Pad, e: TflBuilder, x: Value, pads: Value, result: TensorType | None = None) -> Value:
    """result: the type, where it is not that of the op."""
    made = result or op.y.type
    if op.mode != "constant":
        return e.one("MIRROR_PAD", [x, pads], made, mode=op.mode.upper())
    fill, quant = const_of(op.value), op.value.tensor.quant
    if fill is not None and quant is not None and not np.any(quant.dequantize(fill.view())):
        return e.one("PAD", [x, pads], made)
    if fill is not None and not np.any(fill.view()) and not np.signbit(fill.view().astype(np.float64)).any():
        return e.one("PAD", [x, pads], made)
    return e.one("PADV2", [x, pads, op.value], made)


def _pad_merged(op: core.Pad, e: TflBuilder, x: Value, pads: Array) -> Value:
    """More dimensions than PAD takes: axes without pads next to one another are merged, or the pads are done in two
    steps.
    """
    shape = shape_of(x)
    groups: list[list[int]] = []
    for i in range(len(shape)):
        if groups and not pads[i].any() and not pads[groups[-1][0]].any():
            groups[-1].append(i)
        else:
            groups.append([i])
    if len(groups) > MAX_RANK["pad"]:
        padded = [i for i in range(len(shape)) if pads[i].any()]
        first = pads.copy()
        first[padded[len(padded) // 2 :]] = 0
        half = e.y(core.Pad(x, e.constant(first, DType.I32), op.value))
        return e.y(core.Pad(half, e.constant(pads - first, DType.I32), op.value))
    merged = e.reshape(x, tuple(product([shape[i] for i in g]) for g in groups))
    again = e.y(core.Pad(merged, e.constant(np.asarray([pads[g[0]] for g in groups], np.int32), DType.I32), op.value))
    return e.reshape(again, shape_of(op.y), x)


def _pad_mirror(op: core.Pad, e: TflBuilder, amounts: list[tuple[int, int]]) -> Value:
    """MIRROR_PAD where the pads stay within the size, which the kernel checks where it is open; `edge`, `wrap` and
    longer mirrors by gathering along each axis.
    """
    shape = shape_of(op.x)
    if op.mode == "edge" and _is_narrow(amounts, shape):
        return _edges(op, e, amounts)
    spare = {"reflect": 1, "symmetric": 0}.get(op.mode)
    x, mirrored = op.x, [(0, 0)] * len(shape)
    for axis, (lo, hi) in enumerate(amounts):
        size = shape[axis]
        if spare is not None and min(lo, hi) >= 0 and not (isinstance(size, int) and max(lo, hi) > size - spare):
            mirrored[axis] = lo, hi
        elif lo == hi == 0:
            continue
        elif isinstance(size, int):
            x = e.y(core.Gather(x, e.ints(_mirror_index(op.mode, size, lo, hi)), axis=axis))
        else:
            x = _pad_open_axis(op, e, x, axis, lo, hi)
    if not any(lo or hi for lo, hi in mirrored):
        return x
    return _pad_kernel(op, e, x, e.constant(np.asarray(mirrored, np.int32), DType.I32))


def _is_narrow(amounts: list[tuple[int, int]], shape: tuple[Size, ...]) -> bool:
    """Mirrors of one element take fewer ops than an axis after another."""
    widest = max(max(pair) for pair in amounts)
    padded = [size for pair, size in zip(amounts, shape, strict=True) if any(pair)]
    others = sum(1 if isinstance(size, int) else 3 for size in padded)
    return min(map(min, amounts)) >= 0 and 0 not in padded and widest < others and len(shape) <= MAX_RANK["pad"]


def _edges(op: core.Pad, e: TflBuilder, amounts: list[tuple[int, int]]) -> Value:
    """The mirror image of one element is the element again: it is put on as often as it is wanted."""
    left, x = np.asarray(amounts, np.int32), op.x
    while left.any():
        step = np.minimum(left, 1)
        x = e.y(core.Pad(x, e.constant(step, DType.I32), op.value, mode="symmetric"))
        left = left - step
    return x


def _mirror_index(mode: str, n: int, lo: int, hi: int) -> list[int]:
    """Which element of an axis of size n each element of the padded axis repeats."""
    check_table((n + lo + hi,), "the list of elements that a pad repeats")
    i = np.arange(-lo, n + hi)
    if mode == "edge":
        i = np.clip(i, 0, n - 1)
    elif mode == "wrap":
        i = i % n
    elif mode == "symmetric":
        i = i % (2 * n)
        i = np.where(i >= n, 2 * n - 1 - i, i)
    else:
        period = max(2 * n - 2, 1)
        i = i % period
        i = np.where(i >= n, period - i, i)
    return [int(k) for k in i]


def _pad_open_axis(op: core.Pad, e: TflBuilder, x: Value, axis: int, lo: int, hi: int) -> Value:
    """An axis whose size is not known: border elements repeated, or all of them once more."""
    if op.mode not in ("edge", "wrap") or lo < 0 or hi < 0:
        raise refuse(f"pad of mode {op.mode} by {lo} and {hi} along axis {axis}, whose size is not known")
    if op.mode == "wrap":
        size = e.reshape(e.slice_axis(e.y(core.ShapeOf(x, dtype=DType.I32)), 0, axis, axis + 1), ())
        places = e.y(core.Range(e.i(-lo), e.y(core.Add(size, e.i(hi))), e.i(1)))
        return e.y(core.Gather(x, e.y(core.FloorMod(places, size)), axis=axis))
    rank = len(shape_of(x))
    parts = []
    for elements, count in ((e.slice_axis(x, axis, 0, 1), lo), (x, 1), (e.slice_axis(x, axis, -1, None), hi)):
        if count:
            repeats = [count if i == axis else 1 for i in range(rank)]
            parts.append(elements if count == 1 else e.y(core.Tile(elements, e.ints(repeats))))
    return e.y(core.Concat(parts, axis=axis))


def pad_spatial(e: TflBuilder, x: Value, pads: Sequence[tuple[int, int]], value: float = 0.0) -> Value:
    """x, channels last, with its spatial axes padded."""
    rows = [(0, 0), *pads, (0, 0)]
    return e.y(core.Pad(x, e.constant(np.asarray(rows, np.int32), DType.I32), e.asarray(value, x)))
