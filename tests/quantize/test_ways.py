"""Branches that no sample takes: nobody knows ranges there, and floats stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import linear

WAYS = (NameLocation("near"), NameLocation("far"))


def branched() -> Module:
    """One of two pairs of products, as an input says."""
    types = [TensorType(DType.F32, (2, 8)), TensorType(DType.BOOL, ())]
    function = Function.create("main", types, ["x", "is_far"], NameLocation("main"))
    x, cond = function.inputs
    regions = []
    for seed, place in enumerate(WAYS):
        block = Block()
        e = CoreBuilder(Builder(block, place))
        y: Value = linear(e, e.clamp(linear(e, x, 6, seed=seed), 0.0), 4, seed=seed + 10)
        e.emit(Yield([y]))
        regions.append(Region(block))
    b = Builder(function.block, NameLocation("main"))
    made = b.emit(core.If(cond, then=regions[1], orelse=regions[0]))
    b.emit(Yield(made.results))
    function.output_names = ["y"]
    return Module([function])


def samples(*ways: bool) -> list[dict[str, Any]]:
    return [{"x": random(2, 8, seed=k), "is_far": np.asarray(way)} for k, way in enumerate(ways)]


@pytest.mark.share(2)
@pytest.mark.parametrize("ranges", ["min-max", "mse"])
@pytest.mark.parametrize("target", ["tflite", "native", "onnx"])
def test_a_way_that_no_sample_takes(target: str, ranges: str, tmp_path: Path) -> None:
    saved = str(tmp_path / "saved")
    files = [tmp_path / f"{k}" / f"m.{target}" for k in range(2)]
    for out, given in zip(files, (samples(*[False] * 4), saved), strict=True):
        out.parent.mkdir()
        extra: Any = {} if given is saved else {"save_calibration": saved, "measure": True}
        result = mlconv.quantize(
            branched(), target, out, scheme="int8", calibration=given, activation_ranges=ranges, verify=True, **extra
        )
        assert result.quantization is not None
        products = [a for a in result.quantization.layers if a.op == "core.matmul"]
        assert [a.scheme for a in products if a.node == "near"] == ["int8", "int8"]
        far = [a for a in products if a.node == "far"]
        assert [(a.scheme, a.reason) for a in far] == [("float", "no sample of the calibration gets there")] * 2
    assert files[0].read_bytes() == files[1].read_bytes()


def test_ways_that_samples_take_are_integers(tmp_path: Path) -> None:
    result = mlconv.quantize(branched(), "native", tmp_path / "m.o", scheme="int8", calibration=samples(True, False))
    assert result.quantization is not None and result.quantization.counted() == (4, 4)
