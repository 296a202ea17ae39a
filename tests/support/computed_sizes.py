"""Models whose sizes are numbers that are computed, and of which the ops say how large they are at most."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from tests.support.data_sizes import I64, NODE, Array, Case, F, drawn, save

BOOL = TensorProto.BOOL


def pasted(mode: str) -> Any:
    """A turn of a loop: patch `turn` is resized to its box, and zeros stand around it."""
    nodes = [
        NODE("Gather", ["corners", "turn"], ["box"]),
        NODE("Gather", ["patches", "turn"], ["patch"]),
        NODE("Split", ["box"], ["top", "left", "end", "right"], axis=0, num_outputs=4),
        NODE("Sub", ["end", "top"], ["high"]),
        NODE("Sub", ["right", "left"], ["broad"]),
        NODE("Concat", ["high", "one"], ["heights"], axis=0),
        NODE("ReduceMax", ["heights"], ["h"], keepdims=1),
        NODE("Max", ["broad", "one"], ["w"]),
        NODE("Concat", ["h", "w"], ["sizes"], axis=0),
        NODE("Resize", ["patch", "", "", "sizes"], ["drawn"], mode=mode),
        NODE("Concat", ["top", "w"], ["above"], axis=0),
        NODE("Add", ["top", "h"], ["bottom"]),
        NODE("Min", ["bottom", "rows"], ["last"]),
        NODE("Sub", ["rows", "last"], ["rest"]),
        NODE("Concat", ["rest", "w"], ["below"], axis=0),
        NODE("ConstantOfShape", ["above"], ["zeros_above"]),
        NODE("ConstantOfShape", ["below"], ["zeros_below"]),
        NODE("Concat", ["zeros_above", "drawn", "zeros_below"], ["column"], axis=0),
        NODE("Slice", ["column", "nothing", "rows", "nothing"], ["strip"]),
        NODE("ReduceSum", ["strip", "one"], ["sums"], keepdims=0),
        NODE("Identity", ["go_on"], ["more"]),
    ]
    given = [helper.make_tensor_value_info(n, t, []) for n, t in (("turn", I64), ("go_on", BOOL))]
    made = [helper.make_tensor_value_info("more", BOOL, []), helper.make_tensor_value_info("sums", F, None)]
    return helper.make_graph(nodes, "body", given, made)


def patches_in_boxes(mode: str, size: Any, folder: Path) -> Case:
    """Boxes are held to the image, as detectors do; how high and broad one is decides how a patch is resized."""
    nodes = [
        NODE("Shape", ["image"], ["rows"], end=1),
        NODE("Shape", ["image"], ["columns"], start=1),
        NODE("Concat", ["rows", "columns", "rows", "columns"], ["ends"], axis=0),
        NODE("Cast", ["ends"], ["most"], to=F),
        NODE("Max", ["boxes", "zero"], ["positive"]),
        NODE("Min", ["positive", "most"], ["inside"]),
        NODE("Mul", ["inside", "half"], ["smaller"]),
        NODE("Cast", ["smaller"], ["corners"], to=I64),
        NODE("Shape", ["boxes"], ["count"], end=1),
        NODE("Squeeze", ["count"], ["turns"]),
        NODE("Loop", ["turns", "yes"], ["y"], body=pasted(mode)),
    ]
    inputs = {"image": (F, [size, 20]), "boxes": (F, [3, 4]), "patches": (F, [3, 5, 6])}
    constants = {"zero": np.float32(0), "half": np.float32(0.7), "yes": np.array(True)}
    path = save(folder, nodes, inputs, ["y"], opset=18, one=np.array([1]), nothing=np.array([0]), **constants)
    return path, [boxes(i, n) for i, n in enumerate((16, 16) if size == 16 else (16, 9, 31))]


def boxes(seed: int, rows: int) -> dict[str, Array]:
    """Some reach beyond the image, one is turned over: its patch is one cell."""
    rng = np.random.default_rng(seed)
    corner = rng.uniform(-3, 0.8 * rows, (3, 2))
    found = np.concatenate([corner, corner + rng.uniform(2, rows, (3, 2))], 1)
    found[1] = found[1, [2, 3, 0, 1]]
    image = np.zeros((rows, 20), np.float32)
    return {"image": image, "boxes": found.astype(np.float32), "patches": drawn(seed, 3, 5, 6)}


def classes_as_sizes(folder: Path) -> Case:
    """The place of the largest element, a count, and a share are sizes."""
    nodes = [
        NODE("ArgMax", ["x"], ["best"], axis=0),
        NODE("Concat", ["best", "three"], ["shape"], axis=0),
        NODE("Expand", ["row", "shape"], ["y"]),
        NODE("Sigmoid", ["s"], ["share"]),
        NODE("Mul", ["share", "ten"], ["part"]),
        NODE("Ceil", ["part"], ["whole"]),
        NODE("Cast", ["whole"], ["number"], to=I64),
        NODE("Range", ["nought", "number", "step"], ["z"]),
    ]
    constants = {"three": np.array([3]), "ten": np.float32(10), "nought": np.array(0), "step": np.array(2)}
    path = save(folder, nodes, {"x": (F, [7]), "s": (F, [])}, ["y", "z"], row=drawn(9, 1, 3), **constants)
    return path, [{"x": drawn(i, 7), "s": np.asarray(s, np.float32)} for i, s in enumerate((-0.4, 0.3, 9.0))]


def masks_of_lengths(folder: Path) -> Case:
    """The longest of lengths is as long as the rows that a mask is for, or 1, which says how long it is at most."""
    nodes = [
        NODE("ReduceMax", ["lengths"], ["longest"], keepdims=0),
        NODE("Range", ["zero", "longest", "one"], ["places"]),
        NODE("Unsqueeze", ["lengths", "axis"], ["column"]),
        NODE("Less", ["places", "column"], ["mask"]),
        NODE("Where", ["mask", "x", "nothing"], ["y"]),
    ]
    fixed = {"zero": np.array(0), "one": np.array(1), "axis": np.array([1]), "nothing": np.float32(0)}
    path = save(folder, nodes, {"x": (F, ["N", 7]), "lengths": (I64, ["N"])}, ["y"], opset=17, **fixed)
    given = ([7, 3], [2, 7, 0], [1], [0, 1, 1])
    return path, [{"x": drawn(0, len(n), 7), "lengths": np.array(n)} for n in given]


COMPUTED: dict[str, Callable[[Path], Case]] = {
    **{f"patches {m} {n}": partial(patches_in_boxes, m, n) for m in ("linear", "cubic") for n in (16, "N")},
    "classes": classes_as_sizes,
    "masks": masks_of_lengths,
}
