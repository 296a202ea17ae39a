"""Keras files of every layer, read without Keras: the numbers are those of Keras."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.constants import Array
from mlconv.runtime.litert import run_tflite
from tests.keras import models, operations  # noqa: F401  they declare rows
from tests.keras.models import APPLICATIONS, LARGE, LEFT_TO_KERAS
from tests.keras.rows import NOT_IN_H5, ROWS
from tests.support.npz import npz
from tests.support.thinning import thinned

SMALL = [name for name in ROWS if name not in (*APPLICATIONS, LEFT_TO_KERAS)]
IN_H5 = [name for name in SMALL if not name.startswith(NOT_IN_H5)]
# products of recurrent layers and of deep models add up what is rounded
TOLERANCE = {"rtol": 2e-4, "atol": 2e-4}


def expected(folder: Path, name: str) -> tuple[dict[str, Array], dict[str, Array]]:
    """Inputs and outputs by their names."""
    parts = npz(folder / f"{name}.npz")
    return tuple({k.partition("_")[2]: v for k, v in parts.items() if k.startswith(p)} for p in ("in_", "out_"))  # type: ignore[return-value]


def loaded(path: Path) -> LoadedModel:
    model = mlconv.load(path)
    assert model.source["format"] == "keras", "it was left to Keras"
    assert getattr(sys.modules.get("keras"), "__file__", None) is None
    return model


def check(got: dict[str, Array], wanted: dict[str, Array]) -> None:
    assert list(got) == sorted(wanted)
    for name, want in wanted.items():
        assert np.isfinite(want).all()
        assert got[name].shape == want.shape
        np.testing.assert_allclose(got[name], want, **TOLERANCE, err_msg=name)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", SMALL)
def test_archives(zoo: Path, name: str) -> None:
    inputs, outputs = expected(zoo, name)
    got = loaded(zoo / f"{name}.keras").run(inputs)
    check(got, outputs)
    assert {k: v.dtype for k, v in got.items()} == {k: v.dtype for k, v in outputs.items()}


@pytest.mark.parametrize("name", IN_H5)
def test_h5(zoo: Path, name: str) -> None:
    inputs, outputs = expected(zoo, name)
    check(loaded(zoo / f"{name}.h5").run(inputs), outputs)


@pytest.mark.parametrize("name", thinned(4, SMALL))
def test_tflite(zoo: Path, tmp_path: Path, name: str) -> None:
    inputs, outputs = expected(zoo, name)
    sizes = {k: list(v.shape) for k, v in inputs.items()}
    mlconv.convert(zoo / f"{name}.keras", output=tmp_path / "m.tflite", shapes=sizes)
    check(run_tflite(str(tmp_path / "m.tflite"), inputs, "serving_default"), outputs)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.long] * (n in LARGE)) for n in APPLICATIONS])
def test_applications(request: pytest.FixtureRequest, tmp_path: Path, name: str) -> None:
    folder = request.getfixturevalue("large" if name in LARGE else "zoo")
    inputs, outputs = expected(folder, name)
    sizes = {k: list(v.shape) for k, v in inputs.items()}
    result = mlconv.convert(folder / f"{name}.keras", output=tmp_path / "m.tflite", shapes=sizes)
    assert loaded(folder / f"{name}.keras").main.input_names == [i["name"] for i in result.inputs]
    check(run_tflite(str(tmp_path / "m.tflite"), inputs, "serving_default"), outputs)
