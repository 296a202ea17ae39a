"""MobileViT-XXS with random weights from a fixed seed; batch, height and width are open, as PyTorch exports it."""

from __future__ import annotations

import pathlib

import networks
import numpy as np
import onnx
from models import Net
from onnx import TensorProto, helper

PATCH = 2  # rows and columns
# Mehta and Rastegari 2021, table 4: channels behind each stage, width and layers of the transformers of the last three.
STAGES = ((16, 0, 0), (24, 0, 0), (48, 64, 2), (64, 80, 4), (80, 96, 3))


def mobilevit(path: pathlib.Path) -> pathlib.Path:
    net = Net(10)
    x, c = _convolved(net, "image", 3, 16, stride=2), 16
    for n, (channels, width, layers) in enumerate(STAGES):
        x, c = _inverted(net, x, c, channels, 2 if n else 1), channels
        if n == 1:
            for _ in range(2):
                x = net.add("Add", x, _inverted(net, x, c, c, 1))
        if layers:
            x = _block(net, x, c, width, layers)
    y = net.head(_convolved(net, x, c, 320, 1), 320)
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["b", 3, "h", "w"])
    out = helper.make_tensor_value_info(y, TensorProto.FLOAT, ["b", 1000])
    graph = helper.make_graph(net.nodes, path.stem, [image], [out], net.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def _swish(net: Net, x: str) -> str:
    return net.add("Mul", x, net.add("Sigmoid", x))


def _convolved(net: Net, x: str, cin: int, cout: int, k: int = 3, stride: int = 1) -> str:
    return _swish(net, net.conv(x, cin, cout, k, stride))


def _inverted(net: Net, x: str, cin: int, cout: int, stride: int) -> str:
    hidden = 2 * cin
    y = _convolved(net, x, cin, hidden, 1)
    return net.conv(_swish(net, net.conv(y, hidden, hidden, 3, stride, groups=hidden)), hidden, cout, 1)


def _sizes(net: Net, x: str) -> list[str]:
    """Batch, rows of patches and columns of patches, each [1]."""
    shape = net.add("Shape", x)
    ends = [net.constant(np.array([n])) for n in (0, 2, 3)]
    batch, height, width = (net.add("Gather", shape, end, axis=0) for end in ends)
    patch = net.constant(np.array([PATCH]))
    return [batch, net.add("Div", height, patch), net.add("Div", width, patch)]


def _block(net: Net, x: str, channels: int, width: int, layers: int) -> str:
    """Places of a patch go to the batch, patches are a sequence, and back again."""
    y = net.conv(_convolved(net, x, channels, channels), channels, width, 1)
    batch, rows, columns = _sizes(net, y)
    count = net.add("Mul", rows, columns)

    def shaped(value: str, *sizes: str | int) -> str:
        parts = [s if isinstance(s, str) else net.constant(np.array([s])) for s in sizes]
        return net.add("Reshape", value, net.add("Concat", *parts, axis=0))

    many, area = net.add("Mul", batch, net.constant(np.array([width]))), PATCH * PATCH
    y = shaped(y, net.add("Mul", many, rows), PATCH, columns, PATCH)
    y = shaped(net.add("Transpose", y, perm=[0, 2, 1, 3]), batch, width, count, area)
    places = net.add("Mul", batch, net.constant(np.array([area])))
    y = shaped(net.add("Transpose", y, perm=[0, 3, 2, 1]), places, count, width)
    for _ in range(layers):
        y = net.add("Add", y, _attention(net, networks.layer_norm(net, y, width), width))
        z = _swish(net, networks.linear(net, networks.layer_norm(net, y, width), width, 2 * width))
        y = net.add("Add", y, networks.linear(net, z, 2 * width, width))
    y = networks.layer_norm(net, y, width)
    y = net.add("Transpose", shaped(y, batch, area, count, width), perm=[0, 3, 2, 1])
    y = shaped(y, net.add("Mul", many, rows), columns, PATCH, PATCH)
    y = net.add("Transpose", y, perm=[0, 2, 1, 3])
    two = net.constant(np.array([PATCH]))
    y = shaped(y, batch, width, net.add("Mul", rows, two), net.add("Mul", columns, two))
    y = _convolved(net, y, width, channels, 1)
    return _convolved(net, net.add("Concat", x, y, axis=1), 2 * channels, channels)


def _attention(net: Net, x: str, width: int, heads: int = 4) -> str:
    split, back = (net.constant(np.array(s)) for s in ([0, 0, heads, width // heads], [0, 0, width]))

    def part(perm: list[int]) -> str:
        return net.add("Transpose", net.add("Reshape", networks.linear(net, x, width, width), split), perm=perm)

    scores = net.add("MatMul", part([0, 2, 1, 3]), part([0, 2, 3, 1]))
    scores = net.add("Mul", scores, net.weight(np.float32((width / heads) ** -0.5)))
    joined = net.add("MatMul", net.add("Softmax", scores, axis=-1), part([0, 2, 1, 3]))
    joined = net.add("Reshape", net.add("Transpose", joined, perm=[0, 2, 1, 3]), back)
    return networks.linear(net, joined, width, width)
