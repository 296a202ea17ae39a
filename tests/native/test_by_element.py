"""Sets that multiply a register by one element of another (64-bit Arm): several numbers of x are loaded at once, and
bytes narrow one register at a time.  The instructions are written in LLVM IR, so that any x86-64 machine runs them.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from llvmlite import binding as llvm

from mlconv.codegen.kernels.gemm_kind import GEMM
from mlconv.codegen.kernels.register_tiles import cheapest_tile, costs_of
from mlconv.codegen.llvm.tables import picked
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import DIMS, I8, pointer
from mlconv.codegen.machines.cpus import AARCH64, Cpu
from mlconv.codegen.machines.instructions import Dot, Narrowing, Shuffle
from mlconv.dialects.kernel import FLOAT32, PANEL, Gemm, Instr, OutputIndexing, ProductTypes, View
from mlconv.ir.constants import make_const
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.arithmetic import packed_groups
from tests.native.test_products import BYTES, FLOAT64, ROW, cpus, integers, run
from tests.support.native import Array

RNG = np.random.default_rng(5)
NARROWING = Narrowing(4, *(f"emulated_{name}" for name in ("nearest", "words", "signed", "unsigned")), single=True)


def set_of(**more: object) -> Cpu:
    """With as many registers as 64-bit Arm, all of 128 bits."""
    least = cpus()[-1]
    return least._replace(name="made up", base="", bits=128, registers=32, by_element=True, dots=(), pairs=(), **more)


def packed(w: Array) -> Array:
    """[k, n] as panels."""
    depth, n = w.shape
    out = np.zeros((-(-n // PANEL), depth, PANEL), w.dtype)
    for j in range(n):
        out[j // PANEL, :, j % PANEL] = w[:, j]
    return out


@pytest.mark.parametrize("types", [FLOAT32, FLOAT64], ids=["float32", "float64"])
@pytest.mark.parametrize("depth", [1, 3, 4, 7, 64, 67])
@pytest.mark.parametrize("rows", [1, 5, 13])
def test_floats(types: ProductTypes, depth: int, rows: int) -> None:
    """As many numbers of a row at once as a register holds, then the rest; nothing beyond a row is read."""
    dtype, lanes = types.sums.numpy, 16 // types.sums.itemsize
    for n in (3, 16, 53):
        x, w = RNG.standard_normal((rows, depth)).astype(dtype), RNG.standard_normal((depth, n)).astype(dtype)
        indexing = OutputIndexing((1, 1, rows), View(0, (0, 0, depth)), (), (), n, (), View(0, (0, 0, n, 1)))
        y = np.zeros((rows, n), dtype)
        text = run(set_of(products=(*cpus()[0].products, ROW)), Gemm(indexing, depth, types=types), [x, packed(w)], y)
        np.testing.assert_allclose(y, x @ w, rtol=1e-12 if types is FLOAT64 else 2e-4, atol=1e-5)
        assert ("i32 1, i32 1, i32 1" in text) == (depth >= lanes)  # the second one, for all columns


def test_windows_of_floats() -> None:
    """3 x 3 of an image whose channels are no multiple of what is loaded at once."""
    for channels in (3, 6, 8):
        x, w = (RNG.standard_normal(s).astype(np.float32) for s in ((9, 8, channels), (3, 3, channels, 21)))
        strides, out = (8 * channels, channels), View(0, (0, 6 * 21, 21, 1))
        indexing = OutputIndexing((1, 7, 6), View(0, (0, *strides)), (3, 3), strides, 21, (), out)
        y = np.zeros((7, 6, 21), np.float32)
        run(set_of(), Gemm(indexing, channels), [x, packed(w.reshape(-1, 21))], y)
        expected = sum(x[i : i + 7, j : j + 6] @ w[i, j] for i in range(3) for j in range(3))
        np.testing.assert_allclose(y, expected, rtol=2e-4, atol=1e-5)


LIMITS = [(-128, 127, DType.I8), (0, 255, DType.U8), (-128, 90, DType.I8), (-3, 127, DType.I8), (0, 6, DType.I8)]


@pytest.mark.parametrize(("low", "high", "result"), LIMITS, ids=str)
@pytest.mark.parametrize("scale", [0.003, 1e9], ids=str)
def test_bytes(low: int, high: int, result: DType, scale: float) -> None:
    """Sums times a factor, limited and rounded to bytes, of four registers; also what no integer holds."""
    types, depth = BYTES._replace(result=result), 68
    dots = (Dot(DType.I8, DType.I8, 4, "emulated_sdot"),)
    made = [
        Instr("cast", DType.F32, (0,)),
        Instr("const", DType.F32, (), scale),
        Instr("mul", DType.F32, (1, 2)),
        *_limit(float(low), "less", 3, 4),
        *_limit(float(high), "greater", 6, 7),
        Instr("nearest", result, (9,)),
    ]
    for n in (5, 16, 40):
        x, w = integers(DType.I8, (13, depth), 127), integers(DType.I8, (depth, n), 127)
        after = tuple(made)
        indexing = OutputIndexing((1, 1, 13), View(0, (0, 0, depth)), (), (), n, after, View(0, (0, 0, n, 1)))
        y = np.zeros((13, n), result.numpy)
        weights = packed_groups(make_const(w), depth, n, types, depth).view()
        text = run(set_of(narrowing=NARROWING)._replace(dots=dots), Gemm(indexing, depth, types=types), [x, weights], y)
        sums = (x.astype(np.int64) @ w.astype(np.int64)).astype(np.float32)
        want = np.rint(np.clip(sums * np.float32(scale), low, high)).astype(result.numpy)
        np.testing.assert_array_equal(y, want)
        assert "@emulated_words(" in text


def _limit(bound: float, code: str, x: int, at: int) -> list[Instr]:
    """Instructions from value `at` on."""
    compared = Instr(code, DType.BOOL, (x, at))
    return [Instr("const", DType.F32, (), bound), compared, Instr("select", DType.F32, (at + 1, at, x))]


def emulated_tbl() -> list[str]:
    """Bytes of four registers, and 0 for places beyond them: Arm A64, TBL."""
    given = ", ".join(f"<16 x i8> %r{i}" for i in range(4))
    wide, halves = "<32 x i8>", ", ".join(f"i32 {i}" for i in range(32))
    lines = [f"define <16 x i8> @emulated_tbl({given}, <16 x i8> %at) {{"]
    for i in (0, 2):
        both = f"<16 x i8> %r{i}, <16 x i8> %r{i + 1}"
        lines.append(f"%h{i} = shufflevector {both}, <32 x i32> <{halves}>")
    all_of = ", ".join(f"i32 {i}" for i in range(64))
    lines += [
        f"%all = shufflevector {wide} %h0, {wide} %h2, <64 x i32> <{all_of}>",
        "%y0 = add <16 x i8> %at, zeroinitializer",
    ]
    for i in range(16):
        lines += [
            f"%a{i} = extractelement <16 x i8> %at, i64 {i}",
            f"%m{i} = and i8 %a{i}, 63",
            f"%e{i} = extractelement <64 x i8> %all, i8 %m{i}",
            f"%c{i} = icmp ult i8 %a{i}, 64",
            f"%s{i} = select i1 %c{i}, i8 %e{i}, i8 0",
            f"%y{i + 1} = insertelement <16 x i8> %y{i}, i8 %s{i}, i64 {i}",
        ]
    return [*lines, "ret <16 x i8> %y16", "}"]


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_tables(lanes: int) -> None:
    """All places of a table of 256 bytes, in vectors as wide as the instruction's and narrower ones."""
    cpu = set_of(shuffles=(Shuffle(16, "emulated_tbl", parts=4),))
    declarations: dict[str, str] = {}
    b = Builder("product", [pointer("%table"), pointer("%at"), pointer("%out"), DIMS], declarations, cpu)
    for first in range(0, 256, lanes):
        places = b.load(I8.of_lanes(lanes), b.moved(pointer("%at"), I8, first), 1)
        b.store(picked(b, pointer("%table"), places), b.moved(pointer("%out"), I8, first), 1)
    text = "\n".join(
        [*emulated_tbl(), b.text().replace("define internal", "define", 1), "attributes #0 = { nounwind }"]
    )
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(text), llvm.Target.from_default_triple().create_target_machine(opt=1)
    )
    engine.finalize_object()
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64, ctypes.c_int64)(
        engine.get_function_address("product")
    )
    table, at, out = RNG.integers(0, 256, 256, np.uint8), RNG.permutation(256).astype(np.uint8), np.zeros(256, np.uint8)
    function(table.ctypes.data, at.ctypes.data, out.ctypes.data, None, 0, 1)
    np.testing.assert_array_equal(out, table[at])


@pytest.mark.parametrize("columns", [1, 2, 5, 14, 49, 196, 3136])
@pytest.mark.parametrize("panels", [1, 2, 6, 60])
def test_tiles_fit_into_the_registers_of_arm(columns: int, panels: int) -> None:
    """Sums, weights of a place, and numbers of x: a register for each row."""
    arm = AARCH64[0]
    rows, count = cheapest_tile(arm, columns, panels, costs_of(arm, FLOAT32))
    vectors = count * PANEL // 4
    assert rows * vectors + vectors + rows <= 31
    assert rows > 1 or columns == 1
    indexing = OutputIndexing((1, 1, columns), View(0, (0, 0, 64)), (), (), PANEL * panels, (), View(0, (0, 0, 1, 1)))
    assert GEMM.fits_choice(arm, Gemm(indexing, 64), (rows, count, -1))
