"""Profiles: those that come with mlconv, and those of users."""

from __future__ import annotations

from pathlib import Path

import onnx
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
    ("[op.CONV2D]", "did you mean 'CONV_2D'"),
    ("op = 1", "no section"),
    ("[op]\nCAST = 1", "a table of rules"),
    ("[op.CAST]\nrank = [1]", "rules are types"),
    ("[op.CAST]\nranks = [1]", "by place"),
    ("[op.CAST]\nranks = { x = [1] }", "by place"),
    ("[op.CAST]\nmax_version = 0", "from 1 on"),
    ("[op.CAST]\nconditions = ['casts']", "a list of casts_alike"),
    ("[op.CAST]\noptions = { beta = [1.0] }", "options of the TFLite schema"),
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
    assert builtin_profiles() == ["edgetpu", "nnapi", "tflite", "tflite-gpu", "tflite-micro"]
    assert all(load_profile(name).name == name for name in builtin_profiles())
    options = Options(shapes={"image": (1, 1, 8, 8)})
    report = check_model(str(models / "digits_cnn.onnx"), (), builtin_profiles(), options)
    assert [(t.target, t.ok) for t in report.targets] == [
        ("edgetpu", False),
        ("nnapi", True),
        ("tflite", True),
        ("tflite-gpu", True),
        ("tflite-micro", True),
    ]
    assert {d.code for d in report.targets[0].diagnostics} == {Code.TargetLacksType}


def verdict(path: Path, profile: str) -> list[tuple[Code, str]]:
    (report,) = check_model(str(path), (), (profile,)).targets
    return [(d.code, d.message) for d in report.diagnostics]


OF_OPS = [
    ('types = ["int64"]', "Cast", {"to": 7}, ""),
    ("", "Cast", {"to": 7}, "has no int64 tensors"),
    ("operand_types = { 0 = ['int8'] }", "Relu", {}, "with operand 0 of float32, only of int8"),
    ("result_types = { 0 = ['int8'] }", "Relu", {}, "with result 0 of float32, only of int8"),
    ("ranks = { 0 = [3, 4] }", "Relu", {}, "with operand 0 of rank 2, only of 3, 4"),
    ("ranks = { 0 = [2] }", "Relu", {}, ""),
    ("operands = [2]", "Relu", {}, "with 1 operands, only with 2"),
    ("computed = [0]", "Relu", {}, "with 1 operands that are computed, only with 0"),
    ("constant = [0]", "Relu", {}, "with operand 0 computed, only as a constant"),
    ("options = { beta = [2.0] }", "Softmax", {}, "with beta 1.0, only 2.0"),
    ("options = { beta = [1.0] }", "Softmax", {}, ""),
    ("max_version = 1", "Softmax", {}, ""),
]


@pytest.mark.parametrize(("rule", "op", "attributes", "said"), OF_OPS)
def test_rules_of_one_op(rule: str, op: str, attributes: dict[str, int], said: str, tmp_path: Path) -> None:
    node = helper.make_node(op, ["x"], ["y"], "/n", **attributes)
    model = models.onnx_file(tmp_path / "m.onnx", [node], gives=attributes.get("to", onnx.TensorProto.FLOAT))
    types = '[types]\nallow = ["float32"]\nconstants = ["float32", "int32", "int64"]\n'
    (tmp_path / "p.toml").write_text(f"{types}[op.{op.upper()}]\n{rule}")
    found = verdict(model, str(tmp_path / "p.toml"))
    assert [said in message for _, message in found] == [True] * bool(said), found


@pytest.mark.parametrize("profile", ["tflite-gpu", "nnapi"])
def test_delegates(profile: str, tmp_path: Path) -> None:
    """Both take a small network, and refuse a sort and a fifth axis or an operator of a later version."""
    taken = [helper.make_node("Relu", ["x"], ["r"], "/r"), helper.make_node("Softmax", ["r"], ["y"], "/s")]
    assert verdict(models.onnx_file(tmp_path / "a.onnx", taken), profile) == []
    refused = [helper.make_node("Round", ["x"], ["y"], "/round")]
    ((code, message),) = verdict(models.onnx_file(tmp_path / "b.onnx", refused), profile)
    assert code is Code.TargetLacksOp and message == f"{profile} does not run ROUND"


def test_ops_that_the_gpu_delegate_checks_and_does_not_parse() -> None:
    """CheckGpuDelegateCompatibility knows them, NewOperationParser does not."""
    allowed = load_profile("tflite-gpu").allow or frozenset()
    assert not allowed & {"CEIL", "ATAN2", "DYNAMIC_UPDATE_SLICE", "EMBEDDING_LOOKUP", "STABLEHLO_CLAMP"}
    assert allowed > {"UNPACK", "RELU_0_TO_1"}


def test_versions(tmp_path: Path) -> None:
    """A transpose of five axes is of version 4, as files have it; NNAPI takes 2."""
    node = helper.make_node("Transpose", ["x"], ["y"], "/d")
    assert verdict(models.onnx_file(tmp_path / "a.onnx", [node]), "nnapi") == []
    ((code, message),) = verdict(models.onnx_file(tmp_path / "b.onnx", [node], (1, 1, 1, 2, 4)), "nnapi")
    assert code is Code.TargetLacksOp and message == "nnapi does not run TRANSPOSE of version 4, only up to 2"
