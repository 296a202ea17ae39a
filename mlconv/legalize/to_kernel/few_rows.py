"""Products of a few rows of floats by matrices that the run computes, which are read once, as they lie."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import FLOAT32, FLOAT64, LoopNestOp, Sizes, Step, View, dense
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.arithmetic import Arithmetic
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, sizes

MIN_TILED = 4  # rows and columns of a product whose second factor is worth packing at run time
_LEAST_SUMMED = 32  # elements of a row that are summed in vectors
_MOST_TURNED = 64  # rows of a product that is computed transposed
_LEAST_TURNED = 4  # times as many rows and columns the matrix has
_PART = 16  # rows of a matrix that are read side by side
_LONG = 256  # elements of such a row
_SHORT = 10  # elements of such a row
_APART = 4  # elements from one to the next that generators read in vectors
_ROWS = 16  # of a vector
_PLAIN = FLOAT32, FLOAT64


def is_turned(op: core.MatMul) -> bool:
    """A few rows by a large transposed matrix (values of attention, channels first): the matrix is read as it lies by
    the product of the two the other way around, of which what is small is transposed.
    """
    if not op.transpose_b or const_of(op.a) is not None or const_of(op.b) is not None:
        return False
    rows = (op.y.tensor.shape or ())[-2]
    if not isinstance(rows, int) or not MIN_TILED <= rows <= _MOST_TURNED or op.y.tensor.dtype is not DType.F32:
        return False
    return all(isinstance(n, Dim) or n >= max(_LEAST_TURNED * rows, _LONG) for n in sizes(op.b)[-2:])


def is_tall(op: core.MatMul) -> bool:
    """Many short rows by a small matrix that the run computes: they are packed, and lie in lanes.  Rows that the run
    computes, too, are so where they are not short enough to be read as they lie.
    """
    rows, columns = (op.y.tensor.shape or ())[-2:]
    depth = sizes(op.a)[-2 if op.transpose_a else -1]
    if const_of(op.b) is not None or op.y.tensor.dtype is not DType.F32:
        return False
    if not (isinstance(rows, int) and isinstance(columns, int) and isinstance(depth, int)):
        return False
    if const_of(op.a) is None and depth <= _SHORT:
        return False
    return rows >= _LONG and 1 < columns < MIN_TILED and 0 < depth <= _PART


def are_columns_of_sums(arithmetic: Arithmetic, depth: Size, y: TensorType, *, is_turned: bool) -> bool:
    """Few columns of many rows: each is computed in vectors along the rows of a matrix that is transposed, or is made
    so where its own rows are too short for vectors, and longer than what is read in vectors as it lies.
    """
    rows, columns = (y.shape or ())[-2:]
    many = not isinstance(rows, int) or rows >= _ROWS
    pays = is_turned or (columns != 1 and isinstance(depth, int) and _APART < depth <= _PART)
    return many and pays and isinstance(columns, int) and columns < MIN_TILED and arithmetic.types in _PLAIN


def are_short_sums(arithmetic: Arithmetic, depth: Size, y: TensorType) -> bool:
    """Few columns of sums that are long enough for vectors: the matrix is small, and is transposed."""
    columns = (y.shape or ())[-1]
    few = isinstance(columns, int) and 1 < columns < MIN_TILED
    return few and isinstance(depth, int) and depth > _PART and arithmetic.types in _PLAIN


def _are_few(arithmetic: Arithmetic, y: TensorType) -> bool:
    rows = (y.shape or ())[-2]
    return isinstance(rows, int) and rows < MIN_TILED and arithmetic.types == FLOAT32


def are_sums_of_rows(arithmetic: Arithmetic, shape: Sizes, y: TensorType) -> bool:
    """By a transposed matrix, [..., m, k]: sums along its rows."""
    return _are_few(arithmetic, y) and not (isinstance(shape[-1], int) and shape[-1] < _LEAST_SUMMED)


def are_sums_of_parts(arithmetic: Arithmetic, shape: Sizes, y: TensorType) -> bool:
    """By a matrix [..., k, m]: a few of its rows at a time, from end to end.  From one row to the next of one that is
    wide each element lies on another page, and often in the same set of a cache.
    """
    depth, columns = shape[-2:]
    return (
        _are_few(arithmetic, y)
        and isinstance(depth, int)
        and isinstance(columns, int)
        and depth >= 2 * _PART
        and columns >= _LONG
    )


def product_of_parts(a: Value, b: Value, arithmetic: Arithmetic, y: TensorType, e: KernelBuilder) -> Value:
    """a [..., n, k] x b [..., k, m]: the sums of each part of k for all rows, then those of the parts."""
    out, sa, sb = y.shape or (), sizes(a), sizes(b)
    lead, rows, depth, columns = out[:-2], out[-2], sa[-1], sb[-1]
    count = -(-depth // _PART)
    la, lb = broadcast(sa, (*lead, *sa[-2:])).strides[:-2], broadcast(sb, (*lead, *sb[-2:])).strides[:-2]
    shape = (*lead, count, rows, columns)
    steps = []
    whole = depth // _PART
    for first, parts, places in ((0, whole, _PART), (whole, count - whole, depth % _PART)):
        if parts == 0:
            continue
        start = first * _PART
        body = Expr([a, b])
        x = body.load(a, View(start, (*la, _PART, depth, 0, 1)))
        weights = body.load(b, View(start * columns, (*lb, _PART * columns, 0, 1, columns)))
        body.op("mul", x, weights)
        target = View(first * rows * columns, dense(shape))
        steps.append(Step((*lead, parts, rows, columns, places), 1, "add", body.program(), (), target))
    made = e.kernel(LoopNestOp([a, b], tuple(steps), y.with_shape(shape)))
    operands: list[Value] = []
    total = Expr(operands)
    total.load(made, View(0, (*dense(shape)[:-3], columns, 1, rows * columns)))
    along = View(0, (*(0,) * (len(out) - 1), 1))
    after = arithmetic.epilogue(operands, along)
    step = Step((*out, count), 1, "add", total.program(), after, View(0, dense(out)))
    return e.kernel(LoopNestOp(operands, (step,), y))
