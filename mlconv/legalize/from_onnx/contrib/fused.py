"""What ONNX Runtime's graph optimizations make of pairs of operators: products and convolutions with an activation, a
bias and a softmax or a dropout.

Source: ONNX Runtime, docs/ContribOperators.md, contrib_ops/cpu: fused_conv.cc, fused_gemm.cc, fused_activation.cc, and
core/providers/cpu/math/matmul.cc, matmul_helper.h.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.conv import conv_of
from mlconv.legalize.from_onnx.matmul import gemm, matmul_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite import constant_array

RULES = OnnxRules()

_Make = Callable[..., Value]
_ACTIVATIONS: Final[dict[str, tuple[int, _Make]]] = {
    "": (0, lambda n, y: y),
    "Identity": (0, lambda n, y: y),
    "Relu": (0, lambda n, y: n.clamp(y, 0.0, math.inf)),
    "Sigmoid": (0, lambda n, y: n.sigmoid(y)),
    "Tanh": (0, lambda n, y: n.tanh(y)),
    "Softplus": (0, lambda n, y: n.y(core.Softplus(y))),
    "Softsign": (0, lambda n, y: n.div(y, n.add(n.y(core.Abs(y)), 1))),
    "HardSwish": (0, lambda n, y: n.y(core.HardSwish(y))),
    "LeakyRelu": (1, lambda n, y, alpha: n.y(core.LeakyRelu(y, alpha=alpha))),
    "Elu": (1, lambda n, y, alpha: n.y(core.Elu(y, alpha=alpha))),
    "Celu": (
        1,
        lambda n, y, alpha: n.where(n.less(y, 0), n.mul(n.y(core.Expm1(n.div(y, alpha))), alpha), y),
    ),
    "ThresholdedRelu": (1, lambda n, y, alpha: n.where(n.less(alpha, y), y, 0.0)),
    "Clip": (2, lambda n, y, low, high: n.clamp(y, low, high)),
    "HardSigmoid": (2, lambda n, y, alpha, beta: n.clamp(n.add(n.mul(y, alpha), beta), 0.0, 1.0)),
    "Selu": (2, lambda n, y, alpha, gamma: n.mul(n.y(core.Elu(y, alpha=alpha)), gamma)),
}
"""Activation: how many numbers it takes, and what it does with them."""

_DEFAULTS: Final = {"LeakyRelu": (0.01,), "Elu": (1.0,), "Celu": (1.0,), "HardSigmoid": (0.2, 0.5)}


def activated(n: Node, y: Value) -> Value:
    """y after the attribute `activation`, whose numbers stand in `activation_params` or have names of their own."""
    name = n.s("activation", "")
    if name not in _ACTIVATIONS:
        raise n.refuse(f"the fused activation {name!r} is not supported, only {', '.join(_ACTIVATIONS).strip(', ')}")
    count, make = _ACTIVATIONS[name]
    second = "activation_gamma" if name == "Selu" else "activation_beta"
    named = tuple(n.f(key) for key in ("activation_alpha", second)[:count] if n.has(key))
    numbers = (n.floats("activation_params", ()) or named)[:count] or _DEFAULTS.get(name, ())
    if len(numbers) != count:
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: {len(numbers)} parameters of the activation {name}, expected {count}"
        )
    return make(n, y, *numbers)


@RULES.rule("FusedConv", domain=DOMAIN)
def fused_conv(n: Node) -> Value:
    """Conv, plus an addend, then an activation."""
    y = conv_of(n, n.x(0), n.x(1), n.opt(2))
    addend = n.opt(3)
    return activated(n, y if addend is None else n.add(y, addend))


@RULES.rule("FusedGemm", domain=DOMAIN)
def fused_gemm(n: Node) -> Value:
    return activated(n, gemm(n))


@RULES.rule("FusedMatMul", domain=DOMAIN)
@RULES.rule("TransposeMatMul", domain=DOMAIN)
def fused_matmul(n: Node) -> Value:
    """alpha * a' b', where a' and b' have their last two axes exchanged, or before that their first one moved to the
    last but one (transBatch).
    """
    a, b = (_moved(n, n.x(i), n.flag(f"transBatch{side}"), n.flag(f"trans{side}")) for i, side in enumerate("AB"))
    y = matmul_of(n, a, b)
    alpha = n.f("alpha", 1.0)
    return y if alpha == 1.0 else n.mul(y, alpha)


def _moved(n: Node, x: Value, batch: bool, last: bool) -> Value:
    """A vector stays as it is."""
    rank = n.rank(x)
    perm = list(range(rank))
    if batch and rank > 2:
        perm = [*range(1, rank - 1), 0, rank - 1]
    if last and rank > 1:
        perm[-2:] = reversed(perm[-2:])
    return n.transpose(x, perm)


@RULES.rule("GemmFastGelu", domain=DOMAIN)
def gemm_fast_gelu(n: Node) -> Value:
    y, bias = matmul_of(n, n.x(0), n.x(1)), n.opt(2)
    return n.y(core.Gelu(y if bias is None else n.add(y, bias), approximate=True))


@RULES.rule("BiasSoftmax", domain=DOMAIN)
def bias_softmax(n: Node) -> Value:
    """Softmax of a sum, over all axes from `axis` on; the addend broadcasts, wherever its axes of 1 stand."""
    x = n.add(n.x(0), n.x(1))
    rank = n.rank(x)
    axis = n.axis(n.i("axis", 1), rank)
    if axis == rank - 1:
        return n.y(core.Softmax(x, axis=axis))
    sizes = n.dims(x)
    flat = n.reshape(x, [*sizes[:axis], n.prod(sizes[axis:])])
    return n.reshape(n.y(core.Softmax(flat, axis=axis)), sizes)


@RULES.rule("BiasDropout", domain=DOMAIN)
def bias_dropout(n: Node) -> list[Value | None]:
    """Data plus bias plus residual: nothing is dropped but in training."""
    training = n.opt(4)
    known = constant_array(training)
    if training is not None and (known is None or known.any()):
        raise n.refuse("training_mode is set, or is not known: elements are dropped at random")
    y = n.add(n.x(0), n.x(1))
    residual = n.opt(2)
    mask = n.broadcast_to(n.constant(True, DType.BOOL), n.shape_of(y)) if n.used(1) else None
    return [y if residual is None else n.add(y, residual), mask]
