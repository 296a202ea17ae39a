"""Sizes that data decide, in native code, against ONNX Runtime: with what is found, and with nothing found."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.diagnostics import Code, ConversionError

NODE = helper.make_node
F, I64 = TensorProto.FLOAT, TensorProto.INT64
Array = np.ndarray[Any, Any]


def save(
    folder: Path, nodes: Sequence[Any], inputs: dict[str, tuple[int, Any]], outputs: Sequence[str], **constants: Any
) -> Path:
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(n, t, s) for n, (t, s) in inputs.items()],
        [helper.make_empty_tensor_value_info(n) for n in outputs],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()],
    )
    path = folder / "m.onnx"
    imports = [helper.make_opsetid("", 17)]
    path.write_bytes(helper.make_model(graph, opset_imports=imports, ir_version=9).SerializeToString())
    return path


def check(path: Path, feeds: Sequence[dict[str, Array]], **options: Any) -> None:
    """One object for all inputs, on 1 and 2 threads."""
    artifact = path.with_suffix(".o")
    mlconv.convert(path, to="native", output=artifact, **options)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    models = [mlconv.load_native(artifact, threads=n) for n in (1, 2)]
    for feed in feeds:
        wanted = dict(zip(names, session.run(None, feed), strict=True))
        for model in models:
            got = model.run(feed)
            assert list(got) == names
            for name, want in wanted.items():
                assert got[name].dtype == want.dtype and got[name].shape == want.shape, name
                np.testing.assert_allclose(got[name], want, rtol=1e-5, atol=1e-5)


def drawn(seed: int, *shape: int, shift: float = 0.0) -> Array:
    return (np.random.default_rng(seed).normal(0, 1, shape) + shift).astype(np.float32)


@pytest.mark.parametrize("shape", [[7], [3, 5], [2, 3, 4], ["N", 5], ["N", "M", 3]], ids=str)
def test_places(shape: list[Any], tmp_path: Path) -> None:
    """None, some and all of the elements."""
    nodes = [NODE("Greater", ["x", "zero"], ["m"]), NODE("NonZero", ["m"], ["y"]), NODE("NonZero", ["x"], ["z"])]
    path = save(tmp_path, nodes, {"x": (F, shape)}, ["y", "z"], zero=np.float32(0))
    sizes = [[d if isinstance(d, int) else n for d in shape] for n in (1, 3, 4)]
    check(path, [{"x": np.round(drawn(i, *s, shift=shift))} for i, s in enumerate(sizes) for shift in (-9, 0, 9)])


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_kept_by_a_mask(axis: int | None, tmp_path: Path) -> None:
    given = {} if axis is None else {"axis": axis}
    count = {None: 24, 0: 6, 1: 4}[axis]
    nodes = [NODE("Greater", ["c", "zero"], ["m"]), NODE("Compress", ["x", "m"], ["y"], **given)]
    path = save(tmp_path, nodes, {"x": (F, [6, 4]), "c": (F, [count])}, ["y"], zero=np.float32(0))
    check(path, [{"x": drawn(i, 6, 4), "c": drawn(9 + i, count, shift=s)} for i, s in enumerate((-9, 0, 0, 9))])


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("size", [9, "N"])
def test_distinct_elements(order: int, size: Any, tmp_path: Path) -> None:
    nodes = [NODE("Unique", ["x"], ["y", "first", "inverse", "count"], sorted=order)]
    path = save(tmp_path, nodes, {"x": (I64, [size])}, ["y", "first", "inverse", "count"])
    rng = np.random.default_rng(order)
    sizes = [9] * 3 if size == 9 else [1, 4, 33]
    check(path, [{"x": rng.integers(0, 1 + 3 * i, n)} for i, n in enumerate(sizes)])


@pytest.mark.parametrize("step", [1, 2])
def test_parts_between_places_that_are_given(step: int, tmp_path: Path) -> None:
    nodes = [NODE("Slice", ["x", "a", "b", "axes", "steps"], ["y"])]
    inputs = {"x": (F, [8, "N"]), "a": (I64, [1]), "b": (I64, [1])}
    path = save(tmp_path, nodes, inputs, ["y"], axes=np.array([1]), steps=np.array([step]))
    ends = [(0, 3), (2, 99), (-3, -1), (4, 2), (-99, 5), (3, 3)]
    check(path, [{"x": drawn(0, 8, n), "a": np.array([a]), "b": np.array([b])} for a, b in ends for n in (5, 7)])


def test_rows_that_are_kept_are_computed_with(tmp_path: Path) -> None:
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
    path = save(tmp_path, nodes, inputs, outputs, w=w, zero=np.float32(0), first=np.array([0]))
    check(
        path, [{"x": drawn(i, n, 6), "s": drawn(7 + i, n, shift=s)} for i, n in enumerate((9, 40)) for s in (-9, 0, 9)]
    )


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


@pytest.mark.parametrize("levels", [1, 3])
@pytest.mark.parametrize("size", [30, "N"])
def test_detector(levels: int, size: Any, tmp_path: Path) -> None:
    """Empty levels, and no box at all, among the inputs."""
    path = detector(tmp_path, levels, size)
    counts = [30] if size == 30 else [8, 30, 75]
    check(path, [found(i, levels, n, s) for i, n in enumerate(counts) for s in (-1.0, -0.45, 0.0, 1.0)])


def test_branches_that_give_more_or_less(tmp_path: Path) -> None:
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
    path = save(tmp_path, nodes, {"x": (F, [9, 4]), "s": (F, [9])}, ["y", "z"], w=drawn(3, 4, 5), **constants)
    check(path, [{"x": drawn(i, 9, 4), "s": drawn(20 + i, 9, shift=s)} for i, s in enumerate((-9, -1, 0, 1, 9))])


def test_sizes_that_do_not_fit_are_refused_while_it_runs(tmp_path: Path) -> None:
    """Kept elements are added to a row of four: there are four of them, or one."""
    nodes = [
        NODE("Greater", ["x", "zero"], ["m"]),
        NODE("Compress", ["x", "m"], ["kept"], axis=0),
        NODE("Add", ["kept", "row"], ["y"]),
    ]
    path = save(tmp_path, nodes, {"x": (F, [6])}, ["y"], zero=np.float32(0), row=drawn(1, 4))
    mlconv.convert(path, to="native", output=tmp_path / "m.o")
    model = mlconv.load_native(tmp_path / "m.o")
    x = np.array([1, -1, 2, 3, -1, 4], np.float32)
    np.testing.assert_allclose(model.run({"x": x})["y"], x[x > 0] + drawn(1, 4), rtol=1e-6)
    with pytest.raises(ConversionError) as caught:
        model.run({"x": np.array([1, -1, 2, 3, -1, -4], np.float32)})
    assert caught.value.code is Code.VerificationImpossible and "dimensions" in str(caught.value)


def test_what_the_interface_says(tmp_path: Path) -> None:
    """Room for the most, the expression of the size, and where the shape is."""
    nodes = [NODE("NonZero", ["x"], ["y"])]
    path = save(tmp_path, nodes, {"x": (F, [3, 5])}, ["y"])
    mlconv.convert(path, to="native", output=tmp_path / "m.o")
    facts = json.loads((tmp_path / "m.io.json").read_text(encoding="utf-8"))
    y, shape = facts["outputs"]
    assert facts["version"] == 2 and y["shape"] == [2, "count0"] and y["most"] == [2, 15] and y["sizes"] == 1
    assert y["bytes"] == 2 * 15 * 8 and shape["name"] == "y:shape" and shape["shape"] == [2]
    header = (tmp_path / "m.h").read_text(encoding="utf-8")
    assert "#define M_OUTPUT_SIZES 1" in header and "m_output_sizes[2] = {1, -1};" in header


@pytest.mark.parametrize("size", [30, "N"])
def test_programs_in_c(size: Any, tmp_path: Path) -> None:
    """The self-test compares what is there."""
    path = detector(tmp_path, 2, size)
    mlconv.convert(path, to="native", output=tmp_path / "d.o", self_test=True, example=True)
    for kind in ("test", "example"):
        command = ["cc", "-std=c11", "-Wall", "-Werror", f"d.{kind}.c", "d.o", "-lm", "-o", kind]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        subprocess.run([f"./{kind}"], cwd=tmp_path, check=True, capture_output=True)


def test_results_are_verified(tmp_path: Path) -> None:
    mlconv.convert(detector(tmp_path, 1, "N"), to="native", output=tmp_path / "d.o", verify=True, verify_each=True)
