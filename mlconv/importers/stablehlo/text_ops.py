"""Ops of StableHLO text, in MLIR's generic form and in the forms that printers prefer.

Most of the latter are operands and `name = value` between commas, with types behind a colon; those that are not have a
method here.  Types of operands are passed over: their definitions say them.  Source: stablehlo/dialect/
StablehloOps.td and ChloOps.td, `assemblyFormat`; stablehlo/dialect/AssemblyFormat.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.ir import (
    FunctionType,
    MlirBlock,
    MlirOp,
    MlirType,
    MlirValue,
    Opaque,
    Shaped,
    Symbol,
)
from mlconv.importers.stablehlo.text_values import ValueParser

_FORMAT = re.compile(r"e(\d{1,4})m(\d{1,4})")
_VERSION = re.compile(r"_v\d+$")
_RETURNS = frozenset({"return", "func.return", "stablehlo.return"})
# `name = value` of custom forms: the attribute, where it has another name
_KEYWORDS: dict[str, dict[str, str]] = {
    "broadcast_in_dim": {"dims": "broadcast_dimensions"},
    "dynamic_broadcast_in_dim": {"dims": "broadcast_dimensions"},
    "broadcast": {"sizes": "broadcast_sizes"},
    "transpose": {"dims": "permutation"},
    "reverse": {"dims": "dimensions"},
    "concatenate": {"dim": "dimension"},
    "iota": {"dim": "iota_dimension"},
    "dynamic_iota": {"dim": "iota_dimension"},
    "get_dimension_size": {"dim": "dimension"},
    "set_dimension_size": {"dim": "dimension"},
    "dynamic_slice": {"sizes": "slice_sizes"},
    "pad": {"low": "edge_padding_low", "high": "edge_padding_high", "interior": "interior_padding"},
    "fft": {"type": "fft_type", "length": "fft_length"},
    "rng": {"distribution": "rng_distribution"},
    "rng_bit_generator": {"algorithm": "rng_algorithm"},
    "einsum": {"config": "einsum_config"},
    "unary_einsum": {"config": "einsum_config"},
}
_PAIRS = {"contracting_dims": "contracting", "batching_dims": "batching"}
_WINDOW = {
    "stride": "window_strides",
    "pad": "padding",
    "lhs_dilate": "lhs_dilation",
    "rhs_dilate": "rhs_dilation",
    "reverse": "window_reversal",
}
_DIRECTIONS = frozenset({"EQ", "NE", "GE", "GT", "LE", "LT"})


class OpParser(ValueParser):
    """One text.  scopes: names of values, innermost last."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.scopes: list[dict[str, list[MlirValue]]] = []
        self.forms: dict[str, Callable[[MlirOp], None]] = {
            "stablehlo.constant": self._constant,
            "stablehlo.while": self._while,
            "stablehlo.reduce": self._reduce,
            "stablehlo.convolution": self._convolution,
            "stablehlo.custom_call": self._custom_call,
            "stablehlo.composite": self._composite,
            "func.call": self._call,
            "sdy.mesh": self._mesh,
        }

    # values and regions ---------------------------------------------------------------------------------------
    def _define(self, name: str, values: list[MlirValue]) -> None:
        if not self.scopes:
            self.scopes.append({})
        self.scopes[-1][name] = values

    def operand(self) -> MlirValue:
        """Raises ConversionError InputNotProduced."""
        text = self.take("value", "a value")
        name, _, index = text.partition("#")
        for scope in reversed(self.scopes):
            if name in scope:
                i = int(index[:9] or 0)
                if i < len(scope[name]):
                    return scope[name][i]
        raise ConversionError(Code.InputNotProduced, f"{text} is used, which does not exist or comes later")

    def operands(self, close: str) -> list[MlirValue]:
        return self.listed(self.operand, close)

    def _argument(self) -> tuple[MlirValue, dict[str, object]]:
        """`%x: type {attributes} loc(...)`; a declaration has no names."""
        name = self.next() if self.kind == "value" else ""
        if name:
            self.expect(":")
        value = MlirValue(self.type())
        attributes = self.optional_dictionary()
        value.place = self.optional_place()
        if name:
            self._define(name, [value])
        return value, attributes

    def region(self, arguments: list[tuple[str, MlirValue]]) -> MlirBlock:
        """A region of one block; the brace is passed over here."""
        self.expect("{")
        self.scopes.append({name: [value] for name, value in arguments})
        block = MlirBlock([value for _, value in arguments])
        if self.kind == "label":
            self.next()
            if self.accept("("):
                block.parameters = [v for v, _ in self.listed(self._argument, ")")]
            self.expect(":")
        self.nested(lambda: self._ops(block))
        self.scopes.pop()
        return block

    def _ops(self, block: MlirBlock) -> None:
        while not self.accept("}"):
            if self.kind == "label":
                raise ConversionError(
                    Code.ControlFlowUnstructured, "a region has several blocks, regions of StableHLO have one"
                )
            block.ops.append(self.op())

    # ops ------------------------------------------------------------------------------------------------------
    def op(self) -> MlirOp:
        """An op with its results."""
        names: list[tuple[str, int]] = []
        while self.kind == "value":
            name = self.next()
            names.append((name, self.integer() if self.accept(":") else 1))
            if not self.accept(","):
                self.expect("=")
                break
        start = self.at
        op = MlirOp("", [], {}, [])
        if self.kind == "string":
            op.name = _plain(self.string())
            self._generic(op)
        else:
            word = self.word("an op")
            op.name = {"call": "func.call"}.get(word, "return" if word in _RETURNS else word)
            self.forms.get(op.name, self._plain_form)(op)
        op.place = op.place or self.optional_place()
        if sum(n for _, n in names) != len(op.outputs) and names:
            self.fail(f"{op.name} has {len(op.outputs)} results, others are named", start)
        first = 0
        for name, count in names:
            self._define(name, op.outputs[first : first + count])
            first += count
        return op

    def _generic(self, op: MlirOp) -> None:
        self.expect("(")
        op.inputs = self.operands(")")
        if self.text == "[":
            raise ConversionError(Code.ControlFlowUnstructured, f"{op.name} jumps to other blocks")
        op.fields = self._properties()
        if self.accept("("):
            op.bodies = self.listed(lambda: self.region([]), ")")
        op.fields |= self.optional_dictionary()
        self.expect(":")
        op.outputs = [MlirValue(t) for t in self.function_type().results]

    def _properties(self) -> dict[str, object]:
        if not self.accept("<"):
            return {}
        self.expect("{")
        found = self.dictionary()
        self.expect(">")
        return found

    def _types(self, op: MlirOp, each: bool = False) -> None:
        """What stands behind the colon.  each: one type for each result; else a single one is that of all, and the last
        of several that of the result.
        """
        op.fields |= self.optional_dictionary()
        if not self.accept(":"):
            return
        listed: list[MlirType] = [self.type()]
        while self.accept(","):
            listed.append(self.type())
        if self.accept("->"):
            listed, each = self.result_types(), True
        elif isinstance(listed[0], FunctionType):
            listed, each = list(listed[0].results), True
        if op.name != "return":
            op.outputs = [MlirValue(t) for t in (listed if each else listed[-1:])]

    def _plain_form(self, op: MlirOp) -> None:
        """Operands, words and `name = value`, between commas."""
        short = op.name.partition(".")[2]
        closing = self.accept("(")
        while True:
            if self.kind == "value":
                op.inputs.append(self.operand())
                if self.accept("["):
                    self._in_brackets(op)
            elif self.kind == "word" and self.texts[self.at + 1] == "=":
                self._keyword(op, short)
            elif self.kind == "word" and self.text.isupper():
                word = self.next()
                op.fields["comparison_direction" if word in _DIRECTIONS else "compare_type"] = word
            elif self.text == "<":
                op.fields["sharding"] = Opaque(self.skip_balanced())
            elif closing and self.accept(")"):
                closing = False
            elif not self.accept(","):
                break
        self._types(op, each=op.name == "stablehlo.optimization_barrier")

    def _in_brackets(self, op: MlirOp) -> None:
        """The ranges of a slice, or the index of an element of a tuple."""
        if op.name == "stablehlo.get_tuple_element":
            op.fields["index"] = self.integer()
            self.expect("]")
            return
        ranges = self.listed(self._range, "]")
        for i, name in enumerate(("start_indices", "limit_indices", "strides")):
            op.fields[name] = tuple(r[i] for r in ranges)

    def _range(self) -> tuple[int, int, int]:
        start = self.integer()
        self.expect(":")
        limit = self.integer()
        return start, limit, self.integer() if self.accept(":") else 1

    def _keyword(self, op: MlirOp, short: str) -> None:
        word = self.next()
        self.expect("=")
        if word in _PAIRS:
            left = self.ints()
            self.expect("x")
            right = self.ints()
            op.fields |= {f"{s}_{_PAIRS[word]}_dimensions": v for s, v in (("lhs", left), ("rhs", right))}
        elif word == "precision":
            self.expect("[")
            op.fields["precision_config"] = tuple(self.listed(self.next, "]"))
        elif word == "algorithm" and self.text == "<":
            self.skip_balanced()
        elif word == "format":
            match = _FORMAT.fullmatch(self.next())
            if match is None:
                self.fail("expected a format like e8m7", self.at - 1)
            op.fields |= {"exponent_bits": int(match.group(1)), "mantissa_bits": int(match.group(2))}
        else:
            name = _KEYWORDS.get(short, {}).get(word, word)
            bare = self.kind == "word" and self.text.isupper()
            plain = self.kind == "number"  # its type is not said: a colon begins those of the op
            op.fields[name] = self.integer() if plain else self.next() if bare else self.attribute()

    def _constant(self, op: MlirOp) -> None:
        if self.accept("("):
            self.expect(")")
            op.fields = self._properties() | self.optional_dictionary()
            self.expect(":")
            op.outputs = [MlirValue(t) for t in self.function_type().results]
            return
        op.fields = self.optional_dictionary()
        op.fields["value"] = self.attribute()
        # the type of a constant is the last thing that was read
        op.outputs = [MlirValue(self._last_type())]

    def _last_type(self) -> MlirType:
        self.at -= 1
        return self.type()

    def _while(self, op: MlirOp) -> None:
        self.expect("(")
        pairs = self.listed(self._assignment, ")")
        op.inputs = [value for _, value in pairs]
        types = []
        if self.accept(":"):
            types.append(self.type())
            while self.accept(","):
                types.append(self.type())
        if len(types) != len(pairs):
            self.fail(f"a loop of {len(pairs)} values has {len(types)} types")
        if self.accept("attributes"):
            self.expect("{")
            op.fields = self.dictionary()
        for word in ("cond", "do"):
            self.expect(word)
            arguments = [(name, MlirValue(t)) for (name, _), t in zip(pairs, types, strict=True)]
            op.bodies.append(self.region(arguments))
        op.outputs = [MlirValue(t) for t in types]

    def _assignment(self) -> tuple[str, MlirValue]:
        name = self.take("value", "a value")
        self.expect("=")
        return name, self.operand()

    def _reduce(self, op: MlirOp) -> None:
        inputs, inits = [], []
        while self.accept("("):
            inputs.append(self.operand())
            self.expect("init")
            self.expect(":")
            inits.append(self.operand())
            self.expect(")")
            self.accept(",")
        op.inputs = inputs + inits
        inner = self.word("an op") if self.accept("applies") else ""
        for word in ("across", "dimensions", "="):
            self.expect(word)
        op.fields = {"dimensions": self.ints()}
        self._types(op, each=True)
        if inner:
            op.place = self.optional_place()
            op.bodies = [self._applied(inner, inputs)]
        else:
            self.expect("reducer")
            op.bodies = [self._reducer()]

    def _applied(self, inner: str, inputs: list[MlirValue]) -> MlirBlock:
        """The computation of a reduction that is one op of two numbers."""
        kind = inputs[0].type if inputs else None
        if not isinstance(kind, Shaped):
            self.fail("a reduction of what is no tensor")
        scalar = Shaped(kind.element, ())
        left, right, made = (MlirValue(scalar) for _ in range(3))
        ops = [MlirOp(inner, [left, right], {}, [made]), MlirOp("return", [made], {}, [])]
        return MlirBlock([left, right], ops)

    def _reducer(self) -> MlirBlock:
        """`(%a: t, %c: t) (%b: t, %d: t) {...}`: a pair for each operand; all of one side come first."""
        sides: tuple[list[tuple[str, MlirValue]], list[tuple[str, MlirValue]]] = ([], [])
        while self.accept("("):
            for side, close in zip(sides, (",", ")"), strict=True):
                name = self.take("value", "a value")
                self.expect(":")
                side.append((name, MlirValue(self.type(), self.optional_place())))
                self.expect(close)
        return self.region([*sides[0], *sides[1]])

    def _convolution(self, op: MlirOp) -> None:
        self.expect("(")
        op.inputs = self.operands(")")
        for word in ("dim_numbers", "="):
            self.expect(word)
        op.fields = dict(self.convolution_numbers(""))
        for word in (",", "window", "=", "{"):
            self.expect(word)
        for name, value in self.listed(self._named, "}"):
            parts = value if isinstance(value, tuple) else (value,)
            flat = [k for part in parts for k in (part if isinstance(part, tuple) else (part,))]
            op.fields[_WINDOW.get(name, name)] = tuple(flat)
        self._types(op, each=True)

    def _custom_call(self, op: MlirOp) -> None:
        op.fields = {"call_target_name": self.symbol()}
        self.expect("(")
        op.inputs = self.operands(")")
        self._types(op, each=True)

    def _composite(self, op: MlirOp) -> None:
        op.fields = {"name": self.string()}
        while self.kind == "value":
            op.inputs.append(self.operand())
            self.accept(",")
        if self.accept("("):
            op.bodies = self.listed(lambda: self.region([]), ")")
        self._types(op, each=True)

    def _call(self, op: MlirOp) -> None:
        op.fields = {"callee": Symbol(self.symbol())}
        self.expect("(")
        op.inputs = self.operands(")")
        self._types(op, each=True)

    def _mesh(self, op: MlirOp) -> None:
        op.fields = {"sym_name": self.symbol()}
        self.expect("=")
        op.fields["mesh"] = Opaque(self.skip_balanced())
        op.fields |= self.optional_dictionary()


def _plain(name: str) -> str:
    """StableHLO's name of an op."""
    if name in _RETURNS:
        return "return"
    if name.startswith("vhlo."):
        rest = _VERSION.sub("", name[5:])
        return {"func": "func.func", "call": "func.call", "return": "return"}.get(rest, f"stablehlo.{rest}")
    return name
