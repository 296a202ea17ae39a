"""Models that may lose so much and no more, from the command line and from Python."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.conversion import best_beside
from mlconv.quantize.budget import Search, Tried
from mlconv.quantize.evaluate import Judge
from tests.support.cli import call
from tests.support.litert import run_litert

SHAPES = {"image": (1, 1, 8, 8)}


@pytest.fixture(scope="module")
def data(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Noisy images, with what the model gives for them, and what it chooses."""
    images = arrays(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2)
    noise = np.random.default_rng(0).normal(0, 0.4, (60, *images.shape[1:]))
    given = (np.resize(images, noise.shape) + noise).astype(np.float32)
    model = mlconv.load(models / "digits_cnn.onnx", shapes=SHAPES)
    scores = np.concatenate([model.run({"image": x[None]})["scores"] for x in given])
    path = tmp_path_factory.mktemp("data") / "data.npz"
    np.savez(path, image=given, target=scores, chosen=scores.argmax(1))
    return path


def arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as found:
        return dict(found)


def outputs(path: Path, data: Path) -> np.ndarray:
    return np.concatenate([run_litert(path.read_bytes(), [x[None]])[0] for x in arrays(data)["image"]])


def rmse(path: Path, data: Path) -> float:
    return float(np.sqrt(np.mean((outputs(path, data) - arrays(data)["target"]) ** 2)))


def lost(models: Path, data: Path, out: Path, scheme: str) -> float:
    """What a scheme loses by rmse where it may lose anything."""
    found = mlconv.quantize(
        models / "digits_cnn.onnx", output=out, scheme=scheme, max_drop=1e6, metric="rmse", evaluation=str(data),
        calibration=str(data), shapes=SHAPES,
    ).quantization  # fmt: skip
    assert found is not None and found.budget is not None
    assert found.budget.met and found.budget.trials == 1 and found.budget.kept == []
    return found.budget.worse


@pytest.mark.share(6)
@pytest.mark.parametrize("scheme", ["int8", "int4", "int8-io-uint8", "dynamic-range"])
def test_within_the_limit(scheme: str, models: Path, data: Path, tmp_path: Path) -> None:
    """As LiteRT computes; the recipe gives the same bytes; what is kept is told."""
    model, path, plain = models / "digits_cnn.onnx", tmp_path / "m.tflite", tmp_path / "all.tflite"
    limit = lost(models, data, plain, scheme) / 2
    asked = {"to": "tflite", "calibration": str(data), "shapes": SHAPES}
    found = mlconv.quantize(
        model, output=path, scheme=scheme, max_drop=limit, metric="rmse", evaluation=str(data),
        save_recipe=str(tmp_path / "r.toml"), **asked,  # type: ignore[arg-type]
    )  # fmt: skip
    budget = found.quantization.budget  # type: ignore[union-attr]
    assert budget is not None and budget.met and budget.worse <= budget.limit == limit
    assert path.read_bytes() != plain.read_bytes() and 0 < len(budget.kept) <= budget.layers
    assert budget.trials > 2 and budget.score == pytest.approx(budget.float_score + budget.worse)
    if "io" not in scheme:
        assert rmse(path, data) == pytest.approx(budget.score, rel=0.1) and rmse(plain, data) > 1.5 * limit
    again = mlconv.quantize(
        model, output=tmp_path / "b.tflite", scheme=str(tmp_path / "r.toml"), to="tflite", shapes=SHAPES
    )
    assert (tmp_path / "b.tflite").read_bytes() == path.read_bytes()
    rules = [use.rule for use in again.quantization.rules]  # type: ignore[union-attr]
    assert rules == budget.kept


def test_another_way_where_the_best_loses_more_than_it_did(
    models: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quantized anew, with channels brought to like ranges for what is kept, it may."""
    limit = lost(models, data, tmp_path / "all.tflite", "int8") / 2
    found, score = Search.found, Judge.score
    worse = list[float]()

    def then_worse(search: Search) -> Tried:
        way = found(search)
        worse.append(1e9)
        return way

    monkeypatch.setattr(Search, "found", then_worse)
    monkeypatch.setattr(Judge, "score", lambda judge, module: score(judge, module) + (worse.pop() if worse else 0.0))
    made = mlconv.quantize(
        models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", scheme="int8", max_drop=limit, metric="rmse",
        evaluation=str(data), calibration=str(data), shapes=SHAPES,
    )  # fmt: skip
    budget = made.quantization.budget  # type: ignore[union-attr]
    assert budget is not None and budget.met and not worse and rmse(tmp_path / "m.tflite", data) < 2 * limit


def test_rules_hold(models: Path, data: Path, tmp_path: Path) -> None:
    """Whatever the limit: no layer that a rule names gets more bits."""
    with pytest.raises(mlconv.ConversionError) as error:
        mlconv.quantize(
            models / "digits_cnn.onnx", output=tmp_path / "m.tflite", scheme="int8", max_drop=0.0, metric="rmse",
            evaluation=str(data), calibration=str(data), shapes=SHAPES, rules="*=int8",
            save_recipe=str(tmp_path / "r.toml"),
        )  # fmt: skip
    assert error.value.code == Code.AccuracyLost
    assert error.value.diagnostics[0].notes == ("1 way was tried, with 0 of 0 layers in more bits",)
    assert (tmp_path / "r.toml").read_text(encoding="utf-8").count("[[rules]]") == 1


@pytest.mark.long
def test_processes_find_the_same(models: Path, data: Path, tmp_path: Path) -> None:
    limit = str(lost(models, data, tmp_path / "m.tflite", "int8") / 2)
    texts = []
    for jobs in ("1", "2"):
        ran = call(
            "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / f"{jobs}.tflite", "--quantize",
            "int8", "--calibration", data, "--shape", "image=1,1,8,8", "--max-drop", limit, "--metric", "rmse",
            "--evaluation", data, "--jobs", jobs, "--save-recipe", tmp_path / f"{jobs}.toml",
        )  # fmt: skip
        assert ran.exit_code == 0, ran.output
        assert re.search(
            r"rmse 0\.00\d+, of the model \S+; \d of 4 layers in more bits, (1 way|\d+ ways) tried", ran.output
        )
        texts.append(((tmp_path / f"{jobs}.toml").read_bytes(), (tmp_path / f"{jobs}.tflite").read_bytes()))
    assert texts[0] == texts[1] and b"[[rules]]" in texts[0][0]


def test_what_cannot_be_met(models: Path, data: Path, tmp_path: Path) -> None:
    """Exit status 3; what was there stays, and the best model lies beside it, whole."""
    (tmp_path / "m.o").write_text("before", encoding="utf-8")
    ran = call(
        "convert", models / "digits_cnn.onnx", "--to", "native", "-o", tmp_path / "m.o", "--quantize", "int8",
        "--calibration", data, "--shape", "image=1,1,8,8", "--max-drop", "-0.5", "--metric", "top1",
        "--evaluation", data, "--labels", "chosen",
    )  # fmt: skip
    assert ran.exit_code == 3 and Code.AccuracyLost.id in ran.output and f"{tmp_path / 'm.best.o'}" in ran.output
    assert (tmp_path / "m.o").read_text(encoding="utf-8") == "before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.best.h", "m.best.io.json", "m.best.o", "m.o"]
    best, wanted = mlconv.load_native(tmp_path / "m.best.o"), arrays(data)
    right = [best.run({"image": x[None]})["scores"].argmax() for x in wanted["image"]] == wanted["chosen"]
    assert right.mean() > 0.9


def test_names_of_the_best() -> None:
    names = {("m.tflite", ".tflite"): "m.best.tflite", ("a.b.hlo.pb", ".hlo.pb"): "a.b.best.hlo.pb"}
    names |= {("m.bin", ".tflite"): "m.best.bin", ("m", ".tflite"): "m.best"}
    assert {key: best_beside(Path(key[0]), key[1]).name for key in names} == names


@pytest.mark.long
def test_a_function_of_a_caller(models: Path, data: Path, tmp_path: Path) -> None:
    """It sees outputs and samples by name, labels too; with several processes it is called here."""
    given = arrays(data)
    samples = [{"image": x, "labels": t} for x, t in zip(given["image"], given["chosen"], strict=True)]
    seen: list[bool] = []

    def own(outputs: Mapping[str, np.ndarray], sample: Mapping[str, np.ndarray]) -> float:
        seen.append(sample["image"].shape == (1, 1, 8, 8))
        return float(outputs["scores"].argmax() == sample["labels"])

    model, out = models / "digits_cnn.onnx", tmp_path / "m.tflite"
    asked = {"max_drop": 0.0, "evaluation": samples, "calibration": samples, "shapes": SHAPES}
    for jobs in (1, 2):
        found = mlconv.quantize(model, output=out, metric=own, jobs=jobs, **asked)  # type: ignore[arg-type]
        budget = found.quantization.budget  # type: ignore[union-attr]
        assert budget is not None and budget.metric == "own" and budget.float_score == 1 and budget.met
    assert len(seen) >= 4 * len(samples) and all(seen)
    with pytest.raises(ConversionError) as error:
        mlconv.quantize(model, output=out, metric=lambda o, s: float("nan"), **asked)  # type: ignore[arg-type]
    assert error.value.code is Code.UsageError and "nan" in str(error.value)


def test_a_function_by_name(models: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_metric.py").write_text("def peak(outputs, sample):\n    return outputs['scores'].max()\n")
    monkeypatch.syspath_prepend(tmp_path)
    ran = call(
        "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--quantize", "int8",
        "--calibration", data, "--shape", "image=1,1,8,8", "--max-drop", "100", "--metric", "own_metric:peak",
        "--evaluation", data, "--json",
    )  # fmt: skip
    sys.modules.pop("own_metric", None)
    assert ran.exit_code == 0, ran.output
    assert '"metric": "own_metric:peak"' in ran.stdout


def test_agreement_takes_no_labels(models: Path, data: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "images.npy", arrays(data)["image"])
    asked = {"calibration": str(data), "evaluation": str(tmp_path / "images.npy"), "shapes": SHAPES, "max_drop": 0.1}
    model, out = models / "digits_cnn.onnx", tmp_path / "m.tflite"
    found = mlconv.quantize(model, output=out, metric="agreement", **asked)  # type: ignore[arg-type]
    budget = found.quantization.budget  # type: ignore[union-attr]
    assert budget is not None and budget.float_score == 1
    same = (outputs(out, data).argmax(1) == arrays(data)["target"].argmax(1)).mean()
    assert budget.score == pytest.approx(same, abs=0.02)
    with pytest.raises(ConversionError) as error:
        mlconv.quantize(model, output=out, metric="top1", **asked)  # type: ignore[arg-type]
    assert error.value.code is Code.NameNotFound and "--labels" in error.value.diagnostic.help


WRONG = [
    (["--max-drop", "1"], "--metric nor --evaluation"),
    (["--metric", "top1", "--max-drop", "1"], "--evaluation"),
    (["--labels", "y"], "--max-drop nor"),
    (["--max-drop", "nan", "--metric", "top1", "--evaluation", "DATA"], "expected a number"),
    (["--max-drop", "1", "--metric", "top5", "--evaluation", "DATA"], "unknown metric 'top5'"),
    (["--max-drop", "1", "--metric", "top1", "--evaluation", "DATA", "-o", "-"], "no place"),
]


@pytest.mark.parametrize(("given", "text"), WRONG)
def test_options_that_need_one_another(given: list[str], text: str, models: Path, data: Path) -> None:
    words = [str(data) if word == "DATA" else word for word in given]
    command = ["convert", models / "digits_cnn.onnx", "--to", "tflite", "--quantize", "int8", "--calibration", data]
    ran = call(*command, *words)
    assert ran.exit_code == 2 and text in ran.output


def test_nothing_is_quantized(models: Path) -> None:
    for option in ("--jobs=2", "--max-drop=1", "--save-recipe=r.toml"):
        ran = call("convert", models / "digits_cnn.onnx", "--to", "tflite", option)
        assert ran.exit_code == 2 and "nothing is quantized" in ran.output


@pytest.mark.share(4)
@pytest.mark.parametrize("scheme", ["int8-weights", "float16", pytest.param("int4", marks=pytest.mark.long)])
def test_schemes_that_take_no_calibration(scheme: str, models: Path, data: Path, tmp_path: Path) -> None:
    found = mlconv.quantize(
        models / "digits_transformer.onnx", output=tmp_path / "m.tflite", scheme=scheme, max_drop=0.05,
        metric="agreement", evaluation=[x.reshape(8, 8) for x in arrays(data)["image"]],
        shapes={"image": (1, 8, 8)},
    ).quantization  # fmt: skip
    assert found is not None and found.samples == 0
    assert found.budget is not None and found.budget.met and found.budget.score >= 0.95


@pytest.mark.long
def test_sizes_that_are_open(models: Path, data: Path, tmp_path: Path) -> None:
    """A batch of any size, and samples of several."""
    images = arrays(data)["image"].reshape(-1, 8, 8)
    samples = [{"image": images[i : i + 1 + i % 3], "y": np.zeros(1 + i % 3, np.int64)} for i in range(0, 50, 3)]
    found = mlconv.quantize(
        models / "digits_transformer.onnx", output=tmp_path / "m.onnx", to="onnx", scheme="int8", calibration=samples,
        max_drop=0.1, metric="top1", evaluation=lambda: iter(samples), jobs=2,
    ).quantization  # fmt: skip
    assert found is not None and found.budget is not None and found.budget.met


@pytest.mark.long
def test_what_was_saved_is_enough(models: Path, data: Path, tmp_path: Path) -> None:
    """A plain run saves what a search asks for: layers that become floats have others read them."""
    limit = lost(models, data, tmp_path / "m.tflite", "int8") / 2
    mlconv.quantize(
        models / "digits_cnn.onnx", output=tmp_path / "m.tflite", calibration=str(data), shapes=SHAPES,
        save_calibration=str(tmp_path / "a.cal"),
    )  # fmt: skip
    written = []
    for calibration in (data, tmp_path / "a.cal"):
        mlconv.quantize(
            models / "digits_cnn.onnx", output=tmp_path / "m.tflite", calibration=str(calibration), max_drop=limit,
            metric="rmse", evaluation=str(data), shapes=SHAPES,
        )  # fmt: skip
        written.append((tmp_path / "m.tflite").read_bytes())
    assert written[0] == written[1]
