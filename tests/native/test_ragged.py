"""Rows of lengths that data decide, in native code, against TensorFlow."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from tests.support.native import OWN

tf = pytest.importorskip("tensorflow")


def sums_and_rows(v: Any, lengths: Any) -> dict[str, Any]:
    """Sums of rows, and rows that are filled up to the longest one."""
    rows = tf.RaggedTensor.from_row_lengths(v, lengths, validate=False)
    return {"sum": tf.reduce_sum(rows, axis=1), "dense": rows.to_tensor(-1.0)}


def two_levels(v: Any, lengths: Any) -> dict[str, Any]:
    """As many rows in groups of 2 and of what is left."""
    inner = tf.RaggedTensor.from_row_lengths(v, lengths, validate=False)
    count = tf.shape(lengths, out_type=tf.int64)[0]
    outer = tf.RaggedTensor.from_row_splits(inner, tf.stack([tf.constant(0, tf.int64), count // 2, count]), False)
    return {"dense": outer.to_tensor(-2.0)}


def repeated(v: Any, lengths: Any) -> dict[str, Any]:
    return {"all": tf.repeat(v, lengths, axis=0)}


def repeated_to_rows(v: Any, lengths: Any) -> dict[str, Any]:
    """Of what is repeated there must be as much as of what it numbers."""
    rows = tf.repeat(tf.range(tf.shape(lengths)[0]), lengths)
    return {"y": tf.math.unsorted_segment_max(v, rows, tf.shape(lengths)[0])}


Model = Callable[[Any, Any], dict[str, Any]]
LENGTHS = ([2, 0, 4], [0, 0, 1], [5], [0, 3, 0], [7, 1, 1, 1, 2])


def saved(model: Model, shape: Sequence[int | None], folder: Path) -> Path:
    module = tf.Module()
    module.call = tf.function(
        model,
        input_signature=[tf.TensorSpec(shape, tf.float32, name="v"), tf.TensorSpec([None], tf.int64, name="lengths")],
    )
    tf.saved_model.save(module, str(folder / "sm"), signatures=module.call.get_concrete_function())
    return folder / "sm"


def check(path: Path, model: Model, feeds: Sequence[tuple[Any, Any]], **options: Any) -> None:
    """One object for all sizes, on 1 and 2 threads."""
    artifact = path.with_name("m.o")
    mlconv.convert(path, to="native", output=artifact, cpu=OWN, **options)
    for threads in (1, 2):
        native = mlconv.load_native(artifact, threads=threads)
        for v, lengths in feeds:
            found = native.run({"v": v, "lengths": lengths})
            for name, wanted in model(tf.constant(v), tf.constant(lengths)).items():
                assert found[name].shape == tuple(wanted.shape), (name, lengths)
                np.testing.assert_allclose(found[name], wanted.numpy(), rtol=1e-6, atol=1e-6)


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


@pytest.mark.parametrize("model", [sums_and_rows, two_levels, repeated_to_rows], ids=lambda m: m.__name__)
def test_bounds_follow_from_the_values(model: Model, tmp_path: Path) -> None:
    """The longest row has no more than there are values, and the rows of all values are as many as these."""
    feeds = [(drawn(sum(n)), np.array(n)) for n in LENGTHS]
    check(saved(model, [None], tmp_path), model, feeds)


def test_lengths_that_do_not_fit_the_values_end_the_run(tmp_path: Path) -> None:
    path = saved(repeated_to_rows, [None], tmp_path)
    mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
    model = mlconv.load_native(tmp_path / "m.o")
    for values in (5, 7):
        with pytest.raises(ConversionError, match="dimensions"):
            model.run({"v": drawn(values), "lengths": np.array([2, 0, 4])})


@pytest.mark.parametrize("inner", [[], [3]], ids=["vector", "matrix"])
def test_what_is_repeated_takes_a_bound(inner: list[int], tmp_path: Path) -> None:
    """Nothing says how large the numbers are: the error asks for that; what comes out of it may have a bound, too."""
    path = saved(repeated, [None, *inner], tmp_path)
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
    assert caught.value.code is Code.TargetLacksOp
    said = [m for d in caught.value.diagnostics if (m := re.search("--shape '(.*)=(.*)'", d.help or ""))]
    asked = {m[1]: [size.replace("N", "9") if "." in size else int(size) for size in m[2].split(",")] for m in said}
    assert {name.split("/")[-1] for name in asked} == {"Tile", "Range"}
    negative = np.array([2, -1, 3])
    feeds = [(drawn(len(n), *inner), np.array(n)) for n in LENGTHS]
    picked = next(name for name in asked if name.endswith("Tile")).replace("Tile", "boolean_mask/GatherV2")
    for bounds in (asked, {picked: ["0..40", *inner]}):
        check(path, repeated, feeds, shapes=bounds)
        x = drawn(3, *inner)
        found = mlconv.load_native(path.with_name("m.o")).run({"v": x, "lengths": negative})
        np.testing.assert_array_equal(found["all"], np.repeat(x, [2, 0, 3], axis=0))


def test_numbers_inside_of_an_op_take_the_bound_of_its_result(tmp_path: Path) -> None:
    def steps(v: Any, lengths: Any) -> dict[str, Any]:
        rows = tf.ragged.range(lengths, 2 * lengths)
        return {"y": tf.reduce_sum(v) + tf.cast(rows.flat_values, tf.float32)}

    path = saved(steps, [None], tmp_path)
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
    said = {m[1] for d in caught.value.diagnostics if (m := re.search("--shape '(.*)=0..N'", d.help or ""))}
    assert len(said) == 1
    feeds = [(drawn(3), np.array(n)) for n in LENGTHS]
    check(path, steps, feeds, shapes={said.pop(): ["0..20"]})
