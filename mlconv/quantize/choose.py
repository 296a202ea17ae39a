"""Which ops compute with integers.

Products do, and what lies between them where it loses nothing: ops that move numbers, pools, sums, means and functions
of one number whose operands come from integers and whose results go to integers.  What else there is between two
products stays an island of floats: normalizations, masked softmax and activations without a form of their own keep
their precision, and only what enters a product is rounded.

Source: TFLite 8-bit quantization specification; SmoothQuant (Xiao et al. 2023), section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Op, Value, Yield, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Plumbing, has_trait
from mlconv.ir.types import TensorType
from mlconv.quantize.portable import Lacks
from mlconv.quantize.scheme import Scheme

PRODUCTS = (core.Conv, core.ConvTranspose, core.MatMul)
POINTWISE = (core.Add, core.Sub, core.Mul, core.ReduceMean)
FIXED = (core.Softmax, core.Sigmoid, core.Tanh)
FUNCTIONS = (core.Clamp, core.Elu, core.Gelu, core.HardSwish, core.LeakyRelu)
"""Of one number, with results of any range."""
STEEP = (core.Exp, core.Log, core.LogSoftmax)
"""Functions that are rounded in front of products alone."""
MOST_SPATIAL = 2
"""Axes of an image that a convolution of integers has, or one that quantizes what it reads."""
AMONG = "stands among ops of floats"
_STEPS = 4  # from a mask to its softmax, at most
_TABLE = 1 << 10  # numbers of a table that are worth a DEQUANTIZE behind it
_INNER = "only products compute with integers in loops and branches"
_MASK = "what a softmax reads may be masked, by numbers that leave no steps for others"


@dataclass
class Choice:
    """integers: ops that compute with integers, in order.  tails: the value behind each, where it is rounded.  fused:
    ops that go into such an op, and which.  reasons: why others compute with floats.  given: inputs of the function
    that are integers.
    """

    integers: dict[OpDef, None] = field(default_factory=dict)
    tails: dict[OpDef, Value] = field(default_factory=dict)
    fused: dict[Op, OpDef] = field(default_factory=dict)
    reasons: dict[Op, str] = field(default_factory=dict)
    given: set[Value] = field(default_factory=set)

    def is_integer(self, value: Value) -> bool:
        """A value is made of integers."""
        maker = value.producer
        return maker in self.integers or maker in self.fused

    def has_integers(self, value: Value) -> bool:
        """A value is made of integers, or is a part of one that is: a split moves them."""
        while isinstance(value.producer, core.Split):
            value = value.producer.x
        return self.is_integer(value)


def is_movement(op: Op) -> bool:
    """The op moves numbers, or chooses among them, and gives nothing else."""
    return (
        isinstance(op, OpDef)
        and op.spec.quant.carries
        and (op.moves_integers() or isinstance(op, core.AvgPool))
        and len(op.results) == 1
        and is_float(op.results[0])
        and not isinstance(op, core.Constant)
    )


def is_float(value: Value | None) -> bool:
    t = None if value is None else value.type
    return isinstance(t, TensorType) and t.quant is None and t.element is DType.F32


def is_wide(value: Value | None) -> bool:
    """Float64, which no scheme is for."""
    t = None if value is None else value.type
    return isinstance(t, TensorType) and t.quant is None and t.element is DType.F64


def is_real(value: Value) -> bool:
    """Floats that ops compute with, of either width."""
    return is_float(value) or is_wide(value)


def is_border(op: Op) -> bool:
    """Floats of an input, or for an output, get another width, though they may be put into another place first or next:
    no more than quantizing them does that compute.
    """
    if not has_trait(op, Plumbing) or len(op.inputs) != 1 or len(op.results) != 1:
        return False
    x, y = op.inputs[0], op.results[0]
    if op.block is None or op.block.parent is not None or not (_has_floats(x) and _has_floats(y)):
        return False
    return x.tensor.dtype is not y.tensor.dtype and (_is_given(x) or _is_handed_out(y))


def _has_floats(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype.is_float


def _is_given(value: Value) -> bool:
    while (maker := value.producer) is not None and has_trait(maker, Plumbing) and maker.inputs:
        value = maker.inputs[0]
    return value.producer is None


def _is_handed_out(value: Value) -> bool:
    rest = [value]
    while rest:
        value = rest.pop()
        users = [user for user in value.users if not isinstance(user, Yield)]
        if not value.uses or not all(has_trait(user, Plumbing) for user in users):
            return False
        rest += [result for user in users for result in user.results]
    return True


def is_lookup(op: Op) -> bool:
    """The op takes rows of a constant table that is large enough to be stored as integers."""
    table = const_of(op.x) if isinstance(op, core.Gather) else None
    return table is not None and len(table.shape) == 2 and table.size >= _TABLE


def floats_of(op: OpDef) -> list[int]:
    """Operands that are numbers, a bias aside."""
    places = [i for i, v in enumerate(op.operands) if is_float(v)]
    return places[:2] if isinstance(op, PRODUCTS) else places


def choose(function: Function, scheme_of: Callable[[Op], Scheme], lacks: Lacks) -> Choice:
    """Which ops of a function compute with integers.  In bodies of loops and branches only products do: what goes
    around keeps its precision.  scheme_of: what is asked for an op.  lacks: why it cannot have that.  Where inputs are
    integers, so is what is done to them in front of the first product.
    """
    choice = Choice()
    if any(isinstance(op, OpDef) and scheme_of(op).interface is not None for op in function.block.ops):
        choice.given.update(function.inputs)
    for op in walk(function.block):
        if not isinstance(op, OpDef) or op in choice.fused or not _may(op, choice):
            continue
        scheme = scheme_of(op)
        reason = lacks(op, scheme) if scheme.is_static else f"its scheme is {scheme.name}"
        if reason:
            choice.reasons[op] = reason
        else:
            choice.integers[op] = None
            choice.tails[op] = _tail(op, choice)
    while _demote(choice):
        pass
    return choice


def _may(op: OpDef, choice: Choice) -> bool:
    """The op may compute with integers, as far as what is in front of it tells."""
    if not op.results or not all(is_float(v) for v in op.results) or op.regions:
        return False
    if isinstance(op, PRODUCTS):
        return _is_product(op, choice)
    if not may_round(op):
        return False
    if op.block is None or op.block.parent is not None:
        choice.reasons[op] = _INNER
        return False
    return _is_fed(op, choice)


def may_round(op: OpDef) -> bool:
    """The op, which is no product, has a form over integers."""
    return isinstance(op, (*POINTWISE, *FIXED, *FUNCTIONS)) or is_movement(op)


def spatial_axes(op: OpDef) -> int:
    """How many a convolution has; none of other ops."""
    return len(op.strides) if isinstance(op, (core.Conv, core.ConvTranspose)) else 0


def _is_product(op: OpDef, choice: Choice) -> bool:
    if spatial_axes(op) > MOST_SPATIAL:
        choice.reasons[op] = f"it has {spatial_axes(op)} spatial axes, kernels over integers have {MOST_SPATIAL}"
        return False
    if isinstance(op, core.MatMul) or const_of(op.operands[1]) is not None:
        return True
    choice.reasons[op] = "its weights are data"
    return False


def _is_fed(op: OpDef, choice: Choice) -> bool:
    """All that it reads, but for constants, is made of integers; or it looks up rows of a table."""
    if is_lookup(op):
        return True
    read = [v for i in floats_of(op) if (v := op.operands[i]) is not None and const_of(v) is None]
    return bool(read) and all(choice.has_integers(v) or v in choice.given for v in read)


def _tail(op: OpDef, choice: Choice) -> Value:
    """The value behind an op and what is rounded with it: a bias, limits."""
    value = op.results[0]
    if isinstance(op, core.MatMul):
        value = _with_bias(op, value, choice)
    if not is_movement(op) and not isinstance(op, FIXED):
        while (user := _only_user(value)) is not None and isinstance(user, core.Clamp):
            choice.fused[user] = op
            value = user.y
    return value


def _with_bias(op: core.MatMul, value: Value, choice: Choice) -> Value:
    _, add = bias_behind(op)
    if add is None:
        return value
    choice.fused[add] = op
    return add.y


def bias_behind(op: core.MatMul) -> tuple[Value | None, core.Add | None]:
    """A constant with a number for each column that is added to a product, and nothing else done with it."""
    user = _only_user(op.y)
    if not isinstance(user, core.Add):
        return None, None
    bias = user.b if user.a is op.y else user.a
    if const_of(bias) is None or bias.tensor.rank != 1 or bias.tensor.shape != (op.y.tensor.shape or ())[-1:]:
        return None, None
    return bias, user


def bias_of(op: OpDef) -> Value | None:
    """What a product adds to each output channel."""
    return bias_behind(op)[0] if isinstance(op, core.MatMul) else op.operands[2]


def _only_user(value: Value) -> Op | None:
    if not value.has_one_use:
        return None
    ((user, _),) = value.uses
    return user


def _demote(choice: Choice) -> bool:
    """Take ops out whose neighbours are floats.  Tells whether there were any."""
    found = [op for op in choice.integers if not isinstance(op, PRODUCTS) and not _stays(op, choice)]
    for op in found:
        choice.reasons[op] = _MASK if _is_fed(op, choice) and _is_mask(op, choice) else AMONG
        del choice.integers[op], choice.tails[op]
        for tail in [t for t, head in choice.fused.items() if head is op]:
            del choice.fused[tail]
    return bool(found)


def _stays(op: OpDef, choice: Choice) -> bool:
    if not _is_fed(op, choice):
        return False
    if _is_mask(op, choice):
        return False
    if is_movement(op) and not _joins_constants(op):
        return True
    return _are_taken(choice.tails[op], choice)


def _joins_constants(op: OpDef) -> bool:
    """Constants are put next to numbers that may be far larger, and leave them few steps: the token of a class."""
    return isinstance(op, core.Concat) and any(const_of(v) is not None for v in op.inputs)


def _is_mask(op: OpDef, choice: Choice) -> bool:
    """A sum or a choice in front of a softmax."""
    if isinstance(op, core.Select) and all(const_of(v) is None for v in (op.a, op.b)):
        return False
    return isinstance(op, (*POINTWISE, core.Select)) and _reaches_softmax(choice.tails[op])


def _reaches_softmax(value: Value, steps: int = _STEPS) -> bool:
    """A softmax reads a value, or what is made of it one by one."""
    for user in value.users:
        if isinstance(user, core.Softmax):
            return True
        if steps and isinstance(user, core.Select) and _reaches_softmax(user.y, steps - 1):
            return True
    return False


def _are_taken(value: Value, choice: Choice) -> bool:
    return all(isinstance(user, Yield) or is_border(user) or _takes(user, choice) for user in value.users)


def _takes(user: Op, choice: Choice) -> bool:
    if isinstance(user, core.Split):
        return all(_are_taken(part, choice) for part in user.ys)
    return user in choice.integers or user in choice.fused


def walk_floats(function: Function) -> Iterator[OpDef]:
    """All ops that compute floats, those in regions too."""
    for op in walk(function.block):
        if isinstance(op, OpDef) and not isinstance(op, core.Constant) and any(map(is_real, op.results)):
            yield op


def walk_real(function: Function) -> Iterator[OpDef]:
    """All ops that make floats, or read them, as comparisons do."""
    for op in walk(function.block):
        if isinstance(op, OpDef) and not isinstance(op, core.Constant) and any(map(is_real, (*op.inputs, *op.results))):
            yield op
