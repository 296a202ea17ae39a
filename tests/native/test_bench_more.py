"""`mlconv bench` beside other runtimes, by batch, of objects, and its traces."""

from __future__ import annotations

import itertools
import json
import pathlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import ConversionError
from mlconv.driver.bench import Timing, bench_model
from mlconv.driver.bench_batches import bench_batches
from mlconv.driver.bench_objects import bench_object
from mlconv.driver.options import Options
from tests.support.cli import call


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


def test_objects_are_timed_as_they_are(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """With open sizes as asked for or given, and answers held."""
    made = str(tmp_path / "digits.o")
    mlconv.convert(models / "digits_cnn.onnx", "native", made)
    x = np.random.default_rng(0).standard_normal((5, 1, 8, 8)).astype(np.float32)
    answers = mlconv.load_native(made).run({"image": x})
    data, right, wrong = (tmp_path / f"{name}.npz" for name in ("x", "right", "wrong"))
    np.savez(data, image=x)
    np.savez(right, **answers)
    np.savez(wrong, **{name: array + 1 for name, array in answers.items()})
    facts = bench_object(made, Options(shapes={"image": (7, 1, 8, 8)}), 3, (1, 2))
    assert facts["shapes"] == {"image": [7, 1, 8, 8]} and facts["cpu"] in host_cpus()
    assert [t["threads"] for t in facts["times"]] == [1, 2] and facts["times"][0]["speedup"] == 1.0
    assert all(0 < t["seconds"]["best"] <= t["seconds"]["median"] for t in facts["times"])
    told = call("bench", made, "--data", data, "--expect", right, "--rounds", 2, "--json")
    assert told.exit_code == 0 and json.loads(told.stdout)["expected"][0]["verdict"] == "equal"
    assert call("bench", made, "--data", data, "--expect", wrong).exit_code == 3
    assert "digits.o" in call("bench", made, "--threads", "1,2", "--rounds", 2).stdout


@pytest.mark.parametrize("option", [("--cpu", "x86-64"), ("--batch", "1,2"), ("--inputs", "image"), ("--trace", "t")])
def test_what_objects_are_not_asked(option: tuple[str, str], tmp_path: pathlib.Path) -> None:
    told = call("bench", tmp_path / "digits.o", *option)
    assert told.exit_code == 2 and "MLC0801" in told.stderr and option[0] in told.stderr
