"""Fourier transforms and audio features.  Source: tensorflow/core/ops/spectral_ops.cc, audio_ops.cc;
tensorflow/core/kernels/{spectrogram,mfcc*}.cc.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import rank_of, shape_of, tf_rules
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


def _fit(n: SourceNode, x: Value, axis: int, wanted: int) -> Value:
    """Cut or zero-pad one axis to a size."""
    size = shape_of(x)[axis]
    if size == wanted:
        return x
    if not isinstance(size, int):
        amounts = [[0, wanted if a == axis else 0] for a in range(rank_of(x))]
        zero = n.asarray(0, x)
        return n.slice_axis(n.emit(core.Pad(x, n.constant(amounts, DType.I64), zero)).y, axis, 0, wanted)
    if size > wanted:
        return n.slice_axis(x, axis, 0, wanted)
    amounts = [[0, wanted - size if a == axis else 0] for a in range(rank_of(x))]
    return n.emit(core.Pad(x, n.constant(amounts, DType.I64), n.asarray(0, x))).y


def _axes(n: SourceNode, x: Value, count: int) -> tuple[int, ...]:
    rank = rank_of(x, "the transformed tensor")
    if rank < count:
        raise ConversionError(Code.ShapeMismatch, f"{n.kind} of {x.tensor}: rank {count} or more is needed")
    return tuple(range(rank - count, rank))


@RULES.rule("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D")
def fft(n: SourceNode) -> Value:
    x = n.operand(0)
    count = int(n.kind[-2]) if n.kind.endswith("D") else 1
    return n.emit(core.Fft(x, axes=_axes(n, x, count), inverse=n.kind.startswith("I"))).y


@RULES.rule("RFFT", "RFFT2D", "RFFT3D")
def rfft(n: SourceNode) -> Value:
    """Operand 1: the sizes to which the transformed axes are cut or padded."""
    x = n.operand(0)
    lengths = n.ints(1)
    axes = _axes(n, x, len(lengths))
    for axis, length in zip(axes, lengths, strict=True):
        x = _fit(n, x, axis, length)
    return n.emit(core.Rfft(x, axes=axes)).y


@RULES.rule("IRFFT", "IRFFT2D", "IRFFT3D")
def irfft(n: SourceNode) -> Value:
    """Operand 1: the sizes of the result; the last axis of the input holds half of it and one more."""
    x = n.operand(0)
    lengths = n.ints(1)
    axes = _axes(n, x, len(lengths))
    for axis, length in zip(axes, (*lengths[:-1], lengths[-1] // 2 + 1), strict=True):
        x = _fit(n, x, axis, length)
    return n.emit(core.Irfft(x, axes=axes, length=lengths[-1])).y


@RULES.rule("AudioSpectrogram")
def audio_spectrogram(n: SourceNode) -> Value:
    """Operand: samples [count, channels].  Result [channels, windows, bins]: magnitude of a Hann-windowed transform,
    squared if asked for.
    """
    x = n.operand(0)
    window, stride = n.attr("window_size"), n.attr("stride")
    samples, _ = shape_of(x, "the samples")
    if not isinstance(samples, int):
        raise ConversionError(
            Code.ShapeNotStatic, f"the number of audio samples must be known, the input is {x.tensor}"
        )
    count = max(0, (samples - window) // stride + 1) if samples >= window else 0
    if count == 0:
        raise ConversionError(Code.ShapeMismatch, f"{samples} audio samples are less than a window of {window}")
    check_table((count, window), "table of audio windows")
    places = np.arange(count)[:, None] * stride + np.arange(window)
    frames = n.emit(core.Gather(n.emit(core.Transpose(x, perm=(1, 0))).y, n.constant(places, DType.I32), axis=1)).y
    # spectrogram.cc: periodic Hann window
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    padded = _fit(n, n.mul(frames, n.constant(hann, DType.F32)), 2, 1 << max(0, window - 1).bit_length())
    spectrum = n.emit(core.Rfft(padded, axes=(2,))).y
    if not n.attr("magnitude_squared"):
        return n.emit(core.Abs(spectrum)).y
    real, imag = n.emit(core.Real(spectrum)).y, n.emit(core.Imag(spectrum)).y
    return n.emit(core.Add(n.mul(real, real), n.mul(imag, imag))).y


@RULES.rule("Mfcc")
def mfcc(n: SourceNode) -> Value:
    """Operands: squared spectrogram [channels, windows, bins], sample rate.  Mel filters, logarithm, cosine transform:
    two constant matrices.
    """
    x = n.operand(0)
    bins = shape_of(x, "the spectrogram")[-1]
    if not isinstance(bins, int):
        raise ConversionError(
            Code.ShapeNotStatic, f"the number of frequency bins must be known, the input is {x.tensor}"
        )
    rate = n.ints(1)[0]
    check_table((bins, max(0, n.attr("filterbank_channel_count"))), "table of mel filters")
    filters = mel_filters(
        bins, rate, n.attr("filterbank_channel_count"), n.attr("lower_frequency_limit"), n.attr("upper_frequency_limit")
    )
    magnitude = n.emit(core.Sqrt(x)).y
    energy = n.emit(core.MatMul(magnitude, n.constant(filters, DType.F32))).y
    # mfcc.cc: kFilterbankFloor = 1e-12
    logs = n.emit(core.Log(n.emit(core.Clamp(energy, lo=1e-12, hi=float("inf"))).y)).y
    return n.emit(
        core.MatMul(logs, n.constant(cosine_matrix(filters.shape[1], n.attr("dct_coefficient_count")), DType.F32))
    ).y


def mel_filters(bins: int, rate: int, channels: int, lower: float, upper: float) -> Array:
    """Weights [bins, channels] of overlapping triangles, equally spaced on the mel scale 1127 ln(1 + f / 700).  Source:
    mfcc_mel_filterbank.cc.
    """

    def mel(frequency: float) -> float:
        return float(1127.0 * np.log1p(frequency / 700.0))

    low, high = mel(lower), mel(upper)
    centres = low + (high - low) / (channels + 1) * np.arange(1, channels + 2)
    hertz_per_bin = 0.5 * rate / (bins - 1)
    first, last = int(1.5 + lower / hertz_per_bin), int(upper / hertz_per_bin)
    weights = np.zeros((bins, channels))
    channel = 0
    for i in range(bins):
        if not first <= i <= last:
            continue
        at = mel(i * hertz_per_bin)
        while channel < channels and centres[channel] < at:
            channel += 1
        below = channel - 1
        if below >= 0:
            share = (centres[channel] - at) / (centres[channel] - centres[below]) if channel <= channels else 0.0
        else:
            share = (centres[0] - at) / (centres[0] - low)
        if below >= 0:
            weights[i, below] += share
        if below + 1 < channels:
            weights[i, below + 1] += 1 - share
    return weights


def cosine_matrix(inputs: int, outputs: int) -> Array:
    """[inputs, outputs] of the cosine transform sqrt(2 / n) cos(i pi / n (j + 1/2)).  Source: mfcc_dct.cc."""
    check_table((inputs, outputs), "table of the cosine transform")
    i, j = np.arange(outputs), np.arange(inputs)[:, None]
    return np.asarray(np.sqrt(2.0 / inputs) * np.cos(i * np.pi / inputs * (j + 0.5)))
