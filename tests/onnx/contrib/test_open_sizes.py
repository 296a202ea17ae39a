"""A decoder's step whose sizes are those of its inputs: the cache grows, and its length is the mask's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.onnx.contrib.cases import compare, real, run_target
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference

HEADS, SHARED, SIZE = 4, 2, 16


def decoder() -> onnx.ModelProto:
    """GroupQueryAttention as exporters write it: both lengths come from the mask."""
    node = helper.make_node
    inputs = ["q", "k", "v", "past_k", "past_v", "last", "total", "cos", "sin"]
    attributes = {"num_heads": HEADS, "kv_num_heads": SHARED, "do_rotary": 1}
    nodes = [
        node("Shape", ["mask"], ["shape"]),
        node("Gather", ["shape", "one"], ["length"]),
        node("Cast", ["length"], ["total"], to=TensorProto.INT32),
        node("ReduceSum", ["mask", "axes"], ["sum"], keepdims=0),
        node("Sub", ["sum", "one"], ["behind"]),
        node("Cast", ["behind"], ["last"], to=TensorProto.INT32),
        node("GroupQueryAttention", inputs, ["y", "new_k", "new_v"], domain="com.microsoft", **attributes),
    ]
    rng = np.random.default_rng(0)
    tables = {"one": np.asarray(1), "axes": np.asarray([1]), "cos": real(rng, 32, 8), "sin": real(rng, 32, 8)}
    shapes = {"q": ["b", "s", HEADS * SIZE], **{key: ["b", "s", SHARED * SIZE] for key in "kv"}}
    shapes |= {key: ["b", SHARED, "c", SIZE] for key in ("past_k", "past_v")}
    values = [*(value(name, shape) for name, shape in shapes.items()), value("mask", ["b", "t"], TensorProto.INT64)]
    results = [onnx.ValueInfoProto(name=name) for name in ("y", "new_k", "new_v")]
    return model(nodes, values, results, tables, 17, domains={"com.microsoft": 1})


@pytest.mark.share(4)
@pytest.mark.parametrize("target", ["interpreter", "tflite", "native"])
def test_decoder(target: str, tmp_path: Path) -> None:
    rng, proto = np.random.default_rng(1), decoder()
    path = save(tmp_path, proto)
    for own, kept in ((1, 5), (3, 2)):
        inputs = {
            "q": real(rng, 1, own, HEADS * SIZE),
            **{name: real(rng, 1, own, SHARED * SIZE) for name in "kv"},
            **{name: real(rng, 1, SHARED, kept, SIZE) for name in ("past_k", "past_v")},
            "mask": np.ones((1, own + kept), np.int64),
        }
        if target == "interpreter":
            found = list(mlconv.load(path).run(inputs).values())
        else:
            found = run_target(path, inputs, target, tmp_path)
        for want, got in zip(run_reference(proto, inputs, "ort"), found, strict=True):
            compare(want, got, 1e-4, 0)
