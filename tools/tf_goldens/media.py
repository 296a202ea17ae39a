"""Images and signals."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from tf_goldens.case import RAW, case, f, i


def images() -> None:
    for corners, half in ((False, False), (True, False), (False, True)):
        for size in ((7, 9), (3, 2), (5, 6), (1, 1), (10, 12)):
            flags = {"size": size, "align_corners": corners, "half_pixel_centers": half}
            label = f"{'corners' if corners else 'half' if half else 'plain'} {size}"
            case(
                f"ResizeBilinear {label}",
                lambda x, k=flags: RAW.ResizeBilinear(images=x, **k),
                f(1, 5, 6, 2),
                dynamic=True,
            )
            case(f"ResizeNearest {label}", lambda x, k=flags: RAW.ResizeNearestNeighbor(images=x, **k), f(1, 5, 6, 2))
            case(f"ResizeBicubic {label}", lambda x, k=flags: RAW.ResizeBicubic(images=x, **k), f(1, 5, 6, 2))
    case("ResizeBilinear uint8", lambda x: RAW.ResizeBilinear(images=x, size=(7, 9)), i(2, 5, 6, 3, dtype=np.uint8))
    case(
        "ResizeBilinear run time",
        lambda x, s: RAW.ResizeBilinear(images=x, size=s),
        f(2, 5, 6, 3),
        np.array([8, 4], np.int32),
    )
    boxes = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], [0.9, 0.8, 0.1, 0.2], [-0.5, -0.2, 1.3, 1.1]], np.float32)
    for method in ("bilinear", "nearest"):
        for size in ((4, 5), (1, 3)):
            rest = {"box_ind": [0, 1, 0, 1], "crop_size": size, "method": method, "extrapolation_value": 5.0}
            case(
                f"CropAndResize {method} {size}",
                lambda x, b, k=rest: RAW.CropAndResize(image=x, boxes=b, **k),
                f(2, 6, 7, 3),
                boxes,
                dynamic=True,
            )
    corners_ = np.concatenate([f(20, 2, low=0, high=0.5), f(20, 2, low=0.5, high=1)], 1)
    limits = {"max_output_size": 9, "iou_threshold": 0.4}
    case(
        "NonMaxSuppression",
        lambda b, s: [
            RAW.NonMaxSuppression(boxes=b, scores=s, **limits),
            RAW.NonMaxSuppressionV2(boxes=b, scores=s, **limits),
            RAW.NonMaxSuppressionV3(boxes=b, scores=s, score_threshold=0.1, **limits),
            *RAW.NonMaxSuppressionV4(boxes=b, scores=s, score_threshold=0.5, pad_to_max_output_size=True, **limits),
            *RAW.NonMaxSuppressionV5(boxes=b, scores=s, score_threshold=0.1, soft_nms_sigma=0.0, **limits),
        ],
        corners_,
        f(20, low=0, high=1),
        dynamic=True,
    )
    patch = {"ksizes": [1, 3, 2, 1], "strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1]}
    case(
        "ExtractImagePatches",
        lambda x: [RAW.ExtractImagePatches(images=x, padding=p, **patch) for p in ("SAME", "VALID")],
        f(1, 7, 8, 3),
    )
    case("RGBToHSV", lambda x: RAW.RGBToHSV(images=x), f(2, 4, 3, low=0, high=1))
    case("AdjustContrast", lambda x: RAW.AdjustContrastv2(images=x, contrast_factor=1.5), f(2, 4, 4, 3))


def signals() -> None:
    case(
        "RFFT",
        lambda x: [RAW.RFFT(input=x, fft_length=[n]) for n in (8, 9, 7)] + [RAW.RFFT2D(input=x, fft_length=[2, 8])],
        f(2, 3, 9),
    )
    case("RFFT3D", lambda x: RAW.RFFT3D(input=x, fft_length=[2, 3, 6]), f(2, 3, 9))
    case(
        "IRFFT",
        lambda x, y: (
            [RAW.IRFFT(input=tf.complex(x, y), fft_length=[n]) for n in (8, 7, 5)]
            + [RAW.IRFFT2D(input=tf.complex(x, y), fft_length=[4, 8])]
        ),
        f(2, 4, 5),
        f(2, 4, 5),
    )
    case(
        "FFT",
        lambda x, y: [
            op(input=tf.complex(x, y))
            for op in (RAW.FFT, RAW.IFFT2D, RAW.FFT3D, RAW.Angle, RAW.Real, RAW.Imag, RAW.Conj)
        ],
        f(2, 4, 5),
        f(2, 4, 5),
    )
    case("ComplexAbs", lambda x, y: RAW.ComplexAbs(x=tf.complex(x, y)), f(2, 4), f(2, 4))
    case(
        "AudioSpectrogram",
        lambda x: [
            RAW.AudioSpectrogram(input=x, window_size=64, stride=32),
            RAW.AudioSpectrogram(input=x, window_size=50, stride=20, magnitude_squared=True),
        ],
        f(200, 2),
    )
    case("Mfcc", lambda x: RAW.Mfcc(spectrogram=x, sample_rate=16000, dct_coefficient_count=10), f(1, 2, 257, low=0))
    case(
        "Mfcc limits",
        lambda x: RAW.Mfcc(
            spectrogram=x,
            sample_rate=8000,
            upper_frequency_limit=3800,
            lower_frequency_limit=100,
            filterbank_channel_count=20,
        ),
        f(1, 2, 129, low=0),
    )
    case(
        "FakeQuant",
        lambda x: [
            RAW.FakeQuantWithMinMaxArgs(inputs=x, min=-2.5, max=3.1),
            RAW.FakeQuantWithMinMaxVars(inputs=x, min=-2.5, max=3.1, num_bits=4, narrow_range=True),
            RAW.FakeQuantWithMinMaxVarsPerChannel(inputs=x, min=[-1.0, -2.0, 0.0], max=[1.0, 2.0, 3.0]),
        ],
        f(4, 3),
    )
