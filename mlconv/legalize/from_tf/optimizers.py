"""Steps of optimizers: the values that variables and their slots have next.

An importer has made the variables that such an op changes its first operands and results.  The sparse forms change the
rows that `indices`, the operand behind the gradient, names: each once, since optimizers sum what repeats before.
Source: tensorflow/core/kernels/training_ops.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()

Step = Callable[[SourceNode, list[Value]], list[Value]]


def _step(names: Sequence[str], slots: int, gradient: int) -> Callable[[Step], Step]:
    """Register a step of `slots` variables, whose operand `gradient` is the gradient, in its dense and sparse form."""

    def register(step: Step) -> Step:
        def dense(n: SourceNode) -> Sequence[Value]:
            return step(n, n.operands())

        def sparse(n: SourceNode) -> Sequence[Value]:
            operands = n.operands()
            indices = operands.pop(gradient + 1)
            variables = operands[:slots]
            rows = step(n, [*(n.gather(v, indices, 0) for v in variables), *operands[slots:]])
            places = n.expand_dims(indices, n.rank(indices))
            return [n.y(core.ScatterNd(v, places, new)) for v, new in zip(variables, rows, strict=True)]

        for name in names:
            RULES.rule(f"ResourceApply{name}")(dense)
            RULES.rule(f"ResourceSparseApply{name}")(sparse)
        return step

    return register


def _one_minus(n: SourceNode, x: Value) -> Value:
    return n.sub(n.asarray(1, x), x)


def _towards(n: SourceNode, mean: Value, x: Value, rate: Value) -> Value:
    """mean + (x - mean) * (1 - rate)."""
    return n.add(mean, n.mul(n.sub(x, mean), _one_minus(n, rate)))


def _rsqrt(n: SourceNode, x: Value) -> Value:
    return n.y(core.Rsqrt(x))


@_step(["GradientDescent"], 1, 2)
def gradient_descent(n: SourceNode, operands: list[Value]) -> list[Value]:
    """var - rate * grad."""
    var, rate, grad = operands
    return [n.sub(var, n.mul(grad, rate))]


@_step(["Momentum"], 2, 3)
def momentum(n: SourceNode, operands: list[Value]) -> list[Value]:
    """The rate is applied to the accumulated gradient."""
    var, accum, rate, grad, decay = operands
    accum = n.add(n.mul(accum, decay), grad)
    change = n.mul(accum, rate)
    if n.attr("use_nesterov", False):
        change = n.add(n.mul(grad, rate), n.mul(n.mul(accum, decay), rate))
    return [n.sub(var, change), accum]


@_step(["KerasMomentum"], 2, 3)
def keras_momentum(n: SourceNode, operands: list[Value]) -> list[Value]:
    """The rate is accumulated with the gradient."""
    var, accum, rate, grad, decay = operands
    step = n.mul(grad, rate)
    accum = n.sub(n.mul(accum, decay), step)
    change = n.sub(n.mul(accum, decay), step) if n.attr("use_nesterov", False) else accum
    return [n.add(var, change), accum]


@_step(["Adam"], 3, 9)
def adam(n: SourceNode, operands: list[Value]) -> list[Value]:
    """m / (sqrt(v) + epsilon), with the biases of the first steps corrected in the rate."""
    var, m, v, power1, power2, rate, beta1, beta2, epsilon, grad = operands
    m, v, rate = _moments(n, operands[1:3], power1, power2, rate, beta1, beta2, grad)
    mean = m
    if n.attr("use_nesterov", False):
        mean = n.add(n.mul(grad, _one_minus(n, beta1)), n.mul(m, beta1))
    return [n.sub(var, n.div(n.mul(mean, rate), n.add(n.sqrt(v), epsilon))), m, v]


@_step(["AdamWithAmsgrad"], 4, 10)
def adam_with_amsgrad(n: SourceNode, operands: list[Value]) -> list[Value]:
    """Adam with the largest v so far."""
    var, m, v, largest, power1, power2, rate, beta1, beta2, epsilon, grad = operands
    m, v, rate = _moments(n, [m, v], power1, power2, rate, beta1, beta2, grad)
    largest = n.maximum(largest, v)
    return [n.sub(var, n.div(n.mul(m, rate), n.add(n.sqrt(largest), epsilon))), m, v, largest]


def _moments(
    n: SourceNode,
    slots: list[Value],
    power1: Value,
    power2: Value,
    rate: Value,
    beta1: Value,
    beta2: Value,
    grad: Value,
) -> tuple[Value, Value, Value]:
    """The next mean and mean square, and the corrected rate."""
    rate = n.div(n.mul(rate, n.sqrt(_one_minus(n, power2))), _one_minus(n, power1))
    return _towards(n, slots[0], grad, beta1), _towards(n, slots[1], n.mul(grad, grad), beta2), rate


@_step(["AdaMax"], 3, 8)
def ada_max(n: SourceNode, operands: list[Value]) -> list[Value]:
    """m / (largest decayed magnitude + epsilon)."""
    var, m, v, power1, rate, beta1, beta2, epsilon, grad = operands
    m = _towards(n, m, grad, beta1)
    v = n.maximum(n.mul(beta2, v), n.y(core.Abs(grad)))
    rate = n.div(rate, _one_minus(n, power1))
    return [n.sub(var, n.mul(rate, n.div(m, n.add(v, epsilon)))), m, v]


@_step(["RMSProp"], 3, 7)
def rms_prop(n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad / sqrt(mean square + epsilon), with momentum."""
    var, square, moved, rate, rho, decay, epsilon, grad = operands
    square = _towards(n, square, n.mul(grad, grad), rho)
    change = n.mul(n.mul(grad, rate), _rsqrt(n, n.add(square, epsilon)))
    moved = n.add(n.mul(moved, decay), change)
    return [n.sub(var, moved), square, moved]


@_step(["CenteredRMSProp"], 4, 8)
def centered_rms_prop(n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad / sqrt(variance + epsilon), with momentum."""
    var, mean, square, moved, rate, rho, decay, epsilon, grad = operands
    square = _towards(n, square, n.mul(grad, grad), rho)
    mean = _towards(n, mean, grad, rho)
    spread = n.add(n.sub(square, n.mul(mean, mean)), epsilon)
    moved = n.add(n.mul(moved, decay), n.mul(n.mul(rate, grad), _rsqrt(n, spread)))
    return [n.sub(var, moved), mean, square, moved]


@_step(["Adagrad"], 2, 3)
def adagrad(n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad / sqrt(sum of squares)."""
    var, accum, rate, grad = operands
    if n.attr("update_slots", True):
        accum = n.add(accum, n.mul(grad, grad))
    return [n.sub(var, n.mul(n.mul(grad, rate), _rsqrt(n, accum))), accum]


@_step(["AdagradV2"], 2, 4)
def adagrad_v2(n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad / (sqrt(sum of squares) + epsilon)."""
    var, accum, rate, epsilon, grad = operands
    if n.attr("update_slots", True):
        accum = n.add(accum, n.mul(grad, grad))
    return [n.sub(var, n.div(n.mul(grad, rate), n.add(n.sqrt(accum), epsilon))), accum]


@_step(["Adadelta"], 3, 6)
def adadelta(n: SourceNode, operands: list[Value]) -> list[Value]:
    """grad * sqrt(mean square of changes + epsilon) / sqrt(mean square of gradients + epsilon)."""
    var, accum, changes, rate, rho, epsilon, grad = operands
    accum = n.add(n.mul(accum, rho), n.mul(n.mul(grad, grad), _one_minus(n, rho)))
    root = n.mul(n.sqrt(n.add(changes, epsilon)), _rsqrt(n, n.add(accum, epsilon)))
    change = n.mul(root, grad)
    changes = n.add(n.mul(changes, rho), n.mul(n.mul(change, change), _one_minus(n, rho)))
    return [n.sub(var, n.mul(change, rate)), accum, changes]


@_step(["Ftrl", "FtrlV2"], 3, 3)
def ftrl(n: SourceNode, operands: list[Value]) -> list[Value]:
    """(clip(linear, -l1, l1) - linear) / (accumulated^-power / rate + 2 * l2).  The second version has the shrinkage of
    l2 in front of the power.
    """
    var, accum, linear, grad, rate, l1, l2, *shrinkage, power = operands
    if n.attr("multiply_linear_by_lr", False):
        raise n.unsupported("multiply_linear_by_lr")
    two = n.asarray(2, var)
    shrunk = n.add(grad, n.mul(n.mul(two, shrinkage[0]), var)) if shrinkage else grad
    grown = n.add(accum, n.mul(grad, grad))
    old, new = (n.y(core.Pow(a, n.neg(power))) for a in (accum, grown))
    linear = n.sub(n.add(linear, shrunk), n.mul(n.div(n.sub(new, old), rate), var))
    inside = n.maximum(n.minimum(linear, l1), n.neg(l1))
    var = n.div(n.sub(inside, linear), n.add(n.div(new, rate), n.mul(two, l2)))
    return [var, grown, linear]
