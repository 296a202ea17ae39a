"""Models in process: run, bench, the plan of the arena."""

from __future__ import annotations

import itertools
import json
import pathlib
import re
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.codegen.program import tune
from mlconv.codegen.program.roofline import Roofline
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver import bench
from mlconv.driver.bench import Timing, bench_model
from mlconv.driver.bench_threads import bench_threads
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from mlconv.driver.running import run_model
from tests.support.cli import call
from tests.support.npz import npz


def test_bench_adds_up(models: pathlib.Path) -> None:
    facts = bench_model(str(models / "digits_cnn.onnx"), Options(shapes={"image": (4, 1, 8, 8)}), Timing(5))
    ops = facts["ops"]
    assert sum(o["share"] for o in ops) == pytest.approx(1) and sum(
        x["share"] for x in facts["lines"]
    ) == pytest.approx(1)
    assert all(o["seconds"] >= 0 and (o["peak_percent"] is None or o["peak_percent"] > 0) for o in ops)
    assert facts["peak"]["flops"] > 1e9 and all(b > 1e8 for _, b in facts["peak"]["bandwidth"])
    tiles = [o for o in ops if o["op"] == "kernel.gemm"]
    assert tiles and all(o["flops"] > 0 for o in tiles) and any("Conv" in o["node"] or "Gemm" in o["node"] for o in ops)


def test_times_of_ops_are_the_least(models: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round in which other processes had the processor says nothing of an op."""
    slow = itertools.cycle([True, True, False])
    least = bench.recorded

    def held_up(*given: Any) -> Any:
        return least(*given) + (3.0 if next(slow) else 0.0)

    monkeypatch.setattr(bench, "recorded", held_up)
    facts = bench_model(str(models / "digits_cnn.onnx"), Options(shapes={"image": (4, 1, 8, 8)}), Timing(rounds=3))
    assert facts["ops"] and all(op["seconds"] < 3.0 for op in facts["ops"])


def test_roofline_takes_the_slower_of_both() -> None:
    roof = Roofline(100.0, ((10, 50.0), (100, 5.0)))
    assert roof.seconds(200, 10) == 2.0 and roof.seconds(0, 11) == 2.2 and roof.seconds(1, 1000) == 200.0


def test_bench_tunes_once(models: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The object that is timed whole and the one that records use the same choices; they are kept where it is asked
    for.
    """
    tried: list[str] = []
    monkeypatch.setattr(
        tune, "fastest", lambda op, cpu, choices, kinds: tried.append(tune.problem_key(op)) or choices[-1]
    )
    options = Options(shapes={"image": (4, 1, 8, 8)}, target={"tune": True})
    bench_model(str(models / "digits_cnn.onnx"), options, Timing(1))
    assert tried and len(set(tried)) == len(tried)
    bench_model(
        str(models / "digits_cnn.onnx"),
        options.with_settings({"tune_cache": str(tmp_path / "tune.json")}, BUILT_IN),
        Timing(1),
    )
    ((_, kept),) = json.loads((tmp_path / "tune.json").read_text())["choices"].items()
    assert sorted(kept) == sorted(set(tried)) and len(tried) == 2 * len(kept)


def test_bench_command(models: pathlib.Path) -> None:
    shape = ("--shape", "image=2,1,8,8", "--rounds", "2")
    text = call("bench", models / "digits_cnn.onnx", *shape).output
    assert "of peak" in text and "kernel.gemm" in text and "by line:" in text and "of processor time" in text
    assert not re.search(r" 0\.0+ us", text)  # a small model's times are in microseconds
    facts = json.loads(call("bench", models / "digits_cnn.onnx", *shape, "--json", "--threads", "2").output)
    assert facts["threads"] == 2 and facts["rounds"] == 2 and facts["seconds"]["clock"] == "wall"
    assert call("bench", models / "digits_cnn.onnx", *shape, "--cpu", "pdp11").exit_code == 2
    with pytest.raises(ConversionError) as error:
        bench_model(str(models / "digits_cnn.onnx"), Options(), Timing(0))
    assert error.value.code is Code.UsageError


def test_bench_threads(models: pathlib.Path) -> None:
    """The curve, and what each op has of it."""
    arguments = models / "digits_cnn.onnx", "--shape", "image=2,1,8,8", "--rounds", "2", "--threads", "1,2,3"
    text = call("bench", *arguments).output
    assert "speed-up" in text and "us on 3" in text and "kernel.gemm" in text
    facts = json.loads(call("bench", *arguments, "--json").output)
    assert [p["threads"] for p in facts["curve"]] == [1, 2, 3] and facts["rounds"] == 2
    assert facts["curve"][0]["speedup"] == 1 and all(p["best"] <= p["median"] for p in facts["curve"])
    assert facts["ops"] and all(len(o["seconds"]) == 3 and o["lost"] >= 0 for o in facts["ops"])
    for wrong in ("0", "1,", "1,x", "1,2000"):
        assert call("bench", models / "digits_cnn.onnx", "--threads", wrong).exit_code == 2
    with pytest.raises(ConversionError) as error:
        bench_threads(str(models / "digits_cnn.onnx"), Options(), rounds=1, threads=())
    assert error.value.code is Code.UsageError


def test_run_takes_sizes_from_the_inputs(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    golden = npz(models / "digits_cnn.npz")
    image = np.ascontiguousarray(golden["image"].transpose(0, 3, 1, 2))
    np.savez(tmp_path / "in.npz", image=image)
    ran = {
        b: run_model(str(models / "digits_cnn.onnx"), str(tmp_path / "in.npz"), None, 0, Options(), b)
        for b in ("native", "reference")
    }
    for result in ran.values():
        np.testing.assert_allclose(result.runs[0]["scores"], golden["scores"], atol=1e-5)
    assert not np.array_equal(ran["native"].runs[0]["scores"], ran["reference"].runs[0]["scores"])  # two ways of adding


def test_run_says_why_it_is_not_native(models: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlconv.driver import inprocess

    def refuse(*_: object) -> None:
        raise ConversionError(Code.TargetLacksOp, "no form")

    monkeypatch.setattr(inprocess, "lower", refuse)
    result = call("run", models / "digits_cnn.onnx")
    assert result.exit_code == 0 and "runs on the reference interpreter: no form" in result.output
    assert call("run", models / "digits_cnn.onnx", "--backend", "native").exit_code == 1


def test_run_an_object(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    mlconv.convert(models / "digits_cnn.onnx", to="native", output=tmp_path / "d.o", shapes={"image": (2, 1, 8, 8)})
    result = call("run", tmp_path / "d.o", "--threads", "2", "-o", tmp_path / "out.npz")
    assert result.exit_code == 0 and "scores  float32[2, 10]" in result.output
    assert npz(tmp_path / "out.npz")["scores"].shape == (2, 10)


def test_memory_plan(models: pathlib.Path) -> None:
    """Buffers whose lives meet do not overlap; the arena is as large as the last one's end, rounded up."""
    shape = ("--shape", "image=2,1,8,8")
    facts = json.loads(call("inspect", models / "digits_cnn.onnx", "--show", "memory", "--json", *shape).output)
    buffers = facts["buffers"]
    assert buffers and -(-max(b["offset"] + b["size"] for b in buffers) // 64) * 64 == facts["arena_bytes"]
    for i, a in enumerate(buffers):
        for b in buffers[i + 1 :]:
            apart = a["offset"] + a["size"] <= b["offset"] or b["offset"] + b["size"] <= a["offset"]
            assert (
                apart
                or a["last"] < b["first"]
                or b["last"] < a["first"]
                or (a["last"] == b["first"] and a["offset"] == b["offset"])
            )
    text = call("inspect", models / "digits_cnn.onnx", "--show", "memory", *shape).output
    assert "arena" in text and "kernel.gemm" in text


def test_run_time_sizes(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """An object draws its sizes, within their ranges; bench takes fixed ones; the plan of the arena has expressions."""
    mlconv.convert(
        models / "digits_cnn.onnx", to="native", output=tmp_path / "d.o", shapes={"image": ("3..9", 1, 8, 8)}
    )
    assert "scores  float32[3, 10]" in call("run", tmp_path / "d.o").output
    facts = json.loads(call("bench", models / "digits_cnn.onnx", "--rounds", "1", "--json").output)
    assert all(isinstance(o["bytes"], int) and o["bytes"] > 0 for o in facts["ops"])
    planned = json.loads(call("inspect", models / "digits_cnn.onnx", "--show", "memory", "--json").output)
    assert (
        any(isinstance(b["size"], str) and "N" in b["size"] for b in planned["buffers"])
        and "N" in planned["arena_bytes"]
    )
    assert "arena" in call("inspect", models / "digits_cnn.onnx", "--show", "memory").output


def test_work_is_counted() -> None:
    """By hand: a product, with at most four operations of an activation for each result."""
    from mlconv.codegen.program.memory import calls
    from mlconv.codegen.program.work import work
    from mlconv.diagnostics import DiagnosticEngine
    from mlconv.dialects import core
    from tests.support.lowering import lower
    from tests.support.modules import const, module, random

    m = module(
        lambda b, x: b.emit(core.Clamp(b.emit(core.MatMul(x, const(b, random(48, 32)))).y, lo=0.0, hi=6.0)).y,
        [random(10, 48)],
    )
    lower(m, "native", DiagnosticEngine())
    (op,) = calls(m.main.block)
    done = work(op)
    assert 2 * 10 * 48 * 32 < done.flops <= 2 * 10 * 48 * 32 + 4 * 10 * 32
    assert done.bytes == 4 * (10 * 48 + 48 * 32 + 10 * 32)
