"""Legalizations as passes, so that a pipeline reaches from the ops of a file to those of a target."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

from mlconv.diagnostics import DiagnosticEngine
from mlconv.ir.module import Module
from mlconv.passes.base import Pass
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import Statistics


@dataclass(frozen=True)
class _FromSource(Pass):
    """Source ops to core ops.  room: of `mlconv.legalize`."""

    room: ClassVar[str]

    def run(self, module: Module, statistics: Statistics) -> None:
        engine = DiagnosticEngine()
        import_module(f"mlconv.legalize.{self.room}").legalize(module, engine)
        engine.raise_errors()
        for function in module.functions:
            eliminate_dead_code(function.block)


@dataclass(frozen=True)
class FromOnnx(_FromSource):
    """ONNX operators to core ops."""

    name: ClassVar[str] = "from-onnx"
    room: ClassVar[str] = "from_onnx"


@dataclass(frozen=True)
class FromTf(_FromSource):
    """TensorFlow ops to core ops."""

    name: ClassVar[str] = "from-tf"
    room: ClassVar[str] = "from_tf"


@dataclass(frozen=True)
class FromHlo(_FromSource):
    """HLO instructions to core ops."""

    name: ClassVar[str] = "from-hlo"
    room: ClassVar[str] = "from_hlo"


@dataclass(frozen=True)
class ToTfl(Pass):
    """Core ops to TFLite ops.  reduce_float64: in float32 where TFLite has no kernel for float64."""

    name: ClassVar[str] = "to-tfl"
    reduce_float64: bool = False

    def run(self, module: Module, statistics: Statistics) -> None:
        from mlconv.legalize.to_tfl.driver import legalize

        engine = DiagnosticEngine()
        legalize(module, engine, self.reduce_float64)
        engine.raise_errors()


@dataclass(frozen=True)
class ToHlo(Pass):
    """Core ops to HLO instructions."""

    name: ClassVar[str] = "to-hlo"

    def run(self, module: Module, statistics: Statistics) -> None:
        from mlconv.legalize.to_hlo.driver import legalize

        engine = DiagnosticEngine()
        legalize(module, engine)
        engine.raise_errors()
