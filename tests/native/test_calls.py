"""The rows of docs/native-edges.md about calls: what a call leaves of the processor's state, and by which convention it
is made.  That callers of other machines get their results is tested in emulators (test_cross.py).
"""

from __future__ import annotations

import pathlib
import platform
import re
import shutil
import subprocess

import pytest

import mlconv
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from tests.support.modules import const, module, random
from tests.support.native import CPUS, needs_cc, run_program

STATE = """#include "net.h"
#include <fenv.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>
static unsigned short x87(void) { unsigned short w; __asm__ volatile("fnstcw %0" : "=m"(w)); return w; }
static float x[64], y[64];
static _Alignas(64) char workspace[NET_WORKSPACE_BYTES + 64];
static int same(unsigned wanted) {
  unsigned short before = x87();
  _mm_setcsr(wanted);
  int error = net_call(x, y, workspace, NULL);
  unsigned after = _mm_getcsr();
  _mm_setcsr(0x1f80);
  return error == 0 && (after & ~0x3fu) == (wanted & ~0x3fu) && x87() == before;
}
int main(void) {
  for (int i = 0; i < 64; i++) x[i] = 1e-39f;
  if (!same(0x1f80) || !(y[0] > 0)) return 1;      /* as programs begin */
  if (!same(0x1f80 | 0x8040) || y[0] != 0) return 2; /* flush to zero, subnormal operands are zeros */
  if (!same(0x1f80 | 0x6000)) return 3;            /* towards zero */
  return 0;
}
"""


def doubled() -> Module:
    return module(lambda b, v: b.emit(core.Add(v, v)).y, [random(64)])


def mixed() -> Module:
    """Products, functions, reductions and movement."""

    def make(b: Builder, v: Value) -> list[Value]:
        y = b.emit(core.MatMul(v, const(b, random(48, 40)))).y
        y = b.emit(core.Softmax(b.emit(core.Tanh(y)).y, axis=1)).y
        return [b.emit(core.Transpose(y, perm=(1, 0))).y, b.emit(core.ReduceMax(y, axes=(0,))).y]

    return module(make, [random(9, 48)])


@needs_cc
@pytest.mark.skipif(platform.machine() != "x86_64", reason="bits of x86-64")
@pytest.mark.parametrize("cpu", CPUS)
def test_control_bits_are_the_callers(cpu: str, tmp_path: pathlib.Path) -> None:
    mlconv.convert(doubled(), "native", tmp_path / "net.o", cpu=cpu)
    (tmp_path / "main.c").write_text(STATE)
    run_program("cc", "-o", "main", "main.c", "net.o", "-lm", folder=tmp_path)
    assert subprocess.run(["./main"], cwd=tmp_path, check=False).returncode == 0


@pytest.mark.skipif(shutil.which("objdump") is None, reason="no objdump")
@pytest.mark.parametrize("cpu", [c for c in CPUS if c != "x86-64"])
def test_upper_halves_are_cleared(cpu: str, tmp_path: pathlib.Path) -> None:
    """By every function that has used them, before it returns or calls one that others know."""
    mlconv.convert(mixed(), "native", tmp_path / "net.o", cpu=cpu)
    text = run_program("objdump", "-d", "--no-show-raw-insn", tmp_path / "net.o")
    functions = re.split(r"^[0-9a-f]+ <", text, flags=re.MULTILINE)[1:]
    wide = [f for f in functions if re.search(r"%[yz]mm", f) and re.search(r"\bret", f)]
    assert wide and all("vzeroupper" in f for f in wide)


@pytest.mark.skipif(shutil.which("readelf") is None, reason="no readelf")
def test_conventions_in_the_file(tmp_path: pathlib.Path) -> None:
    """Flags by which linkers tell calling conventions apart."""
    for machine, flags in {"riscv64": "double-float ABI", "armv7": "Tag_ABI_VFP_args: VFP registers"}.items():
        mlconv.convert(doubled(), "native", tmp_path / "net.o", machine=machine)
        shown = run_program("readelf", "-h", "-A", tmp_path / "net.o")
        assert flags in shown, shown


def test_plain_models_take_no_symbols(tmp_path: pathlib.Path) -> None:
    mlconv.convert(mixed(), "native", tmp_path / "net.o")
    assert mlconv.load_native(tmp_path / "net.o").facts["symbols"] == []
