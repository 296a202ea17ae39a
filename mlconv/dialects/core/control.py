"""Control flow with regions.  A region sees the values around it; its block ends in `mlconv.yield`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_dtype, unify_shapes
from mlconv.ir.constants import Array
from mlconv.ir.core import Region, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant_rules import OWN
from mlconv.ir.spec import OpDef, op, operand, operands, region, results
from mlconv.ir.types import TensorType, Type, shapes_compatible

RunRegion = Callable[[Region, Sequence[Array]], list[Array]]


def join(a: Type, b: Type, what: str) -> Type:
    """The most precise type that holds for both.  Raises ConversionError TypeMismatch when element types differ."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return a
    if a.element != b.element:
        kinds = (t.dtype.display if t.quant is None else str(t.quant) for t in (a, b))
        raise ConversionError(Code.TypeMismatch, f"{what}: {' and '.join(kinds)}")
    return TensorType(a.element, unify_shapes([a.shape, b.shape]))


@op("core.if", quant=OWN)
class If(OpDef):
    """The results of `then` when the condition (bool scalar) holds, else those of `orelse`."""

    cond: Value = operand()
    then: Region = region()
    orelse: Region = region()
    ys: list[Value] = results()

    def infer(self) -> list[Type]:
        check_dtype(self.cond, DType.BOOL, what="condition")
        a, b = self.then.block.outputs, self.orelse.block.outputs
        if len(a) != len(b):
            raise ConversionError(Code.WrongArity, f"branches give {len(a)} and {len(b)} results")
        return [
            join(x.type, y.type, f"result {i} differs between the branches")
            for i, (x, y) in enumerate(zip(a, b, strict=True))
        ]

    def eval_regions(self, run: RunRegion, cond: Array) -> list[Array]:
        return run(self.then if bool(cond.reshape(())) else self.orelse, [])


@op("core.while", quant=OWN)
class While(OpDef):
    """Carries `inits` through `body` while `cond` (a region giving a bool scalar) holds.

    Both regions take the carried values as arguments; body yields as many.  Result types are the argument types of the
    body.
    """

    inits: list[Value] = operands()
    cond: Region = region()
    body: Region = region()
    ys: list[Value] = results()

    def infer(self) -> list[Type]:
        arguments = self.body.block.arguments
        yields = self.body.block.outputs
        if not len(arguments) == len(yields) == len(self.inits) == len(self.cond.block.arguments):
            raise ConversionError(
                Code.WrongArity,
                f"a loop carries {len(self.inits)} values, its body takes {len(arguments)} and gives {len(yields)}",
            )
        for i, (argument, value, init) in enumerate(zip(arguments, yields, self.inits, strict=True)):
            for other in (value, init):
                a, b = argument.type, other.type
                if (
                    isinstance(a, TensorType)
                    and isinstance(b, TensorType)
                    and (a.element != b.element or not shapes_compatible(a.shape, b.shape))
                ):
                    raise ConversionError(Code.ShapeMismatch, f"loop variable {i} changes from {a} to {b}")
        for test in self.cond.block.outputs:
            shape = test.type.shape if isinstance(test.type, TensorType) else None
            if any(isinstance(d, int) and d != 1 for d in shape or ()):
                raise ConversionError(Code.ShapeMismatch, f"the condition of a loop is {test.type}, not one truth")
        return [v.type for v in arguments]

    def eval_regions(self, run: RunRegion, *inits: Array) -> list[Array]:
        carried = list(inits)
        while bool(run(self.cond, carried)[0].reshape(())):
            carried = run(self.body, carried)
        return carried
