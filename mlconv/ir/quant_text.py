"""Text of quantized element types, as StableHLO and MLIR have it:

    !quant.uniform<i8:f32, 0.1:3>                        one scale and zero point
    !quant.uniform<i8<-127:127>:f32:0, {0.1, 0.2:4}>     one for each slice along axis 0, of a part of int8
    !quant.uniform<i4:f32:{0:1, 1:32}, {{0.1}, {0.2}}>   one for each block of 32 along axis 1

Where there are many, constants stand in their place: `!quant.uniform<i8:f32:0, #mlconv.mapped<"...">>`, with those of
the zero points behind a second comma.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Literal

import numpy as np

from mlconv.ir import dense
from mlconv.ir.constants import Const, Splat, make_const
from mlconv.ir.dtypes import DType
from mlconv.ir.lexer import Lexer
from mlconv.ir.limits import MAX_RANK
from mlconv.ir.quant import Blocked, PerAxis, PerTensor, QuantType, Scheme, entries, storage_range

MOST_INLINE = 64
NAME = "!quant.uniform"
_SHAPE = re.compile(r"\*x|(?:(?:\d+|\?)x)*")


def quant_text(quant: QuantType, const: Callable[[Const], str]) -> str:
    """The type as text.  const: text of a constant."""
    storage = quant.storage.value.replace("ui", "u")
    if (quant.qmin, quant.qmax) != storage_range(quant.storage):
        storage += f"<{quant.qmin}:{quant.qmax}>"
    return f"{NAME}<{storage}:{quant.expressed.value}{_axis_text(quant)}, {_numbers(quant, const)}>"


def _axis_text(quant: QuantType) -> str:
    scheme = quant.scheme
    if isinstance(scheme, PerTensor):
        return ""
    if isinstance(scheme, PerAxis):
        return f":{scheme.axis}"
    sizes = (f"{i}:{scheme.size if i == scheme.axis else 1}" for i in range(len(quant.scales.shape)))
    return f":{{{', '.join(sizes)}}}"


def _numbers(quant: QuantType, const: Callable[[Const], str]) -> str:
    zeros = quant.zero_points
    if entries(quant) > MOST_INLINE:
        return const(quant.scales) + ("" if isinstance(zeros, int) else f", {const(zeros)}")
    pairs = zip(quant.scales.view().reshape(-1), quant.zero_array().reshape(-1), strict=True)
    return _nested([_number(scale) + (f":{zero}" if zero else "") for scale, zero in pairs], quant.scales.shape)


def _number(scale: object) -> str:
    return dense.float_text(float(str(scale)))


def _nested(items: list[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return items[0]
    step = len(items) // shape[0] if shape[0] else 0
    return f"{{{', '.join(_nested(items[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0]))}}}"


def split_tensor(body: str) -> tuple[str, str, str]:
    """The inside of `tensor<...>`: sizes with an `x` behind each, element type, and what stands in braces behind."""
    found = _SHAPE.match(body)
    at = found.end() if found else 0
    rest = body[at:]
    if not rest.startswith(NAME):
        element, _, notes = rest.partition(", {")
        return body[:at], element, "{" + notes if notes else ""
    end = _closing(rest)
    return body[:at], rest[:end], rest[end:].removeprefix(", ")


def _closing(text: str) -> int:
    """Where the angle brackets of a type close; text in quotes is passed over."""
    depth, quoted = 0, False
    for i, c in enumerate(text):
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        elif not quoted and c in "<>":
            depth += 1 if c == "<" else -1
            if not depth:
                return i + 1
    return len(text)


def read_quant(lex: Lexer, attribute: Callable[[], object]) -> QuantType:
    """The type at the cursor.  attribute: reads a constant there.  Raises ConversionError TextNotUnderstood for other
    text, QuantizationInvalid for a type that is none.
    """
    lex.expect(NAME)
    lex.expect("<")
    storage = _dtype(lex, {d.value.replace("ui", "u"): d.value for d in DType if d.is_unsigned_int})
    bounds: tuple[int | None, int | None] = (None, None)
    if lex.accept("<"):
        low = lex.integer()
        lex.expect(":")
        bounds = (low, lex.integer())
        lex.expect(">")
    lex.expect(":")
    expressed = _dtype(lex, {})
    scheme = _scheme(lex) if lex.accept(":") else PerTensor()
    lex.expect(",")
    scales, zeros = _read_numbers(lex, attribute, storage)
    lex.expect(">")
    return QuantType(storage, expressed, scheme, scales, zeros, *bounds)


def _dtype(lex: Lexer, names: dict[str, str]) -> DType:
    token = lex.next()
    try:
        return DType(names.get(token.text, token.text))
    except ValueError:
        lex.fail(token.offset, f"unknown element type {token.text!r}")


def _scheme(lex: Lexer) -> Scheme:
    if not lex.accept("{"):
        return PerAxis(lex.integer())
    sizes: dict[int, int] = {}
    while not lex.accept("}"):
        axis = lex.integer()
        lex.expect(":")
        sizes[axis] = lex.integer()
        lex.accept(",")
    cut = [axis for axis, size in sizes.items() if size != 1]
    if list(sizes) != list(range(len(sizes))) or len(cut) > 1 or not sizes:
        lex.expected("the block sizes of all axes, one of them not 1,")
    return Blocked(cut[0], sizes[cut[0]]) if cut else Blocked(0, 1)


def _read_numbers(lex: Lexer, attribute: Callable[[], object], storage: DType) -> tuple[Const, Const | Literal[0]]:
    if lex.current.text == "{" or lex.current.kind == "number":
        scales: list[float] = []
        zeros: list[int] = []
        shape = _read_nested(lex, scales, zeros)
        low, high = storage_range(storage) if storage.is_int and storage is not DType.U64 else (0, 0)
        if not all(low <= z <= high for z in zeros):
            lex.expected(f"zero points of {storage.display}, which end")
        return (
            make_const(np.asarray(scales, np.float32).reshape(shape)),
            make_const(np.asarray(zeros, np.int64).reshape(shape), storage) if any(zeros) else 0,
        )
    factors = _elided_as_ones(attribute())
    points = attribute() if lex.accept(",") else None
    if not isinstance(factors, Const) or not isinstance(points, (Const, type(None))):
        lex.expected("constants of scales and zero points")
    return factors, points or 0


def _elided_as_ones(c: object) -> object:
    """Numbers that were left out of the text are read as zeros, which no scales are."""
    if isinstance(c, Splat) and not c.value and math.prod(c.shape) > MOST_INLINE:
        return Splat(1, c.dtype, c.shape)
    return c


def _read_nested(lex: Lexer, scales: list[float], zeros: list[int], depth: int = 0) -> tuple[int, ...]:
    """Reads numbers into the lists; returns their shape."""
    if depth > MAX_RANK:
        lex.expected(f"at most {MAX_RANK} lists in one another")
    if lex.accept("{"):
        inner: list[tuple[int, ...]] = []
        while not lex.accept("}"):
            inner.append(_read_nested(lex, scales, zeros, depth + 1))
            lex.accept(",")
        if len(set(inner)) > 1:
            lex.expected("lists of one length")
        return (len(inner), *(inner[0] if inner else ()))
    token = lex.next()
    if token.kind != "number" or "0x" in token.text:
        lex.fail(token.offset, f"expected a scale, found {token.text or 'the end'!r}")
    scales.append(float(token.text))
    zeros.append(lex.integer() if lex.accept(":") else 0)
    return ()
