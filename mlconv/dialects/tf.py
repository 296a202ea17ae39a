"""TensorFlow ops, as files have them (`tf.Conv2D`), and their signatures, parsed on demand from the generated table."""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Final, NamedTuple

from mlconv.dialects.tf_table import RELEASE, SIGNATURES
from mlconv.dialects.tf_types import BY_NAME
from mlconv.ir.dialect import Dialect
from mlconv.ir.dtypes import DType
from mlconv.ir.schema import AttributeSchema, Formal, OpSchema

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


_REFORMED: Final = re.compile("(Stateless)?(If|While|Case)|LookupTable(Find|Size)(V2)?")
"""Ops that importers give another form: their functions become regions, their tables operands."""


@functools.cache
def schema(name: str, version: int = 0) -> OpSchema | None:
    """The schema of an op by its full name, of the release that the table was made from; None for one that TensorFlow
    does not register.
    """
    found = find_op(name.removeprefix("tf."))
    if found is None:
        return None
    attributes = {
        a.name: AttributeSchema(
            a.kind, None if a.default is REQUIRED else json.dumps(a.default), required=a.default is REQUIRED
        )
        for a in found.attrs.values()
    }
    inputs, outputs = tuple(map(_formal, found.inputs)), tuple(map(_formal, found.outputs))
    return OpSchema(name, RELEASE, inputs, outputs, attributes, as_found=not _REFORMED.fullmatch(found.name))


def _formal(argument: ArgDef) -> Formal:
    several = bool(argument.number or argument.types)
    fixed = BY_NAME.get(argument.element)
    elements = frozenset({fixed.display}) if isinstance(fixed, DType) else frozenset[str]()
    variable = "" if argument.element.startswith("DT_") else argument.element or argument.types
    return Formal(argument.name, elements, variable, variadic=several)


DIALECT = Dialect("tf", schema=schema)
