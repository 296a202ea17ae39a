"""The choice of an instruction set at run time: CPUID is asked once, on Arm the system; the answer is kept in an atomic
that every thread may write, with the same value.

On Arm the C library's `getauxval` tells what Linux says of the processor: a weak symbol, so that programs without that
library take the least set.

The instructions that LLVM has no intrinsics for are bytes in front of a function's body (`prologue`), so no
assembler for the target is needed.
Source: Intel SDM volume 2, CPUID and XGETBV; they take and give what the System V calling convention says, on every
system (x86_64_sysvcc).  Registers that Linux gives to processes that ask for them: Documentation/arch/x86/xstate.rst
of its source, ARCH_REQ_XCOMP_PERM; a process asks once, for all of its threads, and it may ask again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.instructions import UNORDERED
from mlconv.codegen.llvm.types import FALSE, I1, I32, I64, NULL, TRUE, VOID, LlvmType, Value, index, integer, pointer
from mlconv.codegen.machines.cpus import AT_HWCAP, AT_HWCAP2, ECX, Cpu

# push rbx; mov r8, rdx; mov eax, edi; mov ecx, esi; cpuid; mov [r8], eax; mov [r8+4], ebx; mov [r8+8], ecx; mov
# [r8+12], edx; pop rbx; ret
_CPUID = bytes.fromhex("53 49 89 d0 89 f8 89 f1 0f a2 41 89 00 41 89 58 04 41 89 48 08 41 89 50 0c 5b c3")
# xor ecx, ecx; xgetbv; ret
_XGETBV = bytes.fromhex("31 c9 0f 01 d0 c3")
# mov esi, edi; mov edi, 0x1023; mov eax, 158; syscall; ret: arch_prctl(ARCH_REQ_XCOMP_PERM, component)
_PERMISSION = bytes.fromhex("89 fe bf 23 10 00 00 b8 9e 00 00 00 0f 05 c3")
_XSAVE_BIT = 27  # OSXSAVE, leaf 1 ECX: xgetbv may be executed
_CONVENTION = "x86_64_sysvcc"
_CHOSEN, _TELLS = pointer("@chosen"), pointer("@getauxval")
_BASES = (0, 0x8000_0000)  # leaves that say how far leaves go from there
_NONE = integer(I32, 0)
Leaves = dict[tuple[int, int, int], Value]  # by leaf, subleaf and register


def choice(cpus: Sequence[Cpu]) -> list[str]:
    """Text of `i32 choice()`: the position of the last of `cpus` that this machine has, or -1.  Attribute group 0 is
    the baseline's.
    """
    f = CodeFunction(I32, "choice", [], {})
    asked = [p for c in cpus for p in c.probes]
    if not asked:
        f.ret(_NONE)
        return [f.text()]
    kept = f"{_CHOSEN.text} = internal global i32 0"
    if all(p.leaf in (AT_HWCAP, AT_HWCAP2) for p in asked):
        weak = f"declare extern_weak {I64.text} {_TELLS.text}({I64.text})"
        return [weak, kept, _choice(f, cpus, lambda: _found(f, cpus, _told(f, sorted({p.leaf for p in asked})), _NONE))]
    out = [Value(I32, "%leaf"), Value(I32, "%subleaf"), pointer("%out")]
    registers = f.room(I32, 4)
    asks = [_machine_code(I32, "permission", [Value(I32, "%component")], _PERMISSION)]
    return [
        _machine_code(VOID, "cpuid", out, _CPUID),
        _machine_code(I32, "xgetbv", [], _XGETBV),
        *(asks if any(c.permission for c in cpus) else ()),
        kept,
        _choice(f, cpus, lambda: _asked(f, cpus, registers)),
    ]


def _machine_code(result: LlvmType, name: str, parameters: Sequence[Value], code: bytes) -> str:
    """A function that is machine code; the body behind it is never reached."""
    data = "".join(f"\\{b:02X}" for b in code)
    attributes = f'#0 prologue [{len(code)} x i8] c"{data}"'
    f = CodeFunction(result, name, parameters, {}, attributes, convention=_CONVENTION)
    f.ret(None if result is VOID else integer(result, 0))
    return f.text()


def _choice(f: CodeFunction, cpus: Sequence[Cpu], probe: Callable[[], Value]) -> str:
    """The answer that is known, or that of the probes."""
    known = f.load_atomic(I32, _CHOSEN, UNORDERED)
    f.branch(f.icmp("ne", known, _NONE), "leave", "probe")
    f.label("probe")
    found = probe()
    f.store_atomic(found, _CHOSEN, UNORDERED)
    end = f.block
    f.goto("leave")
    f.label("leave")
    value = f.phi(I32)
    f.comes(value, known, "entry")
    f.comes(value, found, end)
    f.ret(f.sub(value, integer(I32, 2)))
    return f.text()


def _asked(f: CodeFunction, cpus: Sequence[Cpu], registers: Value) -> Value:
    """What CPUID says."""
    leaves = _leaves(f, registers, sorted({(1, 0), *((p.leaf, p.subleaf) for c in cpus for p in c.probes)}))
    return _found(f, cpus, leaves, _state(f, leaves))


def _told(f: CodeFunction, numbers: Sequence[int]) -> Leaves:
    """What the system says of each number; nothing where there is no C library."""
    before = f.block
    f.branch(f.icmp("ne", _TELLS, NULL), "ask", "told")
    f.label("ask")
    said = {n: f.convert("trunc", f.invoke(I64, _TELLS.text.removeprefix("@"), [index(n)]), I32) for n in numbers}
    f.goto("told")
    f.label("told")
    leaves: Leaves = {}
    for n in numbers:
        leaves[n, 0, 0] = f.phi(I32)
        f.comes(leaves[n, 0, 0], _NONE, before)
        f.comes(leaves[n, 0, 0], said[n], "ask")
    return leaves


def _leaves(f: CodeFunction, registers: Value, numbers: Sequence[tuple[int, int]]) -> Leaves:
    """Registers of leaves.  A leaf that the processor lacks counts as zeros."""

    def ask(leaf: int, subleaf: int = 0) -> list[Value]:
        f.invoke(VOID, "cpuid", [integer(I32, leaf), integer(I32, subleaf), registers], f"{_CONVENTION} ")
        return [f.load(I32, f.gep(I32, registers, index(register)), I32.align) for register in range(4)]

    limits = {base: ask(base)[0] for base in _BASES}
    leaves: Leaves = {}
    for leaf, subleaf in numbers:
        values = ask(leaf, subleaf)
        there = f.icmp("uge", limits[leaf & _BASES[1]], integer(I32, leaf))
        for register, value in enumerate(values):
            leaves[leaf, subleaf, register] = f.select(there, value, _NONE)
    return leaves


def _state(f: CodeFunction, leaves: Leaves) -> Value:
    """XCR0, the registers that the system saves; zero where it cannot be asked for."""
    saves = f.and_(leaves[1, 0, ECX], integer(I32, 1 << _XSAVE_BIT))
    before = f.block
    f.branch(f.icmp("ne", saves, _NONE), "state", "state_done")
    f.label("state")
    asked = f.invoke(I32, "xgetbv", [], f"{_CONVENTION} ")
    f.goto("state_done")
    f.label("state_done")
    saved = f.phi(I32)
    f.comes(saved, _NONE, before)
    f.comes(saved, asked, "state")
    return saved


def _found(f: CodeFunction, cpus: Sequence[Cpu], leaves: Leaves, saved: Value) -> Value:
    """2 + the position, 1 for none."""
    found: Value = integer(I32, 1)
    for i, cpu in enumerate(cpus):
        needs = [(leaves[p.leaf, p.subleaf, p.register], p.mask) for p in cpu.probes]
        needs += [(saved, cpu.state)] if cpu.state else []
        has: Value = TRUE
        for value, mask in needs:
            bits = integer(I32, mask)
            has = f.and_(has, f.icmp("eq", f.and_(value, bits), bits))
        has = _permitted(f, has, cpu.permission) if cpu.permission else has
        found = f.select(has, integer(I32, i + 2), found)
    return found


def _permitted(f: CodeFunction, has: Value, component: int) -> Value:
    """Whether the system lets this process use a component of the state, where the rest is there."""
    before, ask, leave = f.block, f"ask{component}", f"asked{component}"
    f.branch(has, ask, leave)
    f.label(ask)
    refused = f.invoke(I32, "permission", [integer(I32, component)], f"{_CONVENTION} ")
    fine = f.icmp("eq", refused, _NONE)
    f.goto(leave)
    f.label(leave)
    permitted = f.phi(I1)
    f.comes(permitted, FALSE, before)
    f.comes(permitted, fine, ask)
    return permitted
