"""Tiles of matrices in registers of their own (AMX): eight, of up to 16 rows of 64 bytes, whose numbers are a part of
the instructions.  Which products there are, an instruction set's table says (`Cpu.matrices`).

Source: Intel SDM volume 1, chapter 18, and volume 2, LDTILECFG, TILELOADD, TILESTORED, TILEZERO, TILERELEASE; a memory
image of the configuration has the palette in byte 0, bytes of rows from byte 16, and rows from byte 48 on.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I8, I64, VOID, Value, index, integer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.instructions import Matrix
from mlconv.dialects.kernel import TILE_ROW, ProductTypes
from mlconv.ir.dims import Size

ROWS = 16  # of a tile, at most
_PALETTE = 1
_FIRST_ROWS = 48  # where the configuration has them
_NUMBERS = 8


class TileShape(NamedTuple):
    """Rows of a tile, and bytes of each."""

    rows: Size
    bytes: int = TILE_ROW


def matrix_of(types: ProductTypes, cpu: Cpu) -> Matrix | None:
    """The row of an instruction set's table for types of a product."""
    return next((m for m in cpu.matrices if m[:3] == types[:3]), None)


def configure(b: Builder, shapes: Mapping[int, TileShape]) -> None:
    """Give tiles their shapes, by their numbers; all of them hold zeros then."""
    columns = struct.pack("<8H", *(shapes[i].bytes if i in shapes else 0 for i in range(_NUMBERS)))
    numbers = [shapes[i].rows if i in shapes else 0 for i in range(_NUMBERS)]
    rows = bytes(n if isinstance(n, int) else 0 for n in numbers)
    image = bytes([_PALETTE]).ljust(16, b"\0") + columns.ljust(32, b"\0") + rows.ljust(16, b"\0")
    room = b.room(I64, len(image) // I64.size)
    for i, word in enumerate(struct.unpack("<8q", image)):
        b.store(integer(I64, word), b.moved(room, I64, i), I64.align)
    for i, number in enumerate(numbers):
        if not isinstance(number, int):  # a tile without rows is none, which has no bytes of them either
            there = b.most(b.number(number), index(1))
            b.store(b.convert("trunc", there, I8), b.moved(room, I8, _FIRST_ROWS + i), I8.align)
    b.call(VOID, "llvm.x86.ldtilecfg", [room])


def release(b: Builder) -> None:
    """Tiles are not used any more: the system need not save them."""
    b.call(VOID, "llvm.x86.tilerelease", [])


def clear(b: Builder, tile: int) -> None:
    b.call(VOID, "llvm.x86.tilezero", [integer(I8, tile)])


def load_tile(b: Builder, tile: int, pointer: Value, pitch: Size, passing: bool = False) -> None:
    """Read a tile's rows.  pitch: bytes from one to the next.  passing: the first-level cache should rather keep what
    it has.
    """
    name = "llvm.x86.tileloaddt164" if passing else "llvm.x86.tileloadd64"
    b.call(VOID, name, [integer(I8, tile), pointer, b.number(pitch)])


def store_tile(b: Builder, tile: int, pointer: Value, pitch: int) -> None:
    b.call(VOID, "llvm.x86.tilestored64", [integer(I8, tile), pointer, index(pitch)])


def add_products(b: Builder, matrix: Matrix, sums: int, x: int, weights: int) -> None:
    """Tile `sums` + the product of two others."""
    b.call(VOID, matrix.intrinsic, [integer(I8, n) for n in (sums, x, weights)])
