"""A conversion in stages: the module after each pass, and the artifact, each of which can be run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine
from mlconv.diagnostics.text import Json
from mlconv.driver.artifact_values import Reading, ShowsInside, renamed
from mlconv.driver.conversion import Conversion
from mlconv.driver.interface import interface_of
from mlconv.driver.loading import check_whole, import_model, in_core, to_core
from mlconv.driver.pipeline import parts_of
from mlconv.driver.roundings import rounding_of, tflite_rounding
from mlconv.exporters.target import WriteRequest
from mlconv.formats.run_files import RunFiles
from mlconv.importers.loaded import LoadedModel
from mlconv.interp.kernels import run_kernels
from mlconv.ir.constants import Array, Const
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.verifier import verify
from mlconv.passes.base import Pass
from mlconv.passes.dce import eliminate_dead_code
from mlconv.passes.pipeline import parse_pipeline, pipeline_text, run_pipeline
from mlconv.quantize.evaluate import Outside
from mlconv.runtime.inputs import sizes_of
from mlconv.runtime.layer_noise import Rounding
from mlconv.runtime.layer_report import Called
from mlconv.runtime.layer_values import LayerValue, interpreted_values, of_node, tflite_values
from mlconv.runtime.measures import Limits, Measure
from mlconv.runtime.ranged_hlo import entry_of_ranges
from mlconv.runtime.tflite_file import TfliteFile
from mlconv.runtime.verify import Golden, held_to

WRITER = "write"
_CORE, _KERNEL, _TENSORFLOW = "core.", "kernel.", "tf."
_LARGE = 8  # elements of a constant that is told from others by what it holds


@dataclass
class Stage:
    """name: of the pass, or `write`.  module: behind it; of what is written, before.  number: of passes that have run.
    is_written: the artifact.
    """

    name: str
    module: Module
    number: int
    is_written: bool = False

    @property
    def is_core(self) -> bool:
        return all(op.name.startswith((_CORE, "mlconv.")) for op in self.module.walk())


class Invalid(NamedTuple):
    """A pass that leaves IR that is not valid, where the conversion ends.  why: of which op, where that is known."""

    stage: Stage
    why: Diagnostic


class Answer(NamedTuple):
    """What a model should give for some inputs.  limits: how far it may be from that."""

    outputs: Mapping[str, Array]
    limits: Limits


@dataclass
class Seen:
    """What a stage computes.  values: with those inside.  by_file: it was written to be run, because nothing else runs
    its ops.  is_changed: the file has other constants than the module.  called: its ops, where these are core ops.
    note: on what could not be run.
    """

    values: list[LayerValue]
    rounding: Rounding
    by_file: bool = False
    is_changed: bool = False
    called: Called | None = None
    note: str = ""


@dataclass
class Stages:
    """All stages of a conversion.  source: before any pass.  passes: all.  first: number of the first stage of core
    ops.  folder: for what is written.  own: how many passes come before those of the target.  optimized: the module
    behind them.  invalid: what ended the conversion.  misread: mlconv reads another artifact than its runtime; None
    before it is asked for.
    """

    run: Conversion
    source: LoadedModel
    passes: list[Pass]
    folder: Path
    own: int = 0
    found: list[Stage] = field(default_factory=list)
    interface: dict[str, Json] = field(default_factory=dict)
    prepared: object = None
    optimized: Module | None = None
    seen: dict[int, Seen | None] = field(default_factory=dict)
    misread: bool | None = None
    invalid: Invalid | None = None

    @staticmethod
    def of(run: Conversion, path: str, folder: Path) -> Stages:
        """Run a conversion, and keep what is behind each pass, up to one that leaves IR that is not valid.  Raises
        ConversionError as a conversion does.
        """
        source = import_model(path, run.options, run.engine, run.context)
        check_whole(source)
        run.plan(source.module)
        run.parts = parts_of(source.module, run.options, run.target, run.context)
        stages = Stages(run, source, parse_pipeline(str(run.parts), run.context.passes), folder)
        stages.own = len(stages.passes) - len(parse_pipeline(run.parts.target, run.context.passes))
        module = clone_module(source.module)
        stages.found.append(Stage("", source.module, 0))
        for number, item in enumerate(stages.passes):
            if number == stages.own:
                stages.interface = interface_of(module, run.target.name, str(folder / "m"))
                stages.optimized = stages.found[-1].module
                stages.prepared = run.target.prepare(module, run.own, False)
            run_pipeline(module, [item], run.watch)
            try:
                verify(module)
            except ConversionError as error:
                stages.invalid = Invalid(Stage(item.name, module, number + 1), error.diagnostic)
                return stages
            stages.found.append(Stage(item.name, clone_module(module), number + 1))
        stages.found.append(Stage(WRITER, module, len(stages.passes), is_written=True))
        return stages

    def outputs_of(self, module: Module, number: int, name: str, inputs: Mapping[str, Array]) -> Seen:
        """What an artifact gives that the passes behind some make of another module, in place.  Raises ConversionError
        as a conversion does.
        """
        run, prepared, interface = self.run, self.prepared, self.interface
        path = str(self.folder / f"{name}{run.target.suffix}")
        for at, item in enumerate(self.passes[number:], number):
            if at == self.own:
                interface = interface_of(module, run.target.name, str(self.folder / name))
                prepared = run.target.prepare(module, run.own, False)
            run_pipeline(module, [item], run.watch)
        function = clone_module(module).main
        self._write(module, path, interface, prepared)
        return self._outputs(function, path, inputs)

    def _write(self, module: Module, path: str, interface: Mapping[str, Json], prepared: object) -> None:
        run = self.run
        request = WriteRequest(path, dict(interface), prepared, RunFiles(), run.context.kernels)
        run.target.write(module, run.own, request)

    @property
    def core(self) -> list[int]:
        """Stages that the interpreter runs as they are."""
        return [i for i, stage in enumerate(self.found) if stage.is_core and not stage.is_written]

    def text_before(self, index: int) -> str:
        """The passes that are left in front of a stage."""
        return pipeline_text(self.passes[max(0, self.found[index].number - 1) :])

    def call(self, function: Function, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Inputs as a function takes them: laid out, in its types, with what variables begin with."""
        layout = function.facts.io_layout
        perms = layout.inputs if layout is not None else {}
        laid = {n: np.ascontiguousarray(a.transpose(perms[n])) if n in perms else a for n, a in inputs.items()}
        state = {slot.input: slot.initial.view() for slot in function.facts.state.values()}
        return Outside.of(function).taken({**laid, **state})

    def values(self, index: int, inputs: Mapping[str, Array]) -> Seen | None:
        """What a stage computes; none where nothing can run it."""
        if index not in self.seen:
            self.seen[index] = self._values(self.found[index], inputs)
        return self.seen[index]

    def can_be_written(self, index: int, inputs: Mapping[str, Array]) -> bool:
        """What is made of a stage by the writer alone runs."""
        try:
            self._written(self.found[index], inputs)
        except ConversionError:
            return False
        return True

    def _values(self, stage: Stage, inputs: Mapping[str, Array]) -> Seen | None:
        try:
            if stage.is_core and not stage.is_written:
                return self._interpreted(stage.module.main, inputs)
            if not stage.is_written:
                lifted = None if self._is_misread(inputs) else self._lifted(stage.module)
                if lifted is not None:
                    return self._interpreted(lifted.main, inputs)
                if self.run.target.prefix == _KERNEL:
                    return self._of_kernels(stage.module.main, inputs) or self._written(stage, inputs)
            return self._written(stage, inputs)
        except ConversionError:
            if stage.is_written:
                raise
            return None  # a module between two levels need not be one that can be written

    def _interpreted(self, function: Function, inputs: Mapping[str, Array]) -> Seen:
        call = self.call(function, inputs)
        return Seen(interpreted_values(function, call)[0], rounding_of(function), called=Called(function, call))

    def _of_kernels(self, function: Function, inputs: Mapping[str, Array]) -> Seen | None:
        """Values of kernel ops, of which no code was generated; none where something of them is not interpreted."""
        call = self.call(function, inputs)
        try:
            known = run_kernels(function, call, sizes_of(function, call))
        except ConversionError:
            return None
        outputs = dict(zip(function.output_names, (known[v] for v in function.outputs), strict=True))
        named = [v for op in function.block.ops for v in op.results if v.name and op.name.startswith(_KERNEL)]
        seen = self._of_outputs(function, outputs)
        inside = [LayerValue((v.name,), (), known[v]) for v in named if v.name not in outputs]
        return replace(seen, values=[*seen.values, *inside])

    def _lifted(self, module: Module) -> Module | None:
        """Ops of a target as core ops again, where a format has the same ops; none where that cannot be."""
        forms = self.run.context.formats.all()
        if not any(form.legalization and form.prefix == self.run.target.prefix for form in forms):
            return None
        lifted = clone_module(module)
        lifted.passes = []
        lifted.source = {key: value for key, value in lifted.source.items() if key != "format"}
        try:
            to_core(lifted, DiagnosticEngine(), context=self.run.context)
        except ConversionError:
            return None
        return lifted if all(op.name.startswith((_CORE, "mlconv.")) for op in lifted.walk()) else None

    def _path_of(self, stage: Stage) -> Path:
        return self.folder / f"m{stage.number}{'w' * stage.is_written}{self.run.target.suffix}"

    def _written(self, stage: Stage, inputs: Mapping[str, Array]) -> Seen:
        """A stage as a file: all values where a runtime or the interpreter shows them, else outputs."""
        path, module = self._path_of(stage), clone_module(stage.module)
        self._write(module, str(path), self.interface, self.prepared)
        wanted = set(_contents(stage.module))
        if path.is_file() and path.read_bytes()[4:8] == b"TFL3":
            file = TfliteFile(str(path), keeps=True)
            file.run(self.call(module.main, inputs))
            stored = {v.array.tobytes() for v in file.values() if v.is_constant}
            rounding = tflite_rounding(file, stage.module.main)
            reading = self._read(path, module.main, wanted, inputs)[0] if rounding.is_integer else None
            called = None if reading is None else reading.called
            return Seen(tflite_values(file), rounding, True, not wanted <= stored, called)
        return self._with_inside(path, module.main, wanted, inputs)

    def _with_inside(self, path: Path, main: Function, wanted: set[bytes], inputs: Mapping[str, Array]) -> Seen:
        """A file's outputs on its runtime, with values inside, where mlconv reads it.  wanted: what constants hold."""
        ranged = entry_of_ranges(str(path))
        if ranged is not None:  # read, it is a module of the largest sizes
            return self._outputs(ranged, str(path), inputs)
        reading, is_changed = self._read(path, main, wanted, inputs)
        try:
            seen = self._outputs(main, str(path), inputs)
        except ConversionError as error:
            if reading is None or error.code is not Code.VerificationImpossible:
                raise
            note = f"the artifact was read and interpreted, and not run: {error.diagnostic.message}"
            return Seen(reading.values, reading.rounding, True, is_changed, reading.called, note)
        if reading is None:
            return seen
        if reading.agrees(seen.values, main):
            # those inside are interpreted: beside a runtime's outputs, they would show its roundings as one op's
            values, called = [*reading.values, *seen.values], reading.called
        else:
            values, called = [*seen.values, *self._shown(path, reading, main, inputs)], None
        return Seen(values, reading.rounding, True, is_changed, called)

    def _read(
        self, path: Path, main: Function, wanted: set[bytes], inputs: Mapping[str, Array]
    ) -> tuple[Reading | None, bool]:
        """A file as mlconv reads it, and whether its constants are others; nothing of one that it does not read."""
        run = self.run
        plain = replace(run.options, shapes={}, inputs=(), outputs=(), target={})
        try:
            module = import_model(str(path), plain, DiagnosticEngine(), run.context).module
            is_changed = not wanted <= set(_contents(module))
            core = in_core(str(path), plain, run.context).main
            seen = self._interpreted(core, renamed(inputs, main, core))
        except ConversionError:
            return None, False
        assert seen.called is not None
        values = [of_node(value) for value in seen.values] if run.target.prefix == _TENSORFLOW else seen.values
        return Reading(seen.called, values, seen.rounding), is_changed

    def _shown(self, path: Path, reading: Reading, main: Function, inputs: Mapping[str, Array]) -> list[LayerValue]:
        """Values inside of a file that its runtime shows; none where it shows outputs alone."""
        runner = self.run.target.runner(str(path))
        if not isinstance(runner, ShowsInside):
            return []
        try:
            return reading.shown(runner.inside(self.call(main, inputs)))
        except ConversionError:
            return []

    def _is_misread(self, inputs: Mapping[str, Array]) -> bool:
        """mlconv reads something else of the artifact than its runtime does, so that what it reads of a target's ops
        proves nothing.
        """
        if self.misread is None:
            last = self.found[-1]
            seen = self.values(len(self.found) - 1, inputs)
            reading = self._read(self._path_of(last), last.module.main, set(), inputs)[0]
            self.misread = (
                reading is not None and seen is not None and not reading.agrees(seen.values, last.module.main)
            )
        return self.misread

    def held(self, inputs: Mapping[str, Array], answer: Answer, imported: Module) -> list[Measure]:
        """What the artifact gives, against what it should.  imported: the model in core ops, with inputs and outputs
        in the form that was asked for.  Raises ConversionError.
        """
        assert self.optimized is not None
        run, module = self.run, clone_module(self.found[-1].module)
        path = str(self.folder / f"held{run.target.suffix}")
        self._write(module, path, self.interface, self.prepared)
        runner = run.target.runner(path)
        if runner is None:
            raise ConversionError(
                Code.VerificationImpossible, f"artifacts of target {run.target.name} cannot be run here"
            )
        numbers = frozenset[str]() if run.quantization is None else run.quantization.inputs
        golden = Golden([inputs], [answer.outputs], answer.limits, numbers)
        return held_to(runner, imported, self.optimized, golden)

    def _outputs(self, function: Function, path: str, inputs: Mapping[str, Array]) -> Seen:
        runner = self.run.target.runner(path)
        found = {} if runner is None else runner.run(function, self.call(function, inputs))
        return replace(self._of_outputs(function, found), by_file=True)

    def _of_outputs(self, function: Function, found: Mapping[str, Array]) -> Seen:
        outside = Outside.of(function)
        values = [LayerValue((name,), (), outside.number(name, array)) for name, array in found.items()]
        return Seen(values, rounding_of(function))


def _contents(module: Module) -> Iterator[bytes]:
    """What the larger constants of a module hold, of those that are used: files leave others out."""
    used = clone_module(module)
    for function in used.functions:
        eliminate_dead_code(function.block)
    for op in used.walk():
        for value in op.attributes.values():
            if isinstance(value, Const) and value.size >= _LARGE:
                yield value.view().tobytes()
