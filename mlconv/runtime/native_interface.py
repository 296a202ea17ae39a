"""The model interface of a native object, read from its `.io.json`: every field is checked before anything acts on it.

docs/native-abi.md says what the fields mean.  Code that is called by a wrong model interface writes behind its buffers:
what cannot have been written with an object is refused, and the checksum finds what is possible and yet changed.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.dim_parser import parse_dim
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Condition
from mlconv.ir.limits import MAX_RANK
from mlconv.runtime.native_abi import ABI_VERSION, checksum

OLDEST_VERSION = 1
_FIELDS = frozenset(
    {
        "version",
        "target",
        "entry",
        "triple",
        "cpu",
        "alignment",
        "errors",
        "dimensions",
        "inputs",
        "outputs",
        "weights",
        "symbols",
        "code",
    }
)
_ENTRY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*_run")
_MAX_ALIGNMENT, _MAX_STAMPS, _MAX_SIZE = 1 << 16, 1 << 24, 1 << 40
_LEAST_OBJECT = 64  # bytes: no header of an object file is smaller


class Port(NamedTuple):
    """An input or an output."""

    name: str
    dtype: DType
    shape: tuple[Size, ...]
    sizes: int = -1


class Weights(NamedTuple):
    """A file of weights beside the object."""

    file: str
    nbytes: int


class Foreign(NamedTuple):
    """A function of another library, with names of libraries that have it."""

    function: str
    libraries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NativeInterface:
    """What a caller must know of an object.  facts: the whole model interface as it was written.  code_bytes,
    code_crc32: of the object before its weights.
    """

    facts: dict[str, Any]
    entry: str
    triple: str
    cpu: str
    alignment: int
    errors: dict[str, int]
    dimensions: list[str]
    ranges: dict[str, list[int | None]]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    weights: Weights | None
    symbols: list[str]
    code_bytes: int
    code_crc32: int
    stamps: int
    foreign: tuple[Foreign, ...] = ()
    conditions: tuple[Condition, ...] = ()

    @property
    def rounds(self) -> bool:
        """The object computes with few bits."""
        return bool(self.facts.get("rounds", False))

    def check_whole(self, where: str) -> None:
        """Raises ConversionError FileDamaged for a model interface that was changed after it was written."""
        if self.facts.get("checksum") != checksum(self.facts):
            raise ConversionError(
                Code.FileDamaged, f"{where} is damaged: it is not as it was written", help="convert the model again"
            )


def parse_interface(facts: object, where: str) -> NativeInterface:
    """A model interface from its JSON.  where: its file.  Raises ConversionError: VerificationImpossible for a model
    interface of something else, FileDamaged for a damaged one.
    """
    if (
        not isinstance(facts, dict)
        or not (facts.keys() >= _FIELDS and facts["target"] == "native")
        or not _is_int(facts["version"], OLDEST_VERSION, ABI_VERSION)
    ):
        raise ConversionError(
            Code.VerificationImpossible, f"{where} is no model interface of a native object of version {ABI_VERSION}"
        )
    fields = _Fields(facts, where)
    dimensions = fields.take("dimensions", lambda v: _texts(v) and len(set(v)) == len(v), "different names")
    code = fields.take(
        "code",
        lambda v: isinstance(v, dict) and _is_int(v.get("bytes"), _LEAST_OBJECT) and _is_int(v.get("crc32")),
        "bytes and a checksum",
    )
    inputs, outputs = (fields.ports(side, frozenset(dimensions)) for side in ("inputs", "outputs"))
    if len({p.name for p in inputs}) != len(inputs):
        raise fields.damaged("inputs", "different names")
    fields.take("workspace_bytes", lambda v: v is None if dimensions else _is_int(v), "a number of bytes")
    fields.take("state", lambda v: isinstance(v, list) and all(isinstance(s, dict) for s in v), "a list of variables")
    return NativeInterface(
        facts,
        fields.take(
            "entry", lambda v: isinstance(v, str) and _ENTRY.fullmatch(v) is not None, "the name of a function"
        ),
        fields.take("triple", lambda v: isinstance(v, str) and v.isascii(), "a machine"),
        fields.take("cpu", lambda v: isinstance(v, str), "an instruction set"),
        fields.take("alignment", lambda v: _is_int(v, 1, _MAX_ALIGNMENT) and v & (v - 1) == 0, "a power of two"),
        fields.take("errors", lambda v: isinstance(v, dict) and all(map(_is_int, v.values())), "numbers of errors"),
        dimensions,
        fields.take(
            "ranges",
            lambda v: isinstance(v, dict) and all(map(_is_range, v.values())),
            "a smallest and a largest value by dimension",
        ),
        inputs,
        outputs,
        fields.weights(),
        fields.take(
            "symbols", lambda v: _texts(v) and all(s.isascii() and "\0" not in s for s in v), "names of symbols"
        ),
        code["bytes"],
        code["crc32"],
        fields.take("stamps", lambda v: _is_int(v, 0, _MAX_STAMPS), "a number of times", 0),
        fields.foreign(),
        fields.conditions(frozenset(dimensions)),
    )


class _Fields:
    """The fields of one model interface, each taken with a check."""

    def __init__(self, facts: dict[str, Any], where: str) -> None:
        self.facts, self.where = facts, where

    def damaged(self, name: str, expected: str) -> ConversionError:
        shown = repr(self.facts.get(name))[:60] if name in self.facts else "missing"
        return ConversionError(
            Code.FileDamaged,
            f"{self.where} is damaged: {name} is {shown}, expected {expected}",
            help="convert the model again",
        )

    def take(self, name: str, is_good: Callable[[object], bool], expected: str, default: object = None) -> Any:
        value = self.facts.get(name, default)
        if not is_good(value):
            raise self.damaged(name, expected)
        return value

    def ports(self, side: str, dimensions: frozenset[str]) -> tuple[Port, ...]:
        """Inputs or outputs, whose sizes agree with their shapes."""
        entries = self.take(
            side,
            lambda v: isinstance(v, list) and all(isinstance(e, dict) for e in v),
            "a list with name, dtype and shape of each",
        )
        found = []
        for entry in entries:
            port = _port(entry, dimensions)
            if port is None:
                raise self.damaged(side, "name, dtype, shape and bytes that agree, of each")
            found.append(port)
        for port in found:
            if port.sizes >= 0 and not _holds_shape(port, found):
                raise self.damaged(side, "the place of a vector with its shape, of each whose sizes data decide")
        return tuple(found)

    def weights(self) -> Weights | None:
        """The file beside the object; null where the object holds its weights."""
        value = self.take(
            "weights",
            lambda v: v is None or (isinstance(v, dict) and _is_file(v.get("file")) and _is_int(v.get("bytes"), 1)),
            "file and bytes",
        )
        return None if value is None else Weights(value["file"], value["bytes"])

    def foreign(self) -> tuple[Foreign, ...]:
        """Functions of other libraries; there may be none."""
        entries = self.take(
            "foreign",
            lambda v: isinstance(v, list) and all(isinstance(e, dict) and _is_foreign(e) for e in v),
            "function and libraries of each",
            [],
        )
        return tuple(Foreign(e["function"], tuple(e["libraries"])) for e in entries)

    def conditions(self, dimensions: frozenset[str]) -> tuple[Condition, ...]:
        """What dimensions must fulfil besides their ranges; older objects do not say it."""
        entries = self.take("conditions", lambda v: isinstance(v, list), "a list", [])
        found = [condition_in(entry, dimensions) for entry in entries]
        if None in found:
            raise self.damaged("conditions", "kind, a, b and asked_by of each, of the dimensions")
        return tuple(c for c in found if c is not None)


def condition_in(entry: object, dimensions: frozenset[str]) -> Condition | None:
    """What `Condition.as_json` gave; None for what is none."""
    if not isinstance(entry, dict) or not isinstance(entry.get("asked_by"), str):
        return None
    sides, kind = [size_in(entry.get(side), dimensions) for side in ("a", "b")], entry.get("kind")
    if sides[0] is None or sides[1] is None or kind not in ("equal", "least", "spread"):
        return None
    return Condition(kind, sides[0], sides[1], entry["asked_by"])


def _is_foreign(entry: Mapping[str, object]) -> bool:
    name, libraries = entry.get("function"), entry.get("libraries")
    return isinstance(name, str) and name.isidentifier() and _texts(libraries) and not any("\0" in n for n in libraries)


def _holds_shape(port: Port, ports: Sequence[Port]) -> bool:
    """Its sizes are in another one, an int64 for each axis."""
    other = ports[port.sizes] if port.sizes < len(ports) else None
    return other is not None and other.dtype is DType.I64 and other.shape == (len(port.shape),)


def _port(entry: Mapping[str, object], dimensions: frozenset[str]) -> Port | None:
    """None for an entry that contradicts itself."""
    name, kind, sizes = entry.get("name"), entry.get("dtype"), entry.get("most", entry.get("shape"))
    dtype = next((d for d in DType if d.display == kind), None)
    if (
        not isinstance(name, str)
        or dtype is None
        or not dtype.itemsize
        or not isinstance(sizes, list)
        or len(sizes) > MAX_RANK
    ):
        return None
    shape = tuple(d for s in sizes if (d := size_in(s, dimensions)) is not None)
    if len(shape) != len(sizes) or not all(isinstance(d, Dim) or _is_int(d, 0, _MAX_SIZE) for d in shape):
        return None
    is_static = not any(isinstance(d, Dim) for d in shape)
    nbytes = math.prod(d for d in shape if isinstance(d, int)) * dtype.itemsize if is_static else None
    place = entry.get("sizes", -1)
    if entry.get("bytes") != nbytes or isinstance(entry.get("bytes"), bool) or not _is_int(place, -1, _MAX_SIZE):
        return None
    return Port(name, dtype, shape, place if isinstance(place, int) else -1)


def size_in(given: object, dimensions: frozenset[str]) -> Size | None:
    """A number, or an expression of dimensions; None for what is neither."""
    if not isinstance(given, str):
        return given if _is_int(given, -_MAX_SIZE) else None
    try:
        size = parse_dim(given)
    except (ValueError, RecursionError, ConversionError):
        return None
    return size if isinstance(size, int) or size.symbols() <= dimensions else None


def _is_int(value: object, least: int = 0, most: int = 1 << 62) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_range(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(v is None or _is_int(v) for v in value)


def _is_file(value: object) -> bool:
    """A name in the object's folder."""
    return (
        isinstance(value, str)
        and value not in ("", os.curdir, os.pardir)
        and os.path.basename(value) == value
        and "\0" not in value
    )
