"""TFLite ops: `tfl.CONV_2D` and so on, a class for each, made of the schema's tables.

The name is the schema's builtin name, the attributes are fields of its options table (enum members by name, e.g.
padding="SAME"), regions stand for subgraphs (IF: then, else; WHILE: cond, body).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl_checks.elementwise import COMMUTATIVE, ELEMENTWISE, SAME_ELEMENT_TYPE
from mlconv.dialects.tfl_operands import OPERANDS
from mlconv.dialects.tfl_table import BUILTINS, ENUMS, OPTION_FIELDS, OPTIONS_OF
from mlconv.ir.core import Op, Region, Value
from mlconv.ir.dialect import Dialect
from mlconv.ir.spec import attr, op, operand, operands, optional_operand, region, result, results
from mlconv.ir.target_op import TargetOp
from mlconv.ir.traits import Commutative, Elementwise, Impure, Plumbing, SameElementType, Trait, Transposing
from mlconv.ir.types import Type
from mlconv.provenance.locations import Location

PREFIX = "tfl."
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


FUSING = frozenset(
    [
        *("ADD", "SUB", "MUL", "DIV", "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"),
        *("AVERAGE_POOL_2D", "MAX_POOL_2D", "CONV_3D", "TRANSPOSE_CONV"),
    ]
)
"""Those whose kernels apply an activation to float32 as the op behind them would."""


class FusesActivation(Trait):
    """It can apply an activation to what it computes."""


class View(Trait):
    """Its result is its operand's buffer, where the runtime can have it so."""


class TflOp(TargetOp):
    """One TFLite operator.  Operands may be None (index -1 in the file)."""

    __slots__ = ()
    takes_quantized = True

    @property
    def builtin(self) -> str:
        """The schema's name of the operator."""
        return self.name.removeprefix(PREFIX)

    def verify(self) -> None:
        from mlconv.dialects.tfl_checks import check

        check(self, self.builtin)


def tfl_op(
    builtin: str,
    operands: Sequence[Value | None],
    options: dict[str, Any],
    types: Sequence[Type],
    regions: Sequence[Region] = (),
    location: Location | None = None,
) -> TflOp:
    """An operator by the schema's name.  Raises ConversionError InternalError for one, and for options, that it has
    not.
    """
    unknown = options.keys() - option_kinds(builtin).keys()
    if unknown:
        raise ConversionError(Code.InternalError, f"TFLite {builtin} has no option {', '.join(sorted(unknown))}")
    return op_class(builtin)(operands, options, types, regions, location)


@lru_cache(maxsize=256)
def op_class(builtin: str) -> type[TflOp]:
    """The class of an operator.  Raises ConversionError InternalError for a name that the schema has not."""
    given, made = OPERANDS[builtin]
    fields: dict[str, object] = {name.strip("*?"): _operand(name) for name in given.split()}
    annotations: dict[str, str] = {}
    for name, kind in option_kinds(builtin).items():
        fields[name] = attr(default=None, check=_check(kind))
        annotations[name] = kind
    for name in made.split():
        fields[f"result_{name.strip('*')}"] = results() if name.startswith("*") else result()
    fields |= {name.removesuffix("_subgraph_index"): region() for name in REGION_FIELDS.get(builtin, ())}
    body = {"__slots__": (), "__doc__": f"TFLite's {builtin}.", "__module__": __name__, "__annotations__": annotations}
    cls: type[TflOp] = type(builtin, (TflOp,), body | fields)
    return op(PREFIX + builtin, traits=_traits(builtin))(cls)


_TRAITS: dict[type[Trait], frozenset[str]] = {
    Elementwise: ELEMENTWISE,
    SameElementType: SAME_ELEMENT_TYPE,
    Commutative: COMMUTATIVE,
    Impure: IMPURE,
    Transposing: frozenset({"TRANSPOSE"}),
    Plumbing: frozenset({"RESHAPE", "CAST", "BROADCAST_TO"}),
    FusesActivation: FUSING,
    View: frozenset({"RESHAPE", "EXPAND_DIMS", "SQUEEZE", "BITCAST"}),
}


def _traits(builtin: str) -> list[type[Trait]]:
    return [trait for trait, builtins in _TRAITS.items() if builtin in builtins]


def _operand(name: str) -> object:
    if name.startswith("*"):
        return operands()
    return optional_operand(default=None) if name.endswith("?") else operand()


_BITS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64, "uint64": 64}
_CLASSES: dict[str, type | tuple[type, ...]] = {
    "bool": bool,
    "float32": (int, float),
    "string": str,
    "bytes": bytes,
}


@lru_cache(maxsize=64)
def _check(kind: str) -> Callable[[object], bool]:
    """Whether a value is one of a kind of field."""
    if kind.startswith("enum:"):
        return partial(_is_member, ENUMS[kind[5:]])
    if kind in _BITS:
        low = 0 if kind.startswith("u") else -(1 << (_BITS[kind] - 1))
        return partial(_is_integer, low, low + (1 << _BITS[kind]))
    if kind.startswith("["):
        return partial(_all_are, _check(kind.strip("[]")))
    classes = _CLASSES.get(kind, object)
    return lambda value: isinstance(value, classes) and (kind == "bool" or not isinstance(value, bool))


def _is_member(members: Mapping[str, int], value: object) -> bool:
    return value in members if isinstance(value, str) else value in members.values()


def _all_are(item: Callable[[object], bool], value: object) -> bool:
    return isinstance(value, (tuple, list)) and all(map(item, value))


def _is_integer(low: int, high: int, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value < high


def _class_of(name: str) -> type[Op] | None:
    builtin = name.removeprefix(PREFIX)
    return op_class(builtin) if builtin in BUILTINS else None


DIALECT = Dialect("tfl", _class_of, names=BUILTINS)


@lru_cache(maxsize=256)
def option_kinds(builtin: str) -> Mapping[str, str]:
    """Field name -> kind of the options table of a builtin.  Raises ConversionError InternalError for a name that the
    schema has not.
    """
    if builtin not in BUILTINS:
        raise ConversionError(Code.InternalError, f"the TFLite schema has no operator {builtin}")
    if builtin == "CUSTOM":
        return {"custom_code": "string", "custom_options": "bytes"}
    table = OPTIONS_OF.get(builtin)
    return {name: kind for name, _, kind, _ in OPTION_FIELDS[table]} if table else {}


@lru_cache(maxsize=256)
def default_options(builtin: str) -> Mapping[str, object]:
    """What options are that an op leaves out, by the schema: enum members by name."""
    rows = OPTION_FIELDS[OPTIONS_OF[builtin]] if builtin in OPTIONS_OF else ()
    return {name: _default(kind, default) for name, _, kind, default in rows}


def _default(kind: str, default: bool | int | float | None) -> object:
    if kind.startswith("enum:"):
        return next(member for member, number in ENUMS[kind[5:]].items() if number == int(default or 0))
    if kind in ("bytes", "[uint8]"):
        return b""
    if kind == "string":
        return ""
    if kind.startswith("["):
        return ()
    return {"bool": bool, "float32": float}.get(kind, int)(default or 0)


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
