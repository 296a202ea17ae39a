"""Schemes chosen by time: by times that are made up, on losses that are real."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from mlconv.driver.stopwatch import native_stopwatch
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.module import Module
from mlconv.provenance.locations import NameLocation, fuse
from mlconv.quantize.collect import Sample
from mlconv.quantize.mixture import Option, cheapest, frontier, mixture_of, runs
from mlconv.quantize.report import Report
from mlconv.quantize.scheme import SCHEMES
from mlconv.quantize.stopwatch import Call, Timed, shared, together
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.cli import call
from tests.support.modules import random
from tests.support.networks import linear, network, relu
from tests.support.npz import npz

SAMPLES = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(6)]
PRODUCTS = (core.Conv, core.MatMul, core.DynamicMatMul)
Seconds = Callable[[int, str], float]
"""Of a product, counted from 0, with a scheme."""


def three(e: CoreBuilder, x: Value) -> Value:
    y = relu(e, linear(e, e.reshape(x, [1, 192]), 40))
    return linear(e, relu(e, linear(e, y, 36)), 5)


def model() -> Module:
    return network((1, 4, 6, 8), three)


def scheme_of(op: Op) -> str:
    """Of a product, by what it reads."""
    makers = [v.producer for v in op.operands[:2] if v is not None]
    if isinstance(op, core.DynamicMatMul):
        return "dynamic-range"
    if isinstance(makers[0], core.Dequantize):
        return "int8"
    if isinstance(makers[1], core.Cast):
        return "bfloat16"
    return "int4" if isinstance(makers[1], core.Dequantize) else "float"


class Made:
    """A stopwatch with made-up times.  hurry: of a whole run, over the sum of the kernels', where these are not timed
    one by one, by the schemes of the products.
    """

    machine = "made up"

    def __init__(self, seconds: Seconds, hurry: Callable[[Sequence[str]], float] = lambda _: 1.0) -> None:
        self.seconds, self.hurry = seconds, hurry

    def timed(self, modules: Iterable[Module], sample: Sample, calls: bool) -> list[Timed]:
        assert sample["x"].shape == (1, 4, 6, 8)
        return [self._told(module, calls) for module in modules]

    def _told(self, module: Module, calls: bool) -> Timed:
        products = [op for op in walk(module.main.block) if isinstance(op, PRODUCTS)]
        schemes = [scheme_of(op) for op in products]
        found = [Call(op.location, self.seconds(i, schemes[i])) for i, op in enumerate(products)]
        total = sum(call.seconds for call in found)
        return Timed(total, found) if calls else Timed(total * self.hurry(schemes))


TIMES = {"int8": 4e-3, "dynamic-range": 5e-3, "int4": 9e-3, "bfloat16": 8e-3, "float": 7e-3}


def uneven(number: int, scheme: str) -> float:
    """int8 is the fastest for all layers, floats are for the first."""
    return 1e-3 if number == 0 and scheme == "float" else TIMES[scheme]


def mixed(*_: Any) -> Made:
    return Made(uneven)


def luck(*_: Any) -> Made:
    """What was fast kernel by kernel is slow as a whole."""
    return Made(uneven, lambda schemes: 1.0 if len(set(schemes)) == 1 else 3.0)


def floats(*_: Any) -> Made:
    return Made(lambda number, scheme: 1e-3 if scheme == "float" else TIMES[scheme])


def quantized(out: Path, stopwatch: str = "mixed", drop: float = 0.5, **more: Any) -> Report:
    context = replace(BUILT_IN, stopwatches={"native": f"{__name__}:{stopwatch}"})
    asked = {"calibration": SAMPLES, "evaluation": SAMPLES, "metric": "fidelity", "max_drop": drop, **more}
    found = mlconv.quantize(model(), "native", out, scheme="auto", context=context, **asked)
    assert found.quantization is not None and found.quantization.speed is not None
    return found.quantization


def test_a_mixture(tmp_path: Path) -> None:
    """The recipe gives the same bytes; milliseconds and losses are told by layer and by op."""
    report = quantized(tmp_path / "m.o", measure=True, save_recipe=str(tmp_path / "r.toml"))
    speed = report.speed
    assert speed is not None and speed.chosen == "mixture 1" and speed.machine == "made up"
    assert [layer.scheme for layer in speed.layers] == ["float", "int8", "int8"]
    assert [layer.scheme for layer in report.layers if layer.op == "core.matmul"] == ["float", "int8", "int8"]
    assert {s.scheme: s.milliseconds for s in speed.schemes} == pytest.approx(
        {**{name: 3e3 * t for name, t in TIMES.items()}, "float": 15.0, "mixture 1": 9.0}
    )
    assert speed.raced == pytest.approx({"int8": 12.0, "mixture 1": 9.0})
    assert [layer.milliseconds["int8"] for layer in speed.layers] == pytest.approx([4.0] * 3)
    assert all(20 < (layer.snr["int8"] or 0) < 60 for layer in speed.layers)
    products = [layer for layer in report.layers if layer.op == "core.matmul"]
    assert [layer.milliseconds for layer in products] == pytest.approx([1.0, 4.0, 4.0])
    assert [layer.snr is None for layer in products] == [True, False, False]
    again = tmp_path / "again" / "m.o"
    again.parent.mkdir()
    mlconv.quantize(model(), "native", again, scheme=str(tmp_path / "r.toml"), calibration=SAMPLES)
    assert again.read_bytes() == (tmp_path / "m.o").read_bytes()
    assert report.budget is not None and report.budget.met and len(report.budget.kept) == 1


def test_slower_schemes_need_no_score(tmp_path: Path) -> None:
    speed = quantized(tmp_path / "m.o", "floats").speed
    assert speed is not None and speed.chosen == "float" and speed.raced == {}
    assert {s.scheme: s.met for s in speed.schemes} == {**dict.fromkeys(TIMES), "float": True}
    assert "promised" in speed.why and speed.compiled == len(TIMES)


def test_a_mixture_must_be_faster_as_a_whole(tmp_path: Path) -> None:
    report = quantized(tmp_path / "m.o", "luck")
    speed = report.speed
    assert speed is not None and speed.chosen == "int8" and speed.raced["mixture 1"] > speed.raced["int8"]
    assert "clearly" in speed.why and report.budget is not None and report.budget.kept == []


def ties(*_: Any) -> Made:
    """Floats are a little slower than int8, kernel by kernel, and faster as a whole."""
    return Made(lambda _, scheme: 4.05e-3 if scheme == "float" else TIMES[scheme], lambda s: 1 - 0.1 * ("float" in s))


def test_what_may_be_as_fast_takes_turns(tmp_path: Path) -> None:
    speed = quantized(tmp_path / "m.o", "ties").speed
    assert speed is not None and speed.chosen == "float" and list(speed.raced) == ["int8", "float"]
    assert {s.scheme for s in speed.schemes if s.met} == {"int8", "float"}


@pytest.mark.long
def test_what_may_not_be_lost(tmp_path: Path) -> None:
    """Where a scheme loses too much for all layers, the fastest of the others is the best, and mixtures count."""
    losses = {s.scheme: s.worse for s in quantized(tmp_path / "m.o", drop=1e-9).speed.schemes}  # type: ignore[union-attr]
    assert losses["int8"] is not None and losses["int8"] > 0.001
    for part in (0.9, 0.5):
        report = quantized(tmp_path / "m.o", drop=part * losses["int8"])
        speed = report.speed
        assert speed is not None and report.budget is not None
        assert report.budget.met and report.budget.worse <= report.budget.limit
        chosen = next(s for s in speed.schemes if s.scheme == speed.chosen)
        singles = [s for s in speed.schemes if s.met and s.scheme in SCHEMES]
        assert all(chosen.milliseconds <= s.milliseconds for s in singles)


def test_a_limit_that_nothing_meets(tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as error:
        quantized(tmp_path / "m.o", drop=-0.5)
    assert error.value.code is Code.AccuracyLost and (tmp_path / "m.best.o").exists()


@pytest.mark.share(4)
def test_what_a_calibration_saved_is_enough(tmp_path: Path) -> None:
    """Losses are measured on the evaluation data; workers score the same."""
    saved = tmp_path / "m.calibration"
    mlconv.quantize(
        model(), "native", tmp_path / "a.o", scheme="auto", calibration=SAMPLES, save_calibration=str(saved)
    )
    for more in ({"calibration": str(saved)}, {"jobs": "2"}):
        speed = quantized(tmp_path / "m.o", **more).speed
        assert speed is not None and speed.chosen == "mixture 1"
        assert all(layer.snr["int8"] is not None for layer in speed.layers)


def test_rules_are_kept(tmp_path: Path) -> None:
    report = quantized(tmp_path / "m.o", rules="matmul_3=int8")
    assert [layer.scheme for layer in report.speed.layers] == ["int8"] * 3  # type: ignore[union-attr]


def test_other_targets_and_other_searches(tmp_path: Path) -> None:
    """Without --max-drop, and for targets that nobody can time, `auto` goes by bits."""
    for to, more in (("native", {}), ("tflite", {"evaluation": SAMPLES, "metric": "fidelity", "max_drop": 0.5})):
        found = mlconv.quantize(model(), to, tmp_path / "m.x", scheme="auto", calibration=SAMPLES, **more)  # type: ignore[arg-type]
        assert found.quantization is not None and found.quantization.speed is None


@pytest.mark.parametrize("option", [("--target", "riscv64"), ("--target", "windows"), ("--cpu", "LACKED")])
def test_code_for_other_machines(option: tuple[str, str], models: Path, tmp_path: Path) -> None:
    data = models / "digits_cnn.npz"
    lacked = [cpu.name for cpu in target_named("").cpus if cpu.name not in host_cpus()]
    if option[1] == "LACKED" and not lacked:
        pytest.skip("this machine has all instruction sets")
    option = (option[0], option[1].replace("LACKED", (*lacked, "")[0]))
    ran = call(
        "quantize", models / "digits_cnn.onnx", "--to", "native", "-o", tmp_path / "m.o", "--quantize", "auto",
        "--max-drop", "0.1", "--metric", "fidelity", "--evaluation", data, "--calibration", data, *option,
    )  # fmt: skip
    assert ran.exit_code == 1 and Code.TargetUnavailable.id in ran.output and "cannot be timed" in ran.output
    assert not list(tmp_path.iterdir())


def test_native_code_is_timed(tmp_path: Path) -> None:
    """For real: calls have places of their own, and their times do not add up to more than a run by much."""
    stopwatch = native_stopwatch(Options(), BUILT_IN)
    (apart,), (whole,) = (stopwatch.timed([model()], SAMPLES[0], calls) for calls in (True, False))
    names = {name for call in apart.calls for name in ("matmul_3", "matmul_8") if name in str(call.location)}
    assert names == {"matmul_3", "matmul_8"} and not whole.calls
    assert apart.seconds > 0 and whole.seconds > 0 and all(call.seconds >= 0 for call in apart.calls)


# -- parts ---------------------------------------------------------------------------------------


def called(*names: str) -> Call:
    return Call(fuse(map(NameLocation, names)), 6.0)


OWNERS = [(["a"], 0), (["b"], 1), (["c"], 9)]


def test_whose_time_it_is() -> None:
    """What several became is shared by multiply-adds; what is of nobody counts to the layer in front of it."""
    calls = [called("x"), called("a"), called("y"), called("b", "a", "z"), called("c")]
    assert shared(calls, OWNERS) == ([6 + 6 + 2, 4, 6], 6)
    assert together([calls, [called("c")]], OWNERS) == [[0, 1], [2]]
    assert together([calls, [called("c", "a")]], OWNERS) == [[0, 1, 2]]
    assert together([], OWNERS) == [[0], [1], [2]]


def options() -> list[list[Option]]:
    drawn = random(5, 3, 2, seed=3) ** 2
    names = ("float", "int8", "dynamic-range")
    return [
        [
            Option(SCHEMES[name], float(a) * 1e-6, 0.0 if name == "float" else float(b))
            for name, (a, b) in zip(names, row, strict=True)
        ]
        for row in drawn
    ]


@pytest.mark.parametrize("price", [0.0, 1e-7, 1e-6, 1e-5])
def test_the_cheapest_is_the_cheapest(price: float) -> None:
    choices, numbers = options(), [4000, 1000, 100, 8000, 5]
    every = [mixture_of(choices, numbers, way) for way in itertools.product(range(3), repeat=5)]
    found = cheapest(choices, numbers, lambda o: o.seconds + price * o.loss)
    assert found.seconds + price * found.loss == pytest.approx(min(m.seconds + price * m.loss for m in every))


def test_the_frontier() -> None:
    """From the fastest of all to what loses nothing, in order, with nothing that is worse in both."""
    choices, numbers = options(), [4000, 1000, 100, 8000, 5]
    every = [mixture_of(choices, numbers, way) for way in itertools.product(range(3), repeat=5)]
    found = frontier(choices, numbers)
    assert found[0].seconds == pytest.approx(min(m.seconds for m in every)) and found[-1].loss == 0
    assert all(a.loss > b.loss and a.seconds <= b.seconds for a, b in itertools.pairwise(found))
    assert not any(m.seconds < f.seconds - 1e-12 and m.loss < f.loss - 1e-12 for f in found for m in every)
    assert frontier([], []) == [mixture_of([], [], ())]


def test_runs() -> None:
    a, b = SCHEMES["int8"], SCHEMES["float"]
    assert runs([a, a, b, a]) == [range(2), range(2, 3), range(3, 4)] and runs([]) == []


# -- what is told --------------------------------------------------------------------------------


def test_the_report(tmp_path: Path) -> None:
    report = quantized(tmp_path / "m.o", measure=True)
    data = json.loads(json.dumps(report.data(), allow_nan=False))
    assert data["speed"]["chosen"] == "mixture 1" and data["speed"]["layers"][0]["milliseconds"]["float"] == 1.0
    assert {layer["op"]: layer["milliseconds"] for layer in data["layers"]}["core.matmul"] == pytest.approx(4.0)
    assert "mixture 1" in report.html()


def test_what_people_see(models: Path, tmp_path: Path) -> None:
    data = models / "digits_cnn.npz"
    images = tmp_path / "in.npz"
    np.savez(images, image=npz(data)["image"].transpose(0, 3, 1, 2))
    ran = call(
        "quantize", models / "digits_cnn.onnx", "--to", "native", "-o", tmp_path / "m.o", "--quantize", "auto",
        "--max-drop", "0.2", "--metric", "fidelity", "--evaluation", images, "--calibration", images,
        "--shape", "image=1,1,8,8",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    assert "by time on" in ran.output and all(name in ran.output for name in TIMES)
