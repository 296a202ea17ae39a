"""A step of a recurrent layer: gates are epilogues of products, where weights of a gate fill whole panels."""

from __future__ import annotations

import pathlib
from collections import Counter
from collections.abc import Iterator

import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.module import Module, clone_module
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import Array, check, needs_cc

STEPS, INPUTS = 4, 20


def _layer(kind: str, hidden: int, batch: int, peepholes: bool = False) -> tuple[Module, list[Array]]:
    cls, count = (core.Lstm, 4) if kind == "lstm" else (core.Gru, 3)

    def make(b: Builder, x: Value) -> Value:
        w, r = (const(b, random(count * hidden, n, seed=n) / n**0.5) for n in (INPUTS, hidden))
        if kind == "lstm":
            more = {"peepholes": const(b, random(3 * hidden, seed=5)), "clip": 0.6} if peepholes else {}
            return b.emit(cls(x, w, r, const(b, random(count * hidden, seed=7)), **more)).y
        biases = [const(b, random(count * hidden, seed=seed)) for seed in (7, 8)]
        return b.emit(cls(x, w, r, *biases, linear_before_reset=True)).y

    arrays = [random(STEPS, batch, INPUTS)]
    return module(make, arrays), arrays


def _inside(block: Block) -> Iterator[Op]:
    for op in block.ops:
        for region in op.regions:
            yield from region.block.ops
            yield from _inside(region.block)


def _kernels_of_steps(m: Module) -> Counter[str]:
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    return Counter(op.name for op in _inside(lowered.main.block) if "sigmoid" in str(op.attributes))


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_gates_are_epilogues(kind: str) -> None:
    m, _ = _layer(kind, 48, 1)
    assert _kernels_of_steps(m) == {"kernel.gemm": 1}  # of all gates that have this activation
    odd, _ = _layer(kind, 40, 1)  # two products would have more panels
    assert set(_kernels_of_steps(odd)) == {"kernel.loop_nest"}


@needs_cc
@pytest.mark.parametrize(
    ("kind", "hidden", "batch"), [("lstm", 48, 1), ("lstm", 32, 3), ("gru", 48, 2), ("gru", 24, 1)]
)
def test_steps(kind: str, hidden: int, batch: int, tmp_path: pathlib.Path) -> None:
    m, arrays = _layer(kind, hidden, batch)
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


@needs_cc
def test_steps_with_peepholes(tmp_path: pathlib.Path) -> None:
    m, arrays = _layer("lstm", 32, 2, peepholes=True)
    check(m, arrays, tmp_path, host_cpus()[-1])


@needs_cc
def test_gates_are_clipped_before_their_activations(tmp_path: pathlib.Path) -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        w, r = (const(b, 3 * random(4 * 32, n, seed=n) / n**0.5) for n in (INPUTS, 32))
        return [b.emit(core.Lstm(x, w, r, clip=0.3, input_forget=forget)).y for forget in (False, True)]

    arrays = [random(STEPS, 1, INPUTS)]
    check(module(make, arrays), arrays, tmp_path, host_cpus()[-1])


@needs_cc
def test_a_reset_ahead_of_the_product(tmp_path: pathlib.Path) -> None:
    def make(b: Builder, x: Value) -> Value:
        w, r = (const(b, random(3 * 32, n, seed=n) / n**0.5) for n in (INPUTS, 32))
        return b.emit(core.Gru(x, w, r, const(b, random(96, seed=7)), const(b, random(96, seed=8)))).y

    arrays = [random(STEPS, 2, INPUTS)]
    check(module(make, arrays), arrays, tmp_path, host_cpus()[-1])
