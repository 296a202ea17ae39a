"""Ops over stored integers, held against LiteRT's default kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.quant import QuantType, storage_range
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.provenance.locations import NameLocation
from tests.support.litert import file_bytes, op_names, run_litert, to_tfl

Make = Callable[[Builder, list[Value]], OpDef]
Given = tuple[QuantType, tuple[int, ...]]


def int8(scale: float, zero: int = 0) -> QuantType:
    return QuantType.of(DType.I8, scale, zero)


def int16(scale: float) -> QuantType:
    return QuantType.of(DType.I16, scale)


def constant(b: Builder, array: np.ndarray, element: QuantType) -> Value:
    return b.emit(core.Constant(value=make_const(array), element=element)).y


def function_of(given: list[Given], make: Make) -> Module:
    types = [TensorType(quant, shape) for quant, shape in given]
    function = Function.create("main", types, [f"in{i}" for i in range(len(types))], NameLocation("f"))
    builder = Builder(function.block, NameLocation("op"))
    builder.emit(Yield(list(builder.emit(make(builder, function.inputs)).results)))
    function.output_names = ["y"]
    return Module([function])


def check(given: list[Given], make: Make, builtin: str, seed: int = 0, allowed: float = 0) -> None:
    """An op over random integers, as in `agrees`."""
    rng = np.random.default_rng(seed)
    arrays = [random_integers(quant, shape, rng) for quant, shape in given]
    agrees(function_of(given, make), arrays, builtin, allowed)


def random_integers(quant: QuantType, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Integers of all of a storage type."""
    low, high = storage_range(quant.storage)
    return rng.integers(low, high + 1, shape).astype(quant.storage.numpy)


def agrees(m: Module, arrays: list[np.ndarray], builtin: str, allowed: float = 0) -> None:
    """The interpreter and LiteRT give the same integers, and the kernel is the one that is meant.  allowed: share of
    integers that may be one step off.
    """
    verify(m)
    (want,) = run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)}).values()
    model = to_tfl(clone_module(m))
    assert builtin in op_names(model), op_names(model)
    (got,) = run_litert(file_bytes(model), arrays)
    assert got.shape == want.shape
    off = np.abs(got.astype(int) - want)
    wrong = int(np.count_nonzero(off))
    assert wrong <= allowed * got.size and off.max() <= 1, f"{wrong} of {got.size} differ, by {off.max()} at most"


def limits(element: QuantType, lo: float | None = None, hi: float | None = None) -> dict[str, object]:
    """Bounds, of numbers, in stored integers."""
    bounds = [None if b is None else int(element.quantize(np.asarray(b, np.float32))) for b in (lo, hi)]
    return {
        "element": element,
        "lo": element.qmin if bounds[0] is None else bounds[0],
        "hi": element.qmax if bounds[1] is None else bounds[1],
    }
