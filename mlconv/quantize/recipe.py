"""What is asked of quantization: a scheme, and others for ops that rules select.

A recipe is a scheme's name, or a TOML file:

    scheme = "int8"
    granularity = "channel"
    equalize = true
    ranges = "min-max"
    profile = "portable"
    calibration = "samples.npz"
    calibration_images = "mean=127.5 std=127.5"

    [[rules]]
    select = "model.py:120-145"
    scheme = "float"
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.module import Module
from mlconv.quantize.portable import PORTABLE, lacks_of
from mlconv.quantize.ranges import CHOICES, USUAL
from mlconv.quantize.scheme import Scheme, scheme_named
from mlconv.quantize.select import Selector

_KEYS = ("scheme", "granularity", "equalize", "ranges", "profile", "calibration", "calibration_images", "rules")
AUTO = "auto"
"""In place of a scheme: `int8`, with layers in more bits until the model answers as it did."""
_RULE_KEYS = ("select", "scheme")


@dataclass(frozen=True, slots=True)
class Rule:
    """Ops that a selector matches have a scheme of their own."""

    selector: Selector
    scheme: Scheme

    def __str__(self) -> str:
        return f"{self.selector.text}={self.scheme.name}"

    @staticmethod
    def parse(text: str) -> Rule:
        """`SELECT=SCHEME`.  Raises ConversionError UsageError."""
        if not isinstance(text, str):
            raise ConversionError(Code.UsageError, f"a rule is a text, SELECT=SCHEME, and no {type(text).__name__}")
        select, sign, name = text.rpartition("=")
        if not sign or not select:
            help_ = f"say which scheme it gives, as {text.strip('=') or 'conv'}=float or =int16x8"
            raise ConversionError(Code.UsageError, f"{text!r} is not SELECT=SCHEME", help=help_)
        return Rule(Selector.parse(select), scheme_named(name))


@dataclass(frozen=True, slots=True)
class Recipe:
    """scheme: of ops that no rule matches; of several that match, the last counts.  equalize: channels are brought to
    like ranges.  ranges: of activations: `min-max` of all
    numbers, or, where outputs are closer to those of the model then, those of least squared error (`mse`), or without
    some of the outermost (`percentile`); `auto` tries all; where nothing is asked for, `mse` if scoring takes little.
    profile: whose ops over integers are taken, `portable` or a
    target's.  is_automatic: more bits are taken where too much is lost.  calibration, images: what samples are, where
    options do not say so.
    """

    scheme: Scheme
    rules: tuple[Rule, ...] = ()
    equalize: bool = True
    ranges: str = USUAL
    profile: str = PORTABLE
    is_automatic: bool = False
    calibration: str = ""
    images: str = ""

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        return (self.scheme, *(rule.scheme for rule in self.rules))

    @property
    def is_static(self) -> bool:
        """Ranges must be known."""
        return any(scheme.is_static for scheme in self.schemes)

    @property
    def ends_early(self) -> bool:
        """Some activations end where those of samples did."""
        return any(scheme.activations is not None and scheme.activations.bits <= 8 for scheme in self.schemes)

    @property
    def is_stored(self) -> bool:
        """Of numbers, weights alone become integers, with scales for each output channel or less."""
        rounding = [scheme for scheme in self.schemes if scheme.rounds]
        return all(s.activations is None and not s.dynamic and s.block >= 0 for s in rounding)

    @staticmethod
    def of(
        text: str, rules: str | Iterable[str] = (), granularity: str = "", ranges: str = "", profile: str = ""
    ) -> Recipe:
        """text: a scheme's name, `auto`, or the path of a TOML file.  rules: one or several, as `Rule.parse` takes
        them, behind the file's.  Raises ConversionError UsageError, InputNotReadable.
        """
        recipe = _read(text) if text.endswith(".toml") else _plain(text)
        if granularity:
            recipe = replace(recipe, scheme=recipe.scheme.with_granularity(granularity))
        if ranges:
            recipe = replace(recipe, ranges=_known_ranges(ranges))
        if profile:
            recipe = replace(recipe, profile=profile)
        lacks_of(recipe.profile)
        own = tuple(map(Rule.parse, [rules] if isinstance(rules, str) else rules))
        return replace(recipe, rules=(*recipe.rules, *own))

    def among(self, module: Module) -> Recipe:
        """The same for ops of a module, and the nodes that it was read from."""
        ops = {op.name for op in module.walk()} if self.rules else set()
        rules = (replace(rule, selector=rule.selector.among(module.kinds, ops)) for rule in self.rules)
        return replace(self, rules=tuple(rules))

    def text(self, folder: str = "") -> str:
        """A TOML file that asks for the same.  folder: where it will lie, which paths in it start at."""
        lines = [f"scheme = {_quoted(self.scheme.name)}"]
        if self.scheme.granularity != scheme_named(self.scheme.name).granularity:
            lines.append(f"granularity = {_quoted(self.scheme.granularity)}")
        if self.ranges != USUAL:
            lines.append(f"ranges = {_quoted(self.ranges)}")
        if self.profile != PORTABLE:
            lines.append(f"profile = {_quoted(self.profile)}")
        if not self.equalize:
            lines.append("equalize = false")
        if self.calibration:
            lines.append(f"calibration = {_quoted(_moved(self.calibration, os.curdir, folder or os.curdir))}")
        if self.images:
            lines.append(f"calibration_images = {_quoted(self.images)}")
        for rule in self.rules:
            lines += [
                "",
                "[[rules]]",
                f"select = {_quoted(rule.selector.text)}",
                f"scheme = {_quoted(rule.scheme.name)}",
            ]
        return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A basic string.  Source: TOML 1.0, "String"."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _read(path: str) -> Recipe:
    """Raises ConversionError InputNotReadable, UsageError."""
    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConversionError(Code.UsageError, f"{path}: {error}") from error
    _check_keys(path, table, _KEYS)
    plain = _plain(_text(path, table, "scheme"))
    scheme = plain.scheme
    if "granularity" in table:
        scheme = scheme.with_granularity(_text(path, table, "granularity"))
    equalize, rules = table.get("equalize", True), table.get("rules", [])
    if not isinstance(equalize, bool):
        raise ConversionError(Code.UsageError, f"{path}: equalize is true or false")
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise ConversionError(Code.UsageError, f"{path}: rules is no list of tables")
    ranges = _known_ranges(_text(path, table, "ranges")) if "ranges" in table else USUAL
    profile = _text(path, table, "profile") if "profile" in table else PORTABLE
    calibration = _moved(_text(path, table, "calibration", ""), os.path.dirname(path) or os.curdir, os.curdir)
    images = _text(path, table, "calibration_images", "")
    own = tuple(_rule(path, rule) for rule in rules)
    return Recipe(scheme, own, equalize, ranges, profile, plain.is_automatic, calibration, images)


def _plain(name: str) -> Recipe:
    """Of a scheme, or `auto`, and nothing else.  Raises ConversionError UsageError."""
    return Recipe(scheme_named("int8"), is_automatic=True) if name == AUTO else Recipe(scheme_named(name, (AUTO,)))


def _moved(text: str, source: str, folder: str) -> str:
    """A relative path that starts at one folder as one that starts at another; `module:function` and `random:16` as
    they are.
    """
    start = os.path.join(source, text)
    is_path = os.path.exists(start) or (":" not in text and text != "random")
    if not text or os.path.isabs(text) or not is_path or os.path.abspath(source) == os.path.abspath(folder):
        return text
    return os.path.relpath(start, folder)


def _known_ranges(text: str) -> str:
    """Raises ConversionError UsageError."""
    if text not in CHOICES:
        raise ConversionError(Code.UsageError, f"ranges is {text!r}, expected one of {', '.join(CHOICES)}")
    return text


def _rule(path: str, table: Mapping[str, object]) -> Rule:
    _check_keys(path, table, _RULE_KEYS)
    return Rule(Selector.parse(_text(path, table, "select")), scheme_named(_text(path, table, "scheme")))


def _check_keys(path: str, table: Mapping[str, object], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise ConversionError(Code.UsageError, f"{path}: there is no key {key!r}; there are {', '.join(known)}")


def _text(path: str, table: Mapping[str, object], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        found = f"{key} is {value!r}" if key in table else f"{key} is missing"
        raise ConversionError(Code.UsageError, f"{path}: {found}, expected text")
    return value
