"""Instructions that a row of the table of instruction sets may have, and what is asked before they are used."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.ir.dtypes import DType


class Probe(NamedTuple):
    """Bits that must all be set in a register of a CPUID leaf; on Arm, in what the system says of a number
    (`AT_HWCAP`).
    """

    leaf: int
    register: int
    bits: tuple[int, ...]
    subleaf: int = 0

    @property
    def mask(self) -> int:
        return sum(1 << b for b in self.bits)


class MultiplyAdd(NamedTuple):
    """How vectors of `x` and of `weights` are multiplied and added to sums: the intrinsic, as LLVM spells it but for
    the type of the sums.  An instruction set without it has what `lower_for` makes of it.
    """

    x: DType
    weights: DType
    sums: DType
    intrinsic: str


class Dot(NamedTuple):
    """An instruction that adds products of bytes, of so many places, to each of `lanes` sums of int32, or two that do.
    x, weights: types of the factors.  intrinsic: as LLVM spells it, or a name that `lower_for` knows, which takes the
    sums, x and the weights.
    """

    x: DType
    weights: DType
    lanes: int
    intrinsic: str
    places: int = 4


class RowPair(NamedTuple):
    """An instruction that adds products of bytes, eight places of two rows by eight of two columns, to two by two sums
    of int32.  x, weights: types of the factors.  intrinsic: as LLVM spells it, which takes the sums, x and the weights.
    """

    x: DType
    weights: DType
    intrinsic: str


class Matrix(NamedTuple):
    """An instruction that adds products of two tiles of a matrix to a third (AMX).  x, weights, sums: types of the
    elements.  intrinsic: as LLVM spells it, which takes numbers of tiles: of the sums, of rows of x and of weights.
    """

    x: DType
    weights: DType
    sums: DType
    intrinsic: str


class Instruction(NamedTuple):
    """What an instruction set has for vectors of so many lanes, as LLVM spells it."""

    lanes: int
    intrinsic: str


class Shuffle(NamedTuple):
    """An instruction that picks bytes of `parts` times 16, as LLVM spells it, which takes those and the places, of so
    many lanes; each 16 of these pick from their own 16 bytes where there are more (PSHUFB).  Places from 128 on give 0;
    of several parts, all beyond them do (TBL).
    """

    lanes: int
    intrinsic: str
    parts: int = 1


class Narrowing(NamedTuple):
    """Instructions that make bytes of registers of `lanes` floats, as LLVM spells them: floats to the nearest integers,
    two registers of these to words, and two of words to bytes, with a sign or without, all limited to what there is.
    single: those that narrow make half a register of one (SQXTN), and the nearest integer is limited, too.
    """

    lanes: int
    nearest: str
    words: str
    signed: str
    unsigned: str
    single: bool = False
