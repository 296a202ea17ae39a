"""Graphs -> `tf.*` source ops.  Nothing is mapped: calls are inlined, control flow becomes ops with regions, ops that
only pass values on vanish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.source import SourceOp
from mlconv.dialects.tf_types import Element
from mlconv.importers.tf.attributes import MODULE, FunctionRef
from mlconv.importers.tf.composites import Composite, composite_of
from mlconv.importers.tf.cut import CASE, IF, WHILE
from mlconv.importers.tf.debug_info import DebugInfo
from mlconv.importers.tf.functions import MAX_NESTING, Library
from mlconv.importers.tf.graph import ARGUMENT, Graph, Node, Port, topological
from mlconv.importers.tf.loop_variables import invariant_variables, live_variables
from mlconv.importers.tf.saved_model.variables import CHANGES, changed
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType, Type

MAX_OPS: Final = 1_000_000
# These return their inputs; what else they do (gradients, checks, printing) does not matter to a converted model.
PASS_ON: Final = frozenset(
    {
        "Identity",
        "IdentityN",
        "RefIdentity",
        "StopGradient",
        "PreventGradient",
        "Snapshot",
        "PlaceholderWithDefault",
        "CheckNumerics",
        "CheckNumericsV2",
        "Print",
        "DebugIdentity",
        "DebugIdentityV2",
        "DebugIdentityV3",
        "OptimizationBarrier",
    }
)
_CALLS: Final = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
_LOOPS: Final = frozenset({"While", "StatelessWhile", WHILE})
_IFS: Final = frozenset({"If", "StatelessIf", IF})
_CASES: Final = frozenset({"Case", "StatelessCase", CASE})
_LEFT_OVER: Final = frozenset(
    {"Switch", "_SwitchN", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "RefSwitch", "RefMerge", "RefEnter"}
    | {"RefExit", "RefNextIteration"}
)
IMPORTED: Final = PASS_ON | _CALLS | _LOOPS | _IFS | _CASES | _LEFT_OVER | {MODULE[0]}
"""Kinds of ops of which none, or not what the file says, comes out as an op."""

Env = dict[Port, Value]


def too_many_ops() -> ConversionError:
    """The error for functions that call one another without bound."""
    return ConversionError(
        Code.NestedTooDeeply, f"the model has more than {MAX_OPS} ops once its functions are inlined"
    )


def values_of(ports: Sequence[Port], env: Env) -> list[Value]:
    """Values of ports.  Raises ConversionError InputNotProduced for a result that its node does not make: a call's
    function may have fewer than the node says.
    """
    for port in ports:
        if port not in env:
            raise ConversionError(
                Code.InputNotProduced,
                f"result {port.slot} of '{port.node.name}' ({port.node.op}) is used, but it makes no such result",
            )
    return [env[p] for p in ports]


def value_type(element: Element) -> Type:
    """The type of a value whose shape is not known yet."""
    return TensorType(element, None) if isinstance(element, DType) else element


class Effects(Protocol):
    """What knows the variables that a model changes while it runs."""

    def roots(self, graph: Graph) -> list[Node]:
        """Nodes of a graph that change variables, or call functions that do."""

    def read(
        self, node: Node, operands: list[Value], make: Callable[..., list[Value]], builder: Builder, path: str
    ) -> list[Value]:
        """Values as a node takes them, which is no variable itself."""

    def emit(
        self,
        node: Node,
        operands: Sequence[Value],
        env: Env,
        make: Callable[..., list[Value]],
        builder: Builder,
        path: str,
    ) -> bool:
        """Emit a node that has to do with variables; False when it has not."""


class Emitter:
    """Writes the ops of one model."""

    def __init__(self, library: Library, debug: DebugInfo, effects: Effects | None = None) -> None:
        self.library, self.debug = library, debug
        self.effects = effects
        self._count = 0

    def graph(
        self,
        graph: Graph,
        arguments: Sequence[Value],
        builder: Builder,
        path: str,
        calls: tuple[str, ...],
        wanted: Sequence[Port],
    ) -> list[Value]:
        """Emit what the ports `wanted` of a function or region need; returns their values."""
        env: Env = {Port(a, 0): v for a, v in zip(graph.inputs, arguments, strict=True)}
        order = self.order(graph, wanted, set(graph.inputs))
        self.nodes(order, env, builder, path, calls, wanted)
        return values_of(wanted, env)

    def order(self, graph: Graph, wanted: Sequence[Port], stop: set[Node]) -> list[Node]:
        """Nodes to emit, producers first; with those that change variables, where the model does, in the order of the
        control edges.
        """
        roots = [p.node for p in wanted]
        changing = [] if self.effects is None else self.effects.roots(graph)
        return topological([*roots, *changing], stop, controls=bool(changing))

    def nodes(
        self,
        order: Sequence[Node],
        env: Env,
        builder: Builder,
        path: str,
        calls: tuple[str, ...],
        outputs: Sequence[Port],
    ) -> None:
        """Emit nodes that are in order; values of ports go to and from `env`."""
        used = {p for n in order for p in n.inputs}
        used.update(outputs)
        for node in order:
            if all(Port(node, i) in env for i in range(len(node.outputs))) and node.outputs:
                continue
            builder.location = self.debug.location(node.name, node.function, path + node.name)
            try:
                self._node(node, env, builder, path, calls, used)
            except ConversionError as error:
                error.diagnostic = error.with_context(builder.location, path + node.name, f"tf.{node.op}")
                raise
        if self.effects is None:
            return
        for port in outputs:
            if port in env:
                (env[port],) = self.effects.read(port.node, [env[port]], self._emit, builder, path)

    def _node(self, node: Node, env: Env, builder: Builder, path: str, calls: tuple[str, ...], used: set[Port]) -> None:
        operands = values_of(node.inputs, env)
        if node.op in PASS_ON:
            for i, value in zip(range(len(node.outputs)), operands, strict=False):
                env.setdefault(Port(node, i), value)
            return
        if self.effects is not None:
            kept = len(changed(node)) if node.op in CHANGES else 0
            operands = [*operands[:kept], *self.effects.read(node, operands[kept:], self._emit, builder, path)]
        if self.effects is not None and self.effects.emit(node, operands, env, self._emit, builder, path):
            return
        if node.op in _CALLS or node.op in self.library.functions:
            results = self._call(node, operands, builder, path, calls, used)
        elif node.op == MODULE[0]:
            from mlconv.importers.tf.xla_modules import emit_call

            results = dict(enumerate(emit_call(node, operands, builder, path + node.name)))
        elif node.op in _LOOPS:
            results = self._while(node, operands, builder, path, calls, used)
        elif node.op in _IFS or node.op in _CASES:
            results = self._branches(node, operands, builder, path, calls, used)
        elif node.op in _LEFT_OVER:
            raise ConversionError(
                Code.ControlFlowUnstructured,
                f"{node.op} node '{node.name}' is part of no while loop and of no conditional",
            )
        elif node.op == ARGUMENT:
            raise ConversionError(Code.InputNotProduced, f"'{node.name}' is used outside of its function")
        else:
            results = dict(enumerate(self._emit(builder, path, node, operands, node.attrs)))
        for i, value in results.items():
            env.setdefault(Port(node, i), value)

    def _emit(
        self,
        builder: Builder,
        path: str,
        node: Node,
        operands: Sequence[Value],
        attrs: dict[str, Any],
        regions: Sequence[Region] = (),
        types: Sequence[Type] | None = None,
        name: str = "",
    ) -> list[Value]:
        self._count += 1
        if self._count > MAX_OPS:
            raise too_many_ops()
        results = types if types is not None else [value_type(t) for t in node.outputs]
        op = builder.emit(SourceOp(f"tf.{name or node.op}", operands, attrs, results, regions))
        for i, value in enumerate(op.results):
            value.name = path + node.name + (f":{i}" if i else "")
        return op.results

    def _function(self, ref: Any, node: Node, given: int, calls: tuple[str, ...]) -> tuple[Graph, tuple[str, ...]]:
        if not isinstance(ref, FunctionRef):
            raise ConversionError(Code.AttributeInvalid, f"{node.op} '{node.name}' names no function")
        if ref.name in calls or len(calls) >= MAX_NESTING:
            raise ConversionError(
                Code.GraphHasCycle,
                f"functions call each other in a cycle or too deeply: {' -> '.join([*calls[-8:], ref.name])}",
            )
        if self._count + self.library.size(ref.name) > MAX_OPS:
            raise too_many_ops()
        graph = self.library.graph(ref)
        if given != len(graph.inputs):
            raise ConversionError(
                Code.WrongArity,
                f"'{node.name}' gives {given} arguments, function '{ref.name}' takes {len(graph.inputs)}",
            )
        return graph, (*calls, ref.name)

    def _call(
        self, node: Node, operands: list[Value], builder: Builder, path: str, calls: tuple[str, ...], used: set[Port]
    ) -> Mapping[int, Value]:
        ref = node.attrs.get("f") if node.op in _CALLS else FunctionRef(node.op)
        graph, inner = self._function(ref, node, len(operands), calls)
        known = composite_of(self.library.functions[inner[-1]])
        if known is not None:
            return dict(enumerate(self._composite(known, node, operands, builder, path)))
        wanted = [i for i in range(len(graph.outputs)) if Port(node, i) in used]
        values = self.graph(graph, operands, builder, f"{path}{node.name}/", inner, [graph.outputs[i] for i in wanted])
        return dict(zip(wanted, values, strict=True))

    def _composite(
        self, known: Composite, node: Node, operands: list[Value], builder: Builder, path: str
    ) -> list[Value]:
        types = [value_type(t) for t in known.results]
        results = self._emit(
            builder, path, node, operands[: known.operands], dict(known.attributes), (), types, known.op
        )
        stacks = {
            i: self._emit(builder, path, node, [results[i]], {"N": 1, "axis": 0}, (), [types[i]], "Pack")[0]
            for i in known.stacked
        }
        return [stacks.get(i, v) for i, v in enumerate(results)]

    def _while(
        self, node: Node, operands: list[Value], builder: Builder, path: str, calls: tuple[str, ...], used: set[Port]
    ) -> Mapping[int, Value]:
        inner = calls
        if node.op == WHILE:
            condition, body = node.regions
            carried = node.attrs["carried"]
        else:
            carried = len(operands)
            condition, _ = self._function(node.attrs.get("cond"), node, carried, calls)
            body, inner = self._function(node.attrs.get("body"), node, carried, calls)
        if len(body.outputs) != carried or len(condition.outputs) != 1:
            raise ConversionError(
                Code.WrongArity,
                f"while loop '{node.name}' carries {carried} values, its body returns {len(body.outputs)}",
            )
        constant = invariant_variables(body, carried)
        changing = [] if self.effects is None else self.effects.roots(body)
        live = live_variables(condition, body, carried, {i for i in range(carried) if Port(node, i) in used}, changing)
        kept = [i for i in range(carried) if i in live and i not in constant]
        results = {i: operands[i] for i in constant}
        regions = [
            self._loop_region(g, kept, operands, builder, path, inner, outs)
            for g, outs in ((condition, condition.outputs), (body, [body.outputs[i] for i in kept]))
        ]
        builder.location = self.debug.location(node.name, node.function, path + node.name)
        types = [operands[i].type for i in kept]
        values = self._emit(
            builder, path, node, [operands[i] for i in kept], {}, regions, [_unranked(t) for t in types], "While"
        )
        results.update(zip(kept, values, strict=True))
        return results

    def _loop_region(
        self,
        graph: Graph,
        kept: list[int],
        operands: list[Value],
        builder: Builder,
        path: str,
        calls: tuple[str, ...],
        outputs: list[Port],
    ) -> Region:
        """A region with parameters for the variables `kept`; other parameters of the graph are values from outside."""
        block = Block([_unranked(operands[i].type) for i in kept], [path + graph.inputs[i].name for i in kept])
        arguments = list(operands)
        for k, i in enumerate(kept):
            arguments[i] = block.arguments[k]
        location = builder.location
        inside = Builder(block, location)
        values = self.graph(graph, arguments, inside, path, calls, outputs)
        block.insert(Yield(values, location))
        return Region(block)

    def _branches(
        self, node: Node, operands: list[Value], builder: Builder, path: str, calls: tuple[str, ...], used: set[Port]
    ) -> Mapping[int, Value]:
        """If and Case: regions without parameters, then first.  Only results that are used remain."""
        if node.op == IF:
            graphs = [(g, calls) for g in node.regions[::-1]]
        elif node.op == CASE:
            graphs = [(g, calls) for g in node.regions]
        elif node.op in _IFS:
            refs = [node.attrs.get("then_branch"), node.attrs.get("else_branch")]
            graphs = [self._function(r, node, len(operands) - 1, calls) for r in refs]
        else:
            graphs = [self._function(r, node, len(operands) - 1, calls) for r in node.attrs.get("branches", ())]
        wanted = [i for i in range(len(node.outputs)) if Port(node, i) in used]
        location = builder.location
        regions: list[Region] = []
        for graph, inner in graphs:
            if len(graph.outputs) != len(node.outputs):
                raise ConversionError(
                    Code.WrongArity,
                    f"'{node.name}' has {len(node.outputs)} results, a branch returns {len(graph.outputs)}",
                )
            block = Block()
            values = self.graph(
                graph, operands[1:], Builder(block, location), path, inner, [graph.outputs[i] for i in wanted]
            )
            block.insert(Yield(values, location))
            regions.append(Region(block))
        builder.location = location
        types = [value_type(node.outputs[i]) for i in wanted]
        values = self._emit(
            builder, path, node, operands[:1], {}, regions, types, "Case" if node.op in _CASES else "If"
        )
        return dict(zip(wanted, values, strict=True))


def _unranked(type_: Type) -> Type:
    return TensorType(type_.dtype, None) if isinstance(type_, TensorType) else type_
