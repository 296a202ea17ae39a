"""LLVM IR text to an object, in memory."""

from __future__ import annotations

import contextlib
import ctypes
import enum
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Protocol

from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.features import rows_had
from mlconv.codegen.machines.targets import Target, target_named
from mlconv.diagnostics import Code, ConversionError

_SLOWER = 6.0  # times, of code that is not optimized: ResNet-50 6.2, MobileNetV2 3.5
_LINE_NS = 40_000.0  # of optimizations, for a line of text: of the same models
# On x86 addresses need no loop strength reduction: they have an index and a distance, and the generators keep what is
# left in few numbers.  It took a fifth to a third of the time to compile, and the code was no faster for it.
_NEVER = {"x86_64": ("disable-lsr",)}
_SPARED = ("disable-lsr", "disable-machine-licm", "disable-machine-cse", "disable-machine-sink", "disable-cgp")
# Whether instructions are put into another order than the generators write them in.  On x86 code that runs a few times
# takes a fifth less of LLVM's time without it, and is no slower (ResNet-50 0.95, MobileNetV2 0.97 times).  WebAssembly
# has none unless it is asked for; LLVM asks whether the option was ever given, so that it is given for all code.
_ORDER, _UNORDERED = "enable-misched", "wasm32"
_SPARED_SLOWER = 1.05  # times, of code without these: MobileNetV2 1.05, EfficientNet-B0 and ResNet-50 1.01 to 1.02
_SPARED_LINE_NS = 4_000.0  # of these for a line of text, of the same models, without the first
_OPTIONS = threading.Lock()  # LLVM's options are of the process


class Effort(enum.Enum):
    """NONE: no optimizations.  BRIEF: those without which code is much slower.  FULL: all of them.  The numbers that
    code computes are the same.
    """

    NONE = 0
    BRIEF = 1
    FULL = 2


class _Machine(Protocol):
    """What is asked of llvmlite's TargetMachine, which has no types."""

    def emit_object(self, module: object) -> bytes: ...
    def emit_assembly(self, module: object) -> str: ...
    def set_asm_verbosity(self, verbose: bool) -> None: ...


def host_cpu() -> str:
    """The instruction set to make code for that only this machine runs."""
    return host_cpus()[-1]


def host_cpus() -> list[str]:
    """The instruction sets of the table that this machine has, the least first."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    first, *others = target_named("").cpus
    had = rows_had(others, {name for name, has in features.items() if has})
    return [c.name for c in (first, *had) if not c.permission or is_permitted(c.permission)]


def is_permitted(component: int) -> bool:
    """Whether Linux lets this process use a component of the processor's state, which asks for it."""
    if sys.platform != "linux":
        return False
    arch_prctl, request = 158, 0x1023  # ARCH_REQ_XCOMP_PERM
    return bool(ctypes.CDLL(None).syscall(arch_prctl, request, component) == 0)


def check_features(target: Target, features: str) -> None:
    """Raises ConversionError UsageError for names that LLVM does not know: it says so on standard error alone, so that
    a process of its own is asked.
    """
    import subprocess

    code = (
        "import sys, llvmlite.binding as llvm; llvm.initialize_all_targets();"
        "llvm.Target.from_triple(sys.argv[1]).create_target_machine(features=sys.argv[2])"
    )
    said = subprocess.run(
        [sys.executable, "-P", "-c", code, target.triple, features], capture_output=True, text=True, check=False
    ).stderr
    unknown = list(dict.fromkeys(re.findall(r"'([+-][^']*)' is not a recognized feature", said)))
    if unknown:
        raise ConversionError(Code.UsageError, f"LLVM knows no feature {' '.join(unknown)} of {target.arch}")


def effort_that_repays(text: str, runs: int, nanoseconds: float) -> Effort:
    """Of LLVM's optimizations those that save more than they take.  runs: of the code, 0 where it is not known how
    many.  nanoseconds: of a run.
    """
    lines = text.count("\n")
    if not runs or (_SPARED_SLOWER - 1) * runs * nanoseconds > _SPARED_LINE_NS * lines:
        return Effort.FULL
    return Effort.BRIEF if (_SLOWER - 1) * runs * nanoseconds > _LINE_NS * lines else Effort.NONE


def compilation(text: str, target: Target, cpu: Cpu, effort: Effort = Effort.FULL) -> Callable[[], bytes]:
    """What makes a relocatable object, position independent where there are loaders; it holds the module as LLVM has
    it, so that nobody needs the text meanwhile.  cpu: of what is not a function's.

    No mid-level passes: the generators write what those would.
    """
    machine, module = _parsed(text, target, cpu, 0 if effort is Effort.NONE else 2)

    def emitted() -> bytes:
        with _spared(target, effort):
            return machine.emit_object(module)

    return emitted


@contextlib.contextmanager
def _spared(target: Target, effort: Effort = Effort.FULL) -> Iterator[None]:
    """While LLVM has the options under which it spares the passes that take long for what they give, and for less than
    FULL also what gives little.
    """
    import llvmlite.binding as llvm

    options = _SPARED if effort is Effort.BRIEF else _NEVER.get(target.arch, ())
    keeps = target.arch == _UNORDERED or (effort is not Effort.FULL and target.arch == "x86_64")
    with _OPTIONS:
        llvm.set_option("", f"-{_ORDER}={str(not keeps).lower()}")
        for option in options:
            llvm.set_option("", f"-{option}=true")
        try:
            yield
        finally:
            for option in options:
                llvm.set_option("", f"-{option}=false")


def assembly(text: str, target: Target, cpu: Cpu) -> str:
    """The same as assembly, with lines of the user's source as comments."""
    machine, module = _parsed(text, target, cpu)
    machine.set_asm_verbosity(True)
    with _spared(target):
        return machine.emit_assembly(module)


def _parsed(text: str, target: Target, cpu: Cpu, level: int = 2) -> tuple[_Machine, object]:
    """LLVM's machine, and its module.  level: of optimization."""
    import llvmlite.binding as llvm

    if target.arch == target_named("").arch:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    try:
        module = llvm.parse_assembly(text)
    except RuntimeError as error:
        raise ConversionError(Code.InternalError, f"generated code is not valid: {error}") from error
    backend = llvm.Target.from_triple(target.normal_triple)
    fixed = target.format == "wasm" or target.bare  # nothing there loads code where it likes
    machine = backend.create_target_machine(
        cpu.target, cpu.features, opt=level, reloc="static" if fixed else "pic", codemodel="small", abiname=target.abi
    )
    return machine, module
