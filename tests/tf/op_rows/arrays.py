"""Rows, places, windows and boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tf.op_rows.row import EVERYWHERE, Row, integers, numbers, raw

X = numbers(5, 3)
IMAGE = numbers(2, 7, 8, 3)
BOXES = np.sort(numbers(2, 12, 2, 2, low=0, high=1), axis=2)[:, :, ::1].transpose(0, 1, 2, 3).reshape(2, 12, 1, 4)
BOXES = np.concatenate(
    [
        BOXES[..., :2].min(-1, keepdims=True),
        BOXES[..., 2:3] * 0.5,
        BOXES[..., :2].max(-1, keepdims=True) + 0.2,
        BOXES[..., 2:3] * 0.5 + 0.5,
    ],
    -1,
)
BOXES = BOXES.astype(np.float32)
SCORES = numbers(2, 12, 3, low=0, high=1)
CORNERS = np.float32([[[0.1, 0.2, 0.7, 0.8], [0.5, 0, 1.2, 0.4], [0.9, 0.1, 0.2, 0.8]], [[-0.3, -0.2, 0.4, 0.6]] * 3])
OFFSETS = np.float32([[0.3, -0.2], [-0.9, 0.7]])
OVERLAPS = numbers(9, 9, low=0, high=1)


def combined(boxes: Any, *, shapes: Any = None, **attributes: Any) -> Row:
    def make(tf: Any, b: Any, s: Any) -> Any:
        return list(tf.image.combined_non_max_suppression(b, s, 4, 9, 0.4, 0.2, **attributes))

    name = f"CombinedNonMaxSuppression {shapes or boxes.shape} {attributes}"
    return Row(name, make, [boxes, SCORES], shapes, targets=EVERYWHERE)


def overlapping(tf: Any, o: Any, s: Any) -> Any:
    return tf.image.non_max_suppression_overlaps(o, s, 6, 0.55, 0.1)


def padded(boxes: Any, scores: Any, **row: Any) -> Row:
    def make(tf: Any, b: Any, s: Any) -> Any:
        return list(tf.image.non_max_suppression_padded(b, s, 6, 0.3, 0.2, pad_to_max_output_size=True))

    return Row(f"non_max_suppression_padded {boxes.shape}", make, [boxes, scores], **row)


ROWS = [
    raw("SegmentSum", numbers(6, 3), np.int32([0, 0, 2, 2, 5, 7]), label="gaps", row={"targets": ("tflite",)}),
    padded(BOXES[0, :, 0], SCORES[0, :, 1], targets=EVERYWHERE),
    padded(BOXES[:, :, 0], SCORES[:, :, 2]),
    *(raw(f"Inplace{k}", X, np.int32([3, 0]), numbers(2, 3) * 3) for k in ("Update", "Add", "Sub")),
    raw("ScatterNdNonAliasingAdd", X, np.int32([[1], [1], [4]]), numbers(3, 3)),
    *(
        raw("NthElement", X, given={"n": np.int32(1)}, label=str(r), reverse=r, row={"targets": EVERYWHERE})
        for r in (False, True)
    ),
    raw("ApproxTopK", numbers(3, 20), k=4, aggregate_to_topk=True),
    raw("UnravelIndex", np.int32([22, 41, 37, 0]), given={"dims": np.int32([7, 6])}, row={"targets": EVERYWHERE}),
    raw("UnravelIndex", np.int64(100), given={"dims": np.int64([7, 6, 9])}, label="scalar"),
    *(
        raw("ToBool", x, label=f"{x.dtype} {x.shape}")
        for x in (np.float32(0), np.float32(-2), np.int32([0]), np.zeros((0, 2), np.float32), np.bool_(True))
    ),
    raw("DataFormatDimMap", np.int32([-4, -1, 0, 1, 2, 3])),
    raw("DataFormatDimMap", np.int32([0, 1, 2, 3]), label="back", src_format="NCHW", dst_format="NHWC"),
    raw("DataFormatVecPermute", np.int32([7, 4, 9, 3])),
    raw(
        "DataFormatVecPermute",
        np.int64([[7, 1], [4, 2], [9, 3], [3, 4]]),
        label="pairs",
        src_format="NCHW",
        dst_format="NHWC",
    ),
    raw("DataFormatVecPermute", np.int32([7, 4]), label="inner", src_format="NCHW", dst_format="NHWC"),
    raw("NearestNeighbors", numbers(6, 4), numbers(9, 4) * 0.8, given={"k": np.int64(3)}),
    raw("NearestNeighbors", numbers(6, 4), numbers(2, 4) * 0.8, given={"k": np.int64(3)}, label="few"),
    raw("IsotonicRegression", numbers(3, 12)),
    raw("IsotonicRegression", integers(3, 9), label="int32", output_dtype=np.float64),
    *(
        raw(
            "Dilation2D",
            IMAGE,
            numbers(3, 2, 3),
            label=f"{s} {r} {p}",
            strides=[1, *s, 1],
            rates=[1, *r, 1],
            padding=p,
            row={"targets": EVERYWHERE},
        )
        for s, r, p in (([1, 1], [1, 1], "SAME"), ([2, 1], [1, 2], "VALID"), ([2, 3], [2, 1], "SAME"))
    ),
    *(
        raw(
            kind,
            IMAGE,
            *more,
            label=f"open {p}",
            **{"ksizes": [1, 3, 2, 1]} if not more else {},
            strides=[1, 2, 1, 1],
            rates=[1, 1, 2, 1],
            padding=p,
            row={"shapes": [[None, None, None, 3], [3, 2, 3]][: 1 + len(more)], "targets": EVERYWHERE},
        )
        for kind, more in (("Dilation2D", [numbers(3, 2, 3)]), ("ExtractImagePatches", []))
        for p in ("SAME", "VALID")
    ),
    *(
        raw(
            "ExtractImagePatches",
            image,
            label=f"blocks {label}",
            ksizes=[1, 2, 2, 1],
            strides=[1, 2, 2, 1],
            rates=[1, 1, 1, 1],
            padding=padding,
            row={"shapes": shapes, "targets": EVERYWHERE},
        )
        for label, image, padding, shapes in (
            ("whole", numbers(2, 4, 6, 3), "SAME", None),
            ("cut", numbers(2, 5, 7, 3), "VALID", None),
            ("padded", numbers(2, 5, 7, 3), "SAME", None),
            ("int64", integers(2, 5, 4, 1).astype(np.int64), "VALID", None),
            ("float64", numbers(2, 5, 4, 1).astype(np.float64), "VALID", None),
            ("open", numbers(2, 5, 7, 3), "VALID", [[None, None, None, 3]]),
            ("none", numbers(2, 1, 7, 3), "VALID", [[None, None, None, 3]]),
            ("rows", numbers(2, 6, 7, 3), "VALID", [[2, 6, None, 3]]),
        )
    ),
    raw(
        "Dilation2D",
        integers(1, 5, 5, 2),
        integers(2, 2, 2),
        label="int32",
        strides=[1] * 4,
        rates=[1] * 4,
        padding="SAME",
    ),
    *(
        raw(
            "ExtractVolumePatches",
            numbers(1, 4, 5, 6, 2),
            label=p,
            ksizes=[1, 2, 3, 2, 1],
            strides=[1, 2, 1, 2, 1],
            padding=p,
            row={"targets": EVERYWHERE},
        )
        for p in ("SAME", "VALID")
    ),
    *(
        raw(
            "FusedPadConv2D",
            IMAGE[:1],
            numbers(3, 3, 3, 4),
            given={"paddings": np.int32([[0, 0], [1, 2], [2, 0], [0, 0]])},
            label=m,
            mode=m,
            strides=[1, 2, 1, 1],
            padding="VALID",
            row={"tolerance": 1e-4},
        )
        for m in ("REFLECT", "SYMMETRIC")
    ),
    raw(
        "FusedResizeAndPadConv2D",
        IMAGE[:1],
        numbers(3, 3, 3, 4),
        given={"size": np.int32([9, 5]), "paddings": np.int32([[0, 0], [1, 2], [2, 0], [0, 0]])},
        mode="REFLECT",
        strides=[1, 1, 1, 1],
        padding="SAME",
        row={"tolerance": 1e-4},
    ),
    Row("NonMaxSuppressionWithOverlaps", overlapping, [OVERLAPS, numbers(9, low=0, high=1)], targets=("tflite",)),
    combined(BOXES),
    combined(np.concatenate([BOXES, BOXES * 0.9, BOXES[:, ::-1]], 2)),
    combined(BOXES * 1.5, clip_boxes=False, pad_per_class=True),
    combined(BOXES, shapes=[[None, None, 1, 4], [None, None, 3]]),
    raw("Conv", IMAGE, numbers(3, 2, 3, 4), strides=[1, 2, 1, 1], padding="SAME", row={"tolerance": 1e-4}),
    raw(
        "Conv",
        numbers(1, 5, 6, 4, 2),
        numbers(2, 3, 2, 2, 3),
        label="three axes",
        strides=[1, 1, 2, 1, 1],
        padding="VALID",
        row={"tolerance": 1e-4},
    ),
    raw("DrawBoundingBoxes", IMAGE, CORNERS, row={"targets": EVERYWHERE}),
    raw("DrawBoundingBoxes", IMAGE[..., :1], CORNERS, label="grey"),
    raw("DrawBoundingBoxesV2", IMAGE, CORNERS, numbers(2, 3)),
    *(
        raw(
            kind,
            IMAGE,
            OFFSETS,
            given={"size": np.int32([3, 4])},
            label=f"{c} {m}",
            centered=c,
            normalized=m,
            noise="zero",
            uniform_noise=False,
            row={"targets": EVERYWHERE if c and m else ()},
        )
        for kind in ("ExtractGlimpse", "ExtractGlimpseV2")
        for c in (True, False)
        for m in (True, False)
    ),
]
