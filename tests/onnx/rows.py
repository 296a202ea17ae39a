"""One row per operator variant: inputs, attributes, operator set.  Integer inputs that decide shapes are given as
constants (`c`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Row:
    """op: operator, with `domain:` before it for other domains.  inputs: arrays; None is absent.  constants: places of
    inputs that are initializers.
    """

    op: str
    inputs: list[np.ndarray | None]
    attributes: dict[str, Any] = field(default_factory=dict)
    opset: int = 21
    constants: tuple[int, ...] = ()
    outputs: int = 1
    engine: str = "any"
    tolerance: float = 1e-5

    @property
    def label(self) -> str:
        shapes = "_".join("x".join(map(str, a.shape)) or "s" if a is not None else "-" for a in self.inputs)
        attributes = "_".join(f"{k}{v}" for k, v in self.attributes.items())
        return f"{self.op}{self.opset}-{shapes}-{attributes}"[:90]


def f(*shape: int, seed: int = 0, low: float = -2.0, high: float = 2.0, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(seed + 7).uniform(low, high, shape).astype(dtype)


def i(*shape: int, low: int = -9, high: int = 9, dtype: Any = np.int64, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed + 3).integers(low, high, shape).astype(dtype)


def c(*values: Any, dtype: Any = np.int64) -> np.ndarray:
    return np.asarray(values, dtype)


def s(value: Any, dtype: Any = np.int64) -> np.ndarray:
    return np.asarray(value, dtype)


X = f(2, 3, 4)
IMAGE = f(1, 4, 9, 8)
ROWS: list[Row] = []

# Elementwise.
ROWS += [
    Row(op, [X])
    for op in (
        "Abs",
        "Ceil",
        "Cos",
        "Erf",
        "Exp",
        "Floor",
        "Neg",
        "Round",
        "Sigmoid",
        "Sign",
        "Sin",
        "Softplus",
        "Softsign",
        "Tan",
        "Tanh",
        "Relu",
        "LeakyRelu",
        "Elu",
        "Selu",
        "Celu",
        "HardSigmoid",
        "HardSwish",
        "Mish",
        "ThresholdedRelu",
        "Shrink",
        "Identity",
        "IsNaN",
        "IsInf",
        "Reciprocal",
        "Sinh",
        "Cosh",
        "Asinh",
        "Atan",
        "Gelu",
    )
]
ROWS += [Row(op, [f(2, 3, low=-0.9, high=0.9)]) for op in ("Acos", "Asin", "Atanh")]
ROWS += [Row(op, [f(2, 3, low=1.1, high=3)]) for op in ("Acosh", "Log", "Sqrt")]
ROWS += [
    Row(op, [X, f(3, 1)])
    for op in (
        "Add",
        "Sub",
        "Mul",
        "Div",
        "Greater",
        "Less",
        "GreaterOrEqual",
        "LessOrEqual",
        "Equal",
        "Max",
        "Min",
        "Sum",
        "Mean",
    )
]
ROWS += [
    Row(op, [i(2, 3), i(3, low=1)])
    for op in ("Add", "Sub", "Mul", "Div", "Mod", "Equal", "BitwiseAnd", "BitwiseOr", "BitwiseXor")
]
ROWS += [
    Row(op, [i(2, 3, low=0, high=2, dtype=bool), i(3, low=0, high=2, dtype=bool)])
    for op in ("And", "Or", "Xor", "Equal")
]
ROWS += [
    Row("Pow", [f(2, 3, low=0.1), f(3)]),
    Row("Pow", [f(2, 3), s(2)]),
    Row("Mod", [f(2, 3), f(3)], {"fmod": 1}),
    Row("Not", [i(3, low=0, high=2, dtype=bool)]),
    Row("BitwiseNot", [i(3, dtype=np.int32)]),
    Row("BitShift", [i(4, low=0, high=99, dtype=np.uint8), i(4, low=0, high=5, dtype=np.uint8)], {"direction": "LEFT"}),
    Row(
        "BitShift",
        [i(4, low=0, high=99, dtype=np.uint32), i(4, low=0, high=5, dtype=np.uint32)],
        {"direction": "RIGHT"},
    ),
    Row("Gelu", [X], {"approximate": "tanh"}),
    Row("Celu", [X], {"alpha": 2.5}),
    Row("Selu", [X], {"alpha": 1.2, "gamma": 0.7}),
    Row("Shrink", [X], {"lambd": 0.6, "bias": 0.3}),
    Row("IsInf", [c(1, np.inf, -np.inf, np.nan, dtype=np.float32)], {"detect_negative": 0}),
    Row("PRelu", [X, f(3, 1)]),
    Row("Swish", [X], {"alpha": 0.7}, 24, engine="onnx"),
    Row("SwiGLU", [X, f(2, 3, 4, seed=1)], {"alpha": 0.7}, 28, engine="onnx"),
    Row("Clip", [X, s(-0.5, np.float32), s(0.5, np.float32)], constants=(1, 2)),
    Row("Clip", [X, s(-0.5, np.float32), s(0.5, np.float32)]),
    Row("Clip", [X, None, s(0.5, np.float32)], constants=(2,)),
    Row("Clip", [X], {"min": -0.3, "max": 0.2}, 6),
    Row("Clip", [np.asarray([-np.inf, 1e300, np.nan, -2], np.float64)], {}, 6, engine="onnx"),
    Row("Clip", [i(6), s(-3), s(4)], constants=(1, 2)),
    Row("Where", [i(2, 1, low=0, high=2, dtype=bool), f(2, 3), f(3, seed=1)]),
    Row("Cast", [f(5, low=-9, high=9)], {"to": 7}),
    Row("Cast", [i(5)], {"to": 1}),
    Row("Cast", [f(5)], {"to": 9}),
    Row("Cast", [f(5)], {"to": 10}),
    Row("CastLike", [f(5, low=-9, high=9), i(1, dtype=np.int32)]),
    Row("Dropout", [X], opset=13),
    Row("Dropout", [X], {"ratio": 0.4}, 10),
    Row("Softmax", [X], {"axis": 1}),
    Row("Softmax", [X], {"axis": 1}, 11),
    Row("LogSoftmax", [X], {"axis": 0}),
    Row("LogSoftmax", [X], {}, 9),
    Row("Hardmax", [X], {"axis": 1}),
    Row("Hardmax", [X], {"axis": 1}, 11),
]

# Matrix products.
ROWS += [
    Row("MatMul", [f(2, 3, 4), f(4, 5)]),
    Row("MatMul", [f(4), f(2, 4, 3)]),
    Row("MatMul", [f(2, 3, 4), f(4)]),
    Row("MatMul", [f(4), f(4, seed=1)]),
    Row("Gemm", [f(3, 2), f(4, 3), f(4)], {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2.0}),
    Row("Gemm", [f(2, 3), f(3, 4)]),
    Row("Gemm", [f(2, 3), f(3, 4), f(2, 1)]),
    Row("Einsum", [f(2, 3, 4), f(2, 4, 5)], {"equation": "bij,bjk->bik"}),
    Row("Einsum", [f(2, 4), f(2, 3, 4, 5)], {"equation": "bi,bkij->bkj"}),
    Row("Einsum", [f(3, 4)], {"equation": "ij->ji"}),
    Row("Einsum", [f(3, 3)], {"equation": "ii->i"}, engine="onnx"),
    Row("Einsum", [f(2, 3), f(4, 5)], {"equation": "ij,kl->"}),
    Row("Einsum", [f(2, 3, 4, 5), f(2, 3, 5, 6)], {"equation": "...ij,...jk"}),
    Row("Einsum", [f(3), f(3), f(3)], {"equation": "i,i,i->i"}),
    Row("Einsum", [f(2, 1, 4), f(1, 3, 4)], {"equation": "abc,abc->ab"}, engine="onnx"),
    Row("Det", [f(2, 3, 3)], tolerance=1e-4),
    Row("Det", [f(3, 3)], tolerance=1e-4),
    Row("com.microsoft:FusedMatMul", [f(2, 4, 3), f(2, 4, 5)], {"transA": 1, "alpha": 0.3}, engine="ort"),
]

# Reductions.
ROWS += [
    Row(op, [f(2, 3, 4, low=0.5), c(1, -1)], opset=18, constants=(1,))
    for op in (
        "ReduceL1",
        "ReduceL2",
        "ReduceLogSum",
        "ReduceLogSumExp",
        "ReduceMax",
        "ReduceMean",
        "ReduceMin",
        "ReduceProd",
        "ReduceSum",
        "ReduceSumSquare",
    )
]
ROWS += [
    Row(op, [f(2, 3, 4, low=0.5)], {"axes": [0, 2], "keepdims": 0}, 11)
    for op in ("ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean")
]
ROWS += [
    Row("ReduceSum", [X]),
    Row("ReduceSum", [X, c()], {"noop_with_empty_axes": 1}, constants=(1,)),
    Row("ReduceL2", [i(2, 3)], opset=18),
    Row("ReduceMean", [X, s([1])], {"keepdims": 0}, 18),
    Row("ArgMax", [i(3, 4, low=0, high=3)], {"axis": 1, "keepdims": 0}),
    Row("ArgMin", [i(3, 4, low=0, high=3)], {"axis": 0, "select_last_index": 1}),
    Row("CumSum", [f(2, 3), s(1)], {"exclusive": 1}, constants=(1,)),
    Row("CumSum", [f(2, 3), s(0)], {"reverse": 1}, constants=(1,)),
    Row("CumProd", [f(2, 3), s(-1)], {"exclusive": 1, "reverse": 1}, 26, (1,), engine="onnx"),
]

# Shapes and indices.
ROWS += [
    Row("Shape", [X], {"start": 1}),
    Row("Size", [X]),
    Row("Reshape", [X, c(0, -1)], constants=(1,)),
    Row("Reshape", [X, c(4, 6)]),
    Row("Flatten", [X], {"axis": 2}),
    Row("Flatten", [X], {"axis": 0}),
    Row("Flatten", [X], {"axis": -1}),
    Row("Transpose", [X]),
    Row("Transpose", [X], {"perm": [1, 0, 2]}),
    Row("Concat", [f(2, 3), f(2, 1)], {"axis": -1}),
    Row("Squeeze", [f(1, 3, 1), c(0)], constants=(1,)),
    Row("Squeeze", [f(1, 3, 1)]),
    Row("Squeeze", [f(1, 3, 1)], {"axes": [-1]}, 11),
    Row("Unsqueeze", [f(2, 3), c(0, -1)], constants=(1,)),
    Row("Unsqueeze", [f(2, 3)], {"axes": [1]}, 11),
    Row("Split", [f(2, 7), c(3, 4)], {"axis": 1}, constants=(1,), outputs=2),
    Row("Split", [f(7, 2)], {"num_outputs": 3}, outputs=3),
    Row("Split", [f(6)], {"split": [2, 4]}, 11, outputs=2),
    Row("Split", [f(6), c(2, 4)], outputs=2),
    Row("Slice", [f(5, 6), c(1, -3), c(9, 5), c(0, 1), c(2, 1)], constants=(1, 2, 3, 4)),
    Row("Slice", [f(5, 6), c(-1), c(-9), c(1), c(-2)], constants=(1, 2, 3, 4)),
    Row("Slice", [f(5, 6)], {"starts": [1], "ends": [-1], "axes": [1]}, 9),
    Row("Slice", [f(5, 6), c(1), c(4), c(0)], constants=(3,)),
    Row("Pad", [f(2, 3), c(0, 1, 2, 0), s(0.5, np.float32)], constants=(1, 2)),
    Row("Pad", [f(4, 5), c(1, 2, 1, 2)], {"mode": "reflect"}, constants=(1,)),
    Row("Pad", [f(4, 5), c(1, 2, 1, 2)], {"mode": "edge"}, constants=(1,)),
    Row("Pad", [f(4, 5), c(1, 2, 1, 2)], {"mode": "wrap"}, constants=(1,)),
    Row("Pad", [f(4, 5), c(-1, 2, 1, -2)], constants=(1,)),
    Row("Pad", [f(4, 5), c(2, 3), None, c(1)], constants=(1, 3)),
    Row("Pad", [f(4, 5)], {"pads": [1, 0, 0, 2], "value": 1.5}, 9),
    Row("Pad", [f(2, 3), c(0, 1, 2, 0)]),
    Row("Expand", [f(3, 1), c(2, 1, 4)], constants=(1,)),
    Row("Expand", [f(3, 1), c(3, 4)]),
    Row("Expand", [f(2, 3), c(1)], constants=(1,)),
    Row("Expand", [f(1, 3), c(2, 0, 3)], constants=(1,)),
    Row("Tile", [f(2, 3), c(2, 1)], constants=(1,)),
    Row("Tile", [f(2, 3), c(1, 3)]),
    Row("DepthToSpace", [f(1, 8, 2, 3)], {"blocksize": 2}),
    Row("DepthToSpace", [f(1, 8, 2, 3)], {"blocksize": 2, "mode": "CRD"}),
    Row("SpaceToDepth", [f(1, 2, 4, 6)], {"blocksize": 2}),
    Row("EyeLike", [f(3, 4)], {"k": 1}),
    Row("EyeLike", [f(3, 4)], {"k": -1, "dtype": 7}),
    Row("Trilu", [f(3, 4)]),
    Row("Trilu", [f(2, 3, 4), s(-1)], {"upper": 0}, constants=(1,)),
    Row("Trilu", [i(3, 3), s(1)]),
    Row("CenterCropPad", [f(5, 4), c(3, 7)], constants=(1,)),
    Row("CenterCropPad", [f(5, 4), c(8)], {"axes": [1]}, constants=(1,)),
    Row("CenterCropPad", [f(5, 4), c(3, 7)]),
    Row("ReverseSequence", [f(4, 3), c(1, 3, 4)], {"time_axis": 0, "batch_axis": 1}),
    Row("Range", [s(1.0, np.float32), s(4.5, np.float32), s(0.5, np.float32)]),
    Row("Range", [s(10), s(2), s(-3)], constants=(0, 1, 2)),
    Row("ConstantOfShape", [c(2, 3)], constants=(0,)),
    Row("ConstantOfShape", [c(2, 3)]),
    Row("Gather", [f(3, 4), i(2, 2, low=-3, high=3)], {"axis": 0}),
    Row("Gather", [f(3, 4), s(1)], {"axis": 1}),
    Row("GatherElements", [f(3, 4), i(2, 4, low=-3, high=3)], {"axis": 0}),
    Row("GatherND", [f(2, 3, 4), i(2, 1, low=0, high=3)], {"batch_dims": 1}),
    Row("GatherND", [f(2, 3, 4), i(2, 2, low=0, high=2)]),
    Row("ScatterElements", [f(3, 4), c([2, 0, 1, 2]), f(1, 4)]),
    Row("ScatterElements", [f(3, 4), c([1, 1, 1, 1]), f(1, 4)], {"reduction": "add"}, engine="onnx"),
    Row("Scatter", [f(3, 4), c([2, 0, 1, 2]), f(1, 4)], opset=9),
    Row("ScatterND", [f(4, 3), c([1], [3]), f(2, 3)]),
    Row("ScatterND", [f(4, 3), c([1], [1]), f(2, 3)], {"reduction": "mul"}, engine="onnx"),
    Row("OneHot", [i(3, low=-2, high=4), s(4), c(0.5, 2, dtype=np.float32)], {"axis": 0}, constants=(1,)),
    Row("NonZero", [i(3, 4, low=-1, high=2)]),
    Row("Compress", [f(3, 4), c(0, 1, 1, dtype=bool)], {"axis": 0}),
    Row("Compress", [f(3, 4), c(0, 1, 1, dtype=bool)]),
    Row("TopK", [f(3, 6), c(2)], {"axis": 1}, constants=(1,), outputs=2),
    Row("TopK", [f(3, 6), c(3)], {"axis": 0, "largest": 0}, outputs=2),
    Row("TopK", [f(3, 6)], {"k": 2}, 9, outputs=2),
    Row("Unique", [i(8, low=0, high=4)], outputs=4),
    Row("Unique", [i(8, low=0, high=4)], {"sorted": 0}, outputs=4),
    Row("Unique", [i(4, 2, low=0, high=2)], {"axis": 0}, outputs=4),
    Row("TensorScatter", [f(2, 5, 3), f(2, 2, 3), c(1, 4)], {"mode": "circular"}, 24, engine="onnx"),
    Row("TensorScatter", [f(2, 2, 5, 3), f(2, 2, 2, 3), c(1, 3)], {}, 24, engine="onnx"),
    Row(
        "NonMaxSuppression",
        [
            np.sort(f(1, 6, 4, low=0, high=1), -1),
            f(1, 2, 6, low=0, high=1),
            c(3),
            c(0.4, dtype=np.float32),
            c(0.1, dtype=np.float32),
        ],
        constants=(2, 3, 4),
    ),
    Row(
        "NonMaxSuppression",
        [f(1, 6, 4, low=0.1, high=1), f(1, 1, 6, low=0, high=1), c(3), c(0.4, dtype=np.float32)],
        {"center_point_box": 1},
    ),
]
