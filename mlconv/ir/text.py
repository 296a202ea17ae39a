"""Text of types, attributes and locations, in MLIR's generic syntax.

Python values map to MLIR attributes: int to `5`, float to `1.5 : f64`, str, bool, tuples to arrays, dicts to dictionaries, element and tensor types to type
attributes; what MLIR has no form for is an opaque attribute `#mlconv.kind<"...">`.  Symbolic shapes are `?` with an encoding that holds the expressions.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.ir import dense
from mlconv.ir.constants import Const, Inline, Mapped, Splat
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.locations import FileLocation, Fused, Location, NameLocation
from mlconv.ir.recipes import Derived
from mlconv.ir.types import OpaqueType, QuantParams, TensorType, Type

ELIDE_BYTES = 1 << 10
DENSE_BYTES = 1 << 10
"""Larger constants are printed as bytes."""


def quote(text: str) -> str:
    """An MLIR string literal."""
    out = []
    for byte in text.encode("utf-8", "surrogateescape"):
        c = chr(byte)
        if c in '"\\':
            out.append("\\" + c)
        else:
            out.append(c if 32 <= byte < 127 else f"\\{byte:02X}")
    return '"' + "".join(out) + '"'


def float_text(value: float) -> str:
    """A float literal that reads back to the same bits."""
    if math.isfinite(value):
        return dense.float_text(value)
    return "0x" + struct.pack(">d", value).hex().upper()


def type_text(t: Type) -> str:
    if isinstance(t, OpaqueType):
        return f"!mlconv.opaque<{quote(t.name)}>"
    element = t.dtype.value
    notes: list[str] = []
    if t.quant is not None:
        notes.append("quant = " + attribute_text(_quant_list(t.quant)))
    if t.shape is None:
        return f"tensor<*x{element}>" if not notes else f"!mlconv.opaque_tensor<{quote('*x' + element + ' ' + notes[0])}>"
    if any(isinstance(d, Dim) for d in t.shape):
        notes.insert(0, "dims = [" + ", ".join(quote(str(d)) for d in t.shape) + "]")
    dims = "".join("?x" if isinstance(d, Dim) else f"{d}x" for d in t.shape)
    return f"tensor<{dims}{element}{', {' + ', '.join(notes) + '}' if notes else ''}>"


def _quant_list(q: QuantParams) -> tuple[Any, ...]:
    return (q.scales, q.zero_points, -1 if q.axis is None else q.axis)


def attribute_text(value: Any) -> str:
    """Raises TypeError for a Python value that has no text."""
    for kind, render in _RENDERERS:
        if isinstance(value, kind):
            return render(value)
    raise TypeError(f"no text for an attribute of type {type(value).__name__}")


def _sequence(value: Any) -> str:
    return "[" + ", ".join(map(attribute_text, value)) + "]"


def _dictionary(value: dict[str, Any]) -> str:
    return "{" + ", ".join(f"{quote(k)} = {attribute_text(v)}" for k, v in value.items()) + "}"


def _opaque(kind: str, inner: Any) -> str:
    """`#mlconv.kind<"text of the payload">`: the payload is quoted, so that any MLIR parser passes over it."""
    return f"#mlconv.{kind}<{quote(attribute_text(inner))}>"


def _const(c: Const) -> str:
    head = (c.dtype, c.shape)
    if isinstance(c, Mapped):
        return _opaque("mapped", (*head, c.file.path, c.offset))
    if isinstance(c, Splat) and c.shape and c.dtype.is_numeric:
        return f"dense<{dense.dense_text(np.asarray(c.value), c.dtype)}> : {type_text(TensorType(c.dtype, c.shape))}"
    if isinstance(c, Splat):
        return _opaque("splat", (*head, c.value.tobytes()))
    if isinstance(c, Derived):
        return _opaque("derived", (*head, c.result_shape, c.recipe, c.params, c.inputs))
    if isinstance(c, Inline) and c.dtype is DType.STRING:
        return _opaque("strings", (*head, tuple(_as_text(s) for s in c.view().reshape(-1).tolist())))
    if isinstance(c, Inline) and c.nbytes <= DENSE_BYTES and (c.dtype.is_numeric or c.dtype is DType.BOOL):
        return f"dense<{dense.dense_text(c.view(), c.dtype)}> : {type_text(TensorType(c.dtype, c.shape))}"
    if isinstance(c, Inline):
        return _opaque("inline", (*head, b"".join(bytes(b) for b in c.blocks())))
    raise TypeError(f"no text for {type(c).__name__}")


def elided(c: Const) -> Const:
    """A constant of the same type without its data, when it is large."""
    if c.nbytes <= ELIDE_BYTES or c.dtype is DType.STRING:
        return c
    return Splat(0, c.dtype, c.shape)


def _as_text(item: str | bytes) -> str:
    return item if isinstance(item, str) else item.decode("utf-8", "surrogateescape")


_RENDERERS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (bool, lambda v: "true" if v else "false"),
    (int, lambda v: str(int(v))),
    (float, lambda v: f"{float_text(v)} : f64"),
    (str, quote),
    (DType, lambda v: v.value),
    (TensorType, type_text),
    (OpaqueType, type_text),
    (type(None), lambda v: "#mlconv.none"),
    (bytes, lambda v: f"#mlconv.bytes<{quote(v.hex())}>"),
    (Const, _const),
    (QuantParams, lambda v: _opaque("quant", _quant_list(v))),
    (Dim, lambda v: f"#mlconv.dim<{quote(str(v))}>"),
    (dict, _dictionary),
    ((tuple, list), _sequence),
)


def location_text(location: Location | None) -> str:
    """The inside of `loc(...)`.  A function name is a NameLoc that starts with `@`, a node path one that does not."""
    if location is None:
        return "unknown"
    if isinstance(location, FileLocation):
        place = f"{quote(location.file)}:{location.line}:{location.column}"
        if not location.function and not location.text:
            return place
        name = "@" + location.function + ("\n" + location.text if location.text else "")
        return f"{quote(name)}({place})"
    if isinstance(location, NameLocation):
        return quote(location.name) if location.child is None else f"{quote(location.name)}({location_text(location.child)})"
    if isinstance(location, Fused):
        text = f"fused[{', '.join(map(location_text, location.locations))}]"
        return f"{quote('#fused ' + location.by)}({text})" if location.by else text
    text = f'"#frames {location.hidden}"({_chain(location.frames)})'
    return f'"#stack"(fused[{text}, {_chain(location.every)}])' if location.every else text


def _chain(frames: tuple[FileLocation, ...]) -> str:
    """Frames as nested call sites, innermost first."""
    text = location_text(frames[-1])
    for frame in reversed(frames[:-1]):
        text = f"callsite({location_text(frame)} at {text})"
    return text
