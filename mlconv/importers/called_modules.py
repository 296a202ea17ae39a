"""Modules of StableHLO that a graph of another format calls: their ops stand in place of the call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects.core import Constant
from mlconv.importers.stablehlo.bytecode import read_bytecode
from mlconv.importers.stablehlo.graph import inline
from mlconv.importers.stablehlo.ir import MlirFunction, MlirModule, Shaped
from mlconv.importers.stablehlo.shapes import tensor_type
from mlconv.ir.builder import Builder
from mlconv.ir.constants import SourceFile, Splat
from mlconv.ir.core import Value

_PLATFORM: Final = "CPU"


def emit_module(
    source: SourceFile | bytes,
    place: tuple[int, int | None],
    platforms: Sequence[str],
    operands: Sequence[Value],
    builder: Builder,
    prefix: str,
) -> list[Value]:
    """The results of a module, whose ops are emitted.  source: what holds its bytecode.  place: offset and length of it
    there.  platforms: that it was written for.  prefix: of names of values.  Raises ConversionError FileDamaged,
    VersionUnsupported, WrongArity, and what the module's ops raise.
    """
    module = read_bytecode(source, *place)
    given = [*_platform(module, [name.upper() for name in platforms], builder), *operands]
    return inline(module, given, builder.block, builder.location, prefix)


def _platform(module: MlirModule, platforms: Sequence[str], builder: Builder) -> list[Value]:
    """The argument of modules of several platforms that says which it runs on."""
    main = module.functions.get("main")
    if len(platforms) < 2 or main is None or not main.body.parameters or not _is_platform(main):
        return []
    stated = main.body.parameters[0].type
    if not isinstance(stated, Shaped) or stated.shape:
        return []
    index = platforms.index(_PLATFORM) if _PLATFORM in platforms else 0
    return [builder.emit(Constant(value=Splat(index, tensor_type(stated).dtype, ()))).y]


def _is_platform(main: MlirFunction) -> bool:
    """jax marks the argument."""
    return bool(main.argument_attributes) and "_platform_index" in main.argument_attributes[0].values()
