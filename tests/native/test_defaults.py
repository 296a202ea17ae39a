"""Register tiles that are taken without a search: the table is what its log says, and the survey behind it."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from mlconv.codegen.kernels import measured_tiles
from mlconv.codegen.kernels.costs import GemmCosts
from mlconv.codegen.kernels.products import panel_vectors
from mlconv.codegen.kernels.register_tiles import cheapest_tile, registers_of, tile_shape
from mlconv.codegen.machines.cpus import X86_64, Cpu
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.program.compile import host_cpu
from mlconv.codegen.program.survey import kernels_of, surveyed, text_of, tiles_of, timed_tiles
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import FLOAT32
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from tests.support.lowering import lower
from tests.support.modules import const, module, random

TOOLS = Path(__file__).parent.parent.parent / "tools"


def network() -> Module:
    """A depthwise convolution and a product."""

    def make(b: Builder, x: Value) -> Value:
        w = const(b, random(3, 3, 1, 32))
        y = b.emit(core.Conv(x, w, None, strides=(1, 1), pads=((1, 1),) * 2, dilations=(1, 1), groups=32)).y
        y = b.emit(core.Softmax(y, axis=3)).y
        return b.emit(core.MatMul(y, const(b, random(32, 40)))).y

    m = module(make, [random(1, 9, 13, 32)])
    lower(m, "native", DiagnosticEngine())
    return m


def host() -> Cpu:
    return next(c for c in target_named("").cpus if c.name == host_cpu())


def test_the_table_is_that_of_the_log() -> None:
    code = "import tune_defaults as t, json; print(t.table([json.loads(x) for x in t.LOG.read_text().splitlines()]))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=TOOLS, capture_output=True, text=True, check=True)
    text = Path(measured_tiles.__file__).read_text(encoding="utf-8")
    assert ran.stdout.rstrip().endswith(text.rstrip()), "run tools/tune_defaults.py --fit"


def test_the_log_is_whole() -> None:
    rows = [json.loads(line) for line in (TOOLS / "tune_defaults.log").read_text(encoding="utf-8").splitlines()]
    assert {row["kind"] for row in rows} == {"gemm", "depthwise"} and len({(r["set"], r["key"]) for r in rows}) == len(
        rows
    )
    assert all(len(row["ns"]) > 1 and min(row["ns"].values()) > 0 for row in rows)


@pytest.mark.parametrize("cpu", X86_64, ids=lambda c: c.name)
def test_tiles_fit_registers(cpu: Cpu) -> None:
    for columns, panels in itertools.product((1, 2, 3, 7, 49, 3136), (1, 2, 5, 64)):
        rows, count = tile_shape(cpu, columns, panels)
        vectors = count * panel_vectors(FLOAT32, cpu)
        assert 1 <= rows <= columns and 1 <= count <= panels
        # weights of a single row are used once each, and need not all stay
        assert (rows, count) == (1, 1) or (rows + (rows > 1)) * vectors <= registers_of(FLOAT32, cpu)


def test_costs_choose() -> None:
    """A single column takes several panels where a step costs more than its sums."""
    cpu = next(c for c in X86_64 if c.name == "x86-64-v3")
    assert cheapest_tile(cpu, 1, 8, GemmCosts(0.5, 4.0, 8.0, 2)) == (1, 2)
    assert cheapest_tile(cpu, 1, 8, GemmCosts(0.5, 4.0, 8.0, 1)) == (1, 1)
    assert cheapest_tile(cpu, 600, 8, GemmCosts(0.8, 4.0, 8.0, 2)) == (6, 1)
    assert tile_shape(cpu, 1, 8)[1] > 1


def test_kernels_are_timed_from_their_text() -> None:
    found = dict(kernels_of(network().main.block, host()))
    assert sorted(key.split("-")[0] for key in found) == ["depthwise", "gemm"]
    for op in found.values():
        assert surveyed(op, host()) is not None
        times = timed_tiles((), text_of(op), host().name)
        assert [tile for tile, _ in times] == tiles_of(op, host()) and all(seconds > 0 for _, seconds in times)


def test_no_times_for_another_machine() -> None:
    op = next(iter(dict(kernels_of(network().main.block, host())).values()))
    with pytest.raises(ConversionError) as error:
        timed_tiles((), text_of(op), "neon")
    assert error.value.code is Code.TargetUnavailable
