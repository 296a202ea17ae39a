"""Core ops in a function, exported to TensorFlow's formats, run there, compared with the reference interpreter."""

from __future__ import annotations

import functools
import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlconv.diagnostics import DiagnosticEngine
from mlconv.driver.context import BUILT_IN
from mlconv.exporters.target import WriteRequest
from mlconv.formats.protos import tf_pb
from mlconv.interp import run_function
from mlconv.ir.module import Module, clone_module
from mlconv.runtime.tensorflow import TensorflowRunner
from tests.support.lowering import lower

Arrays = Sequence[np.ndarray[Any, Any]]


def export(m: Module, path: pathlib.Path, target: str = "savedmodel", **options: Any) -> None:
    """The module as a file of TensorFlow."""
    m, found = clone_module(m), BUILT_IN.target(target)
    engine = DiagnosticEngine()
    lower(m, target, engine, **options)
    engine.raise_errors()
    found.write(m, found.options.of(options), WriteRequest(str(path), {}))


@functools.cache
def _runners() -> dict[str, TensorflowRunner]:
    """One process of TensorFlow for each format."""
    return {}


def runner(path: pathlib.Path, target: str = "savedmodel") -> TensorflowRunner:
    """A file that is run by a process that goes on for the next one."""
    known = _runners()
    if target not in known:
        known[target] = BUILT_IN.target(target).runner(str(path))  # type: ignore[assignment]
    else:
        known[target].path = str(path)
        known[target].reset()
    return known[target]


def graph_of(path: pathlib.Path) -> Any:
    """The GraphDef of a file."""
    data = (path / "saved_model.pb" if path.is_dir() else path).read_bytes()
    if path.is_dir():
        return tf_pb("protobuf.saved_model_pb2").SavedModel.FromString(data).meta_graphs[0].graph_def
    return tf_pb("framework.graph_pb2").GraphDef.FromString(data)


def ops_of(graph: Any) -> list[str]:
    """The ops of a graph and of its functions."""
    return [n.op for n in (*graph.node, *(n for f in graph.library.function for n in f.node_def))]


def check(m: Module, arrays: Arrays, target: str = "savedmodel", tolerance: float = 1e-5, **options: Any) -> Any:
    """Same shapes, types and numbers; the graph."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m"
        export(m, path, target, **options)
        given = {f"in{i}": a for i, a in enumerate(arrays)}
        got = runner(path, target).run(m.main, given)
        with np.errstate(all="ignore"):
            expected = run_function(m.main, given)
        for name in m.main.output_names:
            x, y = np.asarray(expected[name]), got[name]
            assert (x.shape, x.dtype) == (y.shape, y.dtype)
            wide = np.complex128 if x.dtype.kind == "c" else np.float64
            np.testing.assert_allclose(y.astype(wide), x.astype(wide), rtol=tolerance, atol=tolerance)
        return graph_of(path)
