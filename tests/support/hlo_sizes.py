"""Ops over sizes with a range: modules of them, run on XLA with the worst behind the valid part of each input."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.exporters.hlo.export import export
from mlconv.exporters.hlo.stablehlo import export_text
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Inline
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.types import TensorType
from mlconv.runtime.xla import run_of_sizes
from mlconv.runtime.xla_program import HloProgram
from tests.support.lowering import lower
from tests.support.modules import LOCATION, module_of_types

N, M, L = Dim.symbol("N"), Dim.symbol("M"), Dim.symbol("L")
RANGES = {"N": (1, 8), "M": (1, 6), "L": (5, 9)}
SIZES = ({"N": 1, "M": 1, "L": 5}, {"N": 3, "M": 6, "L": 9}, {"N": 8, "M": 2, "L": 7})
FLOAT = DType.F32


class Row(NamedTuple):
    """shapes: of the inputs, float32 unless they are in `index`, which are int32 in [0, 4)."""

    name: str
    shapes: Sequence[tuple[Size, ...]]
    make: Callable[..., Any]
    index: tuple[int, ...] = ()


def const(b: Builder, data: Any, dtype: DType = FLOAT) -> Value:
    return b.emit(core.Constant(value=Inline(np.asarray(data, dtype.numpy), dtype))).y


def one(op: Callable[..., Any], **attributes: Any) -> Callable[..., Value]:
    return lambda b, *xs: b.emit(op(*xs, **attributes)).results[0]


def ints(b: Builder, *numbers: int) -> Value:
    return const(b, numbers, DType.I64)


def turns(b: Builder, x: Value, step: Callable[[Builder, Value], Value]) -> Value:
    """Three turns of a loop."""
    types = [TensorType(DType.I32, ()), x.tensor]
    cond, body = Block(types), Block(types)
    test, inner = Builder(cond, LOCATION), Builder(body, LOCATION)
    test.emit(Yield([test.emit(core.Less(cond.arguments[0], const(test, 3, DType.I32))).y]))
    i, state = body.arguments
    inner.emit(Yield([inner.emit(core.Add(i, const(inner, 1, DType.I32))).y, step(inner, state)]))
    return b.emit(core.While([const(b, 0, DType.I32), x], cond=Region(cond), body=Region(body))).ys[1]


def build(row: Row) -> Module:
    m = module_of_types(
        row.make, [TensorType(DType.I32 if i in row.index else FLOAT, tuple(s)) for i, s in enumerate(row.shapes)]
    )
    m.main.facts.where = SizeFacts(RANGES)
    return m


def written(m: Module, path: pathlib.Path) -> None:
    copy, engine = clone_module(m), DiagnosticEngine()
    lower(copy, "hlo", engine)
    engine.raise_errors()
    (export if path.name.endswith(".pb") else export_text)(copy, path)


def check_row(row: Row, path: pathlib.Path, all_sizes: Sequence[dict[str, int]] = SIZES) -> None:
    """One module, against the interpreter at each of the sizes."""
    m = build(row)
    written(m, path)
    program = HloProgram(str(path))
    rng = np.random.default_rng(0)
    symbols = sorted({s for shape in row.shapes for d in shape if isinstance(d, Dim) for s in d.symbols()})
    for sizes in all_sizes:
        inputs: dict[str, Any] = {}
        for i, shape in enumerate(row.shapes):
            dims = [substitute(d, sizes) for d in shape]
            inputs[f"in{i}"] = (
                rng.integers(0, 4, dims).astype(np.int32)
                if i in row.index
                else rng.standard_normal(dims).astype(np.float32)
            )
        expected = run_function(m.main, inputs)
        got = run_of_sizes(m.main, str(path), inputs, symbols, program.run)
        for name, y in expected.items():
            np.testing.assert_allclose(got[name], y, rtol=1e-4, atol=1e-5, err_msg=f"{name} at {sizes}")


def recurrent(kind: Any, gates: int, **attributes: Any) -> Callable[..., Any]:
    def make(b: Builder, x: Value, lengths: Value | None = None) -> Any:
        rng = np.random.default_rng(7)
        w, r = (const(b, rng.standard_normal((gates * 3, k)) / 2) for k in (4, 3))
        return b.emit(kind(x, w, r, lengths=lengths, **attributes)).results

    return make
