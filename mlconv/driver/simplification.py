"""Simplification: a model file to one of the same format, verified before it takes its name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from mlconv.diagnostics import Code, ConversionError, Diagnostic, Severity, naming
from mlconv.diagnostics.notebook import table
from mlconv.diagnostics.text import printable
from mlconv.driver.context import Context, context_of
from mlconv.driver.loading import Model, held_as_file, in_core
from mlconv.driver.options import Options, check_keywords
from mlconv.driver.pipeline import OnStage, timed
from mlconv.formats.run_files import RunFiles
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.constants import Array
from mlconv.ir.module import Function, Module
from mlconv.provenance.locations import NameLocation
from mlconv.runtime.loop_ends import has_open_loops, patient
from mlconv.simplifiers.checking import TRIES, Checked, Side, check, check_tflite, has_onnx_runtime, onnx_runtime
from mlconv.simplifiers.result import Simplified

if TYPE_CHECKING:
    from mlconv.driver.keywords import SimplifyOptions

T = TypeVar("T")
_TAKEN = frozenset({"shapes", "linked_data"})
_LOOPS = frozenset({"Loop", "WHILE"})
_ALWAYS = frozenset({"dead"})  # what nothing reads goes, whatever is skipped


@dataclass(slots=True)
class Simplification:
    """What was done.  ops_before, ops_after: nodes by operator, subgraphs included.  rules: how often each was
    applied.  timings: seconds by stage.
    """

    source: str
    output: str
    format: str
    ops_before: dict[str, int] = field(default_factory=dict)
    ops_after: dict[str, int] = field(default_factory=dict)
    bytes_before: int = 0
    bytes_after: int = 0
    rules: dict[str, int] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    checked: Checked = field(default_factory=lambda: Checked("", 0))
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def __repr__(self) -> str:
        nodes = f"{sum(self.ops_before.values())} to {sum(self.ops_after.values())} nodes"
        return f"<Simplification {printable(self.output)}: {nodes}, {self.bytes_before} to {self.bytes_after} bytes>"

    def _repr_html_(self) -> str:
        ops = [(op, f"{n} to {self.ops_after.get(op, 0)}") for op, n in self.ops_before.items()]
        return table(repr(self)[1:-1], [*ops, *((f"rule {rule}", n) for rule, n in self.rules.items())])


def simplify(
    model: Model,
    output: str | os.PathLike[str] | None = None,
    *,
    skip: Sequence[str] = (),
    data: str = "",
    options: Options | None = None,
    on_stage: OnStage | None = None,
    **settings: Unpack[SimplifyOptions],
) -> Simplification:
    """Simplify a model, and write it in its own format, with the same inputs, outputs, operator sets and notes.

    model: a path, or an onnx.ModelProto.  output: a path, by default STEM.simplified and the model's suffix.  skip:
    names of rules that are left out.  data: arrays to verify with, as `--data` takes them; random ones without.
    settings: fields of `Options` that say how the file is read: `shapes` pins sizes of inputs.
    Both models are run on the same inputs before the file takes its name.  Raises ConversionError VerificationFailed
    where they give other numbers, with nothing written, and what reading and writing raise.  What could not be run is
    told by a warning in the result's `diagnostics`.
    """
    if isinstance(model, (LoadedModel, Module)):
        raise ConversionError(
            Code.UsageError, "the model is read already: simplify takes a file, or an onnx.ModelProto"
        )
    held = held_as_file(model, ())
    if held is not None and output is None:
        raise ConversionError(Code.UsageError, "the model has no file name: say where to write with output=...")
    path = held.path if held is not None else os.fspath(model) if isinstance(model, (str, os.PathLike)) else ""
    with naming(path):
        check_keywords("simplify", settings, {*_TAKEN, "plugins"})
        options = (options or Options()).with_settings(settings, context_of(paths=[path]))
        context = context_of(options.plugins, paths=[path])
        form = context.format_of(path)
        if form.name not in _BY_FORMAT:
            raise ConversionError(
                Code.UsageError,
                f"{path} is a {form.name} file; {' and '.join(_BY_FORMAT)} files are simplified",
                help=f"mlconv convert {path} --to onnx, or --to tflite, makes one",
            )
        options.check_plain(f"{path}, which is simplified as a whole", _TAKEN)
        if output is not None and os.fspath(output) in ("", "-"):
            raise ConversionError(
                Code.UsageError,
                "weights may be written beside the model: -o - has no place for them",
                help="name a file",
            )
        target = Path(os.fspath(output) if output is not None else _default(path, form.name))
        result = Simplification(path, str(target), form.name)
        _Run(replace(options, files=options.files or RunFiles()), context, result, on_stage).run(
            target, frozenset(skip), data
        )
    return result


@dataclass(frozen=True, slots=True)
class _Attempt:
    """made: the simplified model.  size: of what was written, in bytes.  error: it gives other numbers."""

    made: Simplified
    size: int
    checked: Checked
    error: ConversionError | None = None


def _always(inputs: Mapping[str, Array]) -> bool:
    return True


def _default(path: str, form: str) -> str:
    """ONNX models in text become binary ones."""
    stem, suffix = os.path.splitext(path)
    return f"{stem}.simplified{'.onnx' if form == 'onnx' else suffix}"


class _Run:
    """One simplification: its stages in order, timed."""

    def __init__(self, options: Options, context: Context, result: Simplification, on_stage: OnStage | None) -> None:
        self.options, self.context, self.result, self.on_stage = options, context, result, on_stage
        self.files = options.files or RunFiles()

    def stage(self, name: str, work: Callable[[], T]) -> T:
        return timed(name, work, self.result.timings, self.on_stage)

    def run(self, target: Path, skipped: frozenset[str], data: str) -> None:
        """What is written lies in a folder of its own until it is verified."""
        from mlconv.driver.beside import claim
        from mlconv.formats.atomic import publish, staged

        result, path = self.result, self.result.source
        self.files.read([path, *([data] if data else [])])
        beside = [target.name, f"{target.name}.data"]
        claim(target, beside, self.files)
        made = self.made(skipped)
        self.files.read(made.files)
        claim(target, beside, self.files)
        with staged(target) as written:
            attempt = self.attempt(made, written, data)
            if attempt.error is not None:
                attempt = self.without_faulty(attempt, skipped, written, data)
            made, result.bytes_after, result.checked = attempt.made, attempt.size, attempt.checked
            publish(written, target, lambda names: claim(target, names, self.files))
        result.ops_before, result.ops_after = _sorted(made.source.ops), _sorted(made.ops)
        result.bytes_before, result.rules = made.source.size, dict(sorted(made.applied.items()))
        self.tell()

    def made(self, skipped: frozenset[str]) -> Simplified:
        path, form = self.result.source, self.result.format
        return self.stage("simplify", lambda: _BY_FORMAT[form](path, self.options, skipped))

    def attempt(self, made: Simplified, written: Path, data: str) -> _Attempt:
        """Write a model, and run it beside the source."""
        size = self.stage("write", lambda: made.write(written))
        checked = Checked("", 0)
        try:
            checked = self.stage("verify", lambda: self.checked(made, written, data))
            checked.require_equal()
        except ConversionError as error:
            if error.code is not Code.VerificationFailed:
                raise
            return _Attempt(made, size, checked, error)
        return _Attempt(made, size, checked)

    def without_faulty(self, failed: _Attempt, skipped: frozenset[str], written: Path, data: str) -> _Attempt:
        """The model without the rules that give other numbers, which are found by halving; a warning names them.
        Raises the error of the first attempt where no rules are to blame.
        """
        assert failed.error is not None
        rules = [name for name in sorted(failed.made.applied) if name not in _ALWAYS]
        faulty: list[str] = []

        def tried(more: Sequence[str]) -> _Attempt:
            for file in written.parent.glob(f"{written.name}*"):
                file.unlink()
            return self.attempt(self.made(skipped.union(faulty, more)), written, data)

        attempt = failed
        while attempt.error is not None:
            if not rules or tried(rules).error is not None:
                raise failed.error
            low, high = 0, len(rules)  # without the first `high` it is right
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if tried(rules[:middle]).error is None else (middle, high)
            faulty.append(rules[low])
            rules = rules[:low]
            attempt = tried(())
        message = f"left out, as the model gives other numbers with it: {', '.join(faulty)}"
        why = (failed.error.diagnostic.message,)
        self.result.diagnostics.append(Diagnostic(Code.VerificationFailed, message, Severity.WARNING, why=why))
        return attempt

    def checked(self, made: Simplified, written: Path, data: str) -> Checked:
        """Both models on the same inputs, on the first runtime that takes the source."""
        path, lets_end = self.result.source, self.loop_check(made)
        why = "ONNX Runtime is not installed"
        if self.result.format == "tflite":
            return check_tflite(path, str(written), data, lets_end)
        if made.foreign:
            return self.checked_in_parts(made, written)
        if has_onnx_runtime():
            try:
                source = onnx_runtime(path)
            except ConversionError as error:
                why = error.diagnostic.message
            else:
                ours = onnx_runtime(str(written))
                found = check(source, ours, made.function, made.texts, made.rounds, data, lets_end)
                if found.runs:
                    return found
                why = found.why
        try:
            found = check(
                self.reference(path),
                self.reference(str(written)),
                made.function,
                made.texts,
                made.rounds,
                data,
                lets_end,
            )
        except ConversionError as error:
            if error.code is Code.VerificationFailed:
                raise
            return Checked("", 0, why=why)
        return found if found.runs else Checked("", 0, why=why)

    def loop_check(self, made: Simplified) -> Callable[[Mapping[str, Array]], bool]:
        """Whether inputs let all loops of the source end, as far as the interpreter knows."""
        if _LOOPS & set(made.source.ops):
            try:
                main = in_core(self.result.source, self.options, self.context).main
            except ConversionError:
                return _always
            if has_open_loops(main):
                return patient(main, TRIES)
        return _always

    def reference(self, path: str) -> Side:
        """The interpreter on a file.  Raises ConversionError."""
        loaded = in_core(path, self.options, self.context)
        return Side("mlconv's interpreter", lambda inputs: dict(loaded.run(inputs)))

    def checked_in_parts(self, made: Simplified, written: Path) -> Checked:
        """The rest of both models, where operators are in the way that nothing knows."""
        from mlconv.simplifiers.onnx.cutting import without_foreign

        if not has_onnx_runtime():
            return Checked("", 0, aside=made.foreign, why=f"nothing here runs {', '.join(made.foreign)}")
        one, inputs = without_foreign(self.result.source, made.types)
        other, others = without_foreign(str(written), made.types)
        if len(inputs) != len(others):
            return Checked("", 0, aside=made.foreign, why="the parts do not fit")
        names = dict(zip(others, inputs, strict=True))
        function = made.function
        types = [*(v.type for v in function.inputs), *inputs.values()]
        whole = Function.create("main", types, [*function.input_names, *inputs], NameLocation("graph"))
        try:
            source, ours = onnx_runtime(one), onnx_runtime(other)
        except ConversionError as error:
            return Checked("", 0, aside=made.foreign, why=error.diagnostic.message)
        renamed = Side(ours.runtime, lambda given: ours.run({**given, **{n: given[o] for n, o in names.items()}}))
        return replace(check(source, renamed, whole, made.texts, made.rounds), aside=made.foreign)

    def tell(self) -> None:
        """A warning of what was not run."""
        checked = self.result.checked
        if not checked.runs:
            message = f"the simplified model was not verified: {checked.why}"
            help_ = "give inputs with --data FILE.npz" if not checked.aside else ""
            self.result.diagnostics.append(
                Diagnostic(Code.VerificationImpossible, message, Severity.WARNING, help=help_)
            )


def _sorted(ops: Counter[str]) -> dict[str, int]:
    return dict(sorted(ops.items()))


def _onnx(path: str, options: Options, skipped: frozenset[str]) -> Simplified:
    from mlconv.simplifiers.onnx.model import simplify_onnx

    return simplify_onnx(path, options.plain_shapes(), skipped, options.linked_data, options.reads)


def _tflite(path: str, options: Options, skipped: frozenset[str]) -> Simplified:
    from mlconv.simplifiers.tflite.model import simplify_tflite

    if options.shapes or options.linked_data:
        raise ConversionError(Code.UsageError, "sizes of a TFLite file stay as they are: leave --shape out")
    return simplify_tflite(path, skipped)


_BY_FORMAT: Mapping[str, Callable[[str, Options, frozenset[str]], Simplified]] = {"onnx": _onnx, "tflite": _tflite}
