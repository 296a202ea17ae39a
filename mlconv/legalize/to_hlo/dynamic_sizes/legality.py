"""Which core ops may work over a size with a range, and along which axes.

A rule of this target may write a size into a constant (the count of a mean, the limit of an index): right at the
largest size, wrong at others.  An op is let through here only along axes that its rule takes nothing from; what its HLO
ops then do with numbers behind the valid part is `masking`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Layer
from mlconv.dialects.core.reduce import REDUCTIONS
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.expand_resize import depends_on_sizes
from mlconv.legalize.to_hlo import elementwise, mathfn
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import Sizes, shape_text

Check = Callable[[Any, Sizes], str]  # what is wrong, or nothing


def check_sizes(op: OpDef, sizes: Sizes) -> None:
    """Raises ConversionError (TargetLacksOp, ShapeMismatch, ...) when an op cannot be right at each size of the
    ranges.
    """
    if not any(v in sizes.shapes for v in (*op.inputs, *op.results)):
        return
    check = _CHECKS.get(op.name)
    if isinstance(op, (core.ScatterNd, core.GatherElements)) and not all(v.tensor.is_static for v in op.inputs):
        return  # what has no largest size is refused by its name
    why = "has no form for it in HLO" if check is None else check(op, sizes)
    why = why or ("" if isinstance(op, core.ScatterNd) or _is_for_one_count(op, sizes) else _misfit(op, sizes))
    if why:
        shapes = ", ".join(
            sorted({str(d) for v in (*op.inputs, *op.results) for d in sizes.shapes.get(v, ()) if isinstance(d, Dim)})
        )
        raise ConversionError(
            Code.TargetLacksOp, f"{op.name} over the size {shapes} {why}", help="pin the size with --shape NAME=D,D,..."
        )


def _is_for_one_count(op: OpDef, sizes: Sizes) -> bool:
    """Parts of what data decide the size of, which only one number fits: they are what they are for at that, and there
    is room for all.
    """
    if not isinstance(op, core.Split) or -1 in op.sizes:
        return False
    whole, counted = sizes.of(op.x)[op.axis], {size.name for size in sizes.counted}
    room = sizes.at_largest(whole)
    is_counted = isinstance(whole, Dim) and whole.symbols() <= counted
    return is_counted and isinstance(room, int) and sum(op.sizes) <= room


def _misfit(op: OpDef, sizes: Sizes) -> str:
    """A size that only some numbers of the range fit: what the op infers at the largest sizes must be what was expected
    there.
    """
    try:
        inferred = op.inferred()
    except ConversionError as error:
        return f"does not fit at its largest: {error.diagnostic.message}"
    for value, type_ in zip(op.results, inferred, strict=True):
        shape = type_.shape if isinstance(type_, TensorType) else None
        if shape is None or not value.tensor.is_static:
            continue
        rows = list(zip(shape, sizes.of(value), value.tensor.static_shape(), strict=True))
        if isinstance(op, core.Concat):  # not all parts may be at their largest at once: what is too much is cut off
            rows = [r for i, r in enumerate(rows) if i != op.axis % len(shape) or r[0] == r[2] or not _surplus(*r)]
        if any(sizes.at_largest(d) != (sizes.at_largest(own) if isinstance(d, Dim) else n) for d, own, n in rows):
            return f"gives {shape_text(shape)} at its largest, not {value.tensor}"
    return ""


def _surplus(parts: Size, own: Size, whole: Size) -> bool:
    return isinstance(parts, int) and isinstance(own, Dim) and isinstance(whole, int) and parts > whole


def _is_dynamic(x: Value, sizes: Sizes, axes: Iterable[int]) -> bool:
    shape = sizes.of(x)
    return any(isinstance(shape[a], Dim) for a in axes)


def _any(op: OpDef, sizes: Sizes) -> str:
    return ""


def _conv(op: core.Conv | core.ConvTranspose, sizes: Sizes) -> str:
    if op.w in sizes.shapes:
        return "takes it for a kernel"
    return "takes it for channels" if _is_dynamic(op.x, sizes, [op.x_layout.index("C")]) else ""


def _resize(op: core.Resize, sizes: Sizes) -> str:
    """Places that are the same at every size, but for the last element."""
    if op.y not in sizes.shapes and not op.y.tensor.is_static:
        return "gives a size that nothing is known about"
    return depends_on_sizes(op, sizes.of(op.x), sizes.of(op.y), sizes.facts)


def _recurrent(op: Layer, sizes: Sizes) -> str:
    """x: [time, batch, input]."""
    return "takes it for the width of rows" if _is_dynamic(op.x, sizes, [2]) else ""


def _fft(op: core.Fft | core.Rfft | core.Irfft, sizes: Sizes) -> str:
    return "transforms it" if _is_dynamic(op.x, sizes, op.axes) else ""


def _scatter_nd(op: core.ScatterNd, sizes: Sizes) -> str:
    """What is written at each place is as large as what is there; how many places there are, the rule compares."""
    depth, spots = op.indices.tensor.static_shape()[-1], len(op.indices.tensor.static_shape()) - 1
    have, want = op.data.tensor.static_shape()[depth:], op.updates.tensor.static_shape()[spots:]
    return "" if have == want else f"writes {list(want)} where {list(have)} are"


def _gather_elements(op: core.GatherElements, sizes: Sizes) -> str:
    """Places of the indices are places of x."""
    have, want = op.x.tensor.static_shape(), op.indices.tensor.static_shape()
    axis = op.axis % len(have)
    return (
        "may be wider than what it picks from"
        if any(m > n for i, (n, m) in enumerate(zip(have, want, strict=True)) if i != axis)
        else ""
    )


_FREE: tuple[type[OpDef], ...] = (
    core.ShapeOf,
    core.Reshape,
    core.ExpandDims,
    core.Squeeze,
    core.Transpose,
    core.Concat,
    core.Split,
    core.Slice,
    core.DynamicSlice,
    core.UpdateSlice,
    core.Pad,
    core.Tile,
    core.BroadcastTo,
    core.Reverse,
    core.ReverseSequence,
    core.Range,
    *REDUCTIONS,
    core.ArgMax,
    core.ArgMin,
    core.CumSum,
    core.CumProd,
    core.Softmax,
    core.LogSoftmax,
    core.Lrn,
    core.MatMul,
    core.MaxPool,
    core.AvgPool,
    core.Gather,
    core.GatherNd,
    core.ScatterElements,
    core.ScatterFill,
    core.SegmentReduce,
    core.OneHot,
    core.TopK,
    core.NonZero,
    core.NonMaxSuppression,
    core.DefineSize,
    core.DepthToSpace,
    core.SpaceToDepth,
    core.Complex,
    core.Real,
    core.Imag,
    core.While,
    core.If,
    core.ToIntegers,
    core.FromIntegers,
    core.FakeQuant,
)
_BY_OP: dict[type[OpDef] | str, Check] = {
    **dict.fromkeys((*elementwise.RULES.by_op, *mathfn.RULES.by_op, *_FREE), _any),
    **dict.fromkeys((core.Conv, core.ConvTranspose), _conv),
    **dict.fromkeys((core.Lstm, core.Gru, core.Rnn), _recurrent),
    **dict.fromkeys((core.Fft, core.Rfft, core.Irfft), _fft),
    core.GatherElements: _gather_elements,
    core.ScatterNd: _scatter_nd,
    core.Resize: _resize,
}
_CHECKS = {op if isinstance(op, str) else op.name: check for op, check in _BY_OP.items()}
