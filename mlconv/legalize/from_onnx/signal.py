"""Signal processing: Fourier transforms, windows, mel weights.  Complex tensors of ONNX hold real and imaginary part in
a last axis of size 2.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import known_ints
from mlconv.legalize.from_onnx.fourier_matrix import by_matrix
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import known_list
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.limits import check_table
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import Part

RULES = OnnxRules()


def _resized(n: Node, x: Value, axis: int, length: int) -> Value:
    """x cut or padded with zeros to `length` along an axis."""
    size = n.dim(x, axis)
    if not isinstance(size, int):
        x = n.slice_axis(x, axis, 0, length)
        missing: Part = n.sub(length, n.vector([n.dim(x, axis)]))
    elif size > length:
        return n.slice_axis(x, axis, 0, length)
    else:
        missing = length - size
    return n.pad(x, [(0, missing) if i == axis else (0, 0) for i in range(n.rank(x))])


def _to_complex(n: Node, x: Value) -> Value:
    """[..., 1 or 2] to complex [...]."""
    rank = n.rank(x)
    real = n.squeeze(n.slice_axis(x, rank - 1, 0, 1), rank - 1)
    if n.dim(x, rank - 1) == 1:
        return n.y(core.Complex(real, n.asarray(0, real)))
    return n.y(core.Complex(real, n.squeeze(n.slice_axis(x, rank - 1, 1, 2), rank - 1)))


def _from_complex(n: Node, x: Value) -> Value:
    """Complex [...] to [..., 2]."""
    rank = n.rank(x)
    return n.concat([n.expand_dims(n.y(core.Real(x)), rank), n.expand_dims(n.y(core.Imag(x)), rank)], rank)


def dft_of(n: Node, x: Value, axis: int, length: int | None, *, inverse: bool, onesided: bool) -> Value:
    """The transform of x [..., 1 or 2] along an axis, cut or padded to `length` points."""
    dtype = x.tensor.dtype
    wide = x if dtype in (DType.F32, DType.F64) else n.cast(x, DType.F32)
    if inverse and onesided:
        size = n.dim(x, axis)
        if length is None and isinstance(size, int):
            length = 2 * (size - 1)
        if length is None:
            return n.cast(_inverse_of_half(n, wide, axis), dtype)
        points = length
        signal = (
            _resized(n, _to_complex(n, wide), axis, points // 2 + 1)
            if size != points // 2 + 1
            else _to_complex(n, wide)
        )
        y = n.y(core.Irfft(signal, axes=(axis,), length=points))
        return n.cast(n.expand_dims(y, n.rank(y)), dtype)
    if length is not None and n.dim(x, axis) != length:
        wide = _resized(n, wide, axis, length)
    rank = n.rank(wide)
    if onesided and n.dim(wide, rank - 1) == 1:
        return n.cast(_from_complex(n, n.y(core.Rfft(n.squeeze(wide, rank - 1), axes=(axis,)))), dtype)
    y = _from_complex(n, n.y(core.Fft(_to_complex(n, wide), axes=(axis,), inverse=inverse)))
    if onesided:
        size = n.dim(y, axis)
        end = size // 2 + 1 if isinstance(size, int) else n.add(n.div(size, 2), 1)
        y = n.slice_axis(y, axis, 0, end)
    return n.cast(y, dtype)


def _inverse_of_half(n: Node, half: Value, axis: int) -> Value:
    """Real points [..., 1] of the first half of a spectrum [..., 1 or 2] whose size is known at run time: the other
    half mirrors it, and what the ends have of an imaginary part is left out with that of the result.
    """
    rank = n.rank(half)
    mirror = n.slice_axis(n.slice_axis(half, axis, 1, -1), axis, None, None, -1)
    if n.dim(half, rank - 1) == 2:
        mirror = n.mul(mirror, n.constant(np.asarray([1, -1]), half.tensor.dtype))
    whole = _to_complex(n, n.concat([half, mirror], axis))
    return n.slice_axis(_from_complex(n, n.y(core.Fft(whole, axes=(axis,), inverse=True))), rank - 1, 0, 1)


@RULES.rule("DFT")
def dft(n: Node) -> Value:
    x = n.x(0)
    rank = n.rank(x)
    axis = n.axis(n.int_of("axis", 2, default=1 if n.version < 20 else -2), rank)
    inverse, onesided = n.flag("inverse"), n.flag("onesided")
    given = n.opt(1)
    is_whole = not (inverse and onesided) and known_ints(given) == (x.tensor.shape or ())[axis : axis + 1]
    if given is not None and not is_whole and constant_array(given) is None:
        return by_matrix(n, x, axis, given, inverse=inverse, onesided=onesided)
    length = None if given is None or is_whole else known_list(given, "the length of DFT")[0]
    return dft_of(n, x, axis, length, inverse=inverse, onesided=onesided)


@RULES.rule("STFT")
def stft(n: Node) -> Value:
    """Frames of the signal [b, n, 1 or 2], `frame_step` apart, times the window, transformed.  A signal [b, n] is of
    real numbers: torch.onnx writes it so, and ONNX Runtime takes it.
    """
    x, window = n.x(0), n.opt(2)
    if x.tensor.rank == 2:
        x = n.expand_dims(x, 2)
    told = constant_array(n.x(1))
    step: Part = n.maximum(n.reshape(n.cast(n.x(1), DType.I64), [1]), 1) if told is None else int(told.reshape(-1)[0])
    size = n.dim(x, 1)
    frame: Part
    if n.opt(3) is not None:
        frame = known_list(n.opt(3), "the frame length of STFT")[0]
    elif window is not None:
        frame = n.dim(window, 0)
    else:
        frame = size
    if not isinstance(frame, int):
        raise ConversionError(
            Code.ShapeNotStatic,
            f"STFT: frames of {frame} of {x.type}; their length must be known at conversion time",
        )
    if (isinstance(step, int) and step < 1) or frame < 1 or (isinstance(size, int) and frame > size):
        raise ConversionError(Code.ShapeMismatch, f"STFT: frames of {frame} every {step} of the signal {x.type}")
    frames = n.gather(x, _places(n, size, frame, step), 1)  # [b, count, frame, c]
    if window is not None:
        frames = n.mul(frames, n.expand_dims(n.cast(window, x.tensor.dtype), 1))
    return dft_of(n, frames, 2, None, inverse=False, onesided=n.flag("onesided", True))


def _places(n: Node, size: Part, frame: int, step: Part) -> Value:
    """Where the elements of frames lie in the signal: int64 [count, frame]."""
    if isinstance(size, int) and isinstance(step, int):
        count = 1 + (size - frame) // step
        check_table([count, frame], "the table of places of STFT")
        return n.constant((np.arange(count)[:, None] * step + np.arange(frame)[None, :]).astype(np.int64))
    room = n.sub(n.vector([size]), frame)
    count_ = n.add(n.y(core.FloorDiv(room, n.vector([step]))), 1)
    if not isinstance(step, int):
        count_ = n.maximum(count_, 0)  # a number of which targets know that it is a size
    begins = n.mul(n.arange(count_), step)
    return n.add(n.expand_dims(begins, 1), n.constant(np.arange(frame)[None, :].astype(np.int64)))


# Coefficients of the cosine sums (HannWindow-17, HammingWindow-17, BlackmanWindow-17).
_WINDOWS = {
    "HannWindow": (0.5, 0.5, 0.0),
    "HammingWindow": (25 / 46, 1 - 25 / 46, 0.0),
    "BlackmanWindow": (0.42, 0.5, 0.08),
}


@RULES.rule("HannWindow", "HammingWindow", "BlackmanWindow")
def window(n: Node) -> Value:
    """a0 - a1 cos(2 pi i / m) + a2 cos(4 pi i / m), where m is the size, or one less when not periodic."""
    dtype = n.dtype("output_datatype", DType.F32)
    a0, a1, a2 = _WINDOWS[n.op_type]
    known = constant_array(n.x(0))
    periodic = n.flag("periodic", True)
    if known is not None:
        size = int(known.reshape(-1)[0])
        check_table([size], f"the window of {n.op_type}")
        angle = np.arange(size) * (2 * np.pi) / (size if periodic else max(size - 1, 1))
        return n.constant(a0 - a1 * np.cos(angle) + a2 * np.cos(2 * angle), dtype)
    count = n.cast(n.reshape(n.x(0), [1]), DType.I64)
    places = n.cast(n.arange(count), DType.F32)
    span = n.cast(count if periodic else n.sub(count, 1), DType.F32)
    angle_ = n.div(n.mul(places, 2 * math.pi), span)
    y = n.sub(a0, n.mul(n.y(core.Cos(angle_)), a1))
    if a2:
        y = n.add(y, n.mul(n.y(core.Cos(n.mul(angle_, 2))), a2))
    return n.cast(y, dtype)


@RULES.rule("MelWeightMatrix")
def mel_weight_matrix(n: Node) -> Value:
    """Triangular filters, equally spaced in mel (MelWeightMatrix-17); all parameters are constants."""
    parameters = [constant_array(n.x(i)) for i in range(5)]
    given = [float(p.reshape(-1)[0]) for p in parameters if p is not None]
    if len(given) != 5:
        raise ConversionError(Code.ShapeNotStatic, "MelWeightMatrix: its parameters must be constants")
    mels, length, rate, low, high = int(given[0]), int(given[1]), int(given[2]), given[3], given[4]
    check_table((length // 2 + 1, mels), "the table of MelWeightMatrix")
    low_mel, high_mel = (2595 * math.log10(1 + f / 700) for f in (low, high))
    edges = low_mel + np.arange(mels + 2) * ((high_mel - low_mel) / (mels + 2))
    hertz = 700 * (np.power(10.0, edges / 2595) - 1)
    bins = np.floor((length + 1) * hertz / rate).astype(np.int64)
    table = np.zeros((length // 2 + 1, mels))
    for i in range(mels):
        left, centre, right = (int(b) for b in bins[i : i + 3])
        rise, fall = np.arange(left, centre + 1), np.arange(centre, right)
        if centre == left:
            table[centre, i] = 1
        else:
            table[rise, i] = (rise - left) / (centre - left)
        if right > centre:
            table[fall, i] = (right - fall) / (right - centre)
    return n.constant(table, n.dtype("output_datatype", DType.F32))
