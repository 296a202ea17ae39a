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

from mlconv.diagnostics import Code, ConversionError, Diagnostic
from mlconv.diagnostics.hints import did_you_mean
from mlconv.driver.context import Context
from mlconv.driver.toml_places import Places
from mlconv.exporters.target import Target, flag_of, value_of

_PYPROJECT = "pyproject.toml"
_KEYS = ("plugins", "targets", "conversions", "defaults")


@dataclass(frozen=True, eq=False, repr=False)
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
        """Raises ConversionError InputNotReadable, UsageError with all that is wrong with its tables."""
        config, problems = Config.parsed(path)
        if problems:
            raise ConversionError.of(problems)
        return config

    @staticmethod
    def parsed(path: str | os.PathLike[str]) -> tuple[Config, list[Diagnostic]]:
        """What a file says, and what is wrong with its tables, which are empty then.  Raises ConversionError
        InputNotReadable, UsageError for a file that is no TOML.
        """
        name = os.fspath(path)
        table, problems, places = _table(name), list[Diagnostic](), places_in(name)
        for key in table:
            if key not in _KEYS:
                problems.append(places.problem((key,), f"there is no key {key!r}", did_you_mean(key, _KEYS)))
        plugins, targets = table.get("plugins", []), table.get("targets", {})
        if not isinstance(plugins, list) or not all(isinstance(p, str) for p in plugins):
            problems.append(places.problem(("plugins",), "plugins is no list of names"))
            plugins = []
        if not isinstance(targets, dict) or not all(isinstance(t, dict) for t in targets.values()):
            problems.append(places.problem(("targets",), "targets is no table of tables"))
            targets = {}
        conversions, defaults = table.get("conversions", {}), table.get("defaults", {})
        if not isinstance(conversions, dict):
            problems.append(places.problem(("conversions",), "conversions is no table of tables"))
            conversions = {}
        if not isinstance(defaults, dict):
            problems.append(places.problem(("defaults",), "defaults is no table of options"))
            defaults = {}
        return Config(name, tuple(plugins), targets, conversions, defaults), problems

    def check(self, context: Context) -> None:
        """Raises ConversionError UsageError for targets and options that there are not, and for wrong values."""
        problems = self.problems(context)
        if problems:
            raise ConversionError.of(problems)

    def problems(self, context: Context) -> list[Diagnostic]:
        """Of targets and their options."""
        found: list[Diagnostic] = []
        places = places_in(self.path)
        for name in self.targets:
            if name in context.targets:
                found += self._of_target(context.targets[name])[1]
            else:
                help_ = did_you_mean(name, context.targets.names)
                found.append(places.problem(("targets", name), f"there is no target {name!r}", help_))
        return found

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
        values, problems = self._of_target(target)
        if problems:
            raise ConversionError.of(problems)
        return values

    def values_of(self, target: Target) -> dict[str, object]:
        """As `of_target`, without what is wrong, which `problems` tells."""
        return self._of_target(target)[0]

    def _of_target(self, target: Target) -> tuple[dict[str, object], list[Diagnostic]]:
        """Values of a target's options, by field, and what is wrong with others."""
        known = {flag_of(f): f for f in fields(target.options)}
        found: dict[str, object] = {}
        problems: list[Diagnostic] = []
        places = places_in(self.path)
        for key, value in self.targets.get(target.name, {}).items():
            place = ("targets", target.name, key)
            if key not in known:
                message = f"target {target.name} has no option {key!r}"
                problems.append(places.problem(place, message, did_you_mean(key, known)))
                continue
            try:
                found[known[key].name] = value_of(known[key], value)
                target.options.of({known[key].name: found[known[key].name]})
            except ValueError as error:
                problems.append(places.problem(place, f"{key} of target {target.name}: {error}"))
            except ConversionError as error:
                problems.append(places.located(error, place))
        if not problems:
            target.options.of(found)
        return found, problems


def _table(path: str) -> dict[str, object]:
    import tomllib

    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _wrong(path, str(error)) from error
    if os.path.basename(path) != _PYPROJECT:
        return found
    tools = found.get("tool", {})
    own = tools.get("mlconv", {}) if isinstance(tools, dict) else {}
    return own if isinstance(own, dict) else {}


def _wrong(path: str, message: str, help_: str = "") -> ConversionError:
    return ConversionError(Code.UsageError, f"{path}: {message}", help=help_)


def places_in(path: str) -> Places:
    """Of keys, as a `Config` has them."""
    return Places(path, ("tool", "mlconv") if os.path.basename(path) == _PYPROJECT else ())
