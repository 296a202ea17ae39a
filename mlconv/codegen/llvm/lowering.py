"""What an instruction set lacks, in terms of what it has, so that the compiler does not call a library function for
each lane.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.literals import real
from mlconv.codegen.llvm.types import Value
from mlconv.codegen.machines.cpus import Cpu

Lower = Callable[[CodeFunction, str, Sequence[Value]], Value | None]
_ROUNDING = re.compile(r"llvm\.(roundeven|rint|nearbyint|floor|ceil|trunc)\.(v\d+)?f(32|64)")


def lower_for(cpu: Cpu) -> Lower | None:
    """A function that emits a call of an intrinsic in other instructions, or gives None for one that the instruction
    set has.
    """
    if cpu.fma and cpu.rounding:
        return None

    def lower(b: CodeFunction, name: str, arguments: Sequence[Value]) -> Value | None:
        if not cpu.fma and name.startswith("llvm.fma."):
            x, y, z = arguments
            return b.fadd(b.fmul(x, y), z)
        match = None if cpu.rounding else _ROUNDING.fullmatch(name)
        return None if match is None else _rounded(b, match[1], arguments[0])

    return lower


def _rounded(b: CodeFunction, kind: str, x: Value) -> Value:
    """Adding and subtracting 2^23 (2^52) rounds to nearest even; larger numbers, infinities and NaN are whole
    already.
    """
    t = x.type

    def signed(magnitude: Value) -> Value:
        return b.call(t, f"llvm.copysign.{t.name}", [magnitude, x])

    big, one = real(t, 2.0 ** (23 if t.bits == 32 else 52)), real(t, 1)
    size = b.call(t, f"llvm.fabs.{t.name}", [x])
    near = b.fsub(b.fadd(size, big), big)
    if kind == "trunc":
        above = b.fcmp("ogt", near, size)
        near = b.select(above, b.fsub(near, one), near)
    y = signed(near)
    if kind in ("floor", "ceil"):
        wrong = b.fcmp("ogt" if kind == "floor" else "olt", y, x)
        moved = b.binary("fsub" if kind == "floor" else "fadd", y, one)
        y = signed(b.call(t, f"llvm.fabs.{t.name}", [b.select(wrong, moved, y)]))
    small = b.fcmp("olt", size, big)
    return b.select(small, y, x)
