"""Custom operators are read as what LiteRT's kernels compute.  Source:
tensorflow/lite/kernels/detection_postprocess.cc.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from flatbuffers import flexbuffers

import mlconv
from mlconv.diagnostics import Code, ConversionError
from tests.support.litert import run_litert
from tests.support.tfl_files import TflFile

Array = np.ndarray[Any, Any]
BOXES, CLASSES = 40, 5
OPTIONS: dict[str, Any] = {
    "max_detections": 12,
    "max_classes_per_detection": 1,
    "detections_per_class": 4,
    "use_regular_nms": False,
    "nms_score_threshold": 0.25,
    "nms_iou_threshold": 0.5,
    "num_classes": CLASSES,
    **{f"{axis}_scale": 10.0 if axis in "yx" else 5.0 for axis in "yxhw"},
}


def detector(background: int = 1, **changed: Any) -> TflFile:
    """A file of one operator, which finds boxes by offsets and scores."""
    options = {name: value for name, value in {**OPTIONS, **changed}.items() if value is not None}
    anchors = np.random.default_rng(7).uniform(0.2, 0.6, (BOXES, 4)).astype(np.float32)
    file = TflFile()
    inputs = [file.tensor("float32", (1, BOXES, 4)), file.tensor("float32", (1, BOXES, CLASSES + background))]
    rows = int(options["max_detections"]) * options["max_classes_per_detection"]
    outputs = [file.tensor("float32", shape) for shape in ((1, rows, 4), (1, rows), (1, rows), (1,))]
    file.op(
        "CUSTOM",
        [*inputs, file.constant(anchors)],
        outputs,
        custom=("TFLite_Detection_PostProcess", bytes(flexbuffers.Dumps(options))),
    )
    file.interface(inputs, outputs)
    return file


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"background": 0, "nms_score_threshold": 0.75, "max_detections": 60},
        {"max_detections": 12.0, "num_classes": float(CLASSES)},
        {"max_classes_per_detection": 3},
        {"max_classes_per_detection": CLASSES + 2, "background": 0},
        {"use_regular_nms": True},
        {"use_regular_nms": True, "max_classes_per_detection": 2},
        {"use_regular_nms": True, "background": 0, "max_detections": 60, "detections_per_class": None},
    ],
)
def test_detections_are_those_of_litert(changed: dict[str, Any], tmp_path: pathlib.Path) -> None:
    """With boxes that overlap more and less, and scores at the threshold."""
    content = detector(**changed).content()
    (tmp_path / "m.tflite").write_bytes(content)
    mlconv.convert(tmp_path / "m.tflite", output=tmp_path / "again.tflite")
    again = (tmp_path / "again.tflite").read_bytes()
    random = np.random.default_rng(1)
    for spread in (0.5, 4.0):
        offsets = random.normal(size=(1, BOXES, 4)).astype(np.float32) * np.float32(spread)
        shape = 1, BOXES, CLASSES + changed.get("background", 1)
        scores = (random.permutation(int(np.prod(shape))).reshape(shape) / 256).astype(np.float32)
        want = run_litert(content, [offsets, scores])
        got = run_litert(again, [offsets, scores])
        assert want[3] > 0 and got[3] == want[3]
        for a, b in zip(got[:3], want[:3], strict=True):
            np.testing.assert_allclose(*_written(a, b, int(want[3][0]), changed), rtol=1e-5, atol=1e-6)


def _written(got: Array, want: Array, found: int, changed: dict[str, Any]) -> tuple[Array, Array]:
    """What LiteRT's kernel writes of a result: by the best class, rows that are found, and classes that there are."""
    if changed.get("use_regular_nms"):
        rows = changed.get("max_detections", OPTIONS["max_detections"])
        assert got.shape == want.shape and not got[:, rows:].any()
        return got[:, :rows], want[:, :rows]
    told = changed.get("max_classes_per_detection", 1)
    rows = [x.reshape(-1, told, *x.shape[2:]) for x in (got, want)]
    assert not rows[0][found:].any() and not rows[0][:, CLASSES:].any()
    return rows[0][:found, :CLASSES], rows[1][:found, :CLASSES]


@pytest.mark.parametrize("changed", [{"max_detections": 0}, {"num_classes": None}, {"num_classes": CLASSES + 2}])
def test_options_that_count_nothing_are_refused(changed: dict[str, Any], tmp_path: pathlib.Path) -> None:
    (tmp_path / "m.tflite").write_bytes(detector(**changed).content())
    with pytest.raises(ConversionError) as raised:
        mlconv.convert(tmp_path / "m.tflite", output=tmp_path / "again.tflite")
    assert raised.value.diagnostics[0].code in (Code.AttributeInvalid, Code.ShapeMismatch)
