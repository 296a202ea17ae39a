"""A module of kernel calls to `model.o`, `model.h` and `model.io.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mlconv.exporters.atomic import replacing
from mlconv.exporters.native.compile import compile_object
from mlconv.exporters.native.elf import grow, undefined_symbols
from mlconv.exporters.native.header import header, identifier, io_facts
from mlconv.exporters.native.module import WEIGHTS_SECTION, module_text
from mlconv.exporters.native.plan import Plan, aligned, plan
from mlconv.exporters.native.targets import chosen_cpus, target_named
from mlconv.ir.module import Module


def export(module: Module, path: str, cpu_name: str = "", target_name: str = "", features: str = "") -> int:
    """Write the object, its header and its contract beside it; returns the object's size in bytes.

    cpu_name: one instruction set, or empty for all of the target, chosen among at run time.  Raises ConversionError MLC0801 for unknown names.
    """
    target, function, machine = Path(path), module.main, target_named(target_name)
    cpus = chosen_cpus(machine, cpu_name, features)
    prefix = identifier(target.name.removesuffix(".o").split(".")[0])
    layout = plan(function.block)
    image = compile_object(module_text(prefix, machine, cpus, layout, function.block), machine)
    needed = undefined_symbols(image)
    pieces: Iterator[bytes | memoryview] = iter([image])
    if layout.weight_bytes:
        pieces = grow(image, WEIGHTS_SECTION, f"{prefix}_weights", layout.weight_bytes, _weights(layout))
    stem = target.with_name(target.name.removesuffix(".o"))
    contract = json.dumps(io_facts(prefix, function, layout, machine, cpus, needed), indent=1, ensure_ascii=False) + "\n"
    size = 0
    with replacing(stem.with_name(stem.name + ".h")) as text_out, replacing(stem.with_name(stem.name + ".io.json")) as json_out, replacing(target) as out:
        for piece in pieces:
            size += out.write(piece)
        text_out.write(header(prefix, function, layout, machine, cpus, needed).encode())
        json_out.write(contract.encode())
    return size


def _weights(layout: Plan) -> Iterator[bytes | memoryview]:
    """Constants in order, each filled up to the alignment."""
    for constant, _ in layout.weights:
        yield from constant.blocks()
        yield bytes(aligned(constant.nbytes) - constant.nbytes)
