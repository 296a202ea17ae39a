"""Elements around those of a tensor: a number, or elements that are repeated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.dialects.kernel import Instr, LoopNestOp, Step, View, dense
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, total
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told
from mlconv.ir.types import TensorType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, fixed, sizes
from mlconv.rewrite import Rules
from mlconv.rewrite.fold import constant_array

RULES = Rules()
_COPIES = 27  # of runs of elements, at most: three along each of three axes


@RULES.rule(core.Pad)
def pad(op: core.Pad, e: KernelBuilder) -> Value:
    amounts = _pad_amounts(op.pads)
    if op.mode != "constant":
        return _pad_by_index(op, amounts, e)
    if constant_array(op.value) is None:
        return _pad_by_value(op, amounts, e)
    x = e.padded(op.x, amounts, fixed(op.value, "the pad value").reshape(-1)[0].item())
    return x if x is not op.x else e.alias(x, op.y.tensor)


def _pad_amounts(pads: Value) -> list[tuple[Size, Size]]:
    """Numbers, or sizes of the run.  Raises ConversionError TargetLacksOp for others."""
    found = pad_amounts(pads) if constant_array(pads) is None else None
    told = [(lo, hi) for lo, hi in found or () if lo is not None and hi is not None]
    if found and len(told) == len(found) and all(map(is_told, told)):
        return told
    return [(int(lo), int(hi)) for lo, hi in fixed(pads, "the pad amount")]


def _pad_by_value(op: core.Pad, amounts: list[tuple[Size, Size]], e: KernelBuilder) -> Value:
    """Around it a number that is computed: copies of it, beside that of what stays, along three axes at once.  Raises
    ConversionError TargetLacksOp for amounts that are not numbers.
    """
    numbers = [(lo, hi) for lo, hi in amounts if isinstance(lo, int) and isinstance(hi, int)]
    if len(numbers) != len(amounts):
        fixed(op.value, "the pad value")
    x, axes = op.x, [axis for axis, pair in enumerate(numbers) if pair != (0, 0)]
    for group in (axes[i : i + 3] for i in range(0, len(axes), 3)):
        shape = [size + sum(numbers[axis]) if axis in group else size for axis, size in enumerate(sizes(x))]
        parts = [_around(size, numbers[axis] if axis in group else (0, 0)) for axis, size in enumerate(sizes(x))]
        x = _joined(x, op.value, parts, TensorType(x.tensor.element, tuple(shape)), e)
    return x if x is not op.x else e.alias(x, op.y.tensor)


def _around(size: Size, pair: tuple[int, int]) -> list[tuple[_Run, bool]]:
    """Runs along an axis, and whether they are elements of the tensor.  Amounts below 0 take some away."""
    before, behind = (max(amount, 0) for amount in pair)
    kept = _Run(before, size + min(pair[0], 0) + min(pair[1], 0), max(-pair[0], 0), 1)
    around = [(_Run(0, before, 0, 0), False), (kept, True), (_Run(before + kept.length, behind, 0, 0), False)]
    return [(run, inside) for run, inside in around if run.length != 0]


def _joined(
    x: Value, value: Value | None, parts: Sequence[Sequence[tuple[_Run, bool]]], made: TensorType, e: KernelBuilder
) -> Value:
    """One copy for each choice of a run of each axis, into one buffer: of elements where all are, else of the value."""
    given, strides, nowhere = dense(sizes(x)), dense(made.shape or ()), (0,) * len(parts)
    steps = []
    for chosen in itertools.product(*parts):
        runs, inside = [run for run, _ in chosen], all(inside for _, inside in chosen)
        source, target = View(0, nowhere), View(total(r.start * s for r, s in zip(runs, strides, strict=True)), strides)
        if inside:
            first = total(r.first * s for r, s in zip(runs, given, strict=True))
            source = View(first, tuple(r.step * s for r, s in zip(runs, given, strict=True)))
        load = Instr("load", made.dtype, (0 if inside else 1,), source)
        steps.append(Step(tuple(r.length for r in runs), 0, "", (load,), (), target))
    return e.kernel(LoopNestOp([x] if value is None else [x, value], tuple(steps), made))


def _pad_by_index(op: core.Pad, amounts: list[tuple[Size, Size]], e: KernelBuilder) -> Value:
    """Borders that repeat elements; the op itself says which: copies of runs of these, where they are few, else a
    gather along each axis.
    """
    pairs = list(zip(sizes(op.x), amounts, strict=True))
    places = [_elements(op, size, pair) for size, pair in pairs]
    found = [_open_runs(op.mode, *pair) if p is None else _runs(p) for p, pair in zip(places, pairs, strict=True)]
    runs = [r for r in found if r is not None]
    if len(runs) == len(places) and math.prod(map(len, runs)) <= _COPIES and op.y.tensor.size != 0:
        return _joined(op.x, None, [[(run, True) for run in found] for found in runs], op.y.tensor, e)
    x = op.x
    for axis, ((size, pair), told) in enumerate(zip(pairs, places, strict=True)):
        if pair != (0, 0):
            where = _repeated(op.mode, size, pair, e) if told is None else e.constant(told)
            x = e.y(core.Gather(x, where, axis=axis))
    return x if x is not op.x else e.alias(x, op.y.tensor)


def _elements(op: core.Pad, size: Size, pair: tuple[Size, Size]) -> Array | None:
    """Which elements of an axis stand there then; None where the run tells."""
    if not isinstance(size, int) or not isinstance(pair[0], int) or not isinstance(pair[1], int):
        return None
    check_table((size + pair[0] + pair[1],), "the list of elements that a pad repeats")
    found = core.Pad.eval(op, np.arange(size), np.asarray([pair], np.int64), np.zeros((), np.int64))
    return np.asarray(found, np.int64)


class _Run(NamedTuple):
    """`length` elements at places from `start` on: `first`, and each `step` further."""

    start: Size
    length: Size
    first: Size
    step: int


def _runs(elements: Array) -> list[_Run]:
    """No more than are asked for: `_COPIES` and one."""
    steps, start = np.diff(elements), 0
    found: list[_Run] = []
    turns = np.flatnonzero(np.diff(steps))
    while start < len(elements) and len(found) <= _COPIES:
        at = int(np.searchsorted(turns, start))
        end = int(turns[at]) + 1 if at < len(turns) else len(elements) - 1
        found.append(_Run(start, end + 1 - start, int(elements[start]), int(steps[start]) if end > start else 0))
        start = end + 1
    return found


def _open_runs(mode: str, size: Size, pair: tuple[Size, Size]) -> list[_Run] | None:
    """Those of an axis whose size is known at run time, where an object asks first for as many elements as are
    mirrored; None for amounts that are not numbers.
    """
    before, behind = pair
    if not isinstance(before, int) or not isinstance(behind, int) or min(before, behind) < 0 or not is_told((size,)):
        return None
    if mode == "wrap" and pair != (0, 0):
        return None
    edge, step = (1 if mode == "reflect" else 0), (0 if mode == "edge" else -1)
    first = 0 if mode == "edge" else before - 1 + edge
    around = [_Run(0, before, first, step), _Run(before + size, behind, size - 1 - edge, step)]
    return [r for r in (around[0], _Run(before, size, 0, 1), around[1]) if r.length != 0]


def _repeated(mode: str, size: Size, pair: tuple[Size, Size], e: KernelBuilder) -> Value:
    """The elements along an axis whose size is known at run time, as `core.Pad` has them: reflections go to and fro as
    often as it takes.
    """
    dtype, count = DType.I64, size + pair[0] + pair[1]
    counted = e.counted(count, dtype)

    def build(x: Expr) -> int:
        place, before = x.load(counted, View(0, (1,))), pair[0]
        if isinstance(before, int):
            place = x.with_number("sub", place, before)
        else:
            place = x.op("sub", place, x.size(dtype, before))
        last = x.size(dtype, size - 1)
        if mode == "edge":
            return x.op("minimum", x.with_number("maximum", place, 0), last)
        one = x.const(dtype, 1)
        if mode == "wrap":
            return x.op("floor_mod", place, x.op("maximum", x.size(dtype, size), one))
        period = (size - 1) * 2 if mode == "reflect" else size * 2
        there = x.op("floor_mod", place, x.op("maximum", x.size(dtype, period), one))
        turned = period if mode == "reflect" else period - 1
        return x.op("minimum", there, x.op("sub", x.size(dtype, turned), there))

    return e.map(TensorType(dtype, (count,)), build)
