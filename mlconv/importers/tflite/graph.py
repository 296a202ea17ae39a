"""Subgraphs of a TFLite file to blocks of `tfl.*` ops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.source import SourceOp
from mlconv.dialects.tfl import REGION_FIELDS, tfl_op
from mlconv.formats.flatbuffer import FlatReader, Table
from mlconv.importers.tflite.locations import DebugLocations
from mlconv.importers.tflite.operators import OperatorCode, options_of, select_node
from mlconv.importers.tflite.tensors import Tensors
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Block, Op, Region, Value, Yield
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import Location, NameLocation, first_name

CUSTOM = "tfl.custom."
"""In front of the names of custom operators."""
MAX_DEPTH = 48
MAX_OPS = 1_000_000
_CALLS = {"CALL": "subgraph", "STABLEHLO_COMPOSITE": "decomposition_subgraph_index"}


NodeOf: TypeAlias = Callable[[bytes], tuple[str, dict[str, Any]]]
"""Op and attributes of a serialized NodeDef."""


class Variable(NamedTuple):
    """What VAR_HANDLE gives."""

    name: str


class Lookup(NamedTuple):
    """What HASHTABLE gives: a table by its number."""

    number: int


Resource: TypeAlias = Union[Variable, Lookup]


class Source:
    """A file: its subgraphs with their tensors."""

    def __init__(
        self,
        reader: FlatReader,
        codes: list[OperatorCode],
        graphs: list[Table],
        tensors: list[Tensors],
        debug: DebugLocations | None,
        node_of: NodeOf,
    ) -> None:
        self.reader, self.codes, self.graphs, self.tensors, self.debug = reader, codes, graphs, tensors, debug
        self.node_of = node_of
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


@dataclass(slots=True)
class Run:
    """What all graphs of one function share.  initial: what CALL_ONCE gave; used: variables that are read or assigned,
    with their initial values.  count: ops that were made.
    """

    initial: dict[Variable, tuple[Const, TensorType]] = field(default_factory=dict)
    tables: dict[Lookup, tuple[Value, Value]] = field(default_factory=dict)
    contents: dict[Lookup, tuple[Const, Const]] = field(default_factory=dict)
    used: dict[str, Const] = field(default_factory=dict)
    count: int = 0


class GraphReader:
    """One subgraph that is read into a block.  values: of its tensors so far."""

    def __init__(self, source: Source, index: int, block: Block, run: Run | None = None, depth: int = 0) -> None:
        if not 0 <= index < len(source.graphs):
            raise ConversionError(Code.FileDamaged, f"subgraph {index} of {len(source.graphs)} is named: invalid file")
        if depth > MAX_DEPTH:
            raise ConversionError(Code.NestedTooDeeply, f"subgraphs call one another more than {MAX_DEPTH} deep")
        self.source, self.index, self.block, self.depth = source, index, block, depth
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
        special = _SPECIAL.get(code.builtin)
        if special is not None:
            special(self, options, inputs, outputs, where)
            return
        builder = Builder(self.block, where)
        operands = [None if t < 0 else self._operand(t, builder) for t in inputs]
        types = [self.type(t) for t in outputs]
        if code.builtin == "CUSTOM":
            op: Op = builder.emit(self._custom(code.custom, operands, options, types))
        else:
            op = builder.emit(tfl_op(code.builtin, operands, options, types))
        for t, value in zip(outputs, op.results, strict=True):
            self._define(t, value)

    def _custom(self, code: str, operands: list[Value | None], options: dict[str, Any], types: list[TensorType]) -> Op:
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
        return _read(builder, name, tensor.type)

    def _define(self, i: int, value: Value | Resource) -> None:
        if i in self.values:
            raise ConversionError(
                Code.NameDefinedTwice, f"tensor {i}, {self.tensors[i].name!r}, is given a value twice"
            )
        self.values[i] = value
        if isinstance(value, Value) and not value.name:
            value.name = self.tensors[i].name

    # Graphs in graphs

    def _inner(self, index: int, block: Block, where: Location) -> GraphReader:
        inner = GraphReader(self.source, index, block, self.run, self.depth + 1)
        inner.within = where
        return inner

    def _given(self, inner: GraphReader, inputs: tuple[int, ...]) -> list[int]:
        """Bind the inputs of a graph: resources as they are; the positions of the others."""
        wanted = self.reader.ints(self.source.graphs[inner.index], 1)
        if len(wanted) != len(inputs):
            raise ConversionError(
                Code.WrongArity, f"subgraph {inner.index} has {len(wanted)} inputs and is given {len(inputs)}"
            )
        positions = []
        for k, (t, own) in enumerate(zip(inputs, wanted, strict=True)):
            found = self.values.get(t)
            if found is not None and not isinstance(found, Value):
                inner.values[own] = found
            else:
                positions.append(k)
        return positions

    def _region(self, index: int, inputs: tuple[int, ...], where: Location, carried: bool) -> tuple[Region, list[int]]:
        """A graph as a region with an argument for each tensor that it is given, and the positions of those.  carried:
        its outputs are its inputs of the next turn.
        """
        block = Block()
        inner = self._inner(index, block, where)
        positions = self._given(inner, inputs)
        graph = self.source.graphs[index]
        wanted, outputs = self.reader.ints(graph, 1), self.reader.ints(graph, 2)
        region = Region(
            Block([inner.type(wanted[k]) for k in positions], [inner.tensors[wanted[k]].name for k in positions])
        )
        inner.block = region.block
        for k, argument in zip(positions, region.block.arguments, strict=True):
            inner.values[wanted[k]] = argument
        inner.read()
        if carried and len(outputs) != len(inputs):
            raise ConversionError(Code.WrongArity, f"the body of a loop of {len(inputs)} gives {len(outputs)} values")
        given = [outputs[k] for k in positions] if carried else list(outputs)
        region.block.insert(Yield([inner.value(t) for t in given], where))
        return region, positions

    def call(
        self, options: dict[str, Any], name: str, inputs: tuple[int, ...], outputs: tuple[int, ...], where: Location
    ) -> None:
        """The ops of a graph that is called."""
        inner = self._inner(options[name], self.block, where)
        graph = self.source.graphs[inner.index]
        wanted, given = self.reader.ints(graph, 1), self.reader.ints(graph, 2)
        for k in self._given(inner, inputs):
            inner.values[wanted[k]] = self.value(inputs[k])
        inner.read()
        if len(given) != len(outputs):
            raise ConversionError(
                Code.WrongArity, f"subgraph {inner.index} gives {len(given)} of {len(outputs)} values"
            )
        for t, own in zip(outputs, given, strict=True):
            found = inner.values.get(own)
            self.values[t] = found if found is not None else inner.value(own)

    def if_(self, options: dict[str, Any], inputs: tuple[int, ...], outputs: tuple[int, ...], where: Location) -> None:
        regions = [self._region(options[name], inputs[1:], where, False) for name in REGION_FIELDS["IF"]]
        operands = [self.value(inputs[0]), *(self.value(inputs[1 + k]) for k in regions[0][1])]
        self._with_regions("IF", operands, regions, outputs, where)

    def while_(
        self, options: dict[str, Any], inputs: tuple[int, ...], outputs: tuple[int, ...], where: Location
    ) -> None:
        if len(outputs) != len(inputs):
            raise ConversionError(Code.WrongArity, f"a loop of {len(inputs)} values gives {len(outputs)}")
        fields = REGION_FIELDS["WHILE"]
        regions = [self._region(options[name], inputs, where, name == fields[1]) for name in fields]
        positions = regions[0][1]
        for k, t in enumerate(outputs):
            if k not in positions:
                self.values[t] = self.values[inputs[k]]
        self._with_regions(
            "WHILE", [self.value(inputs[k]) for k in positions], regions, tuple(outputs[k] for k in positions), where
        )

    def _with_regions(
        self,
        builtin: str,
        operands: list[Value],
        regions: list[tuple[Region, list[int]]],
        outputs: tuple[int, ...],
        where: Location,
    ) -> None:
        types = [self.type(t) for t in outputs]
        op = Builder(self.block, where).emit(tfl_op(builtin, operands, {}, types, [r for r, _ in regions]))
        for t, value in zip(outputs, op.results, strict=True):
            self._define(t, value)

    # Resources

    def call_once(self, options: dict[str, Any], where: Location) -> None:
        """What it gives to variables and tables is known before anything runs."""
        inner = Initializer(self.source, options["init_subgraph_index"], Block(), self.run, self.depth + 1)
        inner.within = where
        inner.read()

    def var_handle(self, options: dict[str, Any], outputs: tuple[int, ...]) -> None:
        self._define(outputs[0], Variable(options["shared_name"]))

    def hashtable(self, options: dict[str, Any], outputs: tuple[int, ...]) -> None:
        self._define(outputs[0], Lookup(options["table_id"]))

    def read_variable(self, inputs: tuple[int, ...], outputs: tuple[int, ...], where: Location) -> None:
        variable = self.resource(inputs[0])
        initial = self.run.initial.get(variable) if isinstance(variable, Variable) else None
        if initial is None or not isinstance(variable, Variable):
            raise ConversionError(Code.InputNotProduced, f"{variable} is read, and nothing gives it a first value")
        builder = Builder(self.block, where)
        if self.source.assigns():
            self.run.used[variable.name] = initial[0]
            value = _read(builder, variable.name, initial[1])
        else:
            value = builder.emit(core.Constant(value=initial[0], element=initial[1].quant)).y
        self._define(outputs[0], value)

    def assign_variable(self, inputs: tuple[int, ...], where: Location) -> None:
        variable = self.resource(inputs[0])
        if not isinstance(variable, Variable) or variable not in self.run.initial:
            raise ConversionError(Code.InputNotProduced, f"{variable} is assigned, and nothing gives it a first value")
        self.run.used[variable.name] = self.run.initial[variable][0]
        builder, value = Builder(self.block, where), self.value(inputs[1])
        if value.type.quant is not None:
            value = builder.emit(core.StorageCast(value, element=value.type.quant.storage)).y
        builder.emit(core.AssignVariable(value, variable=variable.name))

    def hashtable_import(self, inputs: tuple[int, ...]) -> None:
        raise ConversionError(Code.VariantUnsupported, "a table is filled while the model runs")

    def find(self, inputs: tuple[int, ...], outputs: tuple[int, ...], where: Location) -> None:
        keys, values = self._contents(self.resource(inputs[0]))
        builder = Builder(self.block, where)
        made = [builder.emit(core.Constant(value=c)).y for c in (keys, values)]
        found = builder.emit(core.Lookup(self.value(inputs[1]), self.value(inputs[2]), *made)).y
        self._define(outputs[0], found)

    def table_size(self, inputs: tuple[int, ...], outputs: tuple[int, ...], where: Location) -> None:
        keys, _ = self._contents(self.resource(inputs[0]))
        size = Splat(keys.size, self.type(outputs[0]).dtype, (1,))
        self._define(outputs[0], Builder(self.block, where).emit(core.Constant(value=size)).y)

    def _contents(self, table: Resource) -> tuple[Const, Const]:
        found = self.run.contents.get(table) if isinstance(table, Lookup) else None
        if found is None:
            raise ConversionError(Code.InputNotProduced, f"{table} is looked into, and nothing fills it")
        return found


def _read(builder: Builder, name: str, t: TensorType) -> Value:
    """The value of a variable, which keeps integers of quantized tensors as plain ones."""
    found = builder.emit(core.ReadVariable(variable=name, of=t.stored)).y
    return found if t.quant is None else builder.emit(core.StorageCast(found, element=t.quant)).y


class Initializer(GraphReader):
    """A graph of CALL_ONCE: what it assigns are constants."""

    def assign_variable(self, inputs: tuple[int, ...], where: Location) -> None:
        variable = self.resource(inputs[0])
        if isinstance(variable, Variable):
            self.run.initial[variable] = (self._constant(inputs[1]), self.type(inputs[1]))

    def hashtable_import(self, inputs: tuple[int, ...]) -> None:
        table = self.resource(inputs[0])
        if isinstance(table, Lookup):
            self.run.contents[table] = (self._constant(inputs[1]), self._constant(inputs[2]))

    def _constant(self, i: int) -> Const:
        found = self.tensors.constant(self.tensors[i])
        if found is None:
            raise ConversionError(
                Code.VariantUnsupported, f"the first value {self.tensors[i].name!r} of a variable is computed"
            )
        return found


_SPECIAL: dict[str, Callable[[GraphReader, dict[str, Any], tuple[int, ...], tuple[int, ...], Location], None]] = {
    "CALL": lambda g, options, ins, outs, where: g.call(options, _CALLS["CALL"], ins, outs, where),
    "STABLEHLO_COMPOSITE": lambda g, options, ins, outs, where: g.call(
        options, _CALLS["STABLEHLO_COMPOSITE"], ins, outs, where
    ),
    "CALL_ONCE": lambda g, options, ins, outs, where: g.call_once(options, where),
    "IF": lambda g, options, ins, outs, where: g.if_(options, ins, outs, where),
    "WHILE": lambda g, options, ins, outs, where: g.while_(options, ins, outs, where),
    "VAR_HANDLE": lambda g, options, ins, outs, where: g.var_handle(options, outs),
    "READ_VARIABLE": lambda g, options, ins, outs, where: g.read_variable(ins, outs, where),
    "ASSIGN_VARIABLE": lambda g, options, ins, outs, where: g.assign_variable(ins, where),
    "HASHTABLE": lambda g, options, ins, outs, where: g.hashtable(options, outs),
    "HASHTABLE_IMPORT": lambda g, options, ins, outs, where: g.hashtable_import(ins),
    "HASHTABLE_FIND": lambda g, options, ins, outs, where: g.find(ins, outs, where),
    "HASHTABLE_SIZE": lambda g, options, ins, outs, where: g.table_size(ins, outs, where),
}
