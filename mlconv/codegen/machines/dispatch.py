"""The choice of an instruction set at run time: CPUID is asked once; the answer is kept in an atomic that every thread
may write, with the same value.

The two instructions that LLVM has no intrinsics for are bytes in front of a function's body (`prologue`), so no
assembler for the target is needed.
Source: Intel SDM volume 2, CPUID and XGETBV; they take and give what the System V calling convention says, on every
system (x86_64_sysvcc).
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.machines.cpus import Cpu

# push rbx; mov r8, rdx; mov eax, edi; mov ecx, esi; cpuid; mov [r8], eax; mov [r8+4], ebx; mov [r8+8], ecx; mov
# [r8+12], edx; pop rbx; ret
_CPUID = bytes.fromhex("53 49 89 d0 89 f8 89 f1 0f a2 41 89 00 41 89 58 04 41 89 48 08 41 89 50 0c 5b c3")
# xor ecx, ecx; xgetbv; ret
_XGETBV = bytes.fromhex("31 c9 0f 01 d0 c3")
_XSAVE_BIT = 27  # OSXSAVE, leaf 1 ECX: xgetbv may be executed
_CHOICE = "define internal i32 @choice() #0 {"


def choice(cpus: Sequence[Cpu]) -> list[str]:
    """Text of `i32 choice()`: the position of the last of `cpus` that this machine has, or -1.  Attribute group 0 is
    the baseline's.
    """
    if not any(c.probes for c in cpus):
        return [_CHOICE, "  ret i32 0", "}"]
    return [
        _bytes("cpuid", "void", "i32 %leaf, i32 %subleaf, ptr %out", _CPUID, ""),
        _bytes("xgetbv", "i32", "", _XGETBV, " 0"),
        "@chosen = internal global i32 0",
        _CHOICE,
        "entry:",
        "  %registers = alloca [4 x i32], align 4",
        "  %known = load atomic i32, ptr @chosen monotonic, align 4",
        "  %again = icmp ne i32 %known, 0",
        "  br i1 %again, label %leave, label %probe",
        "probe:",
        *_probes(cpus),
        "  store atomic i32 %found, ptr @chosen monotonic, align 4",
        "  br label %leave",
        "leave:",
        "  %value = phi i32 [ %known, %entry ], [ %found, %state_done ]",
        "  %position = sub i32 %value, 2",
        "  ret i32 %position",
        "}",
    ]


def _bytes(name: str, result: str, parameters: str, code: bytes, value: str) -> str:
    """A function that is machine code; the body behind it is never reached."""
    data = "".join(f"\\{b:02X}" for b in code)
    return (
        f"define internal x86_64_sysvcc {result} @{name}({parameters}) #0 "
        f'prologue [{len(code)} x i8] c"{data}" {{\n  ret {result}{value}\n}}'
    )


def _probes(cpus: Sequence[Cpu]) -> list[str]:
    """%found: 2 + the position, 1 for none.  A leaf that the processor lacks counts as zeros."""
    lines: list[str] = []

    def ask(leaf: int) -> dict[int, str]:
        lines.append(f"  call x86_64_sysvcc void @cpuid(i32 {leaf}, i32 0, ptr %registers)")
        names = {}
        for register in range(4):
            name = f"%r{len(lines)}"
            lines.append(f"  {name}p = getelementptr i32, ptr %registers, i64 {register}")
            lines.append(f"  {name} = load i32, ptr {name}p, align 4")
            names[register] = name
        return names

    limits = {base: ask(base)[0] for base in (0, 0x8000_0000)}
    leaves: dict[tuple[int, int], str] = {}
    for leaf in sorted({1, *(p.leaf for c in cpus for p in c.probes)}):
        values = ask(leaf)
        lines.append(f"  %there{leaf} = icmp uge i32 {limits[leaf & 0x8000_0000]}, {leaf}")
        for register, value in values.items():
            lines.append(f"  %leaf{leaf}.{register} = select i1 %there{leaf}, i32 {value}, i32 0")
            leaves[leaf, register] = f"%leaf{leaf}.{register}"
    lines += [
        f"  %saves = and i32 {leaves[1, 2]}, {1 << _XSAVE_BIT}",
        "  %can = icmp ne i32 %saves, 0",
        "  br i1 %can, label %state, label %state_done",
        "state:",
        "  %xcr0 = call x86_64_sysvcc i32 @xgetbv()",
        "  br label %state_done",
        "state_done:",
        "  %saved = phi i32 [ 0, %probe ], [ %xcr0, %state ]",
    ]
    found = "1"
    for i, cpu in enumerate(cpus):
        needs = [(leaves[p.leaf, p.register], p.mask) for p in cpu.probes] + (
            [("%saved", cpu.state)] if cpu.state else []
        )
        has = "true"
        for k, (value, mask) in enumerate(needs):
            lines += [f"  %bits{i}.{k} = and i32 {value}, {mask}", f"  %all{i}.{k} = icmp eq i32 %bits{i}.{k}, {mask}"]
            lines.append(f"  %has{i}.{k} = and i1 {has}, %all{i}.{k}")
            has = f"%has{i}.{k}"
        name = "%found" if i == len(cpus) - 1 else f"%found{i}"
        lines.append(f"  {name} = select i1 {has}, i32 {i + 2}, i32 {found}")
        found = name
    return lines
