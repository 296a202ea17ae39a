"""What legalizations of source ops share: the view of a source node, and tables of handlers.

A rule takes a `SourceNode` and returns the value(s) that replace the node's results, or raises ConversionError.  Each
file has its `Rules`; an `OpTable` merges them and finds the rule for a name and a version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.diagnostics.hints import did_you_mean
from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Op, Region, Value, Yield
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Facts
from mlconv.ir.spec import MISSING, known_ints
from mlconv.ir.types import TensorType
from mlconv.legalize.declared import Declared
from mlconv.legalize.limits import MAX_LIST
from mlconv.rewrite import (
    ForwardConversion,
    NoMatch,
    Replacement,
    Rewriter,
    Rule,
    Rules,
    constant_of,
    edit,
)
from mlconv.rewrite.core_builder import CoreBuilder

O = TypeVar("O", bound=Op)  # noqa: E741
Handler = Callable[["SourceNode"], "Value | Sequence[Value]"]


class Span(NamedTuple):
    """A number in a loop: `first` at least, and below `past`."""

    first: int
    past: Size


class SourceNode(CoreBuilder):
    """A source op while it is being legalized: operands are core values already; what is emitted stands at the op's
    place and location.
    """

    __slots__ = ("conversion", "op", "rewriter", "version")

    def __init__(self, op: Op, rewriter: Rewriter, version: int, conversion: SourceConversion) -> None:
        super().__init__(rewriter)
        self.op, self.rewriter, self.version, self.conversion = op, rewriter, version, conversion

    @property
    def kind(self) -> str:
        """The op's name without the dialect: `Conv`."""
        return self.op.name.split(".", 1)[1]

    @property
    def n_results(self) -> int:
        return len(self.op.results)

    @property
    def n_operands(self) -> int:
        return len(self.op.operands)

    # operands -------------------------------------------------------------------------------------------------
    def has(self, i: int) -> bool:
        """Operand i is present."""
        return i < len(self.op.operands) and self.op.operands[i] is not None

    def operand(self, i: int) -> Value:
        """Operand i.  Raises ConversionError WrongArity when it is absent."""
        value = self.maybe(i)
        if value is None:
            raise ConversionError(
                Code.WrongArity, f"{self.kind} needs input {i}, it has {len(self.op.inputs)} inputs", operand=i
            )
        return value

    def maybe(self, i: int) -> Value | None:
        """Operand i, or None when it is absent."""
        return self.op.operands[i] if i < len(self.op.operands) else None

    def operands(self, start: int = 0) -> list[Value]:
        """All operands from `start` on; all must be present."""
        return [self.operand(i) for i in range(start, len(self.op.operands))]

    def const(self, i: int) -> Array:
        """Operand i as an array, computing it when it follows from constants.  Raises ConversionError ShapeNotStatic
        when it depends on inputs.
        """
        array = self.const_or_none(i)
        if array is None:
            raise ConversionError(
                Code.ShapeNotStatic,
                f"input {i} of {self.kind} must be a constant, it is computed from the model's inputs",
                operand=i,
            )
        return array

    def const_or_none(self, i: int) -> Array | None:
        value = self.maybe(i)
        c = None if value is None else constant_of(value)
        return None if c is None else c.view()

    def ints(self, i: int) -> tuple[int, ...]:
        """A constant integer operand, flattened.  Raises ConversionError TensorTooLarge when it has more numbers than
        shapes, axes or the like have.
        """
        array = self.const(i)
        if array.size > MAX_LIST:
            raise ConversionError(
                Code.TensorTooLarge,
                f"input {i} of {self.kind} has {array.size} numbers, at most {MAX_LIST} are looked at",
                operand=i,
            )
        return tuple(int(k) for k in array.reshape(-1))

    def known(self, i: int) -> tuple[Size | None, ...] | None:
        """Contents of a small integer operand as sizes, possibly symbolic; see `known_ints`."""
        return known_ints(self.maybe(i))

    # attributes -----------------------------------------------------------------------------------------------
    def attr(self, name: str, default: Any = MISSING) -> Any:
        """An attribute as found.  Raises ConversionError AttributeInvalid when it is missing and has no default."""
        value = self.op.attributes.get(name, default)
        value = self.left_out(name) if value is MISSING else value
        if value is MISSING:
            raise ConversionError(Code.AttributeInvalid, f"{self.kind} lacks the attribute {name!r}")
        return value

    def left_out(self, name: str) -> object:
        """What an attribute is that an op leaves out, by the schema of its dialect; MISSING where that says nothing."""
        return MISSING

    # regions and errors ---------------------------------------------------------------------------------------
    def convert_block(self, block: Block) -> None:
        """Legalize the source ops of a block that this node owns (a branch, a loop body)."""
        before = len(self.conversion.engine.diagnostics)
        self.conversion.run(block)
        if self.conversion.engine.has_errors and len(self.conversion.engine.diagnostics) > before:
            error = ConversionError(Code.OpUnsupported, f"{self.kind} contains ops that cannot be converted")
            error.diagnostics = tuple(self.conversion.engine.diagnostics[before:])
            raise error

    def inline(self, block: Block, emit: Callable[[Op], object] | None = None) -> list[Value]:
        """Legalize a block and move its ops in front of the source op, or to where `emit` puts them; returns what it
        yields.
        """
        self.convert_block(block)
        outputs = block.outputs
        for op in list(block.ops):
            if isinstance(op, Yield):
                edit.erase(op)
            else:
                (emit or self.rewriter.emit)(edit.unlink(op))
        return outputs

    def take_region(self, i: int) -> Region:
        """Detach region i from the source op, to be given to a core op."""
        return edit.take_region(self.op, i)

    def unsupported(self, reason: str, help: str = "") -> ConversionError:
        """The error for a variant that cannot be expressed."""
        return ConversionError(Code.VariantUnsupported, f"{self.kind}: {reason}", help=help)

    def result_hint(self, i: int) -> TensorType | None:
        """The type that the file states for result i, if any."""
        t = self.op.results[i].type
        return t if isinstance(t, TensorType) else None


Keep = Callable[[Op], "tuple[str, bytes] | None"]


def pass_through(op: Op, rewriter: Rewriter, code: str, options: bytes) -> list[Value]:
    """A `core.custom` in the place of a source op; the types of its results are those that the file states."""
    types = tuple(v.type for v in op.results)
    for i, t in enumerate(types):
        if not isinstance(t, TensorType) or t.dtype is DType.UNKNOWN:
            raise ConversionError(
                Code.VariantUnsupported, f"{op.name} cannot be kept: the type of its result {i} is {t}"
            )
    return list(
        rewriter.emit(
            core.Custom(
                op.inputs, code=code, options=options, types=tuple(t for t in types if isinstance(t, TensorType))
            )
        ).results
    )


class OpTable:
    """All rules of a source dialect.  Overlapping version intervals of one op fail here, at import."""

    def __init__(self, dialect: str, families: Iterable[Rules]) -> None:
        self.dialect = dialect
        self.rules = Rules.merged(families)
        for name, rules in self.rules.by_op.items():
            for i, one in enumerate(rules):
                if any(one.since <= other.until and other.since <= one.until for other in rules[:i]):
                    raise ValueError(f"{dialect}.{name}: versions {one.versions} have two rules")

    @property
    def names(self) -> list[str]:
        return sorted(self.rules.by_op)

    def find(self, name: str, version: int) -> Rule | None:
        return next(iter(self.rules.find(name, version)), None)

    def conversion(
        self,
        engine: DiagnosticEngine,
        version: Callable[[Op], int],
        keep: Keep | None = None,
        more: Rules | None = None,
        others: Sequence[OpTable] = (),
    ) -> SourceConversion:
        """The driver that legalizes this dialect.  version(op): the opset that the op is of.  keep: gives name and
        options under which an op that cannot be converted passes through, or None.  more: rules that are asked
        first.  others: of dialects whose ops are to go too.
        """
        return SourceConversion(self, engine, version, keep, more or Rules(), others)


class SourceConversion(ForwardConversion[SourceNode]):
    """Ops of a source dialect are to go, and those of others that its files hold."""

    def __init__(
        self,
        table: OpTable,
        engine: DiagnosticEngine,
        version: Callable[[Op], int],
        keep: Keep | None,
        more: Rules,
        others: Sequence[OpTable] = (),
    ) -> None:
        super().__init__(engine)
        self.version, self.keep, self.more = version, keep, more
        self.tables = {one.dialect: one for one in (table, *others)}
        self.passing = Rule("pass-through", self._pass_through)
        self.asking: Facts | None = None  # of the function, where sizes may be asked for when it runs
        self.spans: dict[Value, Span] = {}  # of numbers that count the turns of loops, in their bodies
        self.declared: Declared | None = None  # what is compared with types that a file declares, where it is told

    def is_legal(self, op: Op) -> bool:
        return op.name.partition(".")[0] not in self.tables

    def rules_of(self, op: Op) -> list[Rule]:
        (table, name), version = self._table(op), self.version(op)
        found = [*self.more.find(name, version), *table.rules.find(name, version)]
        return [*found, self.passing] if self.keep is not None and self.keep(op) is not None else found

    def builder(self, op: Op, rewriter: Rewriter) -> SourceNode:
        return SourceNode(op, rewriter, self.version(op), self)

    def call(self, rule: Rule, op: Op, builder: SourceNode) -> Replacement | NoMatch:
        if rule is self.passing:
            return self._pass_through(op, builder.rewriter)
        try:
            return rule.apply(builder)
        except ConversionError as error:
            if (
                self.keep is None
                or self.keep(op) is None
                or error.code not in (Code.OpUnsupported, Code.VariantUnsupported)
            ):
                raise
            return NoMatch(error.diagnostic.message)

    def _table(self, op: Op) -> tuple[OpTable, str]:
        """The rules of an op's dialect, and the op's name in it."""
        dialect, _, name = op.name.partition(".")
        return self.tables[dialect], name

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        if self.declared is not None:
            self.declared.compare(op, values)

    def _pass_through(self, op: Op, rewriter: Rewriter) -> Replacement:
        code, options = (self.keep(op) if self.keep is not None else None) or ("", b"")
        return pass_through(op, rewriter, code, options)

    def unsupported(self, op: Op, reasons: Sequence[str]) -> ConversionError:
        table, name = self._table(op)
        rules = table.rules.by_op.get(name, ())
        if reasons:
            return ConversionError(
                Code.VariantUnsupported, f"operator {name} is not supported as it is here", why=tuple(reasons)
            )
        if rules:
            spans = ", ".join(rule.versions for rule in rules)
            return ConversionError(
                Code.VariantUnsupported,
                f"operator {name} of version {self.version(op)} is not supported (versions {spans} are)",
            )
        names = table.names
        near = did_you_mean(name, names) if name.lower() in {n.lower() for n in names} else ""
        return ConversionError(Code.OpUnsupported, f"operator {name} is not supported", help=near or _way_out(op))


def _way_out(op: Op) -> str:
    """What to do about an op that nothing converts: keep it, or end the model at what it reads (where that has a name
    that --outputs takes).
    """
    if op.name.startswith("hlo."):
        return "lower a function that does without it: an HLO module is converted as a whole"
    keep = (
        "--allow-select-ops keeps it for TensorFlow's delegate"
        if op.name.startswith("tf.")
        else "--allow-custom-ops keeps it as a custom op"
    )
    domain, _, name = op.name.partition(".")[2].rpartition(".")
    keep += f"; --extern {domain and domain + '::'}{name}=FUNCTION has native code call a C function"
    reads = list(dict.fromkeys(v.name for v in op.inputs if not isinstance(v.producer, core.Constant)))
    inner = op.block is None or op.block.parent is not None or any("PartitionedCall/" in name for name in reads)
    made = any(v.producer is not None and not isinstance(v.producer, core.Constant) for v in op.inputs)
    return (
        f"{keep}; --outputs {','.join(reads)} ends the model before it" if made and all(reads) and not inner else keep
    )
