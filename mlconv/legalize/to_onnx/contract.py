"""Matrix products.  Sources: ONNX MatMul-13, Gemm-13; ONNX Runtime, com.microsoft.MatMulNBits."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import OpaqueOp, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked
from mlconv.ir.shapes import MATRIX
from mlconv.ir.types import Shape
from mlconv.legalize.to_onnx.builder import OnnxBuilder, rank_of
from mlconv.legalize.to_onnx.shape import transposed
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, Rules
from mlconv.rewrite.whole_numbers import in_4_bits

RULES = Rules()
FIRST = Rules()

_GEMM = (DType.F16, DType.F32, DType.F64)


@FIRST.rule(core.Add)
def gemm(op: core.Add, e: OnnxBuilder) -> Value | NoMatch:
    """Gemm for a product of matrices that something is added to: a row, a column, a number, or a matrix."""
    for product, bias in ((op.a, op.b), (op.b, op.a)):
        made, t = product.producer, op.y.tensor
        if not isinstance(made, core.MatMul) or not product.has_one_use or t.dtype not in _GEMM:
            continue
        if op.y.tensor.shape != product.tensor.shape or _in_blocks(made.b):
            continue
        if (made.a.tensor.rank, made.b.tensor.rank) != (2, 2) or not _spreads(bias.tensor.shape, t.shape):
            continue
        if isinstance(e.builder, Rewriter):
            e.builder.fuse(made)
        flags = {"transA": int(made.transpose_a), "transB": int(made.transpose_b)}
        return e.one("Gemm", [made.a, made.b, bias], t, **{k: v for k, v in flags.items() if v})
    return NOT_MEANT


def _spreads(added: Shape | None, shape: Shape | None) -> bool:
    """Whether what is added broadcasts to a matrix of a shape, which does not."""
    if added is None or shape is None or len(shape) != MATRIX or len(added) > MATRIX:
        return False
    return all(n in (1, m) for n, m in zip(reversed(added), reversed(shape), strict=False))


@RULES.rule(core.MatMul)
def matmul(op: core.MatMul, e: OnnxBuilder) -> Value:
    """MatMul; Gemm for matrices of floats one of which is transposed."""
    ranks = rank_of(op.a, "a factor"), rank_of(op.b, "a factor")
    flags = {"transA": int(op.transpose_a), "transB": int(op.transpose_b)}
    floats = op.a.tensor.dtype in _GEMM and not _in_blocks(op.b)
    if ranks == (2, 2) and any(flags.values()) and floats:
        return e.one("Gemm", [op.a, op.b], op.y.type, **{k: v for k, v in flags.items() if v})
    a = _swapped(e, op.a) if op.transpose_a else op.a
    b = _swapped(e, op.b) if op.transpose_b else op.b
    return e.one("MatMul", [a, b], op.y.type)


def _in_blocks(weights: Value) -> bool:
    """Weights are the numbers of blocks of integers.  ONNX Runtime 1.31 makes products of few bits of MatMul and of
    Gemm with these, and ends over Gemm (qdq_actions.cc, TransposeDQWeightsForMatMulNBits).
    """
    made = weights.producer
    if isinstance(made, OpaqueOp):
        return "block_size" in made.attributes
    return isinstance(made, core.Dequantize) and isinstance(quantized(made.x).scheme, Blocked)


def _swapped(e: OnnxBuilder, x: Value) -> Value:
    """The last two axes exchanged."""
    rank = rank_of(x, "a factor")
    return transposed(e, x, [*range(rank - 2), rank - 1, rank - 2])


def _stored(x: Value, e: OnnxBuilder) -> Value:
    """Constant bytes as integers of 4 bits, where they are no more; runtimes make bytes of them when they load a file
    (ONNX Runtime's ConstantFolding).
    """
    constant = const_of(x)
    narrow = None if constant is None or (e.version.fixed and not e.has(21)) else in_4_bits(constant)
    return x if narrow is None else e.raw_cast(e.constant(narrow), x.tensor.dtype)


@RULES.rule(core.IntegerMatMul)
def integer_matmul(op: core.IntegerMatMul, e: OnnxBuilder) -> Value:
    """MatMulInteger for one zero point of a and one, or one for each column, of b; else MatMul of int32."""
    values = []
    for x, swapped in ((op.a, op.transpose_a), (_stored(op.b, e), op.transpose_b)):
        values.append(_swapped(e, x) if swapped else x)
    plain = all(v.tensor.dtype in (DType.I8, DType.U8) for v in values)
    zeros = [None if v is None else v.tensor.shape for v in (op.a_zero, op.b_zero)]
    columns = (op.y.tensor.shape or ())[-1:]
    if plain and zeros[0] in (None, ()) and zeros[1] in (None, (), columns) and not (zeros[1] and op.transpose_b):
        return e.one("MatMulInteger", [*values, op.a_zero, op.b_zero], op.y.type, since=10)
    wide = []
    for x, zero in ((op.a, op.a_zero), (op.b, op.b_zero)):
        number = e.cast(x, DType.I32)
        wide.append(number if zero is None else e.sub(number, e.cast(zero, DType.I32)))
    return e.matmul(*wide, transpose_a=op.transpose_a, transpose_b=op.transpose_b)
