"""Scores of a model's copies on samples, and how far their outputs are from those of the model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import length_hint

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import QuantType
from mlconv.quantize.collect import GiveSamples, Pool, Programs, Runs, Sample, Work, in_chunks
from mlconv.quantize.metrics import Metric, OwnMetric, Part, classes, drop

_FLOAT = "the float model"  # key of its answers in a sample


@dataclass(frozen=True)
class Outside:
    """What numbers inputs and outputs of integers stand for, by name."""

    inputs: Mapping[str, QuantType | None]
    outputs: Mapping[str, QuantType]

    @staticmethod
    def of(function: Function) -> Outside:
        outputs = zip(function.output_names, function.outputs, strict=True)
        return Outside(
            {v.name: v.tensor.quant for v in function.inputs},
            {name: v.tensor.quant for name, v in outputs if v.tensor.quant is not None},
        )

    def taken(self, sample: Sample) -> dict[str, Array]:
        """Inputs of a model, of a sample's numbers; integers are what is stored."""
        given = ((name, sample[name], quant) for name, quant in self.inputs.items())
        return {name: a if q is None or a.dtype.kind in "iu" else q.quantize(a) for name, a, q in given}

    def given(self, outputs: Mapping[str, Array]) -> dict[str, Array]:
        """Outputs in numbers."""
        return {name: self.number(name, array) for name, array in outputs.items()}

    def number(self, name: str, output: Array) -> Array:
        """What integers of an output stand for."""
        quant = self.outputs.get(name) if output.dtype.kind in "iu" else None
        return output if quant is None else quant.dequantize(output)


@dataclass(frozen=True)
class Given:
    """The work of a chunk: outputs of each sample."""

    outside: Outside

    def __call__(self, runs: Runs) -> list[dict[str, Array]]:
        return [self.outside.given(run(self.outside.taken(sample))) for run, sample in runs]


@dataclass(frozen=True)
class Parts:
    """The work of a chunk: parts of a score, of each sample.  target: key of the right answer in a sample."""

    outside: Outside
    metric: Metric
    output: str
    target: str

    def __call__(self, runs: Runs) -> list[Part]:
        found = []
        for run, sample in runs:
            outputs = self.outside.given(run(self.outside.taken(sample)))
            found.append(self.metric.part(outputs[self.output], sample[self.target]))
        return found


@dataclass(frozen=True)
class Errors:
    """The work of a chunk: squared errors of all outputs, over the squares of the outputs as they should be, where
    these are finite.  wanted: the outputs as they should be, of each sample.
    """

    wanted: Sequence[Mapping[str, Array]]

    def __call__(self, runs: Runs) -> float:
        errors, squares = dict[str, float](), dict[str, float]()
        for (run, sample), wanted in zip(runs, self.wanted, strict=True):
            for name, array in run(sample).items():
                if array.dtype.kind == "f":
                    y, t = array.astype(np.float64), wanted[name].astype(np.float64)
                    apart = np.subtract(y, t, out=np.zeros_like(t), where=(y != t) & ~(np.isnan(y) & np.isnan(t)))
                    errors[name] = errors.get(name, 0.0) + float(np.nan_to_num(apart**2, nan=np.inf).sum())
                    squares[name] = squares.get(name, 0.0) + float((t[np.isfinite(t)] ** 2).sum())
        return sum(error / (squares[name] or 1.0) for name, error in errors.items())


def output_losses(
    function: Function, samples: Sequence[Sample], modules: Iterable[Module], pool: Pool
) -> Iterator[float]:
    """How far outputs of copies of a function are from its own: squared errors over squares."""
    inputs = [{name: sample[name] for name in function.input_names} for sample in samples]
    given: Work[list[dict[str, Array]]] = Given(Outside.of(function))
    (wanted,) = pool.map(given, [Programs(function, pool, runs=len(inputs)).paired(inputs)])
    work: Work[float] = Errors(wanted)
    return pool.map(work, (Programs(module.main, pool, runs=len(inputs)).paired(inputs) for module in modules))


@dataclass
class Judge:
    """give: samples with their labels.  labels: names that these may have, the first that a sample has counts."""

    pool: Pool
    give: GiveSamples
    floats: Function
    metric: Metric | OwnMetric
    labels: Sequence[str] = ()
    what: str = "the evaluation data"
    _answers: list[Array] = field(default_factory=list)

    @property
    def samples(self) -> int:
        """How many there are; 0 where nobody knows."""
        return length_hint(self.give(self.floats))

    @property
    def first_sample(self) -> Sample:
        """Raises ConversionError CalibrationMissing where there is none."""
        return next(self._samples())

    def worse(self, score: float, than: float) -> float:
        """How much worse a score is than another."""
        return self.metric.worse(score, than) if isinstance(self.metric, Metric) else drop(score, than)

    @cached_property
    def float_score(self) -> float:
        """Of the model as it is."""
        return self.score(Module([self.floats]))

    def score(self, module: Module) -> float:
        """Of a copy of the model.  Raises ConversionError NameNotFound, ShapeMismatch, CalibrationMissing,
        UsageError.
        """
        outside = Outside.of(module.main)
        if not isinstance(self.metric, Metric):
            return self._own_score(module, outside, self.metric)
        target = self._target
        output = target if target in self.floats.output_names else self.floats.output_names[0]
        work: Work[list[Part]] = Parts(outside, self.metric, output, target)
        samples = self._samples() if self.metric.has_labels else self._with_answers()
        parts = [part for found in self._run(work, module, samples) for part in found]
        return self._checked(self.metric.score(parts)) if parts else self._checked(float("nan"))

    @cached_property
    def _target(self) -> str:
        """The key of the right answers."""
        assert isinstance(self.metric, Metric)
        if not self.metric.has_labels:
            return _FLOAT
        first = next(self._samples(), {})
        inputs = self.floats.input_names
        found = next((name for name in self.labels if name in first and name not in inputs), "")
        if not found:
            raise ConversionError(
                Code.NameNotFound,
                f"{self.what} has no labels, which the metric {self.metric.name} takes: there is no array named "
                f"{' or '.join(self.labels)}",
                help="name the array with --labels; --metric agreement takes none",
            )
        if np.asarray(first[found]).dtype.kind not in "biuf":
            raise ConversionError(
                Code.TypeMismatch,
                f"the metric {self.metric.name} compares numbers, and labels {found!r} are {first[found].dtype}",
                help="give numbers of classes, or another metric: module:function",
            )
        return found

    def _samples(self) -> Iterator[Sample]:
        """Raises ConversionError CalibrationMissing where there are none."""
        found = False
        for sample in self.give(self.floats):
            found = True
            yield sample
        if not found:
            raise ConversionError(Code.CalibrationMissing, f"{self.what} holds no sample")

    def _with_answers(self) -> Iterator[Sample]:
        """With what the float model answers."""
        if not self._answers:
            output = self.floats.output_names[0]
            for found in self._run(Given(Outside.of(self.floats)), Module([self.floats]), self._samples()):
                self._answers += [self._answer(outputs[output]) for outputs in found]
        for sample, answer in zip(self._samples(), self._answers, strict=True):
            yield {**sample, _FLOAT: answer}

    def _answer(self, array: Array) -> Array:
        takes_classes = isinstance(self.metric, Metric) and self.metric.takes_classes
        return _compact(classes(array)) if takes_classes else array

    def _run(self, work: Work, module: Module, samples: Iterable[Sample]) -> Iterator:  # type: ignore[type-arg]
        programs = Programs(module.main, self.pool, runs=length_hint(samples))
        return self.pool.map(work, map(programs.paired, in_chunks(samples)))

    def _own_score(self, module: Module, outside: Outside, metric: OwnMetric) -> float:
        """A caller's function is called here."""
        total, count = 0.0, 0
        outputs = (one for found in self._run(Given(outside), module, self._samples()) for one in found)
        for sample, found in zip(self._samples(), outputs, strict=True):
            total, count = total + self._checked(metric(found, sample)), count + 1
        return total / count

    def _checked(self, score: object) -> float:
        try:
            number = float(score)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ConversionError(Code.UsageError, f"the metric gave {score!r}, which is no score")
        return number

    def losses(self, modules: Iterable[Module], count: int) -> Iterator[float]:
        """How far outputs of copies of the model are from its own.  count: of samples that tell."""
        return output_losses(self.floats, list(islice(self._samples(), count)), modules, self.pool)


def _compact(answer: Array) -> Array:
    return answer if answer.dtype == np.bool_ else answer.astype(np.int32)
