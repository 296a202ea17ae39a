"""Sums that become bytes, several vectors at once, and weights that are widened once for many rows: bit-equal with the
interpreter on each instruction set of the machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.kernels.integer_gemm import IntegerGemmGenerator
from mlconv.codegen.kernels.narrowing import narrowed
from mlconv.codegen.llvm.text import Builder as Text
from mlconv.codegen.machines.cpus import X86_64
from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.dialects.kernel import Gemm, Instr, OutputIndexing, ProductTypes, View
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from tests.support.integers import constant, function_of
from tests.support.native import Array, InProcess, to_object

RNG = np.random.default_rng(8)
# zero point, least and largest integer of the result
LIMITS = [(0, -128, 127), (-128, -128, 127), (11, -128, 127), (127, -128, 127), (-3, -3, 127), (5, -100, 90), (0, 0, 6)]


def check(shape: tuple[int, ...], weights: Array, scale: float, limits: tuple[int, int, int], folder: Path) -> None:
    """A convolution whose sums are multiplied by `scale`: of random operands, and of nothing but the extremes."""
    of_x, (zero, lo, hi) = QuantType.of(DType.I8, 1.0, -5), limits
    of_w, out = QuantType.of(DType.I8, 1.0), QuantType.of(DType.I8, 1.0 / scale, zero)
    groups = shape[-1] // weights.shape[2]
    edge = weights.shape[0] // 2
    window: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "groups": groups}

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantConv(
            v[0], constant(b, weights, of_w), **window, pads=((edge, edge),) * 2, element=out, lo=lo, hi=hi
        )

    m = function_of([(of_x, shape)], make)
    for number, cpu in enumerate(host_cpus()):
        native = InProcess(to_object(m, folder / f"m{number}.o", cpu))
        for x in (RNG.integers(-128, 128, shape), np.full(shape, 127), np.full(shape, -128)):
            x = x.astype(np.int8)
            (want,) = run_function(m.main, {"in0": x}).values()
            code, (got,) = native.call([x])
            assert code == 0
            np.testing.assert_array_equal(got, want, err_msg=cpu)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("scale", [0.003, 1e7], ids=str)
def test_limits(limits: tuple[int, int, int], scale: float, tmp_path: Path) -> None:
    """What is beyond all integers, on both sides, is limited like the rest: 127 * 127 * 24 times 10^7."""
    weights = RNG.integers(-127, 128, (1, 1, 24, 37)).astype(np.int8)
    weights[..., 0], weights[..., 1] = 127, -127
    check((1, 5, 7, 24), weights, scale, limits, tmp_path)


@pytest.mark.parametrize("limits", LIMITS[1:4], ids=str)
@pytest.mark.parametrize("size", [(4, 6), (5, 7)], ids=str)
def test_windows(size: tuple[int, int], limits: tuple[int, int, int], tmp_path: Path) -> None:
    """3 x 3: tiles of two by two results, of which some are none where a side is odd; depthwise beside it."""
    dense, single = (RNG.integers(-127, 128, shape).astype(np.int8) for shape in ((3, 3, 16, 40), (3, 3, 1, 24)))
    dense[..., 0], single[..., 0] = 127, 127
    for weights, channels in ((dense, 16), (single, 24)):
        check((2, *size, channels), weights, 0.002, limits, tmp_path)


@pytest.mark.share(2)
@pytest.mark.parametrize("outer", [1, 4, 7, 16, 23, 40, 512])
@pytest.mark.parametrize("inner", [4, 16, 96, 104, 400])
def test_many_rows(inner: int, outer: int, tmp_path: Path) -> None:
    """255 times 127 everywhere in some columns; rows that are no multiple of those of a tile."""
    weights = RNG.integers(-127, 128, (1, 1, inner, outer)).astype(np.int8)
    weights[..., 0], weights[..., -1] = -127, 127
    check((1, 7, 11, inner), weights, 0.0005, (4, -128, 127), tmp_path)


def test_which_weights_are_widened() -> None:
    """Few, for many rows, and where an instruction multiplies words."""
    types = ProductTypes(DType.U8, DType.I8, DType.I32, DType.I32, 4)

    def is_wide(rows: int, depth: int, columns: int, cpu: str = "x86-64-v3") -> bool:
        indexing = OutputIndexing(
            (1, 1, rows), View(0, (0, 0, depth)), (), (), columns, (), View(0, (0, 0, columns, 1))
        )
        found = next(c for c in X86_64 if c.name == cpu)
        return IntegerGemmGenerator(Text("own", [], {}, found), Gemm(indexing, depth, types=types), found).is_wide

    assert is_wide(196, 64, 384) and is_wide(196, 384, 64)
    assert is_wide(196, 104, 512)  # in two parts
    assert not is_wide(8, 64, 384) and not is_wide(196, 1024, 384) and not is_wide(196, 64, 384, "avx512-vnni")


def test_programs_that_round_to_bytes() -> None:
    """Limits in either order of their arguments are no limits; what reads more behind is left alone."""

    def limited(bound: float, code: str, x: int, at: int) -> list[Instr]:
        compared = Instr(code, DType.BOOL, (x, at))
        return [Instr("const", DType.F32, (), bound), compared, Instr("select", DType.F32, (at + 1, at, x))]

    program = [*limited(-7.0, "less", 0, 1), *limited(200.0, "greater", 3, 4), Instr("nearest", DType.I8, (6,))]
    assert narrowed(program) == (6, 0, -7.0, 200.0)
    more = [Instr("const", DType.I8, (), 3), Instr("add", DType.I8, (7, 8))]
    assert narrowed([*program, *more]) == (6, 0, -7.0, 200.0)
    assert narrowed([*program, Instr("load", DType.I8, (2,), View(0, (0, 0, 0, 1)))]) is None
    assert narrowed(program[:-1]) is None
    assert narrowed([*program[:3], *limited(249.0, "greater", 3, 4), program[-1]]) is None  # more than a byte holds
    assert narrowed([*limited(-7.0, "greater", 0, 1), *program[3:]]) is None
