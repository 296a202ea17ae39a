"""Matrix products: FULLY_CONNECTED for constant weights, else BATCH_MATMUL; integers by products and sums.

Sources: kernels/fully_connected.cc (weights [out, in], any rank of x with keep_num_dims), batch_matmul.cc (ranks 2 to
5, broadcasting).
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, is_weights, refuse, shape_of
from mlconv.legalize.to_tfl.dtypes_table import DELEGATE_RANK, MAX_RANK
from mlconv.rewrite import Rules

RULES = Rules()

MAX_PRODUCTS = 1 << 24  # elements of the intermediate of an integer product


def swap_last(rank: int) -> list[int]:
    """The permutation that swaps the last two axes."""
    return [*range(rank - 2), rank - 1, rank - 2]


def fully_connected(e: TflBuilder, operands: Sequence[Value | None], y: TensorType, **options: object) -> Value:
    """FULLY_CONNECTED of any rank of x; of its rows where it has more axes than delegates take.  operands: x, weights,
    bias.
    """
    x, w, bias = operands
    assert x is not None
    shape, out = shape_of(x), y.shape or ()
    if len(shape) <= DELEGATE_RANK:
        return e.one("FULLY_CONNECTED", [x, w, bias], y, keep_num_dims=len(shape) > 2, **options)
    rows = product(shape[:-1])
    flat = e.reshape(x, (rows, shape[-1]))
    return e.reshape(fully_connected(e, [flat, w, bias], y.with_shape((rows, out[-1])), **options), out, x)


@RULES.rule(core.MatMul)
def matmul(op: core.MatMul, e: TflBuilder) -> Value:
    """Float32."""
    a, b = shape_of(op.a), shape_of(op.b)
    if op.y.tensor.dtype is not DType.F32:
        return _integer(op, e)
    if len(b) == 2 and is_weights(op.b):
        x = e.transpose(op.a, swap_last(len(a))) if op.transpose_a else op.a
        w = op.b if op.transpose_b else e.transpose(op.b, (1, 0))
        return fully_connected(e, [x, w, None], op.y.tensor)
    return batch_matmul(e, op.a, op.b, op.y.tensor, adj_x=op.transpose_a, adj_y=op.transpose_b)


def batch_matmul(e: TflBuilder, a: Value, b: Value, y: TensorType, **options: object) -> Value:
    """BATCH_MATMUL; where there are more batch axes than the kernel takes, both operands get all of them, merged into
    one.
    """
    if max(len(shape_of(a)), len(shape_of(b))) <= MAX_RANK["matmul"]:
        return e.one("BATCH_MATMUL", [a, b], y, **options)
    out = y.shape or ()
    batch = out[:-2]
    total = product(batch)
    flat = []
    for x in (a, b):
        tail = shape_of(x)[-2:]
        wide = e.broadcast_to(x, (*batch, *tail), a, b)
        flat.append(e.reshape(wide, (total, *tail)))
    made = e.one("BATCH_MATMUL", flat, y.with_shape((total, *out[-2:])), **options)
    return e.reshape(made, out, a, b)


def _integer(op: core.MatMul, e: TflBuilder) -> Value:
    """All products [..., n, k, m] in the integer type, summed over k: exact, and wraps as core does."""
    a = e.transpose(op.a, swap_last(len(shape_of(op.a)))) if op.transpose_a else op.a
    b = e.transpose(op.b, swap_last(len(shape_of(op.b)))) if op.transpose_b else op.b
    out, k = shape_of(op.y), shape_of(a)[-1]
    if k == 1:
        return e.y(core.Mul(a, b))  # sums of one product each
    size: Size = k
    for d in out:
        size = size * d
    if not isinstance(size, int) or size > MAX_PRODUCTS:
        raise refuse(
            f"integer matrix product of {op.a.tensor} and {op.b.tensor}: "
            f"TFLite has no kernel, and {size} products are too many to hold"
        )
    left = e.reshape(a, (*shape_of(a), 1), op.a)
    right = e.reshape(b, (*shape_of(b)[:-2], 1, *shape_of(b)[-2:]), op.b)
    products = e.y(core.Mul(left, right))
    axis = len(out) - 1
    summed = e.y(core.ReduceSum(products, axes=(axis,)))
    return e.reshape(summed, out, op.a, op.b)
