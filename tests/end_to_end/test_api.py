"""The Python API: its names, keywords, texts, errors and threads."""

from __future__ import annotations

import html
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import Code
from mlconv.driver.keywords import ConvertOptions, LoadOptions, QuantizeOptions, SimplifyOptions
from tests.support import failing_models
from tests.support.cli import call

ROOT = Path(__file__).parent.parent.parent


def test_dir_lists_the_api() -> None:
    listed = dir(mlconv)
    assert set(mlconv.__all__) <= set(listed) and {"__version__", "__doc__"} <= set(listed)
    assert all(getattr(mlconv, name) is not None for name in listed)
    assert [name for name in listed if not name.startswith("__")] == sorted(mlconv.__all__)


def test_a_name_that_does_not_exist_is_told_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match="did you mean 'convert'"):
        mlconv.converts  # noqa: B018


def test_keywords_are_those_of_the_options(tmp_path: Path) -> None:
    """mlconv/driver/keywords.py is what its tool writes from the option classes, laid out."""
    written = tmp_path / "keywords.py"
    subprocess.run([sys.executable, str(ROOT / "tools" / "gen_keywords.py"), str(written)], check=True)
    assert written.read_text() == (ROOT / "mlconv" / "driver" / "keywords.py").read_text(), "run tools/gen_keywords.py"
    known = {*mlconv.Options.__dataclass_fields__, *_target_options()} - {"files"}
    assert set(get_type_hints(ConvertOptions)) == known
    assert set(get_type_hints(LoadOptions)) < set(get_type_hints(QuantizeOptions)) < known
    assert set(get_type_hints(SimplifyOptions)) < set(get_type_hints(LoadOptions))


def _target_options() -> frozenset[str]:
    from mlconv.driver.context import BUILT_IN

    return BUILT_IN.target_options


@pytest.mark.parametrize(
    ("keyword", "said"),
    [
        ("quantise", "there is no option 'quantise': did you mean 'quantize'?"),
        ("shape", "did you mean 'shapes'?"),
        ("allow_linked_data", "did you mean 'linked_data'?"),
        ("tune_cash", "did you mean 'tune_cache'?"),
        ("zzz", "docs/options.md lists them"),
    ],
)
def test_wrong_keywords(keyword: str, said: str, models: Path) -> None:
    given: dict[str, Any] = {keyword: 1}
    with pytest.raises(TypeError) as caught:
        mlconv.convert(models / "digits_cnn.onnx", "native", "never.o", **given)
    assert said in str(caught.value)


def test_keywords_of_another_function(models: Path) -> None:
    path = models / "digits_cnn.onnx"
    calls: list[Any] = [
        lambda: mlconv.load(path, shapez={}),  # type: ignore[call-arg]
        lambda: mlconv.load(path, verify=True),  # type: ignore[call-arg]
        lambda: mlconv.simplify(path, verify=True),  # type: ignore[call-arg]
    ]
    texts = []
    for wrong in calls:
        with pytest.raises(TypeError) as caught:
            wrong()
        texts.append(str(caught.value))
    assert "mlconv.load has no option 'shapez': did you mean 'shapes'?" in texts[0]
    assert "mlconv.load has no option 'verify'" in texts[1] and "mlconv.simplify has no option 'verify'" in texts[2]
    with pytest.raises(mlconv.ConversionError, match="--tune is an option of target native, not of tflite"):
        mlconv.convert(path, "tflite", "never.tflite", tune=True)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_drop": "0.1"}, "max_drop is '0.1', expected a number or None"),
        ({"max_drop": True}, "max_drop is True, expected a number or None"),
        ({"max_drop": float("nan")}, "max_drop is nan, expected a number or None"),
        ({"metric": 3}, "metric is 3, expected a name or a function"),
        ({"require_int8": "no"}, "require_int8 is 'no', expected True or False"),
        ({"scheme": 8}, "quantize is 8, expected a text"),
        ({"labels": 3}, "labels is 3, expected a text"),
        ({"fold_limit": 2.5}, "fold_limit is 2.5, expected a whole number"),
        ({"verify": True, "rtol": "0.1"}, "rtol is '0.1', expected a number"),
        ({"verify": True, "rtol": float("nan")}, "rtol is nan, expected a number"),
    ],
)
def test_values_of_the_wrong_kind(settings: dict[str, Any], said: str, models: Path) -> None:
    samples = np.zeros((2, 1, 8, 8), np.float32)
    asked: dict[str, Any] = {"calibration": samples, "evaluation": "", **settings}
    if asked.keys() & {"max_drop", "metric", "labels"}:
        asked = {"max_drop": 0.1, "metric": "agreement", **asked, "evaluation": samples}
    with pytest.raises(mlconv.ConversionError) as caught:
        mlconv.quantize(models / "digits_cnn.onnx", "tflite", "never.tflite", **asked)
    assert caught.value.diagnostic.code is Code.UsageError and said in str(caught.value)


@pytest.mark.parametrize(
    "settings", [{"io_json": 1}, {"io_json": np.True_}, {"io_json": True, "fold_limit": np.int64(9)}]
)
def test_numbers_of_numpy_and_truth_as_a_number(settings: dict[str, Any], models: Path, tmp_path: Path) -> None:
    mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", **settings)
    assert (tmp_path / "m.io.json").exists() or (tmp_path / "m.tflite.io.json").exists()


def test_none_and_numbers_of_numpy_are_taken(models: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"save_recipe": None, "labels": None, "rules": None, "fold_limit": np.int64(7)}
    samples = np.zeros((2, 1, 8, 8), np.float32)
    result = mlconv.quantize(
        models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", calibration=samples, **settings
    )
    assert result.quantization is not None and result.quantization.scheme == "int8"


def test_samples_without_a_scheme(models: Path) -> None:
    with pytest.raises(mlconv.ConversionError, match="--calibration is given, and nothing is quantized"):
        mlconv.convert(models / "digits_cnn.onnx", "tflite", "never.tflite", calibration=np.zeros((2, 1, 8, 8)))


def test_a_certificate_cannot_name_arrays(models: Path, tmp_path: Path) -> None:
    asked = {"certificate": tmp_path / "c.json", "calibration": np.zeros((2, 1, 8, 8), np.float32)}
    with pytest.raises(mlconv.ConversionError, match="a certificate cannot say what calibration is: a ndarray"):
        mlconv.quantize(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", **asked)  # type: ignore[arg-type]


def test_paths_lists_and_numbers_are_taken(models: Path, tmp_path: Path) -> None:
    model = mlconv.load(models / "digits_cnn.onnx", outputs=["/Flatten_8"])
    assert [array.shape[0] for array in model.run({"image": np.zeros((2, 1, 8, 8), np.float32)}).values()] == [2]
    report = tmp_path / "r.html"
    mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", report=report, source_roots=[])
    assert report.stat().st_size > 1000
    with pytest.raises(TypeError, match=r"outputs is '/Flatten_8', expected a list of texts, such as \['/Flatten_8'\]"):
        mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", outputs="/Flatten_8")


def test_a_model_that_the_program_holds_is_checked(models: Path) -> None:
    held = onnx.load(models / "digits_cnn.onnx")
    assert mlconv.check(held, ["tflite", "native"]).ok
    with pytest.raises(mlconv.ConversionError) as caught:
        mlconv.check(mlconv.load(held))
    assert caught.value.code is Code.UsageError


def test_reprs_are_one_line_and_pages_are_escaped(models: Path, tmp_path: Path) -> None:
    path = tmp_path / "a<b>&.onnx"
    path.write_bytes((models / "digits_cnn.onnx").read_bytes())
    result = mlconv.convert(path, "native", tmp_path / "o<i>.o", shapes={"image": (1, 1, 8, 8)})
    loaded, report = mlconv.load(path), mlconv.check(path, ["tflite", "native"])
    simple = mlconv.simplify(path, tmp_path / "s<s>.onnx")
    native = mlconv.load_native(tmp_path / "o<i>.o")
    quantized = mlconv.quantize(path, output=tmp_path / "q.tflite", calibration="random:2").quantization
    assert repr(loaded) == f"<LoadedModel {loaded.module.summary()}>" and "image: float32[N,1,8,8]" in repr(loaded)
    assert repr(result).startswith("<Result ") and "o<i>.o: native" in repr(result)
    assert repr(report).endswith("tflite ok, native ok>") and repr(simple).startswith("<Simplification ")
    assert "image: float32[1,1,8,8]" in repr(native)
    assert repr(mlconv.Options(quantize="int8")) == "Options(quantize='int8')" and repr(mlconv.Options()) == "Options()"
    for shown in (result, loaded, loaded.module, report, simple, native, quantized):
        assert shown is not None and "\n" not in repr(shown) and len(repr(shown)) < 400
        page = shown._repr_html_()
        assert page.startswith("<table>") and page.endswith("</table>")
        assert not any(tag in page for tag in ("<b>", "<i>", "<s>", "<script"))
    assert "a<b>&.onnx" in html.unescape(report._repr_html_())


def test_errors_carry_diagnostics_as_data(tmp_path: Path) -> None:
    path = failing_models.many(tmp_path, 3)
    with pytest.raises(mlconv.ConversionError) as caught:
        mlconv.convert(path, output=tmp_path / "never.tflite")
    error = caught.value
    rows = error.data()
    assert [row["node"] for row in rows] == [f"/block{i}/Wobble" for i in range(3)]
    assert all(row["code"] == error.code.id == "MLC0301" and row["model"] == str(path) for row in rows)
    assert str(error).startswith("MLC0301: operator com.acme.Wobble is not supported; ") and "2 more" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert again.data() == rows and again.code is Code.OpUnsupported and str(again) == str(error)


def test_a_temporary_artifact_goes_with_its_block(models: Path) -> None:
    with mlconv.temporary_artifact(models / "digits_cnn.onnx", "native", shapes={"image": (1, 1, 8, 8)}) as made:
        folder = Path(made.output).parent
        assert {p.name for p in folder.iterdir()} == {"digits_cnn.o", "digits_cnn.h", "digits_cnn.io.json"}
        native = mlconv.load_native(made.output)
    assert not folder.exists()
    assert native.run({"image": np.zeros((1, 1, 8, 8), np.float32)})["scores"].shape == (1, 10)
    with pytest.raises(mlconv.ConversionError), mlconv.temporary_artifact("none.onnx"):
        raise AssertionError("there is no such model")


def test_a_loaded_model_lets_go_of_its_folders(tmp_path: Path) -> None:
    import onnx

    with mlconv.load(onnx.load(failing_models.dynamic_relu(tmp_path))) as model:
        folder = Path(model.resources[-1].name)
        assert folder.is_dir()
    assert not folder.exists()


def test_check_within_budgets(models: Path) -> None:
    path = models / "digits_cnn.onnx"
    report = mlconv.check(path, "tflite", max_size=9000)
    assert not report.ok and [d.code for d in report.diagnostics] == [Code.BudgetExceeded]
    assert mlconv.check(path, ["tflite", "native"], max_size={"tflite": 12_000}).ok


THREADS = """
import hashlib, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import mlconv
models = Path(sys.argv[1])
jobs = [(name, to, scheme)
        for name in ("digits_cnn.onnx", "digits_cnn.pb", "digits_cnn_saved_model")
        for to, scheme in (("tflite", ""), ("native", ""), ("tflite", "int8"))]
def converted(job):
    name, to, scheme = job
    given = {"quantize": scheme, "calibration": "random:2"} if scheme else {}
    with mlconv.temporary_artifact(models / name, to, **given) as made:
        return hashlib.sha256(Path(made.output).read_bytes()).hexdigest()
with ThreadPoolExecutor(int(sys.argv[2])) as pool:
    print(*pool.map(converted, jobs), sep="\\n")
"""


def test_conversions_in_threads_give_the_same_bytes(models: Path) -> None:
    """In new processes, so that everything is loaded for the first time while others load it."""
    one, many = (
        subprocess.run(
            [sys.executable, "-c", THREADS, str(models), threads], capture_output=True, text=True, check=True
        ).stdout.split()
        for threads in ("1", "8")
    )
    assert one == many and len(set(one)) == 9


def test_a_model_is_run_by_several_threads(models: Path) -> None:
    model = mlconv.load(models / "digits_transformer.onnx")
    arrays = [np.random.default_rng(i).random((2, 8, 8), np.float32) for i in range(8)]
    alone = [next(iter(model.run({"image": array}).values())) for array in arrays]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda array: next(iter(model.run({"image": array}).values())), arrays))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


def test_conversions_to_one_output_leave_one_whole(models: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    with ThreadPoolExecutor(4) as pool:
        sizes = list(pool.map(lambda _: mlconv.convert(models / "digits_cnn.onnx", output=path).size_bytes, range(8)))
    assert {path.stat().st_size} == set(sizes) and [p.name for p in tmp_path.iterdir()] == ["m.tflite"]


def test_models_are_compared_and_looked_at(models: Path, tmp_path: Path) -> None:
    """The calls give what the commands print; models that the program holds are taken, loaded ones refused."""
    path, other = models / "digits_cnn.onnx", tmp_path / "m.onnx"
    held = onnx.load(path)
    weights = next(t for t in held.graph.initializer if t.dims and t.data_type == onnx.TensorProto.FLOAT)
    weights.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weights) * 2, weights.name))
    onnx.save(held, other)
    pinned: LoadOptions = {"shapes": {"image": (2, 1, 8, 8)}}
    assert mlconv.verify(path, path, **pinned).ok and mlconv.verify(path, onnx.load(path), runs=2, **pinned).runs == 2
    found = mlconv.verify(path, held, per_layer=True, backends=("reference", "auto"), **pinned)
    assert not found.ok and found.layers is not None and found.layers.report.first is not None
    facts, differing = mlconv.inspect(path), mlconv.diff(path, other)
    assert facts == json.loads(call("inspect", path, "--json").stdout)
    assert differing == json.loads(call("diff", path, other, "--json").stdout)
    assert [w["name"] for w in differing["weights"]] == [weights.name] and not mlconv.diff(path, path)["weights"]
    assert mlconv.inspect(held)["ops"] == facts["ops"] and not mlconv.bisect(held, "onnx").problem
    for refused in (mlconv.inspect, lambda model: mlconv.verify(model, path), mlconv.bisect):
        with pytest.raises(mlconv.ConversionError, match="loaded already"):
            refused(mlconv.load(path))
    with pytest.raises(TypeError, match=r"mlconv\.diff has no option 'verify'"):
        mlconv.diff(path, other, verify=True)  # type: ignore[call-arg]
