"""SavedModels that call modules of StableHLO, as jax2tf writes them, beside TensorFlow in a process of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.protos import tf_pb
from mlconv.ir.constants import Mapped
from mlconv.provenance.locations import frames
from tests.support.npz import npz
from tests.support.tensorflow_process import written
from tests.tf import jax_models

NAMES = [case.name for case in jax_models.CASES]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of SavedModels and results that TensorFlow has written."""
    return written(jax_models, tmp_path_factory.mktemp("jax"))


@pytest.mark.parametrize("name", NAMES)
def test_numbers(name: str, saved: Path) -> None:
    stored = npz(saved / f"{name}.npz")
    found = mlconv.load(saved / name).run({"x": stored["x"]})
    for result in ("y", "z"):
        np.testing.assert_allclose(found[result], stored[result], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", ["tflite", "native"])
@pytest.mark.parametrize("name", NAMES)
def test_targets(name: str, target: str, saved: Path, tmp_path: Path) -> None:
    made = tmp_path / f"made.{'o' if target == 'native' else target}"
    mlconv.convert(saved / name, to=target, output=made)
    np.savez(tmp_path / "in.npz", x=npz(saved / f"{name}.npz")["x"])
    found = mlconv.verify(made, data=tmp_path / "in.npz", expect=saved / f"{name}.npz")
    assert found.ok, found.problem


def test_lines_of_the_function(saved: Path) -> None:
    """Of jax's own, not of the call."""
    products = [op for op in mlconv.load(saved / "dense").walk() if op.name == "core.matmul"]
    assert products and all(frames(op.location)[0].file == jax_models.__file__ for op in products)


def test_large_constants_stay_in_the_file(saved: Path) -> None:
    held = [op.value for op in mlconv.load(saved / "dense").walk() if op.name == "core.constant" and op.value.size > 99]
    assert held and all(isinstance(value, Mapped) for value in held)


def _with(saved: Path, to: Path, change: Callable[[Any], None]) -> Path:
    """The dense model, whose file is changed.  change: takes the node that calls the module, and the message."""
    shutil.copytree(saved / "dense", to)
    message = tf_pb("protobuf.saved_model_pb2").SavedModel()
    message.ParseFromString((to / "saved_model.pb").read_bytes())
    for function in message.meta_graphs[0].graph_def.library.function:
        for node in function.node_def:
            if node.op == "XlaCallModule":
                change(node)
    (to / "saved_model.pb").write_bytes(message.SerializeToString())
    return to


def test_text(saved: Path, tmp_path: Path) -> None:
    from google.protobuf import text_format

    folder = _with(saved, tmp_path / "text", lambda node: None)
    message = tf_pb("protobuf.saved_model_pb2").SavedModel()
    message.ParseFromString((folder / "saved_model.pb").read_bytes())
    (folder / "saved_model.pb").unlink()
    (folder / "saved_model.pbtxt").write_text(text_format.MessageToString(message))
    stored = npz(saved / "dense.npz")
    np.testing.assert_allclose(mlconv.load(folder).run({"x": stored["x"]})["y"], stored["y"], rtol=1e-5, atol=1e-6)


def _older(node: Any) -> None:
    node.attr["version"].i = 4


def _damaged(node: Any) -> None:
    node.attr["module"].s = node.attr["module"].s[:-40]


def _other(node: Any) -> None:
    node.attr["module"].s = b"module {}"


def _fewer(node: Any) -> None:
    del node.input[:]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_older, Code.VersionUnsupported),
        (_damaged, Code.FileDamaged),
        (_other, Code.FileDamaged),
        (_fewer, Code.WrongArity),
    ],
)
def test_refused(change: Callable[[Any], None], code: Code, saved: Path, tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.load(_with(saved, tmp_path / "changed", change))
    assert error.value.code is code
