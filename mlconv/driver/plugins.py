"""Plug-ins: installed packages with entry points, found when one is named or a name is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

API = 1
"""The number of the interface that `mlconv.plugin` is."""

GROUPS = ("targets", "formats", "passes", "dialects", "rules", "kernels")


@dataclass(frozen=True, eq=False, repr=False)
class Plugin:
    """name, version: of the distribution.  places: by group, `module:object` by name.  api: where its number stands."""

    name: str
    version: str
    api: str = ""
    places: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, group: str) -> Mapping[str, str]:
        return self.places.get(group, {})


def installed() -> dict[str, Plugin]:
    """All plug-ins that are installed, by name.  None of their code is run."""
    from importlib.metadata import entry_points  # takes a third of the time that the help takes

    found: dict[str, dict[str, dict[str, str]]] = {}
    versions: dict[str, str] = {}
    for group in ("api", *GROUPS):
        for entry in entry_points(group=f"mlconv.{group}"):
            name = _distribution(entry)
            versions[name] = entry.dist.version if entry.dist is not None else ""
            found.setdefault(name, {}).setdefault(group, {})[entry.name] = entry.value
    return {
        name: Plugin(name, versions[name], groups.pop("api", {}).get("api", ""), groups)
        for name, groups in sorted(found.items())
    }


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value.partition(":")[0]


def named(names: Iterable[str]) -> list[Plugin]:
    """Plug-ins by name.  Raises ConversionError PluginUnusable for one that is not installed, or of another API."""
    known = {_plain(name): plugin for name, plugin in installed().items()}
    found = []
    for name in names:
        if _plain(name) not in known:
            raise ConversionError(
                Code.PluginUnusable,
                f"no plug-in that is installed is called {name!r}",
                help="mlconv doctor lists those that are",
            )
        found.append(checked(known[_plain(name)]))
    return found


def providing(group: str, name: str) -> Plugin | None:
    """The plug-in that has an object of a name, if one is installed.  Raises ConversionError PluginUnusable for one of
    another API.
    """
    found = next((p for p in installed().values() if name in p.of(group)), None)
    return None if found is None else checked(found)


def checked(plugin: Plugin) -> Plugin:
    """Raises ConversionError PluginUnusable for a plug-in of another API, or whose number cannot be read."""
    module, _, attribute = plugin.api.partition(":")
    try:
        number = getattr(import_module(module), attribute) if module and attribute else None
    except (ImportError, AttributeError) as error:
        raise ConversionError(Code.PluginUnusable, f"plug-in {plugin.name} cannot be loaded: {error}") from error
    if number != API:
        raise ConversionError(
            Code.PluginUnusable,
            f"plug-in {plugin.name} {plugin.version} was written for version {number} of the interface, this is {API}",
            help="install a version of the plug-in, or of mlconv, that fits",
        )
    return plugin


def _plain(name: str) -> str:
    """Names of distributions differ in case and in `-` and `_` at will."""
    return name.lower().replace("_", "-")
