"""Convolutions along three axes, on LiteRT: in groups, and with flat windows, by kernels that convolve along two."""

from __future__ import annotations

import pytest

from mlconv.ir.dims import Dim
from tests.support.convolutions import conv
from tests.support.litert import Row, check

N, D, H, W = (Dim.symbol(s) for s in "NDHW")

VOLUMES = {
    "3d": conv(
        (1, 3, 6, 6, 6), (4, 3, 3, 3, 3), "NC012", "OI012", strides=(1, 2, 1), pads=((1, 1),) * 3, tfl=("CONV_3D",)
    ),
    "3d grouped": conv((1, 4, 6, 6, 6), (4, 2, 3, 3, 3), "NC012", "OI012", groups=2, tfl=("CONV_2D", "-SPLIT")),
    "3d grouped, weights of the run": conv((1, 4, 6, 6, 6), (4, 2, 3, 3, 3), "NC012", "OI012", groups=2, run_time=True),
    "3d depthwise": conv(
        (2, 4, 7, 8, 9),
        (8, 1, 3, 2, 3),
        "NC012",
        "OI012",
        groups=4,
        strides=(2, 1, 2),
        dilations=(1, 2, 1),
        pads=((2, 1), (1, 0), (1, 1)),
        tfl=("DEPTHWISE_CONV_2D", "GATHER", "-CONV_3D"),
    ),
    "3d depthwise, same": conv((1, 7, 6, 5, 4), (3, 3, 3, 1, 4), "N012C", "012IO", groups=4, pads="SAME_UPPER"),
    "3d depthwise, open sizes": conv(
        (2, 12, 7, 8, 9),
        (12, 1, 3, 3, 3),
        "NC012",
        "OI012",
        groups=12,
        strides=(2, 2, 1),
        pads=((1, 1),) * 3,
        shapes=((N, 12, D, H, W),),
        tfl=("DEPTHWISE_CONV_2D",),
    ),
    "3d few groups, open sizes": conv(
        (2, 4, 7, 8, 9), (4, 2, 3, 3, 3), "NC012", "OI012", groups=2, strides=(2, 1, 1), shapes=((N, 4, D, H, W),)
    ),
    "planes": conv(
        (2, 3, 6, 7, 8),
        (4, 3, 1, 3, 3),
        "NC012",
        "OI012",
        strides=(2, 1, 1),
        pads=((0, 0), (1, 1), (1, 1)),
        tfl=("CONV_2D", "-CONV_3D"),
    ),
    "lines": conv(
        (2, 3, 6, 7, 8),
        (4, 3, 3, 1, 1),
        "NC012",
        "OI012",
        dilations=(2, 1, 1),
        pads=((2, 2), (0, 0), (0, 0)),
        tfl=("CONV_2D", "-CONV_3D"),
    ),
}


@pytest.mark.parametrize("row", VOLUMES.values(), ids=list(VOLUMES))
def test_volumes(row: Row) -> None:
    check(row)
