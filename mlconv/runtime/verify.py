"""Verification of an artifact: a reference and the target's runtime on the same inputs, for every signature.

The reference is the model as it was imported, before any pass, on the reference interpreter, or the source's own
runtime.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import NamedTuple, Protocol

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.interp import run_function
from mlconv.ir.axis_orders import Forms
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import IoLayout
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import has_quantized
from mlconv.ir.size_examples import adapted, are_allowed, examples
from mlconv.ir.spec import OpDef
from mlconv.quantize.evaluate import Outside
from mlconv.runtime.arrays import read_data
from mlconv.runtime.casting import as_taken
from mlconv.runtime.compare import OutputError, Tolerance, compare
from mlconv.runtime.draws import Draw, Draws, tried
from mlconv.runtime.inputs import nearest, random_inputs, ranges_of, size_choices, symbols_of
from mlconv.runtime.measures import Limits, Measure, Seen, joined, measured
from mlconv.runtime.native import load_native
from mlconv.runtime.order import rounds_to_half, spread
from mlconv.runtime.ports import ports_of
from mlconv.runtime.source import source_runs
from mlconv.runtime.variables import Variables

REFERENCES = ("reference", "source")
_AT_HAND = ("onnx", "tflite")  # formats of sources whose runtimes start in no time
Inputs = Mapping[str, Array]


class Runner(Protocol):
    """An artifact that can be run.  name: of its runtime."""

    name: str

    def run(self, function: Function, inputs: Inputs) -> dict[str, Array]: ...

    def reset(self) -> None:
        """Variables take their initial values again."""


class NativeRunner:
    """An object in this process."""

    name = "the native object"

    def __init__(self, path: str) -> None:
        self.model = load_native(path)

    def reset(self) -> None:
        """There is no state."""

    def run(self, function: Function, inputs: Inputs) -> dict[str, Array]:
        return self.model.run(inputs)


@dataclass(frozen=True, slots=True)
class Request:
    """reference: one of `REFERENCES`.  data: a file or folder of arrays instead of random ones.  samples: of the main
    function, instead of random ones, too.  cut: the model was cut by names.

    numbers: inputs that the model takes as numbers, those too that are integers with a scale by now.  tags: of a
    SavedModel's meta graph.  folder: a SavedModel that stands for the source's file.  seed: of random inputs.
    on_calls: is told how many calls the reference has answered, of how many, about; 0 where nobody knows.
    """

    reference: str = "reference"
    data: str = ""
    samples: tuple[Inputs, ...] = ()
    cut: bool = False
    numbers: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    folder: str = ""
    seed: int = 0
    on_calls: Callable[[int, int], None] = lambda done, total: None


@dataclass(frozen=True, slots=True)
class _Sequence:
    """Consecutive calls and what the reference answers; each goes on from the variables that the one before left.

    calls: number of the function in its module, and arrays by input.  states: after each call, by variable.  spreads:
    how far other orders of summation take outputs, by name, for models that are held to that.
    """

    calls: list[tuple[int, dict[str, Array]]]
    outputs: list[dict[str, Array]]
    states: list[dict[str, Array]]
    spreads: list[dict[str, Array]] = field(default_factory=list)


def verify_artifact(
    runner: Runner,
    bounded: bool,
    imported: Module,
    converted: Module,
    request: Request | None = None,
    tolerance: Tolerance | None = None,
) -> list[OutputError]:
    """The worst error of each output over all runs; outputs of several signatures as SIGNATURE/OUTPUT.

    tolerance: of floats.  runner: of the artifact.  bounded: its sizes have bounds, both ends of which are tried.
    imported: the model before any pass, with the conditions that the artifact has.
    converted: the core module that was legalized for the target: names, layouts and variables of the artifact are its.
    Raises ConversionError: VerificationImpossible where a runtime is missing or the reference cannot run,
    VerificationFailed where the target's runtime refuses the artifact.
    """
    request = request or Request()
    counted = _Counted(request.on_calls, _planned(imported, request, bounded))
    worst: dict[str, OutputError] = {}
    each = (
        _sequences(imported, i, converted.functions[i], request, bounded, counted)
        for i in range(len(imported.functions))
    )
    for sequence in chain(*each, _in_turn(imported, request, counted)):
        errors = list(_errors(sequence, imported, converted, runner, tolerance))
        if failures(errors) and request.reference == "reference":
            errors = _by_source(sequence, errors, imported, converted, runner, request, tolerance)
        for error in errors:
            if error.name not in worst or error.worse_than(worst[error.name]):
                worst[error.name] = error
    return list(worst.values())


def _by_source(
    sequence: _Sequence,
    errors: list[OutputError],
    imported: Module,
    converted: Module,
    runner: Runner,
    request: Request,
    tolerance: Tolerance | None,
) -> list[OutputError]:
    """Errors of the same calls beside the source's runtime, where it answers: an artifact that agrees with it is right,
    as a sum in another order may be far off behind a logarithm.  A file of integers means what these give: the
    interpreter rounds numbers between its ops, which deep models carry further than runtimes are apart.
    """
    of_integers = is_of_integers(imported)
    if not of_integers and imported.source.get("format") not in _AT_HAND:
        return errors
    try:
        told = _answered(imported, sequence.calls, replace(request, reference="source"), _Counted(request.on_calls, 0))
    except ConversionError:
        return errors
    found = list(_errors(told, imported, converted, runner, tolerance))
    return found if of_integers or not failures(found) else errors


@dataclass
class _Counted:
    """Calls that the reference has answered.  tell: is told of them, and of how many in all; 0 where nobody knows."""

    tell: Callable[[int, int], None]
    total: int
    done: int = 0

    def add(self, calls: int) -> None:
        self.done += calls
        self.tell(self.done, max(self.total, self.done) if self.total else 0)


def _planned(module: Module, request: Request, bounded: bool) -> int:
    """How many calls there will be, about, as some sizes are tried in vain; 0 where a file says it."""
    if request.data:
        return 0
    total = 0
    for number, function in enumerate(module.functions):
        sizes = 0 if not symbols_of(function) else 3 if bounded else 1
        turns = 2 if function.facts.variables else 1
        total += len(request.samples) if request.samples and number == 0 else (1 + sizes) * turns
    return total


def _sequences(
    module: Module, number: int, core: Function, request: Request, bounded: bool, counted: _Counted
) -> Iterator[_Sequence]:
    """Calls of one function: with the given arrays, or with random ones, whose results tell something if some do: at
    two sizes where there are some that are not fixed, and at both ends of their ranges where the target has these.
    core: the function in core ops.
    """
    function = module.functions[number]
    if request.data:
        given = [
            _numbers(function, _laid(arrays, _layout(function).inputs), request)
            for arrays in read_data(request.data, function.input_names, Variables.of_function(function).inputs)
        ]
        counted.total += len(given)
        yield _answered(module, [(number, arrays) for arrays in given], request, counted)
        return
    if request.samples and number == 0:
        yield _answered(module, [(number, dict(arrays)) for arrays in request.samples], request, counted)
        return
    draws, turns = Draws(function, core), range(2 if function.facts.variables else 1)

    def run(draw: Draw) -> _Sequence:
        drawn = [_as_given(function, request, draws.inputs(draw, request.seed + turn)) for turn in turns]
        return _answered(module, [(number, arrays) for arrays in drawn], request, counted)

    def tells(sequence: _Sequence) -> bool:
        return any(map(draws.tell, sequence.outputs))

    adapt = adapted(function.facts)

    def takes(sizes: dict[str, int]) -> bool:
        return not sizes or are_allowed(function, sizes)

    ends = map(adapt, _ends(function) if bounded else ())
    sure = tried([[[Draw(sizes)] for sizes in ends if takes(sizes)]], run, lambda sequence: True)
    fitting = map(adapt, examples(function) if function.facts.conditions else ())
    drawn = tried(draws.phases(takes, fitting, adapt), run, tells)
    found = 0
    for sequence in chain(sure, islice(drawn, 2 if symbols_of(function) else 1)):
        yield sequence
        found += 1
    if not found:
        raise ConversionError(
            Code.VerificationImpossible,
            "no sizes were found that fulfil what the model asks for: "
            + "; ".join(c.text for c in function.facts.conditions),
            help="give arrays with --data FILE.npz",
        )


def _ends(function: Function) -> list[dict[str, int]]:
    """The smallest sizes, at least 1, and the largest; none where all are fixed."""
    symbols, ranges = symbols_of(function), ranges_of(function)
    ends = [{s: nearest(1, s, ranges) for s in symbols}, {s: ranges[s][1] or 1 for s in symbols}]
    return ends if symbols else []


def _in_turn(module: Module, request: Request, counted: _Counted) -> Iterator[_Sequence]:
    """Calls of one function after the other, twice, where they have variables in common."""
    sharing = [i for i, f in enumerate(module.functions) if f.facts.variables]
    if request.data or len(sharing) < 2:
        return
    sizes = {i: next(chain(*size_choices(module.functions[i])), {}) for i in sharing}
    calls = [
        (i, _as_given(function, request, random_inputs(function, request.seed + turn, sizes[i])))
        for turn in range(2)
        for i, function in ((i, module.functions[i]) for i in sharing)
    ]
    yield _answered(module, calls, request, counted)


def _as_given(function: Function, request: Request, drawn: Mapping[str, Array]) -> dict[str, Array]:
    """Random inputs; numbers where the model takes such."""
    quants = {v.name: v.tensor.quant for v in function.inputs if v.name in request.numbers}
    return {name: a if (q := quants.get(name)) is None else q.dequantize(a) for name, a in drawn.items()}


def _numbers(function: Function, arrays: Inputs, request: Request) -> dict[str, Array]:
    """Arrays for inputs that the model takes as numbers are such, whatever holds them; others are of the types that it
    takes.
    """
    scaled = {v.name for v in function.inputs if v.tensor.quant is not None} & request.numbers
    numbers = {name: a.astype(np.float32) if name in scaled else a for name, a in arrays.items()}
    return as_taken(numbers, ports_of(function)[0])


def _answered(
    module: Module, calls: list[tuple[int, dict[str, Array]]], request: Request, counted: _Counted
) -> _Sequence:
    """Calls with what the reference answers."""
    functions = [module.functions[i] for i, _ in calls]
    if request.reference == "source":
        named = [(f, source_inputs(f, arrays)) for f, (_, arrays) in zip(functions, calls, strict=True)]
        found = source_runs(module, named, request.cut, request.tags, request.folder)
        laid = [_laid(_laid(o, _forms(f).outputs), _layout(f).outputs) for f, o in zip(functions, found, strict=True)]
        counted.add(len(calls))
        return _Sequence(calls, laid, [{} for _ in calls])
    state: dict[str, Array] = {}
    handed: dict[str, Array] = {}  # variables that go in and out
    outputs, states, spreads = [], [], []
    for function, (_, arrays) in zip(functions, calls, strict=True):
        slots = function.facts.state
        held = {slot.input: handed.get(name, slot.initial.view()) for name, slot in slots.items()}
        taken = Outside.of(function).taken({**arrays, **held})
        outputs.append(run_function(function, taken, state))
        handed |= {name: outputs[-1][slot.output] for name, slot in slots.items()}
        states.append({k: np.array(v) for k, v in state.items()})
        spreads.append(spread(function, taken, outputs[-1]) if _goes_by_order(module, function) else {})
        counted.add(1)
    return _Sequence(calls, outputs, states, spreads)


class _Given(NamedTuple):
    """What an artifact gave for a call.  before, after: the function as imported, and as converted.  layout: of inputs
    and outputs that the artifact lays out in another way.
    """

    before: Function
    after: Function
    layout: IoLayout
    outputs: dict[str, Array]


def _given(
    calls: Sequence[tuple[int, Inputs]], imported: Module, converted: Module, runner: Runner
) -> Iterator[_Given]:
    """The calls in turn: each goes on from the variables that the one before left."""
    state: dict[str, Array] = {}  # by variable
    runner.reset()
    for number, arrays in calls:
        before, after = imported.functions[number], converted.functions[number]
        layout = _layout(after) if before.facts.io_layout is None else IoLayout({}, {})
        slots = after.facts.state
        taken = {slot.input: state.get(name, slot.initial.view()) for name, slot in slots.items()}
        got = runner.run(after, Outside.of(after).taken({**_laid(arrays, layout.inputs), **taken}))
        state |= {name: got[slot.output] for name, slot in slots.items()}
        yield _Given(before, after, layout, got)


def _errors(
    sequence: _Sequence, imported: Module, converted: Module, runner: Runner, tolerance: Tolerance | None
) -> Iterator[OutputError]:
    """Each output of each call, and the variables that go out, against the reference."""
    rounded = rounds_inside(imported)
    spreads = sequence.spreads or [{} for _ in sequence.calls]
    given = _given(sequence.calls, imported, converted, runner)
    for (before, after, layout, got), expected, state, apart in zip(
        given, sequence.outputs, sequence.states, spreads, strict=True
    ):
        prefix = f"{before.signature}/" if len(imported.functions) > 1 else ""
        wanted, outside = _laid(expected, layout.outputs), Outside.of(after)
        for name, theirs, value in zip(before.output_names, after.output_names, before.outputs, strict=False):
            numbers = outside.number(theirs, wanted[name]), outside.number(theirs, got[theirs])
            spread_there = _laid(apart, layout.outputs).get(name)
            step = step_of(value)
            unit = step or _unit_of(value.tensor.quant)
            yield compare(prefix + name, *numbers, rounded, spread_there, tolerance, step, unit)
        for variable, slot in after.facts.state.items():
            if variable in state:
                yield compare(prefix + slot.output, state[variable], got[slot.output], rounded, tolerance=tolerance)


def step_of(value: Value) -> float:
    """Between neighbours that an output is rounded to before it is moved; 0 where it is not rounded so."""
    op = value.producer
    while isinstance(op, OpDef) and op.spec.quant.carries and op.operands[0] is not None:
        op = op.operands[0].producer
    if isinstance(op, core.FakeQuant):
        return _unit_of(op.quant)
    return _unit_of(op.x.tensor.quant if isinstance(op, core.Dequantize) else None)


def _unit_of(quant: QuantType | None) -> float:
    """Between numbers that integers stand for; 0 of floats, and of several scales."""
    return 0.0 if quant is None or not quant.is_per_tensor else float(quant.scales.view().reshape(()))


class Golden(NamedTuple):
    """Inputs of calls, and what they should give, by name, laid out as the model's.  limits: how far outputs may be
    from that.  numbers: inputs that the model takes as numbers, whatever the artifact holds them in.
    """

    calls: Sequence[Inputs]
    answers: Sequence[Inputs]
    limits: Limits
    numbers: frozenset[str] = frozenset()


def held_to(runner: Runner, imported: Module, converted: Module, golden: Golden) -> list[Measure]:
    """What the main function of an artifact gives in one call after the other, against what it should; the worst of
    each output.  imported, converted: as `verify_artifact` takes them.  Raises ConversionError as that does.
    """
    main, request = imported.main, Request(numbers=golden.numbers)
    calls = [(0, _numbers(main, _laid(arrays, _layout(main).inputs), request)) for arrays in golden.calls]
    rounds = rounds_inside(imported), rounds_inside(converted)
    runs: list[list[Measure]] = []
    for found, answer in zip(_given(calls, imported, converted, runner), golden.answers, strict=True):
        wanted, outside = _laid(_laid(answer, _layout(main).outputs), found.layout.outputs), Outside.of(found.after)
        runs.append([])
        for name, theirs in zip(main.output_names, found.after.output_names, strict=False):
            x, y, quant = wanted[name], found.outputs[theirs], outside.outputs.get(theirs)
            expected = Seen(name, x, outside.number(theirs, x), quant if x.dtype == y.dtype else None, rounds[0])
            got = Seen(name, y, outside.number(theirs, y), quant, rounds[1])
            runs[-1].append(measured(expected, got, golden.limits))
    return joined(runs)


def _goes_by_order(module: Module, function: Function) -> bool:
    """Floats alone are rounded inside, and nothing is held from call to call."""
    return rounds_inside(module) and not is_of_integers(module) and not function.facts.variables


def is_of_integers(module: Module) -> bool:
    """There are integers that stand for numbers."""
    return any(has_quantized([*op.operands, *op.results]) for op in module.walk())


def rounds_inside(module: Module) -> bool:
    """Numbers become integers or bfloat16 when the model runs, or it computes with float16; not of weights alone."""
    stored = (core.Constant, core.Dequantize)
    ops = [op for op in module.walk() if not isinstance(op, stored)]
    return any(has_quantized([*op.operands, *op.results]) or _narrows(op) or _is_fake(op) for op in ops)


def _is_fake(op: Op) -> bool:
    """Data is rounded as integers are."""
    return isinstance(op, core.FakeQuant) and const_of(op.x) is None


def _narrows(op: Op) -> bool:
    if isinstance(op, core.Cast):
        return op.y.tensor.dtype is DType.BF16 and const_of(op.x) is None
    return rounds_to_half(op)


def _layout(function: Function) -> IoLayout:
    """Which axes of inputs and outputs went where."""
    return function.facts.io_layout or IoLayout({}, {})


def _forms(function: Function) -> Forms:
    """Inputs and outputs that have another form than the source's."""
    return function.facts.forms or Forms({}, {})


def source_inputs(function: Function, arrays: Inputs) -> dict[str, Array]:
    """Inputs of a function as its source takes them."""
    forms = _forms(function).inputs
    perms = {name: form.perm for name, form in forms.items() if form.perm}
    found = _unlaid(_unlaid(arrays, _layout(function).inputs), perms)
    return {name: forms[name].normalized(array) if name in forms else array for name, array in found.items()}


def _laid(arrays: Inputs, permutations: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    """Arrays in the layout that the artifact has."""
    return {
        n: np.ascontiguousarray(a.transpose(permutations[n])) if n in permutations else a for n, a in arrays.items()
    }


def _unlaid(arrays: Inputs, permutations: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    """Arrays in the layout that the source has."""
    return _laid(arrays, {name: [*map(int, np.argsort(perm))] for name, perm in permutations.items()})


def failures(errors: Sequence[OutputError]) -> str:
    """The outputs that are off, in words; empty when there are none."""
    wrong = [e for e in errors if not e.ok]
    return "; ".join(f"{e.name}: largest error {e.max_abs:.3g} ({e.relative:.3g} of the largest value)" for e in wrong)
