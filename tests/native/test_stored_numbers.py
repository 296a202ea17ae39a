"""Constants of integers that no kernel takes as they are stored: they lie in the object as in the file, and each run
makes numbers of them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, PerAxis, PerTensor, QuantType, Scheme, storage_range
from tests.support.modules import module
from tests.support.native import CPUS, InProcess, to_object

RNG = np.random.default_rng(11)
AROUND = {"strides": (1, 1), "pads": ((0, 0), (0, 0)), "dilations": (1, 1), "w_layout": "OI01"}


def stored(shape: tuple[int, ...], storage: DType, scheme: Scheme, zeros: str) -> tuple[np.ndarray, QuantType]:
    """Random integers with scales.  zeros: none, one, several."""
    if isinstance(scheme, Blocked):
        sizes = tuple(-(-n // scheme.size) if i == scheme.axis else n for i, n in enumerate(shape))
    else:
        sizes = (shape[scheme.axis],) if isinstance(scheme, PerAxis) else ()
    low, high = storage_range(storage)
    scales = make_const(RNG.uniform(0.01, 0.1, sizes).astype(np.float32))
    points = make_const(RNG.integers(low, high + 1, sizes), storage) if zeros == "several" else int(zeros == "one") * 3
    integers = RNG.integers(low, high + 1, shape).astype(storage.numpy)
    return integers, QuantType(storage, DType.F32, scheme, scales, points)


CASES = [
    ((37, 53), DType.I4, PerTensor(), "none"),
    ((37, 53), DType.I4, PerAxis(0), "none"),
    ((37, 54), DType.U4, PerAxis(1), "several"),
    ((36, 53), DType.U4, Blocked(0, 16), "several"),
    ((5, 36, 50), DType.I4, Blocked(2, 16), "one"),
    ((36, 50), DType.I8, Blocked(1, 16), "none"),
    ((36, 50), DType.U8, Blocked(0, 16), "several"),
    ((64, 33), DType.I16, Blocked(0, 32), "none"),
    ((64, 33), DType.U8, PerAxis(1), "several"),
    ((40, 30), DType.I8, PerAxis(0), "none"),
]


@pytest.mark.parametrize(("shape", "storage", "scheme", "zeros"), CASES, ids=str)
def test_a_sum(shape: tuple[int, ...], storage: DType, scheme: Scheme, zeros: str, tmp_path: Path) -> None:
    """Numbers are those of the interpreter to the bit."""
    integers, quant = stored(shape, storage, scheme, zeros)

    def make(b: Builder, x: Value) -> Value:
        w = b.emit(core.Constant(value=make_const(integers, storage), element=quant)).y
        return b.emit(core.Add(x, b.emit(core.Dequantize(w)).y)).y

    x = RNG.standard_normal(shape).astype(np.float32)
    m = module(make, [x])
    (want,) = run_function(m.main, {"in0": x}).values()
    for cpu in CPUS:
        code, (got,) = InProcess(to_object(m, tmp_path / f"{cpu}.o", cpu)).call([x])
        assert code == 0
        np.testing.assert_array_equal(got, want)
    to_object(m, tmp_path / "m.o", separate_weights=True)
    points = 0 if isinstance(quant.zero_points, int) else quant.scales.size * max(1, storage.bits // 8)
    room = 1.1 * (integers.size * storage.bits / 8 + quant.scales.nbytes + points) + 32
    assert (tmp_path / "m.weights.bin").stat().st_size <= room


@pytest.mark.parametrize("window", [1, 3])
@pytest.mark.parametrize("depth", [20, 100])
def test_a_short_last_block_of_filters(depth: int, window: int, tmp_path: Path) -> None:
    """No block of whole bytes divides the input channels."""
    integers, quant = stored((24, depth, window, window), DType.I4, Blocked(1, 32 if depth == 100 else 8), "none")

    def make(b: Builder, x: Value) -> Value:
        w = b.emit(core.Constant(value=make_const(integers, DType.I4), element=quant)).y
        return b.emit(core.Conv(x, b.emit(core.Dequantize(w)).y, **AROUND)).y  # type: ignore[arg-type]

    x = RNG.standard_normal((2, 6, 7, depth)).astype(np.float32)
    m = module(make, [x])
    (want,) = run_function(m.main, {"in0": x}).values()
    for cpu in CPUS:
        code, (got,) = InProcess(to_object(m, tmp_path / f"{cpu}.o", cpu)).call([x])
        assert code == 0
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 * np.abs(want).max())
    to_object(m, tmp_path / "m.o", separate_weights=True)
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.1 * (integers.size / 2 + quant.scales.nbytes)
