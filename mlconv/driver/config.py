"""Options from a TOML file: `[tool.mlconv]` of a pyproject.toml, or the whole of another file.

    plugins = ["mlconv-sample"]

    [targets.tflite]
    allow-custom-ops = true

A target's keys are its options, by the names that they have on the command line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import did_you_mean
from mlconv.driver.context import Context
from mlconv.exporters.target import Target, flag_of, value_of

_KEYS = ("plugins", "targets", "conversions", "defaults")


@dataclass(frozen=True, eq=False)
class Config:
    """plugins: names of plug-ins to load.  targets: values of options by key, by the names of targets.  conversions,
    defaults: of a project, as the file has them.
    """

    path: str = ""
    plugins: tuple[str, ...] = ()
    targets: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    conversions: Mapping[str, object] = field(default_factory=dict)
    defaults: Mapping[str, object] = field(default_factory=dict)

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Config:
        """Raises ConversionError InputNotReadable, UsageError."""
        name = os.fspath(path)
        table = _table(name)
        for key in table:
            if key not in _KEYS:
                raise _wrong(name, f"there is no key {key!r}", did_you_mean(key, _KEYS))
        plugins, targets = table.get("plugins", []), table.get("targets", {})
        if not isinstance(plugins, list) or not all(isinstance(p, str) for p in plugins):
            raise _wrong(name, "plugins is no list of names")
        if not isinstance(targets, dict) or not all(isinstance(t, dict) for t in targets.values()):
            raise _wrong(name, "targets is no table of tables")
        conversions, defaults = table.get("conversions", {}), table.get("defaults", {})
        if not isinstance(conversions, dict):
            raise _wrong(name, "conversions is no table of tables")
        if not isinstance(defaults, dict):
            raise _wrong(name, "defaults is no table of options")
        return Config(name, tuple(plugins), targets, conversions, defaults)

    def check(self, context: Context) -> None:
        """Raises ConversionError UsageError for targets and options that there are not, and for wrong values."""
        for name in self.targets:
            if name not in context.targets:
                known = context.targets.names
                raise _wrong(self.path, f"there is no target {name!r}", did_you_mean(name, known))
            self.of_target(context.targets[name])

    def of_targets(self, names: Iterable[str], context: Context) -> dict[str, object]:
        """Values of the options of several targets.  Raises ConversionError UsageError where two do not agree."""
        found: dict[str, object] = {}
        for target in map(context.target, names):
            for name, value in self.of_target(target).items():
                if found.setdefault(name, value) != value:
                    raise _wrong(self.path, f"targets do not agree on {name}", "look at one target at a time")
        return found

    def of_target(self, target: Target) -> dict[str, object]:
        """Values of a target's options, by field.  Raises ConversionError UsageError."""
        known = {flag_of(f): f for f in fields(target.options)}
        found: dict[str, object] = {}
        for key, value in self.targets.get(target.name, {}).items():
            if key not in known:
                message = f"target {target.name} has no option {key!r}"
                raise _wrong(self.path, message, did_you_mean(key, known))
            try:
                found[known[key].name] = value_of(known[key], value)
            except ValueError as error:
                raise _wrong(self.path, f"{key} of target {target.name}: {error}") from error
        target.options.of(found)
        return found


def _table(path: str) -> dict[str, object]:
    import tomllib

    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _wrong(path, str(error)) from error
    if os.path.basename(path) != "pyproject.toml":
        return found
    tools = found.get("tool", {})
    own = tools.get("mlconv", {}) if isinstance(tools, dict) else {}
    return own if isinstance(own, dict) else {}


def _wrong(path: str, message: str, help_: str = "") -> ConversionError:
    return ConversionError(Code.UsageError, f"{path}: {message}", help=help_)
