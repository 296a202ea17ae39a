"""JSON Schemas of what commands print with --json, made of the types that their data have.

Source: JSON Schema 2020-12, https://json-schema.org/draft/2020-12/schema.
"""

from __future__ import annotations

import dataclasses
import enum
import types
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

from mlconv.commands.reports import REPORTS
from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import did_you_mean

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: Mapping[object, Mapping[str, object]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    object: {},
}
_REPLACED = {"Diagnostic": "mlconv.diagnostics.render:DiagnosticData"}
"""Classes whose data have another type."""
_NAMES = {**_REPLACED, "DiagnosticData": _REPLACED["Diagnostic"], "Report": "mlconv.quantize.report:Report"}


def schema(name: str) -> dict[str, object]:
    """The schema of a report.  Raises ConversionError UsageError for a name that is none."""
    if name not in REPORTS:
        raise ConversionError(
            Code.UsageError,
            f"there is no schema {name!r}",
            help=did_you_mean(name, REPORTS) or f"there are {', '.join(REPORTS)}",
        )
    definitions: dict[str, object] = {}
    found = [_listed(place, definitions) for place in REPORTS[name]]
    whole = found[0] if len(found) == 1 else {"anyOf": found}
    return {"$schema": _DRAFT, "$id": f"urn:mlconv:{name}", "title": f"mlconv {name}", **whole, "$defs": definitions}


def _listed(place: str, definitions: dict[str, object]) -> dict[str, object]:
    plain = place.removesuffix("[]")
    found = _schema(_at(plain), definitions)
    return found if plain == place else {"type": "array", "items": found}


def _at(place: str) -> object:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _schema(kind: object, definitions: dict[str, object]) -> dict[str, object]:
    """Of one type; classes are defined once and referred to."""
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (NotRequired, Required):
        return _schema(arguments[0], definitions)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(one, definitions) for one in arguments]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (list, Sequence, tuple):
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if isinstance(kind, type):
        return _class(kind, definitions)
    return {}  # Any


def _class(kind: type, definitions: dict[str, object]) -> dict[str, object]:
    replaced = _REPLACED.get(kind.__name__)
    if replaced is not None:
        return _schema(_at(replaced), definitions)
    if issubclass(kind, enum.Enum):
        return {"enum": [member.value for member in kind]}
    if not (is_typeddict(kind) or dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")):
        return {}
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # it may hold itself
        definitions[name] = _members(kind, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _members(kind: type, definitions: dict[str, object]) -> dict[str, object]:
    """Of a class whose fields are keys."""
    hints = get_type_hints(kind, include_extras=True, localns=_names(kind))
    if dataclasses.is_dataclass(kind):
        hints = {f.name: hints[f.name] for f in dataclasses.fields(kind)}
    total: bool = getattr(kind, "__total__", True)  # `__optional_keys__` knows nothing of annotations that are texts
    return {
        "type": "object",
        "properties": {name: _schema(hint, definitions) for name, hint in hints.items()},
        "required": [name for name, hint in hints.items() if total and get_origin(hint) is not NotRequired],
        "additionalProperties": False,
    }


def _names(kind: type) -> dict[str, object]:
    """What annotations name that a module imports for type checkers alone."""
    known = vars(import_module(kind.__module__))
    return {name: _at(place) for name, place in _NAMES.items() if name not in known}
