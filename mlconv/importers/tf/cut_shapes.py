"""Shape of a tensor at which the user cuts a graph: where the file says it, and for audio front ends, whose shape
follows from attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from mlconv.importers.tf.graph import Node, Port
from mlconv.ir.constants import Const

Sizes: TypeAlias = tuple[int | None, ...]


def port_shape(port: Port) -> Sizes | None:
    """Sizes of the tensor at a port as far as they are known; None when the rank is not."""
    rule = _RULES.get(port.node.op)
    return rule(port.node, port.slot) if rule is not None else None


def _decode_wav(node: Node, index: int) -> Sizes:
    # tensorflow/core/ops/audio_ops.cc: DecodeWavShapeFn; -1 means "as in the file"
    samples, channels = node.attrs["desired_samples"], node.attrs["desired_channels"]
    return (None if samples < 0 else samples, None if channels < 0 else channels) if index == 0 else ()


def _spectrogram(node: Node, _: int) -> Sizes:
    # tensorflow/core/ops/audio_ops.cc: SpectrogramShapeFn: [channels, windows, bins], bins = next power of two of the
    # window / 2 + 1
    window, stride = node.attrs["window_size"], node.attrs["stride"]
    source = port_shape(node.inputs[0]) or (None, None)
    samples, channels = source if len(source) == 2 else (None, None)
    windows = None if samples is None or stride <= 0 else max(0, 1 + (samples - window) // stride)
    return (channels, windows, (1 << max(0, window - 1).bit_length()) // 2 + 1)


def _mfcc(node: Node, _: int) -> Sizes:
    source = port_shape(node.inputs[0]) or (None, None, None)
    return (*source[:2], node.attrs["dct_coefficient_count"])


def _constant(node: Node, _: int) -> Sizes | None:
    value = node.attrs.get("value")
    return value.shape if isinstance(value, Const) else None


_RULES: Final[dict[str, Callable[[Node, int], Sizes | None]]] = {
    "DecodeWav": _decode_wav,
    "AudioSpectrogram": _spectrogram,
    "Mfcc": _mfcc,
    "Const": _constant,
    "Placeholder": lambda node, _: node.attrs.get("shape"),
}
