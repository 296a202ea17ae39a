"""Variables: VAR_HANDLE with READ_VARIABLE and ASSIGN_VARIABLE, and one CALL_ONCE that gives them their initial values.

Source: kernels/var_handle.cc, read_variable.cc, assign_variable.cc, call_once.cc.  A variable is known by its shared
name in the whole interpreter.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlconv.dialects import core
from mlconv.dialects.tfl import tfl_op
from mlconv.dialects.tfl_types import RESOURCE
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.module import Function, Module
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.legalize.to_tfl.tables import fill_tables
from mlconv.rewrite import Rules, edit

RULES = Rules()


def _handle(builder: Builder, name: str) -> Value:
    return builder.emit(tfl_op("VAR_HANDLE", [], {"container": "", "shared_name": name}, [RESOURCE])).result


@RULES.rule(core.ReadVariable)
def read_variable(op: core.ReadVariable, e: TflBuilder) -> Value:
    """READ_VARIABLE."""
    return e.builder.emit(tfl_op("READ_VARIABLE", [_handle(e.builder, op.variable)], {}, [op.of])).result


@RULES.rule(core.AssignVariable)
def assign_variable(op: core.AssignVariable, e: TflBuilder) -> list[Value]:
    """ASSIGN_VARIABLE."""
    e.builder.emit(tfl_op("ASSIGN_VARIABLE", [_handle(e.builder, op.variable), op.x], {}, []))
    return []


def initialize(module: Module) -> None:
    """Start functions with the CALL_ONCE that their variables and tables need.

    It is the same for all: the file has it once, and whichever function runs first runs it.  So a variable of several
    functions keeps what one of them has assigned.
    """
    functions = [f for f in module.functions if f.facts.variables or f.facts.tables]
    variables: dict[str, Const] = {}
    tables: dict[str, tuple[Const, Const]] = {}
    for function in functions:
        variables |= function.facts.variables
        tables |= function.facts.tables
    for function in functions:
        _initialize(function, variables, tables)


def _initialize(function: Function, variables: Mapping[str, Const], tables: Mapping[str, tuple[Const, Const]]) -> None:
    block = Block()
    inner = Builder(block, function.location)
    for name, value in variables.items():
        handle = _handle(inner, name)
        constant = inner.emit(core.Constant(value=value)).y
        edit.rename(constant, f"{name}/initial")
        inner.emit(tfl_op("ASSIGN_VARIABLE", [handle, constant], {}, []))
    fill_tables(inner, tables)
    block.insert(Yield([], function.location))
    outer = Builder(function.block, function.location, before=function.block.first)
    outer.emit(tfl_op("CALL_ONCE", [], {}, [], [Region(block)]))
