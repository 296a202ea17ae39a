"""What is run beside another one."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from mlconv.driver.telling import QUIET, Telling
from mlconv.ir.constants import Array
from mlconv.ir.quant import QuantType
from mlconv.runtime.ports import Port

Inputs = Mapping[str, Array]


class Side(ABC):
    """What is run.  runtime: its name, for people.  ranges: smallest and largest value of symbols.  has_variables:
    what a call gives depends on those before.
    """

    runtime: str
    inputs: list[Port]
    outputs: list[Port]
    ranges: Mapping[str, Sequence[int | None]]
    has_variables: bool

    def __init__(self, path: str) -> None:
        self.path, self.ranges, self.has_variables = path, {}, False

    @abstractmethod
    def run(self, calls: Sequence[Inputs], telling: Telling = QUIET) -> list[dict[str, Array]]:
        """Outputs of each call, by name.  Variables are what the model begins with, and then what each call leaves.
        telling: is told how far that is.  Raises ConversionError.
        """

    @property
    def stage(self) -> str:
        """What running it is called."""
        return f"run {os.path.basename(self.path.rstrip('/'))} on {self.runtime}"

    @property
    @abstractmethod
    def rounds(self) -> bool:
        """It computes with fewer bits than float32 has, somewhere inside."""

    @property
    def quantizes(self) -> bool:
        """It has integers in place of numbers, somewhere inside; as much as is known."""
        return self.rounds

    def grids(self, call: Inputs) -> dict[str, QuantType]:
        """What floats of inputs are rounded to before anything is computed of them, by name, where that is known: other
        numbers are cut off.  call: some inputs.
        """
        return {}

    def lets_end(self, call: Inputs, most: int) -> bool:
        """No loop runs forever on some inputs, or for more than so many ops, as far as is known."""
        return True

    def begun(self, call: Inputs) -> Inputs:
        """The inputs of a first call, with those that stand for variables."""
        return call
