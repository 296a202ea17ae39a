"""Keras files of every layer, read without Keras: the numbers are those of Keras."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.constants import Array
from mlconv.runtime.litert import litert_interpreter, run_tflite
from tests.keras import models, operations, preparation, sequences  # noqa: F401  they declare rows
from tests.keras.models import APPLICATIONS, LARGE, LEFT_TO_KERAS
from tests.keras.rows import NOT_IN_H5, ROWS
from tests.keras.sequences import KEPT
from tests.support.npz import npz
from tests.support.thinning import thinned

SMALL = [name for name in ROWS if name not in (*APPLICATIONS, LEFT_TO_KERAS, KEPT)]
IN_H5 = [name for name in SMALL if not name.startswith(NOT_IN_H5)]
# products of recurrent layers and of deep models add up what is rounded
TOLERANCE = {"rtol": 2e-4, "atol": 2e-4}
# of the largest number, where layers compute with half of the digits, or fewer
COARSE = {"mixed_images": 4e-3, "mask_mixed_sequences": 4e-3, "mixed_bfloat16": 3e-2}


def expected(folder: Path, name: str) -> tuple[dict[str, Array], dict[str, Array]]:
    """Inputs and outputs by their names."""
    parts = npz(folder / f"{name}.npz")
    return tuple({k.partition("_")[2]: v for k, v in parts.items() if k.startswith(p)} for p in ("in_", "out_"))  # type: ignore[return-value]


def loaded(path: Path) -> LoadedModel:
    model = mlconv.load(path)
    assert model.source["format"] == "keras", "it was left to Keras"
    assert getattr(sys.modules.get("keras"), "__file__", None) is None
    return model


def check(got: dict[str, Array], wanted: dict[str, Array], row: str = "") -> None:
    assert list(got) == sorted(wanted)
    for name, want in wanted.items():
        assert np.isfinite(want).all()
        assert got[name].shape == want.shape
        if row not in COARSE:
            np.testing.assert_allclose(got[name], want, **TOLERANCE, err_msg=name)
            continue
        a, b = (v.astype(np.float64) for v in (got[name], want))
        assert np.abs(a - b).max() < COARSE[row] * np.abs(b).max(), name


@pytest.mark.share(6)
@pytest.mark.parametrize("name", SMALL)
def test_archives(zoo: Path, name: str) -> None:
    inputs, outputs = expected(zoo, name)
    got = loaded(zoo / f"{name}.keras").run(inputs)
    check(got, outputs, name)
    assert {k: v.dtype for k, v in got.items()} == {k: v.dtype for k, v in outputs.items()}


@pytest.mark.parametrize("name", IN_H5)
def test_h5(zoo: Path, name: str) -> None:
    inputs, outputs = expected(zoo, name)
    check(loaded(zoo / f"{name}.h5").run(inputs), outputs, name)


@pytest.mark.parametrize("name", thinned(8, SMALL))
def test_tflite(zoo: Path, tmp_path: Path, name: str) -> None:
    inputs, outputs = expected(zoo, name)
    sizes = {k: list(v.shape) for k, v in inputs.items()}
    mlconv.convert(zoo / f"{name}.keras", output=tmp_path / "m.tflite", shapes=sizes)
    check(run_tflite(str(tmp_path / "m.tflite"), inputs, "serving_default"), outputs, name)


def test_states_that_are_kept(zoo: Path, tmp_path: Path) -> None:
    """Keras ran it twice."""
    inputs, outputs = expected(zoo, KEPT)
    model, state = loaded(zoo / f"{KEPT}.keras"), dict[str, Array]()
    first, second = (model.run(inputs, state) for _ in range(2))
    check(second, outputs)
    assert all(np.abs(first[k] - second[k]).max() > 1e-2 for k in first)
    mlconv.convert(zoo / f"{KEPT}.keras", output=tmp_path / "m.tflite")
    interpreter = litert_interpreter(str(tmp_path / "m.tflite"))
    for _ in range(2):
        got = run_tflite(str(tmp_path / "m.tflite"), inputs, "serving_default", interpreter)
    check(got, outputs)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.long] * (n in LARGE)) for n in APPLICATIONS])
def test_applications(request: pytest.FixtureRequest, tmp_path: Path, name: str) -> None:
    folder = request.getfixturevalue("large" if name in LARGE else "zoo")
    inputs, outputs = expected(folder, name)
    sizes = {k: list(v.shape) for k, v in inputs.items()}
    result = mlconv.convert(folder / f"{name}.keras", output=tmp_path / "m.tflite", shapes=sizes)
    assert loaded(folder / f"{name}.keras").main.input_names == [i["name"] for i in result.inputs]
    check(run_tflite(str(tmp_path / "m.tflite"), inputs, "serving_default"), outputs)
