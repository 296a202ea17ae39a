"""Canonicalization, folding, merging: what they change, and that numbers stay."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.constants import Inline, Splat
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.recipes import Derived
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.passes.pipeline import Instruments, parse_pipeline, pipeline_text, run_pipeline
from mlconv.passes.trip_count import trip_count
from mlconv.provenance.locations import Fused, node_names
from mlconv.rewrite import NoMatch, Rewriter, constant_array, greedy, rewrite
from tests.passes.graphs import Graph, count, random_inputs, same_outputs


def run(module: Module, pipeline: str) -> Module:
    inputs = random_inputs(module)
    before = run_function(module.main, inputs)
    run_pipeline(module, parse_pipeline(pipeline), Instruments(verify_each=True))
    same_outputs(before, run_function(module.main, inputs))
    return module


def kinds(module: Module) -> list[str]:
    return [op.name.removeprefix("core.") for op in module.walk() if not isinstance(op, (core.Constant, Yield))]


def test_transposes_join_and_vanish() -> None:
    g = Graph((2, 3, 4))
    x = g.e(core.Transpose(g.e(core.Transpose(g.xs[0], perm=(1, 2, 0))), perm=(2, 0, 1)))
    assert kinds(run(g.finish(g.e(core.Neg(x))), "canonicalize")) == ["neg"]


def test_clamps_merge_only_where_ranges_meet() -> None:
    g = Graph((4,))
    x = g.e(core.Clamp(g.e(core.Clamp(g.xs[0], lo=0.0, hi=np.inf)), lo=-1.0, hi=6.0))
    module = run(g.finish(x), "canonicalize")
    (clamp,) = [op for op in module.walk() if isinstance(op, core.Clamp)]
    assert (clamp.lo, clamp.hi) == (0.0, 6.0)
    assert sorted(node_names(clamp.location)) == ["n0", "n1"] and isinstance(clamp.location, Fused)
    g = Graph((4,))
    x = g.e(core.Clamp(g.e(core.Clamp(g.xs[0], lo=0.0, hi=1.0)), lo=2.0, hi=3.0))
    assert kinds(run(g.finish(x), "canonicalize")) == ["clamp", "clamp"]


@pytest.mark.parametrize("form", ["erf div", "erf mul", "erfc"])
def test_gelu_is_recognised(form: str) -> None:
    g = Graph((3, 5))
    x = g.xs[0]
    if form == "erfc":
        inner = g.e(core.Erfc(g.e(core.Mul(g.e(core.Neg(x)), g.const(np.float32(0.70710678))))))
        y = g.e(core.Mul(g.e(core.Mul(x, g.const(np.float32(0.5)))), inner))
    else:
        root = np.float32(np.sqrt(2))
        scaled = g.e(core.Div(x, g.const(root))) if form == "erf div" else g.e(core.Mul(x, g.const(1 / root)))
        plus = g.e(core.Add(g.e(core.Erf(scaled)), g.const(np.float32(1))))
        y = g.e(core.Mul(g.e(core.Mul(x, plus)), g.const(np.float32(0.5))))
    assert kinds(run(g.finish(y), "canonicalize")) == ["gelu"]


def test_hard_swish_is_recognised() -> None:
    g = Graph((3, 5))
    gate = g.e(core.Clamp(g.e(core.Add(g.xs[0], g.const(np.float32(3)))), lo=0.0, hi=6.0))
    y = g.e(core.Mul(g.xs[0], g.e(core.Div(gate, g.const(np.float32(6))))))
    assert kinds(run(g.finish(y), "canonicalize")) == ["hard_swish"]


def test_folding_has_a_limit() -> None:
    def build() -> Module:
        g = Graph((1,))
        wide = g.e(core.BroadcastTo(g.const(np.float32(2)), g.ints(1000, 1000)))
        return g.finish(g.e(core.ReduceSum(g.e(core.Mul(g.xs[0], wide)), axes=(0, 1))))

    assert "broadcast_to" in kinds(run(build(), "fold{limit=1000}"))
    assert "broadcast_to" not in kinds(run(build(), "fold{limit=5000000}"))


def test_large_constants_are_changed_by_recipe() -> None:
    g = Graph((2, 64))
    w = g.e(core.Transpose(g.noise(48, 64), perm=(1, 0)))
    module = run(g.finish(g.e(core.MatMul(g.xs[0], w))), "fold,dce")
    (value,) = [op.value for op in module.walk() if isinstance(op, core.Constant)]
    assert isinstance(value, Derived) and value.recipe == "transpose"


def test_batch_norm_goes_into_weights_as_recipe() -> None:
    g = Graph((1, 3, 8, 8))
    x = g.conv(g.xs[0], 4)
    x = g.e(core.Sub(g.e(core.Mul(x, g.noise(4, 1, 1))), g.noise(1, 4, 1, 1)))
    x = g.e(core.Add(x, g.noise(4, 1, 1)))
    module = run(g.finish(x), "fold-batch-norm")
    assert kinds(module) == ["conv"]
    assert all(isinstance(op.value, Derived) for op in module.walk() if isinstance(op, core.Constant))


def test_pad_goes_into_convolution() -> None:
    g = Graph((1, 3, 8, 8))
    pads = g.const(np.array([[0, 0], [0, 0], [1, 2], [0, 1]]))
    module = run(g.finish(g.conv(g.e(core.Pad(g.xs[0], pads, g.const(np.float32(0)))), 4)), "fold-batch-norm")
    assert kinds(module) == ["conv"]


def test_cse_merges_commutative_ops_and_keeps_random_ones() -> None:
    g = Graph((4,), (4,))
    a, b = g.xs
    x = g.e(core.Mul(g.e(core.Add(a, b)), g.e(core.Add(b, a))))
    noise = [g.e(core.RandomUniform(g.ints(4), seed=3)) for _ in range(2)]
    x = g.e(core.Add(g.e(core.Add(x, noise[0])), noise[1]))
    module = g.finish(x)
    run_pipeline(module, parse_pipeline("cse"))
    verify(module)
    assert kinds(module).count("random_uniform") == 2 and kinds(module).count("add") == 3


def branch(g: Graph, x: Value, factor: float) -> Region:
    block = Block()
    b = g.at(block)
    two = b.emit(core.Constant(value=Splat(factor, DType.F32, ()))).y
    b.emit(Yield([b.emit(core.Mul(x, two)).y, b.emit(core.Neg(x)).y]))
    return Region(block)


def test_constant_if_is_inlined_and_dead_results_go() -> None:
    g = Graph((4,))
    cond = g.const(np.bool_(False))
    ys = g.emit(core.If(cond, then=branch(g, g.xs[0], 2.0), orelse=branch(g, g.xs[0], 3.0))).ys
    assert kinds(run(g.finish(ys[0]), "canonicalize")) == ["mul"]
    g = Graph((4,))
    cond = g.e(core.Greater(g.e(core.ReduceSum(g.xs[0], axes=(0,))), g.const(np.float32(0))))
    op = g.emit(core.If(cond, then=branch(g, g.xs[0], 2.0), orelse=branch(g, g.xs[0], 3.0)))
    module = run(g.finish(op.ys[0]), "dce")
    assert len(op.results) == 1 and count(module, core.Neg) == 0


def test_dead_loop_variables_go() -> None:
    g = Graph((4,))
    cond, body = Block([g.xs[0].type] * 2), Block([g.xs[0].type] * 2)
    c, b = g.at(cond), g.at(body)
    total = c.emit(core.ReduceSum(cond.arguments[0], axes=(0,))).y
    limit = c.emit(core.Constant(value=Splat(100.0, DType.F32, ()))).y
    c.emit(Yield([c.emit(core.Less(c.emit(core.Abs(total)).y, limit)).y]))
    doubled = b.emit(core.Add(body.arguments[0], body.arguments[0])).y
    b.emit(Yield([doubled, b.emit(core.Neg(body.arguments[1])).y]))
    loop = g.emit(core.While([g.xs[0], g.xs[0]], cond=Region(cond), body=Region(body)))
    module = g.finish(loop.ys[0])
    run(module, "dce")
    assert len(loop.results) == 2  # the second still feeds itself through neg
    assert constant_array(loop.results[0]) is None


def test_budget_ends_a_ping_pong() -> None:
    @rewrite(core.Neg)
    def to_abs(op: core.Neg, rw: Rewriter) -> Value | NoMatch:
        return rw.emit(core.Abs(op.x)).y

    @rewrite(core.Abs)
    def to_neg(op: core.Abs, rw: Rewriter) -> Value | NoMatch:
        return rw.emit(core.Neg(op.x)).y

    g = Graph((2,))
    module = g.finish(g.e(core.Neg(g.xs[0])))
    with pytest.raises(ConversionError, match="MLC0601"):
        greedy(module.main.block, [to_abs, to_neg])


def test_statistics_count_patterns() -> None:
    g = Graph((2, 3))
    module = g.finish(g.e(core.Transpose(g.e(core.Transpose(g.xs[0], perm=(1, 0))), perm=(1, 0))))
    watch = Instruments()
    run_pipeline(module, parse_pipeline("canonicalize"), watch)
    assert watch.context.statistics.applied["simplify-transpose"] >= 1 and "canonicalize" in watch.timings


def test_pipeline_text_round_trip() -> None:
    text = "canonicalize,fold{limit=123},layout,cse"
    assert pipeline_text(parse_pipeline(text)) == text
    for bad in ("nope", "fold{size=1}", "fold{limit=x}", "fold{{}}"):
        with pytest.raises(ConversionError, match="MLC0602"):
            parse_pipeline(bad)


def test_verifier_finds_what_is_wrong() -> None:
    g = Graph((2, 3))
    y = g.e(core.Neg(g.xs[0]))
    module = g.finish(y)
    verify(module)
    producer = y.producer
    assert producer is not None
    producer.location = None
    with pytest.raises(ConversionError, match="no location"):
        verify(module)
    g = Graph((2, 3))
    y = g.e(core.Neg(g.xs[0]))
    module = g.finish(y)
    late = g.e(core.Abs(g.xs[0]))
    assert y.producer is not None
    y.producer.set_operand(0, late)
    with pytest.raises(ConversionError, match="MLC0603"):
        verify(module)


def test_loops_give_out_what_does_not_change() -> None:
    g = Graph((4,), (4,))
    types = [g.xs[0].type] * 2
    cond, body = Block(types), Block(types)
    c, b = g.at(cond), g.at(body)
    total = c.emit(core.ReduceSum(cond.arguments[0], axes=(0,))).y
    limit = c.emit(core.ReduceSum(c.emit(core.Abs(cond.arguments[1])).y, axes=(0,))).y
    c.emit(Yield([c.emit(core.Less(total, limit)).y]))
    square = b.emit(core.Mul(body.arguments[1], body.arguments[1])).y
    b.emit(Yield([b.emit(core.Add(body.arguments[0], square)).y, body.arguments[1]]))
    loop = g.emit(core.While(list(g.xs), cond=Region(cond), body=Region(body)))
    module = run(g.finish(*loop.ys), "loops,dce")
    assert len(loop.results) == 1 and loop.body.block.size == 2
    assert kinds(module)[:3] == ["mul", "abs", "reduce_sum"]


def counting_loop(turns: int) -> tuple[Graph, core.While]:
    g = Graph((4,))
    types = [TensorType(DType.I32, ()), g.xs[0].type]
    cond, body = Block(types), Block(types)
    c, b = g.at(cond), g.at(body)
    limit = c.emit(core.Constant(value=Splat(turns, DType.I32, ()))).y
    c.emit(Yield([c.emit(core.Less(cond.arguments[0], limit)).y]))
    one = b.emit(core.Constant(value=Splat(1, DType.I32, ()))).y
    factor = b.emit(core.Cast(body.arguments[0], dtype=DType.F32)).y
    b.emit(
        Yield(
            [
                b.emit(core.Add(body.arguments[0], one)).y,
                b.emit(core.Add(b.emit(core.Mul(body.arguments[1], factor)).y, g.xs[0])).y,
            ]
        )
    )
    return g, g.emit(core.While([g.const(np.int32(0)), g.xs[0]], cond=Region(cond), body=Region(body)))


@pytest.mark.parametrize("turns", [0, 1, 3, 100])
def test_short_loops_are_written_out(turns: int) -> None:
    g, loop = counting_loop(turns)
    module = run(g.finish(*loop.ys), "unroll,fold,canonicalize,dce")
    assert count(module, core.While) == (1 if turns == 100 else 0)
    if turns == 3:
        assert kinds(module) == ["mul", "add", "add", "mul", "add"]  # x * 0 is kept (it may be NaN), x * 1 is not


@pytest.mark.parametrize(("places", "turns"), [((2, 0, 3, 1), 3), ((2, 0, 9, 1), None)])
def test_turns_that_a_table_decides(places: tuple[int, ...], turns: int | None) -> None:
    """From place to place until it is at 1; a place that the table does not have is left to whoever runs the loop."""
    g = Graph(())
    types = [TensorType(DType.I64, ()), g.xs[0].type]
    cond, body = Block(types), Block(types)
    c, b = g.at(cond), g.at(body)
    end = c.emit(core.Constant(value=Splat(1, DType.I64, ()))).y
    c.emit(Yield([c.emit(core.NotEqual(cond.arguments[0], end)).y]))
    table = b.emit(core.Constant(value=Inline(np.asarray(places, np.int64), DType.I64))).y
    following = b.emit(core.Gather(table, body.arguments[0], axis=0)).y
    b.emit(Yield([following, b.emit(core.Add(body.arguments[1], body.arguments[1])).y]))
    loop = g.emit(core.While([g.const(np.int64(0)), g.xs[0]], cond=Region(cond), body=Region(body)))
    g.finish(*loop.ys)
    assert trip_count(loop, 16) == turns
    assert trip_count(loop, 2) is None
