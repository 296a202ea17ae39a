"""A function of TensorFlow's ops as nodes of a graph, its regions as functions of a library.

Values of a region that are defined around it become arguments of its function, variables by their handles; small
constants are made where they are used.  Sources: graph.proto, function.proto (tensors of functions are
`node:result:number`), functional_ops.cc.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.dialects.tf import OpDef, find_op
from mlconv.dialects.tf_types import NUMBERS, RESOURCE
from mlconv.exporters.savedmodel.debug import DebugInfo
from mlconv.exporters.savedmodel.messages import ConstNode, fill_attribute, fill_shape, is_compact, number_of, set_type
from mlconv.exporters.savedmodel.names import Names, ends
from mlconv.formats.protos import tf_pb
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Op, OpaqueOp, Region, Value, Yield, captures, walk
from mlconv.ir.equal_constants import EqualConstants
from mlconv.ir.module import Function
from mlconv.ir.types import Shape, TensorType
from mlconv.provenance.locations import Location, first_name

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import FunctionDef, NodeDef

PREFIX = "tf."
_EFFECTS = frozenset({"AssignVariableOp"})
_RANDOM = frozenset({"RandomUniform", "RandomStandardNormal"})
_VARIABLE_OPS = frozenset({"ReadVariableOp", "AssignVariableOp"})
Outer: TypeAlias = Union[Value, str]
"""What a region takes from around it: a value, or a variable by its name."""


class Shared:
    """What the graph and the functions of one file have in common.

    weights: names of variables by the constants that they hold, where the format has variables; None where all
    constants stand in the graph.
    """

    def __init__(self, weights: Weights | None) -> None:
        self.weights = weights
        self.debug = DebugInfo()
        self.library: list[FunctionDef] = []
        self.functions = Names()


class Weights:
    """Constants that are variables of the file: those that are not compact, of elements that a bundle has, and the
    initial values of the model's own.

    constants: by name, which is the variable's in the checkpoint.  handles: the nodes of their handles.  trained: names
    of those that were constants.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.constants: dict[str, Const] = {}
        self.handles: dict[str, str] = {}
        self.trained: set[str] = set()
        self._known: dict[Hashable, str] = {}
        self._equal = EqualConstants()

    def takes(self, constant: Const) -> bool:
        """The constant is stored as a variable."""
        return constant.dtype in NUMBERS and constant.dtype.bits >= 8 and not is_compact(constant)

    def name_of(self, constant: Const, base: str) -> str:
        """The variable of a constant; equal ones share it."""
        key = self._equal.number(constant)
        if key not in self._known:
            name = self._known[key] = self.names.unused(base)
            self.constants[name], self.handles[name] = constant, name
            self.trained.add(name)
        return self._known[key]

    def add(self, name: str, constant: Const) -> None:
        """A variable of the model itself, which several functions may share."""
        if name not in self.constants:
            self.constants[name], self.handles[name] = constant, self.names.unused(name)


class Scope:
    """Nodes of a graph or of a function, and what its values are called there.

    function: its name; empty for the graph.  nodes: messages, and constants that are streamed.
    """

    def __init__(self, shared: Shared, names: Names, function: str = "", prefix: str = "") -> None:
        self.shared, self.names, self.function, self.prefix = shared, names, function, prefix
        self.nodes: list[NodeDef | ConstNode] = []
        self.tensors: dict[Outer, str] = {}
        self.read_weights: dict[str, str] = {}  # nodes that read variables of constants
        self.change = ""  # the node that changed variables last
        self.reads: list[str] = []  # those that have read variables since

    def node(
        self, base: str, op: str, inputs: Sequence[str] = (), location: Location | None = None, name: str = ""
    ) -> NodeDef:
        """A new node.  name: that is kept for it; else it gets one like `base`."""
        proto: NodeDef = tf_pb("framework.node_def_pb2").NodeDef()
        proto.name, proto.op = name or self.names.unused(self.prefix + base), op
        proto.input.extend(inputs)
        self.nodes.append(proto)
        self.shared.debug.add(proto.name, self.function, location)
        return proto

    def bind(self, value: Outer, node: NodeDef, result: int = 0, formal: str = "") -> None:
        """Note what a value is called."""
        if self.function:
            self.tensors[value] = f"{node.name}:{formal}:{result}"
        else:
            self.tensors[value] = f"{node.name}:{result}" if result else node.name

    def tensor(self, value: Value) -> str:
        """What a value is called here; constants are made when they are first asked for."""
        if value not in self.tensors:
            op = value.producer
            if not isinstance(op, Constant):
                raise ConversionError(Code.InternalError, f"%{value.name} has no node where it is used")
            self._constant(op)
        return self.tensors[value]

    def _constant(self, op: Constant) -> None:
        base = op.y.name or first_name(op.location) or "Const"
        weights = self.shared.weights
        if weights is not None and weights.takes(op.value):
            name = weights.name_of(op.value, base)
            if name not in self.read_weights:
                read = self.node(f"{name}/Read/ReadVariableOp", "ReadVariableOp", [self.handle(name)], op.location)
                set_type(read, "dtype", NUMBERS[op.value.dtype])
                self.read_weights[name] = read.name
            self.tensors[op.y] = self.read_weights[name]
            return
        if is_compact(op.value):
            node = self.node(base, "Const", (), op.location)
            set_type(node, "dtype", NUMBERS[op.value.dtype])
            fill_attribute(node.attr["value"], "tensor", op.value)
            self.bind(op.y, node, 0, "output")
            return
        streamed = ConstNode(self.names.unused(self.prefix + base), op.value)
        self.nodes.append(streamed)
        self.shared.debug.add(streamed.name, self.function, op.location)
        self.tensors[op.y] = f"{streamed.name}:output:0" if self.function else streamed.name

    def handle(self, variable: str) -> str:
        """The handle of a variable."""
        if variable in self.tensors or self.shared.weights is None:
            return self.tensors[variable]
        return self.shared.weights.handles[variable]

    def block(self, block: Block) -> None:
        """The ops of a block in order."""
        self.names.keep(self.prefix + first_name(op.location) for op in block.ops)
        for op in block.ops:
            if not isinstance(op, (Constant, Yield)):
                self.op(op)

    def op(self, op: Op) -> None:
        """One op."""
        if not isinstance(op, OpaqueOp) or not op.name.startswith(PREFIX):
            raise ConversionError(Code.TargetLacksOp, f"{op.describe()} is not an op of TensorFlow")
        name = op.name.removeprefix(PREFIX)
        if op.regions:
            self._control(op, name)
            return
        spec = find_op(name)
        if spec is None:
            raise ConversionError(Code.TargetLacksOp, f"TensorFlow has no op {name}", location=op.location)
        inputs = [self.tensor(v) for v in op.inputs]
        attributes = dict(op.attributes)
        if name in _VARIABLE_OPS:
            inputs.insert(0, self.handle(str(attributes.pop("variable"))))
            of = attributes.pop("of", None) or op.inputs[0].tensor
            attributes["dtype"] = of.dtype
        node = self.node(first_name(op.location) or name, name, inputs, op.location)
        for key, value in attributes.items():
            if key in spec.attrs:
                fill_attribute(node.attr[key], spec.attrs[key].kind, value)
        self._results(op, node, spec)
        if name in _VARIABLE_OPS:
            self._order(node, changes=name in _EFFECTS)

    def _results(self, op: Op, node: NodeDef, spec: OpDef) -> None:
        single = sum(1 for f in spec.outputs if not (f.number or f.types))
        at = 0
        for formal in spec.outputs:
            count = len(op.results) - single if formal.number or formal.types else 1
            for i in range(count):
                result = at + i
                self.bind(op.results[result], node, i if self.function else result, formal.name)
            at += count

    def _order(self, node: NodeDef, changes: bool) -> None:
        """Reads stand behind the change before them, changes behind all that came before."""
        node.input.extend(f"^{name}" for name in self.last(with_reads=changes))
        if changes:
            self.change, self.reads = node.name, []
        else:
            self.reads.append(node.name)

    def last(self, *, with_reads: bool) -> list[str]:
        """What has to do with variables so far, less what stands in front of that."""
        before = [self.change] if self.change else []
        return [*before, *self.reads] if with_reads else before

    def _control(self, op: Op, name: str) -> None:
        """If and While: regions are functions, what these take from around them further operands."""
        outer: dict[Outer, None] = {}
        for region in op.regions:
            outer.update(dict.fromkeys(self._outer(region)))
        extra = list(outer)
        base = first_name(op.location) or name
        changes = any(_changes(region) for region in op.regions)
        is_stateful = changes or any(isinstance(x, str) for x in extra) or any(_is_random(r) for r in op.regions)
        kind = name if is_stateful else f"Stateless{name}"
        labels = ("cond", "body") if name == "While" else ("true", "false")
        functions = [
            self._function(f"{base}_{label}", region, extra, loops=name == "While" and label == "body")
            for label, region in zip(labels, op.regions, strict=True)
        ]
        inputs = [*map(self.tensor, op.inputs), *(self._outer_tensor(x) for x in extra)]
        node = self.node(base, kind, inputs, op.location)
        self._control_attributes(node, op, name, extra, functions)
        for i, value in enumerate(op.results):
            self.bind(value, node, i, "output")
        if changes or any(isinstance(x, str) for x in extra):
            self._order(node, changes)

    def _control_attributes(
        self, node: NodeDef, op: Op, name: str, extra: Sequence[Outer], functions: Sequence[str]
    ) -> None:
        more = [_number_of(x, "a captured value") for x in extra]
        results = [number_of(v.type, f"a result of {node.name}") for v in op.results]
        shapes: list[Shape | None] = [v.tensor.shape for v in op.results]
        if name == "While":
            node.attr["T"].list.type.extend([*results, *more])
            node.attr["cond"].func.name, node.attr["body"].func.name = functions
            shapes += [() if isinstance(x, str) else x.tensor.shape for x in extra]
        else:
            set_type(node, "Tcond", number_of(op.inputs[0].type, "a condition"))
            node.attr["Tin"].list.SetInParent()
            node.attr["Tin"].list.type.extend(more)
            node.attr["Tout"].list.SetInParent()
            node.attr["Tout"].list.type.extend(results)
            node.attr["then_branch"].func.name, node.attr["else_branch"].func.name = functions
        node.attr["output_shapes"].list.SetInParent()
        for shape in shapes:
            fill_shape(node.attr["output_shapes"].list.shape.add(), shape)

    def _outer(self, region: Region) -> list[Outer]:
        """What the function of a region takes from around it, in order."""
        found: dict[Outer, None] = {}
        for value in captures(region):
            op = value.producer
            if not isinstance(op, Constant) or not is_compact(op.value):
                found.setdefault(value)
        for op in walk(region.block):
            if isinstance(op, Constant) and not is_compact(op.value):
                found.setdefault(op.y)
            elif op.name.removeprefix(PREFIX) in _VARIABLE_OPS:
                found.setdefault(str(op.attributes["variable"]))
        return list(found)

    def _outer_tensor(self, outer: Outer) -> str:
        return self.handle(outer) if isinstance(outer, str) else self.tensor(outer)

    def _function(self, base: str, region: Region, extra: Sequence[Outer], loops: bool) -> str:
        """A region as a function of the library; returns its name.  loops: it hands on what it takes from around."""
        block = region.block
        proto: FunctionDef = tf_pb("framework.function_pb2").FunctionDef()
        title = proto.signature.name = self.shared.functions.unused(base).replace("/", "_").replace(".", "_")
        scope = Scope(self.shared, Names(), title)
        taken: list[Outer] = [*block.arguments, *extra]
        for i, value in enumerate(taken):
            name = scope.names.unused(f"arg{i}")
            proto.signature.input_arg.add(name=name, type=_number_of(value, "an argument"))
            scope.tensors[value] = name
        scope.block(block)
        given: list[Outer] = [*block.outputs, *(extra if loops else ())]
        for i, value in enumerate(given):
            proto.signature.output_arg.add(name=f"ret{i}", type=_number_of(value, "a result"))
            proto.ret[f"ret{i}"] = scope._outer_tensor(value)
        if scope.change:
            proto.signature.is_stateful = True
            proto.signature.control_output.append(scope.change)
            proto.control_ret[scope.change] = scope.change
        proto.node_def.extend(scope.messages())
        self.shared.library.append(proto)
        return title

    def messages(self) -> list[NodeDef]:
        """All nodes as messages, constants with their numbers."""
        found: list[NodeDef] = []
        for node in self.nodes:
            if isinstance(node, ConstNode):
                whole: NodeDef = tf_pb("framework.node_def_pb2").NodeDef()
                whole.ParseFromString(b"".join(bytes(piece) for piece in node.pieces()))
                found.append(whole)
            else:
                found.append(node)
        return found


def _number_of(outer: Outer, what: str) -> int:
    """The DataType of what a region takes."""
    return NUMBERS[RESOURCE] if isinstance(outer, str) else number_of(outer.type, what)


def _changes(region: Region) -> bool:
    return any(op.name == f"{PREFIX}AssignVariableOp" for op in walk(region.block))


def _is_random(region: Region) -> bool:
    return any(op.name.removeprefix(PREFIX) in _RANDOM for op in walk(region.block))


class Interface:
    """The graph's ends for one function: names of its tensors by those of inputs and outputs."""

    def __init__(self, scope: Scope, function: Function) -> None:
        self.inputs: dict[str, tuple[str, TensorType]] = {}
        self.outputs: dict[str, tuple[str, TensorType]] = {}
        taken, given = ends(scope.names, function.input_names, function.output_names, scope.prefix)
        for value, own in zip(function.inputs, taken, strict=True):
            node = scope.node(own, "Placeholder", name=own)
            set_type(node, "dtype", number_of(value.type, f"input {value.name}"))
            fill_shape(node.attr["shape"].shape, value.tensor.shape)
            scope.bind(value, node)
            self.inputs[value.name] = f"{own}:0", value.tensor
        scope.block(function.block)
        waits = [f"^{name}" for name in scope.last(with_reads=False)]
        for name, own, value in zip(function.output_names, given, function.outputs, strict=True):
            node = scope.node(own, "Identity", [scope.tensor(value), *waits], function.location, own)
            set_type(node, "T", number_of(value.type, f"output {name}"))
            self.outputs[name] = f"{own}:0", value.tensor
