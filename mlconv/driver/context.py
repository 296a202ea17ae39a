"""What there is: targets, formats, passes and dialects, the built-in ones and those of plug-ins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Generic, TypeVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import DIALECTS
from mlconv.exporters.target import Target
from mlconv.importers.format import SourceFormat
from mlconv.importers.sniff import recognise
from mlconv.ir.dialect import Dialects
from mlconv.passes.table import PASSES

T = TypeVar("T")
TARGETS = {
    "tflite": "mlconv.exporters.tflite.target:TARGET",
    "hlo": "mlconv.exporters.hlo.target:HLO",
    "stablehlo": "mlconv.exporters.hlo.target:STABLEHLO",
    "native": "mlconv.exporters.native.target:TARGET",
}
FORMATS = {
    "mlir": "mlconv.importers.ir.format:FORMAT",
    "saved_model": "mlconv.importers.tf.format:SAVED_MODEL",
    "keras": "mlconv.importers.tf.format:KERAS",
    "hlo": "mlconv.importers.hlo.format:FORMAT",
    "onnx": "mlconv.importers.onnx.format:FORMAT",
    "graphdef": "mlconv.importers.tf.format:GRAPHDEF",
}


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Objects by name, loaded when they are asked for.  places: `module:object`, as entry points have it."""

    places: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.places)

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def __getitem__(self, name: str) -> T:
        module, _, attribute = self.places[name].partition(":")
        found: T = getattr(import_module(module), attribute)
        return found

    def all(self) -> list[T]:
        return [self[name] for name in self.places]


@dataclass(frozen=True)
class Context:
    """The registries of a run."""

    targets: Registry[Target] = field(default_factory=lambda: Registry(TARGETS))
    formats: Registry[SourceFormat] = field(default_factory=lambda: Registry(FORMATS))
    passes: Mapping[str, str] = field(default_factory=lambda: PASSES)
    dialects: Dialects = DIALECTS

    def target(self, name: str) -> Target:
        """Raises ConversionError MLC0801 for a name that no target has."""
        if name not in self.targets:
            listed = ", ".join(self.targets.names)
            raise ConversionError(Code.UsageError, f"unknown target {name!r}; targets are {listed}")
        return self.targets[name]

    def format_of(self, path: str) -> SourceFormat:
        """The format of a file.  Raises ConversionError MLC0001, MLC0002, MLC0003."""
        return recognise(path, self.formats.all())

    @cached_property
    def target_options(self) -> frozenset[str]:
        """Names of the options that some target has."""
        return frozenset(name for target in self.targets.all() for name in target.options.__dataclass_fields__)


BUILT_IN = Context()
