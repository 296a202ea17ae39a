"""What the checks of TFLite ops share.  Sizes that are known at run time only are None, and agree with any."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl_table import ENUMS, OPTION_FIELDS, OPTIONS_OF
from mlconv.dialects.tfl_types import DTYPES
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import MAX_KNOWN
from mlconv.ir.target_op import TargetOp

Extent: TypeAlias = int | None
Sizes: TypeAlias = tuple[Extent, ...]
Check: TypeAlias = Callable[[TargetOp], None]
INDICES = (DType.I32, DType.I64)


# what an op has --------------------------------------------------------------------------------------------------
def given(op: TargetOp, i: int) -> Value | None:
    """An operand; None for one that is absent."""
    return op.operands[i] if i < len(op.operands) else None


def element(op: TargetOp, i: int = 0) -> DType:
    """The element type of an operand that is there.  Raises ConversionError ArtifactInvalid."""
    value = given(op, i)
    if value is None:
        raise op.malformed(f"operand {i} is missing")
    return value.tensor.dtype


def sizes(op: TargetOp, i: int = 0) -> Sizes | None:
    """The sizes of an operand that is there; None for one of unknown rank."""
    value = given(op, i)
    if value is None:
        raise op.malformed(f"operand {i} is missing")
    return sizes_of(value)


def sizes_of(value: Value) -> Sizes | None:
    """The sizes of a value; None for one of unknown rank."""
    shape, bounded = value.tensor.shape, value.tensor.bounded
    if shape is None:
        return None
    return tuple(d if isinstance(d, int) and i not in bounded else None for i, d in enumerate(shape))


def numbers(op: TargetOp, i: int) -> Sizes | None:
    """What is in a small operand of integers, flattened; None where that is not known."""
    value = given(op, i)
    if value is None:
        return None
    if value.known is not None:
        return tuple(n if isinstance(n, int) else None for n in value.known)
    constant = value.producer
    if isinstance(constant, Constant) and constant.value.dtype.is_int and constant.value.size <= MAX_KNOWN:
        return tuple(int(n) for n in constant.value.view().reshape(-1))
    return None


def number(op: TargetOp, i: int) -> Extent:
    """The only number in an operand; None where it is not known."""
    found = numbers(op, i)
    return found[0] if found is not None and len(found) == 1 else None


def option(op: TargetOp, name: str) -> Any:
    """An option, or its default; members of enumerations by name."""
    kind, default = _fields(op.name.removeprefix("tfl."))[name]
    value = op.attributes.get(name, default)
    if kind.startswith("enum:") and not isinstance(value, str):
        return next(member for member, n in ENUMS[kind[5:]].items() if n == value)
    return value


def index_type(op: TargetOp, name: str) -> DType:
    """The element type of indices that an option names."""
    made = DTYPES.get(option(op, name))
    if made not in INDICES:
        raise op.malformed(f"{name} is {option(op, name)}, expected INT32 or INT64")
    return made


@lru_cache(maxsize=256)
def _fields(builtin: str) -> dict[str, tuple[str, Any]]:
    return {name: (kind, default) for name, _, kind, default in OPTION_FIELDS[OPTIONS_OF[builtin]]}


# what must hold --------------------------------------------------------------------------------------------------
def agree(a: Extent, b: Extent) -> bool:
    """Whether two sizes may be equal."""
    return a is None or b is None or a == b


def alike(a: Sizes | None, b: Sizes | None) -> bool:
    """Whether two shapes may be equal."""
    return a is None or b is None or (len(a) == len(b) and all(map(agree, a, b)))


def gives(op: TargetOp, want: Sizes | None, made: DType | None = None, i: int = 0) -> None:
    """Refuse an op whose result i has another shape, or another element type where one is wanted."""
    result = op.results[i]
    if made is not None and result.tensor.dtype is not made:
        raise op.malformed(f"its elements should be {made.display}")
    if not alike(sizes_of(result), want):
        raise op.malformed(f"the result should be {text(want)}")


def text(shape: Sizes | None) -> str:
    """A shape, for people."""
    return "*" if shape is None else f"[{', '.join('?' if n is None else str(n) for n in shape)}]"


def has_rank(op: TargetOp, i: int, *ranks: int) -> None:
    """Refuse an operand of another rank."""
    shape = sizes(op, i)
    if shape is not None and len(shape) not in ranks:
        raise op.malformed(f"operand {i} has rank {len(shape)}, expected {' or '.join(map(str, ranks))}")


def is_one_of(op: TargetOp, i: int, *elements: DType) -> None:
    """Refuse an operand of other elements."""
    if element(op, i) not in elements:
        raise op.malformed(f"operand {i} is {element(op, i).display}, expected {_names(elements)}")


def result_is_one_of(op: TargetOp, i: int, *elements: DType) -> None:
    """Refuse a result of other elements."""
    made = op.results[i].tensor.dtype
    if made not in elements:
        raise op.malformed(f"result {i} is {made.display}, expected {_names(elements)}")


def _names(elements: Sequence[DType]) -> str:
    return " or ".join(d.display for d in elements)


def same_elements(op: TargetOp, *at: int) -> DType:
    """What the elements of some operands are; of all, where none is named."""
    found = {element(op, i) for i in at} if at else {v.tensor.dtype for v in op.inputs}
    if len(found) != 1:
        raise op.malformed(f"element types differ: {' and '.join(sorted(d.display for d in found))}")
    return found.pop()


def axis_of(op: TargetOp, axis: int, rank: int, what: str = "axis") -> int:
    """An axis that may be counted from the end."""
    if not -rank <= axis < rank:
        raise op.malformed(f"{what} {axis} of a tensor of rank {rank}")
    return axis % rank


def index_vector(op: TargetOp, i: int, count: Extent) -> Sizes | None:
    """What is in an operand that has an index, or a size, for each of `count` axes."""
    is_one_of(op, i, *INDICES)
    shape = sizes(op, i)
    if shape is not None and (len(shape) != 1 or not agree(shape[0], count)):
        raise op.malformed(f"operand {i} is {text(shape)}, expected {text((count,))}")
    return numbers(op, i)


def is_scalar(op: TargetOp, i: int) -> None:
    """Refuse an operand of more than one element."""
    shape = sizes(op, i)
    if shape is not None and not agree(count(shape), 1):
        raise op.malformed(f"operand {i} is {text(shape)}, expected a scalar")


def positive(op: TargetOp, *names: str) -> list[int]:
    """Options that are at least 1."""
    found = [int(option(op, name)) for name in names]
    for name, value in zip(names, found, strict=True):
        if value < 1:
            raise op.malformed(f"{name} is {value}, expected at least 1")
    return found


# arithmetic ------------------------------------------------------------------------------------------------------
def count(shape: Iterable[Extent]) -> Extent:
    """How many elements."""
    known: list[int] = []
    for n in shape:
        if n is None:
            return None
        known.append(n)
    return math.prod(known)


def broadcast(op: TargetOp, *shapes: Sizes | None) -> Sizes | None:
    """numpy's broadcasting.  Raises ConversionError ArtifactInvalid where sizes differ."""
    if any(s is None for s in shapes):
        return None
    ranked = [s for s in shapes if s is not None]
    rank = max(map(len, ranked), default=0)
    padded = [(1,) * (rank - len(s)) + s for s in ranked]
    return tuple(_joint(op, column, ranked) for column in zip(*padded, strict=True))


def _joint(op: TargetOp, column: Sequence[Extent], shapes: Sequence[Sizes]) -> Extent:
    fixed = {n for n in column if n is not None and n != 1}
    if len(fixed) > 1:
        raise op.malformed(f"shapes do not broadcast: {' and '.join(map(text, shapes))}")
    return fixed.pop() if fixed else None if None in column else 1


def scaled(n: Extent, factor: Extent) -> Extent:
    """A product, of sizes that are known."""
    return None if n is None or factor is None else n * factor
