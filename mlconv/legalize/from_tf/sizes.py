"""Run-time values of symbolic sizes: a size is read off the shape of a value in view, or computed from such sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import dim_value
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.size_values import SizeValues


def size_vector(n: SourceNode, sizes: Sequence[Size], what: str) -> Value:
    """A rank-1 int64 tensor of sizes.  Raises ConversionError ShapeNotStatic when one cannot be had where the op
    stands.
    """
    if all(isinstance(s, int) for s in sizes):
        return n.stack([s for s in sizes if isinstance(s, int)])
    values = SizeValues(
        n, list(_in_view(n.op)), lambda x, axis: dim_value(n, x, axis), lambda size: n.constant(size, DType.I64), what
    )
    return n.stack([s if isinstance(s, int) else values.of(s) for s in sizes])


def _in_view(op: Op) -> Iterator[Value]:
    """Block arguments around the op, then results of ops before it, inner blocks first."""
    at: Op | None = op
    blocks: list[tuple[Block, Op]] = []
    while at is not None and at.block is not None:
        blocks.append((at.block, at))
        region = at.block.parent
        at = region.parent if region is not None else None
    for block, _ in blocks:
        yield from block.arguments
    for _, before in blocks:
        previous = before.prev
        while previous is not None:
            yield from previous.results
            previous = previous.prev
