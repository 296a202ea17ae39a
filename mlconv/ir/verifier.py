"""Checks that a module is well formed: values defined before use and visible, use lists exact, locations present, types
as the ops infer them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Block, Op, Value, Yield, walk
from mlconv.ir.data_sizes import definition
from mlconv.ir.dims import Size, substitute
from mlconv.ir.module import Function, Module
from mlconv.ir.quant_rules import fits
from mlconv.ir.shapes import symbols_of
from mlconv.ir.size_examples import examples
from mlconv.ir.spec import MISREAD, OpDef
from mlconv.ir.target_op import TargetOp
from mlconv.ir.traits import OfVariable, has_trait
from mlconv.ir.types import TensorType, shapes_compatible
from mlconv.ir.verify_facts import faults
from mlconv.provenance.locations import first_name


def verify(module: Module, after: str = "") -> None:
    """Raises ConversionError IrInvalid naming the op and, when given, the pass after which it was found."""
    where = f" after {after}" if after else ""
    for function in module.functions:
        try:
            _verify_function(function)
        except _InvalidError as e:
            raise e.told(f"IR of function {function.name!r} is not valid{where}: {e}") from None
        for fault in faults(function):
            raise ConversionError(Code.IrInvalid, f"facts of function {function.name!r}{where}: {fault}")
        if len(function.output_names) != len(function.outputs):
            raise ConversionError(
                Code.IrInvalid,
                f"function {function.name!r} names {len(function.output_names)} "
                f"outputs and yields {len(function.outputs)}{where}",
            )


class _InvalidError(Exception):
    """op: that is at fault, where one is."""

    op: Op | None = None

    def told(self, message: str) -> ConversionError:
        error, op = ConversionError(Code.IrInvalid, message), self.op
        if op is not None:
            error.diagnostic = error.with_context(op.location, first_name(op.location), op.name)
        return error


class _Known(NamedTuple):
    """A size of a result as it is known, and as its op infers it, where these are not written alike."""

    op: OpDef
    known: Size
    inferred: Size


def _of(op: Op, check: Callable[..., None], *arguments: object) -> None:
    """A check whose faults are those of an op."""
    try:
        check(*arguments)
    except _InvalidError as e:
        e.op = op
        raise


def _verify_function(function: Function) -> None:
    """Its ops; those that know their sizes otherwise than they infer them, and those of targets, also with sizes that a
    run may have, unless what is known of sizes is wrong.
    """
    known = list[_Known]()
    _verify_block(function.block, set(), known)
    _verify_sizes(function.block, {"?"})
    ops = [*walk(function.block)]
    for op in ops:
        if has_trait(op, OfVariable) and op.attributes["variable"] not in function.facts.variables:
            raise _InvalidError(f"{op.describe()} is of {op.attributes['variable']!r}, no variable of the function")
    own = [op for op in ops if isinstance(op, TargetOp) and op.has_sizes]
    for sizes in examples(function) if (own or known) and not any(faults(function)) else []:
        for op in own:
            _of(op, _checked, op.verify_with, sizes)
        for case in known:
            _of(case.op, _verify_known, *case, sizes)


def _verify_known(op: OpDef, known: Size, inferred: Size, sizes: Mapping[str, int]) -> None:
    a, b = substitute(known, sizes), substitute(inferred, sizes)
    if isinstance(a, int) and isinstance(b, int) and a != b:
        where = ", ".join(f"{name} = {n}" for name, n in sizes.items())
        raise _InvalidError(
            f"{op.describe()} has a result of the size {known}, it infers {inferred}: not where {where}"
        )


def _verify_sizes(block: Block, around: Set[str]) -> None:
    """Sizes of results are made of those of arguments of the blocks around; source ops have the types that a file
    states.
    """
    given = {*around, *_symbols(block.arguments)}
    for op in block.ops:
        defined = definition(op)
        given |= {defined[0]} if defined is not None else set()
        for strange in _symbols(op.results) if isinstance(op, (OpDef, TargetOp)) else ():
            if strange not in given:
                raise _InvalidError(f"{op.describe()} makes the size {strange}, which no input has")
        for region in op.regions:
            _verify_sizes(region.block, given)


def _symbols(values: Iterable[Value]) -> list[str]:
    return symbols_of(v.type.shape for v in values if isinstance(v.type, TensorType))


def _checked(check: Callable[..., None], *arguments: object) -> None:
    try:
        check(*arguments)
    except ConversionError as e:
        raise _InvalidError(e.diagnostic.message) from e


def _verify_block(block: Block, visible: set[Value], known: list[_Known]) -> None:
    """`visible` holds the values of the blocks around; names defined here are taken out again at the end.  known: what
    is to be tried with sizes that a run may have is added.
    """
    defined: list[Value] = list(block.arguments)
    visible.update(defined)
    if not isinstance(block.last, Yield):
        raise _InvalidError("a block does not end in mlconv.yield")
    for op in block.ops:
        if isinstance(op, Yield) and op is not block.last:
            raise _InvalidError("mlconv.yield in the middle of a block")
        _of(op, _verify_op, op, block, visible, known)
        for region in op.regions:
            if region.parent is not op or region.block.parent is not region:
                raise _InvalidError(f"{op.name}: a region does not know its op")
            _verify_block(region.block, visible, known)
        visible.update(op.results)
        defined.extend(op.results)
    visible.difference_update(defined)


def _verify_op(op: Op, block: Block, visible: set[Value], known: list[_Known]) -> None:
    if op.block is not block:
        raise _InvalidError(f"{op.name} does not know its block")
    if op.location is None:
        raise _InvalidError(f"{op.name} has no location")
    for i, value in enumerate(op.operands):
        if value is None:
            continue
        if value not in visible:
            raise _InvalidError(f"operand {i} of {op.describe()} is used before it is defined")
        if (op, i) not in value.uses:
            raise _InvalidError(f"operand {i} of {op.name} does not know its use")
    for i, value in enumerate(op.results):
        if value.owner is not op or value.index != i:
            raise _InvalidError(f"result {i} of {op.name} does not know its op")
        for user, j in value.uses:
            if user.operands[j] is not value:
                raise _InvalidError(f"result {i} of {op.name} has a stale use in {user.name}")
    try:
        problem = op.spec.misfit(op) if op.spec is not None else ""
    except ConversionError as e:
        problem = e.diagnostic.message
    if problem:
        raise _InvalidError(f"{op.describe()}: {problem}")
    if isinstance(op, OpDef):
        _verify_types(op, known)
    elif isinstance(op, TargetOp):
        _checked(op.check)


def _verify_types(op: OpDef, known: list[_Known]) -> None:
    try:
        types = op.inferred()
    except ConversionError as e:
        raise _InvalidError(f"{op.describe()}: {e}") from e
    except MISREAD as e:
        raise _InvalidError(f"{op.describe()}: its attributes do not fit ({type(e).__name__}: {e})") from e
    if len(types) != len(op.results):
        raise _InvalidError(f"{op.name} has {len(op.results)} results, it infers {len(types)}")
    for i, (t, value) in enumerate(zip(types, op.results, strict=True)):
        if not isinstance(t, TensorType) or not isinstance(value.type, TensorType):
            continue
        alike = t.shape == value.type.shape if not op.operands else shapes_compatible(t.shape, value.type.shape)
        if not alike or not fits(op.spec.quant, t, value.type):
            raise _InvalidError(f"result {i} of {op.describe()} is {value.type}, it infers {t}")
        if t.shape != value.type.shape:
            sizes = zip(value.type.shape or (), t.shape or (), strict=False)
            known += [_Known(op, a, b) for a, b in sizes if a != b]
