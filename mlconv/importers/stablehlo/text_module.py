"""Modules and functions of StableHLO text.  Source: mlir/docs/LangRef.md; mlir/lib/Dialect/Func/IR/FuncOps.cpp."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.bytecode import dictionaries
from mlconv.importers.stablehlo.ir import (
    FunctionType,
    MlirBlock,
    MlirFunction,
    MlirModule,
    MlirOp,
    MlirType,
    PlaceRef,
)
from mlconv.importers.stablehlo.text_ops import OpParser


class TextParser(OpParser):
    """One text."""

    def module(self) -> MlirModule:
        """The whole text.  Raises ConversionError TextNotUnderstood, NestedTooDeeply, InputNotProduced and what types
        and attributes raise.
        """
        found = MlirModule("", {}, {})
        seen = False
        while self.kind != "end":
            if self.kind == "alias":
                self._alias()
            elif self.text == "{-#":
                break  # resources, which are looked up when they are named
            elif self.accept("module"):
                self._module_head(found)
                self._functions(found, "}")
                self.optional_place()
                seen = True
            elif self.text == '"builtin.module"':
                self._generic_module(found)
                seen = True
            elif not seen:
                self._functions(found, "")
                seen = True
            else:
                self.expected("the end")
        return found

    def _alias(self) -> None:
        """`#loc3 = loc(...)`, `#map = ...`, `!t = ...`."""
        name = self.next()
        self.expect("=")
        if self.accept("loc"):
            ref = self.places.setdefault(name, PlaceRef())
            ref.place = self._place_in_brackets()
        elif name.startswith("!"):
            self.type_aliases[name] = self.type()
        else:
            self.aliases[name] = self.attribute()

    def _module_head(self, found: MlirModule) -> None:
        if self.kind == "symbol":
            found.name = self.symbol()
        if self.accept("attributes"):
            self.expect("{")
            found.fields = self.dictionary()
        self.expect("{")

    def _generic_module(self, found: MlirModule) -> None:
        self.next()
        self.expect("(")
        self.expect(")")
        properties = self._properties()
        self.expect("(")
        self.expect("{")
        if self.kind == "label":
            self.next()
            self.expect(":")
        self._functions(found, "}")
        self.expect(")")
        found.fields = {**properties, **self.optional_dictionary()}
        found.name = str(found.fields.get("sym_name", ""))
        if self.accept(":"):
            self.function_type()
        self.optional_place()

    def _functions(self, found: MlirModule, close: str) -> None:
        while not (close and self.accept(close)):
            if not close and self.kind in ("end", "alias"):
                return
            if self.accept("func.func"):
                self._function(found)
                continue
            op = self.op()
            if op.name == "func.func":
                self._add(found, op)
            else:
                found.others.append(op)

    def _add(self, found: MlirModule, op: MlirOp) -> None:
        a = op.fields
        type_, name = a.get("function_type"), a.get("sym_name")
        if not isinstance(type_, FunctionType) or not isinstance(name, str) or len(op.bodies) != 1:
            self.fail("a function lacks its name, type or body", self.at - 1)
        public = a.get("sym_visibility", "") in ("", "public")
        taken, given = dictionaries(a.get("arg_attrs")), dictionaries(a.get("res_attrs"))
        self._keep(found, MlirFunction(name, op.bodies[0], type_, public, taken, given, op.place))

    def _keep(self, found: MlirModule, function: MlirFunction) -> None:
        if function.name in found.functions:
            raise ConversionError(Code.NameDefinedTwice, f"there are two functions {function.name}")
        if function.body.ops:
            found.functions[function.name] = function

    def _function(self, found: MlirModule) -> None:
        public = self.text not in ("private", "nested")
        if self.text in ("public", "private", "nested"):
            self.next()
        name = self.symbol()
        self.expect("(")
        self.scopes.append({})
        arguments = self.nested(lambda: self.listed(self._argument, ")"))
        results: list[tuple[MlirType, dict[str, object]]] = []
        if self.accept("->"):
            results = self.listed(self._result, ")") if self.accept("(") else [(self.type(), {})]
        if self.accept("attributes"):
            self.expect("{")
            self.dictionary()
        type_ = FunctionType(tuple(v.type for v, _ in arguments), tuple(t for t, _ in results))
        body = MlirBlock([v for v, _ in arguments])
        if self.accept("{"):
            self._ops(body)
        self.scopes.pop()
        attributes = tuple(d for _, d in arguments), tuple(d for _, d in results)
        self._keep(found, MlirFunction(name, body, type_, public, *attributes, self.optional_place()))

    def _result(self) -> tuple[MlirType, dict[str, object]]:
        return self.type(), self.optional_dictionary()


def parse(text: str) -> MlirModule:
    """A module of its text.  Raises what `TextParser.module` does."""
    return TextParser(text).module()
