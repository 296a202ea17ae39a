"""From a function of jax to what is deployed: TFLite, native code, HLO and StableHLO, verified with the source's
runtime.
"""

from __future__ import annotations

import pathlib

import pytest

import mlconv
from tests.stablehlo.test_import import exported

FORMS = ["bytecode", "text", "exported"]


def written(name: str, form: str, path: pathlib.Path) -> pathlib.Path:
    """A case in one of the forms."""
    if form == "text":
        path.write_text(exported(name).mlir_module())
    else:
        data = exported(name).mlir_module_serialized if form == "bytecode" else exported(name).serialize()
        path.write_bytes(bytes(data))
    return path


@pytest.mark.share(4)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("target", ["tflite", "native", "hlo", "stablehlo", "onnx"])
def test_targets(target: str, form: str, tmp_path: pathlib.Path) -> None:
    path = written("mlp", form, tmp_path / "mlp.mlir")
    done = mlconv.convert(path, to=target, output=tmp_path / "out", verify=True, verify_with="source")
    assert {row["output"] for row in done.verification} == {"y", "hidden"}
