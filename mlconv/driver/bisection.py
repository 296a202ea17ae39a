"""Which pass of a conversion changes what the model computes, and at which op: the module behind each pass, and the
artifact, are run on the same inputs.

A difference stays in all that is made of it, so that a few of the stages tell where it arises.  Behind quantization all
else is held to what quantization has left, whose integers are exact.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError, Diagnostic
from mlconv.driver.answers import answers_of, check_given, differences, given, held
from mlconv.driver.context import Context, context_of
from mlconv.driver.conversion import Conversion
from mlconv.driver.exposing import narrowed
from mlconv.driver.layering import place_of, rounded
from mlconv.driver.options import Options
from mlconv.driver.pipeline import OnStage, is_on_source
from mlconv.driver.result import Result
from mlconv.driver.source_values import source_values
from mlconv.driver.stages import Answer, Invalid, Seen, Stage, Stages
from mlconv.driver.telling import Telling
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Op
from mlconv.ir.module import Module
from mlconv.ir.size_examples import are_allowed, examples
from mlconv.passes.quantized.grids import grid_of
from mlconv.provenance.locations import Fused, Location, first_name, fuse
from mlconv.runtime.draws import Draw, Draws, tried
from mlconv.runtime.inputs import random_inputs
from mlconv.runtime.layer_noise import Rounding
from mlconv.runtime.layer_report import Layer
from mlconv.runtime.layer_values import LayerValue
from mlconv.runtime.layers import Judge
from mlconv.runtime.measures import Limits, Measure
from mlconv.runtime.ports import ports_of
from mlconv.runtime.variables import Variables
from mlconv.runtime.verify import rounds_inside

_QUANTIZE = "quantize"
_INVALID, _REFUSED = "IR that is not valid", "an artifact that its runtime refuses"
_REFUSALS = (Code.VerificationFailed, Code.FileDamaged, Code.ArtifactInvalid)
_FEWER = 3  # times as many values: of those, less is seen of roundings on the way


class Expected(NamedTuple):
    """path: a file or folder of answers; none without it.  limits: how far outputs may be from them."""

    path: str = ""
    limits: Limits = Limits()


@dataclass
class Bisection:
    """passes: names of all, in order.  stage: the one that changes results; none where nothing does.  before: in front
    of it.  layer: the first op that is off.  inputs: that were run.  tried: comparisons.  held: what the model itself
    gives, and what the artifact does, against given answers.  known: values inside of the source, where a rule of it is
    at fault, by name.  notes: on what could not be told.  broken: what the stage
    leaves that is of no use, in words.  at: of which op that is, where one is known.
    """

    model: str
    target: str
    passes: list[str]
    stage: Stage | None = None
    before: Stage | None = None
    layer: Layer | None = None
    inputs: dict[str, Array] = field(default_factory=dict)
    tried: int = 0
    held: dict[str, list[Measure]] = field(default_factory=dict)
    known: dict[str, Array] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    broken: str = ""
    at: Diagnostic | None = None

    @property
    def wrong_answers(self) -> str:
        """Which of both does not give the answers that it should, in words."""
        texts = [
            f"{what} does not give the given answers: {text}"
            for what, m in self.held.items()
            if (text := differences(m))
        ]
        return "; ".join(texts)

    @property
    def problem(self) -> str:
        """In words; empty where there is none."""
        if self.stage is None:
            return ""
        if self.broken:
            return f"{'the writer' if self.stage.is_written else f'pass {self.stage.name}'} leaves {self.broken}"
        what = "the writer changes" if self.stage.is_written else f"pass {self.stage.name} changes"
        place = f"{place_of(self.layer)}: {self.layer.why}" if self.layer is not None else "an output"
        return f"{what} what {place}" if self.layer is None else f"{what} {place}"

    def error(self) -> ConversionError:
        """What ends a run that found a fault, at the line of the op."""
        if self.stage is None:
            return ConversionError(Code.VerificationFailed, self.wrong_answers, notes=tuple(self.notes))
        failed = ConversionError(Code.PassFaulty, self.problem, notes=tuple(self.notes))
        if self.at is not None:
            failed.diagnostic = failed.with_context(self.at.location, self.at.node, self.at.op)
        elif self.layer is not None:
            place = self.layer.location
            failed.diagnostic = failed.with_context(place, first_name(place), self.layer.op.name)
        return failed


def bisect(
    model: str | os.PathLike[str],
    to: str = "tflite",
    options: Options | None = None,
    data: str = "",
    seed: int = 0,
    on_stage: OnStage | None = None,
    context: Context | None = None,
    expect: Expected | None = None,
) -> Bisection:
    """Convert a model, and find the first pass whose result computes something else, and the op.

    data: a file or folder of inputs, the first of which are run; random ones without it, or the first sample of
    calibration.  expect: what the model should answer: the source's runtime and the artifact are held to it.
    Raises ConversionError as a conversion does; a fault that is found raises nothing: the result says so.
    """
    path, options = os.fspath(model), options or Options()
    context = context or context_of(options.plugins, to, [path])
    expect = expect or Expected()
    check_given(data, expect.path)
    if expect.path and options.forms():
        raise ConversionError(
            Code.UsageError,
            "--expect answers what the model takes, and inputs have another form",
            help="leave --layout, --mean, --std and --input-type out, or use mlconv convert --verify",
        )
    options = replace(options, verify=bool(options.quantize), data="", expect="")
    run = Conversion(options, context.target(to), Result("", to), context, on_stage, None)
    telling = Telling(on_stage)
    with tempfile.TemporaryDirectory(prefix="mlconv-bisect-") as folder:
        telling.stage("convert")
        stages = Stages.of(run, path, Path(folder))
        inputs, answer = _inputs(stages, run, data, seed), _answer(stages, data, expect, options)
        if stages.invalid is not None:
            return _invalid(stages, stages.invalid, inputs, path, to)
        return _Search(stages, inputs, path, to, answer, telling).result()


def _invalid(stages: Stages, invalid: Invalid, inputs: dict[str, Array], path: str, to: str) -> Bisection:
    """A pass is at fault whatever is computed."""
    found = Bisection(path, to, [str(item) for item in stages.passes], invalid.stage, stages.found[-1], inputs=inputs)
    found.notes.append(invalid.why.message)
    found.broken, found.at = _INVALID, invalid.why
    return found


def _inputs(stages: Stages, run: Conversion, data: str, seed: int) -> dict[str, Array]:
    """As the model takes them."""
    main = stages.found[0].module.main
    if data:
        inputs = ports_of(main)[0]
        return Variables.of_function(main).with_values(given(data, inputs, inputs, run.options)[0])
    samples = run.quantization.first_samples if run.quantization is not None else ()
    return dict(samples[0]) if samples else _drawn(stages, seed)


def _drawn(stages: Stages, seed: int) -> dict[str, Array]:
    """Random inputs, of sizes that the model takes, and that what is made of it does.  Raises ConversionError."""
    source, core = stages.source.main, [stages.found[i].module.main for i in stages.core]
    draws = Draws(source, core[0]) if core else None
    if draws is None:
        return random_inputs(source, seed)
    if not draws.choose:
        return draws.inputs(Draw({}), seed)
    last, first = stages.found[-1].module.main, core[0]

    def run(draw: Draw) -> tuple[dict[str, Array], dict[str, Array]]:
        inputs = draws.inputs(draw, seed)
        return inputs, run_function(first, stages.call(first, inputs))

    fitting = examples(last) if last.facts.conditions else ()
    phases = draws.phases(lambda sizes: not sizes or are_allowed(last, sizes), fitting)
    for inputs, _ in tried(phases, run, lambda found: draws.tell(found[1])):
        return inputs
    raise ConversionError(
        Code.VerificationImpossible,
        "no sizes were found that fulfil what the model asks for",
        help="give arrays with --data FILE.npz",
    )


def _answer(stages: Stages, data: str, expect: Expected, options: Options) -> Answer | None:
    """Of the first run.  Raises ConversionError."""
    if not expect.path:
        return None
    main = stages.source.main
    inputs, outputs = ports_of(main)
    runs = len(given(data, inputs, inputs, options))
    return Answer(answers_of(expect.path, outputs, runs, options)[0], expect.limits)


def _retyped(before: Module, after: Module) -> Diagnostic | None:
    """The op whose result is an output of another type than it was, which no pass of a target makes of it."""
    for old, new in zip(before.main.outputs, after.main.outputs, strict=False):
        op = new.producer
        if op is not None and new.type != old.type:
            wrong = ConversionError(Code.IrInvalid, f"an output is {new.type}, and was {old.type}")
            return wrong.with_context(op.location, first_name(op.location), op.name)
    return None


class _Search:
    """inputs: as the model takes them.  answer: what it should give.  telling: of what is compared."""

    def __init__(
        self,
        stages: Stages,
        inputs: Mapping[str, Array],
        path: str,
        to: str,
        answer: Answer | None,
        telling: Telling,
    ) -> None:
        self.stages, self.inputs, self.answer, self.telling = stages, inputs, answer, telling
        self.judged: dict[tuple[int, int], tuple[Layer | None] | None] = {}
        self.found = Bisection(path, to, [str(item) for item in stages.passes], inputs=dict(inputs))

    def result(self) -> Bisection:
        found, core = self.stages.found, self.stages.core
        if not core:
            raise ConversionError(
                Code.VerificationImpossible,
                "no stage of the conversion has core ops alone, which the interpreter runs",
                help="convert the model without ops that are kept as they are",
            )
        first = self._start(core[0])
        if first is None:
            return self.found
        if not self._accepted():
            return self.found
        quantizing = next((i for i in core if found[i].name == _QUANTIZE), None)
        last = len(found) - 1
        if quantizing is None:
            self._segment(first, first, last)
        elif self._segment(first, first, quantizing - 1) and self._pair(quantizing - 1, quantizing):
            self._segment(quantizing, quantizing, last)
        if self.found.stage is None and self.answer is not None:
            module = found[first].module
            self.found.held["the artifact"] = self.stages.held(self.inputs, self.answer, module)
        return self.found

    def _accepted(self) -> bool:
        """The artifact runs; else the pass is told behind which modules that are written are refused."""
        found = self.stages.found
        try:
            seen = self.stages.values(len(found) - 1, self.inputs)
            self.found.notes += [seen.note] if seen is not None and seen.note else []
        except ConversionError as error:
            if error.diagnostic.code not in _REFUSALS:
                raise
            first = max(self.stages.core) + 1
            passes = range(len(found) - 2, first - 1, -1)
            runs = next((i for i in passes if self.stages.can_be_written(i, self.inputs)), None)
            at = len(found) - 1 if runs is None else runs + 1
            self.found.notes.append(error.diagnostic.message)
            self.found.at = None if runs is not None else _retyped(found[first - 1].module, found[first].module)
            if self.found.at is not None:
                at = first
            elif runs is None:
                names = ", ".join(stage.name for stage in found[first:-1])
                self.found.notes.append(f"what is written behind {names} is refused, too: the fault may be there")
            self.found.stage, self.found.before, self.found.broken = found[at], found[at - 1], _REFUSED
            return False
        return True

    def _start(self, core: int) -> int | None:
        """The stage that the others are held to: the first one of core ops, if it computes what the source's runtime
        does, or, where inputs and outputs were asked to have another form, what has it.  None where a rule is at fault.
        """
        found = self.stages.found
        if core and is_on_source(found[core].name):
            layer = self._against_source(core)
            if layer is not None:
                self._tell(core, core - 1, layer)
                return None
        formed = next((i for i in self.stages.core if found[i].name == "io-forms"), None)
        return core if formed is None else formed

    def _against_source(self, core: int) -> Layer | None:
        """The first op of a stage that the source's runtime computes differently, if any does."""
        source, options = self.stages.source, self.stages.run.options
        self.telling.stage("compare with the source's runtime")
        try:
            known = source_values(source, self.inputs, options)
        except ConversionError as error:
            what = "held to the given answers" if self.answer is not None else "taken to be right"
            self.found.notes.append(f"rules of the source are {what}: {error.diagnostic.message}")
            if self.answer is None:
                return None
            values = [LayerValue((name,), (), array) for name, array in self.answer.outputs.items()]
            return self._judged(core, Seen(values, Rounding()))
        if self.answer is not None:
            ports, rounds = ports_of(source.main)[1], rounds_inside(self.stages.found[core].module)
            self.found.held["the model itself"] = held(
                [self.answer.outputs], [known.outputs], ports, rounds, self.answer.limits
            )
        layer = self._judged(core, Seen(known.values, known.rounding))
        if layer is not None:
            inside = {name: one.array for one in known.values for name in one.names}
            self.found.known = {**self.inputs, **inside}
        return layer

    def _judged(self, reference: int, seen: Seen) -> Layer | None:
        """The first op of a stage that values of another one do not agree with."""
        self.found.tried += 1
        function = self.stages.found[reference].module.main
        call = self.stages.call(function, self.inputs)
        if seen.called is not None:  # samples that lie outside of those that ranges come from are no fault
            grids = {v.name: grid_of(v) for v in seen.called.function.inputs}
            call = {name: rounded(x, grids.get(name)) for name, x in call.items()}
        return Judge(function, call, seen.values, seen.rounding, seen.called).report().first

    def _place_of(self, op: Op) -> Location | None:
        """Where an op is in the source: one that others went into, where it was of its kind before any did."""
        if not isinstance(op.location, Fused):
            return op.location
        imported = self.stages.found[self.stages.core[0]].module
        own = {o.location for o in imported.walk() if o.name == op.name}
        parts = op.location.locations
        return fuse(sorted(parts, key=lambda part: part not in own), op.location.by)

    def _off(self, reference: int, index: int) -> tuple[Layer | None] | None:
        """What is off at a stage; None where the stage cannot be run."""
        if (reference, index) not in self.judged:
            self.telling.stage(f"compare behind {self.stages.found[index].name}")
            seen = self.stages.values(index, self.inputs)
            self.judged[reference, index] = None if seen is None else (self._judged(reference, seen),)
        return self.judged[reference, index]

    def _pair(self, before: int, after: int) -> bool:
        """Whether a stage computes what the one before does."""
        answer = self._off(before, after)
        if answer is None or answer[0] is None:
            return True
        self._tell(after, before, answer[0])
        return False

    def _segment(self, reference: int, low: int, high: int) -> bool:
        """Whether the last of some stages computes what the reference does; else the first that does not is told.

        low: of a stage that does.
        """
        last = next((at for at in range(high, low, -1) if self._off(reference, at) is not None), low)
        at, layer = last, self._found(reference, last) if last > low else None
        if layer is None and last > low and self._shows_outputs_alone(last):
            at = max((i for i in self.stages.core if low < i < last), default=low)
            layer = self._found(reference, at) if at > low else None
        if layer is None:
            return True
        while (tried := self._between(reference, low, at)) is not None:
            middle, found = tried
            if found is None:
                low = middle
            else:
                at, layer = middle, found
        near = max((i for i in self.stages.core if reference < i <= low), default=None)
        if near is not None and self._shows_little(at, near) and self._off(near, at) == (None,):
            return self._segment(near, at, high)  # few values show what roundings on the way there add up to
        self._tell(at, low, layer)
        return False

    def _found(self, reference: int, index: int) -> Layer | None:
        """The first op that is off at a stage that can be run."""
        answer = self._off(reference, index)
        return None if answer is None else answer[0]

    def _shows_outputs_alone(self, index: int) -> bool:
        """What is off inside may be less than roundings do there, and is seen before the target's passes."""
        seen = self.stages.seen.get(index)
        return seen is not None and len(seen.values) <= len(self.stages.found[index].module.main.outputs)

    def _shows_little(self, index: int, near: int) -> bool:
        """Kernels have much in one; of a written file, the outputs may be all that is known."""
        seen, others = self.stages.seen.get(index), self.stages.values(near, self.inputs)
        fewer = seen is not None and others is not None and len(seen.values) * _FEWER <= len(others.values)
        return fewer or self._shows_outputs_alone(index)

    def _between(self, reference: int, low: int, high: int) -> tuple[int, Layer | None] | None:
        """What is off at the stage next to the middle that can be run; none where there is none."""
        middle = (low + high) // 2
        for index in sorted(range(low + 1, high), key=lambda i: abs(i - middle)):
            answer = self._off(reference, index)
            if answer is not None:
                return index, answer[0]
        return None

    def _tell(self, index: int, before: int, layer: Layer | None) -> None:
        """A stage is at fault; what it does is looked at from the last core ops before it, where there are any."""
        found = self.stages.found
        self.found.stage, self.found.before = found[index], found[before]
        if index - before > 1:
            names = ", ".join(stage.name for stage in found[before + 1 : index])
            self.found.notes.append(f"the module cannot be run behind {names}: the fault may be in any of these, too")
        base = max((i for i in self.stages.core if i <= before), default=None)
        if base is not None:
            answer = self._off(base, index)
            layer = answer[0] if answer is not None and answer[0] is not None else layer
        seen = self.stages.seen.get(index)
        if layer is not None and base is not None and seen is not None and seen.by_file and len(layer.ops) > 1:
            layer = narrowed(self.stages, base, self.inputs, layer)
        self.found.layer = None if layer is None else replace(layer, place=self._place_of(layer.op))
        if seen is None or not seen.by_file or found[index].is_written:
            return
        if seen.is_changed:
            self.found.stage = found[-1]
        else:
            self.found.notes.append("the module was written to be run: the fault may be in the writer, too")
