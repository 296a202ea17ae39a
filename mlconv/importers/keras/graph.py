"""Models as their configuration describes them: layers, calls of layers, and what calls are given.

Source: keras/src/models/functional.py (`functional_from_config`), keras/src/models/sequential.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias, Union

import numpy as np

from mlconv.importers.keras.fields import LeftToKerasError
from mlconv.importers.keras.weights import Weights

MAX_DEPTH = 32
"""Models in models, and lists in lists of what a call is given."""

_MODELS = {"Functional": "Functional", "Model": "Functional", "Sequential": "Sequential"}
# Classes that are written under another name than that of their class, which is what weights are stored by.
_STORED_AS = {"Functional": "Functional", "Model": "Functional", "GroupQueryAttention": "GroupedQueryAttention"}
_MODULES = re.compile(r"keras(\.layers|\.models|\.src\.(models|applications)\.\w+|\.src\.layers(\.\w+)*)?")
OPERATIONS = re.compile(r"keras\.src\.(ops\.\w+|activations\.activations)")


class Ref(NamedTuple):
    """What a call of a layer gave: the layer's name, which call, which of its results."""

    layer: str
    call: int
    result: int


class Slice(NamedTuple):
    """A slice, as an index of a tensor."""

    start: object
    stop: object
    step: object


Outputs: TypeAlias = Union[Ref, list[Ref], dict[str, Ref]]


@dataclass(eq=False)
class Layer:
    """kind: its class.  operation: it is one of `keras.ops`, not a layer.  calls: arguments of each, by position and by
    name.  model: where it is one itself.
    """

    kind: str
    name: str
    config: Mapping[str, object]
    weights: Weights
    operation: bool = False
    calls: list[tuple[list[object], dict[str, object]]] = field(default_factory=list)
    model: Model | None = None


@dataclass(eq=False)
class Model:
    """layers: by name, in order.  inputs: of the model, in order.  outputs: a reference, or lists and dicts of them.
    by_key: its inputs are a dict.
    """

    name: str
    layers: dict[str, Layer]
    inputs: list[Ref]
    outputs: Outputs
    by_key: bool = False


def is_model(kind: str) -> bool:
    """A class is one of models."""
    return kind in _MODELS


def snake_case(name: str) -> str:
    """Source: keras/src/utils/naming.py, `to_snake_case`."""
    name = re.sub(r"\W+", "", name)
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


class GraphReader:
    """Reads models; layers that several models share are read once."""

    def __init__(self) -> None:
        self.shared: dict[object, Layer] = {}

    def model(self, given: object, weights: Weights, depth: int = 0) -> Model:
        kind, config, _ = _object(given)
        if kind not in _MODELS or depth > MAX_DEPTH:
            raise LeftToKerasError(f"{kind} is no plain model")
        listed = config.get("layers")
        name = config.get("name")
        if not isinstance(listed, list) or not listed or not isinstance(name, str):
            raise LeftToKerasError(f"{kind} has no layers or no name")
        kinds = [_object(item) for item in listed]
        names = [_name(item, entry) for item, (_, entry, _) in zip(listed, kinds, strict=True)]
        if len(set(names)) != len(names):
            raise LeftToKerasError("two layers have one name")
        sequential = _MODELS[kind] == "Sequential"
        stored = [
            i for i, (k, _, op) in enumerate(kinds) if not op and not (sequential and i == 0 and k == "InputLayer")
        ]
        below = weights.layers(
            [snake_case(_STORED_AS.get(kinds[i][0], kinds[i][0])) for i in stored], [names[i] for i in stored]
        )
        by_index = dict(zip(stored, below, strict=True))
        layers = {
            names[i]: self.layer(item, names[i], by_index.get(i, weights), depth) for i, item in enumerate(listed)
        }
        if sequential:
            return _sequential(name, layers)
        for item, layer in zip(listed, layers.values(), strict=True):
            layer.calls = [_call(node) for node in _list(item.get("inbound_nodes"), "inbound_nodes")]
        inputs = [_ref(r, layers) for r in _leaves(config.get("input_layers"))]
        by_key = isinstance(config.get("input_layers"), Mapping)
        return Model(name, layers, inputs, _structure(config.get("output_layers"), layers), by_key)

    def layer(self, given: Mapping[str, object], name: str, weights: Weights, depth: int) -> Layer:
        """One layer; calls are the model's that it is in."""
        kind, config, operation = _object(given)
        key = given.get("shared_object_id")
        first = self.shared.get(key) if key is not None else None
        if first is not None:
            return Layer(first.kind, name, first.config, first.weights, model=first.model)
        inner = self.model(given, weights, depth + 1) if kind in _MODELS and not operation else None
        layer = Layer(kind, name, config, weights, operation, model=inner)
        if isinstance(key, (int, str)):
            self.shared[key] = layer
        return layer


def _object(given: object) -> tuple[str, Mapping[str, object], bool]:
    """Class and configuration of a serialized object, and whether it is an operation.

    Raises LeftToKerasError for those that are not Keras's own.
    """
    if not isinstance(given, Mapping):
        raise LeftToKerasError("an entry of the configuration is no object")
    kind, config = given.get("class_name"), given.get("config")
    if not isinstance(kind, str) or not isinstance(config, Mapping):
        raise LeftToKerasError("an object of the configuration has no class or no configuration")
    module, registered = given.get("module", "keras"), given.get("registered_name")
    operation = isinstance(module, str) and OPERATIONS.fullmatch(module) is not None
    if not isinstance(module, str) or not (operation or _MODULES.fullmatch(module)):
        raise LeftToKerasError(f"{kind[:60]} is a class of {str(module)[:60]}")
    if registered not in (None, kind):
        raise LeftToKerasError(f"{kind[:60]} is registered as {str(registered)[:60]!r}")
    return kind, config, operation


def object_of(given: object) -> tuple[str, Mapping[str, object]]:
    """Class and configuration of a layer that another one holds."""
    kind, config, operation = _object(given)
    if operation:
        raise LeftToKerasError(f"{kind} is no layer")
    return kind, config


def _name(given: Mapping[str, object], config: Mapping[str, object]) -> str:
    name = given.get("name", config.get("name"))
    if not isinstance(name, str) or not name:
        raise LeftToKerasError("a layer has no name")
    return name


def _list(value: object, what: str) -> list[object]:
    if not isinstance(value, list):
        raise LeftToKerasError(f"{what} is no list")
    return value


def _sequential(name: str, layers: dict[str, Layer]) -> Model:
    """A chain of layers behind an input."""
    order = list(layers.values())
    if order[0].kind != "InputLayer" or len(order) < 2:
        raise LeftToKerasError("a sequential model says nothing about its input")
    order[0].calls = [([], {})]
    for before, layer in pairwise(order):
        layer.calls = [([Ref(before.name, 0, 0)], {})]
    return Model(name, layers, [Ref(order[0].name, 0, 0)], Ref(order[-1].name, 0, 0))


def _is_ref(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and isinstance(value[0], str)
        and all(isinstance(n, int) and n >= 0 for n in value[1:])
    )


def _ref(value: object, layers: Mapping[str, Layer]) -> Ref:
    """An input or output of a model.  Functional models count a call of their own (`functional_from_config`)."""
    if not isinstance(value, list) or not _is_ref(value) or value[0] not in layers:
        raise LeftToKerasError(f"{str(value)[:60]} names no result of a layer")
    inner = layers[value[0]]
    own = inner.model is not None and inner.kind != "Sequential"
    return Ref(value[0], value[1] - own, value[2])


def _leaves(value: object, depth: int = 0) -> Iterator[object]:
    """References in lists and dicts, dicts in the order of their keys."""
    if _is_ref(value) or depth > MAX_DEPTH:
        yield value
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield from _leaves(value[key], depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, depth + 1)
    else:
        yield value


def _structure(value: object, layers: Mapping[str, Layer]) -> Outputs:
    """Outputs of a model: one, a list, or a dict; nested ones are left to Keras."""
    if _is_ref(value):
        return _ref(value, layers)
    if isinstance(value, list):
        return [_ref(item, layers) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _ref(value[key], layers) for key in sorted(value)}
    raise LeftToKerasError("the outputs of a model are no list")


def _call(node: object) -> tuple[list[object], dict[str, object]]:
    """Arguments of a call."""
    if isinstance(node, list):
        return _old_call(node)
    if not isinstance(node, Mapping):
        raise LeftToKerasError("a call of a layer is no object")
    args, kwargs = _argument(node.get("args")), _argument(node.get("kwargs"))
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        raise LeftToKerasError("a call of a layer has no arguments")
    return args, kwargs


def _old_call(node: list[object]) -> tuple[list[object], dict[str, object]]:
    """As Keras 2 writes it: a list of what one argument holds."""
    refs: list[Ref] = []
    for entry in node:
        if not isinstance(entry, list) or not _is_ref(entry[:3]) or any(entry[3:]):
            raise LeftToKerasError("a call of a layer has arguments by name")
        refs.append(Ref(entry[0], entry[1], entry[2]))
    return [refs if len(refs) != 1 else refs[0]], {}


def _argument(value: object, depth: int = 0) -> object:
    """An argument: references in the place of tensors, slices, arrays."""
    if depth > MAX_DEPTH:
        raise LeftToKerasError("arguments of a call are nested too deeply")
    if isinstance(value, list):
        return [_argument(item, depth + 1) for item in value]
    if not isinstance(value, Mapping):
        return value
    kind, inner = value.get("class_name"), value.get("config")
    if kind is None:
        return {str(key): _argument(item, depth + 1) for key, item in value.items()}
    if kind == "__ellipsis__":
        return Ellipsis
    if kind == "__tuple__":
        return _argument(value.get("items"), depth + 1)
    if not isinstance(inner, Mapping):
        raise LeftToKerasError(f"an argument is {str(kind)[:60]}")
    if kind == "__keras_tensor__" and _is_ref(inner.get("keras_history")):
        return Ref(*inner["keras_history"])
    if kind == "__slice__":
        return Slice(*(_argument(inner.get(part), depth + 1) for part in ("start", "stop", "step")))
    if kind in ("__numpy__", "__tensor__"):
        return _array(inner)
    raise LeftToKerasError(f"an argument is {str(kind)[:60]}")


def _array(inner: Mapping[str, object]) -> object:
    try:
        return np.asarray(inner.get("value"), np.dtype(str(inner.get("dtype"))))
    except (TypeError, ValueError, OverflowError) as e:
        raise LeftToKerasError(f"an argument is an array that cannot be read: {e}") from e
