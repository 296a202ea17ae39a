"""TensorFlow ops, as files have them (`tf.Conv2D`), and their signatures, parsed on demand from the generated table."""

from __future__ import annotations

import functools
import json
from typing import Any, Final, NamedTuple

from mlconv.dialects.tf_table import SIGNATURES
from mlconv.ir.dialect import Dialect

REQUIRED: Final = object()


class ArgDef(NamedTuple):
    """One formal argument.

    element: an attribute's name or a fixed `DT_...`.  number: attribute with the number of tensors.  types: attribute
    with the list of their types.
    """

    name: str
    element: str
    number: str
    types: str


class AttrDef(NamedTuple):
    """One attribute: kind is `int`, `list(type)`, ...; default is a JSON value or REQUIRED."""

    name: str
    kind: str
    default: Any


class OpDef(NamedTuple):
    """Formal inputs, outputs and attributes of an op."""

    name: str
    inputs: tuple[ArgDef, ...]
    outputs: tuple[ArgDef, ...]
    attrs: dict[str, AttrDef]


@functools.cache
def find_op(name: str) -> OpDef | None:
    """The signature of a registered op, or None."""
    entry = SIGNATURES.get(name)
    if entry is None:
        return None
    inputs, outputs, attrs = entry
    specs = [_attr(text) for text in attrs.split()]
    return OpDef(name, tuple(map(_arg, inputs.split())), tuple(map(_arg, outputs.split())), {a.name: a for a in specs})


def _arg(text: str) -> ArgDef:
    name, element = text.lstrip("&").split(":", 1)
    if element.startswith("*"):
        return ArgDef(name, "", "", element[1:])
    if "*" in element:
        count, element = element.split("*", 1)
        return ArgDef(name, element, count, "")
    return ArgDef(name, element, "", "")


def _attr(text: str) -> AttrDef:
    head, equals, default = text.partition("=")
    name, kind = head.split(":", 1)
    return AttrDef(name, kind, json.loads(default) if equals else REQUIRED)


DIALECT = Dialect("tf", schemas="mlconv.dialects.tf_schemas:schema")
