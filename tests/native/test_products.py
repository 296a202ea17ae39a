"""Products in other element types than float32: a row of an instruction set's table is all that they need."""

from __future__ import annotations

import ast
import ctypes
import pathlib

import numpy as np
import pytest
from llvmlite import binding as llvm

from mlconv.codegen.kernels.depthwise import DepthwiseGenerator
from mlconv.codegen.kernels.gemm import GemmGenerator
from mlconv.codegen.kernels.products import Multiplier, panel_vectors
from mlconv.codegen.llvm import types
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import pointer
from mlconv.codegen.machines.cpus import X86_64, Cpu, MultiplyAdd
from mlconv.codegen.program.compile import host_cpu
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import FLOAT32, PANEL, Depthwise, Gemm, Instr, OutputIndexing, ProductTypes, View
from mlconv.ir.constants import make_const
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.arithmetic import packed_groups
from tests.support.native import Array

KERNELS = pathlib.Path(types.__file__).parent.parent / "kernels"
FLOAT64 = ProductTypes(*[DType.F64] * 4)
RNG = np.random.default_rng(0)
ROW = MultiplyAdd(DType.F64, DType.F64, DType.F64, "llvm.fma")


def cpus() -> list[Cpu]:
    """With a row for float64: what this machine runs of the table."""
    names = [c.name for c in X86_64]
    if host_cpu() not in names:
        pytest.skip("not x86-64")
    return [c._replace(products=(*c.products, ROW)) for c in X86_64[: names.index(host_cpu()) + 1]]


def run(cpu: Cpu, problem: Gemm | Depthwise, operands: list[Array], out: Array) -> None:
    """All items of a product."""
    declarations: dict[str, str] = {}
    names = [pointer(f"%a{i}") for i in range(len(operands))]
    b = Builder("product", [*names, pointer("%out")], declarations, cpu)
    make = {Gemm: GemmGenerator, Depthwise: DepthwiseGenerator}[type(problem)]
    generator = make(b, problem, cpu)  # type: ignore[arg-type]
    generator.run(names, pointer("%out"))
    text = b.text().replace("define internal", "define", 1)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly("\n".join([*declarations.values(), text, f"attributes #0 = {{ {cpu.attributes} }}"]))
    engine = llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine(opt=2))
    engine.finalize_object()
    count = len(operands) + 1
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count, ctypes.c_int64, ctypes.c_int64)(
        engine.get_function_address("product")
    )
    assert isinstance(generator.items, int)
    function(*(a.ctypes.data for a in (*operands, out)), 0, generator.items)


def test_a_tile() -> None:
    """x [m, k] times w [k, n], and a bias; the last panel is not full."""
    m, k, n = 29, 11, 37
    x, w, bias = RNG.random((m, k)), RNG.random((k, n)), RNG.random(n)
    packed = np.zeros((-(-n // PANEL), k, PANEL))
    for j in range(n):
        packed[j // PANEL, :, j % PANEL] = w[:, j]
    after = (Instr("load", DType.F64, (2,), View(0, (0, 0, 0, 1))), Instr("add", DType.F64, (0, 1)))
    indexing = OutputIndexing((1, 1, m), View(0, (0, 0, k)), (), (), n, after, View(0, (0, 0, n, 1)))
    for cpu in cpus():
        y = np.zeros((m, n))
        run(cpu, Gemm(indexing, k, types=FLOAT64), [x, packed, bias], y)
        np.testing.assert_allclose(y, x @ w + bias, rtol=1e-13)


def test_a_depthwise_convolution() -> None:
    """3 x 3 over an image of 9 x 9 x 19 with its border."""
    x, w = RNG.random((9, 9, 19)), RNG.random((3, 3, 19))
    indexing = OutputIndexing((1, 7, 7), View(0, (0, 171, 19)), (3, 3), (171, 19), 19, (), View(0, (0, 133, 19, 1)))
    expected = sum(x[i : i + 7, j : j + 7] * w[i, j] for i in range(3) for j in range(3))
    for cpu in cpus():
        y = np.zeros((7, 7, 19))
        run(cpu, Depthwise(indexing, FLOAT64), [x, w], y)
        np.testing.assert_allclose(y, expected, rtol=1e-13)


INTEGERS = [
    ProductTypes(*types)
    for types in (
        (DType.I8, DType.I8, DType.I32, DType.I32),
        (DType.I8, DType.I8, DType.I64, DType.I64),
        (DType.I16, DType.I8, DType.I64, DType.I64),
        (DType.I16, DType.I16, DType.I32, DType.I32),
        (DType.I16, DType.I16, DType.I64, DType.I64),
    )
]


def integers(dtype: DType, shape: tuple[int, ...], most: int) -> Array:
    """All of them, and often the extremes."""
    low = int(np.iinfo(dtype.numpy).min)
    x = RNG.integers(max(low, -most - 1), most + 1, shape)
    return np.where(RNG.random(shape) < 0.3, np.where(RNG.random(shape) < 0.9, x.min(), most), x).astype(dtype.numpy)


def most_of(types: ProductTypes) -> tuple[int, int]:
    """The largest x and weights: centred integers of 8 bits where sums of 16 bits are int32."""
    if types.sums is DType.I32 and types.x is DType.I16:
        return 255, 255
    return int(np.iinfo(types.x.numpy).max), int(np.iinfo(types.weights.numpy).max)


@pytest.mark.parametrize("types", INTEGERS, ids=lambda types: "-".join(t.display for t in types))
@pytest.mark.parametrize("depth", [1, 2, 7, 130])
def test_integer_tiles(types: ProductTypes, depth: int) -> None:
    """Sums are exact, of pairs and of single elements, with panels of every width."""
    most = most_of(types)
    for n in (3, 24, 53):
        x, w = integers(types.x, (13, depth), most[0]), integers(types.weights, (depth, n), most[1])
        x[0], w[:, 0] = x.min(), w.min()  # the same sign everywhere
        indexing = OutputIndexing((1, 1, 13), View(0, (0, 0, depth)), (), (), n, (), View(0, (0, 0, n, 1)))
        problem = Gemm(indexing, depth, types=types)
        packed = packed_groups(make_const(w), depth, n, types, depth).view()
        for cpu in cpus():
            y = np.zeros((13, n), types.sums.numpy)
            run(cpu, problem, [x, packed], y)
            np.testing.assert_array_equal(y, x.astype(np.int64) @ w.astype(np.int64))


@pytest.mark.parametrize("types", INTEGERS, ids=lambda types: "-".join(t.display for t in types))
def test_integer_depthwise(types: ProductTypes) -> None:
    most = most_of(types)
    x, w = integers(types.x, (9, 9, 19), most[0]), integers(types.weights, (3, 3, 19), most[1])
    window, view = (171, 19), View(0, (0, 133, 19, 1))
    problem = Depthwise(OutputIndexing((1, 7, 7), View(0, (0, 171, 19)), (3, 3), window, 19, (), view), types)
    wide = x.astype(np.int64)
    expected = sum(wide[i : i + 7, j : j + 7] * w[i, j].astype(np.int64) for i in range(3) for j in range(3))
    for cpu in cpus():
        y = np.zeros((7, 7, 19), types.sums.numpy)
        run(cpu, problem, [x, w], y)
        np.testing.assert_array_equal(y, expected)


def test_what_the_table_lacks() -> None:
    row = Multiplier(FLOAT32, X86_64[0]).row
    assert row is not None and row.intrinsic == "llvm.fma"
    with pytest.raises(ConversionError, match="x86-64 has no code for sums of products of float64 by float64") as error:
        Multiplier(FLOAT64, X86_64[0])
    assert error.value.diagnostic.code is Code.TargetLacksOp


def test_lanes() -> None:
    assert [c.lanes(DType.F32) for c in X86_64] == [4, 8, 16] and X86_64[2].lanes(DType.I8) == 64
    assert panel_vectors(FLOAT64, X86_64[2]) == 2 and panel_vectors(FLOAT32, X86_64[2]) == 1


# `half` is a word too
SPELLINGS = {t.text for t in vars(types).values() if isinstance(t, types.LlvmType)} - {"half"}


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.py")), ids=lambda p: p.name)
def test_generators_spell_no_types(path: pathlib.Path) -> None:
    """No type of LLVM in a string, and no instruction: those are functions.  Bytes of an element come from its type:
    no product with 4, but in routines, which count by it.
    """
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    comments = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
            words = node.value.replace("<", " ").replace(">", " ").split()
            assert not SPELLINGS & set(words), f"line {node.lineno}: {node.value!r}"
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("_result", "_effect", "FLOAT"), f"line {node.lineno}"
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, (ast.Mult, ast.FloorDiv))
            and "routines" not in path.parts
        ):
            sides = [n.value for n in (node.left, node.right) if isinstance(n, ast.Constant)]
            assert 4 not in sides, f"line {node.lineno}"
