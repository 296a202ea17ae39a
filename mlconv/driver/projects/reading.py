"""The file of a project: its conversions, by name.

    [defaults]
    verify = true

    [conversions.digits]
    model = "models/digits.onnx"
    to = "tflite"
    output = "build/digits.tflite"
    quantize = "int8"
    calibration = "data/samples.npz"
    shape = { image = [1, 1, 8, 8] }

    [conversions.digits.bounds]
    size = "40 KB"

It is a `mlconv.toml`, or the table `[tool.mlconv]` of a `pyproject.toml`.  Paths start at the file's folder.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import did_you_mean
from mlconv.driver.config import Config, places_in
from mlconv.driver.context import BUILT_IN, Context, context_of
from mlconv.driver.options import Options
from mlconv.driver.projects.bounds import Bounds
from mlconv.driver.projects.values import SettingError, Settings, TableError, located, settings_of
from mlconv.exporters.target import Target

FILE = "mlconv.toml"
FOLDER = ".mlconv"
"""Beside the project's file: what is known of artifacts that were built."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_OWN = ("model", "models", "to", "output", "bounds")
_STEM = "{stem}"


@dataclass(frozen=True)
class Planned:
    """A conversion of a project.

    model, output: paths as the project's file says them.  settings: options, whose paths the process finds.
    certificate: where it is said what the artifact was built of.
    """

    name: str
    model: str
    target: str
    output: str
    settings: Settings
    bounds: Bounds
    certificate: str


@dataclass(frozen=True)
class Project:
    """path: of its file.  root: the folder of that, from the top."""

    path: str
    root: str
    plugins: tuple[str, ...]
    conversions: Mapping[str, Planned]

    @staticmethod
    def read(path: str | os.PathLike[str] | None = None) -> Project:
        """path: of the file, or of its folder; without it, the one of the current folder or of the nearest above.

        Raises ConversionError InputNotReadable, UsageError with all that is wrong in the file.
        """
        name = _found(os.fspath(path) if path is not None else "")
        return _Reader(name).project()

    def chosen(self, names: Sequence[str]) -> list[Planned]:
        """Conversions by their names, or patterns of such; all without any.  Raises ConversionError UsageError."""
        wanted: dict[str, Planned] = {}
        for name in names or ["*"]:
            found = [
                one
                for key, one in self.conversions.items()
                if fnmatch.fnmatchcase(key, name) or key.startswith(f"{name}/")
            ]
            if not found and names:
                raise ConversionError(
                    Code.UsageError,
                    f"{self.path} has no conversion {name!r}",
                    help=did_you_mean(name, self.conversions) or f"it has {', '.join(self.conversions) or 'none'}",
                )
            wanted |= {one.name: one for one in found}
        return list(wanted.values())


def _found(path: str) -> str:
    """The project's file.  path: of that, of its folder, or empty."""
    if path and not os.path.isdir(path):
        return path
    start = Path(os.path.abspath(path or os.curdir))
    for folder in [start] if path else [start, *start.parents]:
        for name in (FILE, "pyproject.toml"):
            file = folder / name
            if file.is_file() and (name == FILE or _has_conversions(file)):
                return os.path.relpath(file) if not path else str(Path(path) / name)
    raise ConversionError(
        Code.UsageError,
        f"there is no {FILE} {'in ' + path if path else 'here'}, nor a pyproject.toml with conversions",
        help="mlconv init MODEL writes one; -f FILE names another",
    )


def _has_conversions(path: Path) -> bool:
    """A file with something wrong is to be told of."""
    config, problems = Config.parsed(os.path.relpath(path))
    return bool(config.conversions or problems)


class _Reader:
    """One file; what is wrong is collected."""

    def __init__(self, path: str) -> None:
        self.path, self.root = path, os.path.dirname(os.path.abspath(path))
        self.config, self.problems = Config.parsed(path)
        self.places = places_in(path)
        self.of_targets: dict[str, dict[str, object]] = {}

    def project(self) -> Project:
        context = context_of(self.config.plugins, self._unknown_target())
        self.problems += self.config.problems(context)
        conversions: dict[str, Planned] = {}
        for name, table in self.config.conversions.items():
            for one in self._conversions(name, table, context):
                conversions[one.name] = one
        self._check_outputs(conversions.values())
        if self.problems:
            raise ConversionError.of(list(dict.fromkeys(self.problems)))
        return Project(self.path, self.root, self.config.plugins, conversions)

    def _unknown_target(self) -> str:
        """A target that is not built in, which is looked for among plug-ins; or none."""
        tables = [table for table in self.config.conversions.values() if isinstance(table, dict)]
        targets = [str(table["to"]) for table in tables if "to" in table]
        return next((name for name in targets if name not in BUILT_IN.targets), "")

    def _conversions(self, name: str, table: object, context: Context) -> list[Planned]:
        """A conversion, or one for each model of a pattern."""
        try:
            if not _NAME.fullmatch(name):
                raise SettingError(f"{name!r} is no name of a conversion", "letters, digits, '.', '_' and '-'")
            if not isinstance(table, dict):
                raise SettingError("expected a table", f'[conversions.{name}] with model = "..."')
            merged = {**self.config.defaults, **table}
            models = self._models(merged)
            names = _full_names(name, models) if "models" in merged else [name]
            return [self._planned(one, merged, model, context) for one, model in zip(names, models, strict=True)]
        except TableError as several:
            for wrong in several.errors:
                self._tell(name, wrong)
        except SettingError as wrong:
            self._tell(name, wrong)
        except ConversionError as error:
            self.problems.append(self.places.located(error, ("conversions", name)))
        return []

    def _models(self, table: Mapping[str, object]) -> list[str]:
        """Raises SettingError."""
        one, several = table.get("model"), table.get("models")
        if (one is None) == (several is None):
            raise SettingError("there is no model" if one is None else "there are model and models", 'model = "FILE"')
        if several is None:
            if not isinstance(one, str) or not one:
                raise SettingError(f"model is {one!r}, expected a path")
            return [one]
        patterns = several if isinstance(several, list) else [several]
        found: dict[str, None] = {}
        for pattern in patterns:
            if not isinstance(pattern, str) or not pattern:
                raise SettingError(f"models is {several!r}, expected a pattern of paths, or a list of such")
            names = sorted(glob.glob(pattern, root_dir=self.root, recursive=True))
            if not names:
                raise SettingError(f"no file is called {pattern}")
            found |= dict.fromkeys(name.replace(os.sep, "/") for name in names)
        return list(found)

    def _planned(self, name: str, table: Mapping[str, object], model: str, context: Context) -> Planned:
        """Raises SettingError, ConversionError UsageError."""
        output = table.get("output")
        if output is not None and (not isinstance(output, str) or not output):
            raise SettingError(f"output is {output!r}, expected a path")
        target = context.targets[_target(table, output, context)]
        if output is None:
            output = os.path.splitext(model.rstrip("/"))[0] + target.suffix
        bounds = table.get("bounds", {})
        if not isinstance(bounds, dict):
            raise SettingError(f"bounds is {bounds!r}, expected a table")
        own = {key: value for key, value in table.items() if key not in _OWN}
        held, settings = self._settings(own, bounds, target)
        certificate = settings.pop("certificate", "") or located(f"{FOLDER}/{name}.json", self.root)
        options = Options().with_settings(settings, context)
        options.check_targets((target,), context)
        output = output.replace(_STEM, _stem(model))
        return Planned(name, model, target.name, output, settings, held, certificate)

    def _settings(
        self, own: Mapping[str, object], bounds: Mapping[str, object], target: Target
    ) -> tuple[Bounds, Settings]:
        """Raises TableError with all that is wrong in both."""
        if target.name not in self.of_targets:
            self.of_targets[target.name] = self.config.values_of(target)
        wrong: list[SettingError] = []
        held, settings = Bounds(), dict(self.of_targets[target.name])
        try:
            settings |= settings_of(own, target, self.root)
        except TableError as several:
            wrong += several.errors
        try:
            held = Bounds.of(bounds)
        except TableError as several:
            wrong += several.errors
        if wrong:
            raise TableError(wrong)
        return held, settings

    def _check_outputs(self, conversions: Iterable[Planned]) -> None:
        writers: dict[str, str] = {}
        for one in conversions:
            other = writers.setdefault(located(one.output, self.root), one.name)
            if other != one.name:
                message = f"{self.path}: conversions {other} and {one.name} both write {one.output}"
                help_ = f"give each an output of its own, by {_STEM} of the model's name"
                error = ConversionError(Code.UsageError, message, help=help_)
                self.problems.append(self.places.located(error, ("conversions", one.name.partition("/")[0])))

    def _tell(self, name: str, wrong: SettingError) -> None:
        """Adds the line of the file where the key stands, or the conversion."""
        table, key = self.config.conversions[name], wrong.keys[0] if wrong.keys else ""
        is_default = key in self.config.defaults and isinstance(table, dict) and key not in table
        where, keys = ("defaults", ("defaults",)) if is_default else (f"conversion {name}", ("conversions", name))
        self.problems.append(self.places.problem((*keys, *wrong.keys), f"{where}: {wrong}", wrong.help))


def _full_names(name: str, models: Sequence[str]) -> list[str]:
    """Of conversions of several models, with the models' own names behind it, or their whole paths where they have the
    same.
    """
    stems = [_stem(model) for model in models]
    if len(set(stems)) < len(stems):
        stems = [os.path.splitext(model.rstrip("/"))[0].replace("/", "-") for model in models]
    return [f"{name}/{stem}" for stem in stems]


def _stem(model: str) -> str:
    return os.path.splitext(os.path.basename(model.rstrip("/")))[0]


def _target(table: Mapping[str, object], output: str | None, context: Context) -> str:
    """The target that is named, or that the output's suffix belongs to.  Raises SettingError."""
    named = table.get("to")
    if named is not None:
        if named not in context.targets.names:
            raise SettingError(f"there is no target {named!r}", did_you_mean(str(named), context.targets.names))
        return str(named)
    found = target_by_suffix(output or "", context.targets.all())
    if not found:
        raise SettingError("there is no target", f"to = {' or '.join(repr(n) for n in context.targets.names)}")
    return found


def target_by_suffix(output: str, targets: Iterable[Target]) -> str:
    """The name of the target whose artifacts have the longest suffix that a path ends in, in letters of either
    case; empty where none has.
    """
    path = output.rstrip("/").lower()
    found = [target for target in targets if path.endswith(target.suffix)]
    return max(found, key=lambda target: len(target.suffix)).name if found else ""
