"""What operations are given: tensors and numbers, of one element type.

Keras finds a common element type for operands of several; those are left to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.importers.keras.call import Call
from mlconv.ir.core import Value

NUMPY_TYPES = ("float32", "float16", "float64", "int32", "int64", "int8", "uint8", "bool")

_MOST = 1 << 16
"""Numbers of an operand that the configuration holds."""


def argument(n: Call, i: int, name: str) -> object:
    """An argument by position or by name."""
    return n.args[i] if i < len(n.args) else n.kwarg(name)


def tensor(n: Call, i: int = 0, name: str = "x") -> Value:
    """A tensor that the operation is given."""
    found = argument(n, i, name)
    if not isinstance(found, Value):
        raise n.unknown(f"{name} is no tensor")
    return found


def floats(n: Call, i: int = 0, name: str = "x") -> Value:
    """A tensor of floating-point numbers: Keras makes such of integers."""
    x = tensor(n, i, name)
    if not x.tensor.dtype.is_float:
        raise n.unknown(f"{name} is of {x.tensor.dtype.display}")
    return x


def tensors(n: Call, name: str = "xs") -> list[Value]:
    """A list of tensors of one element type."""
    found = argument(n, 0, name)
    if not isinstance(found, list) or not found or not all(isinstance(v, Value) for v in found):
        raise n.unknown(f"{name} is no list of tensors")
    values = [v for v in found if isinstance(v, Value)]
    if len({v.tensor.dtype for v in values}) != 1:
        raise n.unknown("its tensors are of several types")
    return values


def pair(n: Call) -> tuple[Value, Value]:
    """Two operands of one element type, of which one may be a number, or an array of them."""
    given = [argument(n, i, name) for i, name in enumerate(("x1", "x2"))]
    known = [v for v in given if isinstance(v, Value)]
    if not known:
        raise n.unknown("it is given no tensor")
    a, b = (v if isinstance(v, Value) else _number(n, v, known[0]) for v in given)
    if a.tensor.dtype is not b.tensor.dtype:
        raise n.unknown(f"its operands are of {a.tensor.dtype.display} and {b.tensor.dtype.display}")
    return a, b


def _number(n: Call, given: object, other: Value) -> Value:
    dtype = other.tensor.dtype
    if isinstance(given, np.ndarray) and given.dtype == dtype.numpy and given.size <= _MOST:
        return n.constant(given, dtype)
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise n.unknown("an operand is no number")
    if not (dtype.is_float or (dtype.is_int and isinstance(given, int) and abs(given) < 1 << 31)):
        raise n.unknown(f"an operand is {given}, the other one is of {dtype.display}")
    return n.constant(given, dtype)


def axes(n: Call, x: Value, name: str = "axis") -> tuple[int, ...]:
    """The axes that a field names: all where it is null."""
    given, rank = n.fields.get(name), n.rank(x)
    if given is None:
        return tuple(range(rank))
    found = tuple(sorted(n.axis_of(x, a) for a in n.fields.listed(name)))
    if len(set(found)) != len(found):
        raise n.fields.wrong(name)
    return found


def whole_axis(n: Call, x: Value, default: int | None = None, rank: int | None = None) -> int:
    """The axis that a field names."""
    return n.axis(n.fields.integer("axis", default), n.rank(x) if rank is None else rank)


def open_sizes(n: Call, sizes: Sequence[object], name: str) -> list[int]:
    """Sizes of a shape, -1 or null for one that is deduced."""
    if not all(s is None or (isinstance(s, int) and -1 <= s < 1 << 31) for s in sizes):
        raise n.fields.wrong(name)
    return [-1 if s is None else int(str(s)) for s in sizes]
