"""Spectrograms.  Source: keras/src/layers/preprocessing (stft_spectrogram.py, mel_spectrogram.py), `stft` of
keras/src/backend/tensorflow/math.py.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.layers.conv import convolved
from mlconv.importers.keras.layers.shape import joined
from mlconv.importers.keras.layers.windows import pads_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()
_MODES: Final = ("log", "magnitude", "psd", "real", "imag", "angle", "stft")
_EPSILON: Final = 1e-7  # keras.config.epsilon()
_MEL_BREAK, _MEL_Q = np.float32(700.0), np.float32(1127.0)
_MOST_FRAMES: Final = 1 << 20


@RULES.rule("STFTSpectrogram", keeps_mask=False)
def stft_spectrogram(n: Call) -> Value:
    """Convolutions of each channel with windowed waves, which are weights."""
    x, f = n.x, n.fields
    first = f.text("data_format", "channels_last", ("channels_last", "channels_first")) == "channels_first"
    if n.rank(x) != 3:
        raise n.unknown(f"its input {x.tensor} is no batch of signals")
    mode, length = f.text("mode", "log", _MODES), f.integer("frame_length", 256, 1)
    step = f.integer("frame_step", max(length // 2, 1), 1)
    points = f.integer("fft_length", 2 ** math.ceil(math.log2(length)), length)
    f.unused("window", "periodic", "scaling")
    bins = points // 2 + 1
    kernels = n.own(*[(length, 1, bins)] * (1 if mode in ("real", "imag") else 2))
    signals = x if first else n.transpose(x, [0, 2, 1])
    batch, channels, steps = n.dims(signals)
    each = joined(n, signals, [-1, steps, 1])
    pads = pads_of(n, f.text("padding", "valid", ("valid", "same")), each, "N0C", (length,), (step,), (1,))
    made = [convolved(n, each, k, None, "N0C", (step,), pads, (1,)) for k in kernels]
    frames = n.dim(made[0], 1)
    y = _of_mode(n, mode, made)
    width = n.size(y, 2)
    y = joined(n, y, [batch, channels, frames, width])
    if f.flag("expand_dims"):
        return y if first else n.transpose(y, [0, 2, 3, 1])
    if first:
        return joined(n, n.transpose(y, [0, 1, 3, 2]), [batch, n.size(signals, 1) * width, frames])
    return joined(n, n.transpose(y, [0, 2, 1, 3]), [batch, frames, n.size(signals, 1) * width])


def _of_mode(n: Call, mode: str, parts: list[Value]) -> Value:
    """What is made of the real and the imaginary part, [signals, frames, bins]."""
    if len(parts) == 1:
        return parts[0]
    real, imag = parts
    if mode == "angle":
        return n.y(core.Atan2(imag, real))
    if mode == "stft":
        return n.concat([real, imag], 2)
    power = n.add(n.mul(real, real), n.mul(imag, imag))
    if mode == "psd":
        return n.add(power, n.pad(n.slice_axis(power, 2, 1, -1), [(0, 0), (0, 0), (1, 1)]))
    magnitude = n.sqrt(n.maximum(power, _EPSILON))
    return magnitude if mode == "magnitude" else n.y(core.Log(n.maximum(magnitude, _EPSILON)))


@RULES.rule("MelSpectrogram", keeps_mask=False)
def mel_spectrogram(n: Call) -> Value:
    """Signals [..., steps] as [..., mels, frames]."""
    x, f = n.wide, n.fields
    points, step = f.integer("fft_length", 2048, 2), f.integer("sequence_stride", 512, 1)
    length = f.integer("sequence_length", points, 1)
    if length > points:
        raise f.wrong("sequence_length")
    rate, mels = f.integer("sampling_rate", 16000, 1), f.integer("num_mel_bins", 128, 1)
    window = _window(n, length)
    before = (points - length) // 2
    frames = _frames(n, x, points, step)
    if window is not None:
        frames = n.mul(frames, n.constant(np.pad(window, (before, points - length - before)), DType.F32))
    waves = n.y(core.Rfft(frames, axes=(n.rank(frames) - 1,)))
    real, imag = n.y(core.Real(waves)), n.y(core.Imag(waves))
    y, exponent = n.add(n.mul(real, real), n.mul(imag, imag)), f.number("mag_exp", 2.0)
    if exponent != 2.0:
        y = n.y(core.Pow(n.sqrt(y), n.asarray(exponent, y)))
    top = f.number("max_freq", float(rate // 2)) or float(rate // 2)
    matrix = _mel_matrix(points // 2 + 1, mels, rate, f.number("min_freq", 20.0), top)
    if not np.isfinite(matrix).all():
        raise n.unknown("its filters are no numbers")
    y = n.matmul(y, n.constant(matrix, DType.F32))
    if f.flag("power_to_db", True):
        y = _decibels(n, y)
    f.unused("top_db", "min_power", "ref_power")
    rank = n.rank(y)
    return n.cast(n.transpose(y, [*range(rank - 2), rank - 1, rank - 2]), n.dtype)


def _decibels(n: Call, y: Value) -> Value:
    """In decibels, none further below the largest of all than `top_db`."""
    least, reference = n.fields.number("min_power", 1e-10), abs(n.fields.number("ref_power", 1.0))
    y = n.mul(n.y(core.Log(n.maximum(y, least))), 10.0 / math.log(10.0))
    y = n.sub(y, 10.0 * math.log10(max(reference, least)))
    return n.maximum(y, n.sub(n.max(y, range(n.rank(y))), n.fields.number("top_db", 80.0)))


def _window(n: Call, length: int) -> Array | None:
    """Source: `_raised_cosine_window` of tensorflow/python/ops/signal/window_ops.py."""
    given = n.fields.get("window", "hann") if n.fields.given.get("window", "hann") is not None else None
    if given is None:
        return None
    if given not in ("hann", "hamming"):
        listed = given if isinstance(given, list) and len(given) == length else [None]
        if not all(isinstance(v, (int, float)) for v in listed):
            raise n.fields.wrong("window")
        return np.asarray(listed, np.float32)
    if length == 1:
        return np.ones(1, np.float32)
    a = 0.5 if given == "hann" else 0.54
    turn = 2 * math.pi * np.arange(length) / (length - length % 2)
    return np.asarray(a - (1 - a) * np.cos(turn), np.float32)


def _frames(n: Call, x: Value, points: int, step: int) -> Value:
    """Windows [..., frames, points] of a signal that is mirrored at both ends: blocks as long as places are apart."""
    rank, half = n.rank(x), points // 2
    size = n.size(x, rank - 1)
    if half >= size:
        raise n.unknown(f"a signal of {size} steps, which is mirrored for {half}")
    amounts = np.zeros((rank, 2), np.int64)
    amounts[-1] = half
    x = n.y(core.Pad(x, n.constant(amounts), n.asarray(0, x), mode="reflect"))
    size += 2 * half
    count, block = (size - points) // step + 1, math.gcd(points, step)
    if count * (points // block) > _MOST_FRAMES:
        raise n.unknown(f"{count} frames of {points}")
    lead = n.dims(x)[:-1]
    cut = n.slice_axis(x, rank - 1, 0, size // block * block) if size % block else x
    blocks = joined(n, cut, [*lead, size // block, block])
    places = np.arange(count)[:, None] * (step // block) + np.arange(points // block)
    taken = n.y(core.Gather(blocks, n.constant(places.astype(np.int64)), axis=rank - 1))
    return joined(n, taken, [*lead, count, points])


def _mel_matrix(bins: int, mels: int, rate: int, low: float, high: float) -> Array:
    """Triangles [bins, mels] on the mel scale, in float32 as `linear_to_mel_weight_matrix` has them."""

    def mel(hertz: Array | float) -> Array:
        return np.asarray(_MEL_Q * np.log(np.float32(1) + np.asarray(hertz, np.float32) / _MEL_BREAK))

    places = mel(np.linspace(0, np.float32(rate) / 2, bins, dtype=np.float32)[1:])[:, None]
    edges = np.linspace(mel(low), mel(high), mels + 2, dtype=np.float32)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = (places - left) / (centre - left), (right - places) / (right - centre)
    return np.pad(np.maximum(0, np.minimum(*slopes)), ((1, 0), (0, 0)))
