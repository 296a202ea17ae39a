"""Two models, or a model and what it should answer, on the same inputs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.answers import answers_of, check_given, differences, given, held
from mlconv.driver.far_outputs import FarOutputs
from mlconv.driver.kept_nan import with_kept_nan
from mlconv.driver.options import Options
from mlconv.driver.side import Side
from mlconv.driver.sides import grids_of, open_side, told_of
from mlconv.driver.telling import Telling
from mlconv.ir.constants import Array
from mlconv.provenance.locations import first_name
from mlconv.runtime.draws import MOST_IN_VAIN, tell
from mlconv.runtime.loop_ends import SEEDS_APART, ended
from mlconv.runtime.measures import Limits, Measure, Seen, joined, measured
from mlconv.runtime.pairing import Drawing, Pair, number, paired
from mlconv.runtime.ports import Port
from mlconv.runtime.variables import CALLS

if TYPE_CHECKING:
    from mlconv.driver.layering import Layers
    from mlconv.driver.pipeline import OnStage
    from mlconv.driver.running import Ran


_SIZES = (2, 3, 5, 8, 16, 64, 256, 512)
_OF_SIZES = frozenset({Code.VerificationFailed, Code.VerificationImpossible, Code.ShapeMismatch})


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be compared, beside the models.

    data: a file or folder of inputs; random ones without it.  expect: a file or folder of what the model should answer.
    seed, runs: of random inputs; without a number one run, and some of models with variables.  limits: what may be
    apart.  backends: of both sides.  layers: values inside are compared, too, in the first run.
    """

    data: str = ""
    expect: str = ""
    seed: int = 0
    runs: int | None = None
    limits: Limits = field(default_factory=Limits)
    backends: tuple[str, str] = ("auto", "auto")
    layers: bool = False


@dataclass(slots=True)
class SideFacts:
    """path: of the file.  runtime: what it ran on.  seconds: of all runs."""

    path: str
    runtime: str
    seconds: float = 0.0


@dataclass(slots=True)
class Comparison:
    """ok: no output differs, and no layer.  inputs: names that were taken for one another."""

    a: SideFacts
    b: SideFacts
    runs: int
    seed: int | None
    outputs: list[Measure]
    inputs: list[tuple[str, str]] = field(default_factory=list)
    layers: Layers | None = None

    @property
    def ok(self) -> bool:
        return all(m.verdict.ok for m in self.outputs) and not (self.layers is not None and self.layers.problem)

    @property
    def problem(self) -> str:
        """What differs, in words; empty when nothing does."""
        texts = [text] if (text := differences(self.outputs)) else []
        if self.layers is not None and self.layers.problem:
            texts.insert(0, f"first in {self.layers.problem}")
        return "; ".join(texts)

    def error(self) -> ConversionError:
        """What ends a run that found a difference, at the line of the first op that differs."""
        failed = ConversionError(Code.VerificationFailed, f"the models differ: {self.problem}")
        if self.layers is not None and self.layers.report.first is not None:
            op = self.layers.report.first.op
            failed.diagnostic = failed.with_context(op.location, first_name(op.location), op.name)
        return failed


def verify(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str] | None = None,
    asked: Asked | None = None,
    options: Options | None = None,
    on_stage: OnStage | None = None,
) -> Comparison:
    """Run two models on the same inputs, or one on inputs with known answers, and measure how far outputs are apart.

    a: the reference; with `expect`, and without `b`, the model that is held to it.  on_stage: is told what is done.
    Raises ConversionError InterfacesDiffer where inputs or outputs do not fit, UsageError where there is nothing to
    compare with, and what reading and running raise.  Outputs that differ raise nothing: the result says so.
    """
    asked, options, telling = asked or Asked(), options or Options(), Telling(on_stage)
    if (b is None) == (not asked.expect):
        raise ConversionError(
            Code.UsageError,
            "one model is given, and nothing to compare it with" if b is None else "two models and --expect are given",
            help="give a second model, or its answers with --expect FILE",
        )
    if b is None and asked.layers:
        raise ConversionError(Code.UsageError, "answers say nothing of layers", help="give a second model")
    if b is None:
        return _against_answers(os.fspath(a), asked, options, telling)
    telling.stage("import")
    first = open_side(os.fspath(a), options, asked.backends[0])
    second = open_side(os.fspath(b), options, asked.backends[1])
    inputs = paired(*_shown(first.inputs, second.inputs), "input")
    outputs = paired(*_shown(first.outputs, second.outputs), "output")
    calls, (found, facts), (other, other_facts) = _both(first, second, inputs, asked, options, telling)
    found, other = with_kept_nan(first, options, outputs, calls, found, other)
    rounds, quantizes = (first.rounds, second.rounds), (first.quantizes, second.quantizes)
    if all(rounds) and first.quantizes != second.quantizes:  # one of 16 bits is to one of 8 what one of 32 is
        rounds = quantizes
    kinds = rounds, (not quantizes[0], not quantizes[1])
    drawn = not asked.data

    @cache
    def look(i: int) -> Layers:
        telling.stage("compare layers")
        return _layers(first, second, inputs, calls[i], options, drawn)

    def measure(pair: Pair, x: Mapping[str, Array], y: Mapping[str, Array]) -> Measure:
        return _measured(pair, x, y, kinds, asked.limits)

    runs = [[measure(pair, x, y) for pair in outputs] for x, y in zip(found, other, strict=True)]
    if first.quantizes != second.quantizes:
        far = FarOutputs(outputs, measure, drawn, first.path)
        runs = [far.judged(run, (found[i], other[i]), partial(look, i)) for i, run in enumerate(runs)]
    pairs = [(p.a.name, p.b.name) for p in inputs]
    layers = look(0) if asked.layers else None
    if layers is not None and layers.report.first is None and not any(rounds):
        _name_output(layers, first.path, zip(runs[0], outputs, strict=True))
    seed = None if asked.data else asked.seed
    return Comparison(facts, other_facts, len(calls), seed, joined(runs), pairs, layers)


def _shown(a: Sequence[Port], b: Sequence[Port]) -> tuple[list[Port], list[Port]]:
    """Ports of both sides; those of variables only where both have such."""
    both = any(port.is_variable for port in a) and any(port.is_variable for port in b)
    shown = ([port for port in ports if both or not port.is_variable] for ports in (a, b))
    return next(shown), next(shown)


_Ran = tuple[list[dict[str, Array]], SideFacts]


def _both(
    first: Side, second: Side, inputs: Sequence[Pair], asked: Asked, options: Options, telling: Telling
) -> tuple[list[dict[str, Array]], _Ran, _Ran]:
    """Inputs, and what both sides give for them.  Sizes that are open are small; where a model does not take them, or
    gives nothing that tells something, larger ones are tried.  Raises ConversionError.
    """
    problem: ConversionError | None = None
    spare: list[tuple[list[dict[str, Array]], _Ran, _Ran]] = []
    for size in _SIZES if Drawing.has_open_sizes(inputs) and not asked.data else _SIZES[:1]:
        try:
            calls = _calls(first, second, inputs, asked, options, size)
            found = _timed(first, calls, telling)
            others = [_of_second(inputs, call) for call in calls]
            spare.append((calls, found, _timed(second, others, telling)))
        except ConversionError as error:
            if error.code not in _OF_SIZES:
                raise
            problem = problem or error
            continue
        if len(spare) == MOST_IN_VAIN or any(tell([*outputs.values()]) for outputs in found[0]):
            return spare[-1]
    if not spare:
        assert problem is not None
        raise problem
    return spare[0]


def _of_second(inputs: Sequence[Pair], call: Mapping[str, Array]) -> dict[str, Array]:
    return {p.b.name: p.to_b(call[p.a.name]) for p in inputs if p.a.name in call}


def _layers(
    first: Side, second: Side, inputs: Sequence[Pair], call: Mapping[str, Array], options: Options, drawn: bool
) -> Layers:
    """Layers are looked at by the interpreter, which takes its time to load."""
    from mlconv.driver.layering import compare_layers

    return compare_layers(first, second, inputs, call, options, drawn)


def _name_output(layers: Layers, first: str, measures: Iterable[tuple[Measure, Pair]]) -> None:
    """Where nothing is rounded, an output is off though all values inside agree: what gives it is named."""
    off = next(((one, pair) for one, pair in measures if not one.verdict.ok), None)
    if off is not None:
        name = (off[1].a if layers.reference == first else off[1].b).name
        layers.report.names_output(name, f"output {off[0].name}: {off[0].why}, and no value in front is off")


def _timed(
    side: Side, calls: Sequence[Mapping[str, Array]], telling: Telling
) -> tuple[list[dict[str, Array]], SideFacts]:
    started = time.perf_counter()
    found = side.run(calls, telling)
    return found, SideFacts(side.path, side.runtime, time.perf_counter() - started)


def _measured(
    pair: Pair,
    x: Mapping[str, Array],
    y: Mapping[str, Array],
    kinds: tuple[tuple[bool, bool], tuple[bool, bool]],
    limits: Limits,
) -> Measure:
    """kinds: whether either side rounds, and whether to floats of 16 bits alone."""
    rounds, halves = kinds
    a, b = x[pair.a.name], y[pair.b.name]
    of_a, of_b = pair.told()
    return measured(
        Seen(pair.a.name, a, number(a, of_a), of_a.quant, rounds[0], halves[0]),
        Seen(pair.b.name, pair.to_a(b), pair.to_a(number(b, of_b)), of_b.quant, rounds[1], halves[1]),
        limits,
    )


def _calls(
    first: Side, second: Side, inputs: Sequence[Pair], asked: Asked, options: Options, size: int
) -> list[dict[str, Array]]:
    """Inputs of all runs, as the first side takes them; random ones are such that neither cuts them off."""
    if asked.data:
        return given(asked.data, [p.a for p in inputs], [p.b for p in inputs], options)
    drawing = Drawing(asked.seed, options.sizes_given(), {**second.ranges, **first.ranges}, size=size)
    inputs = [pair for pair in inputs if not pair.a.is_variable]
    grids = grids_of(first, second, inputs, drawing.inputs(inputs))
    runs = asked.runs or (CALLS if first.has_variables or second.has_variables else 1)

    def draw(seed: int) -> dict[str, Array]:
        return drawing._replace(seed=seed, grids=grids).inputs(inputs)

    def lets_end(call: Mapping[str, Array], most: int) -> bool:
        return first.lets_end(call, most) and second.lets_end({p.b.name: call[p.a.name] for p in inputs}, most)

    def ending(seed: int) -> dict[str, Array]:
        return ended(lambda k: draw(seed + k * SEEDS_APART), lets_end)

    return [ending(asked.seed + k) for k in range(runs)]


def _against_answers(path: str, asked: Asked, options: Options, telling: Telling) -> Comparison:
    """One model on given inputs, held to given answers."""
    check_given(asked.data, asked.expect)
    telling.stage("import")
    side = open_side(path, options, asked.backends[0])
    calls = given(asked.data, side.inputs, side.inputs, options)
    answers = answers_of(asked.expect, side.outputs, len(calls), options)
    found, facts = _timed(side, calls, telling)
    measures = held(answers, found, side.outputs, side.rounds, asked.limits)
    return Comparison(SideFacts(asked.expect, "given answers"), facts, len(calls), None, measures)


def held_to_answers(path: str, ran: Ran, expect: str, limits: Limits, options: Options) -> Comparison:
    """What a model gave for given inputs, held to given answers, as `verify` does.  path: of the model.  expect: a file
    or folder of answers.  Raises ConversionError as `verify` does.
    """
    outputs, rounds, runtime = told_of(ran)
    answers = answers_of(expect, outputs, len(ran.runs), options)
    measures = held(answers, ran.runs, outputs, rounds, limits)
    return Comparison(SideFacts(expect, "given answers"), SideFacts(path, runtime), len(ran.runs), None, measures)
