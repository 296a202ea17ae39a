"""The verdict of `check` does not depend on weights: a model whose large constants are overwritten gets the same one,
which is that of a conversion of the sound model.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import mlconv
from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.check import check_model
from mlconv.driver.loading import import_model
from mlconv.driver.options import Options
from mlconv.ir.constants import Const, Mapped

LARGE = 1 << 10  # bytes; smaller constants may decide about shapes
TARGETS = ("tflite", "hlo", "native")
STEP = 9  # of the corpus


def weights(path: Path) -> list[tuple[int, int]]:
    """Offsets and sizes of the large constants that lie in the file itself."""
    module = import_model(str(path), Options(), DiagnosticEngine()).module
    constants = [v for op in module.walk() for v in op.attributes.values() if isinstance(v, Const)]
    return [
        (c.offset, c.nbytes)
        for c in constants
        if isinstance(c, Mapped) and c.nbytes > LARGE and c.dtype.is_float and Path(c.file.path) == path
    ]


def poisoned(path: Path, folder: Path) -> Path | None:
    """A copy with NaN in the place of its weights; None for a model without large ones."""
    places = weights(path)
    if not places:
        return None
    copy = Path(shutil.copy(path, folder / path.name))
    with open(copy, "r+b") as f:
        for offset, size in places:
            f.seek(offset)
            f.write(b"\xff" * size)
    return copy


def verdict(path: Path) -> dict[str, bool]:
    """By target: whether it takes the model."""
    return {t.target: t.ok for t in check_model(str(path), TARGETS).targets}


def converts(path: Path, target: str, folder: Path) -> bool:
    try:
        mlconv.convert(path, target, folder / "artifact.o")
    except ConversionError:
        return False
    return True


def test_the_verdict_does_not_depend_on_weights(corpus: Path, tmp_path: Path) -> None:
    seen = 0
    for path in sorted((corpus / "models" / "onnx").glob("*.onnx"))[::STEP]:
        try:
            copy = poisoned(path, tmp_path)
        except ConversionError:
            continue
        if copy is None:
            continue
        sound = verdict(path)
        assert verdict(copy) == sound, path.name
        assert sound == {target: converts(path, target, tmp_path) for target in sound}, path.name
        seen += 1
    assert seen >= 5


@pytest.mark.parametrize("name", ["digits_cnn.onnx", "digits_transformer.onnx"])
def test_of_the_models_here(name: str, models: Path, tmp_path: Path) -> None:
    copy = poisoned(models / name, tmp_path)
    assert copy is not None and verdict(copy) == verdict(models / name)
