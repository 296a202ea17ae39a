"""Native objects touch nothing beside their buffers, at all sizes of a run: inputs, outputs, separate weights and the
workspace lie beside pages that may not be touched.
"""

from __future__ import annotations

import json
import pathlib
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.module import Module
from tests.support.core_graphs import FAMILIES, Graph
from tests.support.modules import const, module_of_shapes
from tests.support.native import CPUS, to_object

ROOT = pathlib.Path(__file__).parents[2]
N, M = Dim.symbol("N"), Dim.symbol("M")
NUMBERS = (0, 1, 2, 3, 7, 16, 17, 31)
SETS = [*CPUS, "x86-64-v2"]


def run(path: pathlib.Path, sizes: Sequence[dict[str, int]], short: int = 0) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "tests.support.guarded_runs", str(path), json.dumps(sizes), str(short)]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def _shapes(family: str, random: np.random.Generator) -> list[tuple[Any, ...]]:
    """Of two inputs, whose first sizes may disagree."""
    if family in ("images", "pieces"):
        inner = [*(int(random.choice([4, 7, 9])) for _ in range(2)), int(random.choice([3, 8, 17]))]
    else:
        inner = [int(random.choice([1, 5, 16])), int(random.choice([5, 12, 16]))]
    return [(N, *inner), (M, *inner)]


@pytest.mark.share(3)
@pytest.mark.parametrize("cpu", SETS)
@pytest.mark.parametrize("family", FAMILIES)
def test_random_graphs(family: str, cpu: str, tmp_path: pathlib.Path) -> None:
    sizes = [{"N": n, "M": n} for n in NUMBERS] + [{"N": 3, "M": 5}, {"N": 0, "M": 4}, {"N": 1, "M": 6}]
    for seed in range(3):
        m: Module = Graph(seed, family).module(_shapes(family, np.random.default_rng(seed)), 5 + seed)
        path = to_object(m, tmp_path / f"m{seed}.o", cpu, separate_weights=True)
        done = run(path, sizes)
        assert done.returncode == 0, (seed, done.returncode, done.stderr[-500:])
        assert int(done.stdout.split()[0]) >= 4 * (len(NUMBERS) - 1)  # of two threads, twice


def joined(b: Builder, x: Value, y: Value) -> Value:
    """Sizes of both inputs count, and a product reads weights."""
    rows = b.emit(core.Concat([x, y], axis=0)).y
    return b.emit(core.MatMul(rows, const(b, np.ones((5, 7), np.float32)))).y


@pytest.mark.parametrize("short", [0, 4])
def test_a_read_behind_a_buffer_ends_the_process(short: int, tmp_path: pathlib.Path) -> None:
    """With one element less, which shows that the others are right."""
    path = to_object(module_of_shapes(joined, [(N, 5), (M, 5)]), tmp_path / "m.o", CPUS[-1])
    done = run(path, [{"N": 3, "M": 2}], short)
    assert done.returncode == (-signal.SIGSEGV if short else 0)


def sorted_rows(b: Builder, x: Value, y: Value) -> list[Value]:
    """Of rows of a size that is known, and along axes of sizes that are not."""
    few, all_ = (b.emit(core.TopK(x, const(b, np.int64(k)), axis=1)) for k in (2, 13))
    columns = b.emit(core.TopK(y, const(b, np.int64(3)), axis=0, largest=False))
    every = b.emit(core.TopK(x, b.emit(core.Gather(b.emit(core.ShapeOf(x)).y, const(b, np.int64(0)))).y, axis=0))
    return [r for op in (few, all_, columns, every) for r in op.results]


@pytest.mark.parametrize("cpu", CPUS)
def test_sorted_rows(cpu: str, tmp_path: pathlib.Path) -> None:
    path = to_object(module_of_shapes(sorted_rows, [(N, 13), (M, 9)]), tmp_path / "m.o", cpu)
    sizes = ((1, 3), (7, 4), (8, 11), (17, 40), (255, 5), (257, 8), (600, 3))
    done = run(path, [{"N": n, "M": m} for n, m in (*sizes, (5, 2), (5, 0))])
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout.split()[0]) >= 4 * len(sizes)  # of fewer elements than are wanted there is no first one
