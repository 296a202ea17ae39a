"""The text form: what is printed parses back to the same module, and an independent MLIR parser accepts it."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import DIALECTS, core
from mlconv.interp import run_function
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Splat, make_const
from mlconv.ir.core import Block, OpaqueOp, Region, Yield
from mlconv.ir.dims import Dim, minimum
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.ir.quant import QuantType
from mlconv.ir.text import Texts
from mlconv.ir.types import OpaqueType, TensorType
from mlconv.ir.verifier import verify
from mlconv.provenance.locations import CallStack, FileLocation, Fused, Location, NameLocation

texts = st.text(st.characters(codec="utf-8"), max_size=12)
frame_texts = texts.map(lambda t: t.replace("\n", " "))
files = st.builds(
    FileLocation, texts.map(lambda t: t + ".py"), st.integers(1, 999), st.integers(0, 80), frame_texts, frame_texts
)
stacks = st.builds(
    CallStack,
    st.lists(files, min_size=1, max_size=3).map(tuple),
    st.integers(0, 9),
    st.lists(files, max_size=3).map(tuple),
)
plain_names = texts.filter(lambda t: not t.startswith(("@", "#")))
names = st.builds(NameLocation, plain_names, st.one_of(st.none(), files, stacks))
locations = st.one_of(
    files,
    stacks,
    names,
    st.builds(Fused, st.lists(names, min_size=2, max_size=3).map(tuple), st.sampled_from(["", "cse", "fold"])),
)
scalars = st.one_of(
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False),
    st.booleans(),
    texts,
    st.sampled_from(list(DType)),
    st.none(),
    st.binary(max_size=6),
)
attributes = st.dictionaries(
    texts.filter(lambda t: bool(t) and not t.startswith("mlconv.")),
    st.one_of(scalars, st.lists(scalars, max_size=3).map(tuple), st.dictionaries(texts, scalars, max_size=2)),
    max_size=4,
)
sizes = st.one_of(st.integers(0, 9), st.sampled_from([Dim.symbol("N"), Dim.symbol("a b") * 2 + 1]))
tensor_types = st.builds(
    TensorType,
    st.sampled_from([d for d in DType if d is not DType.UNKNOWN]),
    st.one_of(st.none(), st.lists(sizes, max_size=4).map(tuple)),
)


def sample(location: Location, attrs: dict[str, object], t: TensorType) -> Module:
    f = Function.create("main", [t, OpaqueType("tf.variant")], ["x", 'odd "name"'], location)
    b = Builder(f.block, location)
    op = b.emit(OpaqueOp("onnx.Thing", [f.inputs[0], None, f.inputs[1]], dict(attrs), [t, t]))
    op.results[0].name = "first"
    b.emit(Yield([op.results[1]]))
    f.output_names = ["y"]
    return Module([f], {"format": "onnx", "opset": {"": 17}})


@given(locations, attributes, tensor_types)
@settings(max_examples=150, deadline=None)
def test_round_trip(location: Location, attrs: dict[str, object], t: TensorType) -> None:
    text = print_module(sample(location, attrs, t))
    again = parse_module(text, DIALECTS)
    assert print_module(again) == text
    (op,) = [o for o in again.walk() if isinstance(o, OpaqueOp)]
    assert op.location == location and op.attributes == attrs and op.results[0].type == t and op.operands[1] is None


def rich_module() -> Module:
    place = Fused(
        (
            NameLocation(
                "a", CallStack((FileLocation("m.py", 3, 4, "forward", "y = f(x)"), FileLocation("run.py", 9)), 2)
            ),
            NameLocation("b"),
        ),
        "cse",
    )
    f = Function.create("main", [TensorType(DType.F32, (Dim.symbol("N"), 8, 8, 3))], ["x"], NameLocation("graph"))
    b = Builder(f.block, place)
    w = b.emit(
        core.Constant(
            value=recipes.transpose(make_const(np.arange(108, dtype=np.float32).reshape(4, 3, 3, 3)), (2, 3, 1, 0))
        )
    )
    y = b.emit(core.Conv(f.inputs[0], w.y, None, strides=(2, 2), pads=((1, 1), (1, 1)), dilations=(1, 1))).y
    y = b.emit(core.Clamp(y, lo=0.0, hi=float("inf"))).y
    q = b.emit(core.Quantize(y, element=QuantType.of(DType.I8, 0.1, 3))).y
    y = b.emit(core.Dequantize(q)).y
    cond = b.emit(core.Constant(value=Splat(True, DType.BOOL, ()))).y
    branches = []
    for scale in (2.0, 3.0):
        inner = Block()
        ib = b.at(inner)
        two = ib.emit(core.Constant(value=make_const(np.float32(scale)))).y
        ib.emit(Yield([ib.emit(core.Mul(y, two)).y]))
        branches.append(Region(inner))
    y = b.emit(core.If(cond, then=branches[0], orelse=branches[1])).ys[0]
    s = b.emit(core.ShapeOf(y)).y
    b.emit(Yield([y, s]))
    f.output_names = ["y", "shape"]
    return Module([f], {"format": "onnx"})


def test_typed_module_round_trip() -> None:
    module = rich_module()
    verify(module)
    text = print_module(module)
    again = parse_module(text, DIALECTS)
    assert print_module(again) == text
    verify(again)
    x = np.random.default_rng(0).standard_normal((2, 8, 8, 3)).astype(np.float32)
    for name, array in run_function(module.main, {"x": x}).items():
        assert np.array_equal(array, run_function(again.main, {"x": x})[name])


def test_xdsl_reads_it() -> None:
    from xdsl.context import Context
    from xdsl.dialects.builtin import Builtin
    from xdsl.parser import Parser

    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    module = Parser(context, print_module(rich_module())).parse_module()
    found = [op.op_name.data if hasattr(op, "op_name") else op.name for op in module.walk()]
    assert [n for n in found if n.startswith("core.")][:3] == ["core.constant", "core.conv", "core.clamp"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"builtin.module"() ({', "expected a string"),
        (
            '"builtin.module"() ({ "mlconv.func"() ({ %0 = "core.neg"(%9) '
            ": (tensor<f32>) -> (tensor<f32>) }) {} : () -> ()",
            "%9 is not defined",
        ),
        ("nonsense", "expected a string"),
        ('"builtin.module"() ({ }) : () -> () ;', "unexpected ';'"),
        (
            '"builtin.module"() ({ "mlconv.func"() ({ %0 = "core.clamp"() : () -> (tensor<f31>) }) {} : () -> ()',
            "unknown element type",
        ),
    ],
)
def test_errors_name_the_place(text: str, message: str) -> None:
    with pytest.raises(ConversionError, match=r"MLC0602: IR text, line 1 column \d+: .*" + message.replace("(", r"\(")):
        parse_module(text, DIALECTS)


INNER = {
    "element type": ("tensor<2x@f31>", "unknown element type 'f31'"),
    "storage": ("tensor<2x!quant.uniform<@i9:f32, 0.1>>", "unknown element type 'i9'"),
    "scale": ("tensor<2x!quant.uniform<i8:f32, @x>>", "unknown attribute 'x'"),
    "behind a scale": ("tensor<2x!quant.uniform<i8:f32, 0.1:@>>>", "expected an integer"),
    "no token": ("tensor<2x!quant.uniform<i8:f32, 0.1@;>>", "unexpected ';'"),
    "notes": ('tensor<?xf32, {dims @"N"]}>', "expected '='"),
    "behind an escape": (r'tensor<2x!quant.uniform<i8:f32:0, #mlconv.splat<"[\22\C3\A9\22, @;]">>>', "unexpected ';'"),
    "in a string": (r'tensor<2x!quant.uniform<i8:f32:0, #mlconv.splat<"[f32, @nope]">>>', "unknown attribute 'nope'"),
}
"""Types with a fault, and `@` where it is."""


@pytest.mark.parametrize("case", INNER)
def test_errors_inside_of_types_name_the_place(case: str) -> None:
    marked, message = INNER[case]
    type_ = marked.replace("@", "")
    lines = ['"builtin.module"() ({', '"mlconv.func"() ({', f"^bb(%0: {type_}):", "}) {} : () -> ()", "}) : () -> ()"]
    column = lines[2].index(type_) + marked.index("@") + 1
    with pytest.raises(ConversionError, match=rf"IR text, line 3 column {column}: .*{message}"):
        parse_module("\n".join(lines), DIALECTS)


NUMBERS = [
    np.array([1, 24], np.int64),
    np.array([[1, -2], [3, 4]], np.int8),
    np.float32(0.1),
    np.array([1e-30, np.pi, -0.0], np.float32),
    np.array([np.nan, np.inf, -np.inf], np.float32),
    np.array([0.1, 1e300], np.float64),
    np.array([65504, 1e-7], np.float16),
    np.array([True, False]),
    np.array([1 + 2j, complex(np.nan, -0.0)], np.complex64),
    np.zeros((2, 0), np.float32),
    np.uint64(2**64 - 1),
    np.frombuffer(b"\x01\x00\xc0\x7f", np.float32),
]


@pytest.mark.parametrize("array", NUMBERS, ids=str)
def test_small_constants_read_as_numbers(array: np.ndarray) -> None:
    text = Texts().attribute(make_const(np.asarray(array)))
    assert text.startswith("dense<")
    module = sample(NameLocation("m"), {"value": make_const(np.asarray(array))}, TensorType(DType.F32, ()))
    (op,) = [o for o in parse_module(print_module(module), DIALECTS).walk() if isinstance(o, OpaqueOp)]
    back = op.attributes["value"].view()
    assert back.dtype == array.dtype and back.shape == array.shape and back.tobytes() == array.tobytes()


@example(bytes.fromhex("0000817f00000000"), DType.C64)
@given(st.binary(min_size=8, max_size=8), st.sampled_from([d for d in DType if d.is_numeric and d.bits >= 8]))
@settings(max_examples=300, deadline=None)
def test_all_bits_come_back(data: bytes, dtype: DType) -> None:
    array = np.frombuffer(data * 2, dtype.numpy)
    c = Splat(array[0], dtype, (3,)) if data[0] & 1 else make_const(array)
    module = sample(NameLocation("m"), {"value": c}, TensorType(DType.F32, ()))
    (op,) = [o for o in parse_module(print_module(module), DIALECTS).walk() if isinstance(o, OpaqueOp)]
    assert type(op.attributes["value"]) is type(c) and op.attributes["value"].view().tobytes() == c.view().tobytes()


@pytest.mark.parametrize(
    "numbers",
    [
        "[1, 2]> : tensor<3xi32>",
        "300> : tensor<2xi8>",
        "[1> : tensor<1xi8>",
        "x> : tensor<i8>",
        "1> : tensor<?xi8>",
        "[[1, 2], [3, 4]]> : tensor<4xi32>",
        "[1, 2, 3, 4]> : tensor<2x2xi32>",
        "[[1, 2], [3]]> : tensor<2x2xi32>",
        "[[1, 2, 3], [4]]> : tensor<2x2xi32>",
        "[]> : tensor<i32>",
        "[1, 2,]> : tensor<2xi32>",
        "1, 2> : tensor<2xi32>",
    ],
)
def test_numbers_that_do_not_fit_are_refused(numbers: str) -> None:
    op = f'%0 = "core.constant"() {{value = dense<{numbers}}} : () -> (tensor<i8>)'
    whole = f'"builtin.module"() ({{ "mlconv.func"() ({{ {op} }}) {{}} : () -> () }}) : () -> ()'
    with pytest.raises(ConversionError, match="MLC0602"):
        parse_module(whole, DIALECTS)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((), '#mlconv.splat<"dense<0.5> : tensor<f32>">'),
        ((2,), "dense<0.5> : tensor<2xf32>"),
        ((0, 3), "dense<0.5> : tensor<0x3xf32>"),
    ],
)
def test_a_repeated_number_stays_one(shape: tuple[int, ...], text: str) -> None:
    c = Splat(0.5, DType.F32, shape)
    assert Texts().attribute(c) == text
    module = sample(NameLocation("m"), {"value": c}, TensorType(DType.F32, ()))
    (op,) = [o for o in parse_module(print_module(module), DIALECTS).walk() if isinstance(o, OpaqueOp)]
    assert isinstance(op.attributes["value"], Splat) and op.attributes["value"] == c


def test_unknown_sizes_keep_their_identity() -> None:
    a, b = Dim.unknown(), Dim.unknown()
    types = [
        TensorType(DType.F32, (a, 3)),
        TensorType(DType.F32, (b, a * 2 + b)),
        TensorType(DType.F32, (minimum(a, b),)),
        TensorType(DType.I64, (a,)),
    ]
    f = Function.create("main", types, ["x", "y", "z", "w"], NameLocation("g"))
    Builder(f.block, NameLocation("g")).emit(Yield(list(f.inputs)))
    f.output_names = ["x", "y", "z", "w"]
    text = print_module(Module([f]))
    x, y, z, w = (v.tensor.shape for v in parse_module(text, DIALECTS).main.inputs)
    assert x[0] == w[0] and x[0] != y[0] and y[1] == x[0] * 2 + y[0] and z[0] == minimum(x[0], y[0])
    assert print_module(parse_module(text, DIALECTS)) == text


def test_an_unranked_quantized_tensor_comes_back() -> None:
    t = TensorType(QuantType.of(DType.I8, 0.5, 3), None)
    text = print_module(sample(NameLocation("m"), {}, t))
    (op,) = [o for o in parse_module(text, DIALECTS).walk() if isinstance(o, OpaqueOp)]
    assert op.results[0].type == t


@pytest.mark.parametrize("fact", ['"nothing" = 1', '"variables" = {"v" = 5}', '"ranges" = {"N" = (1,)}', '"state" = 3'])
def test_facts_of_functions_are_checked(fact: str) -> None:
    function = f'"mlconv.func"() ({{ "mlconv.yield"() : () -> () }}) {{{fact}}} : () -> ()'
    text = f'"builtin.module"() ({{ {function} }}) : () -> ()'
    with pytest.raises(ConversionError) as error:
        parse_module(text, DIALECTS)
    assert error.value.code is Code.TextNotUnderstood


def test_sizes_with_a_bound_read_back() -> None:
    """Axes whose size is known at run time and at most a number; a bound is no expression."""
    t = TensorType(DType.F32, (8, 4, Dim.symbol("N")), bounded=[0])
    text = print_module(sample(NameLocation("x"), {}, t))
    assert '"<=8"' in text and str(t) == "float32[<=8,4,N]" and t != t.with_bounded(())
    (op,) = [o for o in parse_module(text, DIALECTS).walk() if isinstance(o, OpaqueOp)]
    assert op.results[0].type == t and op.results[0].tensor.bounded == {0}
    with pytest.raises(ConversionError, match="a bound is a number") as e:
        parse_module(text.replace('"<=8"', '"<=M"'), DIALECTS)
    assert e.value.code is Code.TextNotUnderstood


@pytest.mark.parametrize(
    "type_",
    [
        'tensor<?xf32, {dims = [""]}>',
        'tensor<?xf32, {dims = ["N/2"]}>',
        "tensor<?xf32, {dims = [true]}>",
        'tensor<?xf32, {dims = ["N"]>',
        "tensor<?xf32, {dims = 3}>",
    ],
)
def test_types_that_cannot_be_read_have_a_code_and_a_place(type_: str) -> None:
    body = f'^bb(%0: {type_}): "mlconv.yield"(%0) : ({type_}) -> ()'
    with pytest.raises(ConversionError, match=r"MLC0602: IR text, line 1 column \d+") as caught:
        parse_module(f'"builtin.module"() ({{ "mlconv.func"() ({{ {body} }}) {{}} : () -> () }}) : () -> ()', DIALECTS)
    assert caught.value.code is Code.TextNotUnderstood


@pytest.mark.parametrize("value", ["1.5> : tensor<4xi32>", "[1.5]> : tensor<1xi32>", f"[2]> : tensor<{10**20}xi64>"])
def test_numbers_that_cannot_be_read_have_a_code(value: str) -> None:
    op = f'%0 = "core.constant"() {{value = dense<{value}}} : () -> (tensor<i8>)'
    with pytest.raises(ConversionError, match="MLC0602"):
        parse_module(f'"builtin.module"() ({{ "mlconv.func"() ({{ {op} }}) {{}} : () -> () }}) : () -> ()', DIALECTS)


def _function(body: str, facts: str = "") -> str:
    return f'"builtin.module"() ({{ "mlconv.func"() ({{ {body} }}) {{{facts}}} : () -> () }}) : () -> ()'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('^bb(%0: tensor<2xf32>): "mlconv.yield"(%0) : (tensor<3xi64>) -> ()', r"operand 0 is float32\[2\], not int64"),
        (
            '^bb(%0: tensor<2xf32>, %0: tensor<2xf32>): "mlconv.yield"(%0) : (tensor<2xf32>) -> ()',
            "%0 is defined twice",
        ),
        ('^bb(%0: tensor<5xf32, {dims = ["4"]}>): "mlconv.yield"(%0) : (tensor<4xf32>) -> ()', "are not those of"),
        ('^bb(%0: tensor<?xf32, {dims = ["N", "M"]}>): "mlconv.yield"(%0) : (tensor<?xf32>) -> ()', "are not those of"),
        ('^bb(%0: tensor<?xf32, {foo = ["N"]}>): "mlconv.yield"(%0) : (tensor<?xf32>) -> ()', "notes of its sizes"),
        ('^bb(%0: tensor<?xf32, {dims = 3}>): "mlconv.yield"(%0) : (tensor<?xf32>) -> ()', "is not sound$"),
    ],
)
def test_contradictions_are_refused(body: str, message: str) -> None:
    with pytest.raises(ConversionError, match=message) as caught:
        parse_module(_function(body), DIALECTS)
    assert caught.value.code is Code.TextNotUnderstood


def test_names_end_with_their_block() -> None:
    """Those of one region may be those of another; what is around may be used, not defined again."""
    t = "tensor<i1>"
    op = f'%r = "core.if"(%c) ({{ "mlconv.yield"(%c) : ({t}) -> () }}, {{ %a = "core.logical_not"(%c) : ({t}) -> ({t}) '
    op += f'"mlconv.yield"(%a) : ({t}) -> () }}) : ({t}) -> ({t}) %a = "core.logical_not"(%r) : ({t}) -> ({t})'
    module = parse_module(_function(f'^bb(%c: {t}): {op} "mlconv.yield"(%a) : ({t}) -> ()'), DIALECTS)
    assert [op.name for op in module.main.block.ops] == ["core.if", "core.logical_not", "mlconv.yield"]


@pytest.mark.parametrize(
    "where",
    ['"1 <= N <= 4", "8 <= N <= 9"', '"1 <= N <= 5", "N % 7 == 0"', '"M == 3"', '"5 <= N <= 2"'],
)
def test_facts_that_contradict_one_another(where: str) -> None:
    t = 'tensor<?xf32, {dims = ["N"]}>'
    body = f'^bb(%0: {t}): "mlconv.yield"(%0) : ({t}) -> () loc("end")'
    module = parse_module(_function(body, f'"where" = [{where}], "output_names" = ["y"]'), DIALECTS)
    with pytest.raises(ConversionError, match="facts of function"):
        verify(module)
