"""Tables of integers that rows are looked up in, and that products read."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper

from tests.support.onnx_models import model, value

RNG = np.random.default_rng(5)


def tied_integers(form: str, shape: tuple[int, int]) -> onnx.ModelProto:
    """Rows of a table of integers, and a product with all of it that sums integers."""
    make, width = helper.make_node, shape[1]
    dtype, zero = {"QDQ16": (np.int16, 0), "QDQ4": (np.int8, 0)}.get(form, (np.uint8, 117))
    low, high = (-8, 8) if form == "QDQ4" else (-32768, 32768) if form == "QDQ16" else (0, 256)
    q = RNG.integers(low, high, shape).astype(dtype)
    given = np.uint16 if form == "QDQ16" else np.uint8
    tensors = {"q": q, "s": np.float32(0.01), "z": dtype(zero), "sx": np.float32(0.02), "zx": given(120)}
    tensors |= {"sy": np.float32(0.7 if form != "QDQ16" else 130), "zy": given(131)}
    nodes = [make("QuantizeLinear", ["x", "sx", "zx"], ["xq"])]
    if form == "QLinearMatMul":
        names = ["xq", "sx", "zx", "qt", "s", "z", "sy", "zy"]
        nodes += [make("Transpose", ["q"], ["qt"], perm=[1, 0]), make("QLinearMatMul", names, ["y"])]
        nodes += [make("Gather", ["q", "i"], ["eq"]), make("DequantizeLinear", ["eq", "s", "z"], ["e"])]
    elif form == "MatMulInteger":
        nodes += [make("Transpose", ["q"], ["qt"], perm=[1, 0]), make("MatMulInteger", ["xq", "qt", "zx", "z"], ["y"])]
        nodes += [make("Gather", ["q", "i"], ["eq"]), make("DequantizeLinear", ["eq", "s", "z"], ["e"])]
    else:
        nodes += [make("DequantizeLinear", ["q", "s", "z"], ["w"]), make("Gather", ["w", "i"], ["e"])]
        nodes += [make("Transpose", ["w"], ["wt"], perm=[1, 0]), make("DequantizeLinear", ["xq", "sx", "zx"], ["xd"])]
        nodes += [make("MatMul", ["xd", "wt"], ["m"]), make("QuantizeLinear", ["m", "sy", "zy"], ["y"])]
    given_values = [value("i", ["b", "s"], TensorProto.INT64), value("x", ["b", width])]
    kinds = {"MatMulInteger": TensorProto.INT32, "QDQ16": TensorProto.UINT16}
    proto = model(nodes, given_values, [value("e"), value("y", None, kinds.get(form, TensorProto.UINT8))], tensors, 21)
    if form == "QDQ4":
        (old,) = (t for t in proto.graph.initializer if t.name == "q")
        old.CopyFrom(helper.make_tensor("q", TensorProto.INT4, shape, q.ravel().tolist()))
        (old,) = (t for t in proto.graph.initializer if t.name == "z")
        old.CopyFrom(helper.make_tensor("z", TensorProto.INT4, (), [0]))
    proto.ir_version = 10
    return proto
