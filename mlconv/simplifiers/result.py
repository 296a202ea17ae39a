"""What a simplification gives, of any format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mlconv.ir.module import Function
from mlconv.ir.types import TensorType


class Counts(NamedTuple):
    """ops: nodes by operator.  size: bytes of all files."""

    ops: Counter[str]
    size: int


@dataclass(frozen=True, slots=True)
class Simplified:
    """source: what there was.  ops: what is left.  applied: how often each rule was applied.  write: to a file, and
    beside it; returns the size of all in bytes.  function: the inputs.  types: of values of the source, by name.
    foreign: operators that nothing here knows.  texts: that inputs of texts may be.  files: that were read.
    """

    source: Counts
    ops: Counter[str]
    applied: dict[str, int]
    write: Callable[[Path], int]
    function: Function
    types: Mapping[str, TensorType]
    foreign: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def rounds(self) -> bool:
        """Numbers are rounded to few bits inside."""
        return any("uant" in name or "QLinear" in name or "Integer" in name for name in self.source.ops)
