"""`verify` of files with few bits: what integers stand for, and that ops have them, is not always said."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import ConversionError
from mlconv.driver.options import Options
from mlconv.driver.sides import open_side
from mlconv.runtime.measures import Verdict

_TEXT = """<ir_version: 8, opset_import: ["" : 17]> g (float[2, 8] x) => (float[2, 5] y) {
    t = MatMul (x, w) y = Relu (t)
}"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    model = onnx.parser.parse_model(_TEXT)
    w = np.random.default_rng(0).standard_normal((8, 5)).astype(np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def test_floats_beside_integers_of_a_file_without_scales(source: Path, tmp_path: Path) -> None:
    samples = [{"x": np.random.default_rng(k).standard_normal((2, 8)).astype(np.float32)} for k in range(8)]
    made = tmp_path / "q.onnx"
    mlconv.convert(source, "onnx", made, quantize="int8-io-int8", calibration=samples)
    for pair in ((source, made), (made, source)):
        found = mlconv.verify(*pair)
        assert found.ok and found.outputs[0].max_abs > 0  # and neither was given numbers that it does not hold
    broken = onnx.load(made)
    for tensor in broken.graph.initializer:
        if list(tensor.dims) == [8, 5]:
            tensor.CopyFrom(onnx.numpy_helper.from_array(-onnx.numpy_helper.to_array(tensor), tensor.name))
    onnx.save(broken, tmp_path / "broken.onnx")
    assert not mlconv.verify(source, tmp_path / "broken.onnx").ok


def test_integers_that_stand_for_nothing(source: Path, tmp_path: Path) -> None:
    """Bytes that are cast say no scale."""
    text = _TEXT.replace("(float[2, 8] x)", "(int8[2, 8] b)").replace("{\n", "{ x = Cast <to: int = 1> (b)\n")
    model = onnx.parser.parse_model(text)
    model.graph.initializer.extend(onnx.load(source).graph.initializer)
    onnx.save(model, tmp_path / "bytes.onnx")
    with pytest.raises(ConversionError, match="MLC0705"):
        mlconv.verify(source, tmp_path / "bytes.onnx")


@pytest.mark.parametrize(("to", "suffix"), [("hlo", ".hlo.pb"), ("stablehlo", ".mlir")])
def test_quantized_models_whose_ops_do_not_say_so(source: Path, tmp_path: Path, to: str, suffix: str) -> None:
    """HLO spells quantization as arithmetic: it is noise beside floats, and a wrong weight is none."""
    samples = [{"x": np.random.default_rng(k).standard_normal((2, 8)).astype(np.float32)} for k in range(8)]
    right, wrong = (tmp_path / f"{name}{suffix}" for name in ("right", "wrong"))
    mlconv.convert(source, to, right, quantize="int8", calibration=samples)
    found = mlconv.verify(source, right)
    assert found.ok and found.outputs[0].verdict in (Verdict.NOISE, Verdict.STEP)
    other = onnx.load(source)
    w = np.array(onnx.numpy_helper.to_array(other.graph.initializer[0]))
    w[:, 2] *= -1
    other.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(w, "w"))
    onnx.save(other, tmp_path / "other.onnx")
    mlconv.convert(tmp_path / "other.onnx", to, wrong, quantize="int8", calibration=samples)
    assert not mlconv.verify(source, wrong).ok


def test_bfloat16_in_files_of_other_formats(tmp_path: Path) -> None:
    """A product of bfloat16 is added up in another order in TFLite than in XLA: a step of 16 bits, and no fault."""
    hlo, made = tmp_path / "m.hlo.pb", tmp_path / "m.tflite"
    w = jnp.asarray(np.random.default_rng(0).standard_normal((12, 16)), jnp.bfloat16)

    def f(x: jax.Array) -> jax.Array:
        return (x.astype(jnp.bfloat16) @ w).astype(jnp.float32)

    hlo.write_bytes(jax.jit(f).lower(jnp.ones((3, 12))).compiler_ir("hlo").as_serialized_hlo_module_proto())
    mlconv.convert(hlo, "tflite", made)
    for pair in ((hlo, made), (made, hlo)):
        sides = [open_side(str(path), Options()) for path in pair]
        assert all(side.rounds and not side.quantizes for side in sides)
        assert mlconv.verify(*pair).ok


def test_bytes_beside_floats_are_no_quantization(source: Path, tmp_path: Path) -> None:
    """What is cast to bytes for another output does not excuse weights that are off."""
    model = onnx.load(source)
    model.graph.node.add(op_type="Cast", input=["y"], output=["z"]).attribute.add(name="to", i=2, type=2)
    model.graph.output.add().CopyFrom(onnx.helper.make_tensor_value_info("z", onnx.TensorProto.UINT8, [2, 5]))
    onnx.save(model, tmp_path / "right.onnx")
    w = np.array(onnx.numpy_helper.to_array(model.graph.initializer[0])) * np.float32(1.02)
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(w, "w"))
    onnx.save(model, tmp_path / "wrong.onnx")
    for name in ("right", "wrong"):
        mlconv.convert(tmp_path / f"{name}.onnx", "hlo", tmp_path / f"{name}.hlo.pb")
        assert mlconv.verify(tmp_path / "right.onnx", tmp_path / f"{name}.hlo.pb").ok == (name == "right")
