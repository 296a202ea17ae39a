"""Ops that a C function computes."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.signature import Signature
from mlconv.dialects.foreign_abi import Argument, call, find_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, substitute
from mlconv.ir.shapes import sizes_of
from mlconv.ir.spec import OpDef, attr, op, operands, results
from mlconv.ir.traits import Impure
from mlconv.ir.types import TensorType


@op("core.foreign", traits=[Impure])
class Foreign(OpDef):
    """An op of the source that a C function computes, which is declared by the user.  source: its name there; symbol:
    the function's.  arguments: attributes, names and values.  signature: types, as `Signature` has them; empty where
    `types` are those that the source states.  scratch: bytes of memory that the function wants, an expression over the
    signature's names.  library: the shared library that has it, for running it here; may be empty.

    Nothing is assumed about it but that equal inputs give equal outputs.  Source: docs/foreign-kernels.md.
    """

    xs: list[Value] = operands()
    source: str = attr()
    symbol: str = attr()
    arguments: tuple[Argument, ...] = attr()
    types: tuple[TensorType, ...] = attr(default=())
    signature: str = attr(default="")
    scratch: str = attr(default="0")
    library: str = attr(default="")
    ys: list[Value] = results()

    def infer(self) -> list[TensorType]:
        if not self.signature:
            return list(self.types)
        return Signature.parse(self.signature).results([v.tensor for v in self.xs])

    @property
    def scratch_bytes(self) -> Size:
        """Raises ConversionError ForeignDeclaration."""
        if not self.signature:
            return int(self.scratch)
        return Signature.parse(self.signature).size(self.scratch, [v.tensor for v in self.xs])

    def eval(self, *xs: Array) -> list[Array]:
        """By the function itself.  Raises ConversionError ForeignUnavailable, VerificationImpossible."""
        function = find_function(self.symbol, self.library, self.source)
        given = [np.ascontiguousarray(x).reshape(np.shape(x)) for x in xs]
        types, scratch = self._of_run(given)
        outputs = [np.zeros(t.static_shape(), t.dtype.numpy) for t in types]
        error = call(function, given, outputs, self.arguments, scratch)
        if error:
            raise ConversionError(
                Code.VerificationImpossible, f"{self.symbol}, which computes {self.source}, returned the error {error}"
            )
        return outputs

    def _of_run(self, xs: list[Array]) -> tuple[list[TensorType], int]:
        """Types of outputs and bytes of scratch memory for arrays."""
        tensors = [v.tensor.with_shape(x.shape) for v, x in zip(self.xs, xs, strict=True)]
        if self.signature:
            signature = Signature.parse(self.signature)
            found, scratch = signature.results(tensors), signature.size(self.scratch, tensors)
        else:
            env = sizes_of([v.tensor.shape for v in self.xs], [x.shape for x in xs])
            found = [t.with_shape(tuple(substitute(d, env) for d in t.shape or ())) for t in self.types]
            scratch = int(self.scratch)
        if not all(t.is_static for t in found) or not isinstance(scratch, int):
            raise ConversionError(
                Code.ShapeNotStatic, f"the inputs of {self.source} do not tell the sizes of its outputs"
            )
        return found, scratch
