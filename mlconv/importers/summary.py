"""What a file says of itself, read without its ops being made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mlconv.importers.about import About
    from mlconv.ir.types import Type


class Summary(NamedTuple):
    """source: as `LoadedModel.source`.  inputs, outputs: names with types, as the file states them.  ops: how many of
    each kind, constants left out.  parameters, parameter_bytes: of all constants.  files: those that the model lies
    in, besides itself.  about: signatures and metadata.
    """

    source: dict[str, object]
    inputs: Sequence[tuple[str, Type]]
    outputs: Sequence[tuple[str, Type]]
    ops: Counter[str]
    parameters: int
    parameter_bytes: int
    files: Sequence[str]
    about: About


def stated(inputs: Sequence[tuple[str, Type]], outputs: Sequence[tuple[str, Type]]) -> bool:
    """Whether all types of outputs are known, and have no sizes but numbers and symbols that the inputs have."""
    from mlconv.ir.dims import Dim
    from mlconv.ir.dtypes import DType
    from mlconv.ir.types import TensorType

    known = {
        name
        for _, t in inputs
        if isinstance(t, TensorType)
        for d in t.shape or ()
        if isinstance(d, Dim)
        for name in d.symbols()
    }
    for _, t in outputs:
        if not isinstance(t, TensorType) or t.shape is None or t.dtype is DType.UNKNOWN:
            return False
        if any(isinstance(d, Dim) and not d.symbols() <= known for d in t.shape):
            return False
    return True
