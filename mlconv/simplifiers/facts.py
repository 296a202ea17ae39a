"""What is known of the values of a model: types with symbolic sizes, contents of small integers, constants.

The model is imported and legalized to core once; what core's ops infer for the results of each source op is noted under
the name that the file has for them.  Ops that core has no form of give what the file states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.source import BROKEN
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const, Inline, make_const
from mlconv.ir.core import Known, Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant_rules import quant_of
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.types import TensorType
from mlconv.legalize.source import SourceConversion, SourceNode, pass_through
from mlconv.passes.quantized.weights import moved
from mlconv.rewrite import NoMatch, Replacement, Rewriter, Rule, edit
from mlconv.rewrite.fold import fold, from_known, is_foldable

_MOST_GROWTH, _MOST_HELD = 1 << 26, 1 << 28
"""Bytes that a constant may have beyond those that it is computed from, and that all such may: what is written is
another question, but what is computed of them may be small.
"""
_SMALL = 1 << 16
_SMALL_DOUBT = 1 << 20  # bytes of constants that are computed twice
_LEAST_RECIPE = 1 << 12
"""Bytes from which on a constant that is moved is written down, not computed."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Of a value.  known: the contents of a small integer tensor, flattened, as sizes."""

    type: TensorType | None = None
    known: Known | None = None
    constant: Const | None = None


NOTHING = Fact()


class Noting(SourceConversion):
    """A legalization that notes what becomes of each result."""

    facts: dict[str, Fact]
    held: int = 0
    doubts: dict[Value, tuple[Const, Const]] | None = None

    def rules_of(self, op: Op) -> list[Rule]:
        return super().rules_of(op) or [self.passing]

    def _is_blocked(self, op: Op) -> bool:
        return False

    def call(self, rule: Rule, op: Op, builder: SourceNode) -> Replacement | NoMatch:
        made = self._attempt(rule, op, builder)
        if isinstance(made, NoMatch):
            made = pass_through(op, builder.rewriter, "", b"")
        values = self._computed([made] if isinstance(made, Value) else list(made), builder.rewriter)
        for old, new in zip(op.results, values, strict=False):
            if old.uses:
                self.note(old.name, new)
        return values

    def _attempt(self, rule: Rule, op: Op, builder: SourceNode) -> Replacement | NoMatch:
        stuck = any(isinstance(v.owner, Op) and v.owner in self.failed for v in op.inputs)
        if stuck or op.attributes.get(BROKEN):
            return NoMatch("it reads what is not known")
        try:
            return super().call(rule, op, builder)
        except ConversionError as error:
            builder.rewriter.undo()
            return NoMatch(error.diagnostic.message)

    def report(self, op: Op, error: ConversionError) -> None:
        """Nothing is known of the results; that is no problem of the model."""

    def note(self, name: str, value: Value) -> None:
        """A value that the file has a name for."""
        type_ = value.type if isinstance(value.type, TensorType) else None
        if type_ is None or type_.quant is not None or type_.dtype is DType.UNKNOWN or type_.bounded:
            fact = NOTHING
        else:
            fact = Fact(type_, known_ints(value), const_of(value))
        self.facts[name] = fact

    def _constants(self, op: OpDef) -> list[Const] | None:
        """The results of an op, as long as there is room for them."""
        return _constants(op, min(_MOST_GROWTH, _MOST_HELD - self.held)) or self._beyond_doubt(op)

    def _beyond_doubt(self, op: OpDef) -> list[Const] | None:
        """Constants that are the same whatever a runtime makes of numbers that no integer is: what is computed of both
        ends of the integers is noted until it is the same.
        """
        doubts = self.doubts = {} if self.doubts is None else self.doubts
        cast = _undefined(op)
        if cast is not None:
            doubts[op.results[0]] = cast
            return None
        if not any(v in doubts for v in op.operands if v is not None) or not is_foldable(op, _SMALL_DOUBT):
            return None
        known = [None if v is None else doubts.get(v) or _twice(const_of(v)) for v in op.operands]
        if any(pair is None and v is not None for pair, v in zip(known, op.operands, strict=True)):
            return None
        made = [_folded(op, [None if pair is None else pair[i] for pair in known]) for i in (0, 1)]
        if made[0] is None or made[1] is None:
            return None
        pairs = list(zip(made[0], made[1], strict=True))
        if all(np.array_equal(a.view(), b.view(), equal_nan=a.dtype.is_float) for a, b in pairs):
            return made[0]
        doubts.update(zip(op.results, pairs, strict=True))
        return None

    def _computed(self, values: list[Value], rewriter: Rewriter) -> list[Value]:
        """The same, with constants for what follows from such."""
        instead: dict[Value, Value] = {}
        passing = dict[Value, int]()  # constants that others are computed of, and what they hold
        for op in list(rewriter.emitted):
            constants = self._constants(op) if isinstance(op, OpDef) and op.block is not None else None
            if constants is None or op.block is None or op.location is None:
                continue
            builder = Builder(op.block, op.location, before=op)
            made = [
                builder.emit(core.Constant(value=c, element=quant_of(v))).y
                for c, v in zip(constants, op.results, strict=True)
            ]
            read = [v for v in dict.fromkeys(op.inputs) if v in passing]
            held = [_held(v, op) for v in made]
            self.held += sum(held)
            passing.update((v, n) for v, n, old in zip(made, held, op.results, strict=True) if old not in values)
            instead.update(zip(op.results, made, strict=True))
            edit.replace(op, made)
            for v in read:
                self._release(v, passing, made)
        return [instead.get(v, v) for v in values]

    def _release(self, value: Value, passing: dict[Value, int], made: list[Value]) -> None:
        """A constant goes when all that is computed of it is known.  made: of it."""
        if value.uses or not isinstance(value.producer, core.Constant):
            return
        held = passing.pop(value)
        self.held -= 0 if any(_shares(value, v) for v in made) else held
        edit.erase(value.producer)


def _shares(value: Value, made: Value) -> bool:
    """Two constants of the same bytes of memory."""
    one, other = const_of(value), const_of(made)
    return isinstance(one, Inline) and isinstance(other, Inline) and np.may_share_memory(one.view(), other.view())


def _held(made: Value, maker: Op) -> int:
    """Bytes of memory that a constant takes, where they are many and not those of what it was computed from."""
    constant = const_of(made)
    if not isinstance(constant, Inline) or constant.nbytes <= _SMALL:
        return 0
    return 0 if any(_shares(v, made) for v in maker.inputs) else constant.nbytes


def _constants(op: OpDef, room: int) -> list[Const] | None:
    """The results of an op where they are constants, at most so many bytes larger than what they are computed from."""
    if isinstance(op, core.Constant) or op.regions:
        return None
    known = from_known(op)
    if known is not None:
        return [known]
    if not op.inputs or not is_foldable(op, 1 << 62):
        return None
    values = [const_of(v) for v in op.operands]
    given = [c for c, v in zip(values, op.operands, strict=True) if v is not None]
    if any(c is None for c in given):
        return None
    first = values[0]
    recipe = moved(op, first) if first is not None and first.nbytes >= _LEAST_RECIPE else None
    if recipe is not None:
        return [recipe]
    read = sum(c.nbytes for c in given if c is not None)
    sizes = static(v.tensor.size for v in op.results)
    made = None if sizes is None else sum(n * v.tensor.dtype.itemsize for n, v in zip(sizes, op.results, strict=True))
    if made is None or made > read + room:
        return None
    try:
        found = fold(op, values)
    except ConversionError:
        return None
    return found if found is None or _is_defined(op, [c for c in given if c is not None], found) else None


def _twice(constant: Const | None) -> tuple[Const, Const] | None:
    return None if constant is None else (constant, constant)


def _folded(op: OpDef, values: list[Const | None]) -> list[Const] | None:
    try:
        return fold(op, values)
    except ConversionError:
        return None


def _undefined(op: OpDef) -> tuple[Const, Const] | None:
    """What a cast of constants to integers may give, with the least and with the largest integer for numbers that are
    none; None of all else.
    """
    if not isinstance(op, core.Cast):
        return None
    given, wanted = const_of(op.x), op.y.tensor.dtype
    if given is None or not given.dtype.is_float or wanted.numpy.kind not in "iu" or given.nbytes > _SMALL_DOUBT:
        return None
    x = given.view().astype(np.float64)
    low, high = _range(wanted)
    strange = ~np.isfinite(x) | (x < low) | (x > high)
    plain = np.where(strange, 0, x).astype(wanted.numpy)
    ends = np.iinfo(wanted.numpy)
    least, most = (make_const(np.where(strange, wanted.numpy.type(end), plain), wanted) for end in (ends.min, ends.max))
    return least, most


def _is_defined(op: OpDef, given: list[Const], made: list[Const]) -> bool:
    """Every runtime gives these results.  What integers become of numbers that are none, or too large, and whether
    numbers of 16 bits overflow between two operators, is up to each.
    """
    floats = [c.view() for c in given if c.dtype.is_float]
    finite = all(np.isfinite(a).all() for a in floats)
    for c in made:
        narrow = c.dtype.is_half and any(g.dtype is c.dtype for g in given)
        if narrow and finite and not np.isfinite(c.view()).all():
            return False
        if c.dtype.is_float or c.dtype.numpy.kind not in "iu":
            continue
        low, high = _range(c.dtype)
        cut = isinstance(op, core.Cast) and any(a.size and (a.min() < low or a.max() > high) for a in floats)
        if cut or not finite:
            return False
    return True


def _range(dtype: DType) -> tuple[float, float]:
    """The integers of a type."""
    digits = dtype.bits - dtype.is_signed_int
    return (-(2.0**digits) if dtype.is_signed_int else 0.0), 2.0**digits - 1
