"""Networks whose branches can run in several orders, with random weights from fixed seeds: ShuffleNet, the stem of
NASNet, DenseNet-121, the U-Net of the paper with its crops, and SSD300.  Nodes stand in the order of well known
sources.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import onnx
from models import Net
from onnx import TensorProto, helper

Image = tuple[int, int]  # channels and pixels of a side


def shufflenet(path: pathlib.Path, groups: int = 3, image: int = 224) -> pathlib.Path:
    """Zhang et al. 2017, table 1; in units of stride 2 the shortcut's average comes behind the main branch.  image: 32
    has the first layer of versions for CIFAR-10, 1 x 1 without pooling.
    """
    net, widths = Net(11), {1: 144, 2: 200, 3: 240, 4: 272, 8: 384}
    is_small = image < 64
    x, c, size = net.conv("image", 3, 24, 1 if is_small else 3, 1 if is_small else 2, act="relu"), 24, image
    if not is_small:
        x, size = net.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), image // 4
    for stage, repeats in enumerate((3, 7, 3)):
        cout = widths[groups] << stage
        for i in range(repeats + 1):
            stride = 2 if i == 0 else 1
            first = 1 if stage == 0 and i == 0 else groups
            x = _shuffle_unit(net, x, (c, size), cout, stride, (first, groups))
            c, size = cout, size // stride
    return _saved(net, path, net.head(x, c), (3, image), [1, 1000])


def _shuffle_unit(net: Net, x: str, of: Image, cout: int, stride: int, groups: tuple[int, int]) -> str:
    c, size = of
    made = cout - c if stride == 2 else cout
    hidden = made // 4
    y = net.conv(x, c, hidden, 1, groups=groups[0], act="relu")
    y = _shuffled(net, y, groups[1], (hidden, size))
    y = net.conv(y, hidden, hidden, 3, stride, groups=hidden)
    y = net.conv(y, hidden, made, 1, groups=groups[1])
    if stride == 1:
        return net.add("Relu", net.add("Add", x, y))
    shortcut = net.add("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, count_include_pad=1)
    return net.add("Relu", net.add("Concat", shortcut, y, axis=1))


def _shuffled(net: Net, x: str, groups: int, of: Image) -> str:
    """Channels of all groups in turn."""
    c, size = of
    apart, back = (
        net.constant(np.array(s, np.int64)) for s in ([1, groups, c // groups, size, size], [1, c, size, size])
    )
    return net.add("Reshape", net.add("Transpose", net.add("Reshape", x, apart), perm=[0, 2, 1, 3, 4]), back)


def nasnet_stem(path: pathlib.Path, by_depth: bool) -> pathlib.Path:
    """Zoph et al. 2018, figure 4: the first layer of NASNet-A (mobile) and its reduction cell, twice, where images are
    largest.  by_depth: nodes in the order in which Keras runs a functional model, by their distance from the output;
    else block by block, as they are written there.
    """
    net = Net(15)
    x, c, size = net.conv("image", 3, 32, 3, 2), 32, 112
    before, cb = x, c
    for filters, is_first in ((11, True), (22, False)):
        p = before if is_first else _halved(net, before, cb, filters, 2 * size)
        h = net.conv(net.add("Relu", x), c, filters, 1)
        blocks = _reduction_blocks(net, h, p, filters, cb if is_first else filters)
        before, cb, x, c, size = x, c, net.add("Concat", *blocks, axis=1), 4 * filters, size // 2
    y = net.head(net.add("Relu", x), c)
    if by_depth:
        net.nodes = _by_depth(net.nodes)
    return _saved(net, path, y, (3, 224), [1, 1000])


def _reduction_blocks(net: Net, h: str, p: str, f: int, cp: int) -> list[str]:
    pool: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1] * 4}
    half = {**pool, "strides": [2, 2]}
    x1 = net.add("Add", _separable(net, h, (f, f), 5, 2), _separable(net, p, (cp, f), 7, 2))
    x2 = net.add("Add", net.add("MaxPool", h, **half), _separable(net, p, (cp, f), 7, 2))
    x3 = net.add("Add", net.add("AveragePool", h, **half), _separable(net, p, (cp, f), 5, 2))
    x4 = net.add("Add", x2, net.add("AveragePool", x1, **pool))
    x5 = net.add("Add", _separable(net, x1, (f, f), 3, 1), net.add("MaxPool", h, **half))
    return [x2, x3, x4, x5]


def _halved(net: Net, x: str, cin: int, cout: int, size: int) -> str:
    """Every second pixel, and those between them, by half of the channels each."""
    starts, ends, axes = (net.constant(np.array(v, np.int64)) for v in ([1, 1], [size, size], [2, 3]))
    x = net.add("Relu", x)
    pool = {"kernel_shape": [1, 1], "strides": [2, 2]}
    halves = [net.add("AveragePool", v, **pool) for v in (x, net.add("Slice", x, starts, ends, axes))]
    return net.add("Concat", *(net.conv(v, cin, cout // 2, 1) for v in halves), axis=1)


def _separable(net: Net, x: str, channels: tuple[int, int], k: int, stride: int) -> str:
    cin, cout = channels
    for c, step in ((cin, stride), (cout, 1)):
        w = net.weight(net.rng.standard_normal((c, 1, k, k)) / k)
        given = {"kernel_shape": [k, k], "pads": [k // 2] * 4, "group": c, "strides": [step, step]}
        x = net.conv(net.add("Conv", net.add("Relu", x), w, **given), c, cout, 1)
    return x


def _by_depth(nodes: list[Any]) -> list[Any]:
    """The farthest from the output first; nodes of one distance as they stood."""
    depth: dict[str, int] = {}
    for node in reversed(nodes):
        own = depth.get(node.output[0], 0)
        for name in node.input:
            depth[name] = max(depth.get(name, 0), own + 1)
    return sorted(nodes, key=lambda node: -depth.get(node.output[0], 0))


def densenet121(path: pathlib.Path) -> pathlib.Path:
    """Huang et al. 2017, table 1; growth 32."""
    net = Net(12)
    x = net.conv("image", 3, 64, 7, 2, act="relu")
    x, c = net.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 64
    for block, layers in enumerate((6, 12, 24, 16)):
        for _ in range(layers):
            y = net.conv(_normalized(net, x, c), c, 128, 1, act="relu")
            w = net.weight(net.rng.standard_normal((32, 128, 3, 3)) * 0.04)
            x, c = net.add("Concat", x, net.add("Conv", y, w, kernel_shape=[3, 3], pads=[1] * 4), axis=1), c + 32
        x = _normalized(net, x, c)
        if block < 3:
            w = net.weight(net.rng.standard_normal((c // 2, c, 1, 1)) * np.sqrt(1 / c))
            x, c = net.add("Conv", x, w, kernel_shape=[1, 1]), c // 2
            x = net.add("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    return _saved(net, path, net.head(x, c), (3, 224), [1, 1000])


def _normalized(net: Net, x: str, c: int) -> str:
    parts = net.rng.uniform(0.8, 1.2, c), net.rng.normal(0, 0.1, c), net.rng.normal(0, 0.1, c)
    scale = net.rng.uniform(0.5, 1.5, c)
    return net.add("Relu", net.add("BatchNormalization", x, *(net.weight(p) for p in (*parts, scale))))


def unet_with_crops(path: pathlib.Path, width: int = 16, image: int = 572) -> pathlib.Path:
    """Ronneberger et al. 2015, figure 1: convolutions without padding; skips are cropped where they are joined.  A
    quarter of the channels.
    """
    net = Net(13)

    def double(x: str, cin: int, cout: int) -> str:
        return _valid(net, _valid(net, x, cin, cout), cout, cout)

    x, c, size, skips = "image", 1, image, []
    for level in range(4):
        x, c, size = double(x, c, width << level), width << level, size - 4
        skips.append((x, c, size))
        x, size = net.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), size // 2
    x, c, size = double(x, c, width << 4), width << 4, size - 4
    for skip, cs, across in reversed(skips):
        w = net.weight(net.rng.standard_normal((c, cs, 2, 2)) * np.sqrt(1 / c))
        x = net.add("ConvTranspose", x, w, net.weight(np.zeros(cs)), kernel_shape=[2, 2], strides=[2, 2])
        size, low = size * 2, (across - 2 * size) // 2
        starts, ends, axes = (
            net.constant(np.array(v, np.int64)) for v in ([low, low], [low + size, low + size], [2, 3])
        )
        x = double(net.add("Concat", net.add("Slice", skip, starts, ends, axes), x, axis=1), 2 * cs, cs)
        c, size = cs, size - 4
    w = net.weight(net.rng.standard_normal((2, c, 1, 1)) * np.sqrt(1 / c))
    y = net.add("Conv", x, w, net.weight(np.zeros(2)), kernel_shape=[1, 1])
    return _saved(net, path, y, (1, image), [1, 2, size, size])


def _valid(net: Net, x: str, cin: int, cout: int) -> str:
    w = net.weight(net.rng.standard_normal((cout, cin, 3, 3)) * np.sqrt(2 / (cin * 9)))
    return net.add("Relu", net.add("Conv", x, w, net.weight(np.zeros(cout)), kernel_shape=[3, 3]))


def ssd300(path: pathlib.Path, classes: int = 21) -> pathlib.Path:
    """Liu et al. 2016, section 3: VGG-16 and six feature maps; heads come behind all features."""
    net, x, c, size = Net(14), "image", 3, 300
    maps: list[tuple[str, int, int, int]] = []  # value, channels, size, boxes
    for width, layers in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(layers):
            x, c = net.conv(x, c, width, 3, act="relu"), width
        if width == 512 and not maps:
            maps.append((x, c, size, 4))
        if len(maps) == 1 and size == 19:
            x = net.add("MaxPool", x, kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4)
        else:
            x, size = net.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1), -(-size // 2)
    x = net.conv(net.conv(x, c, 1024, 3, act="relu"), 1024, 1024, 1, act="relu")
    c = 1024
    maps.append((x, c, size, 6))
    for hidden, cout, stride, boxes in ((256, 512, 2, 6), (128, 256, 2, 6), (128, 256, 0, 4), (128, 256, 0, 4)):
        x = net.conv(x, c, hidden, 1, act="relu")
        if stride:
            x, size = net.conv(x, hidden, cout, 3, stride, act="relu"), -(-size // 2)
        else:
            x, size = _valid(net, x, hidden, cout), size - 2
        c = cout
        maps.append((x, c, size, boxes))
    total = sum(s * s * b for _, _, s, b in maps)
    heads = [_heads(net, maps, n) for n in (4, classes)]
    y = net.add("Concat", heads[0], net.add("Softmax", heads[1], axis=-1), axis=2)
    return _saved(net, path, y, (3, 300), [1, total, 4 + classes])


def _heads(net: Net, maps: list[tuple[str, int, int, int]], count: int) -> str:
    """`count` numbers for each box of all maps."""
    shape, found = net.constant(np.array([1, -1, count], np.int64)), []
    for x, c, _, boxes in maps:
        w = net.weight(net.rng.standard_normal((boxes * count, c, 3, 3)) * 0.01)
        y = net.add("Conv", x, w, kernel_shape=[3, 3], pads=[1] * 4)
        found.append(net.add("Reshape", net.add("Transpose", y, perm=[0, 2, 3, 1]), shape))
    return net.add("Concat", *found, axis=1)


def _saved(net: Net, path: pathlib.Path, output: str, image: Image, out: list[int]) -> pathlib.Path:
    c, size = image
    inputs = [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, c, size, size])]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, out)]
    graph = helper.make_graph(net.nodes, path.stem, inputs, outputs, net.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path
