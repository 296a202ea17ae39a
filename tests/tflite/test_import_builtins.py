"""Each builtin of a TFLite file: what it becomes, on the interpreter and in TFLite again, beside LiteRT."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects.tfl_table import BUILTINS
from mlconv.driver.loading import to_core
from mlconv.importers.tflite.subgraphs import SPECIAL
from mlconv.legalize.from_tfl import op_table
from tests.support.litert import data, run_litert
from tests.support.tfl_files import TflFile
from tests.support.thinning import thinned

Array = np.ndarray[Any, Any]
F, I32, B = "float32", "int32", "bool"
SAME, VALID = 0, 1
TANH, RELU, RELU6 = 4, 1, 3

NO_MEANING = {
    "CONCAT_EMBEDDINGS": "no runtime has a kernel",
    "CUSTOM": "by the names of custom operators",
    "DELEGATE": "a delegate's own, no file has it",
    "EMBEDDING_LOOKUP_SPARSE": "rows are combined by indices that are data",
    "LSH_PROJECTION": "hashes of strings",
    "PLACEHOLDER_FOR_GREATER_OP_CODES": "no operator",
    "SKIP_GRAM": "strings",
    "STABLEHLO_CUSTOM_CALL": "code outside of the file",
    "STABLEHLO_RNG_BIT_GENERATOR": "random bits",
}
"""Builtins that are refused, and why."""


@dataclass
class Case:
    """inputs: arrays; those behind `given` are constants of the file, as are those that it names.  outputs: element
    types.  shape: of the result, where the file must say it.  numpy: what LiteRT has no kernel for.
    """

    builtin: str
    inputs: list[Array | None]
    outputs: list[str]
    options: dict[str, Any] = field(default_factory=dict)
    given: int = 1
    tolerance: float = 1e-5
    version: int = 1
    shape: tuple[int, ...] | None = None
    numpy: Callable[..., Array] | None = None


def f(*shape: int, seed: int = 0, positive: bool = False) -> Array:
    return data(F, *shape, seed=seed, positive=positive)


def i32(*values: Any) -> Array:
    return np.asarray(values, np.int32)


CONV = {"padding": SAME, "stride_h": 2, "stride_w": 1, "dilation_h_factor": 1, "dilation_w_factor": 1}
POOL = {"padding": SAME, "stride_h": 2, "stride_w": 2, "filter_height": 3, "filter_width": 2}
CONV3 = {f"stride_{a}": 1 for a in "dhw"} | {f"dilation_{a}_factor": 1 for a in "dhw"} | {"padding": SAME}
UNARY = "ABS CEIL COS ELU EXP FLOOR GELU HARD_SWISH LOGISTIC LOG_SOFTMAX NEG RELU RELU6 RELU_0_TO_1 RELU_N1_TO_1"
UNARY += " ROUND SIGN SIN SQUARE TANH"
BINARY = "ADD DIV FLOOR_DIV FLOOR_MOD MAXIMUM MINIMUM MUL SQUARED_DIFFERENCE SUB"
COMPARE = "EQUAL GREATER GREATER_EQUAL LESS LESS_EQUAL NOT_EQUAL"
REDUCE = "MEAN REDUCE_MAX REDUCE_MIN REDUCE_PROD SUM"

STABLEHLO_BINARY = {"DIVIDE": np.divide, "SUBTRACT": np.subtract, "REMAINDER": np.fmod}
STABLEHLO_UNARY = {
    "ABS": np.abs,
    "CBRT": np.cbrt,
    "COSINE": np.cos,
    "EXPONENTIAL": np.exp,
    "FLOOR": np.floor,
    "LOGISTIC": lambda x: 1 / (1 + np.exp(-x)),
    "NEGATE": np.negative,
    "TANH": np.tanh,
}
STABLEHLO_CONV = {
    "window_strides": (1, 1),
    "padding": (1, 1, 0, 1),
    "lhs_dilation": (1, 1),
    "rhs_dilation": (1, 1),
    "window_reversal": (False, False),
    "input_feature_dimension": 3,
    "input_spatial_dimensions": (1, 2),
    "kernel_input_feature_dimension": 2,
    "kernel_output_feature_dimension": 3,
    "kernel_spatial_dimensions": (0, 1),
    "output_feature_dimension": 3,
    "output_spatial_dimensions": (1, 2),
    "feature_group_count": 2,
    "batch_group_count": 1,
}


def convolved(x: Array, w: Array) -> Array:
    """Two groups of channels, windows of 3 x 3, pads of 1, 1 and 0, 1."""
    padded = np.pad(x, ((0, 0), (1, 1), (0, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[:2], (1, 2))
    parts = [
        np.einsum("nhwckl,klco->nhwo", windows[:, :, :, 2 * g : 2 * g + 2], w[:, :, :, 4 * g : 4 * g + 4])
        for g in (0, 1)
    ]
    return np.concatenate(parts, 3).astype(np.float32)


def updated(x: Array, update: Array, *_: Array) -> Array:
    out = x.copy()
    out[2:4, 1:3] = update
    return out


CASES = [
    *(Case(name, [f(2, 5, seed=1)], [F]) for name in UNARY.split()),
    *(Case(name, [f(2, 5, positive=True)], [F]) for name in ("LOG", "RSQRT", "SQRT")),
    *(Case(name, [f(2, 5), f(5, seed=3)], [F], given=2) for name in BINARY.split()),
    *(Case(name, [i32([1, 2], [3, 4]), i32(2, 3)], [B], given=2) for name in COMPARE.split()),
    *(Case(name, [f(2, 3, 4), i32(-1, 0)], [F], {"keep_dims": True}) for name in REDUCE.split()),
    *(Case(name, [data(B, 2, 3, 4), i32(1)], [B]) for name in ("REDUCE_ALL", "REDUCE_ANY")),
    *(Case(name, [data(B, 4), data(B, 4, seed=2)], [B], given=2) for name in ("LOGICAL_AND", "LOGICAL_OR")),
    *(Case(name, [f(3, 7), i32(1)], [I32], {"output_type": 2}) for name in ("ARG_MAX", "ARG_MIN")),
    Case("ADD", [f(2, 5), f(5, seed=3)], [F], {"fused_activation_function": RELU6}, given=2),
    Case("ADD_N", [f(2, 5), f(2, 5, seed=1), f(2, 5, seed=2)], [F], given=3),
    Case("ATAN2", [f(2, 5), f(2, 5, seed=3)], [F], given=2),
    Case("AVERAGE_POOL_2D", [f(1, 7, 6, 3)], [F], POOL | {"fused_activation_function": RELU}),
    Case("BATCH_MATMUL", [f(2, 3, 4), f(2, 5, 4, seed=2)], [F], {"adj_y": True}, given=2),
    Case("BATCH_TO_SPACE_ND", [f(4, 2, 3, 2), i32(2, 2), i32([0, 0], [0, 1])], [F]),
    Case("BITCAST", [f(2, 3)], [I32]),
    Case("BITWISE_XOR", [data(I32, 4), data(I32, 4, seed=2)], [I32], given=2),
    Case("BROADCAST_ARGS", [i32(2, 1, 3), i32(4, 1)], [I32], given=2),
    Case("BROADCAST_TO", [f(2, 1, 3), i32(2, 4, 3)], [F], version=2),
    Case("BUCKETIZE", [f(2, 5)], [I32], {"boundaries": (-1.0, 0.5, 2.0)}),
    Case("CAST", [f(2, 5)], [I32], {"in_data_type": 0, "out_data_type": 2}),
    Case("COMPLEX_ABS", [data("complex64", 2, 3)], [F]),
    Case("CONCATENATION", [f(2, 3), f(2, 4, seed=1)], [F], {"axis": -1}, given=2),
    Case("CONV_2D", [f(1, 7, 6, 4), f(5, 3, 2, 4, seed=1), f(5, seed=2)], [F], CONV),
    Case("CONV_2D", [f(1, 7, 6, 4), f(6, 3, 2, 2, seed=1), f(6, seed=2)], [F], CONV),
    Case("CONV_3D", [f(1, 4, 5, 6, 3), f(2, 3, 2, 3, 4, seed=1), f(4, seed=2)], [F], CONV3),
    Case(
        "CONV_3D_TRANSPOSE",
        [i32(1, 5, 6, 7, 4), f(2, 2, 2, 4, 3, seed=1), f(1, 4, 5, 6, 3)],
        [F],
        CONV3 | {"padding": VALID},
        given=-1,
    ),
    Case("CUMSUM", [f(2, 5), i32(1).reshape(())], [F], {"exclusive": True, "reverse": True}),
    Case(
        "DEPTHWISE_CONV_2D", [f(1, 7, 6, 4), f(1, 3, 2, 8, seed=1), f(8, seed=2)], [F], CONV | {"depth_multiplier": 2}
    ),
    Case("DEPTH_TO_SPACE", [f(1, 2, 3, 8)], [F], {"block_size": 2}),
    Case("DEQUANTIZE", [f(2, 3).astype(np.float16)], [F], given=0, version=3),
    Case("DILATE", [f(2, 3), i32(2, 3), np.float32(-1.5)], [F]),
    Case("DYNAMIC_UPDATE_SLICE", [f(4, 5), f(2, 2, seed=1), i32(3, 1)], [F], given=3),
    Case("EMBEDDING_LOOKUP", [i32(2, 0, 1), f(4, 3)], [F]),
    Case("EXPAND_DIMS", [f(2, 3), i32(-1)], [F]),
    Case("FAKE_QUANT", [f(2, 5)], [F], {"min": -1.0, "max": 2.0, "num_bits": 8}),
    Case("FILL", [i32(2, 3), np.float32(1.5)], [F], given=0),
    Case("FULLY_CONNECTED", [f(2, 3, 4), f(5, 4, seed=1), f(5, seed=2)], [F], {"fused_activation_function": RELU}),
    Case("FULLY_CONNECTED", [f(2, 3, 4), f(5, 4, seed=1), None], [F], {"keep_num_dims": True}, version=5),
    Case("GATHER", [f(2, 4, 3), i32([0, 2], [3, 1])], [F], {"axis": 1, "batch_dims": 1}, given=2),
    Case("GATHER_ND", [f(3, 4), i32([0, 2], [2, 1])], [F], given=2),
    Case("HASHTABLE_LOOKUP", [i32(3, 5, 1), i32(1, 3, 7), f(3, 2)], [F, "uint8"], given=3),
    Case("IMAG", [data("complex64", 2, 3)], [F]),
    Case("L2_NORMALIZATION", [f(2, 5)], [F]),
    Case("L2_POOL_2D", [f(1, 7, 6, 3)], [F], POOL),
    Case("LEAKY_RELU", [f(2, 5)], [F], {"alpha": 0.3}),
    Case("LOCAL_RESPONSE_NORMALIZATION", [f(1, 2, 2, 6)], [F], {"radius": 2, "alpha": 0.5, "beta": 0.75, "bias": 1.0}),
    Case("LOGICAL_NOT", [data(B, 4)], [B]),
    Case("MATRIX_DIAG", [f(2, 3)], [F]),
    Case("MATRIX_SET_DIAG", [f(2, 3, 3), f(2, 3, seed=1)], [F], given=2),
    Case("MAX_POOL_2D", [f(1, 7, 6, 3)], [F], POOL),
    Case("MIRROR_PAD", [f(3, 4), i32([1, 2], [2, 0])], [F], {"mode": 0}),
    Case(
        "NON_MAX_SUPPRESSION_V4",
        [np.sort(f(6, 4), axis=1), f(6, seed=1, positive=True), i32(4).reshape(()), np.float32(0.3), np.float32(-1.0)],
        [I32, I32],
        given=2,
    ),
    Case(
        "NON_MAX_SUPPRESSION_V5",
        [
            np.sort(f(6, 4), axis=1),
            f(6, seed=1, positive=True),
            i32(4).reshape(()),
            np.float32(0.3),
            np.float32(0.0),
            np.float32(0.0),
        ],
        [I32, F, I32],
        given=2,
    ),
    Case("ONE_HOT", [i32(0, 2, 5, -1), i32(4).reshape(()), np.float32(2.0), np.float32(-1.0)], [F], {"axis": 0}),
    Case("PACK", [f(2, 3), f(2, 3, seed=1)], [F], {"values_count": 2, "axis": 1}, given=2),
    Case("PAD", [f(2, 3), i32([1, 2], [0, 1])], [F]),
    Case("PADV2", [f(2, 3), i32([1, 2], [0, 1]), np.float32(1.5)], [F]),
    Case("POW", [f(2, 5, positive=True), f(5, seed=3)], [F], given=2),
    Case("PRELU", [f(2, 3, 4), f(1, 1, 4, seed=1)], [F]),
    Case("RANGE", [i32(2).reshape(()), i32(9).reshape(()), i32(3).reshape(())], [I32], given=0),
    Case("RANK", [f(2, 3, 4)], [I32]),
    Case("REAL", [data("complex64", 2, 3)], [F]),
    Case("RESHAPE", [f(2, 3, 4), i32(4, -1)], [F]),
    Case("RESHAPE", [f(2, 3, 4)], [F], {"new_shape": (6, 4)}),
    Case("RESIZE_BILINEAR", [f(1, 3, 4, 2), i32(5, 7)], [F], {"half_pixel_centers": True}),
    Case("RESIZE_BILINEAR", [f(1, 3, 4, 2), i32(5, 7)], [F], {"align_corners": True}),
    Case("RESIZE_NEAREST_NEIGHBOR", [f(1, 3, 4, 2), i32(5, 7)], [F], {"half_pixel_centers": True}),
    Case("REVERSE_SEQUENCE", [f(3, 5, 2), i32(2, 5, 0)], [F], {"seq_dim": 1, "batch_dim": 0}, given=2),
    Case("REVERSE_V2", [f(3, 5), i32(1)], [F]),
    Case("RFFT2D", [f(2, 4, 8), i32(4, 8)], ["complex64"]),
    Case("RIGHT_SHIFT", [data(I32, 4, positive=True), i32(1, 0, 2, 1)], [I32], given=2),
    Case("SCATTER_ND", [i32([0], [2], [0]), f(3, 2), i32(4, 2)], [F], given=2),
    Case("SEGMENT_SUM", [f(4, 2), i32(0, 0, 1, 1)], [F], given=2),
    Case("SELECT", [data(B, 3), f(3, 2), f(3, 2, seed=1)], [F], given=3),
    Case("SELECT_V2", [data(B, 3, 1), f(3, 2), f(2, seed=1)], [F], given=3),
    Case("SHAPE", [f(2, 3, 4)], [I32], {"out_type": 2}),
    Case("SLICE", [f(4, 5), i32(1, 2), i32(2, -1)], [F]),
    Case("SOFTMAX", [f(2, 5)], [F], {"beta": 0.5}),
    Case("SPACE_TO_BATCH_ND", [f(1, 3, 4, 2), i32(2, 2), i32([0, 1], [2, 0])], [F]),
    Case("SPACE_TO_DEPTH", [f(1, 4, 6, 2)], [F], {"block_size": 2}),
    Case("SPARSE_TO_DENSE", [i32([0, 1], [2, 0]), i32(3, 2), f(2), np.float32(-1.0)], [F], given=-1),
    Case("SPLIT", [i32(1).reshape(()), f(2, 6)], [F, F, F], {"num_splits": 3}, given=-1),
    Case("SPLIT_V", [f(2, 6), i32(1, -1, 2), i32(1).reshape(())], [F, F, F], {"num_splits": 3}),
    Case("SQUEEZE", [f(1, 2, 1, 3)], [F], {"squeeze_dims": (0, -2)}),
    Case(
        "STRIDED_SLICE",
        [f(4, 5, 3), i32(3, 0, 1), i32(0, 5, 2), i32(-1, 2, 1)],
        [F],
        {"end_mask": 1, "shrink_axis_mask": 4},
    ),
    Case("TILE", [f(2, 3), i32(2, 3)], [F]),
    Case("TOPK_V2", [f(3, 7), i32(3).reshape(())], [F, I32]),
    Case("TRANSPOSE", [f(2, 3, 4), i32(2, 0, 1)], [F]),
    Case(
        "TRANSPOSE_CONV",
        [i32(1, 8, 9, 5), f(5, 3, 3, 4, seed=1), f(1, 4, 5, 4)],
        [F],
        {"padding": SAME, "stride_h": 2, "stride_w": 2},
        given=-1,
    ),
    Case(
        "TRANSPOSE_CONV",
        [i32(1, 9, 11, 5), f(5, 3, 3, 4, seed=1), f(1, 4, 5, 4), f(5, seed=2)],
        [F],
        {"padding": VALID, "stride_h": 2, "stride_w": 2},
        given=2,
        version=3,
    ),
    Case("UNIQUE", [i32(3, 1, 3, 2, 1)], [I32, I32], {"idx_out_type": 2}),
    Case("UNPACK", [f(3, 2)], [F, F, F], {"num": 3, "axis": 0}),
    *(
        Case(f"UNSORTED_SEGMENT_{k}", [f(4, 2), i32(2, 0, 2, 0), i32(3).reshape(())], [F], given=2)
        for k in ("MAX", "MIN", "PROD", "SUM")
    ),
    Case("WHERE", [data(B, 3, 4)], ["int64"]),
    Case("ZEROS_LIKE", [f(2, 3)], [F]),
    Case(
        "REDUCE_WINDOW",
        [f(6, 7), np.float32(0.0), np.asarray([2, 3]), np.asarray([2, 1]), np.asarray([1, 2])],
        [F],
        {"reduce_function": 1},
        shape=(3, 3),
    ),
    *(
        Case(f"STABLEHLO_{k}", [f(2, 3), f(2, 3, seed=1)], [F], given=2)
        for k in ("ADD", "MAXIMUM", "MINIMUM", "MULTIPLY")
    ),
    *(Case(f"STABLEHLO_{k}", [f(2, 3), f(2, 3, seed=1)], [F], given=2, numpy=v) for k, v in STABLEHLO_BINARY.items()),
    *(Case(f"STABLEHLO_{k}", [f(2, 3)], [F], numpy=v) for k, v in STABLEHLO_UNARY.items()),
    Case(
        "STABLEHLO_PAD",
        [f(2, 3), np.float32(1.5)],
        [F],
        {"edge_padding_low": (1, 0), "edge_padding_high": (0, 2), "interior_padding": (1, 1)},
        shape=(4, 7),
    ),
    Case(
        "STABLEHLO_GATHER",
        [f(4, 5), np.asarray([[1], [3]])],
        [F],
        {
            "offset_dims": (1,),
            "collapsed_slice_dims": (0,),
            "start_index_map": (0,),
            "index_vector_dim": 1,
            "slice_sizes": (1, 5),
        },
        given=2,
        shape=(2, 5),
    ),
    Case(
        "STABLEHLO_BROADCAST_IN_DIM",
        [f(3)],
        [F],
        {"broadcast_dimensions": (1,)},
        shape=(2, 3, 4),
        numpy=lambda x: np.broadcast_to(x[:, None], (2, 3, 4)),
    ),
    Case(
        "STABLEHLO_CLAMP",
        [np.float32(-0.5), f(2, 3), np.float32(0.5)],
        [F],
        given=3,
        numpy=lambda a, x, b: np.clip(x, a, b),
    ),
    Case(
        "STABLEHLO_COMPARE",
        [f(2, 3), f(2, 3, seed=1)],
        [B],
        {"comparison_direction": 2},
        given=2,
        numpy=np.greater_equal,
    ),
    Case(
        "STABLEHLO_CONCATENATE",
        [f(2, 3), f(2, 1)],
        [F],
        {"dimension": 1},
        given=2,
        numpy=lambda a, b: np.concatenate([a, b], 1),
    ),
    Case("STABLEHLO_CONVERT", [f(2, 3)], [I32], numpy=lambda x: x.astype(np.int32)),
    Case(
        "STABLEHLO_DOT_GENERAL",
        [f(2, 3, 4), f(2, 5, 4)],
        [F],
        {
            "lhs_batching_dimensions": (0,),
            "rhs_batching_dimensions": (0,),
            "lhs_contracting_dimensions": (2,),
            "rhs_contracting_dimensions": (2,),
        },
        given=2,
        shape=(2, 3, 5),
        numpy=lambda a, b: np.einsum("bik,bjk->bij", a, b),
    ),
    Case(
        "STABLEHLO_CONVOLUTION",
        [f(1, 5, 6, 4), f(3, 3, 2, 8, seed=1)],
        [F],
        STABLEHLO_CONV,
        given=1,
        shape=(1, 5, 5, 8),
        numpy=convolved,
    ),
    Case(
        "STABLEHLO_DYNAMIC_SLICE",
        [f(4, 5), i32(9).reshape(()), i32(1).reshape(())],
        [F],
        {"slice_sizes": (2, 3)},
        given=3,
        shape=(2, 3),
        numpy=lambda x, i, j: x[2:4, 1:4],
    ),
    Case(
        "STABLEHLO_DYNAMIC_UPDATE_SLICE",
        [f(4, 5), f(2, 2, seed=1), i32(3).reshape(()), i32(1).reshape(())],
        [F],
        given=4,
        numpy=updated,
    ),
    Case(
        "STABLEHLO_IOTA",
        [],
        [I32],
        {"iota_dimension": 1},
        given=0,
        shape=(2, 3),
        numpy=lambda: np.broadcast_to(np.arange(3, dtype=np.int32), (2, 3)),
    ),
    Case("STABLEHLO_RESHAPE", [f(2, 3)], [F], shape=(3, 2), numpy=lambda x: x.reshape(3, 2)),
    Case("STABLEHLO_SELECT", [data(B, 2, 3), f(2, 3), f(2, 3, seed=1)], [F], given=3, numpy=np.where),
    Case(
        "STABLEHLO_SLICE",
        [f(4, 5)],
        [F],
        {"start_indices": (1, 0), "limit_indices": (4, 5), "strides": (2, 3)},
        numpy=lambda x: x[1:4:2, 0:5:3],
    ),
    Case("STABLEHLO_TRANSPOSE", [f(2, 3, 4)], [F], {"permutation": (2, 0, 1)}, numpy=lambda x: x.transpose(2, 0, 1)),
]


def written(case: Case) -> tuple[bytes, list[Array]]:
    """The file of one operator, and what goes in.  given -1: the last input is data."""
    file = TflFile()
    place = len(case.inputs) - 1 if case.given < 0 else case.given
    indices, variable, arrays = [], [], []
    for i, array in enumerate(case.inputs):
        if array is None:
            indices.append(-1)
            continue
        array = np.asarray(array)
        is_data = i == place if case.given < 0 else i < place
        indices.append(file.tensor(array.dtype.name, array.shape) if is_data else file.constant(array))
        if is_data:
            variable.append(indices[-1])
            arrays.append(array)
    outputs = [file.tensor(dtype, case.shape) for dtype in case.outputs]
    file.op(case.builtin, indices, outputs, case.options, version=case.version)
    file.interface(variable, outputs)
    return file.content(), arrays


def compare(got: list[Array], want: list[Array], tolerance: float) -> None:
    for a, b in zip(got, want, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        kind = np.complex128 if a.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(a.astype(kind), b.astype(kind), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", thinned(2, CASES), ids=lambda c: c.builtin)
def test_as_litert_computes_it(case: Case, tmp_path: pathlib.Path) -> None:
    content, arrays = written(case)
    path = tmp_path / "m.tflite"
    path.write_bytes(content)
    if case.numpy is None:
        want = run_litert(content, arrays, "BUILTIN_WITHOUT_DEFAULT_DELEGATES")
    else:
        want = [np.asarray(case.numpy(*(a for a in case.inputs)))]
    loaded = mlconv.load(path)
    to_core(loaded.module, DiagnosticEngine())
    got = loaded.run(dict(zip(loaded.main.input_names, arrays, strict=True)))
    compare([np.asarray(v) for v in got.values()], want, case.tolerance)
    result = mlconv.convert(path, output=tmp_path / "again.tflite")
    assert result is not None
    compare(run_litert((tmp_path / "again.tflite").read_bytes(), arrays), want, 1e-4)


def test_every_builtin_is_read_or_refused_for_a_reason() -> None:
    known = {*op_table().rules.by_op, *SPECIAL}
    assert {b for b in BUILTINS if b not in known} == set(NO_MEANING)
