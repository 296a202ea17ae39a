"""Quantization as a conversion asks for it: the recipe of its options, its samples, and native code to run them
with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from types import FunctionType
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError, Diagnostic, Severity
from mlconv.diagnostics.text import amount
from mlconv.driver.beside import RECIPE
from mlconv.driver.context import Context
from mlconv.driver.files import files_of
from mlconv.driver.options import Options
from mlconv.driver.pool import NativePool
from mlconv.exporters.target import Target
from mlconv.formats.atomic import write_text
from mlconv.ir.core import Op
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.objects import object_at
from mlconv.quantize.collect import Collector, GiveSamples, Sample
from mlconv.quantize.halves import store_given_halves
from mlconv.quantize.interface import is_number
from mlconv.quantize.metrics import METRICS, Metric, OwnMetric, metric_without_labels
from mlconv.quantize.outcome import Row
from mlconv.quantize.quantizer import Quantizer
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.report import Budget, Report
from mlconv.quantize.saved import Findings, is_saved, read_findings
from mlconv.quantize.scheme import Scheme
from mlconv.runtime.images import ImageForm, assumed
from mlconv.runtime.inputs import symbols_of
from mlconv.runtime.jobs import workers_of
from mlconv.runtime.own_functions import function_at
from mlconv.runtime.ports import port_of
from mlconv.runtime.samples import RANDOM, Kept, Samples, Source, batch_of, given_samples, random_samples, read_samples

if TYPE_CHECKING:
    from mlconv.quantize.evaluate import Judge
    from mlconv.quantize.stopwatch import Stopwatch

LABELS = ("label", "labels", "y", "target", "targets")
"""Names of arrays with right answers, where none is given."""
_MADE_UP = "ranges are made up: the model was run on random numbers, which tell nothing of what it will see"
_VERIFIED = 2  # samples that an artifact is run on
_INSTEAD = "give samples of what the model will see with --calibration"
_SCORED = "give samples of what the model will see with --evaluation"
_SAID = (
    "where the model takes other numbers, say which: --calibration-images 'mean=127.5 std=127.5'; 'std=1' says that it "
    "takes these"
)
_LESS = "calibrate with samples with this scheme: less is lost then"
_DRAWN_SIZES = "sizes that are open are 2, or near it, in random samples: pin them with --shape"
_WHOLE = "give a multiple of that, or pin another batch with --shape"
Give = Callable[[Function], Samples]
Tell = Callable[[str, int, int], None]
Watch = Callable[[str, Callable[[], float]], None]


class Quantization:
    """What a conversion's options ask for.  tell: is told what is done, and how much of how much.  watch: is told what
    is done, and who says what part of it is.  notes: on what was asked for.  lost: why the result is not what was asked
    for, though it is the best there is.  rows: layers of the report.  floats: ops that rules keep from integers.
    inputs: that are numbers, whatever holds them behind quantization.  first_samples: to verify with.
    """

    def __init__(
        self,
        options: Options,
        context: Context,
        target: Target,
        tell: Tell,
        watch: Watch = lambda what, fraction: None,
    ) -> None:
        """Raises ConversionError UsageError, InputNotReadable."""
        self.options, self.context, self.target, self.tell, self.watch = options, context, target, tell, watch
        self.recipe = Recipe.of(
            options.quantize,
            options.quantize_rules,
            options.granularity,
            options.activation_ranges,
            options.quant_profile,
        )
        self.symmetric = target.symmetric(options.of_target(target))
        for scheme in self.recipe.schemes:
            check_scheme(scheme, target, self.symmetric)
        self.recipe = _with_samples(self.recipe, options)
        self.images = images = ImageForm.parse(self.recipe.images)
        given = self.recipe.calibration or options.calibration
        self.saved = _saved(given)
        calibration = _again(given)
        self.give = None if self.saved else _giver(calibration, images, "the calibration data")
        self.left_out: dict[str, int] = {}
        self.notes: list[Diagnostic] = []
        self.draws = isinstance(given, str) and given.split(":")[0] == "random"
        if isinstance(given, str) and self.draws:
            drawn = given
            self.give = lambda function: random_samples(drawn, function)
            self.notes.append(Diagnostic(Code.CalibrationRandom, _MADE_UP, Severity.NOTE, help=_INSTEAD))
        if options.save_calibration and self.give is None and self.saved is None:
            raise ConversionError(
                Code.UsageError, "--save-calibration is given, and there are no samples", help="add --calibration"
            )
        self.kept = Findings() if options.save_calibration and self.saved is None else None
        labels = (options.labels,) if options.labels else LABELS
        evaluation = calibration if options.evaluation is given else _again(_no_draws(options.evaluation))
        self.give = self.give and self._watched(self.give, "the calibration data")
        given_labelled = _giver(evaluation, images, "the evaluation data", labels)
        self.give_labelled = given_labelled and self._watched(given_labelled, "the evaluation data")
        self.metric = _metric(options.metric)
        self.compares = self.recipe.is_automatic and self.give_labelled is None
        if self.compares and self.saved is not None:
            raise ConversionError(
                Code.CalibrationMissing,
                "--quantize auto compares answers, and what a calibration saved has no samples",
                help="give samples with --calibration, or with --evaluation, --metric and --max-drop",
            )
        if self.compares:
            self.give_labelled = self.give
        self.stopwatch = None if self.compares or not self.recipe.is_automatic else _stopwatch(options, context, target)
        self.labels = labels
        self.lost: ConversionError | None = None
        self.rows: list[Row] = []
        self.floats: Collection[Op] = ()
        self.inputs: frozenset[str] = frozenset()
        self.first_samples: tuple[Sample, ...] = ()

    def _watched(self, give: Give, what: str) -> Give:
        """Keeps how many samples fill no run."""

        def again(function: Function) -> Samples:
            samples = give(function)
            samples.on_rest = partial(self.left_out.__setitem__, what)
            return samples

        return again

    def quantize(self, module: Module) -> Report:
        """In place.  Raises what `Quantizer.quantize` does, and WorkerLost."""
        self.inputs = frozenset(v.name for v in module.main.inputs if is_number(v))
        self.recipe = self.recipe.among(module)
        self.notes += _assumed(self.recipe.calibration, module.main, self.images)
        if self.options.verify and self.give is not None:
            self.first_samples = tuple(islice(self.give(module.main), _VERIFIED))
        workers = workers_of(self.options.jobs)
        with NativePool(self.options, self.context, workers, lambda p: self.watch("compiling", p.fraction)) as pool:
            quantizer = self._quantizer(pool, self.recipe, self.options.measure and self.give_labelled is None)
            if self.draws and self.give_labelled is None:
                _with_drawn_sizes(quantizer, module)
            elif self.give_labelled is None:
                quantizer.quantize(module)
            elif self.stopwatch is not None:
                quantizer = self._by_time(module, quantizer, pool, self.give_labelled, self.stopwatch)
            else:
                quantizer = self._within_budget(module, quantizer, pool, self.give_labelled)
        if quantizer.collector is not None and self.saved is not None and quantizer.collector.untold:
            self.notes.append(_partial(len(quantizer.collector.untold), self.saved.path))
        batch = batch_of(module.main)
        if not self.draws:
            quantizer.report.samples *= batch
            quantizer.report.measured *= batch
        self.notes += [_left_out(what, left, batch) for what, left in self.left_out.items()]
        if self.target.keeps_stored_weights:
            store_given_halves(module.main)
        self.rows, self.floats = quantizer.described.rows(), quantizer.floats
        found = self.kept or self.saved
        if self.options.save_calibration and found is not None:
            found.write(self.options.save_calibration, self.options.files)
        if self.options.save_recipe:
            recipe = replace(quantizer.recipe, calibration=self.recipe.calibration, images=self.recipe.images)
            text = recipe.text(os.path.dirname(self.options.save_recipe))
            write_text(self.options.save_recipe, text, self.options.files, RECIPE)
        return quantizer.report

    def _quantizer(self, pool: NativePool, recipe: Recipe, measures: bool) -> Quantizer:
        tell = self.tell
        collector = None
        if self.give is not None or self.saved is not None:
            progress = partial(tell, "calibration")
            collector = Collector(self.give, pool, progress, self.saved, self.kept)
        target = self.target
        return Quantizer(
            recipe,
            collector,
            target.dynamic,
            target.dynamic_blocks,
            self.symmetric,
            measures,
            keeps_given=not target.computes_quantized,
        )

    def _within_budget(self, module: Module, quantizer: Quantizer, pool: NativePool, give: GiveSamples) -> Quantizer:
        """Quantize so that no more is lost than may be, with the recipe that was found; else as well as was found."""
        from mlconv.quantize.budget import Search
        from mlconv.quantize.evaluate import Judge
        from mlconv.quantize.trials import Trials

        floats = clone_module(module)
        metric, limit = self.metric, self.options.max_drop
        what = "the evaluation data"
        if self.compares:
            (metric, limit), what = metric_without_labels(floats.main), "the calibration data"
        assert limit is not None and metric is not None
        judge = Judge(pool, give, floats.main, metric, self.labels, what)
        search = Search(Trials(quantizer, module), judge, limit, self.tell)
        way = search.found()
        made = partial(self._made, pool=pool, judge=judge, limit=limit, layers=len(search.free))
        found = made(module, recipe=search.recipe(way), trials=len(search.tried))
        lost = self.lost
        for other in search.others(way) if lost else ():
            copy = clone_module(floats)
            again = made(copy, recipe=search.recipe(other), trials=len(search.tried))
            if self.lost is None:
                module.functions[:] = copy.functions
                return again
        self.lost = lost
        return found

    def _by_time(
        self, module: Module, quantizer: Quantizer, pool: NativePool, give: GiveSamples, stopwatch: Stopwatch
    ) -> Quantizer:
        """Quantize so that no more is lost than may be, in the least time."""
        from mlconv.quantize.evaluate import Judge
        from mlconv.quantize.speed import SpeedSearch, tell_times

        floats = clone_module(module).main
        limit, metric = self.options.max_drop, self.metric
        assert limit is not None and metric is not None
        judge = Judge(pool, give, floats, metric, self.labels)
        quantizer.check(module)
        search = SpeedSearch(quantizer, module, judge, Collector(give, pool), stopwatch, limit, self.tell)
        way = search.found()
        found = self._made(module, pool, way.recipe, judge, limit, way.trials, len(search.layers))
        found.report.speed = way.report
        tell_times(found.described.rows(), way.calls)
        return found

    def _made(
        self, module: Module, pool: NativePool, recipe: Recipe, judge: Judge, limit: float, trials: int, layers: int
    ) -> Quantizer:
        """Quantize by the recipe that was found, and say what that scores."""
        found = self._quantizer(pool, recipe, self.options.measure)
        found.quantize(module)
        score = judge.score(module)
        worse = judge.worse(score, judge.float_score)
        name, kept = _name_of(self.options.metric or judge.metric), recipe.rules[len(self.recipe.rules) :]
        budget = found.report.budget = Budget(
            name, judge.float_score, score, worse, limit, trials, layers, [*map(str, kept)], worse <= limit
        )
        self.lost = None if budget.met else _lost(budget)
        return found


def _with_samples(recipe: Recipe, options: Options) -> Recipe:
    """What options say of samples counts for more than what the recipe says; what is no text is in no recipe."""
    given = options.calibration
    kept = recipe.calibration if isinstance(given, str) and not given else given if isinstance(given, str) else ""
    found = replace(recipe, calibration=kept)
    options.reads([options.quantize] if options.quantize.endswith(".toml") else [])
    options.reads(files_of(found.calibration) if found.calibration else [])
    return replace(found, images=options.calibration_images or recipe.images)


def check_scheme(scheme: Scheme, target: Target, symmetric: bool) -> None:
    """symmetric: zero points of activations are 0.  Raises ConversionError TargetLacksType."""
    if symmetric and scheme.interface is DType.U8:
        raise ConversionError(
            Code.TargetLacksType,
            f"target {target.name} is asked for zero points of 0, which leave uint8 no number below 0",
            help="take int8-io-int8",
        )
    if scheme.name in target.instead:
        raise ConversionError(
            Code.TargetLacksType,
            f"target {target.name} computes nothing with the scheme {scheme.name}",
            help=f"take {target.instead[scheme.name]}",
        )
    if scheme.block > 0 and scheme.bits > target.block_bits:
        raise ConversionError(
            Code.TargetLacksType,
            f"target {target.name} has scales in blocks for weights of {target.block_bits} bits, not of {scheme.bits}",
            help="take --granularity channel, or the scheme int4",
        )


def _stopwatch(options: Options, context: Context, target: Target) -> Stopwatch | None:
    """Who times code for the target; None where nobody can time any.  Raises ConversionError TargetUnavailable where
    it is for another machine.
    """
    place = context.stopwatches.get(target.name)
    if place is None:
        return None
    found: Stopwatch = object_at(place, FunctionType)(options, context)
    return found


def _saved(calibration: object) -> Findings | None:
    """What another run found, where that is what is given."""
    if isinstance(calibration, str) and os.path.isfile(calibration) and is_saved(calibration):
        return read_findings(calibration)
    return None


def _assumed(path: str, function: Function, images: ImageForm) -> list[Diagnostic]:
    """What is taken for granted of images.  path: of samples."""
    states = {slot.input for slot in function.facts.state.values()}
    first = next((v for v in function.inputs if v.name not in states), None)
    text = "" if first is None else assumed(path, port_of(first.name, first), images)
    return [Diagnostic(Code.CalibrationAssumed, text, Severity.NOTE, help=_SAID)] if text else []


def _partial(count: int, path: str) -> Diagnostic:
    products = "a product are" if count == 1 else f"{count} products are"
    message = f"weights of {products} rounded one by one: {path}, of another scheme, has no sums of what they read"
    return Diagnostic(Code.CalibrationPartial, message, Severity.NOTE, help=_LESS)


def _name_of(metric: object) -> str:
    """As it was given, or as it is called."""
    if isinstance(metric, Metric):
        return metric.name
    return metric if isinstance(metric, str) else getattr(metric, "__name__", type(metric).__name__)


def _metric(given: str | OwnMetric) -> Metric | OwnMetric | None:
    """Raises ConversionError UsageError, InputNotReadable."""
    if not isinstance(given, str):
        return given
    if not given or given in METRICS:
        return METRICS.get(given)
    if ":" not in given:
        raise ConversionError(
            Code.UsageError, f"unknown metric {given!r}; metrics are {', '.join(METRICS)}, and module:function"
        )
    return function_at(given)


def _lost(budget: Budget) -> ConversionError:
    tried = f"{amount(budget.trials, 'way')} {'was' if budget.trials == 1 else 'were'} tried"
    return ConversionError(
        Code.AccuracyLost,
        f"the best quantized model scores {budget.score:.6g} by {budget.metric}, the model {budget.float_score:.6g}: "
        f"that is worse by {budget.worse:.6g}, and may be by {budget.limit:.6g}",
        notes=(f"{tried}, with {len(budget.kept)} of {budget.layers} layers in more bits",),
    )


def _no_draws(evaluation: str | Source) -> str | Source:
    """Raises ConversionError UsageError for random samples to score with."""
    if isinstance(evaluation, str) and RANDOM.fullmatch(evaluation):
        raise ConversionError(Code.UsageError, "a score on random numbers tells nothing", help=_SCORED)
    return evaluation


def _again(source: str | Source | None) -> str | Source | None:
    """What can be gone over as often as it takes: passes are several, and an iterator has one."""
    return Kept(source) if isinstance(source, Iterator) else source


def _with_drawn_sizes(quantizer: Quantizer, module: Module) -> None:
    """As `quantize`; what does not fit together is told to be of sizes that nobody gave."""
    try:
        quantizer.quantize(module)
    except ConversionError as error:
        if error.diagnostic.code is Code.ShapeMismatch and any(symbols_of(module.main)):
            error.diagnostic = replace(error.diagnostic, help=error.diagnostic.help or _DRAWN_SIZES)
        raise


def _left_out(what: str, left: int, batch: int) -> Diagnostic:
    message = (
        f"{amount(left, 'sample')} of {what} {'is' if left == 1 else 'are'} left out: the model takes {batch} in a run"
    )
    return Diagnostic(Code.CalibrationIncomplete, message, Severity.NOTE, help=_WHOLE)


def _giver(source: str | Source | None, images: ImageForm, what: str, labels: Sequence[str] = ()) -> Give | None:
    if isinstance(source, str):
        return (lambda function: read_samples(source, function, images, labels)) if source else None
    return None if source is None else lambda function: given_samples(source, function, what, labels)
