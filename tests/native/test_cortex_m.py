"""A quantized network on a Cortex-M4 without a C library: bytes of code, of the arena, and of the results in an
emulator.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mlconv
from mlconv.codegen.objects import elf
from mlconv.diagnostics import DiagnosticEngine
from mlconv.driver.loading import import_model
from mlconv.driver.options import Options
from mlconv.exporters.tflite.target import TARGET as TFLITE
from tests.native.test_cross import quantized
from tests.support.keyword_spotting import keyword_model, keyword_samples

MACHINES = {
    "cortex-m4": ("mps2-an386", "fpv4-sp-d16", 0, 0x20000000),
    "cortex-m7": ("mps2-an500", "fpv5-d16", 0, 0x20000000),
    "cortex-m55": ("mps3-an547", "auto", 0x10000000, 0x30000000),
}
"""By processor: QEMU's board, the floating-point unit as GCC has it, and where code and data lie: those of the last are
the secure addresses of tightly coupled memories.
"""
DOTS = {"cortex-m4": "smlad", "cortex-m7": "smlad", "cortex-m55": "vmlava.s8"}
CODE = 40 << 10  # bytes beside the weights
START = """
#include "net.h"
extern unsigned char end_of_stack[];
static int say(int operation, const void *given) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = given;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}
static void leave(int status) {
  int given[2] = {0x20026, status}; /* ADP_Stopped_ApplicationExit */
  for (;;) say(0x20, given);        /* SYS_EXIT_EXTENDED */
}
static _Alignas(64) unsigned char workspace[NET_WORKSPACE_BYTES + 64];
static _Alignas(8) unsigned char out[sizeof(wanted)];
static __attribute__((noinline)) void run(void) {
  for (int i = 0; i < 64; i++) workspace[NET_WORKSPACE_BYTES + i] = 0xA5;
  for (int turn = 0; turn < 2; turn++) {
    for (unsigned i = 0; i < sizeof(out); i++) out[i] = 0xA5;
    int error = net_call((const void *)given, (void *)out, workspace, (void *)0);
    if (error) leave(100 + error);
    for (unsigned i = 0; i < sizeof(out); i++) if (out[i] != wanted[i]) { say(4, "differs\\n"); leave(1); }
    for (int i = 0; i < 64; i++) if (workspace[NET_WORKSPACE_BYTES + i] != 0xA5) leave(2);
  }
  say(4, "all bytes are equal\\n"); /* SYS_WRITE0 */
  leave(0);
}
static void start(void) {
  *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: registers of floats and vectors, which `run` saves */
  __asm__ volatile("dsb\\n isb");
  run();
}
static void fault(void) { say(4, "fault\\n"); leave(3); }
__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
  (void (*)(void))end_of_stack, start, fault, fault, fault, fault, fault};
"""
LAYOUT = """
MEMORY { code (rx) : ORIGIN = CODE_AT, LENGTH = 256K  data (rw) : ORIGIN = DATA_AT, LENGTH = 256K }
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.mlconv.weights) *(.ARM.exidx*) } > code
  .bss (NOLOAD) : { *(.bss*) *(COMMON) } > data
  /DISCARD/ : { *(.data*) *(.comment) *(.ARM.attributes) }
  end_of_stack = DATA_AT + 256K;
}
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return keyword_model(tmp_path_factory.mktemp("keywords") / "ds_cnn.onnx")


def written(model: Path, folder: Path, cpu: str, **options: Any) -> dict[str, Any]:
    """The object and its interface."""
    mlconv.convert(
        model,
        "native",
        folder / "net.o",
        quantize="int8",
        calibration=keyword_samples(),
        machine="cortex-m",
        cpu=cpu,
        self_test=True,
        **options,
    )
    facts: dict[str, Any] = json.loads((folder / "net.io.json").read_text())
    return facts


def program(facts: dict[str, Any], folder: Path) -> str:
    """C with the inputs and outputs of the reference interpreter."""
    data = (folder / "net.test.bin").read_bytes()
    size = facts["inputs"][0]["bytes"]
    arrays = {"given": data[:size], "wanted": data[size : size + facts["outputs"][0]["bytes"]]}
    lines = [
        f"static const _Alignas(8) unsigned char {name}[] = {{{', '.join(map(str, held))}}};"
        for name, held in arrays.items()
    ]
    return "\n".join(["#include <stdint.h>", *lines, START])


@pytest.mark.parametrize("optimize", ["speed", "size"])
def test_code_is_small_and_needs_nothing(optimize: str, model: Path, tmp_path: Path) -> None:
    facts = written(model, tmp_path, "cortex-m4", optimize=optimize)
    sections = elf_sections((tmp_path / "net.o").read_bytes())
    beside = sum(
        size for name, size in sections.items() if name.startswith((".text", ".rodata", ".data", ".ARM.exidx"))
    )
    assert 0 < beside <= CODE and facts["symbols"] == []
    assert sections[".mlconv.weights"] < 32 << 10


@pytest.mark.share(4)
@pytest.mark.parametrize("optimize", ["speed", "size"])
def test_memory_is_less_than_with_tflite(optimize: str, model: Path, tmp_path: Path) -> None:
    """Workspace, inputs and outputs, against the arena that TFLite's planner makes for the same model of integers,
    where inputs and outputs are too.  What its kernels take besides is not counted.
    """
    facts = written(model, tmp_path, "cortex-m4", optimize=optimize)
    around = sum(port["bytes"] for side in ("inputs", "outputs") for port in facts[side])
    options = {"quantize": "int8", "calibration": keyword_samples(), "dump_ir": str(tmp_path / "ir")}
    mlconv.convert(model, "tflite", tmp_path / "m.tflite", **options)
    last = sorted((tmp_path / "ir").iterdir())[-1]
    use = TFLITE.memory(import_model(str(last), Options(), DiagnosticEngine()).module, {})
    assert use is not None and isinstance(use.arena, int)
    assert facts["workspace_bytes"] + around <= use.arena
    assert facts["workspace_bytes"] < 0.6 * use.arena


def elf_sections(image: bytes) -> dict[str, int]:
    """Sizes by name."""
    found = elf._Object(image)
    return {name: header[5] for name, header in zip(found.names, found.headers, strict=True)}


@pytest.mark.share(4)
@pytest.mark.parametrize("optimize", ["speed", "size"])
@pytest.mark.parametrize("cpu", MACHINES)
def test_bytes_are_equal_in_an_emulator(cpu: str, optimize: str, model: Path, tmp_path: Path) -> None:
    """Without a C library: the object, the vectors of the processor, and a few lines of C."""
    boot(written(model, tmp_path, cpu, optimize=optimize), cpu, tmp_path)


@pytest.mark.parametrize("least", [-128, -8], ids=["8 bits", "4 bits"])
@pytest.mark.parametrize("cpu", MACHINES)
def test_products_of_all_integers(cpu: str, least: int, tmp_path: Path) -> None:
    """Factors from -128 to 127, depths with and without whole groups, by the instruction of the processor."""
    options = {"machine": "cortex-m", "cpu": cpu, "self_test": True, "emit_code": "asm"}
    mlconv.convert(quantized(least), "native", tmp_path / "net.o", **options)
    assert f"\t{DOTS[cpu]}\t" in (tmp_path / f"net.{cpu}.s").read_text()
    boot(json.loads((tmp_path / "net.io.json").read_text()), cpu, tmp_path)


@pytest.mark.parametrize(("cpu", "word"), [("cortex-m33", "smlad"), ("star-mc1", "smlad"), ("cortex-m85", "vmlava.s8")])
def test_other_processors_have_the_instruction_of_their_row(cpu: str, word: str, tmp_path: Path) -> None:
    mlconv.convert(quantized(), "native", tmp_path / "net.o", machine="cortex-m", cpu=cpu, emit_code="asm")
    assert f"\t{word}\t" in (tmp_path / f"net.{cpu}.s").read_text()


def test_a_processor_without_vectors(tmp_path: Path) -> None:
    """What a Cortex-M33 has, for one that may have been made so."""
    options = {"machine": "cortex-m", "cpu": "cortex-m55", "features": "-mve", "self_test": True, "emit_code": "asm"}
    mlconv.convert(quantized(), "native", tmp_path / "net.o", **options)
    text = (tmp_path / "net.cortex-m55.s").read_text()
    assert "\tsmlad\t" in text and "vmlava" not in text and "vldrw" not in text and ", q" not in text
    boot(json.loads((tmp_path / "net.io.json").read_text()), "cortex-m55", tmp_path)


def boot(facts: dict[str, Any], cpu: str, tmp_path: Path) -> None:
    """Run an object on a board in an emulator; skipped where there are no tools."""
    tools = [shutil.which(name) for name in ("arm-none-eabi-gcc", "qemu-system-arm")]
    if None in tools:
        pytest.skip("no arm-none-eabi-gcc or qemu-system-arm")
    compiler, emulator = map(str, tools)
    board, unit, code, data = MACHINES[cpu]
    (tmp_path / "start.c").write_text(program(facts, tmp_path))
    (tmp_path / "layout.ld").write_text(LAYOUT.replace("CODE_AT", hex(code)).replace("DATA_AT", hex(data)))
    flags = [f"-mcpu={cpu}", "-mthumb", "-mfloat-abi=hard", f"-mfpu={unit}", "-O2", "-ffreestanding"]
    flags += ["-fno-tree-loop-distribute-patterns", "-nostdlib", "-T", "layout.ld"]
    subprocess.run([compiler, *flags, "-o", "net.elf", "start.c", "net.o"], cwd=tmp_path, check=True)
    machine = ["-M", board, "-nographic", "-monitor", "none", "-serial", "none"]
    semihosting = ["-semihosting-config", "enable=on,target=native", "-kernel", "net.elf"]
    ran = subprocess.run(
        [emulator, *machine, *semihosting], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert (ran.returncode, ran.stdout + ran.stderr) == (0, "all bytes are equal\n")
