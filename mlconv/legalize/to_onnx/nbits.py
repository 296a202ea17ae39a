"""Products with weights of 4 bits in blocks, as ONNX Runtime's own operator.

Source: ONNX Runtime, docs/ContribOperators.md, com.microsoft.MatMulNBits: B is [N, blocks of K, bytes of a block], the
element with the lower index in the low half; scales are [N, blocks], zero points [N, blocks] packed alike, 8 where
there are none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.legalize.to_onnx.builder import OnnxBuilder
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, Rules

FIRST = Rules()

_MIDDLE = 8  # the zero point of unsigned elements where none is given
_LEAST_BLOCK = 16


class Blocks(NamedTuple):
    """Weights [N, K] of 4 bits, and their scales and zero points [N, blocks]; all unsigned."""

    weights: Array
    scales: Array
    zeros: Array | None
    size: int


@FIRST.rule(core.MatMul)
def matmul_nbits(op: core.MatMul, e: OnnxBuilder) -> Value | NoMatch:
    """MatMulNBits, where it was asked for."""
    if e.version.blocks != "matmulnbits":
        return NOT_MEANT
    found = _blocks(op)
    if isinstance(found, NoMatch):
        return found
    n, k = found.weights.shape
    blocks = found.scales.shape[1]
    filled = np.pad(found.weights, ((0, 0), (0, blocks * found.size - k)))
    operands = [op.a, e.constant(_packed(filled.reshape(n, blocks, found.size)))]
    operands.append(e.constant(make_const(found.scales, op.a.tensor.dtype)))
    if found.zeros is not None:
        operands.append(e.constant(_packed(found.zeros)))
    if isinstance(e.builder, Rewriter):
        e.builder.fuse(op.b.producer)
    return e.contrib("MatMulNBits", operands, op.y.tensor, K=k, N=n, bits=4, block_size=found.size)


def _blocks(op: core.MatMul) -> Blocks | NoMatch:
    """The weights of a product, as the operator takes them."""
    made = op.b.producer
    stored = made.x.producer if isinstance(made, core.Dequantize) else None
    if not isinstance(stored, core.Constant) or stored.element is None or len(stored.value.shape) != 2:
        return NoMatch("the second factor are no quantized weights")
    quant = stored.element
    inner = 1 if op.transpose_b else 0
    if quant.storage not in (DType.I4, DType.U4) or not isinstance(quant.scheme, Blocked):
        return NoMatch(f"the weights are {quant}, expected 4 bits in blocks")
    size = quant.scheme.size
    if quant.scheme.axis != inner or size < _LEAST_BLOCK or size & (size - 1):
        return NoMatch(f"the weights have blocks of {size} along axis {quant.scheme.axis}, expected 16, 32, ...")
    if op.transpose_a or op.a.tensor.dtype not in (DType.F32, DType.F16):
        return NoMatch(f"the first factor is {op.a.tensor}")
    return _unsigned(stored.value.view(), quant, size, inner == 0)


def _unsigned(values: Array, quant: QuantType, size: int, swap: bool) -> Blocks:
    shift = _MIDDLE if quant.storage is DType.I4 else 0
    arrays = [values.astype(np.int8), quant.scales.view(), quant.zero_array()]
    weights, scales, zeros = (np.ascontiguousarray(a.T if swap else a) for a in arrays)
    points = (zeros + shift).astype(np.uint8)
    moved = (weights + np.int8(shift)).astype(np.uint8)
    return Blocks(moved, scales.copy(), None if (points == _MIDDLE).all() else points, size)


def _packed(values: Array) -> Array:
    """Two elements of 4 bits to a byte along the last axis."""
    if values.shape[-1] % 2:
        values = np.concatenate([values, np.zeros((*values.shape[:-1], 1), np.uint8)], -1)
    return np.asarray(values[..., ::2] | (values[..., 1::2] << np.uint8(4)))
