"""Core ops in a function, exported to ONNX, run on ONNX Runtime, compared with the reference interpreter."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx

from mlconv.diagnostics import DiagnosticEngine
from mlconv.exporters.onnx.export import export
from mlconv.interp import run_function
from mlconv.ir.module import Module, clone_module
from mlconv.runtime.onnx_runtime import run_session, session_of
from tests.support.lowering import lower

Arrays = Sequence[np.ndarray[Any, Any]]


def to_onnx(m: Module, **options: Any) -> onnx.ModelProto:
    """The module's ONNX model, checked with types and shapes inferred."""
    m = clone_module(m)
    engine = DiagnosticEngine()
    lower(m, "onnx", engine, **options)
    engine.raise_errors()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.onnx"
        assert export(m, path) == path.stat().st_size
        onnx.checker.check_model(str(path), full_check=True)
        return onnx.load(path)


def op_types(model: onnx.ModelProto) -> list[str]:
    """Operators of the graph, in order."""
    return [node.op_type for node in model.graph.node]


def run(model: onnx.ModelProto, arrays: Arrays) -> list[Any]:
    """Outputs on ONNX Runtime."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.onnx"
        onnx.save(model, path)
        found = run_session(session_of(str(path)), {f"in{i}": a for i, a in enumerate(arrays)})
        return [found[output.name] for output in model.graph.output]


def check(m: Module, arrays: Arrays, tolerance: float = 1e-5, **options: Any) -> onnx.ModelProto:
    """Same shapes, types and numbers; the model."""
    model = to_onnx(m, **options)
    got = run(model, arrays)
    with np.errstate(all="ignore"):
        expected = run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)})
    for name, y in zip(m.main.output_names, got, strict=True):
        x = np.asarray(expected[name])
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        np.testing.assert_allclose(y.astype(np.float64), x.astype(np.float64), rtol=tolerance, atol=tolerance)
    return model
