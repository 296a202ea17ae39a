"""Options of a conversion as a TOML file has them: those of the command line, by the same names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from typing import Any

from mlconv.diagnostics.hints import did_you_mean
from mlconv.driver.options import Options, flag_name
from mlconv.exporters.target import Target, flag_of, value_of

# Of one run and its terminal, or said once for the whole project.
_NOT_OF_A_CONVERSION = frozenset(
    {"target", "files", "plugins", "jobs", "verify_each", "time_passes", "print_ir_after", "dump_ir"}
)
_PATHS = frozenset({"data", "calibration", "evaluation", "save_recipe", "save_calibration", "certificate", "report"})
_FOLDERS = frozenset({"source_roots"})
_NOT_A_PATH = ("random:",)

Settings = dict[str, Any]
"""Options by name, as `Options.with_settings` takes them."""
_Reader = Callable[[str, object], object]


class TableError(ValueError):
    """Several of a table."""

    def __init__(self, errors: Sequence[SettingError]) -> None:
        super().__init__(*map(str, errors))
        self.errors = tuple(errors)


class SettingError(ValueError):
    """A key or a value that there is not.  help: what there is instead.  keys: where it stands in its table."""

    def __init__(self, message: str, help_: str = "", keys: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.help, self.keys = help_, keys


def settings_of(table: Mapping[str, object], target: Target, root: str) -> Settings:
    """Options of a conversion, fields of `Options` and of the target's options, by name.

    table: by flags of the command line without dashes (`quantize-rule`).  root: the folder that paths start at.
    Raises TableError with all that is wrong.
    """
    own = {flag_of(f): f for f in fields(target.options)}
    common = {flag_name(f.name): f for f in fields(Options) if f.name not in _NOT_OF_A_CONVERSION}
    found: Settings = {}
    wrong: list[SettingError] = []
    for key, value in table.items():
        try:
            if key in own:
                found[own[key].name] = _located_setting(own[key], value_of(own[key], value), root)
            elif key in common:
                found[common[key].name] = _value(common[key], key, value, root)
            else:
                raise SettingError(f"there is no option {key!r}", did_you_mean(key, [*common, *own]))
        except SettingError as error:
            wrong.append(SettingError(str(error), error.help, (key,)))
        except ValueError as error:
            wrong.append(SettingError(f"{key}: {error}", keys=(key,)))
    if wrong:
        raise TableError(wrong)
    return found


def located(path: str, root: str) -> str:
    """A path of the project's file as the process finds it."""
    return os.path.normpath(os.path.join(root, path))


def _located_setting(option: Field[object], value: object, root: str) -> object:
    return located(str(value), root) if option.metadata["is_path"] and value else value


def _value(option: Field[object], key: str, value: object, root: str) -> object:
    read = _READERS.get(str(option.type)) or _READERS.get(option.name)
    if read is None:
        raise SettingError(f"{key} is no option of a project")
    found = read(key, value)
    if option.name in _FOLDERS:
        return tuple(located(folder, root) for folder in _texts(key, value))
    if option.name == "quantize":
        return located(str(found), root) if str(found).endswith(".toml") else found
    return located(str(found), root) if option.name in _PATHS and _is_path(str(found), root) else found


def _is_path(text: str, root: str) -> bool:
    """And not `random:8`, nor `module:function`."""
    return bool(text) and not text.startswith(_NOT_A_PATH) and (":" not in text or os.path.exists(located(text, root)))


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise SettingError(f"{key} is {value!r}, expected a text")
    return value


def _texts(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise SettingError(f"{key} is {value!r}, expected a list of texts")
    return tuple(value)


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise SettingError(f"{key} is {value!r}, expected true or false")
    return value


def _count(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise SettingError(f"{key} is {value!r}, expected an integer")
    return value


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise SettingError(f"{key} is {value!r}, expected a number")
    return float(value)


def _table(key: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise SettingError(f"{key} is {value!r}, expected a table of values by name", f"{key} = {{ NAME = ... }}")
    return value


def _by_name(read: _Reader) -> _Reader:
    """A table of values, each read as `read` does."""
    return lambda key, value: {name: read(f"{key}.{name}", item) for name, item in _table(key, value).items()}


def _sizes(key: str, value: object) -> tuple[int | str, ...]:
    if not isinstance(value, list) or any(isinstance(n, bool) or not isinstance(n, (int, str)) for n in value):
        raise SettingError(
            f"{key} is {value!r}, expected a list of sizes", "such as [1, 3, 224, 224], or ['N:1..8', 3]"
        )
    return tuple(value)


def _numbers(key: str, value: object) -> float | tuple[float, ...]:
    return tuple(_number(key, item) for item in value) if isinstance(value, list) else _number(key, value)


def _pairs(key: str, value: object) -> tuple[tuple[str, str], ...]:
    return tuple((old, _text(key, new)) for old, new in _table(key, value).items())


_READERS: Mapping[str, _Reader] = {
    "str": _text,
    "str | None": _text,
    "Any": _text,
    "bool": _flag,
    "int": _count,
    "float | None": _number,
    "tuple[str, ...]": _texts,
    "tuple[tuple[str, str], ...]": _pairs,
    "Mapping[str, str]": _by_name(_text),
    "Mapping[str, Sequence[int | str]]": _by_name(_sizes),
    "Mapping[str, float | Sequence[float]]": _by_name(_numbers),
}
"""By the type of the option's field."""
