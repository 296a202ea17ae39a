"""Calls of modules of StableHLO, as jax2tf and torch_xla write them.

Source: tensorflow/core/ops/xla_ops.cc, XlaCallModule; tensorflow/compiler/tf2xla/kernels/xla_call_module_loader.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.called_modules import emit_module
from mlconv.importers.tf.attributes import MODULE, FileRange
from mlconv.importers.tf.graph import Node
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value

OLDEST: Final = 5
"""The version since which modules are portable artifacts."""


def emit_call(node: Node, operands: Sequence[Value], builder: Builder, path: str) -> list[Value]:
    """The results of a call, in place of which the ops of its module are emitted.  path: of the node.  Raises
    ConversionError VersionUnsupported, WrongArity, and what the module's ops raise.
    """
    version = node.attrs["version"]
    if version < OLDEST:
        raise ConversionError(
            Code.VersionUnsupported,
            f"{node.op} of version {version}, whose module is no portable artifact; versions from {OLDEST} on are read",
            help="save the model again with a newer jax",
        )
    held = node.attrs[MODULE[1]]
    source, place = (held.file, held[1:]) if isinstance(held, FileRange) else (held, (0, None))
    results = emit_module(source, place, node.attrs["platforms"], operands, builder, f"{path}/")
    if len(results) != len(node.outputs):
        raise ConversionError(
            Code.WrongArity, f"the module of '{node.name}' has {len(results)} results, the node {len(node.outputs)}"
        )
    return results
