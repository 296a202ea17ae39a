"""Lines of the user's source in the object: gdb stops at them, the line table lists them, --strip-locations removes
them.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import pytest

import mlconv
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation
from tests.support.modules import const, module, random
from tests.support.native import needs_cc, run_program

SOURCE = """\
class Net:
    def forward(self, x):
        h = self.first(x)
        h = relu(h)
        h = self.second(h)
        return h.softmax(1)
"""
FIRST, RELU, SECOND, SOFTMAX = 3, 4, 5, 6


def model(file: pathlib.Path) -> Module:
    """Two products of one shape, so that they share a kernel, and an activation that is fused into the first."""

    def at(b: Builder, line: int) -> None:
        frame = FileLocation(str(file), line, 0, "forward", SOURCE.splitlines()[line - 1])
        b.location = NameLocation(f"/node_{line}", CallStack((frame, FileLocation("/lib/caller.py", 99))))

    def make(b: Builder, x: Value) -> Value:
        at(b, FIRST)
        y = b.emit(core.MatMul(x, const(b, random(48, 48)))).y
        at(b, RELU)
        y = b.emit(core.Clamp(y, lo=0.0, hi=6.0)).y
        at(b, SECOND)
        y = b.emit(core.MatMul(y, const(b, random(48, 48, seed=2)))).y
        y = b.emit(core.Clamp(y, lo=0.0, hi=6.0)).y
        at(b, SOFTMAX)
        return b.emit(core.Softmax(y, axis=1)).y

    return module(make, [random(4, 48)])


def build(folder: pathlib.Path, **options: object) -> None:
    (folder / "user_model.py").write_text(SOURCE)
    mlconv.convert(model(folder / "user_model.py"), to="native", output=folder / "net.o", example=True, **options)


def line_table(path: pathlib.Path) -> set[int]:
    """Lines of user_model.py in the object's line table."""
    if shutil.which("objdump") is None:
        pytest.skip("no objdump")
    text = run_program("objdump", "--dwarf=decodedline", path)
    return {
        int(part[1])
        for part in (line.split() for line in text.splitlines())
        if len(part) > 2 and part[0] == "user_model.py" and part[1].isdigit()
    }


def test_line_table(tmp_path: pathlib.Path) -> None:
    """Each op has its line, the activation that is fused into a product too."""
    build(tmp_path)
    assert {FIRST, RELU, SECOND, SOFTMAX} <= line_table(tmp_path / "net.o")
    assert "core.clamp" not in str(kinds := kernels(tmp_path)) and len(kinds) == 3


def test_every_origin_of_a_row_of_ops_has_its_line(tmp_path: pathlib.Path) -> None:
    """What became one kernel: each line is in the table once for each instruction set, in front of the call."""
    file = tmp_path / "user_model.py"
    lines = [f"x = op{i}(x)" for i in range(9)]

    def make(b: Builder, x: Value) -> Value:
        for i, kind in enumerate((core.Exp, core.Neg, core.Tanh, core.Sigmoid, core.Abs, core.Sqrt, core.Log), 1):
            b.location = NameLocation(f"/op{i}", CallStack((FileLocation(str(file), i, 0, "f", lines[i - 1]),)))
            x = b.emit(kind(x)).y
        return x

    result = mlconv.convert(module(make, [random(4, 48)]), "native", tmp_path / "net.o")
    assert sum(result.ops.values()) == 1
    assert line_table(tmp_path / "net.o") - {0} == set(range(1, 8))
    text = run_program("objdump", "-d", "--no-show-raw-insn", tmp_path / "net.o")
    table = run_program("objdump", "--dwarf=decodedline", tmp_path / "net.o")
    entries = [row.split() for row in table.splitlines() if row.startswith("user_model.py ") and "0x" in row]
    calls = {int(a.split(":")[0], 16) for a in text.splitlines() if "call" in a and "kernel" in a}
    for line in range(1, 8):
        places = {int(e[2], 16) for e in entries if e[1] == str(line) and e[-1] == "x"}
        assert places and (line == 1 or all(any(p < c < p + 64 for c in calls) for p in places))


def kernels(folder: pathlib.Path) -> list[str]:
    result = mlconv.convert(model(folder / "user_model.py"), to="native", output=folder / "again.o")
    return [name for name, count in result.ops.items() for _ in range(count)]


def test_lines_can_be_left_out_and_mapped(tmp_path: pathlib.Path) -> None:
    build(tmp_path, strip_locations=True)
    assert b"user_model.py" not in (tmp_path / "net.o").read_bytes() and line_table(tmp_path / "net.o") == set()
    build(tmp_path, path_map=((str(tmp_path), "/src"),))
    data = (tmp_path / "net.o").read_bytes()
    assert b"/src/user_model.py" in data and str(tmp_path).encode() not in data


@needs_cc
@pytest.mark.skipif(shutil.which("gdb") is None, reason="no gdb")
@pytest.mark.parametrize("line", [FIRST, RELU, SECOND, SOFTMAX])
def test_gdb_stops_at_a_line_of_the_model(line: int, tmp_path: pathlib.Path) -> None:
    build(tmp_path)
    told = gdb(tmp_path, f"break user_model.py:{line}", "run", "bt", "list")
    assert f"user_model.py:{line}" in told, told
    assert SOURCE.splitlines()[line - 1].strip() in told
    assert "net_run" in told and "main ()" in told


@needs_cc
@pytest.mark.skipif(shutil.which("gdb") is None or shutil.which("nm") is None, reason="no gdb, or no nm")
def test_callers_are_told_without_lines(tmp_path: pathlib.Path) -> None:
    """From inside of a kernel that puts much on the stack."""
    made = module(lambda b, x: b.emit(core.MatMul(x, const(b, random(300, 300)))).y, [random(50, 300)])
    mlconv.convert(made, to="native", output=tmp_path / "net.o", example=True, strip_locations=True)
    names = [line.split()[-1] for line in run_program("nm", tmp_path / "net.o").splitlines()]
    inside = [f"break {name}" for name in names if "kernel" in name]
    told = gdb(tmp_path, *inside, "run", "stepi 40", "bt")
    assert "net_call" in told and "main ()" in told, told


def gdb(folder: pathlib.Path, *commands: str) -> str:
    """What gdb says of the example program."""
    run_program("cc", "-o", "example", "net.example.c", "net.o", "-lm", folder=folder)
    arguments = [a for c in commands for a in ("-ex", c)]
    done = subprocess.run(
        ["gdb", "-batch", "-nx", *arguments, "./example"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "ptrace" in done.stderr and "not permitted" in done.stderr:
        pytest.skip("gdb may not trace processes here")
    return done.stdout
