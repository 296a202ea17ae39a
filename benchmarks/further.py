"""Further networks with random weights, as PyTorch exports them: recurrent ones, transformers of text, of images and
of sound, and a convolutional one with layer normalization.
"""

from __future__ import annotations

import pathlib

import numpy as np
from models import Net
from networks import encoder, gelu, layer_norm, linear, save
from onnx import TensorProto


def _shaped(net: Net, x: str, *shape: int) -> str:
    return net.add("Reshape", x, net.constant(np.array(shape, np.int64)))


def _conv(net: Net, x: str, cin: int, cout: int, window: list[int], stride: int, pad: int = 0, groups: int = 1) -> str:
    n = len(window)
    scale = np.sqrt(2 / (cin // groups * np.prod(window)))
    w = net.weight(net.rng.standard_normal((cout, cin // groups, *window)) * scale)
    b, sizes = net.weight(net.rng.normal(0, 0.1, cout)), {"strides": [stride] * n, "pads": [pad] * 2 * n}
    return net.add("Conv", x, w, b, kernel_shape=window, group=groups, **sizes)


def bert_base(path: pathlib.Path) -> pathlib.Path:
    """Devlin et al. 2018: 12 layers of 768, 12 heads, sequence 128."""
    net = Net(11)
    x = net.add("Gather", net.weight(net.rng.standard_normal((4096, 768)) * 0.1), "tokens")
    x = encoder(net, layer_norm(net, x, 768), 12, 768, 128)
    return save(net, path, "tokens", TensorProto.INT64, [1, 128], x, [1, 128, 768])


def wav2vec2(path: pathlib.Path) -> pathlib.Path:
    """Baevski et al. 2020, base: a second of sound."""
    net, length = Net(12), 16000
    x, channels = _shaped(net, "sound", 1, 1, length), 1
    for i, (window, stride) in enumerate([(10, 5), *[(3, 2)] * 4, *[(2, 2)] * 2]):
        x, length = _conv(net, x, channels, 512, [window], stride), (length - window) // stride + 1
        if i == 0:
            ones, zeros = net.weight(np.ones(512)), net.weight(np.zeros(512))
            x = net.add("InstanceNormalization", x, ones, zeros)
        x, channels = gelu(net, x), 512
    x = linear(net, layer_norm(net, net.add("Transpose", x, perm=[0, 2, 1]), 512), 512, 768)
    y = _conv(net, net.add("Transpose", x, perm=[0, 2, 1]), 768, 768, [128], 1, 64, 16)
    ends = [net.constant(np.array([n], np.int64)) for n in (0, length, 2)]
    y = gelu(net, net.add("Transpose", net.add("Slice", y, *ends), perm=[0, 2, 1]))
    x = encoder(net, layer_norm(net, net.add("Add", x, y), 768), 12, 768, length)
    return save(net, path, "sound", TensorProto.FLOAT, [1, 16000], x, [1, length, 768])


def convnext_tiny(path: pathlib.Path) -> pathlib.Path:
    """Liu et al. 2022: depths 3, 3, 9, 3."""
    net, widths = Net(13), (96, 192, 384, 768)

    def normed(x: str, width: int) -> str:
        """Over the channels of an image."""
        y = layer_norm(net, net.add("Transpose", x, perm=[0, 2, 3, 1]), width)
        return net.add("Transpose", y, perm=[0, 3, 1, 2])

    x = normed(_conv(net, "image", 3, 96, [4, 4], 4), 96)
    for i, (width, depth) in enumerate(zip(widths, (3, 3, 9, 3), strict=True)):
        if i:
            x = _conv(net, normed(x, widths[i - 1]), widths[i - 1], width, [2, 2], 2)
        for _ in range(depth):
            y = net.add("Transpose", _conv(net, x, width, width, [7, 7], 1, 3, width), perm=[0, 2, 3, 1])
            y = linear(net, gelu(net, linear(net, layer_norm(net, y, width), width, 4 * width)), 4 * width, width)
            y = net.add("Mul", y, net.weight(net.rng.uniform(0.1, 0.5, width)))
            x = net.add("Add", x, net.add("Transpose", y, perm=[0, 3, 1, 2]))
    return net.save(path, net.head(x, 768))


def swin_tiny(path: pathlib.Path) -> pathlib.Path:
    """Liu et al. 2021: depths 2, 2, 6, 2, windows of 7 x 7, every second one shifted."""
    net, size, width = Net(14), 56, 96
    x = net.add("Transpose", _conv(net, "image", 3, 96, [4, 4], 4), perm=[0, 2, 3, 1])
    x = layer_norm(net, x, 96)
    for i, (depth, heads) in enumerate(zip((2, 2, 6, 2), (3, 6, 12, 24), strict=True)):
        if i:
            x = _shaped(net, x, 1, size // 2, 2, size // 2, 2, width)
            x = _shaped(net, net.add("Transpose", x, perm=[0, 1, 3, 4, 2, 5]), 1, size // 2, size // 2, 4 * width)
            x = net.add("MatMul", layer_norm(net, x, 4 * width), net.weight(_normal(net, 4 * width, 2 * width)))
            size, width = size // 2, 2 * width
        for block in range(depth):
            y = _windows(net, layer_norm(net, x, width), size, width, heads, 3 if block % 2 and size > 7 else 0)
            x = net.add("Add", x, y)
            y = gelu(net, linear(net, layer_norm(net, x, width), width, 4 * width))
            x = net.add("Add", x, linear(net, y, 4 * width, width))
    x = net.add("Transpose", layer_norm(net, x, 768), perm=[0, 3, 1, 2])
    return net.save(path, net.head(x, 768))


def _normal(net: Net, rows: int, columns: int) -> np.ndarray:
    return net.rng.standard_normal((rows, columns)) * np.sqrt(1 / rows)


def _rolled(net: Net, x: str, shift: int, size: int) -> str:
    """Rows and columns from `shift` on, then those before."""
    for axis in (1, 2):
        low, middle, high, along = (net.constant(np.array([n], np.int64)) for n in (0, shift, size, axis))
        parts = net.add("Slice", x, middle, high, along), net.add("Slice", x, low, middle, along)
        x = net.add("Concat", *parts, axis=axis)
    return x


def _windows(net: Net, x: str, size: int, width: int, heads: int, shift: int) -> str:
    """Attention in windows."""
    n, each = size // 7, width // heads
    x = _rolled(net, x, shift, size) if shift else x
    x = _shaped(
        net, net.add("Transpose", _shaped(net, x, 1, n, 7, n, 7, width), perm=[0, 1, 3, 2, 4, 5]), -1, 49, width
    )
    joined = net.add(
        "Transpose", _shaped(net, linear(net, x, width, 3 * width), n * n, 49, 3, heads, each), perm=[2, 0, 3, 1, 4]
    )
    q, k, v = (net.add("Gather", joined, net.constant(np.array(i, np.int64)), axis=0) for i in range(3))
    q = net.add("Mul", q, net.weight(np.float32(each**-0.5)))
    scores = net.add("MatMul", q, net.add("Transpose", k, perm=[0, 1, 3, 2]))
    scores = net.add("Add", scores, net.weight(net.rng.normal(0, 0.1, (1, heads, 49, 49))))
    if shift:
        mask = net.weight(np.where(net.rng.uniform(size=(n * n, 1, 49, 49)) < 0.1, -100, 0))
        scores = net.add("Add", scores, mask)
    y = net.add("Transpose", net.add("MatMul", net.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    y = linear(net, _shaped(net, y, n * n, 49, width), width, width)
    y = net.add("Transpose", _shaped(net, y, 1, n, n, 7, 7, width), perm=[0, 1, 3, 2, 4, 5])
    y = _shaped(net, y, 1, size, size, width)
    return _rolled(net, y, size - shift, size) if shift else y


def lstm_gru(path: pathlib.Path) -> pathlib.Path:
    """An LSTM and a GRU of 256, 100 steps."""
    net = Net(15)
    y = _recurrent(net, "LSTM", "steps", 128, 256, 4)
    y = _recurrent(net, "GRU", y, 256, 256, 3)
    return save(net, path, "steps", TensorProto.FLOAT, [100, 1, 128], y, [100, 1, 256])


def bilstm(path: pathlib.Path) -> pathlib.Path:
    """Two LSTMs of 128 in both directions, 100 steps."""
    net, x = Net(16), "steps"
    for _ in range(2):
        x = _recurrent(net, "LSTM", x, 256 if x != "steps" else 64, 128, 4, 2)
    return save(net, path, "steps", TensorProto.FLOAT, [100, 1, 64], x, [100, 1, 256])


def _recurrent(net: Net, op: str, x: str, inputs: int, hidden: int, gates: int, directions: int = 1) -> str:
    w, r, b = ((directions, gates * hidden, n) for n in (inputs, hidden, 0))
    scale = hidden**-0.5
    weights = [net.weight(net.rng.uniform(-scale, scale, s)) for s in (w, r, (*b[:1], 2 * gates * hidden))]
    more = {"linear_before_reset": 1} if op == "GRU" else {}
    if directions == 2:
        more["direction"] = "bidirectional"
    y = net.add(op, x, *weights, hidden_size=hidden, **more)  # [steps, directions, batch, hidden]
    return _shaped(net, net.add("Transpose", y, perm=[0, 2, 1, 3]), 100, 1, directions * hidden)
