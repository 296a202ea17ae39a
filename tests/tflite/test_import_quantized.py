"""Builtins over stored integers: what a file becomes gives the integers of the kernel that it had, beside LiteRT."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.exporters.tflite.model import Quantization
from tests.support.litert import run_litert
from tests.support.tfl_files import Scale, TflFile

IN: Scale = (0.05, 3)
OTHER: Scale = (0.03, -7)
OUT: Scale = (0.07, -11)
UNIT: Scale = (1 / 256, -128)
SIGNED: Scale = (1 / 128, 0)


@dataclass
class Case:
    """shapes, scales: of the inputs, random integers.  given: further operands that are constants.  steps: how far one
    value may be from LiteRT's, and on what part of the values.
    """

    builtin: str
    shapes: list[tuple[int, ...]]
    scales: list[Scale]
    out: Scale
    given: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    version: int = 2
    steps: int = 0
    share: float = 0.0
    dtype: str = "int8"
    shape: tuple[int, ...] | None = None  # of the result, which XNNPACK asks for
    front: tuple[Any, ...] = ()  # constants in front of the inputs


BIG = (2, 9, 8, 16)
ACTIVATION = {"fused_activation_function": 1}
CASES = [
    Case("ADD", [BIG, BIG], [IN, OTHER], OUT),
    Case("ADD", [BIG, (16,)], [IN, OTHER], OUT, options=ACTIVATION),
    Case("SUB", [BIG, BIG], [IN, OTHER], OUT),
    Case("MUL", [BIG, BIG], [IN, OTHER], (0.2, 5)),
    Case("MEAN", [BIG], [IN], OUT, (np.asarray([1, 2], np.int32),)),
    Case("MAXIMUM", [BIG, BIG], [IN, IN], IN),
    Case("MINIMUM", [BIG, BIG], [IN, IN], IN),
    Case("LOGISTIC", [BIG], [IN], UNIT),
    Case("TANH", [BIG], [IN], SIGNED),
    Case("ELU", [BIG], [IN], OTHER, version=1),
    Case("HARD_SWISH", [BIG], [IN], OUT, version=1),
    Case("LEAKY_RELU", [BIG], [IN], OUT, options={"alpha": 0.2}),
    Case("RELU", [BIG], [IN], OUT),
    Case("RELU", [BIG], [(0.0213, -128)], (0.0371, -128)),
    Case("RELU", [BIG], [(0.0213, 131)], (0.0371, 3), version=1, dtype="uint8"),
    Case("RELU", [BIG], [(0.0005, 0)], (0.0003, 0), version=3, dtype="int16"),
    Case("RELU6", [BIG], [IN], (0.0371, -128)),
    Case("RELU_0_TO_1", [BIG], [(0.0213, 7)], (0.0047, -128), version=1),
    Case("RELU_N1_TO_1", [BIG], [(0.0213, 7)], (0.0106, 3), version=1),
    Case("EXP", [BIG], [IN], (3.0, -128)),
    Case("GELU", [BIG], [IN], OUT),
    Case("SOFTMAX", [BIG], [IN], UNIT, options={"beta": 1.0}),
    Case("QUANTIZE", [BIG], [IN], OUT),
    Case(
        "AVERAGE_POOL_2D",
        [BIG],
        [IN],
        IN,
        options={"padding": 1, "stride_h": 2, "stride_w": 2, "filter_height": 3, "filter_width": 3},
    ),
    Case(
        "MAX_POOL_2D",
        [BIG],
        [IN],
        IN,
        options={"padding": 0, "stride_h": 2, "stride_w": 2, "filter_height": 3, "filter_width": 3},
    ),
    Case("RESHAPE", [BIG], [IN], IN, (np.asarray([2, -1], np.int32),), version=1),
    Case("TRANSPOSE", [BIG], [IN], IN, (np.asarray([0, 3, 1, 2], np.int32),)),
    Case("PAD", [BIG], [IN], IN, (np.asarray([[0, 0], [1, 2], [0, 1], [0, 0]], np.int32),)),
    Case(
        "STRIDED_SLICE",
        [BIG],
        [IN],
        IN,
        (np.asarray([0, 1, 0, 0], np.int32), np.asarray([2, 9, 8, 16], np.int32), np.asarray([1, 2, 1, 1], np.int32)),
    ),
    Case("CONCATENATION", [BIG, BIG], [IN, IN], IN, options={"axis": 3}),
    Case(
        "RESIZE_BILINEAR",
        [BIG],
        [IN],
        IN,
        (np.asarray([13, 12], np.int32),),
        {"half_pixel_centers": True},
        version=3,
        shape=(2, 13, 12, 16),
    ),
    Case("RESIZE_NEAREST_NEIGHBOR", [BIG], [IN], IN, (np.asarray([13, 12], np.int32),), version=3),
    Case("REDUCE_MAX", [BIG], [IN], IN, (np.asarray([1], np.int32),)),
    Case("SPACE_TO_DEPTH", [(1, 8, 8, 4)], [IN], IN, options={"block_size": 2}),
    Case("ABS", [BIG], [IN], IN, steps=1, share=0.05),
    Case("SQUARED_DIFFERENCE", [BIG, BIG], [IN, OTHER], (1.0, -128), steps=1, share=0.05),
    Case("ADD", [BIG, BIG], [(0.05, 128), (0.03, 7)], (0.07, 90), version=1, dtype="uint8", steps=1, share=0.01),
    Case("MUL", [BIG, BIG], [(0.05, 128), (0.03, 7)], (0.2, 90), version=1, dtype="uint8", steps=1, share=0.01),
    Case(
        "AVERAGE_POOL_2D",
        [BIG],
        [(0.05, 128)],
        (0.05, 128),
        options={"padding": 0, "stride_h": 2, "stride_w": 2, "filter_height": 3, "filter_width": 3},
        version=1,
        dtype="uint8",
    ),
    Case(
        "AVERAGE_POOL_2D",
        [BIG],
        [(0.05, 3)],
        (0.05, 3),
        options={"padding": 1, "stride_h": 2, "stride_w": 2, "filter_height": 2, "filter_width": 4},
        version=1,
        dtype="uint8",
    ),
    Case(
        "SOFTMAX",
        [BIG],
        [(0.05, 128)],
        (1 / 256, 0),
        options={"beta": 1.0},
        version=1,
        dtype="uint8",
        steps=1,
        share=0.01,
    ),
    Case(
        "ADD",
        [BIG, BIG],
        [(0.0005, 0), (0.0003, 0)],
        (0.0007, 0),
        dtype="int16",
        options={"pot_scale_int16": False},
        version=3,
    ),
    Case("MUL", [BIG, BIG], [(0.0005, 0), (0.0003, 0)], (0.002, 0), dtype="int16", version=4),
    Case("LOGISTIC", [BIG], [(0.0005, 0)], (1 / 32768, 0), dtype="int16", version=3),
    Case("SOFTMAX", [BIG], [(0.0005, 0)], (1 / 32768, 0), dtype="int16", options={"beta": 1.0}, version=3),
]

ROWS = np.asarray([[3], [1]], np.int32)
HALVES = (np.asarray([0, 0, 0, 0], np.int32), np.asarray([2, 4, 8, 16], np.int32))
POOL = {"padding": 0, "stride_h": 2, "stride_w": 2, "filter_height": 3, "filter_width": 3}
COPIED = [
    Case("RESHAPE", [BIG], [IN], OUT, (np.asarray([2, -1], np.int32),), version=1),
    Case("RESHAPE", [BIG], [(0.05, 131)], (0.07, 128), (np.asarray([2, -1], np.int32),), version=1, dtype="uint8"),
    Case("SQUEEZE", [(1, 9, 8)], [IN], OUT, version=1),
    Case("TRANSPOSE", [BIG], [IN], OUT, (np.asarray([0, 3, 1, 2], np.int32),)),
    Case("TRANSPOSE", [BIG], [(5e-4, 0)], (7e-4, 0), (np.asarray([0, 3, 1, 2], np.int32),), version=4, dtype="int16"),
    Case("SLICE", [BIG], [IN], OUT, HALVES),
    Case("STRIDED_SLICE", [BIG], [IN], OUT, (*HALVES, np.asarray([1, 1, 1, 2], np.int32))),
    Case("PAD", [BIG], [IN], OUT, (np.asarray([[0, 0], [1, 2], [0, 1], [0, 0]], np.int32),)),
    Case("TILE", [BIG], [IN], OUT, (np.asarray([1, 2, 1, 1], np.int32),)),
    Case("BROADCAST_TO", [(1, 9, 1, 16)], [IN], OUT, (np.asarray(BIG, np.int32),)),
    Case("GATHER", [BIG], [IN], OUT, (np.asarray([3, 0, 3], np.int32),), {"axis": 1}),
    Case("GATHER_ND", [BIG], [IN], OUT, (np.asarray([[1, 0], [0, 2]], np.int32),)),
    Case("REVERSE_V2", [BIG], [IN], OUT, (np.asarray([1], np.int32),), version=3),
    Case(
        "REVERSE_SEQUENCE",
        [BIG],
        [(0.05, 3)],
        (0.07, 9),
        (np.asarray([2, 5], np.int32),),
        {"seq_dim": 1},
        version=1,
        dtype="uint8",
    ),
    Case("SPACE_TO_DEPTH", [(1, 8, 8, 4)], [IN], OUT, options={"block_size": 2}),
    Case("DEPTH_TO_SPACE", [(1, 8, 8, 4)], [IN], OUT, options={"block_size": 2}, version=1),
    Case("MAX_POOL_2D", [BIG], [IN], OUT, options=POOL | ACTIVATION),
    Case("AVERAGE_POOL_2D", [BIG], [IN], OUT, options=POOL),
    Case("RESIZE_NEAREST_NEIGHBOR", [BIG], [IN], OUT, (np.asarray([13, 12], np.int32),), version=3),
    Case("RESIZE_BILINEAR", [BIG], [IN], OUT, (np.asarray([13, 12], np.int32),), version=3, steps=1, share=0.12),
    Case("MAXIMUM", [BIG, BIG], [IN, OTHER], OUT),
    Case("MINIMUM", [BIG, BIG], [IN, OTHER], OUT),
    Case("DYNAMIC_UPDATE_SLICE", [BIG, (1, 2, 3, 4)], [IN, OTHER], OUT, (np.asarray([1, 2, 3, 4], np.int32),)),
    Case("CONCATENATION", [BIG, BIG], [(5e-4, 0), (3e-4, 0)], (7e-4, 0), options={"axis": 3}, dtype="int16", version=3),
    Case("NEG", [BIG], [IN], OUT, version=1),
    Case("CAST", [BIG], [IN], OUT, version=1),
    Case("BITWISE_XOR", [BIG, BIG], [IN, OTHER], OUT, version=1),
    Case("FLOOR_DIV", [BIG], [IN], OUT, (np.asarray(7, np.int8),), version=3),
    Case("FLOOR_MOD", [BIG], [IN], OUT, (np.asarray(7, np.int8),), version=2),
    Case("RIGHT_SHIFT", [BIG], [IN], OUT, (np.asarray(2, np.int8),), version=1),
    Case("SCATTER_ND", [(2, 16)], [IN], OUT, (np.asarray([5, 16], np.int32),), version=1, front=(ROWS,)),
    Case("SELECT_V2", [BIG, BIG], [IN, OTHER], OUT, version=1, front=(np.arange(8)[:, None] % 3 == 0,)),
    Case("SPLIT", [BIG], [IN], OUT, version=2, front=(np.asarray(2, np.int32),), options={"num_splits": 1}),
]
"""Kernels of LiteRT that copy stored integers, or compute with them, whatever tensors say that these stand for; XNNPACK
does, too, or refuses scales that differ.
"""


def written(case: Case) -> tuple[bytes, list[np.ndarray]]:
    rng = np.random.default_rng(1)
    file = TflFile()
    limits = np.iinfo(case.dtype)
    arrays = [rng.integers(limits.min, limits.max + 1, shape).astype(case.dtype) for shape in case.shapes]
    inputs = [file.tensor(case.dtype, a.shape, quant=s) for a, s in zip(arrays, case.scales, strict=True)]
    output = file.tensor(case.dtype, case.shape, quant=case.out)
    operands = [*map(file.constant, case.front), *inputs, *map(file.constant, case.given)]
    file.op(case.builtin, operands, [output], case.options, version=case.version)
    file.interface(inputs, [output])
    return file.content(), arrays


def compare(
    content: bytes, arrays: list[np.ndarray], folder: pathlib.Path, steps: int, share: float, kernels: str = "AUTO"
) -> None:
    (folder / "m.tflite").write_bytes(content)
    want = run_litert(content, arrays, kernels)[0]
    mlconv.convert(folder / "m.tflite", output=folder / "again.tflite")
    mlconv.convert(folder / "m.tflite", to="native", output=folder / "m.o")
    native = mlconv.load_native(folder / "m.o")
    named = dict(zip([name for name, _, _ in native.inputs], arrays, strict=True))
    for got in (run_litert((folder / "again.tflite").read_bytes(), arrays)[0], next(iter(native.run(named).values()))):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        off = np.abs(got.astype(np.int64) - want)
        assert off.max() <= steps and (off > 0).mean() <= share, f"{off.max()} steps on {(off > 0).mean():.3%}"


@pytest.mark.share(4)
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.builtin}-{c.dtype}")
def test_integers(case: Case, tmp_path: pathlib.Path) -> None:
    compare(*written(case), tmp_path, case.steps, case.share)


@pytest.mark.parametrize("case", COPIED, ids=lambda c: f"{c.builtin}-{c.dtype}")
def test_copied_integers(case: Case, tmp_path: pathlib.Path) -> None:
    compare(*written(case), tmp_path, case.steps, case.share, "BUILTIN_REF")


@pytest.mark.parametrize("kind", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"])
@pytest.mark.parametrize("dtype", ["int8", "int16"])
@pytest.mark.parametrize("off", [1.0, 1.01])
def test_products_by_channel(kind: str, dtype: str, off: float, tmp_path: pathlib.Path) -> None:
    """Filters have a scale for each output channel, biases the product of the scales, or count as if they had.  off:
    times which the file says it.
    """
    rng = np.random.default_rng(2)
    shape, axis = {
        "CONV_2D": ((8, 3, 3, 16), 0),
        "DEPTHWISE_CONV_2D": ((1, 3, 3, 16), 3),
        "FULLY_CONNECTED": ((8, 16), 0),
        "TRANSPOSE_CONV": ((8, 3, 3, 16), 0),
    }[kind]
    count = shape[axis]
    scales = tuple((rng.random(count) * 0.01 + 0.002).tolist())
    x_scale: Scale = IN if dtype == "int8" else (0.0005, 0)
    out: Scale = (0.9, 4) if dtype == "int8" else (0.005, 0)
    file = TflFile()
    x = file.tensor(dtype, BIG if kind != "FULLY_CONNECTED" else (5, 16), quant=x_scale)
    w = file.constant(rng.integers(-127, 128, shape).astype(np.int8), Quantization(scales, (0,) * count, axis))
    wide = "int32" if dtype == "int8" else "int64"
    products = Quantization(tuple(off * s * x_scale[0] for s in scales), (0,) * count, 0)
    most = 2000 if off == 1.0 else 200_000
    b = file.constant(rng.integers(-most, most, count).astype(wide), products)
    y = file.tensor(dtype, None, quant=out)
    options = {"padding": 0, "stride_h": 2, "stride_w": 2}
    if kind == "TRANSPOSE_CONV":
        size = file.constant(np.asarray([2, 18, 16, 8], np.int32))
        file.op(kind, [size, w, x, b], [y], options, version=3)
    else:
        options = {} if kind == "FULLY_CONNECTED" else options | {"dilation_h_factor": 1, "dilation_w_factor": 1}
        more = {"depth_multiplier": 1} if kind == "DEPTHWISE_CONV_2D" else {}
        file.op(
            kind, [x, w, b], [y], options | more, version=5 if dtype == "int16" and kind == "DEPTHWISE_CONV_2D" else 4
        )
    file.interface([x], [y])
    limits = np.iinfo(dtype)
    values = rng.integers(limits.min, limits.max + 1, BIG if kind != "FULLY_CONNECTED" else (5, 16)).astype(dtype)
    loose = kind == "TRANSPOSE_CONV"  # its kernels round in their own ways
    compare(file.content(), [values], tmp_path, 1 if loose else 0, 0.05 if loose else 0.0)


@pytest.mark.parametrize("keep", [True, False])
def test_products_with_data_that_have_a_scale_for_each_row(keep: bool, tmp_path: pathlib.Path) -> None:
    """BATCH_MATMUL, which a product of two activations is, reads one scale: numbers are multiplied."""
    rng = np.random.default_rng(0)
    scales = tuple((rng.random(8) * 0.01 + 0.002).tolist())
    file = TflFile()
    x = file.tensor("int8", (50, 16), quant=IN)
    w = file.tensor("int8", (8, 16), quant=Quantization(scales, (0,) * 8, 0))
    y = file.tensor("int8", (50, 8), quant=(0.3, 4))
    file.op("FULLY_CONNECTED", [x, w, -1], [y], {"keep_num_dims": keep}, version=9)
    file.interface([x, w], [y])
    arrays = [rng.integers(-128, 128, shape).astype(np.int8) for shape in ((50, 16), (8, 16))]
    compare(file.content(), arrays, tmp_path, 1, 0.02)


@pytest.mark.parametrize("builtin", ["FULLY_CONNECTED", "CONV_2D", "EMBEDDING_LOOKUP"])
def test_weights_of_uint8_beside_floats(builtin: str, tmp_path: pathlib.Path) -> None:
    """Kernels read them as int8 without a zero point.  What they read is rounded to 8 bits, but for tables."""
    rng = np.random.default_rng(0)
    shape = {"FULLY_CONNECTED": (16, 32), "CONV_2D": (16, 3, 3, 8), "EMBEDDING_LOOKUP": (20, 8)}[builtin]
    weights = rng.integers(-127, 128, shape).astype(np.int8).view(np.uint8)
    file, x = (
        TflFile(),
        rng.normal(size=(10, 32) if builtin == "FULLY_CONNECTED" else (1, 12, 12, 8)).astype(np.float32),
    )
    options = {"padding": 0, "stride_h": 1, "stride_w": 1, "dilation_h_factor": 1, "dilation_w_factor": 1}
    w = file.tensor("uint8", shape, weights, (0.01, 0 if builtin == "EMBEDDING_LOOKUP" else 128))
    b = file.constant(rng.normal(size=16).astype(np.float32))
    if builtin == "EMBEDDING_LOOKUP":
        x = np.asarray([3, 0, 19, 7, 7], np.int32)
    given = file.tensor(x.dtype.name, x.shape)
    y = file.tensor("float32", None)
    operands = [given, w] if builtin == "EMBEDDING_LOOKUP" else [given, w, b]
    file.op(builtin, operands, [y], options if builtin == "CONV_2D" else {})
    file.interface([given], [y])
    (tmp_path / "m.tflite").write_bytes(file.content())
    (want,) = run_litert(file.content(), [x])
    mlconv.convert(tmp_path / "m.tflite", output=tmp_path / "again.tflite")
    mlconv.convert(tmp_path / "m.tflite", to="native", output=tmp_path / "m.o")
    native = mlconv.load_native(tmp_path / "m.o")
    most = 0 if builtin == "EMBEDDING_LOOKUP" else 0.02 * np.abs(want).max()
    for got in (run_litert((tmp_path / "again.tflite").read_bytes(), [x])[0], native.run({native.inputs[0][0]: x})):
        got = next(iter(got.values())) if isinstance(got, dict) else got
        np.testing.assert_allclose(got, want, rtol=0, atol=most)
