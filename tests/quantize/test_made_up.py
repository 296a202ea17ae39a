"""Products that make up for what is lost in front of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import mlconv
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.quantize import made_up
from mlconv.quantize.collect import Collector
from mlconv.quantize.made_up import last_of, stops_of, weights_of
from mlconv.quantize.moments import Moments, moments
from mlconv.quantize.saved import Findings
from mlconv.quantize.scheme import scheme_named
from mlconv.quantize.store import Integers
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.litert import run_litert
from tests.support.modules import random
from tests.support.networks import Build, collector, conv, interpreted, linear, network, relu


def sample(seed: int) -> dict[str, np.ndarray]:
    """Numbers that go together, as those of sounds and images do."""
    return {"x": np.abs(random(2, 6, 6, 3, seed=seed)) @ random(3, 8, seed=1000)}


SAMPLES = [sample(seed) for seed in range(24)]
INT4 = scheme_named("int4")


def deep(e: CoreBuilder, x: Value) -> Value:
    """Two ends behind three convolutions: a product of matrices, and a convolution."""
    y = relu(e, conv(e, relu(e, conv(e, relu(e, conv(e, x, 16)), 16, groups=16)), 24))
    return e.add(linear(e, e.mean(y, (1, 2), keepdims=True), 4), conv(e, y, 4, size=1))


def products(build: Build = deep) -> tuple[Function, list[OpDef]]:
    function = network((2, 6, 6, 8), build).main
    return function, [op for op in function.block.ops if isinstance(op, (core.Conv, core.MatMul))]


def test_last_products() -> None:
    function, found = products()
    assert last_of(function, found) == found[3:] and len(found) == 5
    assert last_of(function, found[:2]) == [found[1]]
    chain, found = products(lambda e, x: linear(e, linear(e, x, 16), 4))
    assert last_of(chain, found) == [found[-1]]


def test_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the first where there are few, some along the model else, and those alone that take little time."""
    function, found = products()
    known, alone = moments(function, found, collector(SAMPLES[:2], interpreted)), {op: [op] for op in found}
    shared = alone | dict.fromkeys(found[1:3], found[1:3]) | dict.fromkeys(found[3:], found[3:])
    assert stops_of(function, known, shared) == [found[3:]]  # those that share weights do so together or not at all
    assert stops_of(function, known, alone) == [[found[1]], [found[2]], found[3:]]
    monkeypatch.setattr(made_up, "_STOPS", 1)
    assert stops_of(function, known, alone) == [[found[2]], found[3:]]
    monkeypatch.setattr(made_up, "_WORK", 0)
    assert stops_of(function, known, alone) == [found[3:]] and stops_of(function, {}, {}) == [[]]


def stored(samples: Collector | None) -> tuple[dict[OpDef, Integers], dict[OpDef, Moments]]:
    function, found = products()
    known = moments(function, found, collector(SAMPLES, interpreted))
    return weights_of(function, dict.fromkeys(found, INT4), known, samples, "made-up"), known


def test_what_others_have_stays() -> None:
    """What is in front of all others is rounded without regard to these."""
    plain, fitted = (stored(c)[0] for c in (None, collector(SAMPLES, interpreted)))
    same = [np.array_equal(a.view(), b.view()) for (a, _), (b, _) in zip(plain.values(), fitted.values(), strict=True)]
    assert same == [True, False, False, False, False]


@pytest.mark.long
def test_another_run_finds_the_same() -> None:
    """What was found behind other integers does not count."""
    first = collector(SAMPLES, interpreted)
    first.kept = Findings()
    found, _ = stored(first)
    ((stage, _), *others) = first.kept.arrays
    assert stage.startswith("made-up-") and len(others) == 3
    again, _ = stored(Collector(None, first.pool, saved=first.kept))
    for (a, s), (b, t) in zip(found.values(), again.values(), strict=True):
        assert np.array_equal(a.view(), b.view()) and s == t
    renamed = Findings(24, {("made-up-other", key): arrays for (_, key), arrays in first.kept.arrays.items()})
    unfit, _ = stored(Collector(None, first.pool, saved=renamed))
    plain, _ = stored(None)
    assert all(
        np.array_equal(a.view(), b.view()) for (a, _), (b, _) in zip(unfit.values(), plain.values(), strict=True)
    )


def test_sums() -> None:
    """Where nothing was lost, what is read now is what was read."""
    function, found = products()
    known = moments(function, found, collector(SAMPLES, interpreted))
    old = made_up.snapshot(function)
    sums = made_up._sums(old, function, found[3:], collector(SAMPLES, interpreted))
    for op, array in sums.items():
        same, want = made_up._moments_of(array), known[op]
        assert same.cross is not None and same.before is not None and same.rows == want.rows
        for a, b in ((same.square, want.square), (same.cross, want.square), (same.before, want.total)):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4 * np.abs(b).max())


@pytest.mark.share(4)
@pytest.mark.parametrize("target", ["native", "tflite"])
def test_less_is_lost(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On other samples too."""
    others = [sample(seed) for seed in range(100, 112)]
    errors = []
    want = answers(tmp_path / "f.o", "native", others)
    for _ in range(2):
        got = answers(tmp_path / f"m.{'o' if target == 'native' else target}", target, others, "int4")
        errors.append(float(np.square(got - want).mean() / np.square(want).mean()))
        monkeypatch.setattr(made_up, "stops_of", lambda function, moments, shared: [])
    fitted, plain = errors
    assert fitted < 0.9 * plain < 0.05


def answers(path: Path, target: str, samples: list[dict[str, np.ndarray]], scheme: str = "") -> np.ndarray:
    more = {"quantize": scheme, "calibration": SAMPLES} if scheme else {}
    mlconv.convert(network((2, 6, 6, 8), deep), to=target, output=path, **more)  # type: ignore[arg-type]
    if target == "native":
        model = mlconv.load_native(path)
        return np.stack([next(iter(model.run(s).values())) for s in samples])
    return np.stack([run_litert(path.read_bytes(), [s["x"]])[0] for s in samples])


@pytest.mark.parametrize(("scheme", "most"), [("int16x8", 144 * 144), ("int4", 144 * 72)])
def test_layers_that_are_copies_have_the_same_integers(scheme: str, most: int, tmp_path: Path) -> None:
    """Weights are rounded with regard to what layers read, and files have them once."""
    layers = range(4)
    weights = [numpy_helper.from_array(random(144, 144), f"w{i}") for i in layers]
    nodes = [
        node
        for i in layers
        for node in (
            helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"y{i}"]),
            helper.make_node("Softmax", [f"y{i}"], [f"x{i + 1}"]),
        )
    ]
    ports = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 4, 144]) for name in ("x0", "x4")]
    graph = helper.make_graph(nodes, "copies", ports[:1], ports[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    samples = [{"x0": random(1, 4, 144, seed=s)} for s in range(4)]
    found = mlconv.quantize(tmp_path / "m.onnx", "tflite", tmp_path / "m.tflite", scheme=scheme, calibration=samples)
    assert found.size_bytes < 1.5 * most + 6_000
