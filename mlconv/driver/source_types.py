"""Types that a source leaves out, as core deduces them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mlconv.ir.core import Value, values_of
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType, Type


class SourceTypes:
    """Values of a module as it was read, which is then legalized in place."""

    def __init__(self, module: Module) -> None:
        self._values = {f.name: list(values_of(f.block)) for f in module.functions}

    def deduced(self, module: Module) -> dict[Value, Type]:
        """Types of those that are known, by value.  module: the same, of core ops as far as it came.

        A value has the type of what stands for it; one that is gone without a trace, as of a body that was written out
        several times, that of the values of its function that have its name, where it alone had it and they agree.
        """
        found: dict[Value, Type] = {}
        functions = {f.name: f for f in module.functions}
        for name, values in self._values.items():
            function = functions.get(name)
            named = {} if function is None else _by_name(values_of(function.block))
            times = Counter(value.name for value in values)
            for value in values:
                now = value.successor.type
                known = now if _is_known(now) else named.get(value.name) if times[value.name] == 1 else None
                if known is not None:
                    found[value] = known
        return found


def _by_name(values: Iterable[Value]) -> dict[str, Type]:
    types: dict[str, set[Type]] = {}
    for value in values:
        if value.name and _is_known(value.type):
            types.setdefault(value.name, set()).add(value.type)
    return {name: next(iter(found)) for name, found in types.items() if len(found) == 1}


def _is_known(t: Type) -> bool:
    return isinstance(t, TensorType) and t.dtype is not DType.UNKNOWN
