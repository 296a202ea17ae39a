"""Resize of a region that a run gives, as tf2onnx writes CropAndResize."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.onnx_models import model, value

REGIONS = [(0, 0, 0.25, 0, 1, 1, 0.75, 1.2), (0, 0, 0.9, 0.1, 1, 1, 0.2, 0.3), (0, 0, -0.3, 0, 1, 1, 1, 1)]


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("sizes", [(6, 5), (1, 3)])
def test_a_region_is_an_input(mode: str, sizes: tuple[int, int], tmp_path: Path) -> None:
    node = helper.make_node(
        "Resize",
        ["x", "region", "", "sizes"],
        ["y"],
        mode=mode,
        coordinate_transformation_mode="tf_crop_and_resize",
        extrapolation_value=9.0,
    )
    proto = model(
        [node],
        [value("x", [1, 2, 7, 8]), value("region", [8])],
        [value("y", None)],
        {"sizes": np.asarray([1, 2, *sizes], np.int64)},
        17,
    )
    feeds = [{"x": numbers(1, 2, 7, 8), "region": np.asarray(r, np.float32)} for r in REGIONS]
    agree_at_all_sizes(proto, feeds, tmp_path, 1e-5)
