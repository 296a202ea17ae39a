"""Rows of a length that a run tells: softmax is one kernel, biases join products, sums stand several vectors wide."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnxruntime

import mlconv
from tests.support.data_sizes import NODE, F, drawn, save


def attention(folder: Path) -> Path:
    """x [b, s, 24] of four heads, with a bias behind the product that makes it."""
    nodes = [
        NODE("MatMul", ["x", "w"], ["product"]),
        NODE("Add", ["product", "bias"], ["made"]),
        NODE("Reshape", ["made", "heads"], ["parted"]),
        NODE("Transpose", ["parted"], ["q"], perm=[0, 2, 1, 3]),
        NODE("Transpose", ["parted"], ["k"], perm=[0, 2, 3, 1]),
        NODE("MatMul", ["q", "k"], ["scores"]),
        NODE("Softmax", ["scores"], ["weights"], axis=-1),
        NODE("MatMul", ["weights", "q"], ["y"]),
    ]
    numbers = {"w": 0.2 * drawn(1, 24, 24), "bias": drawn(2, 24), "heads": np.array([0, 0, 4, 6])}
    return save(folder, nodes, {"x": (F, ["b", "s", 24])}, ["y"], **numbers)


def test_attention_at_all_lengths(tmp_path: Path) -> None:
    """Of less than a vector, of several at once and what is left; threads have scratch memory of their own."""
    path = attention(tmp_path)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for cpu in ("x86-64", "x86-64-v3"):
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu)
        models = [mlconv.load_native(tmp_path / "m.o", threads=n) for n in (1, 2, 3)]
        for b, s in ((1, 1), (2, 3), (3, 37), (1, 70), (2, 133)):
            feed = {"x": drawn(s, b, s, 24)}
            (want,) = session.run(None, feed)
            got = [model.run(feed)["y"] for model in models]
            np.testing.assert_allclose(got[0], want, rtol=2e-5, atol=2e-5)
            assert all(np.array_equal(got[0], other) for other in got[1:])


def test_what_is_fused(tmp_path: Path) -> None:
    mlconv.convert(attention(tmp_path), to="native", output=tmp_path / "m.o", dump_ir=tmp_path / "ir")
    (last,) = (tmp_path / "ir").glob("*kernel-schedule.mlir")
    text = last.read_text()
    assert len(re.findall(r'"kernel\.row_reduce"', text)) == 1
    (product,) = re.findall(r'"kernel\.gemm"\(.*', text)
    assert re.search(r'after = \[#kernel\.instr<opcode = "load".*opcode = "add"', product)
