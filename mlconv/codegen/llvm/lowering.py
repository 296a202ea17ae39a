"""What an instruction set lacks, in terms of what it has, so that the compiler does not call a library function for
each lane.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.literals import real
from mlconv.codegen.llvm.types import I32, Value, integer
from mlconv.codegen.machines.cpus import SMLAD, VMLADAVA, Cpu

Lower = Callable[[CodeFunction, str, Sequence[Value]], Value | None]
_ROUNDING = re.compile(r"llvm\.(roundeven|rint|nearbyint|floor|ceil|trunc)\.(v\d+)?f(32|64)")


def lower_for(cpu: Cpu) -> Lower | None:
    """A function that emits a call of an intrinsic in other instructions, or gives None for one that the instruction
    set has.
    """
    dots = {SMLAD: _smlad_of_bytes, VMLADAVA: _vmladava_of_bytes}
    if cpu.fma and cpu.rounding and not any(d.intrinsic in dots for d in cpu.dots):
        return None

    def lower(b: CodeFunction, name: str, arguments: Sequence[Value]) -> Value | None:
        if not cpu.fma and name.startswith("llvm.fma."):
            x, y, z = arguments
            return b.fadd(b.fmul(x, y), z)
        if name in dots:
            return dots[name](b, *arguments)
        match = None if cpu.rounding else _ROUNDING.fullmatch(name)
        return None if match is None else _rounded(b, match[1], arguments[0])

    return lower


def _smlad_of_bytes(b: CodeFunction, sums: Value, x: Value, weights: Value) -> Value:
    """Four products of bytes: those at even places, then the others; both factors are widened alike, two bytes of a
    word at a time (SXTB16), and two products are added at once (SMLAD).
    """
    words = b.bitcast(x, I32), b.bitcast(weights, I32)
    for by in (0, 8):
        turned = [b.call(I32, "llvm.fshr.i32", [w, w, integer(I32, by)]) if by else w for w in words]
        wide = [b.call(I32, "llvm.arm.sxtb16", [w]) for w in turned]
        sums = b.call(I32, "llvm.arm.smlad", [*wide, sums])
    return sums


def _vmladava_of_bytes(b: CodeFunction, sums: Value, x: Value, weights: Value) -> Value:
    """Sixteen products of bytes with signs, which are neither taken off nor exchanged."""
    plain = [integer(I32, 0)] * 3
    return b.call(I32, "llvm.arm.mve.vmldava.v16i8", [*plain, sums, x, weights])


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
