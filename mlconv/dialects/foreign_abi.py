"""How foreign functions are called: what C sees of tensors and attributes, as header, code generation and the reference
interpreter have it.  docs/foreign-kernels.md is the specification.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.onnx_types import DTYPES
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType

NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
"""Element types as C has them: those of ONNX (TensorProto.DataType)."""
ALIGNMENT = 64  # bytes, of scratch memory
MAX_LIST = 1024  # numbers of an attribute

_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const const_cast
constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false float for
friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual
void volatile wchar_t while xor xor_eq
"""
_RESERVED = frozenset(_KEYWORDS.split())  # of C and C++

Scalar = int | float | str
Passed = Scalar | tuple[Scalar, ...]
Argument = tuple[str, Passed]
"""An attribute: its name, and a number, a text or some of them."""
Function = Callable[[int, int, "int | None", "int | None", None], int]


class Member(NamedTuple):
    """Of the structure that attributes are in.  kind: `int`, `real`, `text`, or one of them with `s`: an address,
    which a member with how many there are follows.
    """

    name: str
    kind: str
    value: Passed


def members(arguments: Sequence[Argument]) -> list[Member]:
    """The structure of attributes, by name."""
    taken: set[str] = set()
    out = []
    for name, value in sorted(arguments, key=lambda a: a[0]):
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = f"a_{plain}" if not plain or plain[0].isdigit() else plain
        while plain in _RESERVED or plain in taken:
            plain += "_"
        taken |= {plain, f"{plain}_count"}
        out.append(Member(plain, kind_of(value), value))
    return out


def kind_of(value: object) -> str:
    """`int`, `real`, `text`, or one of them with `s`.  A list without numbers is one of integers."""
    if isinstance(value, tuple):
        return f"{kind_of(value[0]) if value else 'int'}s"
    return "text" if isinstance(value, str) else "real" if isinstance(value, float) else "int"


def layout(arguments: Sequence[Argument]) -> tuple[tuple[str, str], ...]:
    """What two calls of a function must have in common."""
    return tuple((m.name, m.kind) for m in members(arguments))


class _Tensor(ctypes.Structure):
    """`mlc_input` and `mlc_output`."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.c_void_p),
        ("rank", ctypes.c_int32),
        ("type", ctypes.c_int32),
    )


_Items = ctypes.Array[ctypes.c_int64] | ctypes.Array[ctypes.c_double] | ctypes.Array[ctypes.c_char_p]
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 5)
_SCALARS: Mapping[str, type[ctypes.c_int64 | ctypes.c_double | ctypes.c_char_p]] = {
    "int": ctypes.c_int64,
    "real": ctypes.c_double,
    "text": ctypes.c_char_p,
}


def call(
    function: Function, inputs: Sequence[Array], outputs: Sequence[Array], arguments: Sequence[Argument], scratch: int
) -> int:
    """Call a foreign function; returns what it does.  scratch: bytes."""
    held: list[object] = []
    tables = [_table(arrays, held) for arrays in (inputs, outputs)]
    room = np.empty(scratch + ALIGNMENT, np.uint8)
    at = room.ctypes.data + -room.ctypes.data % ALIGNMENT if scratch else None
    given = _structure(arguments, held)
    address = None if given is None else ctypes.addressof(given)
    return function(ctypes.addressof(tables[0]), ctypes.addressof(tables[1]), address, at, None)


def _table(arrays: Sequence[Array], held: list[object]) -> ctypes.Array[_Tensor]:
    table = (_Tensor * max(1, len(arrays)))()
    for entry, array in zip(table, arrays, strict=False):
        sizes = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        held.append(sizes)
        entry.data, entry.sizes = array.ctypes.data, ctypes.addressof(sizes)
        entry.rank, entry.type = array.ndim, NUMBERS[DType.from_numpy(array.dtype)]
    return table


def _structure(arguments: Sequence[Argument], held: list[object]) -> ctypes.Structure | None:
    """None without attributes."""
    fields: list[tuple[str, type]] = []
    values: list[object] = []
    for name, kind, value in members(arguments):
        single = _SCALARS[kind.removesuffix("s")]
        if not isinstance(value, tuple):
            fields.append((name, single))
            values.append(_encoded(value) if isinstance(value, str) else value)
            continue
        items = _items(kind, value)
        held.append(items)
        fields += [(name, ctypes.c_void_p), (f"{name}_count", ctypes.c_int64)]
        values += [ctypes.addressof(items), len(value)]
    if not fields:
        return None
    made: ctypes.Structure = type("attributes", (ctypes.Structure,), {"_fields_": fields})(*values)
    return made


def _items(kind: str, values: tuple[Scalar, ...]) -> _Items:
    """The numbers or texts of a list."""
    count = max(1, len(values))
    if kind == "texts":
        return (ctypes.c_char_p * count)(*[_encoded(v) for v in values if isinstance(v, str)])
    if kind == "reals":
        return (ctypes.c_double * count)(*map(float, values))
    return (ctypes.c_int64 * count)(*map(int, values))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def library_path(name: str) -> str:
    """What the system's loader is asked for: a path as it is; a name with its `lib` and suffix, where it has that."""
    if os.sep in name or os.path.exists(name):
        return os.path.abspath(name)
    from ctypes.util import find_library

    return find_library(name) or name


def open_library(name: str) -> ctypes.CDLL:
    """A shared library, by its path or its name.  Raises ConversionError ForeignUnavailable."""
    try:
        return ctypes.CDLL(library_path(name))
    except OSError as error:
        raise ConversionError(Code.ForeignUnavailable, f"the library {name} cannot be loaded: {error}") from error


def find_function(symbol: str, library: str, op: str) -> Function:
    """A function of a library.  Raises ConversionError ForeignUnavailable where there is none."""
    if not library:
        raise ConversionError(
            Code.ForeignUnavailable,
            f"{op} is computed by the C function {symbol}, which is needed to run it",
            help="name the shared library that has it: --library FILE, or `library` in its declaration",
        )
    try:
        return _FUNCTION((symbol, open_library(library)))
    except AttributeError as error:
        raise ConversionError(
            Code.ForeignUnavailable, f"the library {library} has no function {symbol}, which {op} is computed by"
        ) from error
