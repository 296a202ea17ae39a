"""A Keras file to a module of core ops.

Every layer is read by a rule that knows all that its configuration says; where one does not, the whole model is left to
Keras (`LeftToKerasError`).  Layers become core ops at once, since they say what is computed, and shapes are needed for
that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.keras.archive import KerasFile, open_keras
from mlconv.importers.keras.call import Call, Results, run_rule
from mlconv.importers.keras.fields import LeftToKerasError
from mlconv.importers.keras.graph import GraphReader, Layer, Model, Ref, Slice, is_model, object_of
from mlconv.importers.keras.rules import LAYERS, OPERATIONS
from mlconv.importers.keras.weights import Weights
from mlconv.importers.pinned import check_pinned, no_input
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation, node_names

Shapes = Mapping[str, Sequence[int | str]]
MAX_CALLS = 100_000
_DAMAGE = (Code.FileDamaged, Code.ConstantInvalid, Code.TensorTooLarge, Code.ExternalDataInvalid)
_ELEMENTS = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "bool")


def read_keras(path: str, shapes: Shapes) -> Module:
    """The module of a `.keras` or `.h5` file.  shapes: of inputs by name, which replace the file's.

    Raises LeftToKerasError for what only Keras may know; ConversionError FileDamaged and ConstantInvalid for files that
    no Keras could read, NameNotFound and ShapeMismatch for shapes that are no input's.
    """
    file = open_keras(path)
    try:
        return _module(path, file, shapes)
    except RecursionError as e:
        raise LeftToKerasError("the configuration is nested too deeply") from e


def _module(path: str, file: KerasFile, shapes: Shapes) -> Module:
    model = GraphReader().model(file.config, file.weights)
    names = [ref.layer for ref in model.inputs]
    if len(set(names)) != len(names):
        raise LeftToKerasError("two inputs have one name")
    listed = sorted(names)  # as a signature of a SavedModel has them
    types = {ref.layer: _input_type(model, ref, shapes) for ref in model.inputs}
    unknown = [name for name in shapes if name.removesuffix(":0") not in names]
    if unknown:
        raise no_input(unknown[0], names)
    location = NameLocation("serving_default")
    function = Function.create("main", [types[name] for name in listed], listed, location)
    given = dict(zip(listed, function.inputs, strict=True))
    builder = Builder(function.block, location)
    runner = Runner(builder)
    outputs = runner.run(model, [given[name] for name in names], "")
    function.facts.variables = runner.variables
    if not isinstance(outputs, dict):
        outputs = {f"output_{i}": value for i, value in enumerate(outputs)}
    function.output_names = sorted(outputs)
    values = [outputs[name] for name in function.output_names]
    function.block.insert(Yield(values, location))
    return Module([function], {"path": path, "format": "keras", "producer": file.producer}, kinds=runner.kinds)


def _input_type(model: Model, ref: Ref, shapes: Shapes) -> TensorType:
    """Element type and shape of an input; open sizes are symbols named after it and the axis."""
    layer = model.layers[ref.layer]
    config, name = layer.config, layer.name
    if layer.kind != "InputLayer" or any(config.get(k) for k in ("sparse", "ragged", "optional", "input_tensor")):
        raise LeftToKerasError(f"{name!r} is no plain input")
    declared = config.get("batch_shape", config.get("batch_input_shape"))
    dtype = config.get("dtype") or "float32"
    if not isinstance(declared, list) or not all(
        s is None or (isinstance(s, int) and 0 <= s < 1 << 31) for s in declared
    ):
        raise LeftToKerasError(f"the shape of the input {name!r} is {str(declared)[:60]}")
    if dtype not in _ELEMENTS:
        raise LeftToKerasError(f"the input {name!r} is of {str(dtype)[:60]}")
    given = next((s for n, s in shapes.items() if n.removesuffix(":0") == name), None)
    if given is not None:
        check_pinned(name, given, declared)
    sizes = [_size(name, i, s) for i, s in enumerate(declared if given is None else given)]
    return TensorType(DType.from_numpy(np.dtype(dtype)), tuple(sizes))


def _size(name: str, axis: int, size: int | str | None) -> Size:
    if isinstance(size, str):
        return Dim.symbol(size)
    return Dim.symbol(f"{name}_{axis}") if size is None or size < 0 else size


class Runner:
    """Walks the calls of a model, each behind those that it reads."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.masks: dict[Value, Value] = {}
        self.variables: dict[str, Const] = {}
        self.calls: dict[str, int] = {}  # by path: how often a layer was called
        self.kinds: dict[str, set[str]] = {}  # as a module has them
        self.count = 0
        self.reuses = False

    def run(self, model: Model, inputs: Sequence[Value], path: str) -> list[Value] | dict[str, Value]:
        """The outputs of a model."""
        if len(inputs) != len(model.inputs):
            raise LeftToKerasError(f"{model.name} takes {len(model.inputs)} inputs, and is given {len(inputs)}")
        values = dict(zip(model.inputs, inputs, strict=True))
        self.reuses = self.reuses or any(len(layer.calls) > 1 for layer in model.layers.values())
        for layer, index in _ordered(model):
            if Ref(layer.name, index, 0) not in values:
                results = self.call(layer, index, values, path)
                values.update({Ref(layer.name, index, i): v for i, v in enumerate(results)})
        found = model.outputs
        refs = [found] if isinstance(found, Ref) else found
        try:
            return {k: values[r] for k, r in refs.items()} if isinstance(refs, dict) else [values[r] for r in refs]
        except KeyError as e:
            raise LeftToKerasError(f"no layer makes the output {e}") from e

    def call(self, layer: Layer, index: int, values: Mapping[Ref, Value], path: str) -> list[Value]:
        """Results of a call of a layer; ops are at the layer's name, behind those of the models that it is in."""
        self.count += 1
        if self.count > MAX_CALLS:
            raise LeftToKerasError(f"more than {MAX_CALLS} calls of layers")
        args = [_bound(part, values) for part in layer.calls[index][0]]
        named = {key: _bound(part, values) for key, part in layer.calls[index][1].items()}
        kwargs = {key: value for key, value in named.items() if not _is_nothing(value)}
        place = path + layer.name
        called = self.calls[place] = self.calls.get(place, -1) + 1
        name = f"{place}/{called}" if called else place
        self.builder.location = NameLocation(name)
        self.kinds.setdefault(layer.kind, set()).add(name)
        if layer.model is not None:
            return self._nested(layer.model, args, kwargs, f"{name}/")
        call = Call(self.builder, layer.kind, layer.config, layer.weights, args, kwargs, self)
        try:
            results = run_rule(OPERATIONS if layer.operation else LAYERS, call)
        except ConversionError as error:
            if error.code in _DAMAGE:
                raise
            raise LeftToKerasError(f"{layer.kind} {name!r}: {error.diagnostic.message}") from error
        return self._named(results, name)

    def layer(self, given: object, weights: Weights, args: Sequence[object]) -> Results:
        """The results of a layer, or model, that a layer holds; its ops are at that layer."""
        kind, config = object_of(given)
        if is_model(kind):
            location = self.builder.location
            assert isinstance(location, NameLocation)
            results = self._nested(GraphReader().model(given, weights), args, {}, f"{location.name}/")
            self.builder.location = location
            return results if len(results) > 1 else results[0]
        self.kinds.setdefault(kind, set()).update(node_names(self.builder.location))
        return run_rule(LAYERS, Call(self.builder, kind, config, weights, args, {}, self))

    def _nested(self, model: Model, args: Sequence[object], kwargs: Mapping[str, object], path: str) -> list[Value]:
        if set(kwargs) - {"training"}:
            raise LeftToKerasError(f"{model.name} is given arguments by name")
        if any(isinstance(arg, Mapping) for arg in args) and not model.by_key:
            raise LeftToKerasError(f"{model.name} takes a list of inputs, and is given them by name")
        found = self.run(model, list(_flat(args)), path)
        return list(found.values()) if isinstance(found, dict) else found

    def _named(self, results: Results, name: str) -> list[Value]:
        values = [results] if isinstance(results, Value) else list(results)
        for i, value in enumerate(values):
            if value.producer is not None and not value.name:
                value.name = f"{name}:{i}" if i else name
        return values


def _bound(given: object, values: Mapping[Ref, Value]) -> object:
    """Arguments with values in the place of references."""
    if isinstance(given, Ref):
        if given not in values:
            raise LeftToKerasError(f"no layer makes {given}")
        return values[given]
    if isinstance(given, list):
        return [_bound(item, values) for item in given]
    if isinstance(given, dict):
        return {key: _bound(item, values) for key, item in given.items()}
    if isinstance(given, Slice):
        return Slice(*(_bound(item, values) for item in given))
    return given


def _is_nothing(given: object) -> bool:
    """Null, or a list or dict of such: the masks of tensors that have none."""
    held = given if isinstance(given, list) else list(given.values()) if isinstance(given, dict) else []
    return given is None or (bool(held) and all(map(_is_nothing, held)))


def _flat(given: object) -> Iterator[Value]:
    """The tensors of arguments, dicts in the order of their keys."""
    if isinstance(given, Value):
        yield given
    elif isinstance(given, (list, tuple)):
        for item in given:
            yield from _flat(item)
    elif isinstance(given, Mapping):
        for key in sorted(given):
            yield from _flat(given[key])
    else:
        raise LeftToKerasError("a model is given what is no tensor")


def _refs(given: object) -> Iterator[Ref]:
    if isinstance(given, Ref):
        yield given
    elif isinstance(given, (list, tuple)):
        for item in given:
            yield from _refs(item)
    elif isinstance(given, Mapping):
        for item in given.values():
            yield from _refs(item)


def _ordered(model: Model) -> Iterator[tuple[Layer, int]]:
    """Calls in the order of the file, each behind those that it reads.  Raises LeftToKerasError for a cycle."""
    done, open_calls = set[tuple[str, int]](), set[tuple[str, int]]()
    for layer in model.layers.values():
        for index in range(len(layer.calls)):
            stack = [(layer.name, index)]
            while stack:
                key = stack[-1]
                if key in done:
                    stack.pop()
                    continue
                read = [(r.layer, r.call) for r in _refs(model.layers[key[0]].calls[key[1]])]
                left = [k for k in read if k not in done and _exists(model, k)]
                if left and key not in open_calls:
                    open_calls.add(key)
                    stack += left
                    continue
                if left:
                    raise LeftToKerasError("the calls of layers go in a circle")
                done.add(key)
                stack.pop()
                yield model.layers[key[0]], key[1]


def _exists(model: Model, key: tuple[str, int]) -> bool:
    layer = model.layers.get(key[0])
    if layer is None or key[1] >= len(layer.calls):
        if layer is not None and layer.kind == "InputLayer":
            return False
        raise LeftToKerasError(f"no layer makes call {key[1]} of {key[0]!r}")
    return True
