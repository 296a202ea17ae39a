"""TFLite Metadata from a JSON file: what programs that read models show and do outside of them.

The JSON has the names of metadata_schema.fbs, as tflite-support's MetadataDisplayer prints them: enum values by name, a
union as `FIELD_type` beside `FIELD`.  Files that it names lie beside it; they are packed as a zip archive behind the
flatbuffer, where the readers of tflite-support and MediaPipe look for them.
Source: tflite-support, metadata_schema.fbs and metadata/python/metadata.py (MetadataPopulator).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import flatbuffers

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import did_you_mean
from mlconv.formats.files import read_text
from mlconv.formats.tflite_metadata_table import ENUMS, IDENTIFIER, LEAST, ROOT, SINCE, TABLES, UNIONS
from mlconv.ir.core import Value
from mlconv.ir.module import Function

_DEEPEST = 32
_BOUNDS = {"ubyte": (0, 255), "int": (-(2**31), 2**31 - 1), "uint": (0, 2**32 - 1), "float": (-math.inf, math.inf)}
Json = dict[str, object]


class Packed(NamedTuple):
    """buffer: the flatbuffer.  files: paths by the names that they have in the archive."""

    buffer: bytes
    files: dict[str, str]


def read_metadata(path: str) -> Json:
    """Raises ConversionError InputNotReadable, UsageError."""
    try:
        found = json.loads(read_text(path))
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ConversionError(Code.UsageError, f"{path} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ConversionError(Code.UsageError, f"{path} holds no object, expected a {ROOT}")
    return found


def files_of(path: str, metadata: Json) -> dict[str, str]:
    """The files that metadata name, by the names that they have in the archive.  Raises ConversionError UsageError for
    a name that leads elsewhere, InputNotReadable for one that is not there.
    """
    found: dict[str, str] = {}
    for entry in _associated(metadata):
        name = entry.get("name")
        if not isinstance(name, str) or not name or name in (".", "..") or os.path.basename(name) != name:
            raise ConversionError(
                Code.UsageError, f"{path}: an associated file is called {name!r}, expected the name of a file beside it"
            )
        found[name] = os.path.join(os.path.dirname(path), name)
        if not os.path.isfile(found[name]):
            raise ConversionError(Code.InputNotReadable, f"{path} names the file {name}, which does not lie beside it")
    return dict(sorted(found.items()))


def _associated(value: object, depth: int = 0) -> Iterator[Json]:
    """Entries of all lists of files."""
    if depth > _DEEPEST:
        return
    for key, held in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if key in ("associated_files", "vocab_file", "sentencePiece_model") and isinstance(held, list):
            yield from (entry for entry in held if isinstance(entry, dict))
        else:
            yield from _associated(held, depth + 1)


def pack_metadata(path: str, function: Function) -> Packed:
    """Metadata for the main function of a model.  Raises ConversionError UsageError, InputNotReadable."""
    metadata = read_metadata(path)
    files = files_of(path, metadata)
    tables = _Tables(path)
    complete = _completed(path, metadata, function)
    if "min_parser_version" not in complete:
        tables.table(ROOT, complete, ROOT)
        complete["min_parser_version"] = ".".join(map(str, tables.version))
        tables = _Tables(path)
    root = tables.table(ROOT, complete, ROOT)
    tables.builder.Finish(root, IDENTIFIER)
    return Packed(bytes(tables.builder.Output()), files)


def _completed(path: str, metadata: Json, function: Function) -> Json:
    """With an entry for each input and output, as readers ask for: by its name, with what is left to do outside."""
    graphs = metadata.get("subgraph_metadata", [{}])
    if not isinstance(graphs, list) or not graphs or not isinstance(graphs[0], dict):
        raise ConversionError(Code.UsageError, f"{path}: subgraph_metadata is no list of objects")
    inputs = [({"name": v.name}, v) for v in function.inputs]
    outputs = [({"name": n}, v) for n, v in zip(function.output_names, function.outputs, strict=True)]
    first = dict(graphs[0])
    for key, known in (("input_tensor_metadata", inputs), ("output_tensor_metadata", outputs)):
        given = first.get(key, [{} for _ in known])
        if not isinstance(given, list) or len(given) != len(known) or not all(isinstance(g, dict) for g in given):
            raise ConversionError(
                Code.UsageError, f"{path}: {key} has to have {len(known)} entries, one for each of the model"
            )
        entries = [{**named, **entry} for (named, _), entry in zip(known, given, strict=True)]
        first[key] = entries
        if known is inputs:
            _tell_pixels(function, entries)
    return {**metadata, "subgraph_metadata": [first, *graphs[1:]]}


def _tell_pixels(function: Function, entries: list[Json]) -> None:
    """Inputs that the model normalizes say what is left to do outside, unless they say something."""
    forms = function.facts.forms
    for entry, value in zip(entries, function.inputs, strict=True):
        if forms is not None and value.name in forms.inputs and "process_units" not in entry:
            form = forms.inputs[value.name]
            if form.mean or form.std or form.dtype is not None:
                entry["process_units"] = [_outside(value)]


def _outside(value: Value) -> Json:
    """What a reader does with pixels before it gives them to an input that the model normalizes by itself: nothing.
    Readers quantize what they normalized by the input's scale and zero point, so that these are undone.
    """
    quant = value.tensor.quant
    scale = 1.0 if quant is None else float(quant.scales.view().reshape(-1)[0])
    zero = 0 if quant is None else int(quant.zero_array().reshape(-1)[0])
    return {
        "options_type": "NormalizationOptions",
        "options": {"mean": [float(zero)], "std": [1.0 / scale]},
    }


@dataclass
class _Tables:
    """Builds tables from the inside out.  version: the least schema version that has all that was written."""

    path: str
    builder: flatbuffers.Builder = field(default_factory=lambda: flatbuffers.Builder(1024))
    version: tuple[int, ...] = tuple(map(int, LEAST.split(".")))

    def wrong(self, at: str, what: str, help_: str = "") -> ConversionError:
        return ConversionError(Code.UsageError, f"{self.path}: {at} {what}", help=help_)

    def needs(self, feature: str) -> None:
        self.version = max(self.version, tuple(map(int, SINCE.get(feature, LEAST).split("."))))

    def table(self, name: str, value: object, at: str) -> int:
        """Its offset.  Raises ConversionError UsageError for what the schema does not have."""
        if not isinstance(value, dict):
            raise self.wrong(at, f"is {_short(value)}, expected an object ({name})")
        fields = TABLES[name]
        allowed = [*fields, *(f"{f}_type" for f, kind in fields.items() if kind in UNIONS)]
        for key in value:
            if key not in allowed:
                raise self.wrong(at, f"has no field {key!r}", did_you_mean(str(key), allowed))
        if at.count(".") > _DEEPEST:
            raise self.wrong(at, "nests too deeply")
        written: list[tuple[int, str, object]] = []
        slot = 0
        for key, kind in fields.items():
            if kind in UNIONS:
                member, offset = self.union(kind, key, value, at)
                written += [(slot, "member", member), (slot + 1, "offset", offset)]
            elif key in value:
                self.needs(f"{name}.{key}")
                written.append((slot, *self.value(kind, value[key], f"{at}.{key}")))
            slot += 2 if kind in UNIONS else 1
        self.builder.StartObject(slot)
        for number, kind, held in written:
            _PUT[kind](self.builder, number, held, 0)
        return int(self.builder.EndObject())

    def union(self, kind: str, key: str, value: Json, at: str) -> tuple[int, int]:
        """Number and offset of the member."""
        named = value.get(f"{key}_type")
        if named is None and key not in value:
            return 0, 0
        if not isinstance(named, str) or named not in UNIONS[kind]:
            raise self.wrong(f"{at}.{key}_type", f"is {_short(named)}, expected one of {', '.join(UNIONS[kind])}")
        if named == "NONE":
            return 0, 0
        self.needs(named)
        return UNIONS[kind].index(named), self.table(named, value.get(key, {}), f"{at}.{key}")

    def value(self, kind: str, value: object, at: str) -> tuple[str, object]:
        """How a field is put, and what."""
        if kind.startswith("["):
            return "offset", self.vector(kind[1:-1], value, at)
        if kind == "string":
            if not isinstance(value, str):
                raise self.wrong(at, f"is {_short(value)}, expected a text")
            return "offset", self.builder.CreateString(value.encode("utf-8", "surrogatepass"))
        if kind in ENUMS:
            if not isinstance(value, str) or value not in ENUMS[kind]:
                raise self.wrong(at, f"is {_short(value)}, expected one of {', '.join(ENUMS[kind])}")
            self.needs(value)
            return "enum", ENUMS[kind].index(value)
        if kind in TABLES:
            return "offset", self.table(kind, value, at)
        return kind, self.number(kind, value, at)

    def number(self, kind: str, value: object, at: str) -> int | float:
        low, high = _BOUNDS[kind]
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not fits or (kind != "float" and not isinstance(value, int)) or not low <= value <= high:  # type: ignore[operator]
            raise self.wrong(at, f"is {_short(value)}, expected a number ({kind})")
        assert isinstance(value, (int, float))
        if kind == "float" and not abs(value) <= 3.4e38:
            raise self.wrong(at, f"is {_short(value)}, which no float32 is")
        return value

    def vector(self, kind: str, value: object, at: str) -> int:
        """The offset of a vector."""
        if not isinstance(value, list):
            raise self.wrong(at, f"is {_short(value)}, expected a list")
        items = [self.value(kind, item, f"{at}[{i}]")[1] for i, item in enumerate(value)]
        size = 1 if kind == "ubyte" else 4
        self.builder.StartVector(size, len(items), size)
        prepend = _PREPEND.get(kind, flatbuffers.Builder.PrependUOffsetTRelative)
        for item in reversed(items):
            prepend(self.builder, item)
        return int(self.builder.EndVector())


_PUT: dict[str, Callable[..., None]] = {
    "member": flatbuffers.Builder.PrependUint8Slot,
    "enum": flatbuffers.Builder.PrependInt8Slot,
    "int": flatbuffers.Builder.PrependInt32Slot,
    "uint": flatbuffers.Builder.PrependUint32Slot,
    "float": flatbuffers.Builder.PrependFloat32Slot,
    "offset": flatbuffers.Builder.PrependUOffsetTRelativeSlot,
}
_PREPEND: dict[str, Callable[..., None]] = {
    "ubyte": flatbuffers.Builder.PrependUint8,
    "int": flatbuffers.Builder.PrependInt32,
    "uint": flatbuffers.Builder.PrependUint32,
    "float": flatbuffers.Builder.PrependFloat32,
}


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
