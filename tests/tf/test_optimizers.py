"""Steps of optimizers, dense and sparse, change variables and slots as TensorFlow does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.importers.tf.saved_model.variables import STEPS
from mlconv.legalize.from_tf import op_table
from tests.support.native import OWN
from tests.support.npz import npz
from tests.support.tensorflow_process import written
from tests.tf import optimizer_models


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(optimizer_models, tmp_path_factory.mktemp("optimizers"))


def test_every_step_has_a_rule() -> None:
    assert set(STEPS) <= set(op_table().names)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["dense", "sparse", "unique", "references"])
def test_three_steps(name: str, models: Path, tmp_path: Path) -> None:
    golden = npz(models / f"{name}.npz")
    module = mlconv.load(models / name)
    mlconv.convert(models / name, "native", tmp_path / "m.o", verify=True, cpu=OWN)
    native = mlconv.load_native(tmp_path / "m.o")
    mlconv.convert(models / name, output=tmp_path / "m.tflite", verify=True)
    loops = any(op.name == "core.while" for op in mlconv.load(tmp_path / "m.tflite").walk())
    assert loops == (name == "sparse")  # where rows may be named twice
    mlconv.convert(models / name, "hlo", tmp_path / "m.hlo.pb", verify=True)
    state: dict[str, np.ndarray] = {}
    for i in range(3):
        inputs = {k: golden[f"{k}{i}"] for k in ("grad", "indices") if k in module.main.input_names}
        for found in (module.run(inputs, state), native.run(inputs)):
            np.testing.assert_allclose(found["all"], golden[f"all{i}"], rtol=2e-5, atol=2e-6)
