"""Writes SavedModels with rows of lengths that data decide, and what TensorFlow makes of random ones."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Outputs = dict[str, Any]
LENGTHS = ([2, 0, 4], [0, 0, 1], [5], [0, 3, 0], [7, 1, 1, 1, 2])


def sums_and_rows(tf: Any, v: Any, lengths: Any) -> Outputs:
    """Sums of rows, and rows that are filled up to the longest one."""
    rows = tf.RaggedTensor.from_row_lengths(v, lengths, validate=False)
    return {"sum": tf.reduce_sum(rows, axis=1), "dense": rows.to_tensor(-1.0)}


def two_levels(tf: Any, v: Any, lengths: Any) -> Outputs:
    """As many rows in groups of 2 and of what is left."""
    inner = tf.RaggedTensor.from_row_lengths(v, lengths, validate=False)
    count = tf.shape(lengths, out_type=tf.int64)[0]
    outer = tf.RaggedTensor.from_row_splits(inner, tf.stack([tf.constant(0, tf.int64), count // 2, count]), False)
    return {"dense": outer.to_tensor(-2.0)}


def repeated_to_rows(tf: Any, v: Any, lengths: Any) -> Outputs:
    """Of what is repeated there must be as much as of what it numbers."""
    rows = tf.repeat(tf.range(tf.shape(lengths)[0]), lengths)
    return {"y": tf.math.unsorted_segment_max(v, rows, tf.shape(lengths)[0])}


def repeated(tf: Any, v: Any, lengths: Any) -> Outputs:
    return {"all": tf.repeat(v, lengths, axis=0)}


def steps(tf: Any, v: Any, lengths: Any) -> Outputs:
    rows = tf.ragged.range(lengths, 2 * lengths)
    return {"y": tf.reduce_sum(v) + tf.cast(rows.flat_values, tf.float32)}


# function, shape of an element of v, how many of them there are of lengths
ROWS: dict[str, tuple[Callable[[Any, Any, Any], Outputs], tuple[int, ...], Callable[[list[int]], int]]] = {
    "sums_and_rows": (sums_and_rows, (), sum),
    "two_levels": (two_levels, (), sum),
    "repeated_to_rows": (repeated_to_rows, (), sum),
    "repeated_vector": (repeated, (), len),
    "repeated_matrix": (repeated, (3,), len),
    "steps": (steps, (), len),
}


def with_library(tf: Any, of: Callable[[Any, Any, Any], Outputs]) -> Callable[[Any, Any], Outputs]:
    def call(v: Any, lengths: Any) -> Outputs:
        return of(tf, v, lengths)

    return call


def main(folder: Path) -> None:
    import tensorflow as tf

    rng = np.random.default_rng(3)
    for name, (of, inner, count) in ROWS.items():
        v, lengths = (
            tf.TensorSpec([None, *inner], tf.float32, name="v"),
            tf.TensorSpec([None], tf.int64, name="lengths"),
        )
        module = tf.Module()
        module.call = tf.function(with_library(tf, of), input_signature=[v, lengths])
        tf.saved_model.save(module, str(folder / name), signatures=module.call.get_concrete_function())
        for i, numbers in enumerate(LENGTHS):
            given = {"v": rng.standard_normal((count(numbers), *inner), np.float32), "lengths": np.array(numbers)}
            made = {f"out_{k}": y.numpy() for k, y in module.call(*map(tf.constant, given.values())).items()}
            np.savez(folder / f"{name}.{i}.npz", **{f"in_{k}": x for k, x in given.items()}, **made)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
