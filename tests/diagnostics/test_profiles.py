"""Profiles: those that come with mlconv, and those of users."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import helper

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.check import check_model
from mlconv.driver.options import Options
from mlconv.profiles import builtin_profiles, load_profile, parse_profile
from tests.support import failing_models as models

RULES = [
    ('[ops]\ndeny = ["RELU"]', "does not run RELU"),
    ('[ops]\nallow = ["ABS"]', "does not run RELU"),
    ("[limits]\nmax_rank = 1", "goes up to rank 1, not 2"),
    ("[limits]\nmax_bytes = 16", "has 16 bytes for a tensor, not 32"),
    ("[limits]\nmax_large_dims = 1", "whose last 1 dimensions"),
    ('[types]\nallow = ["int8"]', "has no float32 tensors, only int8"),
    ("[limits]\nstatic = true", ""),
    ('[ops]\nallow = ["RELU"]', ""),
]
BROKEN = [
    ("limits = 3", "no section"),
    ("[limit]\nstatic = true", "did you mean 'limits'"),
    ("[limits]\nmaxrank = 1", "did you mean 'max_rank'"),
    ("[limits]\nmax_rank = true", "expected a int"),
    ("[limits]\nmax_rank = 0", "expected 1 or more"),
    ("[ops]\nallow = [1]", "expected a list"),
    ('[ops]\nallow = ["CONV2D"]', "did you mean 'CONV_2D'"),
    ("name = 1", "name is a text"),
    ("[ops", "profile p.toml"),
]


@pytest.mark.parametrize(("text", "said"), RULES)
def test_rules(text: str, said: str, tmp_path: Path) -> None:
    model = models.onnx_file(tmp_path / "m.onnx", [helper.make_node("Relu", ["x"], ["y"], "/Relu")])
    (tmp_path / "p.toml").write_text(text)
    (report,) = check_model(str(model), (), (str(tmp_path / "p.toml"),)).targets
    assert [d.node for d in report.diagnostics] == ["/Relu"] * bool(said)
    assert all(said in d.message for d in report.diagnostics)
    assert report.count("refused") == bool(said)


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_broken_profiles(text: str, said: str) -> None:
    with pytest.raises(ConversionError) as error:
        parse_profile(text, "p.toml")
    assert error.value.code is Code.UsageError and said in str(error.value) + error.value.diagnostic.help


def test_profiles_that_come_along(models: Path) -> None:
    assert builtin_profiles() == ["edgetpu", "tflite", "tflite-micro"]
    assert all(load_profile(name).name == name for name in builtin_profiles())
    options = Options(shapes={"image": (1, 1, 8, 8)})
    report = check_model(str(models / "digits_cnn.onnx"), (), builtin_profiles(), options)
    assert [(t.target, t.ok) for t in report.targets] == [("edgetpu", False), ("tflite", True), ("tflite-micro", True)]
    assert {d.code for d in report.targets[0].diagnostics} == {Code.TargetLacksType}
