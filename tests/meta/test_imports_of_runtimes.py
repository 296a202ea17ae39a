"""Which names of the runtimes the product imports: public ones, but for those that docs/decisions/0023 argues."""

from __future__ import annotations

import ast
import types
from pathlib import Path

import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.xla_program import run_hlo
from tests.support.sources import tree_of

ROOT = Path(__file__).parent.parent.parent / "mlconv"
RUNTIMES = ("jax", "jaxlib", "ai_edge_litert", "tflite_runtime", "onnxruntime", "tensorflow")
ALLOWED = {
    "ai_edge_litert.interpreter",
    "jax",
    "jax.export",
    "jax.extend.mlir.hlo_to_stablehlo",
    "jaxlib.xla_client.CompileOptions",
    "jaxlib.xla_client.DeviceList",
    "onnxruntime",
    "tensorflow",
}


def imported(tree: ast.AST) -> list[str]:
    """`module.name` of every import, also inside of functions."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in found if name.split(".")[0] in RUNTIMES]


def test_names_of_runtimes() -> None:
    found = {name for path in ROOT.rglob("*.py") for name in imported(tree_of(path))}
    assert found == ALLOWED


def test_a_jax_that_runs_otherwise_is_told(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jax = pytest.importorskip("jax")
    path = tmp_path / "m.hlo.pb"
    mlconv.convert(models / "digits_cnn.onnx", "hlo", path, shapes={"image": (1, 1, 8, 8)})
    monkeypatch.setattr(jax, "devices", lambda platform: [types.SimpleNamespace(client=None)])
    with pytest.raises(ConversionError) as caught:
        run_hlo(str(path), [])
    assert caught.value.code is Code.VerificationImpossible
