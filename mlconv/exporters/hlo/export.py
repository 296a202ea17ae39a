"""A module of HLO ops to an HloModuleProto file.

The main function becomes the entry computation, whose root is a tuple of the outputs; regions become computations that
stand before their callers. Values that a region of `while` or `conditional` uses from around it go along in its tuple;
small constants are repeated inside instead. Instructions are protobuf messages; literals are framed by hand and
streamed behind their instruction, so that weights are not held in memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.dialects.hlo import TUPLED, HloOp
from mlconv.exporters.hlo.instruction import FIELDS, check_written
from mlconv.exporters.hlo.metadata import Frames, fill_metadata
from mlconv.exporters.hlo.shapes import Literal, fill_shape, tag
from mlconv.exporters.hlo.sharding import Sharding
from mlconv.exporters.hlo.weights import holds, write_weights
from mlconv.formats.atomic import replacing, write_pieces
from mlconv.formats.protos import hlo_pb
from mlconv.formats.wire import varint_bytes
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Op, Value, Yield, captures
from mlconv.ir.module import Function, Module
from mlconv.ir.traits import Capturing
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import Location, first_name

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import HloInstructionProto, OpSharding, ProgramShapeProto


SMALL_BYTES = 1 << 10  # constants up to this size are repeated in regions, and written once in each computation
PROTO_LIMIT = (1 << 31) - (1 << 20)
_LITERAL_FIELD, _INSTRUCTIONS_FIELD, _COMPUTATIONS_FIELD = 8, 2, 3
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


def export(
    module: Module, path: Path | str, weights_as_parameters: bool = False, sharding: Sharding | None = None
) -> int:
    """Write the main function of `module` to `path`; returns the size in bytes.  Raises ConversionError
    (TensorTooLarge, TargetLacksType, ArtifactInvalid, OutputNotWritable, ...).

    HLO has no names for outputs and binds by position; `path`.json beside it lists the names of inputs and outputs in
    order, and which output is what the next run takes as which input; of a module with sizes that have a range also
    these (`legalize.to_hlo.dynamic_sizes.symbols`).
    weights_as_parameters: constants above `SMALL_BYTES` become parameters behind the inputs, their data go to
    `path`.safetensors; the list has their names.
    sharding: how parameters, constants and results are cut over devices.
    """
    target = Path(path)
    if len(module.functions) > 1:
        names = ", ".join(f.signature for f in module.functions)
        raise ConversionError(
            Code.TargetLacksType,
            f"an HLO module has one entry, the model has the signatures {names}",
            help="choose one with --signature NAME",
        )
    builder = _Module(weights_as_parameters, sharding or Sharding((), ()))
    builder.entry(module.main)
    builder.sharding.check_used()
    pieces = builder.pieces(module.main)
    if builder.nbytes > PROTO_LIMIT:
        why = f"the module takes {builder.nbytes} bytes, and a protobuf message holds at most 2 GB"
        raise ConversionError(
            Code.TensorTooLarge, why, help="--weights parameters keeps the weights in a file of their own"
        )
    with replacing(target) as out:
        size = write_pieces(out, pieces)
    names_of: dict[str, object] = {
        "inputs": module.main.input_names,
        "outputs": module.main.output_names,
        **_sizes(module.main),
    }
    state = module.main.facts.state_rows
    if state:
        names_of["state"] = [row._asdict() for row in state]
    if weights_as_parameters:
        names_of["weights"] = list(builder.weights)
        size += write_weights(builder.weights, Path(f"{target}.safetensors"))
    with replacing(Path(f"{target}.json")) as out:
        out.write((json.dumps(names_of, indent=1) + "\n").encode())
    return size


def _sizes(function: Function) -> dict[str, Any]:
    """How a caller gives and takes sizes: names of the model's own inputs and outputs, ranges, symbolic shapes, and
    what sizes must fulfil besides their ranges.
    """
    sizes = function.facts.sizes
    if sizes is None:
        return {}
    shapes = {n: [d if isinstance(d, int) else str(d) for d in shape] for n, shape in sizes.shapes.items()}
    return {
        **sizes._asdict(),
        "sizes": [size._asdict() for size in sizes.sizes],
        "counted": [size._asdict() for size in sizes.counted],
        "shapes": shapes,
        "conditions": [c.as_json() for c in function.facts.conditions],
    }


def clean(name: str) -> str:
    """A name with only what HLO allows in names."""
    text = _NOT_IN_NAMES.sub("_", name)
    return text if text and not text[0].isdigit() and text[0] != "-" else f"_{text}"


def constant_name(op: Op) -> str:
    """A name for a constant: that of its value or of its node in the source."""
    named = first_name(op.location)
    return op.results[0].name or named or "weight"


class _Module:
    """Collects computations."""

    def __init__(self, weights_as_parameters: bool, sharding: Sharding) -> None:
        self.weights_as_parameters, self.sharding = weights_as_parameters, sharding
        self.weights: dict[str, Const] = {}
        self.frames = Frames()
        self.computations: list[_Computation] = []
        self.last_id = 0

    def new_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def entry(self, function: Function) -> None:
        """The entry computation."""
        entry = _Computation(self, "main", is_entry=True)
        for i, value in enumerate(function.inputs):
            entry.parameter(i, value, function.location)
        entry.fill(function.block, as_tuple=True, names=function.output_names)

    @property
    def nbytes(self) -> int:
        """The size of the computations."""
        return sum(c.nbytes for c in self.computations)

    def weight_name(self, op: Op) -> str:
        """A name for a constant, made distinct."""
        base = constant_name(op)
        name, k = base, 1
        while name in self.weights:
            name, k = f"{base}_{k}", k + 1
        return name

    def pieces(self, function: Function) -> Iterator[bytes | memoryview]:
        """The file's bytes in order."""
        head = hlo_pb().HloModuleProto()
        entry = self.computations[-1]
        head.name = clean(f"mlconv_{function.name or 'main'}")
        head.entry_computation_name, head.entry_computation_id = entry.name, entry.id
        entry.program_shape(head.host_program_shape)
        self.frames.fill(head.stack_frame_index)
        yield head.SerializeToString(deterministic=True)
        for computation in self.computations:
            yield tag(_COMPUTATIONS_FIELD) + varint_bytes(computation.nbytes)
            yield from computation.pieces()


class _Computation:
    """One computation being filled."""

    def __init__(self, module: _Module, name: str, is_entry: bool = False) -> None:
        self.module, self.is_entry = module, is_entry
        self.base = name
        self.id, self.root = 0, 0
        self.parameters: list[tuple[str, TensorType | Sequence[TensorType]]] = []
        self.result: TensorType | Sequence[TensorType] = ()
        self.index: dict[Value, int] = {}
        self.small: dict[Any, int] = {}
        self.instructions: list[tuple[bytes, Literal | None]] = []

    # -- the bytes ---------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return f"{self.base}.{self.id}"

    def _tail(self) -> bytes:
        proto = hlo_pb().HloComputationProto(name=self.name, id=self.id, root_id=self.root)
        self.program_shape(proto.program_shape)
        data: bytes = proto.SerializeToString(deterministic=True)
        return data

    def program_shape(self, proto: ProgramShapeProto) -> None:
        """Types of parameters and result."""
        for name, type_ in self.parameters:
            fill_shape(proto.parameters.add(), type_)
            proto.parameter_names.append(name)
        fill_shape(proto.result, self.result)

    @property
    def nbytes(self) -> int:
        sizes = (len(head) + (literal.nbytes if literal is not None else 0) for head, literal in self.instructions)
        return sum(1 + len(varint_bytes(n)) + n for n in sizes) + len(self._tail())

    def pieces(self) -> Iterator[bytes | memoryview]:
        """The message in order."""
        for head, literal in self.instructions:
            size = len(head) + (literal.nbytes if literal is not None else 0)
            yield tag(_INSTRUCTIONS_FIELD) + varint_bytes(size) + head
            if literal is not None:
                yield from literal.pieces()
        yield self._tail()

    # -- instructions ------------------------------------------------------------------------------

    def new(
        self, opcode: str, type_: TensorType | Sequence[TensorType], operands: Sequence[int], name: str = ""
    ) -> HloInstructionProto:
        """A new instruction message."""
        number = self.module.new_id()
        proto: HloInstructionProto = hlo_pb().HloInstructionProto(
            opcode=opcode, id=number, name=f"{clean(name or opcode)}.{number}"
        )
        proto.operand_ids.extend(operands)
        fill_shape(proto.shape, type_)
        return proto

    def put(self, proto: HloInstructionProto, literal: Literal | None = None) -> int:
        """Append an instruction; its id."""
        self.instructions.append((proto.SerializeToString(deterministic=True), literal))
        return proto.id

    def parameter(self, i: int, value: Value, location: Location | None) -> None:
        """A parameter for a value."""
        name = clean(value.name or f"arg{i}")
        proto = self.new("parameter", value.tensor, (), name)
        proto.parameter_number = i
        if location is not None:
            proto.metadata.op_name = value.name
            self.shard(proto, self.module.sharding.of(value.name, value.tensor))
        self.parameters.append((name, value.tensor))
        self.index[value] = self.put(proto)

    def tuple_parameter(self, values: Sequence[Value]) -> None:
        """One parameter that holds all values."""
        types = [v.tensor for v in values]
        proto = self.new("parameter", types, (), "arg_tuple")
        self.parameters.append(("arg_tuple", types))
        whole = self.put(proto)
        for i, value in enumerate(values):
            self.element(whole, i, value)

    def element(self, whole: int, i: int, value: Value) -> None:
        """Element i of a tuple stands for a value."""
        proto = self.new("get-tuple-element", value.tensor, (whole,))
        proto.tuple_index = i
        self.index[value] = self.put(proto)

    def make_tuple(self, ids: Sequence[int], types: Sequence[TensorType], names: Sequence[str] = ()) -> int:
        """A tuple; names are those of the module's outputs when it is its root."""
        proto = self.new("tuple", list(types), ids)
        self.shard(proto, self.module.sharding.of_results(list(zip(names, types, strict=False))) if names else None)
        return self.put(proto)

    def shard(self, proto: HloInstructionProto, sharding: OpSharding | None) -> None:
        """Annotate an instruction."""
        if sharding is not None:
            proto.sharding.CopyFrom(sharding)
            proto.sharding.SetInParent()

    def id_of(self, value: Value) -> int:
        """The instruction of a value.  Constants are written on first use."""
        found = self.index.get(value)
        if found is None:
            producer = value.producer
            if not isinstance(producer, Constant):
                raise ConversionError(
                    Code.ArtifactInvalid, f"an instruction uses {value!r}, which nothing in its computation makes"
                )
            found = self.index[value] = self.constant(producer.value, producer)
        return found

    def constant(self, constant: Const, op: Op) -> int:
        """A constant; equal small ones are written once."""
        key = (constant.dtype, constant.shape, constant.view().tobytes()) if constant.nbytes <= SMALL_BYTES else None
        if key is not None and key in self.small:
            return self.small[key]
        if key is None and self.is_entry and self.module.weights_as_parameters and holds(constant.dtype):
            return self.weight(constant, op)
        proto = self.new("constant", TensorType(constant.dtype, constant.shape), ())
        fill_metadata(proto.metadata, op.location, "", self.module.frames)
        if self.is_entry and self.module.sharding.rules and constant.nbytes > SMALL_BYTES:
            self.shard(
                proto, self.module.sharding.of(self.module.weight_name(op), TensorType(constant.dtype, constant.shape))
            )
        number = self.put(proto, Literal(constant, _LITERAL_FIELD))
        if key is not None:
            self.small[key] = number
        return number

    def weight(self, constant: Const, op: Op) -> int:
        """A constant as a parameter."""
        name = self.module.weight_name(op)
        type_ = TensorType(constant.dtype, constant.shape)
        proto = self.new("parameter", type_, (), name)
        proto.parameter_number = len(self.parameters)
        self.shard(proto, self.module.sharding.of(name, type_))
        fill_metadata(proto.metadata, op.location, "", self.module.frames)
        self.module.weights[name] = constant
        self.parameters.append((clean(name), type_))
        return self.put(proto)

    # -- blocks ------------------------------------------------------------------------------------

    def fill(self, block: Block, as_tuple: bool, extra: Sequence[Value] = (), names: Sequence[str] = ()) -> int:
        """The ops of a block; the root is its only result, or a tuple of all results and `extra`.  Returns the id of
        the computation.

        names: of the entry's results.
        """
        for op in block.ops:
            if isinstance(op, Yield):
                break
            if isinstance(op, HloOp):
                self.instruction(op)
            elif not isinstance(op, Constant):
                raise ConversionError(Code.TargetLacksOp, f"{op.describe()} is not an HLO op", location=op.location)
        results = [*block.outputs, *extra]
        ids = [self.id_of(v) for v in results]
        types = [v.tensor for v in results]
        if as_tuple or len(ids) != 1:
            self.root, self.result = self.make_tuple(ids, types, names), types
        else:
            self.root, self.result = ids[0], types[0]
        self.id = self.module.new_id()
        self.module.computations.append(self)
        return self.id

    def instruction(self, op: HloOp) -> None:
        """One op, with the computations that it calls before."""
        check_written(op)
        called: list[int] = []
        operands = [self.id_of(v) for v in op.inputs]
        types = [v.tensor for v in op.results]
        if Capturing in op.spec.traits:
            operands, types, called = self.control(op, operands)
        else:
            called = [self.region(region.block, f"{op.opcode}_region") for region in op.regions]
        as_tuple = op.opcode in TUPLED or len(types) > 1
        proto = self.new(op.opcode, types if as_tuple else types[0], operands, op.opcode)
        proto.called_computation_ids.extend(called)
        fields = FIELDS.get(op.opcode)
        if fields is not None:
            fields(proto, op)
        fill_metadata(proto.metadata, op.location, op.attributes.get("op_type", ""), self.module.frames)
        number = self.put(proto)
        if not as_tuple:
            self.index[op.results[0]] = number
            return
        for i, value in enumerate(op.results):
            if value.uses:
                self.element(number, i, value)

    def region(self, block: Block, name: str) -> int:
        """A computation of scalars."""
        inner = _Computation(self.module, clean(name))
        for i, value in enumerate(block.arguments):
            inner.parameter(i, value, None)
        return inner.fill(block, as_tuple=False)

    def control(self, op: HloOp, operands: list[int]) -> tuple[list[int], list[TensorType], list[int]]:
        """Operands, result types and computations of `while` and `conditional`; what the regions capture goes along."""
        types = [v.tensor for v in op.results]
        if op.opcode == "conditional":
            tuples, called = [], []
            for region, name in zip(op.regions, ("true", "false"), strict=True):
                outer = _passed(captures(region))
                tuples.append(self.make_tuple([self.id_of(v) for v in outer], [v.tensor for v in outer]))
                inner = _Computation(self.module, f"{name}_region")
                inner.tuple_parameter(outer)
                called.append(inner.fill(region.block, as_tuple=True))
            return [*operands, *tuples], types, called
        cond, body = op.regions
        outer = _passed([*captures(cond), *captures(body)])
        types = [*types, *(v.tensor for v in outer)]
        start = self.make_tuple([*operands, *(self.id_of(v) for v in outer)], types)
        test = _Computation(self.module, "while_cond")
        test.tuple_parameter([*cond.block.arguments, *outer])
        turn = _Computation(self.module, "while_body")
        turn.tuple_parameter([*body.block.arguments, *outer])
        called = [turn.fill(body.block, as_tuple=True, extra=outer), test.fill(cond.block, as_tuple=False)]
        return [start], types, called


def _passed(values: list[Value]) -> list[Value]:
    """The values that must be handed to a region, each once: all but small constants, which it repeats."""
    return [
        v
        for v in dict.fromkeys(values)
        if not (isinstance(v.producer, Constant) and v.producer.value.nbytes <= SMALL_BYTES)
    ]
