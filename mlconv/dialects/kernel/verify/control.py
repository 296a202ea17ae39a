"""Buffers under other types, and ops that run blocks."""

from __future__ import annotations

from mlconv.dialects.kernel.verify.site import Buffer, Site
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType


def check_alias(site: Site) -> None:
    """The same bytes."""
    (x,), (y,) = site.given, site.made
    if isinstance(x.elements, int) and isinstance(y.elements, int):
        have, asked = (b.elements * b.dtype.itemsize for b in (x, y) if isinstance(b.elements, int))
        site.demand(have == asked, f"it gives {site.op.results[0].tensor}")
    else:
        site.demand(x.dtype.itemsize == y.dtype.itemsize, f"it gives {site.op.results[0].tensor}")


def check_if(site: Site) -> None:
    """The branches take nothing and give what the op gives."""
    _check_truth(site, site.given[0])
    types = [v.type for v in site.op.results]
    for region in site.op.regions:
        site.demand(not region.block.arguments, "a branch takes arguments")
        site.demand([v.type for v in region.block.outputs] == types, "a branch gives other types")


def check_while(site: Site) -> None:
    """The variables keep their types, and the test gives one truth."""
    types = [v.type for v in site.op.results]
    test, body = (region.block for region in site.op.regions)
    lists = (site.op.inputs, test.arguments, body.arguments, body.outputs)
    if any([v.type for v in values] != types for values in lists):
        raise site.wrong("the loop's variables change their types")
    site.demand(len(test.outputs) == 1, "the test gives no bool")
    _check_truth(site, _whole(test.outputs[0]))


def _whole(value: Value) -> Buffer:
    return Buffer(value.tensor.dtype, value.tensor.size)


def _check_truth(site: Site, buffer: Buffer) -> None:
    site.demand(buffer.dtype is DType.BOOL and buffer.elements == 1, "the test gives no bool")
