"""What tells that a machine has a row of the table of instruction sets, by LLVM's names of features."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from mlconv.codegen.machines.cpus import Cpu

_V3 = ("avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe")
_V4 = (*_V3, "avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd")
# Rows that are not here are had by every machine of their architecture.
SIGNS = {
    "x86-64-v3": _V3,
    "avx-vnni": (*_V3, "avxvnni"),
    "x86-64-v4": _V4,
    "avx512-vnni": (*_V4, "avx512vnni"),
    "avx512-bf16": (*_V4, "avx512vnni", "avx512bf16", "sse4a"),
    "amx": (*_V4, "avx512vnni", "avx512bf16", "amx-tile", "amx-int8", "amx-bf16"),
    "dotprod": ("neon", "dotprod"),
    "i8mm": ("neon", "dotprod", "i8mm"),
    "rv64gc": ("m", "a", "f", "d", "c"),
    "armv7-a": ("neon", "vfp4"),
    "cortex-m4": ("vfp4d16sp",),
    **dict.fromkeys(("cortex-m7", "cortex-m33"), ("fp-armv8d16sp",)),
    "cortex-m55": ("fp-armv8d16sp", "mve.fp"),
}


# What code for a row takes for granted besides.
_GRANTED = {
    "x86-64": ("sse2",),
    "armv8-a": ("neon",),
    **dict.fromkeys(("cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55"), ("dsp",)),
    "simd128": ("simd128",),
}
# By feature, what it builds on: LLVM takes it away with that.  Sources: X86.td, AArch64Features.td, ARMFeatures.td,
# RISCVFeatures.td of LLVM 22.
_SSE = ("sse", "sse2", "sse3", "ssse3", "sse4.1", "sse4.2", "avx")
_FPU = ("fpregs", "vfp2sp", "vfp3d16sp", "vfp4d16sp")
_BUILDS_ON = {
    **{later: (earlier,) for earlier, later in pairwise((*_SSE, "avx2"))},
    **dict.fromkeys(("fma", "f16c"), ("avx",)),
    "avxvnni": ("avx2",),
    "avx512f": ("avx2", "fma", "f16c"),
    **dict.fromkeys(("avx512vl", "avx512bw", "avx512dq", "avx512cd", "avx512vnni"), ("avx512f",)),
    "avx512bf16": ("avx512bw",),
    "sse4a": ("sse3",),
    **dict.fromkeys(("amx-int8", "amx-bf16"), ("amx-tile",)),
    "neon": ("fp-armv8", "vfp3"),
    **dict.fromkeys(("dotprod", "i8mm"), ("neon",)),
    "vfp3": ("vfp2",),
    "vfp4": ("vfp3",),
    **{later: (earlier,) for earlier, later in pairwise((*_FPU, "fp-armv8d16sp"))},
    "fullfp16": ("fp-armv8d16sp",),
    "mve": ("dsp", "fpregs"),
    "mve.fp": ("mve", "fullfp16"),
    "f": ("zicsr",),
    "d": ("f",),
    "a": ("zaamo", "zalrsc"),
    "m": ("zmmul",),
    "c": ("zca",),
}


def taken_away(features: str) -> set[str]:
    """Names that a list `+NAME,-NAME,...` takes away; the last word about a name counts."""
    last = {word[1:]: word[0] for word in features.split(",") if word}
    return {name for name, sign in last.items() if sign == "-"}


def lost(cpu: Cpu, without: Collection[str]) -> list[str]:
    """Features that a row asks for, of those that are taken away with others."""
    asked = dict.fromkeys((*_GRANTED.get(cpu.name, ()), *SIGNS.get(cpu.name, ())))
    return [f for f in asked if _rests_on(f) & set(without)]


def _rests_on(feature: str) -> set[str]:
    """A feature, and all that it builds on."""
    return {feature}.union(*(_rests_on(f) for f in _BUILDS_ON.get(feature, ())))


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
    parts += [f"sums of two products of bfloat16 in {cpu.half_pairs[-1].lanes} lanes"] if cpu.half_pairs else []
    if cpu.dots:
        dot = cpu.dots[-1]
        where = f"in {dot.lanes} lanes" if dot.lanes > 1 else "at a time"
        count = {4: "four", 16: "sixteen"}[dot.places]
        parts.append(f"sums of {count} products of {dot.x.display} by {dot.weights.display} {where}")
    elif cpu.pairs:
        parts.append(f"sums of two products of int16 in {cpu.pairs[-1].lanes} lanes")
    return ", ".join(parts)
