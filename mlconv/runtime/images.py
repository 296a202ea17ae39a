"""Images as a model takes them, read by Pillow, an optional package."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.runtime.ports import Port

if TYPE_CHECKING:
    from PIL.Image import Image

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg")
_MODES = {1: "L", 4: "RGBA"}
_BYTE = 8  # bits: of colours of 16 bits Pillow keeps the upper ones, too


@dataclass(frozen=True, slots=True)
class ImageForm:
    """How images become inputs: (pixel - mean) / std, pixels of 0 to 255, for each channel or for all.  size: height
    and width, those of the input by default.  layout: nhwc or nchw, by default what fits the input's shape.  is_told:
    a mean or a std was given.
    """

    size: tuple[int, int] | None = None
    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)
    layout: str = ""
    is_told: bool = False

    @staticmethod
    def parse(text: str) -> ImageForm:
        """`size=224x224 mean=123.7,116.3,103.5 std=58.4,57.1,57.4 layout=nchw`.  Raises ConversionError UsageError."""
        values: dict[str, object] = {}
        for part in text.split():
            key, _, value = part.partition("=")
            try:
                values[key] = _PARSERS[key](value)
            except (KeyError, ValueError) as error:
                raise ConversionError(
                    Code.UsageError,
                    f"{part!r} does not say how images are read: expected size=HxW, mean=A,B,C, std=A,B,C, layout=nhwc",
                ) from error
        return ImageForm(**values, is_told=not values.keys().isdisjoint(("mean", "std")))  # type: ignore[arg-type]


def _size(text: str) -> tuple[int, int]:
    height, width = (int(n) for n in text.split("x"))
    if min(height, width) < 1 or max(height, width) > 1 << 16:
        raise ValueError(text)
    return height, width


def _numbers(text: str) -> tuple[float, ...]:
    found = tuple(float(n) for n in text.split(","))
    if len(found) not in (1, 3, 4) or not np.isfinite(found).all():
        raise ValueError(text)
    return found


def _scales(text: str) -> tuple[float, ...]:
    found = _numbers(text)
    if 0 in found:
        raise ValueError(text)
    return found


def _layout(text: str) -> str:
    if text not in ("nhwc", "nchw"):
        raise ValueError(text)
    return text


_PARSERS = {"size": _size, "mean": _numbers, "std": _scales, "layout": _layout}


def read_image(path: str, port: Port, form: ImageForm) -> Array:
    """An image for an input: its size, channels and layout.  Raises ConversionError InputNotReadable, ShapeMismatch,
    TypeMismatch, UsageError, PackageMissing.
    """
    layout, channels, height, width = _sizes(port, form)
    if form.size is not None and any(d and d != n for d, n in zip((height, width), form.size, strict=True)):
        given, taken = ("x".join(map(str, sizes)) for sizes in (form.size, (height or "?", width or "?")))
        why = f"images of size={given} do not fit input {port.name!r}, {port.type_text} read as {layout}"
        raise ConversionError(Code.ShapeMismatch, why, help=f"give size={taken}, or no size, or another layout")
    image = _open(path, _MODES.get(channels, "RGB"))
    size = form.size or ((height, width) if height and width else None)
    if size is not None and image.size != size[::-1]:
        image = image.resize(size[::-1])
    pixels = np.asarray(image, np.float32)
    pixels = pixels[..., None] if pixels.ndim == 2 else pixels
    channels = pixels.shape[-1]
    mean, std = _each(form.mean, "mean", channels, port), _each(form.std, "std", channels, port)
    made = (pixels - mean) / std
    made = made.transpose(2, 0, 1) if layout == "nchw" else made
    return np.ascontiguousarray(_as(made, port, path))


def files_in(folder: str, suffixes: tuple[str, ...]) -> list[str]:
    """Paths of files in a folder whose names end so, sorted; none that is hidden (a Mac's archive has `._0.png` beside
    `0.png`).
    """
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    return [os.path.join(folder, name) for name in names if name.lower().endswith(suffixes)]


def holds_images(path: str) -> bool:
    return os.path.isdir(path) and bool(files_in(path, IMAGE_SUFFIXES))


def assumed(path: str, port: Port, form: ImageForm) -> str:
    """What is taken for granted of images in a folder, where nobody says how pixels become floats; else empty.  Raises
    ConversionError ShapeMismatch.
    """
    if form.is_told or not port.dtype.is_float or not holds_images(path):
        return ""
    layout, channels, height, width = _sizes(port, form)
    size = form.size or ((height, width) if height and width else None)
    sized = f", {size[0]}x{size[1]}" if size is not None else ""
    mode = _MODES.get(channels, "RGB")
    return f"images in {path} are given to input {port.name!r} as pixels of 0 to 255, {mode}{sized}, {layout}"


def _sizes(port: Port, form: ImageForm) -> tuple[str, int, int, int]:
    """Layout, channels, height and width of an input, 0 where they are open.  Raises ConversionError ShapeMismatch."""
    numbers = [d if isinstance(d, int) else 0 for d in (port.shape or ())[-3:]]
    if len(numbers) != 3:
        raise ConversionError(Code.ShapeMismatch, f"input {port.name!r} is {port.type_text}, which takes no image")
    layout = form.layout or ("nchw" if numbers[0] in (1, 3, 4) and numbers[2] not in (1, 3, 4) else "nhwc")
    if layout == "nchw":
        return layout, numbers[0], numbers[1], numbers[2]
    return layout, numbers[2], numbers[0], numbers[1]


def _each(numbers: tuple[float, ...], name: str, channels: int, port: Port) -> Array:
    """Numbers of channels.  Raises ConversionError UsageError where there are more, or fewer."""
    if len(numbers) not in (1, channels):
        raise ConversionError(
            Code.UsageError,
            f"{name} has {len(numbers)} numbers, images for input {port.name!r} have {channels} channels",
            help=f"give one number, or {channels}",
        )
    return np.asarray(numbers, np.float32)


def _as(made: Array, port: Port, path: str) -> Array:
    """Numbers in an input's type.  Raises ConversionError TypeMismatch for those that it does not hold."""
    dtype = port.dtype
    if dtype.numpy.kind not in "iu":
        return made.astype(dtype.numpy)
    rounded, bounds = np.rint(made), np.iinfo(dtype.numpy)
    low, high = float(rounded.min()), float(rounded.max())
    if low < bounds.min or high > bounds.max:
        raise ConversionError(
            Code.TypeMismatch,
            f"{path}: (pixel - mean) / std is {low:g} to {high:g}, input {port.name!r} takes {dtype.display}",
            help="give the mean and std that make integers of that type, or none where the model takes pixels",
        )
    return rounded.astype(dtype.numpy)


def _open(path: str, mode: str) -> Image:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise ConversionError(
            Code.PackageMissing,
            "images are read by Pillow, which is not installed",
            help="pip install 'mlconv[images]'",
        ) from error
    try:
        with Image.open(path) as image:
            if image.mode.startswith("I"):  # gray of 16 bits, which `convert` cuts off at 255
                return Image.fromarray((np.asarray(image) >> _BYTE).astype(np.uint8)).convert(mode)
            return image.convert(mode)
    except (OSError, UnidentifiedImageError, ValueError, Image.DecompressionBombError) as error:
        raise ConversionError(Code.InputNotReadable, f"{path} is not a readable image: {error}") from error
