"""Vectors of sizes that something reads, told from the ops of a block."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final, NamedTuple

from mlconv.dialects.tfl import TflOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.traits import is_pure
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.legalize.to_tfl.size_contents import SizeContents, open_bounds
from mlconv.legalize.to_tfl.unit_axes import open_reshape
from mlconv.rewrite import edit

_FEW: Final = 4


class Need(NamedTuple):
    """A vector, or a number, that something besides arithmetic of sizes reads.  value: that holds it now; at: the first
    op that reads it; whole: the shape that it is where it is one and only RESHAPE reads it, which takes -1 for a size;
    free: elements that nothing depends on.
    """

    value: Value
    sizes: tuple[Size, ...]
    at: Op
    whole: Shape | None = None
    free: frozenset[int] = frozenset()

    @property
    def scalar(self) -> bool:
        return self.value.tensor.shape == ()

    @property
    def dtype(self) -> DType:
        return self.value.tensor.dtype

    @property
    def is_long(self) -> bool:
        """Whether it takes more ops now than a number of a shape, times another: SHAPE, GATHER, MUL, CAST."""
        pending, seen = [self.value.producer], set[Op]()
        while pending and len(seen) <= _FEW:
            op = pending.pop()
            if isinstance(op, TflOp) and op not in seen:
                seen.add(op)
                pending += [v.producer for v in op.inputs if op.builtin != "SHAPE"]
        return len(seen) > _FEW


def read_as_int32(op: Op, contents: SizeContents) -> None:
    """Sizes that become floats are read as int32, of which there is a table in any case."""
    if not isinstance(op, TflOp) or op.builtin != "CAST" or op.result.tensor.dtype.is_int:
        return
    (value,) = op.inputs
    if value.tensor.dtype is not DType.I64 or not _is_told(value, contents) or not isinstance(value.producer, TflOp):
        return
    assert op.block is not None and op.location is not None
    e = TflBuilder(Builder(op.block, op.location, op))
    type_ = TensorType(DType.I32, value.tensor.shape)
    narrow = e.one("CAST", [value], type_, in_data_type="INT64", out_data_type="INT32")
    if narrow.producer is not None:
        contents.learn(narrow.producer)
    edit.set_operand(op, 0, narrow)
    edit.set_attribute(op, "in_data_type", "INT32")


def read_for_elements(block: Block, contents: SizeContents) -> set[Op]:
    """Ops whose results are read for more than their sizes, or that do something else than make results."""
    found = {op for op in block.ops if not op.results or op.regions or not is_pure(op)}
    pending = [v.producer for v in block.outputs]
    pending += [v.producer for op in found for x in (op, *_within(op)) for v in x.inputs if not _is_told(v, contents)]
    while pending:
        op = pending.pop()
        if op is not None and op not in found and op.block is block:
            found.add(op)
            pending += [v.producer for v in op.inputs if not _is_told(v, contents)]
    return found


def _within(op: Op) -> Iterator[Op]:
    return (inner for region in op.regions for inner in walk(region.block))


def needs_of(block: Block, contents: SizeContents, read: Container[Op]) -> list[Need]:
    """In the order of the ops that read them."""
    found: dict[Value, Need] = {}
    for op in list(block.ops):
        if op not in read or (op.results and all(_is_told(v, contents) for v in op.results)):
            continue  # nothing is made of it, or it computes sizes itself
        if open_reshape(op, contents):
            continue
        for value in op.operands:
            sizes = contents.of(value)
            if value is None or value in found or sizes is None or not isinstance(value.producer, TflOp):
                continue
            told = tuple(s for s in sizes if s is not None)
            if len(told) == len(sizes):
                found[value] = Need(value, told, op, _target_of(value), open_bounds(value))
    return list(found.values())


def _target_of(value: Value) -> Shape | None:
    """The shape that all readers of a vector make."""
    if not all(isinstance(op, TflOp) and op.builtin == "RESHAPE" and i == 1 for op, i in value.uses):
        return None
    shapes = {op.results[0].tensor.shape for op in value.users}
    return shapes.pop() if len(shapes) == 1 else None


def _is_told(value: Value, contents: SizeContents) -> bool:
    known = contents.of(value)
    return known is not None and None not in known
