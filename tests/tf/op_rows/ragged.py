"""Rows of different lengths, and functions that loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tf.op_rows.row import EVERYWHERE, Row, numbers, raw

SPLITS = np.int64([0, 2, 2, 5, 6])
INNER = np.int64([0, 1, 4, 4, 6, 9, 10])
VALUES = numbers(6)
LONG = numbers(10)
OPEN = {"row": {"targets": ("tflite",)}}


def dense(shape: Any, kinds: list[str], values: Any, *parts: Any, default: Any = -1.0, **row: Any) -> Row:
    def make(tf: Any, *xs: Any) -> Any:
        return tf.raw_ops.RaggedTensorToTensor(
            shape=np.int64(shape),
            values=xs[0],
            default_value=np.float32(default),
            row_partition_tensors=list(xs[1:]),
            row_partition_types=kinds,
        )

    return Row(f"RaggedTensorToTensor {shape} {kinds} {np.shape(default)}", make, [values, *parts], **row)


def gathered(nested: int) -> Any:
    def make(tf: Any, *xs: Any) -> Any:
        found = tf.raw_ops.RaggedGather(
            params_nested_splits=list(xs[:nested]),
            params_dense_values=xs[nested],
            indices=xs[nested + 1],
            OUTPUT_RAGGED_RANK=nested + xs[nested + 1].shape.rank - 1,
        )
        return [*found.output_nested_splits, found.output_dense_values]

    return make


def sparse(tf: Any, *xs: Any) -> Any:
    return list(tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=list(xs[:-1]), rt_dense_values=xs[-1]))


BETA = [numbers(40, low=0.05, high=12), numbers(40, low=0.1, high=9), numbers(40, low=0, high=1)]
EDGES = [
    np.float32([-1, 2, 0.5, 0.5, 3, 1, 1]),
    np.float32([1, -2, 0.5, 2, 1, 1, 1]),
    np.float32([0.5, 0.5, 0, 1, 1.5, 0.25, -1]),
]
GAMMA = [
    np.append(numbers(40, low=0.05, high=9), np.float32([-1, 1, 2, 1])),
    np.append(numbers(40, low=0, high=14), np.float32([1, -1, 0, np.inf])),
]
ROW_TYPES = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]
COUNTS = {"size": np.int32(5)}
NUMBERS = np.int32([1, 4, 2, 2, 7, 0])

ROWS = [
    *(raw(kind, *GAMMA, row={"targets": EVERYWHERE}) for kind in ("Igamma", "Igammac")),
    *(raw(kind, *(x.astype(np.float64) for x in GAMMA), label="double") for kind in ("Igamma", "Igammac")),
    raw("Betainc", *BETA, row={"targets": EVERYWHERE, "tolerance": 5e-5}),
    raw("Betainc", *EDGES, label="edges"),
    raw("Betainc", *(x.astype(np.float64) for x in BETA), label="double", row={"tolerance": 1e-8}),
    raw("RaggedRange", np.int32([0, 5, 8, 3]), np.int32([3, 5, 2, 9]), np.int32([1, 1, -2, 4]), **OPEN),
    raw("RaggedRange", np.float32([0, 5, 8]), np.float32([3, 2, 2.5]), np.float32([0.5, 1, -1.5]), label="floats"),
    raw("RaggedRange", np.int32(2), np.int32([5, 1, 3]), np.int32(1), label="scalars", Tsplits=np.int32),
    dense([-1, -1], ["ROW_SPLITS"], VALUES, SPLITS, targets=("tflite",)),
    dense([-1, 4], ["ROW_SPLITS"], VALUES, SPLITS, targets=EVERYWHERE),
    dense([3, 2], ["ROW_SPLITS"], VALUES, SPLITS, targets=EVERYWHERE),
    dense([6, 2], ["ROW_SPLITS"], VALUES, SPLITS),
    dense([-1, -1, 3], ["ROW_SPLITS"], numbers(6, 3), SPLITS, default=[1.0, 2.0, 3.0]),
    dense([-1, -1, -1], ["ROW_SPLITS", "ROW_SPLITS"], LONG, SPLITS, INNER),
    dense([3, 2, 2], ["ROW_SPLITS", "ROW_SPLITS"], LONG, SPLITS, INNER, targets=EVERYWHERE),
    dense([-1, -1], ROW_TYPES, VALUES, np.int64(4), np.int64([0, 0, 2, 2, 2, 3])),
    dense([5, 3], ROW_TYPES, VALUES, np.int64(4), np.int64([0, 0, 2, 2, 2, 3])),
    Row("RaggedGather", gathered(1), [SPLITS, VALUES, np.int32([2, 0, 1, 2])], targets=("tflite",)),
    Row("RaggedGather of two", gathered(2), [SPLITS, INNER, LONG, np.int32([3, 0, 2])]),
    Row("RaggedGather of a matrix", gathered(1), [SPLITS, numbers(6, 2), np.int64([[2, 0], [1, 3], [0, 0]])]),
    Row("RaggedTensorToSparse", sparse, [SPLITS, VALUES], targets=("tflite",)),
    Row("RaggedTensorToSparse of two", sparse, [SPLITS, INNER, LONG]),
    raw("RaggedFillEmptyRows", np.int64([0, 0, 2, 5]), numbers(4), np.int64(7), np.float32(9)),
    *(
        raw("RaggedBincount", np.int64([0, 2, 2, 6]), NUMBERS, w, given=COUNTS, label=f"{len(w)} {b}", binary_output=b)
        for w, b in ((np.zeros(0, np.float32), False), (numbers(6), False), (np.zeros(0, np.float32), True))
    ),
]
