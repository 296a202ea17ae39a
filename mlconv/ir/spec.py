"""Typed ops: written as a class, consumed as data.

    @op("core.clamp")
    class Clamp(OpDef):
        '''doc'''
        x: Value = operand()
        lo: float = attr()
        y: Value = result()
        def infer(self) -> TensorType: ...
        def eval(self, x): ...

The decorator reads the class once and freezes an `OpSpec`; printer, parser, verifier, interpreter and docs loop over
that.  Constructing an op binds operands and attributes, infers the result types and deduces the contents of small
integer results.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar, dataclass_transform, overload

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.attributes import Check, Rule, field_check, hint_text
from mlconv.ir.constants import Array
from mlconv.ir.core import Known, Op, Region, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_BYTES, MAX_RANK
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import (
    NONE,
    OWN,
    QuantizableOp,
    QuantRule,
    evaluate_quantized,
    fits,
    has_quantized,
    infer_quantized,
    listed,
)
from mlconv.ir.traits import Trait
from mlconv.ir.types import TensorType, Type

MISSING: Any = object()
T = TypeVar("T", bound="type[Op]")
MAX_KNOWN = 64


class _Field:
    """A declared part of an op: reads it from the instance."""

    __slots__ = ("check", "default", "index", "kind", "name", "optional", "variadic")

    def __init__(
        self,
        kind: str,
        *,
        default: Any = MISSING,
        optional: bool = False,
        variadic: bool = False,
        check: Check | None = None,
    ) -> None:
        self.kind, self.default, self.optional, self.variadic, self.check = kind, default, optional, variadic, check
        self.name, self.index = "", 0

    def placed(self, name: str, index: int) -> _Field:
        """A copy with a name and a place: bases keep their own."""
        own = type(self)(
            self.kind, default=self.default, optional=self.optional, variadic=self.variadic, check=self.check
        )
        own.name, own.index = name, index
        return own

    def may_hold(self, cls: type) -> str:
        """For messages."""
        return self.check.text if isinstance(self.check, Rule) else hint_text(cls, self.name)

    @property
    def has_default(self) -> bool:
        return self.default is not MISSING

    def __get__(self, instance: Op | None, owner: type) -> Any:
        if instance is None:
            return self
        if self.kind == "attr":
            return instance.attributes.get(self.name, self.default)
        if self.kind == "region":
            return instance.regions[self.index :] if self.variadic else instance.regions[self.index]
        values: Sequence[Any] = instance.operands if self.kind == "operand" else instance.results
        return list(values[self.index :]) if self.variadic else values[self.index]


class _Operand(_Field):
    """One operand, which patterns ask for all the time."""

    __slots__ = ()

    def __get__(self, instance: Op | None, owner: type) -> _Field | Value | None:
        return self if instance is None else instance.operands[self.index]


def operand() -> Any:
    """A required operand."""
    return _Operand("operand")


def optional_operand(*, default: None) -> Any:
    """An operand that may be None; `default=None` is written out, because type checkers look for it."""
    return _Operand("operand", default=None, optional=True)


def operands() -> Any:
    """All remaining operands, as a list; must be the last operand declared."""
    return _Field("operand", variadic=True)


def attr(*, default: Any = MISSING, kw_only: bool = False, check: Check | None = None) -> Any:
    """An attribute; a Python value that the printer knows (see `ir/text.py`).  kw_only: for type checkers, after an
    optional operand.  check: whether a value is one of it; by default what the annotation says.
    """
    return _Field("attr", default=default, check=check)


@overload
def result(*, init: Literal[False] = False) -> Any: ...
@overload
def result(*, init: bool) -> Any: ...
def result(*, init: bool = False) -> Any:
    """A result."""
    return _Field("result")


@overload
def results(*, init: Literal[False] = False) -> Any: ...
@overload
def results(*, init: bool) -> Any: ...
def results(*, init: bool = False) -> Any:
    """All remaining results, as a list."""
    return _Field("result", variadic=True)


def region() -> Any:
    """A region of one block."""
    return _Field("region")


def regions() -> Any:
    """All remaining regions, as a list."""
    return _Field("region", variadic=True)


class _Count(NamedTuple):
    """How many operands, results or regions an op may have: at most as many as are declared, or any number."""

    least: int
    most: float
    nullable: tuple[bool, ...]  # which of those declared may be None


@dataclass(frozen=True)
class OpSpec:
    """What a class declares about its op.  quant: what it says about quantized operands."""

    name: str
    cls: type[Op]
    operands: tuple[_Field, ...]
    attributes: tuple[_Field, ...]
    results: tuple[_Field, ...]
    regions: tuple[_Field, ...]
    traits: frozenset[type[Trait]]
    quant: QuantRule

    @property
    def doc(self) -> str:
        return (self.cls.__doc__ or "").strip()

    @property
    def text(self) -> str:
        """The declaration, for people."""
        parts = [self.name]
        for kind, declared in (("operand", self.operands), ("result", self.results), ("region", self.regions)):
            parts += [f"  {kind:<10} {f.name}{'*' if f.variadic else '?' if f.optional else ''}" for f in declared]
        for f in self.attributes:
            default = f" = {f.default!r}" if f.has_default else ", required"
            parts.append(f"  attribute  {f.name}: {f.may_hold(self.cls)}{default}")
        if self.traits:
            parts.append(f"  traits     {', '.join(sorted(t.__name__ for t in self.traits))}")
        return "\n".join(parts) + (f"\n\n{inspect.cleandoc(self.doc)}" if self.doc else "")

    def misfit(self, op: Op) -> str:
        """What an op has that its declaration does not say, or lacks; empty when it fits."""
        operands, results, regions = self._counts
        if not operands.least <= len(op.operands) <= operands.most:
            return f"it has {len(op.operands)} operands, declared are {_names(self.operands)}"
        if None in op.operands:
            for value, f, may_lack in zip(op.operands, self.operands, operands.nullable, strict=False):
                if value is None and not may_lack:
                    return f"operand {f.name} is missing"
        if not results.least <= len(op.results) <= results.most:
            return f"it has {len(op.results)} results, declared are {_names(self.results)}"
        if not regions.least <= len(op.regions) <= regions.most:
            return f"it has {len(op.regions)} regions, declared are {_names(self.regions)}"
        problem = self.attribute_misfit(op.attributes)
        return problem or next(filter(None, (trait.verify(op) for trait in self.traits)), "")

    def attribute_misfit(self, attributes: Mapping[str, object]) -> str:
        """What is wrong with attributes; empty when they fit."""
        known, required = self._attributes
        for name, value in attributes.items():
            if name not in known:
                return f"there is no attribute {name!r}"
            check = known[name].check or field_check(self.cls, name)
            if not check(value):
                return f"attribute {name!r} is not {known[name].may_hold(self.cls)}"
        missing = next((name for name in required if name not in attributes), "")
        return f"the attribute {missing!r} is missing" if missing else ""

    @cached_property
    def _counts(self) -> tuple[_Count, _Count, _Count]:
        """Of operands, results and regions."""
        return _count(self.operands), _count(self.results), _count(self.regions)

    @cached_property
    def _attributes(self) -> tuple[dict[str, _Field], tuple[str, ...]]:
        """Attributes by name, and the names of those that an op has to have."""
        return {f.name: f for f in self.attributes}, tuple(f.name for f in self.attributes if not f.has_default)

    @cached_property
    def kinds(self) -> frozenset[type]:
        """Its traits, and what these are kinds of."""
        return frozenset(kind for trait in self.traits for kind in trait.__mro__)


def _count(declared: tuple[_Field, ...]) -> _Count:
    nullable = tuple(f.optional or f.variadic for f in declared)
    least = sum(not (f.optional or f.variadic or f.has_default) for f in declared)
    return _Count(least, math.inf if any(f.variadic for f in declared) else len(declared), nullable)


def _names(declared: tuple[_Field, ...]) -> str:
    return ", ".join(("*" if f.variadic else "") + f.name for f in declared) or "none"


@dataclass_transform(field_specifiers=(operand, optional_operand, operands, attr, result, results, region, regions))
class OpDef(QuantizableOp):
    """Base of typed ops.  Subclasses define `infer` and `eval`, and `deduce` where integer contents can be followed."""

    __slots__ = ()
    spec: ClassVar[OpSpec]
    moves_elements: ClassVar[bool] = False  # `deduce` is right for operands and results of rank 2

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        spec = type(self).spec
        values, attributes, regions = _bind(spec, args, kwargs)
        super().__init__(values, attributes, (), regions)
        complete = False
        try:
            types = self.inferred()
            for t in types:
                if isinstance(t, TensorType):
                    check_type(t, self.name)
            self.results = [Value(t, self, i) for i, t in enumerate(types)]
            if len(self.results) == 1:
                self.results[0].known = contents(self)
            complete = True
        finally:
            if not complete:  # an op that was never made is nobody's user
                self.drop_operands()

    def inferred(self) -> list[Type]:
        """Result types, those of quantized operands by the op's rule.  Raises ConversionError MLC02xx."""
        if self.spec.quant is OWN or not has_quantized(self.operands):
            return listed(self.infer())
        return infer_quantized(self)

    def quantized(self, *quants: QuantType | None) -> Self:
        """The op with results that are stored so; None leaves one as it is.  Raises ConversionError TypeMismatch where
        its rule does not allow that.
        """
        for value, inferred, quant in zip(self.results, self.inferred(), quants, strict=True):
            if quant is None:
                continue
            t = TensorType(quant, value.tensor.shape)
            if not fits(self.spec.quant, inferred, t):
                raise ConversionError(
                    Code.TypeMismatch, f"{self.name} gives {inferred}, not {t}: its rule is {self.spec.quant}"
                )
            value.type = t
        return self

    def evaluate(self, *values: Any) -> Any:
        """`eval`, where operands and results may be quantized: their integers."""
        if self.spec.quant is OWN or not has_quantized([*self.operands, *self.results]):
            return self.eval(*values)
        return evaluate_quantized(self, values)

    def deduce(self) -> Known | None:
        """Contents of a small integer result, from what is known of the operands."""
        return None


def check_type(t: TensorType, what: str) -> None:
    """Refuse what no tensor is: an unknown element type (ElementTypeUnsupported), too many axes (TensorTooLarge), a
    negative size (ShapeMismatch), more bytes than any machine holds (TensorTooLarge)."""
    if t.dtype is DType.UNKNOWN:
        raise ConversionError(
            Code.ElementTypeUnsupported,
            f"the element type of a result of {what} is not known, nor that of what it is computed from",
        )
    if t.shape is None or not t.shape:
        return
    if len(t.shape) > MAX_RANK:
        raise ConversionError(
            Code.TensorTooLarge, f"a result of {what} would have rank {len(t.shape)}, at most {MAX_RANK} is possible"
        )
    total = t.dtype.itemsize
    for d in t.shape:
        if isinstance(d, int):
            if d < 0:
                raise ConversionError(
                    Code.ShapeMismatch, f"a result of {what} would have the negative dimension {d}: {t}"
                )
            total *= d or 1
    if total > MAX_BYTES:
        raise ConversionError(Code.TensorTooLarge, f"a result of {what} is too large: {t} has a size of {total} bytes")


def contents(op: OpDef) -> Known | None:
    """What an op of one result says of its contents.  Those of small integer tensors of rank 0 and 1 are followed, and
    of matrices, as exporters make of pads, by ops that move elements.  What its type does not hold is not known: it
    comes round at the other end.
    """
    t = op.results[0].type
    if not isinstance(t, TensorType) or t.dtype not in (DType.I64, DType.I32) or t.quant is not None:
        return None
    if not isinstance(t.size, int) or t.size > MAX_KNOWN:
        return None
    most = 2 if op.moves_elements else 1
    followed = (t, *(v.type for v in op.operands if v is not None and v.known is not None))
    if not all(isinstance(u, TensorType) and (u.rank or 0) <= most for u in followed):
        return None
    known, limits = op.deduce(), np.iinfo(t.dtype.numpy)
    if known is None or all(not isinstance(n, int) or limits.min <= n <= limits.max for n in known):
        return known
    return tuple(None if isinstance(n, int) and not limits.min <= n <= limits.max else n for n in known)


MISREAD = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError)
"""What code that takes operands, types and attributes for sound raises where they are not."""


def deduced(op: OpDef) -> Known | None:
    """What an op of one result says of its contents; nothing where its parts do not fit, which the verifier finds."""
    try:
        return contents(op)
    except (*MISREAD, ConversionError):
        return None


def _bind(
    spec: OpSpec, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Value | None], dict[str, Any], list[Region]]:
    """Distribute constructor arguments over operands, attributes and regions.  Raises TypeError like a function
    call.
    """
    values: list[Value | None] = []
    position = 0
    for f in spec.operands:
        given: Any = MISSING
        if position < len(args):
            given = args[position]
            position += 1
        elif f.name in kwargs:
            given = kwargs.pop(f.name)
        if given is MISSING:
            given = f.default
        if given is MISSING:
            raise TypeError(f"{spec.name}: operand {f.name} is missing")
        if f.variadic:
            values.extend(given)
        else:
            values.append(given)
    if position < len(args):
        raise TypeError(f"{spec.name}: {len(args) - position} positional arguments too many")
    attributes: dict[str, Any] = {}
    for f in spec.attributes:
        value = kwargs.pop(f.name, f.default)
        if value is MISSING:
            raise TypeError(f"{spec.name}: attribute {f.name} is missing")
        attributes[f.name] = value
    regions = [kwargs.pop(f.name) for f in spec.regions]
    if kwargs:
        raise TypeError(f"{spec.name}: unexpected {sorted(kwargs)}")
    return values, attributes, regions


def op(name: str, *, traits: Sequence[type[Trait]] = (), quant: QuantRule | None = None) -> Callable[[T], T]:
    """Declare a typed op: freezes its `OpSpec` from the class and its bases.  quant: by default what a base says as
    `quant_rule`, or none.
    """

    def declare(cls: T) -> T:
        declared: dict[str, _Field] = {}  # a class may declare anew what a base has; the place stays
        inherited: set[type[Trait]] = set()
        for base in reversed(cls.__mro__):
            inherited.update(getattr(base, "traits", ()))
            declared.update({key: value for key, value in vars(base).items() if isinstance(value, _Field)})
        fields: dict[str, list[_Field]] = {"operand": [], "attr": [], "result": [], "region": []}
        for key, value in declared.items():
            own = value.placed(key, len(fields[value.kind]))
            fields[own.kind].append(own)
            setattr(cls, key, own)
        parts = {kind: tuple(fs) for kind, fs in fields.items()}
        of_base: QuantRule = getattr(cls, "quant_rule", NONE)
        cls.spec = OpSpec(
            name,
            cls,
            parts["operand"],
            parts["attr"],
            parts["result"],
            parts["region"],
            frozenset(traits) | inherited,
            of_base if quant is None else quant,
        )
        cls.name = name
        return cls

    return declare


def known_ints(value: Value | None) -> Known | None:
    """Contents of a small integer tensor of rank 2 at most, flattened: each an int, a symbolic size or None; None when
    nothing is known.
    """
    return None if value is None else value.known


def known_array(value: Value) -> Array | None:
    """`Known` of a tensor as an array of objects of its shape; unknown elements are None.  None where nothing tells
    them apart.
    """
    shape, size = value.tensor.shape, value.tensor.size
    if shape is None or not isinstance(size, int) or size > MAX_KNOWN:
        return None
    flat = np.empty(size, object)
    flat[:] = value.known if value.known is not None else [None] * size
    return flat.reshape([int(d) for d in shape if isinstance(d, int)])


def known_of_array(array: Array) -> Known | None:
    """`Known` of a concrete array."""
    return tuple(int(i) for i in np.asarray(array).reshape(-1)) if array.size <= MAX_KNOWN else None
