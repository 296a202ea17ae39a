"""Images of any size that are resized against aliasing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mlconv
from mlconv.rewrite.resize_weights import kernel_weights
from mlconv.runtime.litert import run_tflite
from tests.support.graph_defs import const, graph, node, placeholder, save
from tests.support.open_networks import ops_of


def test_places_of_what_is_wanted_over_what_there_is_lie_inside(tmp_path: Path) -> None:
    """As `tf.image.resize` does it: no place needs to be asked whether it lies in the image."""
    wanted = (6, 5)
    proto = graph(
        placeholder("x", (1, -1, -1, 2)),
        const("size", np.int32(wanted)),
        *(const(f"c{i}", np.int32([i])) for i in (1, 3)),
        const("nowhere", np.zeros(2, np.float32)),
        node("shape", "Shape", "x", T="float", out_type="int32"),
        node("sides", "StridedSlice", "shape", "c1", "c3", "c1", T="int32", Index="int32"),
        node("over", "Cast", "size", SrcT="int32", DstT="float"),
        node("under", "Cast", "sides", SrcT="int32", DstT="float"),
        node("scale", "RealDiv", "over", "under", T="float"),
        node(
            "y", "ScaleAndTranslate", "x", "size", "scale", "nowhere", T="float", kernel_type="triangle", antialias=True
        ),
    )
    mlconv.convert(save(proto, tmp_path), output=tmp_path / "m.tflite", outputs=["y:0"])
    for sides in ((4, 9), (13, 5), (1, 2)):
        x = np.random.default_rng(sides[0]).standard_normal((1, *sides, 2)).astype(np.float32)
        rows, columns = (kernel_weights("bilinear", n, m, True) for n, m in zip(sides, wanted, strict=True))
        (found,) = run_tflite(str(tmp_path / "m.tflite"), {"x:0": x}, "serving_default").values()
        np.testing.assert_allclose(found, np.einsum("ih,nhwc,jw->nijc", rows, x, columns), rtol=1e-4, atol=1e-5)
    assert not ops_of(tmp_path / "m.tflite")["LESS_EQUAL"]
