"""HloModuleProto to a function of `hlo.*` source ops.

Tuples are taken apart: a tuple is a list of values here and never becomes a value itself.  Calls and fusions are
inlined; `while`, `conditional` and the ops that combine scalars keep their computations as regions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.dialects.source import SourceOp
from mlconv.formats import wire
from mlconv.formats.protos import hlo_pb
from mlconv.importers.hlo.attributes import attributes_of
from mlconv.importers.hlo.literals import TUPLE, Literals, tensor_type
from mlconv.importers.hlo.locations import Stacks
from mlconv.importers.hlo.names import apply_names
from mlconv.importers.loaded import LoadedModel
from mlconv.importers.value_names import distinct
from mlconv.ir.builder import Builder
from mlconv.ir.constants import SourceFile
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import Location, NameLocation

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import HloComputationProto, HloInstructionProto, HloModuleProto, ShapeProto


MAX_DEPTH = 48
MAX_OPS = 1_000_000
Tree: TypeAlias = Union[Value, "list[Tree]"]
_DEFAULT_NAME = re.compile(r"(p|arg|param|Arg_|arg_|param_|parameter)?[\d._]*")
_THROUGH = frozenset({"copy", "optimization-barrier"})  # a copy changes the layout in memory only
_SCALAR_REGIONS = frozenset({"reduce", "reduce-window", "scatter", "sort", "map", "select-and-scatter"})


def import_hlo(path: str) -> LoadedModel:
    """Read a file.  Raises ConversionError InputNotReadable, FileDamaged (not a proto), InputNotProduced (dangling id),
    NestedTooDeeply (nesting).
    """
    return _importer(path).module(path)


def entry_types(path: str) -> tuple[list[TensorType], list[TensorType]]:
    """Types of what the entry of a file takes and gives, in order.  Raises ConversionError InputNotReadable,
    FileDamaged, and what types may raise.
    """
    shape = _importer(path).entry.program_shape
    return [t for p in shape.parameters for t in leaves(p)], list(leaves(shape.result))


def _importer(path: str) -> _Importer:
    from google.protobuf.message import DecodeError

    file = SourceFile(path)
    try:
        size = os.path.getsize(path)
        reduced = wire.reduce(file.map() if size else b"", wire.HLO, "HloModuleProto")
        proto = hlo_pb().HloModuleProto.FromString(reduced.proto)
    except OSError as e:
        raise ConversionError(Code.InputNotReadable, f"{path}: {e.strerror}") from e
    except DecodeError as e:
        raise ConversionError(Code.FileDamaged, f"{path} is not a whole HloModuleProto: {e}") from e
    if not proto.computations:
        raise ConversionError(Code.FileDamaged, f"{path} is an HloModuleProto without computations")
    return _Importer(proto, Literals(file, reduced))


class _Importer:
    """One module being read."""

    def __init__(self, proto: HloModuleProto, literals: Literals) -> None:
        self.proto, self.literals = proto, literals
        self.computations = {c.id: c for c in proto.computations}
        self.layouts: dict[int, tuple[int, ...]] = {}  # of bitcasts' operands, filled when the first one is met
        self.stacks = Stacks(proto.stack_frame_index)

    @property
    def entry(self) -> HloComputationProto:
        return self.computations.get(self.proto.entry_computation_id) or self.proto.computations[-1]

    def module(self, path: str) -> LoadedModel:
        entry = self.entry
        parameters = sorted(
            (i for i in entry.instructions if i.opcode == "parameter"), key=lambda i: i.parameter_number
        )
        names: list[str] = []
        types: list[TensorType] = []
        given = list(self.proto.host_program_shape.parameter_names) or list(entry.program_shape.parameter_names)
        for i, p in enumerate(parameters):
            name = given[i] if i < len(given) and not _DEFAULT_NAME.fullmatch(given[i]) else f"arg{i}"
            parts = list(leaves(p.shape))
            types += parts
            names += [name if p.shape.element_type != TUPLE else f"{name}.{k}" for k in range(len(parts))]
        location = NameLocation(self.proto.name or "hlo")
        if self.inlined(entry, {}, 0) > MAX_OPS:
            raise ConversionError(
                Code.NestedTooDeeply,
                f"the module has more than {MAX_OPS} instructions once calls are inlined",
                location=location,
            )
        function = Function.create("main", types, distinct(names), location)
        values = iter(function.inputs)
        arguments = [unflatten(p.shape, values) for p in parameters]
        outputs = list(flatten(self.computation(entry, arguments, function.block, 0)))
        function.block.insert(Yield(outputs, location))
        function.output_names = [f"out{i}" for i in range(len(outputs))]
        apply_names(function, path)
        beside = tuple(name for name in (f"{path}.json", f"{path}.safetensors") if os.path.exists(name))
        module = Module([function], {"format": "hlo", "producer": self.proto.name, "path": path})
        return LoadedModel(module, beside)

    def inlined(self, computation: HloComputationProto, known: dict[int, int], depth: int) -> int:
        """How many instructions a computation has once what it calls stands in it.  known: of computations that were
        counted.
        """
        if depth > MAX_DEPTH:
            raise _too_deep(computation)
        if computation.id not in known:
            callees = [
                self.computations[i]
                for p in computation.instructions
                for i in p.called_computation_ids
                if i in self.computations
            ]
            known[computation.id] = len(computation.instructions) + sum(
                self.inlined(c, known, depth + 1) for c in callees
            )
        return known[computation.id]

    def called(self, instruction: HloInstructionProto, i: int) -> HloComputationProto:
        ids = instruction.called_computation_ids
        found = self.computations.get(ids[i]) if i < len(ids) else None
        if found is None:
            raise ConversionError(Code.InputNotProduced, f"{instruction.name} calls a computation that does not exist")
        return found

    def computation(
        self,
        computation: HloComputationProto,
        arguments: Sequence[Tree],
        block: Block,
        depth: int,
        caller: Location | None = None,
    ) -> Tree:
        """Emit the instructions of a computation into a block; its root.  caller: where the instruction is that calls
        it.
        """
        if depth > MAX_DEPTH:
            raise _too_deep(computation)
        env: dict[int, Tree] = {}
        last: Tree = []
        for instruction in computation.instructions:
            where = self.stacks.location(instruction.name, instruction.metadata, caller)
            try:
                operands = [env[i] for i in instruction.operand_ids]
            except KeyError as e:
                why = f"{instruction.name} uses instruction {e.args[0]}, which does not exist or comes later"
                raise ConversionError(Code.InputNotProduced, why, location=where) from e
            try:
                last = env[instruction.id] = self.instruction(instruction, operands, arguments, block, where, depth)
            except ConversionError as error:
                if error.diagnostics:
                    raise
                raise ConversionError.of(
                    [error.with_context(where, instruction.name, f"hlo.{instruction.opcode}")]
                ) from error
        return env.get(computation.root_id, last)

    def instruction(
        self,
        p: HloInstructionProto,
        operands: list[Tree],
        arguments: Sequence[Tree],
        block: Block,
        where: Location,
        depth: int,
    ) -> Tree:
        """One instruction; returns what stands for its result."""
        opcode = p.opcode
        if opcode == "parameter":
            if not 0 <= p.parameter_number < len(arguments):
                raise ConversionError(
                    Code.WrongArity, f"{p.name} is parameter {p.parameter_number} of {len(arguments)}"
                )
            return arguments[int(p.parameter_number)]
        if opcode == "constant" and p.shape.element_type != TUPLE:
            return Builder(block, where).emit(Constant(value=self.literals.literal(p.literal))).y
        if opcode == "tuple":
            return list(operands)
        if opcode == "get-tuple-element":
            parts = operands[0] if operands else []
            if isinstance(parts, Value) or not 0 <= p.tuple_index < len(parts):
                raise ConversionError(
                    Code.WrongArity, f"{p.name} takes element {p.tuple_index} of what has no such element"
                )
            return parts[int(p.tuple_index)]
        if opcode in ("call", "fusion"):
            return self.computation(self.called(p, 0), operands, block, depth + 1, where)
        if opcode in _THROUGH and operands:
            return operands[0]
        return self.source_op(p, operands, block, where, depth)

    def source_op(
        self, p: HloInstructionProto, operands: list[Tree], block: Block, where: Location, depth: int
    ) -> Tree:
        """An op of the source dialect."""
        flat = list(flatten(operands))
        types = list(leaves(p.shape))
        attributes = attributes_of(p)
        regions: list[Region] = []
        if p.opcode == "while":
            regions = [self.loop_region(self.called(p, i), p.shape, types, where, depth) for i in (1, 0)]
        elif p.opcode == "conditional":
            branches = operands[1:]
            flat = list(flatten(operands[:1]))
            regions = [self.branch(self.called(p, i), [branch], where, depth) for i, branch in enumerate(branches)]
        elif p.opcode in _SCALAR_REGIONS:
            regions = [
                self.scalar_region(self.called(p, i), where, depth) for i in range(len(p.called_computation_ids))
            ]
        if p.opcode == "bitcast":
            attributes = {"from": _major(operands, p, self), "to": tuple(reversed(p.shape.layout.minor_to_major))}
        op = SourceOp(f"hlo.{p.opcode}", flat, attributes, types, regions, where)
        block.insert(op)
        for value in op.results:
            value.name = p.name
        return unflatten(p.shape, iter(op.results))

    def loop_region(
        self, computation: HloComputationProto, shape: ShapeProto, types: list[TensorType], where: Location, depth: int
    ) -> Region:
        inner = Block(types)
        tree = unflatten(shape, iter(inner.arguments))
        root = self.computation(computation, [tree], inner, depth + 1, where)
        inner.insert(Yield(list(flatten(root)), where))
        return Region(inner)

    def branch(self, computation: HloComputationProto, arguments: list[Tree], where: Location, depth: int) -> Region:
        inner = Block()
        root = self.computation(computation, arguments, inner, depth + 1, where)
        inner.insert(Yield(list(flatten(root)), where))
        return Region(inner)

    def scalar_region(self, computation: HloComputationProto, where: Location, depth: int) -> Region:
        parameters = sorted(
            (i for i in computation.instructions if i.opcode == "parameter"), key=lambda i: i.parameter_number
        )
        inner = Block([tensor_type(i.shape) for i in parameters])
        root = self.computation(computation, inner.arguments, inner, depth + 1, where)
        inner.insert(Yield(list(flatten(root)), where))
        return Region(inner)

    def layout_of(self, instruction_id: int) -> tuple[int, ...]:
        """Axes of an instruction's result from major to minor."""
        if not self.layouts:
            self.layouts = {
                i.id: tuple(reversed(i.shape.layout.minor_to_major))
                for c in self.proto.computations
                for i in c.instructions
            }
        return self.layouts.get(instruction_id, ())


def _too_deep(computation: HloComputationProto) -> ConversionError:
    return ConversionError(
        Code.NestedTooDeeply,
        f"computations call one another more than {MAX_DEPTH} deep",
        location=NameLocation(computation.name),
    )


def _major(operands: list[Tree], p: HloInstructionProto, importer: _Importer) -> tuple[int, ...]:
    """The order of the operand's axes in memory, which a bitcast sees.  Raises ConversionError WrongArity."""
    if len(operands) != 1:
        raise ConversionError(Code.WrongArity, f"{p.name} has {len(operands)} operands, expected 1")
    operand = operands[0]
    layout = importer.layout_of(p.operand_ids[0])
    rank = operand.tensor.rank if isinstance(operand, Value) else 0
    return layout if len(layout) == rank else tuple(range(rank or 0))


def leaves(shape: ShapeProto) -> Iterator[TensorType]:
    """Array types of a shape, tuples taken apart."""
    if shape.element_type != TUPLE:
        yield tensor_type(shape)
        return
    for part in shape.tuple_shapes:
        yield from leaves(part)


def unflatten(shape: ShapeProto, values: Iterator[Value]) -> Tree:
    """Values in the form of a shape."""
    return next(values) if shape.element_type != TUPLE else [unflatten(part, values) for part in shape.tuple_shapes]


def flatten(tree: Tree) -> Iterator[Value]:
    """The values of a tree in order."""
    if isinstance(tree, Value):
        yield tree
        return
    for part in tree:
        yield from flatten(part)
