"""TFLite's branches, loops, variables and tables."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.tfl_checks.base import Check, element, gives, is_one_of, is_scalar, same_elements, sizes
from mlconv.dialects.tfl_types import RESOURCE
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp
from mlconv.ir.types import OpaqueType, Type, shapes_compatible


def _handed(op: TargetOp, given: Sequence[Value], taken: Sequence[Value], what: str) -> None:
    """Refuse values that go where others are expected; sizes may be known on one side only."""
    if len(given) != len(taken):
        raise op.malformed(f"{what}: {len(given)} values for {len(taken)}")
    for i, (have, want) in enumerate(zip(given, taken, strict=True)):
        if not _fits(have.type, want.type):
            raise op.malformed(f"{what}: value {i} is {have.type}, expected {want.type}")


def _fits(have: Type, want: Type) -> bool:
    if isinstance(have, OpaqueType) or isinstance(want, OpaqueType):
        return have == want
    return have.element == want.element and shapes_compatible(have.shape, want.shape)


def _if(op: TargetOp) -> None:
    is_one_of(op, 0, DType.BOOL)
    is_scalar(op, 0)
    for region in op.regions:
        _handed(op, op.inputs[1:], region.block.arguments, "what a branch takes")
        _handed(op, region.block.outputs, op.results, "what a branch gives")


def _while(op: TargetOp) -> None:
    cond, body = (region.block for region in op.regions)
    _handed(op, op.inputs, cond.arguments, "what the condition takes")
    _handed(op, op.inputs, body.arguments, "what the body takes")
    _handed(op, body.outputs, op.results, "what the body gives")
    _handed(op, op.inputs, op.results, "what the loop gives")
    tests = [v.tensor.dtype for v in cond.outputs]
    if tests != [DType.BOOL]:
        raise op.malformed("the condition is not a bool")


def _call_once(op: TargetOp) -> None:
    block = op.regions[0].block
    if block.arguments or block.outputs:
        raise op.malformed("what is called once takes and gives nothing")


def _makes_resource(op: TargetOp) -> None:
    if op.results[0].type != RESOURCE:
        raise op.malformed(f"it gives {RESOURCE}")


def _resource(op: TargetOp) -> None:
    if op.inputs[0].type != RESOURCE:
        raise op.malformed(f"operand 0 is {op.inputs[0].type}, expected {RESOURCE}")


def _find(op: TargetOp) -> None:
    gives(op, sizes(op, 1), element(op, 2))


def _import(op: TargetOp) -> None:
    element(op, 1), element(op, 2)


def _size(op: TargetOp) -> None:
    gives(op, None, DType.I64)


def _lookup(op: TargetOp) -> None:
    """Rows of values by their keys, and which were found."""
    is_one_of(op, 0, DType.I32)
    is_one_of(op, 1, DType.I32)
    rows, values = sizes(op, 0), sizes(op, 2)
    gives(op, None if rows is None or values is None else (*rows[:1], *values[1:]), element(op, 2), 0)
    gives(op, None if rows is None else rows[:1], DType.U8, 1)


def _sparse_lookup(op: TargetOp) -> None:
    is_one_of(op, 0, DType.I32)
    gives(op, None, same_elements(op, 3, 4))


CHECKS: dict[str, tuple[Check, ...]] = {
    "IF": (_if,),
    "WHILE": (_while,),
    "CALL_ONCE": (_call_once,),
    "VAR_HANDLE": (_makes_resource,),
    "READ_VARIABLE": (_resource,),
    "ASSIGN_VARIABLE": (_resource,),
    "HASHTABLE": (_makes_resource,),
    "HASHTABLE_FIND": (_resource, _find),
    "HASHTABLE_IMPORT": (_resource, _import),
    "HASHTABLE_SIZE": (_resource, _size),
    "HASHTABLE_LOOKUP": (_lookup,),
    "EMBEDDING_LOOKUP_SPARSE": (_sparse_lookup,),
}
