"""Core ops in a function, exported to HLO, run on jaxlib's XLA, compared with the reference interpreter."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlconv.diagnostics import DiagnosticEngine
from mlconv.exporters.hlo.export import export
from mlconv.interp import run_function
from mlconv.ir.module import Module, clone_module
from mlconv.runtime.xla import Xla, run_of_sizes
from mlconv.runtime.xla_program import HloProgram
from tests.support.lowering import lower


def xla_here(path: pathlib.Path) -> Xla:
    """A module in this process, for tests that run many."""
    return Xla(str(path), HloProgram(str(path)).run)


def write_hlo(m: Module, folder: str) -> pathlib.Path:
    """The module's HLO file, with what stands beside it."""
    m = clone_module(m)
    engine = DiagnosticEngine()
    lower(m, "hlo", engine)
    engine.raise_errors()
    path = pathlib.Path(folder) / "m.hlo.pb"
    assert export(m, path) == path.stat().st_size
    return path


def to_hlo(m: Module) -> bytes:
    """The bytes of the module's HLO file."""
    with tempfile.TemporaryDirectory() as folder:
        return write_hlo(m, folder).read_bytes()


def run_both(
    m: Module, arrays: Sequence[np.ndarray[Any, Any]]
) -> list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """(expected, got) for each output."""
    with tempfile.TemporaryDirectory() as folder:
        feeds = {f"in{i}": np.asarray(a) for i, a in enumerate(arrays)}
        path = str(write_hlo(m, folder))
        got = run_of_sizes(m.main, path, feeds, [], HloProgram(path).run)
    with np.errstate(all="ignore"):
        expected = run_function(m.main, feeds)
    return [(np.asarray(expected[name]), got[name]) for name in m.main.output_names]


def check(m: Module, arrays: Sequence[np.ndarray[Any, Any]], tolerance: float = 1e-5) -> None:
    """Same shapes, types and numbers."""
    for expected, got in run_both(m, arrays):
        assert (expected.shape, expected.dtype) == (got.shape, got.dtype)
        kind = np.complex128 if expected.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(got.astype(kind), expected.astype(kind), rtol=tolerance, atol=tolerance)
