"""A simplified model against the one that it was made of, on the same inputs.

ONNX Runtime runs both as they stand, without what it makes of graphs itself, where it is installed and knows all
operators; else the reference interpreter does.  Nodes that neither knows are taken out of both: what they read are
outputs then, and what they give inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import chain, islice, product

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from mlconv.runtime.arrays import read_data
from mlconv.runtime.compare import Tolerance
from mlconv.runtime.inputs import drawn, size_choices, sized, symbols_of
from mlconv.runtime.measures import Limits, Measure, Seen, joined, measured
from mlconv.runtime.onnx_runtime import Session, opened, refusals, run_session, words_of
from mlconv.runtime.tflite_file import TfliteFile

_RUNS = 2
TRIES = 120
_MOST_SYMBOLS = 4
_TEXTS = ("a", "b", "c", "0", "1")
_LIMITS = Limits(Tolerance(1e-4, 1e-6))
_NARROW_LIMITS = Limits(Tolerance(1e-2, 1e-4))
Inputs = Mapping[str, Array]
Run = Callable[[Inputs], dict[str, object]]


@dataclass(frozen=True, slots=True)
class Checked:
    """runtime: its name.  runs: with other inputs each; none where the model takes none that can be drawn, for the
    reason `why`.  aside: operators of nodes that were not run.
    """

    runtime: str
    runs: int
    outputs: list[Measure] = field(default_factory=list)
    aside: tuple[str, ...] = ()
    why: str = ""

    def require_equal(self) -> None:
        """Raises ConversionError VerificationFailed."""
        wrong = [m for m in self.outputs if not m.verdict.ok]
        if wrong:
            texts = "; ".join(f"{m.name}: largest difference {m.max_abs:.3g}, {m.why}" for m in wrong)
            raise ConversionError(
                Code.VerificationFailed,
                f"the simplified model gives other numbers on {self.runtime}: {texts}",
                help="--skip leaves rules out",
            )


@dataclass(frozen=True, slots=True)
class Side:
    """A model that can be run.  runtime: its name, for people."""

    runtime: str
    run: Run


def check(
    source: Side,
    made: Side,
    function: Function,
    texts: Sequence[str],
    rounds: bool,
    data: str = "",
    lets_end: Callable[[Inputs], bool] = lambda inputs: True,
) -> Checked:
    """function: the source's inputs.  texts: that inputs of texts are drawn from.  rounds: the model computes with few
    bits inside.  data: arrays to run with.  lets_end: no loop runs forever on what is drawn.  Raises
    ConversionError VerificationFailed where only the simplified model cannot be run, and what reading data raises.
    """
    given = read_data(data, function.input_names) if data else None
    strange = next((v for v in function.inputs if not isinstance(v.type, TensorType)), None)
    if given is None and strange is not None:
        return Checked(source.runtime, 0, why=f"input {strange.name} ({strange.type}) cannot be drawn at random")
    runs: list[list[Measure]] = []
    why = ""
    calls = islice(_draws(function, texts), TRIES) if given is None else iter(given)
    for inputs in calls:
        if given is None and not lets_end(inputs):
            why = "a loop does not end on inputs that are drawn at random: give arrays with --data"
            continue
        try:
            expected = source.run(inputs)
        except ConversionError as error:
            if given is not None:
                raise
            why = error.diagnostic.message
            continue
        runs.append(list(_compared(expected, made.run(inputs), rounds)))
        if given is None and len(runs) >= _RUNS:
            break
    return Checked(source.runtime, len(runs), _worst(runs), why="" if runs else why)


def _worst(runs: Sequence[Sequence[Measure]]) -> list[Measure]:
    """Of each output; sequences need not have as many arrays in each run."""
    found: dict[str, Measure] = {}
    for measure in chain(*runs):
        before = found.get(measure.name)
        found[measure.name] = measure if before is None else joined([[before], [measure]])[0]
    return list(found.values())


def _draws(function: Function, texts: Sequence[str]) -> Iterator[dict[str, Array]]:
    """Random inputs: of several sizes where these are open, else of several seeds; with integers of 0 and 1, then with
    zeros alone.
    """
    choices = [*chain(*size_choices(function)), *_small_sizes(symbols_of(function))] or [{}]
    for factor in (1, 0):
        for k, sizes in enumerate(choices if len(choices) > 1 else choices * _RUNS):
            rng = np.random.default_rng(k)
            yield {v.name: _drawn(v.type, sizes, rng, texts, factor) for v in function.inputs}


def _small_sizes(symbols: Sequence[str]) -> Iterator[dict[str, int]]:
    """All ways to give few symbols small sizes: one may have to be the sum of two others."""
    if 1 < len(symbols) <= _MOST_SYMBOLS:
        yield from (dict(zip(symbols, sizes, strict=True)) for sizes in product((1, 2, 3), repeat=len(symbols)))


def _drawn(
    type_: object, sizes: Mapping[str, int], rng: np.random.Generator, texts: Sequence[str], factor: int
) -> Array:
    assert isinstance(type_, TensorType)
    shape = [sized(d, sizes) for d in type_.shape or ()]
    if type_.dtype is DType.STRING:
        return np.asarray(rng.choice(np.asarray([*texts, *_TEXTS], object), shape), object)
    if type_.quant is not None:
        return rng.integers(type_.quant.qmin, type_.quant.qmax + 1, shape).astype(type_.dtype.numpy)
    array = drawn(type_.dtype, shape, rng)
    whole = array.dtype.kind in "iu" and not factor
    return np.zeros_like(array) if whole else array


def _compared(expected: Mapping[str, object], got: Mapping[str, object], rounds: bool) -> Iterator[Measure]:
    for name, value in expected.items():
        pairs = zip(_arrays(name, value), _arrays(name, got[name]), strict=True)
        for (label, x), (_, y) in pairs:
            limits = _NARROW_LIMITS if x.dtype.itemsize < 4 and x.dtype.kind not in "biuOSU" else _LIMITS
            yield measured(Seen(label, x, x, None, rounds), Seen(label, y, y, None, rounds), limits)


def _arrays(name: str, value: object) -> Iterator[tuple[str, Array]]:
    """An output that is a sequence or a map as the arrays in it."""
    if isinstance(value, dict):
        yield f"{name}/keys", np.asarray(list(value), object)
        yield f"{name}/values", np.asarray(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _arrays(f"{name}[{i}]", item)
    elif value is not None:
        yield name, np.asarray(value)


def onnx_runtime(model: str | bytes) -> Side:
    """model: a path, or what a file holds.  Raises ConversionError VerificationFailed when ONNX Runtime refuses it."""
    try:
        session: Session = opened(model, optimizes=False)
    except refusals() as error:
        raise ConversionError(Code.VerificationFailed, f"ONNX Runtime refuses the file: {words_of(error)}") from error
    return Side("ONNX Runtime", lambda inputs: dict(run_session(session, inputs)))


def has_onnx_runtime() -> bool:
    return find_spec("onnxruntime") is not None


def check_tflite(source: str, made: str, data: str, lets_end: Callable[[Inputs], bool]) -> Checked:
    """All signatures of two TFLite files on LiteRT.  data: for a file with one signature.  lets_end: as `check` takes
    it.  Raises ConversionError VerificationFailed where only the second cannot be run.
    """
    if find_spec("ai_edge_litert") is None:
        return Checked("", 0, why="LiteRT is not installed")
    try:
        first = TfliteFile(source)
    except ConversionError as error:
        return Checked("", 0, why=error.diagnostic.message)
    found: list[Checked] = []
    for key in list(first.interpreter.get_signature_list()) or [None]:
        one, other = TfliteFile(source, key), TfliteFile(made, key)
        types = [TensorType(p.quant or p.dtype, p.shape) for p in one.inputs]
        function = Function.create("main", types, [p.name for p in one.inputs], NameLocation("main"))
        found.append(check(_litert(one), _litert(other), function, (), False, data, lets_end))
    return Checked(
        found[0].runtime,
        min(c.runs for c in found),
        [m for c in found for m in c.outputs],
        why=next((c.why for c in found if c.why), ""),
    )


def _litert(file: TfliteFile) -> Side:
    return Side(file.name, lambda inputs: dict(file.run(inputs)))
