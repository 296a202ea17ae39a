"""Traits: what ops of a class have in common.  Passes ask for them and name no op."""

from __future__ import annotations

from mlconv.ir.core import Op


class Trait:
    """A property of a class of ops.  One that says something about each op overrides `verify`."""

    @classmethod
    def verify(cls, op: Op) -> str:
        """What is wrong with an op of the trait; empty when nothing is."""
        return ""


class Elementwise(Trait):
    """numpy broadcasting over all operands; layout passes may permute all of them alike."""


class Commutative(Trait):
    """The first two operands may change places."""


class Impure(Trait):
    """Not to be folded, merged or moved: random numbers, state.  Where its results are not used, it may go."""


class Effect(Trait):
    """It changes something besides making its results: impure, and it stays."""


class DefinesSize(Trait):
    """From here on, the size that its attributes name is the number in its operand: what stands behind may have it."""


class OfVariable(Trait):
    """It reads or assigns the variable that its attribute `variable` names, which its function has."""


class ReadsContents(Trait):
    """`infer` looks into constant operands; constant folding asks again when operands have become constants."""


class SameElementType(Trait):
    """All operands and results have one element type."""

    @classmethod
    def verify(cls, op: Op) -> str:
        dtypes = {v.tensor.dtype for v in (*op.inputs, *op.results)}
        names = " and ".join(sorted(d.display for d in dtypes))
        return f"element types differ: {names}" if len(dtypes) > 1 else ""


class Capturing(Trait):
    """Its regions may use values from around it."""


class Plumbing(Trait):
    """Holds data, or brings them to another form: the work of a program is done by other ops."""


class Transposing(Plumbing):
    """Moves the axes of a tensor, and nothing else: what layout passes keep few."""


class Terminator(Trait):
    """Ends a block."""


def has_trait(op: Op, trait: type[Trait]) -> bool:
    """The op is declared, and of that trait or of one that is a kind of it."""
    spec = op.spec
    return spec is not None and trait in spec.kinds


def is_pure(op: Op) -> bool:
    """The op is declared and does nothing but make its results.  What its regions do is not looked at."""
    spec = op.spec
    return spec is not None and Impure not in spec.traits and Effect not in spec.traits


def has_effect(op: Op) -> bool:
    """The op, or one in its regions, changes something besides making its results."""
    if op.spec is not None and Effect in op.spec.traits:
        return True
    return any(has_effect(inner) for region in op.regions for inner in region.block.ops)
