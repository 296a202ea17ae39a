"""Matrix products: register tiles where types have them, loops otherwise."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.contract import Product
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import (
    BFLOAT16,
    FLOAT32,
    PANEL,
    Gemm,
    GemmOp,
    OutputIndexing,
    Sizes,
    View,
    dense,
)
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dims import product as volume
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.arithmetic import (
    Arithmetic,
    Packing,
    numbers_of_zeros,
    of_halves,
    of_numbers,
    of_stored,
    packing_of,
    panels_of,
    stored_weights,
    sum_of_products,
)
from mlconv.legalize.to_kernel.blocks import product_of_blocks
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, sizes
from mlconv.legalize.to_kernel.few_rows import (
    MIN_TILED,
    are_columns_of_sums,
    are_short_sums,
    are_sums_of_parts,
    are_sums_of_rows,
    is_tall,
    is_turned,
    product_of_parts,
)
from mlconv.legalize.to_kernel.filters import Filter, filter_of
from mlconv.legalize.to_kernel.row_attention import attention_of_rows
from mlconv.passes.patterns.shared_matrices import Shared, shared_matrices
from mlconv.rewrite import Rules

RULES = Rules()
_LEAST_OF_DOUBLES = 32  # rows, and columns, of matrices that a run packs

FEW = 8  # rows for which it is not, where it can be read as it lies


@RULES.rule(core.MatMul)
def matmul(op: core.MatMul, e: KernelBuilder) -> Value:
    """b constant: rows of a over packed weights.  Else loops whose lanes lie along b's rows."""
    apart = product_of_blocks(op, e)
    if apart is not None:
        return apart
    stored = stored_weights(op.b)
    if stored is not None and op.y.tensor.dtype is DType.F32:
        return _product_of_stored(op, *stored, e)
    attended = attention_of_rows(op, e)
    if attended is not None:
        return attended
    if is_turned(op):
        a = op.a if op.transpose_a else e.turned(op.a)
        return e.turned(e.y(core.MatMul(op.b, a)))
    if is_tall(op):
        a, b = (op.a if op.transpose_a else e.turned(op.a)), (op.b if op.transpose_b else e.turned(op.b))
        return e.turned(e.y(core.MatMul(b, a)))
    shared = shared_matrices(op)
    if shared is not None:
        return _product_by_shared(op, shared, e)
    halves = of_halves(op.a, op.b, None)
    if halves is not None and _has_whole_tiles(op, halves[1]):
        return product_of(op, halves[:2], halves[2], op.y.tensor, e)
    return product_of(op, (op.a, op.b), of_numbers(op.y.tensor.dtype), op.y.tensor, e)


def _product_of_stored(op: core.MatMul, weights: Const, quant: QuantType, e: KernelBuilder) -> Value:
    """Integers are multiplied as they are stored; their zero points are taken off by the sums of rows."""
    y = product_of(op, (op.a, e.constant(weights)), of_stored(weights, quant, None, e), op.y.tensor, e)
    rest = numbers_of_zeros(quant)
    if rest is None:
        return y
    rank = len(sizes(op.a))
    a = e.turned(op.a) if op.transpose_a else op.a
    rows = e.y(core.ReduceSum(a, axes=(rank - 1,), keepdims=True))
    return e.y(core.Sub(y, e.y(core.Mul(rows, e.constant(rest)))))


def _product_by_shared(op: core.MatMul, shared: Shared, e: KernelBuilder) -> Value:
    """The rows of all matrices that are the same at once."""
    (*batch, _, rows, depth), (*outer, _, height, width) = sizes(op.a), sizes(op.b)
    a = e.reshape(op.a, (*batch, shared.own, shared.times * rows, depth))
    b = e.reshape(shared.matrices, (*outer, shared.own, height, width))
    return e.reshape(e.y(core.MatMul(a, b, transpose_b=op.transpose_b)), sizes(op.y))


def _has_whole_tiles(op: core.MatMul, b: Value) -> bool:
    """Weights that are packed at run time are not filled up."""
    if const_of(b) is not None:
        return op.b.tensor.rank == 2
    depth = sizes(op.a)[-2 if op.transpose_a else -1]
    return isinstance(depth, int) and BFLOAT16.filled(1, depth) == (1, depth)


def product_of(
    op: Product, factors: tuple[Value, Value], arithmetic: Arithmetic, y: TensorType, e: KernelBuilder
) -> Value:
    """A product of matrices, whose factors may be other values than the op's, by register tiles or loops."""
    a, b = factors
    weights = const_of(b)
    depth = sizes(a)[-2 if op.transpose_a else -1]
    if weights is None and are_columns_of_sums(arithmetic, depth, y, is_turned=op.transpose_a):
        rows, matrix = a if op.transpose_a else e.turned(a), e.turned(b) if op.transpose_b else b
        return _product(rows, matrix, arithmetic, y, e, turned=True)
    if op.transpose_a:
        a = e.turned(a)
    shape = sizes(a)
    tiles = arithmetic.has_tiles and y.size and shape[-1] and _is_worth_tiles(arithmetic, weights, y)
    if tiles and weights is not None and len(sizes(b)) == 2:
        return _product_by_weights(
            a, recipes.transpose(weights, (1, 0)) if op.transpose_b else weights, arithmetic, y, e
        )
    if weights is None and not op.transpose_b and are_short_sums(arithmetic, depth, y):
        return _product(a, e.turned(b), arithmetic, y, e, along_rows=True)
    if op.transpose_b and (are_sums_of_rows(arithmetic, sizes(b), y) or are_short_sums(arithmetic, depth, y)):
        return _product(a, b, arithmetic, y, e, along_rows=True)
    if op.transpose_b:
        b = e.turned(b)
    in_halves = weights is not None and arithmetic.types.sums.is_float and weights.dtype is DType.I8  # by tiles alone
    if tiles and (in_halves or all(not isinstance(d, int) or d >= MIN_TILED for d in (y.shape or ())[-2:])):
        tiled = _product_by_tiles(a, b, arithmetic, y, e)
        if tiled is not None:
            return tiled
    if are_sums_of_parts(arithmetic, sizes(b), y):
        return product_of_parts(a, b, arithmetic, y, e)
    return _product(a, b, arithmetic, y, e)


def _is_worth_tiles(arithmetic: Arithmetic, weights: Const | None, y: TensorType) -> bool:
    """Of float64, whose panels hold half as much: packing is paid back by many rows, filling up by several columns."""
    sides = (y.shape or ())[-2:]
    if arithmetic.types.sums is not DType.F64:
        return True
    if weights is not None:
        return sides[-1:] != (1,)
    return all(not isinstance(n, int) or n >= _LEAST_OF_DOUBLES for n in sides)


def _product_by_weights(a: Value, weights: Const, arithmetic: Arithmetic, y: TensorType, e: KernelBuilder) -> Value:
    """Rows of a over weights [depth, channels] that are packed at conversion time."""
    depth, channels = weights.shape
    rows, packing = volume(sizes(a)[:-1]), packing_of(arithmetic.types, weights, 1, depth, channels)
    panels, compact = Filter(weights, e).panels(packing, depth, 1)
    operands = [a, panels]
    after = arithmetic.epilogue(operands, View(0, (0, 0, 0, 1)))
    indexing = OutputIndexing(
        (1, 1, rows), View(0, (0, 0, depth)), (), (), channels, after, View(0, dense((1, 1, rows, channels)))
    )
    problem = Gemm(indexing, depth, types=packing.types, shift=arithmetic.shift, dense=compact)
    return e.kernel(GemmOp(operands, problem, y))


def _product_by_tiles(a: Value, b: Value, arithmetic: Arithmetic, y: TensorType, e: KernelBuilder) -> Value | None:
    """Rows of a over the panels of b; the leading axes become at most two.  None where panels would be filled up: rows
    of a are not.
    """
    out, sa, sb = y.shape or (), sizes(a), sizes(b)
    (m, n), k, lead = out[-2:], sa[-1], out[:-2]
    if not isinstance(n, int) or not isinstance(k, int) or arithmetic.types.filled(1, k) != (1, k):
        return None
    axes = _joined(lead, (broadcast(sa[:-2], lead).strides, broadcast(sb[:-2], lead).strides))
    if axes is None:
        return None
    (outer, inner), (la, lb) = axes
    matrices = const_of(b)
    packing = Packing(arithmetic.types) if matrices is None else packing_of(arithmetic.types, matrices, 1, k, n)
    packing = packing if packing.types.filled(1, k) == (1, k) else Packing(arithmetic.types)
    types = packing.types
    pitch = n if isinstance(m, int) and m <= FEW and n % PANEL == 0 and types == FLOAT32 else 0
    weights, compact = (b, False) if pitch else _panels(b, k, n, packing, e)
    rows, each = (outer, inner, m), types.columns(n, compact) * k // types.shared
    operands = [a, weights]
    after = arithmetic.epilogue(operands, View(0, (0, 0, 0, 1)))
    indexing = OutputIndexing(
        rows, View(0, (la[0] * m * k, la[1] * m * k, k)), (), (), n, after, View(0, dense((*rows, n)))
    )
    strides = (lb[0] * each, lb[1] * each)
    problem = Gemm(indexing, k, strides, types, arithmetic.shift, compact, pitch=pitch)
    return e.kernel(GemmOp(operands, problem, y))


def _panels(b: Value, k: int, n: int, packing: Packing, e: KernelBuilder) -> tuple[Value, bool]:
    """Matrices [..., k, n], packed at conversion time where they are known; and whether they are `dense`."""
    matrices, known = volume(sizes(b)[:-2]), filter_of(b, e)
    if known.constant is None or not isinstance(matrices, int):
        return panels_of(b, matrices, k, n, packing.types, e), False
    side_by_side = known.reshaped((matrices, k, n)).transposed((1, 0, 2)).reshaped((k, matrices * n))
    return side_by_side.panels(packing, k, matrices)


def _joined(lead: Sizes, strides: tuple[Sizes, Sizes]) -> tuple[tuple[Size, Size], list[tuple[Size, Size]]] | None:
    """Leading axes joined into two where both factors run on: (extents, strides of each factor in matrices), or None
    when there are more.
    """
    extents: list[Size] = []
    kept: list[Sizes] = []
    for extent, *both in zip(lead, *strides, strict=True):
        if extent == 1:
            continue
        if extents and all(before == now * extent for before, now in zip(kept[-1], both, strict=True)):
            extents[-1] = extents[-1] * extent
            kept[-1] = tuple(both)
        else:
            extents.append(extent)
            kept.append(tuple(both))
    if len(extents) > 2:
        return None
    extents = [*[1] * (2 - len(extents)), *extents]
    kept = [*[(0, 0)] * (2 - len(kept)), *kept]
    return (extents[0], extents[1]), [(kept[0][i], kept[1][i]) for i in range(2)]


def _product(
    a: Value,
    b: Value,
    arithmetic: Arithmetic,
    y: TensorType,
    e: KernelBuilder,
    *,
    along_rows: bool = False,
    turned: bool = False,
) -> Value:
    """a [..., n, k] x b [..., k, m] as a reduction.  along_rows: b is [..., m, k]; turned: a is [..., k, n]."""
    out, sa, sb = y.shape or (), sizes(a), sizes(b)
    lead, depth = out[:-2], sa[-2 if turned else -1]
    n = len(lead)
    along = View(0, (0,) * (n + 1) + (1,))
    if depth == 0:
        return _sums_of_nothing(arithmetic, along, y, e)
    la, lb = broadcast(sa, (*lead, *sa[-2:])).strides, broadcast(sb, (*lead, *sb[-2:])).strides
    inner = (sb[-1], 1) if along_rows else (1, sb[-1])
    outer = (1, 0, sa[-1]) if turned else (sa[-1], 0, 1)
    views = View(0, (*la[:n], *outer)), View(0, (*lb[:n], 0, *inner))
    return sum_of_products((a, b), views, (*out, depth), 1, arithmetic, y, e, along)


def _sums_of_nothing(arithmetic: Arithmetic, along: View, y: TensorType, e: KernelBuilder) -> Value:
    """What follows a sum of no products."""

    def build(x: Expr) -> int:
        x.const(arithmetic.types.sums, 0)
        arithmetic.finish(x, along)
        return len(x.code) - 1

    return e.map(y, build)
