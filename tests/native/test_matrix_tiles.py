"""Products of integers by tiles of matrices, where the machine has them and in LLVM IR."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mlconv.codegen.kernels import tilings
from mlconv.dialects.kernel import PANEL, BlockGemm, Gemm, Instr, OutputIndexing, View
from mlconv.ir.constants import make_const
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.arithmetic import packed_groups
from mlconv.legalize.to_kernel.blocks import STEPS, packed_blocks
from tests.native.test_products import AMX, BYTES, RNG, integers, run, with_tiles
from tests.support.guarded import guarded

# images, rows, columns; channels in and out; whether x has a sign; rows of the result, and windows of them
TILED = [
    ((1, 1, 40), 64, 32, False, 1),  # two tiles by two
    ((1, 1, 53), 192, 37, False, 1),  # the last tile ends where the line does; the last panel is not full
    ((1, 1, 12), 240, 16, False, 1),  # one tile, of 15 groups
    ((1, 1, 33), 72, 24, True, 1),  # rows are laid side by side
    ((2, 5, 18), 40, 21, False, 3),
    ((1, 9, 9), 64, 600, False, 3),  # strips of panels
    ((2, 6, 7), 16, 48, True, 2),
]


@pytest.mark.usefixtures("always_tiles")
@pytest.mark.parametrize(("rows", "inner", "outer", "signed", "window"), TILED, ids=str)
def test_tiles_of_matrices(rows: tuple[int, int, int], inner: int, outer: int, signed: bool, window: int) -> None:
    """A convolution, with the largest operands: 255 and 127 everywhere; in place of what it is added to."""
    n, r, c = rows
    of_x = DType.I8 if signed else DType.U8
    high, wide = r + window - 1, c + window - 1
    x = integers(of_x, (n, high, wide, inner), int(np.iinfo(of_x.numpy).max))
    w = integers(DType.I8, (window, window, inner, outer), 127)
    x[0, 0, 0], w[..., 0] = x.max(), 127
    unsigned = x.astype(np.int64) + 128 * signed
    expected = sum(
        unsigned[:, i : i + r, j : j + c] @ w[i, j].astype(np.int64) for i in range(window) for j in range(window)
    )
    strides = (high * wide * inner, wide * inner, inner)
    y_view = View(0, (r * c * outer, c * outer, outer, 1))
    after = (Instr("load", DType.I32, (2,), y_view), Instr("add", DType.I32, (0, 1)))
    windows = ((window, window), strides[1:]) if window > 1 else ((), ())
    indexing = OutputIndexing(rows, View(0, strides), *windows, outer, after, y_view)
    types = BYTES._replace(x=of_x)
    problem = Gemm(indexing, inner, types=types, shift=128 * signed)
    packed = packed_groups(make_const(w.reshape(-1, outer)), window**2 * inner, outer, types, inner).view()
    before = RNG.integers(-1000, 1000, expected.shape).astype(np.int32)
    size = Dim.symbol("n")
    is_open = problem._replace(indexing=indexing._replace(rows=(1, 1, size) if n == r == 1 else (size, r, c)))
    for cpu, own in itertools.product(with_tiles(), (problem, is_open)):
        y = before.copy()
        text = run(cpu, own, [x, packed, y], y, sizes={"n": c if n == r == 1 else n})
        assert "tdpbusd" in text
        np.testing.assert_array_equal(y, expected + before)


@pytest.mark.parametrize(
    ("rows", "depth", "columns", "pays"),
    [
        (4, 128, 200, False),
        (16, 64, 64, False),
        (49, 32, 200, False),
        (196, 32, 64, False),
        (784, 16, 64, False),
        (16, 240, 200, True),
        (49, 128, 200, True),
        (196, 64, 64, True),
        (784, 64, 16, True),
        ("open", 384, 384, True),
        ("open", 32, 16, False),
    ],
)
def test_where_tiles_pay(rows: int | str, depth: int, columns: int, pays: bool) -> None:
    """As measured, where one takes 1.1 times as long as the other at least."""
    count = rows if isinstance(rows, int) else Dim.symbol("n")
    indexing = OutputIndexing((1, 1, count), View(0, (0, 0, depth)), (), (), columns, (), View(0, (0, 0, columns, 1)))
    assert (tilings.tiling(Gemm(indexing, depth, types=BYTES._replace(x=DType.U8)), AMX) is not None) == pays


@pytest.mark.usefixtures("always_tiles")
@pytest.mark.parametrize(("inner", "outer"), [(64, 37), (72, 600), (1024, 600)])
def test_tiles_of_any_number_of_rows(inner: int, outer: int) -> None:
    """Rows that fit into a tile or not, side by side in memory or laid so; strips of weights; a single row by vectors.
    Nothing is read beside x, and nothing is done twice to what a result is added to.
    """
    w = integers(DType.I8, (inner, outer), 127)
    types = BYTES._replace(x=DType.U8)
    packed = guarded(packed_groups(make_const(w), inner, outer, types, inner).view())
    y_view = View(0, (0, 0, outer, 1))
    after = (Instr("load", DType.I32, (2,), y_view), Instr("add", DType.I32, (0, 1)))
    indexing = OutputIndexing((1, 1, Dim.symbol("n")), View(0, (0, 0, inner)), (), (), outer, after, y_view)
    problem = Gemm(indexing, inner, types=types)
    for cpu in with_tiles():
        for n in (0, 1, 2, 15, 16, 17, 32, 33, 70):
            x, y = guarded(integers(DType.U8, (70, inner), 255)[:n]), guarded(np.full((n, outer), 7, np.int32))
            text = run(cpu, problem, [x, packed, y], y, apart=n % 2 == 0, sizes={"n": n})
            assert "tdpbusd" in text
            np.testing.assert_array_equal(y, x.astype(np.int64) @ w.astype(np.int64) + 7)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("rows", [16, 21, 28])
def test_weights_in_blocks(rows: int, bits: int) -> None:
    """Rows of 22 bits, as far from 0 as they can be; some are left, or the last tile has some of the one before."""
    depth, columns, panels, block, most = 64, 524, 33, 32, (1 << bits) - 1
    x = RNG.choice(np.asarray([STEPS, -STEPS, STEPS - 1, 1, 0], np.int32), (rows, depth))
    w = RNG.choice(np.asarray([0, most, most - 1], np.uint8), (depth, columns))
    of_rows, of_columns = (RNG.random((n, depth // block), np.float32) for n in (rows, columns))
    in_blocks = x.reshape(rows, -1, block).astype(np.int64)
    whole = w.astype(np.int64).reshape(-1, block, columns) - (1 << bits - 1)
    sums = np.einsum("mbk,bkn->mbn", in_blocks, whole)
    expected = np.einsum("mbn,mb,nb->mn", sums, of_rows.astype(np.float64), of_columns.astype(np.float64))
    indexing = OutputIndexing((1, 1, rows), View(0, (0, 0, depth)), (), (), columns, (), View(0, (0, 0, columns, 1)))
    problem = BlockGemm(indexing, depth, block, DType.F32, zero=1 << bits - 1, bits=bits)
    scales = np.ones((panels, PANEL, depth // block), np.float32)
    scales.reshape(panels * PANEL, -1)[:columns] = of_columns
    parts = np.stack([x >> 14, x >> 7 & 127, x & 127], 1).astype(np.int8)
    operands = [x, packed_blocks(make_const(w), bits).view(), of_rows, in_blocks.sum(-1).astype(np.int32)]
    operands += [np.ascontiguousarray(scales.transpose(0, 2, 1)), parts]
    for cpu in with_tiles():
        y = np.zeros((rows, columns), np.float32)
        assert f"tdpb{'ss' if bits == 4 else 'su'}d" in run(cpu, problem, operands, y)
        np.testing.assert_allclose(y, expected, rtol=0, atol=1e-6 * np.abs(expected).max())
