"""Subgraphs of a TFLite file to blocks of `tfl.*` ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.source import SourceOp
from mlconv.dialects.tfl import tfl_op
from mlconv.formats.flatbuffer import FlatReader, Table
from mlconv.importers.tflite.locations import DebugLocations
from mlconv.importers.tflite.operators import OperatorCode, Options, options_of, select_node
from mlconv.importers.tflite.tensors import Tensors
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Block, Op, Region, Value
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import Location, NameLocation, first_name

CUSTOM = "tfl.custom."
"""In front of the names of custom operators."""
MAX_DEPTH = 48
MAX_OPS = 1_000_000
NodeOf: TypeAlias = Callable[[bytes], tuple[str, Options]]
"""Op and attributes of a serialized NodeDef."""


class Call(NamedTuple):
    """One operator: its options and tensors, and where it came from."""

    options: Options
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    where: Location


class Variable(NamedTuple):
    """What VAR_HANDLE gives."""

    name: str


class Lookup(NamedTuple):
    """What HASHTABLE gives: a table by its number."""

    number: int


Resource: TypeAlias = Union[Variable, Lookup]


@dataclass(slots=True)
class Run:
    """What all graphs of one function share.  initial, contents: what CALL_ONCE gave to variables and tables.  used:
    variables that are read or assigned, with their initial values.  once: a graph of CALL_ONCE is read.  count: ops
    that were made.
    """

    initial: dict[Variable, tuple[Const, TensorType]] = field(default_factory=dict)
    contents: dict[Lookup, tuple[Const, Const]] = field(default_factory=dict)
    used: dict[str, Const] = field(default_factory=dict)
    once: bool = False
    count: int = 0


def read_of(builder: Builder, name: str, t: TensorType) -> Value:
    """The value of a variable, which keeps integers of quantized tensors as plain ones."""
    found = builder.emit(core.ReadVariable(variable=name, of=t.stored)).y
    return found if t.quant is None else builder.emit(core.StorageCast(found, element=t.quant)).y


Special: TypeAlias = "Callable[[GraphReader, Call], None]"
Computations: TypeAlias = "Callable[[GraphReader, Call], list[Region]]"


class Source:
    """A file: its subgraphs with their tensors."""

    def __init__(
        self,
        reader: FlatReader,
        codes: list[OperatorCode],
        graphs: list[Table],
        tensors: list[Tensors],
        debug: DebugLocations | None,
        special: Mapping[str, Special],
        computations: Mapping[str, Computations],
        node_of: NodeOf,
    ) -> None:
        """special: builtins that are read otherwise than as an op with operands and options.  computations: those
        whose graphs are regions, and what makes these.  node_of: see `NodeOf`.
        """
        self.reader, self.codes, self.graphs, self.tensors, self.debug = reader, codes, graphs, tensors, debug
        self.special, self.computations, self.node_of = special, computations, node_of
        self._assigned: bool | None = None

    def code(self, operator: Table) -> OperatorCode:
        """Raises ConversionError OpUnsupported for a code that the file or the schema has not."""
        at = self.reader.scalar(operator, 0)
        found = self.codes[at] if at < len(self.codes) else OperatorCode("", "")
        if not found.builtin:
            raise ConversionError(Code.OpUnsupported, f"operator code {at} is no operator of the schema: invalid file")
        return found

    def assigns(self) -> bool:
        """Whether any graph but those of CALL_ONCE assigns variables."""
        if self._assigned is None:
            once = set()
            assigning = set()
            for i, graph in enumerate(self.graphs):
                for operator in self.reader.tables(graph, 3):
                    code = self.code(operator)
                    if code.builtin == "CALL_ONCE":
                        once.add(options_of(self.reader, operator, code)["init_subgraph_index"])
                    elif code.builtin == "ASSIGN_VARIABLE":
                        assigning.add(i)
            self._assigned = bool(assigning - once)
        return self._assigned


class GraphReader:
    """One subgraph that is read into a block.  values: of its tensors so far."""

    def __init__(self, source: Source, index: int, block: Block, run: Run | None = None, depth: int = 0) -> None:
        if not 0 <= index < len(source.graphs):
            raise ConversionError(Code.FileDamaged, f"subgraph {index} of {len(source.graphs)} is named: invalid file")
        if depth > MAX_DEPTH:
            raise ConversionError(Code.NestedTooDeeply, f"subgraphs call one another more than {MAX_DEPTH} deep")
        self.source, self.index, self.block, self.depth = source, index, block, depth
        graph = source.graphs[index]
        self.inputs, self.outputs = source.reader.ints(graph, 1), source.reader.ints(graph, 2)
        self.reader, self.tensors = source.reader, source.tensors[index]
        self.run = run or Run()
        self.values: dict[int, Value | Resource] = {}
        self.within: Location | None = None  # of the op that calls this graph

    # Values

    def value(self, i: int) -> Value:
        """The value of a tensor; a constant is made where it is met first.  Raises ConversionError InputNotProduced."""
        found = self.values.get(i)
        if isinstance(found, Value):
            return found
        tensor = self.tensors[i]
        if found is None:
            constant = self.tensors.constant(tensor)
            if constant is not None and tensor.type is not None:
                builder = Builder(self.block, NameLocation(tensor.name))
                made = builder.emit(core.Constant(value=constant, element=tensor.type.quant)).y
                made.name = tensor.name
                self.values[i] = made
                return made
        raise ConversionError(
            Code.InputNotProduced, f"tensor {i}, {tensor.name!r}, is read before anything gives it a value"
        )

    def resource(self, i: int) -> Resource:
        found = self.values.get(i)
        if found is None or isinstance(found, Value):
            raise ConversionError(Code.InputNotProduced, f"tensor {i}, {self.tensors[i].name!r}, is no resource")
        return found

    def type(self, i: int) -> TensorType:
        t = self.tensors[i].type
        if t is None:
            raise ConversionError(Code.ElementTypeUnsupported, f"tensor {i}, {self.tensors[i].name!r}, is a resource")
        return t

    def inner(self, index: int, block: Block, where: Location) -> GraphReader:
        """Another subgraph, which an operator names, to be read into a block."""
        inner = GraphReader(self.source, index, block, self.run, self.depth + 1)
        inner.within = where
        return inner

    # Operators

    def read(self) -> None:
        """All operators, in order."""
        for k, operator in enumerate(self.reader.tables(self.source.graphs[self.index], 3)):
            self.run.count += 1
            if self.run.count > MAX_OPS:
                raise ConversionError(Code.NestedTooDeeply, f"there are more than {MAX_OPS} ops once calls are inlined")
            code = self.source.code(operator)
            inputs, outputs = self.reader.ints(operator, 1), self.reader.ints(operator, 2)
            where = self._location(k, operator, code, outputs)
            try:
                self._operator(operator, code, inputs, outputs, where)
            except ConversionError as error:
                if error.diagnostics:
                    raise
                name = first_name(where)
                raise ConversionError.of([error.with_context(where, name, f"tfl.{code.builtin}")]) from error

    def _location(self, k: int, operator: Table, code: OperatorCode, outputs: tuple[int, ...]) -> Location:
        """Its name is that of its first output, where the debug metadata have no other."""
        name = self.tensors[outputs[0]].name if outputs else ""
        name = name or f"{code.builtin}_{k}"
        found = None
        if self.source.debug is not None:
            found = self.source.debug.of(self.index, k) or self.within
        return found if found is not None and first_name(found) else NameLocation(name, found or self.within)

    def _operator(
        self, operator: Table, code: OperatorCode, inputs: tuple[int, ...], outputs: tuple[int, ...], where: Location
    ) -> None:
        options = options_of(self.reader, operator, code)
        special = self.source.special.get(code.builtin)
        if special is not None:
            special(self, Call(options, inputs, outputs, where))
            return
        builder = Builder(self.block, where)
        operands = [None if t < 0 else self._operand(t, builder) for t in inputs]
        types = [self.type(t) for t in outputs]
        if code.builtin == "CUSTOM":
            op: Op = builder.emit(self._custom(code.custom, operands, options, types))
        elif code.builtin in self.source.computations:
            regions = self.source.computations[code.builtin](self, Call(options, inputs, outputs, where))
            op = builder.emit(SourceOp(f"tfl.{code.builtin}", operands, options, types, regions))
        else:
            op = builder.emit(tfl_op(code.builtin, operands, options, types))
        for t, value in zip(outputs, op.results, strict=True):
            self.define(t, value)

    def _custom(self, code: str, operands: list[Value | None], options: Options, types: list[TensorType]) -> Op:
        """A custom operator by its name; a Select operator as the node of TensorFlow that it is."""
        if code.startswith("Flex"):
            kind, attributes = self.source.node_of(select_node(options["custom_options"]))
            return SourceOp(f"tf.{kind}", operands, attributes, types)
        return SourceOp(f"{CUSTOM}{code}", operands, options, types)

    def _operand(self, i: int, builder: Builder) -> Value:
        """A tensor that an operator reads and writes is a variable, which starts with zeros."""
        tensor = self.tensors[i]
        if not tensor.is_variable or i in self.values or tensor.type is None:
            return self.value(i)
        shape = tensor.type.static_shape()
        name = tensor.name or f"variable_{i}"
        self.run.used.setdefault(name, self.tensors.constant(tensor) or Splat(0, tensor.type.dtype, shape))
        return read_of(builder, name, tensor.type)

    def define(self, i: int, value: Value | Resource) -> None:
        if i in self.values:
            raise ConversionError(
                Code.NameDefinedTwice, f"tensor {i}, {self.tensors[i].name!r}, is given a value twice"
            )
        self.values[i] = value
        if isinstance(value, Value) and not value.name:
            value.name = self.tensors[i].name
