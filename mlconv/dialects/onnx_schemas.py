"""Schemas of ONNX's operators, those of the onnx package, which is imported when one is asked for."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from mlconv.dialects.onnx import PREFIX
from mlconv.dialects.onnx_types import DTYPES
from mlconv.ir.schema import AttributeSchema, Formal, OpSchema


@lru_cache(maxsize=1024)
def schema(name: str, version: int = 0) -> OpSchema | None:
    """The schema of an op in a version of its operator set (0: the newest); None for one that onnx does not have.
    Source: onnx.defs.
    """
    from onnx import defs

    domain, _, op_type = name.removeprefix(PREFIX).rpartition(".")
    try:
        found = defs.get_schema(op_type, version, domain) if version else defs.get_schema(op_type, domain)
    except defs.SchemaError:
        return None
    return OpSchema(
        name,
        f"{domain or 'ai.onnx'} {found.since_version}",
        tuple(map(_formal, found.inputs)),
        tuple(map(_formal, found.outputs)),
        {name: _attribute(found.attributes[name]) for name in sorted(found.attributes)},
        (found.doc or "").strip(),
    )


def _formal(formal: Any) -> Formal:
    tensors = [t.removeprefix("tensor(").removesuffix(")") for t in formal.types if t.startswith("tensor(")]
    all_tensors = len(tensors) == len(formal.types)
    variable = "" if "(" in formal.type_str else formal.type_str
    return Formal(
        formal.name,
        frozenset(_displayed().get(t, t) for t in tensors) if all_tensors else frozenset(),
        variable if formal.is_homogeneous else "",
        formal.option.name == "Optional",
        formal.option.name == "Variadic",
    )


@lru_cache(maxsize=1)
def _displayed() -> dict[str, str]:
    """Element types as messages name them, by ONNX's names."""
    from onnx import TensorProto

    named = {name.lower(): number for name, number in TensorProto.DataType.items()}
    return {name: DTYPES[number].display for name, number in named.items() if number in DTYPES}


def _attribute(attribute: Any) -> AttributeSchema:
    from onnx import helper

    kind = attribute.type.name.lower()
    single = kind.removesuffix("s")
    default = attribute.default_value
    return AttributeSchema(
        f"list({single})" if kind.endswith("s") else kind,
        str(_plain(helper.get_attribute_value(default))) if default.name else None,
        attribute.required,
    )


def _plain(value: object) -> object:
    return value.decode() if isinstance(value, bytes) else value
