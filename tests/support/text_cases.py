"""Test cases that are text: IR, a pipeline, and what the pipeline makes of the IR.

A file holds any number of cases, each in this form, split by lines `// -----`:

    // CASE: transposes that undo one another
    // RUN: canonicalize
    ^bb(%x: tensor<2x3xf32>):
      %t = "core.transpose"(%x) {perm = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
      %u = "core.transpose"(%t) {perm = [1, 0]} : (tensor<3x2xf32>) -> (tensor<2x3xf32>)
      "mlconv.yield"(%u) : (tensor<2x3xf32>) -> ()
    // EXPECT
    ^bb(%0: tensor<2x3xf32>):
      "mlconv.yield"(%0) : (tensor<2x3xf32>) -> ()

The title comes first; comments may follow it.  IR is the body of a function, or a whole module where more than the body
matters.  An op without `loc(...)` gets one with the name of its result.  What is expected is the IR, without locations
unless there is a line `// OPTIONS: locations`; or, under `// DIAGNOSTICS`, what is reported to the user, less the
pointers to `mlconv explain`; or, for warnings, both.  `pytest --update` writes what is expected.

Where core ops become core ops, both are run on the reference interpreter, with the same positive inputs, and must give
the same; so loops of a case come to an end with those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mlconv.diagnostics import ConversionError, Diagnostic
from mlconv.diagnostics.human import human
from mlconv.dialects import DIALECTS
from mlconv.interp import run_function
from mlconv.ir.core import Op, Yield, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.ir.traits import is_pure
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite import Statistics
from mlconv.runtime.inputs import random_inputs

SPLIT = "\n// -----\n"
EXPECT, DIAGNOSTICS = "// EXPECT", "// DIAGNOSTICS"
_OPTIONS = frozenset({"locations"})
_OP = re.compile(r'^( *)(?:%(\w+)(?:, %\w+)* = )?"([\w.]+)"(\(.*\))$')


@dataclass(frozen=True, slots=True)
class Case:
    """A case of a file.  head: its lines up to what is expected.  expected: the rest, with its heading."""

    path: Path
    title: str
    pipeline: str
    options: frozenset[str]
    head: str
    expected: str

    @property
    def source(self) -> str:
        """The IR alone."""
        return "".join(line for line in self.head.splitlines(keepends=True) if not line.startswith("//"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """text: as `Case.expected` has it.  statistics: how often patterns applied."""

    text: str
    statistics: Statistics


def read_cases(path: Path) -> list[Case]:
    """The cases of a file.  Raises ValueError for a file that does not keep to the form."""
    text = path.read_text(encoding="utf-8")
    cases = [_read(path, part.strip("\n") + "\n") for part in text.split(SPLIT)]
    titles = [case.title for case in cases]
    if len(set(titles)) < len(titles):
        raise ValueError(f"{path}: two cases have one title")
    return cases


def _read(path: Path, text: str) -> Case:
    marks = [m.start() for mark in (EXPECT, DIAGNOSTICS) if (m := re.search(rf"^{mark}$", text, re.M))]
    at = min(marks, default=len(text))
    head, expected = text[:at], text[at:]
    facts = {name: re.findall(rf"^// {name}: (.*)$", head, re.M) for name in ("CASE", "RUN", "OPTIONS")}
    options = frozenset(word for line in facts["OPTIONS"] for word in line.split())
    if not head.startswith("// CASE: ") or [len(facts["CASE"]), len(facts["RUN"])] != [1, 1] or options - _OPTIONS:
        raise ValueError(f"{path}: a case has one line CASE, which is its first, one line RUN, and known options")
    return Case(path, facts["CASE"][0], facts["RUN"][0], options, head, expected)


def write_expected(case: Case, expected: str) -> None:
    """Put what is expected of a case into its file."""
    cases = [replace(c, expected=expected) if c.title == case.title else c for c in read_cases(case.path)]
    case.path.write_text(SPLIT.join(c.head + c.expected for c in cases), encoding="utf-8")


def outcome(case: Case) -> Outcome:
    """What the pipeline of a case makes of its IR.  Raises AssertionError for a result that does not read back to
    itself.
    """
    is_body = not case.source.lstrip().startswith('"builtin.module"')
    watch = Instruments(verify_each=True)
    try:
        module = parse_module(_module_text(case.source) if is_body else _located(case.source), DIALECTS)
        _locate(module)
        verify(module)
        before = _results(module)
        run_pipeline(module, parse_pipeline(case.pipeline), watch)
    except ConversionError as error:
        return Outcome(_shown(error.diagnostics or (error.diagnostic,)), watch.context.statistics)
    module.passes.clear()
    full = print_module(module)
    assert print_module(parse_module(full, DIALECTS)) == full, "the result does not read back to itself"
    _check_same(before, module)
    text = print_module(module, "locations" in case.options)
    result = f"{EXPECT}\n{_body(module, text) if is_body else text}"
    return Outcome(_shown(watch.context.engine.diagnostics) + result, watch.context.statistics)


def _runs(module: Module) -> bool:
    """Whether the reference interpreter has a meaning for all of a module."""
    return not module.main.facts.known() and all(
        isinstance(op, Yield) or (op.name.startswith("core.") and is_pure(op)) for op in _all(module)
    )


def _results(module: Module) -> list[np.ndarray]:
    """Outputs for positive inputs; none for a module that refuses them, or cannot be run."""
    if not _runs(module):
        return []
    inputs = {name: np.abs(array) for name, array in random_inputs(module.main, seed=1).items()}
    try:
        return list(run_function(module.main, inputs).values())
    except ConversionError:
        return []


def _check_same(before: list[np.ndarray], module: Module) -> None:
    if not before or not _runs(module):
        return
    halves = any(
        v.tensor.dtype is DType.F16 for op in _all(module) for v in op.results if isinstance(v.type, TensorType)
    )
    close = 2e-3 if halves else 1e-5  # what is rounded in between may be rounded elsewhere
    for a, b in zip(before, _results(module), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(b, a, rtol=close, atol=1e-5)


def _shown(diagnostics: Sequence[Diagnostic]) -> str:
    """What a user sees of diagnostics, under their heading; nothing where there are none."""
    lines = [line for d in diagnostics for line in human(d).splitlines() if not line.startswith("  = more:")]
    return "".join(line + "\n" for line in (DIAGNOSTICS, *lines)) if lines else ""


def _module_text(body: str) -> str:
    """The module of a function `main` with that body; inputs are named as its arguments are."""
    names = re.findall(r"%(\w+):", body.split("):", 1)[0]) if body.startswith("^") else []
    inputs = ", ".join(f'"{name}"' for name in names)
    end = [line for line in body.splitlines() if line.startswith('  "mlconv.yield"')]
    outputs = ", ".join(f'"y{i}"' for i in range(len(_operands(end[-1])) if end else 0))
    facts = f'sym_name = "main", input_names = [{inputs}], output_names = [{outputs}]'
    function = f'"mlconv.func"() ({{\n{_located(body)}}}) {{{facts}}} : () -> () loc("main")'
    return f'"builtin.module"() ({{\n{function}\n}}) : () -> ()\n'


def _operands(line: str) -> list[str]:
    return re.findall(r"%\w+", line[line.index("(") : line.index(")")])


def _located(text: str) -> str:
    """The text with a location for each op of one line that has none."""
    return "".join(line + "\n" for line in map(_with_location, text.splitlines()))


def _with_location(line: str) -> str:
    found = _OP.match(line)
    if found is None or " loc(" in line or found[3] == "mlconv.func":
        return line
    return f'{line} loc("{found[2] or found[3]}")'


def _locate(module: Module) -> None:
    """A location for the ops of several lines."""
    for op in _all(module):
        if op.location is None:
            op.location = NameLocation(op.name)


def _all(module: Module) -> Iterator[Op]:
    for function in module.functions:
        yield from walk(function.block)


def _body(module: Module, text: str) -> str:
    """The body of the only function, or all of the module where the pipeline said more than that."""
    (function, *others) = module.functions
    if others or function.facts.known():
        return text
    lines = text.splitlines()
    return "".join(line.removeprefix("  ") + "\n" for line in lines[2:-2])
