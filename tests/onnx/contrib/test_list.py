"""The list of operators that the tools of ONNX Runtime write, against the installed package; what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from mlconv.diagnostics import Code, DiagnosticEngine
from mlconv.dialects import core
from mlconv.importers.onnx.model import import_onnx
from mlconv.legalize import from_onnx
from mlconv.legalize.from_onnx.contrib.refused import REFUSED
from mlconv.legalize.from_onnx.contrib.schema_table import CONTRIB_SCHEMAS
from tests.onnx.contrib.cases import build
from tests.onnx.rows import Row, c, f, i, s
from tests.support.onnx_models import save
from tools import contrib_ops

PAGE = contrib_ops.OUTPUT.read_text(encoding="utf-8")


def test_page_is_in_step() -> None:
    """Word for word with the version that wrote it; every operator that another one's tools write is listed."""
    if f"ONNX Runtime {onnxruntime.__version__}." in PAGE:
        assert contrib_ops.page() == PAGE
    assert not [name for name in contrib_ops.written() if f"| {name} |" not in PAGE]


def test_every_operator_that_tools_write_converts_or_has_a_reason() -> None:
    names = {*contrib_ops.written(), *contrib_ops.OPTIMIZATIONS.split()}
    assert names - contrib_ops.converted() == names & set(REFUSED)


def test_schema_table_covers_the_package() -> None:
    for name, (least, most, attributes, kinds) in contrib_ops.table().items():
        known_least, known_most, known, known_kinds = CONTRIB_SCHEMAS[name]
        assert known_least <= least
        assert most <= known_most
        assert set(attributes.split()) <= set(known.split())
        assert all(set(a) <= set(b) for a, b in zip(kinds.split(), known_kinds.split(), strict=True))


def refused(row: Row, folder: Path) -> tuple[Code, str]:
    """The first finding about a node."""
    proto, _ = build(row)
    engine = DiagnosticEngine()
    from_onnx.legalize(import_onnx(save(folder, proto)).module, engine)
    return engine.diagnostics[0].code, engine.diagnostics[0].message


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_reason(name: str, tmp_path: Path) -> None:
    code, message = refused(Row(f"com.microsoft:{name}", [f(2, 3)]), tmp_path)
    assert code is Code.VariantUnsupported
    assert REFUSED[name] in message


SELF = [f(2, 3, 4), f(4, 12), f(12)]
GROUP = [f(1, 2, 32), f(1, 2, 16), f(1, 2, 16), None, None, i(1, low=1, high=2, dtype=np.int32), s(2, np.int32)]
BITS = [f(2, 32), i(3, 2, 8, low=0, high=255, dtype=np.uint8), f(3, 2)]
SIZES = {"K": 32, "N": 3, "block_size": 16, "bits": 4}
TURNS = [f(2, 3, 4), c(0), f(9, 2), f(9, 2)]
EMBED = [i(2, 3, low=0, high=4, dtype=np.int32), None, f(5, 4), f(5, 4), f(2, 4), f(4), f(4)]
HEADS = {"num_heads": 2, "kv_num_heads": 1}
PAST = [f(1, 1, 3, 16), f(1, 1, 3, 16)]
VARIANTS = {
    "surplus attribute": ("Attention", SELF, {"num_heads": 2, "heads": 2}, Code.AttributeInvalid),
    "surplus input": ("BiasGelu", [f(2, 4), f(4), f(4)], {}, Code.WrongArity),
    "missing attribute": ("Attention", SELF, {}, Code.AttributeInvalid),
    "heads that do not fit": ("Attention", SELF, {"num_heads": 3}, Code.ShapeMismatch),
    "rotation": ("Attention", SELF, {"num_heads": 2, "do_rotary": 1}, Code.VariantUnsupported),
    "in place": ("Attention", SELF, {"num_heads": 2, "past_present_share_buffer": 1}, Code.VariantUnsupported),
    "sizes": ("Attention", SELF, {"num_heads": 2, "qkv_hidden_sizes": [4, 4, 5]}, Code.AttributeInvalid),
    "rank": ("Attention", [f(3, 4), *SELF[1:]], {"num_heads": 2}, Code.ShapeMismatch),
    "mask of rank 4": (
        "Attention",
        [*SELF, i(2, 1, 3, 3, low=0, high=1, dtype=np.int32)],
        {"num_heads": 2},
        Code.VariantUnsupported,
    ),
    "mask of other lengths": ("Attention", [*SELF, i(3, dtype=np.int32)], {"num_heads": 2}, Code.ShapeMismatch),
    "mask of other keys": ("Attention", [*SELF, i(2, 5, dtype=np.int32)], {"num_heads": 2}, Code.ShapeMismatch),
    "half a state": (
        "MultiHeadAttention",
        [*[f(2, 3, 4)] * 3, None, None, None, f(2, 2, 1, 2)],
        {"num_heads": 2},
        Code.WrongArity,
    ),
    "beams": (
        "MultiHeadAttention",
        [*[f(2, 3, 4)] * 3, *[None] * 6, i(2, 1, 4, dtype=np.int32)],
        {"num_heads": 2},
        Code.VariantUnsupported,
    ),
    "no buffer": (
        "DecoderMaskedMultiHeadAttention",
        [f(2, 1, 4)] * 3,
        {"num_heads": 2},
        Code.VariantUnsupported,
    ),
    "heads": ("GroupQueryAttention", GROUP, {"num_heads": 3, "kv_num_heads": 2}, Code.AttributeInvalid),
    "moved cache": ("GroupQueryAttention", GROUP, {**HEADS, "sliding_window_cache": 1}, Code.VariantUnsupported),
    "quantized cache": ("GroupQueryAttention", GROUP, {**HEADS, "k_quant_type": "PER_TENSOR"}, Code.VariantUnsupported),
    "half a cache": (
        "GroupQueryAttention",
        [*GROUP[:3], PAST[0], None, *GROUP[5:]],
        HEADS,
        Code.WrongArity,
    ),
    "window of both sides": (
        "GroupQueryAttention",
        GROUP,
        {**HEADS, "causal": 0, "local_window_size": 2},
        Code.AttributeInvalid,
    ),
    "packed rows": ("RotaryEmbedding", TURNS, {"is_packed_batching": 1}, Code.VariantUnsupported),
    "no heads": ("RotaryEmbedding", TURNS, {"rotary_embedding_dim": 2}, Code.AttributeInvalid),
    "segments": ("EmbedLayerNormalization", EMBED, {}, Code.WrongArity),
    "weights of 3 bits": ("MatMulNBits", BITS, {**SIZES, "bits": 3}, Code.VariantUnsupported),
    "weights of a GPU": ("MatMulNBits", BITS, {**SIZES, "weight_prepacked": 1}, Code.VariantUnsupported),
    "blocks": ("MatMulNBits", BITS, {**SIZES, "block_size": 24}, Code.AttributeInvalid),
    "bytes": ("MatMulNBits", BITS, {**SIZES, "N": 4}, Code.ShapeMismatch),
    "codes": ("MatMulBnb4", [f(2, 32), i(48, dtype=np.uint8), f(6)], {**SIZES, "quant_type": 2}, Code.AttributeInvalid),
    "one axis": ("GatherBlockQuantized", [BITS[1], c(0), f(3, 2, 1)], {"quantize_axis": 0}, Code.AttributeInvalid),
    "activation": ("FusedGemm", [f(2, 3), f(3, 4)], {"activation": "Mish"}, Code.VariantUnsupported),
    "numbers of an activation": ("FusedGemm", [f(2, 3), f(3, 4)], {"activation": "Clip"}, Code.AttributeInvalid),
    "groups": ("GroupNorm", [f(1, 4, 4, 3), f(3), f(3)], {"groups": 2, "activation": 0}, Code.ShapeMismatch),
    "kind": ("GroupNorm", [f(1, 4, 4, 4), f(4), f(4)], {"groups": 2, "activation": 2}, Code.AttributeInvalid),
    "odd": ("BiasSplitGelu", [f(2, 3), f(3)], {}, Code.ShapeMismatch),
    "training": ("BiasDropout", [f(2, 3), f(3), None, None, s(True, bool)], {}, Code.VariantUnsupported),
    "slices": ("UnfoldTensor", [f(2, 3)], {"size": 4}, Code.AttributeInvalid),
    "distances": (
        "RelativePositionBias",
        [f(8, 2), s(4), s(4)],
        {"max_distance": 2},
        Code.ShapeMismatch,
    ),
}


@pytest.mark.parametrize("case", VARIANTS)
def test_variants_are_refused(case: str, tmp_path: Path) -> None:
    op, inputs, attributes, code = VARIANTS[case]
    constants = tuple(k for k, a in enumerate(inputs) if k and a is not None)
    assert refused(Row(f"com.microsoft:{op}", [*inputs], attributes, constants=constants), tmp_path)[0] is code


@pytest.mark.parametrize("shape", [(3, 2), (6,)], ids=str)
def test_weights_of_few_bits_keep_their_scales(shape: tuple[int, ...], tmp_path: Path) -> None:
    """In a row, too, as older tools write them: the weights are quantized, not what ops make of them."""
    scales = np.full(shape, 0.5, np.float32)
    proto, _ = build(Row("com.microsoft:MatMulNBits", [*BITS[:2], scales], SIZES, constants=(1, 2)))
    module = import_onnx(save(tmp_path, proto)).module
    from_onnx.legalize(module, DiagnosticEngine())
    (weights,) = (op for op in module.main.block.ops if op.name == "core.dequantize")
    assert isinstance(weights.results[0].users[0], core.MatMul)


def test_weights_of_few_bits_are_constants(tmp_path: Path) -> None:
    assert refused(Row("com.microsoft:MatMulNBits", [*BITS], SIZES), tmp_path)[0] is Code.ShapeNotStatic
