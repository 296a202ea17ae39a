"""What an instruction set lacks, in terms of what it has, so that the compiler does not call a library function for
each lane.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mlconv.codegen.machines.cpus import Cpu

if TYPE_CHECKING:
    from mlconv.codegen.llvm.text import Builder

Arguments = Sequence[tuple[str, str]]
Lower = Callable[["Builder", str, Arguments], "str | None"]
_ROUNDING = re.compile(r"llvm\.(roundeven|rint|nearbyint|floor|ceil|trunc)\.(v\d+)?f(32|64)")


def lower_for(cpu: Cpu) -> Lower | None:
    """A function that emits a call of an intrinsic in other instructions, or gives None for one that the instruction
    set has.
    """
    if cpu.fma and cpu.rounding:
        return None

    def lower(b: Builder, name: str, arguments: Arguments) -> str | None:
        if not cpu.fma and name.startswith("llvm.fma."):
            (t, x), (_, y), (_, z) = arguments
            return b.op(f"fadd {t} {b.op(f'fmul {t} {x}, {y}')}, {z}")
        match = None if cpu.rounding else _ROUNDING.fullmatch(name)
        return None if match is None else _rounded(b, match[1], match[2] or "", int(match[3]), arguments[0][1])

    return lower


def _rounded(b: Builder, kind: str, lanes: str, bits: int, x: str) -> str:
    """Adding and subtracting 2^23 (2^52) rounds to nearest even; larger numbers, infinities and NaN are whole
    already.
    """
    base = "float" if bits == 32 else "double"
    count = lanes[1:]
    t, mask = (f"<{count} x {base}>", f"<{count} x i1>") if lanes else (base, "i1")
    suffix = f"{lanes}f{bits}"

    def number(value: float) -> str:
        text = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return f"splat ({base} {text})" if lanes else text

    def signed(magnitude: str) -> str:
        return b.call(t, f"llvm.copysign.{suffix}", [(t, magnitude), (t, x)])

    big = number(2.0 ** (23 if bits == 32 else 52))
    size = b.call(t, f"llvm.fabs.{suffix}", [(t, x)])
    near = b.op(f"fsub {t} {b.op(f'fadd {t} {size}, {big}')}, {big}")
    if kind == "trunc":
        above = b.op(f"fcmp ogt {t} {near}, {size}")
        near = b.op(f"select {mask} {above}, {t} {b.op(f'fsub {t} {near}, {number(1)}')}, {t} {near}")
    y = signed(near)
    if kind in ("floor", "ceil"):
        wrong = b.op(f"fcmp {'ogt' if kind == 'floor' else 'olt'} {t} {y}, {x}")
        moved = b.op(f"{'fsub' if kind == 'floor' else 'fadd'} {t} {y}, {number(1)}")
        y = signed(b.call(t, f"llvm.fabs.{suffix}", [(t, b.op(f"select {mask} {wrong}, {t} {moved}, {t} {y}"))]))
    small = b.op(f"fcmp olt {t} {size}, {big}")
    return b.op(f"select {mask} {small}, {t} {y}, {t} {x}")
