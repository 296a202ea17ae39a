"""One object for several instruction sets: the choice at run time, equal results, what an object may not lean on."""

from __future__ import annotations

import ctypes
import json
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from llvmlite import binding as llvm

import mlconv
from mlconv.codegen.machines.cpus import AARCH64, AT_HWCAP, EDX, X86_64
from mlconv.codegen.machines.instructions import Probe
from mlconv.codegen.machines.targets import candidates, target_named
from mlconv.codegen.objects.elf import undefined_symbols
from mlconv.codegen.program.compile import host_cpus, is_permitted
from mlconv.codegen.program.dispatch import choice
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.ir.spec import OpDef
from tests.support.integers import constant, function_of, int8
from tests.support.modules import const, module, random
from tests.support.native import Native, check, needs_cc, small, to_object

FLAGS = {
    "x86-64-v3": {"avx2", "fma", "bmi1", "bmi2", "movbe", "f16c"},
    "avx-vnni": {"avx2", "avx_vnni"},
    "avx512-vnni": {"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd", "avx512_vnni"},
    "x86-64-v4": {"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd"},
    "avx512-bf16": {"avx512f", "avx512_vnni", "avx512_bf16", "sse4a"},
    "amx": {"avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_int8", "amx_bf16"},
}

BODIES = [c.name.replace("-", "_") for c in X86_64]


def chosen(text: list[str]) -> int:
    """Compile and call `choice`, twice."""
    text = [line.replace("define internal i32 @choice", "define i32 @choice") for line in text]
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    parsed = llvm.parse_assembly("\n".join([*text, "attributes #0 = { nounwind }"]))
    parsed.verify()
    engine = llvm.create_mcjit_compiler(parsed, llvm.Target.from_default_triple().create_target_machine())
    engine.finalize_object()
    function = ctypes.CFUNCTYPE(ctypes.c_int)(engine.get_function_address("choice"))
    first = function()
    assert function() == first
    return first


def flags() -> set[str]:
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        pytest.skip("no /proc/cpuinfo")
    return set(next(line for line in text.splitlines() if line.startswith("flags")).split())


def test_the_best_that_the_machine_has_is_chosen() -> None:
    have = flags()
    expected = max(i for i, c in enumerate(X86_64) if FLAGS.get(c.name, set()) <= have)
    assert chosen(choice(X86_64)) == expected


def test_none_is_chosen_when_a_bit_is_missing() -> None:
    reserved = X86_64[0]._replace(probes=(Probe(1, EDX, (10,)),))  # a reserved bit, zero on every processor
    assert chosen(choice([reserved])) == -1
    assert chosen(choice([X86_64[0], reserved])) == 0
    absent = X86_64[0]._replace(probes=(Probe(0x8FFF_FFFF, EDX, (0,)),))
    assert chosen(choice([absent])) == -1
    unsaved = X86_64[0]._replace(state=1 << 62 >> 32)  # a register state that no system saves
    assert chosen(choice([X86_64[1]._replace(state=unsaved.state)])) == -1


@pytest.mark.skipif(sys.platform != "linux", reason="Linux is asked")
def test_what_the_system_refuses_is_not_chosen() -> None:
    refused = X86_64[0]._replace(permission=62)  # a component of the state that there is not
    assert chosen(choice([X86_64[0], refused])) == 0
    assert not is_permitted(62)
    assert all(not c.permission for c in target_named("windows").cpus)


@needs_cc
def test_one_object_has_all_and_gives_the_same(tmp_path: pathlib.Path) -> None:
    x = random(1, 8, 8, 2)
    results = []
    for i, cpu in enumerate(["", *(c.name for c in X86_64)]):
        if cpu and not FLAGS.get(cpu, set()) <= flags():
            continue
        code, outputs = Native(to_object(small(), tmp_path / f"net{i}.o", cpu)).call([x])
        assert code == 0
        results.append(outputs)
    for outputs in results[1:]:
        np.testing.assert_allclose(outputs[0], results[0][0], rtol=1e-5, atol=1e-6)
    symbols = (tmp_path / "net0.o").read_bytes()
    assert all((f"body_{c.name.replace('-', '_')}".encode() in symbols) == (not c.dots) for c in X86_64)


@needs_cc
def test_sums_of_bytes_have_code_of_their_own(tmp_path: pathlib.Path) -> None:
    """In an object for all instruction sets, and they give the same integers."""
    rng = np.random.default_rng(0)
    weights, x = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((96, 37), (32, 96)))

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantMatMul(v[0], constant(b, weights, int8(0.01)), element=int8(0.2), lo=-128, hi=127)

    product = function_of([(int8(0.03, 5), x.shape)], make)
    results = []
    for i, cpu in enumerate(["", *host_cpus()]):
        code, outputs = Native(to_object(product, tmp_path / f"net{i}.o", cpu)).call([x])
        assert code == 0
        results.append(outputs[0])
    for result in results:
        np.testing.assert_array_equal(result, next(iter(run_function(product.main, {"in0": x}).values())))
    symbols = (tmp_path / "net0.o").read_bytes()
    assert [name for name in BODIES if f"body_{name}".encode() not in symbols] == ["avx512_bf16"]


def test_products_of_bfloat16_have_code_of_their_own(tmp_path: pathlib.Path) -> None:
    """For the sets that multiply them, and none for those that only multiply bytes."""

    product = module(lambda b, x: b.emit(core.MatMul(x, const(b, random(96, 37)))).y, [random(32, 96)])
    mlconv.convert(product, "native", tmp_path / "net.o", quantize="bfloat16", machine="x86_64")
    facts = json.loads((tmp_path / "net.io.json").read_text())
    assert facts["cpus"] == ["x86-64", "x86-64-v3", "x86-64-v4", "avx512-bf16", "amx"]


@needs_cc
def test_kernels_that_use_nothing_more_are_shared(tmp_path: pathlib.Path) -> None:
    """Between a set and the one that it adds instructions to, copies and launchers too."""
    rng = np.random.default_rng(0)
    weights, x = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((96, 96), (64, 96)))

    def make(b: Builder, v: list[Value]) -> OpDef:
        y = b.emit(core.QuantMatMul(v[0], constant(b, weights, int8(0.01)), element=int8(0.2), lo=-128, hi=127)).result
        return core.QuantMean(y, axes=(0,), keepdims=False, element=int8(0.1), lo=-128, hi=127)

    m = function_of([(int8(0.03, 5), x.shape)], make)
    code, (y,) = Native(to_object(m, tmp_path / "net.o", "", pool=True)).call([x])
    assert code == 0
    np.testing.assert_array_equal(y, next(iter(run_function(m.main, {"in0": x}).values())))
    symbols = (tmp_path / "net.o").read_bytes()
    kernels = {name: len(set(re.findall(rb"kernel\d+_" + name.encode() + rb"\b", symbols))) for name in BODIES}
    assert kernels["avx_vnni"] < kernels["x86_64_v3"], kernels
    assert kernels["amx"] <= kernels["avx512_vnni"] < kernels["x86_64_v4"], kernels


@needs_cc
def test_baseline_has_no_library_calls(tmp_path: pathlib.Path) -> None:
    """Rounding and fused multiply-add are instructions that the baseline lacks; they must not become calls for each
    number.
    """

    def make(b: Builder, x: Value) -> list[Value]:
        kinds = (core.Floor, core.Ceil, core.Round, core.Exp, core.Tanh, core.Erf, core.Log, core.Sigmoid)
        return [b.emit(kind(x)).y for kind in kinds] + [b.emit(core.MatMul(x, const(b, random(40, 20)))).y]

    edges = [
        0.5,
        1.5,
        2.5,
        -0.5,
        -1.5,
        -0.2,
        0.0,
        -0.0,
        8388607.5,
        -8388607.5,
        1e9,
        -1e30,
        np.inf,
        -np.inf,
        np.nan,
        0.49999997,
    ]
    rows = np.array([edges, [-v for v in edges]], np.float32)
    x = np.concatenate([np.resize(rows, (2, 37)), np.zeros((2, 3), np.float32)], axis=1)
    m = module(make, [x])
    assert undefined_symbols(to_object(m, tmp_path / "m.o", "x86-64").read_bytes()) == []
    finite = np.where(np.isfinite(x) & (np.abs(x) < 80), x, 1).astype(np.float32)
    check(m, [finite], tmp_path, "x86-64")
    code, outputs = Native(to_object(m, tmp_path / "edges.o", "x86-64")).call([x])
    assert code == 0
    for y, f in zip(outputs, (np.floor, np.ceil, np.rint), strict=False):
        np.testing.assert_array_equal(y, f(x))
        np.testing.assert_array_equal(np.signbit(y), np.signbit(f(x)))


@needs_cc
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="qemu-x86_64 is not installed")
def test_machines_of_other_instruction_sets(tmp_path: pathlib.Path) -> None:
    """In an emulator: the object runs where there is only SSE2 and where there is AVX2; code for AVX2 alone is refused
    in order where there is none.
    """
    import mlconv

    for name, cpu in (("all", ""), ("v3", "x86-64-v3"), ("v4", "x86-64-v4")):
        mlconv.convert(small(), to="native", output=tmp_path / f"{name}.o", cpu=cpu, self_test=True)
        subprocess.run(["cc", "-static", "-o", name, f"{name}.test.c", f"{name}.o", "-lm"], cwd=tmp_path, check=True)
    for machine, results in {"qemu64": (0, 1, 1), "Nehalem": (0, 1, 1), "Haswell": (0, 0, 1)}.items():
        for name, expected in zip(("all", "v3", "v4"), results, strict=True):
            done = subprocess.run(
                ["qemu-x86_64", "-cpu", machine, f"./{name}"], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert done.returncode == expected, (machine, name, done.returncode, done.stderr)
            assert (expected == 0) == ("all outputs are right" in done.stdout) and (
                expected == 0 or "error 2" in done.stderr
            )


@pytest.mark.skipif(sys.platform != "linux", reason="Linux is asked")
def test_what_the_system_says_is_asked_for_on_arm() -> None:
    """Bits that this machine's system sets in the same word, and that it does not; without a C library there is nobody
    to ask, and the least set is taken.
    """
    ask = ctypes.CDLL(None).getauxval
    ask.argtypes, ask.restype = [ctypes.c_ulong], ctypes.c_ulong
    said = int(ask(AT_HWCAP)) & 0xFFFF_FFFF
    ones, zeros = ([i for i in range(32) if said >> i & 1 == bit] for bit in (1, 0))
    if not ones or not zeros:
        pytest.skip("all bits are one, or none is")
    least, dots, _ = AARCH64
    there, absent = (dots._replace(probes=(Probe(AT_HWCAP, 0, (bits[0],)),)) for bits in (ones, zeros))
    assert chosen(choice([least, there])) == 1
    assert chosen(choice([least, absent])) == 0
    assert chosen([line.replace("getauxval", "nobody_has_this") for line in choice([least, there])]) == 0


def test_what_an_object_for_arm_leans_on(tmp_path: pathlib.Path) -> None:
    """Linux is asked where there is one; a Mac's processors all have dot products."""

    def made(target: str, name: str) -> bytes:
        mlconv.convert(_product(), "native", tmp_path / name, machine=target)
        return (tmp_path / name).read_bytes()

    linux, bare = made("aarch64", "linux.o"), made("aarch64-none-elf", "bare.o")
    assert undefined_symbols(linux) == undefined_symbols(bare) == []
    assert b"getauxval" in linux and b"getauxval" not in bare
    names = {t: [c.name for c in candidates(target_named(t), "", "")] for t in ("aarch64", "macos", "aarch64-none-elf")}
    assert names == {
        "aarch64": ["armv8-a", "dotprod", "i8mm"],
        "macos": ["dotprod"],
        "aarch64-none-elf": ["armv8-a"],
    }
    assert [c.name for c in candidates(target_named("aarch64-linux-android"), "", "")] == names["aarch64"]


def _product() -> Module:
    weights = np.random.default_rng(0).integers(-128, 128, (96, 37)).astype(np.int8)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantMatMul(v[0], constant(b, weights, int8(0.01)), element=int8(0.2), lo=-128, hi=127)

    return function_of([(int8(0.03, 5), (32, 96))], make)
