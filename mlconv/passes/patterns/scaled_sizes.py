"""Sizes times a factor that is no whole number, as exporters write them: numbers of floats become sizes again."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import known_ints
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, constant_array, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.index_forms import not_negative
from mlconv.rewrite.pattern import Replacement

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from mlconv.ir.core import Op

_LARGEST: Final = 1 << 17  # size for which the rounding of floats is looked at
_PARTS: Final = 16  # of a vector of sizes
_DENOMINATORS: Final = (64, 1000, 10_000)


@rewrite(core.Cast)
def scaled_size(op: core.Cast, rw: Rewriter) -> Replacement | NoMatch:
    """int(floor(float(size) * factor)) is size * p / q, rounded down, where floats give the same for all sizes up to
    `_LARGEST`: a size that the algebra knows, without an op that a target may lack.
    """
    if not op.dtype.is_int or not op.x.tensor.dtype.is_float or op.x.tensor.rank is None or op.x.tensor.rank > 1:
        return NOT_MEANT
    product = _product(op.x)
    if product is None:
        return NOT_MEANT
    size, factors = product
    known = known_ints(size)
    if known is None or not any(isinstance(n, Dim) for n in known):
        return NOT_MEANT
    if not not_negative(size):
        return NoMatch("the size may be negative")
    found = [ratio_of(float(f), f.dtype.name) for f in factors.reshape(-1)]
    ratios = [r for r in found if r is not None]
    if len(ratios) < len(found):
        return NoMatch("floats round to other sizes than fractions do")
    b = CoreBuilder(rw)
    above, below = (
        b.constant(np.asarray(parts, np.int64).reshape(factors.shape), DType.I64)
        for parts in ([r.numerator for r in ratios], [r.denominator for r in ratios])
    )
    return b.cast(b.y(core.FloorDiv(b.mul(b.cast(size, DType.I64), above), below)), op.dtype)


def _product(value: Value) -> tuple[Value, np.ndarray] | None:
    """The size and the factors of what may be rounded down."""
    made = value.producer
    while isinstance(made, core.Floor) or (isinstance(made, core.Cast) and _widens(made)):
        made = made.x.producer
    if not isinstance(made, core.Mul):
        return None
    for size, factor in ((made.a, made.b), (made.b, made.a)):
        factors, before = constant_array(factor), size.producer
        if factors is not None and isinstance(before, core.Cast) and before.x.tensor.dtype.is_int:
            return (before.x, factors) if factors.size and (factors > 0).all() else None
    return None


def _widens(op: core.Cast) -> bool:
    return op.x.tensor.dtype.is_float and op.x.tensor.dtype.bits <= op.dtype.bits and op.dtype.is_float


@lru_cache(maxsize=256)
def ratio_of(factor: float, dtype: str) -> Fraction | None:
    """The fraction p/q for which floor(size * p / q) is what floats of a type give, up to `_LARGEST`; None where there
    is none among the simple ones.
    """
    from fractions import Fraction

    sizes = np.arange(_LARGEST + 1, dtype=np.int64)
    rounded = np.floor(sizes.astype(dtype) * np.asarray(factor, dtype))
    if not np.isfinite(rounded).all() or factor >= _LARGEST:
        return None
    for most in _DENOMINATORS:
        ratio = Fraction(factor).limit_denominator(most)
        if ratio > 0 and np.array_equal(sizes * ratio.numerator // ratio.denominator, rounded.astype(np.int64)):
            return ratio
    return None


@rewrite(core.Cast)
def whole_size(op: core.Cast, rw: Rewriter) -> Replacement | NoMatch:
    """Sizes that floats compute with whole numbers, `int(ceil((float(size) - 7) / 32 + 1) * 32)`, are integers: floats
    hold sizes up to 2^24, and a quotient that is not whole is further from whole numbers than it is rounded.
    """
    if not op.dtype.is_int or not op.x.tensor.dtype.is_float or op.x.tensor.rank is None or op.x.tensor.rank > 1:
        return NOT_MEANT
    b, made = CoreBuilder(rw), op.x.producer
    if isinstance(made, core.Concat) and len(made.xs) <= _PARTS:
        parts = [_cut_off(b, part) for part in made.xs]
        whole = [y for y, x in zip(parts, made.xs, strict=True) if y is not None and y.tensor.shape == x.tensor.shape]
        size = b.y(core.Concat(whole, axis=made.axis)) if len(whole) == len(parts) else None
    else:
        size = _cut_off(b, op.x)
    return b.cast(size, op.dtype) if size is not None and size.tensor.shape == op.x.tensor.shape else NOT_MEANT


def _cut_off(b: CoreBuilder, value: Value) -> Value | None:
    """A float without what stands behind its point: of a quotient that is not negative, what is rounded down."""
    made, numbers = value.producer, constant_array(value)
    if numbers is not None and (abs(numbers) < _LARGEST).all():
        return b.constant(numbers.astype(np.int64), DType.I64)
    whole = _whole(b, value)
    divisor = _whole_number(made.b) if whole is None and isinstance(made, core.Div) else None
    inner = _whole(b, made.a) if isinstance(made, core.Div) and divisor is not None and divisor > 0 else None
    if divisor is None or inner is None:
        return whole
    known = known_ints(inner) or (None,)
    if any(n is None or not holds(n, ">=", 0, SizeFacts()) for n in known):
        return None
    return b.y(core.FloorDiv(inner, b.constant(divisor, DType.I64)))


def _whole(b: CoreBuilder, value: Value, depth: int = 16) -> Value | None:
    """A float as an int64 of the same number, where it is made of sizes and whole numbers."""
    made = value.producer
    if depth == 0 or made is None:
        return None
    if isinstance(made, core.Cast):
        if made.x.tensor.dtype.is_float:
            return _whole(b, made.x, depth - 1) if _widens(made) else None
        known = known_ints(made.x)
        is_size = known is not None and None not in known and any(isinstance(n, Dim) for n in known)
        return b.cast(made.x, DType.I64) if is_size else None
    if isinstance(made, (core.Reshape, core.ExpandDims, core.Squeeze)) or (
        isinstance(made, (core.ReduceMax, core.ReduceMin)) and made.x.tensor.size == 1
    ):
        inner = _whole(b, made.x, depth - 1)
        shape = static(value.tensor.shape)
        return None if inner is None or shape is None else b.reshape(inner, shape)
    if isinstance(made, (core.ReduceMax, core.ReduceMin)):  # of all sizes that images have, say
        inner = _whole(b, made.x, depth - 1)
        return None if inner is None else b.y(type(made)(inner, axes=made.axes, keepdims=made.keepdims))
    if isinstance(made, (core.Concat, core.Maximum, core.Minimum)) and len(made.inputs) <= _PARTS:
        return _of_several(b, made, depth - 1)
    if isinstance(made, (core.Floor, core.Ceil)):
        return _rounded(b, made, depth - 1)
    if isinstance(made, core.Clamp):
        return _limited(b, made, depth - 1)
    if isinstance(made, (core.Add, core.Sub)) and _whole_number(made.a) is None and _whole_number(made.b) is None:
        first = _whole(b, made.a, depth - 1)
        second = _whole(b, made.b, depth - 1) if first is not None else None
        return None if first is None or second is None else b.y(type(made)(first, second))
    return _shifted(b, made, lambda x: _whole(b, x, depth - 1)) or _scaled(b, made, depth - 1)


def _of_several(b: CoreBuilder, op: core.Concat | core.Maximum | core.Minimum, depth: int) -> Value | None:
    """Sizes that were made floats one by one, and whole numbers."""
    found: list[Value] = []
    for x in op.inputs:
        numbers = constant_array(x)
        if numbers is None:
            whole = _whole(b, x, depth)
        else:
            whole = b.constant(numbers.astype(np.int64), DType.I64) if _are_whole(numbers) else None
        if whole is None or whole.tensor.shape != x.tensor.shape:
            return None
        found.append(whole)
    return b.concat(found, op.axis) if isinstance(op, core.Concat) else b.y(type(op)(*found))


def _limited(b: CoreBuilder, op: core.Clamp, depth: int) -> Value | None:
    """Between whole numbers; those that are larger than sizes limit none."""
    binding = [(limit, kind) for limit, kind in ((op.lo, core.Maximum), (op.hi, core.Minimum)) if abs(limit) < _LARGEST]
    too_far = op.lo >= _LARGEST or op.hi <= -_LARGEST
    if too_far or any(not float(limit).is_integer() for limit, _ in binding):
        return None
    inner = _whole(b, op.x, depth)
    for limit, kind in binding:
        inner = None if inner is None else b.y(kind(inner, b.constant(int(limit), DType.I64)))
    return inner


def _shifted(b: CoreBuilder, op: Op, inner: Callable[[Value], Value | None]) -> Value | None:
    """A sum with a whole number: that of what `inner` makes of the other side."""
    if not isinstance(op, (core.Add, core.Sub)):
        return None
    sides = ((op.a, op.b), (op.b, op.a)) if isinstance(op, core.Add) else ((op.a, op.b),)
    for x, other in sides:
        number = _whole_number(other)
        of = inner(x) if number is not None else None
        if of is not None and number is not None:
            return b.add(of, number if isinstance(op, core.Add) else -number)
    return None


def _scaled(b: CoreBuilder, op: Op, depth: int) -> Value | None:
    if isinstance(op, core.Mul):
        for x, other in ((op.a, op.b), (op.b, op.a)):
            factor = _whole_number(other)
            inner = _whole(b, x, depth) if factor is not None and factor > 0 else None
            if inner is not None and factor is not None:
                return b.mul(inner, factor)
    return None


def _rounded(b: CoreBuilder, op: core.Floor | core.Ceil, depth: int) -> Value | None:
    """What is rounded may be a quotient by a whole number, and that plus whole numbers."""
    return _rounded_value(b, op.x, isinstance(op, core.Ceil), depth)


def _rounded_value(b: CoreBuilder, value: Value, up: bool, depth: int) -> Value | None:
    made = value.producer
    if made is None or depth == 0:
        return None
    shifted = _shifted(b, made, lambda x: _rounded_value(b, x, up, depth - 1))
    if shifted is not None:
        return shifted
    divisor = _whole_number(made.b) if isinstance(made, core.Div) else None
    if not isinstance(made, core.Div) or divisor is None or divisor <= 0:
        return _whole(b, value, depth)
    inner = _whole(b, made.a, depth)
    if inner is None:
        return None
    inner = b.add(inner, divisor - 1) if up else inner
    return b.y(core.FloorDiv(inner, b.constant(divisor, DType.I64)))


def _are_whole(numbers: Array) -> bool:
    return bool((abs(numbers) < _LARGEST).all() and (numbers == np.floor(numbers)).all())


def _whole_number(value: Value) -> int | None:
    """One that is a constant."""
    array = constant_array(value)
    number = float(array.reshape(-1)[0]) if array is not None and array.size == 1 else np.nan
    return int(number) if abs(number) < _LARGEST and number.is_integer() else None


PATTERNS = (scaled_size, whole_size)
