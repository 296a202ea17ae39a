"""Models of the corpus: no larger than a hundredth more, and equal on ONNX Runtime as it comes.

How many nodes are left, beside other simplifiers, is what benchmarks/simplify.py says of all of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import mlconv
from tests.support.simplified import assert_equal
from tests.support.thinning import thinned

# nodes that are left, and the size of open axes
MODELS = {
    "bert_tiny_legacy_op14": (112, 3),
    "llama_tiny_decode_kv_dynamo": (108, 3),
    "t5_tiny_decoder_dynamo": (115, 3),
    "vit_tiny_legacy": (58, 3),
    "ultraface_rfb_320": (125, 3),
    "tf2onnx_k3_unet_op13": (20, 3),
    "bilstm_varlen_legacy": (20, 3),
    "superres_with_decodeimage": (75, 3),
    "tinyconv_op7": (11, 3),
    "tf2onnx_tf1_dynlstm_cfv1__frozen_op12": (49, 3),
}


@pytest.mark.parametrize("name", thinned(3, MODELS))
def test_model(name: str, corpus: Path, tmp_path: Path) -> None:
    path, target = corpus / "models" / "onnx" / f"{name}.onnx", tmp_path / "out.onnx"
    found = mlconv.simplify(path, target)
    assert sum(found.ops_after.values()) <= MODELS[name][0]
    assert found.bytes_after == target.stat().st_size <= 1.01 * path.stat().st_size
    assert found.checked.runs == 2
    if not found.checked.aside:
        assert_equal(path, target, size=MODELS[name][1])
