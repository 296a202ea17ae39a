"""The table of instruction sets: names of processors, what each may use, and what `doctor` says of it."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

import mlconv
from mlconv.codegen.machines import cpu_names
from mlconv.codegen.machines.cpus import X86_64
from mlconv.codegen.machines.targets import candidates, tables, target_named
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.ir.spec import OpDef
from tests.support.cli import call
from tests.support.integers import constant, function_of, int8, int16
from tests.support.modules import random
from tests.support.native import Native, needs_cc, small, to_object

TOOLS = pathlib.Path(__file__).parent.parent.parent / "tools"


def products() -> Module:
    """Of bytes."""
    weights = np.random.default_rng(0).integers(-128, 128, (24, 37)).astype(np.int8)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantMatMul(v[0], constant(b, weights, int8(0.01)), element=int8(0.2), lo=-128, hi=127)

    return function_of([(int8(0.03, 5), (16, 24))], make)


@pytest.mark.parametrize(
    ("machine", "name", "row"),
    [
        ("x86_64", "x86-64", "x86-64"),
        ("x86_64", "x86-64-v2", "x86-64"),
        ("x86_64", "x86-64-v3", "x86-64-v3"),
        ("x86_64", "x86-64-v4", "x86-64-v4"),
        ("x86_64", "nehalem", "x86-64"),
        ("x86_64", "haswell", "x86-64-v3"),
        ("x86_64", "znver3", "x86-64-v3"),
        ("x86_64", "knl", "x86-64-v3"),  # AVX-512 without the parts that x86-64-v4 has
        ("x86_64", "alderlake", "avx-vnni"),
        ("x86_64", "skylake-avx512", "x86-64-v4"),
        ("x86_64", "icelake-server", "avx512-vnni"),
        ("x86_64", "cooperlake", "avx512-vnni"),  # of bfloat16, it widens pairs faster than it multiplies them
        ("x86_64", "znver4", "avx512-bf16"),
        ("x86_64", "sapphirerapids", "amx"),
        ("windows", "icelake-server", "avx512-vnni"),
    ],
)
def test_a_processor_has_the_code_of_a_row(machine: str, name: str, row: str) -> None:
    cpu = candidates(target_named(machine), name, "")[-1]
    named = next(c for c in X86_64 if c.name == row)
    assert cpu._replace(tune="") == named  # no instruction that is not asked for at run time
    assert cpu.tune == ("" if name == row else name)


@pytest.mark.parametrize(("make", "row"), [(small, "x86-64-v4"), (products, "avx512-vnni")])
def test_what_a_model_does_not_use_is_not_asked_for(
    make: Callable[[], Module], row: str, tmp_path: pathlib.Path
) -> None:
    """Of the rows that a processor has, the last one that the model's kernels use is taken."""
    mlconv.convert(make(), "native", tmp_path / "net.o", cpu="znver4")
    facts = json.loads((tmp_path / "net.io.json").read_text())
    assert (facts["cpu"], facts["cpus"]) == (row, [row])


@pytest.mark.parametrize(
    ("machine", "name", "features", "rows"),
    [
        ("cortex-m", "cortex-m55", "-mve", "cortex-m33"),  # that of another, whose instructions it has
        ("cortex-m", "cortex-m85", "-fullfp16", "cortex-m33"),
        ("cortex-m", "cortex-m55", "-mve,+mve", "cortex-m55"),
        ("cortex-m", "cortex-m55", "-lob", "cortex-m55"),  # no row needs it
        ("aarch64", "cortex-a76", "-dotprod", "armv8-a"),
        ("x86_64", "", "-avx512vnni", "x86-64 x86-64-v3 avx-vnni x86-64-v4"),
        ("x86_64", "", "-avx2", "x86-64"),
        ("x86_64", "znver4", "-avx512f", "x86-64 x86-64-v3"),
        ("x86_64", "x86-64-v4", "-sse4a", "x86-64-v4"),
    ],
)
def test_sets_that_need_what_is_taken_away_are_left_out(machine: str, name: str, features: str, rows: str) -> None:
    found, kinds = candidates(target_named(machine), name, features), tables()
    table = {c.name: c for cpus in kinds.values() for c in cpus}
    assert [(c.dots, c.bits) for c in found] == [(table[row].dots, table[row].bits) for row in rows.split()]
    assert all(c.features.endswith(features) for c in found)


@pytest.mark.parametrize(
    ("machine", "name", "features", "what"),
    [
        ("x86_64", "x86-64-v4", "-avx512bw", "avx512bw"),
        ("x86_64", "x86-64-v3", "-sse4.1", "avx2 fma f16c"),
        ("x86_64", "", "-sse", "sse2"),
        ("aarch64", "", "-neon", "neon"),
        ("aarch64", "dotprod", "-fp-armv8", "neon dotprod"),
        ("armv7", "", "-vfp2", "neon vfp4"),
        ("cortex-m", "cortex-m4", "-dsp", "dsp"),
        ("cortex-m", "", "-vfp2sp", "vfp4d16sp"),
        ("riscv64", "", "-d", "d"),
        ("wasm32", "", "-simd128", "simd128"),
    ],
)
def test_what_code_needs_is_not_taken_away(machine: str, name: str, features: str, what: str) -> None:
    with pytest.raises(ConversionError, match=f"needs {what}, which {features} takes away") as e:
        candidates(target_named(machine), name, features)
    assert e.value.diagnostic.code is Code.UsageError


def test_processors_of_arm_have_all_that_is_theirs() -> None:
    for name, has_dots in (("cortex-a53", False), ("cortex-a76", True), ("neoverse-v1", True), ("apple-m1", True)):
        (cpu,) = candidates(target_named("aarch64"), name, "")
        assert (cpu.name, cpu.target, bool(cpu.dots)) == (name, name, has_dots)


@pytest.mark.parametrize(
    ("machine", "name", "near"),
    [
        ("x86_64", "znver44", "znver4"),
        ("x86_64", "x86_64_v3", "x86-64-v3"),
        ("x86_64", "avx512vnni", "avx512-vnni"),
        ("x86_64", "pentium4", "see mlconv doctor"),  # no 64-bit mode
        ("aarch64", "cortexa76", "cortex-a76"),
        ("aarch64", "znver4", "see mlconv doctor"),
        ("riscv64", "rv64", "rv64gc"),
        ("cortex-m", "cortex-m3", "cortex-m3"),  # no floating point
    ],
)
def test_unknown_names_are_refused_with_near_ones(machine: str, name: str, near: str) -> None:
    with pytest.raises(ConversionError, match=f"unknown cpu '{name}'") as e:
        candidates(target_named(machine), name, "")
    assert e.value.diagnostic.code is Code.UsageError and near in e.value.diagnostic.help


def test_the_names_are_those_of_llvm() -> None:
    """And each has the features that LLVM says."""
    code = (
        "import json, gen_cpu_names as g;"
        "from mlconv.codegen.machines import cpu_names as names;"
        "tables = {a: getattr(names, g.TABLES.get(a, a.upper()) + '_NAMES') for a in g.ASKED};"
        "print(json.dumps([{a: {n: g.row(a, n) for n in t} for a, t in tables.items()},"
        "[n for a, t in tables.items() for n in set(t) - set(g.processors(a))]]))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=TOOLS, capture_output=True, text=True, check=True)
    found, strangers = json.loads(done.stdout)
    kept = (cpu_names.X86_64_NAMES, cpu_names.AARCH64_NAMES, cpu_names.RISCV64_NAMES, cpu_names.ARMV7_NAMES)
    assert list(found.values()) == [*kept, cpu_names.CORTEX_M_NAMES], "run tools/gen_cpu_names.py"
    assert strangers == []


@pytest.mark.parametrize(
    ("machine", "name"),
    [("riscv64", "sifive-u74"), ("armv7", "cortex-a15"), ("cortex-m", "cortex-m85"), ("aarch64", "neoverse-n2")],
)
def test_objects_for_processors_elsewhere(machine: str, name: str, tmp_path: pathlib.Path) -> None:
    result = mlconv.convert(small(), "native", tmp_path / "net.o", machine=machine, cpu=name)
    assert result.size_bytes and json.loads((tmp_path / "net.io.json").read_text())["cpus"] == [name]


@pytest.mark.parametrize("machine", ["armv7", "cortex-m"])
def test_products_of_16_bits_on_32_bit_arm(machine: str, tmp_path: pathlib.Path) -> None:
    """LLVM 22 ends the process for constants that are compared: none are."""
    given = [(int16(0.001), (3, 7)), (int16(0.001), (7, 3))]
    m = function_of(given, lambda b, v: core.QuantMatMul(*v, element=int16(0.002), lo=-(2**15), hi=2**15 - 1))
    assert mlconv.convert(m, "native", tmp_path / "m.o", machine=machine).size_bytes


def test_processors_without_what_code_needs_are_refused() -> None:
    for machine, name in (("armv7", "cortex-a9"), ("riscv64", "sifive-s21")):
        with pytest.raises(ConversionError, match=f"{name}") as e:
            candidates(target_named(machine), name, "")
        assert e.value.diagnostic.code is Code.UsageError


@needs_cc
def test_an_object_for_a_processor_runs(tmp_path: pathlib.Path) -> None:
    """Where its row is had: the order of instructions is another, the results are the same."""
    x = random(1, 8, 8, 2)
    outputs = {}
    for name in ("x86-64-v3", "haswell", "znver3"):
        code, (outputs[name], *_) = Native(to_object(small(), tmp_path / f"{name}.o", name)).call([x])
        assert code == 0
        assert json.loads((tmp_path / f"{name}.io.json").read_text())["cpu"] == "x86-64-v3"
    assert all((y == outputs["x86-64-v3"]).all() for y in outputs.values())


def test_doctor_shows_the_table() -> None:
    shown = call("doctor", "--targets").output
    machines = json.loads(call("doctor", "--targets", "--json").output)["targets"][-1]["machines"]
    assert {(r["arch"], r["name"]) for r in machines} == {(a, c.name) for a, cpus in tables().items() for c in cpus}
    here = target_named("").arch
    assert [r["name"] for r in machines if r["here"]] == host_cpus()
    assert all(r["arch"] == here for r in machines if r["here"])
    for r in machines:
        assert r["needs"] and r["used_for"]
        assert f"{r['name']:<12} {'here' if r['here'] else '-':<5} {r['used_for']}\n" in shown
    assert next(r for r in machines if r["name"] == "avx512-vnni")["needs"].endswith("avx512cd avx512vnni")
    assert "products of uint8 by int8 in 16 lanes" in shown
    groups = json.loads(call("doctor", "--json").output)
    assert set(groups) == {"program", "packages", "targets", "formats", "plug-ins"}
    assert "machines" not in groups["targets"][-1]
