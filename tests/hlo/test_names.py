"""What is read beside a module: names, weights, state; large literals stay in the file; literals of four bits."""

from __future__ import annotations

import json
import pathlib

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.driver.options import Options
from mlconv.driver.running import run_model
from mlconv.ir.constants import Mapped
from tests.support.graphs import Graph

STATEFUL = pathlib.Path(__file__).parent.parent / "tf" / "stateful_saved_model"
X = np.random.default_rng(5).standard_normal((2, 40)).astype(np.float32)


def dense(folder: pathlib.Path, weights: str = "inline") -> pathlib.Path:
    g = Graph((2, 40))
    y = g.e(core.MatMul(g.xs[0], g.noise(40, 30)))
    m = g.finish(g.e(core.Tanh(y)), y)
    m.main.inputs[0].name, m.main.output_names = "pixels:0", ["squashed", "raw"]
    mlconv.convert(m, "hlo", folder / "m.hlo.pb", weights=weights)
    return folder / "m.hlo.pb"


@pytest.mark.parametrize("weights", ["inline", "parameters"])
def test_names_and_weights_come_back(weights: str, tmp_path: pathlib.Path) -> None:
    path = dense(tmp_path, weights)
    module = mlconv.load(path)
    assert module.main.input_names == ["pixels:0"] and module.main.output_names == ["squashed", "raw"]
    large = [op.value for op in module.main.block.ops if isinstance(op, core.Constant) and op.value.nbytes > 1024]
    assert len(large) == 1 and isinstance(large[0], Mapped)
    (got,) = run_model(str(path), "", str(tmp_path / "out.npz"), 0, Options()).runs
    assert list(got) == ["squashed", "raw"]
    mlconv.convert(path, "hlo", tmp_path / "again.hlo.pb", verify=True)
    np.testing.assert_allclose(
        module.run({"pixels:0": X})["squashed"], np.tanh(module.run({"pixels:0": X})["raw"]), rtol=1e-6
    )


def test_state_comes_back(tmp_path: pathlib.Path) -> None:
    path, again = tmp_path / "m.hlo.pb", tmp_path / "again.hlo.pb"
    mlconv.convert(STATEFUL, "hlo", path)
    module = mlconv.load(path)
    assert {n: s.input for n, s in module.main.facts.state.items()} == {
        "Variable_1": "Variable_1",
        "Variable_2": "Variable_2",
    }
    mlconv.convert(path, "hlo", again, verify=True)
    assert (
        json.loads(pathlib.Path(f"{again}.json").read_text())["state"]
        == json.loads(pathlib.Path(f"{path}.json").read_text())["state"]
    )
    assert (tmp_path / "again.hlo.pb.state.safetensors").read_bytes() == (
        tmp_path / "m.hlo.pb.state.safetensors"
    ).read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outputs": ["one"]}, "MLC0003: .*the module has 2 parameters and 2 outputs"),
        ({"inputs": ["a", "a"]}, "MLC0003: .*'inputs' is no list of distinct names"),
        ({"weights": ["other"]}, "MLC0005: .*has no tensor 'other'"),
        ({"state": [{"input": "no", "output": "raw"}]}, "MLC0003: .*'state' does not name"),
        ("[", "MLC0003: .*is not JSON"),
        ("truncate", "MLC0501: .*takes bytes 0 to 4800 of"),
        ("header", "MLC0003: .*is no safetensors file"),
        ("missing", "MLC0005: .*No such file"),
    ],
)
def test_files_that_do_not_fit_are_refused(change: object, message: str, tmp_path: pathlib.Path) -> None:
    path = dense(tmp_path, "parameters")
    names, weights = pathlib.Path(f"{path}.json"), pathlib.Path(f"{path}.safetensors")
    if isinstance(change, dict):
        names.write_text(json.dumps(json.loads(names.read_text()) | change))
    elif change == "truncate":
        weights.write_bytes(weights.read_bytes()[:-8])
    elif change == "header":
        weights.write_bytes(b"\xff" * 20)
    elif change == "missing":
        weights.unlink()
    else:
        names.write_text(str(change))
    with pytest.raises(ConversionError, match=message):
        mlconv.load(path)


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2])
def test_literals_below_a_byte(dtype: type, tmp_path: pathlib.Path) -> None:
    """A constant of jax, read from what jax writes."""
    kind = ml_dtypes.iinfo(dtype)
    w = np.resize(np.arange(kind.min, kind.max + 1), (3, 5)).astype(dtype)

    def f(x: jax.Array) -> jax.Array:
        return jnp.where(x > 0, jnp.asarray(w), jnp.asarray(w[::-1])).astype(jnp.float32)

    path = tmp_path / "m.hlo.pb"
    path.write_bytes(jax.jit(f).lower(jnp.ones((3, 5))).compiler_ir("hlo").as_serialized_hlo_module_proto())
    x = np.random.default_rng(0).standard_normal((3, 5)).astype(np.float32)
    (got,) = mlconv.load(path).run({"arg0": x}).values()
    np.testing.assert_array_equal(got, np.where(x > 0, w.astype(np.float32), w[::-1].astype(np.float32)))
    mlconv.convert(path, "hlo", tmp_path / "again.hlo.pb", verify=True)
