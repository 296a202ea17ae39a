"""Target profiles: what a runtime beyond TFLite itself can run, as TOML.  Checked against tfl ops.

A profile has `name`, `description`, and any of

    [ops]      allow = ["CONV_2D", ...] or deny = [...]: builtin names of the TFLite schema
    [types]    allow = ["int8", ...]; weights, shapes and other constants are judged by `constants` when it is there;
               interface = ["float32"]: also of inputs that QUANTIZE alone reads, and of outputs that DEQUANTIZE makes
    [limits]   static = true (no dynamic dimension), max_rank = 5, max_large_dims = 3 (dimensions beyond 1),
               max_bytes = 262144 (one tensor)
    [notes]    CONV_2D = "text that is added when the op is refused"
    [op.CAST]  what one op takes, see `rules.OpRule`: types = ["bool"] (beside those of [types]), operand_types,
               result_types = { 0 = ["int32"] }, ranks = { 0 = [3, 4] }, constant = [1], operands = [2], computed = [1],
               options = { beta = [1.0] }, max_version = 2, conditions = ["result_has_axes"]
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib import resources

from mlconv.diagnostics import Code, ConversionError, Diagnostic
from mlconv.diagnostics.hints import did_you_mean
from mlconv.dialects import core
from mlconv.dialects.tfl_table import BUILTINS
from mlconv.formats.files import read_text
from mlconv.ir.core import Block, Op, Value, Yield
from mlconv.ir.module import Module
from mlconv.ir.shapes import static
from mlconv.ir.types import TensorType
from mlconv.profiles.rules import OpRule, VersionOf, parse_rule
from mlconv.rewrite.convert import diagnose

_SECTIONS: dict[str, dict[str, type]] = {
    "ops": {"allow": list, "deny": list},
    "types": {"allow": list, "constants": list, "interface": list},
    "limits": {"static": bool, "max_rank": int, "max_large_dims": int, "max_bytes": int},
    "notes": {},
    "op": {},
}


@dataclass(frozen=True, slots=True)
class Profile:
    """Rules over tfl ops.  allow, types, constants: None allows all.  interface: types of inputs and outputs that are
    rounded at once.  Numbers: None is no limit.  rules: of single operators.
    """

    name: str
    description: str = ""
    allow: frozenset[str] | None = None
    deny: frozenset[str] = frozenset()
    types: frozenset[str] | None = None
    constants: frozenset[str] | None = None
    interface: frozenset[str] = frozenset()
    static: bool = False
    max_rank: int | None = None
    max_large_dims: int | None = None
    max_bytes: int | None = None
    notes: dict[str, str] = field(default_factory=dict)
    rules: dict[str, OpRule] = field(default_factory=dict)

    def problems(self, module: Module, version_of: VersionOf | None = None) -> Iterator[Diagnostic]:
        """What the profile refuses, one diagnostic an op.  version_of: tells the versions of operators."""
        dynamic = list(self._dynamic_inputs(module)) if self.static else []
        yield from dynamic
        rules = replace(self, static=self.static and not dynamic)  # what follows from a dynamic input is not said again
        for op in module.walk():
            if op.name.startswith("tfl.") and not rules._is_border(op):
                name = op.name.removeprefix("tfl.")
                error = rules._op_error(name) or rules._rule_error(name, op, version_of) or rules._value_error(op)
                if error is not None:
                    yield diagnose(op, error)

    def _dynamic_inputs(self, module: Module) -> Iterator[Diagnostic]:
        for function in module.functions:
            for v in function.inputs:
                if isinstance(v.type, TensorType) and not v.type.is_static:
                    sizes = ["1" if not isinstance(d, int) else str(d) for d in v.type.shape or ()]
                    error = ConversionError(
                        Code.ShapeNotStatic,
                        f"{self.name} has static shapes only, input {v.name} is {v.type}",
                        help=f"pin it: --shape {v.name}={','.join(sizes)}",
                    )
                    yield error.with_context(function.location, v.name, f"input ({v.type})")

    def _is_border(self, op: Op) -> bool:
        """The op rounds an input of the model, or makes an output of integers, which is left to another processor."""
        if op.name not in ("tfl.QUANTIZE", "tfl.DEQUANTIZE") or op.operands[0] is None:
            return False
        value, result = op.operands[0], op.results[0]
        if op.name == "tfl.QUANTIZE":
            at_end, outside, inside = isinstance(value.owner, Block) and value.owner.parent is None, value, result
        else:
            outermost = op.block is not None and op.block.parent is None
            at_end, outside, inside = outermost and all(isinstance(u, Yield) for u in result.users), result, value
        if not at_end or isinstance(value.producer, core.Constant):
            return False
        return outside.tensor.dtype.display in self.interface and not self._refusal(inside)[0]

    def _op_error(self, builtin: str) -> ConversionError | None:
        if builtin in self.deny or (self.allow is not None and builtin not in self.allow):
            why = (self.notes[builtin],) if builtin in self.notes else ()
            return ConversionError(Code.TargetLacksOp, f"{self.name} does not run {builtin}", why=why)
        return None

    def _rule_error(self, builtin: str, op: Op, version_of: VersionOf | None) -> ConversionError | None:
        """What the rule of its operator says against an op."""
        rule = self.rules.get(builtin)
        code, reason = (Code.TargetLacksOp, "") if rule is None else rule.refusal(op, version_of)
        why = (self.notes[builtin],) if builtin in self.notes else ()
        return ConversionError(code, f"{self.name} does not run {builtin} {reason}", why=why) if reason else None

    def _value_error(self, op: Op) -> ConversionError | None:
        """The first value of an op that the target cannot hold."""
        builtin = op.name.removeprefix("tfl.")
        note = (self.notes[builtin],) if builtin in self.notes else ()
        named = [("result", i, v) for i, v in enumerate(op.results)] + [
            ("operand", i, v) for i, v in enumerate(op.operands) if v is not None
        ]
        for what, i, value in named:
            rule = self.rules.get(builtin)
            reason, help = self._refusal(value, frozenset() if rule is None else rule.types)
            if reason:
                return ConversionError(
                    Code.TargetLacksType, f"{self.name} {reason}", help=help, why=(f"{what} {i} is {value.type}", *note)
                )
        return None

    def _refusal(self, value: Value, more: frozenset[str] = frozenset()) -> tuple[str, str]:
        """Why a value cannot be held, and what to do; two empty texts when it can.  more: types that are taken, too."""
        t = value.type
        if not isinstance(t, TensorType):
            return f"has no values of type {t}", ""
        is_constant = isinstance(value.producer, core.Constant)
        types = self.constants if is_constant and self.constants is not None else self.types
        if types is not None and t.dtype.display not in types | more:
            listed = ", ".join(sorted(types))
            what = "constants" if is_constant else "tensors"
            return (
                f"has no {t.dtype.display} {what}, only {listed}",
                "the target runs fully quantized models: --quantize int8-io-int8" if t.dtype.is_float else "",
            )
        shape = static(t.shape)
        if shape is None:
            return ("has static shapes only", "pin the inputs with --shape NAME=D,D,...") if self.static else ("", "")
        return self._size_refusal(t.dtype.itemsize, list(shape), is_constant), ""

    def _size_refusal(self, itemsize: int, sizes: list[int], is_constant: bool) -> str:
        if self.max_rank is not None and len(sizes) > self.max_rank:
            return f"goes up to rank {self.max_rank}, not {len(sizes)}"
        if self.max_large_dims is not None and not is_constant and any(d > 1 for d in sizes[: -self.max_large_dims]):
            return f"has tensors whose last {self.max_large_dims} dimensions exceed 1, no more"
        nbytes = math.prod(sizes) * itemsize
        if self.max_bytes is not None and nbytes > self.max_bytes:
            return f"has {self.max_bytes} bytes for a tensor, not {nbytes}"
        return ""


def builtin_profiles() -> list[str]:
    """Names of the profiles that come with the package."""
    return sorted(
        p.name.removesuffix(".toml") for p in resources.files("mlconv.profiles").iterdir() if p.name.endswith(".toml")
    )


def load_profile(name: str) -> Profile:
    """A profile by name, or by the path of a TOML file.  Raises ConversionError InputNotReadable (not readable),
    UsageError (not a profile).
    """
    if name in builtin_profiles():
        return parse_profile((resources.files("mlconv.profiles") / f"{name}.toml").read_text(encoding="utf-8"), name)
    if not name.endswith(".toml") and not os.path.exists(name):
        near = did_you_mean(name, builtin_profiles()) or "a file that ends in .toml works too"
        raise ConversionError(
            Code.UsageError, f"there is no profile {name!r}; there are {', '.join(builtin_profiles())}", help=near
        )
    try:
        return parse_profile(read_text(name), name)
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"profile {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConversionError(Code.TextNotUtf8, f"profile {name} is not UTF-8 text") from None


def parse_profile(text: str, origin: str) -> Profile:
    """A profile from its TOML.  Unknown keys, wrong kinds of values and unknown ops are errors, with what was probably
    meant.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConversionError(Code.UsageError, f"profile {origin}: {error}") from None
    for key, value in data.items():
        _check_section(origin, key, value)
    rules = {name: parse_rule(origin, name, table) for name, table in data.get("op", {}).items()}
    ops, types, limits = (data.get(k, {}) for k in ("ops", "types", "limits"))
    for listed in (*ops.values(), rules):
        for op in listed:
            if op not in BUILTINS:
                raise ConversionError(
                    Code.UsageError,
                    f"profile {origin}: the TFLite schema has no operator {op!r}",
                    help=did_you_mean(str(op), BUILTINS),
                )
    return Profile(
        name=data.get("name", os.path.basename(origin)),
        description=data.get("description", ""),
        allow=_names(ops.get("allow")),
        deny=_names(ops.get("deny")) or frozenset(),
        types=_names(types.get("allow")),
        constants=_names(types.get("constants")),
        interface=_names(types.get("interface")) or frozenset(),
        notes=dict(data.get("notes", {})),
        rules=rules,
        **limits,
    )


def _names(listed: list[str] | None) -> frozenset[str] | None:
    return None if listed is None else frozenset(listed)


def _check_section(origin: str, key: str, value: object) -> None:
    if key in ("name", "description"):
        if not isinstance(value, str):
            raise ConversionError(Code.UsageError, f"profile {origin}: {key} is a text")
        return
    if key not in _SECTIONS or not isinstance(value, dict):
        raise ConversionError(
            Code.UsageError, f"profile {origin}: no section is called {key!r}", help=did_you_mean(key, _SECTIONS)
        )
    if key == "op":
        return  # `parse_rule` looks into it
    known = _SECTIONS[key]
    for name, entry in value.items():
        wanted = known.get(name) if known else str
        if wanted is None:
            raise ConversionError(
                Code.UsageError, f"profile {origin}: [{key}] has no {name!r}", help=did_you_mean(name, known)
            )
        strings = not isinstance(entry, list) or all(isinstance(e, str) for e in entry)
        if not isinstance(entry, wanted) or isinstance(entry, bool) is not (wanted is bool) or not strings:
            raise ConversionError(
                Code.UsageError, f"profile {origin}: {key}.{name} is {entry!r}, expected a {wanted.__name__}"
            )
        if isinstance(entry, int) and not isinstance(entry, bool) and entry < 1:
            raise ConversionError(Code.UsageError, f"profile {origin}: {key}.{name} is {entry}, expected 1 or more")
