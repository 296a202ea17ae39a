"""Every op and construct that the importer knows, against TensorFlow's own results (recorded by
tools/gen_tf_goldens.py).
"""

from __future__ import annotations

import functools
import io
import lzma
import pathlib

import numpy as np
import pytest

import mlconv
from mlconv.ir.constants import Array
from tests.support.npz import npz

HERE = pathlib.Path(__file__).parent


@functools.cache
def goldens() -> dict[str, Array]:
    return npz(io.BytesIO(lzma.decompress((HERE / "goldens.npz.xz").read_bytes())))


def names() -> list[str]:
    return [str(n) for n in goldens()["names"]]


@pytest.mark.parametrize("number", range(len(names())), ids=names())
def test_golden(number: int, tmp_path: pathlib.Path) -> None:
    """import, legalize and interpret give TensorFlow's numbers, shapes and types."""
    stored = goldens()
    keys = [k for k in stored if k.startswith(f"{number}/")]
    inputs = {f"x{k.split('/in')[1]}": stored[k] for k in keys if "/in" in k}
    wanted = {f"out{k.split('/out')[1]}": stored[k] for k in keys if "/out" in k}
    path = tmp_path / "graph.pb"
    path.write_bytes(stored[f"{number}/graph"].tobytes())
    module = mlconv.load(path, outputs=list(wanted))
    used = {name.removesuffix(":0") for name in module.main.input_names}
    found = module.run({f"{k}:0": v for k, v in inputs.items() if k in used})
    for name, expected in wanted.items():
        got = found[f"{name}:0"]
        assert got.dtype == expected.dtype, name
        assert got.shape == expected.shape, name
        close = (
            1e-4 * max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0)))
            if expected.dtype.kind in "fc"
            else 0
        )
        np.testing.assert_allclose(got, expected, rtol=1e-4 if close else 0, atol=close / 10, err_msg=name)
