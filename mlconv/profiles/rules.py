"""Rules of a profile about one operator: what a delegate asks of its operands, options and version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl import TflOp
from mlconv.dialects.tfl_table import ENUMS, OPTION_FIELDS, OPTIONS_OF
from mlconv.ir.core import Op, Value
from mlconv.ir.types import TensorType
from mlconv.profiles.conditions import CONDITIONS

VersionOf = Callable[[TflOp], int]
"""The version of an operator that a file would name."""
Option = str | int | float | bool
KEYS = (
    "types",
    "operand_types",
    "result_types",
    "constant",
    "operands",
    "computed",
    "ranks",
    "options",
    "max_version",
    "conditions",
)


@dataclass(frozen=True, slots=True)
class OpRule:
    """types: that its values may have beside those of the profile.  operand_types, result_types, ranks: by place.
    constant: places of operands that are constants.  operands, computed: how many of all, and of those that are no
    constants.  options: values that are taken.  max_version: of the operator.
    conditions: names of `CONDITIONS`.
    """

    types: frozenset[str] = frozenset()
    operand_types: Mapping[int, frozenset[str]] = field(default_factory=dict)
    result_types: Mapping[int, frozenset[str]] = field(default_factory=dict)
    constant: tuple[int, ...] = ()
    operands: tuple[int, ...] = ()
    computed: tuple[int, ...] = ()
    ranks: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    options: Mapping[str, tuple[Option, ...]] = field(default_factory=dict)
    max_version: int | None = None
    conditions: tuple[str, ...] = ()

    def refusal(self, op: Op, version_of: VersionOf | None) -> tuple[Code, str]:
        """What is wrong with an op, and of what kind; an empty text where nothing is."""
        found = self._variant(op) or self._options(op) or self._condition(op)
        if found:
            return Code.TargetLacksOp, found
        found = self._types(op)
        if found:
            return Code.TargetLacksType, found
        if self.max_version is not None and version_of is not None and isinstance(op, TflOp):
            version = version_of(op)
            if version > self.max_version:
                return Code.TargetLacksOp, f"of version {version}, only up to {self.max_version}"
        return Code.TargetLacksOp, ""

    def _variant(self, op: Op) -> str:
        present = [v for v in op.operands if v is not None]
        if self.operands and len(present) not in self.operands:
            return f"with {len(present)} operands, only with {_listed(self.operands)}"
        computed = [v for v in present if not is_constant(v)]
        if self.computed and len(computed) not in self.computed:
            return f"with {len(computed)} operands that are computed, only with {_listed(self.computed)}"
        for i in self.constant:
            value = op.operands[i] if i < len(op.operands) else None
            if value is not None and not is_constant(value):
                return f"with operand {i} computed, only as a constant"
        for i, ranks in self.ranks.items():
            ranked = op.operands[i] if i < len(op.operands) else None
            t = None if ranked is None else ranked.type
            if isinstance(t, TensorType) and t.shape is not None and len(t.shape) not in ranks:
                return f"with operand {i} of rank {len(t.shape)}, only of {_listed(ranks)}"
        return ""

    def _options(self, op: Op) -> str:
        for name, taken in self.options.items():
            value = op.attributes.get(name, _default(op, name))
            if value is not None and value not in taken:
                return f"with {name} {value}, only {_listed(taken)}"
        return ""

    def _condition(self, op: Op) -> str:
        return next(filter(None, (CONDITIONS[name](op) for name in self.conditions)), "")

    def _types(self, op: Op) -> str:
        for what, values, types in (
            ("operand", op.operands, self.operand_types),
            ("result", op.results, self.result_types),
        ):
            for i, taken in types.items():
                value = values[i] if i < len(values) else None
                if value is not None and isinstance(value.type, TensorType) and value.tensor.dtype.display not in taken:
                    return f"with {what} {i} of {value.tensor.dtype.display}, only of {_listed(sorted(taken))}"
        return ""


def is_constant(value: Value) -> bool:
    """The file holds its contents."""
    return value.producer is not None and value.producer.name == "core.constant"


def _default(op: Op, name: str) -> object:
    """What an option is that an op leaves out; of an enum, its name."""
    for key, _, kind, default in OPTION_FIELDS.get(OPTIONS_OF.get(op.name.removeprefix("tfl."), ""), ()):
        if key == name:
            names = ENUMS.get(kind.removeprefix("enum:"), {})
            return next((text for text, number in names.items() if number == default), default)
    return None


def _listed(items: object) -> str:
    return ", ".join(map(str, items)) if isinstance(items, (tuple, list)) else str(items)


def parse_rule(origin: str, builtin: str, data: object) -> OpRule:
    """A rule from a table of TOML.  Raises ConversionError UsageError for what is none."""
    where = f"profile {origin}: [op.{builtin}]"
    if not isinstance(data, dict):
        raise ConversionError(Code.UsageError, f"{where} is a table of rules")
    for key, value in data.items():
        if not _is_good(key, value, builtin):
            help_ = f"rules are {', '.join(KEYS)}" if key not in KEYS else _HELP.get(key, "")
            raise ConversionError(Code.UsageError, f"{where} has no {key} = {value!r}", help=help_)
    return OpRule(
        frozenset(data.get("types", ())),
        _by_place(data.get("operand_types", {})),
        _by_place(data.get("result_types", {})),
        tuple(data.get("constant", ())),
        tuple(data.get("operands", ())),
        tuple(data.get("computed", ())),
        {int(i): tuple(ranks) for i, ranks in data.get("ranks", {}).items()},
        {name: tuple(values) for name, values in data.get("options", {}).items()},
        data.get("max_version"),
        tuple(data.get("conditions", ())),
    )


_HELP = {
    "types": "a list of types",
    "operand_types": "lists of types by place: { 0 = ['float32'] }",
    "result_types": "lists of types by place: { 0 = ['float32'] }",
    "ranks": "lists of ranks by place: { 0 = [3, 4] }",
    "options": "lists of values by options of the TFLite schema",
    "max_version": "a number from 1 on",
    "conditions": f"a list of {', '.join(CONDITIONS)}",
}


def _is_good(key: str, value: object, builtin: str) -> bool:
    if key == "types":
        return _are(value, str)
    if key == "conditions":
        return isinstance(value, list) and all(name in CONDITIONS for name in value)
    if key in ("constant", "operands", "computed"):
        return _are(value, int)
    if key in ("operand_types", "result_types", "ranks"):
        kind = int if key == "ranks" else str
        return isinstance(value, dict) and all(k.isdecimal() and _are(v, kind) for k, v in value.items())
    if key == "options":
        known = {name for name, *_ in OPTION_FIELDS.get(OPTIONS_OF.get(builtin, ""), ())}
        return isinstance(value, dict) and all(k in known and isinstance(v, list) for k, v in value.items())
    return key == "max_version" and isinstance(value, int) and not isinstance(value, bool) and value > 0


def _are(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(v, kind) and not isinstance(v, bool) for v in value)


def _by_place(tables: Mapping[str, list[str]]) -> dict[int, frozenset[str]]:
    return {int(i): frozenset(types) for i, types in tables.items()}
