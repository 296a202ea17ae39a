"""Machines that objects are made for: by the parts of a target triple."""

from __future__ import annotations

import platform
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from mlconv.codegen.machines.cpus import AARCH64, ARM, CORTEX_M, RISCV64, WASM32, X86_64, Cpu
from mlconv.codegen.machines.features import SIGNS, lost, needs, rows_had, taken_away
from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import nearest
from mlconv.ir.dtypes import DType


class Target(NamedTuple):
    """triple: as LLVM takes it.  format: `elf`, `macho`, `coff` or `wasm`.  pointer: bits.  cpus: those to choose from,
    the least first.

    dispatch: an object serves all of `cpus`; elsewhere it is made for one, `least` or better.  abi: calling convention,
    where the triple does not say it.
    """

    triple: str
    format: str
    pointer: int
    cpus: tuple[Cpu, ...]
    dispatch: bool = False
    abi: str = ""
    least: int = 0

    @property
    def arch(self) -> str:
        return self.triple.split("-")[0]

    @property
    def bare(self) -> bool:
        """There is no system: memory is scarce, and nothing loads code where it likes."""
        return "-none-" in self.triple

    @property
    def unwinds(self) -> bool:
        """Objects tell debuggers and profilers what is on the stack (.eh_frame, .pdata), as the calling conventions of
        these systems ask for; that of 32-bit Arm would need symbols of a C++ library for it.
        """
        return self.pointer == 64 and not self.bare and self.format != "wasm"

    @property
    def normal_triple(self) -> str:
        """With a vendor: LLVM would take `none` for one, and the environment, which says how numbers are passed, for a
        system.
        """
        return re.sub(r"^([^-]+)-none-([^-]+)$", r"\1-unknown-none-\2", self.triple)

    @property
    def unsigned(self) -> bool:
        """Its instructions for sums of products of bytes take one factor without a sign (VPDPBUSD)."""
        return any(dot.x is DType.U8 for cpu in self.cpus for dot in cpu.dots)

    @property
    def checks(self) -> bool:
        """Code that is made for one instruction set asks the processor for it all the same."""
        return self.cpus[: len(X86_64)] == X86_64[: len(self.cpus)]


_ARCHITECTURES: dict[str, tuple[int, tuple[Cpu, ...], str]] = {
    "x86_64": (64, X86_64, ""),
    "aarch64": (64, AARCH64, ""),
    "arm64": (64, AARCH64, ""),
    "riscv64": (64, RISCV64, "lp64d"),
    "armv7": (32, ARM, ""),
    "armv7a": (32, ARM, ""),
    "thumbv7em": (32, CORTEX_M, ""),
    "thumbv8m.main": (32, CORTEX_M, ""),
    "thumbv8.1m.main": (32, CORTEX_M, ""),
    "wasm32": (32, WASM32, ""),
}
_SHORT = {
    "x86_64": "x86_64-unknown-linux-gnu",
    "aarch64": "aarch64-unknown-linux-gnu",
    "riscv64": "riscv64-unknown-linux-gnu",
    "armv7": "armv7-unknown-linux-gnueabihf",
    "cortex-m": "thumbv7em-none-eabihf",
    "wasm32": "wasm32-unknown-unknown",
    "macos": "arm64-apple-macosx11.0.0",
    "windows": "x86_64-pc-windows-msvc",
}
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64", "riscv64": "riscv64"}


def host_triple() -> str:
    """Linux on this machine's architecture; on x86-64 where that is none that code is made for."""
    return _SHORT[_MACHINES.get(platform.machine().lower(), "x86_64")]


def tables() -> dict[str, tuple[Cpu, ...]]:
    """The rows of each architecture, by the first of its names."""
    first: dict[tuple[Cpu, ...], str] = {}
    for arch, (_, cpus, _) in _ARCHITECTURES.items():
        first.setdefault(cpus, arch)
    return {arch: cpus for cpus, arch in first.items()}


def target_named(name: str) -> Target:
    """By a triple or a short name; this machine's for an empty one.  Raises ConversionError UsageError."""
    triple = _SHORT.get(name, name) or host_triple()
    arch, _, rest = triple.partition("-")
    if arch not in _ARCHITECTURES or not re.fullmatch(r"[\w.]+(-[\w.]+){1,3}", triple):
        raise ConversionError(
            Code.UsageError,
            f"no code is made for the target {name!r}",
            help=f"a triple, or one of {', '.join(sorted(_SHORT))}",
        )
    pointer, cpus, abi = _ARCHITECTURES[arch]
    format_ = (
        "wasm"
        if arch == "wasm32"
        else "macho"
        if "apple" in rest or "darwin" in rest
        else "coff"
        if "windows" in rest
        else "elf"
    )
    dispatch = cpus is X86_64 or (cpus is AARCH64 and "linux" in rest)
    least = 1 if cpus is AARCH64 and "macos" in rest else 0  # Apple's processors for Macs have dot products, all
    if "linux" not in rest:
        cpus = tuple(c for c in cpus if not c.permission)  # it is asked for as Linux wants it
    return Target(triple, format_, pointer, cpus, dispatch=dispatch, abi=abi, least=least)


def candidates(target: Target, name: str, features: str) -> tuple[Cpu, ...]:
    """The instruction sets that an object may be made for, the least first: all that are chosen among at run time, the
    named one, or those that a named processor has, of which the last one that a model uses is taken.  features: added
    to each; sets that need what they take away are left out, and a named processor has one that does not.  Raises
    ConversionError UsageError for names that are not known, and where no set is left.
    """
    if features and not re.fullmatch(r"[+-][\w.-]+(,[+-][\w.-]+)*", features):
        raise ConversionError(Code.UsageError, f"features {features!r} are not of the form +NAME,-NAME,...")
    rows = tuple(c for c in target.cpus if c.name == name)
    without = taken_away(features)
    if without and not target.checks and name in _processors(target) and any(lost(c, without) for c in rows):
        rows = ()  # a processor's name, not that of a set that all who ask for it have
    if not name:
        cpus = _kept(target.cpus if target.dispatch else target.cpus[target.least : target.least + 1], without)
    else:
        cpus = _kept(rows, without) if rows else _of_processor(target, name, without)
    if not (target.checks or (target.dispatch and not name)):
        cpus = tuple(c._replace(probes=()) for c in cpus)
    if not features:
        return cpus
    return tuple(c._replace(features=",".join(filter(None, (c.features, features)))) for c in cpus)


def _kept(cpus: Sequence[Cpu], without: Collection[str]) -> tuple[Cpu, ...]:
    """Rows that need nothing of what is taken away.  Raises ConversionError UsageError where there is none, or the
    first, which all machines run, is not among them.
    """
    first = lost(cpus[0], without)
    if first:
        message = f"code for {cpus[0].name} needs {' '.join(first)}, which -{',-'.join(sorted(without))} takes away"
        raise ConversionError(Code.UsageError, message, help="leave it in, or name another processor")
    return tuple(c for c in cpus if not lost(c, without))


def _processors(target: Target) -> Mapping[str, str]:
    """LLVM's processors of an architecture, with what each has; none of those that are not told apart."""
    from mlconv.codegen.machines import cpu_names

    known: Mapping[str, Mapping[str, str]] = {
        "x86_64": cpu_names.X86_64_NAMES,
        **dict.fromkeys(("aarch64", "arm64"), cpu_names.AARCH64_NAMES),
        "riscv64": cpu_names.RISCV64_NAMES,
        **dict.fromkeys(("armv7", "armv7a"), cpu_names.ARMV7_NAMES),
        **dict.fromkeys(("thumbv7em", "thumbv8m.main", "thumbv8.1m.main"), cpu_names.CORTEX_M_NAMES),
    }
    return known.get(target.arch, {})


def _of_processor(target: Target, name: str, without: Collection[str]) -> tuple[Cpu, ...]:
    """The rows of the table that a processor of LLVM's has.  Where an object looks for its instruction set, that of a
    row is all it may use, in an order that suits the processor; elsewhere it may use all that the processor has.
    """
    listed = _processors(target)
    if name not in listed:
        raise _unknown(target, name, [*(c.name for c in target.cpus), *listed])
    features = {f for word in listed[name].split() for f in SIGNS.get(word, (word,))}
    had = rows_had(target.cpus, features)
    if had:
        had = list(_kept(had, without))
    else:
        wanted = needs(target.cpus[0])
        raise ConversionError(Code.UsageError, f"{name} lacks what native code for {target.arch} needs: {wanted}")
    if target.checks:
        return tuple(row._replace(tune=name) for row in had)
    return (had[-1]._replace(name=name, target=name, features=""),)


def _unknown(target: Target, name: str, known: Sequence[str]) -> ConversionError:
    near = nearest(name.lower().replace("_", "-"), known, 3)
    rows = ", ".join(c.name for c in target.cpus)
    message = f"unknown cpu {name!r} of {target.arch}; native code is made for {rows}"
    others = " and processors by LLVM's names" if _processors(target) else ""
    return ConversionError(
        Code.UsageError,
        message + others,
        help=f"did you mean {' or '.join(near)}?" if near else "see mlconv doctor --targets",
    )
