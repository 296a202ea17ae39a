"""What the parameters of routines share: the buffers that one needs, and into how many shares its work is cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType

Room: TypeAlias = tuple[DType, Size]  # element type and how many elements

FEW = 4096  # elements that one thread is done with before another one has begun
MANY = 16  # shares, where they need no memory
_FAR = 4096  # bytes that take much longer to combine than to find out that another thread does it


def shares(work: Size, parts: Size, most: int = MANY) -> int:
    """How many shares of some parts threads may take; work: elements of all."""
    if isinstance(work, int) and work < FEW:
        return 1
    return max(1, min(most, parts)) if isinstance(parts, int) else most


def is_far(inner: Size, dtype: DType) -> bool:
    """Rows are long enough for threads to take those that go to places of their own.  Parts of each row would be no
    better: where they meet, threads write to one cache line, and read ahead what the other one writes.
    """
    return isinstance(inner, int) and inner * dtype.itemsize >= _FAR


def scratch_of(size: Size) -> Size:
    """Bytes of scratch memory of a routine that always has some, of nothing too."""
    return max(size, 8) if isinstance(size, int) else size


class Needs(NamedTuple):
    """Operands and results, bytes of scratch memory, whether the first result may take the buffer of operand 0."""

    operands: Sequence[Room]
    results: Sequence[Room]
    scratch: Size = 0
    in_place: bool = False
