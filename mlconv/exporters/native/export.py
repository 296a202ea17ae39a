"""A module of kernel calls to `model.o`, `model.h` and `model.io.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mlconv.exporters.atomic import replacing
from mlconv.exporters.native.compile import compile_object
from mlconv.exporters.native.cpus import cpu_named
from mlconv.exporters.native.elf import grow
from mlconv.exporters.native.header import header, identifier, io_facts
from mlconv.exporters.native.plan import Plan, aligned, plan
from mlconv.exporters.native.program import WEIGHTS_SECTION, Program
from mlconv.ir.module import Module

# What LLVM calls by itself for fills and copies that it recognises.
LIBC = ("memcpy", "memset", "memmove")


def export(module: Module, path: str, cpu_name: str) -> int:
    """Write the object, its header and its contract beside it; returns the object's size in bytes."""
    target, cpu, function = Path(path), cpu_named(cpu_name), module.main
    prefix = identifier(target.name.removesuffix(".o").split(".")[0])
    layout = plan(function.block)
    program = Program(prefix, cpu, layout)
    text = program.text(function.block)
    image = compile_object(text, cpu.name)
    needed = sorted(n for n in {*program.declarations, *LIBC} if not n.startswith("llvm."))
    pieces: Iterator[bytes | memoryview] = iter([image])
    if layout.weight_bytes:
        pieces = grow(image, WEIGHTS_SECTION, f"{prefix}_weights", layout.weight_bytes, _weights(layout))
    stem = target.with_name(target.name.removesuffix(".o"))
    contract = json.dumps(io_facts(prefix, function, layout, cpu, needed), indent=1, ensure_ascii=False) + "\n"
    size = 0
    with replacing(stem.with_name(stem.name + ".h")) as text_out, replacing(stem.with_name(stem.name + ".io.json")) as json_out, replacing(target) as out:
        for piece in pieces:
            size += out.write(piece)
        text_out.write(header(prefix, function, layout, cpu, needed).encode())
        json_out.write(contract.encode())
    return size


def _weights(layout: Plan) -> Iterator[bytes | memoryview]:
    """Constants in order, each filled up to the alignment."""
    for constant, _ in layout.weights:
        yield from constant.blocks()
        yield bytes(aligned(constant.nbytes) - constant.nbytes)
