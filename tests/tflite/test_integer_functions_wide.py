"""Functions and softmax over stored integers of 16 bits are bit-equal with LiteRT's kernels."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.quant import QuantType
from tests.support.integers import agrees, int16
from tests.tflite.test_integer_functions import Make, lowered, names

UNIT = int16(1 / 32768)
OPTIONS = "windows=true,tables=true,int16=true"
ALL = np.arange(-32768, 32768).astype(np.int16)
FUNCTIONS: list[tuple[str, Make, QuantType, tuple[float, ...]]] = [
    ("LOGISTIC", core.Sigmoid, UNIT, (2.0**-13, 2.0**-11, 2.0**-14, 3e-4, 1e-3, 1e-5)),
    ("TANH", core.Tanh, UNIT, (2.0**-13, 2.0**-10, 2.0**-14, 3e-4, 1e-3, 1e-5)),
    ("EXP", core.Exp, int16(1e-3), (1e-4, 3e-5, 2.0**-14)),
    ("GELU", core.Gelu, int16(1e-4), (1e-4, 3e-4, 2.0**-12)),
    ("GELU", lambda x: core.Gelu(x, approximate=True), int16(1e-4), (1e-4, 3e-4)),
    ("GELU", core.Gelu, int16(0.05 / 256), (0.05 / 256,)),  # erfc decides the last bit
    ("LEAKY_RELU", lambda x: core.LeakyRelu(x, alpha=0.1), int16(2e-4), (1e-4, 2e-4, 5e-4)),
    ("LEAKY_RELU", lambda x: core.LeakyRelu(x, alpha=-0.4), int16(2e-4), (1e-4, 2e-4)),
    ("LEAKY_RELU", lambda x: core.LeakyRelu(x, alpha=0.25), int16(2e-4), (2e-4, 1e-4)),
    ("LEAKY_RELU", lambda x: core.LeakyRelu(x, alpha=-0.125), int16(2e-4), (2e-4,)),
    ("LEAKY_RELU", lambda x: core.LeakyRelu(x, alpha=1.3011738), int16(1.9542365e-4), (1.5207652e-4,)),
]


@pytest.mark.parametrize(
    ("i", "scale"),
    [pytest.param(i, scale, id=f"{row[0]}-{i}-{scale:g}") for i, row in enumerate(FUNCTIONS) for scale in row[3]],
)
def test_function(i: int, scale: float) -> None:
    """Every integer."""
    builtin, make, out, _ = FUNCTIONS[i]
    m = lowered(int16(scale), ALL.shape, out, make, OPTIONS)
    assert names(m)[-2:] == ["quant_table", "mlconv.yield"]
    agrees(m, [ALL], builtin)


@pytest.mark.parametrize("size", [2, 10, 37, 1001])
@pytest.mark.parametrize("scale", [1e-5, 2e-4, 2.0**-12, 1e-3])
def test_softmax(scale: float, size: int) -> None:
    x = np.random.default_rng(size).integers(-32768, 32768, (500, size)).astype(np.int16)
    m = lowered(int16(scale), x.shape, UNIT, lambda v: core.Softmax(v, axis=1), OPTIONS)
    assert names(m)[0] == "quant_softmax"
    agrees(m, [x], "SOFTMAX")


def test_what_no_kernel_takes() -> None:
    for make in (core.HardSwish, core.Elu, core.Log, lambda v: core.LogSoftmax(v, axis=0)):
        assert "quantize" in names(lowered(int16(1e-3), (16,), int16(1e-3), make, OPTIONS)), make
    for function in (core.Sigmoid, core.Tanh):
        assert "quantize" in names(lowered(int16(2.0**-12), (16,), UNIT, function, OPTIONS)), function
