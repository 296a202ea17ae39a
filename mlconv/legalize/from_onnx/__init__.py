"""Legalization of ONNX operators: `onnx.*` source ops to core, one function per operator."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.ir.core import Op
from mlconv.ir.module import Module
from mlconv.legalize.declared import Declared
from mlconv.legalize.source import Keep, OpTable
from mlconv.rewrite import Rules

_ROOMS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "com.microsoft": (
            "contrib.attention",
            "contrib.diffusion",
            "contrib.embedding",
            "contrib.fused",
            "contrib.group_query",
            "contrib.integers",
            "contrib.nbits",
            "contrib.refused",
            "contrib.tensors",
        ),
        "ai.onnx.ml": (
            "ml.encoders",
            "ml.features",
            "ml.linear",
            "ml.svm",
            "ml.tree_classifier",
            "ml.trees",
        ),
        "": (
            "activation",
            "attention",
            "control_flow",
            "conv",
            "elementwise",
            "image",
            "index",
            "integer_products",
            "loss",
            "matmul",
            "normalization",
            "pool",
            "quantize",
            "recurrent",
            "reduce",
            "resize",
            "sequence",
            "suppression",
            "shape",
            "signal",
            "slicing",
        ),
    }
)
"""Files of rules, each with its RULES, by what has them all: only models with operators of a domain load its own.  The
last have what other domains share with them, too.
"""


@functools.cache
def op_table(domains: frozenset[str] = frozenset(_ROOMS)) -> OpTable:
    """The rules of all files, or of those of some domains."""
    rooms = (import_module(f"{__name__}.{name}") for domain in _ROOMS if domain in domains for name in _ROOMS[domain])
    return OpTable("onnx", [room.RULES.rules for room in rooms])


def _domains_of(module: Module) -> frozenset[str]:
    """That operators of a module are of, and the default one."""
    names = {op.name for op in module.walk()}
    return frozenset(
        domain for domain in _ROOMS if not domain or any(name.startswith(f"onnx.{domain}.") for name in names)
    )


def opset_of(op: Op) -> int:
    """The version of the operator set that an op is of.  Raises ConversionError AttributeInvalid."""
    version = op.attributes.get("opset_version", 1)
    if not isinstance(version, int):
        raise ConversionError(
            Code.AttributeInvalid, f"{op.name}: the version {version!r} of its operator set is no number"
        )
    return version


def legalize(module: Module, engine: DiagnosticEngine, keep: Keep | None = None, more: Rules | None = None) -> None:
    """Replace all `onnx.*` ops of a module by core ops; what cannot be replaced is reported to the engine, or passes
    through where `keep` says so.  more: rules that are asked first.
    """
    from mlconv.legalize.from_onnx.sequence import give_elements, sweep

    conversion = op_table(_domains_of(module)).conversion(engine, opset_of, keep, more)
    conversion.declared = declared = Declared()
    module.note_kinds("onnx")
    for function in module.functions:
        conversion.asking = function.facts
        conversion.run(function.block)
        if not engine.has_errors:
            give_elements(function)
            sweep(function.block, engine)
    declared.tell(engine)
