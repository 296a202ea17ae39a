"""The format `formula`: a line of arithmetic, such as `y = (x - 1) * (x - 1)`, over float32 inputs of any size."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import ClassVar

import numpy as np

from mlconv.plugin import (
    Builder,
    Code,
    Confidence,
    ConversionError,
    Dim,
    DType,
    FileLocation,
    Function,
    LoadedModel,
    LoadRequest,
    Location,
    Module,
    SourceFormat,
    TensorType,
    Value,
    Yield,
    core,
    make_const,
)

_OPS: dict[type, type] = {ast.Add: core.Add, ast.Sub: core.Sub, ast.Mult: core.Mul, ast.Div: core.Div}


class Formula(SourceFormat):
    """Files that end in .formula.  They become core ops at once, so that no pass has to."""

    name = "formula"
    label = "Formula"
    prefix = "formula."
    legalization = ""
    takes: ClassVar[frozenset[str]] = frozenset()

    def recognises(self, head: bytes, path: str) -> Confidence:
        return Confidence.CERTAIN if path.endswith(".formula") else Confidence.NO

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        text = Path(path).read_text(encoding="utf-8").strip()
        try:
            (line,) = ast.parse(text).body
        except (SyntaxError, ValueError) as error:
            raise ConversionError(Code.FileDamaged, f"{path} is no formula: {error}") from error
        if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Name):
            raise ConversionError(Code.FileDamaged, f"{path} is no formula: it assigns nothing")
        names = sorted({n.id for n in ast.walk(line.value) if isinstance(n, ast.Name)})
        size = TensorType(DType.F32, (Dim.symbol("N"),))
        function = Function.create("main", [size] * len(names), names, FileLocation(path, 1, line.col_offset + 1))
        maker = _Maker(path, function)
        y = maker.value(line.value)
        function.block.insert(Yield([y], function.location))
        function.output_names = [line.targets[0].id]
        return LoadedModel(Module([function], {"format": self.name, "path": path}))


class _Maker:
    """Emits the ops of an expression, each at its place in the file."""

    def __init__(self, path: str, function: Function) -> None:
        self.path, self.function = path, function
        self.inputs = {v.name: v for v in function.inputs}

    def value(self, node: ast.expr) -> Value:
        location: Location = FileLocation(self.path, node.lineno, node.col_offset + 1)
        if isinstance(node, ast.Name):
            return self.inputs[node.id]
        b = Builder(self.function.block, location)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return b.emit(core.Constant(value=make_const(np.float32(node.value)))).y
        if isinstance(node, ast.BinOp) and type(node.op) in _OPS:
            left, right = self.value(node.left), self.value(node.right)
            return b.emit(_OPS[type(node.op)](left, right)).y
        error = ConversionError(Code.OpUnsupported, f"{ast.unparse(node)} is no sum, difference, product or quotient")
        raise ConversionError.of([error.with_context(location, "", "formula")])


FORMAT = Formula()
