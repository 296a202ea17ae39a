"""Windows over images, and images resampled, whose height and width are known at run time, against ONNX Runtime."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.codegen.program.compile import host_cpu
from mlconv.diagnostics import Code, ConversionError
from tests.support.lowering import lower
from tests.support.modules import random
from tests.support.native import CPUS
from tests.support.onnx_models import model, save, value

NODE = helper.make_node
SIZES = [(1, 4, 7, 9), (2, 4, 8, 8), (1, 4, 15, 6), (3, 4, 5, 5)]
POOLS: list[dict[str, Any]] = [
    {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    {"kernel_shape": [2, 2], "strides": [2, 2]},
    {"kernel_shape": [3, 2], "strides": [2, 2], "ceil_mode": 1},
    {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 0, 1, 1], "ceil_mode": 1},
    {"kernel_shape": [2, 2], "strides": [3, 3], "pads": [0, 0, 0, 1], "ceil_mode": 1},
    {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    {"kernel_shape": [3, 3], "strides": [1, 1], "auto_pad": "SAME_LOWER"},
    {"kernel_shape": [2, 3], "strides": [3, 1], "dilations": [2, 1]},
]
WAYS = [
    *[("nearest", kind, mode) for kind in ("half_pixel", "asymmetric") for mode in ("floor", "round_prefer_ceil")],
    ("nearest", "align_corners", "round_prefer_floor"),
    ("nearest", "pytorch_half_pixel", "ceil"),
    *[("linear", kind, "") for kind in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")],
    *[("cubic", kind, "") for kind in ("half_pixel", "align_corners")],
]


def check(
    nodes: list[Any],
    inputs: list[list[Any]],
    constants: dict[str, Any],
    shapes: list[Any],
    folder: Path,
    opset: int = 19,
) -> None:
    """One object for all shapes of the inputs x0, x1, ..."""
    given = [value(f"x{i}", sizes) for i, sizes in enumerate(inputs)]
    proto = model(nodes, given, [value("y", None)], constants, opset=opset)
    proto.ir_version = 10
    path = save(folder, proto)
    mlconv.convert(path, to="native", output=folder / "m.o", cpu=host_cpu())
    native = mlconv.load_native(folder / "m.o")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for each in shapes:
        feeds = {f"x{i}": random(*shape, seed=i) for i, shape in enumerate(each)}
        (want,) = session.run(None, feeds)
        np.testing.assert_allclose(native.run(feeds)["y"], want, rtol=1e-5, atol=1e-5)


@pytest.mark.share(6)
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_convolutions(stride: int, padding: str, groups: int, tmp_path: Path) -> None:
    w = random(8, 4 // groups, 3, 2)
    nodes = [NODE("Conv", ["x0", "w"], ["y"], strides=[stride, 2], auto_pad=padding, group=groups)]
    check(nodes, [["N", 4, "H", "W"]], {"w": w}, [(s,) for s in SIZES], tmp_path)


@pytest.mark.parametrize("batch", ["N", 3])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize(("channels", "kind"), [(24, "gemm"), (16, "depthwise")])
def test_groups_of_several_images(stride: int, batch: Any, channels: int, kind: str, tmp_path: Path) -> None:
    """Products of images that lie one below the other: what is made of windows across two of them is left out."""
    weights = {"w": random(channels, channels // 4, 3, 3), "b": random(channels)}
    nodes = [
        NODE("Conv", ["x0", "w", "b"], ["c"], group=4, strides=[stride, stride], pads=[1, 0, 2, 1]),
        NODE("Relu", ["c"], ["y"]),
    ]
    proto = model(nodes, [value("x0", [batch, channels, "H", "W"])], [value("y", None)], weights)
    module = mlconv.load(save(tmp_path, proto)).module
    assert not lower(module, "native").has_errors
    assert sum(op.name == f"kernel.{kind}" for op in module.walk()) == 1
    images = ((1, (5, 9)), (4, (8, 7)), (2, (1, 3)))
    shapes = [[(batch if batch != "N" else n, channels, *size)] for n, size in images]
    check(nodes, [[batch, channels, "H", "W"]], weights, shapes, tmp_path)


@pytest.mark.share(6)
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("open_", [("N", "H", "W"), (1, "H", "W"), (2, 20, "W"), ("N", "H", 31), (1, 22, 31)])
def test_minimal_filtering(open_: tuple[Any, Any, Any], cpu: str, tmp_path: Path) -> None:
    """By blocks of tiles whose sizes a run tells: images of less than a tile, that do not fill tiles, with numbers that
    differ much.  Threads do not matter, where blocks overlap neither.
    """
    n, h, w = open_
    weights = {"w": random(48, 33, 3, 3) / 17, "v": random(40, 48, 3, 3, seed=1) / 20, "b": random(48, seed=2)}
    nodes = [
        NODE("Conv", ["x", "w", "b"], ["a"], pads=[1, 1, 1, 1]),
        NODE("Relu", ["a"], ["r"]),
        NODE("Conv", ["r", "v"], ["y"], pads=[0, 1, 1, 0]),
    ]
    proto = model(nodes, [value("x", [n, 33, h, w])], [value("y", None)], weights)
    proto.ir_version = 8
    path = save(tmp_path, proto)
    lowered = mlconv.load(path).module
    assert not lower(lowered, "native").has_errors
    assert sum(op.name == "kernel.winograd" for op in lowered.walk()) == 2
    mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu, pool=True)
    natives = [mlconv.load_native(tmp_path / "m.o", threads=threads) for threads in (1, 3)]
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for i, (rows, columns) in enumerate([(2, 3), (4, 4), (9, 61), (40, 11), (33, 32), (66, 70)]):
        shape = (n if n != "N" else i % 3 + 1, 33, h if h != "H" else rows, w if w != "W" else columns)
        x = random(*shape, seed=i)
        if i % 2:
            x.reshape(-1)[i * 37 % x.size] = 1e6
        (want,) = session.run(None, {"x": x})
        got, shared = (native.run({"x": x})["y"] for native in natives)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())
        np.testing.assert_array_equal(got, shared)


@pytest.mark.parametrize("attributes", POOLS, ids=str)
def test_pools(attributes: dict[str, Any], tmp_path: Path) -> None:
    means = [NODE("AveragePool", ["x0"], [f"m{i}"], count_include_pad=i, **attributes) for i in range(2)]
    nodes = [NODE("MaxPool", ["x0"], ["a"], **attributes), *means]
    check(
        [*nodes, NODE("Concat", ["a", "m0", "m1"], ["y"], axis=1)],
        [["N", 4, "H", "W"]],
        {},
        [(s,) for s in SIZES],
        tmp_path,
    )


@pytest.mark.share(6)
@pytest.mark.parametrize(("mode", "kind", "nearest"), WAYS)
def test_resizes(mode: str, kind: str, nearest: str, tmp_path: Path) -> None:
    """To the sizes of another tensor, which may be those that the image has."""
    more = {"nearest_mode": nearest} if nearest else {}
    resize = NODE("Resize", ["x0", "", "", "s"], ["y"], mode=mode, coordinate_transformation_mode=kind, **more)
    others = [(1, 4, 14, 5), (2, 4, 3, 16), (1, 4, 1, 13), (3, 4, 5, 5)]
    inputs = [["N", 4, "H", "W"], ["N", 4, "A", "B"]]
    check([NODE("Shape", ["x1"], ["s"]), resize], inputs, {}, list(zip(SIZES, others, strict=True)), tmp_path)


def test_cubic_without_what_is_outside(tmp_path: Path) -> None:
    resize = NODE("Resize", ["x0", "", "", "s"], ["y"], mode="cubic", exclude_outside=1)
    inputs = [["N", 4, "H", "W"], ["N", 4, "A", "B"]]
    check([NODE("Shape", ["x1"], ["s"]), resize], inputs, {}, [(SIZES[0], (1, 4, 14, 5))], tmp_path)


@pytest.mark.share(4)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_against_aliasing(mode: str, tmp_path: Path) -> None:
    resize = NODE("Resize", ["x0", "", "", "s"], ["y"], mode=mode, antialias=1)
    inputs = [["N", 4, "H", "W"], ["N", 4, "A", "B"]]
    shapes = [(SIZES[0], (1, 4, 14, 5)), (SIZES[0], (1, 4, 3, 4))]
    check([NODE("Shape", ["x1"], ["s"]), resize], inputs, {}, shapes, tmp_path)


def test_a_vector_against_aliasing(tmp_path: Path) -> None:
    """ONNX Runtime refuses one, and takes a column."""

    def resized(name: str, sizes: list[Any], scales: list[float]) -> Path:
        node = NODE("Resize", ["x0", "", "s"], ["y"], mode="linear", antialias=1)
        proto = model([node], [value("x0", sizes)], [value("y", None)], {"s": np.float32(scales)}, opset=19)
        proto.ir_version = 10
        return save(tmp_path, proto, name)

    mlconv.convert(resized("vector.onnx", ["N"], [0.45]), to="native", output=tmp_path / "m.o", cpu=host_cpu())
    native = mlconv.load_native(tmp_path / "m.o")
    session = onnxruntime.InferenceSession(resized("column.onnx", ["N", 1], [0.45, 1]))
    for n in (5, 9, 20):
        x = random(n)
        (want,) = session.run(None, {"x0": x[:, None]})
        np.testing.assert_allclose(native.run({"x0": x})["y"], want[:, 0], rtol=1e-5, atol=1e-5)


def test_joined_images_are_written_where_a_convolution_reads_them(tmp_path: Path) -> None:
    """As with sizes that are fixed: no kernel puts borders around what another one has joined."""
    nodes = [
        NODE("Conv", ["x0", "v"], ["a"]),
        NODE("Conv", ["x1", "u"], ["b"]),
        NODE("Concat", ["a", "b"], ["joined"], axis=1),
        NODE("Conv", ["joined", "w"], ["made"], pads=[1, 1, 1, 1]),
        NODE("Add", ["made", "a"], ["y"]),
    ]
    inputs: list[list[Any]] = [["N", 4, "H", "W"], ["N", 12, "H", "W"]]
    shapes = [((n, 4, h, w), (n, 12, h, w)) for n, _, h, w in SIZES]
    numbers = {"w": 0.1 * random(4, 16, 3, 3), "v": random(4, 4, 1, 1), "u": random(12, 12, 1, 1)}
    check(nodes, inputs, numbers, shapes, tmp_path)
    kernels = []
    for fixed in ({}, {"x0": (1, 4, 15, 6), "x1": (1, 12, 15, 6)}):
        folder = tmp_path / f"ir{len(fixed)}"
        mlconv.convert(tmp_path / "m.onnx", to="native", output=tmp_path / "m.o", shapes=fixed, dump_ir=folder)
        (last,) = folder.glob("*kernel-schedule.mlir")
        kernels.append(last.read_text().count('"kernel.loop_nest"('))
    assert kernels[0] == kernels[1]


def test_places_and_norms_along_an_axis(tmp_path: Path) -> None:
    nodes = [
        NODE("LRN", ["x0"], ["n"], size=3),
        NODE("ArgMax", ["n"], ["a"], axis=2),
        NODE("ArgMin", ["n"], ["b"], axis=2, select_last_index=1),
        NODE("Sub", ["a", "b"], ["d"]),
        NODE("Cast", ["d"], ["y"], to=1),
    ]
    check(nodes, [["N", 4, "H", "W"]], {}, [(s,) for s in SIZES], tmp_path)


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_sorting(axis: int, tmp_path: Path) -> None:
    """Of a few, and of all that there are."""
    nodes = [
        NODE("TopK", ["x0", "few"], ["a", "i"], axis=axis, largest=0),
        NODE("Shape", ["x0"], ["n"], start=axis, end=axis + 1),
        NODE("TopK", ["x0", "n"], ["b", "j"], axis=axis),
        NODE("Cast", ["j"], ["c"], to=1),
        NODE("Concat", ["a", "b", "c"], ["y"], axis=axis),
    ]
    check(nodes, [["N", "C", "H", "W"]], {"few": np.int64([3])}, [(s,) for s in SIZES], tmp_path)
    few = random(1, 4, 5, 5)[(slice(None),) * axis + (slice(2),)]
    with pytest.raises(ConversionError) as error:
        mlconv.load_native(tmp_path / "m.o").run({"x0": np.ascontiguousarray(few)})
    assert error.value.diagnostic.code is Code.VerificationImpossible


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
def test_borders_that_repeat_elements(mode: str, tmp_path: Path) -> None:
    nodes = [NODE("Pad", ["x0", "pads"], ["y"], mode=mode)]
    pads = np.int64([0, 0, 4, 2, 0, 1, 0, 3])
    check(nodes, [["N", 4, "H", "W"]], {"pads": pads}, [(s,) for s in SIZES], tmp_path)
    if mode == "reflect":  # a run asks whether there is as much as is mirrored
        with pytest.raises(ConversionError, match="H must be at least 5"):
            mlconv.load_native(tmp_path / "m.o").run({"x0": random(1, 4, 4, 9)})


LONG: dict[str, tuple[list[Any], int]] = {  # what is computed of long rows, and how many kernels it is
    "normalized": ([NODE("InstanceNormalization", ["x0", "scale", "bias"], ["y"])], 1),
    "squares": ([NODE("Mul", ["x0", "x0"], ["q"]), NODE("ReduceSum", ["q", "axes"], ["y"])], 1),
    "softmax": ([NODE("Reshape", ["x0", "rows"], ["r"]), NODE("Softmax", ["r"], ["y"], axis=-1)], 0),
    "read twice": (
        [
            NODE("ReduceMean", ["x0"], ["m"], axes=[2, 3]),
            NODE("Sub", ["x0", "m"], ["c"]),
            NODE("Tanh", ["c"], ["t"]),
            NODE("ReduceMax", ["t"], ["most"], axes=[2, 3]),
            NODE("Mul", ["c", "most"], ["y"]),
        ],
        0,
    ),
}


@pytest.mark.parametrize("open_", [False, True])
@pytest.mark.parametrize("name", LONG)
def test_long_rows(name: str, open_: bool, tmp_path: Path) -> None:
    """No row is kept between the stages of a normalization: they compute it again from what is read."""
    nodes, kernels = LONG[name]
    constants = {"scale": random(20, seed=5), "bias": random(20, seed=6), "axes": np.int64([2, 3])}
    shapes = [((2, 20, 90, 97),)] if not open_ else [((2, 20, 90, 97),), ((1, 20, 7, 3),)]
    sizes = ["N", 20, "H", "W"] if open_ else [2, 20, 90, 97]
    needed = {i for node in nodes for i in node.input}
    constants = {k: v for k, v in {**constants, "rows": np.int64([0, 0, -1])}.items() if k in needed}
    opset = 17 if name == "read twice" else 19
    check(nodes, [sizes], constants, shapes, tmp_path, opset)
    if kernels:
        mlconv.convert(tmp_path / "m.onnx", to="native", output=tmp_path / "m.o", dump_ir=tmp_path / "ir")
        (last,) = (tmp_path / "ir").glob("*kernel-schedule.mlir")
        assert len(re.findall(r'= "kernel\.', last.read_text())) == kernels


def test_no_division_for_each_element(tmp_path: Path) -> None:
    """Elements that are picked one by one are no work items, whose places take divisions."""
    nodes, given = [NODE("GatherElements", ["x0", "at"], ["y"], axis=1)], [value("x0", ["N", "M"])]
    proto = model(nodes, [*given, value("at", ["N", "K"], TensorProto.INT64)], [value("y")], {})
    path = save(tmp_path, proto)
    mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu="x86-64-v3", emit_code="llvm")
    (code,) = re.findall(r"define internal void @kernel0.*?\n}", (tmp_path / "m.x86-64-v3.ll").read_text(), re.DOTALL)
    blocks = re.split(r"\n\w+:\n", code)
    assert any("@llvm.smin.i64" in block and "udiv" not in block for block in blocks)


@pytest.mark.parametrize("scales", [(2.0, 1.5), (0.75, 0.5)], ids=str)
def test_sizes_by_scales(scales: tuple[float, float], tmp_path: Path) -> None:
    constants = {"scales": np.float32([1, 1, *scales])}
    for mode in ("nearest", "linear", "cubic"):
        nodes = [NODE("Resize", ["x0", "", "scales"], ["y"], mode=mode)]
        check(nodes, [["N", 4, "H", "W"]], constants, [(s,) for s in SIZES], tmp_path)


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("inverse", [0, 1])
def test_transforms_of_rows(axis: int, inverse: int, tmp_path: Path) -> None:
    """As many rows, or columns, as the run has; the transform's own length is fixed."""
    nodes = [NODE("DFT", ["x0"], ["y"], axis=axis, inverse=inverse)]
    shape = ["N", 10, "W", 2] if axis == 1 else ["N", "H", 10, 2]
    sizes = [((n, 10, 3, 2) if axis == 1 else (n, 3, 10, 2),) for n in (1, 4, 9)]
    check(nodes, [shape], {}, sizes, tmp_path)
