"""Steps of optimizers: the values that variables and their slots have next.

An importer has made the variables that such an op changes its first operands and results.  The sparse forms change the
rows that `indices`, the operand behind the gradient, names: one after the other where a row may be named twice.
Source: tensorflow/core/kernels/training_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import CoreBuilder

RULES: Final = tf_rules()
_WHOLE: Final = (DType.I32, DType.I64)

Step = Callable[[CoreBuilder, SourceNode, list[Value]], list[Value]]


def _step(names: Sequence[str], slots: int, gradient: int) -> Callable[[Step], Step]:
    """Register a step of `slots` variables, whose operand `gradient` is the gradient, in its dense and sparse form."""

    def register(step: Step) -> Step:
        def dense(n: SourceNode) -> Sequence[Value]:
            return step(n, n, n.operands())

        def sparse(n: SourceNode) -> Sequence[Value]:
            operands = n.operands()
            indices = operands.pop(gradient + 1)
            if _distinct(indices):
                return _of_rows(n, n, step, operands, slots, indices)
            return _row_by_row(n, step, operands, slots, gradient, indices)

        for name in names:
            RULES.rule(f"ResourceApply{name}")(dense)
            RULES.rule(f"ResourceSparseApply{name}")(sparse)
        return step

    return register


def _distinct(indices: Value) -> bool:
    """No row is named twice, as far as is known before the run."""
    fixed = constant_array(indices)
    if fixed is not None:
        return np.unique(fixed).size == fixed.size
    if indices.tensor.size in (0, 1):
        return True
    source = indices.producer
    if isinstance(source, core.Cast):
        return source.x.tensor.dtype in _WHOLE and _distinct(source.x)
    return isinstance(source, core.Unique) and indices is source.y and source.x.tensor.rank == 1


def _of_rows(
    e: CoreBuilder, n: SourceNode, step: Step, operands: list[Value], slots: int, indices: Value
) -> list[Value]:
    """Variables after one step of the rows that distinct indices name."""
    variables = operands[:slots]
    rows = step(e, n, [*(e.gather(v, indices, 0) for v in variables), *operands[slots:]])
    places = e.expand_dims(indices, e.rank(indices))
    return [e.y(core.ScatterNd(v, places, new)) for v, new in zip(variables, rows, strict=True)]


def _row_by_row(
    n: SourceNode, step: Step, operands: list[Value], slots: int, gradient: int, indices: Value
) -> list[Value]:
    """Variables after a step of each row that indices name, one after the other: what repeats is applied again."""
    count = n.dim(indices, 0)
    limit = n.constant(count, DType.I64) if isinstance(count, int) else n.scalar(count)
    carried = [n.constant(0, DType.I64), *operands[:slots]]
    cond, body = Block([v.type for v in carried]), Block([v.type for v in carried])
    inner = CoreBuilder(Builder(cond, n.builder.location))
    inner.emit(Yield([inner.less(cond.arguments[0], limit)]))
    inner = CoreBuilder(Builder(body, n.builder.location))
    turn, *variables = body.arguments
    own = [*variables, *operands[slots:]]
    own[gradient], index = (inner.gather(x, inner.reshape(turn, [1]), 0) for x in (operands[gradient], indices))
    after = _of_rows(inner, n, step, own, slots, index)
    inner.emit(Yield([inner.add(turn, 1), *after]))
    return list(n.ys(core.While(carried, cond=Region(cond), body=Region(body)))[1:])


def _one_minus(e: CoreBuilder, x: Value) -> Value:
    return e.sub(e.asarray(1, x), x)


def _towards(e: CoreBuilder, mean: Value, x: Value, rate: Value) -> Value:
    """mean + (x - mean) * (1 - rate)."""
    return e.add(mean, e.mul(e.sub(x, mean), _one_minus(e, rate)))


def _rsqrt(e: CoreBuilder, x: Value) -> Value:
    return e.y(core.Rsqrt(x))


@_step(["GradientDescent"], 1, 2)
def gradient_descent(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """var - rate * grad."""
    var, rate, grad = operands
    return [e.sub(var, e.mul(grad, rate))]


@_step(["Momentum"], 2, 3)
def momentum(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """The rate is applied to the accumulated gradient."""
    var, accum, rate, grad, decay = operands
    accum = e.add(e.mul(accum, decay), grad)
    change = e.mul(accum, rate)
    if n.attr("use_nesterov", False):
        change = e.add(e.mul(grad, rate), e.mul(e.mul(accum, decay), rate))
    return [e.sub(var, change), accum]


@_step(["KerasMomentum"], 2, 3)
def keras_momentum(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """The rate is accumulated with the gradient."""
    var, accum, rate, grad, decay = operands
    step = e.mul(grad, rate)
    accum = e.sub(e.mul(accum, decay), step)
    change = e.sub(e.mul(accum, decay), step) if n.attr("use_nesterov", False) else accum
    return [e.add(var, change), accum]


@_step(["Adam"], 3, 9)
def adam(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """m / (sqrt(v) + epsilon), with the biases of the first steps corrected in the rate."""
    var, m, v, power1, power2, rate, beta1, beta2, epsilon, grad = operands
    m, v, rate = _moments(e, [m, v], power1, power2, rate, beta1, beta2, grad)
    mean = m
    if n.attr("use_nesterov", False):
        mean = e.add(e.mul(grad, _one_minus(e, beta1)), e.mul(m, beta1))
    return [e.sub(var, e.div(e.mul(mean, rate), e.add(e.sqrt(v), epsilon))), m, v]


@_step(["AdamWithAmsgrad"], 4, 10)
def adam_with_amsgrad(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """Adam with the largest v so far."""
    var, m, v, largest, power1, power2, rate, beta1, beta2, epsilon, grad = operands
    m, v, rate = _moments(e, [m, v], power1, power2, rate, beta1, beta2, grad)
    largest = e.maximum(largest, v)
    return [e.sub(var, e.div(e.mul(m, rate), e.add(e.sqrt(largest), epsilon))), m, v, largest]


def _moments(
    e: CoreBuilder,
    slots: list[Value],
    power1: Value,
    power2: Value,
    rate: Value,
    beta1: Value,
    beta2: Value,
    grad: Value,
) -> tuple[Value, Value, Value]:
    """The next mean and mean square, and the corrected rate."""
    rate = e.div(e.mul(rate, e.sqrt(_one_minus(e, power2))), _one_minus(e, power1))
    return _towards(e, slots[0], grad, beta1), _towards(e, slots[1], e.mul(grad, grad), beta2), rate


@_step(["AdaMax"], 3, 8)
def ada_max(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """m / (largest decayed magnitude + epsilon)."""
    var, m, v, power1, rate, beta1, beta2, epsilon, grad = operands
    m = _towards(e, m, grad, beta1)
    v = e.maximum(e.mul(beta2, v), e.y(core.Abs(grad)))
    rate = e.div(rate, _one_minus(e, power1))
    return [e.sub(var, e.mul(rate, e.div(m, e.add(v, epsilon)))), m, v]


@_step(["RMSProp"], 3, 7)
def rms_prop(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad / sqrt(mean square + epsilon), with momentum."""
    var, square, moved, rate, rho, decay, epsilon, grad = operands
    square = _towards(e, square, e.mul(grad, grad), rho)
    change = e.mul(e.mul(grad, rate), _rsqrt(e, e.add(square, epsilon)))
    moved = e.add(e.mul(moved, decay), change)
    return [e.sub(var, moved), square, moved]


@_step(["CenteredRMSProp"], 4, 8)
def centered_rms_prop(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad / sqrt(variance + epsilon), with momentum."""
    var, mean, square, moved, rate, rho, decay, epsilon, grad = operands
    square = _towards(e, square, e.mul(grad, grad), rho)
    mean = _towards(e, mean, grad, rho)
    spread = e.add(e.sub(square, e.mul(mean, mean)), epsilon)
    moved = e.add(e.mul(moved, decay), e.mul(e.mul(rate, grad), _rsqrt(e, spread)))
    return [e.sub(var, moved), mean, square, moved]


@_step(["Adagrad"], 2, 3)
def adagrad(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad / sqrt(sum of squares)."""
    var, accum, rate, grad = operands
    if n.attr("update_slots", True):
        accum = e.add(accum, e.mul(grad, grad))
    return [e.sub(var, e.mul(e.mul(grad, rate), _rsqrt(e, accum))), accum]


@_step(["AdagradV2"], 2, 4)
def adagrad_v2(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad / (sqrt(sum of squares) + epsilon)."""
    var, accum, rate, epsilon, grad = operands
    if n.attr("update_slots", True):
        accum = e.add(accum, e.mul(grad, grad))
    return [e.sub(var, e.div(e.mul(grad, rate), e.add(e.sqrt(accum), epsilon))), accum]


@_step(["Adadelta"], 3, 6)
def adadelta(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad * sqrt(mean square of changes + epsilon) / sqrt(mean square of gradients + epsilon)."""
    var, accum, changes, rate, rho, epsilon, grad = operands
    accum = e.add(e.mul(accum, rho), e.mul(e.mul(grad, grad), _one_minus(e, rho)))
    root = e.mul(e.sqrt(e.add(changes, epsilon)), _rsqrt(e, e.add(accum, epsilon)))
    change = e.mul(root, grad)
    changes = e.add(e.mul(changes, rho), e.mul(e.mul(change, change), _one_minus(e, rho)))
    return [e.sub(var, e.mul(change, rate)), accum, changes]


@_step(["Ftrl", "FtrlV2"], 3, 3)
def ftrl(e: CoreBuilder, n: SourceNode, operands: list[Value]) -> list[Value]:
    """(clip(linear, -l1, l1) - linear) / (accumulated^-power / rate + 2 * l2).  The second version has the shrinkage of
    l2 in front of the power.
    """
    var, accum, linear, grad, rate, l1, l2, *shrinkage, power = operands
    if n.attr("multiply_linear_by_lr", False):
        raise n.unsupported("multiply_linear_by_lr")
    two = e.asarray(2, var)
    shrunk = e.add(grad, e.mul(e.mul(two, shrinkage[0]), var)) if shrinkage else grad
    grown = e.add(accum, e.mul(grad, grad))
    old, new = (e.y(core.Pow(a, e.neg(power))) for a in (accum, grown))
    linear = e.sub(e.add(linear, shrunk), e.mul(e.div(e.sub(new, old), rate), var))
    inside = e.maximum(e.minimum(linear, l1), e.neg(l1))
    var = e.div(e.sub(inside, linear), e.add(e.div(new, rate), e.mul(two, l2)))
    return [var, grown, linear]
