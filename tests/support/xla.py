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
from mlconv.runtime.xla import run_hlo
from tests.support.lowering import lower


def to_hlo(m: Module) -> bytes:
    """The bytes of the module's HLO file."""
    m = clone_module(m)
    engine = DiagnosticEngine()
    lower(m, "hlo", engine)
    engine.raise_errors()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.hlo.pb"
        assert export(m, path) == path.stat().st_size
        return path.read_bytes()


def run_both(
    m: Module, arrays: Sequence[np.ndarray[Any, Any]]
) -> list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """(expected, got) for each output."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.hlo.pb"
        path.write_bytes(to_hlo(m))
        got = run_hlo(str(path), list(arrays))
    with np.errstate(all="ignore"):
        expected = run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)})
    return [(np.asarray(expected[name]), y) for name, y in zip(m.main.output_names, got, strict=True)]


def check(m: Module, arrays: Sequence[np.ndarray[Any, Any]], tolerance: float = 1e-5) -> None:
    """Same shapes, types and numbers."""
    for expected, got in run_both(m, arrays):
        assert (expected.shape, expected.dtype) == (got.shape, got.dtype)
        kind = np.complex128 if expected.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(got.astype(kind), expected.astype(kind), rtol=tolerance, atol=tolerance)
