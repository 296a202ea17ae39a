"""An HLO module whose sizes have ranges, as one side of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.side import Inputs, Side
from mlconv.driver.telling import QUIET, Telling
from mlconv.importers.hlo.names import names_of_sizes
from mlconv.ir.constants import Array
from mlconv.ir.dims import substitute
from mlconv.ir.module import Function
from mlconv.runtime.inputs import broken_rule, ranges_of, sizes_of
from mlconv.runtime.ports import ports_of
from mlconv.runtime.variables import Variables
from mlconv.runtime.xla import Xla


class RangedSide(Side):
    """The module on XLA, at sizes in their ranges."""

    runtime = "XLA"

    def __init__(self, path: str, function: Function) -> None:
        super().__init__(path)
        self.function = function
        self.inputs, self.outputs = ports_of(self.function)
        self.ranges, self.variables = ranges_of(self.function), Variables.of_function(self.function)
        self.has_variables = bool(self.variables.inputs)

    def run(self, calls: Sequence[Inputs], telling: Telling = QUIET) -> list[dict[str, Array]]:
        self.variables.reset()
        runner = Xla(self.path)
        return [
            self.variables.step(lambda taken: self._called(runner, taken), inputs)
            for inputs in telling.each(self.stage, calls)
        ]

    def _called(self, runner: Xla, inputs: Inputs) -> dict[str, Array]:
        sizes = sizes_of(self.function, inputs)
        broken = broken_rule(self.ranges, self.function.facts.conditions, sizes)
        if broken:
            told = ", ".join(f"{name} = {size}" for name, size in sizes.items())
            raise ConversionError(
                Code.VerificationImpossible, f"{self.path} does not take these sizes: {told}: {broken}"
            )
        return runner.run(self.function, inputs)

    @property
    def rounds(self) -> bool:
        return any(p.dtype.is_float and p.dtype.bits < 32 for p in (*self.inputs, *self.outputs))

    def begun(self, call: Inputs) -> Inputs:
        """With values of variables, and with sizes as the module takes them."""
        sizes = sizes_of(self.function, call)
        names = names_of_sizes(sizes, self.function.input_names)
        numbers = {names[size]: np.asarray(n, np.int32) for size, n in sizes.items()}
        return {**self.variables.with_values(call), **numbers}

    def whole(self, name: str, x: Array) -> Array:
        """An input of the largest sizes that there are, which begins as a given one does and repeats that.  Inside of
        the module all values are of these sizes.
        """
        value = next(v for v in self.function.inputs if v.name == name)
        largest = {symbol: high or 0 for symbol, (_, high) in self.ranges.items()}
        shape = value.tensor.with_shape(tuple(substitute(d, largest) for d in value.tensor.shape or ())).static_shape()
        for axis, n in enumerate(shape):
            x = x.take(np.arange(n) % max(1, x.shape[axis]), axis)
        return x
