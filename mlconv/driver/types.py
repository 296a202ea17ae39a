"""Types as reports have them."""

from __future__ import annotations

from typing import TypedDict

from mlconv.ir.core import Value
from mlconv.ir.types import TensorType, Type


class TypeFacts(TypedDict):
    """shape: None where the rank is not known; a symbolic dimension is its expression."""

    dtype: str
    shape: list[int | str] | None


class PortFacts(TypeFacts):
    """An input or an output."""

    name: str


def type_facts(value: Value) -> TypeFacts:
    """dtype and shape of a value, for reports."""
    return facts_of(value.type)


def facts_of(t: Type) -> TypeFacts:
    """dtype and shape."""
    if not isinstance(t, TensorType):
        return {"dtype": str(t), "shape": None}
    return {
        "dtype": t.dtype.display,
        "shape": None if t.shape is None else [d if isinstance(d, int) else str(d) for d in t.shape],
    }
