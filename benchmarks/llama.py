"""llama.cpp beside native code: the decoder's weights in a GGUF file of Q4_0, and one word behind a full context.

Needs llama-cpp-python, which PyPI has as source (a C++ compiler and CMake build it), and gguf.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

_PRODUCTS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


class Shape(NamedTuple):
    hidden: int
    heads: int
    kv_heads: int
    between: int
    words: int
    layers: int
    context: int


class Weights(NamedTuple):
    """Of a product, [columns, depth / 32, 16] and a scale for each block of 32: bytes of two neighbouring numbers, the
    first in the low half, each 8 more than it stands for.
    """

    packed: np.ndarray
    scales: np.ndarray

    def turned(self, heads: int) -> Weights:
        """Rows as llama.cpp turns them: pairs lie side by side, not half a head apart."""
        rows = np.arange(len(self.packed)).reshape(heads, 2, -1).swapaxes(1, 2).ravel()
        return Weights(self.packed[rows], self.scales[rows])

    @property
    def q4_0(self) -> np.ndarray:
        """Blocks of a float16 and 16 bytes, whose low halves are the first 16 numbers."""
        numbers = np.stack([self.packed & 15, self.packed >> 4], -1).reshape(*self.packed.shape[:2], 32)
        scales = self.scales.astype(np.float16)[..., None].view(np.uint8)
        blocks = np.concatenate([scales, numbers[..., :16] | numbers[..., 16:] << 4], -1)
        return np.ascontiguousarray(blocks.reshape(len(blocks), -1))


def write(
    path: pathlib.Path, shape: Shape, words: np.ndarray, products: Sequence[Weights], norms: Sequence[np.ndarray]
) -> pathlib.Path:
    """words: the embedding, float16.  products, norms: in the order of the network, the head last."""
    from gguf import GGMLQuantizationType, GGUFWriter

    file = GGUFWriter(path, "llama")
    file.add_vocab_size(shape.words)
    file.add_tokenizer_model("none")
    file.add_context_length(shape.context)
    file.add_embedding_length(shape.hidden)
    file.add_block_count(shape.layers)
    file.add_feed_forward_length(shape.between)
    file.add_head_count(shape.heads)
    file.add_head_count_kv(shape.kv_heads)
    file.add_rope_dimension_count(shape.hidden // shape.heads)
    file.add_rope_freq_base(10000.0)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_tensor("token_embd.weight", words)

    def add(name: str, weights: Weights) -> None:
        file.add_tensor(f"{name}.weight", weights.q4_0, raw_dtype=GGMLQuantizationType.Q4_0)

    for i in range(shape.layers):
        for name, norm in zip(("attn_norm", "ffn_norm"), norms[2 * i :], strict=False):
            file.add_tensor(f"blk.{i}.{name}.weight", norm)
        for name, weights in zip(_PRODUCTS, products[len(_PRODUCTS) * i :], strict=False):
            heads = {"attn_q": shape.heads, "attn_k": shape.kv_heads}.get(name)
            add(f"blk.{i}.{name}", weights.turned(heads) if heads else weights)
    file.add_tensor("output_norm.weight", norms[-1])
    add("output", products[-1])
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    return path


def runner(path: pathlib.Path, shape: Shape, words: Sequence[int]) -> Callable[[], np.ndarray]:
    """The next words at the end of the context, on one thread; what is before them is computed once.  Raises
    ImportError where llama-cpp-python is not installed.
    """
    from llama_cpp import llama_cpp as llama

    @llama.llama_log_callback
    def quiet(*_: Any) -> None:
        """It says much."""

    llama.llama_log_set(quiet, None)
    llama.llama_backend_init()
    model = llama.llama_model_load_from_file(str(path).encode(), llama.llama_model_default_params())
    options = llama.llama_context_default_params()
    options.n_ctx, options.n_threads, options.n_threads_batch = shape.context, 1, 1
    options.n_batch = options.n_ubatch = shape.context
    context = llama.llama_init_from_model(model, options)
    if not model or not context:
        raise RuntimeError(f"llama.cpp does not take {path}")

    def decode(numbers: Sequence[int]) -> None:
        tokens = (llama.llama_token * len(numbers))(*numbers)
        if llama.llama_decode(context, llama.llama_batch_get_one(tokens, len(numbers))):
            raise RuntimeError("llama.cpp failed")

    before = shape.context - len(words)
    if before:
        decode([i % shape.words for i in range(before)])

    def run(kept: Any = quiet) -> np.ndarray:
        llama.llama_memory_seq_rm(llama.llama_get_memory(context), 0, before, -1)
        decode(words)
        return np.ctypeslib.as_array(llama.llama_get_logits(context), (1, 1, shape.words)).copy()

    return run
