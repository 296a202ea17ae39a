"""Kernel ops: calls of generated code, which write the buffers of their results.

What a kernel computes is said by the class of its `problem`, which stands beside its op, or among `attributes` where
several ops and passes know it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

from mlconv.dialects.kernel import attributes as kinds
from mlconv.dialects.kernel.attributes import OutputIndexing, Step
from mlconv.dialects.kernel.foreign import ForeignCall
from mlconv.dialects.kernel.verify.site import Site, check_values, symbols_of_op
from mlconv.dialects.kernel.winograd import IntegerWinograd, Winograd
from mlconv.ir.attributes import DeclaredAttributes, attribute, field_hint
from mlconv.ir.core import Region, Value
from mlconv.ir.dialect import Dialect
from mlconv.ir.dims import Size
from mlconv.ir.facts import Condition
from mlconv.ir.objects import object_at
from mlconv.ir.spec import attr, op, operand, operands, region, result, results
from mlconv.ir.target_op import TargetOp
from mlconv.ir.traits import DefinesSize, Effect
from mlconv.ir.types import Type
from mlconv.provenance.locations import Location


class KernelOp(TargetOp):
    """One kernel call.  problem: what it computes; hashable, and the same for kernels that can share their code.

    kind: where the object stands that generates its code, as `module:object`; empty for ops that call none.
    site_check: where the function stands that says what must hold of a call.
    """

    __slots__ = ()
    kind: ClassVar[str] = ""
    site_check: ClassVar[str] = ""
    problem: Any = attr(default=None)

    def __init__(
        self,
        operands: Sequence[Value],
        problem: Any,
        types: Type | Sequence[Type],
        regions: Sequence[Region] = (),
        location: Location | None = None,
    ) -> None:
        super().__init__(operands, {} if problem is None else {"problem": problem}, types, regions, location)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of `kernel.loop_nest`."""
        steps: tuple[Step, ...] = self.problem
        return steps

    @property
    def indexing(self) -> OutputIndexing:
        """Where a product reads and writes."""
        indexing: OutputIndexing = self.problem.indexing
        return indexing

    def again(self, inputs: Sequence[Value], problem: Any, type_: Type) -> KernelOp:
        """A kernel of the same kind for another problem."""
        return type(self)(inputs, problem, type_)

    def verify(self) -> None:
        site = Site.of(self, self.problem)
        check_values(site, symbols_of_op(self, self.problem))
        self.verify_site(site)

    @property
    def has_sizes(self) -> bool:
        return bool(symbols_of_op(self, self.problem))

    def verify_with(self, sizes: Mapping[str, int]) -> None:
        try:
            site = Site.of(self, self.problem, sizes)
        except ZeroDivisionError:
            return  # a run asks first whether divisors are positive
        self.verify_site(site)

    def verify_site(self, site: Site) -> None:
        """What must hold of operands, results and the problem.  Raises ConversionError ArtifactInvalid."""
        if self.site_check:
            check: Callable[[Site], None] = object_at(self.site_check, FunctionType)
            check(site)


@op("kernel.loop_nest")
class LoopNestOp(KernelOp):
    """Steps that write one buffer, in order; each is a loop nest with an expression, and a reduction over its last
    axes.
    """

    __slots__ = ()
    kind = "mlconv.codegen.kernels.loop_nest:LOOP_NEST"
    site_check = "mlconv.dialects.kernel.verify.steps:check_steps"
    xs: list[Value] = operands()
    problem: tuple[Step, ...] = attr()
    y: Value = result()


class ProductOp(KernelOp):
    """A product with an epilogue."""

    __slots__ = ()
    x: Value = operand()
    weights: Value = operand()
    epilogue: list[Value] = operands()
    y: Value = result()


@op("kernel.gemm")
class GemmOp(ProductOp):
    """Product of a matrix of rows in a (padded) buffer with packed weights: GEMM, 1x1 and KxK convolution."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.gemm_kind:GEMM"
    site_check = "mlconv.dialects.kernel.verify.products:check_gemm"
    problem: kinds.Gemm = attr()


@op("kernel.block_gemm")
class BlockGemmOp(KernelOp):
    """Product with weights of 4 or 8 bits whose scales belong to blocks of the depth."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.block_gemm:BLOCK_GEMM"
    site_check = "mlconv.dialects.kernel.verify.products:check_block_gemm"
    xs: list[Value] = operands()
    problem: kinds.BlockGemm = attr()
    y: Value = result()


@op("kernel.depthwise")
class DepthwiseOp(ProductOp):
    """The same with one weight for each channel: depthwise convolution."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.depthwise:DEPTHWISE"
    site_check = "mlconv.dialects.kernel.verify.products:check_depthwise"
    problem: kinds.Depthwise = attr()


@op("kernel.winograd")
class WinogradOp(ProductOp):
    """3 x 3 convolution with fewer products."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.winograd:WINOGRAD"
    site_check = "mlconv.dialects.kernel.verify.winograd:check_winograd"
    problem: Winograd = attr()


@op("kernel.integer_winograd")
class IntegerWinogradOp(ProductOp):
    """3 x 3 convolution of bytes with fewer products, exact."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.integer_winograd:INTEGER_WINOGRAD"
    site_check = "mlconv.dialects.kernel.verify.winograd:check_integer_winograd"
    problem: IntegerWinograd = attr()


@op("kernel.conv_chain")
class ConvChainOp(KernelOp):
    """A fused chain of convolutions, a tile of rows at a time."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.conv_chain:CONV_CHAIN"
    site_check = "mlconv.dialects.kernel.verify.chains:check_conv_chain"
    xs: list[Value] = operands()
    problem: kinds.ConvChain = attr()
    y: Value = result()


@op("kernel.row_reduce")
class RowReduceOp(KernelOp):
    """Steps that go over rows together: softmax, normalizations."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.row_reduce:ROW_REDUCE"
    site_check = "mlconv.dialects.kernel.verify.steps:check_row_reduce"
    xs: list[Value] = operands()
    problem: kinds.RowReduce = attr()
    y: Value = result()


@op("kernel.row_parts")
class RowPartsOp(KernelOp):
    """Parts of the rows of a result, each as `kernel.row_reduce` computes rows."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.row_reduce:ROW_PARTS"
    site_check = "mlconv.dialects.kernel.verify.steps:check_row_parts"
    xs: list[Value] = operands()
    problem: tuple[kinds.RowReduce, ...] = attr()
    y: Value = result()


@op("kernel.attention")
class AttentionOp(KernelOp):
    """Two products with stages over rows between them, block of rows by block of rows."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.attention:ATTENTION"
    site_check = "mlconv.dialects.kernel.verify.chains:check_attention"
    xs: list[Value] = operands()
    problem: kinds.Attention = attr()
    y: Value = result()


@attribute("kernel.routine")
class Routine(NamedTuple):
    """What a `kernel.routine` does.  params: sizes, element types and flags, as its generator takes them; scratch:
    bytes of memory that it needs.

    reuse: the operand whose buffer the first result may take when nobody needs the operand afterwards, or -1.
    """

    name: str
    params: tuple[Any, ...]
    scratch: Size = 0
    reuse: int = -1


@op("kernel.routine")
class RoutineOp(KernelOp):
    """A named algorithm (sort, scatter, scan, transform ...) with parameters; several results, scratch memory."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.routines:ROUTINE"
    site_check = "mlconv.dialects.kernel.verify.routines:check_routine"
    xs: list[Value] = operands()
    problem: Routine = attr()
    ys: list[Value] = results()


@op("kernel.foreign")
class ForeignOp(KernelOp):
    """A call of a C function of the user."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.foreign:FOREIGN"
    site_check = "mlconv.dialects.kernel.foreign:check_foreign"
    xs: list[Value] = operands()
    problem: ForeignCall = attr()
    ys: list[Value] = results()


@attribute("kernel.defined_size")
class DefinedSize(NamedTuple):
    """A size that data decide, from 0 to a bound, and what it must fulfil together with those that are known before."""

    symbol: str
    bound: Size
    conditions: tuple[Condition, ...] = ()


@op("kernel.define_size", traits=[Effect, DefinesSize])
class DefineSizeOp(KernelOp):
    """The operand, an integer scalar, is a size from here on.  A run ends with an error where it is not one."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.define_size:DEFINE_SIZE"
    site_check = "mlconv.dialects.kernel.verify.control:check_alias"
    x: Value = operand()
    problem: DefinedSize = attr()
    y: Value = result()


@op("kernel.alias")
class AliasOp(KernelOp):
    """The operand's buffer under another shape, or as elements of another type of that size."""

    __slots__ = ()
    site_check = "mlconv.dialects.kernel.verify.control:check_alias"
    x: Value = operand()
    y: Value = result()


@op("kernel.if")
class IfOp(KernelOp):
    """What runs when the condition holds, and when not."""

    __slots__ = ()
    site_check = "mlconv.dialects.kernel.verify.control:check_if"
    cond: Value = operand()
    ys: list[Value] = results()
    then: Region = region()
    orelse: Region = region()


@op("kernel.while")
class WhileOp(KernelOp):
    """A loop on carried values.  Operands: what it starts with; regions: the test and the body."""

    __slots__ = ()
    site_check = "mlconv.dialects.kernel.verify.control:check_while"
    inits: list[Value] = operands()
    ys: list[Value] = results()
    cond: Region = region()
    body: Region = region()


_OPS: tuple[type[KernelOp], ...] = (
    LoopNestOp,
    GemmOp,
    BlockGemmOp,
    DepthwiseOp,
    WinogradOp,
    IntegerWinogradOp,
    ConvChainOp,
    RowReduceOp,
    RowPartsOp,
    AttentionOp,
    RoutineOp,
    ForeignOp,
    AliasOp,
    IfOp,
    WhileOp,
    DefineSizeOp,
)
BY_NAME = {cls.name: cls for cls in _OPS}
DIALECT = Dialect(
    "kernel",
    BY_NAME.get,
    DeclaredAttributes(lambda: [field_hint(cls, a.name) for cls in _OPS for a in cls.spec.attributes]),
    names=frozenset(name.removeprefix("kernel.") for name in BY_NAME),
)
PRODUCTS = frozenset({GemmOp.name, BlockGemmOp.name, DepthwiseOp.name, WinogradOp.name, IntegerWinogradOp.name})
