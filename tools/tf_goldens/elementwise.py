"""Ops that work on each element alone."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from tf_goldens.case import RAW, case, f, i


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
