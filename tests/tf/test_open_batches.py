"""Matrices of which a run tells how many there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.graph_defs import graph, node, placeholder, save
from tests.support.native import OWN

Wanted = Callable[[Any], Any]
OPS: dict[str, tuple[str, dict[str, Any], tuple[int, int], Wanted]] = {
    "eigenvalues": ("SelfAdjointEigV2", {"compute_v": True}, (4, 4), lambda x: np.linalg.eigvalsh(x)),
    "singular values": (
        "Svd",
        {"compute_uv": True, "full_matrices": False},
        (5, 3),
        lambda x: np.linalg.svd(x, compute_uv=False),
    ),
}


@pytest.mark.parametrize("name", OPS)
def test_spectra(name: str, tmp_path: Path) -> None:
    op, attributes, size, wanted = OPS[name]
    path = save(graph(placeholder("x", (-1, *size)), node("made", op, "x", T="float", **attributes)), tmp_path)
    mlconv.convert(path, output=tmp_path / "m.tflite", outputs=["made:0"])
    mlconv.convert(path, to="native", output=tmp_path / "m.o", outputs=["made:0"], cpu=OWN)
    native = mlconv.load_native(tmp_path / "m.o")
    for count in (2, 1, 5):
        x = np.random.default_rng(count).uniform(-1, 1, (count, *size)).astype(np.float32)
        x = x + np.swapaxes(x, 1, 2) if size[0] == size[1] else x
        for run in (lambda f: run_tflite(str(tmp_path / "m.tflite"), f, "serving_default"), native.run):
            (found,) = run({"x:0": x}).values()
            np.testing.assert_allclose(found, wanted(x), rtol=1e-3, atol=1e-4)
