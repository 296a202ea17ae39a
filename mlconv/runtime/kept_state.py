"""Variables of a loaded native object from one call to the next: who calls it need not know of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

import numpy.typing as npt

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.runtime.arrays import read_safetensors
from mlconv.runtime.native_interface import NativeInterface


class KeptState:
    """What each input that stands for a variable takes next time: the initial values to begin with, which lie in a
    file beside the object and are read when they are first needed.
    """

    def __init__(self, path: str, interface: NativeInterface) -> None:
        self._folder, self._file = os.path.dirname(path), interface.facts.get("initial_state")
        ins, outs = ({port.name for port in side} for side in (interface.inputs, interface.outputs))
        slots = [s for s in interface.facts.get("state", ()) if s.get("input") in ins and s.get("output") in outs]
        self._variables: Final = {s["input"]: (str(s.get("variable")), s["output"]) for s in slots}
        self._values: dict[str, Array] = {}

    def left_out(self, inputs: Mapping[str, npt.ArrayLike]) -> bool:
        """Whether the caller gives no value for some variable."""
        return not self._variables.keys() <= inputs.keys()

    def with_values(self, inputs: Mapping[str, npt.ArrayLike]) -> Mapping[str, npt.ArrayLike]:
        """The inputs, and what is kept of those that stand for variables.  Raises ConversionError ExternalDataInvalid,
        FileDamaged.
        """
        return {**(self._values or self.reset()), **inputs}

    def keep(self, results: Mapping[str, Array]) -> None:
        """What a call gave is what the next one takes.  The arrays are copied: the caller may write to its own."""
        self._values = {name: results[output].copy() for name, (_, output) in self._variables.items()}

    def reset(self) -> dict[str, Array]:
        """The initial values, by input, from now on.  Raises ConversionError ExternalDataInvalid, FileDamaged."""
        if not self._variables:
            return self._values
        if not isinstance(self._file, str) or os.path.basename(self._file) != self._file:
            raise ConversionError(
                Code.FileDamaged, f"the model interface names no file of initial values, but {self._file!r}"
            )
        held = read_safetensors(os.path.join(self._folder, self._file))
        lacking = [variable for variable, _ in self._variables.values() if variable not in held]
        if lacking:
            raise ConversionError(Code.FileDamaged, f"{self._file} has no variable {lacking[0]!r}")
        self._values = {name: held[variable] for name, (variable, _) in self._variables.items()}
        return self._values
