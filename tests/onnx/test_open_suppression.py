"""NonMaxSuppression of batches, classes or boxes whose number a run tells, beside ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from tests.support.all_sizes import agree_at_all_sizes
from tests.support.onnx_models import model, save, value

INT = TensorProto.INT64
Size = int | str


def suppression(batch: Size, classes: Size, boxes: Size, limit: int | None) -> onnx.ModelProto:
    """limit: None where it is an input."""
    inputs = [value("boxes", [batch, boxes, 4]), value("scores", [batch, classes, boxes])]
    weights: dict[str, Any] = {"iou": np.asarray(0.4, np.float32), "least": np.asarray(0.3, np.float32)}
    if limit is None:
        inputs.append(value("most", [1], INT))
    else:
        weights["most"] = np.asarray([limit], np.int64)
    node = helper.make_node("NonMaxSuppression", ["boxes", "scores", "most", "iou", "least"], ["y"])
    return model([node], inputs, [value("y", None, INT)], weights, 17)


def feed(batch: int, classes: int, boxes: int, limit: int | None = None) -> dict[str, Any]:
    rng = np.random.default_rng(batch * 100 + classes * 10 + boxes)
    corner, size = rng.uniform(0, 10, (batch, boxes, 2)), rng.uniform(1, 6, (batch, boxes, 2))
    found = {
        "boxes": np.concatenate([corner, corner + size], 2).astype(np.float32),
        "scores": rng.uniform(0, 1, (batch, classes, boxes)).astype(np.float32),
    }
    return found if limit is None else {**found, "most": np.asarray([limit], np.int64)}


@pytest.mark.parametrize(
    ("shape", "limit", "feeds"),
    [
        (("b", "c", 12), 4, [feed(2, 3, 12), feed(1, 7, 12)]),
        (("b", 3, "n"), 5, [feed(2, 3, 12), feed(1, 3, 4), feed(3, 3, 30)]),
        (("b", 3, 12), None, [feed(2, 3, 12, 2), feed(1, 3, 12, 100), feed(2, 3, 12, 0)]),
        ((3, 100, 8), 3, [feed(3, 100, 8)]),
    ],
)
def test_suppression(shape: tuple[Size, Size, Size], limit: int | None, feeds: list[Any], tmp_path: Path) -> None:
    agree_at_all_sizes(suppression(*shape, limit), feeds, tmp_path, 0)


def test_nothing_says_how_many_boxes_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        mlconv.load(save(tmp_path, suppression("b", "c", "n", None)))
    assert caught.value.code is Code.VariantUnsupported and "max_output_boxes_per_class" in str(caught.value)
