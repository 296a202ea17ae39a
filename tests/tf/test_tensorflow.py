"""Functions against TensorFlow itself, which runs in a process of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from tests.support.npz import npz
from tests.support.tensorflow_process import written
from tests.tf import tensorflow_rows

NAMES = [name for name, *_ in tensorflow_rows.ROWS]


@pytest.fixture(scope="module")
def goldens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of graphs and results that TensorFlow has written."""
    return written(tensorflow_rows, tmp_path_factory.mktemp("tensorflow"))


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_gives_the_numbers_of_tensorflow(number: int, goldens: Path) -> None:
    stored = npz(goldens / f"{number}.npz")
    names = [str(n) for n in stored["names"]]
    module = mlconv.load(goldens / f"{number}.pb", outputs=names)
    found = module.run({name: stored[f"in{name.split(':')[0][1:]}"] for name in module.main.input_names})
    for i, name in enumerate(names):
        got, wanted = np.asarray(found[name]), stored[f"out{i}"]
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6, err_msg=name)
