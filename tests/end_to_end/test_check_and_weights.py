"""The verdict of `check` does not depend on weights: a model whose large constants are overwritten gets the same one,
which is that of a conversion of the sound model.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import mlconv
from mlconv.diagnostics import ConversionError
from mlconv.driver.check import check_model
from tests.support.poison import poisoned

TARGETS = ("tflite", "hlo", "native")
STEP = 9  # of the corpus


def verdict(path: Path) -> dict[str, bool]:
    """By target: whether it takes the model."""
    return {t.target: t.ok for t in check_model(str(path), TARGETS).targets}


def converts(path: Path, target: str, folder: Path) -> bool:
    try:
        mlconv.convert(path, target, folder / "artifact.o")
    except ConversionError:
        return False
    return True


@pytest.mark.long
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
