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
from onnx import TensorProto, helper

import mlconv
from mlconv.codegen.program.compile import host_cpu
from mlconv.diagnostics import Code, ConversionError
from tests.support.computed_sizes import COMPUTED
from tests.support.data_sizes import CASES, NODE, Array, F, detector, drawn, save
from tests.support.growing_loops import LOOPS
from tests.support.native import OWN
from tests.support.onnx_models import value

INT = TensorProto.INT64


def check(path: Path, feeds: Sequence[dict[str, Array]], **options: Any) -> None:
    """One object for all inputs, on 1 and 2 threads."""
    artifact = path.with_suffix(".o")
    mlconv.convert(path, to="native", output=artifact, cpu=host_cpu(), **options)
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


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES | LOOPS | COMPUTED)
def test_cases(name: str, tmp_path: Path) -> None:
    check(*(CASES | LOOPS | COMPUTED)[name](tmp_path))


def test_a_size_that_meets_a_number_is_no_more_than_that(tmp_path: Path) -> None:
    path, feeds = COMPUTED["masks"](tmp_path)
    check(path, feeds)
    model = mlconv.load_native(path.with_suffix(".o"))
    for longest in (5, 9):
        with pytest.raises(ConversionError, match="dimensions"):
            model.run(feeds[0] | {"lengths": np.array([longest, 3])})


PICKED = [NODE("NonZero", ["x"], ["found"]), NODE("Transpose", ["found"], ["at"], perm=[1, 0])]
FROM_NOTHING = {
    "places": [*PICKED, NODE("GatherND", ["x", "at"], ["y"])],
    "scattered": [
        *PICKED,
        NODE("GatherND", ["x", "at"], ["v"]),
        NODE("Neg", ["v"], ["n"]),
        NODE("ScatterND", ["x", "at", "n"], ["y"]),
    ],
    "padded": [
        NODE("Greater", ["x", "zero"], ["m"]),
        NODE("Compress", ["x", "m"], ["kept"]),
        NODE("Pad", ["kept", "pads", "two"], ["y"]),
    ],
    "distinct": [NODE("Unique", ["x"], ["y", "first", "inverse", "counts"], sorted=1)],
}


@pytest.mark.parametrize("name", FROM_NOTHING)
def test_inputs_without_elements(name: str, tmp_path: Path) -> None:
    """Where there is nothing to pick from, nothing is picked."""
    constants = {"zero": np.float32(0), "two": np.float32(2), "pads": np.array([1, 2])}
    given = {k: v for k, v in constants.items() if any(k in node.input for node in FROM_NOTHING[name])}
    path = save(tmp_path, FROM_NOTHING[name], {"x": (F, ["N"])}, [*FROM_NOTHING[name][-1].output], **given)
    check(path, [{"x": np.round(drawn(n, n))} for n in (5, 0, 1)])


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64, np.bool_])
def test_places_of_what_is_not_zero(dtype: Any, tmp_path: Path) -> None:
    """Blocks of zeros are passed over, whatever is left of rows."""
    shapes: list[list[Any]] = [["N"], ["N", 5], [3, "N", 7]]
    type_ = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    for i, shape in enumerate(shapes):
        (folder := tmp_path / str(i)).mkdir()
        path, given = save(folder, PICKED[:1], {"x": (type_, shape)}, ["found"]), []
        for n in (1, 13, 40):
            x = drawn(n, *(n if d == "N" else d for d in shape)) * 3
            x[np.abs(x) < 3] = 0
            x.reshape(-1)[16:40] = 0
            given.append({"x": x.astype(dtype)})
        check(path, given)


@pytest.mark.parametrize("in_order", [0, 1])
@pytest.mark.parametrize(("shape", "axis"), [(["N", 3], 0), ([2, "N"], 1), ([2, "N", 2], -2), ([4, 2], 0)])
def test_distinct_slices(shape: list[Any], axis: int, in_order: int, tmp_path: Path) -> None:
    names = ["y", "first", "inverse", "counts"]
    path = save(tmp_path, [NODE("Unique", ["x"], names, axis=axis, sorted=in_order)], {"x": (F, shape)}, names)
    sizes = ([n if d == "N" else d for d in shape] for n in (9, 1))
    check(path, [{"x": np.random.default_rng(7).integers(0, 2, s).astype(np.float32)} for s in sizes])


def test_sizes_that_do_not_fit_are_refused_while_it_runs(tmp_path: Path) -> None:
    """Kept elements are added to a row of four: there are four of them, or one."""
    nodes = [
        NODE("Greater", ["x", "zero"], ["m"]),
        NODE("Compress", ["x", "m"], ["kept"], axis=0),
        NODE("Add", ["kept", "row"], ["y"]),
    ]
    path = save(tmp_path, nodes, {"x": (F, [6])}, ["y"], zero=np.float32(0), row=drawn(1, 4))
    mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
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
    mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
    facts = json.loads((tmp_path / "m.io.json").read_text(encoding="utf-8"))
    y, shape = facts["outputs"]
    assert facts["version"] == 2 and y["shape"] == [2, "count0"] and y["most"] == [2, 15] and y["sizes"] == 1
    assert y["bytes"] == 2 * 15 * 8 and shape["name"] == "y:shape" and shape["shape"] == [2]
    header = (tmp_path / "m.h").read_text(encoding="utf-8")
    assert "#define M_OUTPUT_SIZES 1" in header and "m_output_sizes[2] = {1, -1};" in header


def test_a_branch_that_picks_without_a_limit(tmp_path: Path) -> None:
    """YOLO as torch exports it: no box is kept, or as many as are left, which is no more than there are."""
    branches = {
        "then_branch": helper.make_graph([NODE("Identity", ["none"], ["n"])], "t", [], [value("n", [0], INT)]),
        "else_branch": helper.make_graph(
            [
                NODE("Unsqueeze", ["kept", "first"], ["batch"]),
                NODE("Unsqueeze", ["scores", "both"], ["classes"]),
                NODE("NonMaxSuppression", ["batch", "classes", "limit", "overlap"], ["rows"]),
                NODE("Gather", ["rows", "two"], ["picked"], axis=1),
            ],
            "e",
            [],
            [value("picked", ["M"], INT)],
        ),
    }
    nodes = [
        NODE("ReduceMax", ["x"], ["s"], axes=[1], keepdims=0),
        NODE("Greater", ["s", "least"], ["m"]),
        NODE("Compress", ["x", "m"], ["kept"], axis=0),
        NODE("Compress", ["s", "m"], ["scores"], axis=0),
        NODE("Size", ["scores"], ["count"]),
        NODE("Equal", ["count", "zero"], ["empty"]),
        NODE("If", ["empty"], ["at"], **branches),
        NODE("Slice", ["at", "first", "most"], ["few"]),
        NODE("Gather", ["kept", "few"], ["y"]),
    ]
    constants: dict[str, Any] = {
        "none": np.zeros(0, np.int64),
        "first": np.array([0]),
        "both": np.array([0, 1]),
        "limit": np.array([2**31 - 1]),
        "overlap": np.array([0.5], np.float32),
        "two": np.int64(2),
        "least": np.float32(3),
        "zero": np.int64(0),
        "most": np.array([4]),
    }
    path = save(tmp_path, nodes, {"x": (F, ["N", 4])}, ["y"], **constants)
    rng = np.random.default_rng(1)
    boxes = [np.concatenate([c, c + rng.uniform(1, 3, (n, 2))], 1) for n in (9, 1, 40) for c in [rng.random((n, 2))]]
    check(path, [{"x": b.astype(np.float32)} for b in (*boxes, np.zeros((3, 4)))])


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
