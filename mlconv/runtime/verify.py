"""Verification of an artifact: a reference and the target's runtime on the same inputs, for every signature.

The reference is the model as it was imported, before any pass, on the reference interpreter, or the source's own
runtime.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Protocol

import numpy as np

from mlconv.diagnostics import ConversionError
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.module import Function, Module
from mlconv.native import load_native
from mlconv.passes.state import state_slots
from mlconv.runtime.arrays import read_data
from mlconv.runtime.compare import OutputError, compare
from mlconv.runtime.inputs import nearest, random_inputs, ranges_of, size_choices, symbols_of
from mlconv.runtime.litert import LiteRt
from mlconv.runtime.source import source_runs
from mlconv.runtime.xla import Xla

REFERENCES = ("reference", "source")
Inputs = Mapping[str, Array]


class Runner(Protocol):
    """An artifact that can be run.  name: of its runtime."""

    name: str

    def run(self, function: Function, inputs: Inputs) -> dict[str, Array]: ...

    def reset(self) -> None:
        """Variables take their initial values again."""


class _Native:
    """An object in this process."""

    name = "the native object"

    def __init__(self, path: str) -> None:
        self.model = load_native(path)

    def reset(self) -> None:
        """There is no state."""

    def run(self, function: Function, inputs: Inputs) -> dict[str, Array]:
        return self.model.run(inputs)


RUNNERS: dict[str, Callable[[str], Runner]] = {"tflite": LiteRt, "hlo": Xla, "stablehlo": Xla, "native": _Native}


@dataclass(frozen=True, slots=True)
class Request:
    """reference: one of `REFERENCES`.  data: a file or folder of arrays instead of random ones.  cut: the model was cut
    by names.

    tags: of a SavedModel's meta graph.  seed: of random inputs.
    """

    reference: str = "reference"
    data: str = ""
    cut: bool = False
    tags: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Sequence:
    """Consecutive runs and what the reference answers; each goes on from the variables that the one before left.
    states: after each run, by variable.
    """

    inputs: list[dict[str, Array]]
    outputs: list[dict[str, Array]]
    states: list[dict[str, Array]]


def verify_artifact(
    target: str, path: str, imported: Module, converted: Module, request: Request | None = None
) -> tuple[str, list[OutputError]]:
    """The name of the target's runtime, and the worst error of each output over all runs; outputs of several signatures
    as SIGNATURE/OUTPUT.

    imported: the model before any pass.  converted: the core module that was legalized for the target: names, layouts
    and variables of the artifact are its.
    Raises ConversionError: MLC0702 where a runtime is missing or the reference cannot run, MLC0701 where the target's
    runtime refuses the artifact.
    """
    request = request or Request()
    runner = RUNNERS[target](path)
    worst: dict[str, OutputError] = {}
    for before, after in zip(imported.functions, converted.functions, strict=True):
        prefix = f"{before.signature}/" if len(imported.functions) > 1 else ""
        for runs in _sequences(imported, before, request, bounded=target in ("hlo", "stablehlo")):
            for error in _errors(runs, before, after, runner):
                named = replace(error, name=prefix + error.name)
                if named.name not in worst or named.worse_than(worst[named.name]):
                    worst[named.name] = named
    return runner.name, list(worst.values())


def _sequences(module: Module, function: Function, request: Request, bounded: bool) -> Iterator[_Sequence]:
    """The given arrays, or random ones: at two sizes where there are some that are not fixed, and at both ends of their
    ranges where the target has these.
    """
    if request.data:
        yield _answered(module, function, read_data(request.data, function.input_names), request)
        return
    problem: ConversionError | None = None
    found, wanted = 0, 2 if symbols_of(function) else 1
    fixed: list[list[dict[str, int]]] = [[{}]]
    for step in chain(_ends(function, bounded), size_choices(function) if wanted > 1 else fixed):
        for sizes in step:
            try:
                turns = 2 if function.attributes.get("variables") else 1
                drawn = [random_inputs(function, request.seed + k, sizes) for k in range(turns)]
                yield _answered(module, function, drawn, request)
            except ConversionError as error:
                problem = problem or error  # a model need not take every size
                continue
            found += 1
            break
        if found >= wanted + (2 if bounded else 0):
            return
    if not found and problem is not None:
        raise problem


def _ends(function: Function, bounded: bool) -> list[list[dict[str, int]]]:
    """The smallest sizes, at least 1, and the largest."""
    symbols, ranges = symbols_of(function), ranges_of(function)
    if not (bounded and symbols):
        return []
    return [[{s: nearest(1, s, ranges) for s in symbols}], [{s: ranges[s][1] or 1 for s in symbols}]]


def _answered(module: Module, function: Function, inputs: list[dict[str, Array]], request: Request) -> _Sequence:
    """Runs with what the reference answers."""
    if request.reference == "source":
        return _Sequence(inputs, source_runs(module, function, inputs, request.cut, request.tags), [{} for _ in inputs])
    state: dict[str, Any] = {}
    outputs, states = [], []
    for run in inputs:
        outputs.append(run_function(function, run, state))
        states.append({k: np.array(v) for k, v in state.items()})
    return _Sequence(inputs, outputs, states)


def _errors(runs: _Sequence, before: Function, after: Function, runner: Runner) -> Iterator[OutputError]:
    """Each output of each run, and the variables that go out, against the reference."""
    slots = state_slots(after)
    held: dict[str, Array] = {slot.input: slot.initial.view() for slot in slots.values()}
    layout = after.attributes.get("io_layout", {})
    runner.reset()
    for inputs, expected, state in zip(runs.inputs, runs.outputs, runs.states, strict=True):
        got = runner.run(after, {**_laid(inputs, layout.get("inputs", {})), **held})
        wanted = _laid(expected, layout.get("outputs", {}))
        for name, theirs in zip(before.output_names, after.output_names, strict=False):
            yield compare(name, wanted[name], got[theirs])
        for variable, slot in slots.items():
            if variable in state:
                yield compare(slot.output, state[variable], got[slot.output])
        held = {slot.input: got[slot.output] for slot in slots.values()}


def _laid(arrays: Inputs, permutations: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    """Arrays in the layout that the artifact has."""
    return {
        n: np.ascontiguousarray(a.transpose(permutations[n])) if n in permutations else a for n, a in arrays.items()
    }


def failures(errors: Sequence[OutputError]) -> str:
    """The outputs that are off, in words; empty when there are none."""
    wrong = [e for e in errors if not e.ok]
    return "; ".join(f"{e.name}: largest error {e.max_abs:.3g} ({e.relative:.3g} of the largest value)" for e in wrong)
