"""Code that runs a few times is optimized as far as that repays, and gives the same bits (docs/decisions/0060)."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.program.alike import called_directly, merged
from mlconv.codegen.program.compile import Effort, compilation, effort_that_repays
from mlconv.codegen.program.debug import Debug, with_lines
from mlconv.codegen.program.module import ModuleText, module_text
from mlconv.driver.inprocess import compiled
from mlconv.driver.options import Options
from mlconv.provenance.locations import FileLocation
from tests.support.npz import npz

Asked = list[tuple[str, float, Effort]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Text and time of objects that run a number of times, and how far they are optimized."""
    found: Asked = []

    def told(text: str, runs: int, nanoseconds: float) -> Effort:
        found.append((text, nanoseconds, effort_that_repays(text, runs, nanoseconds)))
        return found[-1][-1]

    monkeypatch.setattr("mlconv.exporters.native.export.effort_that_repays", told)
    return found


@pytest.mark.parametrize("name", ["digits_cnn", "digits_transformer"])
@pytest.mark.parametrize("scheme", ["", "int8"])
def test_same_bits(name: str, scheme: str, models: Path, tmp_path: Path, asked: Asked) -> None:
    images = npz(models / f"{name}.npz")["image"]
    images = images.transpose(0, 3, 1, 2) if name == "digits_cnn" else images
    path, samples = models / f"{name}.onnx", [{"image": images}]
    if scheme:
        made = mlconv.quantize(path, "tflite", tmp_path / "m.tflite", scheme=scheme, calibration=samples)
        path = Path(made.output)
        asked.clear()
    module = mlconv.load(path).module
    often = compiled(module, Options()).model.run({"image": images})
    text, nanoseconds, _ = asked.pop()
    some = int(10_000 * text.count("\n") / nanoseconds) + 1
    for effort, runs in ((Effort.NONE, 1), (Effort.BRIEF, some)):
        seldom = compiled(module, Options(), runs=runs).model.run({"image": images})
        text, _, found = asked.pop()
        assert found is effort and ("@alike_" in text) is (name == "digits_transformer")
        for output, array in often.items():
            np.testing.assert_array_equal(seldom[output], array)


def _function(name: str, lines: list[str], described: str = "") -> str:
    head = f"define internal void @{name}(ptr %out, i64 %begin, i64 %end) #1{described} {{"
    return "\n".join([head, "entry:", *lines, *["  fence seq_cst"] * 16, "  ret void", "}"])


def test_functions_that_differ_in_numbers_are_one() -> None:
    def function(name: str, *numbers: int) -> str:
        lines = [f"  %v{i} = add i64 %begin, {n}" for i, n in enumerate(numbers)]
        lines += [f"  store <4 x i64> splat (i64 {name[-1]}), ptr %out, align 4"] if name.startswith("other") else []
        return _function(name, lines)

    given = [function("f", 1, 2, 1, 5), function("g", 1, 3, 1, 6), function("h", 1, 3, 3, 5)]
    different = [
        function("f", 1),
        function("other4", 1, 2),
        function("other8", 1, 2),
        "define internal void @g() #1 {\n}",
    ]
    places = "getelementptr { i64 }, ptr %out, i64 0, i32"  # in structures: no registers
    different += [function(*f).replace("add i64 %begin,", places) for f in (("p", 0), ("q", 1))]
    assert merged(different, Debug(), places=True) == different
    assert merged(given, Debug(), places=False) == given
    *calls, shared = merged(given, Debug(), places=True)
    assert shared.splitlines()[:6] == [
        "define internal void @alike_f(ptr %out, i64 %begin, i64 %end, i64 %given0, i64 %given1, i64 %given2) #1 {",
        "entry:",
        "  %v0 = add i64 %begin, 1",
        "  %v1 = add i64 %begin, %given0",
        "  %v2 = add i64 %begin, %given1",
        "  %v3 = add i64 %begin, %given2",
    ]
    passed = [line[line.index("%end") + 4 :] for text in calls for line in text.splitlines() if "@alike_" in line]
    assert passed == [", i64 2, i64 1, i64 5)", ", i64 3, i64 1, i64 6)", ", i64 3, i64 3, i64 5)"]


def test_functions_that_only_call_another_are_left_out_unless_they_are_named() -> None:
    def calling(name: str, number: int) -> str:
        head = f"define internal void @{name}(ptr %out, i64 %end) #1 {{\nentry:"
        return f"{head}\n  call void @f_alike(ptr %out, i64 %end, i64 {number})\n  ret void\n}}"

    shared = "define internal void @f_alike(ptr %out, i64 %end, i64 %given0) #1 {\nentry:\n  ret void\n}"
    lines = [
        "  call void @f(ptr %p1, i64 7), !dbg !8",
        "  call void @g(ptr %p2, i64 8)",
        "  call void @h(ptr %p3, ptr @g)",
    ]
    functions, (body,) = called_directly([calling("f", 1), calling("g", 2), shared], ["\n".join(lines)])
    assert functions == [calling("g", 2), shared]
    assert body.splitlines() == [
        "  call void @f_alike(ptr %p1, i64 7, i64 1), !dbg !8",
        "  call void @f_alike(ptr %p2, i64 8, i64 2)",
        lines[2],
    ]


def test_functions_that_differ_in_constants_of_elements_are_one() -> None:
    """Also in code that is written; vectors of constants are made once, and lines are those of the first."""

    def function(name: str, factor: str, offset: int, shift: int = 3) -> str:
        lines = [
            f"  %v0 = fmul <8 x float> %x, splat (float {factor})",
            f"  %v1 = select <8 x i1> %c, <8 x float> splat (float {factor}), <8 x float> %v0",
            f"  %v2 = call <4 x i16> @llvm.sadd.sat.v4i16(<4 x i16> %y, <4 x i16> splat (i16 {offset}))",
            "  %v3 = sub <4 x i8> splat (i8 -7), %z",
            f"  %v4 = lshr <4 x i16> %v2, splat (i16 {shift})",
            f"  %v5 = fmul float %w, {factor}",
        ]
        place = FileLocation("model.py", abs(offset), 0, "f")
        number = debug.function(name, place)
        return with_lines(_function(name, lines), number, debug.line(number, place))

    debug, one, two = Debug(), "0x3FF0000000000000", "0x4000000000000000"
    apart = [function("f", one, 4), function("g", one, 4, shift=5)]
    assert merged(apart, debug, places=False) == apart
    f, g, shared = merged([function("f", one, 4), function("g", two, -5)], debug, places=False)
    head, _, *lines = (re.sub(r",? !dbg !\d+", "", line) for line in shared.splitlines())
    assert head.endswith("@alike_f(ptr %out, i64 %begin, i64 %end, float %given0, i16 %given1) #1 {")
    assert lines[:10] == [
        "  %given0x8a = insertelement <8 x float> poison, float %given0, i64 0",
        "  %given0x8 = shufflevector <8 x float> %given0x8a, <8 x float> poison, <8 x i32> zeroinitializer",
        "  %given1x4a = insertelement <4 x i16> poison, i16 %given1, i64 0",
        "  %given1x4 = shufflevector <4 x i16> %given1x4a, <4 x i16> poison, <4 x i32> zeroinitializer",
        "  %v0 = fmul <8 x float> %x, %given0x8",
        "  %v1 = select <8 x i1> %c, <8 x float> %given0x8, <8 x float> %v0",
        "  %v2 = call <4 x i16> @llvm.sadd.sat.v4i16(<4 x i16> %y, <4 x i16> %given1x4)",
        "  %v3 = sub <4 x i8> splat (i8 -7), %z",
        "  %v4 = lshr <4 x i16> %v2, splat (i16 3)",
        "  %v5 = fmul float %w, %given0",
    ]
    assert f"%end, float {one}, i16 4)" in f and f"%end, float {two}, i16 -5)" in g
    assert "alike_f" in "".join(line for line in debug.text() if "line: 4," in line)
    assert all(" !dbg !" in line for text in (f, g, shared) for line in text.splitlines() if line.startswith("  "))


def test_loops_may_turn_for_long(models: Path, asked: Asked) -> None:
    compiled(mlconv.load(models / "digits_rnn.onnx").module, Options(), runs=1)
    assert [(nanoseconds, effort) for _, nanoseconds, effort in asked] == [(float("inf"), Effort.FULL)]


def test_options_of_llvm_are_as_before(models: Path, asked: Asked) -> None:
    """The same text gives the same bytes, whatever was compiled in between."""
    compiled(mlconv.load(models / "digits_cnn.onnx").module, Options())
    target = target_named("")
    efforts = (Effort.FULL, Effort.BRIEF, Effort.FULL, Effort.BRIEF)
    full, brief, *again = (compilation(asked[0][0], target, target.cpus[0], effort)() for effort in efforts)
    assert again == [full, brief] and full != brief


@pytest.mark.parametrize(
    ("triple", "spared", "ordered"),
    [
        ("x86_64-unknown-linux-gnu", True, True),
        ("aarch64-unknown-linux-gnu", False, True),
        ("wasm32-unknown-unknown", False, False),
    ],
)
def test_x86_spares_strength_reduction(
    triple: str, spared: bool, ordered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And all code says whether instructions are put into another order: LLVM tells an option that was never given from
    one that was.
    """
    said = list[str]()
    monkeypatch.setattr("llvmlite.binding.set_option", lambda name, option: said.append(option))
    target = target_named(triple)
    compilation("define void @f() { ret void }", target, target.cpus[0])()
    order = f"-enable-misched={str(ordered).lower()}"
    assert said == [order, *["-disable-lsr=true", "-disable-lsr=false"] * spared]


def test_one_thread_has_no_launchers(models: Path, asked: Asked) -> None:
    module = mlconv.load(models / "digits_cnn.onnx").module
    shared, alone = (compiled(module, Options(), threads, runs=10**6).model for threads in (2, 1))
    assert ["@launch_" in text for text, _, _ in asked] == [True, False]
    x = np.random.default_rng(0).normal(size=(64, 1, 8, 8)).astype(np.float32)
    np.testing.assert_array_equal(shared.run({"image": x})["scores"], alone.run({"image": x})["scores"])


def test_nobody_holds_the_text_while_llvm_makes_the_object(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM has a form of its own, which is as large."""

    class Text(str):
        """A text that can be referred to weakly."""

    texts = list[weakref.ref[Text]]()
    there = list[bool]()

    def written(*args: Any) -> ModuleText:
        made = module_text(*args)
        text = Text(made.text)
        texts.append(weakref.ref(text))
        return made._replace(text=text)

    def asked_of(text: str, *args: Any) -> Callable[[], bytes]:
        made = compilation(text, *args)

        def emitted() -> bytes:
            there.append(texts[-1]() is not None)
            return made()

        return emitted

    monkeypatch.setattr("mlconv.exporters.native.export.module_text", written)
    monkeypatch.setattr("mlconv.exporters.native.export.compilation", asked_of)
    compiled(mlconv.load(models / "digits_cnn.onnx").module, Options())
    assert there == [False]
