"""Writes the graph and TensorFlow's results of every row."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from tests.tf.op_rows import ROWS
from tests.tf.op_rows.row import Row


def write(row: Row, path: Path) -> None:
    """PATH.pb, PATH.npz."""
    given = row.shapes or [np.shape(a) for a in row.inputs]
    arrays = [np.asarray(a) for a in row.inputs]
    specs = [tf.TensorSpec(s, a.dtype, name=f"x{i}") for i, (s, a) in enumerate(zip(given, arrays, strict=True))]
    made = tf.function(lambda *xs: row.make(tf, *xs), autograph=False).get_concrete_function(*specs)
    results = [t.numpy() for t in tf.nest.flatten(made(*map(tf.constant, arrays)))]
    if row.lowered:
        made = convert_variables_to_constants_v2(made, lower_control_flow=True)
    path.with_suffix(".pb").write_bytes(made.graph.as_graph_def().SerializeToString(deterministic=True))
    names = [t.name for t in tf.nest.flatten(made.outputs)]
    stored = {f"in{i}": a for i, a in enumerate(arrays)} | {f"out{i}": r for i, r in enumerate(results)}
    np.savez(path.with_suffix(".npz"), names=np.asarray(names), **stored)


def main(folder: Path) -> None:
    for number, row in enumerate(ROWS):
        try:
            write(row, folder / str(number))
        except Exception as error:
            raise RuntimeError(f"row {number}, {row.name}: {error}") from error


if __name__ == "__main__":
    main(Path(sys.argv[1]))
