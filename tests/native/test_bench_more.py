"""`mlconv bench` beside other runtimes, by batch, and its traces."""

from __future__ import annotations

import itertools
import json
import pathlib

import onnx
import pytest
from onnx import TensorProto, helper

from mlconv.diagnostics import ConversionError
from mlconv.driver.bench import Timing, bench_model
from mlconv.driver.bench_batches import bench_batches
from mlconv.driver.options import Options


def test_other_runtimes_in_the_same_rounds(models: pathlib.Path) -> None:
    options = Options(shapes={"image": (4, 1, 8, 8)})
    facts = bench_model(str(models / "digits_cnn.onnx"), options, Timing(3, peers=("installed",)))
    assert [p["name"] for p in facts["peers"]] == ["ONNX Runtime", "LiteRT"]
    for peer in facts["peers"]:
        assert peer["seconds"] is not None and peer["ratio"] is not None and not peer["why"]
        assert peer["ratio"] == pytest.approx(peer["seconds"]["median"] / facts["seconds"]["median"])
    assert [p["file"] for p in facts["peers"]] == ["digits_cnn.onnx", "tflite"]
    with pytest.raises(ConversionError, match="no runtime 'tvm'"):
        bench_model(str(models / "digits_cnn.onnx"), options, Timing(1, peers=("tvm",)))


def test_a_runtime_that_does_not_run_the_model_is_told_of(tmp_path: pathlib.Path) -> None:
    """Complex numbers have no TFLite kernel here; the others are timed."""
    path = tmp_path / "det.onnx"
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [9, 9]), ("y", [])))
    graph = helper.make_graph([helper.make_node("Det", ["x"], ["y"], "/d")], "g", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    facts = bench_model(str(path), Options(), Timing(2, peers=("litert", "onnxruntime")))
    refused = [p for p in facts["peers"] if p["seconds"] is None]
    assert all(p["why"] for p in refused) and len(refused) < 2


def test_times_by_batch(models: pathlib.Path) -> None:
    facts = bench_batches(str(models / "digits_cnn.onnx"), Options(), 3, 1, (1, 16), 1)
    assert facts["axes"] == ["image"] and [b["batch"] for b in facts["batches"]] == [1, 16]
    one, many = facts["batches"]
    assert many["samples_per_second"] > one["samples_per_second"]
    with pytest.raises(ConversionError, match="no batch to vary"):
        bench_batches(str(models / "digits_cnn.onnx"), Options(shapes={"image": (1, 1, 8, 8)}), 1, 1, (1,), 0)


def test_a_trace_adds_up_to_the_call(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "trace.json"
    options = Options(shapes={"image": (512, 1, 8, 8)})
    facts = bench_model(str(models / "digits_cnn.onnx"), options, Timing(5, threads=2, trace=str(path)))
    events = json.loads(path.read_text())["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    assert names == {0: "call", 1: "kernels", 2: "thread 0", 3: "thread 1"}
    rows = {row: [e for e in events if e["ph"] == "X" and e["tid"] == row] for row in names}
    ends = [(e["ts"], e["ts"] + e["dur"]) for e in rows[0]]
    whole = max(end for _, end in ends) - min(begin for begin, _ in ends)
    assert sum(e["dur"] for e in rows[0]) == pytest.approx(whole, rel=0.05)
    kernels = next(e for e in rows[0] if e["name"] == "kernels")
    assert [e["name"] for e in rows[1]] == [op["op"] for op in facts["ops"]]
    assert sum(e["dur"] for e in rows[1]) == pytest.approx(kernels["dur"], rel=0.05)
    worked = [*rows[2], *rows[3]]
    assert worked and all(e["args"]["node"] for e in worked)
    for row in (2, 3):  # one thing at a time
        spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in rows[row])
        assert all(end <= begin + 1e-3 for (_, end), (begin, _) in itertools.pairwise(spans))
    # tasks lie within the kernel that they are named after
    for e in worked:
        inside = [k for k in rows[1] if k["ts"] - 1e-3 <= e["ts"] and e["ts"] + e["dur"] <= k["ts"] + k["dur"] + 1e-3]
        assert any(k["name"] == e["name"] and k["args"] == e["args"] for k in inside)
