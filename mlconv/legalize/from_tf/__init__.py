"""Legalization of TensorFlow ops: `tf.*` source ops to core, one function per op."""

from __future__ import annotations

import functools
from importlib import import_module

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.ir.module import Module
from mlconv.legalize.source import Keep, OpTable
from mlconv.rewrite import Rules

_ROOMS = (
    "arrays",
    "banded",
    "bessel",
    "boxes",
    "color",
    "constants",
    "control",
    "conv",
    "drawing",
    "einsum",
    "elementwise",
    "gradients",
    "image",
    "incomplete",
    "index",
    "linalg",
    "lists",
    "matmul",
    "matrix",
    "norm",
    "optimizers",
    "pool",
    "quant",
    "quantized",
    "quantized_products",
    "ragged",
    "random",
    "recurrent",
    "reduce",
    "refused",
    "sets",
    "shape",
    "signal",
    "sparse",
    "sparse_tensors",
    "special",
    "spectral",
    "state",
    "stateless_random",
    "strided_slice",
    "tensor_arrays",
    "warp",
    "window_gradients",
    "windows",
)
"""Files of rules, each with its RULES."""


@functools.cache
def op_table() -> OpTable:
    """The rules of all files."""
    rooms = (import_module(f"{__name__}.{name}") for name in _ROOMS)
    return OpTable("tf", [room.RULES for room in rooms])


def legalize(
    module: Module,
    engine: DiagnosticEngine,
    keep: Keep | None = None,
    more: Rules | None = None,
    hlo: OpTable | None = None,
) -> None:
    """Replace all `tf.*` ops of a module by core ops; what cannot be replaced is reported to the engine, or passes
    through where `keep` says so.  more: rules that are asked first.  hlo: those of ops of called modules.
    """
    from mlconv.legalize.from_tf.lists import sweep_empty

    conversion = op_table().conversion(engine, lambda op: 0, keep, more, [] if hlo is None else [hlo])
    module.note_kinds("tf")
    for function in module.functions:
        conversion.run(function.block)
        if not engine.has_errors:
            try:
                sweep_empty(function.block)
            except ConversionError as error:
                engine.error(error)
