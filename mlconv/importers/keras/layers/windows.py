"""What convolutions and pooling have in common: layouts, paddings."""

from __future__ import annotations

from mlconv.dialects.core.window import resolve_pads
from mlconv.importers.keras.call import Call
from mlconv.ir.core import Value

Pads = tuple[tuple[int, int], ...]
Ints = tuple[int, ...]


def layout_of(n: Call, count: int) -> str:
    """The layout of an image with so many spatial axes."""
    axes = "".join(map(str, range(count)))
    first = n.fields.text("data_format", "channels_last", ("channels_last", "channels_first")) == "channels_first"
    return f"NC{axes}" if first else f"N{axes}C"


def sizes_of(n: Call, x: Value, layout: str) -> list[object]:
    """The spatial sizes of an image, which must be of the rank of its layout."""
    shape = n.shape(x)
    if len(shape) != len(layout):
        raise n.unknown(f"its input {x.tensor} is no image of {len(layout) - 2} axes")
    return [shape[layout.index(str(i))] for i in range(len(layout) - 2)]


def pads_of(n: Call, padding: str, x: Value, layout: str, window: Ints, strides: Ints, dilations: Ints) -> Pads | str:
    """Source: TensorFlow, `GetWindowedOutputSizeVerbose`; causal: keras/src/layers/convolutional/conv1d.py."""
    spans = [(k - 1) * d for k, d in zip(window, dilations, strict=True)]
    if padding == "valid":
        return ((0, 0),) * len(window)
    if padding == "causal":
        return ((spans[0], 0),)
    sizes = sizes_of(n, x, layout)
    known = tuple(s if isinstance(s, int) else 1 << 20 for s in sizes)
    if any(not isinstance(s, int) and step != 1 for s, step in zip(sizes, strides, strict=True)):
        return "SAME_UPPER"
    return resolve_pads("SAME_UPPER", known, window, strides, dilations)


def as_plane(n: Call, x: Value, layout: str) -> tuple[Value, str]:
    """A sequence as an image of one row, and its layout: as TensorFlow has it, so that what lies between two layers
    goes.
    """
    at = layout.index("0")
    return n.expand_dims(x, at), f"{layout[:at]}01{layout[at + 1 :]}"


def of_plane(n: Call, y: Value, layout: str) -> Value:
    """The sequence of an image of one row; layout: of the sequence."""
    return n.squeeze(y, layout.index("0"))
