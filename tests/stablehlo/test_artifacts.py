"""Artifacts that another version of jax.export wrote: they give the numbers of that version, and have the lines of the
user's functions.
"""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.ir.constants import Array
from mlconv.provenance.locations import frames
from tests.stablehlo.functions import CASES
from tests.support.npz import npz
from tests.support.thinning import thinned

FOLDER = pathlib.Path(__file__).parent.parent.parent / "testdata" / "stablehlo"
SEED = 3


@pytest.fixture(scope="module", params=sorted(p.name for p in FOLDER.glob("jax-*.npz")))
def artifacts(request: pytest.FixtureRequest) -> Mapping[str, Array]:
    found: Mapping[str, Array] = npz(FOLDER / request.param)
    return found


def written(artifacts: Mapping[str, Array], name: str, folder: pathlib.Path) -> pathlib.Path:
    path = folder / "m.mlirbc"
    path.write_bytes(artifacts[f"{name}.artifact"].tobytes())
    return path


def test_there_are_many(artifacts: Mapping[str, Array]) -> None:
    assert sum(key.endswith(".artifact") for key in artifacts) >= 40


@pytest.mark.parametrize("name", thinned(2, CASES))
def test_numbers(name: str, artifacts: Mapping[str, Array], tmp_path: pathlib.Path) -> None:
    if f"{name}.artifact" not in artifacts:
        pytest.skip("a function that is newer than the artifacts")
    model, arrays = mlconv.load(written(artifacts, name, tmp_path)), CASES[name].inputs(SEED)
    got = model.run(dict(zip(model.main.input_names, arrays, strict=True)))
    for i, y in enumerate(got.values()):
        want: Any = artifacts[f"{name}.{i}"]
        want = want.view(y.dtype) if want.dtype.kind == "V" else want  # bfloat16
        assert y.dtype == want.dtype and y.shape == want.shape
        kind = np.complex128 if want.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(y.astype(kind), want.astype(kind), rtol=2e-5, atol=2e-5)


def test_lines(artifacts: Mapping[str, Array], tmp_path: pathlib.Path) -> None:
    """What was made of a function's lines is at one of these."""
    for name in (key.removesuffix(".artifact") for key in artifacts if key.endswith(".artifact")):
        first, last = artifacts[f"{name}.lines"]
        model = mlconv.load(written(artifacts, name, tmp_path))
        places = [f for op in model.main.block.ops for f in frames(op.location) if f.file.endswith("functions.py")]
        assert places, name
        assert any(first <= f.line <= last for f in places), name
