"""Schemas of TensorFlow's ops, from the table of its registry."""

from __future__ import annotations

import functools
import json
import re
from typing import Final

from mlconv.dialects.tf import REQUIRED, ArgDef, find_op
from mlconv.dialects.tf_table import RELEASE
from mlconv.dialects.tf_types import BY_NAME
from mlconv.ir.dtypes import DType
from mlconv.ir.schema import AttributeSchema, Formal, OpSchema

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
