"""Run-time values of symbolic sizes: a size is read off the shape of a value in view, or computed from such sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dims import Atom, Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.from_tf.support import dim_value, vector
from mlconv.legalize.source import SourceNode

_APPLY: Final = {"floordiv": core.FloorDiv, "mod": core.FloorMod, "min": core.Minimum, "max": core.Maximum}


def size_vector(n: SourceNode, sizes: Sequence[Size], what: str) -> Value:
    """A rank-1 int64 tensor of sizes.  Raises ConversionError ShapeNotStatic when one cannot be had where the op
    stands.
    """
    return vector(n, [s if isinstance(s, int) else size_value(n, s, what) for s in sizes])


def size_value(n: SourceNode, size: Size, what: str) -> Value:
    """One size as an int64 scalar."""
    if isinstance(size, int):
        return n.constant(size, DType.I64)
    found = _find(n, size)
    if found is not None:
        return dim_value(n, *found)
    if len(size.terms) == 1 and all(c == 1 and len(m) == 1 and not m[0].args for m, c in size.terms.items()):
        raise ConversionError(Code.ShapeNotStatic, f"{what} must be known, it contains the size {size}")
    total: Value | None = None
    for monomial, coefficient in size.terms.items():
        term: Value = n.constant(coefficient, DType.I64)
        for atom in monomial:
            term = n.emit(core.Mul(term, _atom_value(n, atom, what))).y
        total = term if total is None else n.emit(core.Add(total, term)).y
    return total if total is not None else n.constant(0, DType.I64)


def _atom_value(n: SourceNode, atom: Atom, what: str) -> Value:
    if not atom.args:
        return size_value(n, Dim.symbol(atom.fn), what)
    a, b = (size_value(n, s, what) for s in atom.args)
    return n.emit(_APPLY[atom.fn](a, b)).y


def _find(n: SourceNode, size: Dim) -> tuple[Value, int] | None:
    """A value in view of the op that has the size, and the axis."""
    for value in _in_view(n.op):
        if isinstance(value.type, TensorType) and value.type.shape is not None and size in value.type.shape:
            return value, value.type.shape.index(size)
    return None


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
