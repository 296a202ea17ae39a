"""Canonicalization, folding, merging: what they change, and that numbers stay."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Inline, Splat
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.recipes import Derived
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.passes.pipeline import Instruments, parse_pipeline, pipeline_text, run_pipeline
from mlconv.passes.trip_count import trip_count
from mlconv.rewrite import NoMatch, Rewriter, greedy, rewrite
from tests.support.graphs import Graph, kinds, run_keeping_numbers


def test_large_constants_are_changed_by_recipe() -> None:
    g = Graph((2, 64))
    w = g.e(core.Transpose(g.noise(48, 64), perm=(1, 0)))
    module = run_keeping_numbers(g.finish(g.e(core.MatMul(g.xs[0], w))), "fold,dce")
    (value,) = [op.value for op in module.walk() if isinstance(op, core.Constant)]
    assert isinstance(value, Derived) and value.recipe == "transpose"


@pytest.mark.parametrize("negated", [False, True])
def test_scattered_normalizations_subtract_their_mean_once(negated: bool) -> None:
    """x * m + (bias - mean * m), with x - mean there for the variance."""
    g = Graph((2, 5, 6))
    (x,) = g.xs
    mean = g.e(core.ReduceMean(x, axes=(2,), keepdims=True))
    centred = g.e(core.Sub(x, mean))
    variance = g.e(core.ReduceMean(g.e(core.Mul(centred, centred)), axes=(2,), keepdims=True))
    factor = g.e(core.Mul(g.e(core.Exp(variance)), g.noise(6)))
    part = g.e(core.Mul(g.e(core.Neg(mean)) if negated else mean, factor))
    rest = g.e(core.Add(part, g.noise(6)) if negated else core.Sub(g.noise(6), part))
    module = run_keeping_numbers(g.finish(g.e(core.Add(g.e(core.Mul(x, factor)), rest))), "canonicalize,dce")
    assert sorted(kinds(module)) == ["add", "exp", "mul", "mul", "mul", "reduce_mean", "reduce_mean", "sub"]


def test_scattered_normalizations_without_a_difference_stay() -> None:
    """Three ops over all of x would stand for two."""
    g = Graph((2, 5, 6), (6,), (6,))
    x, mean, factor = g.xs
    rest = g.e(core.Sub(g.noise(6), g.e(core.Mul(mean, factor))))
    module = run_keeping_numbers(g.finish(g.e(core.Add(g.e(core.Mul(x, factor)), rest))), "canonicalize,dce")
    assert sorted(kinds(module)) == ["add", "mul", "mul", "sub"]


def test_budget_ends_a_ping_pong() -> None:
    @rewrite(core.Neg)
    def to_abs(op: core.Neg, rw: Rewriter) -> Value | NoMatch:
        return rw.emit(core.Abs(op.x)).y

    @rewrite(core.Abs)
    def to_neg(op: core.Abs, rw: Rewriter) -> Value | NoMatch:
        return rw.emit(core.Neg(op.x)).y

    g = Graph((2,))
    module = g.finish(g.e(core.Neg(g.xs[0])))
    with pytest.raises(ConversionError, match=Code.RewriteDiverged.id):
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
        with pytest.raises(ConversionError, match=Code.TextNotUnderstood.id):
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
    with pytest.raises(ConversionError, match=Code.IrInvalid.id):
        verify(module)


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
