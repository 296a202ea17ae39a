"""The keyword-spotting DS-CNN of MLPerf Tiny, with random weights: 49 x 10 features, a convolution, four depthwise
separable ones of 64 channels, the mean of the image, 12 classes.

Source: mlcommons/tiny, benchmark/training/keyword_spotting, `keras_model.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.support.modules import Array

SHAPE = (1, 1, 49, 10)
_CHANNELS, _BLOCKS, _CLASSES = 64, 4, 12


def keyword_model(path: Path) -> Path:
    """The model in ONNX, its normalizations folded."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(7)
    nodes, constants = [], []

    def add(op: str, value: str, shapes: Sequence[tuple[int, ...]], **attributes: object) -> str:
        """A node with weights and a bias; activations keep their range."""
        names = [f"{op}{len(constants)}_{i}" for i in range(len(shapes))]
        for name, shape in zip(names, shapes, strict=True):
            spread = np.sqrt(2 / max(1, np.prod(shape[1:]))) if len(shape) > 1 else 0.1
            constants.append(numpy_helper.from_array((rng.standard_normal(shape) * spread).astype(np.float32), name))
        result = f"v{len(nodes)}"
        nodes.append(helper.make_node(op, [value, *names], [result], **attributes))
        return result

    def activated(value: str) -> str:
        nodes.append(helper.make_node("Relu", [value], [f"v{len(nodes)}"]))
        return str(nodes[-1].output[0])

    c = _CHANNELS
    y = activated(add("Conv", "x", [(c, 1, 10, 4), (c,)], strides=[2, 2], pads=[4, 1, 5, 1]))
    for _ in range(_BLOCKS):
        y = activated(add("Conv", y, [(c, 1, 3, 3), (c,)], group=c, pads=[1, 1, 1, 1]))
        y = activated(add("Conv", y, [(c, c, 1, 1), (c,)]))
    y = add("GlobalAveragePool", y, [])
    y = add("Flatten", y, [])
    y = add("Gemm", y, [(c, _CLASSES), (_CLASSES,)])
    nodes.append(helper.make_node("Softmax", [y], ["scores"]))
    graph = helper.make_graph(
        nodes,
        "ds_cnn",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, (1, _CLASSES))],
        constants,
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def keyword_samples(count: int = 8) -> list[dict[str, Array]]:
    """Inputs to calibrate with."""
    rng = np.random.default_rng(11)
    return [{"x": rng.standard_normal(SHAPE).astype(np.float32)} for _ in range(count)]
