"""Rows of lengths that data decide, as TFLite files, against TensorFlow."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support import tensorflow_process
from tests.support.npz import npz
from tests.support.open_networks import ops_of
from tests.tf import ragged_models


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of models and results that TensorFlow has written."""
    return tensorflow_process.written(ragged_models, tmp_path_factory.mktemp("ragged"))


def check(written: Path, name: str, folder: Path) -> Counter[str]:
    """One file gives what TensorFlow gives for all lengths.  Returns its ops."""
    out = folder / "m.tflite"
    mlconv.convert(written / name, to="tflite", output=out)
    cases = sorted(written.glob(f"{name}.*.npz"))
    assert len(cases) == len(ragged_models.LENGTHS)
    for case in map(npz, cases):
        found = run_tflite(str(out), {k[3:]: x for k, x in case.items() if k.startswith("in_")}, "serving_default")
        for key, wanted in ((k[4:], y) for k, y in case.items() if k.startswith("out_")):
            assert found[key].shape == wanted.shape, key
            np.testing.assert_allclose(found[key], wanted, rtol=1e-6, atol=1e-6)
    return ops_of(out)


@pytest.mark.parametrize("name", ["sums_and_rows", "repeated_to_rows", "repeated_vector", "repeated_matrix"])
def test_what_is_repeated_is_picked_by_the_rows_that_count(name: str, written: Path, tmp_path: Path) -> None:
    """The mask of what counts tells the rows; nothing is repeated as often as the row that is repeated most."""
    ops = check(written, name, tmp_path)
    assert ops["WHERE"] == 1 and not ops["PACK"] and not ops["TILE"], ops
    assert ops["BROADCAST_TO"] == (name in ("repeated_vector", "repeated_matrix")), ops  # of the lengths themselves


@pytest.mark.parametrize("name", ["two_levels", "steps"])
def test_rows_of_other_lengths(name: str, written: Path, tmp_path: Path) -> None:
    check(written, name, tmp_path)
