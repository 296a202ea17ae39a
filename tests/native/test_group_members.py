"""Convolutions in groups of a few channels: vectors have the results of several groups, each made of all members."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.native.test_depth_multiplier import kinds
from tests.native.test_interpreted_kernels import check
from tests.support.modules import const, module, random
from tests.support.native import CPUS, InProcess, to_object

# channels, members of a group, window, stride, images, kind of kernel
ROWS = [
    (40, 4, (3, 3), 1, 2, "depthwise"),
    (22, 2, (3, 2), 2, 1, "depthwise"),
    (32, 8, (1, 3), 1, 1, "gemm"),
    (18, 6, (3, 3), 1, 1, "gemm"),
    (32, 16, (3, 3), 1, 1, "gemm"),
]


@pytest.mark.parametrize(("channels", "members", "window", "stride", "images", "kind"), ROWS)
def test_members_of_groups(
    channels: int, members: int, window: tuple[int, int], stride: int, images: int, kind: str, tmp_path: pathlib.Path
) -> None:
    def make(b: Builder, x: Value) -> Value:
        w, bias = const(b, random(*window, members, channels)), const(b, random(channels))
        place = {"strides": (stride,) * 2, "dilations": (1, 1), "pads": ((1, 0), (0, 2))}
        return b.emit(core.Conv(x, w, bias, groups=channels // members, **place)).y

    x = random(images, 7, 11, channels, seed=2)
    m = module(make, [x])
    assert kind in kinds(m)
    check(m, {"in0": x}, "groups")
    (want,) = run_function(m.main, {"in0": x}).values()
    for cpu in CPUS:
        code, (got,) = InProcess(to_object(m, tmp_path / "m.o", cpu)).call([x])
        assert code == 0
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5 * float(np.abs(want).max()))
