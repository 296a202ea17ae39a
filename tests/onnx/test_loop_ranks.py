"""Loops whose bodies declare the step and the condition with an axis, as tf2onnx writes CropAndResize."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.onnx_models import model, value

N = helper.make_node
INT, BOOL = TensorProto.INT64, TensorProto.BOOL
WEIGHTS = {
    "zeros": np.asarray([0], np.int64),
    "three": np.asarray(3, np.int64),
}
GOES_ON = [N("Identity", ["c"], ["c2"])]
STOPS = [N("Less", ["i", "three"], ["early"]), N("And", ["early", "c"], ["c2"])]


@pytest.mark.parametrize("condition", [GOES_ON, STOPS])
@pytest.mark.parametrize("axes", [[], [1]])
def test_a_body_reads_step_and_condition_with_the_rank_it_declares(
    condition: list[onnx.NodeProto], axes: list[int], tmp_path: Path
) -> None:
    """One row of x [b, 3] for each step; the step is a result of each step as well."""
    begin = [N("Identity", ["i"], ["begin"])] if axes else [N("Unsqueeze", ["i", "zeros"], ["begin"])]
    steps = [
        *begin,
        N("Gather", ["x", "begin"], ["row"], axis=0),
        N("Identity", ["i"], ["step"]),
        *condition,
    ]
    graph = helper.make_graph(
        steps,
        "body",
        [value("i", axes, INT), value("c", axes, BOOL)],
        [value("c2", axes, BOOL), value("row", None), value("step", None, INT)],
    )
    nodes = [
        N("Shape", ["x"], ["shape"], end=1),
        N("Loop", ["shape", "yes"], ["rows", "steps"], body=graph),
        N("Shape", ["steps"], ["sizes"]),
        N("ReduceProd", ["sizes"], ["count"], keepdims=0),
        N("Size", ["sizes"], ["rank"]),
        N("Add", ["count", "rank"], ["told"]),
        N("Cast", ["told"], ["number"], to=TensorProto.FLOAT),
        N("Mul", ["rows", "number"], ["y"]),
    ]
    proto = model(nodes, [value("x", ["b", 3])], [value("y", None)], {**WEIGHTS, "yes": np.ones(axes, np.bool_)}, 16)
    agree_at_all_sizes(proto, [{"x": numbers(b, 3)} for b in (2, 1, 6)], tmp_path, 1e-6)
