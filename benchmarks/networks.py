"""More networks for benchmarks, with random weights from fixed seeds: EfficientNet-B0, a small U-Net, and a transformer
of MiniLM's size.
"""

from __future__ import annotations

import pathlib

import numpy as np
import onnx
from models import Net
from onnx import TensorProto, helper


def _swish(net: Net, x: str) -> str:
    return net.add("Mul", x, net.add("Sigmoid", x))


def efficientnet_b0(path: pathlib.Path) -> pathlib.Path:
    """Tan and Le 2019, table 1: inverted bottlenecks with squeeze and excitation, 224 x 224."""
    net = Net(5)
    x, c = _swish(net, net.conv("image", 3, 32, 3, 2)), 32
    for t, cout, n, s, k in (
        (1, 16, 1, 1, 3),
        (6, 24, 2, 2, 3),
        (6, 40, 2, 2, 5),
        (6, 80, 3, 2, 3),
        (6, 112, 3, 1, 5),
        (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3),
    ):
        for i in range(n):
            stride, hidden = (s if i == 0 else 1), c * t
            y = _swish(net, net.conv(x, c, hidden, 1)) if t > 1 else x
            y = _swish(net, net.conv(y, hidden, hidden, k, stride, groups=hidden))
            y = _excited(net, y, hidden, max(1, c // 4))
            y = net.conv(y, hidden, cout, 1)
            x = net.add("Add", x, y) if stride == 1 and c == cout else y
            c = cout
    return net.save(path, net.head(_swish(net, net.conv(x, c, 1280, 1)), 1280))


def _excited(net: Net, x: str, channels: int, squeezed: int) -> str:
    """x scaled by a gate for each channel."""
    gate = net.add("GlobalAveragePool", x)
    for cin, cout in ((channels, squeezed), (squeezed, channels)):
        w = net.weight(net.rng.standard_normal((cout, cin, 1, 1)) * np.sqrt(1 / cin))
        gate = net.add("Conv", gate, w, net.weight(np.zeros(cout)), kernel_shape=[1, 1])
        gate = net.add("Sigmoid", gate) if cout == channels else _swish(net, gate)
    return net.add("Mul", x, gate)


def unet(path: pathlib.Path) -> pathlib.Path:
    """Ronneberger et al. 2015, four levels of 16 to 128 channels, 256 x 256, transposed convolutions on the way up."""
    net = Net(6)

    def double(x: str, cin: int, cout: int) -> str:
        return net.conv(net.conv(x, cin, cout, 3, act="relu"), cout, cout, 3, act="relu")

    x, c, skips = "image", 3, []
    for width in (16, 32, 64):
        skips.append((double(x, c, width), width))
        x, c = net.add("MaxPool", skips[-1][0], kernel_shape=[2, 2], strides=[2, 2]), width
    x, c = double(x, c, 128), 128
    for skip, width in reversed(skips):
        w = net.weight(net.rng.standard_normal((c, width, 2, 2)) * np.sqrt(1 / c))
        x = net.add("ConvTranspose", x, w, net.weight(np.zeros(width)), kernel_shape=[2, 2], strides=[2, 2])
        x, c = double(net.add("Concat", x, skip, axis=1), 2 * width, width), width
    w = net.weight(net.rng.standard_normal((4, c, 1, 1)) * np.sqrt(1 / c))
    y = net.add("Conv", x, w, net.weight(np.zeros(4)), kernel_shape=[1, 1])
    return save(net, path, "image", TensorProto.FLOAT, [1, 3, 256, 256], y, [1, 4, 256, 256])


def minilm(path: pathlib.Path, layers: int = 6, width: int = 384, sequence: int = 128) -> pathlib.Path:
    """Wang et al. 2020: 6 layers of 384, 12 heads, sequence 128, as PyTorch exports it; the vocabulary is smaller than
    the real one.
    """
    net = Net(7)
    x = net.add("Gather", net.weight(net.rng.standard_normal((4096, width)) * 0.1), "tokens")
    x = layer_norm(net, net.add("Add", x, net.weight(net.rng.standard_normal((1, sequence, width)) * 0.1)), width)
    x = encoder(net, x, layers, width, sequence)
    return save(net, path, "tokens", TensorProto.INT64, [1, sequence], x, [1, sequence, width])


def encoder(net: Net, x: str, layers: int, width: int, sequence: int, heads: int = 12) -> str:
    """Layers of a transformer, each normalized behind."""
    for _ in range(layers):
        x = layer_norm(net, net.add("Add", x, _attention(net, x, width, heads, sequence)), width)
        y = linear(net, x, width, 4 * width)
        y = gelu(net, y)
        x = layer_norm(net, net.add("Add", x, linear(net, y, 4 * width, width)), width)
    return x


def gelu(net: Net, x: str) -> str:
    half = net.add("Add", net.add("Erf", net.add("Div", x, net.weight(np.float32(2**0.5)))), net.weight(np.float32(1)))
    return net.add("Mul", net.add("Mul", x, half), net.weight(np.float32(0.5)))


def linear(net: Net, x: str, cin: int, cout: int) -> str:
    w = net.weight(net.rng.standard_normal((cin, cout)) * np.sqrt(1 / cin))
    return net.add("Add", net.add("MatMul", x, w), net.weight(net.rng.normal(0, 0.1, cout)))


def layer_norm(net: Net, x: str, width: int) -> str:
    return net.add(
        "LayerNormalization",
        x,
        net.weight(net.rng.uniform(0.8, 1.2, width)),
        net.weight(net.rng.normal(0, 0.1, width)),
        axis=-1,
    )


def _attention(net: Net, x: str, width: int, heads: int, sequence: int) -> str:
    shape, back = (
        net.constant(np.array(s, np.int64)) for s in ([1, sequence, heads, width // heads], [1, sequence, width])
    )

    def split(perm: list[int]) -> str:
        return net.add("Transpose", net.add("Reshape", linear(net, x, width, width), shape), perm=perm)

    scores = net.add("MatMul", split([0, 2, 1, 3]), split([0, 2, 3, 1]))
    weights = net.add("Softmax", net.add("Div", scores, net.weight(np.float32((width / heads) ** 0.5))), axis=-1)
    joined = net.add("Transpose", net.add("MatMul", weights, split([0, 2, 1, 3])), perm=[0, 2, 1, 3])
    return linear(net, net.add("Reshape", joined, back), width, width)


def save(
    net: Net, path: pathlib.Path, name: str, kind: int, shape: list[int], output: str, out: list[int]
) -> pathlib.Path:
    inputs = [helper.make_tensor_value_info(name, kind, shape)]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, out)]
    graph = helper.make_graph(net.nodes, path.stem, inputs, outputs, net.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path
