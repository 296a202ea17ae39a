"""Products of bfloat16: tiles of matrices, and pairs that are widened in registers.

What the machine lacks is written in LLVM IR from Intel's manual (SDM volume 2, TDPBF16PS, TILELOADD ...); where it is
there, the instructions themselves are compared with that.
"""

from __future__ import annotations

import ctypes
import re
from typing import NamedTuple

import numpy as np
import pytest
from llvmlite import binding as llvm

from mlconv.codegen.kernels.gemm_kind import GEMM
from mlconv.codegen.kernels.kind import Call
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import pointer
from mlconv.codegen.machines.cpus import X86_64, Cpu
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects.kernel import BFLOAT16, Gemm, Instr, OutputIndexing, View, tile_places
from mlconv.ir.constants import make_const
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.arithmetic import packed
from tests.support.float_tiles import EMULATED, INSTRUCTIONS
from tests.support.native import Array

RNG = np.random.default_rng(0)
BF16 = DType.BF16.numpy
SETS = {c.name: c for c in X86_64}
UNIT = 2.0**-24  # half a step of float32, relative


class Built(NamedTuple):
    """A product's code.  text: of its function."""

    call: ctypes._CFuncPtr
    items: Size
    text: str
    engine: llvm.ExecutionEngine

    def run(self, operands: list[Array], out: Array) -> Array:
        assert isinstance(self.items, int)
        self.call(*(a.ctypes.data for a in (*operands, out)), 0, self.items)
        return out


def built(cpu: Cpu, problem: Gemm, operands: int, emulated: bool) -> Built:
    declarations: dict[str, str] = {}
    names = [pointer(f"%a{i}") for i in range(operands)]
    b = Builder("product", [*names, pointer("%out")], declarations, cpu)
    written = GEMM.generate(b, problem, Call(cpu, problem.types.result, names))
    own = b.text().replace("define internal", "define", 1)
    text = "\n".join([*declarations.values(), own, f"attributes #0 = {{ {cpu.attributes} }}"])
    if emulated:
        text = re.sub(rf"(?m)^declare .*{INSTRUCTIONS}.*$\n", "", text)
        text = "\n".join([re.sub(INSTRUCTIONS, r'@"emulated_\1"', text), EMULATED])
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    types = [ctypes.c_void_p] * (operands + 1)
    call = ctypes.CFUNCTYPE(None, *types, ctypes.c_int64, ctypes.c_int64)(engine.get_function_address("product"))
    return Built(call, written.items, own, engine)


def sets() -> list[tuple[Cpu, bool]]:
    """Those that this machine runs; tiles of matrices, and pairs, in LLVM IR, with the least set besides."""
    names = host_cpus()
    if not set(names) & set(SETS):
        pytest.skip("not x86-64")
    least = SETS["x86-64"]._replace(bits=512, registers=32)
    tiles = least._replace(name="tiles", matrices=SETS["amx"].matrices)
    pairs = least._replace(name="pairs", half_pairs=SETS["avx512-bf16"].half_pairs)
    return [(tiles, True), (pairs, True), *((c, False) for c in X86_64 if c.name in names)]


def rounded(x: Array) -> Array:
    return x.astype(BF16)


def bound(x: Array, w: Array) -> Array:
    """What sums in any order are off by, at most: Higham, Accuracy and Stability of Numerical Algorithms, (3.3), and
    flushed denormals.
    """
    depth = x.shape[-1]
    sums = np.abs(x).astype(np.float64) @ np.abs(w).astype(np.float64)
    return np.asarray(1.01 * (depth + 1) * UNIT * sums + 4 * depth * 2.0**-126)


def matrix_product(m: int, depth: int, n: int, after: tuple[Instr, ...] = ()) -> Gemm:
    rows = OutputIndexing((1, 1, m), View(0, (0, 0, depth)), (), (), n, after, View(0, (0, 0, n, 1)))
    return Gemm(rows, depth, types=BFLOAT16)


def filled(problem: Gemm, w: Array) -> Array:
    """Weights [depth, channels], packed, with NaN behind them where nothing may be read."""
    return packed(make_const(w), w.shape[0], w.shape[1], BFLOAT16, problem.run).view().copy()


@pytest.mark.share(6)
@pytest.mark.parametrize("depth", [1, 2, 3, 24, 27, 32, 40, 64, 80, 144, 147])
@pytest.mark.parametrize("m", [1, 7, 17, 49, 70])
def test_sums(m: int, depth: int) -> None:
    """Any depth and number of rows, panels that are full and not; what lies behind a row of x is not multiplied."""
    for n in (3, 16, 37, 70):
        room = np.full(m * depth + 64, np.inf, np.float32).astype(BF16)
        x = room[: m * depth].reshape(m, depth)
        x[:] = rounded(RNG.standard_normal((m, depth)))
        w, bias = rounded(RNG.standard_normal((depth, n))), RNG.standard_normal(n).astype(np.float32)
        after = (Instr("load", DType.F32, (2,), View(0, (0, 0, 0, 1))), Instr("add", DType.F32, (0, 1)))
        problem, exact = matrix_product(m, depth, n, after), x.astype(np.float64) @ w.astype(np.float64) + bias
        for cpu, emulated in sets():
            code = built(cpu, problem, 3, emulated)
            y = np.full((m, n), np.nan, np.float32)
            code.run([room, filled(problem, w), bias], y)
            limit = bound(x, w) + 2 * UNIT * np.abs(exact)
            assert (np.abs(y - exact) <= limit).all(), (cpu.name, emulated, n)
            by_tiles = bool(cpu.matrices) and m >= 4
            assert ("tdpbf16ps" in code.text) == by_tiles
            assert (".dpbf16ps" in code.text) == (bool(cpu.half_pairs) and not by_tiles)


@pytest.mark.parametrize(("height", "width", "channels"), [(5, 7, 32), (4, 14, 24), (3, 40, 6), (6, 5, 3), (1, 9, 34)])
@pytest.mark.parametrize("stride", [1, 2])
def test_windows(height: int, width: int, channels: int, stride: int) -> None:
    """3 x 2 windows: runs that are joined, that are laid out, that are filled up one by one; odd numbers of lines."""
    image = (stride * height + 2, stride * width + 1, channels)
    x, w = rounded(RNG.standard_normal((2, *image))), rounded(RNG.standard_normal((3, 2, channels, 21)))
    row, whole = image[1] * channels, image[0] * image[1] * channels
    view = View(0, (whole, stride * row, stride * channels))
    out = View(0, (height * width * 21, width * 21, 21, 1))
    indexing = OutputIndexing((2, height, width), view, (3, 2), (row, channels), 21, (), out)
    problem = Gemm(indexing, channels, types=BFLOAT16)
    places = [
        x[:, i : i + stride * height : stride, j : j + stride * width : stride][:, :height, :width]
        for i in range(3)
        for j in range(2)
    ]
    side = np.concatenate(places, axis=-1)
    flat = w.reshape(-1, 21)
    exact = side.astype(np.float64) @ flat.astype(np.float64)
    for cpu, emulated in sets():
        y = np.full((2, height, width, 21), np.nan, np.float32)
        code = built(cpu, problem, 2, emulated)
        code.run([x, filled(problem, flat)], y)
        assert (np.abs(y - exact) <= bound(side, flat)).all(), (cpu.name, emulated)
        # how many images there are, a run may tell
        any_number = problem._replace(indexing=indexing._replace(rows=(Dim.symbol("N"), height, width)))
        assert substitute(built(cpu, any_number, 2, emulated).items, {"N": 2}) == code.items


def test_results_of_16_bits() -> None:
    """Rounded to nearest, halves to even, behind an epilogue; NaN and infinities stay."""
    m, depth, n = 20, 32, 19
    x, w = rounded(np.zeros((m, depth))), rounded(np.eye(depth)[:, :n])
    numbers = np.array([1.0, 1.00390625, 1.01171875, -1.00390625, 3.3e38, np.inf, -np.inf, np.nan, 1e-30], np.float32)
    bias = np.resize(numbers, n)
    after = (
        Instr("load", DType.F32, (2,), View(0, (0, 0, 0, 1))),
        Instr("add", DType.F32, (0, 1)),
        Instr("cast", DType.BF16, (2,)),
    )
    problem = matrix_product(m, depth, n, after)
    problem = problem._replace(types=BFLOAT16._replace(result=DType.BF16))
    for cpu, emulated in sets():
        y = np.zeros((m, n), BF16)
        built(cpu, problem, 3, emulated).run([x, filled(problem, w), bias], y)
        np.testing.assert_array_equal(y.astype(np.float32), np.tile(bias.astype(BF16), (m, 1)).astype(np.float32))


def test_infinite_factors() -> None:
    """They reach their own sums alone, though weights are filled up with zeros."""
    m, depth, n = 33, 37, 20
    x, w = rounded(RNG.standard_normal((m, depth))), rounded(RNG.standard_normal((depth, n)))
    x[5, 36], x[7, 0], w[3, 2] = np.inf, np.nan, -np.inf
    problem = matrix_product(m, depth, n)
    touched = np.zeros((m, n), bool)
    touched[5], touched[7], touched[:, 2] = True, True, True
    for cpu, emulated in sets():
        y = np.zeros((m, n), np.float32)
        built(cpu, problem, 2, emulated).run([x, filled(problem, w)], y)
        np.testing.assert_array_equal(~np.isfinite(y), touched)


@pytest.mark.parametrize("name", ["amx", "avx512-bf16"])
def test_the_instructions_are_what_the_manual_says(name: str) -> None:
    """Bit by bit, with denormals, sums that cancel, and overflow."""
    if name not in host_cpus():
        pytest.skip(f"this machine has no {name}")
    m, depth, n = 16, 64, 32
    x = RNG.standard_normal((m, depth)) * 2.0 ** RNG.integers(-70, 60, (m, depth))
    w = RNG.standard_normal((depth, n)) * 2.0 ** RNG.integers(-70, 60, (depth, n))
    x[0], x[1], w[:, 0] = 2.0**-127, 3e38, 2.0**-128
    x[2, ::2], x[2, 1::2], w[::2, 1], w[1::2, 1] = 1.0, -1.0, 3.0, 3.0
    x, w = rounded(x), rounded(w)
    problem = matrix_product(m, depth, n)
    results = []
    for emulated in (True, False):
        y = np.zeros((m, n), np.float32)
        built(SETS[name], problem, 2, emulated).run([x, filled(problem, w)], y)
        results.append(y)
    np.testing.assert_array_equal(results[0].view(np.uint32), results[1].view(np.uint32))


def test_places_of_a_tile() -> None:
    """Runs are divided exactly, or filled up where that takes a quarter less of tiles."""
    taken = {run: BFLOAT16.filled(1, run)[1] for run in (2, 24, 27, 32, 34, 40, 144, 147, 240, 1536)}
    assert taken == {2: 2, 24: 24, 27: 28, 32: 32, 34: 36, 40: 40, 144: 144, 147: 150, 240: 240, 1536: 1536}
    assert [tile_places(n, 16) for n in taken.values()] == [2, 24, 28, 32, 18, 20, 24, 30, 30, 32]
    assert BFLOAT16.filled(9, 3) == (1, 28) and BFLOAT16.filled(9, 34) == (9, 36)


def test_systems_without_permission() -> None:
    """Linux alone is asked for it."""
    assert not any(c.matrices for c in target_named("windows").cpus)
    assert any(c.matrices for c in target_named("x86_64").cpus)


def test_floats_that_are_rounded_on_the_way() -> None:
    """x lies in memory as float32; what is added lies where the result goes."""
    m, depth, n = 37, 70, 40
    x, w = RNG.standard_normal((m, depth)).astype(np.float32), rounded(RNG.standard_normal((depth, n)))
    more = RNG.standard_normal((m, n)).astype(np.float32)
    after = (Instr("load", DType.F32, (2,), View(0, (0, 0, n, 1))), Instr("add", DType.F32, (0, 1)))
    problem = matrix_product(m, depth, n, after)._replace(wide=True)
    assert GEMM.reused(problem) == 2
    exact = rounded(x).astype(np.float64) @ w.astype(np.float64) + more
    for cpu, emulated in sets():
        y = more.copy()
        built(cpu, problem, 3, emulated).run([x, filled(problem, w), y], y)
        assert (np.abs(y - exact) <= bound(rounded(x), w) + 2 * UNIT * np.abs(exact)).all(), (cpu.name, emulated)


def test_a_place_that_is_read_twice_is_not_written_to() -> None:
    load = Instr("load", DType.F32, (2,), View(0, (0, 0, 8, 1)))
    twice = (
        load,
        Instr("add", DType.F32, (0, 1)),
        load._replace(value=View(8, (0, 0, 8, 1))),
        Instr("add", DType.F32, (2, 3)),
    )
    across = (load._replace(value=View(0, (0, 0, 0, 1))), Instr("add", DType.F32, (0, 1)))
    assert [GEMM.reused(matrix_product(8, 8, 8, after)) for after in (twice[:2], twice, across, ())] == [2, -1, -1, -1]
