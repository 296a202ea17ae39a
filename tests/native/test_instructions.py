"""Instructions as functions of typed values: what they write, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.instructions import UNORDERED, Instructions
from mlconv.codegen.llvm.literals import literal, real
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import (
    DOUBLE,
    FLOAT,
    I1,
    I8,
    I32,
    I64,
    Value,
    index,
    integer,
    memory_type,
    number_of,
    pointer,
    zero,
)
from mlconv.codegen.machines.cpus import X86_64
from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.dtypes import DType

F, G, N, M, P = Value(FLOAT, "%f"), Value(FLOAT, "%g"), Value(I32, "%n"), Value(I64, "%m"), pointer("%p")
V = Value(FLOAT.of_lanes(4), "%v")


def test_types() -> None:
    v = FLOAT.of_lanes(8)
    assert v is FLOAT.of_lanes(8) and FLOAT.of_lanes(1) is FLOAT and v.element is FLOAT
    assert (v.text, v.name, v.bits, v.size, v.lanes, v.floating) == ("<8 x float>", "v8f32", 32, 4, 8, True)
    assert memory_type(DType.BOOL) is I8 and memory_type(DType.C128).align == 8


def test_literals() -> None:
    assert (number_of(index(7)), number_of(integer(I32, -1)), number_of(real(FLOAT, 1.0))) == (7, -1, None)
    assert number_of(integer(I32.of_lanes(4), 3)) is None and number_of(M) is None
    assert integer(I32.of_lanes(4), 3).text == "splat (i32 3)"
    assert zero(FLOAT.of_lanes(4)).text == "zeroinitializer" and zero(I32).text == "0"
    # zeros of both signs and NaN differ, though Python holds them for equal or not
    texts = [real(DOUBLE, value).text for value in (0.0, -0.0, float("nan"), 0.0)]
    assert texts == ["0x0000000000000000", "0x8000000000000000", "0x7FF8000000000000", texts[0]]
    assert real(FLOAT, 0.1).text == "0x3FB99999A0000000" != real(DOUBLE, 0.1).text
    assert literal(DType.BOOL, 1.0).text == "1" and literal(DType.F16, 1.0).type is memory_type(DType.I16)


def test_known_numbers_are_computed() -> None:
    c = Instructions("x", [])
    found = [c.add(index(2), index(3)), c.binary("mul nsw", index(4), index(-5)), c.and_(index(70), index(-16))]
    assert [number_of(v) for v in found] == [5, -20, 64] and not c.lines
    most = index((1 << 63) - 1)
    others = [c.add(most, index(1)), c.mul(M, index(1)), c.udiv(index(4), index(2)), c.add(*[integer(I32, 1)] * 2)]
    assert [number_of(v) for v in others] == [None] * 4 and len(c.lines) == 4


def test_loops_between_known_numbers() -> None:
    b = Builder("f", [P], {}, X86_64[0])
    for first, last, written in ((3, 3, False), (4, 3, False), (0, 1, True), (0, 4, True)):
        start = len(b.lines)
        (found,) = b.over(index(first), index(last), [M], lambda at, sums: [b.add(sums[0], at)])
        text = "\n".join(b.lines[start:])
        assert (bool(text), found is not M, "phi" in text) == (written, written, last - first > 1)


Write = Callable[[Instructions], object]
WRITTEN: list[tuple[str, Write]] = [
    ("%x1 = add i64 %m, 3", lambda c: c.add(M, index(3))),
    ("%x1 = fmul <4 x float> %v, %v", lambda c: c.fmul(V, V)),
    ("%x1 = icmp eq ptr %p, %p", lambda c: c.icmp("eq", P, P)),
    ("%x1 = fcmp olt <4 x float> %v, %v", lambda c: c.fcmp("olt", V, V)),
    ("%x1 = select i1 %c, float %f, float %g", lambda c: c.select(Value(I1, "%c"), F, G)),
    ("%x1 = sext i32 %n to i64", lambda c: c.convert("sext", N, I64)),
    ("%x1 = bitcast float %f to i32", lambda c: c.bitcast(F, I32)),
    ("%x1 = extractelement <4 x float> %v, i64 3", lambda c: c.lane(V, 3)),
    (
        "%x1 = shufflevector <4 x float> %v, <4 x float> poison, <2 x i32> <i32 3, i32 1>",
        lambda c: c.chosen(V, [3, 1]),
    ),
    ("%x1 = load float, ptr %p, align 4", lambda c: c.load(FLOAT, P, 4)),
    ("store float %f, ptr %p, align 4", lambda c: c.store(F, P, 4)),
    ("%x1 = getelementptr float, ptr %p, i64 %m", lambda c: c.gep(FLOAT, P, M)),
    ("%x1 = call double @f(i32 %n)", lambda c: c.invoke(DOUBLE, "f", [N])),
    ("%x1 = load atomic i32, ptr %p seq_cst, align 4", lambda c: c.load_atomic(I32, P)),
    ("store atomic i64 %m, ptr %p monotonic, align 8", lambda c: c.store_atomic(M, P, UNORDERED)),
    ("%x1 = atomicrmw add ptr %p, i32 %n seq_cst", lambda c: c.update("add", P, N)),
]
REFUSED: list[tuple[str, Write]] = [
    ("add of i32, i64", lambda c: c.add(N, M)),
    ("add of float, float", lambda c: c.add(F, G)),
    ("fadd of i32, i32", lambda c: c.fadd(N, N)),
    ("fadd of <4 x float>, float", lambda c: c.fadd(V, F)),
    ("and of ptr, ptr", lambda c: c.and_(P, P)),
    ("fneg of i32", lambda c: c.fneg(N)),
    ("icmp eq of float, float", lambda c: c.icmp("eq", F, G)),
    ("fcmp oeq of i32, i32", lambda c: c.fcmp("oeq", N, N)),
    ("select of i1, <4 x float>, <4 x float>", lambda c: c.select(Value(I1, "%c"), V, V)),
    ("select of i1, float, i32", lambda c: c.select(Value(I1, "%c"), F, N)),
    ("trunc of i32, i64", lambda c: c.convert("trunc", N, I64)),
    ("zext of i32, i32", lambda c: c.convert("zext", N, I32)),
    ("sitofp of float, float", lambda c: c.convert("sitofp", F, FLOAT)),
    ("fpext of float, <4 x float>", lambda c: c.convert("fpext", F, V.type)),
    ("bitcast of float, i64", lambda c: c.bitcast(F, I64)),
    ("lanes 2 to 6 of <4 x float>", lambda c: c.lanes(V, 2, 4)),
    ("lanes [0, 4] of <4 x float>", lambda c: c.chosen(V, [0, 4])),
    ("lane 4 of <4 x float>", lambda c: c.lane(V, 4)),
    ("lane 0 of float", lambda c: c.lane(F, 0)),
    ("load of i64", lambda c: c.load(FLOAT, M, 4)),
    ("store of float, i64", lambda c: c.store(F, M, 4)),
    ("getelementptr of ptr, i32", lambda c: c.gep(FLOAT, P, N)),
    ("extractvalue of i32, i32", lambda c: c.extract(N, 0, I32)),
    ("load atomic of float, ptr", lambda c: c.load_atomic(FLOAT, P)),
    ("store atomic of i64, i64", lambda c: c.store_atomic(M, M)),
    ("atomicrmw xor of ptr, i32", lambda c: c.update("xor", P, N)),
    ("cmpxchg of ptr, i32, i64", lambda c: c.exchange(P, N, M)),
    ("br of i32", lambda c: c.branch(N, "a", "b")),
]


@pytest.mark.parametrize(("text", "write"), WRITTEN, ids=[text for text, _ in WRITTEN])
def test_written(text: str, write: Write) -> None:
    code = Instructions("x", [])
    write(code)
    assert code.lines == [f"  {text}"]


@pytest.mark.parametrize(("message", "write"), REFUSED, ids=[message for message, _ in REFUSED])
def test_refused(message: str, write: Write) -> None:
    code = Instructions("x", [])
    with pytest.raises(ConversionError) as error:
        write(code)
    assert error.value.diagnostic.code is Code.InternalError
    assert error.value.diagnostic.message == f"generated code is not valid: {message}"
    assert code.lines == []


def test_an_exchange_says_whether_it_was_done() -> None:
    code = Instructions("x", [])
    assert code.exchange(P, N, integer(I32, 1)).type is I1
    assert code.lines == [
        "  %x1 = cmpxchg ptr %p, i32 %n, i32 1 seq_cst seq_cst",
        "  %x2 = extractvalue { i32, i1 } %x1, 1",
    ]


def test_a_phi_is_said_block_by_block() -> None:
    f = CodeFunction(I64, "f", [M], {})
    f.goto("head")
    f.label("head")
    x = f.phi(I64)
    following = f.add(x, index(1))
    f.comes(x, M, "entry")
    f.comes(x, following, f.block)
    f.goto("head")
    assert "%v1 = phi i64 [ %m, %entry ], [ %v2, %head ]" in f.text()
    with pytest.raises(ConversionError, match="generated code is not valid: phi of i64, i32"):
        f.comes(x, N, "entry")


def test_carried_values_keep_their_types() -> None:
    b = Builder("f", [P], {}, X86_64[0])
    assert b.loop(0, 3, 1, [F], lambda i, values: [b.fadd(values[0], G)])[0].type is FLOAT
    for wrong in (
        lambda: b.loop(0, 3, 1, [F], lambda i, values: [i]),
        lambda: b.over(index(0), M, [F], lambda i, values: [i]),
        lambda: b.choose(b.icmp("eq", P, P), lambda: [F], lambda: [N]),
    ):
        with pytest.raises(ConversionError, match=r"generated code is not valid: phi of float, i(64|32)"):
            wrong()
