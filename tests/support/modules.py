"""Modules of core ops for tests, by functions that emit them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation

LOCATION = NameLocation("test")
Array = np.ndarray[Any, Any]
Make = Callable[..., "Value | Sequence[Value]"]


def random(*shape: int, seed: int = 20) -> Array:
    """Numbers of a normal distribution."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def const(b: Builder, array: Any, dtype: str | None = None) -> Value:
    """A constant op."""
    return b.emit(core.Constant(value=make_const(np.asarray(array, dtype)))).y


def module(make: Make, arrays: Sequence[Array], shapes: Sequence[tuple[Size, ...] | None] | None = None) -> Module:
    """A function `main` of the ops that `make(builder, *inputs)` emits; inputs in0.., outputs out0..

    arrays: values of the inputs, which give their types.  shapes: of inputs that are not those of their arrays.
    """
    given = shapes or [None] * len(arrays)
    types = [
        TensorType(DType.from_numpy(a.dtype), a.shape if s is None else s) for a, s in zip(arrays, given, strict=True)
    ]
    return module_of_types(make, types)


def module_of_types(make: Make, types: Sequence[TensorType]) -> Module:
    """The same for inputs of given types."""
    function = Function.create("main", types, [f"in{i}" for i in range(len(types))], LOCATION)
    b = Builder(function.block, LOCATION)
    made = make(b, *function.inputs)
    outputs = [made] if isinstance(made, Value) else list(made)
    b.emit(Yield(outputs))
    function.output_names = [f"out{i}" for i in range(len(outputs))]
    return Module([function])


def module_of_shapes(make: Make, shapes: Sequence[tuple[Size, ...] | TensorType]) -> Module:
    """The same for inputs of float32, but where a type is given."""
    return module_of_types(make, [s if isinstance(s, TensorType) else TensorType(DType.F32, s) for s in shapes])
