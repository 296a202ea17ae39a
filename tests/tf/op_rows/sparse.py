"""Sparse tensors in coordinate form."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tf.op_rows.row import Row, integers, numbers, raw

SHAPE = np.int64([4, 5])
FIRST = np.int64([[0, 1], [0, 3], [2, 0], [2, 4], [3, 3]])
SECOND = np.int64([[0, 1], [1, 2], [2, 4], [3, 0]])
MIXED = FIRST[[3, 0, 4, 1, 2]]
V, W = numbers(5), numbers(4)
PAIR = [FIRST, V, SECOND, W]
NONE = np.zeros(0, np.float32)


def both(kind: str, **more: Any) -> Row:
    """An op of two tensors of one shape."""

    def make(tf: Any, ai: Any, av: Any, bi: Any, bv: Any) -> Any:
        names = {"a_indices": ai, "a_values": av, "a_shape": SHAPE, "b_indices": bi, "b_values": bv, "b_shape": SHAPE}
        return list(getattr(tf.raw_ops, kind)(**names, **{k: tf.constant(v) for k, v in more.items()}))

    return Row(f"{kind} {more}", make, PAIR)


def both_sets(kind: str, operation: str) -> Row:
    """Sets of either form."""

    def make(tf: Any, a: Any, b: Any) -> Any:
        forms = kind.split("To")
        names: dict[str, Any] = {}
        for i, (form, x, ids) in enumerate(zip(forms, (a, b), (FIRST, SECOND), strict=True), 1):
            if form == "Dense":
                names[f"set{i}"] = x
            else:
                values = tf.gather_nd(x, tf.constant(ids))
                names |= {f"set{i}_indices": ids, f"set{i}_values": values, f"set{i}_shape": SHAPE}
        return list(getattr(tf.raw_ops, f"{kind}SetOperation")(**names, set_operation=operation))

    sets = [integers(4, 5, low=0, high=7), integers(4, 6, low=0, high=7)[:, :5]]
    return Row(f"{kind}SetOperation {operation}", make, sets)


def decoded(merge: bool, blank: int) -> Row:
    def make(tf: Any, x: Any, lengths: Any) -> Any:
        return list(
            tf.raw_ops.CTCGreedyDecoder(inputs=x, sequence_length=lengths, merge_repeated=merge, blank_index=blank)
        )

    return Row(f"CTCGreedyDecoder {merge} {blank}", make, [numbers(9, 3, 3), np.int32([9, 4, 7])])


OPERATIONS = ("a-b", "b-a", "intersection", "union")


def concat(axis: int) -> Row:
    def make(tf: Any, ai: Any, av: Any, bi: Any, bv: Any) -> Any:
        shapes = [tf.constant(SHAPE), tf.constant(SHAPE)]
        return list(tf.raw_ops.SparseConcat(indices=[ai, bi], values=[av, bv], shapes=shapes, concat_dim=axis))

    return Row(f"SparseConcat {axis}", make, PAIR)


def split(axis: int, count: int) -> Row:
    def make(tf: Any, i: Any, v: Any) -> Any:
        found = tf.raw_ops.SparseSplit(split_dim=np.int64(axis), indices=i, values=v, shape=SHAPE, num_split=count)
        return [*found.output_indices, *found.output_values, *found.output_shape]

    return Row(f"SparseSplit {axis} {count}", make, [FIRST, V])


def reduced(kind: str, axes: list[int], keep: bool) -> Row:
    given = {"input_shape": SHAPE, "reduction_axes": np.int32(axes)}
    return raw(kind, FIRST, V, given=given, label=f"{axes} {keep}", keep_dims=keep)


GIVEN = {"dense_shape": SHAPE, "input_shape": SHAPE, "sp_shape": SHAPE, "shape": SHAPE}
COUNTED = np.int32([3, 1, 3, 0, 2])

ROWS = [
    *(
        raw("SparseReshape", FIRST, given={"input_shape": SHAPE, "new_shape": np.int64(s)}, label=str(s))
        for s in ([2, 10], [-1, 4], [20])
    ),
    raw("SparseReorder", MIXED, V, given=GIVEN, row={"targets": ("tflite",)}),
    raw("SparseTensorDenseAdd", FIRST, V, numbers(4, 5), given={"a_shape": SHAPE}),
    *(raw(f"SparseDenseCwise{k}", FIRST, V, numbers(5, low=0.5), given=GIVEN) for k in ("Add", "Mul", "Div")),
    *(
        reduced(f"SparseReduce{k}{s}", a, keep)
        for k in ("Sum", "Max")
        for s in ("", "Sparse")
        for a, keep in (([1], False), ([0], True), ([-1, 0], False))
    ),
    both("SparseAdd", thresh=np.float32(0)),
    both("SparseAdd", thresh=np.float32(0.9)),
    both("SparseSparseMaximum"),
    both("SparseSparseMinimum"),
    raw("SparseSoftmax", FIRST, V, given=GIVEN),
    raw("SparseSlice", FIRST, V, given={**GIVEN, "start": np.int64([0, 1]), "size": np.int64([3, 9])}),
    *(split(a, c) for a, c in ((0, 2), (1, 3), (1, 1))),
    concat(0),
    concat(1),
    raw("SparseFillEmptyRows", FIRST, V, given={**GIVEN, "default_value": np.float32(7)}),
    raw(
        "SparseFillEmptyRows",
        FIRST[1:4],
        V[1:4],
        given={"dense_shape": np.int64([6, 5]), "default_value": np.float32(7)},
        label="more",
    ),
    *(
        raw(
            "SparseBincount",
            FIRST,
            COUNTED,
            w,
            given={**GIVEN, "size": np.int32(4)},
            label=f"{len(w)} {b}",
            binary_output=b,
        )
        for w, b in ((NONE, False), (V, False), (NONE, True))
    ),
    raw(
        "SparseBincount",
        FIRST[:, 1:],
        COUNTED,
        NONE,
        given={"dense_shape": np.int64([5]), "size": np.int32(4)},
        label="vector",
    ),
    *(
        raw(
            "DenseCountSparseOutput",
            integers(3, 6, low=0, high=6),
            NONE,
            label=f"{a} {b}",
            binary_output=False,
            minlength=a,
            maxlength=b,
        )
        for a, b in ((-1, -1), (9, -1), (-1, 4))
    ),
    raw("DenseCountSparseOutput", integers(8, low=0, high=6), NONE, label="vector", binary_output=True),
    raw("DenseCountSparseOutput", integers(2, 4, low=0, high=4), numbers(2, 4), label="weights", binary_output=False),
    raw("SparseCountSparseOutput", FIRST, COUNTED, NONE, given=GIVEN, binary_output=False),
    raw("RaggedCountSparseOutput", np.int64([0, 2, 2, 5]), COUNTED, NONE, binary_output=False),
    *(
        both_sets(kind, operation)
        for kind in ("DenseToDense", "DenseToSparse", "SparseToSparse")
        for operation in OPERATIONS
    ),
    raw("SetSize", FIRST, np.int32([2, 2, 5, 1, 7]), given={"set_shape": SHAPE}),
    *(decoded(m, b) for m, b in ((False, -1), (True, -1), (True, 0))),
]
