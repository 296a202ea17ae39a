"""Annotations for XLA's SPMD partitioner: the sharded module gives the same numbers on eight host devices."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import mlconv
from mlconv.cli import main
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.formats.protos import hlo_pb
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from tests.support.modules import module

X = np.arange(48, dtype=np.float32).reshape(8, 6) / 48
W = np.arange(6 * 400, dtype=np.float32).reshape(6, 400) / 2400
MESH = (("data", 4), ("model", 2))
RULES = (("in0", ("data", "-")), ("kernel", ("-", "model")))

RUN = """
import sys, numpy as np, jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from jax._src import compiler
from jax._src.lib import _jax
devices = jax.devices("cpu")
mesh = Mesh(np.array(devices).reshape(4, 2), ("data", "model"))
data = open(sys.argv[1], "rb").read()
options = compiler.get_compile_options(num_replicas=1, num_partitions=8, device_assignment=np.arange(8).reshape(1, 8))
options.executable_build_options.use_spmd_partitioning = True
options.executable_build_options.use_shardy_partitioner = b"sdy.mesh" in data
text = data if data.startswith(b"module") else _jax.mlir.hlo_to_stablehlo(data)
program = devices[0].client.compile_and_load(text, _jax.DeviceList(tuple(devices)), options)
x = jax.device_put(np.load(sys.argv[2]), NamedSharding(mesh, P("data", None)))
(y,) = program.execute_sharded([x]).disassemble_into_single_device_arrays()
np.save(sys.argv[3], np.asarray(y[0]))
"""


def model() -> Module:
    def make(b: Builder, x: Value) -> Value:
        weights = b.emit(core.Constant(value=make_const(W))).y
        weights.name = "kernel"
        return b.emit(core.Tanh(b.emit(core.MatMul(x, weights)).y)).y

    return module(make, [X])


def convert(path: pathlib.Path, to: str = "hlo", **settings: Any) -> None:
    mlconv.convert(model(), to=to, output=path, **settings)


def run_on_eight_devices(path: pathlib.Path, folder: pathlib.Path) -> np.ndarray:
    np.save(folder / "x.npy", X)
    environment = {
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
        "JAX_PLATFORMS": "cpu",
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path), str(folder / "x.npy"), str(folder / "y.npy")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return np.load(folder / "y.npy")


def test_eight_devices_give_the_same_numbers(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.hlo.pb"
    convert(path, mesh=MESH, shard_rules=RULES)
    proto = hlo_pb().HloModuleProto.FromString(path.read_bytes())
    cut = {i.opcode: i.sharding for i in proto.computations[-1].instructions if i.HasField("sharding")}
    assert (
        list(cut["parameter"].tile_assignment_dimensions) == [4, 1, 2] and cut["parameter"].replicate_on_last_tile_dim
    )
    assert list(cut["constant"].tile_assignment_dimensions) == [1, 2, 4]
    np.testing.assert_allclose(run_on_eight_devices(path, tmp_path), np.tanh(X @ W), rtol=1e-5)


def test_stablehlo_is_cut_the_same_way(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.mlir"
    settings = {"mesh": MESH, "partitioner": "gspmd"}
    convert(path, "stablehlo", shard_rules=(*RULES, ("out0", ("data", "model"))), **settings)
    text = path.read_text()
    assert text.count("mhlo.sharding") == 3 and "mhlo.num_partitions = 8" in text
    assert (
        '"{devices=[4,1,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"' in text
        and '"{devices=[1,2,4]0,2,4,6,1,3,5,7 last_tile_dim_replicate}"' in text
    )
    assert run_on_eight_devices(path, tmp_path).shape == (2, 200)
    convert(path, "stablehlo", shard_rules=RULES, **settings)
    np.testing.assert_allclose(run_on_eight_devices(path, tmp_path), np.tanh(X @ W), rtol=1e-5)


def test_shardy_cuts_it_the_same_way(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.mlir"
    convert(path, "stablehlo", mesh=MESH, shard_rules=(*RULES, ("out0", ("data", "model"))))
    text = path.read_text()
    assert 'sdy.mesh @mesh = <["data"=4, "model"=2]>' in text and "mhlo.sharding" not in text
    assert text.count('#sdy.sharding<@mesh, [{"data"}, {}]>') == 1
    assert text.count('#sdy.sharding_per_value<[<@mesh, [{}, {"model"}]>]>') == 1
    assert run_on_eight_devices(path, tmp_path).shape == (2, 200)
    convert(path, "stablehlo", mesh=MESH, shard_rules=RULES)
    np.testing.assert_allclose(run_on_eight_devices(path, tmp_path), np.tanh(X @ W)[:2], rtol=1e-5)


@pytest.mark.parametrize("partitioner", ["shardy", "gspmd"])
def test_several_mesh_axes_cut_one_axis(partitioner: str, tmp_path: pathlib.Path) -> None:
    path, rules = tmp_path / "m.mlir", (("in0", ("data", "-")), ("out0", ("-", "model+data")))
    convert(path, "stablehlo", mesh=MESH, shard_rules=rules, partitioner=partitioner)
    part = run_on_eight_devices(path, tmp_path)
    np.testing.assert_allclose(part, np.tanh(X @ W)[:, :50], rtol=1e-5)


def test_the_command_line_takes_mesh_and_rules(tmp_path: pathlib.Path) -> None:
    source, path = tmp_path / "a.hlo.pb", tmp_path / "b.hlo.pb"
    convert(source)
    convert_it = ["convert", str(source), "--to", "hlo", "-o", str(path)]
    mesh = ["--mesh", "data=4,model=2", "--shard-rule"]
    assert CliRunner().invoke(main, [*convert_it, *mesh, "other=data,-"]).exit_code == 2
    assert not path.exists()
    assert CliRunner().invoke(main, [*convert_it, *mesh, "in0=data,-"]).exit_code == 0
    assert CliRunner().invoke(main, [*convert_it, "--mesh", "data"]).exit_code == 2


@pytest.mark.parametrize(
    "rules",
    [
        (("in0", ("other", "-")),),
        (("in0", ("data",)),),
        (("in0", ("-", "data")),),
        (("nothing", ("-",)),),
        (("in0", ("data", "data")),),
    ],
)
def test_rules_that_do_not_fit_are_refused(rules: Any, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as error:
        convert(tmp_path / "m.hlo.pb", mesh=MESH, shard_rules=rules)
    assert error.value.code is Code.UsageError
    assert list(tmp_path.iterdir()) == []
