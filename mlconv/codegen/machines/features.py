"""What tells that a machine has a row of the table of instruction sets, by LLVM's names of features."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mlconv.codegen.machines.cpus import Cpu

_V3 = ("avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe")
_V4 = (*_V3, "avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd")
# Rows that are not here are had by every machine of their architecture.
SIGNS = {
    "x86-64-v3": _V3,
    "avx-vnni": (*_V3, "avxvnni"),
    "x86-64-v4": _V4,
    "avx512-vnni": (*_V4, "avx512vnni"),
    "amx": (*_V4, "avx512vnni", "avx512bf16", "amx-tile", "amx-int8", "amx-bf16"),
    "dotprod": ("neon", "dotprod"),
    "i8mm": ("neon", "dotprod", "i8mm"),
    "rv64gc": ("m", "a", "f", "d", "c"),
    "armv7-a": ("neon", "vfp4"),
    "cortex-m4": ("vfp4d16sp",),
    **dict.fromkeys(("cortex-m7", "cortex-m33"), ("fp-armv8d16sp",)),
    "cortex-m55": ("fp-armv8d16sp", "mve.fp"),
}


def rows_had(cpus: Sequence[Cpu], features: Collection[str]) -> list[Cpu]:
    """The rows of a table that a machine with these features has, the least first."""
    return [c for c in cpus if all(sign in features for sign in SIGNS.get(c.name, ()))]


def needs(cpu: Cpu) -> str:
    """What a row asks of a machine, in words of LLVM: features, else the processor."""
    asked = SIGNS.get(cpu.name) or [f.removeprefix("+") for f in cpu.features.split(",") if f.startswith("+")]
    return " ".join(asked) or cpu.target


def used_for(cpu: Cpu) -> str:
    """What code for a row does with it."""
    lanes = cpu.bits // 32
    parts = [f"float32 in vectors of {lanes}" if lanes > 1 else "scalar code"]
    parts += ["fused multiply-add"] if cpu.fma else []
    wider = [p for p in cpu.products if p.x.bits < 32]
    parts += [f"products of {p.x.display} by {p.weights.display} in {p.sums.display}" for p in wider]
    parts += [f"products of tiles of {m.x.display} by {m.weights.display}" for m in cpu.matrices]
    parts += [f"products of two rows of {r.x.display} by two columns of {r.weights.display}" for r in cpu.row_pairs]
    if cpu.dots:
        dot = cpu.dots[-1]
        where = f"in {dot.lanes} lanes" if dot.lanes > 1 else "at a time"
        count = {4: "four", 16: "sixteen"}[dot.places]
        parts.append(f"sums of {count} products of {dot.x.display} by {dot.weights.display} {where}")
    elif cpu.pairs:
        parts.append(f"sums of two products of int16 in {cpu.pairs[-1].lanes} lanes")
    return ", ".join(parts)
