"""What the rule of a layer works with: its configuration, its weights, what it is given, and a builder of core ops."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Protocol, TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.keras.fields import Fields, LeftToKerasError, policy_of
from mlconv.importers.keras.weights import NamedWeights, Weights
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite.core_builder import CoreBuilder

Results: TypeAlias = Union[Value, Sequence[Value]]
Rule: TypeAlias = Callable[["Call"], Results]

COMPUTES = {"float32": DType.F32, "float16": DType.F16, "bfloat16": DType.BF16}
"""Element types that layers compute with here."""


_OF_ANY_TYPE = re.compile(
    r"Flatten|Reshape|Permute|RepeatVector|Concatenate|Add|Subtract|Multiply|Maximum|Minimum|TimeDistributed|Identity|"
    r"(Alpha|Gaussian|Spatial)?Dropout.*|GaussianNoise|ActivityRegularization|(Cropping|ZeroPadding)\dD|"
    r"Rescaling|Normalization|CenterCrop|Resizing|CategoryEncoding"
)
"""Layers that take integers for what they are; of others Keras makes floating-point numbers, or none at all."""


class Rules:
    """Rules by class of a layer or operation, declared by decorator.

    masks: whether a layer hands the mask of its input on; those that are not in it ask for the mask themselves.
    """

    def __init__(self) -> None:
        self.by_kind: dict[str, Rule] = {}
        self.masks: dict[str, bool] = {}

    def rule(self, *kinds: str, keeps_mask: bool | None = None) -> Callable[[Rule], Rule]:
        """keeps_mask: whether the mask of the input is that of the result; None where the rule says so itself."""

        def declare(function: Rule) -> Rule:
            for kind in kinds:
                self.by_kind[kind] = function
                if keeps_mask is not None:
                    self.masks[kind] = keeps_mask
            return function

        return declare

    @staticmethod
    def merged(parts: Sequence[Rules]) -> Rules:
        out = Rules()
        for part in parts:
            out.by_kind.update(part.by_kind)
            out.masks.update(part.masks)
        return out


class Context(Protocol):
    """What calls of one model have in common.

    masks: of values, which say which steps count.  reuses: a layer is called more than once.  variables: what layers
    keep from one run to the next, with the values that they begin with.
    """

    masks: dict[Value, Value]
    reuses: bool
    variables: dict[str, Const]

    def layer(self, given: object, weights: Weights, args: Sequence[object]) -> Results:
        """The results of a layer, or model, that a layer holds."""


class Call(CoreBuilder):
    """A call of a layer.

    args, kwargs: what it is given, by position and by name: values, and what else there is.
    """

    __slots__ = ("_asked", "args", "context", "fields", "kind", "kwargs", "weights")

    def __init__(
        self,
        builder: Builder,
        kind: str,
        config: Mapping[str, object],
        weights: Weights,
        args: Sequence[object],
        kwargs: Mapping[str, object],
        context: Context,
    ) -> None:
        super().__init__(builder)
        self.kind, self.fields, self.weights = kind, Fields(kind, config), weights
        self.args, self.kwargs, self.context = args, kwargs, context
        self._asked = {"training"}

    @property
    def dtype(self) -> DType:
        """The element type that it computes with."""
        return self._policy(self.fields.given)

    def _policy(self, config: Mapping[str, object]) -> DType:
        compute, kept = policy_of(self.kind, config)
        if compute not in COMPUTES or kept != "float32":
            raise LeftToKerasError(f"{self.kind} computes with {compute}, and keeps its weights in {kept}")
        return COMPUTES[compute]

    def same_policy(self, config: Mapping[str, object]) -> None:
        """A layer that this one holds computes with the same type."""
        if self._policy(config) is not self.dtype:
            raise self.unknown("it holds a layer that computes with another type")

    @property
    def masks(self) -> dict[Value, Value]:
        return self.context.masks

    # What it is given

    def unknown(self, why: str) -> LeftToKerasError:
        return LeftToKerasError(f"{self.kind}: {why}")

    def value(self, given: object) -> Value:
        """A tensor that it is given: floating-point ones are cast to the type that it computes with."""
        if not isinstance(given, Value):
            raise self.unknown("an argument is no tensor")
        if not given.tensor.dtype.is_float and _OF_ANY_TYPE.fullmatch(self.kind) is None:
            raise self.unknown(f"it is given {given.tensor.dtype.display}")
        if not given.tensor.dtype.is_float or given.tensor.dtype is self.dtype:
            return given
        y = self.cast(given, self.dtype)
        if given in self.masks:
            self.masks[y] = self.masks[given]
        return y

    @property
    def x(self) -> Value:
        """The only tensor that it is given by position."""
        if len(self.args) != 1:
            raise self.unknown(f"it is given {len(self.args)} arguments")
        return self.value(self.args[0])

    @property
    def wide(self) -> Value:
        """The only tensor that it is given, in float32: statistics are not computed with half of the digits."""
        return self.cast(self.x, DType.F32)

    @property
    def xs(self) -> list[Value]:
        """A list of tensors, the only argument."""
        if len(self.args) != 1 or not isinstance(self.args[0], list):
            raise self.unknown("it is not given a list")
        return [self.value(v) for v in self.args[0]]

    def kwarg(self, name: str, default: object = None) -> object:
        self._asked.add(name)
        found = self.kwargs.get(name)
        return default if found is None else found

    @property
    def mask(self) -> Value | None:
        """Which steps of the first argument count: bool [batch, steps]."""
        given = self.kwarg("mask")
        first = self.args[0] if self.args else None
        found = given if given is not None else self.masks.get(first) if isinstance(first, Value) else None
        if found is not None and not isinstance(found, Value):
            raise self.unknown("the mask is no tensor")
        return found

    def shape(self, x: Value) -> tuple[Size, ...]:
        shape = x.tensor.shape
        if shape is None:
            raise self.unknown("the rank of its input is not known")
        return shape

    def size(self, x: Value, axis: int) -> int:
        """The size of an axis, which must be known."""
        size = self.shape(x)[self.axis_of(x, axis)]
        if not isinstance(size, int):
            raise self.unknown(f"the size of axis {axis} of its input is not known")
        return size

    # What it keeps

    def variable(self, name: str, shape: Sequence[int]) -> str:
        """The full name of a variable of the layer, which begins with zeros."""
        location = self.builder.location
        if self.context.reuses or not isinstance(location, NameLocation):
            raise self.unknown("it keeps its states, in a model that calls a layer twice")
        whole = f"{location.name}/{name}"
        self.context.variables[whole] = Splat(0.0, self.dtype, tuple(shape))
        return whole

    # Its weights

    def own(self, *shapes: Sequence[int], dtype: DType | None = None) -> list[Value]:
        """All weights of the layer itself, which are of these shapes, in the type that it computes with, or another.

        Raises ConversionError ConstantInvalid for others than these.
        """
        computes = self.dtype  # first: layers of other policies have weights of other shapes
        found = stored(self.kind, self.weights, shapes)
        return [self.cast(self.constant(c), dtype or computes) for c in found]

    def held(self, kind: str, weights: Weights, *shapes: Sequence[int]) -> list[Value]:
        """All weights of a layer that this one holds."""
        dtype = self.dtype  # first: layers of other policies have weights of other shapes
        return [self.cast(self.constant(c), dtype) for c in stored(kind, weights, shapes)]

    def layer(self, given: object, weights: Weights, args: Sequence[object]) -> Results:
        """The results of a layer, or model, that this one holds."""
        return self.context.layer(given, weights, args)

    def within(self, builder: Builder) -> Call:
        """The same call, whose ops are made elsewhere."""
        twin = copy(self)
        twin.builder = builder
        return twin

    def activation_layer(self, rules: Rules, kind: str, config: Mapping[str, object], x: Value) -> Value:
        """x behind a layer without weights, which stands for a function."""
        self.same_policy(config)
        result = run_rule(rules, Call(self.builder, kind, config, NamedWeights(()), [x], {}, self.context))
        if not isinstance(result, Value):
            raise self.unknown(f"{kind} has several results")
        return result

    def finish(self) -> None:
        """Raises LeftToKerasError for a field or an argument that the rule has not asked for."""
        self.fields.finish()
        for name, value in self.kwargs.items():
            if value is not None and name not in self._asked:
                raise self.unknown(f"the argument {name!r}")


def stored(kind: str, weights: Weights, shapes: Sequence[Sequence[int]]) -> list[Const]:
    """All weights of a layer itself.  Raises ConversionError ConstantInvalid for others than of these shapes."""
    found = weights.own()
    if any(c.dtype is not DType.F32 for c in found):
        raise LeftToKerasError(f"{kind} has weights that are no float32")
    if [c.shape for c in found] != [tuple(s) for s in shapes]:
        if isinstance(weights, NamedWeights):
            raise LeftToKerasError(f"{kind} has other weights than its configuration asks for")
        raise ConversionError(
            Code.ConstantInvalid,
            f"{kind} has weights of {[list(c.shape) for c in found]}, "
            f"its configuration asks for {[list(s) for s in shapes]}",
            help="save the model anew with the Keras that made it",
        )
    return found


def run_rule(rules: Rules, call: Call) -> Results:
    """The results of a call, with their masks."""
    rule = rules.by_kind.get(call.kind)
    if rule is None:
        raise LeftToKerasError(f"{call.kind} is no layer that is known here")
    keeps = rules.masks.get(call.kind)
    mask = call.mask if keeps is not None else None
    result = rule(call)
    call.finish()
    if keeps and mask is not None:
        if not isinstance(result, Value):
            raise call.unknown("several results and a mask")
        call.masks[result] = mask
    return result
