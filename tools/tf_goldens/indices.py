"""Gathering and scattering, segments, diagonals of matrices."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from tf_goldens.case import RAW, case, f, i


def indices() -> None:
    case(
        "Gather",
        lambda x, k: [tf.gather(x, k, axis=1), RAW.Gather(params=x, indices=k), tf.gather(x, k, axis=-1)],
        f(4, 5, 6),
        i(2, 3, high=4),
        dynamic=True,
    )
    case(
        "Gather batch",
        lambda x, k: [tf.gather(x, k, axis=1, batch_dims=1), tf.gather(x, k, axis=2, batch_dims=1)],
        f(2, 5, 6),
        i(2, 3, high=5),
        dynamic=True,
    )
    case("GatherNd", lambda x, k: RAW.GatherNd(params=x, indices=k), f(4, 5, 6), i(3, 2, high=4), dynamic=True)
    case(
        "ScatterNd",
        lambda k, u: RAW.ScatterNd(indices=k, updates=u, shape=[5, 4]),
        np.array([[1], [3], [1]], np.int32),
        f(3, 4),
        dynamic=True,
    )
    for name in ["Update", "Add", "Sub", "Max", "Min"]:
        op = getattr(RAW, f"TensorScatter{name}")
        case(
            f"TensorScatter{name}",
            lambda x, k, u, op=op: op(tensor=x, indices=k, updates=u),
            f(5, 4),
            np.array([[1], [3], [0]], np.int32),
            f(3, 4),
        )
    hot = np.array([[0, 4, -1], [6, 2, 1]], np.int32)
    case(
        "OneHot",
        lambda x: [tf.one_hot(x, 5, 2.0, -1.0), tf.one_hot(x, 5, 2, -1, axis=0), tf.one_hot(x, 5, True, False, axis=1)],
        hot,
        dynamic=True,
    )
    case("Where", lambda x: [tf.where(x > 0), tf.where(x)], f(3, 4), dynamic=True)
    case(
        "Unique",
        lambda x: [*RAW.Unique(x=x), *RAW.UniqueWithCounts(x=x, out_idx="int64")],
        np.array([5, 3, 5, 1, 3, 9], np.int32),
        dynamic=True,
    )
    case(
        "UniqueV2",
        lambda x: [*RAW.UniqueV2(x=x, axis=[0]), *RAW.UniqueV2(x=x, axis=[1])],
        np.array([[5, 3, 5], [1, 2, 1], [5, 3, 5]], np.int32),
    )
    case("TopK", lambda x: RAW.TopKV2(input=x, k=3), f(3, 7), dynamic=True)
    case("TopK integer", lambda x: RAW.TopKV2(input=x, k=3), i(3, 7))
    case(
        "SparseToDense",
        lambda k: RAW.SparseToDense(sparse_indices=k, output_shape=[9], sparse_values=3.0, default_value=-1.0),
        np.array([1, 3, 7], np.int32),
        dynamic=True,
    )
    case(
        "SparseToDense pairs",
        lambda k, v: RAW.SparseToDense(sparse_indices=k, output_shape=[4, 5], sparse_values=v, default_value=-1.0),
        np.array([[1, 1], [3, 0]], np.int64),
        f(2),
    )
    case("Bucketize", lambda x: RAW.Bucketize(input=x, boundaries=[-1.0, 0.0, 1.5]), f(3, 4), dynamic=True)
    case(
        "LowerBound",
        lambda a, b: [RAW.LowerBound(sorted_inputs=a, values=b), RAW.UpperBound(sorted_inputs=a, values=b)],
        np.sort(i(2, 5)),
        i(2, 3),
    )
    case(
        "InTopK",
        lambda p, t: [RAW.InTopK(predictions=p, targets=t, k=2), RAW.InTopKV2(predictions=p, targets=t, k=1)],
        f(3, 5),
        i(3, high=5),
    )
    ids = np.array([0, 0, 2, 2, 3], np.int32)
    for name in ["Sum", "Mean", "Prod", "Max", "Min"]:
        op = getattr(RAW, f"Segment{name}")
        case(f"Segment{name}", lambda x, op=op: op(data=x, segment_ids=ids), f(5, 3), dynamic=True)
    places = [3, 0, -1, 3, 1]
    for name in ["Sum", "Prod", "Max", "Min"]:
        op = getattr(RAW, f"UnsortedSegment{name}")
        case(
            f"UnsortedSegment{name}",
            lambda x, op=op: op(data=x, segment_ids=places, num_segments=5),
            f(5, 3),
            dynamic=True,
        )
        case(
            f"UnsortedSegment{name} int64",
            lambda x, op=op: op(data=x, segment_ids=places, num_segments=5),
            i(5, 3, dtype=np.int64),
        )
    case(
        "UnsortedSegment rank 2",
        lambda x: RAW.UnsortedSegmentSum(data=x, segment_ids=[[0, 1], [1, 2]], num_segments=3),
        f(2, 2, 3),
    )
    case("DynamicStitch", lambda x, y: RAW.DynamicStitch(indices=[[0, 2], [1, 3]], data=[x, y]), f(2, 3), f(2, 3))
    case("ListDiff", lambda x, y: RAW.ListDiff(x=x, y=y), i(6), i(3))
    ones = np.zeros(0, np.float32)
    case("Bincount", lambda x: RAW.Bincount(arr=x, size=5, weights=ones), i(8, high=7))
    case(
        "DenseBincount",
        lambda x: [RAW.DenseBincount(input=x, size=5, weights=ones, binary_output=b) for b in (False, True)],
        i(2, 8, high=7),
    )
    case("Bincount weights", lambda x, w: RAW.DenseBincount(input=x, size=5, weights=w), i(8, high=7), f(8))
    case(
        "Bincount run time",
        lambda x, n: RAW.DenseBincount(input=x, size=n, weights=ones),
        i(2, 8, high=7),
        np.array(5, np.int32),
    )
    case("HistogramFixedWidth", lambda x: RAW.HistogramFixedWidth(values=x, value_range=[-2.0, 2.0], nbins=5), f(20))


def sparse() -> None:
    matrix = [[1.0, 0], [0, 2], [3, 4]]
    case(
        "SparseTensorDenseMatMul",
        lambda x: tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(tf.constant(matrix)), x),
        f(2, 3),
    )
    ids, rows = np.array([0, 0, 2], np.int64), np.array([1, 5, 2], np.int64)
    for name in ["Sum", "Mean", "SqrtN"]:
        op = getattr(RAW, f"SparseSegment{name}")
        case(f"SparseSegment{name}", lambda x, op=op: op(data=x, indices=rows, segment_ids=ids), f(7, 3), dynamic=True)
    case("DynamicPartition", lambda x: tf.dynamic_partition(x, [0, 1, 0], 2), f(3, 2), dynamic=True)
    case(
        "CrossEntropy",
        lambda x, y: RAW.SoftmaxCrossEntropyWithLogits(features=x, labels=tf.nn.softmax(y)),
        f(4, 5),
        f(4, 5),
    )
    case(
        "SparseCrossEntropy",
        lambda x: RAW.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=[0, 3, 1, 4]),
        f(4, 5),
    )
    case(
        "QuantizeAndDequantize",
        lambda x: [
            tf.quantization.quantize_and_dequantize_v2(x, -2.0, 1.5, range_given=True, round_mode=m)
            for m in ("HALF_TO_EVEN", "HALF_UP")
        ],
        f(3, 4),
    )
    case("ResizeArea", lambda x: [RAW.ResizeArea(images=x, size=s) for s in ((2, 3), (3, 4), (7, 8))], f(1, 4, 6, 2))


def matrices() -> None:
    for align in ("LEFT_LEFT", "RIGHT_LEFT", "LEFT_RIGHT", "RIGHT_RIGHT"):
        case(
            f"MatrixDiag {align}",
            lambda d, a=align: RAW.MatrixDiagV3(
                diagonal=d, k=[-1, 1], num_rows=4, num_cols=4, padding_value=9.0, align=a
            ),
            f(2, 3, 4),
        )
        case(
            f"MatrixDiagPart {align}",
            lambda x, a=align: [RAW.MatrixDiagPartV3(input=x, k=k, padding_value=9.0, align=a) for k in ([-2, 1], 1)],
            f(2, 4, 5),
        )
        case(
            f"MatrixSetDiag {align}",
            lambda x, d, a=align: RAW.MatrixSetDiagV3(input=x, diagonal=d, k=[-1, 1], align=a),
            f(2, 4, 5),
            f(2, 3, 4),
        )
    case(
        "MatrixDiag offsets",
        lambda x: [
            RAW.MatrixDiagV2(diagonal=x, k=1, num_rows=-1, num_cols=-1, padding_value=0.0),
            RAW.MatrixDiagV3(diagonal=x, k=-2, num_rows=6, num_cols=5, padding_value=0.0),
        ],
        f(2, 4),
    )
    case("MatrixDiag", lambda x: RAW.MatrixDiag(diagonal=x), f(2, 4), dynamic=True)
    case("MatrixDiagPart", lambda x: RAW.MatrixDiagPart(input=x), f(2, 4, 5))
    case("MatrixSetDiag", lambda x, d: RAW.MatrixSetDiag(input=x, diagonal=d), f(2, 4, 5), f(2, 4), dynamic=True)
    case("Diag", lambda x: [RAW.Diag(diagonal=x), RAW.DiagPart(input=RAW.Diag(diagonal=x))], f(2, 3))
    case(
        "MatrixBandPart",
        lambda x: [tf.linalg.band_part(x, 1, -1), tf.linalg.band_part(x, 0, 2)],
        f(2, 4, 5),
        dynamic=True,
    )
    case("Cross", lambda x, y: RAW.Cross(a=x, b=y), f(2, 3), f(2, 3))
