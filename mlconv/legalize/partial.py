"""The part of a module that became core, cut free from source ops that did not: so that targets can be asked about it.

Where the file says what type a refused op gives, its results become inputs of their own, and what reads them can be
legalized too.
"""

from __future__ import annotations

from mlconv.dialects.core import BY_NAME
from mlconv.ir.core import Block, Op, Value, captures, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import node_names
from mlconv.rewrite import edit


def keep_legal_part(module: Module, gone: set[str]) -> None:
    """Erase what is not core, in place; `gone` gets the names of the source nodes that went.  What they read becomes
    outputs.
    """
    for function in module.functions:
        _cut(function, gone)


def assume_results(module: Module, number: int, gone: set[str]) -> set[str]:
    """Make the results of refused ops inputs, where their types are known, and what they read outputs; returns the
    names of the inputs.

    number: of the round, for the names.  gone: gets the names of the nodes that go with them.  A type with open sizes
    is of use only where the function has such inputs itself: else targets that have none would stop at it.
    """
    names: set[str] = set()
    for function in module.functions:
        dynamic = any(not _is_static(v) for v in function.inputs)
        outside = {op for op in function.block.ops if op is not function.block.last and not _is_legal(op)}
        for op in [o for o in function.block.ops if o in outside]:
            read = _read(op)
            if (
                any(v.producer in outside for v in read)
                or not op.results
                or not all(_is_known(v, dynamic) for v in op.results)
            ):
                continue
            for value in op.results:
                name = f"assumed:{number}:{len(names)}"
                edit.replace_uses(value, edit.add_argument(function.block, value.type, name))
                names.add(name)
            _erase(op, gone)
            _give_out(function, [v for v in read if v.producer is not None and isinstance(v.type, TensorType)])
    return names


def _erase(op: Op, gone: set[str]) -> None:
    for inner in (op, *(o for region in op.regions for o in walk(region.block))):
        gone.update(node_names(inner.location))
    edit.erase(op)


def _is_static(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.is_static


def _is_known(value: Value, dynamic: bool) -> bool:
    t = value.type
    return (
        isinstance(t, TensorType) and t.shape is not None and t.dtype is not DType.UNKNOWN and (dynamic or t.is_static)
    )


def _give_out(function: Function, values: list[Value]) -> None:
    """Make values outputs too."""
    end = function.block.terminator
    new = [v for v in values if v not in end.inputs]
    edit.add_operands(end, [*new])
    function.output_names += [f"cut:{len(function.output_names) + i}" for i in range(len(new))]


def _cut(function: Function, gone: set[str]) -> None:
    block = function.block
    end = block.terminator
    foreign: list[Op] = []
    outside: set[Op] = set()
    for op in block.ops:
        if op is not end and (not _is_legal(op) or any(v.producer in outside for v in _read(op))):
            foreign.append(op)
            outside.add(op)
    names, outputs = [], []
    for name, value in zip(function.output_names, end.inputs, strict=True):
        if value.producer not in outside and isinstance(value.type, TensorType):
            names.append(name)
            outputs.append(value)
    read: dict[Value, None] = {}
    edit.set_operands(end, [])
    for op in reversed(foreign):
        read.update(_read(op))
        _erase(op, gone)
    wanted = [
        v
        for v in read
        if v.producer is not None and v.producer not in outside and v not in outputs and isinstance(v.type, TensorType)
    ]
    edit.set_operands(end, outputs)
    function.output_names = names
    _give_out(function, wanted)


def _read(op: Op) -> dict[Value, None]:
    """What an op reads, or its regions from outside of them, once each."""
    return dict.fromkeys((*op.inputs, *(v for region in op.regions for v in captures(region))))


def _is_legal(op: Op) -> bool:
    return op.name in BY_NAME and all(_is_legal_block(region.block) for region in op.regions)


def _is_legal_block(block: Block) -> bool:
    return all(_is_legal(op) for op in block.ops if op is not block.last)
