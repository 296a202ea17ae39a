"""TFLite Metadata: the flatbuffer read back by offsets, the packed files as a zip archive, and what is refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import number_types as types
from flatbuffers.table import Table

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.inspection import inspect_model
from mlconv.driver.options import Options
from mlconv.formats.tflite_metadata_table import ENUMS, TABLES, UNIONS
from mlconv.importers.tflite.sections import tflite_sections
from mlconv.runtime.litert import run_tflite
from tests.support.cli import call
from tests.support.npz import npz

SCALARS = {"ubyte": types.Uint8Flags, "int": types.Int32Flags, "uint": types.Uint32Flags, "float": types.Float32Flags}
META: dict[str, Any] = {
    "name": "digits",
    "description": "grey digits",
    "version": "v1",
    "subgraph_metadata": [
        {
            "input_tensor_metadata": [
                {
                    "name": "image",
                    "dimension_names": ["batch", "row", "column", "grey"],
                    "content": {
                        "content_properties_type": "ImageProperties",
                        "content_properties": {"color_space": "GRAYSCALE", "default_size": {"width": 8, "height": 9}},
                    },
                    "process_units": [
                        {"options_type": "NormalizationOptions", "options": {"mean": [0.5, 1.25], "std": [2.0]}}
                    ],
                    "stats": {"max": [16.0], "min": [-1.0]},
                }
            ],
            "output_tensor_metadata": [
                {
                    "name": "scores",
                    "content": {
                        "content_properties_type": "BoundingBoxProperties",
                        "content_properties": {"index": [1, 0, 3, 2], "type": "CENTER", "coordinate_type": "PIXEL"},
                        "range": {"min": 1, "max": 2},
                    },
                    "associated_files": [
                        {"name": "labels.txt", "description": "digits", "type": "TENSOR_AXIS_LABELS", "locale": "en"}
                    ],
                }
            ],
            "custom_metadata": [{"name": "extra", "data": [7, 0, 255]}, {"name": "none", "data": []}],
        }
    ],
    "author": "an author",
    "license": "Apache-2.0",
    "associated_files": [{"name": "read.me", "type": "DESCRIPTIONS"}],
}


def decoded(table: Table, name: str) -> dict[str, Any]:
    """A table as JSON, fields at their defaults left out."""
    found: dict[str, Any] = {}
    slot = 0
    for key, kind in TABLES[name].items():
        offset = table.Offset(4 + 2 * slot)
        if kind in UNIONS:
            if offset:
                member = UNIONS[kind][table.Get(types.Uint8Flags, table.Pos + offset)]
                found[f"{key}_type"] = member
                at = table.Indirect(table.Pos + table.Offset(6 + 2 * slot))
                found[key] = decoded(Table(table.Bytes, at), member)
            slot += 2
            continue
        slot += 1
        if not offset:
            continue
        at = table.Pos + offset
        found[key] = vector(table, at, kind[1:-1]) if kind.startswith("[") else scalar(table, at, kind)
    return found


def scalar(table: Table, at: int, kind: str) -> Any:
    if kind == "string":
        return table.String(at).decode()
    if kind in ENUMS:
        return ENUMS[kind][table.Get(types.Int8Flags, at)]
    if kind in TABLES:
        return decoded(Table(table.Bytes, table.Indirect(at)), kind)
    return table.Get(SCALARS[kind], at)


def vector(table: Table, at: int, kind: str) -> list[Any]:
    target = at + table.Get(types.UOffsetTFlags, at)
    count = table.Get(types.UOffsetTFlags, target)
    step = 1 if kind == "ubyte" else 4
    return [scalar(table, target + 4 + step * i, kind) for i in range(count)]


def metadata_of(path: Path) -> dict[str, Any]:
    model = schema.Model.GetRootAs(path.read_bytes(), 0)
    entries = {model.Metadata(i).Name(): model.Metadata(i).Buffer() for i in range(model.MetadataLength())}
    buffer = model.Buffers(entries[b"TFLITE_METADATA"]).DataAsNumpy().tobytes()
    assert buffer[4:8] == b"M001"
    root = flatbuffers.encode.Get(flatbuffers.packer.uoffset, buffer, 0)
    return decoded(Table(bytearray(buffer), root), "ModelMetadata")


def written(folder: Path, metadata: object, **files: str) -> Path:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    path = folder / "meta.json"
    path.write_text(metadata if isinstance(metadata, str) else json.dumps(metadata))
    return path


FILES = {"labels_txt": "zero\none\n", "read_me": "digits of 8 x 8\n"}


def test_all_comes_back(models: Path, tmp_path: Path) -> None:
    output = tmp_path / "m.tflite"
    path = written(tmp_path, META, **FILES)
    result = mlconv.convert(models / "digits_cnn.onnx", "tflite", output, metadata=str(path), verify=True)
    assert metadata_of(output) == {**META, "min_parser_version": "1.5.0"}
    told = inspect_model(str(output), Options())
    assert told["metadata"]["TFLITE_METADATA"] == {**META, "min_parser_version": "1.5.0"}
    assert [e["inputs"] for e in told["entries"]] == [["image"]]
    sections = tflite_sections(str(output))
    assert sum(sections.values()) == output.stat().st_size and sections["packed files"] > len("".join(FILES.values()))
    assert result.size_bytes == output.stat().st_size
    with zipfile.ZipFile(output) as archive:
        assert archive.namelist() == ["labels.txt", "read.me"]
        assert archive.read("labels.txt").decode() == FILES["labels_txt"]
    again = tmp_path / "n.tflite"
    mlconv.convert(models / "digits_cnn.onnx", "tflite", again, metadata=str(path))
    assert again.read_bytes() == output.read_bytes()


def test_inputs_and_outputs_are_named_by_themselves(models: Path, tmp_path: Path) -> None:
    output = tmp_path / "m.tflite"
    mlconv.convert(models / "digits_rnn.pb", "tflite", output, metadata=str(written(tmp_path, {"name": "digits"})))
    (graph,) = metadata_of(output)["subgraph_metadata"]
    assert [t["name"] for t in graph["input_tensor_metadata"]] == ["image:0"]
    assert len(graph["output_tensor_metadata"]) == 1


@pytest.mark.parametrize(("scheme", "mean"), [("", 0.0), ("int8", 0.0), ("int8", 3.0)])
def test_what_is_normalized_inside_is_not_outside(scheme: str, mean: float, models: Path, tmp_path: Path) -> None:
    """A reader that normalizes and quantizes pixels as metadata say gives the model these pixels."""
    golden = npz(models / "digits_cnn.npz")
    pixels = np.rint(golden["image"] * 16).astype(np.uint8)
    output, path = tmp_path / "m.tflite", written(tmp_path, {"name": "digits"})
    more: dict[str, Any] = {"quantize": scheme, "calibration": [pixels]} if scheme else {}
    mlconv.convert(
        models / "digits_cnn.onnx", "tflite", output, layouts={"image": "nhwc"}, stds={"image": 16},
        means={"image": mean}, input_types={"image": "uint8"}, metadata=str(path), shapes={"image": (10, 1, 8, 8)},
        **more,
    )  # fmt: skip
    (unit,) = metadata_of(output)["subgraph_metadata"][0]["input_tensor_metadata"][0]["process_units"]
    assert unit["options_type"] == "NormalizationOptions"
    options = unit["options"]
    model = schema.Model.GetRootAs(output.read_bytes(), 0)
    quant = model.Subgraphs(0).Tensors(model.Subgraphs(0).Inputs(0)).Quantization()
    given = (pixels - np.float64(options["mean"])) / options["std"]
    if scheme:
        given = given / quant.Scale(0) + quant.ZeroPoint(0)
    np.testing.assert_array_equal(np.rint(given), pixels)
    (got,) = run_tflite(str(output), {"image": np.rint(given).astype(np.uint8)}, "serving_default").values()
    if not mean and not scheme:
        np.testing.assert_array_equal(got.argmax(-1), golden["scores"].argmax(-1))


def test_versions(models: Path, tmp_path: Path) -> None:
    """The least version that has all fields is written, unless the file says one."""
    output = tmp_path / "m.tflite"
    audio = {"content": {"content_properties_type": "AudioProperties", "content_properties": {"sample_rate": 16000}}}
    for metadata, version in (
        ({"subgraph_metadata": [{"input_tensor_metadata": [audio]}]}, "1.3.0"),
        ({"associated_files": [{"name": "read.me", "type": "VOCABULARY"}]}, "1.0.1"),
        ({"min_parser_version": "9.9.9"}, "9.9.9"),
    ):
        path = written(tmp_path, metadata, **FILES)
        mlconv.convert(models / "digits_rnn.pb", "tflite", output, metadata=str(path))
        assert metadata_of(output)["min_parser_version"] == version


WRONG: list[tuple[object, Code, str]] = [
    ("{", Code.UsageError, "is no JSON"),
    ([1], Code.UsageError, "holds no object"),
    ({"nam": "x"}, Code.UsageError, "did you mean 'name'?"),
    ({"name": 3}, Code.UsageError, "expected a text"),
    ({"subgraph_metadata": []}, Code.UsageError, "no list of objects"),
    ({"subgraph_metadata": [{"input_tensor_metadata": [{}, {}]}]}, Code.UsageError, "1 entries"),
    ({"associated_files": [{"name": "read.me", "type": "LABELS"}]}, Code.UsageError, "expected one of UNKNOWN"),
    ({"associated_files": [{"name": "../read.me"}]}, Code.UsageError, "the name of a file beside it"),
    ({"associated_files": [{"name": "nothing.txt"}]}, Code.InputNotReadable, "nothing.txt"),
    (
        {"subgraph_metadata": [{"input_tensor_metadata": [{"stats": {"max": ["a"]}}]}]},
        Code.UsageError,
        "stats.max[0] is",
    ),
    (
        {"subgraph_metadata": [{"input_tensor_metadata": [{"stats": {"max": [1e39]}}]}]},
        Code.UsageError,
        "which no float32 is",
    ),
    (
        {"subgraph_metadata": [{"input_tensor_metadata": [{"content": {"range": {"min": 2**31}}}]}]},
        Code.UsageError,
        "expected a number (int)",
    ),
    (
        {"subgraph_metadata": [{"input_tensor_metadata": [{"process_units": [{"options": {}}]}]}]},
        Code.UsageError,
        "expected one of NONE, NormalizationOptions",
    ),
]


@pytest.mark.parametrize(("metadata", "code", "text"), WRONG)
def test_what_the_schema_does_not_have(metadata: object, code: Code, text: str, models: Path, tmp_path: Path) -> None:
    path = written(tmp_path, metadata, **FILES)
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(models / "digits_rnn.pb", "tflite", tmp_path / "m.tflite", metadata=str(path))
    assert caught.value.code is code and text in f"{caught.value} {caught.value.diagnostic.help}"
    assert not (tmp_path / "m.tflite").exists()


def test_command_line(models: Path, tmp_path: Path) -> None:
    path = written(tmp_path, META, **FILES)
    output = tmp_path / "m.tflite"
    assert (
        call("convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", output, "--metadata", path).exit_code == 0
    )
    assert metadata_of(output)["author"] == "an author"
    missing = call("convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", output, "--metadata", "nothing.json")
    assert missing.exit_code == 1
