"""Nodes whose operands do not fit, which TensorFlow refuses when it builds or runs them: each ends in a coded
diagnostic.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.legalize import from_tf
from tests.support.graph_defs import const, graph, node, placeholder, save
from tests.support.reading import read_graph

GATHER = {"Tparams": "float", "Tindices": "int32", "Taxis": "int32"}
NORM = {"T": "float", "U": "float", "epsilon": 1e-3, "data_format": "NHWC", "is_training": False}
SIZES = {"x": (2, 3), "image": (1, 4, 4, 3)}
# name: op, its inputs (arrays are constants), attributes, code
MISFITS: dict[str, tuple[str, list[Any], dict[str, Any], Code]] = {
    "place": ("GatherV2", ["x", np.int32([0, 2]), np.int32(0)], GATHER, Code.ShapeMismatch),
    "negative place": ("GatherV2", ["x", np.int32([-1]), np.int32(1)], GATHER, Code.ShapeMismatch),
    "negative tuple": (
        "GatherNd",
        ["x", np.int32([[0, -1]])],
        {"Tparams": "float", "Tindices": "int32"},
        Code.ShapeMismatch,
    ),
    "tuple": (
        "TensorScatterUpdate",
        ["x", np.int32([[2]]), np.ones((1, 3), np.float32)],
        {"T": "float", "Tindices": "int32"},
        Code.ShapeMismatch,
    ),
    "negative row": (
        "ScatterNd",
        [np.int32([[-1], [0]]), "x", np.int32([2, 3])],
        {"T": "float", "Tindices": "int32"},
        Code.ShapeMismatch,
    ),
    "negative segment": (
        "SegmentSum",
        ["x", np.int32([-1, 0])],
        {"T": "float", "Tindices": "int32"},
        Code.ShapeMismatch,
    ),
    "segment": (
        "UnsortedSegmentSum",
        ["x", np.int32([0, 2]), np.int32(2)],
        {"T": "float", "Tindices": "int32", "Tnumsegments": "int32"},
        Code.ShapeMismatch,
    ),
    "class": (
        "SparseSoftmaxCrossEntropyWithLogits",
        ["x", np.int32([0, 3])],
        {"T": "float", "Tlabels": "int32"},
        Code.ShapeMismatch,
    ),
    "length": (
        "ReverseSequence",
        ["x", np.int32([0, 4])],
        {"T": "float", "Tlen": "int32", "seq_dim": 1, "batch_dim": 0},
        Code.ShapeMismatch,
    ),
    "lengths": (
        "ReverseSequence",
        ["x", np.int32([1])],
        {"T": "float", "Tlen": "int32", "seq_dim": 1, "batch_dim": 0},
        Code.ShapeMismatch,
    ),
    "image of a box": (
        "CropAndResize",
        ["image", np.float32([[0, 0, 1, 1]]), np.int32([1]), np.int32([2, 2])],
        {"T": "float", "method": "bilinear"},
        Code.ShapeMismatch,
    ),
    "no size": ("ResizeBilinear", ["image", np.int32([0, 2])], {"T": "float"}, Code.ShapeMismatch),
    "reflection": (
        "MirrorPad",
        ["x", np.int32([[0, 0], [3, 0]])],
        {"T": "float", "Tpaddings": "int32", "mode": "REFLECT"},
        Code.ShapeMismatch,
    ),
    "mirror": (
        "MirrorPad",
        ["x", np.int32([[0, 0], [0, 4]])],
        {"T": "float", "Tpaddings": "int32", "mode": "SYMMETRIC"},
        Code.ShapeMismatch,
    ),
    "axes twice": (
        "Sum",
        ["x", np.int32([1, -1])],
        {"T": "float", "Tidx": "int32", "keep_dims": False},
        Code.ShapeMismatch,
    ),
    "bound": ("ClipByValue", ["x", np.float32([0, 0, 0]), np.float32(1)], {"T": "float"}, Code.ShapeMismatch),
    "bias": ("BiasAdd", ["x", np.float32([1])], {"T": "float", "data_format": "NHWC"}, Code.ShapeMismatch),
    "scale": (
        "FusedBatchNormV3",
        ["image", np.ones(1, np.float32), *[np.ones(3, np.float32)] * 3],
        NORM,
        Code.ShapeMismatch,
    ),
    "variance": (
        "FusedBatchNormV3",
        ["image", *[np.ones(3, np.float32)] * 3, np.ones(1, np.float32)],
        NORM,
        Code.ShapeMismatch,
    ),
    "band": ("MatrixBandPart", ["x", np.int64(9), np.int64(0)], {"T": "float", "Tindex": "int64"}, Code.ShapeMismatch),
    "paddings": (
        "MaxPool",
        ["image"],
        {
            "T": "float",
            "ksize": [1, 2, 2, 1],
            "strides": [1, 1, 1, 1],
            "padding": "EXPLICIT",
            "data_format": "NHWC",
            "explicit_paddings": [0, 0, 2, 0, 0, 0, 0, 0],
        },
        Code.AttributeInvalid,
    ),
    "blocks of more axes": (
        "BatchToSpaceND",
        ["image", np.int32([1, 1, 1, 1]), np.zeros((4, 2), np.int32)],
        {"T": "float", "Tblock_shape": "int32", "Tcrops": "int32"},
        Code.ShapeMismatch,
    ),
    "crops beyond": (
        "BatchToSpaceND",
        ["image", np.int32([1]), np.int32([[9, 9]])],
        {"T": "float", "Tblock_shape": "int32", "Tcrops": "int32"},
        Code.ShapeMismatch,
    ),
    "pads of blocks": (
        "SpaceToBatchND",
        ["image", np.int32([2]), np.int32([[0, 0], [0, 0]])],
        {"T": "float", "Tblock_shape": "int32", "Tpaddings": "int32"},
        Code.ShapeMismatch,
    ),
    "cut blocks": (
        "SpaceToBatchND",
        ["image", np.int32([7]), np.int32([[0, 0]])],
        {"T": "float", "Tblock_shape": "int32", "Tpaddings": "int32"},
        Code.ShapeMismatch,
    ),
    "permutation": ("Transpose", ["x", np.int32([0])], {"T": "float", "Tperm": "int32"}, Code.ShapeMismatch),
    "window of a gradient": (
        "DepthwiseConv2dNativeBackpropFilter",
        ["image", np.int32([1 << 15, 1 << 15, 3, 1]), np.ones((1, 4, 4, 3), np.float32)],
        {"T": "float", "strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC"},
        Code.VariantUnsupported,
    ),
    "sizes of a gradient": (
        "AvgPoolGrad",
        [np.int32([1, 1 << 30, 1 << 30, 3]), "image"],
        {"T": "float", "ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID", "data_format": "NHWC"},
        Code.TensorTooLarge,
    ),
}
FITS: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "place": ("GatherV2", ["x", np.int32([0, 2]), np.int32(1)], GATHER),
    "dropped segment": (
        "UnsortedSegmentSum",
        ["x", np.int32([-1, 1]), np.int32(2)],
        {"T": "float", "Tindices": "int32", "Tnumsegments": "int32"},
    ),
    "lengths": (
        "ReverseSequence",
        ["x", np.int32([0, 3])],
        {"T": "float", "Tlen": "int32", "seq_dim": 1, "batch_dim": 0},
    ),
    "mirror": (
        "MirrorPad",
        ["x", np.int32([[0, 2], [3, 3]])],
        {"T": "float", "Tpaddings": "int32", "mode": "SYMMETRIC"},
    ),
    "reflection": (
        "MirrorPad",
        ["x", np.int32([[0, 1], [2, 2]])],
        {"T": "float", "Tpaddings": "int32", "mode": "REFLECT"},
    ),
    "bounds": ("ClipByValue", ["x", np.zeros((2, 3), np.float32), np.float32(1)], {"T": "float"}),
    "band": ("MatrixBandPart", ["x", np.int64(2), np.int64(-1)], {"T": "float", "Tindex": "int64"}),
}


def codes(op: str, inputs: list[Any], attributes: dict[str, Any], folder: pathlib.Path) -> list[Code]:
    names = [i if isinstance(i, str) else f"c{k}" for k, i in enumerate(inputs)]
    given = [placeholder(i, SIZES[i]) if isinstance(i, str) else const(f"c{k}", i) for k, i in enumerate(inputs)]
    engine = DiagnosticEngine()
    try:
        module = read_graph(str(save(graph(*given, node("y", op, *names, **attributes)), folder)), engine)
        from_tf.legalize(module, engine)
    except ConversionError as error:
        return [error.code]
    return [d.code for d in engine.diagnostics]


@pytest.mark.parametrize("name", MISFITS)
def test_misfits_are_refused(name: str, tmp_path: pathlib.Path) -> None:
    op, inputs, attributes, code = MISFITS[name]
    assert codes(op, inputs, attributes, tmp_path) == [code]


@pytest.mark.parametrize("name", FITS)
def test_what_fits_is_taken(name: str, tmp_path: pathlib.Path) -> None:
    assert not codes(*FITS[name], tmp_path)


def test_slice_bounds_beyond_any_rank_are_not_walked(tmp_path: pathlib.Path) -> None:
    bounds = [placeholder(name, (1 << 40,), "int32") for name in ("b", "e", "s")]
    op = node("y", "StridedSlice", "x", "b", "e", "s", T="float", Index="int32")
    engine = DiagnosticEngine()
    from_tf.legalize(read_graph(str(save(graph(placeholder("x"), *bounds, op), tmp_path)), engine), engine)
    assert [d.code for d in engine.diagnostics] == [Code.ShapeMismatch]
