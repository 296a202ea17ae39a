"""A StableHLO module to a function of `hlo.*` source ops.

Calls are inlined.  Tuples are taken apart: a tuple is a list of values here and never becomes a value itself.  Tokens
order effects, of which there are none, and are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant, Dequantize, Quantize, StorageCast
from mlconv.dialects.source import SourceOp
from mlconv.importers.initial_state import STATE_KEY
from mlconv.importers.pinned import no_input
from mlconv.importers.stablehlo.attributes import hlo_of, number, word
from mlconv.importers.stablehlo.composites import direct
from mlconv.importers.stablehlo.ir import (
    MlirBlock,
    MlirFunction,
    MlirModule,
    MlirOp,
    MlirType,
    MlirValue,
    Other,
    Tupled,
)
from mlconv.importers.stablehlo.locations import Locations
from mlconv.importers.stablehlo.shapes import inner_place, input_type, is_assertion, symbols_of, tensor_type
from mlconv.importers.stablehlo.shardings import sharding_of
from mlconv.importers.value_names import distinct, path_name
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.facts import StateRow
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import Location, NameLocation

MAX_DEPTH = 48
MAX_OPS = 1_000_000
Tree: TypeAlias = Union[Value, "list[Tree]", None]  # None: a token
Env: TypeAlias = dict[MlirValue, Tree]
TOKEN = Other("token")
_CONTROL = {"while": "while", "if": "conditional", "case": "conditional"}
_CALLS = {"func.call": "callee", "stablehlo.composite": "decomposition"}  # where the name of a function stands


def to_function(module: MlirModule, shapes: Mapping[str, Sequence[int | str]]) -> tuple[Module, list[str]]:
    """The module, and names of values whose sharding it does not say.  shapes: of inputs, which sizes that a file
    leaves open are to have.  Raises ConversionError NameNotFound (no function to begin with, no input of a name),
    NestedTooDeeply, and what ops raise.
    """
    main = _entry(module)
    importer = _Importer(module)
    importer.check_size(main)
    function = importer.function(main, shapes)
    sharding, lost = sharding_of(module, main, function.input_names, function.output_names)
    source = {"format": "stablehlo", "producer": module.producer, **({"sharding": sharding} if sharding else {})}
    return Module([function], source), lost


def inline(module: MlirModule, operands: Sequence[Value], into: Block, where: Location, prefix: str) -> list[Value]:
    """The ops of a module at the end of a block, which `operands` are the arguments of; its results.  where: of what
    calls it.  prefix: of names of values.  Raises ConversionError NameNotFound, NestedTooDeeply, WrongArity, and what
    ops raise.
    """
    main, importer = _entry(module), _Importer(module, prefix)
    importer.check_size(main)
    leaves_of = [part for value in main.body.parameters for part in _leaf_values(value)]
    if len(leaves_of) != len(operands):
        raise ConversionError(Code.WrongArity, f"the module takes {len(leaves_of)} values, {len(operands)} are given")
    values = iter(operands)
    env: Env = {v: _unflatten(v.type, values) for v in main.body.parameters}
    return list(_flatten(importer.block(main.body, env, into, 0, where)))


def _entry(module: MlirModule) -> MlirFunction:
    found = module.functions.get("main") or next((f for f in module.functions.values() if f.public), None)
    if found is None:
        raise ConversionError(Code.NameNotFound, "the module has no public function")
    return found


def state_rows(module: MlirModule, function: Function) -> list[StateRow]:
    """The variables that arguments and results stand for, as the exporter marks them."""
    main = _entry(module)
    sides = (main.argument_attributes, function.input_names), (main.result_attributes, function.output_names)
    taken, given = (
        {str(a[STATE_KEY]): name for a, name in zip(marked, names, strict=False) if STATE_KEY in a}
        for marked, names in sides
    )
    return [StateRow(variable, name, given[variable]) for variable, name in taken.items() if variable in given]


class _Importer:
    """One module being read.  prefix: of names of values."""

    def __init__(self, module: MlirModule, prefix: str = "") -> None:
        self.module, self.prefix = module, prefix
        self.locations = Locations(0 if _is_of_jax(module) else 1)
        self.count = 0
        self.in_numbers = 0  # how many computations of scalars are around: these compute with numbers, quantized or not
        self.special: dict[str, Callable[[MlirOp, Env, Block, Location, int], Tree]] = {
            "stablehlo.constant": self.constant,
            "func.call": self.call,
            "stablehlo.composite": self.composite,
            "stablehlo.optimization_barrier": lambda op, env, *_: [env[v] for v in op.inputs],
            "stablehlo.tuple": lambda op, env, *_: [[env[v] for v in op.inputs]],
            "stablehlo.get_tuple_element": self.element,
            "stablehlo.after_all": lambda *_: [None],
            "stablehlo.create_token": lambda *_: [None],
            "stablehlo.custom_call": self.custom_call,
            "stablehlo.uniform_quantize": self.uniform,
            "stablehlo.uniform_dequantize": self.uniform,
            # what bytecode has between types of VHLO and ops of Shardy
            "builtin.unrealized_conversion_cast": lambda op, env, *_: [env[v] for v in op.inputs],
            "sdy.sharding_constraint": lambda op, env, *_: [env[v] for v in op.inputs],
            **{f"stablehlo.{name}": self.control for name in _CONTROL},
        }

    def function(self, main: MlirFunction, shapes: Mapping[str, Sequence[int | str]]) -> Function:
        """The entry, with all that it calls in it."""
        location = NameLocation(self.module.name or main.name)
        arguments = main.body.parameters
        if len(arguments) != len(main.type.inputs):
            raise ConversionError(Code.WrongArity, f"{main.name} has {len(arguments)} arguments in its body")
        names, symbols = self._argument_names(main), symbols_of(self.module, main)
        given = [
            (part, name if len(parts) == 1 else f"{name}.{k}")
            for value, name in zip(arguments, names, strict=True)
            for parts in [list(_leaf_values(value))]
            for k, part in enumerate(parts)
        ]
        listed = [name for _, name in given]
        types = [input_type(value, name, shapes.get(name), symbols) for value, name in given]
        unknown = [name for name in shapes if name not in listed]
        if unknown:
            raise no_input(unknown[0], listed)
        function = Function.create("main", types, distinct(listed), location)
        values = iter(function.inputs)
        env: Env = {v: _unflatten(v.type, values) for v in arguments}
        outputs = list(_flatten(self.block(main.body, env, function.block, 0)))
        function.block.insert(Yield(outputs, location))
        function.output_names = self._result_names(main, len(outputs))
        return function

    def _argument_names(self, main: MlirFunction) -> list[str]:
        names = []
        for i, value in enumerate(main.body.parameters):
            given = main.argument_attributes[i] if i < len(main.argument_attributes) else {}
            told = self.locations.name(value.place) or self.locations.name(inner_place(self.module, main, value))
            names.append(str(given.get("mlconv.name") or (path_name(told, "") if told else f"arg{i}")))
        return distinct(names)

    def _result_names(self, main: MlirFunction, count: int) -> list[str]:
        names = []
        for i in range(count):
            given = main.result_attributes[i] if i < len(main.result_attributes) else {}
            told = str(given.get("jax.result_info", ""))
            names.append(str(given.get("mlconv.name") or (path_name(told, "result") if told else f"out{i}")))
        return distinct(names)

    def check_size(self, main: MlirFunction) -> None:
        """Raises ConversionError NestedTooDeeply for more ops than are followed."""
        if self.inlined(main, {}, 0) > MAX_OPS:
            raise ConversionError(
                Code.NestedTooDeeply, f"the module has more than {MAX_OPS} ops once calls are inlined"
            )

    def inlined(self, function: MlirFunction, known: dict[str, int], depth: int) -> int:
        """How many ops a function has once what it calls stands in it.  known: of functions that were counted."""
        if depth > MAX_DEPTH:
            raise _too_deep(function.name)
        if function.name not in known:
            total = 0
            stack = [function.body]
            while stack:
                block = stack.pop()
                total += len(block.ops)
                for op in block.ops:
                    stack += op.bodies
                    name = _callee(op)
                    callee = None if name is None else self.module.functions.get(name)
                    if callee is not None:
                        total += self.inlined(callee, known, depth + 1)
            known[function.name] = total
        return known[function.name]

    def block(self, block: MlirBlock, env: Env, into: Block, depth: int, caller: Location | None = None) -> list[Tree]:
        """Emit the ops of a block; what it returns.  env: values that it sees, which its own are added to."""
        if depth > MAX_DEPTH:
            raise _too_deep(self.module.name)
        for op in block.ops:
            where = self.locations.location(op.place, op.name.rpartition(".")[2], caller)
            try:
                if op.name == "return":
                    return [_get(env, v) for v in op.inputs]
                results = self.op(op, env, into, where, depth)
            except ConversionError as error:
                if error.diagnostics:
                    raise
                raise ConversionError.of([error.with_context(where, op.name, op.name)]) from error
            for made, value in zip(op.outputs, results, strict=True):
                env[made] = value
        raise ConversionError(Code.AttributeInvalid, "a block does not end in return")

    def op(self, op: MlirOp, env: Env, into: Block, where: Location, depth: int) -> list[Tree]:
        """An op; a value for each of its results.  Raises ConversionError WrongArity."""
        special = self.special.get(op.name)
        if special is None:
            return self.source_op(op, env, into, where, depth)
        found = special(op, env, into, where, depth)
        results: list[Tree] = found if isinstance(found, list) else [found]
        if len(results) != len(op.outputs):
            raise ConversionError(Code.WrongArity, f"{op.name} has {len(op.outputs)} results, {len(results)} are given")
        return results

    def constant(self, op: MlirOp, env: Env, into: Block, where: Location, depth: int) -> Tree:
        value = op.fields.get("value")
        if not isinstance(value, Const):
            raise ConversionError(Code.ConstantInvalid, "a constant has no elements")
        made = Builder(into, where).emit(Constant(value=value)).y
        quant = tensor_type(op.outputs[0].type).quant if op.outputs else None
        return made if quant is None else Builder(into, where).emit(StorageCast(made, element=quant)).y

    def element(self, op: MlirOp, env: Env, into: Block, where: Location, depth: int) -> Tree:
        parts, index = _get(env, op.inputs[0]), number(op, "index")
        if not isinstance(parts, list) or not 0 <= index < len(parts):
            raise ConversionError(Code.WrongArity, f"element {index} of what has no such element")
        return [parts[index]]

    def call(self, op: MlirOp, env: Env, into: Block, where: Location, depth: int) -> Tree:
        """The ops of another function, whose arguments are the operands."""
        name = _callee(op) or ""
        callee = self.module.functions.get(name)
        if callee is None or len(callee.body.parameters) != len(op.inputs):
            raise ConversionError(Code.InputNotProduced, f"there is no function {name} of {len(op.inputs)} arguments")
        inner: Env = {a: _get(env, v) for a, v in zip(callee.body.parameters, op.inputs, strict=True)}
        return self.block(callee.body, inner, into, depth + 1, where)

    def composite(self, op: MlirOp, env: Env, into: Block, where: Location, depth: int) -> Tree:
        """An op that is known by its name, else what it is composed of."""
        found = direct(word(op, "name", ""), op)
        if found is None:
            return self.call(op, env, into, where, depth)
        return list(self.emit(found[0], found[1], op, env, into, where, []))

    def custom_call(self, op: MlirOp, env: Env, into: Block, where: Location, depth: int) -> Tree:
        """Calls of what has an op; assertions about sizes hold of the sizes that the model is converted for."""
        if is_assertion(op):
            return []
        target = word(op, "call_target_name", "")
        if target == "stablehlo.dynamic_reduce_window":
            regions = self.computations(self.called(op), env, where, depth)
            return list(self.emit("dynamic-reduce-window", {}, op, env, into, where, regions))
        found = direct(target, op)
        opcode, attributes = found if found is not None else hlo_of(op)
        return list(self.emit(opcode, attributes, op, env, into, where, []))

    def called(self, op: MlirOp) -> list[MlirBlock]:
        """Functions that a call of what is no function takes."""
        names = op.fields.get("called_computations")
        listed = names if isinstance(names, Sequence) and not isinstance(names, str) else ()
        found = [self.module.functions.get(str(getattr(name, "name", name))) for name in listed]
        return [function.body for function in found if function is not None]

    def control(self, op: MlirOp, env: Env, into: Block, where: Location, depth: int) -> Tree:
        """A loop or a choice, whose regions see the values around them."""
        regions = []
        for body in op.bodies:
            types = [tensor_type(v.type) for v in body.parameters]
            if op.name == "stablehlo.while":
                flat = list(_flatten([_get(env, v) for v in op.inputs]))
                stated = dict(enumerate(types))  # of what TensorFlow gives, whose shape is not known yet
                types = [stated.get(i, v.tensor) if v.tensor.shape is None else v.tensor for i, v in enumerate(flat)]
            inner = Block(types)
            values = iter(inner.arguments)
            seen: Env = {**env, **{a: _unflatten(a.type, values) for a in body.parameters}}
            inner.insert(Yield(list(_flatten(self.block(body, seen, inner, depth + 1))), where))
            regions.append(Region(inner))
        return list(self.emit(_CONTROL[op.name.partition(".")[2]], {}, op, env, into, where, regions))

    def source_op(self, op: MlirOp, env: Env, into: Block, where: Location, depth: int) -> list[Tree]:
        """An op of the source dialect."""
        regions = self.computations(op.bodies, env, where, depth)
        opcode, attributes = direct(op.name, op) or hlo_of(op)
        return self.emit(opcode, attributes, op, env, into, where, regions)

    def computations(self, bodies: Sequence[MlirBlock], env: Env, where: Location, depth: int) -> list[Region]:
        """Computations of scalars, as regions of an op."""
        regions = []
        self.in_numbers += 1
        for body in bodies:
            inner = Block([tensor_type(v.type).expressed for v in body.parameters])
            seen: Env = {**env, **dict(zip(body.parameters, inner.arguments, strict=True))}
            inner.insert(Yield(list(_flatten(self.block(body, seen, inner, depth + 1))), where))
            regions.append(Region(inner))
        self.in_numbers -= 1
        return regions

    def emit(
        self,
        opcode: str,
        attributes: dict[str, object],
        op: MlirOp,
        env: Env,
        into: Block,
        where: Location,
        regions: Sequence[Region],
    ) -> list[Tree]:
        """A source op with the operands and results of an op of the file."""
        taken = op.inputs[:2] if op.name == "stablehlo.rng" else op.inputs  # the third is the shape of the result
        operands = list(_flatten([_get(env, v) for v in taken]))
        stated = [part for v in op.outputs for part in leaves(v.type)]
        types, builder = [tensor_type(t) for t in stated], Builder(into, where)
        if not regions or opcode not in _CONTROL.values():
            operands = [builder.emit(Dequantize(v)).y if v.tensor.quant is not None else v for v in operands]
            computed = [t.expressed for t in types]
        else:
            computed = types
        made = SourceOp(f"hlo.{opcode}", operands, attributes, computed, regions, where)
        into.insert(made)
        for value in made.results:
            self.count += 1
            value.name = f"{self.prefix}{opcode}.{self.count}"
        values = iter([self.quantized(v, t, builder) for v, t in zip(made.results, types, strict=True)])
        return [_unflatten(v.type, values) for v in op.outputs]

    def quantized(self, value: Value, stated: TensorType, builder: Builder) -> Value:
        """A number as what a quantized type has for it: ops on these are those on the numbers that they stand for.
        Source: stablehlo/docs/spec.md, "Quantized tensors", dequantize_op_quantize.
        """
        if stated.quant is None or value.tensor.quant is not None or self.in_numbers:
            return value
        return builder.emit(Quantize(value, element=stated.quant)).y

    def uniform(self, op: MlirOp, env: Env, into: Block, where: Location, depth: int) -> Tree:
        """uniform_quantize, also from one quantized type to another, and uniform_dequantize."""
        value, builder = _get(env, op.inputs[0]) if op.inputs else None, Builder(into, where)
        if not isinstance(value, Value):
            raise ConversionError(Code.WrongArity, f"{op.name} has {len(op.inputs)} operands")
        number = builder.emit(Dequantize(value)).y if value.tensor.quant is not None else value
        return self.quantized(number, tensor_type(op.outputs[0].type), builder)


def _callee(op: MlirOp) -> str | None:
    """The function that an op calls."""
    field = _CALLS.get(op.name)
    called = op.fields.get(field) if field is not None else None
    return None if called is None else str(getattr(called, "name", called))


def _is_of_jax(module: MlirModule) -> bool:
    """Columns of jax count from 0, those of others from 1."""
    attributes = [d for f in module.functions.values() for d in (*f.argument_attributes, *f.result_attributes)]
    return any(name.startswith("jax.") for d in (module.fields, *attributes) for name in d)


def _too_deep(name: str) -> ConversionError:
    return ConversionError(
        Code.NestedTooDeeply,
        f"functions call one another more than {MAX_DEPTH} deep",
        location=NameLocation(name or "module"),
    )


def _get(env: Env, value: MlirValue) -> Tree:
    if value not in env:
        raise ConversionError(Code.InputNotProduced, "a value is used that does not exist here")
    return env[value]


def leaves(type_: MlirType) -> Iterator[MlirType]:
    """The tensors of a type, tuples taken apart, tokens left out."""
    if isinstance(type_, Tupled):
        for part in type_.parts:
            yield from leaves(part)
    elif type_ != TOKEN:
        yield type_


def _leaf_values(value: MlirValue) -> Iterator[MlirValue]:
    """An argument, or the parts of a tuple as arguments."""
    if not isinstance(value.type, Tupled):
        yield from () if value.type == TOKEN else (value,)
        return
    for part in leaves(value.type):
        yield MlirValue(part, value.place)


def _unflatten(type_: MlirType, values: Iterator[Value]) -> Tree:
    """Values in the form of a type."""
    if isinstance(type_, Tupled):
        return [_unflatten(part, values) for part in type_.parts]
    return None if type_ == TOKEN else next(values)


def _flatten(tree: Tree) -> Iterator[Value]:
    """The values of a tree in order."""
    if isinstance(tree, Value):
        yield tree
    elif tree is not None:
        for part in tree:
            yield from _flatten(part)
