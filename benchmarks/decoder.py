"""One word of a decoder of language with weights of 4 bits, on one thread: native code against ONNX Runtime's
MatMulNBits, OpenVINO and llama.cpp's Q4_0, and against a loop in C that reads as many bytes.

    python benchmarks/decoder.py [--layers 8] [--context 512] [--rounds 15] [--words 128]

The shape is TinyLlama's: hidden 2048, 32 heads of 64 and 4 of keys and values, 5632 between, 32 000 words; weights are
random, in blocks of 32 with scales of 16 bits; keys and values of the context go in and out.  Each is the least
processor time of the rounds, which take turns.  The loop reads as many bytes as a word does: weights, their scales, and
keys and values of the context.  --words: so many at once too, as for a prompt.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import llama
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HIDDEN, HEADS, KV_HEADS, HEAD, BETWEEN, WORDS, BLOCK = 2048, 32, 4, 64, 5632, 32000, 32
READ = """
#include <stdint.h>
uint64_t read_all(const uint64_t *p, uint64_t n) {
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (uint64_t i = 0; i + 4 <= n; i += 4) {
        a ^= p[i];
        b ^= p[i + 1];
        c ^= p[i + 2];
        d ^= p[i + 3];
    }
    return a ^ b ^ c ^ d;
}
"""


class Network:
    """Nodes of the graph.  bits: products are `MatMulNBits`, else blocks of INT4 become floats in front of MatMul."""

    def __init__(self, layers: int, words: int, context: int, bits: bool) -> None:
        self.rng, self.bits, self.count = np.random.default_rng(0), bits, 0
        self.nodes: list[Any] = []
        self.tensors: list[Any] = []
        self.words, self.past = words, context - words
        self.products: list[llama.Weights] = []
        self.norms: list[np.ndarray] = []
        self.inputs = [helper.make_tensor_value_info("word", TensorProto.INT64, [1, words])]
        self.outputs: list[Any] = []
        self.embedding = self.numbers(WORDS, HIDDEN, scale=1.0)
        x = self.op("Cast", self.op("Gather", self.tensor(self.embedding), "word"), to=1)
        for i in range(layers):
            x = self.op("Add", x, self.attention(self.norm(x), i))
            x = self.op("Add", x, self.between(self.norm(x)))
        y = self.product(self.norm(x), HIDDEN, WORDS)
        self.nodes.append(helper.make_node("Identity", [y], ["next"]))
        self.outputs.insert(0, helper.make_tensor_value_info("next", TensorProto.FLOAT, [1, words, WORDS]))

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        out = self.name()
        self.nodes.append(helper.make_node(kind, list(inputs), [out], domain=domain, **attributes))
        return out

    def tensor(self, array: np.ndarray) -> str:
        self.tensors.append(numpy_helper.from_array(array, self.name()))
        return self.tensors[-1].name

    def numbers(self, *shape: int, scale: float) -> np.ndarray:
        return (self.rng.standard_normal(shape, np.float32) * scale).astype(np.float16)

    def product(self, x: str, depth: int, columns: int) -> str:
        scales = self.rng.uniform(0.5, 1.0, (columns, depth // BLOCK)) / (8 * depth**0.5)
        scales = scales.astype(np.float16).astype(np.float32)
        packed = self.rng.integers(0, 256, (columns, depth // BLOCK, BLOCK // 2), np.uint8)
        if self.bits:
            self.products.append(llama.Weights(packed, scales))
            sizes = {"K": depth, "N": columns, "bits": 4, "block_size": BLOCK}
            return self.op(
                "MatMulNBits", x, self.tensor(packed), self.tensor(scales.ravel()), domain="com.microsoft", **sizes
            )
        signed = (packed.reshape(columns, depth // 2) ^ 0x88).tobytes()  # 8 less
        self.tensors.append(helper.make_tensor(self.name(), TensorProto.INT4, [columns, depth], signed, raw=True))
        floats = self.op("DequantizeLinear", self.tensors[-1].name, self.tensor(scales), axis=1, block_size=BLOCK)
        return self.op("MatMul", x, self.op("Transpose", floats, perm=[1, 0]))

    def norm(self, x: str) -> str:
        mean = self.op("ReduceMean", self.op("Mul", x, x), self.tensor(np.asarray([-1])))
        root = self.op("Sqrt", self.op("Add", mean, self.tensor(np.float32(1e-5))))
        self.norms.append(self.numbers(HIDDEN, scale=1.0).astype(np.float32))
        return self.op("Mul", self.op("Div", x, root), self.tensor(self.norms[-1]))

    def heads(self, x: str, count: int) -> str:
        shape = self.tensor(np.asarray([1, self.words, count, HEAD]))
        return self.op("Transpose", self.op("Reshape", x, shape), perm=[0, 2, 1, 3])

    def turned(self, x: str) -> str:
        """By their places in the text."""
        places = np.arange(self.past, self.past + self.words)[:, None] / 10000.0 ** (np.arange(0, HEAD, 2) / HEAD)
        cosine, sine = (self.tensor(np.tile(f(places), 2).astype(np.float32)) for f in (np.cos, np.sin))
        starts = [self.tensor(np.asarray([n])) for n in (0, HEAD // 2, HEAD, -1)]
        low, high = (self.op("Slice", x, starts[i], starts[i + 1], starts[3]) for i in range(2))
        other = self.op("Concat", self.op("Neg", high), low, axis=-1)
        return self.op("Add", self.op("Mul", x, cosine), self.op("Mul", other, sine))

    def cached(self, x: str, name: str) -> str:
        shape = [1, KV_HEADS, self.past, HEAD]
        self.inputs.append(helper.make_tensor_value_info(f"past_{name}", TensorProto.FLOAT, shape))
        shape = [1, KV_HEADS, self.past + self.words, HEAD]
        self.outputs.append(helper.make_tensor_value_info(f"present_{name}", TensorProto.FLOAT, shape))
        self.nodes.append(helper.make_node("Concat", [f"past_{name}", x], [f"present_{name}"], axis=2))
        return f"present_{name}"

    def attention(self, x: str, i: int) -> str:
        q = self.turned(self.heads(self.product(x, HIDDEN, HEADS * HEAD), HEADS))
        k, v = (self.heads(self.product(x, HIDDEN, KV_HEADS * HEAD), KV_HEADS) for _ in range(2))
        k, v = self.cached(self.turned(k), f"k{i}"), self.cached(v, f"v{i}")
        each = HEADS // KV_HEADS * self.words
        q = self.op("Reshape", q, self.tensor(np.asarray([1, KV_HEADS, each, HEAD])))
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.op("Mul", scores, self.tensor(np.float32(HEAD**-0.5)))
        y = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        y = self.op("Reshape", y, self.tensor(np.asarray([1, HEADS, self.words, HEAD])))
        y = self.op("Reshape", self.op("Transpose", y, perm=[0, 2, 1, 3]), self.tensor(np.asarray([1, self.words, -1])))
        return self.product(y, HEADS * HEAD, HIDDEN)

    def between(self, x: str) -> str:
        gate, up = (self.product(x, HIDDEN, BETWEEN) for _ in range(2))
        return self.product(self.op("Mul", self.op("Mul", gate, self.op("Sigmoid", gate)), up), BETWEEN, HIDDEN)

    def save(self, path: pathlib.Path) -> pathlib.Path:
        graph = helper.make_graph(self.nodes, "decoder", self.inputs, self.outputs, self.tensors)
        domains = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=domains, ir_version=10), path)
        return path


def feeds(path: pathlib.Path) -> dict[str, np.ndarray]:
    rng, out = np.random.default_rng(1), {}
    for info in onnx.load(path).graph.input:
        shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
        whole = info.type.tensor_type.elem_type == TensorProto.INT64
        out[info.name] = rng.integers(0, WORDS, shape) if whole else rng.standard_normal(shape, np.float32)
    return out


def ours(path: pathlib.Path, inputs: dict[str, np.ndarray], cpu: str) -> tuple[Callable[[], np.ndarray], int]:
    from mlconv import load_native

    target, options = path.with_suffix(".o"), ["--cpu", cpu] if cpu else []
    command = [sys.executable, "-m", "mlconv", "convert", str(path), "--to", "native", "-o", str(target), *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    native = load_native(target)
    kept = native.run(inputs)  # a caller has room for keys and values; peers keep theirs
    return lambda: native.run(inputs, out=kept)["next"], target.stat().st_size


def onnxruntime(path: pathlib.Path, inputs: dict[str, np.ndarray]) -> Callable[[], np.ndarray]:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(["next"], inputs)[0]


def openvino(path: pathlib.Path, inputs: dict[str, np.ndarray]) -> Callable[[], np.ndarray]:
    import openvino as ov

    settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    request = ov.Core().compile_model(str(path), "CPU", settings).create_infer_request()
    return lambda: request.infer(inputs)["next"]


def llamacpp(network: Network, path: pathlib.Path, layers: int, word: np.ndarray) -> Callable[[], np.ndarray]:
    """With its own context, of as many words: keys and values of float16."""
    context = network.past + network.words
    shape = llama.Shape(HIDDEN, HEADS, KV_HEADS, BETWEEN, WORDS, layers, context)
    llama.write(path, shape, network.embedding, network.products, network.norms)
    return llama.runner(path, shape, word.ravel().tolist())


def reader(folder: pathlib.Path, count: int) -> Callable[[], int]:
    """Reads so many bytes."""
    import ctypes

    (folder / "read.c").write_text(READ)
    library = folder / "read.so"
    subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, folder / "read.c"], check=True)
    read = ctypes.CDLL(str(library)).read_all
    read.restype, read.argtypes = ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_uint64]
    data = np.random.default_rng(2).integers(0, 1 << 62, count // 8)
    return lambda: read(data.ctypes.data, data.size)


def read_bytes(layers: int, past: int) -> int:
    """Of weights and scales, and of keys and values, that one word takes."""
    of_layer = 2 * HIDDEN * HEADS * HEAD + 2 * HIDDEN * KV_HEADS * HEAD + 3 * HIDDEN * BETWEEN
    weights = (layers * of_layer + HIDDEN * WORDS) * (BLOCK // 2 + 2) // BLOCK
    return weights + layers * 2 * KV_HEADS * past * HEAD * np.dtype(np.float32).itemsize


def compare(folder: pathlib.Path, args: argparse.Namespace, words: int) -> None:
    blocks = Network(args.layers, words, args.context, False).save(folder / "blocks.onnx")
    network = Network(args.layers, words, args.context, True)
    bits = network.save(folder / "bits.onnx")
    inputs = feeds(blocks)
    run, size = ours(blocks, inputs, args.cpu)
    runs: dict[str, Callable[[], Any]] = {"mlconv": run}
    for name, peer, path in (("onnxruntime", onnxruntime, bits), ("openvino", openvino, blocks)):
        try:
            runs[name] = peer(path, inputs)
        except ImportError:
            continue
    try:
        runs["llama.cpp"] = llamacpp(network, folder / "decoder.gguf", args.layers, inputs["word"])
    except ImportError as error:
        print(f"without llama.cpp: {error}")
    count = read_bytes(args.layers, network.past)
    runs["read loop"] = reader(folder, count)
    golden = runs.get("onnxruntime", run)()
    print(f"{words} words, object of {size / 1e6:.0f} MB, {count / 1e6:.0f} MB are read; ", end="")
    print(f"largest error {np.abs(run() - golden).max() / np.abs(golden).max():.1e} of the largest output")
    least = dict.fromkeys(runs, float("inf"))
    for _ in range(args.rounds):
        for name, one in runs.items():
            begin = time.process_time()
            one()
            least[name] = min(least[name], time.process_time() - begin)
    for name, seconds in least.items():
        rate = f"{count / seconds / 1e9:6.1f} GB/s" if words == 1 else ""
        print(f"  {name:12} {1e3 * seconds:8.2f} ms  {seconds / least['mlconv']:5.2f}x  {rate}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--words", type=int, default=0)
    parser.add_argument("--cpu", default="", help="instruction set of our objects")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for words in (1, *([args.words] if args.words else [])):
            compare(pathlib.Path(folder), args, words)


if __name__ == "__main__":
    main()
