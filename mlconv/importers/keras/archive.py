"""Opening Keras files: the configuration of the model, and where its weights are.

`.keras` is a zip archive with `config.json`, `metadata.json` and `model.weights.h5`, none of them compressed.  `.h5` of
a whole model is an HDF5 file with the configuration as an attribute.  Source: keras/src/saving/saving_lib.py,
keras/src/legacy/saving/legacy_h5_format.py.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from dataclasses import dataclass

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.files import open_regular
from mlconv.importers.keras.fields import LeftToKerasError
from mlconv.importers.keras.weights import H5Weights, NamedGroups, StoredWeights, Weights
from mlconv.ir.constants import SourceFile

MAX_CONFIG_BYTES = 1 << 28
_CONFIG, _METADATA, _WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # APPNOTE.TXT 4.3.7: signature, lengths of name and extra field
_LOCAL_MARK = b"PK\x03\x04"
# what reading a damaged archive ends with
_UNREADABLE = (zipfile.BadZipFile, zipfile.LargeZipFile, OSError, EOFError, ValueError, RuntimeError, zlib.error)


@dataclass(frozen=True)
class KerasFile:
    """config: of the model, as Keras serializes objects.  weights: of the model.  producer: who wrote the file."""

    config: dict[str, object]
    weights: Weights
    producer: str


def open_keras(path: str) -> KerasFile:
    """Raises ConversionError FileDamaged; LeftToKerasError for a file of another form than Keras writes."""
    with open_regular(path) as f:
        is_zip = f.read(4) == _LOCAL_MARK
    return _open_archive(path) if is_zip else _open_h5(path)


def _open_archive(path: str) -> KerasFile:
    file = SourceFile(path)
    try:
        with open_regular(path) as f, zipfile.ZipFile(f) as archive:
            found = {info.filename: info for info in archive.infolist()}
            if len(found) != len(archive.infolist()) or not {_CONFIG, _METADATA, _WEIGHTS} >= set(found):
                raise LeftToKerasError("the archive holds other files than a model's configuration and weights")
            if not {_CONFIG, _WEIGHTS} <= set(found):
                raise LeftToKerasError("the archive lacks the model's configuration or its weights")
            config = _json(path, _text(archive, found[_CONFIG]))
            metadata = _json(path, _text(archive, found[_METADATA])) if _METADATA in found else {}
    except _UNREADABLE as e:
        raise ConversionError(Code.FileDamaged, f"{path} is no zip archive that can be read: {e}") from e
    weights = H5Weights(file, *_place(file, found[_WEIGHTS]))
    return KerasFile(config, StoredWeights(weights), f"Keras {metadata.get('keras_version', '')}".strip())


def _text(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.file_size > MAX_CONFIG_BYTES:
        raise ConversionError(
            Code.FileDamaged,
            f"{info.filename} says that it has {info.file_size} bytes, at most {MAX_CONFIG_BYTES} are read",
        )
    return archive.read(info)


def _place(file: SourceFile, info: zipfile.ZipInfo) -> tuple[int, int]:
    """Where the bytes of a file of the archive begin, and how many they are."""
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
        raise LeftToKerasError("the weights are compressed")
    data = file.map()
    start, size = info.header_offset, info.file_size
    if not 0 <= start <= len(data) - _LOCAL_HEADER.size:
        raise ConversionError(Code.FileDamaged, f"{info.filename} of {file.path} lies outside of the file")
    mark, name, extra = _LOCAL_HEADER.unpack_from(data, start)
    begin = start + _LOCAL_HEADER.size + name + extra
    if mark != _LOCAL_MARK or size != info.compress_size or begin + size > len(data):
        raise ConversionError(Code.FileDamaged, f"{info.filename} of {file.path} lies outside of the file")
    return begin, size


def _json(path: str, text: bytes | str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise ConversionError(Code.FileDamaged, f"the configuration in {path} is no JSON: {e}") from e
    if not isinstance(found, dict):
        raise ConversionError(Code.FileDamaged, f"the configuration in {path} is no JSON object")
    return found


def _open_h5(path: str) -> KerasFile:
    file = SourceFile(path)
    weights = H5Weights(file, 0, len(file.map()))
    text, group = weights.groups.get("", {}).get("model_config"), "model_weights"
    if not isinstance(text, str) or group not in weights.groups:
        raise LeftToKerasError("the file holds no whole model")
    version = weights.groups[""].get("keras_version", "")
    return KerasFile(_json(path, text), NamedGroups(weights, group), f"Keras {version}".strip())
