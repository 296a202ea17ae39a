"""What a conversion would say, for each target: the same pipeline up to the writing, but for passes that read weights.

Large constants stay handles; what folding and rules read of small ones decides how nodes are reported, never whether a
target takes them.  Which source op became what is read from locations: a target op names the nodes that it was made
from.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine, Severity, naming
from mlconv.diagnostics.notebook import table
from mlconv.diagnostics.text import amount, printable
from mlconv.driver.budget import Budget, Estimate, are_sizes_open, machine, seconds_of, size_of
from mlconv.driver.context import Context, context_of
from mlconv.driver.loading import import_model, to_core
from mlconv.driver.options import Options
from mlconv.driver.pipeline import OnStage, instruments, parts_of
from mlconv.driver.telling import Telling
from mlconv.exporters.target import Target
from mlconv.ir.module import Module, clone_module
from mlconv.ir.traits import Plumbing, has_trait
from mlconv.legalize.partial import assume_results, keep_legal_part
from mlconv.passes.pipeline import Instruments, OnPass, parse_pipeline, run_pipeline
from mlconv.profiles import Profile, load_profile
from mlconv.provenance.locations import Location, first_name, origins

if TYPE_CHECKING:
    from mlconv.driver.quantized_check import QuantizationCheck

_SOURCES = ("onnx.", "tf.", "hlo.")
_READ = (*_SOURCES, "tfl.")  # of a module that nothing has been done to: later these are a target's
_CORE = "core."
# they hold data, no target refuses them
_NO_WORK = frozenset({"Constant", "Const", "Placeholder", "NoOp", "constant", "parameter"})
_ROUNDS = 16  # of refused ops one behind the other whose results are taken as inputs
STATUSES = ("refused", "decomposed", "supported", "folded", "unchecked")


@dataclass(frozen=True, slots=True)
class SourceNodeFacts:
    """One op of the source: its name (`onnx.Conv`), node path and place."""

    op: str
    node: str
    location: Location | None


@dataclass(slots=True)
class OpRow:
    """All ops of one kind and status.  becomes: target ops and how many of them.  nodes: in order."""

    op: str
    status: str
    nodes: list[SourceNodeFacts] = field(default_factory=list)
    becomes: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class TargetReport:
    """What one target says.  target: its name, or the name of a profile.  quantization: what it would keep in floats,
    where that is asked.  estimate: of size and time, where there is a budget.
    """

    target: str
    rows: list[OpRow]
    diagnostics: list[Diagnostic]
    quantization: QuantizationCheck | None = None
    estimate: Estimate | None = None

    @property
    def ok(self) -> bool:
        return not any(d.severity is Severity.ERROR for d in self.diagnostics)

    def count(self, status: str) -> int:
        return sum(len(r.nodes) for r in self.rows if r.status == status)


@dataclass(slots=True)
class CheckReport:
    """All targets.  `diagnostics` are those of all targets, each once."""

    path: str
    source: dict[str, str | int | float]
    targets: list[TargetReport]
    seconds: float

    def __repr__(self) -> str:
        return f"<CheckReport {printable(self.path)}: {', '.join(f'{name} {said}' for name, said in self._verdicts())}>"

    def _repr_html_(self) -> str:
        rows = [(f"{t.target}: {r.op}", f"{len(r.nodes)} {r.status}") for t in self.targets for r in t.rows]
        problems = [(d.code.id, f"{d.message} ({d.node})" if d.node else d.message) for d in self.diagnostics]
        return table(self.path, [*self._verdicts(), *rows, *problems])

    def _verdicts(self) -> list[tuple[str, str]]:
        errors = [(t.target, sum(d.severity is Severity.ERROR for d in t.diagnostics)) for t in self.targets]
        return [(name, amount(count, "error") if count else "ok") for name, count in errors]

    @property
    def ok(self) -> bool:
        """Every target takes the model."""
        return all(t.ok for t in self.targets)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return list(dict.fromkeys(d for t in self.targets for d in t.diagnostics))


def check_model(
    path: str,
    targets: Sequence[str],
    profiles: Sequence[str] = (),
    options: Options | None = None,
    context: Context | None = None,
    budget: Budget | None = None,
) -> CheckReport:
    """Check a model file against targets and profiles (names, or paths of TOML files).  budget: what artifacts may be.

    Raises ConversionError when the model cannot be read at all, or for an unknown target or profile; refused ops are in
    the report.
    """
    started = time.perf_counter()
    options = options or Options()
    context = context or context_of(options.plugins, paths=[path])
    rules = [_profile(p, options) for p in profiles]
    wanted = [context.target(name) for name in targets]
    with naming(path):
        return _checked(path, wanted, rules, options, context, budget or Budget(), started)


def _profile(name: str, options: Options) -> Profile:
    options.reads([name])
    return load_profile(name)


def _checked(
    path: str,
    targets: Sequence[Target],
    rules: Sequence[Profile],
    options: Options,
    context: Context,
    budget: Budget,
    started: float,
) -> CheckReport:
    engine = DiagnosticEngine()
    module = import_model(path, options, engine, context).module
    if engine.has_errors:
        to_core(module, engine, options, context)  # ends the run, with what it finds besides
    nodes = _source_nodes(module)
    facts = {k: v for k, v in module.source.items() if isinstance(v, (str, int, float))}
    failed, gone, assumed = legalize_partly(module, engine, options, context)
    known = failed or list(engine.diagnostics)
    survey = _Survey(path, module, nodes, options, known, engine.no_lines, gone, assumed, context, budget)
    reports = [survey.target(t) for t in targets] + [survey.target(context.target("tflite"), r) for r in rules]
    return CheckReport(path, facts, reports, time.perf_counter() - started)


def legalize_partly(
    module: Module, engine: DiagnosticEngine, options: Options, context: Context, seen: OnPass | None = None
) -> tuple[list[Diagnostic], set[str], set[str]]:
    """Source ops to core, as far as it goes.  seen: is shown the module after each pass.  Returns what was refused, the
    nodes that could not be judged, and names of inputs that were made up.
    """
    failed: dict[Diagnostic, None] = {}
    gone: set[str] = set()
    assumed: set[str] = set()
    for number in range(_ROUNDS):
        current = engine if number == 0 else DiagnosticEngine([], engine.no_lines, engine.model)
        try:
            watch = instruments(options, current, context)
            watch.original, watch.seen = _importer(current.model, options, context), seen
            to_core(module, current, options, context, watch)
            return list(failed), gone, assumed
        except ConversionError as error:
            failed.update(dict.fromkeys(error.diagnostics or (error.diagnostic,)))
        names = assume_results(module, number, gone)
        assumed |= names
        if not names:
            break
    keep_legal_part(module, gone)
    return list(failed), gone, assumed


def _importer(path: str, options: Options, context: Context) -> Callable[[], Module]:
    """Reads a model anew."""
    return lambda: import_model(path, options, DiagnosticEngine(), context).module


def check_models(
    paths: Sequence[str],
    targets: Sequence[str],
    profiles: Sequence[str] = (),
    options: Options | None = None,
    context: Context | None = None,
    budget: Budget | None = None,
    on_stage: OnStage | None = None,
) -> list[CheckReport]:
    """`check_model` for each path; of several, one that cannot be read is refused in its report instead of ending the
    run.  on_stage: is told what is checked.

    Raises ConversionError UsageError also for options that no target has, and for a budget of what is not checked.
    """
    options = options or Options()
    context = context or context_of(options.plugins, paths=paths)
    wanted = [context.target(name) for name in (*targets, *(["tflite"] if profiles else []))]
    options.check_targets(wanted, context)
    budget = _of_this_machine(budget or Budget())
    budget.check_names([*(t.name for t in wanted), *(_profile(name, options).name for name in profiles)])
    telling = Telling(on_stage)
    if len(paths) == 1:
        telling.stage("check")
        return [check_model(paths[0], targets, profiles, options, context, budget)]
    reports = []
    for path in telling.each("check", paths):
        try:
            reports.append(check_model(path, targets, profiles, options, context, budget))
        except ConversionError as error:
            found = list(error.diagnostics) or [error.diagnostic]
            reports.append(
                CheckReport(path, {}, [TargetReport(name, [], found) for name in (*targets, *profiles)], 0.0)
            )
    return reports


def _of_this_machine(budget: Budget) -> Budget:
    """Measured once for all models."""
    return replace(budget, machine=machine(None)) if budget.times and budget.machine is None else budget


def _source_nodes(module: Module) -> list[SourceNodeFacts]:
    """Ops of the source; of a file that was read into core ops at once, as Keras files are, these."""
    working = [op for op in module.walk() if op.name.rpartition(".")[2] not in _NO_WORK]
    found = [op for op in working if op.name.startswith(_SOURCES if module.passes else _READ)]
    at_once = bool(module.source.get("format")) and not module.passes
    ops = found or [op for op in working if at_once and op.name.startswith(_CORE)]
    return [SourceNodeFacts(op.name, first_name(op.location), op.location) for op in ops]


class _Survey:
    """A module of core ops that is tried for one target after the other.

    known: what is already said, of every target.  gone: nodes that are not in the module, as they read what a refused
    op makes.
    assumed: inputs that were made up.
    """

    def __init__(
        self,
        path: str,
        module: Module,
        nodes: list[SourceNodeFacts],
        options: Options,
        known: list[Diagnostic],
        no_lines: str,
        gone: set[str],
        assumed: set[str],
        context: Context,
        budget: Budget,
    ) -> None:
        self.path, self.module, self.nodes, self.options = path, module, nodes, options
        self.known, self.no_lines, self.gone, self.assumed = known, no_lines, gone, assumed
        self.context, self.budget = context, budget
        self.optimized: dict[str, tuple[Module, QuantizationCheck | None]] = {}

    def target(self, target: Target, profile: Profile | None = None) -> TargetReport:
        """Legalize a copy for a target, then apply the rules of a profile to it."""
        name = profile.name if profile is not None else target.name
        engine = DiagnosticEngine([], self.no_lines, self.path)
        if self.options.quantize:
            from mlconv.driver.quantized_check import check_schemes

            check_schemes(self.options, target, engine)
        if engine.has_errors:
            return TargetReport(
                name, _rows(self.nodes, self.known, None, "", self.gone), [*self.known, *engine.diagnostics]
            )
        optimized, quantization = self._optimized(target)
        copy = clone_module(optimized)
        try:
            self._run(copy, parts_of(copy, self.options, target, self.context).target, engine)
        except ConversionError as error:
            if not engine.has_errors:
                engine.error(error)
        if profile is not None and not engine.has_errors:
            from mlconv.exporters.tflite.export import version_of

            for problem in profile.problems(copy, version_of):
                engine.add(problem)
        if quantization is not None and not engine.has_errors:
            from mlconv.driver.outcomes import refuse_floats, tell_layers

            tell_layers(quantization.layers, copy, target, lowered=True)
            if self.options.require_int8:
                refuse_floats(quantization.layers, name, engine)
        estimate = (
            self._estimate(name, target, copy, engine) if self.budget.is_asked and not engine.has_errors else None
        )
        found = [*self.known, *(d for d in engine.explained() if d.node not in self.assumed)]
        rows = _rows(self.nodes, found, copy, target.prefix, self.gone)
        return TargetReport(name, rows, found, quantization, estimate)

    def _estimate(self, name: str, target: Target, module: Module, engine: DiagnosticEngine) -> Estimate:
        """Of a module of the target's ops; what exceeds the budget goes to the engine."""
        size, seconds = size_of(module, target), None
        if self.budget.most(name, target.name)[1] is not None and self.budget.machine is not None:
            kernels = module if target.name == "native" else self._kernels()
            if kernels is None:
                engine.warn(
                    Code.BudgetExceeded, f"{name}: nobody can tell the time, as native code has no form of the model"
                )
            elif are_sizes_open(kernels):
                text = f"{name}: sizes of inputs are known at run time only, so that nobody can tell the time"
                engine.error(ConversionError(Code.ShapeNotStatic, text, help="pin them with --shape"))
            else:
                seconds = seconds_of(kernels, self.budget.machine)
        estimate = Estimate(size, seconds)
        for problem in self.budget.problems(name, target.name, estimate):
            engine.error(problem)
        return estimate

    def _kernels(self) -> Module | None:
        """The kernels that native code has for the model; None where it has no form of it."""
        native = self.context.target("native")
        engine = DiagnosticEngine([], self.no_lines, self.path)
        try:
            copy = clone_module(self._optimized(native)[0])
            self._run(copy, parts_of(copy, self.options, native, self.context).target, engine)
        except ConversionError:
            return None
        return None if engine.has_errors else copy

    def _optimized(self, target: Target) -> tuple[Module, QuantizationCheck | None]:
        if target.name not in self.optimized:
            module = clone_module(self.module)
            engine = DiagnosticEngine([], self.no_lines, self.path)
            found = None
            if self.options.quantize:
                from mlconv.driver.quantized_check import quantize_unread

                watch = self._watch(module, engine)
                found = quantize_unread(module, self.options, target, self.context, watch)
            else:
                self._run(module, parts_of(module, self.options, target, self.context).common, engine)
            self.optimized[target.name] = module, found
        return self.optimized[target.name]

    def _run(self, module: Module, passes: str, engine: DiagnosticEngine) -> None:
        """Run passes, but for those that read weights."""
        watch = self._watch(module, engine)
        items = parse_pipeline(passes, self.context.passes)
        run_pipeline(module, [item for item in items if not item.reads_weights], watch)

    def _watch(self, module: Module, engine: DiagnosticEngine) -> Instruments:
        before = clone_module(module)
        watch = instruments(self.options, engine, self.context)
        watch.original = lambda: clone_module(before)
        return watch


def _rows(
    nodes: Iterable[SourceNodeFacts],
    diagnostics: Sequence[Diagnostic],
    legalized: Module | None,
    prefix: str,
    gone: set[str],
) -> list[OpRow]:
    """Nodes by kind and status, the worst first."""
    refused = {
        name for d in diagnostics if d.severity is Severity.ERROR for name in (d.node, *origins(d.location)) if name
    }
    made: dict[str, Counter[str]] = {}
    working: Counter[str] = Counter()
    left = set(gone)  # and nodes that core ops are left of: legalization did not come to them
    for op in legalized.walk() if legalized is not None else ():
        names = dict.fromkeys(origins(op.location))
        if op.name.startswith(prefix):
            for name in names:
                made.setdefault(name, Counter())[op.name.removeprefix(prefix)] += 1
                working[name] += not has_trait(op, Plumbing)
        elif op.name.startswith("core.") and op.name != "core.constant":
            left.update(names)
    rows: dict[tuple[str, str], OpRow] = {}
    for node in nodes:
        name = next(origins(node.location), "")
        became = made.get(name, Counter())
        status = (
            "refused"
            if name in refused
            else "unchecked"
            if legalized is None or name in left
            else _status(became, working[name])
        )
        row = rows.setdefault((node.op, status), OpRow(node.op, status))
        row.nodes.append(node)
        row.becomes.update(became)
    return sorted(rows.values(), key=lambda r: (STATUSES.index(r.status), -len(r.nodes), r.op))


def _status(became: Counter[str], working: int) -> str:
    """working: how many of the ops that it became are more than plumbing, such that it is still supported as it is with
    one.  folded: it became part of a constant or of another op, or was not needed.
    """
    if not became:
        return "folded"
    return "decomposed" if working > 1 else "supported"
