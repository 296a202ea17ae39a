"""Operators whose sizes are known at run time alone, at several sizes beside ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.onnx_models import model, save, value
from tests.support.open_networks import ops_of


@pytest.mark.parametrize("pad", ["SAME_UPPER", "SAME_LOWER"])
def test_a_stride_beyond_the_window_skips_cells_at_both_ends(pad: str, tmp_path: Path) -> None:
    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[1, 4, 2], strides=[4, 3, 5], auto_pad=pad)
    proto = model([node], [value("x", [1, 2, "a", 6, "c"], TensorProto.UINT8)], [value("y", None, TensorProto.UINT8)])
    proto.ir_version = 10  # as far as the runtime reads
    module = mlconv.load(save(tmp_path, proto))
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    rng = np.random.default_rng(5)
    for first, last in ((1, 1), (3, 4), (4, 9), (7, 5), (8, 12)):
        x = rng.integers(0, 256, (1, 2, first, 6, last)).astype(np.uint8)
        np.testing.assert_array_equal(module.run({"x": x})["y"], session.run(None, {"x": x})[0])


def test_reshape_copies_sizes_into_a_shape_of_open_length(tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("Reshape", ["x", "s"], ["y"])],
        [value("x", ["a", 3, 4]), value("s", ["n"], TensorProto.INT64)],
        [value("y", None)],
    )
    path = save(tmp_path, proto)
    module = mlconv.load(path)
    mlconv.convert(path, output=tmp_path / "m.tflite")
    x = np.random.default_rng(6).standard_normal((2, 3, 4)).astype(np.float32)
    for shape, expected in (([0, 12], (2, 12)), ([0, 0, 2, 2], (2, 3, 2, 2)), ([-1, 0], (8, 3)), ([24], (24,))):
        feed = {"x": x, "s": np.asarray(shape, np.int64)}
        for found in (module.run(feed)["y"], run_tflite(str(tmp_path / "m.tflite"), feed, "serving_default")["y"]):
            np.testing.assert_array_equal(found, x.reshape(expected))


COORDINATES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
)
REGION = np.float32([0, 0, 0.1, 0.2, 1, 1, 1.3, 0.9])


@pytest.mark.share(16)
@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_images_of_open_sizes_are_resized_without_aliasing(mode: str, coordinates: str, tmp_path: Path) -> None:
    """Smaller along one axis and larger along the other, by sizes and by scales."""
    given = {"sizes": np.int64([1, 2, 5, 17]), "scales": np.float32([1, 1, 0.61, 1.7])}
    for name, amounts in given.items():
        inputs = [
            "x",
            "region",
            (amounts.dtype == np.float32 and name) or "",
            (amounts.dtype == np.int64 and name) or "",
        ]
        node = helper.make_node(
            "Resize",
            inputs,
            ["y"],
            mode=mode,
            antialias=1,
            coordinate_transformation_mode=coordinates,
            extrapolation_value=3.0,
            exclude_outside=int(mode == "cubic" and name == "sizes"),
        )
        fixed = {"region": REGION, name: amounts}
        proto = model([node], [value("x", [1, 2, "H", "W"])], [value("y", None)], fixed, 18)
        feeds = [{"x": numbers(1, 2, *size)} for size in ((9, 12), (7, 5), (20, 31))]
        agree_at_all_sizes(proto, feeds, tmp_path, 1e-4)


@pytest.mark.share(4)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_regions_of_images_of_open_sizes(mode: str, tmp_path: Path) -> None:
    """Where an image has the wanted size by chance it is left as it is, as in ONNX Runtime."""
    attributes = {"mode": mode, "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 3.0}
    node = helper.make_node("Resize", ["x", "region", "", "sizes"], ["y"], **attributes)
    fixed = {"region": REGION, "sizes": np.int64([1, 2, 5, 17])}
    proto = model([node], [value("x", [1, 2, "H", "W"])], [value("y", None)], fixed, 18)
    agree_at_all_sizes(proto, [{"x": numbers(1, 2, *size)} for size in ((9, 12), (7, 5), (5, 17))], tmp_path, 1e-4)


@pytest.mark.parametrize("shape", [["N", 5, 5], ["N", "M", "M"], ["M", "M"]], ids=str)
def test_determinants_of_open_sizes(shape: list[Any], tmp_path: Path) -> None:
    proto = model([helper.make_node("Det", ["x"], ["y"])], [value("x", shape)], [value("y", None)], opset=11)
    sizes = ({"N": 3, "M": 4}, {"N": 1, "M": 7}, {"N": 2, "M": 1})
    feeds = [{"x": numbers(*(size.get(d, d) for d in shape))} for size in sizes]
    agree_at_all_sizes(proto, feeds, tmp_path, 1e-4)


@pytest.mark.parametrize("step", [2, -2])
@pytest.mark.parametrize("bound", ["starts", "ends"])
def test_slices_of_one_bound_that_is_data(bound: str, step: int, tmp_path: Path) -> None:
    """The other one is fixed, or lies beyond everything."""
    least, low = -(1 << 63) + 1, -(1 << 31)
    other, others = ("ends", (-3, least)) if bound == "starts" else ("starts", (4, low))
    for number in others:
        fixed = {other: np.int64([number]), "axes": np.int64([0]), "steps": np.int64([step])}
        node = helper.make_node("Slice", ["x", "starts", "ends", "axes", "steps"], ["y"])
        inputs = [value("x", ["H", 2]), value(bound, [1], TensorProto.INT64)]
        proto = model([node], inputs, [value("y", None)], fixed, 13)
        feeds = [{"x": numbers(size, 2), bound: np.int64([b])} for size in (9, 1) for b in (3, -1, -20)]
        agree_at_all_sizes(proto, feeds, tmp_path, 0)


@pytest.mark.parametrize("step", [1, 2, -1])
@pytest.mark.parametrize("bound", ["starts", "ends"])
def test_slices_from_the_end_by_a_size(bound: str, step: int, tmp_path: Path) -> None:
    """x[-n:] and x[:-n], as queries of what is behind a memory are taken; then as long as a size says."""
    beyond = {"starts": 0 if step > 0 else (1 << 31) - 1, "ends": (1 << 31) - 1 if step > 0 else -(1 << 31)}
    fixed = {name: np.int64([number]) for name, number in beyond.items() if name != bound}
    fixed |= {"axes": np.int64([0]), "steps": np.int64([step])}
    nodes = [
        helper.make_node("Shape", ["z"], ["n"]),
        helper.make_node("Neg", ["n"], [bound]),
        helper.make_node("Concat", ["x", "z"], ["all"], axis=0),
        helper.make_node("Slice", ["all", "starts", "ends", "axes", "steps"], ["y"]),
    ]
    proto = model(nodes, [value("x", ["M"]), value("z", ["N"])], [value("y", None)], fixed, 13)
    feeds = [{"x": numbers(m), "z": numbers(n)} for m, n in ((9, 4), (3, 5), (1, 1))]
    agree_at_all_sizes(proto, feeds, tmp_path, 0)


def test_steps_that_are_data(tmp_path: Path) -> None:
    """Forwards and backwards, from and to beyond both ends, along an axis of open size and a fixed one."""
    names = ["starts", "ends", "steps"]
    inputs = [value("x", ["H", 12]), *(value(n, [2], TensorProto.INT64) for n in names)]
    node = helper.make_node("Slice", ["x", "starts", "ends", "axes", "steps"], ["y"])
    proto = model([node], inputs, [value("y", None)], {"axes": np.int64([1, 0])}, 13)
    most = (1 << 63) - 1
    bounds = (
        ([1, 2], [9, 7], [3, 2]),
        ([-1, -1], [-100, -100], [-1, -2]),
        ([100, -200], [0, 200], [-5, 1]),
        ([3, 0], [3, most], [1, most]),
        ([2, -1], [-2, -most], [4, -3]),
    )
    feeds = [
        {"x": numbers(size, 12), **dict(zip(names, map(np.int64, b), strict=True))} for size in (9, 1) for b in bounds
    ]
    agree_at_all_sizes(proto, feeds, tmp_path, 0)


def test_steps_that_are_data_to_an_end_beyond_32_bits(tmp_path: Path) -> None:
    fixed = {"starts": np.int64([1, -2]), "ends": np.int64([(1 << 63) - 1, -(1 << 63)]), "axes": np.int64([0, 1])}
    node = helper.make_node("Slice", ["x", "starts", "ends", "axes", "steps"], ["y"])
    inputs = [value("x", ["H", "W"]), value("steps", [2], TensorProto.INT64)]
    proto = model([node], inputs, [value("y", None)], fixed, 13)
    feeds = [{"x": numbers(7, 12), "steps": np.int64(steps)} for steps in ([2, -3], [1, -1], [9, -20])]
    agree_at_all_sizes(proto, feeds, tmp_path, 0)


def test_backward_slices_between_bounds_that_are_data(tmp_path: Path) -> None:
    names = ["starts", "ends"]
    inputs = [value("x", ["H", "W"]), *(value(n, [2], TensorProto.INT64) for n in names)]
    node = helper.make_node("Slice", ["x", "starts", "ends", "axes", "steps"], ["y"])
    fixed = {"axes": np.int64([0, 1]), "steps": np.int64([-2, -1])}
    proto = model([node], inputs, [value("y", None)], fixed, 13)
    feeds = [
        {"x": numbers(9, 12), "starts": np.int64(start), "ends": np.int64(end)}
        for start, end in (([7, 9], [1, 2]), ([-1, 100], [-200, -10]), ([0, 3], [5, 3]))
    ]
    agree_at_all_sizes(proto, feeds, tmp_path, 0)


POOLS = ("LpPool", "MaxPool", "AveragePool")


@pytest.mark.share(6)
@pytest.mark.parametrize("padding", ["pads", "SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("op", POOLS)
def test_pools_of_open_sizes(op: str, padding: str, tmp_path: Path) -> None:
    """With windows that end beyond the image, that skip cells, and means over the padding.  Dilated windows are padded
    by numbers: ONNX Runtime leaves the dilation out of SAME, against the operator's definition.
    """
    given: dict[str, Any] = {"pads": [1, 0, 1, 1]} if padding == "pads" else {"auto_pad": padding}
    variants: list[dict[str, Any]] = [{"ceil_mode": 1, "strides": [2, 2]}, {"strides": [1, 2]}]
    if not padding.startswith("SAME"):
        variants.append({"dilations": [2, 2]})
    if op == "AveragePool":
        variants += [{"count_include_pad": 1, **v} for v in variants]
    if op == "LpPool":
        variants.append({"p": 3})
    for variant in variants:
        node = helper.make_node(op, ["x"], ["y"], kernel_shape=[3, 2], **given, **variant)
        proto = model([node], [value("x", [1, 2, "H", "W"])], [value("y", None)], opset=22)
        feeds = [{"x": numbers(1, 2, *size)} for size in ((9, 12), (8, 7), (10, 9))]
        agree_at_all_sizes(proto, feeds, tmp_path, 1e-4)


@pytest.mark.share(4)
@pytest.mark.parametrize("axis", [1, 2])
def test_real_signals_of_half_spectra_of_open_sizes(axis: int, tmp_path: Path) -> None:
    node = helper.make_node("DFT", ["x", "", "axis"], ["y"], inverse=1, onesided=1)
    proto = model([node], [value("x", ["N", "A", "B", 2])], [value("y", None)], {"axis": np.int64(axis)}, 20)
    agree_at_all_sizes(proto, [{"x": numbers(*size, 2)} for size in ((2, 6, 5), (1, 7, 4), (1, 3, 2))], tmp_path, 1e-4)


@pytest.mark.share(4)
@pytest.mark.parametrize("pads", [{"pads": [1, 1, 1, 1]}, {"auto_pad": "SAME_LOWER"}, {"ceil_mode": 1}])
@pytest.mark.parametrize("op", ["MaxPool", "AveragePool"])
def test_pools_of_pooled_images(op: str, pads: dict[str, Any], tmp_path: Path) -> None:
    """Sizes that are no multiple of an axis of the input, as behind the first convolution of a residual network."""
    first = helper.make_node("MaxPool", ["x"], ["p"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    second = helper.make_node(op, ["p"], ["y"], kernel_shape=[3, 3], strides=[2, 2], **pads)
    proto = model([first, second], [value("x", [1, 2, "h", "w"])], [value("y", None)], opset=19)
    rng = np.random.default_rng(8)
    feeds = [{"x": rng.standard_normal((1, 2, *size)).astype(np.float32)} for size in ((9, 12), (16, 7), (21, 30))]
    agree_at_all_sizes(proto, feeds, tmp_path, 1e-6)


def test_cubic_resize_to_the_size_of_another_image_takes_few_ops(tmp_path: Path) -> None:
    """Positions of a vision transformer stretched to the grid of its image: places, weights and a sum for each axis."""
    nodes = [
        helper.make_node("Shape", ["x"], ["kept"], end=2),
        helper.make_node("Shape", ["z"], ["wanted"], start=2),
        helper.make_node("Concat", ["kept", "wanted"], ["s"], axis=0),
        helper.make_node(
            "Resize", ["x", "", "", "s"], ["y"], mode="cubic", coordinate_transformation_mode="half_pixel"
        ),
    ]
    inputs = [value("x", [1, 2, "h", "w"]), value("z", [1, 1, "i", "j"])]
    proto = model(nodes, inputs, [value("y", None)], opset=19)
    feeds = [
        {"x": numbers(1, 2, *size), "z": numbers(1, 1, *wanted)}
        for size, wanted in (((4, 5), (9, 3)), ((7, 1), (2, 6)), ((3, 3), (3, 1)))
    ]
    agree_at_all_sizes(proto, feeds, tmp_path, 1e-5)
    assert ops_of(tmp_path / "m.tflite").total() < 60


@pytest.mark.share(4)
@pytest.mark.parametrize(
    "given",
    [
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 1, 0, 1], "storage_order": 1},
        {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
        {"kernel_shape": [2, 3], "strides": [3, 2], "auto_pad": "SAME_UPPER"},
        {"kernel_shape": [2, 2], "dilations": [2, 1]},
    ],
)
def test_places_of_the_largest_elements_of_open_images(given: dict[str, Any], tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("MaxPool", ["x"], ["p", "y"], **given)],
        [value("x", ["n", 2, "h", "w"])],
        [value("y", None, TensorProto.INT64), value("p", None)],
        opset=19,
    )
    feeds = [{"x": numbers(*size)} for size in ((1, 2, 7, 8), (3, 2, 6, 5), (2, 2, 4, 9))]
    agree_at_all_sizes(proto, feeds, tmp_path, 0)


@pytest.mark.parametrize("corners", [0, 1])
def test_affine_grid(corners: int, tmp_path: Path) -> None:
    """Of an image whose size is known at run time, of one row among others; what GridSample reads there."""
    nodes = [
        helper.make_node("Shape", ["x"], ["size"]),
        helper.make_node("AffineGrid", ["theta", "size"], ["grid"], align_corners=corners),
        helper.make_node("GridSample", ["x", "grid"], ["y"], align_corners=corners, mode="linear"),
    ]
    inputs = [value("x", ["b", 2, "h", "w"]), value("theta", ["b", 2, 3])]
    proto = model(nodes, inputs, [value("y", None)], {}, 20)
    feeds = []
    for b, h, w in ((2, 5, 7), (1, 1, 4), (3, 8, 3)):
        turn = np.asarray([[0.9, -0.3, 0.1], [0.2, 0.8, -0.05]], np.float32)
        feeds.append({"x": numbers(b, 2, h, w), "theta": np.repeat(turn[None], b, 0)})
    agree_at_all_sizes(proto, feeds, tmp_path, 2e-5)


@pytest.mark.parametrize("length", [64, "n"])
def test_frames_whose_step_is_an_input(length: int | str, tmp_path: Path) -> None:
    node = helper.make_node("STFT", ["x", "step", "window"], ["y"])
    inputs = [value("x", [2, length, 1]), value("step", [], TensorProto.INT64)]
    window = {"window": np.hanning(16).astype(np.float32)}
    feeds = [{"x": numbers(2, 64, 1, seed=s), "step": np.asarray(s, np.int64)} for s in (8, 5, 100)]
    agree_at_all_sizes(model([node], inputs, [value("y", None)], window, 17), feeds, tmp_path, 1e-5)


def test_expanding_along_what_windows_leave_of_a_signal(tmp_path: Path) -> None:
    """torch's `expand(-1, ..)` asks each size whether it is -1, which is none that windows fit in."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], strides=[2]),
        helper.make_node("Shape", ["c"], ["length"], start=2),
        helper.make_node("Shape", ["c"], ["batch"], end=1),
        helper.make_node("Concat", ["batch", "minus", "length"], ["asked"], axis=0),
        helper.make_node("Equal", ["asked", "minuses"], ["keeps"]),
        helper.make_node("Where", ["keeps", "ones", "asked"], ["shape"]),
        helper.make_node("ReduceMax", ["c"], ["m"], axes=[2]),
        helper.make_node("Expand", ["m", "shape"], ["e"]),
        helper.make_node("Softmax", ["e"], ["s"], axis=2),
        helper.make_node("Mul", ["s", "c"], ["y"]),
    ]
    constants = {
        "w": numbers(3, 2, 6),
        "minus": np.asarray([-1], np.int64),
        "minuses": np.full(3, -1, np.int64),
        "ones": np.ones(3, np.int64),
    }
    proto = model(nodes, [value("x", ["b", 2, "n"])], [value("y", None)], constants, 17)
    agree_at_all_sizes(proto, [{"x": numbers(b, 2, n)} for b, n in ((2, 9), (1, 6), (3, 20))], tmp_path, 1e-5)


def test_what_is_chosen_of_sizes_decides_what_is_chosen_behind_it(tmp_path: Path) -> None:
    """Layers of relative positions, whose lengths are asked whether they are -1: each has those of the one before."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["y0"], strides=[2])]
    for i in range(3):
        nodes.append(helper.make_node("Shape", [f"y{i}"], [f"s{i}"]))
        for k in (f"{i}a", f"{i}b"):
            nodes += [
                helper.make_node("Equal", [f"s{i}", "minuses" if k[-1] == "a" else "minus"], [f"keeps{k}"]),
                helper.make_node("Where", [f"keeps{k}", "ones", f"s{i}"], [f"shape{k}"]),
                helper.make_node("Expand", ["half", f"shape{k}"], [f"e{k}"]),
            ]
        nodes += [
            helper.make_node("Mul", [f"e{i}a", f"e{i}b"], [f"e{i}"]),
            helper.make_node("GatherElements", [f"y{i}", "first"], [f"g{i}"], axis=2),
            helper.make_node("Add", [f"g{i}", f"e{i}"], [f"y{i + 1}" if i < 2 else "y"]),
        ]
    constants = {
        "w": numbers(3, 2, 6),
        "half": np.asarray(0.5, np.float32),
        "minuses": np.full(3, -1, np.int64),
        "minus": np.asarray(-1, np.int64),
        "ones": np.ones(3, np.int64),
        "first": np.zeros((1, 3, 1), np.int64),
    }
    proto = model(nodes, [value("x", [1, 2, "n"])], [value("y", None)], constants, 17)
    agree_at_all_sizes(proto, [{"x": numbers(1, 2, n)} for n in (9, 6, 20)], tmp_path, 1e-5)


def test_no_more_are_counted_than_there_are(tmp_path: Path) -> None:
    """Columns for as many as there are of what is there most, as tf2onnx makes for UnsortedSegmentSum."""
    nodes = [
        helper.make_node("Unique", ["ids"], ["distinct", "", "", "counts"], axis=0),
        helper.make_node("ReduceMax", ["counts"], ["most"], axes=[0], keepdims=1),
        helper.make_node("Concat", ["three", "most"], ["shape"], axis=0),
        helper.make_node("Expand", ["half", "shape"], ["table"]),
        helper.make_node("ReduceSum", ["table", "one"], ["y"], keepdims=0),
    ]
    constants = {
        "three": np.asarray([3], np.int64),
        "half": np.asarray(0.5, np.float32),
        "one": np.asarray([1], np.int64),
    }
    proto = model(nodes, [value("ids", ["n"], TensorProto.INT64)], [value("y", None)], constants, 17)
    feeds = [{"ids": np.asarray(ids, np.int64)} for ids in ([3, 1, 3, 3], [7], [1, 2, 3], [5] * 9)]
    agree_at_all_sizes(proto, feeds, tmp_path, 1e-6)
