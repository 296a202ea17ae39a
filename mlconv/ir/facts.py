"""What is known of a function besides its ops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple

from mlconv.ir.attributes import attribute, attribute_name, field_check
from mlconv.ir.axis_orders import Forms, InputForm
from mlconv.ir.constants import Const
from mlconv.ir.dims import Dim, Size, operands_of, substitute, total
from mlconv.ir.quant import QuantType
from mlconv.ir.size_facts import SizeFacts


@attribute("fact.state")
class StateSlot(NamedTuple):
    """A variable that goes in and out.  input, output: their names.  initial: its value before the first run."""

    input: str
    output: str
    initial: Const


class StateRow(NamedTuple):
    """A variable, and the names of the input and the output that stand for it: what artifacts say of it."""

    variable: str
    input: str
    output: str


@attribute("fact.layout")
class IoLayout(NamedTuple):
    """Permutations of inputs and outputs whose layout was asked for, by name."""

    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]


@attribute("fact.size")
class SizeArgument(NamedTuple):
    """A size that a caller gives.  low, high: its range."""

    name: str
    low: int
    high: int


@attribute("fact.entry")
class EntrySizes(NamedTuple):
    """How sizes go in and out of a function whose types have the largest ones.  inputs, outputs: names of the model's
    own.  sizes: of the scalars behind the inputs, in order.  shapes: symbolic, of inputs and outputs by name.  counted:
    sizes in these that data decide.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    sizes: tuple[SizeArgument, ...]
    shapes: Mapping[str, tuple[Size, ...]]
    counted: tuple[SizeArgument, ...] = ()


@attribute("fact.condition")
class Condition(NamedTuple):
    """What two sizes that are known at run time must fulfil.  kind: `equal`; `least`, a >= b; or `spread`: a is b, or
    1.  asked_by: the node of the model that needs it.
    """

    kind: Literal["equal", "least", "spread"]
    a: Size
    b: Size
    asked_by: str = ""

    @property
    def as_least(self) -> Condition | None:
        """How small a size may be, where the condition says that: `2*min(1, N)` is 2 where N is 1 or more."""
        difference = self.a - self.b
        if self.kind != "equal" or not isinstance(difference, Dim):
            return self if self.kind == "least" else None
        for monomial, k in difference.terms.items():
            if len(monomial) == 1 and monomial[0].applies("min"):
                a, b = monomial[0].args
                rest = difference - Dim.of(monomial[0]) * k
                for x, bound in ((a, b), (b, a)):
                    if rest == -k * bound:
                        return Condition("least", x, bound, self.asked_by)
        return None

    @property
    def text(self) -> str:
        """`N must be M, or 1`."""
        if self.kind == "spread":
            whole = " or ".join(sorted(str(x) for x in operands_of("max", self.b) if x != self.a))
            return f"{self.a} must be {whole or self.b}, or 1"
        ends = [*operands_of("max", self.a)]
        if self.kind == "least" and self.b == 1 and len(ends) == 2 and total(ends) == 0:
            size = max(ends, key=lambda x: (not str(x).startswith("-"), str(x)))
            number = size.terms.get((), 0) if isinstance(size, Dim) else 0
            return f"{size - number} must not be {-number}"
        return f"{self.a} must be {'at least ' if self.kind == 'least' else ''}{self.b}"

    @property
    def symbols(self) -> frozenset[str]:
        """Those that it is about."""
        return frozenset().union(*(d.symbols() for d in (self.a, self.b) if isinstance(d, Dim)))

    def holds_at(self, sizes: Mapping[str, int]) -> bool | None:
        """Whether sizes fulfil it, which those that divide by 0 do not; None of sizes that these do not tell."""
        try:
            a, b = (substitute(x, sizes) for x in (self.a, self.b))
        except ZeroDivisionError:
            return False
        if not isinstance(a, int) or not isinstance(b, int):
            return None
        return a >= b if self.kind == "least" else a == b or (self.kind == "spread" and a == 1)

    def as_json(self) -> dict[str, int | str]:
        """For a model interface."""
        a, b = (x if isinstance(x, int) else str(x) for x in (self.a, self.b))
        return {"kind": self.kind, "a": a, "b": b, "asked_by": self.asked_by}


def joined_as(size: Size, joined: Size, asked_by: str) -> tuple[Condition, ...] | None:
    """What must hold for a size that sizes of several operands are joined to, `max(M, N)`, to be one of these; None
    where it is none of them, or others are not told.
    """
    if size == joined:
        return ()
    own, operands = operands_of("max", size), operands_of("max", joined)
    others = [d for d in operands if d not in own]
    if not own.keys() <= operands.keys() or any(isinstance(d, int) or not d.is_known for d in (size, *others)):
        return None
    conditions = []
    for d in others:
        conditions += [Condition("spread", d, size, asked_by), Condition("least", size, d, asked_by)]
    return tuple(conditions)


CLASSES = {
    attribute_name(cls): cls for cls in (StateSlot, IoLayout, InputForm, Forms, SizeArgument, EntrySizes, Condition)
}
"""By the names that text has for them."""


@dataclass(eq=False, repr=False, slots=True)
class Facts:
    """variables: initial values of what the function reads and assigns, by name.  state: variables that have become an
    input and an output.  where: what is known of its sizes.  conditions: what sizes must fulfil before native code
    runs.  tables: keys and values of the tables of TFLite that it looks into, by number.
    most: how small and how large values may be along each axis, by name, as the user says; nothing where he says
    nothing.  forms: inputs and outputs that have another form than the source's.  grids: what inputs of floats are
    rounded to before anything else, by name, once the ops that say so are gone.
    """

    variables: dict[str, Const] = field(default_factory=dict)
    state: dict[str, StateSlot] = field(default_factory=dict)
    where: SizeFacts = field(default_factory=SizeFacts)
    sizes: EntrySizes | None = None
    io_layout: IoLayout | None = None
    conditions: tuple[Condition, ...] = ()
    tables: dict[str, tuple[Const, Const]] = field(default_factory=dict)
    most: dict[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    forms: Forms | None = None
    grids: dict[str, QuantType] = field(default_factory=dict)

    @property
    def state_rows(self) -> list[StateRow]:
        return [StateRow(name, slot.input, slot.output) for name, slot in self.state.items()]

    def known(self) -> dict[str, Any]:
        """Those that say something, by name."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name))}

    @staticmethod
    def of(values: Mapping[str, Any]) -> Facts:
        """The inverse of `known`.  Raises ValueError for names and values that are none."""
        names = [f.name for f in fields(Facts)]
        for name, value in values.items():
            if name not in names:
                raise ValueError(f"{name!r} is no fact of a function")
            if not field_check(Facts, name)(value):
                raise ValueError(f"the value of {name!r} is not understood")
        return Facts(**values)
