"""Colors, resampling, projective maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tf.op_rows.row import EVERYWHERE, Row, numbers, raw

IMAGE = numbers(2, 6, 7, 3, low=0.0, high=1.0)
WIDE = numbers(1, 5, 8, 2)
TURN = np.asarray([[0.9, -0.3, 1.2, 0.25, 1.1, -0.7, 0.01, -0.02]], np.float32)
TURNS = np.concatenate([TURN, TURN[:, ::-1] * 0.3 + 0.1, TURN * 1.7])
FAR = np.asarray([[2.1, 0.3, -9.2, -0.25, 2.6, -8.7, 0.0, 0.0]], np.float32)
KERNELS = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")


def scaled(kernel: str, antialias: bool, size: Any, scale: Any, move: Any = (0.0, 0.0), **row: Any) -> Row:
    given = {
        "size": np.asarray(size, np.int32),
        "scale": np.asarray(scale, np.float32),
        "translation": np.asarray(move, np.float32),
    }
    label = f"{kernel} {antialias} {size} {scale}"
    return raw("ScaleAndTranslate", WIDE, given=given, label=label, kernel_type=kernel, antialias=antialias, row=row)


def projected(
    x: Any, maps: Any, size: Any, fill: Any = None, row: dict[str, Any] | None = None, **attributes: Any
) -> Row:
    kind = "ImageProjectiveTransformV2" if fill is None else "ImageProjectiveTransformV3"
    given = {"output_shape": np.asarray(size, np.int32)} | ({} if fill is None else {"fill_value": fill})
    label = f"{x.dtype} {' '.join(attributes.values())} {len(maps)} {fill}"
    return raw(kind, x, maps, given=given, label=label, row=row, **attributes)


ROWS = [
    raw("RGBToHSV", IMAGE, row={"targets": EVERYWHERE}),
    raw("HSVToRGB", IMAGE, row={"targets": EVERYWHERE}),
    raw("HSVToRGB", IMAGE.astype(np.float64), label="double"),
    *(raw("AdjustHue", IMAGE - 0.2, np.float32(d), label=str(d), row={"tolerance": 1e-4}) for d in (-0.7, 0.1, 0.95)),
    raw("AdjustHue", IMAGE.astype(np.float32), np.float32(0.3), row={"targets": EVERYWHERE, "tolerance": 1e-4}),
    *(raw("AdjustSaturation", IMAGE - 0.2, np.float32(s), label=str(s)) for s in (-0.5, 0.4, 2.5)),
    raw("AdjustSaturation", IMAGE, np.float32(0.7), row={"targets": EVERYWHERE}),
    raw("AdjustContrastv2", IMAGE, np.float32(1.7), row={"targets": EVERYWHERE}),
    *(scaled(k, True, [3, 11], [0.6, 1.375], targets=EVERYWHERE) for k in KERNELS[:4]),
    *(scaled(k, a, [4, 5], [0.7, 0.45], [0.3, -1.1], tolerance=1e-4) for k in KERNELS for a in (True, False)),
    scaled("triangle", True, [9, 9], [1.0, 1.0], [3.0, -4.0]),
    *(
        Row(
            f"resized with antialias, open, {method}",
            lambda tf, x, method=method: tf.image.resize(x, [6, 5], method, antialias=True),
            [WIDE],
            shapes=[[1, None, None, 2]],
            targets=EVERYWHERE,
        )
        for method in ("lanczos3", "bilinear")
    ),
    *(
        projected(IMAGE, maps, [5, 9], interpolation=i, row={"tolerance": 1e-4})
        for i in ("NEAREST", "BILINEAR")
        for maps in (TURN, TURNS[:2])
    ),
    *(
        projected(
            IMAGE,
            maps,
            [9, 8],
            np.float32(0.25),
            interpolation=i,
            fill_mode=m,
            row={"tolerance": 1e-4, "targets": EVERYWHERE if maps is TURN else ()},
        )
        for i in ("NEAREST", "BILINEAR")
        for m in ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
        for maps in (TURN, FAR)
    ),
    projected(
        (IMAGE * 200).astype(np.uint8), TURN, [6, 7], np.float32(7), interpolation="NEAREST", fill_mode="CONSTANT"
    ),
    projected((IMAGE * 200).astype(np.int32), TURN, [6, 7], np.float32(7), interpolation="NEAREST", fill_mode="WRAP"),
]
