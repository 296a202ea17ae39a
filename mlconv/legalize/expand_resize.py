"""Resampling by other ratios than whole numbers along sizes with a range: places are computed when it runs."""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import walk
from mlconv.ir.dims import Dim, Size, divide_exactly
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.legalize.resample import is_resampled, resampled
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import Rewriter, remake
from mlconv.rewrite.core_builder import CoreBuilder

_SHIFTED = ("half_pixel", "asymmetric", "tf_half_pixel_for_nn")
_FLOATS = (DType.F16, DType.BF16, DType.F32)


class ExpandResize(Pass):
    """Resampling whose places depend on sizes that are known at run time becomes gathers at computed places."""

    name: ClassVar[str] = "expand-resize"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        expanded = 0
        for op in [op for op in walk(function.block) if isinstance(op, core.Resize)]:
            axes = _sizes(op)
            if all(op.keeps(i, n, m) or not _is_open(n, m) or depends_on_sizes(op, n, m) == "" for i, n, m in axes):
                continue
            expanded += _expand(op)
        context.count(self.name, expanded)


def _sizes(op: core.Resize) -> list[tuple[int, Size, Size]]:
    shape, out = op.x.tensor.shape or (), op.y.tensor.shape or ()
    return [(i, shape[axis], out[axis]) for i, axis in enumerate(op.axes)]


def _is_open(n: Size, m: Size) -> bool:
    return isinstance(n, Dim) or isinstance(m, Dim)


def depends_on_sizes(op: core.Resize, n: Size, m: Size) -> str:
    """Why places along an axis differ from size to size by more than which is the last; nothing where they do not."""
    if op.coordinates not in _SHIFTED:
        return f"has places that depend on it ({op.coordinates})"
    if op.scales is None and not isinstance(divide_exactly(m, n), int):
        return "is not by a whole number"
    if op.antialias or op.exclude_outside:
        return "weighs what it reads by how much of it there is"
    return ""


def _expand(op: core.Resize) -> bool:
    """In float32; elements of 16 bits by way of it."""
    rewriter = Rewriter(op)
    e = CoreBuilder(rewriter)
    dtype = op.x.tensor.dtype
    if op.mode != "nearest" and dtype not in _FLOATS:
        return False
    wide = op if dtype is DType.F32 or op.mode == "nearest" else remake(op, [e.cast(op.x, DType.F32), op.sizes])
    if not isinstance(wide, core.Resize) or not is_resampled(wide):
        rewriter.undo()
        return False
    rewriter.replace(op, e.cast(resampled(wide, e), dtype))
    return True
