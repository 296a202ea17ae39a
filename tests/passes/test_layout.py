"""Layout assignment: networks with channels first keep no transposes but those at inputs and outputs; numbers never
change.
"""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from tests.support.graphs import Graph, count, random_inputs, run_keeping_numbers

PIPELINE = "canonicalize,fold,fold-batch-norm,layout,canonicalize,fold,fold-batch-norm,canonicalize,cse,dce"


def layouts(module: Module) -> set[tuple[str, str]]:
    return {(op.x_layout, op.y_layout) for op in module.walk() if isinstance(op, core.Conv)}


def pool(g: Graph, x: Value) -> Value:
    return g.e(core.MaxPool(x, window=(2, 2), strides=(2, 2), pads=((0, 0), (0, 0)), dilations=(1, 1), layout="NC01"))


def test_residual_network() -> None:
    g = Graph((1, 3, 16, 16))
    x = g.e(core.Clamp(g.conv(g.xs[0], 8), lo=0.0, hi=np.inf))
    y = g.conv(g.e(core.Clamp(g.conv(x, 8), lo=0.0, hi=6.0)), 8)
    x = pool(g, g.e(core.Add(x, y)))
    x = g.e(core.Mul(x, g.noise(8, 1, 1)))  # constant of lower rank
    squeeze = g.e(core.ReduceMean(x, axes=(2, 3), keepdims=True))
    x = g.e(core.Mul(x, g.e(core.Sigmoid(g.conv(squeeze, 8, 1)))))
    x = g.e(core.Reshape(g.e(core.ReduceMean(x, axes=(2, 3), keepdims=True)), g.ints(1, 8)))
    module = run_keeping_numbers(g.finish(g.e(core.MatMul(x, g.noise(8, 10)))), PIPELINE)
    assert count(module, core.Transpose) == 1  # of the input
    assert layouts(module) == {("N01C", "N01C")}


def test_flatten_before_dense_moves_into_the_weights() -> None:
    g = Graph((2, 3, 8, 8))
    x = pool(g, g.conv(g.xs[0], 5))
    flat = g.e(core.Reshape(x, g.ints(2, -1)))
    module = run_keeping_numbers(g.finish(g.e(core.MatMul(flat, g.noise(80, 7)))), PIPELINE)
    assert count(module, core.Transpose) == 1
    g = Graph((2, 3, 8, 8))
    flat = g.e(core.Reshape(pool(g, g.conv(g.xs[0], 5)), g.ints(2, -1)))
    module = run_keeping_numbers(g.finish(g.e(core.MatMul(flat, g.noise(7, 80), transpose_b=True))), PIPELINE)
    assert count(module, core.Transpose) == 1


def test_unet_with_concat_resize_and_pad() -> None:
    g = Graph((1, 4, 8, 8))
    a = g.conv(g.xs[0], 6)
    b = g.conv(pool(g, a), 6)
    up = g.e(core.Resize(b, g.ints(8, 8), axes=(2, 3)))
    x = g.e(core.Concat([a, up], axis=1))
    x = g.e(core.Pad(x, g.const(np.array([[0, 0], [0, 0], [1, 0], [0, 1]])), g.const(np.float32(0))))
    x = g.e(core.Slice(x, g.ints(0, 2, 1, 0), g.ints(1, 9, 9, 9), g.ints(1, 1, 1, 1)))
    parts = g.emit(core.Split(x, sizes=(3, 4), axis=1)).results
    x = g.e(core.Concat([parts[1], parts[0]], axis=1))
    module = run_keeping_numbers(g.finish(g.conv(x, 2)), PIPELINE)
    assert count(module, core.Transpose) == 2  # input and output


def test_attention_keeps_its_transposes_few() -> None:
    g = Graph((2, 5, 12))
    heads = []
    for perm in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)):
        flat = g.e(core.MatMul(g.xs[0], g.noise(12, 12)))
        heads.append(g.e(core.Transpose(g.e(core.Reshape(flat, g.ints(2, 5, 3, 4))), perm=perm)))
    q, k, v = heads
    mixed = g.e(core.MatMul(g.e(core.Softmax(g.e(core.MatMul(q, k)), axis=3)), v))
    out = g.e(core.Reshape(g.e(core.Transpose(mixed, perm=(0, 2, 1, 3))), g.ints(2, 5, 12)))
    module = run_keeping_numbers(g.finish(out), PIPELINE)
    assert count(module, core.Transpose) <= 4


LEFT = PIPELINE.replace("layout,", "layout{left-weights=true},")


def test_attention_of_steps_first_moves_heads_alone() -> None:
    """torch's: rows of a batch go in as [s, b, e] and come back; queries, keys and values are places along an axis."""
    g = Graph((2, 7, 16))
    x = g.e(core.Tanh(g.xs[0]))
    whole = g.e(core.MatMul(g.e(core.Transpose(x, perm=(1, 0, 2))), g.noise(16, 48)))
    parts = g.e(core.Reshape(whole, g.ints(7, 2, 3, 16)))
    places = [g.e(core.Gather(parts, g.const(np.int64(i)), axis=2)) for i in range(3)]
    apart = [g.e(core.Reshape(part, g.ints(7, 2, 4, 4))) for part in places]
    q, k, v = (g.e(core.Transpose(part, perm=p)) for part, p in zip(apart, HEADS, strict=True))
    mixed = g.e(core.MatMul(g.e(core.Softmax(g.e(core.MatMul(q, k)), axis=3)), v))
    joined = g.e(core.Reshape(g.e(core.Transpose(mixed, perm=(2, 0, 1, 3))), g.ints(7, 2, 16)))
    back = g.e(core.Transpose(g.e(core.MatMul(joined, g.noise(16, 16))), perm=(1, 0, 2)))
    module = run_keeping_numbers(g.finish(g.e(core.Add(x, back))), LEFT)
    assert count(module, core.Transpose) <= 4


HEADS = ((1, 2, 0, 3), (1, 2, 3, 0), (1, 2, 0, 3))


def test_io_layout_nhwc() -> None:
    g = Graph((1, 3, 8, 8))
    module = g.finish(g.conv(g.xs[0], 4))
    x = random_inputs(module)["x0"]
    before = run_function(module.main, {"x0": x})["y0"]
    run_pipeline(module, parse_pipeline(PIPELINE.replace("layout,", "layout,io-layout,")))
    assert count(module, core.Transpose) == 0
    after = run_function(module.main, {"x0": x.transpose(0, 2, 3, 1)})["y0"]
    np.testing.assert_allclose(after.transpose(0, 3, 1, 2), before, rtol=1e-5, atol=1e-5)


UNARY = (core.Tanh, core.Sigmoid, core.Abs, core.Neg)
KINDS = "conv unary transpose add concat scale mean softmax matmul dense left split place rows slice pool".split()


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_random_graphs_keep_their_numbers(data: st.DataObject) -> None:
    """Any mix of convolutions, elementwise ops, transposes, reductions and concatenations computes the same
    afterwards.
    """
    g = Graph((2, 4, 6, 6), (2, 6, 6, 4), seed=data.draw(st.integers(0, 99)))
    values = list(g.xs)
    for _ in range(data.draw(st.integers(2, 9))):
        x = data.draw(st.sampled_from(values))
        kind = data.draw(st.sampled_from(KINDS))
        shape = x.tensor.static_shape()
        if kind == "conv":
            values.append(g.conv(x, data.draw(st.integers(1, 5)), data.draw(st.sampled_from([1, 3]))))
        elif kind == "unary":
            values.append(g.e(data.draw(st.sampled_from(UNARY))(x)))
        elif kind == "transpose":
            values.append(g.e(core.Transpose(x, perm=tuple(data.draw(st.permutations(range(4)))))))
        elif kind == "add":
            others = [v for v in values if v.tensor.shape == shape]
            values.append(g.e(core.Add(x, data.draw(st.sampled_from(others)))))
        elif kind == "concat":
            values.append(g.e(core.Concat([x, x], axis=data.draw(st.integers(0, 3)))))
        elif kind == "scale":
            values.append(
                g.e(
                    core.Mul(
                        x,
                        g.noise(
                            *data.draw(st.sampled_from([(shape[3],), (shape[1], 1, 1), (1, shape[1], 1, 1), (1,)]))
                        ),
                    )
                )
            )
        elif kind == "mean":
            axes = tuple(sorted(data.draw(st.sets(st.integers(0, 3), min_size=1, max_size=2))))
            values.append(g.e(core.ReduceMean(x, axes=axes, keepdims=True)))
        elif kind == "softmax":
            values.append(g.e(core.Softmax(x, axis=data.draw(st.integers(0, 3)))))
        elif kind == "dense":
            values.append(g.e(core.MatMul(x, g.noise(shape[3], data.draw(st.integers(1, 5))))))
        elif kind == "left":
            values.append(g.e(core.MatMul(g.noise(data.draw(st.integers(1, 5)), shape[2]), x)))
        elif kind == "split":
            values.append(g.e(core.Reshape(x, g.ints(shape[0], shape[1] * shape[2], 1, shape[3]))))
        elif kind == "place":
            axis = data.draw(st.integers(0, 3))
            place = g.const(np.int64(data.draw(st.integers(0, shape[axis] - 1))))
            taken = g.e(core.Gather(x, place, axis=axis))
            values.append(g.e(core.ExpandDims(taken, axes=(data.draw(st.integers(0, 3)),))))
        elif kind == "rows":
            axis = data.draw(st.integers(0, 3))
            places = g.e(core.ArgMax(x, axis=axis))
            at = data.draw(st.integers(0, 1))
            table = g.noise(shape[axis], 3) if not at else g.noise(3, shape[axis])
            values.append(g.e(core.Gather(table, g.e(core.Transpose(places, perm=(1, 0, 2))), axis=at)))
        elif kind == "matmul":
            first = data.draw(st.booleans())
            values.append(g.e(core.MatMul(x, x, transpose_a=first, transpose_b=not first)))
        elif kind == "slice":
            axis = data.draw(st.integers(0, 3))
            end = [n if i != axis else max(1, n - 1) for i, n in enumerate(shape)]
            values.append(g.e(core.Slice(x, g.ints(0, 0, 0, 0), g.ints(*end), g.ints(1, 1, 1, 1))))
        elif min(shape[2:]) >= 2:
            values.append(pool(g, x))
    flat = g.e(core.ReduceMax(values[-1], axes=(1,)))
    run_keeping_numbers(
        g.finish(values[-1], values[len(values) // 2], flat), data.draw(st.sampled_from([PIPELINE, LEFT]))
    )
