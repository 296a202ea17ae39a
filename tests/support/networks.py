"""Small networks of core ops, with random weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from mlconv.quantize.collect import Collector, Compile, InTurn, Run, Sample
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random

Build = Callable[[CoreBuilder, Value], Value]


def network(shape: tuple[Size, ...], build: Build) -> Module:
    """A function of one input, `x`, and one output, `y`; each op is a node of its own."""
    function = Function.create("main", [TensorType(DType.F32, shape)], ["x"], NameLocation("main"))
    builder = Builder(function.block, NameLocation("main"))
    y = build(CoreBuilder(builder), function.inputs[0])
    builder.emit(Yield([y]))
    function.output_names = ["y"]
    for i, op in enumerate(function.block.ops):
        op.location = NameLocation(f"{op.name.removeprefix('core.')}_{i}")
    return Module([function])


def collector(samples: Iterable[Sample], compile_: Compile) -> Collector:
    return Collector(lambda _: samples, InTurn(compile_))


def interpreted(module: Module) -> Run:
    return lambda inputs: run_function(module.main, inputs)


def conv(
    e: CoreBuilder,
    x: Value,
    outputs: int,
    size: int = 3,
    groups: int = 1,
    scale: np.ndarray | None = None,
    seed: int = 0,
) -> Value:
    """A convolution with padding that keeps the size.  scale: of output channels.  seed: of weights like no other's."""
    inputs = (x.tensor.shape or ())[-1]
    assert isinstance(inputs, int)
    w = random(size, size, inputs // groups, outputs, seed=outputs + size + 100 * seed)
    w = w * (1 if scale is None else scale)
    bias = random(outputs, seed=1) * (1 if scale is None else scale)
    pads = ((size // 2, size // 2),) * 2
    attributes = {"strides": (1, 1), "pads": pads, "dilations": (1, 1), "groups": groups}
    values = e.constant(w.astype(np.float32)), e.constant(bias.astype(np.float32))
    return e.y(core.Conv(x, *values, **attributes))


def relu(e: CoreBuilder, x: Value) -> Value:
    return e.clamp(x, 0.0)


def linear(e: CoreBuilder, x: Value, outputs: int, seed: int = 3) -> Value:
    inputs = (x.tensor.shape or ())[-1]
    assert isinstance(inputs, int)
    return e.add(
        e.matmul(x, e.constant(random(inputs, outputs, seed=seed))), e.constant(random(outputs, seed=seed + 1))
    )


def layer_norm(e: CoreBuilder, x: Value) -> Value:
    """Written out in primitive ops."""
    size = (x.tensor.shape or ())[-1]
    assert isinstance(size, int)
    axis = (x.tensor.rank or 1) - 1
    centred = e.sub(x, e.mean(x, (axis,), keepdims=True))
    variance = e.mean(e.mul(centred, centred), (axis,), keepdims=True)
    normal = e.div(centred, e.sqrt(e.add(variance, 1e-5)))
    return e.add(e.mul(normal, e.constant(random(size, seed=11))), e.constant(random(size, seed=12)))


def turns(e: CoreBuilder, state: Value, count: int, step: Build) -> Value:
    """A loop of `count` turns, each of which takes the state a step further."""
    start = e.constant(0, DType.I64)
    types = [start.type, state.type]
    cond, body = Block(types), Block(types)
    inner = CoreBuilder(Builder(cond, e.builder.location))
    inner.emit(Yield([inner.less(cond.arguments[0], count)]))
    inner = CoreBuilder(Builder(body, e.builder.location))
    after = step(inner, body.arguments[1])
    inner.emit(Yield([inner.add(body.arguments[0], 1), after]))
    return e.emit(core.While([start, state], cond=Region(cond), body=Region(body))).results[1]
