"""What an object is made for, and which files are made with it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from mlconv.codegen.kernels.kind import KINDS, Kinds
from mlconv.codegen.progress import Compiling
from mlconv.ir.constants import Array


@dataclass(frozen=True, slots=True)
class Settings:
    """machine: target triple or short name, this machine's when empty.  cpu: one instruction set, or empty for all of
    the target, chosen among at run time.

    features: LLVM's, added to each.  separate_weights: in MODEL.weights.bin, not in the object.  pool: with a thread
    pool.  stamps: see `module_text`.
    shared, archive, example: also write MODEL.so, MODEL.a, MODEL.example.c.  vectors: inputs and the outputs that they
    must give, by name: also write MODEL.test.c and MODEL.test.bin.  choices: of tiles and depthwise convolutions by
    instruction set and problem (`tuned`).
    listings: `llvm` and `asm`: also write MODEL.SET.ll and MODEL.SET.s for each instruction set.
    small: the object stays near the size of its weights.  sums: of a register tile, at most; 0 for what is fastest.
    interface: facts of inputs and outputs of the source model (`interface_of`), for the model interface.
    kinds: where the kinds of kernels are found.  here: the object is for this process and its workers, so that its
    interface names libraries by their paths.  serial: one thread runs it, so that nothing shares kernels among threads.
    runs: how often it will run, at most, where that is known; 0 where it is not.  progress: is told how far it is.
    """

    machine: str = ""
    cpu: str = ""
    features: str = ""
    separate_weights: bool = False
    pool: bool = False
    stamps: bool = False
    shared: bool = False
    archive: bool = False
    example: bool = False
    vectors: tuple[dict[str, Array], dict[str, Array]] | None = None
    choices: dict[tuple[str, Hashable], tuple[int, ...]] = field(default_factory=dict)
    listings: tuple[str, ...] = ()
    small: bool = False
    sums: int = 0
    interface: dict[str, Any] | None = None
    kinds: Kinds = field(default_factory=lambda: KINDS)
    here: bool = False
    serial: bool = False
    runs: int = 0
    progress: Compiling = field(default_factory=Compiling, compare=False)
