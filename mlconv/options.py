"""Options of a run: frozen, with all defaults in one place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mlconv.diagnostics import Code, ConversionError

TARGETS = ("tflite", "hlo", "stablehlo", "native")
_RANGE = re.compile(r"(?:([A-Za-z_]\w*):)?(\d+)\.\.(\d+)")
_NAME = re.compile(r"[A-Za-z_]\w*")
SUFFIXES = {"tflite": ".tflite", "hlo": ".hlo.pb", "stablehlo": ".stablehlo.mlir", "native": ".o"}


@dataclass(frozen=True, slots=True)
class Options:
    """What a conversion is asked to do.

    inputs, outputs: names (`node`, `node:0`) that cut the graph.  shapes: input name to sizes: a number, -1 for a
    dynamic one, a name (`N`) for a symbol, a range (`1..32`) for a dynamic one with bounds, or both (`N:1..32`) for one that several inputs share.
    signature, tags: of a SavedModel.  imports: modules with the custom objects of a Keras file.
    io_layout: `keep` leaves inputs and outputs as the source has them, `nhwc` makes image inputs and outputs channels-last.
    reduce_float64: compute float64 in float32 where the target has no kernel for it.
    strip_locations, path_map: no lines of source in the output, or with prefixes of their paths replaced (from, to).
    weights: `inline`; of HLO also `parameters`, with the data in a safetensors file; of native code also `file`, beside the object.
    mesh, shard_rules: of HLO: axes of a device mesh with their sizes; patterns of names with a mesh axis (or `-`) for each axis of the tensor.
    machine, cpu, features: of native code: a target triple, one instruction set (by default all of the target, chosen among at run time), LLVM features.
    pool, shared, archive, example, self_test: of native code: a thread pool; also MODEL.so, MODEL.a, MODEL.example.c, MODEL.test.c with its data.
    tune, tune_cache: of native code: choose tiles by timing on this machine; a file that keeps what was chosen.
    io_json: also write the I/O contract, MODEL.io.json.
    fold_limit: largest growth in bytes that one constant folding may cause.
    """

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    signature: str | None = None
    tags: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    shapes: Mapping[str, Sequence[int | str]] = field(default_factory=dict)
    io_layout: str = "keep"
    allow_custom_ops: bool = False
    allow_select_ops: bool = False
    fold_limit: int = 1 << 20
    reduce_float64: bool = False
    strip_locations: bool = False
    path_map: tuple[tuple[str, str], ...] = ()
    weights: str = "inline"
    mesh: tuple[tuple[str, int], ...] = ()
    shard_rules: tuple[tuple[str, tuple[str, ...]], ...] = ()
    io_json: bool = False
    machine: str = ""
    cpu: str = ""
    features: str = ""
    pool: bool = False
    shared: bool = False
    archive: bool = False
    example: bool = False
    self_test: bool = False
    tune: bool = False
    tune_cache: str = ""
    verify: bool = False
    verify_each: bool = False
    time_passes: bool = False
    print_ir_after: str = ""
    dump_ir: str = ""

    def __post_init__(self) -> None:
        if self.io_layout not in ("keep", "nhwc"):
            raise ConversionError(Code.MLC0801, f"io_layout is {self.io_layout!r}, expected keep or nhwc")
        if any(size < 1 for _, size in self.mesh) or len({name for name, _ in self.mesh}) != len(self.mesh):
            raise ConversionError(Code.MLC0801, f"mesh is {self.mesh}, expected distinct names with sizes from 1")
        if self.weights not in ("inline", "parameters", "file"):
            raise ConversionError(Code.MLC0801, f"weights is {self.weights!r}, expected inline, parameters or file")
        for name, shape in self.shapes.items():
            for size in shape:
                _check_size(name, size)

    def plain_shapes(self) -> dict[str, tuple[int | str, ...]]:
        """Shapes as importers take them: a range has become a symbol, named after the input and the axis."""
        return {name: tuple(_symbol(name, i, d) for i, d in enumerate(shape)) for name, shape in self.shapes.items()}

    def ranges(self) -> dict[str, tuple[int, int]]:
        """Smallest and largest value of each symbol that was given as a range.  Raises ConversionError MLC0801 when one has two."""
        found: dict[str, tuple[int, int]] = {}
        for name, shape in self.shapes.items():
            for i, size in enumerate(shape):
                match = _RANGE.fullmatch(str(size))
                if match:
                    symbol, span = str(_symbol(name, i, size)), (int(match.group(2)), int(match.group(3)))
                    if found.get(symbol, span) != span:
                        raise ConversionError(Code.MLC0801, f"size {symbol} has the ranges {found[symbol]} and {span}")
                    found[symbol] = span
        return found


def _symbol(name: str, axis: int, size: int | str) -> int | str:
    match = _RANGE.fullmatch(size) if isinstance(size, str) else None
    return size if match is None else match.group(1) or f"{name.removesuffix(':0')}_{axis}"


def _check_size(name: str, size: int | str) -> None:
    """Raises ConversionError MLC0801."""
    if isinstance(size, str):
        match = _RANGE.fullmatch(size)
        good = bool(_NAME.fullmatch(size)) if match is None else 0 <= int(match.group(2)) <= int(match.group(3))
    else:
        good = size >= -1
    if not good:
        raise ConversionError(Code.MLC0801, f"shape of {name} has the size {size!r}: expected a number, -1, a name, or a range like 1..32 or N:1..32")
