"""Resampling by other ratios than whole numbers along sizes with a range: places are computed when it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import walk
from mlconv.ir.dims import Dim, Size, divide_exactly
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.size_facts import SizeFacts, simplify
from mlconv.ir.types import Shape
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import Rewriter, remake
from mlconv.rewrite.core_builder import CoreBuilder

_NO_FACTS = SizeFacts()
_LARGEST = 17  # factors of images that grow are below it
_SHIFTED = ("half_pixel", "asymmetric", "tf_half_pixel_for_nn")
_FLOATS = (DType.F16, DType.BF16, DType.F32)


@dataclass(frozen=True, eq=False, repr=False)
class ExpandResize(Pass):
    """Resampling whose places depend on sizes that are known at run time becomes gathers at computed places.

    stretched: only where kernels are stretched against aliasing, or read a region, for which there are no tables of a
    few elements.
    """

    name: ClassVar[str] = "expand-resize"
    stretched: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        expanded = 0
        for op in [op for op in walk(function.block) if isinstance(op, core.Resize)]:
            if self.stretched and not (op.antialias or op.roi is not None):
                continue
            if depends_on_sizes(op, op.x.tensor.shape or (), op.y.tensor.shape or ()):
                expanded += _expand(op)
        context.count(self.name, expanded)


def depends_on_sizes(op: core.Resize, before: Shape, after: Shape, facts: SizeFacts = _NO_FACTS) -> str:
    """Why places along an axis that is known at run time differ from size to size by more than which is the last;
    nothing where they do not.  facts: what is known of sizes.
    """
    for i, axis in enumerate(op.axes):
        n, m = before[axis], after[axis]
        if not (isinstance(n, Dim) or isinstance(m, Dim)) or op.keeps(i, n, m):
            continue
        if op.coordinates not in _SHIFTED:
            return f"has places that depend on it ({op.coordinates})"
        if op.scales is None and not _is_by_a_number(n, m, facts):
            return "is not by a whole number"
        if op.antialias or op.exclude_outside:
            return "weighs what it reads by how much of it there is"
    return ""


def _is_by_a_number(n: Size, m: Size, facts: SizeFacts) -> bool:
    """The second size is a whole number of times the first: `h` is of `floordiv(h, 2)`, where it is even."""
    found = any(simplify(m - n * k, facts) == 0 for k in range(2, _LARGEST)) if facts else False
    return found or isinstance(divide_exactly(m, n), int)


def _expand(op: core.Resize) -> bool:
    """In float32; elements of 16 bits by way of it."""
    from mlconv.legalize.resample import is_resampled, resampled

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
