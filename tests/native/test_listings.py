"""`--emit llvm,asm`: IR and assembly of each instruction set beside the object."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
from llvmlite import binding as llvm

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.exporters.native.listings import commented
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation
from tests.support.cli import call
from tests.support.modules import module, random
from tests.support.native import Native, needs_cc

SETS = ["x86-64", "x86-64-v3", "x86-64-v4"]
LINES = {7: core.Exp, 8: core.Softmax, 9: core.Neg}


def model() -> Module:
    """Without weights, so that a listing is the whole object."""

    def make(b: Builder, x: Value) -> Value:
        for line in LINES:
            b.location = NameLocation(f"/op{line}", CallStack((FileLocation("/home/me/net.py", line, 0, "f"),)))
            x = b.emit(core.Softmax(x, axis=1) if line == 8 else LINES[line](x)).y
        return x

    return module(make, [random(4, 30)])


def test_there_is_a_file_for_each_set(tmp_path: pathlib.Path) -> None:
    mlconv.convert(model(), "native", tmp_path / "net.o", emit_code="llvm,asm")
    facts = json.loads((tmp_path / "net.io.json").read_text())
    names = [f"net.{name}{suffix}" for name in SETS for suffix in (".ll", ".s")]
    assert facts["cpus"] == SETS and facts["listings"] == names
    assert {p.name for p in tmp_path.iterdir()} == {*names, "net.o", "net.h", "net.io.json"}
    first = {name: (tmp_path / name).read_bytes() for name in names}
    object_ = (tmp_path / "net.o").read_bytes()
    mlconv.convert(model(), "native", tmp_path / "net.o", emit_code="asm,llvm")
    assert {name: (tmp_path / name).read_bytes() for name in names} == first
    mlconv.convert(model(), "native", tmp_path / "net.o")
    assert (tmp_path / "net.o").read_bytes() == object_  # the listings change nothing


def test_lines_of_the_source_are_comments(tmp_path: pathlib.Path) -> None:
    mlconv.convert(model(), "native", tmp_path / "net.o", emit_code="llvm,asm")
    for name in SETS:
        ir, asm = ((tmp_path / f"net.{name}{suffix}").read_text() for suffix in (".ll", ".s"))
        assert f'target-cpu"="{name}"' in ir
        for line in LINES:
            assert f"  ; /home/me/net.py:{line}\n" in ir
            assert re.search(rf"# /home/me/net.py:{line}$", asm, re.MULTILINE)
    assert "%zmm" in (tmp_path / "net.x86-64-v4.s").read_text()
    assert "%ymm" not in (tmp_path / "net.x86-64.s").read_text()
    mlconv.convert(model(), "native", tmp_path / "net.o", emit_code="llvm,asm", strip_locations=True)
    assert not any("net.py" in (tmp_path / f"net.{n}{s}").read_text() for n in SETS for s in (".ll", ".s"))


def test_comments_stand_where_the_line_changes() -> None:
    text = [
        "define void @f() !dbg !1 {",
        "entry:",
        "  br label %a, !dbg !3",
        "a:",
        "  br label %b, !dbg !3",
        "b:",
        "  br label %c, !dbg !4",
        "c:",
        "  ret void, !dbg !3",
        "}",
        '!0 = !DIFile(filename: "a.py", directory: "")',
        '!1 = distinct !DISubprogram(name: "f", file: !0, line: 3)',
        "!2 = !DILexicalBlockFile(scope: !1, file: !0, discriminator: 0)",
        "!3 = !DILocation(line: 3, column: 0, scope: !2)",
        "!4 = !DILocation(line: 0, scope: !1)",
    ]
    shown = commented("\n".join(text)).split("\n")
    assert [line for line in shown if line not in text] == ["  ; a.py:3", "  ; a.py:3"]
    assert shown.index("  ; a.py:3") == 2 and shown[-len(text) + 7 :].count("  ; a.py:3") == 1


@needs_cc
@pytest.mark.parametrize("name", ["x86-64", "x86-64-v3"])
def test_a_listing_is_the_code(name: str, tmp_path: pathlib.Path) -> None:
    """IR that LLVM reads, and assembly that the system's assembler makes the same object of."""
    x = random(4, 30)
    mlconv.convert(model(), "native", tmp_path / "net.o", emit_code="llvm,asm", cpu=name)
    llvm.parse_assembly((tmp_path / f"net.{name}.ll").read_text()).verify()
    code, expected = Native(tmp_path / "net.o").call([x])
    assert code == 0
    assemble = ["cc", "-c", "-Wa,--gdwarf-5", "-o", "net.o"]  # directories of files are DWARF 5's for GNU as
    subprocess.run([*assemble, f"net.{name}.s"], cwd=tmp_path, check=True)
    code, got = Native(tmp_path / "net.o").call([x])
    assert code == 0
    np.testing.assert_array_equal(got[0], expected[0])


@pytest.mark.parametrize(("machine", "mark"), [("aarch64", "//"), ("armv7", "@"), ("wasm32", "#"), ("riscv64", "#")])
def test_listings_of_other_machines(machine: str, mark: str, tmp_path: pathlib.Path) -> None:
    mlconv.convert(model(), "native", tmp_path / "net.o", emit_code="asm", machine=machine)
    (name,) = json.loads((tmp_path / "net.io.json").read_text())["listings"]
    text = (tmp_path / name).read_text()
    assert text.startswith(f"{mark} net for {machine}") and f"{mark} /home/me/net.py:7\n" in text


def test_what_is_refused(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError, match="emit is 'llvm,tea', expected some of llvm, asm") as e:
        mlconv.convert(model(), "native", tmp_path / "net.o", emit_code="llvm,tea")
    assert e.value.diagnostic.code is Code.UsageError and not list(tmp_path.iterdir())
    shutil.copy(models / "digits_cnn.onnx", tmp_path / "net.x86-64.s")
    source = tmp_path / "net.x86-64.s"
    refused = call("convert", source, "--to", "native", "-o", tmp_path / "net.o", "--emit", "asm")
    assert refused.exit_code != 0 and "net.x86-64.s" in refused.output  # would be written over the model
    assert source.read_bytes() == (models / "digits_cnn.onnx").read_bytes()
