"""The first screenful for five failing models, as a user sees it: golden/*.txt.  Each must be enough to find and mend
the line.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import failing_models as models
from tests.support.cli import run

GOLDEN = Path(__file__).parent / "golden"
CASES: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "torch_custom_op": (models.torch_custom_op, ("convert", "--to", "tflite")),
    "graphdef_matrix_square_root": (models.graphdef_with_debug_info, ("convert", "--to", "tflite")),
    "many_of_one_kind": (lambda folder: models.many(folder, 37), ("convert", "--to", "tflite")),
    "shapes_that_do_not_fit": (models.shapes_that_do_not_fit, ("convert", "--to", "tflite")),
    "dynamic_input_for_a_static_target": (models.dynamic_relu, ("check", "--to", "hlo", "--profile", "tflite-micro")),
}


@pytest.mark.parametrize("name", CASES)
def test_first_screenful(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, arguments = CASES[name]
    path = make(tmp_path)
    command, *rest = arguments
    ran = run(tmp_path, monkeypatch, command, path.name, *rest)
    assert ran.code == 1
    assert ran.err == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert len(ran.err.splitlines()) <= 24
