"""Tiles chosen by timing: the cache, what it may hold, equal results."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import PANEL, KernelOp
from mlconv.exporters.native.machines.cpus import X86_64, Cpu
from mlconv.exporters.native.program import tune
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.legalize.to_kernel import legalize
from tests.hlo.kit import module
from tests.native.test_generators import constant, random

X = random(30, 40)


def product() -> Module:
    def make(b: Builder, x: Value) -> Value:
        y = b.emit(core.MatMul(x, constant(b, random(40, 70)))).y
        return b.emit(core.Clamp(y, lo=-1.0, hi=6.0)).y

    return module(make, [X])


def tile() -> KernelOp:
    m = product()
    legalize(m, DiagnosticEngine())
    return next(op for op in m.walk() if isinstance(op, KernelOp) and op.name == "kernel.tile")


@pytest.mark.parametrize("cpu", X86_64, ids=lambda c: c.name)
def test_candidates_obey_the_register_rule(cpu: Cpu) -> None:
    found = tune.candidates(cpu, tile().problem)
    assert len(found) > (cpu.registers == 32) and len(set(found)) == len(found)
    for rows, count in found:
        vectors = count * max(1, PANEL // cpu.width)
        assert rows == 1 or (rows + 1) * vectors + 1 <= cpu.registers


def test_the_fastest_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """With made-up times; the heuristic's own stays unless another is clearly faster."""
    cpu, op = X86_64[2], tile()
    choices = tune.candidates(cpu, op.problem)
    for factor, expected in ((0.5, 1), (0.99, 0)):
        seconds = iter([1.0, factor, *[2.0] * (len(choices) - 2)] * tune._ROUNDS)
        monkeypatch.setattr(tune, "_seconds", lambda *_, seconds=seconds: next(seconds))
        assert tune.fastest(op, cpu, choices) == choices[expected]


def test_cache(tmp_path: pathlib.Path) -> None:
    """A search fills the file; with it, and without a search, the same object comes again; a tile that was forced computes the same."""
    cache = tmp_path / "tune.json"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    mlconv.convert(product(), to="native", output=tmp_path / "a" / "net.o", tune=True, tune_cache=str(cache))
    kept = json.loads(cache.read_text())
    ((processor, tiles),) = kept["tiles"].items()
    assert kept["version"] == 1 and len(tiles) == 1
    mlconv.convert(product(), to="native", output=tmp_path / "b" / "net.o", tune_cache=str(cache))
    assert (tmp_path / "a" / "net.o").read_bytes() == (tmp_path / "b" / "net.o").read_bytes()
    expected = product().run({"in0": X})["out0"]
    for shape in ([3, 2], [1, 1], [28, 1], [40, 4]):  # the last one has too many registers and is not taken
        cache.write_text(json.dumps({"version": 1, "tiles": {processor: dict.fromkeys(tiles, shape)}}))
        mlconv.convert(product(), to="native", output=tmp_path / "net.o", tune_cache=str(cache))
        np.testing.assert_allclose(mlconv.load_native(tmp_path / "net.o").run({"in0": X})["out0"], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("text", [
    "{", "[]", '{"version": 2, "tiles": {}}', '{"version": 1, "tiles": {"x": {"p": [0, 1]}}}', '{"version": 1, "tiles": {"x": 3}}',
])  # fmt: skip
def test_damaged_cache(text: str, tmp_path: pathlib.Path) -> None:
    cache = tmp_path / "tune.json"
    cache.write_text(text)
    with pytest.raises(ConversionError) as error:
        mlconv.convert(product(), to="native", output=tmp_path / "net.o", tune_cache=str(cache))
    assert error.value.code is Code.MLC0001 and [p.name for p in tmp_path.iterdir()] == ["tune.json"]


def test_no_search_for_another_machine(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.convert(product(), to="native", output=tmp_path / "net.o", machine="riscv64", tune=True)
    assert error.value.code is Code.MLC0801
