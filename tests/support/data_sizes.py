"""Models whose sizes data decide, with inputs: what is found is nothing, something and all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from onnx import TensorProto, helper, numpy_helper

NODE = helper.make_node
F, I64 = TensorProto.FLOAT, TensorProto.INT64
Array = np.ndarray[Any, Any]
Case: TypeAlias = tuple[Path, list[dict[str, Array]]]  # a model, and inputs to run it with


def save(
    folder: Path,
    nodes: Sequence[Any],
    inputs: dict[str, tuple[int, Any]],
    outputs: Sequence[str],
    opset: int = 17,
    **constants: Any,
) -> Path:
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(n, t, s) for n, (t, s) in inputs.items()],
        [helper.make_empty_tensor_value_info(n) for n in outputs],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()],
    )
    path = folder / "m.onnx"
    imports = [helper.make_opsetid("", opset)]
    path.write_bytes(helper.make_model(graph, opset_imports=imports, ir_version=9).SerializeToString())
    return path


def drawn(seed: int, *shape: int, shift: float = 0.0) -> Array:
    return (np.random.default_rng(seed).normal(0, 1, shape) + shift).astype(np.float32)


def places(shape: list[Any], folder: Path) -> Case:
    """None, some and all of the elements."""
    nodes = [NODE("Greater", ["x", "zero"], ["m"]), NODE("NonZero", ["m"], ["y"]), NODE("NonZero", ["x"], ["z"])]
    path = save(folder, nodes, {"x": (F, shape)}, ["y", "z"], zero=np.float32(0))
    sizes = [[d if isinstance(d, int) else n for d in shape] for n in (1, 3, 4)]
    return path, [{"x": np.round(drawn(i, *s, shift=shift))} for i, s in enumerate(sizes) for shift in (-9, 0, 9)]


def kept_by_a_mask(axis: int | None, folder: Path) -> Case:
    given = {} if axis is None else {"axis": axis}
    count = {None: 24, 0: 6, 1: 4}[axis]
    nodes = [NODE("Greater", ["c", "zero"], ["m"]), NODE("Compress", ["x", "m"], ["y"], **given)]
    path = save(folder, nodes, {"x": (F, [6, 4]), "c": (F, [count])}, ["y"], zero=np.float32(0))
    return path, [{"x": drawn(i, 6, 4), "c": drawn(9 + i, count, shift=s)} for i, s in enumerate((-9, 0, 0, 9))]


def distinct_elements(order: int, size: Any, folder: Path) -> Case:
    nodes = [NODE("Unique", ["x"], ["y", "first", "inverse", "count"], sorted=order)]
    path = save(folder, nodes, {"x": (I64, [size])}, ["y", "first", "inverse", "count"])
    rng = np.random.default_rng(order)
    sizes = [9] * 3 if size == 9 else [1, 4, 33]
    return path, [{"x": rng.integers(0, 1 + 3 * i, n)} for i, n in enumerate(sizes)]


def parts_between_places_that_are_given(step: int, folder: Path) -> Case:
    nodes = [NODE("Slice", ["x", "a", "b", "axes", "steps"], ["y"])]
    inputs = {"x": (F, [8, "N"]), "a": (I64, [1]), "b": (I64, [1])}
    path = save(folder, nodes, inputs, ["y"], axes=np.array([1]), steps=np.array([step]))
    ends = [(0, 3), (2, 99), (-3, -1), (4, 2), (-99, 5), (3, 3)]
    return path, [{"x": drawn(0, 8, n), "a": np.array([a]), "b": np.array([b])} for a, b in ends for n in (5, 7)]


def rows_that_are_kept_are_computed_with(folder: Path) -> Case:
    """Products, softmax, normalization, sums and a mean over as many rows as pass a test."""
    nodes = [
        NODE("Greater", ["s", "zero"], ["m"]),
        NODE("Compress", ["x", "m"], ["kept"], axis=0),
        NODE("MatMul", ["kept", "w"], ["h"]),
        NODE("Relu", ["h"], ["r"]),
        NODE("Softmax", ["r"], ["soft"], axis=1),
        NODE("ReduceSum", ["r", "first"], ["total"], keepdims=0),
        NODE("ReduceMean", ["r"], ["mean"], axes=[1]),
        NODE("Transpose", ["r"], ["turned"], perm=[1, 0]),
        NODE("Concat", ["r", "soft"], ["both"], axis=0),
        NODE("MatMul", ["soft", "turned"], ["square"]),
        NODE("Shape", ["kept"], ["shape"]),
    ]
    outputs = ["soft", "total", "mean", "turned", "both", "square", "shape"]
    w = drawn(5, 6, 16)
    inputs = {"x": (F, ["N", 6]), "s": (F, ["N"])}
    path = save(folder, nodes, inputs, outputs, w=w, zero=np.float32(0), first=np.array([0]))
    return path, [
        {"x": drawn(i, n, 6), "s": drawn(7 + i, n, shift=s)} for i, n in enumerate((9, 40)) for s in (-9, 0, 9)
    ]


def detector(folder: Path, levels: int, size: Any) -> Path:
    """Boxes of several levels, those with a score kept, the best of each level, suppressed, the best of all."""
    nodes: list[Any] = []
    for k in range(levels):
        nodes += [
            NODE("Greater", [f"scores{k}", "least"], [f"m{k}"]),
            NODE("NonZero", [f"m{k}"], [f"n{k}"]),
            NODE("Squeeze", [f"n{k}", "axis"], [f"at{k}"]),
            NODE("Gather", [f"scores{k}", f"at{k}"], [f"s{k}"]),
            NODE("Gather", [f"boxes{k}", f"at{k}"], [f"b{k}"]),
            NODE("Shape", [f"s{k}"], [f"c{k}"]),
            NODE("Min", [f"c{k}", "most"], [f"k{k}"]),
            NODE("TopK", [f"s{k}", f"k{k}"], [f"top{k}", f"i{k}"], axis=0),
            NODE("Gather", [f"b{k}", f"i{k}"], [f"tb{k}"]),
        ]
    nodes += [
        NODE("Concat", [f"top{k}" for k in range(levels)], ["s"], axis=0),
        NODE("Concat", [f"tb{k}" for k in range(levels)], ["b"], axis=0),
        NODE("Unsqueeze", ["b", "axis"], ["b3"]),
        NODE("Unsqueeze", ["s", "both"], ["s3"]),
        NODE("NonMaxSuppression", ["b3", "s3", "limit", "iou"], ["sel"]),
        NODE("Gather", ["sel", "two"], ["at"], axis=1),
        NODE("Squeeze", ["at", "one"], ["kept"]),
        NODE("Slice", ["kept", "axis", "last"], ["few"]),
        NODE("Gather", ["b", "few"], ["boxes"]),
        NODE("Gather", ["s", "few"], ["scores"]),
        NODE("Shape", ["scores"], ["number"]),
    ]
    inputs = {f"scores{k}": (F, [size]) for k in range(levels)} | {f"boxes{k}": (F, [size, 4]) for k in range(levels)}
    return save(
        folder,
        nodes,
        inputs,
        ["boxes", "scores", "number"],
        least=np.float32(0.5),
        axis=np.array([0]),
        one=np.array([1]),
        both=np.array([0, 1]),
        two=np.array([2]),
        most=np.array([10]),
        last=np.array([7]),
        limit=np.array(2**62),
        iou=np.array([0.4], np.float32),
    )


def found(seed: int, levels: int, size: int, shift: float) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    out = {}
    for k in range(levels):
        corner = rng.uniform(0, 40, (size, 2))
        boxes = np.concatenate([corner, corner + rng.uniform(3, 20, (size, 2))], 1)
        out[f"boxes{k}"] = boxes.astype(np.float32)
        out[f"scores{k}"] = (rng.permutation(size * 10)[:size] / (size * 10) + shift).astype(np.float32)
    return out


def one_detector(levels: int, size: Any, folder: Path) -> Case:
    """Empty levels, and no box at all, among the inputs."""
    path = detector(folder, levels, size)
    counts = [30] if size == 30 else [8, 30, 75]
    return path, [found(i, levels, n, s) for i, n in enumerate(counts) for s in (-1.0, -0.45, 0.0, 1.0)]


def branches_that_give_more_or_less(folder: Path) -> Case:
    empty = helper.make_graph(
        [NODE("Identity", ["nothing"], ["t"])], "then", [], [helper.make_empty_tensor_value_info("t")]
    )
    some = helper.make_graph(
        [NODE("Compress", ["x", "m"], ["e"], axis=0)], "else", [], [helper.make_empty_tensor_value_info("e")]
    )
    nodes = [
        NODE("Greater", ["s", "zero"], ["m"]),
        NODE("Cast", ["m"], ["i"], to=I64),
        NODE("ReduceSum", ["i"], ["n"], keepdims=0),
        NODE("Less", ["n", "three"], ["few"]),
        NODE("If", ["few"], ["y"], then_branch=empty, else_branch=some),
        NODE("MatMul", ["y", "w"], ["z"]),
    ]
    constants = {"zero": np.float32(0), "three": np.array(3), "nothing": np.zeros((0, 4), np.float32)}
    path = save(folder, nodes, {"x": (F, [9, 4]), "s": (F, [9])}, ["y", "z"], w=drawn(3, 4, 5), **constants)
    return path, [{"x": drawn(i, 9, 4), "s": drawn(20 + i, 9, shift=s)} for i, s in enumerate((-9, -1, 0, 1, 9))]


def rows_as_wide_as_the_first(folder: Path) -> Case:
    """As `index_add` is exported: what is kept is expanded to the sizes of the first row, of which there is one at
    most, and there may be nothing that is kept.
    """
    nodes = [
        NODE("Greater", ["s", "zero"], ["m"]),
        NODE("NonZero", ["m"], ["found"]),
        NODE("Squeeze", ["found", "axis"], ["rows"]),
        NODE("Gather", ["x", "rows"], ["kept"]),
        NODE("Slice", ["x", "axis", "one", "axis"], ["first"]),
        NODE("Shape", ["first"], ["shape"]),
        NODE("Expand", ["kept", "shape"], ["wide"]),
        NODE("Add", ["wide", "first"], ["y"]),
        NODE("ReduceSum", ["wide", "axis"], ["z"], keepdims=0),
    ]
    constants = {"zero": np.float32(0), "axis": np.array([0]), "one": np.array([1])}
    path = save(folder, nodes, {"x": (F, ["N", 4]), "s": (F, ["N"])}, ["y", "z"], **constants)
    sizes = ((5, -9), (5, 0), (1, -9), (1, 9), (12, 9))
    return path, [{"x": drawn(i, n, 4), "s": drawn(20 + i, n, shift=s)} for i, (n, s) in enumerate(sizes)]


def as_many_as_are_counted(folder: Path) -> Case:
    """As `x[m] = v` is exported: the number of rows is a sum over the mask, which has a bound."""
    nodes = [
        NODE("Greater", ["s", "zero"], ["m"]),
        NODE("Cast", ["m"], ["i"], to=I64),
        NODE("ReduceSum", ["i"], ["n"], keepdims=1),
        NODE("Concat", ["n", "four"], ["shape"], axis=0),
        NODE("Expand", ["row", "shape"], ["rows"]),
        NODE("Compress", ["x", "m"], ["kept"], axis=0),
        NODE("Add", ["kept", "rows"], ["y"]),
    ]
    constants = {"zero": np.float32(0), "four": np.array([4]), "row": drawn(4, 4)}
    path = save(folder, nodes, {"x": (F, ["N", 4]), "s": (F, ["N"])}, ["y"], **constants)
    sizes = ((5, -9), (5, 0), (1, 9), (12, 9))
    return path, [{"x": drawn(i, n, 4), "s": drawn(20 + i, n, shift=s)} for i, (n, s) in enumerate(sizes)]


def written_where_a_mask_says(folder: Path) -> Case:
    """`x[m] = f(x[m])` as torch.export writes it: places of all elements of the rows, and rows of the results, are
    counted for themselves.
    """
    nodes = [
        NODE("ReduceSum", ["x", "last"], ["sums"], keepdims=0),
        NODE("Greater", ["sums", "zero"], ["m"]),
        NODE("NonZero", ["m"], ["found"]),
        NODE("Transpose", ["found"], ["rows"]),
        NODE("GatherND", ["x", "rows"], ["kept"]),
        NODE("MatMul", ["kept", "w"], ["new"]),
        NODE("Unsqueeze", ["m", "last"], ["column"]),
        NODE("Shape", ["x"], ["shape"]),
        NODE("Expand", ["column", "shape"], ["mask"]),
        NODE("NonZero", ["mask"], ["spots"]),
        NODE("Transpose", ["spots"], ["places"]),
        NODE("Reshape", ["new", "last"], ["numbers"]),
        NODE("ScatterND", ["x", "places", "numbers"], ["y"]),
    ]
    constants = {"zero": np.float32(0), "last": np.array([-1]), "w": drawn(4, 4, 4)}
    path = save(folder, nodes, {"x": (F, ["B", "N", 4])}, ["y"], **constants)
    return path, [{"x": drawn(i, *n, 4, shift=s)} for i, (n, s) in enumerate((((2, 5), 0), ((1, 7), 9), ((3, 2), -9)))]


def features_where_a_mask_says(folder: Path) -> Case:
    """Of 6 features as many as there are places for them, which are more at most: tokens of an image in a text."""
    nodes = [
        NODE("Greater", ["s", "zero"], ["m"]),
        NODE("NonZero", ["m"], ["found"]),
        NODE("Transpose", ["found"], ["at"]),
        NODE("Shape", ["at"], ["sizes"]),
        NODE("Gather", ["sizes", "first"], ["count"]),
        NODE("Slice", ["f", "first", "count", "first"], ["taken"]),
        NODE("ScatterND", ["s", "at", "taken"], ["y"]),
    ]
    path = save(folder, nodes, {"s": (F, ["N", 3]), "f": (F, [6])}, ["y"], zero=np.float32(0), first=np.array([0]))
    marked = [np.where(np.arange(3 * n).reshape(n, 3) % 5 < k, 1, -1) for n, k in ((1, 0), (2, 5), (4, 1), (2, 3))]
    return path, [{"s": s.astype(np.float32), "f": drawn(i, 6)} for i, s in enumerate(marked)]


def as_many_as_integers_say(folder: Path) -> Case:
    """A mask that is given as integers, counted to give the values of its places."""
    nodes = [
        NODE("Cast", ["m"], ["mask"], to=TensorProto.BOOL),
        NODE("Cast", ["mask"], ["ones"], to=I64),
        NODE("ReduceSum", ["ones"], ["count"], keepdims=0),
        NODE("Reshape", ["count", "one"], ["length"]),
        NODE("Expand", ["v", "length"], ["values"]),
        NODE("NonZero", ["mask"], ["found"]),
        NODE("Transpose", ["found"], ["at"]),
        NODE("ScatterND", ["x", "at", "values"], ["y"]),
    ]
    path = save(folder, nodes, {"x": (F, ["N", 3]), "m": (I64, ["N", 3]), "v": (F, [1])}, ["y"], one=np.array([1]))
    rng = np.random.default_rng(0)
    return path, [
        {"x": drawn(n, n, 3), "m": np.minimum(rng.integers(0, 4, (n, 3)), k), "v": drawn(0, 1)}
        for n, k in ((1, 0), (2, 3), (4, 9))
    ]


CASES: dict[str, Callable[[Path], Case]] = {
    **{f"places {s}": partial(places, s) for s in ([7], [3, 5], [2, 3, 4], ["N", 5], ["N", "M", 3])},
    **{f"kept by a mask {a}": partial(kept_by_a_mask, a) for a in (None, 0, 1)},
    **{f"distinct elements {o} {n}": partial(distinct_elements, o, n) for o in (0, 1) for n in (9, "N")},
    **{f"parts {s}": partial(parts_between_places_that_are_given, s) for s in (1, 2)},
    "rows": rows_that_are_kept_are_computed_with,
    **{f"detector {n} {s}": partial(one_detector, n, s) for n in (1, 3) for s in (30, "N")},
    "branches": branches_that_give_more_or_less,
    "as wide as the first": rows_as_wide_as_the_first,
    "as many as are counted": as_many_as_are_counted,
    "where a mask says": written_where_a_mask_says,
    "features": features_where_a_mask_says,
    "integers": as_many_as_integers_say,
}
