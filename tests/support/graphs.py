"""Builders of small core modules for tests of passes."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.provenance.locations import NameLocation


class Graph(Builder):
    """Emits ops with numbered locations; `finish` makes the module."""

    def __init__(self, *shapes: tuple[int, ...], dtype: DType = DType.F32, seed: int = 0) -> None:
        self.function = Function.create(
            "main", [TensorType(dtype, s) for s in shapes], [f"x{i}" for i in range(len(shapes))], NameLocation("graph")
        )
        super().__init__(self.function.block, NameLocation("node"))
        self.rng = np.random.default_rng(seed)
        self.count = 0

    @property
    def xs(self) -> list[Value]:
        return self.function.inputs

    def e(self, op: object) -> Value:
        self.location = NameLocation(f"n{self.count}")
        self.count += 1
        return self.emit(op).results[0]  # type: ignore[type-var]

    def const(self, array: object, dtype: DType | None = None) -> Value:
        return self.e(core.Constant(value=make_const(np.asarray(array), dtype)))

    def noise(self, *shape: int) -> Value:
        return self.const(self.rng.standard_normal(shape).astype(np.float32))

    def ints(self, *values: int) -> Value:
        return self.const(np.asarray(values, np.int64))

    def conv(self, x: Value, out: int, k: int = 3, stride: int = 1, groups: int = 1) -> Value:
        """A convolution with channels first."""
        c = x.tensor.static_shape()[1]
        w = self.noise(out, c // groups, k, k)
        pads = ((k // 2, k // 2),) * 2
        return self.e(
            core.Conv(
                x,
                w,
                None,
                strides=(stride,) * 2,
                pads=pads,
                dilations=(1, 1),
                groups=groups,
                x_layout="NC01",
                w_layout="OI01",
                y_layout="NC01",
            )
        )

    def finish(self, *outputs: Value) -> Module:
        self.emit(Yield(list(outputs)))
        self.function.output_names = [f"y{i}" for i in range(len(outputs))]
        return Module([self.function], {"format": "test"})


def random_inputs(module: Module, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        v.name: rng.standard_normal(v.tensor.static_shape()).astype(v.tensor.dtype.numpy) for v in module.main.inputs
    }


def count(module: Module, kind: type) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


def kinds(module: Module) -> list[str]:
    """Names of ops, but for constants and ends of blocks."""
    return [op.name.removeprefix("core.") for op in module.walk() if not isinstance(op, (core.Constant, Yield))]


def same_outputs(before: dict[str, np.ndarray], after: dict[str, np.ndarray], tolerance: float = 1e-5) -> None:
    assert list(before) == list(after)
    for name, array in before.items():
        np.testing.assert_allclose(
            after[name], array, rtol=tolerance, atol=tolerance * float(np.max(np.abs(array), initial=1.0))
        )
        assert after[name].dtype == array.dtype


def run_keeping_numbers(module: Module, pipeline: str) -> Module:
    """The module after passes, each of which leaves it valid; its outputs stay the same."""
    inputs = random_inputs(module)
    before = run_function(module.main, inputs)
    run_pipeline(module, parse_pipeline(pipeline), Instruments(verify_each=True))
    same_outputs(before, run_function(module.main, inputs))
    return module
