"""Operators that name other subgraphs: calls, branches, loops, computations.

Sources: kernels/if.cc, while.cc; schema.fbs, the options of StableHLO operators.
"""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl import REGION_FIELDS, tfl_op
from mlconv.importers.tflite import resources
from mlconv.importers.tflite.graph import Call, Computations, GraphReader, Special
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield


def _bound(g: GraphReader, inner: GraphReader, inputs: tuple[int, ...]) -> list[int]:
    """Bind the inputs of a graph: resources as they are; the positions of the others."""
    wanted = inner.inputs
    if len(wanted) != len(inputs):
        raise ConversionError(
            Code.WrongArity, f"subgraph {inner.index} has {len(wanted)} inputs and is given {len(inputs)}"
        )
    positions = []
    for k, (t, own) in enumerate(zip(inputs, wanted, strict=True)):
        found = g.values.get(t)
        if found is not None and not isinstance(found, Value):
            inner.values[own] = found
        else:
            positions.append(k)
    return positions


def _region(
    g: GraphReader, index: int, call: Call, inputs: tuple[int, ...], *, carried: bool = False
) -> tuple[Region, list[int]]:
    """A graph as a region with an argument for each tensor that it is given, and the positions of those.  carried: its
    outputs are its inputs of the next turn.
    """
    inner = g.inner(index, Block(), call.where)
    positions = _bound(g, inner, inputs)
    own = [inner.inputs[k] for k in positions]
    inner.block = Block([inner.type(t) for t in own], [inner.tensors[t].name for t in own])
    inner.values.update(zip(own, inner.block.arguments, strict=True))
    inner.read()
    outputs = inner.outputs
    if carried and len(outputs) != len(inputs):
        raise ConversionError(Code.WrongArity, f"the body of a loop of {len(inputs)} gives {len(outputs)} values")
    given = [outputs[k] for k in positions] if carried else outputs
    inner.block.insert(Yield([inner.value(t) for t in given], call.where))
    return Region(inner.block), positions


def _cases(g: GraphReader, call: Call) -> list[Region]:
    """Branches take what stands behind the index."""
    return [_region(g, i, call, call.inputs[1:])[0] for i in call.options["branch_subgraph_indices"]]


def _computation(name: str) -> Computations:
    """Of the graph that an option names, which has parameters of its own."""

    def run(g: GraphReader, call: Call) -> list[Region]:
        inner = g.inner(call.options[name], Block(), call.where)
        inner.block = Block([inner.type(t) for t in inner.inputs])
        inner.values.update(zip(inner.inputs, inner.block.arguments, strict=True))
        inner.read()
        inner.block.insert(Yield([inner.value(t) for t in inner.outputs], call.where))
        return [Region(inner.block)]

    return run


def _inlined(g: GraphReader, index: int, call: Call) -> None:
    """The ops of a graph that is called."""
    inner = g.inner(index, g.block, call.where)
    for k in _bound(g, inner, call.inputs):
        inner.values[inner.inputs[k]] = g.value(call.inputs[k])
    inner.read()
    if len(inner.outputs) != len(call.outputs):
        raise ConversionError(
            Code.WrongArity, f"subgraph {index} gives {len(inner.outputs)} of {len(call.outputs)} values"
        )
    for t, own in zip(call.outputs, inner.outputs, strict=True):
        found = inner.values.get(own)
        g.define(t, inner.value(own) if found is None else found)


def _call(g: GraphReader, call: Call) -> None:
    _inlined(g, call.options["subgraph"], call)


def _composite(g: GraphReader, call: Call) -> None:
    """What it is composed of."""
    _inlined(g, call.options["decomposition_subgraph_index"], call)


def _if(g: GraphReader, call: Call) -> None:
    regions = [_region(g, call.options[name], call, call.inputs[1:]) for name in REGION_FIELDS["IF"]]
    operands = [g.value(call.inputs[0]), *(g.value(call.inputs[1 + k]) for k in regions[0][1])]
    _with_regions(g, "IF", operands, [r for r, _ in regions], call, call.outputs)


def _while(g: GraphReader, call: Call) -> None:
    """Resources are what they were."""
    inputs, outputs = call.inputs, call.outputs
    if len(outputs) != len(inputs):
        raise ConversionError(Code.WrongArity, f"a loop of {len(inputs)} values gives {len(outputs)}")
    cond, positions = _region(g, call.options["cond_subgraph_index"], call, inputs)
    body, _ = _region(g, call.options["body_subgraph_index"], call, inputs, carried=True)
    for k, t in enumerate(outputs):
        if k not in positions:
            g.define(t, g.values[inputs[k]])
    operands = [g.value(inputs[k]) for k in positions]
    _with_regions(g, "WHILE", operands, [cond, body], call, tuple(outputs[k] for k in positions))


def _with_regions(
    g: GraphReader, builtin: str, operands: list[Value], regions: list[Region], call: Call, outputs: tuple[int, ...]
) -> None:
    types = [g.type(t) for t in outputs]
    op = Builder(g.block, call.where).emit(tfl_op(builtin, operands, {}, types, regions))
    for t, value in zip(outputs, op.results, strict=True):
        g.define(t, value)


SPECIAL: dict[str, Special] = {
    "ASSIGN_VARIABLE": resources.assign_variable,
    "CALL": _call,
    "CALL_ONCE": resources.call_once,
    "HASHTABLE": resources.hashtable,
    "HASHTABLE_FIND": resources.hashtable_find,
    "HASHTABLE_IMPORT": resources.hashtable_import,
    "HASHTABLE_SIZE": resources.hashtable_size,
    "IF": _if,
    "READ_VARIABLE": resources.read_variable,
    "STABLEHLO_COMPOSITE": _composite,
    "STABLEHLO_WHILE": _while,
    "VAR_HANDLE": resources.var_handle,
    "WHILE": _while,
}
"""Operators that are read otherwise than as an op with operands and options."""

COMPUTATIONS: dict[str, Computations] = {
    "STABLEHLO_CASE": _cases,
    "STABLEHLO_REDUCE": _computation("body_subgraph_index"),
    "STABLEHLO_REDUCE_WINDOW": _computation("body_subgraph_index"),
    "STABLEHLO_SCATTER": _computation("update_computation_subgraph_index"),
    "STABLEHLO_SORT": _computation("comparator_subgraph_index"),
}
"""Operators whose graphs are regions of the op."""
