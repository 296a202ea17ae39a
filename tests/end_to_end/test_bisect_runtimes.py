"""`mlconv bisect` runs artifacts on the runtimes that users run them on: a writer and a reader that are wrong
in the same way hide nothing.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.driver import stages
from mlconv.driver.bisection import Bisection, bisect
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from mlconv.driver.reduction import reduce
from mlconv.ir.module import Module, clone_module
from tests.support.wrong_passes import Change, one_channel, wrong_pass

SHAPE = (2, 1, 8, 8)


def misread(patch: pytest.MonkeyPatch, to: str, change: Change) -> None:
    """A writer that is off, and a reader that is off the other way: it reads what was meant."""
    target = BUILT_IN.targets[to]
    write = type(target).write

    def wrong(self: Any, module: Module, options: Any, request: Any) -> int:
        right = clone_module(module)
        change(module)
        written = write(self, module, options, request)
        folder = Path(request.path).parent / "right"
        folder.mkdir(exist_ok=True)
        write(self, right, options, replace(request, path=str(folder / Path(request.path).name)))
        return written

    patch.setattr(type(target), "write", wrong)
    for name in ("import_model", "in_core"):
        read = getattr(stages, name)
        patch.setattr(stages, name, lambda path, *rest, read=read: read(_right(path), *rest))


def _right(path: str) -> str:
    right = Path(path).parent / "right" / Path(path).name
    return str(right) if right.exists() else path


def found(models: Path, to: str) -> Bisection:
    return bisect(models / "digits_cnn.onnx", to, Options().with_settings({"shapes": {"image": SHAPE}}, BUILT_IN))


@pytest.mark.parametrize(("to", "node"), [("onnx", "/Conv_3"), ("hlo", "/Conv_5"), ("stablehlo", "/Conv_3")])
def test_what_the_reader_makes_good_is_found(models: Path, monkeypatch: pytest.MonkeyPatch, to: str, node: str) -> None:
    misread(monkeypatch, to, one_channel(node, 0.02))
    result = found(models, to)
    assert result.stage is not None and result.stage.name == f"to-{'onnx' if to == 'onnx' else 'hlo'}"
    assert "the fault may be in the writer, too" in result.notes[-1], (result.problem, result.notes)
    assert result.error().diagnostic.node == node, result.problem


def test_an_artifact_is_interpreted_where_its_runtime_is_missing(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: str) -> None:
        raise ConversionError(Code.VerificationImpossible, "ONNX Runtime is not installed")

    monkeypatch.setattr(type(BUILT_IN.targets["onnx"]), "runner", lambda self, path: missing(path))
    result = found(models, "onnx")
    assert not result.problem and "read and interpreted, and not run: ONNX Runtime is not" in result.notes[-1]


def test_rules_of_old_operator_sets_have_a_small_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.onnx"
    text = (
        '<ir_version: 7, opset_import: ["" : 11]> g (float[2, 9] x) => (float[2, 9] y) { a = Relu (x) y = Mul (a, x) }'
    )
    onnx.save(onnx.parser.parse_model(text), path)

    def change(module: Module) -> bool:
        op = next(op for op in module.walk() if isinstance(op, core.Mul))
        op.set_operands([op.operands[1], op.operands[1]])
        return True

    wrong_pass(monkeypatch, "from-onnx", change, times=100)
    found = bisect(path, "native")
    small = reduce(found, str(tmp_path / "small.mlir"), Options(), [], BUILT_IN)
    assert small is not None and Path(small.path).suffix == ".onnx" and small.ops == 1
