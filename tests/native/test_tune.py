"""Tiles chosen by timing: the cache, what it may hold, equal results."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.codegen.kernels.kind import KINDS, kind_of
from mlconv.codegen.machines.cpus import X86_64, Cpu
from mlconv.codegen.machines.targets import candidates, target_named
from mlconv.codegen.program import tune
from mlconv.codegen.program.compile import host_cpus
from mlconv.codegen.program.sets import useful
from mlconv.codegen.program.survey import fastest_of, text_of
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import PANEL, KernelOp
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from tests.support.cli import call
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import Array

X = random(30, 40)


def product() -> Module:
    def make(b: Builder, x: Value) -> Value:
        y = b.emit(core.MatMul(x, const(b, random(40, 70)))).y
        return b.emit(core.Clamp(y, lo=-1.0, hi=6.0)).y

    return module(make, [X])


def tile() -> KernelOp:
    m = product()
    lower(m, "native", DiagnosticEngine())
    return next(op for op in m.walk() if isinstance(op, KernelOp) and op.name == "kernel.gemm")


@pytest.mark.parametrize("cpu", X86_64, ids=lambda c: c.name)
def test_candidates_obey_the_register_rule(cpu: Cpu) -> None:
    op = tile()
    found = kind_of(op).choices(cpu, op.problem)
    assert len(found) > (cpu.registers == 32) and len(set(found)) == len(found)
    for rows, count, _ in found:
        vectors = count * max(1, PANEL // cpu.lanes(DType.F32))
        assert (rows, count) == (1, 1) or (rows + 1) * vectors + 1 <= cpu.registers


def test_the_fastest_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """With made-up times; the heuristic's own stays unless another is clearly faster."""
    cpu, op = X86_64[2], tile()
    choices = kind_of(op).choices(cpu, op.problem)
    assert len(choices) > 1
    monkeypatch.setattr(tune, "_compiled", lambda *_: (list(range(len(choices))), (1,) * len(choices)))
    for factor, luck, expected in ((0.5, 0.5, 1), (0.99, 0.99, 0), (0.99, 0.5, 0)):
        calls = iter(range(10_000))

        def seconds(
            which: int, _: Any, factor: float = factor, luck: float = luck, calls: Iterator[int] = calls
        ) -> float:
            """Of candidate 1: `luck` the first time, then `factor` of what the heuristic's takes."""
            return {0: 1.0, 1: luck if next(calls) < len(choices) else factor}.get(which, 2.0)

        monkeypatch.setattr(tune, "_seconds", seconds)
        assert tune.fastest(op, cpu, choices) == choices[expected]


def test_the_command_fills_the_cache_in_advance(tmp_path: pathlib.Path, models: pathlib.Path) -> None:
    """A conversion with it times nothing, here or on workers that timed; a second run of the command neither."""
    model, fixed = models / "digits_cnn.onnx", ("--shape", "image=1,1,8,8")
    for jobs in ("1", "2"):
        cache = tmp_path / f"{jobs}.json"
        found = json.loads(call("tune", model, "-o", cache, "--jobs", jobs, "--json", *fixed).stdout)
        assert found["models"][0]["timed"] == found["models"][0]["problems"] > 1
        before = cache.read_bytes()
        again = json.loads(call("tune", model, model, "-o", cache, "--json", *fixed).stdout)
        assert [one["timed"] for one in again["models"]] == [0]
        shapes = {"image": (1, 1, 8, 8)}
        mlconv.convert(model, "native", tmp_path / "m.o", shapes=shapes, tune=True, tune_cache=str(cache))
        assert cache.read_bytes() == before
    assert "name sizes with --shape" in call("tune", model, "-o", tmp_path / "open.json").stdout
    assert not (tmp_path / "open.json").exists()


def test_a_quantized_model_is_tuned_as_it_is_converted(tmp_path: pathlib.Path, models: pathlib.Path) -> None:
    model, cache, fixed = models / "digits_cnn.onnx", tmp_path / "tiles.json", ("--shape", "image=1,1,8,8")
    scheme = ("--quantize", "int8", "--calibration", "random:4")
    found = json.loads(call("tune", model, "-o", cache, "--json", *fixed, *scheme).stdout)
    assert found["models"][0]["timed"] > 1
    before = cache.read_bytes()
    call("convert", model, "--to", "native", "-o", tmp_path / "m.o", "--tune", "--tune-cache", cache, *fixed, *scheme)
    assert cache.read_bytes() == before
    # those of floats are others
    floats = json.loads(call("tune", model, "-o", cache, "--json", *fixed).stdout)
    assert floats["models"][0]["timed"] == floats["models"][0]["problems"]


def test_a_worker_of_another_processor_is_refused() -> None:
    cpu = next(c for c in target_named("").cpus if c.name == host_cpus()[-1])
    op = tile()
    assert fastest_of((), text_of(op), cpu.name, tune.processor(cpu)) in kind_of(op).choices(cpu, op.problem)
    for name, of in ((cpu.name, "another one"), ("armv8-a", tune.processor(cpu))):
        with pytest.raises(ConversionError, match="MLC0404: a worker has another processor"):
            fastest_of((), text_of(op), name, of)


def test_cache(tmp_path: pathlib.Path) -> None:
    """A search fills the file; with it, and without a search, the same object comes again; a choice that was forced
    computes the same.
    """
    cache = tmp_path / "tune.json"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    mlconv.convert(product(), to="native", output=tmp_path / "a" / "net.o", tune=True, tune_cache=str(cache))
    kept = json.loads(cache.read_text())
    ((processor, choices),) = kept["choices"].items()
    assert kept["version"] == 3 and len(choices) == 1
    mlconv.convert(product(), to="native", output=tmp_path / "b" / "net.o", tune_cache=str(cache))
    assert (tmp_path / "a" / "net.o").read_bytes() == (tmp_path / "b" / "net.o").read_bytes()
    expected = run_function(product().main, {"in0": X})["out0"]
    # the last two have too many registers, or too few numbers, and are not taken
    for choice in ([3, 2, 0], [1, 1, 1], [28, 1, -1], [40, 4, 0], [3, 2]):
        cache.write_text(json.dumps({"version": 3, "choices": {processor: dict.fromkeys(choices, choice)}}))
        mlconv.convert(product(), to="native", output=tmp_path / "net.o", tune_cache=str(cache))
        np.testing.assert_allclose(
            mlconv.load_native(tmp_path / "net.o").run({"in0": X})["out0"], expected, rtol=1e-5, atol=1e-5
        )


def network() -> tuple[Module, Array]:
    """A fused chain, a depthwise convolution, one by Winograd's algorithm, and a GEMM."""
    x = random(1, 56, 56, 8)

    def make(b: Builder, x: Value) -> Value:
        def conv(x: Value, k: int, cin: int, cout: int, groups: int = 1) -> Value:
            w = const(b, random(k, k, cin // groups, cout) / np.float32(k * np.sqrt(cin // groups)))
            return b.emit(
                core.Conv(x, w, None, strides=(1, 1), pads=((k // 2,) * 2,) * 2, dilations=(1, 1), groups=groups)
            ).y

        y = conv(conv(conv(x, 1, 8, 96), 3, 96, 96, 96), 1, 96, 16)
        y = conv(b.emit(core.Tanh(y)).y, 3, 16, 16, 16)
        y = conv(b.emit(core.Softmax(y, axis=3)).y, 3, 16, 16)
        return conv(b.emit(core.Softmax(y, axis=3)).y, 1, 16, 5)

    return module(make, [x]), x


def taken(kernels: Module) -> Cpu:
    """Of the instruction sets that an object of these kernels has, the one that this machine takes."""
    rows = [c for c in candidates(target_named(""), "", "") if c.name in host_cpus()]
    return useful(rows, kernels.main.block, KINDS)[-1]


def test_choices_are_for_a_set_that_the_object_has(tmp_path: pathlib.Path) -> None:
    """Where the machine has more than a model of floats uses, too: another choice is other code."""
    kernels, made = clone_module(product()), set()
    lower(kernels, "native", DiagnosticEngine())
    op = next(op for op in kernels.walk() if isinstance(op, KernelOp) and op.name == "kernel.gemm")
    cpu, cache = taken(kernels), tmp_path / "tune.json"
    for choice in kind_of(op).choices(cpu, op.problem)[:3]:
        choices = {tune.processor(cpu): {tune.problem_key(op): choice}}
        cache.write_text(json.dumps({"version": 3, "choices": choices}))
        mlconv.convert(product(), to="native", output=tmp_path / "net.o", tune_cache=str(cache))
        made.add((tmp_path / "net.o").read_bytes())
    assert len(made) == 3


@pytest.mark.long
def test_every_kind_of_choice(tmp_path: pathlib.Path) -> None:
    """Whatever the candidate, the result is the same but for rounding; what is kept by problem does not depend on what
    was chosen.
    """
    m, x = network()
    kernels = clone_module(m)
    lower(kernels, "native", DiagnosticEngine())
    cpu = taken(kernels)
    ops = [op for op in kernels.walk() if isinstance(op, KernelOp) and op.name in KINDS]
    ops = [op for op in ops if kind_of(op).has_choices]
    assert {op.name for op in ops} == {"kernel.gemm", "kernel.depthwise", "kernel.winograd", "kernel.conv_chain"}
    expected, cache = run_function(m.main, {"in0": x})["out0"], tmp_path / "tune.json"
    all_ = {tune.problem_key(op): kind_of(op).choices(cpu, op.problem) for op in ops}
    for op in ops:
        kind, problem = kind_of(op), op.problem
        applied = {kind.without_choice(kind.apply_choice(problem, c)) for c in kind.choices(cpu, problem)}
        assert applied == {kind.without_choice(problem)}
        assert all(kind.fits_choice(cpu, problem, c) for c in kind.choices(cpu, problem))
    for i in range(1, 7):
        choices = {key: found[(7 * i) % len(found)] for key, found in all_.items()}
        cache.write_text(json.dumps({"version": 3, "choices": {tune.processor(cpu): choices}}))
        mlconv.convert(m, to="native", output=tmp_path / "net.o", tune_cache=str(cache))
        np.testing.assert_allclose(
            mlconv.load_native(tmp_path / "net.o").run({"in0": x})["out0"], expected, rtol=1e-4, atol=1e-5
        )


def test_a_search_over_every_kind(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "_ROUNDS", 1)
    monkeypatch.setattr(tune, "_SECONDS", 1e-6)
    cache = tmp_path / "tune.json"
    m, x = network()
    mlconv.convert(m, to="native", output=tmp_path / "net.o", tune=True, tune_cache=str(cache))
    ((_, choices),) = json.loads(cache.read_text())["choices"].items()
    assert sorted({key.split("-")[0] for key in choices}) == ["conv_chain", "depthwise", "gemm", "winograd"]
    np.testing.assert_allclose(
        mlconv.load_native(tmp_path / "net.o").run({"in0": x})["out0"],
        run_function(m.main, {"in0": x})["out0"],
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"version": 1, "choices": {}}',
        '{"version": 3, "choices": {"x": {"p": [0, 5000]}}}',
        '{"version": 3, "choices": {"x": 3}}',
        '{"version": 3, "choices": {"x": {"p": []}}}',
        "[" * 100_000,
    ],
)
def test_damaged_cache(text: str, tmp_path: pathlib.Path) -> None:
    cache = tmp_path / "tune.json"
    cache.write_text(text)
    with pytest.raises(ConversionError) as error:
        mlconv.convert(product(), to="native", output=tmp_path / "net.o", tune_cache=str(cache))
    assert error.value.code is Code.InputNotReadable and [p.name for p in tmp_path.iterdir()] == ["tune.json"]


@pytest.mark.parametrize("kind", ["a pipe", "a device"])
def test_a_cache_without_end(kind: str, tmp_path: pathlib.Path) -> None:
    """What is no regular file is refused before it is read: reading it might never end."""
    cache = tmp_path / "cache" if kind == "a pipe" else pathlib.Path("/dev/zero")
    if kind == "a pipe":
        os.mkfifo(cache)
    with pytest.raises(ConversionError) as error:
        mlconv.convert(product(), to="native", output=tmp_path / "net.o", tune_cache=str(cache))
    assert error.value.code is Code.OutputNotWritable
    with pytest.raises(ConversionError) as error:
        tune.read_cache(str(cache))
    assert error.value.code is Code.InputNotReadable


def test_no_search_for_another_machine(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.convert(product(), to="native", output=tmp_path / "net.o", machine="riscv64", tune=True)
    assert error.value.code is Code.UsageError


def test_no_search_for_a_better_machine(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An instruction set that this machine lacks cannot be timed."""
    monkeypatch.setattr(tune, "host_cpus", lambda: ["x86-64"])
    with pytest.raises(ConversionError) as error:
        mlconv.convert(product(), to="native", output=tmp_path / "net.o", cpu="x86-64-v3", tune=True)
    assert error.value.code is Code.UsageError and not list(tmp_path.iterdir())
