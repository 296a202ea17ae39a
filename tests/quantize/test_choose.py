"""Which ops compute with integers."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.quantize.choose import Choice, choose
from mlconv.quantize.portable import PORTABLE, lacks_of
from mlconv.quantize.scheme import SCHEMES, Scheme
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.networks import Build, conv, layer_norm, linear, network, relu


def chosen(build: Build, shape: tuple[int, ...] = (1, 4, 6, 8), floats: str = "") -> tuple[list[str], Choice]:
    """Names of the ops that compute with integers.  floats: type of ops that are to stay floats."""
    schemes = {True: SCHEMES["float"], False: SCHEMES["int8"]}

    def scheme_of(op: Op) -> Scheme:
        return schemes[op.name == f"core.{floats}"]

    choice = choose(network(shape, build).main, scheme_of, lacks_of(PORTABLE))
    return [op.name.removeprefix("core.") for op in choice.integers], choice


def test_a_network_of_convolutions_is_integers_throughout() -> None:
    def build(e: CoreBuilder, x: Value) -> Value:
        y = relu(e, conv(e, x, 8))
        y = relu(e, e.add(y, conv(e, y, 8)))
        y = e.mean(y, (1, 2))
        return e.y(core.Softmax(linear(e, y, 5), axis=1))

    names, choice = chosen(build)
    assert names == ["conv", "conv", "add", "reduce_mean", "matmul", "softmax"]
    assert sorted(op.name for op in choice.fused) == ["core.add", "core.clamp", "core.clamp"]


def test_normalization_in_primitive_ops_is_an_island() -> None:
    names, choice = chosen(lambda e, x: linear(e, layer_norm(e, linear(e, x, 8)), 4))
    assert names == ["matmul", "matmul"]
    assert {op.name for op in choice.reasons} >= {"core.sub", "core.reduce_mean"}


def test_masked_softmax_is_an_island() -> None:
    def build(e: CoreBuilder, x: Value) -> Value:
        scores = e.matmul(linear(e, x, 8), linear(e, x, 8, seed=5), transpose_b=True)
        mask = np.triu(np.full((6, 6), -1e9, np.float32), 1)
        shares = e.y(core.Softmax(e.add(e.mul(scores, 0.25), e.constant(mask)), axis=3))
        return e.matmul(shares, linear(e, x, 8, seed=9))

    names, _ = chosen(build)
    assert names == ["matmul"] * 5


def test_movement_follows_what_it_moves() -> None:
    def build(e: CoreBuilder, x: Value) -> Value:
        first = e.transpose(x, (0, 2, 1, 3))
        y = conv(e, first, 4)
        return e.concat([e.reshape(y, [1, -1]), e.reshape(relu(e, conv(e, y, 4)), [1, -1])], 1)

    names, _ = chosen(build)
    assert names == ["conv", "reshape", "conv", "reshape", "concat"]


def test_parts_of_integers_are_integers() -> None:
    """What a split gives is added, gated and joined, as in residual blocks of halves of the channels."""

    def build(e: CoreBuilder, x: Value) -> Value:
        halves = e.emit(core.Split(relu(e, conv(e, x, 8)), sizes=(4, 4), axis=3)).ys
        y = e.add(halves[1], conv(e, halves[1], 4))
        return conv(e, e.concat([e.mul(halves[0], e.sigmoid(y)), y, halves[0]], 3), 4)

    names, choice = chosen(build)
    assert names == ["conv", "conv", "add", "sigmoid", "mul", "concat", "conv"]
    assert list(choice.reasons.values()) == []


def test_parts_that_floats_read_are_floats() -> None:
    def build(e: CoreBuilder, x: Value) -> Value:
        y = conv(e, x, 8)
        halves = e.emit(core.Split(e.add(y, y), sizes=(4, 4), axis=3)).ys
        return conv(e, layer_norm(e, e.sub(halves[0], halves[1])), 4)

    names, _ = chosen(build)
    assert names == ["conv", "conv"]


def test_constants_are_joined_to_integers_where_integers_read_them() -> None:
    """A token of a class is small next to an image, and has few steps of their common scale."""

    def joined(e: CoreBuilder, x: Value) -> Value:
        token = e.constant(np.full((1, 4, 1, 8), 0.02, np.float32))
        return e.concat([token, linear(e, x, 8)], 2)

    names, choice = chosen(lambda e, x: linear(e, layer_norm(e, joined(e, x)), 4))
    assert names == ["matmul", "matmul"] and "core.concat" in {op.name for op in choice.reasons}
    names, _ = chosen(lambda e, x: linear(e, joined(e, x), 4))
    assert names == ["matmul", "concat", "matmul"]


def test_rules_keep_ops_in_floats() -> None:
    def build(e: CoreBuilder, x: Value) -> Value:
        y = conv(e, x, 8)
        return conv(e, e.mul(y, relu(e, conv(e, y, 8))), 2)

    assert chosen(build)[0] == ["conv", "conv", "mul", "conv"]
    names, choice = chosen(build, floats="mul")
    assert names == ["conv", "conv", "conv"]
    assert list(choice.reasons.values()) == ["its scheme is float"]
