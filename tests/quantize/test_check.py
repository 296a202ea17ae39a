"""`mlconv check --quantize`: what each target would keep in floats, said without samples and with weights unread."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.check import check_model
from mlconv.driver.options import Options
from mlconv.driver.quantized_check import QuantizationCheck
from mlconv.quantize.report import FLOAT
from tests.support.cli import call
from tests.support.npz import npz
from tests.support.poison import poisoned
from tests.support.thinning import thinned

ORDERS = {"digits_cnn": (0, 3, 1, 2), "digits_rnn": (0, 1, 2), "digits_transformer": (0, 1, 2)}
SCHEMES = ("int8", "int8-io-int8", "int16x8", "dynamic-range", "int8-weights", "int4", "float16", "bfloat16-weights")


def checked(
    path: Path, scheme: str, targets: tuple[str, ...], *profiles: str, **more: object
) -> list[QuantizationCheck]:
    report = check_model(str(path), targets, profiles, Options(quantize=scheme, **more))
    assert all(target.ok for target in report.targets), [d.message for d in report.diagnostics]
    return [target.quantization for target in report.targets if target.quantization is not None]


def shapes(models: Path, name: str) -> dict[str, tuple[int, ...]]:
    image = npz(models / f"{name}.npz")["image"].transpose(ORDERS[name])
    return {"image": (1, *image.shape[1:])}


@pytest.mark.share(6)
@pytest.mark.parametrize(("name", "scheme"), thinned(2, ORDERS, SCHEMES))
def test_it_foresees_the_report(name: str, scheme: str, models: Path, tmp_path: Path) -> None:
    """The same ops compute with floats, for the same reasons, as in a conversion."""
    found = checked(models / f"{name}.onnx", scheme, ("tflite", "native"), shapes=shapes(models, name))
    images = npz(models / f"{name}.npz")["image"].transpose(ORDERS[name])
    for check, to in zip(found, ("tflite", "native"), strict=True):
        made = mlconv.quantize(
            models / f"{name}.onnx", to, tmp_path / "m", scheme=scheme, calibration=[{"image": x} for x in images],
            shapes=shapes(models, name),
        ).quantization  # fmt: skip
        assert made is not None
        wanted = Counter((layer.op, layer.node, layer.scheme == FLOAT, layer.reason) for layer in made.layers)
        got = Counter((op.layer.op, op.layer.node, op.layer.scheme == FLOAT, op.layer.reason) for op in check.ops)
        assert got == wanted
        assert check.products == made.counted()


def test_targets_differ(models: Path) -> None:
    """HLO has no ops over integers; files of ONNX keep them between borders."""
    tflite, onnx, hlo = checked(
        models / "digits_cnn.onnx", "int8", ("tflite", "onnx", "hlo"), shapes=shapes(models, "digits_cnn")
    )
    assert tflite.products == onnx.products == (4, 4) and hlo.products == (0, 4)
    assert all(row.status == "integers" for row in onnx.rows if row.op == "core.conv")
    assert all(row.status == FLOAT and "hlo" in row.reason for row in hlo.rows if row.op == "core.conv")
    (stored,) = checked(models / "digits_cnn.onnx", "int8-weights", ("tflite",))
    assert {row.status for row in stored.rows if row.op == "core.conv"} == {"stored"}
    (dynamic,) = checked(models / "digits_cnn.onnx", "dynamic-range", ("tflite",))
    assert {row.status for row in dynamic.rows if row.op == "core.matmul"} == {"integers at run time"}


@pytest.mark.share(6)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["digits_cnn", "digits_transformer"])
def test_weights_are_not_read(name: str, scheme: str, models: Path, tmp_path: Path) -> None:
    copy = poisoned(models / f"{name}.onnx", tmp_path)
    assert copy is not None
    targets = ("tflite", "native", "onnx", "hlo")
    sizes = shapes(models, name)
    sound, broken = (checked(path, scheme, targets, shapes=sizes) for path in (models / f"{name}.onnx", copy))
    for one, other in zip(sound, broken, strict=True):
        assert [(r.op, r.status, r.reason, len(r.layers)) for r in one.rows] == [
            (r.op, r.status, r.reason, len(r.layers)) for r in other.rows
        ]


@pytest.mark.parametrize("name", ["digits_cnn"])
def test_profiles_take_quantized_models(name: str, models: Path) -> None:
    """Accelerators of integers run what is quantized; floats outside are left to another processor."""
    for scheme in ("int8", "int8-io-int8", "int8-io-uint8"):
        checked(models / f"{name}.onnx", scheme, (), "edgetpu", "tflite-micro", shapes=shapes(models, name))
    plain = check_model(str(models / f"{name}.onnx"), (), ("edgetpu",), Options(shapes=shapes(models, name)))
    assert not plain.targets[0].ok


def test_rules_and_refusals(models: Path) -> None:
    ran = call(
        "check", models / "digits_cnn.onnx", "--quantize", "int8", "--quantize-rule", "softmax=float", "--json"
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    data = json.loads(ran.stdout)["targets"][0]["quantization"]
    assert data["rules"] == [{"rule": "softmax=float", "ops": 1}] and data["products"] == {"integers": 4, "all": 4}
    (softmax,) = (row for row in data["ops"] if row["op"] == "core.softmax")
    assert softmax["status"] == FLOAT and softmax["reason"] == "its scheme is float" and softmax["places"][0]["node"]
    ran = call(
        "check", models / "digits_cnn.onnx", "--quantize", "int8", "--quantize-rule", "softmax=float", "--require-int8"
    )
    assert ran.exit_code == 3 and Code.FloatsLeft.id in ran.output and "softmax" in ran.output
    ran = call("check", models / "digits_cnn.onnx", "--quantize", "int8")
    assert ran.exit_code == 0 and "int8: 4 of 4 products are quantized" in ran.output
    with pytest.raises(ConversionError) as error:
        check_model(
            str(models / "digits_cnn.onnx"), ("tflite",), (), Options(quantize="int8", quantize_rules=("no/*=float",))
        )
    assert error.value.code is Code.RuleMatchesNothing
    ran = call("check", models / "digits_cnn.onnx", "--quantize", "int8", "--quantize-rule", "m.py:1-9=float")
    assert ran.exit_code == 2 and "the model records no lines of source: select by" in ran.output


def test_without_the_option_nothing_is_said(models: Path) -> None:
    ran = call("check", models / "digits_cnn.onnx", "--json")
    assert "quantization" not in json.loads(ran.stdout)["targets"][0]


def test_a_file_with_an_open_batch_and_floats_outside(models: Path, tmp_path: Path) -> None:
    """What rounds inputs is left to the processor, of open sizes, too: the open batch is all that is told."""
    made = tmp_path / "m.tflite"
    mlconv.quantize(models / "digits_cnn.onnx", "tflite", made, calibration="random:4")
    (report,) = check_model(str(made), (), ("edgetpu",)).targets
    assert [(d.code, d.node) for d in report.diagnostics] == [(Code.ShapeNotStatic, "image")]
    (report,) = check_model(str(made), (), ("edgetpu",), Options(shapes={"image": (1, 1, 8, 8)})).targets
    assert report.ok, report.diagnostics
