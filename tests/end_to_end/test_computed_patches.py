"""Patches whose numbers are computed in floats, as torch's MobileViT has them: shapes in which ONNX would take zeros
from what is reshaped.
"""

from __future__ import annotations

import pathlib

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper, parser

import mlconv
from tests.support.litert import run_litert

HEAD = """<ir_version: 8, opset_import: ["" : 17]>
patches (float[N, 6, H, W] x0) => (float[A, B, C, D] x2)
<int64 first = {0}, int64 third = {2}, int64 fourth = {3}, float two = {2.0}, int64 pair = {2}, int64[1] axis = {0},
 int64[1] halves = {2}, int64[1] six = {6}, int64[1] four = {4}> {"""
BLOCK = """
  c# = Conv(x#, k)
  sizes# = Shape(c#)
  n# = Gather(sizes#, first)
  h# = Gather(sizes#, third)
  w# = Gather(sizes#, fourth)
  hf# = Cast<to = 1>(h#)
  hh# = Div(hf#, two)
  hc# = Ceil(hh#)
  hm# = Mul(hc#, two)
  high# = Cast<to = 7>(hm#)
  rows# = Div(high#, pair)
  wf# = Cast<to = 1>(w#)
  wh# = Div(wf#, two)
  wc# = Ceil(wh#)
  wm# = Mul(wc#, two)
  broad# = Cast<to = 7>(wm#)
  columns# = Div(broad#, pair)
  all# = Size(c#)
  per# = Div(all#, h#)
  each# = Div(per#, w#)
  outer# = Mul(each#, rows#)
  outer_v# = Unsqueeze(outer#, axis)
  columns_v# = Unsqueeze(columns#, axis)
  apart# = Concat<axis = 0>(outer_v#, halves, columns_v#, halves)
  a# = Reshape(c#, apart#)
  b# = Transpose<perm = [0, 2, 1, 3]>(a#)
  n_v# = Unsqueeze(n#, axis)
  count# = Mul(rows#, columns#)
  count_v# = Unsqueeze(count#, axis)
  joined# = Concat<axis = 0>(n_v#, six, count_v#, four)
  d# = Reshape(b#, joined#)
  e# = Tanh(d#)
  rows_v# = Unsqueeze(outer#, axis)
  together# = Concat<axis = 0>(rows_v#, columns_v#, halves, halves)
  f# = Reshape(e#, together#)
  g# = Transpose<perm = [0, 2, 1, 3]>(f#)
  high_v# = Unsqueeze(high#, axis)
  broad_v# = Unsqueeze(broad#, axis)
  image# = Concat<axis = 0>(n_v#, six, high_v#, broad_v#)
  x@ = Reshape(g#, image#)
"""
MODEL = HEAD + "".join(BLOCK.replace("#", str(i)).replace("@", str(i + 1)) for i in range(2)) + "}"


@pytest.mark.parametrize("target", ["native", "tflite"])
def test_patches(target: str, tmp_path: pathlib.Path) -> None:
    model = parser.parse_model(MODEL)
    random = np.random.default_rng(3)
    k = random.normal(size=(6, 6, 1, 1)).astype(np.float32)
    model.graph.initializer.append(numpy_helper.from_array(k, "k"))
    path = tmp_path / "patches.onnx"
    onnx.save(model, path)
    made = tmp_path / f"patches.{target}"
    mlconv.convert(path, to=target, output=made)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for n, h, w in ((1, 4, 6), (2, 8, 2)):
        x = random.normal(size=(n, 6, h, w)).astype(np.float32)
        native = target == "native"
        got = [*mlconv.load_native(made).run({"x0": x}).values()] if native else run_litert(made.read_bytes(), [x])
        for y, expected in zip(got, session.run(None, {"x0": x}), strict=True):
            np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
