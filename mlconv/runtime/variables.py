"""Variables that go in and out of what is run, from one call to the next: who calls it need not know of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.facts import StateRow
from mlconv.ir.module import Function
from mlconv.runtime.arrays import read_safetensors
from mlconv.runtime.native_interface import NativeInterface

Arrays = Mapping[str, npt.ArrayLike]
CALLS: Final = 3
"""Calls that a model with variables is compared over: what is wrong with one shows in what the next gives."""


class Variables:
    """What each input that stands for a variable takes next time: the initial values to begin with, which are read when
    they are first needed.
    """

    def __init__(self, slots: list[StateRow], initial: Callable[[], Mapping[str, Array]]) -> None:
        """initial: gives values by variable.  Raises ConversionError."""
        self._slots, self._initial = slots, initial
        self.inputs, self.outputs = frozenset(s.input for s in slots), frozenset(s.output for s in slots)
        self._values: dict[str, Array] = {}

    @classmethod
    def of_function(cls, function: Function) -> Variables:
        slots = function.facts.state
        return cls(function.facts.state_rows, lambda: {name: slot.initial.view() for name, slot in slots.items()})

    @classmethod
    def of_object(cls, path: str, interface: NativeInterface) -> Variables:
        """Initial values lie in a file beside the object, which its interface names."""
        ins, outs = ({port.name for port in side} for side in (interface.inputs, interface.outputs))
        rows = [s for s in interface.facts.get("state", ()) if s.get("input") in ins and s.get("output") in outs]
        slots = [StateRow(str(s.get("variable")), s["input"], s["output"]) for s in rows]
        return cls(slots, lambda: _beside(path, interface.facts.get("initial_state"), slots))

    def left_out(self, inputs: Arrays) -> bool:
        """Whether the caller gives no value for some variable."""
        return not self.inputs <= inputs.keys()

    def with_values(self, inputs: Arrays) -> dict[str, Array]:
        """The inputs, and what is kept of those that stand for variables.  Raises ConversionError ExternalDataInvalid,
        FileDamaged.
        """
        return {**(self._values or self.reset()), **{name: np.asarray(x) for name, x in inputs.items()}}

    def keep(self, results: Mapping[str, Array]) -> None:
        """What a call gave is what the next one takes.  The arrays are copied: the caller may write to its own."""
        self._values = {slot.input: np.array(results[slot.output]) for slot in self._slots}

    def reset(self) -> dict[str, Array]:
        """The initial values, by input, from now on.  Raises ConversionError ExternalDataInvalid, FileDamaged."""
        held = self._initial() if self._slots else {}
        self._values = {slot.input: held[slot.variable] for slot in self._slots}
        return self._values

    def step(
        self, run: Callable[[Mapping[str, Array]], dict[str, Array]], inputs: Mapping[str, Array]
    ) -> dict[str, Array]:
        """A call that goes on from what the one before left, where the caller leaves variables out."""
        if not self.left_out(inputs):
            return run(inputs)
        results = run(self.with_values(inputs))
        self.keep(results)
        return results


def _beside(path: str, file: object, slots: list[StateRow]) -> dict[str, Array]:
    """Arrays of a file beside an object.  Raises ConversionError ExternalDataInvalid, FileDamaged."""
    if not isinstance(file, str) or os.path.basename(file) != file:
        raise ConversionError(Code.FileDamaged, f"the model interface names no file of initial values, but {file!r}")
    held = read_safetensors(os.path.join(os.path.dirname(path), file))
    lacking = [slot.variable for slot in slots if slot.variable not in held]
    if lacking:
        raise ConversionError(Code.FileDamaged, f"{file} has no variable {lacking[0]!r}")
    return held
