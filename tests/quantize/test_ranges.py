"""Scales and zero points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import make_const
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, PerAxis, PerTensor
from mlconv.quantize.ranges import Range, activation_type, largest_of, weight_type

NUMBERS = st.floats(-1e6, 1e6, width=32)


@given(NUMBERS, NUMBERS, st.sampled_from([DType.I8, DType.U8, DType.I16]))
def test_activations(a: float, b: float, storage: DType) -> None:
    """0 has an integer, and all of the range is within a step of one."""
    low, high = min(a, b), max(a, b)
    quant = activation_type(low, high, storage)
    x = np.linspace(low, high, 41, dtype=np.float32)
    back = quant.dequantize(quant.quantize(x))
    assert quant.dequantize(quant.quantize(np.zeros(1, np.float32))) == 0
    assert np.abs(back - x).max() <= 1.01 * float(quant.scales.view())
    assert storage is not DType.I16 or not quant.zero_array().any()


def test_centred() -> None:
    quant = activation_type(-3.0, 1.0, DType.I8, centred=True)
    assert not quant.zero_array().any() and float(quant.scales.view()) == pytest.approx(3 / 127)


def test_not_finite() -> None:
    for low, high in ((-np.inf, 1.0), (0.0, np.nan)):
        with pytest.raises(ConversionError) as error:
            activation_type(low, high, DType.I8)
        assert error.value.code is Code.QuantizationInvalid
    with pytest.raises(ConversionError) as error:
        largest_of(make_const(np.asarray([1.0, np.inf], np.float32)), None)
    assert error.value.code is Code.QuantizationInvalid


@pytest.mark.parametrize(("axis", "block"), [(None, 0), (0, 0), (1, 0), (0, 4), (1, 2)])
@pytest.mark.parametrize("storage", [DType.I8, DType.I4])
def test_weights(axis: int | None, block: int, storage: DType) -> None:
    """Symmetric, without the lowest integer; what is stored in blocks of bytes is what `quantize` gives."""
    x = np.random.default_rng(0).standard_normal((8, 6)).astype(np.float32)
    x[:, 1] *= 100
    quant = weight_type(largest_of(make_const(x), axis, block), storage, axis, block)
    wanted = PerTensor if axis is None else Blocked if block else PerAxis
    top = 127 if storage is DType.I8 else 7
    assert isinstance(quant.scheme, wanted) and (quant.qmin, quant.qmax) == (-top, top)
    stored = quant.stored(make_const(x))
    assert stored.dtype is storage and np.array_equal(stored.view(), quant.quantize(x))
    assert np.abs(stored.view().astype(int)).max() == top
    assert np.abs(quant.dequantize(stored.view()) - x).max() <= 0.501 * quant.scales.view().max()


def test_ranges_join() -> None:
    a = Range(np.asarray([-1.0, 0.0]), np.asarray([1.0, 5.0]), 0)
    b = Range(np.asarray([-2.0, 1.0]), np.asarray([0.0, 7.0]), 0)
    assert a.joined(b).low.tolist() == [-2.0, 0.0] and a.joined(b).high.tolist() == [1.0, 7.0]
    assert a.joined(Range(np.asarray(-9.0), np.asarray(0.0))).whole == (-9.0, 5.0)
    assert a.divided(np.asarray([2.0, 1.0])).high.tolist() == [0.5, 5.0]


@pytest.mark.parametrize("storage", [DType.I8, DType.U8, DType.I16])
def test_nothing_but_zeros(storage: DType) -> None:
    """Kernels take what such scales give as factors, and other numbers are not lost."""
    quant = activation_type(0.0, 0.0, storage)
    np.testing.assert_allclose(
        quant.dequantize(quant.quantize(np.array([0, 0.5, 1], np.float32))), [0, 0.5, 1], atol=2e-3
    )
    assert quant.dequantize(quant.quantize(np.zeros(1, np.float32))) == 0
