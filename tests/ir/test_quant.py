"""Quantized element types: numbers, text, and what becomes of axes, compared with numpy on whole tensors."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import DIALECTS, core
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Inline, Mapped, SourceFile, Splat, make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.ir.quant import Blocked, PerAxis, PerTensor, QuantType, Scheme, storage_range
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.provenance.locations import NameLocation

STORAGES = [d for d in DType if d.is_int and d.bits <= 32]
EXPRESSED = [DType.F32, DType.F16, DType.BF16]


@st.composite
def quantized(draw: st.DrawFn, most: int = 4) -> TensorType:
    """A quantized type of rank 1 to 3."""
    shape = draw(st.lists(st.integers(1, most), min_size=1, max_size=3))
    axis = draw(st.integers(0, len(shape) - 1))
    kind = draw(st.sampled_from([PerTensor, PerAxis, Blocked]))
    scheme: Scheme = PerTensor() if kind is PerTensor else PerAxis(axis)
    scales_shape: tuple[int, ...] = () if kind is PerTensor else (shape[axis],)
    if kind is Blocked:
        size = draw(st.integers(1, 3))
        scheme, scales_shape = Blocked(axis if size > 1 else 0, size), tuple(shape)
        shape[scheme.axis] = shape[scheme.axis] * size - draw(st.integers(0, size - 1))
    storage = draw(st.sampled_from(STORAGES))
    low, high = storage_range(storage)
    qmin, qmax = draw(st.sampled_from([(low, high), (low + 1, high)]))
    count = int(np.prod(scales_shape))
    positive = st.floats(2.0**-100, 2.0**100, width=32)
    scales = np.array(draw(st.lists(positive, min_size=count, max_size=count)), np.float32)
    zeros = np.array(draw(st.lists(st.integers(qmin, qmax), min_size=count, max_size=count)), np.int64)
    quant = QuantType(
        storage,
        draw(st.sampled_from(EXPRESSED)),
        scheme,
        make_const(scales.reshape(scales_shape)),
        make_const(zeros.reshape(scales_shape), storage),
        qmin,
        qmax,
    )
    return TensorType(quant, tuple(shape))


def function_of(t: TensorType) -> tuple[Function, Builder]:
    function = Function.create("main", [t], ["x"], NameLocation("f"))
    return function, Builder(function.block, NameLocation("f"))


def module_of(t: TensorType) -> Module:
    function, builder = function_of(t)
    builder.emit(Yield([builder.emit(core.StorageCast(function.inputs[0], element=t.dtype)).y]))
    function.output_names = ["y"]
    return Module([function])


def cells(t: TensorType) -> tuple[np.ndarray, np.ndarray]:
    """Scale and zero point of each cell."""
    assert t.quant is not None
    shape = t.static_shape()
    scales, zeros = (t.quant.spread(a, shape) for a in (t.quant.scales.view(), t.quant.zero_array()))
    return np.broadcast_to(scales, shape), np.broadcast_to(zeros, shape)


def check_moved(x: TensorType, y: Value, move: Any) -> None:
    """y has for each cell the numbers of the cell that it came from."""
    for before, after in zip(cells(x), cells(y.tensor), strict=True):
        assert np.array_equal(move(before), after)


@given(quantized())
@settings(max_examples=200, deadline=None)
def test_text_comes_back(t: TensorType) -> None:
    text = print_module(module_of(t))
    again = parse_module(text, DIALECTS)
    assert again.main.inputs[0].type == t and print_module(again) == text
    verify(again)


@given(quantized(most=9), st.integers(9, 30))
@settings(max_examples=30, deadline=None)
def test_text_with_many_scales_comes_back(t: TensorType, factor: int) -> None:
    quant = t.quant
    assert quant is not None
    scales = np.linspace(0.5, 2, factor * 8, dtype=np.float32)
    zeros = (np.arange(factor * 8) % 2).astype(quant.storage.numpy)
    many = QuantType(quant.storage, quant.expressed, PerAxis(1), make_const(scales), make_const(zeros, quant.storage))
    t = TensorType(many, (3, factor * 8))
    text = print_module(module_of(t))
    assert parse_module(text, DIALECTS).main.inputs[0].type == t
    elided = parse_module(print_module(module_of(t), elide=True), DIALECTS)
    assert elided.source.get("elided", False) is (many.scales.nbytes > 1024)


@given(quantized(), st.data())
@settings(max_examples=150, deadline=None)
def test_axes_follow_ops(t: TensorType, data: st.DataObject) -> None:
    function, b = function_of(t)
    x, rank = function.inputs[0], len(t.shape or ())
    perm = tuple(data.draw(st.permutations(range(rank))))
    check_moved(t, b.emit(core.Transpose(x, perm=perm)).y, lambda a: a.transpose(perm))
    axes = tuple(sorted(data.draw(st.sets(st.integers(0, rank), max_size=2))))
    wide = b.emit(core.ExpandDims(x, axes=axes)).y
    check_moved(t, wide, lambda a: np.expand_dims(a, axes))
    check_moved(wide.tensor, b.emit(core.Squeeze(wide, axes=axes)).y, lambda a: np.squeeze(a, axes))
    axis = data.draw(st.integers(0, rank - 1))
    own = t.quant.scheme if t.quant is not None else None
    if isinstance(own, Blocked) and own.axis == axis and t.static_shape()[axis] % own.size:
        with pytest.raises(ConversionError, match="do not end with blocks"):
            b.emit(core.Concat([x, x], axis=axis))
        return
    check_moved(t, b.emit(core.Concat([x, x], axis=axis)).y, lambda a: np.concatenate([a, a], axis))


@given(quantized(), st.data())
@settings(max_examples=150, deadline=None)
def test_parts_have_their_scales_or_are_refused(t: TensorType, data: st.DataObject) -> None:
    function, b = function_of(t)
    x, shape = function.inputs[0], t.static_shape()
    axis = data.draw(st.integers(0, len(shape) - 1))
    begin = data.draw(st.integers(0, shape[axis] - 1))
    end = data.draw(st.integers(begin + 1, shape[axis]))
    own = t.quant.scheme if t.quant is not None else None
    cut = isinstance(own, Blocked) and own.axis == axis and begin % own.size > 0
    starts, sizes = [0] * len(shape), list(shape)
    starts[axis], sizes[axis] = begin, end - begin
    first, last = (b.emit(core.Constant(value=make_const(np.array(v, np.int64)))).y for v in (starts, sizes))
    try:
        y = b.emit(core.DynamicSlice(x, first, last)).y
    except ConversionError as error:
        assert cut and error.code is Code.TypeMismatch
        return
    assert not cut
    check_moved(t, y, lambda a: a.take(range(begin, end), axis))


@pytest.mark.parametrize(
    ("shape", "axis", "new", "wanted"),
    [((3, 3, 4, 2), 3, (1, 3, 3, 8), 3), ((4, 3, 5), 1, (12, 5), 0), ((2, 3, 4), 1, (2, 12), None)],
)
def test_axes_that_are_joined_repeat_scales(
    shape: tuple[int, ...], axis: int, new: tuple[int, ...], wanted: int | None
) -> None:
    """As the last axis of the weights of a depthwise convolution is joined with that of its channels."""
    rng = np.random.default_rng(axis)
    scales, zeros = rng.uniform(0.1, 1, shape[axis]).astype(np.float32), rng.integers(-9, 9, shape[axis])
    quant = QuantType.of(DType.I8, 1.0, 0).with_numbers(
        PerAxis(axis), make_const(scales), make_const(zeros.astype(np.int8))
    )
    integers = rng.integers(-128, 128, shape).astype(np.int8)
    if wanted is None:
        with pytest.raises(ConversionError, match="does not keep the scales"):
            quant.reshaped(shape, new)
        return
    made = quant.reshaped(shape, new)
    assert made.axis == wanted
    np.testing.assert_array_equal(made.dequantize(integers.reshape(new)), quant.dequantize(integers).reshape(new))


@given(quantized(), st.data())
@settings(max_examples=200, deadline=None)
def test_reshapes_keep_scales_or_are_refused(t: TensorType, data: st.DataObject) -> None:
    function, b = function_of(t)
    rest, new = int(np.prod(t.static_shape())), []
    while rest > 1:
        new.append(data.draw(st.sampled_from([d for d in range(2, rest + 1) if rest % d == 0])))
        rest //= new[-1]
    shape = b.emit(core.Constant(value=make_const(np.array(new, np.int64).reshape(len(new))))).y
    try:
        y = b.emit(core.Reshape(function.inputs[0], shape)).y
    except ConversionError as error:
        assert error.code is Code.TypeMismatch and t.quant is not None and not t.quant.is_per_tensor
        return
    check_moved(t, y, lambda a: a.reshape(new))


@given(quantized(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_integers_come_back(t: TensorType, seed: int) -> None:
    """What an integer stands for is stored as that integer, where float32 and the expressed type hold it."""
    quant = t.quant
    assert quant is not None
    low, high = max(quant.qmin, -100), min(quant.qmax, 100)
    stored = np.random.default_rng(seed).integers(low, high, t.static_shape(), endpoint=True)
    scales, zeros = cells(t)
    moderate = (scales > 2.0**-10) & (scales < 2.0**5) & (np.abs(zeros) < 50) & (quant.expressed is DType.F32)
    again = quant.quantize(quant.dequantize(stored.astype(quant.storage.numpy))).astype(np.int64)
    assert np.array_equal(again[moderate], stored[moderate])


def test_types_are_equal_where_their_numbers_are(tmp_path: pathlib.Path) -> None:
    numbers = np.full(80, 0.25, np.float32)
    (tmp_path / "scales").write_bytes(numbers.tobytes())
    handles = (
        make_const(numbers),
        Splat(0.25, DType.F32, (80,)),
        Mapped(SourceFile(tmp_path / "scales"), 0, DType.F32, (80,)),
        recipes.cast(make_const(numbers.astype(np.float16)), DType.F32),
    )
    made = [QuantType(DType.I8, DType.F32, PerAxis(0), c) for c in handles]
    assert len(set(made)) == 1 and made[0] == made[1]
    zeros = make_const(np.zeros(80, np.int8))
    assert QuantType(DType.I8, DType.F32, PerAxis(0), handles[0], zeros) == made[0]
    others = (
        QuantType(DType.U8, DType.F32, PerAxis(0), handles[0]),
        QuantType(DType.I8, DType.F32, PerAxis(1), handles[0]),
        QuantType(DType.I8, DType.F32, PerAxis(0), make_const(numbers * 2)),
        QuantType(DType.I8, DType.F32, PerAxis(0), handles[0], qmin=-127),
        QuantType(DType.I8, DType.F32, PerAxis(0), handles[0], make_const(np.ones(80, np.int8))),
    )
    assert len({made[0], *others}) == 6


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: QuantType.of(DType.I8, float("inf")), "a scale is inf"),
        (lambda: QuantType.of(DType.I8, -0.5), r"a scale is -0\.5"),
        (lambda: QuantType.of(DType.I8, [0.5, float("nan")], axis=0), "a scale is nan"),
        (lambda: QuantType.of(DType.U8, 0.5, 256), "zero point"),
        (lambda: QuantType.of(DType.F32, 0.5), "expected integers and floats"),
        (lambda: QuantType(DType.I8, DType.F32, PerAxis(-1), make_const(np.ones(2, np.float32))), "the axis is -1"),
        (lambda: QuantType(DType.I8, DType.F32, PerAxis(0), make_const(np.float32(1))), "scales have rank 0"),
        (
            lambda: QuantType(DType.I8, DType.F32, PerTensor(), make_const(np.float32(1)), 0, 5, 5),
            r"the range \[5, 5\]",
        ),
        (lambda: TensorType(QuantType.of(DType.I8, [1, 2], axis=1), (2,)), "rank 1"),
        (lambda: TensorType(QuantType.of(DType.I8, [1, 2], axis=0), (3,)), "2 scales for the size 3"),
    ],
)
def test_what_is_no_quantization_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ConversionError, match=message) as error:
        make()
    assert error.value.code is Code.QuantizationInvalid


def test_an_open_size_takes_any_number_of_scales() -> None:
    assert TensorType(QuantType.of(DType.I8, [1, 2], axis=0), (Dim.symbol("N"),)).dtype is DType.I8


def test_a_free_result_says_how_it_is_stored() -> None:
    function, b = function_of(TensorType(QuantType.of(DType.I8, 0.5), (4,)))
    x, out = function.inputs[0], QuantType.of(DType.I8, 0.25, 3)
    assert b.emit(core.Neg(x)).y.type == TensorType(DType.F32, (4,))
    assert b.emit(core.Neg(x).quantized(out)).y.tensor.quant == out
    with pytest.raises(ConversionError, match="its rule is same scale"):
        core.Maximum(x, x).quantized(out)


def test_constants_stay_handles() -> None:
    quant = QuantType(DType.I8, DType.F32, Blocked(1, 2), Inline(np.ones((40, 40), np.float32)))
    moved = quant.transposed((1, 0)).sliced(0, 2, 40)
    assert isinstance(moved.scales, recipes.Derived) and moved.scales.shape == (19, 40)


@pytest.mark.parametrize(
    "text",
    [
        "!quant.uniform<",
        "!quant.uniform<i8>",
        "!quant.uniform<i8:f32>",
        "!quant.uniform<i8:f32, >",
        "!quant.uniform<i8:f32, x>",
        "!quant.uniform<i8:f32, 0x10>",
        "!quant.uniform<i8:f32, 1.0e999>",
        "!quant.uniform<i8:f32, 0.5:300>",
        "!quant.uniform<i8:f32, 0.5:99999999999999999999>",
        "!quant.uniform<u64:f32, 0.5:18446744073709551615>",
        "!quant.uniform<i9:f32, 0.5>",
        "!quant.uniform<i8<1>:f32, 0.5>",
        "!quant.uniform<i8:f32:-1, {0.5}>",
        "!quant.uniform<i8:f32:9, {0.5}>",
        "!quant.uniform<i8:f32:{}, {0.5}>",
        "!quant.uniform<i8:f32:{0:0}, {0.5}>",
        "!quant.uniform<i8:f32:{0:2, 1:2}, {{0.5}}>",
        "!quant.uniform<i8:f32:0, {0.5, {0.25}}>",
        "!quant.uniform<i8:f32:0, dense<0.5> : tensor<3xf32>>",
        "!quant.uniform<i8:f32:0, dense<[1, 2]> : tensor<2xi32>, 7>",
        f"!quant.uniform<i8:f32:0, {'{' * 5000}>",
    ],
)
def test_text_that_is_no_type_is_refused(text: str) -> None:
    op = f'%0 = "core.constant"() {{value = {text}}} : () -> (tensor<2x{text}>)'
    for body in (op, f"^bb(%0: tensor<2x{text}>):"):
        whole = f'"builtin.module"() ({{ "mlconv.func"() ({{ {body} }}) {{}} : () -> () }}) : () -> ()'
        with pytest.raises(ConversionError) as error:
            parse_module(whole, DIALECTS)
        assert error.value.code in (Code.TextNotUnderstood, Code.QuantizationInvalid)
