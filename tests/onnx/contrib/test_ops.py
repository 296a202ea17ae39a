"""Operators of com.microsoft against ONNX Runtime: random cases on the interpreter, some of them on each target."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.onnx.contrib.attentions import OPS as ATTENTIONS
from tests.onnx.contrib.cases import SEEDS, Op, check, check_target, real, whole
from tests.onnx.contrib.fused import OPS as FUSED
from tests.onnx.contrib.quantized import OPS as QUANTIZED
from tests.onnx.contrib.transformers import OPS as TRANSFORMERS
from tests.onnx.rows import Row

OPS = {**ATTENTIONS, **TRANSFORMERS, **QUANTIZED, **FUSED}
ON_TARGETS = {"tflite": (0, 7), "native": (1, 5), "hlo": (3,)}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", OPS)
def test_random_cases(name: str, tmp_path: Path) -> None:
    for seed in range(SEEDS):
        check(OPS[name], seed, tmp_path)


@pytest.mark.share(6)
@pytest.mark.parametrize(("name", "target"), [(name, target) for name, op in OPS.items() for target in op.targets])
def test_on_targets(name: str, target: str, tmp_path: Path) -> None:
    for seed in ON_TARGETS[target]:
        check_target(OPS[name], seed, target, tmp_path)


def test_queries_that_see_no_keys(tmp_path: Path) -> None:
    """A causal mask and the beginning of a row leave the first ones nothing: the lowest number stands for all keys."""
    rng = np.random.default_rng(0)
    inputs = [real(rng, 1, 4, 3), real(rng, 3, 6), real(rng, 6), np.asarray([3, 2], np.int32)]
    attributes = {"num_heads": 1, "unidirectional": 1, "mask_filter_value": -3.4028235e38}
    check(Op(lambda _: Row("com.microsoft:Attention", inputs, attributes, constants=(1, 2))), 0, tmp_path)


def test_weights_of_two_bits_in_several_blocks(tmp_path: Path) -> None:
    """TFLite stores them with 4 bits."""
    rng = np.random.default_rng(0)
    inputs = [real(rng, 2, 64), whole(rng, 5, 4, 4), real(rng, 5, 4, low=0.1)]
    attributes = {"K": 64, "N": 5, "bits": 2, "block_size": 16}
    op = Op(lambda _: Row("com.microsoft:MatMulNBits", inputs, attributes, constants=(1, 2)))
    for target in ("tflite", "native", "hlo"):
        check_target(op, 0, target, tmp_path)


def test_halves_are_computed_in_float32(tmp_path: Path) -> None:
    """A mask's number that is none of float16, with a bias; sums of integers that float16 does not hold."""
    rng = np.random.default_rng(0)
    low, half = {"num_heads": 1, "mask_filter_value": -3.4028235e38}, np.float16
    mask, bias = np.asarray([1, 0], np.int32), real(rng, 2, 1, 2, 2, dtype=half)
    attention = [*(real(rng, *s, dtype=half) for s in ((2, 2, 3), (3, 6), (6,))), mask, None, bias]
    integers = [np.full((2, 9), 250, np.uint8), np.full((9, 3), 250, np.uint8), *np.full((2, 1), 0.01, half)]
    for name, inputs, attributes in (("Attention", attention, low), ("MatMulIntegerToFloat", integers, {})):
        op = Op(lambda _, n=name, i=inputs, a=attributes: Row(f"com.microsoft:{n}", i, a, 21, (1, 2), tolerance=5e-3))
        check(op, 0, tmp_path)
        for target in ("tflite", "native"):
            check_target(op, 0, target, tmp_path)


@pytest.mark.parametrize("last", [0, 1])
def test_quantized_averages_count_whole_windows(last: int, tmp_path: Path) -> None:
    """Also what ceil_mode puts behind the pads."""
    rng = np.random.default_rng(0)
    x = whole(rng, 1, 7, 6, 2) if last else whole(rng, 1, 2, 7, 6)
    inputs = [x, np.float32(0.1), np.uint8(99), np.float32(0.05), np.uint8(120)]
    attributes = {"kernel_shape": [2, 3], "strides": [2, 2], "pads": [0, 1, 0, 0], "ceil_mode": 1}
    attributes |= {"count_include_pad": 1, "channels_last": last}
    op = Op(lambda _: Row("com.microsoft:QLinearAveragePool", inputs, attributes, 21, (1, 2, 3, 4)), 1)
    check(op, 0, tmp_path)
    for target in ("tflite", "native"):
        check_target(op, 0, target, tmp_path)


def test_weights_of_few_bits_times_a_vector(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    inputs = [real(rng, 40), whole(rng, 5, 3, 8), real(rng, 5, 3, low=0.1), whole(rng, 5, 2)]
    attributes = {"K": 40, "N": 5, "bits": 4, "block_size": 16}
    op = Op(lambda _: Row("com.microsoft:MatMulNBits", inputs, attributes, constants=(1, 2, 3)))
    for target in ("tflite", "native"):
        check_target(op, 0, target, tmp_path)
