"""Older names and versions of common ops, and ops over lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tf.op_rows.row import Row, integers, numbers, raw

COMPLEX = (numbers(2, 3, 4, 8) + 1j * numbers(2, 4, 3, 8).reshape(2, 3, 4, 8)).astype(np.complex64)
SQUARE = numbers(2, 4, 4)
NORM = [numbers(2, 3, 4, 5), *(numbers(5, low=0.5, high=i) for i in (1, 2, 3, 4))]
ROW_IDS = {"indices": np.int32([0, 4, 2, 1]), "segment_ids": np.int32([0, 0, 2, 2]), "num_segments": np.int32(4)}


def normalized(kind: str) -> Row:
    """The means alone: TensorFlow leaves the reserved results open."""

    def make(tf: Any, *xs: Any) -> Any:
        x, scale, offset, mean, variance = xs
        return getattr(tf.raw_ops, kind)(
            x=x, scale=scale, offset=offset, mean=mean, variance=variance, epsilon=0.01, is_training=False
        )[0]

    return Row(kind, make, NORM)


ROWS = [
    raw("BatchMatMul", SQUARE, numbers(2, 4, 3), adj_x=True),
    raw("BiasAddV1", numbers(2, 3, 5), numbers(5)),
    raw("BroadcastTo", numbers(3, 1), given={"shape": np.int32([2, 3, 4])}),
    raw("FFT2D", COMPLEX),
    raw("IFFT", COMPLEX),
    raw("IFFT3D", COMPLEX),
    raw("IRFFT3D", COMPLEX, given={"fft_length": np.int32([3, 4, 8])}),
    normalized("FusedBatchNorm"),
    normalized("FusedBatchNormV2"),
    raw("MatrixDiagPartV2", numbers(2, 4, 5), given={"k": np.int32([-1, 2]), "padding_value": np.float32(7)}),
    raw("MatrixSetDiagV2", numbers(2, 4, 5), numbers(2, 4), given={"k": np.int32(1)}),
    raw("ParallelConcat", numbers(1, 3), numbers(1, 3) * 2, shape=[2, 3]),
    Row(
        "ParallelDynamicStitch",
        lambda tf, a, b: tf.raw_ops.ParallelDynamicStitch(indices=[[0, 3], [2, 1]], data=[a, b]),
        [numbers(2, 3), numbers(2, 3) * 2],
    ),
    Row(
        "PlaceholderWithDefault",
        lambda tf, x: tf.raw_ops.PlaceholderWithDefault(input=x, shape=[None, 3]) + x,
        [numbers(2, 3)],
    ),
    raw("Snapshot", numbers(2, 3)),
    raw("SparseMatMul", numbers(4, 3), numbers(4, 5), transpose_a=True),
    *(raw(f"SparseSegment{kind}WithNumSegments", numbers(5, 3), given=ROW_IDS) for kind in ("Mean", "SqrtN", "Sum")),
    Row(
        "TensorStridedSliceUpdate",
        lambda tf, x, v: tf.raw_ops.TensorStridedSliceUpdate(input=x, begin=[1], end=[3], strides=[1], value=v),
        [numbers(4, 5), numbers(2, 5)],
    ),
    raw("UniqueWithCountsV2", integers(20, low=0, high=5), given={"axis": np.int32([0])}),
]
