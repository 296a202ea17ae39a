"""What a model is timed with, and what it should answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.answers import answers_of, check_given, differences, given, held
from mlconv.driver.options import Options
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.constants import Array
from mlconv.runtime.loop_ends import drawn_inputs
from mlconv.runtime.measures import Limits, Measure
from mlconv.runtime.ports import Port, ports_of


class Given(NamedTuple):
    """data, expect: files or folders; random inputs without `data`.  limits: how far outputs may be from `expect`."""

    data: str = ""
    expect: str = ""
    limits: Limits = Limits()

    def calls(self, loaded: LoadedModel, options: Options, seed: int) -> list[dict[str, Array]]:
        """Inputs of all runs.  Raises ConversionError."""
        check_given(self.data, self.expect)
        if not self.data:
            return [drawn_inputs(loaded.main, seed)]
        inputs = ports_of(loaded.main)[0]
        return given(self.data, inputs, inputs, options)

    def check(
        self,
        run: Callable[[Mapping[str, Array]], dict[str, Array]],
        outputs: Sequence[Port],
        rounds: bool,
        calls: Sequence[Mapping[str, Array]],
        options: Options,
        what: str,
    ) -> list[Measure]:
        """How far what is timed is from what it should give; nothing without answers.  rounds: it computes with few
        bits.  what: its name in an error.  Raises ConversionError VerificationFailed.
        """
        if not self.expect:
            return []
        answers = answers_of(self.expect, outputs, len(calls), options)
        measures = held(answers, [run(call) for call in calls], outputs, rounds, self.limits)
        listed = differences(measures)
        if listed:
            raise ConversionError(
                Code.VerificationFailed, f"{what} does not give the answers of {self.expect}: {listed}"
            )
        return measures


def are_alike(calls: list[dict[str, Array]]) -> bool:
    """All runs have the same shapes."""
    shapes = [{name: np.shape(array) for name, array in call.items()} for call in calls]
    return all(shape == shapes[0] for shape in shapes)
