"""What convolution and pooling share: strides, dilations and pads of a node."""

from __future__ import annotations

from dataclasses import dataclass

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.window import Pads, resolve_pads
from mlconv.ir.dims import Size
from mlconv.legalize.from_onnx.node import Node

AUTO_PAD = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")


@dataclass(frozen=True, slots=True)
class Window:
    """One entry per spatial axis."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: Pads


def digits(count: int) -> str:
    """The spatial axes of a layout: `01` for two."""
    return "".join(map(str, range(count)))


def per_axis(n: Node, name: str, count: int, default: int) -> tuple[int, ...]:
    """An attribute with one positive entry per spatial axis.  Raises ConversionError AttributeInvalid."""
    values = n.ints(name, (default,) * count)
    if len(values) != count or any(v < 1 for v in values):
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: {name} is {list(values)}, expected {count} positive numbers"
        )
    return values


def explicit_pads(n: Node, count: int) -> tuple[tuple[int, int], ...]:
    """The attribute `pads` (all begins, then all ends) as pairs.  Raises ConversionError AttributeInvalid."""
    pads = n.ints("pads", (0,) * (2 * count))
    if len(pads) != 2 * count:
        raise ConversionError(Code.AttributeInvalid, f"{n.op_type}: {len(pads)} pads for {count} spatial axes")
    return tuple((pads[i], pads[i + count]) for i in range(count))


def auto_pad(n: Node) -> str:
    kind = n.s("auto_pad", "NOTSET")
    if kind not in AUTO_PAD:
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: auto_pad is {kind!r}, expected one of {', '.join(AUTO_PAD)}"
        )
    return kind


def window_of(n: Node, sizes: tuple[Size, ...], kernel: tuple[int, ...]) -> Window:
    """The window of a node over spatial `sizes`; SAME pads become numbers where the sizes are known."""
    count = len(kernel)
    strides, dilations = per_axis(n, "strides", count, 1), per_axis(n, "dilations", count, 1)
    kind = auto_pad(n)
    pads: Pads = explicit_pads(n, count) if kind == "NOTSET" else ((0, 0),) * count if kind == "VALID" else kind
    fixed = tuple(s for s in sizes if isinstance(s, int))
    if isinstance(pads, str) and len(fixed) == count:
        pads = resolve_pads(pads, fixed, kernel, strides, dilations)
    return Window(kernel, strides, dilations, pads)
