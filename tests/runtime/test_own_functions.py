"""Functions of the user's, named as `module:function`: where they are found, and what becomes of what they raise."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.printer import print_module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation, frames
from mlconv.runtime.images import ImageForm
from mlconv.runtime.own_functions import blamed, function_at
from mlconv.runtime.samples import read_samples
from tests.support.cli import call
from tests.support.modules import random
from tests.support.networks import conv, network

SOURCE = """import numpy as np
import own_helper_of_tests

class Odd(Exception):
    pass

def named():
    yield {"x": np.ones((4, 4, 3))}

def bare():
    return [np.ones((4, 4, 3))]

def nothing():
    return None

def raising():
    yield np.ones((4, 4, 3))
    raise Odd("the disk is gone")

def score(outputs, sample):
    raise Odd("no score")

number = 3
"""
MODULES = {
    "own_helper_of_tests": "",
    "own_samples_of_tests": SOURCE,
    "own_syntax_of_tests": "def f(:\n",
    "own_import_of_tests": "import os\n\nimport no_such_module_of_tests\n",
    "own_division_of_tests": "1 / 0\n",
}
S = "own_samples_of_tests"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder has the modules, and no other is asked for them."""
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", str(tmp_path))])
    before = list(sys.path)
    yield tmp_path
    assert sys.path == before
    for name in MODULES:
        sys.modules.pop(name, None)


def runs(place: str) -> list[np.ndarray]:
    types = [TensorType(DType.F32, (Dim.symbol("n"), 4, 4, 3))]
    found = read_samples(place, Function.create("main", types, ["x"], NameLocation("f")), ImageForm())
    return [run["x"] for run in found]


@pytest.mark.parametrize("name", ["named", "bare"])
def test_samples(name: str) -> None:
    (found,) = runs(f"{S}:{name}")
    assert np.array_equal(found, np.ones((1, 4, 4, 3), np.float32))


@pytest.mark.parametrize(
    ("place", "message", "line"),
    [
        ("no_such_module_of_tests:f", "No module named 'no_such_module_of_tests'", 0),
        (":f", "raised ValueError: Empty module name", 0),
        (".os:f", "importing '.os' raised TypeError", 0),
        (f"{S}:absent", f"module '{S}' has no 'absent'", 0),
        (f"{S}:number", "is not a function", 0),
        ("own_syntax_of_tests:f", "importing 'own_syntax_of_tests' raised SyntaxError: invalid syntax", 1),
        ("own_import_of_tests:f", "raised ModuleNotFoundError: No module named 'no_such_module_of_tests'", 3),
        ("own_division_of_tests:f", "raised ZeroDivisionError: division by zero", 1),
        (f"{S}:nothing", "NoneType is no iterable of samples", 0),
        (f"{S}:raising", "raised Odd: the disk is gone", 18),
    ],
)
def test_wrong_functions(place: str, message: str, line: int) -> None:
    with pytest.raises(Exception) as raised:
        runs(place)
    error = raised.value if isinstance(raised.value, ConversionError) else blamed(raised.value)
    assert error is not None and error.code is Code.InputNotReadable
    assert place in str(error) and message in str(error)
    found = frames(error.diagnostic.location)
    assert [f.line for f in found[:1]] == ([line] if line else [])
    assert all(f.file.endswith(f"{place.partition(':')[0]}.py") for f in found)


@pytest.mark.parametrize(
    ("place", "help_"),
    [
        ("no_such_module_of_tests:f", "no_such_module_of_tests is looked for in the current folder"),
        ("own_import_of_tests:f", ""),  # what it imports is not there
        (f"{S}:absent", "functions of the module: "),
        (f"{S}:name", f"did you mean {S}:named?"),
        (f"{S}:number", "functions of the module: "),
        (f"{S}:nothing", "give a list, a generator"),
    ],
)
def test_help(place: str, help_: str) -> None:
    with pytest.raises(Exception) as raised:
        runs(place)
    error = raised.value if isinstance(raised.value, ConversionError) else blamed(raised.value)
    assert error is not None and error.diagnostic.help.startswith(help_) and bool(error.diagnostic.help) == bool(help_)


def test_callers_get_what_was_raised() -> None:
    """As it is; only what passed through a function of the user's is blamed on it."""
    (Path.cwd() / "own_helper_of_tests.py").write_text("def f(error):\n    raise error\n")
    raised = ValueError("mine")
    with pytest.raises(ValueError) as error:
        function_at("own_helper_of_tests:f")(raised)
    assert error.value is raised and blamed(raised) is not None
    assert blamed(ValueError("never raised")) is None


def test_on_the_command_line(folder: Path) -> None:
    """Modules of the current folder are found, and a metric that fails is no internal error."""
    (folder / "m.mlir").write_text(print_module(network((1, 4, 4, 3), lambda e, x: conv(e, x, 2))))
    np.save(folder / "x.npy", random(2, 4, 4, 3))
    line = ["convert", "m.mlir", "--to", "tflite", "-o", "m.tflite", "--quantize", "int8", "--calibration"]
    assert call(*line, f"{S}:bare").exit_code == 0
    ran = call(*line, "x.npy", "--evaluation", "x.npy", "--metric", f"{S}:score", "--max-drop", "1")
    assert ran.exit_code == 1 and f"{S}:score raised Odd: no score" in ran.output
