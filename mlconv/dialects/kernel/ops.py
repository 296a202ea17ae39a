"""Kernel ops: calls of generated code, which write the buffers of their results.

What a kernel computes is said by the class of its `problem`, which stands beside its op, or among `attributes` where
several ops and passes know it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from mlconv.dialects.kernel import attributes as kinds
from mlconv.dialects.kernel.attributes import OutputIndexing, Step
from mlconv.dialects.kernel.foreign import ForeignCall, check_foreign
from mlconv.dialects.kernel.verify.chains import check_attention, check_conv_chain
from mlconv.dialects.kernel.verify.control import check_alias, check_if, check_while
from mlconv.dialects.kernel.verify.products import check_block_gemm, check_depthwise, check_gemm
from mlconv.dialects.kernel.verify.routines import check_routine
from mlconv.dialects.kernel.verify.site import Site, check_values, symbols_of_op
from mlconv.dialects.kernel.verify.steps import check_row_parts, check_row_reduce, check_steps
from mlconv.dialects.kernel.verify.winograd import check_integer_winograd, check_winograd
from mlconv.dialects.kernel.winograd import IntegerWinograd, Winograd
from mlconv.ir.attributes import attribute, attribute_classes, field_hint
from mlconv.ir.core import Region, Value
from mlconv.ir.dialect import Dialect
from mlconv.ir.dims import Size
from mlconv.ir.facts import Condition
from mlconv.ir.spec import attr, op, operand, operands, region, result, results
from mlconv.ir.target_op import TargetOp
from mlconv.ir.traits import DefinesSize, Effect
from mlconv.ir.types import Type
from mlconv.provenance.locations import Location


class KernelOp(TargetOp):
    """One kernel call.  problem: what it computes; hashable, and the same for kernels that can share their code.

    kind: where the object stands that generates its code, as `module:object`; empty for ops that call none.
    """

    __slots__ = ()
    kind: ClassVar[str] = ""
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


@op("kernel.loop_nest")
class LoopNestOp(KernelOp):
    """Steps that write one buffer, in order; each is a loop nest with an expression, and a reduction over its last
    axes.
    """

    __slots__ = ()
    kind = "mlconv.codegen.kernels.loop_nest:LOOP_NEST"
    xs: list[Value] = operands()
    problem: tuple[Step, ...] = attr()
    y: Value = result()

    def verify_site(self, site: Site) -> None:
        check_steps(site)


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
    problem: kinds.Gemm = attr()

    def verify_site(self, site: Site) -> None:
        check_gemm(site)


@op("kernel.block_gemm")
class BlockGemmOp(KernelOp):
    """Product with weights of 4 bits whose scales belong to blocks of the depth."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.block_gemm:BLOCK_GEMM"
    xs: list[Value] = operands()
    problem: kinds.BlockGemm = attr()
    y: Value = result()

    def verify_site(self, site: Site) -> None:
        check_block_gemm(site)


@op("kernel.depthwise")
class DepthwiseOp(ProductOp):
    """The same with one weight for each channel: depthwise convolution."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.depthwise:DEPTHWISE"
    problem: kinds.Depthwise = attr()

    def verify_site(self, site: Site) -> None:
        check_depthwise(site)


@op("kernel.winograd")
class WinogradOp(ProductOp):
    """3 x 3 convolution with fewer products."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.winograd:WINOGRAD"
    problem: Winograd = attr()

    def verify_site(self, site: Site) -> None:
        check_winograd(site)


@op("kernel.integer_winograd")
class IntegerWinogradOp(ProductOp):
    """3 x 3 convolution of bytes with fewer products, exact."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.integer_winograd:INTEGER_WINOGRAD"
    problem: IntegerWinograd = attr()

    def verify_site(self, site: Site) -> None:
        check_integer_winograd(site)


@op("kernel.conv_chain")
class ConvChainOp(KernelOp):
    """A fused chain of convolutions, a tile of rows at a time."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.conv_chain:CONV_CHAIN"
    xs: list[Value] = operands()
    problem: kinds.ConvChain = attr()
    y: Value = result()

    def verify_site(self, site: Site) -> None:
        check_conv_chain(site)


@op("kernel.row_reduce")
class RowReduceOp(KernelOp):
    """Steps that go over rows together: softmax, normalizations."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.row_reduce:ROW_REDUCE"
    xs: list[Value] = operands()
    problem: kinds.RowReduce = attr()
    y: Value = result()

    def verify_site(self, site: Site) -> None:
        check_row_reduce(site)


@op("kernel.row_parts")
class RowPartsOp(KernelOp):
    """Parts of the rows of a result, each as `kernel.row_reduce` computes rows."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.row_reduce:ROW_PARTS"
    xs: list[Value] = operands()
    problem: tuple[kinds.RowReduce, ...] = attr()
    y: Value = result()

    def verify_site(self, site: Site) -> None:
        check_row_parts(site)


@op("kernel.attention")
class AttentionOp(KernelOp):
    """Two products with stages over rows between them, block of rows by block of rows."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.attention:ATTENTION"
    xs: list[Value] = operands()
    problem: kinds.Attention = attr()
    y: Value = result()

    def verify_site(self, site: Site) -> None:
        check_attention(site)


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
    xs: list[Value] = operands()
    problem: Routine = attr()
    ys: list[Value] = results()

    def verify_site(self, site: Site) -> None:
        check_routine(site)


@op("kernel.foreign")
class ForeignOp(KernelOp):
    """A call of a C function of the user."""

    __slots__ = ()
    kind = "mlconv.codegen.kernels.foreign:FOREIGN"
    xs: list[Value] = operands()
    problem: ForeignCall = attr()
    ys: list[Value] = results()

    def verify_site(self, site: Site) -> None:
        check_foreign(site)


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
    x: Value = operand()
    problem: DefinedSize = attr()
    y: Value = result()

    def verify_site(self, site: Site) -> None:
        check_alias(site)


@op("kernel.alias")
class AliasOp(KernelOp):
    """The operand's buffer under another shape, or as elements of another type of that size."""

    __slots__ = ()
    x: Value = operand()
    y: Value = result()

    def verify_site(self, site: Site) -> None:
        check_alias(site)


@op("kernel.if")
class IfOp(KernelOp):
    """What runs when the condition holds, and when not."""

    __slots__ = ()
    cond: Value = operand()
    ys: list[Value] = results()
    then: Region = region()
    orelse: Region = region()

    def verify_site(self, site: Site) -> None:
        check_if(site)


@op("kernel.while")
class WhileOp(KernelOp):
    """A loop on carried values.  Operands: what it starts with; regions: the test and the body."""

    __slots__ = ()
    inits: list[Value] = operands()
    ys: list[Value] = results()
    cond: Region = region()
    body: Region = region()

    def verify_site(self, site: Site) -> None:
        check_while(site)


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
_DECLARED = [field_hint(cls, attribute.name) for cls in _OPS for attribute in cls.spec.attributes]
DIALECT = Dialect(
    "kernel",
    BY_NAME.get,
    attribute_classes(_DECLARED),
    names=frozenset(name.removeprefix("kernel.") for name in BY_NAME),
)
PRODUCTS = frozenset({GemmOp.name, BlockGemmOp.name, DepthwiseOp.name, WinogradOp.name, IntegerWinogradOp.name})
