"""Shardy's attributes: read, and written again."""

from __future__ import annotations

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

import mlconv
from mlconv.diagnostics import Severity

MESH = AbstractMesh((4, 2), ("data", "model"))


def cut(form: str, path: pathlib.Path) -> pathlib.Path:
    """A product whose sides are cut, in one of the forms."""

    def f(x: jax.Array, w: jax.Array) -> jax.Array:
        return jax.lax.with_sharding_constraint(jnp.tanh(x @ w), NamedSharding(MESH, P("data", "model")))

    sides = (NamedSharding(MESH, P("data", None)), NamedSharding(MESH, P(None, ("model", "data"))))
    specs = [jax.ShapeDtypeStruct(s, "float32", sharding=n) for s, n in zip(((8, 6), (6, 8)), sides, strict=True)]
    made = jax.jit(f, out_shardings=NamedSharding(MESH, P("data", "model")))
    found = export.export(made, platforms=["cpu"])(*specs)
    if form == "text":
        path.write_text(found.mlir_module())
    else:
        path.write_bytes(found.mlir_module_serialized)
    return path


@pytest.mark.parametrize("form", ["text", "bytecode"])
def test_shardings_are_kept(form: str, tmp_path: pathlib.Path) -> None:
    path = cut(form, tmp_path / "m.mlir")
    model = mlconv.load(path)
    tensors = {"x": ["data", "-"], "w": ["-", "model+data"], "out0": ["data", "model"]}
    assert model.source["sharding"] == {"mesh": {"data": 4, "model": 2}, "tensors": tensors}
    x, w = (np.random.default_rng(i).normal(size=s).astype("f") for i, s in enumerate(((8, 6), (6, 8))))
    np.testing.assert_allclose(model.run({"x": x, "w": w})["out0"], np.tanh(x @ w), rtol=1e-5, atol=1e-6)
    again = tmp_path / "again.mlir"
    done = mlconv.convert(path, to="stablehlo", output=again, verify=True)
    assert done.verification and not done.diagnostics
    assert '#sdy.sharding<@mesh, [{}, {"model", "data"}]>' in again.read_text()
    assert mlconv.load(again).source["sharding"] == model.source["sharding"]
    mlconv.convert(path, to="stablehlo", output=again, partitioner="gspmd")
    assert again.read_text().count("mhlo.sharding") == 3


def test_parts_of_mesh_axes_are_left_out(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(cut("text", path).read_text().replace('[{"data"}, {}]', '[{"data":(1)2}, {}]'))
    done = mlconv.convert(path, to="stablehlo", output=tmp_path / "again.mlir")
    assert [(d.severity, "x" in d.message) for d in done.diagnostics] == [(Severity.NOTE, True)]
    assert {*mlconv.load(path).source["sharding"]["tensors"]} == {"w", "out0"}
