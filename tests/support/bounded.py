"""Models with sizes that data decide without an end, the bounds that a user gives, and inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.data_sizes import I64, NODE, Case, F, drawn, save
from tests.support.growing_loops import COUNT, NUMBERS, loop

Bounds = Mapping[str, Sequence[Any]]


def numbers_up_to_a_limit(folder: Path) -> tuple[Case, Bounds]:
    nodes = [
        NODE("Range", ["first", "limit", "step"], ["places"]),
        NODE("Gather", ["x", "places"], ["y"]),
        NODE("ReduceSum", ["y"], ["total"], keepdims=0),
    ]
    inputs = {"x": (F, [20, 3]), "limit": (I64, []), "first": (I64, []), "step": (I64, [])}
    path = save(folder, nodes, inputs, ["places", "y", "total"])
    spans = ((0, 5, 1), (3, 17, 4), (2, 1, 1), (0, 12, 1), (9, 2, -3))
    feeds = [
        {"x": drawn(0, 20, 3), "first": np.array(a), "limit": np.array(b), "step": np.array(s)} for a, b, s in spans
    ]
    return (path, feeds), {"places": ["0..12"]}


def floats_up_to_a_limit(folder: Path) -> tuple[Case, Bounds]:
    nodes = [NODE("Range", ["first", "limit", "step"], ["places"]), NODE("Mul", ["places", "places"], ["y"])]
    path = save(folder, nodes, dict.fromkeys(("first", "limit", "step"), (F, [])), ["places", "y"])
    spans = ((0, 5, 1), (0.25, 1.9, 0.5), (2, 1, 1), (0, 1, 0.1), (9, 2, -3.5))
    feeds = [dict(zip(("first", "limit", "step"), np.array(span, np.float32), strict=True)) for span in spans]
    return (path, [{k: np.asarray(v) for k, v in feed.items()} for feed in feeds]), {"places": ["0..12"]}


def tiles_as_data_say(folder: Path) -> tuple[Case, Bounds]:
    """Of an axis of several elements, and of one that is open."""
    nodes = [NODE("Tile", ["x", "times"], ["wide"]), NODE("ReduceSum", ["wide"], ["total"], axes=[0], keepdims=0)]
    path = save(folder, nodes, {"x": (F, ["N", 3]), "times": (I64, [2])}, ["wide", "total"], opset=12)
    feeds = [{"x": drawn(n, n, 3), "times": np.array([a, b])} for n, a, b in ((2, 3, 2), (1, 1, 4), (3, 0, 1))]
    return (path, feeds), {"wide": ["0..8", "0..12"]}


def pads_as_data_say(folder: Path) -> tuple[Case, Bounds]:
    """On all sides of an image, and up to a length."""
    nodes = [
        NODE("Pad", ["x", "pads"], ["wide"]),
        NODE("ReduceMean", ["wide"], ["total"], axes=[0], keepdims=0),
        NODE("Shape", ["x"], ["shape"], start=0, end=1),
        NODE("Sub", ["length", "shape"], ["missing"]),
        NODE("Concat", ["zero", "zero", "missing", "zero"], ["behind"], axis=0),
        NODE("Pad", ["x", "behind"], ["long"], mode="reflect"),
        NODE("Exp", ["long"], ["y"]),
    ]
    inputs = {"x": (F, ["N", 3]), "pads": (I64, [4]), "length": (I64, [1])}
    path = save(folder, nodes, inputs, ["wide", "total", "y"], opset=15, zero=np.array([0]))
    spans = ((2, (1, 2, 0, 3), 3), (4, (0, 0, 0, 0), 4), (3, (5, 0, 2, 1), 5))
    feeds = [{"x": drawn(n, n, 3), "pads": np.array(p), "length": np.array([m])} for n, p, m in spans]
    return (path, feeds), {"wide": ["0..10", "0..8"], "long": ["0..5", 3]}


def the_rest_of_a_shape(folder: Path) -> tuple[Case, Bounds]:
    nodes = [NODE("Reshape", ["x", "shape"], ["rows"]), NODE("Softmax", ["rows"], ["y"], axis=-1)]
    path = save(folder, nodes, {"x": (F, [12]), "shape": (I64, [2])}, ["rows", "y"])
    feeds = [{"x": drawn(a + 1, 12), "shape": np.array([a, b])} for a, b in ((3, -1), (-1, 2), (2, 6), (0, -1))]
    return (path, feeds), {"rows": ["0..12", "0..12"]}


def shapes_that_are_inputs(folder: Path) -> tuple[Case, Bounds]:
    nodes = [
        NODE("Expand", ["x", "shape"], ["wide"]),
        NODE("ReduceMean", ["wide"], ["y"], axes=[0], keepdims=0),
        NODE("ConstantOfShape", ["shape"], ["zeros"]),
        NODE("Add", ["zeros", "x"], ["z"]),
    ]
    inputs = {"x": (F, [1, 4]), "shape": (I64, [2])}
    path = save(folder, nodes, inputs, ["wide", "y", "z"])
    feeds = [{"x": drawn(n, 1, 4), "shape": np.array([n, 4])} for n in (1, 2, 9)]
    return (path, feeds), {"wide": ["0..9", 4], "zeros": ["0..9", 4]}


def sizes_of_an_image(folder: Path) -> tuple[Case, Bounds]:
    path = save(
        folder,
        [NODE("Resize", ["x", "", "", "s"], ["y"], mode="linear")],
        {"x": (F, [1, 2, 6, 7]), "s": (I64, [4])},
        ["y"],
    )
    feeds = [{"x": drawn(n, 1, 2, 6, 7), "s": np.array([1, 2, n, m])} for n, m in ((9, 5), (3, 14), (6, 7), (1, 1))]
    return (path, feeds), {"y": [1, 2, "0..12", "0..16"]}


def turns_that_are_an_input(folder: Path) -> tuple[Case, Bounds]:
    body = [
        NODE("ReduceMean", ["t"], ["mean"], keepdims=1),
        NODE("Concat", ["t", "mean"], ["next_t"], axis=0),
        NODE("Identity", ["go_on"], ["more"]),
    ]
    nodes = [loop(body, {"t": (F, ["L"])}, {}, "turns", ["all"])]
    path = save(folder, nodes, {"first_t": (F, ["S"]), "turns": (I64, [])}, ["all"], **NUMBERS)
    feeds = [{"first_t": drawn(n, s), "turns": np.array(n)} for s, n in ((1, 0), (2, 3), (5, 8))]
    return (path, feeds), {"all": ["0..8"]}


def rows_that_double(folder: Path) -> tuple[Case, Bounds]:
    """As long as data say: no number of rows follows from how often that is."""
    body = [
        NODE("Concat", ["t", "t"], ["twice"], axis=0),
        NODE("Mul", ["twice", "three"], ["next_t"]),
        NODE("ReduceMax", ["next_t"], ["largest"], keepdims=0),
        NODE("Less", ["largest", "limit"], ["more"]),
    ]
    nodes = [loop(body, {"t": (F, ["L", 2])}, {}, "", ["all"])]
    path = save(folder, nodes, {"first_t": (F, ["S", 2]), "limit": (F, [])}, ["all"], **NUMBERS)
    spans = ((1, 5.0), (2, 25.0), (3, 1.0))
    feeds = [{"first_t": drawn(n, n, 2, shift=3.0), "limit": np.array(b, np.float32)} for n, b in spans]
    return (path, feeds), {"all": ["0..16", 2]}


def rows_that_data_choose(folder: Path) -> tuple[Case, Bounds]:
    """None, some or all of three are appended in a turn; and all are counted by what is appended to another."""
    body = [
        NODE("Gather", ["k", "turn"], ["row"]),
        NODE("Greater", ["row", "half"], ["large"]),
        NODE("Compress", ["row", "large"], ["kept"], axis=0),
        NODE("Concat", ["t", "kept"], ["next_t"], axis=0),
        NODE("Concat", ["kept", "u"], ["next_u"], axis=0),
        NODE("Identity", ["go_on"], ["more"]),
    ]
    carried = {"t": (F, ["L"]), "u": (F, ["M"])}
    nodes = [*COUNT, loop(body, carried, {}, "count", ["all", "back"])]
    inputs = {"k": (F, ["R", 3]), "first_t": (F, ["S"])}
    numbers = {"nothing": np.array(0), "first_u": np.zeros(0, np.float32)}
    path = save(folder, nodes, inputs, ["all", "back"], **numbers, **NUMBERS)
    feeds = [{"k": drawn(n, n, 3), "first_t": drawn(n, n)} for n in (1, 4, 7)]
    return (path, feeds), {"all": ["0..28"], "back": ["0..21"]}


BOUNDED: dict[str, Callable[[Path], tuple[Case, Bounds]]] = {
    "numbers": numbers_up_to_a_limit,
    "floats": floats_up_to_a_limit,
    "tiles": tiles_as_data_say,
    "pads": pads_as_data_say,
    "rest": the_rest_of_a_shape,
    "shapes": shapes_that_are_inputs,
    "image": sizes_of_an_image,
    "turns": turns_that_are_an_input,
    "doubled": rows_that_double,
    "chosen": rows_that_data_choose,
}
