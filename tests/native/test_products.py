"""Products in other element types than float32: a row of an instruction set's table is all that they need."""

from __future__ import annotations

import ast
import ctypes
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from llvmlite import binding as llvm

from mlconv.codegen.kernels.block_gemm import BLOCK_GEMM
from mlconv.codegen.kernels.depthwise import DEPTHWISE
from mlconv.codegen.kernels.gemm_kind import GEMM
from mlconv.codegen.kernels.integer_winograd import INTEGER_WINOGRAD
from mlconv.codegen.kernels.kind import Call, KernelKind
from mlconv.codegen.kernels.products import Multiplier, panel_vectors
from mlconv.codegen.llvm import types
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import DIMS, pointer
from mlconv.codegen.machines.cpus import AARCH64, X86_64, Cpu
from mlconv.codegen.machines.instructions import Dot, MultiplyAdd, RowPair
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.program.compile import host_cpu, host_cpus
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import (
    FLOAT32,
    LONG,
    PANEL,
    BlockGemm,
    Depthwise,
    Gemm,
    Instr,
    IntegerWinograd,
    Ints,
    OutputIndexing,
    ProductTypes,
    View,
)
from mlconv.dialects.kernel.beyond import beyond
from mlconv.ir.constants import make_const
from mlconv.ir.dims import substitute
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.arithmetic import packed_groups
from tests.support.guarded import guarded
from tests.support.native import Array
from tests.support.tiles import emulated_tiles

KERNELS = pathlib.Path(types.__file__).parent.parent / "kernels"
FLOAT64 = ProductTypes(*[DType.F64] * 4)
RNG = np.random.default_rng(0)
(AMX,) = (c for c in X86_64 if c.matrices)
ROW = MultiplyAdd(DType.F64, DType.F64, DType.F64, "llvm.fma")


def cpus() -> list[Cpu]:
    """With a row for float64: what this machine runs of the table."""
    names = host_cpus()
    if host_cpu() not in [c.name for c in X86_64]:
        pytest.skip("not x86-64")
    return [c._replace(products=(*c.products, ROW)) for c in X86_64 if c.name in names]


def emulated(dot: Dot) -> str:
    """What an instruction does, in LLVM IR: Intel SDM volume 2, VPDPBUSD; Arm A64, SDOT; of more places alike."""
    lanes, count, extended = dot.lanes, dot.places * dot.lanes, "zext" if dot.x is DType.U8 else "sext"
    many, few = f"<{count} x i32>", f"<{lanes} x i32>"
    lines = [
        f"define {few} @{dot.intrinsic}({few} %s, <{count} x i8> %x, <{count} x i8> %w) {{",
        f"%a = {extended} <{count} x i8> %x to {many}",
        f"%b = sext <{count} x i8> %w to {many}",
        f"%p = mul {many} %a, %b",
        f"%t0 = add {few} %s, zeroinitializer",
    ]
    for i in range(dot.places):
        places = ", ".join(f"i32 {dot.places * lane + i}" for lane in range(lanes))
        lines += [
            f"%q{i} = shufflevector {many} %p, {many} poison, {few} <{places}>",
            f"%t{i + 1} = add {few} %t{i}, %q{i}",
        ]
    return "\n".join([*lines, f"ret {few} %t{dot.places}", "}"])


def emulated_pair(row: RowPair) -> str:
    """Two rows by two columns of eight places: Arm Architecture Reference Manual, SMMLA."""
    lines = [
        f"define <4 x i32> @{row.intrinsic}(<4 x i32> %s, <16 x i8> %x, <16 x i8> %w) {{",
        "%a = sext <16 x i8> %x to <16 x i32>",
        "%b = sext <16 x i8> %w to <16 x i32>",
        "%t0 = add <4 x i32> %s, zeroinitializer",
    ]
    for k in range(8):
        for name, places in (("a", (k, k, 8 + k, 8 + k)), ("b", (k, 8 + k, k, 8 + k))):
            mask = ", ".join(f"i32 {p}" for p in places)
            lines.append(
                f"%{name}{k} = shufflevector <16 x i32> %{name}, <16 x i32> poison, <4 x i32> <{mask}>",
            )
        lines += [f"%p{k} = mul <4 x i32> %a{k}, %b{k}", f"%t{k + 1} = add <4 x i32> %t{k}, %p{k}"]
    return "\n".join([*lines, "ret <4 x i32> %t8", "}"])


def emulated_narrowing() -> list[str]:
    """The nearest integer, an even one of two, and what halves registers, all limited to what there is: Arm A64,
    FCVTNS, SQXTN and SQXTUN.
    """
    floats, wide, some = "<4 x float>", "<4 x i32>", "<8 x i16>"
    out = [
        f"declare {floats} @llvm.roundeven.v4f32({floats})",
        f"declare {wide} @llvm.fptosi.sat.v4i32.v4f32({floats})",
        f"define {wide} @emulated_nearest({floats} %x) {{",
        f"%r = call {floats} @llvm.roundeven.v4f32({floats} %x)",
        f"%y = call {wide} @llvm.fptosi.sat.v4i32.v4f32({floats} %r)",
        f"ret {wide} %y",
        "}",
    ]
    narrowed = (
        ("words", wide, "i16", -32768, 32767),
        ("signed", some, "i8", -128, 127),
        ("unsigned", some, "i8", 0, 255),
    )
    for name, given, element, low, high in narrowed:
        lanes, own = int(given[1]), given.split("x ")[1].rstrip(">")
        made = f"<{lanes} x {element}>"
        out += [f"declare {given} @llvm.{code}.v{lanes}{own}({given}, {given})" for code in ("smin", "smax")]
        out += [
            f"define {made} @emulated_{name}({given} %x) {{",
            f"%a = call {given} @llvm.smax.v{lanes}{own}({given} %x, {given} splat ({own} {low}))",
            f"%b = call {given} @llvm.smin.v{lanes}{own}({given} %a, {given} splat ({own} {high}))",
            f"%y = trunc {given} %b to {made}",
            f"ret {made} %y",
            "}",
        ]
    return list(dict.fromkeys(out[:2])) + _once(out[2:])


def _once(lines: list[str]) -> list[str]:
    """Each declaration once."""
    return [line for i, line in enumerate(lines) if not line.startswith("declare") or line not in lines[:i]]


_KINDS: dict[type, KernelKind[Any]] = {
    Gemm: GEMM,
    Depthwise: DEPTHWISE,
    IntegerWinograd: INTEGER_WINOGRAD,
    BlockGemm: BLOCK_GEMM,
}


def run(
    cpu: Cpu,
    problem: Gemm | Depthwise | IntegerWinograd | BlockGemm,
    operands: list[Array],
    out: Array,
    apart: bool = False,
    choice: Ints = (),
    sizes: Mapping[str, int] | None = None,
) -> str:
    """All items of a product, one by one where they are `apart`.  Instructions whose name begins with `emulated` are,
    and those on tiles where `cpu` is called so.  sizes: known at run time.  Returns the text.  Behind packed weights
    lies what is read there, and no more.
    """
    operands = [guarded(a, more) if (more := beyond(problem, i)) else a for i, a in enumerate(operands)]
    declarations: dict[str, str] = {}
    names = [pointer(f"%a{i}") for i in range(len(operands))]
    known, table = sizes or {}, np.array([*(sizes or {}).values()], np.int64)
    symbols = {name: i for i, name in enumerate(known)}
    b = Builder("product", [*names, pointer("%out"), DIMS], declarations, cpu, symbols=symbols)
    kind: KernelKind[Any] = _KINDS[type(problem)]
    written = kind.generate(b, problem, Call(cpu, problem.types.result, names, choice=choice))
    text = b.text().replace("define internal", "define", 1)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if cpu.name == "emulated":
        text = emulated_tiles(text)
    declared = [d for name, d in declarations.items() if "emulated" not in name and f"@{name}(" in text]
    functions = [emulated(d) for d in cpu.dots if f"@{d.intrinsic}(" in text and "emulated" in d.intrinsic]
    functions += [emulated_pair(r) for r in cpu.row_pairs if f"@{r.intrinsic}(" in text]
    functions += emulated_narrowing() if cpu.narrowing and "@emulated_nearest(" in text else []
    module = llvm.parse_assembly("\n".join([*declared, *functions, text, f"attributes #0 = {{ {cpu.attributes} }}"]))
    engine = llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine(opt=2))
    engine.finalize_object()
    count = len(operands) + 2
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count, ctypes.c_int64, ctypes.c_int64)(
        engine.get_function_address("product")
    )
    items = substitute(written.items, known)
    assert isinstance(items, int)
    step = 1 if apart else items
    for begin in range(0, items, step):
        function(*(a.ctypes.data for a in (*operands, out, table)), begin, begin + step)
    return text


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


@pytest.mark.parametrize(("channels", "apart"), [(19, 0), (150, 0), (150, 5)])
def test_a_depthwise_convolution(channels: int, apart: int) -> None:
    """3 x 3 over an image of 9 x 9 with its border, by lines and by channels; some elements behind those of a place
    may count for nothing.
    """
    place = channels + apart
    x, w = RNG.random((9, 9, place)), RNG.random((3, 3, place))
    strides, out = (9 * place, place), View(0, (0, 7 * channels, channels, 1))
    indexing = OutputIndexing((1, 7, 7), View(0, (0, *strides)), (3, 3), strides, channels, (), out)
    expected = sum(x[i : i + 7, j : j + 7] * w[i, j] for i in range(3) for j in range(3))[..., :channels]
    for cpu in cpus():
        for choice in ((), (3, 0, 1), (3, 1, 1)):
            y = np.zeros((7, 7, channels))
            run(cpu, Depthwise(indexing, FLOAT64, place if apart else 0), [x, w], y, choice=choice)
            np.testing.assert_allclose(y, expected, rtol=1e-13)


@pytest.mark.parametrize(("channels", "times"), [(20, 2), (136, 4), (72, 8), (200, 2)])
def test_a_depth_multiplier(channels: int, times: int) -> None:
    """Results that are made of the same channel lie side by side."""
    read = channels // times
    x, w = RNG.random((9, 9, read)), RNG.random((3, 3, channels))
    strides, out = (9 * read, read), View(0, (0, 7 * channels, channels, 1))
    indexing = OutputIndexing((1, 7, 7), View(0, (0, *strides)), (3, 3), strides, channels, (), out)
    wide = np.repeat(x, times, axis=-1)
    expected = sum(wide[i : i + 7, j : j + 7] * w[i, j] for i in range(3) for j in range(3))
    for cpu in cpus():
        for choice in ((), (3, 0, 1), (3, 1, 1)):
            y = np.zeros((7, 7, channels))
            run(cpu, Depthwise(indexing, FLOAT64, times=times), [x, w], y, choice=choice)
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


@pytest.mark.share(4)
@pytest.mark.parametrize("types", INTEGERS, ids=lambda types: "-".join(t.display for t in types[:4]))
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


def with_dots() -> list[Cpu]:
    """Sets whose instructions this machine need not have: those of the table, one that takes signs, with factors that
    are elements of a register, too, and made-up ones of one width, each with registers as narrow and as wide as there
    are.
    """
    (least, *_), out = cpus(), []
    for cpu in [c for c in X86_64 if c.dots]:
        dots = tuple(d._replace(intrinsic=f"emulated_{d.lanes}") for d in cpu.dots)
        out.append(least._replace(name=cpu.name, bits=cpu.bits, registers=cpu.registers, dots=dots))
    for name, x, lanes in (("sdot", DType.I8, 4), ("wide", DType.U8, 16), ("middle", DType.U8, 8)):
        out.append(least._replace(name=name, bits=32 * lanes, dots=(Dot(x, DType.I8, lanes, f"emulated_{name}"),)))
    pair = RowPair(DType.I8, DType.I8, "emulated_pair")
    element = out[-3]._replace(name="by element", registers=32, by_element=True)
    return [*out, element, out[-3]._replace(name="smmla", registers=32, row_pairs=(pair,))]


BYTES = ProductTypes(DType.I8, DType.I8, DType.I32, DType.I32)


@pytest.mark.share(6)
@pytest.mark.parametrize("shift", [0, 128])
@pytest.mark.parametrize("depth", [3, 4, 64, 130, 516])
def test_instructions_for_sums_of_bytes(depth: int, shift: int) -> None:
    """Each row of a table is used where its types fit, and no generator knows its name.  The largest operands: 255 and
    127 everywhere.
    """
    for n in (1, 24, 53):
        x, w = integers(DType.I8, (13, depth), 127), integers(DType.I8, (depth, n), 127)
        x[0], w[:, 0], x[1] = 127, 127, -128
        indexing = OutputIndexing((1, 1, 13), View(0, (0, 0, depth)), (), (), n, (), View(0, (0, 0, n, 1)))
        problem = Gemm(indexing, depth, types=BYTES, shift=shift)
        packed = packed_groups(make_const(w), depth, n, BYTES, depth).view()
        for cpu in [*with_dots(), *cpus()]:
            y = np.zeros((13, n), np.int32)
            text = run(cpu, problem, [x, packed], y)
            np.testing.assert_array_equal(y, (x.astype(np.int64) + shift) @ w.astype(np.int64))
            fits = any(d.x is (DType.U8 if shift else DType.I8) for d in cpu.dots)
            assert any(f"@{d.intrinsic}(" in text for d in (*cpu.dots, *cpu.row_pairs, *cpu.matrices)) == fits


@pytest.mark.parametrize("depth", [1, 3, 16, 17, 61, 130])
def test_instructions_for_sixteen_places(depth: int) -> None:
    """As VMLADAVA takes them, and for four columns at once: rows of a table, and weights that are packed so."""
    types, dots = BYTES._replace(places=LONG), [Dot(DType.I8, DType.I8, n, f"emulated_long_{n}", LONG) for n in (1, 4)]
    for n in (1, 19, 53):
        x, w = integers(DType.I8, (13, depth), 127), integers(DType.I8, (depth, n), 127)
        x[0], w[:, 0], x[1] = 127, -128, -128
        indexing = OutputIndexing((1, 1, 13), View(0, (0, 0, depth)), (), (), n, (), View(0, (0, 0, n, 1)))
        packed = packed_groups(make_const(w), depth, n, types, depth).view()
        for dot in dots:
            y, cpu = np.zeros((13, n), np.int32), cpus()[0]._replace(name="made up", dots=(dot,))
            text = run(cpu, Gemm(indexing, depth, types=types), [x, packed], y)
            np.testing.assert_array_equal(y, x.astype(np.int64) @ w.astype(np.int64))
            assert dot.intrinsic in text


def with_tiles() -> list[Cpu]:
    """Sets that have tiles: what this machine need not have, and what it has."""
    least = cpus()[0]
    dots = tuple(d._replace(intrinsic=f"emulated_{d.lanes}") for d in AMX.dots)
    made = least._replace(name="emulated", bits=AMX.bits, registers=AMX.registers, dots=dots, matrices=AMX.matrices)
    made = made._replace(signed_matrices=AMX.signed_matrices)
    return [made, *(c for c in cpus() if c.matrices)]


@pytest.mark.usefixtures("always_tiles")
@pytest.mark.parametrize("cpu", [c for c in (*X86_64, *AARCH64) if c.dots], ids=lambda c: c.name)
def test_instructions_are_what_the_table_says(cpu: Cpu) -> None:
    target = target_named("x86_64" if cpu in X86_64 else "aarch64")
    indexing = OutputIndexing((1, 1, 13), View(0, (0, 0, 64)), (), (), 37, (), View(0, (0, 0, 37, 1)))
    problem, declarations = Gemm(indexing, 64, types=BYTES, shift=128 * target.unsigned), dict[str, str]()
    b = Builder("product", [pointer("%a0"), pointer("%a1"), pointer("%out")], declarations, cpu)
    GEMM.generate(b, problem, Call(cpu, DType.I32, [pointer("%a0"), pointer("%a1")]))
    text = b.text().replace("define internal", "define", 1)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly("\n".join([*declarations.values(), text, f"attributes #0 = {{ {cpu.attributes} }}"]))
    machine = llvm.Target.from_triple(target.triple).create_target_machine(cpu.target, cpu.features, opt=2)
    words = set(machine.emit_assembly(module).split())
    expected = "tdpbusd" if cpu.matrices else "vpdpbusd" if target.unsigned else "smmla" if cpu.row_pairs else "sdot"
    assert expected in words and not words & {"vpmaddwd", "smlal", "call", "bl"}


@pytest.mark.share(6)
@pytest.mark.parametrize("channels", [1, 3, 8, 70])
def test_integer_windows(channels: int) -> None:
    """Windows of 3 x 2 over two images, of runs that have whole groups, are joined, and are filled up one by one."""
    x, w = integers(DType.I8, (2, 9, 8, channels), 127), integers(DType.I8, (3, 2, channels, 21), 127)
    wide = x.astype(np.int64) + 128
    expected = sum(
        wide[:, i : i + 7 : 2, j : j + 7] @ w[i, j].astype(np.int64) for i in range(3) for j in range(2)
    )  # [2, 4, 7, 21]
    row = 8 * channels
    for run_, window, strides in ((channels, (3, 2), (row, channels)), (2 * channels, (3,), (row,))):
        indexing = OutputIndexing(
            (2, 4, 7), View(0, (9 * row, 2 * row, channels)), window, strides, 21, (), View(0, (588, 147, 21, 1))
        )
        problem = Gemm(indexing, run_, types=BYTES, shift=128)
        packed = packed_groups(make_const(w.reshape(-1, 21)), 6 * channels, 21, BYTES, run_).view()
        for cpu in [*with_dots(), *cpus()]:
            y = np.zeros((2, 4, 7, 21), np.int32)
            run(cpu, problem, [x, packed], y)
            np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(("inner", "outer", "columns"), [(8, 16, 31), (4, 5, 14), (16, 40, 12), (4, 1, 3)], ids=str)
def test_places_that_rows_share(inner: int, outer: int, columns: int) -> None:
    """An element of x is loaded once for the windows of all columns that it lies in, where few channels come out."""
    x, w = integers(DType.U8, (5, columns + 2, inner), 255), integers(DType.I8, (3, 3, inner, outer), 127)
    x[0, 0], w[..., 0] = 255, 127
    wide, pitch = x.astype(np.int64), (columns + 2) * inner
    expected = sum(wide[i : i + 3, j : j + columns] @ w[i, j].astype(np.int64) for i in range(3) for j in range(3))
    out = View(0, (0, columns * outer, outer, 1))
    indexing = OutputIndexing((1, 3, columns), View(0, (0, pitch, inner)), (3,), (pitch,), outer, (), out)
    types = BYTES._replace(x=DType.U8)
    problem = Gemm(indexing, 3 * inner, types=types)
    packed = packed_groups(make_const(w.reshape(-1, outer)), 9 * inner, outer, types, 3 * inner).view()
    shared = set[str]()
    for cpu in [*with_dots(), *cpus()]:
        y = np.zeros((3, columns, outer), np.int32)
        text = run(cpu, problem, [x, packed], y)
        np.testing.assert_array_equal(y, expected)
        dots = sum(text.count(f"@{d.intrinsic}(") for d in cpu.dots) - len(cpu.dots)
        shared |= {cpu.name} if text.count("load i32,") < dots else set()
    assert (outer != 16) or "avx512-vnni" in shared


def test_many_weights_are_gone_through_once() -> None:
    """Strips of columns are outside, lines of two images inside."""
    x, w = integers(DType.U8, (2, 4, 7, 256), 255), integers(DType.I8, (2, 2, 256, 530), 127)
    wide = x.astype(np.float64)  # exact
    expected = sum(wide[:, i : i + 3, j : j + 6] @ w[i, j].astype(np.float64) for i in range(2) for j in range(2))
    strides, out = (4 * 7 * 256, 7 * 256, 256), View(0, (18 * 530, 6 * 530, 530, 1))
    indexing = OutputIndexing((2, 3, 6), View(0, strides), (2,), (7 * 256,), 530, (), out)
    types = BYTES._replace(x=DType.U8)
    problem = Gemm(indexing, 512, types=types)
    packed = packed_groups(make_const(w.reshape(-1, 530)), 1024, 530, types, 512).view()
    for cpu in [*with_dots(), *cpus()]:
        y = np.zeros((2, 3, 6, 530), np.int32)
        run(cpu, problem, [x, packed], y)
        np.testing.assert_array_equal(y, expected)


@pytest.mark.share(12)
@pytest.mark.parametrize("types", INTEGERS, ids=lambda types: "-".join(t.display for t in types[:4]))
def test_integer_depthwise(types: ProductTypes) -> None:
    most = most_of(types)
    for size, channels, times in ((3, 19, 1), (5, 43, 1), (3, 44, 2), (3, 40, 8)):
        high, read = 6 + size, channels // times
        x = integers(types.x, (high, high, read), most[0])
        w = integers(types.weights, (size, size, channels), most[1])
        x[:size], w[..., 0] = x.max(), w.max()
        strides, view = (high * read, read), View(0, (0, 7 * channels, channels, 1))
        indexing = OutputIndexing((1, 7, 7), View(0, (0, *strides)), (size, size), strides, channels, (), view)
        problem, wide = Depthwise(indexing, types, times=times), np.repeat(x.astype(np.int64), times, axis=-1)
        places = [(i, j) for i in range(size) for j in range(size)]
        expected = sum(wide[i : i + 7, j : j + 7] * w[i, j].astype(np.int64) for i, j in places)
        for cpu in [*with_dots(), *cpus()]:
            y = np.zeros((7, 7, channels), types.sums.numpy)
            text = run(cpu, problem, [x, w], y)
            np.testing.assert_array_equal(y, expected)
            takes = [d for d in cpu.dots if d.x is DType.U8 and d.lanes == cpu.lanes(DType.I32) >= 8]
            bytes_of = types.x.bits == types.weights.bits == 8 and types.sums is DType.I32
            assert any(f"@{d.intrinsic}(" in text for d in takes) == bool(takes and bytes_of)


def test_what_the_table_lacks() -> None:
    row = Multiplier(FLOAT32, X86_64[0]).row
    assert row is not None and row.intrinsic == "llvm.fma"
    with pytest.raises(ConversionError, match="x86-64 has no code for sums of products of bool by bool") as error:
        Multiplier(FLOAT64._replace(x=DType.BOOL), X86_64[0])
    assert error.value.diagnostic.code is Code.TargetLacksOp


def test_lanes() -> None:
    assert [c.lanes(DType.F32) for c in X86_64] == [4, 8, 8, *[16] * 4] and X86_64[-1].lanes(DType.I8) == 64
    assert panel_vectors(FLOAT64, X86_64[-1]) == 2 and panel_vectors(FLOAT32, X86_64[-1]) == 1


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
