"""Split, Slice and Pad: operators that cut and extend along axes, with bounds that may be data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Splat
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import known_ints
from mlconv.legalize.from_onnx.loop_steps import part_size
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import known_list
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite.core_builder import Part
from mlconv.rewrite.strided import strided

RULES = OnnxRules()

_ALL = (1 << 31) - 1  # bounds of this and beyond lie behind every element (ONNX Slice-13)
FAR: Final = 10**9  # an end that tf2onnx writes for "all", where the size is known at run time only


@RULES.rule("Split")
def split(n: Node) -> tuple[Value, ...] | list[Value]:
    x = n.x()
    axis = n.axis(n.i("axis", 0), n.rank(x))
    sizes = n.computed("split", 1)
    if sizes is not None:
        return _dynamic_split(n, x, sizes, axis)
    parts = n.list_of("split", 1)
    if parts is None:
        parts = _even_parts(n, x, axis)
        if parts is None:
            return _even_dynamic_split(n, x, axis)
    if len(parts) != n.outputs:
        raise ConversionError(Code.WrongArity, f"Split has {n.outputs} outputs and {len(parts)} sizes")
    return n.split(x, parts, axis)


def _even_parts(n: Node, x: Value, axis: int) -> list[int] | None:
    """Sizes of `num_outputs` parts, the last one smaller where the division is not even (ONNX Split-18)."""
    count = n.i("num_outputs", n.outputs)
    whole = n.dim(x, axis)
    if not isinstance(whole, int):
        return None
    if n.has("num_outputs") and count > whole:
        raise ConversionError(Code.ShapeMismatch, f"Split: the size {whole} of axis {axis} has no {count} parts")
    step = -(-whole // count)
    parts = [max(0, min(step, whole - i * step)) for i in range(count)]
    if n.version < 18 and whole % count:
        raise ConversionError(
            Code.ShapeMismatch, f"Split: the size {whole} of axis {axis} is not a multiple of {count}"
        )
    return parts


def _even_dynamic_split(n: Node, x: Value, axis: int) -> list[Value]:
    count = n.i("num_outputs", n.outputs)
    whole = n.dim(x, axis)
    if isinstance(whole, int):
        raise ConversionError(Code.ShapeMismatch, f"Split of the size {whole} into {count} parts")
    step = n.div(n.add(whole, count - 1), count)
    bounds = [n.mul(step, i) for i in range(count + 1)]
    return [n.slice_axis(x, axis, bounds[i], bounds[i + 1]) for i in range(count)]


def _dynamic_split(n: Node, x: Value, sizes: Value, axis: int) -> list[Value]:
    """Parts whose sizes are data: each begins at the running sum."""
    ends = n.y(core.CumSum(n.cast(sizes, DType.I64), axis=0))
    begins = n.y(core.CumSum(n.cast(sizes, DType.I64), axis=0, exclusive=True))
    return [
        n.slice_axis(x, axis, n.slice_axis(begins, 0, i, i + 1), n.slice_axis(ends, 0, i, i + 1))
        for i in range(n.outputs)
    ]


@RULES.rule("Slice")
def slice_(n: Node) -> Value:
    x, axes = n.x(0), n.list_of("axes", 3)
    rank = n.rank(x)
    begins = n.parts_of("starts", 1, None if axes is None else len(axes))
    stops = n.parts_of("ends", 2, len(begins))
    axes = list(range(len(begins))) if axes is None else axes
    given = n.opt(4)
    steps: list[Part] = [1] * len(axes) if given is None else n.parts_of("steps", 4, len(axes))
    bounds: dict[int, tuple[Part | None, Part | None, int]] = {}
    computed: list[tuple[int, Part, Part, Value]] = []
    for a, *parts, s in zip(axes, begins, stops, steps, strict=True):
        axis = n.axis(a, rank)
        b, e = (min(max(p, -_ALL), _ALL) if isinstance(p, int) else p for p in parts)
        if not isinstance(s, int):
            computed.append((axis, b, e, s))
            continue
        if s == 0:
            raise ConversionError(Code.ShapeMismatch, "Slice: a step is 0")
        few = part_size(n, b, e, (x.tensor.shape or ())[axis]) if s == 1 else None
        if few is not None and isinstance(b, Value):
            x = _part(n, x, axis, b, few)
            continue
        size = n.dim(x, axis)
        bounds[axis] = _exact(_start(n, b, size) if s < 0 else b, e, s, size)
    for axis, begin, end, step in computed:
        x = strided(n, x, axis, begin, end, step)
    if not bounds:
        return x
    y = n.slice(x, bounds)
    t = y.tensor
    if t.is_static and t.size == 0:  # kernels of targets disagree about slices without elements
        return n.constant(Splat(0, t.dtype, t.static_shape()))
    return y


def _part(n: Node, x: Value, axis: int, begin: Value, count: int) -> Value:
    """So many elements from a place on, all of which there are."""
    rank = n.rank(x)
    begins = n.stack([begin if i == axis else 0 for i in range(rank)])
    return n.y(core.DynamicSlice(x, begins, n.vector([count if i == axis else -1 for i in range(rank)])))


def _start(n: Node, begin: Part, size: Part) -> Part:
    """Where a backward slice starts, when that follows from data: before the first element means at it (ONNX Slice-13),
    other than in Python.
    """
    if isinstance(begin, int) and (isinstance(size, int) or begin >= -1):
        return begin
    if isinstance(begin, int) and begin <= -_ALL:
        return 0
    at = n.vector([begin]) if isinstance(begin, int) else begin
    return n.where(n.less(at, 0), n.maximum(n.add(at, size), 0), at)


def _exact(begin: Part, end: Part, step: int, size: Part) -> tuple[Part | None, Part | None, int]:
    """Bounds that need no clamping, where all is known: ONNX Slice-13 clamps a start that steps backwards to the first
    element, Python does not.
    """
    if not (isinstance(begin, int) and isinstance(end, int) and isinstance(size, int)):
        from_all = isinstance(begin, int) and step > 0 and begin <= -_ALL
        to_none = isinstance(end, int) and step > 0 and end <= -_ALL
        return None if from_all else begin, 0 if to_none else _end(end, step, size), step
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first = min(max(begin + size if begin < 0 else begin, 0), high)
    stop = min(max(end + size if end < 0 else end, low), high)
    if len(range(first, stop, step)) == 0:
        return 0, 0, 1
    return first, None if stop in (-1, size) else stop, step


def _end(end: Part, step: int, size: Part) -> Part | None:
    """An end that means "all" is left open: INT_MAX forwards; backwards anything below every -size (ONNX Slice-13)."""
    if not isinstance(end, int):
        return end
    if step > 0:
        return None if end >= (_ALL if isinstance(size, int) else FAR) else end
    return None if end <= -_ALL else end


@RULES.rule("Pad")
def pad(n: Node) -> Value:
    x = n.x(0)
    rank = n.rank(x)
    axes = list(range(rank))
    if n.opt(3) is not None:
        axes = [n.axis(a, rank) for a in known_list(n.opt(3), "the axes of Pad")]
    amounts = n.parts_of("paddings" if n.has("paddings") else "pads", 1, 2 * len(axes))  # paddings: Pad-1
    pairs: list[tuple[Part, Part]] = [(0, 0)] * rank
    for i, axis in enumerate(axes):
        pairs[axis] = (amounts[i], amounts[i + len(axes)])
    given = n.has("value") or n.opt(2) is not None
    fill = n.scalar(n.cast(n.value_of("value", 2), x.tensor.dtype)) if given else n.asarray(0, x)
    return _pad(n, x, pairs, fill)


def _pad(n: Node, x: Value, pairs: list[tuple[Part, Part]], fill: Value) -> Value:
    mode = n.s("mode", "constant")
    if mode not in ("constant", "reflect", "edge", "wrap"):
        raise ConversionError(Code.AttributeInvalid, f"Pad: mode is {mode!r}, expected constant, reflect, edge or wrap")
    if mode == "constant":
        return n.pad(x, pairs, fill)
    flat = [p for pair in pairs for p in pair]
    crops: dict[int, tuple[Part | None, Part | None, int]] = {}
    for axis, (lo, hi) in enumerate(pairs):
        if isinstance(lo, int) and isinstance(hi, int) and (lo < 0 or hi < 0):
            crops[axis] = (-lo if lo < 0 else None, hi if hi < 0 else None, 1)
    if crops:  # a negative amount removes elements first, then the rest is mirrored
        x = n.slice(x, crops)
        flat = [max(p, 0) if isinstance(p, int) else p for p in flat]
    _check_mirrored(n, x, flat, mode)
    amounts = n.reshape(n.vector(flat), [len(pairs), 2])
    return n.y(core.Pad(x, amounts, n.asarray(0, x), mode=mode))


def _check_mirrored(n: Node, x: Value, flat: list[Part], mode: str) -> None:
    """There are elements to repeat: an axis of the cropped x has one, and for `reflect` more than are asked for.
    Raises ConversionError ShapeMismatch.
    """
    for axis, size in enumerate(n.dims(x)):
        wanted = max((p for p in flat[2 * axis : 2 * axis + 2] if isinstance(p, int)), default=0)
        if isinstance(size, int) and wanted > 0 and (size == 0 or (mode == "reflect" and wanted >= size)):
            raise ConversionError(
                Code.ShapeMismatch, f"Pad: axis {axis} of {x.type} has no {wanted} elements to pad with in mode {mode}"
            )


def picked(n: Node, x: Value, axes: Sequence[int]) -> Value:
    """A slice of one element at most along axes that are to go, at computed places: these elements, along axes of size
    1.  tf2onnx writes `x[i]` so, with a step behind every element.
    """
    op = x.producer
    if not isinstance(op, core.Slice) or x.tensor.shape is None:
        return x
    shape, steps = x.tensor.shape, list(known_ints(op.strides) or ())
    found = [a for a in axes if steps and not isinstance(shape[a], int) and _is_far(steps[a], op.begin_mask >> a & 1)]
    if not found:
        return x
    from mlconv.rewrite.index_forms import not_negative  # which other models do without

    mask = sum(1 << a for a in found)
    strides = n.vector([1 if a in found else s for a, s in enumerate(steps) if isinstance(s, int)])
    y = n.y(core.Slice(op.x, op.begin, op.end, strides, begin_mask=op.begin_mask | mask, end_mask=op.end_mask | mask))
    for a in found:
        at = n.slice_axis(op.begin, 0, a, a + 1)  # a begin in front of the first element means that one (ONNX Slice-13)
        y = n.gather(y, at if not_negative(at) else n.maximum(at, n.neg(n.vector([n.dim(op.x, a)]))), a)
    return y


def _is_far(step: Size | None, begin_is_open: int) -> bool:
    return not begin_is_open and isinstance(step, int) and step >= FAR
