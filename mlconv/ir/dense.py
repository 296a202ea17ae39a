"""Numbers of small constants as text, MLIR's `dense<[1, 24]> : tensor<2xi64>`, and back, to the same bits.

Floats are decimal where that gives the same bits, else the bits (`0x7FC00000`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType
from mlconv.ir.lexer import Lexer


def float_text(value: float) -> str:
    """A finite number as MLIR has it: with a point also before an exponent."""
    text = repr(float(value))
    return text.replace("e", ".0e") if "e" in text and "." not in text.split("e")[0] else text


def dense_text(array: Array, dtype: DType) -> str:
    """The inside of `dense<...>`: a number of a scalar, else nested lists; nothing when there are no elements."""
    if not array.ndim:
        return _element(array[()], dtype)
    return _nested([_element(v, dtype) for v in array.reshape(-1)], array.shape) if array.size else ""


def _nested(items: list[str], shape: Sequence[int]) -> str:
    if len(shape) == 1:
        return f"[{', '.join(items)}]"
    step = len(items) // shape[0]
    return f"[{', '.join(_nested(items[i : i + step], shape[1:]) for i in range(0, len(items), step))}]"


def _element(value: Any, dtype: DType) -> str:
    if dtype is DType.BOOL:
        return "true" if value else "false"
    if dtype.is_complex:
        part = DType.F32 if dtype is DType.C64 else DType.F64
        return f"({_element(value.real, part)}, {_element(value.imag, part)})"
    if dtype.is_int:
        return str(int(value))
    short = float_text(float(str(value)) if math.isfinite(value) else 0.0)
    return short if _bits(float(short), dtype) == _bits(value, dtype) else "0x" + _bits(value, dtype)


def _bits(value: object, dtype: DType) -> str:
    with np.errstate(over="ignore"):
        return np.asarray(value, dtype.numpy).tobytes()[::-1].hex().upper()


def read_dense(lex: Lexer, dtype: DType, shape: Sequence[int]) -> list[Any]:
    """The numbers at the cursor, up to a `>`, in order: one for the whole shape, or lists nested as the shape is.

    Raises ConversionError TextNotUnderstood.
    """
    found: list[Any] = []
    if lex.current.text == "[":
        _read_list(lex, dtype, shape, found)
    elif lex.current.text != ">":
        found.append(_read(lex, dtype))
    if lex.current.text != ">":
        lex.expected("the end of the constant")
    return found


def _read_list(lex: Lexer, dtype: DType, shape: Sequence[int], found: list[Any]) -> None:
    if not shape:
        found.append(_read(lex, dtype))
        return
    start, items = lex.current.offset, 0
    lex.expect("[")
    while not lex.accept("]"):
        if items:
            lex.expect(",")
        _read_list(lex, dtype, shape[1:], found)
        items += 1
    if items != shape[0]:
        lex.fail(start, f"{items} items where the shape has {shape[0]}")


def _read(lex: Lexer, dtype: DType) -> Any:
    if dtype.is_complex:
        part = DType.F32 if dtype is DType.C64 else DType.F64
        lex.expect("(")
        real = _read(lex, part)
        lex.expect(",")
        imaginary = _read(lex, part)
        lex.expect(")")
        return np.asarray([real, imaginary], part.numpy).view(dtype.numpy)[0]
    token = lex.current
    if dtype is DType.BOOL and token.text in ("true", "false"):
        return lex.next().text == "true"
    if token.kind != "number" or dtype is DType.BOOL:
        lex.expected(f"a number of type {dtype.display}")
    text = lex.next().text
    if dtype.is_int:
        return int(text, 0)
    if text.startswith("0x"):
        return np.frombuffer(bytes.fromhex(text[2:])[::-1], dtype.numpy)[0]
    return float(text)


def array_of(numbers: list[Any], dtype: DType, shape: tuple[int, ...]) -> Array:
    """Numbers as an array, one number for all of the shape.  Raises ConversionError TextNotUnderstood when they do
    not fit the type.
    """
    count = math.prod(shape)
    try:
        with np.errstate(over="ignore"):
            made = np.asarray(numbers, dtype.numpy)
    except (OverflowError, ValueError) as error:
        raise ConversionError(Code.TextNotUnderstood, f"a constant of {dtype.display}: {error}") from error
    if len(numbers) not in (1, count):
        raise ConversionError(Code.TextNotUnderstood, f"{len(numbers)} numbers for a constant of shape {list(shape)}")
    return made.reshape(shape) if len(numbers) == count else np.broadcast_to(made[0], shape)
