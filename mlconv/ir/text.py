"""Text of types, attributes and locations, in MLIR's generic syntax.

Python values map to MLIR attributes: int to `5`, float to `1.5 : f64`, str, bool, tuples to arrays, dicts to
dictionaries, element and tensor types to type attributes; what MLIR has no form for is an opaque attribute
`#mlconv.kind<"...">`.  Symbolic shapes are `?` with an encoding that holds the expressions;
`<=8` is a size that is known at run time and at most 8.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mlconv.ir import dense
from mlconv.ir.attributes import attribute_name, written_fields
from mlconv.ir.constants import Array, Const, Inline, Mapped, Splat
from mlconv.ir.dims import Atom, Dim, Size, text_of
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_text import quant_text
from mlconv.ir.recipes import Derived
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.types import OpaqueType, TensorType, Type
from mlconv.provenance.locations import FileLocation, Fused, Location, NameLocation

ELIDE_BYTES = 1 << 10
DENSE_BYTES = 1 << 10
"""Larger constants are printed as bytes."""


class Place(NamedTuple):
    """A range of a file.  path: beside the text.  digest: SHA-256 of what is there."""

    path: str
    offset: int
    digest: str


Keep: TypeAlias = Callable[[Const], Place]
"""Puts a constant into a file."""


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


class Texts:
    """Text of types and attributes of one module.  Each unknown size has a number, in the order in which they are met:
    `?1`, `?2`.  elide: leave out the data of large constants.  inline: data of files stand in the text.
    keep: takes large constants that no file has.
    """

    def __init__(self, elide: bool = False, inline: bool = False, keep: Keep | None = None) -> None:
        self.elide, self.inline, self.keep = elide, inline, keep
        # by identity; the atom is kept so that no other one takes its place
        self.unknown: dict[int, tuple[str, Atom]] = {}

    def dim(self, size: Size) -> str:
        return text_of(size, self._number)

    def _number(self, atom: Atom) -> str:
        return self.unknown.setdefault(id(atom), (f"?{len(self.unknown) + 1}", atom))[0]

    def type(self, t: Type) -> str:
        if isinstance(t, OpaqueType):
            return f"!mlconv.opaque<{quote(t.name)}>"
        element = t.dtype.value if t.quant is None else self.quant(t.quant)
        notes: list[str] = []
        if t.shape is None:
            return f"tensor<*x{element}>"
        moving = [isinstance(d, Dim) or i in t.bounded for i, d in enumerate(t.shape)]
        if any(moving):
            texts = [f"<={d}" if i in t.bounded else self.dim(d) for i, d in enumerate(t.shape)]
            notes.insert(0, "dims = [" + ", ".join(map(quote, texts)) + "]")
        dims = "".join("?x" if m else f"{d}x" for m, d in zip(moving, t.shape, strict=True))
        return f"tensor<{dims}{element}{', {' + ', '.join(notes) + '}' if notes else ''}>"

    def quant(self, q: QuantType) -> str:
        return quant_text(q, self.const)

    def attribute(self, value: object) -> str:
        """Raises TypeError for a Python value that has no text."""
        for kind, render in _RENDERERS:
            if isinstance(value, kind):
                return render(self, value)
        raise TypeError(f"no text for an attribute of type {type(value).__name__}")

    def dictionary(self, value: Mapping[str, object]) -> str:
        return "{" + ", ".join(f"{quote(k)} = {self.attribute(v)}" for k, v in value.items()) + "}"

    def sequence(self, value: tuple[object, ...] | list[object]) -> str:
        """An array, or an attribute class by its fields."""
        name = attribute_name(type(value))
        if name is None:
            return "[" + ", ".join(map(self.attribute, value)) + "]"
        return f"#{name}<{', '.join(f'{k} = {self.attribute(v)}' for k, v in written_fields(value))}>"

    def opaque(self, kind: str, inner: object) -> str:
        """`#mlconv.kind<"text of the payload">`: the payload is quoted, so that any MLIR parser passes over it."""
        return f"#mlconv.{kind}<{quote(self.attribute(inner))}>"

    def const(self, c: Const) -> str:
        head = (c.dtype, c.shape)
        numbers = c.dtype.is_numeric or c.dtype is DType.BOOL
        if self.elide and c.nbytes > ELIDE_BYTES and c.dtype is not DType.STRING:
            return self.opaque("elided", head)
        if isinstance(c, Mapped) and not self.inline:
            return self.opaque("mapped", (*head, c.file.path, c.offset, c.file.digest(c.offset, c.nbytes)))
        if isinstance(c, Splat) and numbers:
            text = self._dense(np.asarray(c.value), c)
            return text if c.shape else f"#mlconv.splat<{quote(text)}>"
        if isinstance(c, Splat):
            return self.opaque("splat", (*head, c.value.tobytes()))
        if isinstance(c, Derived):
            return self.opaque("derived", (*head, c.result_shape, c.recipe, c.params, c.inputs))
        if isinstance(c, Inline) and c.dtype is DType.STRING:
            return self.opaque("strings", (*head, tuple(_as_text(s) for s in c.view().reshape(-1).tolist())))
        if isinstance(c, (Inline, Mapped)) and c.nbytes <= DENSE_BYTES and numbers:
            return self._dense(c.view(), c)
        if isinstance(c, Inline) and self.keep is not None:
            return self.opaque("mapped", (*head, *self.keep(c)))
        if isinstance(c, (Inline, Mapped)):
            return self.opaque("inline", (*head, b"".join(bytes(b) for b in c.blocks())))
        raise TypeError(f"no text for {type(c).__name__}")

    def _dense(self, array: Array, c: Const) -> str:
        return f"dense<{dense.dense_text(array, c.dtype)}> : {self.type(TensorType(c.dtype, c.shape))}"


def _as_text(item: str | bytes) -> str:
    return item if isinstance(item, str) else item.decode("utf-8", "surrogateescape")


_RENDERERS: tuple[tuple[type | tuple[type, ...], Callable[[Texts, Any], str]], ...] = (
    (bool, lambda _, v: "true" if v else "false"),
    (int, lambda _, v: str(int(v))),
    (float, lambda _, v: f"{float_text(v)} : f64"),
    (str, lambda _, v: quote(v)),
    (DType, lambda _, v: v.value),
    ((TensorType, OpaqueType), Texts.type),
    (type(None), lambda _, v: "#mlconv.none"),
    (bytes, lambda _, v: f"#mlconv.bytes<{quote(v.hex())}>"),
    (Const, Texts.const),
    (SizeFacts, lambda texts, v: texts.attribute(tuple(v.texts(texts.dim)))),
    (QuantType, Texts.quant),
    (Dim, lambda texts, v: f"#mlconv.dim<{quote(texts.dim(v))}>"),
    (dict, Texts.dictionary),
    ((tuple, list), Texts.sequence),
    (complex, lambda texts, v: texts.opaque("complex", (v.real, v.imag))),
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
        return (
            quote(location.name)
            if location.child is None
            else f"{quote(location.name)}({location_text(location.child)})"
        )
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
