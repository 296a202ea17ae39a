"""`mlconv inspect --show memory`: both orders, the peak, and every buffer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from mlconv.exporters.memory import Held, peak_of
from tests.support.cli import call


@pytest.fixture
def branches(tmp_path: Path) -> Path:
    """Four large values, all of which are made before the first is read; then rows of theirs are added."""
    numbers = {"axis": np.array(0), "low": np.array([0]), "high": np.array([1]), "axes": np.array([0])}
    nodes, total = [], ""
    for i in range(4):
        nodes += [
            helper.make_node(("Sin", "Tanh", "Sigmoid", "Exp")[i], ["x"], [f"a{i}"], name=f"/a{i}"),
            helper.make_node("CumSum", [f"a{i}", "axis"], [f"b{i}"], name=f"/b{i}"),
        ]
    for i in range(4):
        nodes.append(helper.make_node("Slice", [f"b{i}", "low", "high", "axes"], [f"r{i}"], name=f"/r{i}"))
        nodes.append(helper.make_node("CumSum", [f"r{i}", "axis"], [f"c{i}"], name=f"/c{i}"))
        nodes += [helper.make_node("Add", [total, f"c{i}"], [f"d{i}"], name=f"/d{i}")] if total else []
        total = f"d{i}" if total else f"c{i}"
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [rows, 16]) for n, rows in (("x", 512), (total, 1))]
    weights = [numpy_helper.from_array(v.astype(np.int64), n) for n, v in numbers.items()]
    graph = helper.make_graph(nodes, "g", info[:1], info[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "branches.onnx")
    return tmp_path / "branches.onnx"


@pytest.mark.parametrize("target", ["native", "tflite"])
def test_both_orders(branches: Path, target: str) -> None:
    facts = json.loads(call("inspect", branches, "--show", "memory", "--to", target, "--json").output)
    large, source = 512 * 16 * 4, facts["source_order"]
    assert facts["target"] == target
    assert source["arena_bytes"] - facts["arena_bytes"] >= 2 * large
    for order in (source, facts):
        peak = order["peak"]
        assert large <= peak["bytes"] <= order["arena_bytes"]
        assert all(b["first"] <= peak["call"] <= b["last"] for b in peak["buffers"])
    assert {b["node"] for b in source["peak"]["buffers"]} >= {"/b0", "/b1", "/b2", "/b3"}
    assert facts["arena_bytes"] >= max(b["offset"] + b["size"] for b in facts["buffers"])

    text = call("inspect", branches, "--show", "memory", "--to", target).output
    assert f"arena on {target}" in text and "in the source's order (-" in text
    assert "\npeak in the source's order: " in text and "\npeak: " in text
    assert [line.split()[-1] for line in text.splitlines()].count("/b3") >= 2


def test_the_source_has_the_best_order(models: Path) -> None:
    given = ("inspect", models / "digits_cnn.onnx", "--show", "memory", "--shape", "image=2,1,8,8")
    text = call(*given, "--to", "tflite").output
    assert "as in the source's order" in text and "(input)" in text and text.count("peak") == 1
    facts = json.loads(call(*given, "--to", "tflite", "--json").output)
    assert facts["source_order"] == {name: facts[name] for name in ("arena_bytes", "peak")}


def test_a_target_that_does_not_tell(models: Path) -> None:
    result = call("inspect", models / "digits_cnn.onnx", "--show", "memory", "--to", "hlo")
    assert result.exit_code == 2 and "where HLO keeps values is not known" in result.output
    assert "ask for tflite or native" in result.output
    result = call("inspect", models / "digits_cnn.onnx", "--show", "all")
    assert result.exit_code == 2 and "memory" in result.output


def test_sizes_that_depend_on_data(tmp_path: Path) -> None:
    info = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [8]),
        helper.make_tensor_value_info("y", TensorProto.INT64, [1, "n"]),
    ]
    graph = helper.make_graph([helper.make_node("NonZero", ["x"], ["y"])], "g", info[:1], info[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    result = call("inspect", tmp_path / "m.onnx", "--show", "memory", "--to", "tflite")
    assert result.exit_code == 2 and "is decided when it runs" in result.output


HELD = st.builds(
    lambda offset, size, first, more: Held(offset, size, first, first + more, "op", "", ""),
    *(st.integers(0, 6), st.integers(1, 6), st.integers(0, 6), st.integers(0, 3)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(HELD, min_size=1, max_size=6))
def test_peak_by_definition(buffers: list[Held]) -> None:
    """Bytes of the arena that a call has in use, each counted once."""
    used = {
        call: len({at for b in buffers if b.first <= call <= b.last for at in range(b.offset, b.offset + b.size)})
        for call in range(10)
    }
    found = peak_of(buffers)
    assert found is not None
    best = max(used.values())
    assert (found.size, found.call) == (best, min(c for c, n in used.items() if n == best))
    assert found.buffers == [b for b in buffers if b.first <= found.call <= b.last]
