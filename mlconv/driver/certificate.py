"""Where an artifact came from: an in-toto statement whose predicate is SLSA's provenance.

It has no times, and names files as the run named them, so that the same run writes the same bytes.
Source: in-toto attestation framework, Statement v1; SLSA specification 1.0, "Provenance" (predicate type
https://slsa.dev/provenance/v1).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.text import json_text
from mlconv.driver.options import Options
from mlconv.formats.atomic import replacing
from mlconv.formats.files import open_regular, read_text

STATEMENT = "https://in-toto.io/Statement/v1"
PROVENANCE = "https://slsa.dev/provenance/v1"
BUILD = "urn:mlconv:convert:1"
"""What the parameters of the predicate mean: those of `Options`, by name."""
BOUNDS = "bounds"
"""The byproduct of a project's artifact that says what it was held to."""

_BLOCK = 1 << 20
_NO_PART = frozenset(
    {
        "files",
        "certificate",
        "report",
        "source_roots",
        "dump_ir",
        "print_ir_after",
        "time_passes",
        "verify_each",
        "jobs",
    }
)
"""Options that change no byte of the artifact."""
_PACKAGES = ("numpy", "onnx", "flatbuffers", "llvmlite", "protobuf")


class Digest(TypedDict):
    """A file by its name and its SHA-256."""

    name: str
    digest: dict[str, str]


class Recorded(TypedDict):
    """What a certificate says of a run.  options: those that are not the defaults.  inputs, outputs: all files.
    versions: of what took part.  bounds: of a project's artifact; None of another.
    """

    model: str
    target: str
    output: str
    options: dict[str, object]
    inputs: list[Digest]
    outputs: list[Digest]
    versions: dict[str, str]
    bounds: dict[str, float] | None


@dataclass(frozen=True, slots=True)
class Done:
    """A run.  names: of the files that were written, in the artifact's folder.  passes: in order; applied: how often
    their parts were.  verification: by output.
    """

    model: str
    target: str
    output: str
    names: Sequence[str]
    passes: Sequence[str]
    applied: Mapping[str, int]
    verification: Sequence[Mapping[str, object]]
    plugins: Sequence[Mapping[str, str]]


def certify(result: Done, options: Options) -> None:
    """Write the certificate that the options ask for.  Raises ConversionError OutputNotWritable, and UsageError for
    options that are no data.
    """
    folder = Path(result.output).parent
    written = sorted(
        name
        for entry in result.names
        for name in (_files_in(folder / entry) if (folder / entry).is_dir() else [str(folder / entry)])
    )
    read = options.files.inputs() if options.files is not None else []
    plugins = {plugin["name"]: plugin["version"] for plugin in result.plugins}
    statement = {
        "_type": STATEMENT,
        "subject": [digest_of(name, os.path.relpath(name, folder)) for name in written],
        "predicateType": PROVENANCE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD,
                "externalParameters": {
                    "model": result.model,
                    "target": result.target,
                    "output": result.output,
                    "options": plain_options(options),
                },
                "internalParameters": {
                    "passes": list(result.passes),
                    "applied": dict(sorted(result.applied.items())),
                },
                "resolvedDependencies": [digest_of(name, name) for name in sorted(read)],
            },
            "runDetails": {
                "builder": {"id": "urn:mlconv", "version": versions(plugins)},
                "byproducts": [{"name": "verification", "annotations": {"outputs": list(result.verification)}}],
            },
        },
    }
    with replacing(Path(options.certificate)) as out:
        out.write((json_text(statement, indent=1) + "\n").encode())


def versions(plugins: Mapping[str, str]) -> dict[str, str]:
    """Of what takes part, as far as it is installed.  plugins: theirs, by name."""
    from importlib.metadata import PackageNotFoundError, version

    own: str = import_module("mlconv").__version__  # which is made of what this is a part of
    found = {"mlconv": own, "python": ".".join(map(str, sys.version_info[:3]))}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found | dict(plugins)


def are_of_now(told: Mapping[str, str]) -> bool:
    """Whether versions of a certificate are those that are installed."""
    from mlconv.driver.plugins import installed

    plugins = {name: plugin.version for name, plugin in installed().items() if name in told}
    return versions(plugins) == told


def plain_options(options: Options) -> dict[str, object]:
    """Options that are not the defaults, as JSON has them.  Raises ConversionError UsageError for functions and
    arrays, which no file can name.
    """
    found: dict[str, object] = {}
    for option in fields(Options):
        if option.name in _NO_PART or not options.is_given(option):
            continue
        try:
            value = getattr(options, option.name)
            found[option.name] = json.loads(json.dumps(value, default=_as_list, sort_keys=True))
        except TypeError as error:
            raise ConversionError(
                Code.UsageError, f"a certificate cannot say what {option.name} is: {error}", help="name a file"
            ) from error
    return found


def _as_list(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (tuple, list, frozenset, set)):
        return sorted(value) if isinstance(value, (frozenset, set)) else list(value)
    raise TypeError(f"a {type(value).__name__} is no data")


def _files_in(folder: Path) -> list[str]:
    return [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names]


def digest_of(path: str, name: str) -> Digest:
    """Raises ConversionError InputNotReadable."""
    found = hashlib.sha256()
    try:
        with open_regular(path) as file:
            while block := file.read(_BLOCK):
                found.update(block)
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"cannot read {path}: {error.strerror or error}") from error
    return {"name": name, "digest": {"sha256": found.hexdigest()}}


# Reading


def read_certificate(path: str) -> Recorded:
    """Raises ConversionError InputNotReadable, FormatUnknown for a file that is no certificate of mlconv."""
    try:
        found = json.loads(read_text(path))
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConversionError(Code.FormatUnknown, f"{path} is no certificate: {error}") from error
    try:
        build = found["predicate"]["buildDefinition"]
        asked = build["externalParameters"]
        if (found["_type"], found["predicateType"], build["buildType"]) != (STATEMENT, PROVENANCE, BUILD):
            raise KeyError(BUILD)
        recorded: Recorded = {
            "model": str(asked["model"]),
            "target": str(asked["target"]),
            "output": str(asked["output"]),
            "options": dict(asked["options"]),
            "inputs": [_recorded(entry) for entry in build["resolvedDependencies"]],
            "outputs": [_recorded(entry) for entry in found["subject"]],
            "versions": dict(found["predicate"]["runDetails"]["builder"]["version"]),
            "bounds": _bounds(found["predicate"]["runDetails"]["byproducts"]),
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConversionError(
            Code.FormatUnknown, f"{path} is no certificate of a conversion: it lacks {error}"
        ) from error
    return recorded


def _bounds(byproducts: Sequence[Mapping[str, Any]]) -> dict[str, float] | None:
    found = [dict(entry["annotations"]["limits"]) for entry in byproducts if entry["name"] == BOUNDS]
    return found[0] if found else None


def _recorded(entry: Mapping[str, object]) -> Digest:
    digest = entry["digest"]
    if not isinstance(digest, Mapping):
        raise TypeError("digest")
    return {"name": str(entry["name"]), "digest": {"sha256": str(digest["sha256"])}}


def typed_options(options: Mapping[str, object], path: str) -> dict[str, Any]:
    """Options as `Options` has them: sequences are tuples.  Raises ConversionError FormatUnknown for names that are
    none.
    """
    known = {option.name for option in fields(Options)} - _NO_PART
    strange = sorted(options.keys() - known)
    if strange:
        raise ConversionError(Code.FormatUnknown, f"{path} has an option {strange[0]!r}, which there is not")
    return {name: _tuples(value) for name, value in options.items()}


def _tuples(value: object) -> object:
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    return {key: _tuples(item) for key, item in value.items()} if isinstance(value, dict) else value
