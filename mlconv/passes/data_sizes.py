"""Sizes that are decided by data become sizes of the function: an op counts, `core.define_size` names what it counted,
and what stands behind has that size.

An op whose result has a size that nothing is known about is made to give as much as there can be, of which the part
that counts is cut off; or its size is computed from the numbers that decide it.  Outputs with such sizes get a further
output each, which holds their shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.ir.core import walk
from mlconv.ir.data_sizes import is_open
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code


@dataclass(frozen=True, eq=False, repr=False)
class DataSizes(Pass):
    """Name the sizes that data decide.  shapes: outputs with such sizes get a further one, which holds their shape."""

    name: ClassVar[str] = "data-sizes"
    shapes: bool = True

    def run_on_function(self, function: Function, context: PassContext) -> None:
        if not any(is_open(op.results) for op in walk(function.block) if isinstance(op, OpDef)):
            return
        from mlconv.passes.sizes_by_data import name_sizes

        named = name_sizes(function, self.shapes)
        eliminate_dead_code(function.block)
        context.count(self.name, named)
