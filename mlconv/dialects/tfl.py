"""TFLite ops: `tfl.CONV_2D` and so on, table driven.

The name is the schema's builtin name, the attributes are fields of its options table (enum members by name, e.g.
padding="SAME"), regions stand for subgraphs (IF: then, else; WHILE: cond, body).  Result types are given, not inferred:
whoever makes the op knows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl_table import BUILTINS, ENUMS, OPTION_FIELDS, OPTIONS_OF
from mlconv.ir.core import OpaqueOp, Region, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import OpaqueType, Type
from mlconv.provenance.locations import Location

PREFIX = "tfl."
TYPE_NAMES = {
    DType.F64: "FLOAT64",
    DType.F32: "FLOAT32",
    DType.F16: "FLOAT16",
    DType.BF16: "BFLOAT16",
    DType.I64: "INT64",
    DType.I32: "INT32",
    DType.I16: "INT16",
    DType.I8: "INT8",
    DType.I4: "INT4",
    DType.I2: "INT2",
    DType.U64: "UINT64",
    DType.U32: "UINT32",
    DType.U16: "UINT16",
    DType.U8: "UINT8",
    DType.U4: "UINT4",
    DType.BOOL: "BOOL",
    DType.C64: "COMPLEX64",
    DType.C128: "COMPLEX128",
    DType.STRING: "STRING",
    DType.F8E4M3FN: "FLOAT8_E4M3FN",
    DType.F8E5M2: "FLOAT8_E5M2",
}
"""Element types by their names in the schema."""
RESOURCE = OpaqueType("tfl.resource")  # the type of a VAR_HANDLE
REGION_FIELDS = {
    "CALL_ONCE": ("init_subgraph_index",),
    "IF": ("then_subgraph_index", "else_subgraph_index"),
    "WHILE": ("cond_subgraph_index", "body_subgraph_index"),
}
IMPURE = frozenset(
    {
        "RANDOM_UNIFORM",
        "RANDOM_STANDARD_NORMAL",
        "MULTINOMIAL",
        "CALL_ONCE",
        "READ_VARIABLE",
        "ASSIGN_VARIABLE",
        "CUSTOM",
    }
)


class TflOp(OpaqueOp):
    """One TFLite operator.  Operands may be None (index -1 in the file)."""

    __slots__ = ()

    def __init__(
        self,
        builtin: str,
        operands: Sequence[Value | None],
        attributes: dict[str, Any],
        result_types: Sequence[Type],
        regions: Sequence[Region] = (),
        location: Location | None = None,
    ) -> None:
        builtin = builtin.removeprefix(PREFIX)
        unknown = attributes.keys() - option_kinds(builtin).keys()
        if unknown:
            raise ConversionError(Code.InternalError, f"TFLite {builtin} has no option {', '.join(sorted(unknown))}")
        super().__init__(PREFIX + builtin, operands, attributes, result_types, regions, location)

    @property
    def builtin(self) -> str:
        """The schema's name of the operator."""
        return self.name.removeprefix(PREFIX)


@lru_cache(maxsize=256)
def option_kinds(builtin: str) -> Mapping[str, str]:
    """Field name -> kind of the options table of a builtin.  Raises ConversionError MLC0901 for a name that the schema
    has not.
    """
    if builtin not in BUILTINS:
        raise ConversionError(Code.InternalError, f"the TFLite schema has no operator {builtin}")
    if builtin == "CUSTOM":
        return {"custom_code": "string", "custom_options": "bytes"}
    table = OPTIONS_OF.get(builtin)
    return {name: kind for name, _, kind, _ in OPTION_FIELDS[table]} if table else {}


def encoded_options(op: TflOp) -> dict[str, Any]:
    """The options of an op as the file holds them: enum members as numbers, sequences as tuples."""
    kinds = option_kinds(op.builtin)
    out: dict[str, Any] = {}
    for name, value in op.attributes.items():
        kind = kinds[name]
        if isinstance(value, str) and kind.startswith("enum:"):
            value = ENUMS[kind[5:]][value]
        out[name] = tuple(value) if isinstance(value, list) else value
    return out
