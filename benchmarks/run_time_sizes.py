"""Networks with sizes that are known at run time against the same ones pinned: native code, one thread.

    python benchmarks/run_time_sizes.py [--models encoder,detector,unet,mobilevit,...] [--rounds 40] [--cpu NAME]

Both objects run in one process on the same inputs, at the sizes that the pinned one has, in turn: CALLS times each, as
one that follows the other finds no weights of its own in the caches.  Figures are the least of the calls, milliseconds
of processor time, the ratio of both, and that of the seconds that compiling takes.
"""

from __future__ import annotations

import argparse
import functools
import math
import pathlib
import tempfile
import time
from collections.abc import Callable
from typing import Any

import networks
import numpy as np
import onnx
import vision
from models import Net
from onnx import TensorProto, helper, numpy_helper

import mlconv

CALLS = 10
Inputs = dict[str, tuple[list[Any], np.ndarray]]  # by name: the shape that the file says, and what is run


def save(net: Net, path: pathlib.Path, inputs: Inputs, *outputs: str) -> Inputs:
    whole = {True: TensorProto.INT64, False: TensorProto.FLOAT}
    given = [helper.make_tensor_value_info(n, whole[a.dtype == np.int64], s) for n, (s, a) in inputs.items()]
    made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    graph = helper.make_graph(net.nodes, path.stem, given, made, net.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return inputs


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


def encoder(path: pathlib.Path, layers: int = 6, width: int = 384, rows: int = 128) -> Inputs:
    """MiniLM: batch and sequence are open."""
    net = Net(7)
    ids = net.add("Gather", net.weight(net.rng.standard_normal((4096, width)) * 0.1), "tokens")
    length = net.add("Slice", net.add("Shape", "tokens"), *(net.constant(np.array([n])) for n in (1, 2)))
    table = net.weight(net.rng.standard_normal((512, width)) * 0.1)
    places = net.add("Slice", table, net.constant(np.array([0])), length, net.constant(np.array([0])))
    x = networks.layer_norm(net, net.add("Add", ids, places), width)
    x = networks.encoder(net, x, layers, width, rows)
    for i, tensor in enumerate(net.weights):  # shapes of reshapes: batch and rows as they come
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.int64 and array.size >= 3:
            net.weights[i] = numpy_helper.from_array(np.array([0, 0, *array[2:]]), tensor.name)
    tokens = np.random.default_rng(0).integers(0, 4096, (1, rows))
    return save(net, path, {"tokens": (["b", "s"], tokens)}, x)


def decoder_step(path: pathlib.Path, layers: int = 4, width: int = 512, heads: int = 8, past: int = 255) -> Inputs:
    """A step of a LLaMA-like decoder: one word, the length of the cache is open."""
    net, size = Net(8), width // heads
    inputs: Inputs = {"x": ([1, 1, width], normal(1, 1, width))}
    outputs, x = [], "x"
    shape, back = (net.constant(np.array(s)) for s in ([1, 1, heads, size], [1, 1, width]))
    for i in range(layers):
        y = networks.layer_norm(net, x, width)
        q, k, v = (
            net.add("Transpose", net.add("Reshape", networks.linear(net, y, width, width), shape), perm=[0, 2, 1, 3])
            for _ in range(3)
        )
        for name in (f"k{i}", f"v{i}"):
            inputs[name] = ([1, heads, "p", size], normal(1, heads, past, size))
        k, v = net.add("Concat", f"k{i}", k, axis=2), net.add("Concat", f"v{i}", v, axis=2)
        outputs += [k, v]
        scores = net.add("MatMul", q, net.add("Transpose", k, perm=[0, 1, 3, 2]))
        scores = net.add("Softmax", net.add("Mul", scores, net.weight(np.float32(size**-0.5))), axis=-1)
        joined = net.add("Transpose", net.add("MatMul", scores, v), perm=[0, 2, 1, 3])
        x = net.add("Add", x, networks.linear(net, net.add("Reshape", joined, back), width, width))
        y = networks.linear(net, networks.layer_norm(net, x, width), width, 4 * width)
        y = net.add("Mul", y, net.add("Sigmoid", y))
        x = net.add("Add", x, networks.linear(net, y, 4 * width, width))
    return save(net, path, inputs, x, *outputs)


def detector(path: pathlib.Path, size: int = 256) -> Inputs:
    """A YOLO-like backbone, a neck with nearest resizes, heads on three scales; batch, height and width are open."""
    net = Net(9)

    def block(x: str, cin: int, cout: int, stride: int = 1, k: int = 3) -> str:
        y = net.conv(x, cin, cout, k, stride)
        return net.add("Mul", y, net.add("Sigmoid", y))

    x, c, scales = "image", 3, []
    for width in (16, 32, 64, 128, 256):
        x = block(x, c, width, 2)
        x, c = net.add("Add", x, block(block(x, width, width // 2, 1, 1), width // 2, width)), width
        scales.append((x, c))
    heads, (x, c) = [], scales[-1]
    for skip, width in (scales[-2], scales[-3], (None, 0)):
        y = net.conv(x, c, 24, 1)
        heads.append(net.add("Reshape", y, net.constant(np.array([0, 24, -1]))))
        if skip is not None:
            up = net.add("Resize", x, "", net.constant(np.array([1, 1, 2, 2], np.float32)), mode="nearest")
            x, c = block(net.add("Concat", up, skip, axis=1), c + width, width), width
    y = net.add("Sigmoid", net.add("Concat", *heads, axis=2))
    return save(net, path, {"image": (["b", 3, "h", "w"], normal(1, 3, size, size))}, y)


def unet(path: pathlib.Path) -> Inputs:
    """The U-Net of `networks`; batch, height and width are open."""
    networks.unet(path)
    model = onnx.load(path)
    for dim, symbol in zip(model.graph.input[0].type.tensor_type.shape.dim, ("b", "", "h", "w"), strict=True):
        if symbol:
            dim.dim_param = symbol
    model.graph.output[0].type.tensor_type.ClearField("shape")
    onnx.save(model, path)
    return {"image": (["b", 3, "h", "w"], normal(1, 3, 256, 256))}


def mobilevit(path: pathlib.Path) -> Inputs:
    vision.mobilevit(path)
    return {"image": (["b", 3, "h", "w"], normal(1, 3, 256, 256))}


MODELS = {
    "encoder": encoder,
    "encoder_384": functools.partial(encoder, layers=2, rows=384),
    "decoder_step": decoder_step,
    "detector": detector,
    "unet": unet,
    "mobilevit": mobilevit,
}


def milliseconds(run: Callable[[], Any]) -> float:
    begin = time.process_time()
    run()
    return 1e3 * (time.process_time() - begin)


def compare(name: str, folder: pathlib.Path, rounds: int, cpu: str) -> str:
    path = folder / f"{name}.onnx"
    inputs = MODELS[name](path)
    arrays = {key: array for key, (_, array) in inputs.items()}
    runs, seconds, results = {}, {}, {}
    shapes: dict[str, dict[str, Any]] = {"open": {}, "pinned": {k: list(a.shape) for k, a in arrays.items()}}
    for kind in ("pinned", "open"):
        begin = time.process_time()
        made = mlconv.convert(path, to="native", output=folder / f"{name}.{kind}.o", cpu=cpu, shapes=shapes[kind])
        seconds[kind] = time.process_time() - begin
        native = mlconv.load_native(made.output, 1)
        results[kind] = next(iter(native.run(arrays).values()))
        runs[kind] = lambda native=native: next(iter(native.run(arrays).values()))
    apart = float(np.abs(results["open"] - results["pinned"]).max() / np.abs(results["pinned"]).max())
    least = dict.fromkeys(runs, math.inf)
    for _ in range(-(-rounds // CALLS)):
        for kind, run in runs.items():
            least[kind] = min(least[kind], *(milliseconds(run) for _ in range(CALLS)))
    return (
        f"{name:14} pinned {least['pinned']:8.3f} ms  open {least['open']:8.3f} ms  ratio"
        f" {least['open'] / least['pinned']:.3f}  compiling {seconds['pinned']:.1f} s {seconds['open']:.1f} s"
        f"  ratio {seconds['open'] / seconds['pinned']:.2f}  apart {apart:.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--cpu", default="x86-64-v3")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in args.models.split(","):
            print(compare(name, pathlib.Path(folder), args.rounds, args.cpu), flush=True)


if __name__ == "__main__":
    main()
