"""IR text to modules: the inverse of `printer.py`.

Classes of ops and attributes come from the dialects that the caller passes, so that this file knows none.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.attributes import field_check, read_attribute
from mlconv.ir.constants import Const, Inline, Mapped, SourceFile, Splat
from mlconv.ir.core import Block, Op, OpaqueOp, Region, Value, Yield
from mlconv.ir.dense import array_of, read_dense
from mlconv.ir.dialect import Dialects
from mlconv.ir.dim_parser import parse_dim
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import CLASSES, Facts
from mlconv.ir.lexer import Lexer, Token, offset_in
from mlconv.ir.location_text import read_location
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_text import NAME as QUANT
from mlconv.ir.quant_text import read_quant, split_tensor
from mlconv.ir.recipes import Derived
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.spec import MISREAD, OpDef, deduced
from mlconv.ir.types import Element, OpaqueType, TensorType, Type, are_alike
from mlconv.provenance.locations import FileLocation, Location, NameLocation

MAX_DEPTH = 200
OpaqueMaker = Callable[..., OpaqueOp]
T = TypeVar("T")


def parse_module(text: str, dialects: Dialects, opaque: OpaqueMaker = OpaqueOp) -> Module:
    """Raises ConversionError TextNotUnderstood with line and column when the text is not understood."""
    return _read(_Parser(text, dialects, opaque))


def parse_with_files(text: str, dialects: Dialects, path: str = "") -> tuple[Module, tuple[str, ...]]:
    """The module, and the files that its constants are ranges of.  path: of the text, whose lines are the places of ops
    that state none.  Raises also ConversionError FileDamaged, ExternalDataInvalid for those files.
    """
    parser = _Parser(text, dialects, OpaqueOp)
    parser.path = path
    module = _read(parser)
    return module, tuple(file.path for file in parser.files.values())


def _read(parser: _Parser) -> Module:
    """The module.  Raises ConversionError TextNotUnderstood also for parts that cannot be read as what they are."""
    try:
        return parser.module()
    except MISREAD as error:
        lex = parser.lex
        where = lex.tokens[min(lex.at, len(lex.tokens) - 1)].offset
        why = f": {error}" if isinstance(error, ValueError) else ""
        lex.fail(where, f"what stands before this is not sound{why}")


class _Parser:
    def __init__(
        self,
        text: str,
        dialects: Dialects,
        opaque: OpaqueMaker,
        outer: Callable[[int], tuple[int, int]] | None = None,
    ) -> None:
        self.lex = Lexer(text, outer)
        self.dialects, self.opaque = dialects, opaque
        self.values: dict[str, Value] = {}
        self.depth = 0
        self.own: list[str] = []
        self.files: dict[str, SourceFile] = {}
        self.path = ""
        self.elided = False
        self.unknown: dict[str, Dim] = {}

    @contextmanager
    def nested(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.lex.fail(self.lex.current.offset, f"nesting deeper than {MAX_DEPTH}")
        yield
        self.depth -= 1

    def module(self) -> Module:
        lex = self.lex
        if lex.string() != "builtin.module":
            lex.fail(0, "expected builtin.module")
        for text in ("(", ")", "(", "{"):
            lex.expect(text)
        functions: list[Function] = []
        while not lex.accept("}"):
            functions.append(self.function())
        lex.expect(")")
        attributes = self.dictionary() if lex.current.text == "{" else {}
        source, passes = attributes.get("mlconv.source", {}), attributes.get("mlconv.passes", ())
        if not isinstance(source, dict) or not field_check(Module, "passes")(passes):
            raise ConversionError(Code.TextNotUnderstood, "mlconv.source is no dictionary, or mlconv.passes no names")
        for text in (":", "(", ")", "->", "(", ")"):
            lex.expect(text)
        if self.elided:
            source["elided"] = True
        return Module(functions, source, list(passes))

    def function(self) -> Function:
        lex = self.lex
        if lex.string() != "mlconv.func":
            lex.expected("mlconv.func")
        for text in ("(", ")", "("):
            lex.expect(text)
        block = self.block()
        lex.expect(")")
        attributes = self.dictionary()
        for text in (":", "(", ")", "->", "(", ")"):
            lex.expect(text)
        location = self.location()
        inputs, outputs = (self.listed(attributes.pop(n, ()), n, str) for n in ("input_names", "output_names"))
        names = (attributes.pop("sym_name", "main"), attributes.pop("signature", "serving_default"))
        name, signature = self.listed(names, "sym_name or signature", str)
        for value, label in zip(block.arguments, inputs, strict=False):
            value.name = label
        try:
            if isinstance(attributes.get("where"), tuple):
                attributes["where"] = SizeFacts.parse(attributes["where"], self.unknown)
            facts = Facts.of(attributes)
        except ValueError as error:
            raise ConversionError(Code.TextNotUnderstood, f"function {name!r}: {error}") from error
        return Function(name, block, list(outputs), signature, location or NameLocation("function"), facts)

    def location(self) -> Location | None:
        return read_location(self.lex, self.nested) if self.lex.accept("loc") else None

    def own_place(self, offset: int) -> Location | None:
        """A place of the text itself."""
        return FileLocation(self.path, *self.lex.place(offset)) if self.path else None

    def block(self) -> Block:
        """`{ ^bb(%0: type, ...): ops }`."""
        lex = self.lex
        lex.expect("{")
        block = Block()
        around, self.own = self.own, []
        if lex.current.text.startswith("^"):
            lex.next()
            lex.expect("(")
            while not lex.accept(")"):
                name = lex.next()
                lex.expect(":")
                self.define(name, block.add_argument(self.type()))
                lex.accept(",")
            lex.expect(":")
        with self.nested():
            while not lex.accept("}"):
                block.insert(self.op())
        for own in self.own:
            del self.values[own]
        self.own = around
        return block

    def define(self, name: Token, value: Value) -> None:
        """A name that the ops behind it, and in their regions, have for a value."""
        if name.text in self.values:
            self.lex.fail(name.offset, f"{name.text} is defined twice")
        self.values[name.text] = value
        self.own.append(name.text)

    def op(self) -> Op:
        lex = self.lex
        names: list[Token] = []
        while lex.current.kind == "value":
            names.append(lex.next())
            if not lex.accept(","):
                lex.expect("=")
        start, name = lex.current.offset, lex.string()
        problem, hint = self.dialects.misspelt(name)
        if problem:
            lex.fail(start, problem, hint)
        lex.expect("(")
        operands: list[Value | None] = []
        while not lex.accept(")"):
            token = lex.next()
            if token.text not in self.values:
                lex.fail(token.offset, f"{token.text} is not defined")
            operands.append(self.values[token.text])
            lex.accept(",")
        regions: list[Region] = []
        if lex.accept("("):
            regions.append(Region(self.block()))
            while lex.accept(","):
                regions.append(Region(self.block()))
            lex.expect(")")
        attributes = self.dictionary() if lex.current.text == "{" else {}
        types = self.signature(operands)
        for i in self.listed(attributes.pop("mlconv.absent", ()), "mlconv.absent", int):
            operands.insert(i, None)
        result_names = self.listed(attributes.pop("mlconv.names", ()), "mlconv.names", str)
        arguments = attributes.pop("mlconv.arguments", ())
        op = self.make(name, operands, attributes, types, regions, self.location() or self.own_place(start))
        for token, value in zip(names, op.results, strict=True):
            self.define(token, value)
        for value, label in zip(op.results, result_names, strict=False):
            value.name = label
        for region, labels in zip(regions, self.listed(arguments, "mlconv.arguments", tuple), strict=False):
            for value, label in zip(region.block.arguments, self.listed(labels, "mlconv.arguments", str), strict=False):
                value.name = label
        return op

    def listed(self, items: object, name: str, kind: type[T]) -> tuple[T, ...]:
        """Items of an attribute of the text itself."""
        if not isinstance(items, tuple) or not all(isinstance(item, kind) for item in items):
            self.lex.fail(self.lex.current.offset, f"{name} does not hold what it must")
        return items

    def signature(self, operands: list[Value | None]) -> list[Type]:
        """`: (operand types) -> (result types)`; the result types."""
        self.lex.expect(":")
        start = self.lex.current.offset
        given = self.types()
        if len(given) != len(operands):
            self.lex.fail(self.lex.current.offset, f"{len(given)} types for {len(operands)} operands")
        for i, (type_, value) in enumerate(zip(given, operands, strict=True)):
            if value is not None and not are_alike(type_, value.type):
                self.lex.fail(start, f"operand {i} is {value.type}, not {type_}")
        self.lex.expect("->")
        return self.types()

    def types(self) -> list[Type]:
        out: list[Type] = []
        self.lex.expect("(")
        while not self.lex.accept(")"):
            out.append(self.type())
            self.lex.accept(",")
        return out

    def make(
        self,
        name: str,
        operands: list[Value | None],
        attributes: dict[str, Any],
        types: list[Type],
        regions: list[Region],
        location: Location | None,
    ) -> Op:
        if name == Yield.name:
            return Yield([v for v in operands if v is not None], location)
        cls = self.dialects.op_class(name)
        if cls is None or cls.spec is None:
            return self.opaque(name, operands, attributes, types, regions, location)
        problem = cls.spec.attribute_misfit(attributes)
        if problem:
            self.lex.fail(self.lex.current.offset, f"{name}: {problem}")
        op = object.__new__(cls)
        if issubclass(cls, OpDef):  # has all of its attributes
            attributes = {f.name: attributes.get(f.name, f.default) for f in cls.spec.attributes}
        Op.__init__(op, operands, attributes, types, regions, location)
        if isinstance(op, OpDef) and len(op.results) == 1:
            op.results[0].known = deduced(op)
        return op

    # types ----------------------------------------------------------------------------------------------------
    def type(self) -> Type:
        lex = self.lex
        if lex.accept("!mlconv.opaque"):
            lex.expect("<")
            name = lex.string()
            lex.expect(">")
            return OpaqueType(name)
        if not lex.accept("tensor"):
            lex.expected("a tensor type")
        start = lex.current.offset
        depth, i = 0, start
        text = lex.source
        in_string = False
        while i < len(text):  # the inside of tensor<...> is not made of tokens (`1x8xf32`)
            c = text[i]
            if c == '"' and text[i - 1] != "\\":
                in_string = not in_string
            depth += (c == "<") - (c == ">") if not in_string else 0
            i += 1
            if depth == 0:
                break
        body = text[start + 1 : i - 1]
        while lex.current.offset < i and lex.current.kind != "end":
            lex.next()
        return self.tensor(body, start + 1)

    def tensor(self, body: str, offset: int) -> TensorType:
        """body: what stands in the angle brackets; offset: where it begins."""
        sizes, element_text, notes = split_tensor(body)
        shape: list[Size] | None = None
        if sizes != "*x":
            shape = [parse_dim(d) if d == "?" else int(d) for d in sizes.split("x")[:-1]]
        element: Element
        if element_text.startswith(QUANT):
            element = self.quant(element_text, offset + len(sizes))
        else:
            try:
                element = DType(element_text)
            except ValueError:
                self.lex.fail(offset + len(sizes), f"unknown element type {element_text!r}")
        bounded = list[int]()
        if notes:
            start = offset + len(body) - len(notes)
            inner = self.within(notes, lambda at: start + at).dictionary()
            if inner.keys() != {"dims"} or shape is None:
                self.lex.fail(start, "a tensor of known rank may have notes of its sizes, `dims`, alone")
            bounded = [i for i, d in enumerate(inner["dims"]) if d.startswith("<=")]
            stated = shape
            shape = [parse_dim(d.removeprefix("<="), self.unknown) for d in inner["dims"]]
            open_ = [i in bounded or isinstance(d, Dim) for i, d in enumerate(shape)]
            if open_ != [isinstance(d, Dim) for d in stated] or any(
                a != b for a, b in zip(shape, stated, strict=True) if isinstance(b, int)
            ):
                self.lex.fail(start, f"the sizes {inner['dims']} are not those of tensor<{body}>")
        if shape is not None and not all(isinstance(shape[i], int) for i in bounded):
            self.lex.fail(offset, "a bound is a number")
        return TensorType(element, None if shape is None else tuple(shape), bounded)

    def quant(self, text: str, offset: int) -> QuantType:
        inner = self.within(text, lambda at: offset + at)
        found = read_quant(inner.lex, inner.attribute)
        self.elided |= inner.elided
        return found

    # attributes -----------------------------------------------------------------------------------------------
    def dictionary(self) -> dict[str, Any]:
        lex = self.lex
        lex.expect("{")
        out: dict[str, Any] = {}
        while not lex.accept("}"):
            key = lex.string() if lex.is_string() else lex.next().text
            lex.expect("=")
            out[key] = self.attribute()
            lex.accept(",")
        return out

    def attribute(self) -> Any:
        lex = self.lex
        token = lex.current
        with self.nested():
            if token.kind == "string":
                return lex.string()
            if token.kind == "number":
                return self.number()
            if token.text in ("true", "false"):
                return lex.next().text == "true"
            if lex.accept("["):
                items: list[object] = []
                while not lex.accept("]"):
                    items.append(self.attribute())
                    lex.accept(",")
                return tuple(items)
            if token.text == "{":
                return self.dictionary()
            if token.text.startswith("#mlconv."):
                return self.opaque_attribute()
            if token.text.startswith("#"):
                return self.declared_attribute()
            if lex.accept("dense"):
                return self.dense()
            return self.type_attribute()

    def number(self) -> int | float:
        text = self.lex.next().text
        is_float = False
        if self.lex.accept(":"):
            is_float = self.lex.next().text in ("f64", "f32")
        if text.startswith("0x"):
            return float(struct.unpack(">d", bytes.fromhex(text[2:].rjust(16, "0")))[0]) if is_float else int(text, 16)
        return float(text) if is_float or "." in text else int(text)

    def type_attribute(self) -> Type | QuantType | DType:
        lex = self.lex
        if lex.current.text in ("tensor", "!mlconv.opaque"):
            return self.type()
        if lex.current.text == QUANT:
            return read_quant(lex, self.attribute)
        token = lex.next()
        text = token.text
        if text == "complex":
            lex.expect("<")
            text = f"complex<{lex.next().text}>"
            lex.expect(">")
        try:
            return DType(text)
        except ValueError:
            lex.fail(token.offset, f"unknown attribute {text!r}")

    def within(self, text: str, offset: Callable[[int], int]) -> _Parser:
        """A parser of a part of the text.  offset: of the whole text, for one of the part."""
        inner = _Parser(text, self.dialects, self.opaque, lambda at: self.lex.place(offset(at)))
        inner.files, inner.unknown, inner.depth = self.files, self.unknown, self.depth
        inner.path = self.path
        return inner

    def dense(self) -> Const:
        """`dense<numbers> : tensor<...>`; the type stands behind the numbers, which are read when it is known."""
        lex = self.lex
        lex.expect("<")
        start = lex.at
        while lex.current.text != ">" and lex.current.kind != "end":
            lex.next()
        lex.expect(">")
        lex.expect(":")
        type_ = self.type()
        after, lex.at = lex.at, start
        if not isinstance(type_, TensorType) or type_.shape is None or any(isinstance(d, Dim) for d in type_.shape):
            lex.fail(lex.current.offset, "a constant has a tensor type of known sizes")
        shape = type_.static_shape()
        numbers = read_dense(lex, type_.dtype, shape)
        is_splat = bool(shape) and lex.tokens[start].text != "[" and bool(numbers)
        lex.at = after
        if is_splat:
            return Splat(array_of(numbers, type_.dtype, ()), type_.dtype, shape)
        return Inline(array_of(numbers, type_.dtype, shape), type_.dtype)

    def declared_attribute(self) -> Any:
        """`#kernel.view<offset = 0, strides = [1]>`."""
        lex = self.lex
        token = lex.next()
        cls = CLASSES.get(token.text[1:]) or self.dialects.attribute_class(token.text[1:])
        if cls is None:
            lex.fail(token.offset, f"unknown attribute {token.text!r}")
        lex.expect("<")
        fields: dict[str, object] = {}
        while not lex.accept(">"):
            name = lex.next().text
            lex.expect("=")
            fields[name] = self.attribute()
            lex.accept(",")
        try:
            return read_attribute(cls, fields)
        except ValueError as error:
            lex.fail(token.offset, str(error))

    def opaque_attribute(self) -> object:
        lex = self.lex
        kind = lex.next().text.removeprefix("#mlconv.")
        if kind == "none":
            return None
        lex.expect("<")
        literal, text = lex.current, lex.string()
        lex.expect(">")
        if kind == "bytes":
            return bytes.fromhex(text)
        if kind == "dim":
            return parse_dim(text, self.unknown)
        inner = self.within(text, lambda at: literal.offset + offset_in(literal.text, at))
        payload = inner.attribute()
        self.elided |= inner.elided
        if kind == "complex":
            return complex(*map(float, payload))
        if isinstance(payload, Const):  # a scalar
            return Splat(payload.view(), payload.dtype, payload.shape)
        return self.constant(kind, payload)

    def constant(self, kind: str, p: Any) -> Const:
        dtype, shape = p[0], tuple(p[1])
        if kind == "mapped":
            return self.mapped(p, dtype, shape)
        if kind == "elided":
            self.elided = True
            return Splat(0, dtype, shape)
        if kind == "splat":
            return Splat(np.frombuffer(p[2], dtype.numpy)[0], dtype, shape)
        if kind == "inline":
            return Inline(np.frombuffer(p[2], dtype.numpy).reshape(shape), dtype)
        if kind == "strings":
            return Inline(np.asarray(list(p[2]), object).reshape(shape), dtype)
        if kind == "derived":
            out: Const = Derived(p[3], p[4], tuple(p[5]), dtype, tuple(p[2]))
            return out.reshape(shape) if tuple(p[2]) != shape else out
        raise ConversionError(Code.TextNotUnderstood, f"unknown kind of constant {kind!r}")

    def mapped(self, p: Any, dtype: DType, shape: tuple[int, ...]) -> Const:
        """A range of a file, which must be what it was: beside the text, where the path does not lead to it."""
        path, offset, digest = p[2], p[3], p[4] if len(p) > 4 else ""
        near = os.path.join(os.path.dirname(self.path), path)
        file = self.files.setdefault(path, SourceFile(path if os.path.exists(path) else near))
        found = Mapped(file, offset, dtype, shape)
        if digest and file.digest(offset, found.nbytes) != digest:
            raise ConversionError(
                Code.FileDamaged,
                f"{file.path} is not what it was when this text was made: the {found.nbytes} bytes at {offset} differ",
                help="make the text anew, or with --inline-constants, which has the numbers in it",
            )
        return found
