"""The order of TFLite ops: the arena as LiteRT has it, never larger than in the source's order; the same numbers."""

from __future__ import annotations

from functools import reduce
from itertools import combinations

import numpy as np
import pytest

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.driver.context import BUILT_IN
from mlconv.exporters.tflite.export import build
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.ir.printer import print_module
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.legalize.to_tfl import arena
from mlconv.legalize.to_tfl.arena import ALWAYS, Tensor, arena_bytes, placed, tensors_of
from mlconv.legalize.to_tfl.schedule import EXAMPLES, TflSchedule, arenas
from mlconv.passes.base import PassContext
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.passes.schedule.blocks import scheduled_ops
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.core_graphs import FAMILIES, Graph
from tests.support.litert import file_bytes, run_litert
from tests.support.modules import module_of_types, random

N = Dim.symbol("N")
KERNELS = "BUILTIN_WITHOUT_DEFAULT_DELEGATES"


def tfl(m: Module) -> Module:
    """Before ops are ordered.  Raises ConversionError for what TFLite lacks."""
    m, target = clone_module(m), BUILT_IN.target("tflite")
    passes = parse_pipeline(target.pipeline(target.options()))
    at = [p.name for p in passes].index(target.schedules)
    run_pipeline(m, passes[:at], Instruments(context=PassContext(DiagnosticEngine())))
    return m


def in_order(m: Module) -> Module:
    m = clone_module(m)
    TflSchedule().run(m, PassContext(DiagnosticEngine()))
    verify(m)
    return m


def planned(m: Module) -> int:
    found = tensors_of(m.main.block, scheduled_ops(m.main.block), main=True)
    assert found is not None
    taken = arena_bytes(found)
    assert taken is not None
    return taken


def measured(m: Module) -> int:
    """What LiteRT takes for inputs and results of ops: from the first to behind the last address."""
    from ai_edge_litert import interpreter as litert

    kernels = getattr(litert.OpResolverType, KERNELS)
    content = file_bytes(build(m))
    run = litert.Interpreter(model_content=content, num_threads=1, experimental_op_resolver_type=kernels)
    run.allocate_tensors()
    made = {i for op in run._get_ops_details() for i in op["outputs"]} | {d["index"] for d in run.get_input_details()}
    arrays = [run.tensor(i)() for i in sorted(made)]
    spans = [(a.__array_interface__["data"][0], a.nbytes) for a in arrays if a.nbytes]
    return max(at + size for at, size in spans) - min(at for at, _ in spans)


def branches(b: Builder, x: Value, count: int = 4) -> Value:
    """Sums of rows of large values, all of which are made before the first is read."""
    e = CoreBuilder(b)
    big = [b.emit(core.CumSum(b.emit(core.Sin(x)).y if i else x, axis=i % 2, reverse=i > 1)).y for i in range(count)]
    return reduce(e.add, [e.slice_axis(v, 0, 0, 1) for v in big])


def together(b: Builder, x: Value) -> list[Value]:
    """Views, ops that write over their operand, and outputs that are others too."""
    e = CoreBuilder(b)
    y = b.emit(core.Tanh(x)).y
    flat = e.reshape(y, [512])
    z = e.add(b.emit(core.Neg(y)).y, b.emit(core.Exp(y)).y)
    w = e.mul(flat, flat)
    return [w, z, w, e.slice_axis(b.emit(core.Sin(flat)).y, 0, 0, 5)]


MADE = {"branches": branches, "two": lambda b, x: branches(b, x, 2), "together": together}


@pytest.mark.parametrize("name", MADE)
def test_arena_is_that_of_the_runtime(name: str) -> None:
    before = tfl(module_of_types(MADE[name], [TensorType(DType.F32, (32, 16))]))
    for m in (before, in_order(before)):
        assert planned(m) == measured(m)


def test_branches_take_turns() -> None:
    """By hand: the input, and one large value at a time, not four."""
    before = tfl(module_of_types(branches, [TensorType(DType.F32, (512, 16))]))
    after, large = in_order(before), 512 * 16 * 4
    assert planned(before) >= 5 * large and planned(after) < 4 * large
    x = random(512, 16)
    for kernels in ("AUTO", KERNELS):
        one, other = (run_litert(file_bytes(build(m)), [x], kernels) for m in (before, after))
        np.testing.assert_array_equal(one[0], other[0])


@pytest.mark.share(6)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("family", FAMILIES)
def test_random_graphs(family: str, seed: int) -> None:
    shape = (1, 9, 7, 8) if family in ("images", "pieces") else (2, 5, 16)
    try:
        before = tfl(Graph(seed, family).module([shape, shape], 20))
    except ConversionError:
        pytest.skip("TFLite lacks an op of it")
    after = in_order(before)
    assert planned(after) <= planned(before)
    assert print_module(in_order(before)) == print_module(after)
    if print_module(before) == print_module(after):
        return
    arrays = [random(*shape, seed=i) for i in range(2)]
    one, other = (run_litert(file_bytes(build(m)), arrays, KERNELS) for m in (before, after))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_sizes_of_run_time() -> None:
    """The file says 1; another order takes no more for some others either."""
    before = tfl(module_of_types(branches, [TensorType(DType.F32, (N, 512))]))
    sizes = [arenas(m.main.block, scheduled_ops(m.main.block), True) for m in (before, in_order(before))]
    assert len(sizes[0]) == len(EXAMPLES)
    assert all(a is not None and b is not None and b < a for a, b in zip(*sizes, strict=True))


def test_sizes_that_depend_on_data() -> None:
    """Tensors of such sizes are not in the arena: the order stays."""

    def make(b: Builder, x: Value) -> Value:
        found = b.emit(core.NonZero(b.emit(core.Cast(x, dtype=DType.BOOL)).y)).y
        return b.emit(core.Cast(found, dtype=DType.F32)).y

    before = tfl(module_of_types(make, [TensorType(DType.F32, (32, 16))]))
    assert tensors_of(before.main.block, scheduled_ops(before.main.block), main=True) is None
    assert print_module(in_order(before)) == print_module(before)


def test_tensors_at_the_same_time_lie_apart() -> None:
    """Random lives against the definition; those that always live lie in front."""
    rng = np.random.default_rng(3)
    births, lengths = rng.integers(1, 300, 200), rng.choice([1, 2, 5, 100, 1 << 20], 200)
    tensors = [
        Tensor(int(s), int(b), ALWAYS if n == 1 << 20 else int(b + n))
        for s, b, n in zip(rng.integers(0, 999, 200), births, lengths, strict=True)
    ] + [Tensor(100, 0, ALWAYS), Tensor(65, 0, ALWAYS)]
    offsets = placed(tensors)
    assert offsets is not None and offsets[-2:] == [0, 128] and all(o % 64 == 0 for o in offsets)
    for (a, at), (b, bt) in combinations(zip(tensors, offsets, strict=True), 2):
        if a.size and b.size and a.first <= b.last and b.first <= a.last:
            assert at + a.size <= bt or bt + b.size <= at
    assert arena_bytes(tensors) == max(o + t.size for o, t in zip(offsets, tensors, strict=True))


def test_many_long_lives_are_not_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "_MANY_MEETINGS", 10)
    before = tfl(module_of_types(branches, [TensorType(DType.F32, (512, 16))]))
    assert arenas(before.main.block, scheduled_ops(before.main.block), True) == [None]
    assert print_module(in_order(before)) == print_module(before)
