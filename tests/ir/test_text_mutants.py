"""IR text of all levels with small mistakes: it is converted, or refused with a code that is no internal error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.conversion import convert
from mlconv.driver.options import Options
from tests.support.cli import call
from tests.support.text_mutants import mutant

_CASES, _MOST = 60, 900  # of a model and target
_REFUSED = [Code.TextNotUnderstood.id, Code.IrInvalid.id]


def outcome(text: str, target: str, folder: Path) -> str:
    """What becomes of a text: `converted`, or the code that it is refused with."""
    path = folder / "changed.mlir"
    path.write_text(text)
    try:
        convert(str(path), target, folder / f"made.{target}")
    except ConversionError as error:
        codes = [d.code for d in error.diagnostics or (error.diagnostic,)]
        assert Code.InternalError not in codes, f"{error}\n{text}"
        return codes[0].id
    return "converted"


def hunt(paths: Iterable[Path], target: str, folder: Path, seed: int) -> Counter[str]:
    """What becomes of mutants of texts: of some, and of more until each outcome was seen, which may be rare."""
    rng, texts, found = Random(seed), [path.read_text() for path in paths], Counter[str]()
    for i in range(_MOST):
        if i >= _CASES and all(found[code] for code in ("converted", *_REFUSED)):
            break
        found[outcome(mutant(rng.choice(texts), rng), target, folder)] += 1
    return found


@pytest.mark.share(6)
@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("digits_cnn.onnx", "tflite"),
        pytest.param("digits_transformer.onnx", "native", marks=pytest.mark.long),
        ("digits_cnn.onnx", "native"),
        ("digits_rnn.onnx", "tflite"),
        ("digits_cnn.pb", "hlo"),
        ("digits_rnn.pb", "stablehlo"),
    ],
)
def test_changed_stages(name: str, target: str, models: Path, tmp_path: Path) -> None:
    shapes = {"image": (2, 8, 8, 1) if "cnn" in name else (2, 8, 8)} if "hlo" in target else {}
    stages = tmp_path / "stages"
    convert(str(models / name), target, tmp_path / f"made.{target}", Options(dump_ir=str(stages), shapes=shapes))
    found = hunt(sorted(stages.iterdir()), target, tmp_path, seed=5)
    assert found["converted"] and all(found[code] for code in _REFUSED), found


@pytest.mark.long
@pytest.mark.parametrize("name", ["digits_rnn.onnx", "digits_cnn.pb"])
def test_changed_source_ops(name: str, models: Path, tmp_path: Path) -> None:
    call("opt", models / name, "--pipeline", "check-schemas", "-o", tmp_path / "source.mlir")
    found = hunt([tmp_path / "source.mlir"], "tflite", tmp_path, seed=3)
    assert found["converted"] and found[_REFUSED[0]], found
