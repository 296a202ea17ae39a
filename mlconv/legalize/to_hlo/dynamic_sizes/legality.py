"""Which core ops may work over a size with a range, and along which axes.

A rule of this target may write a size into a constant (the count of a mean, the limit of an index): right at the
largest size, wrong at others.  An op is let through here only along axes that its rule takes nothing from; what its HLO
ops then do with numbers behind the valid part is `masking`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Layer
from mlconv.dialects.core.reduce import REDUCTIONS, Scan
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
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
    why = "has no form for it in HLO" if check is None else check(op, sizes) or _misfit(op, sizes)
    if why:
        shapes = ", ".join(
            sorted({str(d) for v in (*op.inputs, *op.results) for d in sizes.shapes.get(v, ()) if isinstance(d, Dim)})
        )
        raise ConversionError(
            Code.TargetLacksOp, f"{op.name} over the size {shapes} {why}", help="pin the size with --shape NAME=D,D,..."
        )


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
        if (
            shape is not None
            and value.tensor.is_static
            and [sizes.at_largest(d) for d in shape] != list(value.tensor.static_shape())
        ):
            return f"gives {shape_text(shape)} at its largest, not {value.tensor}"
    return ""


def _is_dynamic(x: Value, sizes: Sizes, axes: Iterable[int]) -> bool:
    shape = sizes.of(x)
    return any(isinstance(shape[a], Dim) for a in axes)


def _any(op: OpDef, sizes: Sizes) -> str:
    return ""


def _not_along_axis(op: core.Split | core.TopK | core.Lrn, sizes: Sizes) -> str:
    return "works along it" if _is_dynamic(op.x, sizes, [op.axis]) else ""


def _batch_only(x: Value, layout: str, sizes: Sizes) -> str:
    others = [i for i, c in enumerate(layout) if c != "N"]
    return "takes it for more than the batch" if _is_dynamic(x, sizes, others) else ""


def _pool(op: core.MaxPool | core.AvgPool, sizes: Sizes) -> str:
    return _batch_only(op.x, op.layout, sizes)


def _conv(op: core.Conv | core.ConvTranspose, sizes: Sizes) -> str:
    return "takes it for a kernel" if op.w in sizes.shapes else _batch_only(op.x, op.x_layout, sizes)


def _scan(op: Scan, sizes: Sizes) -> str:
    return "goes backwards along it" if op.reverse and _is_dynamic(op.x, sizes, [op.axis]) else ""


def _gather(op: core.Gather, sizes: Sizes) -> str:
    """The rule counts negative indices from the end."""
    constant = const_of(op.indices)
    counted = constant is not None and bool(np.all(constant.view() >= 0))
    return (
        "picks along it by computed or negative indices" if not counted and _is_dynamic(op.x, sizes, [op.axis]) else ""
    )


def _slice(op: core.Slice, sizes: Sizes) -> str:
    shape = sizes.of(op.x)
    begin, end, strides = ints_of(op.begin), ints_of(op.end), ints_of(op.strides)
    for i, size in enumerate(shape):
        if not isinstance(size, Dim):
            continue
        first = 0 if op.begin_mask >> i & 1 else begin[i] if begin is not None else -1
        last = end is not None or op.end_mask >> i & 1
        if first < 0 or not last or strides is None or strides[i] < 1:
            return "has a begin that counts from its end, or a computed one"
    return ""


def _pad(op: core.Pad, sizes: Sizes) -> str:
    return f"has the mode {op.mode}" if op.mode != "constant" else ""


def _tile(op: core.Tile, sizes: Sizes) -> str:
    pairs = zip(sizes.of(op.x), sizes.of(op.y), strict=True)
    return "repeats along it" if any(isinstance(n, Dim) and n != m for n, m in pairs) else ""


def _resize(op: core.Resize, sizes: Sizes) -> str:
    return "works along it" if _is_dynamic(op.x, sizes, op.axes) else ""


def _lead(op: core.DepthToSpace | core.SpaceToDepth, sizes: Sizes) -> str:
    return "works along it" if _is_dynamic(op.x, sizes, range(1, len(sizes.of(op.x)))) else ""


def _recurrent(op: Layer, sizes: Sizes) -> str:
    """x: [time, batch, input]."""
    if _is_dynamic(op.x, sizes, (0, 2)):
        return "takes it for more than the batch"
    return "turns rows of given lengths around" if op.reverse and op.lengths is not None else ""


def _scatter(op: core.ScatterNd, sizes: Sizes) -> str:
    """The rule counts negative indices from the end."""
    depth = op.indices.tensor.static_shape()[-1]
    return "writes at places along it" if any(isinstance(d, Dim) for d in sizes.of(op.data)[:depth]) else ""


_FREE: tuple[type[OpDef], ...] = (
    core.ShapeOf,
    core.Reshape,
    core.ExpandDims,
    core.Squeeze,
    core.Transpose,
    core.Concat,
    core.BroadcastTo,
    core.Reverse,
    core.Range,
    *REDUCTIONS,
    core.ArgMax,
    core.ArgMin,
    core.Softmax,
    core.LogSoftmax,
    core.MatMul,
    core.OneHot,
    core.While,
)
_BY_OP: dict[type[OpDef] | str, Check] = {
    **dict.fromkeys(
        (*elementwise.RULES.by_op, *mathfn.RULES.by_op, *_FREE, core.ToIntegers, core.FromIntegers, core.FakeQuant),
        _any,
    ),
    **dict.fromkeys((core.Split, core.TopK, core.Lrn), _not_along_axis),
    **dict.fromkeys((core.MaxPool, core.AvgPool), _pool),
    **dict.fromkeys((core.Conv, core.ConvTranspose), _conv),
    **dict.fromkeys((core.CumSum, core.CumProd), _scan),
    **dict.fromkeys((core.DepthToSpace, core.SpaceToDepth), _lead),
    **dict.fromkeys((core.Lstm, core.Gru, core.Rnn), _recurrent),
    core.ScatterNd: _scatter,
    core.Gather: _gather,
    core.Slice: _slice,
    core.UpdateSlice: lambda op, sizes: "",
    core.Pad: _pad,
    core.Tile: _tile,
    core.Resize: _resize,
}
_CHECKS = {op if isinstance(op, str) else op.name: check for op, check in _BY_OP.items()}
