"""Small TensorFlow graphs whose results `gen_tf_goldens.py` records: one for each op and variant that
`legalize/from_tf` knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

RAW = tf.raw_ops
_RANDOM = np.random.default_rng(0)


class Case(NamedTuple):
    """build(*placeholders) -> tensors.  dynamic: also with placeholders of unknown sizes.  styles: control flow as TF1
    nodes (v1), as functions (v2).
    """

    name: str
    build: Callable[..., Any]
    inputs: tuple[Any, ...]
    dynamic: bool = False
    styles: tuple[str, ...] = ("v2",)


CASES: list[Case] = []


def case(
    name: str, build: Callable[..., Any], *inputs: Any, dynamic: bool = False, styles: tuple[str, ...] = ("v2",)
) -> None:
    CASES.append(Case(name, build, inputs, dynamic, styles))


def f(*shape: int, low: float = -3, high: float = 3) -> Any:
    return _RANDOM.uniform(low, high, shape).astype(np.float32)


def i(*shape: int, low: int = 0, high: int = 10, dtype: Any = np.int32) -> Any:
    return _RANDOM.integers(low, high, shape).astype(dtype)


def elementwise() -> None:
    plain = (
        "Abs Neg Sign Exp Expm1 Sin Cos Tan Atan Sinh Cosh Tanh Asinh "
        "Erf Erfc Floor Ceil Rint Round Square Reciprocal Inv Sigmoid"
    )
    for name in f"{plain} IsNan IsInf IsFinite ZerosLike OnesLike".split():
        case(name, lambda x, op=name: getattr(RAW, op)(x=x), f(3, 4), dynamic=True)
    for name in ["Log", "Log1p", "Sqrt", "Rsqrt", "Lgamma", "Digamma", "Acosh"]:
        case(name, lambda x, op=name: getattr(RAW, op)(x=x), f(3, 4, low=1.1, high=5))
    for name in ["Acos", "Asin", "Atanh"]:
        case(name, lambda x, op=name: getattr(RAW, op)(x=x), f(3, 4, low=-0.9, high=0.9))
    for name in ["Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "LeakyRelu"]:
        case(name, lambda x, op=name: getattr(RAW, op)(features=x), f(3, 4, low=-9, high=9), dynamic=True)
    for name in ["Softmax", "LogSoftmax"]:
        case(name, lambda x, op=name: getattr(RAW, op)(logits=x), f(3, 4), dynamic=True)
    both = (
        "Add AddV2 Sub Mul RealDiv Div Maximum Minimum SquaredDifference Less "
        "LessEqual Greater GreaterEqual Equal NotEqual FloorDiv FloorMod Mod"
    )
    for name in f"{both} TruncateMod DivNoNan MulNoNan Xdivy".split():
        case(name, lambda x, y, op=name: getattr(RAW, op)(x=x, y=y), f(3, 4), f(4))
    whole = ["Div", "TruncateDiv", "FloorDiv", "FloorMod", "Mod", "TruncateMod", "Maximum", "SquaredDifference"]
    for name in [*whole, "BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"]:
        case(
            f"{name} integer",
            lambda x, y, op=name: getattr(RAW, op)(x=x, y=y),
            i(3, 4, low=-9, high=9),
            i(4, low=1, high=5),
        )
    case(
        "RightShift wide",
        lambda x, y: RAW.RightShift(x=x, y=y),
        np.array([65000, 9], np.uint16),
        np.array([40, 2], np.uint16),
    )
    case("TruncateDiv", lambda x, y: RAW.TruncateDiv(x=x, y=y), f(3, 4), f(4, low=0.1, high=0.9))
    case(
        "Complex",
        lambda x, y: [RAW.SquaredDifference(x=tf.complex(x, y), y=tf.complex(y, x)), RAW.Sigmoid(x=tf.complex(x, y))],
        f(3, 4),
        f(3, 4),
    )
    case("Pow integer", lambda x, y: RAW.Pow(x=x, y=y), i(3, 4), i(4, low=1, high=5))
    case("Pow", lambda x, y: RAW.Pow(x=x, y=y), f(3, 4, low=0.1), f(4))
    case("Atan2", lambda x, y: RAW.Atan2(y=x, x=y), f(3, 4), f(4))
    case("Invert", lambda x: RAW.Invert(x=x), i(3, 4))
    zeros = np.array([0, 1, 2], np.float32)
    case(
        "Xlogy at 0",
        lambda x, y: [RAW.Xlogy(x=x, y=y), RAW.Xlog1py(x=x, y=y), RAW.DivNoNan(x=y, y=x)],
        zeros,
        np.array([0, 2, 3], np.float32),
    )
    case(
        "Logical",
        lambda x, y: [RAW.LogicalOr(x=x > 0, y=y > 0), RAW.LogicalAnd(x=x > 0, y=y > 0), RAW.LogicalNot(x=x > 0)],
        f(3, 4),
        f(4),
    )
    case(
        "AddN",
        lambda x, y: [RAW.AddN(inputs=[x, y, x]), RAW.AccumulateNV2(inputs=[x, y, x], shape=[3, 4])],
        f(3, 4),
        f(3, 4),
    )
    case("ClipByValue", lambda x: RAW.ClipByValue(t=x, clip_value_min=-1.0, clip_value_max=1.0), f(3, 4))
    case("ApproximateEqual", lambda x, y: RAW.ApproximateEqual(x=x, y=y, tolerance=0.5), f(3, 4), f(3, 4))
    case("BiasAdd", lambda x, b: RAW.BiasAdd(value=x, bias=b), f(2, 3, 4, 5), f(5), dynamic=True)
    case("BiasAdd NCHW", lambda x, b: RAW.BiasAdd(value=x, bias=b, data_format="NCHW"), f(2, 3, 4, 5), f(3))
    case("Select rows", lambda c, x, y: RAW.Select(condition=c > 0, x=x, y=y), f(3), f(3, 4), f(3, 4), dynamic=True)
    case("Select scalar", lambda c, x, y: RAW.Select(condition=c > 0, x=x, y=y), f(), f(3, 4), f(3, 4))
    case("SelectV2", lambda c, x, y: RAW.SelectV2(condition=c > 0, t=x, e=y), f(4), f(3, 4), f(3, 1))
    case(
        "Cast",
        lambda x: [tf.cast(x, d) for d in ("int32", "uint8", "int64", "bool", "float64")],
        f(3, 4, low=0, high=100),
    )
    case("Bitcast", lambda x: [RAW.Bitcast(input=x, type="int32"), RAW.Bitcast(input=x, type="uint8")], f(3, 4))
    case("Bitcast wider", lambda x: RAW.Bitcast(input=x, type="int64"), i(3, 2))
    for name in ["SigmoidGrad", "TanhGrad"]:
        case(name, lambda x, y, op=name: getattr(RAW, op)(y=x, dy=y), f(3, 4), f(3, 4))
    for name in ["ReluGrad", "Relu6Grad"]:
        case(name, lambda x, y, op=name: getattr(RAW, op)(gradients=x, features=y), f(3, 4), f(3, 4, high=9))


def shapes() -> None:
    case(
        "Shape",
        lambda x: [tf.shape(x), RAW.Shape(input=x, out_type="int64"), tf.size(x), RAW.Rank(input=x)],
        f(2, 3, 4),
        dynamic=True,
    )
    case("ShapeN", lambda x, y: RAW.ShapeN(input=[x, y]), f(2, 3, 4), f(3), dynamic=True)
    case(
        "LinSpace", lambda a, b: [RAW.LinSpace(start=a, stop=b, num=7), RAW.LinSpace(start=a, stop=b, num=1)], f(), f()
    )
    case("Range", lambda a: RAW.Range(start=a, limit=a + 10, delta=3), i())
    case("Range float", lambda a: RAW.Range(start=a, limit=a + 1, delta=0.1), f())
    short, long = np.array([1, 3], np.int32), np.array([4, 5, 1, 3], np.int32)
    case("BroadcastArgs", lambda a, b: RAW.BroadcastArgs(s0=a, s1=b), short, long, dynamic=True)
    case("BroadcastGradientArgs", lambda a, b: RAW.BroadcastGradientArgs(s0=a, s1=b), short, long, dynamic=True)
    case("BroadcastGradientArgs equal", lambda a: RAW.BroadcastGradientArgs(s0=a, s1=a), long)
    case("Squeeze", lambda x: [tf.squeeze(x, [-1]), tf.squeeze(x, [0, 2])], f(1, 3, 1, 4, 1), dynamic=True)
    case("Squeeze all", tf.squeeze, f(1, 3, 1, 4, 1))
    case(
        "Transpose",
        lambda x: [tf.transpose(x, [2, 0, 1]), RAW.Transpose(x=x, perm=[-1, -2, 0])],
        f(2, 3, 4),
        dynamic=True,
    )
    case("Transpose run time", lambda x, p: RAW.Transpose(x=x, perm=p), f(2, 3, 4), np.array([2, 0, 1], np.int32))
    case(
        "ConjugateTranspose",
        lambda x, y: RAW.ConjugateTranspose(x=tf.complex(x, y), perm=[2, 0, 1]),
        f(2, 3, 4),
        f(2, 3, 4),
    )
    case("Pack", lambda x, y: [RAW.Pack(values=[x, y], axis=a) for a in (-1, 0, -2)], f(3, 4), f(3, 4), dynamic=True)
    case("Unpack", lambda x: RAW.Unpack(value=x, num=3, axis=-2), f(2, 3, 4), dynamic=True)
    case(
        "Concat",
        lambda x, y: [RAW.ConcatV2(values=[x, y], axis=-1), RAW.Concat(concat_dim=0, values=[x, y])],
        f(3, 4),
        f(3, 4),
        dynamic=True,
    )
    case("Split", lambda x: RAW.Split(axis=-1, value=x, num_split=3), f(2, 6), dynamic=True)
    case("SplitV", lambda x: RAW.SplitV(value=x, size_splits=[1, -1, 2], axis=1, num_split=3), f(2, 6), dynamic=True)
    case(
        "SplitV run time",
        lambda x, s: RAW.SplitV(value=x, size_splits=s, axis=1, num_split=3),
        f(2, 6),
        np.array([1, 3, 2], np.int32),
    )
    case("Slice", lambda x: RAW.Slice(input=x, begin=[0, 1, 0], size=[-1, 2, 3]), f(2, 3, 4), dynamic=True)
    case(
        "Slice run time",
        lambda x, b: RAW.Slice(input=x, begin=b, size=[-1, 2, 3]),
        f(2, 3, 4),
        np.array([1, 0, 1], np.int32),
    )
    case("Tile", lambda x: RAW.Tile(input=x, multiples=[2, 3]), f(3, 4), dynamic=True)
    case(
        "Reverse",
        lambda x: [tf.reverse(x, [-1]), RAW.Reverse(tensor=x, dims=[True, False, True])],
        f(2, 3, 4),
        dynamic=True,
    )
    case("ReverseSequence", lambda x: tf.reverse_sequence(x, [2, 1], seq_axis=1, batch_axis=0), f(2, 3, 4))
    case("Roll", lambda x: [tf.roll(x, [1, -2], [0, 1]), tf.roll(x, 5, -1)], f(3, 4), dynamic=True)
    case("Roll run time", tf.roll, f(3, 4), np.array([1, -2], np.int32), np.array([0, -1], np.int32))
    case(
        "DepthToSpace", lambda x: [tf.nn.depth_to_space(x, 2), tf.nn.space_to_depth(x, 2)], f(2, 4, 6, 8), dynamic=True
    )
    case(
        "SpaceToBatch",
        lambda x: [
            tf.space_to_batch(x, [2, 3], [[1, 1], [0, 2]]),
            RAW.SpaceToBatch(input=x, paddings=[[0, 0], [1, 1]], block_size=2),
        ],
        f(2, 4, 4, 3),
        dynamic=True,
    )
    case(
        "BatchToSpace",
        lambda x: [
            tf.batch_to_space(x, [2, 2], [[1, 0], [0, 2]]),
            RAW.BatchToSpace(input=x, crops=[[0, 0], [1, 1]], block_size=2),
        ],
        f(8, 4, 4, 3),
        dynamic=True,
    )
    block, border = np.array([2, 3], np.int32), np.array([[1, 1], [0, 2]], np.int32)
    case(
        "SpaceToBatch run time",
        lambda x, b, p: RAW.SpaceToBatchND(input=x, block_shape=b, paddings=p),
        f(2, 4, 4, 3),
        block,
        border,
    )
    case(
        "BatchToSpace run time",
        lambda x, b, c: RAW.BatchToSpaceND(input=x, block_shape=b, crops=c),
        f(12, 4, 4, 3),
        block,
        border,
    )
    case("InvertPermutation", lambda x: RAW.InvertPermutation(x=x), np.array([2, 0, 1, 3], np.int32))
    case(
        "ConcatOffset",
        lambda x, y: RAW.ConcatOffset(concat_dim=1, shape=[tf.shape(x), tf.shape(y)]),
        f(3, 4),
        f(3, 5),
        dynamic=True,
    )
    case("ExpandDims", lambda x: [tf.expand_dims(x, a) for a in (-1, 0, 1)], f(3, 4), dynamic=True)
    case("ExpandDims run time", lambda x, a: RAW.ExpandDims(input=x, axis=a), f(3, 4), np.array(-2, np.int32))
    case("Fill", tf.fill, np.array([2, 3], np.int32), f())
    case("EnsureShape", lambda x: tf.ensure_shape(x, [3, None]), f(3, 4), dynamic=True)
    case(
        "Pad",
        lambda x: [
            tf.pad(x, [[1, 0], [2, 3]]),
            tf.pad(x, [[1, 0], [2, 3]], constant_values=7.0),
            tf.pad(x, [[1, 1], [2, 3]], "REFLECT"),
            tf.pad(x, [[1, 2], [2, 3]], "SYMMETRIC"),
        ],
        f(3, 4),
        dynamic=True,
    )


def strided_slices() -> None:
    new = tf.newaxis
    items: list[Callable[[Any], Any]] = [
        lambda x: x[1],
        lambda x: x[-1],
        lambda x: x[..., 1],
        lambda x: x[:, 1:],
        lambda x: x[::-1],
        lambda x: x[:, ::-2],
        lambda x: x[new],
        lambda x: x[..., new, 1:3],
        lambda x: x[0, 1, 2],
        lambda x: x[:, new, -2:],
        lambda x: x[1:2, ..., -1:],
        lambda x: x[:, -1:0:-1],
        lambda x: x[new, 1, ..., new],
        lambda x: x[100:],
        lambda x: x[:-1],
        lambda x: x[:, :, :-1:2],
        lambda x: x[:, 5:1],
    ]
    for number, item in enumerate(items):
        case(f"StridedSlice {number}", item, f(2, 3, 4), dynamic=True)
    case(
        "StridedSlice run time",
        lambda x, k: [x[k], x[:, k:], x[:, k : k + 1], x[..., k], x[-k:]],
        f(2, 3, 4),
        np.array(1, np.int32),
    )


def reductions() -> None:
    for name in ["Sum", "Mean", "Max", "Min", "Prod"]:
        op = getattr(RAW, name)
        case(
            name,
            lambda x, op=op: [op(input=x, axis=[0, -1]), op(input=x, axis=1, keep_dims=True), op(input=x, axis=[])],
            f(2, 3, 4),
            dynamic=True,
        )
        case(f"{name} integer", lambda x, op=op: op(input=x, axis=[0, -1]), i(2, 3, 4, low=-5))
    case("Any All", lambda x: [tf.reduce_any(x > 1, [0, -1]), tf.reduce_all(x > -2, [1])], f(2, 3, 4))
    axes = np.array([0, -1], np.int32)
    case(
        "Sum run time",
        lambda x, a: [RAW.Sum(input=x, axis=a), RAW.Mean(input=x, axis=a, keep_dims=True)],
        f(2, 3, 4),
        axes,
    )
    case("Norms", lambda x: [RAW.EuclideanNorm(input=x, axis=[1]), RAW.L2Loss(t=x)], f(2, 3, 4))
    case("ArgMax", lambda x: [tf.argmax(x, 1), tf.argmin(x, -1, output_type="int32")], f(2, 3, 4), dynamic=True)
    case(
        "Cumsum",
        lambda x: [
            tf.cumsum(x, 1),
            tf.cumsum(x, -1, exclusive=True),
            tf.cumsum(x, 0, reverse=True),
            tf.math.cumprod(x, 1, exclusive=True, reverse=True),
            RAW.CumulativeLogsumexp(x=x, axis=1),
        ],
        f(2, 3, 4),
        dynamic=True,
    )


def products() -> None:
    case(
        "MatMul",
        lambda x, y: [x @ y, tf.matmul(y, x, transpose_a=True, transpose_b=True)],
        f(3, 4),
        f(4, 5),
        dynamic=True,
    )
    case(
        "BatchMatMul",
        lambda x, y: [x @ y, RAW.BatchMatMulV2(x=y, y=x, adj_x=True, adj_y=True)],
        f(2, 1, 3, 4),
        f(3, 4, 5),
        dynamic=True,
    )
    case(
        "BatchMatMulV3",
        lambda x, y: RAW.BatchMatMulV3(x=x, y=y, Tout="int32"),
        i(2, 3, 4, dtype=np.int8),
        i(2, 4, 5, dtype=np.int8),
    )
    case(
        "BatchMatMul complex",
        lambda x, y: RAW.BatchMatMulV2(x=tf.complex(x, x * 2), y=tf.complex(y, -y), adj_x=True),
        f(2, 4, 3),
        f(2, 4, 5),
    )
    equations = {
        "ij,jk->ik": [(3, 4), (4, 5)],
        "bij,bjk->bik": [(2, 3, 4), (2, 4, 5)],
        "abc,cd->abd": [(2, 3, 4), (4, 5)],
        "bthd,bshd->bhts": [(2, 3, 4, 5), (2, 6, 4, 5)],
        "bhts,bshd->bthd": [(2, 4, 3, 6), (2, 6, 4, 5)],
        "abc,cde->abde": [(2, 3, 4), (4, 5, 6)],
        "...ij,...jk->...ik": [(2, 3, 4), (4, 5)],
        "ii->i": [(3, 3)],
        "ii->": [(3, 3)],
        "ij->ji": [(3, 4)],
        "ij->": [(3, 4)],
        "i,j->ij": [(3,), (4,)],
        "i,i->": [(3,), (3,)],
        "ij,ij->i": [(3, 4), (3, 4)],
        "abc,ab->ac": [(2, 3, 4), (2, 3)],
        "a...b,bc...->a...c": [(2, 3, 4), (4, 5, 3)],
        "...a->...": [(2, 3, 4)],
        "abcd,aecd->acbe": [(2, 3, 4, 5), (2, 6, 4, 5)],
        "ijk,k->ij": [(2, 3, 4), (4,)],
        "iij->j": [(3, 3, 2)],
    }
    for equation, sizes in equations.items():
        case(
            f"Einsum {equation}",
            lambda *xs, e=equation: RAW.Einsum(inputs=list(xs), equation=e),
            *(f(*s) for s in sizes),
            dynamic=True,
        )


def windows() -> None:
    for padding in ("SAME", "VALID"):
        for s in (1, 2, 3):
            two = {"strides": [1, s, s, 1], "padding": padding}
            label = f"{padding} {s}"
            case(
                f"Conv2D {label}",
                lambda x, w, k=two: RAW.Conv2D(input=x, filter=w, **k),
                f(1, 7, 8, 3),
                f(3, 2, 3, 4),
                dynamic=True,
            )
            case(
                f"Depthwise {label}",
                lambda x, w, k=two: RAW.DepthwiseConv2dNative(input=x, filter=w, **k),
                f(1, 7, 8, 3),
                f(3, 3, 3, 2),
            )
            three = {"strides": [1, s, s, s, 1], "padding": padding}
            case(
                f"Conv3D {label}",
                lambda x, w, k=three: RAW.Conv3D(input=x, filter=w, **k),
                f(1, 5, 6, 5, 2),
                f(3, 2, 3, 2, 3),
            )
            case(
                f"MaxPool {label}",
                lambda x, k=two: RAW.MaxPool(input=x, ksize=[1, 3, 2, 1], **k),
                f(1, 7, 8, 3),
                dynamic=True,
            )
            case(
                f"AvgPool {label}",
                lambda x, k=two: RAW.AvgPool(value=x, ksize=[1, 3, 2, 1], **k),
                f(1, 7, 8, 3),
                dynamic=True,
            )
            pool3 = {"ksize": [1, 3, 2, 2, 1], "strides": [1, s, s, 1, 1], "padding": padding}
            case(
                f"Pool3D {label}",
                lambda x, k=pool3: [RAW.MaxPool3D(input=x, **k), RAW.AvgPool3D(input=x, **k)],
                f(1, 5, 6, 5, 2),
            )
            case(
                f"MaxPoolWithArgmax {label}",
                lambda x, k=two: RAW.MaxPoolWithArgmax(input=x, ksize=[1, 3, 2, 1], **k),
                f(1, 7, 8, 3),
            )
            for size in ((8, 8), (9, 10), (7, 9)):
                given = [
                    -(-n // s) if padding == "SAME" else (n - k) // s + 1 for n, k in zip(size, (3, 2), strict=True)
                ]
                case(
                    f"Conv2DBackpropInput {label} {size}",
                    lambda x, w, k=two, n=size: RAW.Conv2DBackpropInput(
                        input_sizes=[1, *n, 3], filter=w, out_backprop=x, **k
                    ),
                    f(1, *given, 4),
                    f(3, 2, 3, 4),
                )
    one = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    case(
        "Conv2D dilated",
        lambda x, w: RAW.Conv2D(input=x, filter=w, dilations=[1, 2, 3, 1], **one),
        f(1, 9, 10, 3),
        f(3, 2, 3, 4),
    )
    explicit = {"strides": [1, 2, 1, 1], "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 0, 3, 0, 0]}
    case("Conv2D explicit", lambda x, w: RAW.Conv2D(input=x, filter=w, **explicit), f(1, 9, 10, 3), f(3, 2, 3, 4))
    case("Conv2D groups", lambda x, w: RAW.Conv2D(input=x, filter=w, **one), f(1, 6, 5, 4), f(3, 2, 2, 6))
    back = {"strides": [1, 2, 2, 1], "padding": "SAME"}
    case(
        "Conv2DBackpropInput run time",
        lambda n, x, w: RAW.Conv2DBackpropInput(input_sizes=n, filter=w, out_backprop=x, **back),
        np.array([1, 7, 8, 3], np.int32),
        f(1, 4, 4, 4),
        f(3, 2, 3, 4),
    )
    half = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}
    case(
        "MaxPoolWithArgmax batch",
        lambda x: RAW.MaxPoolWithArgmax(input=x, padding="VALID", include_batch_in_index=True, Targmax="int32", **half),
        f(2, 6, 6, 3),
    )
    case(
        "MaxPoolWithArgmax negative",
        lambda x: RAW.MaxPoolWithArgmax(input=x, padding="SAME", **half),
        f(1, 5, 5, 3, high=-1),
    )
    case("MaxPoolV2", lambda x: RAW.MaxPoolV2(input=x, padding="VALID", **half), f(1, 6, 6, 3))
    case(
        "MaxPool channels",
        lambda x: RAW.MaxPool(input=x, ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID"),
        f(2, 4, 4, 6),
    )
    case(
        "FusedBatchNorm",
        lambda x, s, o, m, v: RAW.FusedBatchNormV3(x=x, scale=s, offset=o, mean=m, variance=v, is_training=False)[0],
        f(2, 4, 4, 3),
        f(3),
        f(3),
        f(3),
        f(3, low=0.1),
        dynamic=True,
    )
    none = np.zeros(0, np.float32)
    case(
        "FusedBatchNorm training",
        lambda x, s, o: RAW.FusedBatchNormV3(x=x, scale=s, offset=o, mean=none, variance=none, is_training=True)[:3],
        f(2, 4, 4, 3),
        f(3),
        f(3),
        dynamic=True,
    )
    case("LRN", lambda x: RAW.LRN(input=x, depth_radius=2, bias=1.5, alpha=0.3, beta=0.7), f(2, 3, 3, 7), dynamic=True)


def indices() -> None:
    case(
        "Gather",
        lambda x, k: [tf.gather(x, k, axis=1), RAW.Gather(params=x, indices=k), tf.gather(x, k, axis=-1)],
        f(4, 5, 6),
        i(2, 3, high=4),
        dynamic=True,
    )
    case(
        "Gather batch",
        lambda x, k: [tf.gather(x, k, axis=1, batch_dims=1), tf.gather(x, k, axis=2, batch_dims=1)],
        f(2, 5, 6),
        i(2, 3, high=5),
        dynamic=True,
    )
    case("GatherNd", lambda x, k: RAW.GatherNd(params=x, indices=k), f(4, 5, 6), i(3, 2, high=4), dynamic=True)
    case(
        "ScatterNd",
        lambda k, u: RAW.ScatterNd(indices=k, updates=u, shape=[5, 4]),
        np.array([[1], [3], [1]], np.int32),
        f(3, 4),
        dynamic=True,
    )
    for name in ["Update", "Add", "Sub", "Max", "Min"]:
        op = getattr(RAW, f"TensorScatter{name}")
        case(
            f"TensorScatter{name}",
            lambda x, k, u, op=op: op(tensor=x, indices=k, updates=u),
            f(5, 4),
            np.array([[1], [3], [0]], np.int32),
            f(3, 4),
        )
    hot = np.array([[0, 4, -1], [6, 2, 1]], np.int32)
    case(
        "OneHot",
        lambda x: [tf.one_hot(x, 5, 2.0, -1.0), tf.one_hot(x, 5, 2, -1, axis=0), tf.one_hot(x, 5, True, False, axis=1)],
        hot,
        dynamic=True,
    )
    case("Where", lambda x: [tf.where(x > 0), tf.where(x)], f(3, 4), dynamic=True)
    case(
        "Unique",
        lambda x: [*RAW.Unique(x=x), *RAW.UniqueWithCounts(x=x, out_idx="int64")],
        np.array([5, 3, 5, 1, 3, 9], np.int32),
        dynamic=True,
    )
    case(
        "UniqueV2",
        lambda x: [*RAW.UniqueV2(x=x, axis=[0]), *RAW.UniqueV2(x=x, axis=[1])],
        np.array([[5, 3, 5], [1, 2, 1], [5, 3, 5]], np.int32),
    )
    case("TopK", lambda x: RAW.TopKV2(input=x, k=3), f(3, 7), dynamic=True)
    case("TopK integer", lambda x: RAW.TopKV2(input=x, k=3), i(3, 7))
    case(
        "SparseToDense",
        lambda k: RAW.SparseToDense(sparse_indices=k, output_shape=[9], sparse_values=3.0, default_value=-1.0),
        np.array([1, 3, 7], np.int32),
        dynamic=True,
    )
    case(
        "SparseToDense pairs",
        lambda k, v: RAW.SparseToDense(sparse_indices=k, output_shape=[4, 5], sparse_values=v, default_value=-1.0),
        np.array([[1, 1], [3, 0]], np.int64),
        f(2),
    )
    case("Bucketize", lambda x: RAW.Bucketize(input=x, boundaries=[-1.0, 0.0, 1.5]), f(3, 4), dynamic=True)
    case(
        "LowerBound",
        lambda a, b: [RAW.LowerBound(sorted_inputs=a, values=b), RAW.UpperBound(sorted_inputs=a, values=b)],
        np.sort(i(2, 5)),
        i(2, 3),
    )
    case(
        "InTopK",
        lambda p, t: [RAW.InTopK(predictions=p, targets=t, k=2), RAW.InTopKV2(predictions=p, targets=t, k=1)],
        f(3, 5),
        i(3, high=5),
    )
    ids = np.array([0, 0, 2, 2, 3], np.int32)
    for name in ["Sum", "Mean", "Prod", "Max", "Min"]:
        op = getattr(RAW, f"Segment{name}")
        case(f"Segment{name}", lambda x, op=op: op(data=x, segment_ids=ids), f(5, 3), dynamic=True)
    places = [3, 0, -1, 3, 1]
    for name in ["Sum", "Prod", "Max", "Min"]:
        op = getattr(RAW, f"UnsortedSegment{name}")
        case(
            f"UnsortedSegment{name}",
            lambda x, op=op: op(data=x, segment_ids=places, num_segments=5),
            f(5, 3),
            dynamic=True,
        )
        case(
            f"UnsortedSegment{name} int64",
            lambda x, op=op: op(data=x, segment_ids=places, num_segments=5),
            i(5, 3, dtype=np.int64),
        )
    case(
        "UnsortedSegment rank 2",
        lambda x: RAW.UnsortedSegmentSum(data=x, segment_ids=[[0, 1], [1, 2]], num_segments=3),
        f(2, 2, 3),
    )
    case("DynamicStitch", lambda x, y: RAW.DynamicStitch(indices=[[0, 2], [1, 3]], data=[x, y]), f(2, 3), f(2, 3))
    case("ListDiff", lambda x, y: RAW.ListDiff(x=x, y=y), i(6), i(3))
    ones = np.zeros(0, np.float32)
    case("Bincount", lambda x: RAW.Bincount(arr=x, size=5, weights=ones), i(8, high=7))
    case(
        "DenseBincount",
        lambda x: [RAW.DenseBincount(input=x, size=5, weights=ones, binary_output=b) for b in (False, True)],
        i(2, 8, high=7),
    )
    case("Bincount weights", lambda x, w: RAW.DenseBincount(input=x, size=5, weights=w), i(8, high=7), f(8))
    case(
        "Bincount run time",
        lambda x, n: RAW.DenseBincount(input=x, size=n, weights=ones),
        i(2, 8, high=7),
        np.array(5, np.int32),
    )
    case("HistogramFixedWidth", lambda x: RAW.HistogramFixedWidth(values=x, value_range=[-2.0, 2.0], nbins=5), f(20))


def sparse() -> None:
    matrix = [[1.0, 0], [0, 2], [3, 4]]
    case(
        "SparseTensorDenseMatMul",
        lambda x: tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(tf.constant(matrix)), x),
        f(2, 3),
    )
    ids, rows = np.array([0, 0, 2], np.int64), np.array([1, 5, 2], np.int64)
    for name in ["Sum", "Mean", "SqrtN"]:
        op = getattr(RAW, f"SparseSegment{name}")
        case(f"SparseSegment{name}", lambda x, op=op: op(data=x, indices=rows, segment_ids=ids), f(7, 3), dynamic=True)
    case("DynamicPartition", lambda x: tf.dynamic_partition(x, [0, 1, 0], 2), f(3, 2), dynamic=True)
    case(
        "CrossEntropy",
        lambda x, y: RAW.SoftmaxCrossEntropyWithLogits(features=x, labels=tf.nn.softmax(y)),
        f(4, 5),
        f(4, 5),
    )
    case(
        "SparseCrossEntropy",
        lambda x: RAW.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=[0, 3, 1, 4]),
        f(4, 5),
    )
    case(
        "QuantizeAndDequantize",
        lambda x: [
            tf.quantization.quantize_and_dequantize_v2(x, -2.0, 1.5, range_given=True, round_mode=m)
            for m in ("HALF_TO_EVEN", "HALF_UP")
        ],
        f(3, 4),
    )
    case("ResizeArea", lambda x: [RAW.ResizeArea(images=x, size=s) for s in ((2, 3), (3, 4), (7, 8))], f(1, 4, 6, 2))


def matrices() -> None:
    for align in ("LEFT_LEFT", "RIGHT_LEFT", "LEFT_RIGHT", "RIGHT_RIGHT"):
        case(
            f"MatrixDiag {align}",
            lambda d, a=align: RAW.MatrixDiagV3(
                diagonal=d, k=[-1, 1], num_rows=4, num_cols=4, padding_value=9.0, align=a
            ),
            f(2, 3, 4),
        )
        case(
            f"MatrixDiagPart {align}",
            lambda x, a=align: [RAW.MatrixDiagPartV3(input=x, k=k, padding_value=9.0, align=a) for k in ([-2, 1], 1)],
            f(2, 4, 5),
        )
        case(
            f"MatrixSetDiag {align}",
            lambda x, d, a=align: RAW.MatrixSetDiagV3(input=x, diagonal=d, k=[-1, 1], align=a),
            f(2, 4, 5),
            f(2, 3, 4),
        )
    case(
        "MatrixDiag offsets",
        lambda x: [
            RAW.MatrixDiagV2(diagonal=x, k=1, num_rows=-1, num_cols=-1, padding_value=0.0),
            RAW.MatrixDiagV3(diagonal=x, k=-2, num_rows=6, num_cols=5, padding_value=0.0),
        ],
        f(2, 4),
    )
    case("MatrixDiag", lambda x: RAW.MatrixDiag(diagonal=x), f(2, 4), dynamic=True)
    case("MatrixDiagPart", lambda x: RAW.MatrixDiagPart(input=x), f(2, 4, 5))
    case("MatrixSetDiag", lambda x, d: RAW.MatrixSetDiag(input=x, diagonal=d), f(2, 4, 5), f(2, 4), dynamic=True)
    case("Diag", lambda x: [RAW.Diag(diagonal=x), RAW.DiagPart(input=RAW.Diag(diagonal=x))], f(2, 3))
    case(
        "MatrixBandPart",
        lambda x: [tf.linalg.band_part(x, 1, -1), tf.linalg.band_part(x, 0, 2)],
        f(2, 4, 5),
        dynamic=True,
    )
    case("Cross", lambda x, y: RAW.Cross(a=x, b=y), f(2, 3), f(2, 3))


def images() -> None:
    for corners, half in ((False, False), (True, False), (False, True)):
        for size in ((7, 9), (3, 2), (5, 6), (1, 1), (10, 12)):
            flags = {"size": size, "align_corners": corners, "half_pixel_centers": half}
            label = f"{'corners' if corners else 'half' if half else 'plain'} {size}"
            case(
                f"ResizeBilinear {label}",
                lambda x, k=flags: RAW.ResizeBilinear(images=x, **k),
                f(1, 5, 6, 2),
                dynamic=True,
            )
            case(f"ResizeNearest {label}", lambda x, k=flags: RAW.ResizeNearestNeighbor(images=x, **k), f(1, 5, 6, 2))
            case(f"ResizeBicubic {label}", lambda x, k=flags: RAW.ResizeBicubic(images=x, **k), f(1, 5, 6, 2))
    case("ResizeBilinear uint8", lambda x: RAW.ResizeBilinear(images=x, size=(7, 9)), i(2, 5, 6, 3, dtype=np.uint8))
    case(
        "ResizeBilinear run time",
        lambda x, s: RAW.ResizeBilinear(images=x, size=s),
        f(2, 5, 6, 3),
        np.array([8, 4], np.int32),
    )
    boxes = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], [0.9, 0.8, 0.1, 0.2], [-0.5, -0.2, 1.3, 1.1]], np.float32)
    for method in ("bilinear", "nearest"):
        for size in ((4, 5), (1, 3)):
            rest = {"box_ind": [0, 1, 0, 1], "crop_size": size, "method": method, "extrapolation_value": 5.0}
            case(
                f"CropAndResize {method} {size}",
                lambda x, b, k=rest: RAW.CropAndResize(image=x, boxes=b, **k),
                f(2, 6, 7, 3),
                boxes,
                dynamic=True,
            )
    corners_ = np.concatenate([f(20, 2, low=0, high=0.5), f(20, 2, low=0.5, high=1)], 1)
    limits = {"max_output_size": 9, "iou_threshold": 0.4}
    case(
        "NonMaxSuppression",
        lambda b, s: [
            RAW.NonMaxSuppression(boxes=b, scores=s, **limits),
            RAW.NonMaxSuppressionV2(boxes=b, scores=s, **limits),
            RAW.NonMaxSuppressionV3(boxes=b, scores=s, score_threshold=0.1, **limits),
            *RAW.NonMaxSuppressionV4(boxes=b, scores=s, score_threshold=0.5, pad_to_max_output_size=True, **limits),
            *RAW.NonMaxSuppressionV5(boxes=b, scores=s, score_threshold=0.1, soft_nms_sigma=0.0, **limits),
        ],
        corners_,
        f(20, low=0, high=1),
        dynamic=True,
    )
    patch = {"ksizes": [1, 3, 2, 1], "strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1]}
    case(
        "ExtractImagePatches",
        lambda x: [RAW.ExtractImagePatches(images=x, padding=p, **patch) for p in ("SAME", "VALID")],
        f(1, 7, 8, 3),
    )
    case("RGBToHSV", lambda x: RAW.RGBToHSV(images=x), f(2, 4, 3, low=0, high=1))
    case("AdjustContrast", lambda x: RAW.AdjustContrastv2(images=x, contrast_factor=1.5), f(2, 4, 4, 3))


def signals() -> None:
    case(
        "RFFT",
        lambda x: [RAW.RFFT(input=x, fft_length=[n]) for n in (8, 9, 7)] + [RAW.RFFT2D(input=x, fft_length=[2, 8])],
        f(2, 3, 9),
    )
    case("RFFT3D", lambda x: RAW.RFFT3D(input=x, fft_length=[2, 3, 6]), f(2, 3, 9))
    case(
        "IRFFT",
        lambda x, y: (
            [RAW.IRFFT(input=tf.complex(x, y), fft_length=[n]) for n in (8, 7, 5)]
            + [RAW.IRFFT2D(input=tf.complex(x, y), fft_length=[4, 8])]
        ),
        f(2, 4, 5),
        f(2, 4, 5),
    )
    case(
        "FFT",
        lambda x, y: [
            op(input=tf.complex(x, y))
            for op in (RAW.FFT, RAW.IFFT2D, RAW.FFT3D, RAW.Angle, RAW.Real, RAW.Imag, RAW.Conj)
        ],
        f(2, 4, 5),
        f(2, 4, 5),
    )
    case("ComplexAbs", lambda x, y: RAW.ComplexAbs(x=tf.complex(x, y)), f(2, 4), f(2, 4))
    case(
        "AudioSpectrogram",
        lambda x: [
            RAW.AudioSpectrogram(input=x, window_size=64, stride=32),
            RAW.AudioSpectrogram(input=x, window_size=50, stride=20, magnitude_squared=True),
        ],
        f(200, 2),
    )
    case("Mfcc", lambda x: RAW.Mfcc(spectrogram=x, sample_rate=16000, dct_coefficient_count=10), f(1, 2, 257, low=0))
    case(
        "Mfcc limits",
        lambda x: RAW.Mfcc(
            spectrogram=x,
            sample_rate=8000,
            upper_frequency_limit=3800,
            lower_frequency_limit=100,
            filterbank_channel_count=20,
        ),
        f(1, 2, 129, low=0),
    )
    case(
        "FakeQuant",
        lambda x: [
            RAW.FakeQuantWithMinMaxArgs(inputs=x, min=-2.5, max=3.1),
            RAW.FakeQuantWithMinMaxVars(inputs=x, min=-2.5, max=3.1, num_bits=4, narrow_range=True),
            RAW.FakeQuantWithMinMaxVarsPerChannel(inputs=x, min=[-1.0, -2.0, 0.0], max=[1.0, 2.0, 3.0]),
        ],
        f(4, 3),
    )


def cells() -> None:
    peepholes = {"wci": f(4), "wcf": f(4), "wco": f(4)}
    for options in (
        {"use_peephole": False, "forget_bias": 1.0},
        {"use_peephole": True, "forget_bias": 0.5, "cell_clip": 0.4},
    ):
        case(
            f"LSTMBlockCell {options['use_peephole']}",
            lambda x, c, h, w, b, k=options: RAW.LSTMBlockCell(x=x, cs_prev=c, h_prev=h, w=w, b=b, **peepholes, **k),
            f(2, 3),
            f(2, 4),
            f(2, 4),
            f(7, 16),
            f(16),
        )
        case(
            f"BlockLSTM {options['use_peephole']}",
            lambda x, c, h, w, b, k=options: RAW.BlockLSTM(
                seq_len_max=tf.constant(4, tf.int64), x=x, cs_prev=c, h_prev=h, w=w, b=b, **peepholes, **k
            ),
            f(5, 2, 3),
            f(2, 4),
            f(2, 4),
            f(7, 16),
            f(16),
        )
    case(
        "BlockLSTMV2",
        lambda x, c, h, w, b: RAW.BlockLSTMV2(
            seq_len_max=tf.constant(5, tf.int64), x=x, cs_prev=c, h_prev=h, w=w, b=b, **peepholes
        ),
        f(5, 2, 3),
        f(2, 4),
        f(2, 4),
        f(7, 16),
        f(16),
    )
    case(
        "GRUBlockCell",
        lambda x, h, a, b, c, d: RAW.GRUBlockCell(x=x, h_prev=h, w_ru=a, w_c=b, b_ru=c, b_c=d),
        f(2, 3),
        f(2, 4),
        f(7, 8),
        f(7, 4),
        f(8),
        f(4),
    )


for _add in (
    cells,
    sparse,
    elementwise,
    shapes,
    strided_slices,
    reductions,
    products,
    windows,
    indices,
    matrices,
    images,
    signals,
):
    _add()
