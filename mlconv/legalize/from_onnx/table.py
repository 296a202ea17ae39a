"""Declaring legalizations of ONNX operators: handlers take a `Node` and may leave out results that nobody uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar, Union

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Value
from mlconv.legalize.from_onnx.constraints import check_kinds, check_numbers, check_ranks
from mlconv.legalize.from_onnx.extents import check_extents
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.schema_table import SCHEMAS
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.rules import ENDLESS, Rules

Results: TypeAlias = Union[Value, Sequence[Union[Value, None]], None]
Rule: TypeAlias = Callable[[Node], Results]
R = TypeVar("R", bound=Rule)


class OnnxRules:
    """The rules of one file.  `since` and `until` bound the operator set versions, both inclusive."""

    def __init__(self) -> None:
        self.rules = Rules()

    def rule(self, *names: str, since: int = 0, until: int = ENDLESS, domain: str = "") -> Callable[[R], R]:
        """Declare the function for operators of a domain."""

        def declare(rule: R) -> R:
            for name in names:
                self.add(name, rule, since=since, until=until, domain=domain)
            return rule

        return declare

    def add(self, name: str, rule: Rule, *, since: int = 0, until: int = ENDLESS, domain: str = "") -> None:
        """Declare a function for one operator."""

        key = f"{domain}.{name}" if domain else name

        def handler(source: SourceNode) -> list[Value]:
            check_schema(source, name, schemas_of(domain))
            check_ranks(source.op, name, key)
            check_numbers(source.op, name)
            check_extents(source.op, name, key)
            try:
                return _padded(source, rule(Node(source)))
            except (IndexError, OverflowError, ValueError, ZeroDivisionError) as error:
                # Numbers of the file that do not fit one another; the tables and rules above check what real models get
                # wrong.
                raise ConversionError(
                    Code.AttributeInvalid, f"the attributes and constants of {name} do not fit together: {error}"
                ) from error

        handler.__name__ = rule.__name__
        self.rules.add(key, handler, since, until)


def schemas_of(domain: str) -> Mapping[str, tuple[int, int, str, str]]:
    """What is known of the operators of a domain."""
    if domain == "com.microsoft":
        from mlconv.legalize.from_onnx.contrib.schema_table import CONTRIB_SCHEMAS

        return CONTRIB_SCHEMAS
    return {} if domain else SCHEMAS


# What the importer adds to a node's attributes.
_OWN = frozenset({"opset_version", "region_names"})


def check_schema(source: SourceNode, name: str, schemas: Mapping[str, tuple[int, int, str, str]]) -> None:
    """Refuse inputs and attributes that no version of the operator has: what they ask for would be left out silently;
    and elements of other kinds.
    """
    schema = schemas.get(name)
    if schema is None:
        return
    least, most, names, kinds = schema
    given = max((i + 1 for i, v in enumerate(source.op.operands) if v is not None), default=0)
    if given > most:
        raise ConversionError(Code.WrongArity, f"{name} has {given} inputs, it takes at most {most}")
    if len(source.op.operands) < least:
        raise ConversionError(
            Code.WrongArity, f"{name} has {len(source.op.operands)} inputs, it needs at least {least}"
        )
    unknown = [
        a
        for a in (*source.op.attributes, *source.op.attributes.get("region_names", ()))
        if a not in _OWN and a not in names.split()
    ]
    if unknown:
        raise ConversionError(
            Code.AttributeInvalid, f"{name} has no attribute '{unknown[0]}'; it has {names or 'none'}"
        )
    check_kinds(source.op, name, kinds)


def _padded(source: SourceNode, found: Results) -> list[Value]:
    """One value for each result of the op: results without users need none."""
    values = list(found) if isinstance(found, Sequence) else [found]
    count = source.n_results
    if len(values) < count:
        values += [None] * (count - len(values))
    filler = next((v for v in values if v is not None), None)
    out: list[Value] = []
    for i, (value, old) in enumerate(zip(values[:count], source.op.results, strict=True)):
        if value is None and (old.uses or filler is None):
            raise ConversionError(Code.VariantUnsupported, f"{source.kind}: its output {i} is not supported")
        out.append(value if value is not None else filler or old)
    return out
