"""Schemas of source ops: what they say, and what files of the frameworks themselves have."""

from __future__ import annotations

import warnings
from pathlib import Path

import onnx
import pytest
from onnx import defs
from onnx.backend.test.loader import load_model_tests

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.dialects import DIALECTS
from mlconv.dialects.tf_table import SIGNATURES
from mlconv.driver.loading import import_model
from mlconv.driver.options import Options
from mlconv.passes.base import PassContext
from mlconv.passes.check_schemas import CheckSchemas
from tests.support.cli import call
from tests.support.thinning import thinned


def findings(path: Path) -> list[str]:
    engine = DiagnosticEngine()
    CheckSchemas().run(import_model(str(path), Options(), DiagnosticEngine()).module, PassContext(engine))
    return [d.message for d in engine.diagnostics]


def test_every_operator_of_onnx_has_its_schemas() -> None:
    for schema in defs.get_all_schemas_with_history():
        prefix = f"onnx.{schema.domain}." if schema.domain else "onnx."
        found = DIALECTS.schema(prefix + schema.name, schema.since_version)
        assert found is not None and found.origin.endswith(f" {schema.since_version}")
        assert [f.name for f in found.operands] == [f.name for f in schema.inputs]
        assert found.attributes.keys() == schema.attributes.keys()
    assert DIALECTS.schema("onnx.Nothing") is None and DIALECTS.schema("onnx.Clip", 5) is not None


def test_every_op_of_tensorflow_has_a_schema() -> None:
    for name, (inputs, outputs, attributes) in SIGNATURES.items():
        found = DIALECTS.schema(f"tf.{name}")
        assert found is not None and len(found.operands) == len(inputs.split())
        assert (len(found.results), len(found.attributes)) == (len(outputs.split()), len(attributes.split()))


@pytest.mark.parametrize("part", thinned(8, range(8)))
def test_operators_of_onnx_fit_their_schemas(part: int, tmp_path: Path) -> None:
    seen = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of how onnx makes its expected results
        cases = load_model_tests(kind="node")
    for case in cases[part::8]:
        if case.model is None:
            continue
        path = tmp_path / "m.onnx"
        onnx.save(case.model, path)
        try:
            assert not findings(path), case.name
        except ConversionError:
            continue
        seen += 1
    assert seen > 120


def test_models_of_the_corpus_fit_their_schemas(corpus: Path) -> None:
    seen = 0
    for path in sorted(p for kind in ("onnx", "graphdef", "saved_model") for p in (corpus / "models" / kind).iterdir()):
        try:
            assert not findings(path), path
        except ConversionError:
            continue  # data beside a model
        seen += 1
    assert seen > 100


@pytest.mark.parametrize(
    ("op", "lines"),
    [
        ("onnx.Clip@6", ["onnx.Clip (ai.onnx 6)", "  attribute  max: float = 3.4028234663852886e+38"]),
        ("onnx.Clip", ["  input      min?: T of bfloat16, float16, float32, float64, int16"]),
        ("tf.ConcatV2", ["tf.ConcatV2 (TensorFlow", "  input      values*: T", '  attribute  Tidx: type = "DT_INT32"']),
        ("core.conv", ["  operand    bias?", "  attribute  groups: int = 1", "Source: ONNX Conv-11"]),
        ("tfl.CONV_2D", ["  attribute  stride_w: int32"]),
    ],
)
def test_ops_are_explained(op: str, lines: list[str]) -> None:
    result = call("explain", op)
    assert result.exit_code == 0 and all(line in result.output for line in lines), result.output


@pytest.mark.parametrize("op", ["onnx.Nothing", "my.op", "onnx.Clip@x"])
def test_what_is_no_op(op: str) -> None:
    result = call("explain", op)
    assert result.exit_code == 2 and "MLC0801" in result.stderr


def test_ops_that_break_their_schema_are_noted(tmp_path: Path) -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 13]>
        g (float[2] x) => (float[2] y) { y = Softmax <axis = 0, beta = 2.0> (x) }"""
    )
    onnx.save(model, tmp_path / "m.onnx")
    said = "note[MLC0106]: onnx.Softmax has no attribute 'beta'; it has axis"
    source = call("opt", tmp_path / "m.onnx", "--pipeline", "check-schemas")
    assert source.exit_code == 0 and said in source.stderr and '"onnx.Softmax"' in source.stdout
    refused = call("convert", tmp_path / "m.onnx", "--to", "tflite", "--verify-each")
    assert refused.exit_code == 1 and said in refused.stderr and "error[MLC0106]" in refused.stderr
