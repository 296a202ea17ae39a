"""Single ops against TensorFlow itself, which runs in a process of its own: interpreted, and on targets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.codegen.program.compile import host_cpu
from mlconv.runtime.litert import run_tflite
from mlconv.runtime.xla_program import run_hlo
from tests.support.npz import npz
from tests.tf.op_rows import ROWS

ROOT = Path(__file__).parents[2]
ON_TARGETS = [
    pytest.param(i, target, id=f"{row.name} {target}", marks=[] if i % len(row.targets) == k else [pytest.mark.long])
    for i, row in enumerate(ROWS)
    for k, target in enumerate(row.targets)
]


@pytest.fixture(scope="module")
def goldens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of graphs and results that TensorFlow has written."""
    folder = tmp_path_factory.mktemp("op_rows")
    # Kernels of oneDNN, which TensorFlow takes on some processors, lack types that its own have.
    plain = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}
    environment = {**os.environ, **plain}
    program = [sys.executable, "-m", "tests.tf.op_rows", str(folder)]
    done = subprocess.run(program, env=environment, cwd=ROOT, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return folder


def compare(found: dict[str, Any], stored: Any, names: list[str], tolerance: float) -> None:
    """Equal types, shapes and integers; other numbers within the tolerance, to the largest."""
    for i, name in enumerate(names):
        got, wanted = np.asarray(found[name]), stored[f"out{i}"]
        assert got.dtype == wanted.dtype and got.shape == wanted.shape, name
        if wanted.dtype.kind not in "fcV":
            np.testing.assert_array_equal(got, wanted, err_msg=name)
            continue
        finite = np.abs(wanted[np.isfinite(wanted)])
        room = tolerance / 10 * max(1.0, float(finite.max(initial=0)))
        close = max(tolerance, 2e-3) if wanted.dtype == np.float16 else tolerance
        np.testing.assert_allclose(got, wanted, rtol=close, atol=room, err_msg=name)


def given(stored: Any, names: list[str]) -> dict[str, Any]:
    return {name: stored[f"in{name.split(':')[0][1:]}"] for name in names}


@pytest.mark.share(9)
@pytest.mark.parametrize("number", range(len(ROWS)), ids=[row.name for row in ROWS])
def test_gives_the_numbers_of_tensorflow(number: int, goldens: Path) -> None:
    stored = npz(goldens / f"{number}.npz")
    names = [str(n) for n in stored["names"]]
    module = mlconv.load(goldens / f"{number}.pb", outputs=names)
    compare(module.run(given(stored, module.main.input_names)), stored, names, ROWS[number].tolerance)


@pytest.mark.share(12)
@pytest.mark.parametrize(("number", "target"), ON_TARGETS)
def test_targets_give_the_numbers_of_tensorflow(number: int, target: str, goldens: Path, tmp_path: Path) -> None:
    stored = npz(goldens / f"{number}.npz")
    names = [str(n) for n in stored["names"]]
    path = tmp_path / {"tflite": "m.tflite", "native": "m.o", "hlo": "m.hlo.pb"}[target]
    shapes = {f"x{i}:0": stored[f"in{i}"].shape for i in range(len(ROWS[number].inputs))}
    if target == "tflite" or ROWS[number].shapes is None:
        shapes = {}
    more = {"cpu": host_cpu()} if target == "native" else {}
    result = mlconv.convert(
        goldens / f"{number}.pb", target, path, outputs=names, shapes=shapes, verify_each=True, **more
    )
    inputs = given(stored, [i["name"] for i in result.inputs])
    if target == "tflite":
        found = dict(run_tflite(str(path), inputs, "serving_default"))
    elif target == "native":
        found = dict(mlconv.load_native(path).run(inputs))
    else:
        found = dict(zip(names, run_hlo(str(path), list(inputs.values())), strict=True))
    compare(found, stored, names, ROWS[number].loose)
