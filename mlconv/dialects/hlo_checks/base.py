"""What the checks of HLO ops share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from mlconv.ir.core import Region
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp
from mlconv.ir.types import TensorType, Type

Ints: TypeAlias = tuple[int, ...]


def shape(op: TargetOp, i: int = 0) -> Ints:
    """The shape of an operand."""
    return op.inputs[i].tensor.static_shape()


def dtype(op: TargetOp, i: int = 0) -> DType:
    """The element type of an operand."""
    return op.inputs[i].tensor.dtype


def result_is(op: TargetOp, sizes: Sequence[int], element: DType, i: int = 0) -> None:
    """Refuse an op whose result i is another than that."""
    made = op.results[i].tensor
    if made.dtype is not element or made.static_shape() != tuple(sizes):  # which sizes are bounds does not matter
        raise op.malformed(f"the result should be {TensorType(element, tuple(sizes))}")


def has_shape(op: TargetOp, sizes: Sequence[int]) -> None:
    """Refuse an op whose result has another shape."""
    if op.results[0].tensor.static_shape() != tuple(sizes):
        raise op.malformed(f"the result should be {list(sizes)}")


def axes(op: TargetOp, name: str, rank: int) -> Ints:
    """An attribute of axes, each of which is there and named once; none where it is left out."""
    found: Ints = tuple(op.attributes.get(name) or ())
    for axis in found:
        if not 0 <= axis < rank:
            raise op.malformed(f"{name} has the axis {axis} of a tensor of rank {rank}")
    if len(set(found)) < len(found):
        raise op.malformed(f"{name} has an axis twice: {list(found)}")
    return found


def one_axis(op: TargetOp, rank: int) -> int:
    """The only one of `dimensions`."""
    found = axes(op, "dimensions", rank)
    if len(found) != 1:
        raise op.malformed(f"dimensions has {len(found)} axes, expected one")
    return found[0]


def numbers(op: TargetOp, name: str, count: int) -> Ints:
    """An attribute of one number for each axis."""
    found: Ints = tuple(op.attributes[name])
    if len(found) != count:
        raise op.malformed(f"{name} has {len(found)} entries, expected {count}")
    return found


def one_element_type(op: TargetOp) -> DType:
    """What the elements of all operands are."""
    found = {v.tensor.dtype for v in op.inputs}
    if len(found) != 1:
        names = " and ".join(sorted(d.display for d in found))
        raise op.malformed(f"operands have different element types: {names}")
    return found.pop()


def is_index(element: DType) -> bool:
    """Indices are integers."""
    return element.is_int


def region_types(op: TargetOp, region: Region, takes: Sequence[Type], gives: Sequence[Type], what: str) -> None:
    """Refuse a region that takes or gives other types."""
    block = region.block
    for got, want, verb in ((block.arguments, takes, "takes"), (block.outputs, gives, "gives")):
        types = [v.type for v in got]
        if types != list(want):
            raise op.malformed(f"{what} {verb} {_names(types)}, expected {_names(want)}")


def _names(types: Sequence[Type]) -> str:
    return ", ".join(map(str, types)) or "nothing"


def scalars(op: TargetOp, first: int, count: int) -> list[Type]:
    """Scalars of the element types of some operands."""
    return [TensorType(v.tensor.dtype, ()) for v in op.inputs[first : first + count]]
