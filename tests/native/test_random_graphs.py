"""Random graphs against the reference interpreter: serial, and with the items of every kernel done in pieces from the
last to the first.
"""

from __future__ import annotations

import ctypes
import itertools
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.program import calls
from mlconv.diagnostics import DiagnosticEngine
from mlconv.interp import run_function
from mlconv.ir.dims import Dim, substitute
from mlconv.ir.module import Module, clone_module
from mlconv.ir.verifier import verify
from tests.support.core_graphs import FAMILIES, Graph
from tests.support.lowering import lower
from tests.support.native import CPUS, Array, InProcess, to_object

SEEDS = (0, 1, 2, 7, 16, 24, 37)  # some of which have found what was wrong
N = Dim.symbol("N")
_TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, _TASK, ctypes.c_void_p)


class Pieces(ctypes.Structure):
    """An `mlc_parallel` that does items in three pieces, the last one first."""

    _fields_ = (("context", ctypes.c_void_p), ("run", _RUN))


def _in_pieces(_: Any, items: int, grain: int, task: Any, argument: Any) -> None:
    ends = [items, (2 * items + 2) // 3, items // 3, 0]
    for end, begin in itertools.pairwise(ends):
        if begin < end:
            task(argument, begin, end)


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pieces]:
    """The hook; every kernel that can be shared is."""
    monkeypatch.setattr(calls, "worth_sharing", lambda items, nanoseconds: items != 1)
    yield Pieces(None, _RUN(_in_pieces))


def _shapes(family: str, random: np.random.Generator, symbolic: bool) -> list[tuple[Any, ...]]:
    """Of two inputs."""
    if family in ("images", "pieces"):
        sizes = [
            1 + int(random.integers(2)),
            *(int(random.choice([1, 4, 7, 9, 12])) for _ in range(2)),
            int(random.choice([3, 8, 16, 17, 20])),
        ]
    else:
        sizes = [int(random.choice([1, 2, 3])), int(random.choice([1, 5, 16, 33])), int(random.choice([5, 12, 16]))]
    shape = (N if symbolic else sizes[0], *sizes[1:])
    return [shape, shape if random.integers(2) else (1, *sizes[1:])]


def _agrees(expected: dict[str, Any], names: list[str], got: list[Array]) -> None:
    for name, y in zip(names, got, strict=True):
        r = np.asarray(expected[name])
        assert (r.shape, r.dtype) == (y.shape, y.dtype)
        np.testing.assert_allclose(y, r, rtol=2e-4, atol=2e-4 * max(1.0, float(np.abs(r).max(initial=0))), err_msg=name)


def _check(m: Module, cpu: str, sizes: list[dict[str, int]], pieces: Pieces, folder: pathlib.Path) -> None:
    kernels = clone_module(m)
    engine = DiagnosticEngine()
    lower(kernels, "native", engine)
    engine.raise_errors()
    verify(kernels)
    net, random = InProcess(to_object(m, folder / "m.o", cpu)), np.random.default_rng(1)
    for given in sizes:
        shapes = [tuple(substitute(d, given) for d in v.tensor.shape or ()) for v in m.main.inputs]
        arrays = [random.standard_normal(s).astype(np.float32) for s in shapes]  # type: ignore[arg-type]
        expected = run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)})
        for parallel in (None, ctypes.addressof(pieces)):
            code, got = net.call(arrays, given=given or None, parallel=parallel)
            assert code == 0
            _agrees(expected, m.main.output_names, got)


@pytest.mark.share(6)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_random_graph(family: str, seed: int, pieces: Pieces, tmp_path: pathlib.Path) -> None:
    shapes = _shapes(family, np.random.default_rng(seed), symbolic=False)
    _check(Graph(seed, family).module(shapes, 4 + seed % 8), CPUS[seed % len(CPUS)], [{}], pieces, tmp_path)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("family", ["rows", "products", "attention", "control"])
def test_random_graph_with_a_run_time_size(family: str, seed: int, pieces: Pieces, tmp_path: pathlib.Path) -> None:
    shapes = _shapes(family, np.random.default_rng(seed), symbolic=True)
    _check(
        Graph(seed, family).module(shapes, 4 + seed % 8),
        CPUS[seed % len(CPUS)],
        [{"N": 1}, {"N": 19}],
        pieces,
        tmp_path,
    )
