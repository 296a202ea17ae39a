"""Variables and tables of a TFLite file.

Sources: kernels/var_handle.cc, read_variable.cc, assign_variable.cc, call_once.cc, hashtable.cc.
"""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.importers.tflite.graph import Call, GraphReader, Lookup, Variable, read_of
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Block
from mlconv.ir.types import TensorType


def call_once(g: GraphReader, call: Call) -> None:
    """What it gives to variables and tables is known before anything runs."""
    inner = g.inner(call.options["init_subgraph_index"], Block(), call.where)
    g.run.once = True
    inner.read()
    g.run.once = False


def var_handle(g: GraphReader, call: Call) -> None:
    g.define(call.outputs[0], Variable(call.options["shared_name"]))


def hashtable(g: GraphReader, call: Call) -> None:
    g.define(call.outputs[0], Lookup(call.options["table_id"]))


def _variable(g: GraphReader, i: int) -> Variable:
    found = g.resource(i)
    if not isinstance(found, Variable):
        raise ConversionError(Code.InputNotProduced, f"{found} is no variable")
    return found


def _initial(g: GraphReader, variable: Variable) -> tuple[Const, TensorType]:
    if variable not in g.run.initial:
        raise ConversionError(Code.InputNotProduced, f"variable {variable.name!r} is used before it has a first value")
    return g.run.initial[variable]


def read_variable(g: GraphReader, call: Call) -> None:
    """A variable that nothing assigns is a constant."""
    variable = _variable(g, call.inputs[0])
    value, t = _initial(g, variable)
    builder = Builder(g.block, call.where)
    if g.source.assigns():
        g.run.used[variable.name] = value
        g.define(call.outputs[0], read_of(builder, variable.name, t))
    else:
        g.define(call.outputs[0], builder.emit(core.Constant(value=value, element=t.quant)).y)


def assign_variable(g: GraphReader, call: Call) -> None:
    variable = _variable(g, call.inputs[0])
    if g.run.once:
        g.run.initial[variable] = (_constant(g, call.inputs[1]), g.type(call.inputs[1]))
        return
    g.run.used[variable.name] = _initial(g, variable)[0]
    builder, value = Builder(g.block, call.where), g.value(call.inputs[1])
    if value.type.quant is not None:
        value = builder.emit(core.StorageCast(value, element=value.type.quant.storage)).y
    builder.emit(core.AssignVariable(value, variable=variable.name))


def _constant(g: GraphReader, i: int) -> Const:
    found = g.tensors.constant(g.tensors[i])
    if found is None:
        raise ConversionError(Code.VariantUnsupported, f"the first value {g.tensors[i].name!r} is computed")
    return found


def hashtable_import(g: GraphReader, call: Call) -> None:
    table = g.resource(call.inputs[0])
    if not g.run.once or not isinstance(table, Lookup):
        raise ConversionError(Code.VariantUnsupported, "a table is filled while the model runs")
    g.run.contents[table] = (_constant(g, call.inputs[1]), _constant(g, call.inputs[2]))


def hashtable_find(g: GraphReader, call: Call) -> None:
    """Operands: table, keys, default."""
    builder = Builder(g.block, call.where)
    keys, values = (builder.emit(core.Constant(value=c)).y for c in _contents(g, call.inputs[0]))
    made = core.Lookup(g.value(call.inputs[1]), g.value(call.inputs[2]), keys, values)
    g.define(call.outputs[0], builder.emit(made).y)


def hashtable_size(g: GraphReader, call: Call) -> None:
    keys, _ = _contents(g, call.inputs[0])
    size = Splat(keys.size, g.type(call.outputs[0]).dtype, (1,))
    g.define(call.outputs[0], Builder(g.block, call.where).emit(core.Constant(value=size)).y)


def _contents(g: GraphReader, i: int) -> tuple[Const, Const]:
    table = g.resource(i)
    found = g.run.contents.get(table) if isinstance(table, Lookup) else None
    if found is None:
        raise ConversionError(Code.InputNotProduced, f"{table} is looked into, and nothing fills it")
    return found
