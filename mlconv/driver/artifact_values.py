"""What an artifact gives on its runtime, with values inside: as the interpreter has them, where mlconv reads the file
as its runtime does, else as the runtime shows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from mlconv.diagnostics import ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.module import Function
from mlconv.runtime.layer_noise import Rounding
from mlconv.runtime.layer_report import Called
from mlconv.runtime.layer_values import LayerValue
from mlconv.runtime.layers import Judge
from mlconv.runtime.pairing import paired
from mlconv.runtime.ports import Port, ports_of


@runtime_checkable
class ShowsInside(Protocol):
    """A runner of artifacts that shows more than outputs."""

    def inside(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Values of all ops, by name.  Raises ConversionError VerificationImpossible, VerificationFailed."""


class Reading(NamedTuple):
    """An artifact as mlconv reads it, interpreted.  called: in core ops.  values: all."""

    called: Called
    values: list[LayerValue]
    rounding: Rounding

    def agrees(self, outputs: Sequence[LayerValue], main: Function) -> bool:
        """The runtime gives the same.  main: that was written; outputs have its names."""
        given = {name: value for value in outputs for name in value.names}
        try:
            pairs = paired(_of_model(ports_of(main)[1]), _of_model(ports_of(self.called.function)[1]), "output")
        except ConversionError:  # a format may split what it gives
            return False
        known = [given[p.a.name]._replace(names=(p.b.name,)) for p in pairs if p.a.name in given]
        judge = Judge(self.called.function, self.called.inputs, known, self.rounding, self.called)
        return judge.report().first is None

    def shown(self, known: Mapping[str, Array]) -> list[LayerValue]:
        """What a runtime shows, with the origins that its file tells.  known: by name."""
        found = ((value, next((n for n in value.names if n in known), None)) for value in self.values)
        return [v._replace(array=known[n]) for v, n in found if n is not None and known[n].size == v.array.size]


def _of_model(ports: Sequence[Port]) -> list[Port]:
    return [port for port in ports if not port.is_variable]


def renamed(inputs: Mapping[str, Array], before: Function, after: Function) -> dict[str, Array]:
    """Inputs of a function by the names that a file's format lets them have, without variables.  Raises ConversionError
    InterfacesDiffer.
    """
    pairs = paired(_of_model(ports_of(before)[0]), _of_model(ports_of(after)[0]), "input")
    return {pair.b.name: inputs[pair.a.name] for pair in pairs}
