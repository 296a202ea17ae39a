"""Types, attributes and places of MLIR text.  Source: mlir/docs/Dialects/Builtin.md; stablehlo/docs/spec.md."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.elements import from_bytes, sizes_of, stored
from mlconv.importers.stablehlo.encodings import quant_type
from mlconv.importers.stablehlo.ir import (
    DYNAMIC,
    CallPlace,
    FilePlace,
    FunctionType,
    FusedPlace,
    MlirType,
    NamedPlace,
    Opaque,
    Other,
    Place,
    PlaceRef,
    Shaped,
    Symbol,
    Tupled,
)
from mlconv.importers.stablehlo.lexer import Lexer
from mlconv.ir.constants import Array, Const, Inline, Splat
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK
from mlconv.ir.quant import QuantType

MAX_DEPTH = 64
MAX_PLACE_DEPTH = 150
_TENSOR = re.compile(r"tensor<\s*(\*x|(?:(?:\d+|\?)x)*)\s*(.*)>", re.S)
_DTYPES = {d.value: d for d in DType if not d.value.startswith("!")}
_DTYPES |= {f"si{n}": DType(f"i{n}") for n in (2, 4, 8, 16, 32, 64)}
_BOUNDS = re.compile(r"#stablehlo\.(?:bounds<|type_extensions<\s*bounds\s*=\s*\[)([^>\]]*)")
_QUANT = re.compile(
    r"!quant\.uniform<\s*(\w+)(?:<(-?\d+):(-?\d+)>)?\s*:\s*(\w+)\s*(?::(\d+))?\s*,\s*(\{[^}]*\}|[^>]*)>", re.S
)
_RESOURCE = re.compile(r'([\w$.-]+):\s*"0x([0-9A-Fa-f]*)"')
_MAX_NUMBER = 1 << 31


T = TypeVar("T")


class Compound(dict[str, object]):
    """A compound attribute, whose fields stand for it."""


class ValueParser(Lexer):
    """Everything but ops."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.aliases: dict[str, object] = {}
        self.type_aliases: dict[str, MlirType] = {}
        self.places: dict[str, PlaceRef] = {}
        self.types: dict[str, Shaped] = {}
        self.depth = 0
        self.resources: dict[str, str] | None = None

    def nested(self, read: Callable[[], T]) -> T:
        """What is read one level further in.  Raises ConversionError NestedTooDeeply."""
        if self.depth >= MAX_DEPTH:
            raise ConversionError(Code.NestedTooDeeply, f"the text nests more than {MAX_DEPTH} deep")
        self.depth += 1
        try:
            return read()
        finally:
            self.depth -= 1

    def listed(self, read: Callable[[], T], close: str, ends: bool = False) -> list[T]:
        """Items between commas, up to a bracket, which is passed over.  ends: a comma may stand behind the last."""
        out: list[T] = []
        if self.accept(close):
            return out
        while True:
            out.append(read())
            if self.accept(close):
                return out
            self.expect(",")
            if ends and self.accept(close):
                return out

    # types ----------------------------------------------------------------------------------------------------
    def type(self) -> MlirType:
        """A type.  Raises ConversionError ElementTypeUnsupported."""
        if self.kind == "tensor":
            text = self.next()
            found = self.types.get(text)
            if found is None:
                found = self.types[text] = self.tensor(text)
            return found
        if self.text == "(":
            return self.function_type()
        start = self.at
        text = self.next()
        if text == "tuple":
            self.expect("<")
            return Tupled(tuple(self.nested(lambda: self.listed(self.type, ">"))))
        if text == "complex":
            self.expect("<")
            part = self.next()
            self.expect(">")
            return self.element(f"complex<{part}>")
        if text.startswith("!"):
            if text in self.type_aliases:
                return self.type_aliases[text]
            if self.text == "<":
                text += self.skip_balanced()
            return Other(text.rpartition(".")[2])
        if text in _DTYPES:
            return _DTYPES[text]
        if text in ("index", "none"):
            return Other(text)
        self.at = start
        self.expected("a type")

    def function_type(self) -> FunctionType:
        self.expect("(")
        inputs = self.nested(lambda: self.listed(self.type, ")"))
        self.expect("->")
        return FunctionType(tuple(inputs), tuple(self.result_types()))

    def result_types(self) -> list[MlirType]:
        """`(t, ...)` or one type."""
        return self.nested(lambda: self.listed(self.type, ")")) if self.accept("(") else [self.type()]

    def tensor(self, text: str) -> Shaped:
        match = _TENSOR.fullmatch(text)
        if match is None:
            self.fail(f"{text[:60]} is no type", self.at - 1)
        sizes, rest = match.groups()
        element, encoding = self._split(rest.strip())
        if sizes == "*x":
            return Shaped(self.element(element), None)
        shape = tuple(DYNAMIC if d == "?" else int(d[:20]) for d in sizes.split("x")[:-1])
        if len(shape) > MAX_RANK:
            raise ConversionError(Code.TensorTooLarge, f"a tensor has {len(shape)} axes")
        found = _BOUNDS.search(str(self.aliases.get(encoding, encoding)))
        parts = [] if found is None else found.group(1).split(",")
        bounds = tuple(DYNAMIC if b.strip() in ("?", "") else int(b.strip()[:20]) for b in parts)
        return Shaped(self.element(element), shape, bounds)

    def _split(self, text: str) -> tuple[str, str]:
        """The element type and what stands behind a comma."""
        depth = 0
        for i, c in enumerate(text):
            depth += (c in "<{") - (c in ">}")
            if c == "," and depth == 0:
                return text[:i].strip(), text[i + 1 :].strip()
        return text, ""

    def element(self, text: str) -> DType | QuantType:
        if text in _DTYPES or text == "index":
            return _DTYPES.get(text, DType.I64)
        match = _QUANT.fullmatch(text)
        if match is None:
            raise ConversionError(Code.ElementTypeUnsupported, f"element type {text[:60]} is not supported")
        kind, low, high, expressed, axis, numbers = match.groups()
        storage = self.element(kind.replace("u", "ui") if kind.startswith("u") and kind[1:2] != "i" else kind)
        real = self.element(expressed)
        if not isinstance(storage, DType) or not isinstance(real, DType) or not storage.is_int:
            raise ConversionError(Code.ElementTypeUnsupported, f"element type {text[:60]} is not supported")
        pairs = [p.strip().partition(":") for p in numbers.strip("{} ").split(",")]
        try:
            scales, zeros = [float(p[0]) for p in pairs], [int(p[2] or 0) for p in pairs]
        except ValueError:
            raise ConversionError(Code.QuantizationInvalid, f"{text[:60]} has no numbers") from None
        bits = storage.bits
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if storage.is_signed_int else (0, (1 << bits) - 1)
        limits = (int(low[:20]) if low else least, int(high[:20]) if high else most)
        return quant_type(storage, real, int(axis[:6]) if axis else None, scales, zeros, limits)

    # attributes -----------------------------------------------------------------------------------------------
    def dictionary(self) -> dict[str, object]:
        """`{name = value, flag}`; the brace is passed over already.  Compound attributes are taken apart."""
        out: dict[str, object] = {}
        for name, value in self.nested(lambda: self.listed(self._named, "}")):
            if isinstance(value, Compound):
                out.update(value)
            else:
                out[name] = value
        return out

    def _named(self) -> tuple[str, object]:
        name = self.string() if self.kind == "string" else self.next()
        return name, (self.attribute() if self.accept("=") else True)

    def optional_dictionary(self) -> dict[str, object]:
        return self.dictionary() if self.accept("{") else {}

    def attribute(self) -> object:
        """An attribute.  Raises ConversionError TextNotUnderstood."""
        kind, text = self.kind, self.text
        if kind == "string":
            found: object = self.string()
            if self.accept(":"):
                self.type()
            return found
        if kind == "number":
            return self._number()
        if kind == "symbol":
            found = Symbol(self.symbol())
            while self.accept("::"):
                self.symbol()
            return found
        if kind == "alias" and text.startswith("#"):
            return self._dialect_attribute()
        if self.accept("["):
            return tuple(self.nested(lambda: self.listed(self.attribute, "]")))
        if self.accept("{"):
            return self.dictionary()
        if text in ("true", "false", "unit"):
            self.next()
            return text != "false"
        if text in ("dense", "array", "dense_resource", "loc"):
            self.next()
            if text == "loc":
                return Opaque(str(self._place_in_brackets()))
            return {"dense": self._dense, "array": self._array, "dense_resource": self._resource}[text]()
        if kind == "word" and self.texts[self.at + 1] == "<" and text not in ("tuple", "complex"):
            self.next()
            return Opaque(text + self.skip_balanced())
        return self.type()

    def _number(self) -> int | float:
        text = self.next()
        kind = self.type() if self.accept(":") else None
        if isinstance(kind, DType) and kind.is_float:
            return _real(text, kind)
        try:
            return _real(text, DType.F64) if "." in text else int(text[:40], 16 if "x" in text else 10)
        except ValueError:
            self.at -= 1
            self.expected("a number")

    def _dialect_attribute(self) -> object:
        text = self.next()
        if self.text != "<":
            if text in self.aliases:
                return self.aliases[text]
            return Opaque(text)
        if text in ("#stablehlo.gather", "#stablehlo.scatter", "#stablehlo.dot"):
            self.next()
            return Compound(dict(self.nested(lambda: self.listed(self._named, ">", ends=True))))
        if text == "#stablehlo.conv":
            self.next()
            return self.convolution_numbers(">")
        if text in ("#stablehlo", "#chlo"):
            self.next()
            words = []
            while not self.accept(">"):
                if self.kind == "end":
                    self.expected("'>'")
                words.append(self.next())
            return words[-1] if words else ""
        return Opaque(text + self.skip_balanced())

    def convolution_numbers(self, close: str) -> Compound:
        """`[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, or fields by their names."""
        if self.accept("raw"):
            return Compound(dict(self.nested(lambda: self.listed(self._named, close))))
        out = Compound()
        letters = {"b": "batch", "f": "feature", "i": "input_feature", "o": "output_feature"}
        for part, sign in (("input", "x"), ("kernel", "->"), ("output", "")):
            self.expect("[")
            axes = self.listed(self.next, "]")
            numbered = sorted((int(a), i) for i, a in enumerate(axes) if a.isdecimal() and len(a) < 3)
            out[f"{part}_spatial_dimensions"] = tuple(i for _, i in numbered)
            out.update({f"{part}_{letters[a]}_dimension": i for i, a in enumerate(axes) if a in letters})
            if sign:
                self.expect(sign)
        if close:
            self.expect(close)
        return out

    def ints(self) -> tuple[int, ...]:
        """`[1, 2]`, or `array<i64: 1, 2>`, or `dense<[1, 2]> : tensor<2xi64>`."""
        if self.accept("["):
            return tuple(self.listed(self.integer, "]"))
        found = self.attribute()
        if isinstance(found, Const):
            return tuple(int(k) for k in found.view().reshape(-1))
        if not isinstance(found, tuple):
            self.expected("a list of integers")
        return found

    def _array(self) -> tuple[int | float | bool, ...]:
        self.expect("<")
        kind = self.type()
        if self.accept(">"):
            return ()
        self.expect(":")
        words = {"true": 1, "false": 0}
        texts = self.listed(self.next, ">")
        try:
            if isinstance(kind, DType) and kind.is_float:
                return tuple(_real(t, kind) for t in texts)
            return tuple(words[t] if t in words else int(t[:40]) for t in texts)
        except ValueError:
            self.fail("an array holds what is no number", self.at - 1)

    def _dense(self) -> Const:
        self.expect("<")
        start = self.at
        flat: list[str] = []
        data: bytes | None = None
        sizes: list[int] = []
        if self.kind == "string":
            data = self._hexadecimal()
        elif self.text != ">":
            sizes = self._nested_numbers(flat)
        self.expect(">")
        self.expect(":")
        kind = self.type()
        if not isinstance(kind, Shaped):
            self.fail("a constant that is no tensor", start)
        if data is not None:
            return from_bytes(kind, data)
        return self._of_numbers(kind, flat, sizes, start)

    def _hexadecimal(self) -> bytes:
        text = self.next()
        try:
            if not text.startswith('"0x'):
                raise ValueError
            return bytes.fromhex(text[3:-1])
        except ValueError:
            self.fail("the elements of a constant are neither numbers nor hexadecimal", self.at - 1)

    def _nested_numbers(self, flat: list[str], depth: int = 0) -> list[int]:
        """Numbers to a flat list; the sizes of their lists.  A complex number is two, in parentheses."""
        if self.accept("("):
            flat.append(self.next())
            self.expect(",")
            flat.append(self.next())
            self.expect(")")
            return []
        if not self.accept("["):
            flat.append(self.next())
            return []
        if depth > MAX_RANK:
            self.fail("a constant has too many axes")
        inner = self.listed(lambda: self._nested_numbers(flat, depth + 1), "]")
        if any(sizes != inner[0] for sizes in inner[1:]):
            self.fail("the lists of a constant are of different lengths")
        return [len(inner), *(inner[0] if inner else [])]

    def _of_numbers(self, kind: Shaped, flat: list[str], sizes: list[int], start: int) -> Const:
        shape, dtype = sizes_of(kind), stored(kind)
        per = 2 if dtype.is_complex else 1
        count = len(flat) // per
        if not flat:
            if math.prod(shape):
                self.fail(f"a constant of {list(shape)} without elements", start)
            return Inline(np.zeros(shape, dtype.numpy), dtype)
        try:
            array = _numbers(flat, dtype)
        except (ValueError, OverflowError):
            self.fail(f"the elements of a constant are no numbers of {dtype.display}", start)
        if count == 1 and not sizes and math.prod(shape) != 1:
            return Splat(array[0], dtype, shape)
        if count != math.prod(shape) or (sizes and tuple(sizes) != shape):
            self.fail(f"{count} elements for a constant of {list(shape)}", start)
        return Inline(array.reshape(shape), dtype)

    def _resource(self) -> Const:
        self.expect("<")
        name = self.next()
        self.expect(">")
        self.expect(":")
        kind = self.type()
        if self.resources is None:
            self.resources = dict(_RESOURCE.findall(self.source[max(self.source.rfind("{-#"), 0) :]))
        if name not in self.resources or not isinstance(kind, Shaped):
            raise ConversionError(
                Code.ConstantInvalid,
                f"the elements of the constant {name} are not in the file",
                help="write the text without a limit for large elements, or as bytecode",
            )
        return from_bytes(kind, bytes.fromhex(self.resources[name])[4:])  # its alignment comes first

    # places ---------------------------------------------------------------------------------------------------
    def optional_place(self) -> Place | None:
        return self._place_in_brackets() if self.accept("loc") else None

    def _place_in_brackets(self) -> Place | None:
        self.expect("(")
        found = self.place(0)
        self.expect(")")
        return found

    def place(self, depth: int) -> Place | None:
        """What stands in `loc(...)`.  Raises ConversionError NestedTooDeeply."""
        if depth > MAX_PLACE_DEPTH:
            raise ConversionError(Code.NestedTooDeeply, f"a location nests more than {MAX_PLACE_DEPTH} deep")
        if self.kind == "alias":
            return self.places.setdefault(self.next(), PlaceRef())
        if self.kind == "string":
            return self._file_or_name(depth)
        word = self.word("a location")
        if word == "callsite":
            self.expect("(")
            callee = self.place(depth + 1)
            self.expect("at")
            caller = self.place(depth + 1)
            self.expect(")")
            return CallPlace(callee, caller)
        if word == "fused":
            if self.text == "<":
                self.skip_balanced()
            self.expect("[")
            return FusedPlace(tuple(self.listed(lambda: self.place(depth + 1), "]")))
        if word != "unknown":
            self.at -= 1
            self.expected("a location")
        return None

    def _file_or_name(self, depth: int) -> Place:
        text = self.string()
        if self.accept("("):
            child = self.place(depth + 1)
            self.expect(")")
            return NamedPlace(text, child)
        if not self.accept(":"):
            return NamedPlace(text, None)
        line = self.integer()
        column = self.integer() if self.accept(":") else 0
        if self.accept("to"):
            if self.kind == "number":
                self.integer()
            self.expect(":")
            self.integer()
        return FilePlace(text, min(max(line, 0), _MAX_NUMBER), min(max(column, 0), _MAX_NUMBER))


def _real(text: str, dtype: DType) -> float:
    """A floating-point number; one in hexadecimal is its bits."""
    if "x" not in text:
        return float(text)
    bits = np.asarray(int(text, 16), f"u{dtype.itemsize}")
    return float(bits.reshape(1).view(dtype.numpy)[0])


def _numbers(flat: list[str], dtype: DType) -> Array:
    """Elements of a type.  Raises ValueError, OverflowError."""
    if dtype is DType.BOOL:
        if not {*flat} <= {"true", "false", "0", "1"}:
            raise ValueError
        return np.asarray([t in ("true", "1") for t in flat], np.bool_)
    if dtype.is_complex:
        half = DType.F32 if dtype is DType.C64 else DType.F64
        return np.asarray([_real(t, half) for t in flat], half.numpy).view(dtype.numpy)
    if dtype.is_float:
        return np.asarray([_real(t, dtype) for t in flat], np.float64).astype(dtype.numpy)
    wide = np.asarray([int(t, 16 if "x" in t else 10) for t in flat], np.uint64 if dtype is DType.U64 else np.int64)
    return wide.astype(dtype.numpy)
