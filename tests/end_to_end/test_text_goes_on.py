"""IR text of any stage goes on to what the conversion would have written; data of files are checked."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.check import check_models
from mlconv.driver.conversion import convert
from mlconv.driver.options import Options
from mlconv.provenance.locations import frames
from tests.support.cli import call
from tests.support.thinning import thinned

MODELS = ("digits_cnn.onnx", "digits_transformer.onnx")
IMAGES = {
    "digits_cnn": ("1..8", 1, 8, 8),
    "digits_transformer": ("1..8", 8, 8),
    "digits_torch_cnn_qdq_u8": (2, 1, 8, 8),
    "digits_torch_cnn_dynamic": ("1..8", 1, 8, 8),
}
TARGETS = ("tflite", "hlo", "native")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def goes_on(model: Path, target: str, folder: Path, step: int) -> int:
    """The number of stages that were tried."""
    whole, again, stages = folder / "whole", folder / "again", folder / "stages"
    for made in (whole, again):
        made.mkdir()
    shapes = {"image": IMAGES[model.stem]} if target == "hlo" and model.stem in IMAGES else {}
    convert(str(model), target, whole / "m.o", Options(dump_ir=str(stages), shapes=shapes))
    texts = sorted(stages.glob("*.mlir"))
    tried = [*texts[::step], texts[-1]]
    for text in tried:
        convert(str(text), target, again / "m.o")
        assert files(again) == files(whole), f"{model.name} to {target} from {text.name}"
    return len(tried)


@pytest.mark.parametrize(("name", "target"), thinned(3, MODELS, TARGETS))
def test_each_stage(name: str, target: str, models: Path, tmp_path: Path) -> None:
    assert goes_on(models / name, target, tmp_path, 4) > 4


@pytest.mark.share(6)
@pytest.mark.parametrize(
    ("name", "target"),
    thinned(2, ["loop_script_legacy", "digits_torch_cnn_qdq_u8", "digits_torch_cnn_dynamic"], TARGETS),
)
def test_last_stages_of_the_corpus(name: str, target: str, corpus: Path, tmp_path: Path) -> None:
    (model,) = corpus.glob(f"models/**/{name}.onnx")
    assert goes_on(model, target, tmp_path, 9)


@pytest.mark.parametrize(("name", "target"), [("jax_mlp", "hlo"), ("jax_sort_topk", "hlo"), ("jax_mlp", "tflite")])
def test_each_stage_of_hlo(name: str, target: str, corpus: Path, tmp_path: Path) -> None:
    """Instructions that were made of core ops are not read as those of a file."""
    assert goes_on(corpus / "models" / "hlo" / f"{name}.hlo.pb", target, tmp_path, 5) > 3


def test_stages_with_narrow_integers(tmp_path: Path) -> None:
    """With every stage verified."""
    text = """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2, 4] x) => (float[2, 4] y) <float s = {0.5}, int4 z = {1}> {
      q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z)
    }"""
    model = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(text), model)
    mlconv.convert(model, "native", tmp_path / "v.o", verify_each=True)
    assert goes_on(model, "native", tmp_path, 1) > 10


def sums(folder: Path) -> Path:
    """A model with a large weight, in a file of its own."""
    weight = onnx.numpy_helper.from_array(np.arange(4096, dtype=np.float32).reshape(64, 64), "w")
    x, y = (onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [64, 64]) for n in "xy")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [weight])
    path = folder / "sums.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)]), path)
    return path


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    model, text = sums(tmp_path), tmp_path / "sums.mlir"
    call("opt", str(model), "-o", str(text))
    mlconv.convert(text, "tflite", tmp_path / "a.tflite")
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 1
    model.write_bytes(data)
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(text, "tflite", tmp_path / "b.tflite")
    assert caught.value.code is Code.FileDamaged


def test_data_beside_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that was relative leads on from the folder of the text, wherever that is read from."""
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir(), other.mkdir()
    sums(home)
    monkeypatch.chdir(home)
    call("opt", "sums.onnx", "-o", "sums.mlir")
    monkeypatch.chdir(other)
    mlconv.convert(home / "sums.mlir", "tflite", other / "a.tflite")
    shutil.move(home / "sums.onnx", home / "gone.onnx")
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(home / "sums.mlir", "tflite", other / "b.tflite")
    assert caught.value.code is Code.ExternalDataInvalid


def test_inline_constants_need_no_file(tmp_path: Path) -> None:
    model, text = sums(tmp_path), tmp_path / "sums.mlir"
    call("opt", str(model), "--inline-constants", "-o", str(text))
    mlconv.convert(model, "tflite", tmp_path / "a.tflite")
    model.unlink()
    mlconv.convert(text, "tflite", tmp_path / "b.tflite")
    assert (tmp_path / "a.tflite").read_bytes() == (tmp_path / "b.tflite").read_bytes()


def test_ops_without_places_have_those_of_the_text(tmp_path: Path, models: Path) -> None:
    text = tmp_path / "m.mlir"
    call("opt", models / "digits_cnn.onnx", "--no-locations", "-o", text)
    lines = text.read_text().splitlines()
    for op in mlconv.load(text).walk():
        assert op.location is not None
        (place,) = frames(op.location)
        assert place.file == str(text) and f'"{op.name}"' in lines[place.line - 1][place.column - 1 :]


def body(op: str, attributes: str = "") -> str:
    """A module that says nothing of where it is from, with one op between its input and its output."""
    t = "tensor<4xf32>"
    return f"""\
"builtin.module"() ({{
  "mlconv.func"() ({{
  ^bb(%0: {t}):
    %1 = "{op}"(%0) {{{attributes}}} : ({t}) -> ({t})
    "mlconv.yield"(%1) : ({t}) -> ()
  }}) {{sym_name = "main", input_names = ["x"], output_names = ["y"]}} : () -> ()
}}) : () -> ()
"""


@pytest.mark.parametrize("target", ["tflite", "hlo", "native"])
@pytest.mark.parametrize("op", ["onnx.Neg", "tf.Neg", "hlo.negate", "core.neg"])
def test_ops_say_what_they_are_of(op: str, target: str, tmp_path: Path) -> None:
    """Text of source ops, as people write it, is taken to core first."""
    text = tmp_path / "m.mlir"
    text.write_text(body(op, "opset_version = 13" if op.startswith("onnx") else ""))
    mlconv.convert(text, target, tmp_path / "m.o")
    (report,) = check_models([str(text)], [target])
    (found,) = report.targets
    assert found.ok and [row.status for row in found.rows] == ([] if op == "core.neg" else ["supported"])


def test_objects_are_made_of_kernel_calls(models: Path, tmp_path: Path) -> None:
    """Another op among them is refused, whatever passes the text has been through."""
    stages = tmp_path / "stages"
    convert(str(models / "digits_cnn.onnx"), "native", tmp_path / "m.o", Options(dump_ir=str(stages)))
    text = sorted(stages.glob("*.mlir"))[-1]
    text.write_text(text.read_text().replace('"core.constant"', '"mlconv.other"', 1))
    with pytest.raises(ConversionError, match="no kernel call") as caught:
        mlconv.convert(text, "native", tmp_path / "n.o")
    assert caught.value.code is Code.TargetLacksOp


def test_constants_that_passes_make_are_written_once(tmp_path: Path) -> None:
    """Texts have handles of them, wherever the folder goes."""
    values = np.random.default_rng(0).random((40, 40)).astype(np.float32)
    graph = onnx.parser.parse_graph("g (float[2,40] x) => (float[2,40] y) { s = Sin(w) y = MatMul(x, s) }")
    graph.initializer.append(onnx.numpy_helper.from_array(values, "w"))
    proto = onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)])
    onnx.save(proto, tmp_path / "m.onnx")
    convert(str(tmp_path / "m.onnx"), "tflite", tmp_path / "m.tflite", Options(dump_ir=str(tmp_path / "dump")))
    folder = (tmp_path / "dump").rename(tmp_path / "moved")
    contents = {text: text.read_text(encoding="utf-8") for text in sorted(folder.glob("*.mlir"))}
    kept = [text for text, content in contents.items() if "constants.data" in content]
    assert len(kept) > 5 and not any("mlconv.inline" in content for content in contents.values())
    assert (folder / "constants.data").stat().st_size == values.nbytes
    mlconv.convert(kept[0], "tflite", tmp_path / "n.tflite")
    assert (tmp_path / "n.tflite").read_bytes() == (tmp_path / "m.tflite").read_bytes()
