"""Inputs to run a function with: drawn at random, at sizes that its symbols may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir import shapes
from mlconv.ir.constants import Array
from mlconv.ir.dim_fold import number_at
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Condition
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType

DYNAMIC_SIZE = 2
_LADDER = (2, 3, 5, 8, 16, 32, 64, 128, 256)
_WIDEST = 512
Ranges = Mapping[str, Sequence[int | None]]


def symbols_of(function: Function) -> list[str]:
    """The symbols in the shapes of a function's inputs, sorted."""
    return shapes.symbols_of(v.type.shape for v in function.inputs if isinstance(v.type, TensorType))


def ranges_of(function: Function) -> Ranges:
    """Smallest and largest value of the symbols that have bounds."""
    found: Ranges = function.facts.where.ranges
    return found


def nearest(size: int, symbol: str, ranges: Ranges) -> int:
    """The size, or what is next to it in the symbol's range."""
    low, high = ranges.get(symbol, (None, None))
    at_least = max(size, low or 0)
    return at_least if high is None else min(at_least, high)


def size_choices(function: Function) -> Iterator[list[dict[str, int]]]:
    """Values for all symbols, small ones first.  Each step has one choice with different sizes and one with equal ones:
    a model may want either; the first ones have one, too, where each size has room for those before it.
    """
    symbols, ranges = symbols_of(function), ranges_of(function)
    seen: set[tuple[int, ...]] = set()
    for base in _LADDER:
        step = []
        apart, alike = ([base + k * i for i in range(len(symbols))] for k in (1, 0))
        wide = [[base << i for i in range(len(symbols))]] if base << len(symbols) <= _WIDEST else []
        for numbers in (apart, alike, *wide):
            sizes = {s: nearest(n, s, ranges) for s, n in zip(symbols, numbers, strict=True)}
            if tuple(sizes.values()) not in seen:
                seen.add(tuple(sizes.values()))
                step.append(sizes)
        if step:
            yield step


def random_inputs(
    function: Function, seed: int = 0, sizes: Mapping[str, int] | None = None, most: Mapping[str, int] | None = None
) -> dict[str, Array]:
    """Inputs drawn by element type: floats standard normal, integers 0 or 1, bool fair.  sizes: of symbols; without it
    each is 2, or near it.  most: the largest integers of inputs that take others.

    Inputs that stand for variables get the variables' initial values.  Raises ConversionError VerificationImpossible
    for an input that is no tensor of numbers.
    """
    rng = np.random.default_rng(seed)
    out: dict[str, Array] = {}
    state = {slot.input: slot.initial for slot in function.facts.state.values()}
    taken = (
        sizes if sizes is not None else {s: nearest(DYNAMIC_SIZE, s, ranges_of(function)) for s in symbols_of(function)}
    )
    for value in function.inputs:
        if value.name in state:
            out[value.name] = state[value.name].view()
            continue
        t = value.type
        if not isinstance(t, TensorType) or t.dtype is DType.STRING:
            raise ConversionError(
                Code.VerificationImpossible,
                f"input {value.name} ({value.type}) cannot be drawn at random",
                help="give arrays with --data FILE.npz",
            )
        out[value.name] = drawn(t.dtype, [sized(d, taken) for d in t.shape or ()], rng, (most or {}).get(value.name, 1))
    return out


def sized(size: Size, sizes: Mapping[str, int]) -> int:
    """A dimension as a number; 2 where the sizes do not tell."""
    found = number_at(size, sizes)
    return DYNAMIC_SIZE if found is None else found


def drawn(dtype: DType, shape: Sequence[int], rng: np.random.Generator, most: int = 1) -> Array:
    """Random numbers of an element type.  most: the largest integer."""
    array: Array
    if dtype.is_float:
        array = rng.standard_normal(shape)
    elif dtype.is_complex:
        array = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    else:
        largest = (1 << dtype.bits - dtype.is_signed_int) - 1 if dtype.is_int else 1
        array = rng.integers(0, min(most, largest) + 1, shape)
    return np.asarray(array).astype(dtype.numpy)


def sizes_of(function: Function, inputs: Mapping[str, Array]) -> dict[str, int]:
    """The value of each symbol that is a size of an input."""
    return shapes.sizes_of((v.tensor.shape for v in function.inputs), (inputs[v.name].shape for v in function.inputs))


def broken_rule(ranges: Ranges, conditions: Sequence[Condition], sizes: Mapping[str, int]) -> str:
    """The first range or condition that sizes do not fulfil; empty where none is known."""
    for name, (low, high) in ranges.items():
        if name in sizes and not (low or 0) <= sizes[name] <= (sizes[name] if high is None else high):
            return f"{name} lies in {low or 0}..{'' if high is None else high}"
    for condition in conditions:
        if condition.holds_at(sizes) is False:
            return f"{condition.text}, for {condition.asked_by}"
    return ""
