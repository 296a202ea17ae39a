"""What calibration found, in files: the same bytes without samples, and files that are not what they should be."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.quantize.bins import BINS, counts_of, histogram_of
from mlconv.quantize.saved import Findings, is_saved, read_findings
from tests.support.cli import call
from tests.support.modules import random
from tests.support.onnx_models import model, save, value
from tests.support.thinning import thinned

SHAPES = {"digits_cnn": (1, 1, 8, 8), "digits_rnn": (1, 8, 8), "digits_transformer": (1, 8, 8)}
ORDERS = {"digits_cnn": (0, 3, 1, 2), "digits_rnn": (0, 1, 2), "digits_transformer": (0, 1, 2)}


def samples(name: str, models: Path) -> list[np.ndarray]:
    with np.load(models / f"{name}.npz") as found:
        return list(found["image"].transpose(ORDERS[name]))


def quantized(name: str, models: Path, out: Path, calibration: object, scheme: str, **more: str) -> bytes:
    shapes = {"image": SHAPES[name]}
    mlconv.quantize(
        models / f"{name}.onnx", output=out, scheme=scheme, calibration=calibration, shapes=shapes, **more  # type: ignore[arg-type]
    )  # fmt: skip
    return out.read_bytes()


@pytest.mark.share(8)
@pytest.mark.parametrize(
    ("name", "scheme"), thinned(3, SHAPES, ["int8", "int16x8", "int4", "dynamic-range", "int8-io-int8"])
)
def test_same_bytes_without_samples(name: str, scheme: str, models: Path, tmp_path: Path) -> None:
    """Of ranges by channel, those that are found again behind equalization, and sums."""
    given = samples(name, models)
    plain = quantized(name, models, tmp_path / "a.tflite", given, scheme)
    saving = quantized(name, models, tmp_path / "b.tflite", given, scheme, save_calibration=str(tmp_path / "a.cal"))
    assert saving == plain
    again = {"save_calibration": str(tmp_path / "again.cal")}
    assert quantized(name, models, tmp_path / "c.tflite", str(tmp_path / "a.cal"), scheme, **again) == plain
    assert (tmp_path / "again.cal").read_bytes() == (tmp_path / "a.cal").read_bytes()
    quantized(name, models, tmp_path / "d.tflite", given, scheme, save_calibration=str(tmp_path / "b.cal"), jobs="2")
    assert (tmp_path / "a.cal").read_bytes() == (tmp_path / "b.cal").read_bytes()
    found = read_findings(str(tmp_path / "a.cal"))
    assert found.samples == len(given)
    stages = {stage for stage, _ in found.arrays}
    if "int8" in scheme:
        assert {"ranges", "counts-equalized"} <= stages
    sums = {"int4": {"moments-stored"}, "dynamic-range": {"moments-limited"}, "int16x8": {"moments-limited"}}
    assert {stage for stage in stages if stage.startswith("moments")} == sums.get(scheme, set())


@pytest.mark.parametrize(("first", "second"), [("tflite", "onnx"), ("onnx", "tflite")])
def test_other_targets(first: str, second: str, models: Path, tmp_path: Path) -> None:
    """What is saved for images channels last serves targets that have them channels first, and the reverse."""
    given, path = samples("digits_cnn", models), str(tmp_path / "a.cal")
    quantized("digits_cnn", models, tmp_path / f"a.{first}", given, "int8", save_calibration=path)
    found = quantized("digits_cnn", models, tmp_path / f"b.{second}", path, "int8")
    assert found == quantized("digits_cnn", models, tmp_path / f"c.{second}", given, "int8")


def test_values_that_go_around(models: Path, tmp_path: Path) -> None:
    """A scheme that rounds no activations saves those of loops, too."""
    given, path = samples("digits_rnn", models), str(tmp_path / "a.cal")
    quantized("digits_rnn", models, tmp_path / "m.tflite", given, "int8-weights", save_calibration=path)
    found = quantized("digits_rnn", models, tmp_path / "m.tflite", path, "int8")
    assert len(found) == len(quantized("digits_rnn", models, tmp_path / "n.tflite", given, "int8"))


@pytest.mark.share(6)
@pytest.mark.parametrize("saved", ["int8", "int4", "no equalization"])
def test_other_schemes(saved: str, models: Path, tmp_path: Path) -> None:
    """Ranges serve all that round by them, equalized or not; weights are rounded by what is there.  Where nothing was
    scored, ranges are those of all numbers.
    """
    given, path = samples("digits_transformer", models), str(tmp_path / "a.cal")
    (tmp_path / "no.toml").write_text('scheme = "int8"\nequalize = false\n', encoding="utf-8")
    plain = str(tmp_path / "no.toml")
    scheme = plain if saved == "no equalization" else saved
    quantized("digits_transformer", models, tmp_path / "m.tflite", given, scheme, save_calibration=path)
    for other in ("int8", "int8-io-int8", "int8-io-uint8", plain):
        whole = {} if other == scheme else {"activation_ranges": "min-max"}
        found = quantized("digits_transformer", models, tmp_path / "m.tflite", path, other, **whole)
        wanted = quantized("digits_transformer", models, tmp_path / "m.tflite", given, other, **whole)
        if saved == "int4":
            assert quantized("digits_transformer", models, tmp_path / "m.tflite", path, other) == found
        assert len(found) == len(wanted)
        assert np.mean(np.frombuffer(found, np.uint8) != np.frombuffer(wanted, np.uint8)) < 0.01, other
    for other in ("int4", "int16x8", "dynamic-range", "int8-weights"):
        result = mlconv.quantize(
            models / "digits_transformer.onnx",
            output=tmp_path / "m.tflite",
            scheme=other,
            calibration=path,
            shapes={"image": SHAPES["digits_transformer"]},
        )
        codes = [d.code for d in result.diagnostics]
        has_sums = saved == "int4" and other in ("int4", "int8-weights")
        assert (Code.CalibrationPartial in codes) != has_sums, other


def test_what_was_counted(models: Path, tmp_path: Path) -> None:
    given = samples("digits_cnn", models)
    quantized("digits_cnn", models, tmp_path / "m.tflite", given, "int8", save_calibration=str(tmp_path / "a.cal"))
    found = read_findings(str(tmp_path / "a.cal"))
    first, *_ = (counts for (stage, _), (counts, *_) in found.arrays.items() if stage == "counts-equalized")
    np.testing.assert_array_equal(first, sum(counts_of(x) for x in given))
    assert first.sum() == sum(x.size for x in given)


def test_bins() -> None:
    """Counts are joined exactly, and bins are 1/32 of an octave wide."""
    x = random(1000) * np.exp(random(1000, seed=1) * 3)
    x = np.concatenate([x, np.zeros(7, np.float32), -np.zeros(3, np.float32), [1.0, -2.0, 3e38]]).astype(np.float32)
    counts = counts_of(x)
    assert counts.shape == (BINS,) and counts.sum() == x.size
    np.testing.assert_array_equal(counts, counts_of(x[:400]) + counts_of(x[400:]))
    values, numbers = histogram_of(counts)
    assert (np.diff(values) >= 0).all() and numbers[values == 0].sum() == 10
    repeated = np.repeat(values, numbers)
    np.testing.assert_allclose(repeated, np.sort(x), rtol=1 / 32)
    one = histogram_of(counts_of(np.float32([1.0])))
    assert 1.0 < one.values[0] < 1 + 1 / 32


def test_another_model(models: Path, tmp_path: Path) -> None:
    given = samples("digits_rnn", models)
    quantized("digits_rnn", models, tmp_path / "m.tflite", given, "int8", save_calibration=str(tmp_path / "a.cal"))
    with pytest.raises(ConversionError) as error:
        quantized("digits_transformer", models, tmp_path / "n.tflite", str(tmp_path / "a.cal"), "int8")
    assert error.value.code is Code.CalibrationUnfit and "are needed now" in str(error.value)


def narrow(found: Findings) -> None:
    key = next(k for k, arrays in found.arrays.items() if arrays[0].ndim == 1 and k[0] == "ranges")
    found.arrays[key] = [a[:-1] for a in found.arrays[key]]


def swap(found: Findings) -> None:
    for key in found.arrays:
        found.arrays[key].reverse()


def drop(found: Findings) -> None:
    for key in found.arrays:
        found.arrays[key].pop()


@pytest.mark.parametrize(("change", "text"), [(narrow, "have shape"), (swap, "is larger"), (drop, "1 arrays")])
def test_numbers_that_do_not_fit(change: Callable[[Findings], None], text: str, models: Path, tmp_path: Path) -> None:
    path, given = tmp_path / "a.cal", samples("digits_cnn", models)
    quantized("digits_cnn", models, tmp_path / "m.tflite", given, "int8", save_calibration=str(path))
    found = read_findings(str(path))
    change(found)
    found.write(str(path), None)
    with pytest.raises(ConversionError) as error:
        quantized("digits_cnn", models, tmp_path / "m.tflite", str(path), "int8")
    assert error.value.code is Code.CalibrationUnfit and text in str(error.value)


def damaged(path: Path, table: dict[str, object], data: bytes = b"") -> str:
    head = json.dumps(table).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)
    return str(path)


ABOUT = {"format": "mlconv calibration", "version": "2", "samples": "3"}
F32 = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
GOOD = struct.pack("<2f", 1, 2)
DAMAGED = [
    ({"__metadata__": {**ABOUT, "version": "1"}}, b"", Code.VersionUnsupported),
    ({"__metadata__": {**ABOUT, "samples": "-1"}}, b"", Code.FileDamaged),
    ({"__metadata__": {**ABOUT, "samples": "0"}}, b"", Code.FileDamaged),
    ({"__metadata__": ABOUT, "ranges/1/x": F32}, GOOD, Code.FileDamaged),
    ({"__metadata__": ABOUT, "ranges": F32}, GOOD, Code.FileDamaged),
    ({"__metadata__": ABOUT, "ranges/0/x": {**F32, "shape": [3]}}, GOOD, Code.FileDamaged),
    ({"__metadata__": ABOUT, "ranges/0/x": {**F32, "dtype": "U8"}}, GOOD, Code.FileDamaged),
    ({"__metadata__": ABOUT, "ranges/0/x": {**F32, "shape": [-2]}}, GOOD, Code.FileDamaged),
    ({"__metadata__": ABOUT, "ranges/0/x": F32}, GOOD[:4], Code.ConstantInvalid),
    ({"__metadata__": ABOUT, "moments/0/x": F32}, struct.pack("<2f", 1, np.nan), Code.FileDamaged),
    ({"__metadata__": ABOUT, "losses/0/x": F32}, struct.pack("<2f", 1, np.inf), Code.FileDamaged),
]


@pytest.mark.parametrize(("table", "data", "code"), DAMAGED)
def test_damaged_files(table: dict[str, object], data: bytes, code: Code, tmp_path: Path) -> None:
    path = damaged(tmp_path / "a.cal", table, data)
    assert is_saved(path)
    with pytest.raises(ConversionError) as error:
        read_findings(path)
    assert error.value.code is code


def test_what_is_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff" * 100)
    (tmp_path / "b").write_bytes(b"")
    damaged(tmp_path / "c", {"x": F32}, GOOD)
    np.savez(tmp_path / "d.npz", x=np.ones(3))
    assert not any(is_saved(str(path)) for path in (*tmp_path.iterdir(), tmp_path))


def test_random_samples_are_asked_for(models: Path, tmp_path: Path) -> None:
    """And it is told that they are random; another seed gives others."""
    written = {}
    for text in ("random", "random:16", "random:16:0", "random:16:1", "random:3"):
        ran = call(
            "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--quantize", "int8",
            "--calibration", text, "--shape", "image=1,1,8,8",
        )  # fmt: skip
        assert ran.exit_code == 0 and f"note[{Code.CalibrationRandom.id}]" in ran.stderr
        assert f"calibrated with {3 if '3' in text else 16} samples" in ran.stdout
        written[text] = (tmp_path / "m.tflite").read_bytes()
    assert written["random"] == written["random:16"] == written["random:16:0"] != written["random:16:1"]


@pytest.mark.parametrize("text", ["random:0", "random:-1", "random:x", "random:1:2:3", "random:"])
def test_what_is_no_number_of_random_samples(text: str, models: Path) -> None:
    ran = call("convert", models / "digits_cnn.onnx", "--to", "tflite", "--quantize", "int8", "--calibration", text)
    assert ran.exit_code == 2 and "random:N:SEED" in ran.output


def test_the_file_is_no_other(models: Path, tmp_path: Path) -> None:
    """It is not written over what is read, nor where nothing can be."""
    np.savez(tmp_path / "a.npz", image=np.stack(samples("digits_cnn", models)))
    for path in (tmp_path / "a.npz", tmp_path / "no" / "a.cal"):
        ran = call(
            "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--quantize", "int8",
            "--calibration", tmp_path / "a.npz", "--save-calibration", path,
        )  # fmt: skip
        assert ran.exit_code == 1 and Code.OutputNotWritable.id in ran.output


@pytest.mark.parametrize("scheme", ["int8", "int4", "dynamic-range"])
def test_masks_with_infinities(scheme: str, tmp_path: Path) -> None:
    """Attention whose mask is -inf, as torch writes it: its range is saved like others, and no scale needs it."""
    rng = np.random.default_rng(0)
    mask = np.triu(np.full((8, 8), -np.inf, np.float32), 1)
    nodes = [
        helper.make_node("MatMul", ["x", "wq"], ["q"]),
        helper.make_node("MatMul", ["x", "wk"], ["k"]),
        helper.make_node("Transpose", ["k"], ["t"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["q", "t"], ["s"]),
        helper.make_node("Add", ["s", "mask"], ["m"]),
        helper.make_node("Softmax", ["m"], ["p"], axis=-1),
        helper.make_node("MatMul", ["p", "x"], ["y"]),
    ]
    weights = {n: (rng.standard_normal((16, 16)) / 4).astype(np.float32) for n in ("wq", "wk")}
    path = save(tmp_path, model(nodes, [value("x", [1, 8, 16])], [value("y")], {**weights, "mask": mask}))
    given = [{"x": x} for x in rng.standard_normal((8, 1, 8, 16)).astype(np.float32)]
    saved, first, second = (tmp_path / n for n in ("a.cal", "a.tflite", "b.tflite"))
    mlconv.quantize(path, output=first, scheme=scheme, calibration=given, save_calibration=str(saved))
    mlconv.quantize(path, output=second, scheme=scheme, calibration=str(saved))
    assert first.read_bytes() == second.read_bytes()
