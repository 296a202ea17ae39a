"""Models with variables, step by step: artifacts that keep them and those that hand them out are run, compared and held
to answers from what the model begins with.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.driver.verification import Asked, verify
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from mlconv.rewrite import edit
from tests.support.cli import call
from tests.support.npz import npz

SOURCE = Path(__file__).parents[1] / "tf" / "stateful_saved_model"
FILES = {"tflite": "m.tflite", "native": "m.o", "hlo": "m.hlo.pb", "stablehlo": "m.mlir", "onnx": "m.onnx"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Artifacts; three calls in a folder, and what TensorFlow answers."""
    folder = tmp_path_factory.mktemp("variables")
    for target, file in FILES.items():
        mlconv.convert(SOURCE, target, folder / file)
    golden = npz(SOURCE.parent / "stateful.npz")
    for name, keys in (("data", ("x",)), ("expect", ("y", "n"))):
        (folder / name).mkdir()
        for k in range(3):
            np.savez(folder / name / f"{k}.npz", **{key: golden[key][k] for key in keys})
    return folder


@pytest.mark.parametrize("other", ["m.o", "m.hlo.pb", "m.mlir", "m.onnx"])
def test_what_keeps_variables_agrees_with_what_hands_them_out(made: Path, other: str) -> None:
    for a, b in (("m.tflite", other), (other, "m.tflite")):
        found = verify(made / a, made / b)
        assert found.ok and found.runs == 3 and {m.name for m in found.outputs} == {"y", "n"}
    assert verify(made / "m.tflite", made / other, Asked(runs=1)).runs == 1


def test_two_that_hand_variables_out_are_compared_with_these(made: Path) -> None:
    found = verify(made / "m.o", made / "m.hlo.pb")
    assert found.ok and {m.name for m in found.outputs} > {"y", "n"}


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_a_later_step_that_differs_is_found(made: Path, tmp_path: Path, backend: str) -> None:
    """A file that forgets gives the same in its first call."""
    forgetful = mlconv.load(SOURCE)
    run_pipeline(forgetful.module, parse_pipeline("state,dce"))
    function = forgetful.main
    for slot in function.facts.state.values():
        at = function.output_names.index(slot.output)
        same = next(v for v in function.inputs if v.name == slot.input)
        edit.set_operand(function.block.terminator, at, same)
    mlconv.convert(forgetful, "native", tmp_path / "bad.o")
    first = Asked(runs=1, backends=(backend, "auto"))
    assert verify(made / "m.tflite", tmp_path / "bad.o", first).ok
    assert not verify(made / "m.tflite", tmp_path / "bad.o", Asked(backends=(backend, "auto"))).ok


@pytest.mark.parametrize(
    "run", [["m.tflite"], ["m.tflite", "--backend", "reference"], ["m.o"], ["m.hlo.pb"], ["m.mlir"], ["m.onnx"]]
)
def test_runs_go_on_from_one_another(made: Path, run: list[str]) -> None:
    held = ["--data", str(made / "data"), "--expect", str(made / "expect")]
    done = call("run", str(made / run[0]), *run[1:], *held)
    assert done.exit_code == 0, done.output
    done = call("verify", str(made / run[0]), *held)
    assert done.exit_code == 0, done.output


def test_initial_values_are_read_back(made: Path, tmp_path: Path) -> None:
    """StableHLO and ONNX, which have variables with one name for what goes in and out, and without."""
    for source, target, file in (("m.mlir", "onnx", "a.onnx"), ("m.onnx", "native", "a.o")):
        mlconv.convert(made / source, target, tmp_path / file, verify=True)
        assert verify(made / "m.tflite", tmp_path / file).ok
