"""Rows of lengths that data decide, in native code and as TFLite files, against TensorFlow."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.litert import run_tflite
from tests.support import tensorflow_process
from tests.support.native import OWN
from tests.support.npz import npz
from tests.support.open_networks import ops_of
from tests.tf import ragged_models


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of models and results that TensorFlow has written."""
    return tensorflow_process.written(ragged_models, tmp_path_factory.mktemp("ragged"))


def check(written: Path, name: str, artifact: Path, **options: Any) -> None:
    """One object for all sizes, on 1 and 2 threads."""
    mlconv.convert(written / name, to="native", output=artifact, cpu=OWN, **options)
    cases = sorted(written.glob(f"{name}.*.npz"))
    assert len(cases) == len(ragged_models.LENGTHS)
    for threads in (1, 2):
        native = mlconv.load_native(artifact, threads=threads)
        for case in map(npz, cases):
            found = native.run({k[3:]: x for k, x in case.items() if k.startswith("in_")})
            for key, wanted in ((k[4:], y) for k, y in case.items() if k.startswith("out_")):
                assert found[key].shape == wanted.shape, key
                np.testing.assert_allclose(found[key], wanted, rtol=1e-6, atol=1e-6)


def refused(path: Path, artifact: Path) -> list[tuple[str, str]]:
    """Names and sizes that the error asks for."""
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(path, to="native", output=artifact, cpu=OWN)
    assert caught.value.code is Code.TargetLacksOp
    said = (re.search("--shape '(.*)=(.*)'", d.help or "") for d in caught.value.diagnostics)
    return [(m[1], m[2]) for m in said if m]


@pytest.mark.parametrize("name", ["sums_and_rows", "two_levels", "repeated_to_rows"])
def test_bounds_follow_from_the_values(name: str, written: Path, tmp_path: Path) -> None:
    """The longest row has no more than there are values, and the rows of all values are as many as these."""
    check(written, name, tmp_path / "m.o")


def test_lengths_that_do_not_fit_the_values_end_the_run(written: Path, tmp_path: Path) -> None:
    mlconv.convert(written / "repeated_to_rows", to="native", output=tmp_path / "m.o", cpu=OWN)
    model = mlconv.load_native(tmp_path / "m.o")
    for values in (5, 7):
        with pytest.raises(ConversionError, match="dimensions"):
            model.run({"v": np.arange(values, dtype=np.float32), "lengths": np.array([2, 0, 4])})


@pytest.mark.parametrize(("name", "inner"), [("repeated_vector", []), ("repeated_matrix", [3])])
def test_what_is_repeated_takes_a_bound(name: str, inner: list[int], written: Path, tmp_path: Path) -> None:
    """Nothing says how large the numbers are: the error asks for that; what comes out of it may have a bound, too."""
    said = refused(written / name, tmp_path / "m.o")
    asked = {k: [n.replace("N", "9") if "." in n else int(n) for n in sizes.split(",")] for k, sizes in said}
    assert {key.split("/")[-1] for key in asked} == {"Tile", "Range"}
    picked = next(key for key in asked if key.endswith("Tile")).replace("Tile", "boolean_mask/GatherV2")
    x = np.random.default_rng(5).standard_normal((3, *inner), np.float32)
    for bounds in (asked, {picked: ["0..40", *inner]}):
        check(written, name, tmp_path / "m.o", shapes=bounds)
        found = mlconv.load_native(tmp_path / "m.o").run({"v": x, "lengths": np.array([2, -1, 3])})
        np.testing.assert_array_equal(found["all"], np.repeat(x, [2, 0, 3], axis=0))


def test_numbers_inside_of_an_op_take_the_bound_of_its_result(written: Path, tmp_path: Path) -> None:
    said = {key for key, sizes in refused(written / "steps", tmp_path / "m.o") if sizes == "0..N"}
    assert len(said) == 1
    check(written, "steps", tmp_path / "m.o", shapes={said.pop(): ["0..20"]})


def check_tflite(written: Path, name: str, folder: Path) -> Counter[str]:
    """One file gives what TensorFlow gives for all lengths.  Returns its ops."""
    out = folder / "m.tflite"
    mlconv.convert(written / name, to="tflite", output=out)
    cases = sorted(written.glob(f"{name}.*.npz"))
    assert len(cases) == len(ragged_models.LENGTHS)
    for case in map(npz, cases):
        found = run_tflite(str(out), {k[3:]: x for k, x in case.items() if k.startswith("in_")}, "serving_default")
        for key, wanted in ((k[4:], y) for k, y in case.items() if k.startswith("out_")):
            assert found[key].shape == wanted.shape, key
            np.testing.assert_allclose(found[key], wanted, rtol=1e-6, atol=1e-6)
    return ops_of(out)


@pytest.mark.parametrize("name", ["sums_and_rows", "repeated_to_rows", "repeated_vector", "repeated_matrix"])
def test_what_is_repeated_is_picked_by_the_rows_that_count(name: str, written: Path, tmp_path: Path) -> None:
    """The mask of what counts tells the rows; nothing is repeated as often as the row that is repeated most."""
    ops = check_tflite(written, name, tmp_path)
    assert ops["WHERE"] == 1 and not ops["PACK"] and not ops["TILE"], ops
    assert ops["BROADCAST_TO"] == (name in ("repeated_vector", "repeated_matrix")), ops  # of the lengths themselves


@pytest.mark.parametrize("name", ["two_levels", "steps"])
def test_rows_of_other_lengths(name: str, written: Path, tmp_path: Path) -> None:
    check_tflite(written, name, tmp_path)
