"""Instruction sets as data."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError


class Cpu(NamedTuple):
    """What the generators ask: registers and their width in float32 lanes."""

    name: str
    registers: int
    width: int


CPUS = {c.name: c for c in (Cpu("x86-64-v3", 16, 8), Cpu("x86-64-v4", 32, 16))}


def cpu_named(name: str) -> Cpu:
    """Raises ConversionError MLC0801 for a name that is not in the table."""
    if name not in CPUS:
        raise ConversionError(Code.MLC0801, f"unknown cpu {name!r}; native code is made for {', '.join(CPUS)}")
    return CPUS[name]
