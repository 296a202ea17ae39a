"""What there is: targets, formats, passes and dialects, the built-in ones and those of plug-ins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, TypeVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import nearest
from mlconv.dialects import DIALECTS
from mlconv.driver.plugins import Plugin, checked, installed, named, providing
from mlconv.exporters.target import Target
from mlconv.importers.format import SourceFormat
from mlconv.importers.sniff import recognise
from mlconv.ir.dialect import Dialects
from mlconv.ir.objects import object_at
from mlconv.passes.table import PASSES

T = TypeVar("T")
TARGETS = {
    "tflite": "mlconv.exporters.tflite.target:TARGET",
    "hlo": "mlconv.exporters.hlo.target:HLO",
    "stablehlo": "mlconv.exporters.hlo.target:STABLEHLO",
    "onnx": "mlconv.exporters.onnx.target:TARGET",
    "savedmodel": "mlconv.exporters.savedmodel.target:SAVED_MODEL",
    "graphdef": "mlconv.exporters.savedmodel.target:GRAPHDEF",
    "native": "mlconv.exporters.native.target:TARGET",
}
FORMATS = {
    "stablehlo": "mlconv.importers.stablehlo.format:FORMAT",
    "mlir": "mlconv.importers.ir.format:FORMAT",
    "tflite": "mlconv.importers.tflite_format:FORMAT",
    "saved_model": "mlconv.importers.tf.format:SAVED_MODEL",
    "keras": "mlconv.importers.keras_format:KERAS",
    "torch_export": "mlconv.importers.torch_format:TORCH_EXPORT",
    "hlo": "mlconv.importers.hlo.format:FORMAT",
    "onnx": "mlconv.importers.onnx.format:FORMAT",
    "graphdef": "mlconv.importers.tf.format:GRAPHDEF",
}


STOPWATCHES = {"native": "mlconv.driver.stopwatch:native_stopwatch"}


class Registry(Generic[T]):
    """Objects of a kind by name, loaded when they are asked for.  places: `module:object`, as entry points have it."""

    def __init__(self, kind: type[T], places: Mapping[str, str]) -> None:
        self.kind, self.places = kind, places

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.places)

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def __getitem__(self, name: str) -> T:
        return object_at(self.places[name], self.kind)

    def all(self) -> list[T]:
        return [self[name] for name in self.places]


@dataclass(frozen=True, eq=False, repr=False)
class Context:
    """The registries of a run.  rules: further ones, by the pass that asks them.  kernels: further kinds, by the names
    of their ops.  stopwatches: by targets whose code can be timed here, functions of options and a context that give
    a `quantize.stopwatch.Stopwatch`.
    """

    targets: Registry[Target] = field(
        default_factory=lambda: Registry(Target, TARGETS)  # type: ignore[type-abstract]
    )
    formats: Registry[SourceFormat] = field(
        default_factory=lambda: Registry(SourceFormat, FORMATS)  # type: ignore[type-abstract]
    )
    passes: Mapping[str, str] = field(default_factory=lambda: PASSES)
    dialects: Dialects = DIALECTS
    rules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kernels: Mapping[str, str] = field(default_factory=dict)
    stopwatches: Mapping[str, str] = field(default_factory=lambda: STOPWATCHES)
    plugins: tuple[Plugin, ...] = ()

    def with_plugins(self, plugins: Iterable[Plugin]) -> Context:
        """These registries with what plug-ins have.  Raises ConversionError PluginUnusable for names that are taken."""
        context = self
        for plugin in plugins:
            if plugin not in context.plugins:
                context = context._with(plugin)
        return context

    def _with(self, plugin: Plugin) -> Context:
        taken: dict[str, Mapping[str, str]] = {
            "targets": self.targets.places,
            "formats": self.formats.places,
            "passes": self.passes,
            "dialects": self.dialects.places,
            "kernels": self.kernels,
        }
        for group, places in taken.items():
            both = places.keys() & plugin.of(group).keys()
            if both:
                message = f"plug-in {plugin.name} has {sorted(both)[0]!r} among its {group}, which there is already"
                raise ConversionError(Code.PluginUnusable, message)
        rules = {name: (*self.rules.get(name, ()), place) for name, place in plugin.of("rules").items()}
        return replace(
            self,
            targets=Registry(self.targets.kind, {**self.targets.places, **plugin.of("targets")}),
            formats=Registry(self.formats.kind, {**plugin.of("formats"), **self.formats.places}),
            passes={**self.passes, **plugin.of("passes")},
            dialects=self.dialects.with_more(plugin.of("dialects")),
            rules={**self.rules, **rules},
            kernels={**self.kernels, **plugin.of("kernels")},
            plugins=(*self.plugins, plugin),
        )

    def target(self, name: str) -> Target:
        """Raises ConversionError UsageError for a name that no target has."""
        if name not in self.targets:
            listed = ", ".join(self.targets.names)
            near = nearest(name.lower(), self.targets.names)
            raise ConversionError(
                Code.UsageError,
                f"unknown target {name!r}; targets are {listed}",
                help=f"did you mean {near[0]}?" if near else "",
            )
        return self.targets[name]

    def format_of(self, path: str) -> SourceFormat:
        """The format of a file.  Raises ConversionError InputNotReadable, FormatUnknown, FileDamaged."""
        return recognise(path, self.formats.all())

    @cached_property
    def target_options(self) -> frozenset[str]:
        """Names of the options that some target has."""
        return frozenset(name for target in self.targets.all() for name in target.options.__dataclass_fields__)


BUILT_IN = Context()


def context_of(
    plugins: Iterable[str] = (),
    target: str = "",
    paths: Iterable[str] = (),
    passes: Iterable[str] = (),
    dialects: Iterable[str] = (),
) -> Context:
    """The built-in registries, with those of plug-ins that are named, and of those that have what is in none: a target,
    passes, dialects, the formats of files and the dialects of IR text.  Raises ConversionError PluginUnusable.
    """
    context = BUILT_IN.with_plugins(named(plugins)) if plugins else BUILT_IN
    if target:
        context = _with(context, "targets", target, context.targets.places)
    for name in passes:
        context = _with(context, "passes", name, context.passes)
    for name in dialects:
        context = _with(context, "dialects", name, context.dialects.places)
    for path in paths:
        context = _for_file(context, path)
    return context


def _with(context: Context, group: str, name: str, known: Iterable[str]) -> Context:
    """With the plug-in that has an object of a name, where there is none yet."""
    found = None if name in known else providing(group, name)
    return context if found is None else context.with_plugins([found])


def _for_file(context: Context, path: str) -> Context:
    """With the plug-in that reads a file, where no other format is its own, or that has dialects of IR text."""
    try:
        form = context.format_of(path)
    except ConversionError as error:
        if error.code is not Code.FormatUnknown:
            return context  # said when it is read
        return next(filter(None, (_reading(context, plugin, path) for plugin in installed().values())), context)
    for dialect in form.dialects(path):
        context = _with(context, "dialects", dialect, context.dialects.places)
    return context


def _reading(context: Context, plugin: Plugin, path: str) -> Context | None:
    """With a plug-in, when a format of it is that of a file."""
    if not plugin.of("formats") or plugin in context.plugins:
        return None
    more = context.with_plugins([checked(plugin)])
    try:
        form = more.format_of(path)
    except ConversionError:
        return None
    return more if form.name in plugin.of("formats") else None
