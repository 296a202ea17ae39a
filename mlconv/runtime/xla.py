"""HLO modules and StableHLO texts on jaxlib's XLA for the CPU, in a process of its own: XLA ends its process over what
it takes to be impossible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dims import substitute
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType
from mlconv.runtime import xla_program
from mlconv.runtime.inputs import ranges_of, sizes_of, symbols_of
from mlconv.runtime.processes import EndedError, Session

Run = Callable[[Sequence[Array]], list[Array]]
"""What makes the outputs of an entry of its inputs, both in order."""
_WORST = {"b": True, "i": -1, "u": 1}  # what stands behind the valid part of an input, by kind; NaN of floats


class Xla:
    """A module that is run by the names of its entry; it keeps nothing from one run to the next.

    run: what runs it; a process of its own without it.
    """

    name = "XLA"

    def __init__(self, path: str, run: Run | None = None) -> None:
        self.path, self.session, self._is_open = path, Session(), False
        self._run = run or self._run_apart

    def reset(self) -> None:
        """There is no state."""

    def run(self, function: Function, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Outputs by name.  Raises ConversionError VerificationImpossible, VerificationFailed."""
        symbols = symbols_of(function)
        if symbols or not all(v.tensor.is_static for v in function.outputs):
            return run_of_sizes(function, self.path, inputs, symbols, self._run)
        got = self._run([inputs[name] for name in function.input_names])
        return dict(zip(function.output_names, got, strict=True))

    def _run_apart(self, inputs: Sequence[Array]) -> list[Array]:
        try:
            if not self._is_open:
                self.session.call(xla_program.open_program, self.path)
                self._is_open = True
            return self.session.call(xla_program.run_program, [np.asarray(x) for x in inputs])
        except EndedError as error:
            self._is_open = False
            raise ConversionError(Code.VerificationFailed, f"XLA ended over {self.path}: {error}") from error


def run_of_sizes(
    main: Function, path: str, inputs: Mapping[str, Array], symbols: Sequence[str], run: Run
) -> dict[str, Array]:
    """Run a module whose sizes have ranges: inputs are filled up with the worst there is, outputs are cut to the shapes
    that come with them.
    """
    ranges, taken = ranges_of(main), sizes_of(main, inputs)
    largest = {name: ranges[name][1] or 0 for name in symbols}
    filled = []
    for value in main.inputs:
        x = inputs[value.name]
        if x.shape != _at(value.tensor, taken):
            raise ConversionError(
                Code.VerificationImpossible,
                f"{value.name} has shape {list(x.shape)}, the module takes {list(_at(value.tensor, taken))}",
            )
        whole = np.full(_at(value.tensor, largest), _WORST.get(x.dtype.kind, np.nan), x.dtype)
        whole[tuple(slice(n) for n in x.shape)] = x
        filled.append(whole)
    got = run([*filled, *(np.asarray(taken[name], np.int32) for name in symbols)])
    outputs, shapes = got[: len(main.output_names)], iter(got[len(main.output_names) :])
    sized = _sized(path, main.output_names)
    return {
        name: y[tuple(slice(n) for n in next(shapes))] if name in sized else y
        for name, y in zip(main.output_names, outputs, strict=True)
    }


def _sized(path: str, names: Sequence[str]) -> set[str]:
    """The outputs whose shapes stand behind the outputs."""
    if not xla_program.is_text(path):
        return {*xla_program.interface(path)["shapes"]} & {*names}
    with open(path, encoding="utf-8") as f:
        head = [f.readline(), f.readline()][1]  # arguments and results
    results = [part.split('"', 2)[2] for part in head.rpartition(" -> (")[2].split("{mlconv.name")[1:]]
    return {name for name, attributes in zip(names, results, strict=False) if ", mlconv.shape " in attributes}


def _at(t: TensorType, sizes: Mapping[str, int]) -> tuple[int, ...]:
    return t.with_shape(tuple(substitute(d, sizes) for d in t.shape or ())).static_shape()
