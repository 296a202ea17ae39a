"""Objects for other machines: run where an emulator is there, linked where a linker is, and always looked into."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
from collections.abc import Callable

import numpy as np
import pytest

import mlconv
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.objects import coff, elf, macho, wasm
from mlconv.codegen.objects.objects import undefined_symbols
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.ir.spec import OpDef
from tests.support.integers import constant, function_of, int8
from tests.support.modules import const, module, random
from tests.support.native import run_program, small

TARGETS = [
    "x86_64",
    "aarch64",
    "riscv64",
    "armv7",
    "cortex-m",
    "wasm32",
    "macos",
    "x86_64-apple-macosx11",
    "windows",
    "aarch64-pc-windows-msvc",
]
EMULATED = {
    "aarch64": ("aarch64-linux-gnu-gcc", "qemu-aarch64"),
    "riscv64": ("riscv64-linux-gnu-gcc", "qemu-riscv64"),
    "armv7": ("arm-linux-gnueabihf-gcc", "qemu-arm"),
}


def tools(*names: str) -> list[str]:
    """Paths of programs; the test is skipped when one is missing."""
    found = [shutil.which(n) for n in names]
    for name, path in zip(names, found, strict=True):
        if path is None:
            pytest.skip(f"{name} is not installed")
    return [str(p) for p in found]


def plain() -> Module:
    """Nothing that a C library would be needed for."""

    def make(b: Builder, x: Value) -> list[Value]:
        y = b.emit(core.MatMul(x, const(b, random(20, 33)))).y
        return [b.emit(core.Softmax(y, axis=1)).y, b.emit(core.Floor(y)).y, b.emit(core.Sigmoid(x)).y]

    return module(make, [random(3, 20)])


def quantized(least: int = -128) -> Module:
    """Products of bytes with runs that have whole groups and others, a convolution for Winograd's algorithm, channels
    by themselves, a table.  least: weight.
    """
    rng = np.random.default_rng(1)

    def weights(b: Builder, *shape: int) -> Value:
        return constant(b, rng.integers(least, -least, shape).astype(np.int8), int8(-0.01 * 128 / least))

    def make(b: Builder, v: list[Value]) -> OpDef:
        window = {"pads": ((1, 1), (1, 1)), "dilations": (1, 1), "x_layout": "N01C", "w_layout": "01IO"}
        window |= {"y_layout": "N01C", "lo": -128, "hi": 127}
        x = b.emit(core.QuantConv(v[0], weights(b, 3, 3, 3, 8), strides=(2, 2), element=int8(0.2, 5), **window)).y
        w = weights(b, 3, 3, 1, 8)
        x = b.emit(core.QuantConv(x, w, groups=8, strides=(1, 1), element=int8(0.3), **window)).y
        table = constant(b, rng.integers(-128, 128, 256).astype(np.int8), int8(0.1, 9))
        x = b.emit(core.QuantTable(x, table, element=int8(0.1, 9), lo=-128, hi=127)).y
        x = b.emit(core.QuantConv(x, weights(b, 3, 3, 8, 32), strides=(1, 1), element=int8(0.4, 1), **window)).y
        x = b.emit(core.QuantConv(x, weights(b, 3, 3, 32, 21), strides=(1, 1), element=int8(0.4, 1), **window)).y
        return core.QuantMatMul(x, weights(b, 21, 10), element=int8(0.5), lo=-100, hi=127)

    return function_of([(int8(0.05, -7), (1, 24, 23, 3))], make)


def of_4_bits() -> Module:
    """The same with weights that share bytes."""
    return quantized(-8)


def extreme() -> Module:
    """Products of the largest and least bytes with one another, with runs of whole groups and others, of few columns
    and of many.
    """

    def make(b: Builder, v: list[Value]) -> OpDef:
        x = v[0]
        for depth, columns in ((24, 37), (37, 8), (8, 3)):
            w = np.where(np.arange(depth * columns).reshape(depth, columns) % 5, 127, -128).astype(np.int8)
            w[:, columns // 2] = -128
            whole = int8(130.0 * depth)  # no sum is beyond it, and each product shows
            x = b.emit(core.QuantMatMul(x, constant(b, w, int8(1.0)), element=whole, lo=-128, hi=127)).y
            x = x if columns == 3 else b.emit(core.QuantTable(x, _ends(b), element=int8(1.0), lo=-128, hi=127)).y
        return core.QuantTable(x, _ends(b), element=int8(1.0), lo=-128, hi=127)

    return function_of([(int8(1.0), (5, 24))], make)


def _ends(b: Builder) -> Value:
    """A table of the least and the largest bytes."""
    return constant(b, np.where(np.arange(256) % 3, 127, -128).astype(np.int8), int8(1.0))


def listing(m: Module, target: str, cpu: str, folder: pathlib.Path) -> str:
    """Assembly."""
    converted(m, target, folder, cpu=cpu, emit_code="asm")
    return "".join(p.read_text() for p in folder.glob("net.*.s"))


def converted(m: Module, target: str, folder: pathlib.Path, **options: object) -> pathlib.Path:
    mlconv.convert(m, to="native", output=folder / "net.o", machine=target, **options)
    return folder / "net.o"


@pytest.mark.parametrize("target", EMULATED)
@pytest.mark.parametrize("make", [small, plain], ids=lambda f: f.__name__)
def test_emulated(target: str, make: object, tmp_path: pathlib.Path) -> None:
    """The self test passes on the target's processor, in an emulator."""
    compiler, emulator = tools(*EMULATED[target])
    assert callable(make)
    converted(make(), target, tmp_path, self_test=True)
    run_program(compiler, "-static", "-o", "test", "net.test.c", "net.o", "-lm", folder=tmp_path)
    assert run_program(emulator, "./test", folder=tmp_path) == "net: all outputs are right\n"


ROWS = {"dotprod": "sdot", "i8mm": "smmla", "cortex-a76": "sdot", "neoverse-v1": "smmla", "neoverse-n2": "smmla"}


@pytest.mark.share(4)
@pytest.mark.parametrize("make", [quantized, of_4_bits, extreme], ids=lambda f: f.__name__)
@pytest.mark.parametrize("cpu", ROWS)
def test_products_of_bytes_of_arm(cpu: str, make: Callable[[], Module], tmp_path: pathlib.Path) -> None:
    """A row of the table, or a processor that has it, uses its instruction."""
    assert ROWS[cpu] in listing(make(), "aarch64", cpu, tmp_path)


@pytest.mark.parametrize("make", [quantized, of_4_bits, extreme], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("target", "cpu"), [*(("aarch64", cpu) for cpu in ROWS), *((t, "") for t in EMULATED)])
def test_integers_emulated(target: str, cpu: str, make: Callable[[], Module], tmp_path: pathlib.Path) -> None:
    """As the interpreter computes them."""
    compiler, emulator = tools(*EMULATED[target])
    converted(make(), target, tmp_path, self_test=True, cpu=cpu)
    run_program(compiler, "-static", "-o", "test", "net.test.c", "net.o", "-lm", folder=tmp_path)
    assert run_program(emulator, *(["-cpu", "max"] * (cpu != "")), "./test", folder=tmp_path) == (
        "net: all outputs are right\n"
    )


@pytest.mark.parametrize("make", [quantized, of_4_bits, extreme], ids=lambda f: f.__name__)
def test_the_set_is_chosen_at_run_time(make: Callable[[], Module], tmp_path: pathlib.Path) -> None:
    """Of one object, on processors without dot products, with them, and with SMMLA: equal integers."""
    compiler, emulator = tools(*EMULATED["aarch64"])
    converted(make(), "aarch64", tmp_path, self_test=True)
    run_program(compiler, "-static", "-o", "test", "net.test.c", "net.o", "-lm", folder=tmp_path)
    for cpu in ("cortex-a53", "cortex-a76", "max"):
        assert run_program(emulator, "-cpu", cpu, "./test", folder=tmp_path) == "net: all outputs are right\n"


def test_pool_emulated(tmp_path: pathlib.Path) -> None:
    compiler, emulator = tools(*EMULATED["aarch64"])
    converted(small(), "aarch64", tmp_path, example=True, pool=True)
    run_program(compiler, "-static", "-o", "example", "net.example.c", "net.o", "-lm", "-lpthread", folder=tmp_path)
    assert run_program(emulator, "./example", folder=tmp_path).startswith("out0: 0.")


NODE = """
const fs = require('fs'), data = fs.readFileSync('net.test.bin'), facts = JSON.parse(fs.readFileSync('net.io.json'));
const code = new WebAssembly.Module(fs.readFileSync('net.wasm'));
const net = new WebAssembly.Instance(code, {env: {sinf: x => Math.fround(Math.sin(x))}}).exports;
let top = (net.__heap_base.value + 63) & ~63;
const take = n => { const at = top; top = (top + n + 63) & ~63; return at; };
const pages = 1 + ((1 << 20) >> 16); net.memory.grow(pages);
const bytes = () => new Uint8Array(net.memory.buffer), words = () => new Uint32Array(net.memory.buffer);
const tables = [take(64), take(64)], places = [[], []];
[facts.inputs, facts.outputs].forEach((side, k) => side.forEach((v, i) => {
  places[k][i] = take(v.bytes); words()[tables[k] / 4 + i] = places[k][i]; }));
let from = 0;
facts.inputs.forEach((v, i) => { bytes().set(data.subarray(from, from + v.bytes), places[0][i]); from += v.bytes; });
const workspace = take(facts.workspace_bytes);
if (net.net_run(tables[0], tables[1], 0, workspace, facts.workspace_bytes - 1, 0) !== 1) process.exit(2);
if (net.net_run(tables[0], tables[1], 0, workspace, facts.workspace_bytes, 0) !== 0) process.exit(3);
facts.outputs.forEach((v, i) => {
  if (v.dtype !== 'float32') {
    const got = Buffer.from(net.memory.buffer).subarray(places[1][i], places[1][i] + v.bytes);
    if (!got.equals(data.subarray(from, from + v.bytes))) { console.log(v.name); process.exit(5); }
  } else for (let j = 0; j < v.bytes; j += 4) {
    const got = Buffer.from(net.memory.buffer).readFloatLE(places[1][i] + j), want = data.readFloatLE(from + j);
    if (!(Math.abs(got - want) <= 1e-5 + 1e-4 * Math.abs(want))) { console.log(v.name, j, got, want); process.exit(4); }
  }
  from += v.bytes; });
console.log('right');
"""


def run_in_node(m: Module, folder: pathlib.Path) -> str:
    """What the script says."""
    linker, node = tools("wasm-ld", "node")
    converted(m, "wasm32", folder, self_test=True)
    run_program(
        linker,
        "--no-entry",
        "--allow-undefined",
        "--export=net_run",
        "--export=__heap_base",
        "-o",
        "net.wasm",
        "net.o",
        folder=folder,
    )
    (folder / "test.cjs").write_text(NODE)
    return run_program(node, "test.cjs", folder=folder)


def test_wasm_in_node(tmp_path: pathlib.Path) -> None:
    assert run_in_node(small(), tmp_path) == "right\n"


@pytest.mark.parametrize("make", [quantized, of_4_bits, extreme], ids=lambda f: f.__name__)
def test_wasm_integers_in_node(make: Callable[[], Module], tmp_path: pathlib.Path) -> None:
    """As the interpreter computes them, by sums of two products of 16 bits."""
    assert run_in_node(make(), tmp_path) == "right\n"
    text = listing(make(), "wasm32", "", tmp_path)
    assert "i32x4.dot_i16x8_s" in text


@pytest.mark.parametrize(
    "target,linker,flags",
    [
        (
            "macos",
            "ld64.lld-14",
            "-arch arm64 -platform_version macos 11.0 11.0 -dylib -undefined dynamic_lookup -o net.dylib net.o",
        ),
        (
            "x86_64-apple-macosx11",
            "ld64.lld-14",
            "-arch x86_64 -platform_version macos 11.0 11.0 -dylib -undefined dynamic_lookup -o net.dylib net.o",
        ),
        ("windows", "lld-link", "/dll /noentry /nodefaultlib /force:unresolved /export:net_run /out:net.dll net.o"),
        ("cortex-m", "ld.lld", "-r -o net2.o net.o"),
    ],
)
def test_other_linkers_take_the_object(target: str, linker: str, flags: str, tmp_path: pathlib.Path) -> None:
    """The weights arrive in what is linked."""
    (program,) = tools(linker)
    path = converted(plain(), target, tmp_path)
    before = set(tmp_path.iterdir())
    run_program(program, *flags.split(), folder=tmp_path)
    made = max(set(tmp_path.iterdir()) - before, key=lambda p: p.stat().st_size)
    needle = np.ascontiguousarray(random(20, 33)[:, :16]).tobytes()  # the first panel
    assert needle in path.read_bytes() and needle in made.read_bytes()


@pytest.mark.parametrize("target", TARGETS)
def test_symbols(target: str, tmp_path: pathlib.Path) -> None:
    """What the model interface lists is what the object takes from elsewhere; a model of vector code takes nothing."""
    path = converted(small(), target, tmp_path)
    listed = json.loads((tmp_path / "net.io.json").read_text())["symbols"]
    assert set(listed) - {"_fltused"} == {"sinf"}
    for tool in filter(shutil.which, ("llvm-nm", "llvm-nm-14")):
        done = subprocess.run([tool, "-u", path], capture_output=True, text=True, check=True)
        seen = {
            line.split()[-1].removeprefix("_" if "macos" in target else "")
            for line in done.stdout.splitlines()
            if line.strip()
        }
        assert seen - {"__linear_memory", "__stack_pointer", "__indirect_function_table"} == set(listed)
    folder = tmp_path / "plain"
    folder.mkdir()
    converted(plain(), target, folder)
    assert set(json.loads((folder / "net.io.json").read_text())["symbols"]) <= {"_fltused"}


def test_refusals(tmp_path: pathlib.Path) -> None:
    for options in (
        {"machine": "pdp11-dec-unix"},
        {"machine": "x86_64; rm"},
        {"machine": "aarch64", "cpu": "x86-64-v3"},
        {"features": "avx2"},
    ):
        with pytest.raises(ConversionError) as error:
            mlconv.convert(small(), to="native", output=tmp_path / "net.o", **options)
        assert error.value.code is Code.UsageError
    for target in ("windows", "cortex-m", "wasm32"):
        with pytest.raises(ConversionError) as error:
            converted(small(), target, tmp_path, pool=True)
        assert error.value.code is Code.TargetUnavailable
    with pytest.raises(ConversionError) as error:
        converted(small(), "riscv64", tmp_path, verify=True)
    assert error.value.code is Code.VerificationImpossible
    with pytest.raises(ConversionError) as error:
        converted(small(), "macos", tmp_path, archive=True)
    assert error.value.code is Code.TargetUnavailable
    assert not list(tmp_path.iterdir())
    with pytest.raises(ConversionError, match="MLC0702"):
        mlconv.load_native(converted(small(), "riscv64", tmp_path))


def test_damaged_objects(tmp_path: pathlib.Path) -> None:
    """A compiler that made something else is noticed."""
    for reader in (elf, macho, coff):
        with pytest.raises(ConversionError, match="MLC0403"):
            reader.undefined_symbols(b"\x01" * 100)
        with pytest.raises(ConversionError, match="MLC0403"):
            reader.grown(b"\x01" * 100, "__A,__b", "net_weights", 1)
    with pytest.raises(ConversionError, match="MLC0403"):
        wasm.undefined_symbols(b"\x01" * 100)
    for target, section in (
        ("x86_64", ".mlconv.weights"),
        ("macos", "__TEXT,__mlc_weights"),
        ("windows", ".mlcwts"),
        ("wasm32", ".mlconv.weights"),
    ):
        image = converted(small(), target, tmp_path, weights="file").read_bytes()
        reader = {"x86_64": elf, "macos": macho, "windows": coff, "wasm32": wasm}[target]
        with pytest.raises(ConversionError, match="MLC0403"):
            reader.grown(image, section, "net_weights", 64)


def test_symbols_that_no_library_has_are_refused(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = converted(small(), "x86_64", tmp_path).read_bytes().replace(b"\0sinf\0", b"\0mlcx\0")
    with pytest.raises(ConversionError, match="mlcx"):
        undefined_symbols(image, target_named("x86_64"))
