"""Types that a file states for values inside are held to what follows from its ops, and never taken in their place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import Code, Severity

HEAD = '<ir_version: 8, opset_import: ["" : 17]>'


def converted(folder: Path, text: str) -> mlconv.Result:
    onnx.save(onnx.parser.parse_model(HEAD + text), folder / "m.onnx")
    return mlconv.convert(folder / "m.onnx", "native", folder / "m.o", verify=True)


@pytest.mark.parametrize("declared", ["float[2, 8]", "float[2]", "int32[2, 4]", "float[2, 4, 1]"])
def test_a_wrong_type_is_told_and_not_taken(tmp_path: Path, declared: str) -> None:
    text = f"""g (float[2, 4] x) => (float[4] y) <{declared} h, {declared} k, int64[1] a = {{0}}> {{
    h = Relu (x) k = Neg (h) y = ReduceSum <keepdims = 0> (k, a) }}"""
    found = [d for d in converted(tmp_path, text).diagnostics if d.code is Code.DeclaredTypeWrong]
    assert [d.node for d in found] == ["Relu(h)"] and found[0].severity is Severity.WARNING
    assert "gives float32[2,4]" in found[0].message and found[0].notes == ("1 more are declared otherwise: k",)
    x = np.asarray([[1, 2, -3, 4], [0, 1, 1, 1]], np.float32)
    y = mlconv.load_native(str(tmp_path / "m.o")).run({"x": x})["y"]
    np.testing.assert_array_equal(y, [-1, -3, -1, -5])


@pytest.mark.parametrize("declared", ["float[2, 4]", "float[n, 4]", "float[2, m]", "float[n, m]"])
def test_what_a_file_leaves_open_is_not_wrong(tmp_path: Path, declared: str) -> None:
    text = f"g (float[2, 4] x) => ({declared} y) <{declared} h> {{ h = Relu (x) y = Neg (h) }}"
    assert not converted(tmp_path, text).diagnostics


def test_values_of_bodies_and_functions_are_looked_at(tmp_path: Path) -> None:
    text = """g (float[2] x, bool c) => (float[2] y) {
    y = If (c) <then_branch = t () => (float[2] a) <float[5] h> { h = Relu (x) a = Neg (h) },
    else_branch = e () => (float[2] b) { b = Neg (x) }> }"""
    found = converted(tmp_path, text).diagnostics
    assert [d.message for d in found] == ["'h' is declared float32[5], and Relu gives float32[2]"]
