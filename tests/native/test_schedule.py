"""The order of kernels: the arena is never larger than in the source's order, and numbers are the same to the bit."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.codegen.program.memory_plan import plan_memory
from mlconv.codegen.program.schedule import KernelSchedule
from mlconv.codegen.settings import Settings
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.driver.context import BUILT_IN
from mlconv.exporters.native.export import export
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield, walk
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.ir.printer import print_module
from mlconv.ir.size_facts import holds
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.passes.base import PassContext
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.runtime.native import load_native
from tests.support.core_graphs import FAMILIES, Graph
from tests.support.modules import LOCATION, module_of_types, random

N = Dim.symbol("N")


def kernels(m: Module) -> Module:
    """Before kernels are ordered."""
    m, target = clone_module(m), BUILT_IN.target("native")
    passes = parse_pipeline(target.pipeline(target.options()))
    assert passes[-1].name == target.schedules
    run_pipeline(m, passes[:-1], Instruments(context=PassContext(DiagnosticEngine())))
    return m


def in_order(m: Module) -> Module:
    m = clone_module(m)
    KernelSchedule().run(m, PassContext(DiagnosticEngine()))
    verify(m)
    return m


def places(block: Block) -> list[str]:
    return sorted(f"{op.name} {op.location}" for op in walk(block))


def branches(b: Builder, x: Value, count: int = 4) -> Value:
    """Sums of large values, all of which are made before the first is read."""
    big = [b.emit(core.CumSum(b.emit(core.Clamp(x, lo=float(-i), hi=float(i))).y, axis=0)).y for i in range(count)]
    small = [b.emit(core.CumSum(b.emit(core.ReduceSum(v, axes=(0,))).y, axis=0)).y for v in big]
    total = small[0]
    for v in small[1:]:
        total = b.emit(core.Add(total, v)).y
    return total


@pytest.mark.share(6)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("family", FAMILIES)
def test_random_graphs(family: str, seed: int, tmp_path: pathlib.Path) -> None:
    shape = (1, 9, 7, 8) if family in ("images", "pieces") else (2, 5, 16)
    before = kernels(Graph(seed, family).module([shape, shape], 20))
    after = in_order(before)
    sizes = [plan_memory(m.main.block).arena_bytes for m in (before, after)]
    assert holds(sizes[1], "<=", sizes[0], before.main.facts.where)
    assert places(before.main.block) == places(after.main.block)
    assert print_module(in_order(before)) == print_module(after)
    if print_module(before) == print_module(after):
        return
    rng, found = np.random.default_rng(0), []
    inputs = {f"in{i}": rng.standard_normal(shape).astype(np.float32) for i in range(2)}
    for name, m in (("before", before), ("after", after)):
        export(m, str(tmp_path / f"{name}.o"), Settings(cpu="x86-64-v3"))
        found.append(load_native(tmp_path / f"{name}.o").run(inputs))
    for name, y in found[0].items():
        np.testing.assert_array_equal(found[1][name], y)


def test_branches_take_turns(tmp_path: pathlib.Path) -> None:
    """By hand: one large value at a time, not four."""
    before = kernels(module_of_types(branches, [TensorType(DType.F32, (512, 16))]))
    after = in_order(before)
    large = 512 * 16 * 4
    sizes = [plan_memory(m.main.block).arena_bytes for m in (before, after)]
    assert isinstance(sizes[0], int) and isinstance(sizes[1], int)
    assert sizes[0] > 4 * large and sizes[1] < 3 * large
    x = random(512, 16)
    found = []
    for name, m in (("before", before), ("after", after)):
        export(m, str(tmp_path / f"{name}.o"), Settings(cpu="x86-64-v3"))
        found.append(load_native(tmp_path / f"{name}.o").run({"in0": x})["out0"])
    np.testing.assert_array_equal(found[0], found[1])


def test_a_branch_in_a_branch() -> None:
    """What regions take is ordered first, and then counts where their op runs."""

    def make(b: Builder, x: Value, p: Value) -> Value:
        def region(count: int) -> Region:
            block = Block()
            inner = Builder(block, LOCATION)
            inner.emit(Yield([branches(inner, x, count)]))
            return Region(block)

        return b.emit(core.If(p, then=region(4), orelse=region(2))).ys[0]

    before = kernels(module_of_types(make, [TensorType(DType.F32, (512, 16)), TensorType(DType.BOOL, ())]))
    after = in_order(before)
    sizes = [plan_memory(m.main.block).arena_bytes for m in (before, after)]
    assert isinstance(sizes[0], int) and isinstance(sizes[1], int) and sizes[1] < 0.7 * sizes[0]


def test_sizes_of_run_time() -> None:
    """Another order is taken where it certainly takes no more."""
    before = kernels(module_of_types(branches, [TensorType(DType.F32, (N, 16))]))
    after = in_order(before)
    sizes = [plan_memory(m.main.block).arena_bytes for m in (before, after)]
    assert holds(sizes[1], "<=", sizes[0], before.main.facts.where) and sizes[0] != sizes[1]


def test_constants_stay_in_their_order() -> None:
    """Weights are where they were."""

    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.Add(branches(b, x), b.emit(core.Tanh(branches(b, x, 2))).y)).y

    before = kernels(module_of_types(make, [TensorType(DType.F32, (64, 16))]))
    plans = [plan_memory(m.main.block) for m in (before, in_order(before))]
    assert [w for w, _ in plans[0].weights] == [w for w, _ in plans[1].weights]
