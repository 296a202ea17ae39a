"""Which power of two each number of a function is multiplied by, where constants of it were: proof that its outputs are
what they were.

Products of float32 with powers of two are exact, so a sum of products whose powers are alike is the old sum times that
power, to the bit.  Powers are followed from changed constants to the outputs, by what ops do to them and not by how the
constants came to be changed.  What cannot be followed is not proved; nothing else is meant by that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Compare
from mlconv.dialects.core.reduce import Reduce
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.quantize.homogeneous import is_unmoved
from mlconv.quantize.ranges import Range

_FAR = 2.0**40
"""Sums of products of numbers up to this one end long before float32 does; what is lost of numbers around the least of
float32 is nothing beside numbers from one over this.
"""
_AT_ONCE = 1 << 16  # numbers that stay near the processor
_LARGEST = 1 << 22  # exponents of a value, and of the products that a sum is made of


_NOTHING = np.zeros((), np.int32)


class UnprovedError(Exception):
    """Powers of two cannot be followed through an op, or differ where they are to be alike."""


class Pair(NamedTuple):
    """A constant operand, as it was and as it is."""

    old: Array
    new: Array


@dataclass
class Powers:
    """old: constants that operands were, by op and operand.  limits: of clamps that have none any more.  spans: ranges
    of values, as they were and as they are.  of: exponents of values, as wide as the value along axes
    where they differ, else 1 wide; values whose numbers are as they were have none.
    """

    old: Mapping[tuple[Op, int], Const]
    limits: Mapping[core.Clamp, float]
    spans: tuple[Mapping[Value, Range], Mapping[Value, Range]]
    of: dict[Value, Array] = field(default_factory=dict)

    def reach_outputs(self, function: Function) -> bool:
        """Tells whether all outputs are proved to be what they were."""
        changed = {op for op, _ in self.old}
        before = self.spans[0]
        try:
            for clamp, limit in self.limits.items():
                _need(clamp.y in before and before[clamp.y].whole[1] < limit)
            for op in function.block.ops:
                if op in changed or any(v in self.of for v in op.operands if v is not None):
                    self._follow(op, function)
        except UnprovedError:
            return False
        return True

    def _follow(self, op: Op, function: Function) -> None:
        rule = _RULES.get(type(op))
        _need(rule is not None and isinstance(op, OpDef))
        assert rule is not None
        found = _narrow(rule(op, self))
        if not found.any():
            return
        value = op.results[0]
        _need(value.tensor.dtype is DType.F32 and all(user.block is function.block for user in value.users))
        for spans in self.spans:
            largest = max(map(abs, spans[value].whole)) if value in spans else 1.0
            _need(largest == 0 or 1 / _FAR <= largest <= _FAR)
        self.of[value] = found

    def at(self, op: OpDef, operand: int) -> Array:
        """Exponents of what an op reads, with its rank.  Raises UnprovedError for a constant that changed."""
        value = op.inputs[operand]
        _need((op, operand) not in self.old)
        return self.of.get(value, np.zeros((1,) * (value.tensor.rank or 0), np.int32))

    def constant(self, op: OpDef, operand: int) -> Pair | None:
        """None for what is no constant."""
        new = const_of(op.operands[operand])
        if new is None:
            return None
        old = self.old.get((op, operand), new)
        _need(new.dtype is DType.F32)
        return Pair(old.view(), new.view())


def _need(holds: bool) -> None:
    """Raises UnprovedError."""
    if not holds:
        raise UnprovedError


def _narrow(exponents: Array) -> Array:
    """One number for all, along axes where all are alike."""
    for axis, size in enumerate(exponents.shape):
        first = exponents.take([0], axis) if size > 1 else exponents
        if size > 1 and (exponents == first).all():
            exponents = first
    return exponents


def _agree(pair: Pair, exponents: Array, less: Array = _NOTHING) -> None:
    """The constant was multiplied by these powers of two, without those that are less, and no bit of it was lost.
    Raises UnprovedError.
    """
    up, down = (np.exp2(e).astype(np.float32) for e in (exponents, less))
    rows = (len(pair.new) if pair.new.ndim else 1, pair.new.size)
    step = max(1, _AT_ONCE * rows[0] // max(1, rows[1]))
    with np.errstate(all="ignore"):
        for start in range(0, rows[0], step):
            old, new, u, d = (_rows(a, start, step, pair.new.ndim) for a in (*pair, up, down))
            _need(bool((new == old * u / d).all() and (old == new * d / u).all()))
            _need(max(new.max(initial=0.0), -new.min(initial=0.0)) <= _FAR)


def _rows(array: Array, start: int, step: int, rank: int) -> Array:
    """Of what is broadcast to a rank, or is wider."""
    return array[start : start + step] if array.ndim == rank and rank and len(array) > 1 else array


def _between(old: Array, new: Array) -> Array:
    """The exponents of the quotients; 0 for no quotient."""
    return np.where((old != 0) & np.isfinite(old), np.frexp(new)[1] - np.frexp(old)[1], 0)


def _sums(pair: Pair, inputs: Array, axes: tuple[int, ...]) -> Array:
    """Of sums along axes of a constant times numbers with the exponents `inputs`; these axes are 1 wide.  Sums of
    nothing but zeros have 0.
    """
    _need(np.broadcast_shapes(inputs.shape, pair.old.shape) == pair.old.shape)
    old, new, read = _first_of(pair, inputs, axes)
    found = np.where(old != 0, _between(old, new) + read, 0)
    _agree(pair, found, inputs)
    return found


def _first_of(pair: Pair, inputs: Array, axes: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """One number of each sum, that is not 0 where some is not, and the exponent of what it is multiplied with."""
    place = tuple(slice(0, 1) if i in axes else slice(None) for i in range(pair.old.ndim))
    if pair.old[place].all():
        return pair.old[place], pair.new[place], inputs[place]
    wide = (*pair, np.broadcast_to(inputs, pair.old.shape))
    kept = [i for i in range(pair.old.ndim) if i not in axes]
    lines = [np.transpose(a, [*kept, *axes]).reshape(*(a.shape[i] for i in kept), -1) for a in wide]
    first = (lines[0] != 0).argmax(axis=-1)[..., None]
    shape = [1 if i in axes else d for i, d in enumerate(pair.old.shape)]
    old, new, read = (np.take_along_axis(line, first, axis=-1).reshape(shape) for line in lines)
    return old, new, read


def _conv(op: core.Conv | core.ConvTranspose, powers: Powers) -> Array:
    weights, x = powers.constant(op, 1), powers.at(op, 0)
    _need(weights is not None and x.size == x.shape[op.x_layout.index("C")])
    _need(op.groups == 1 or isinstance(op, core.Conv))
    assert weights is not None
    i, o = op.w_layout.index("I"), op.w_layout.index("O")
    inputs, outputs = weights.old.shape[i], weights.old.shape[o]
    group = np.arange(outputs) // (outputs // op.groups) if op.groups > 1 else np.zeros(1, np.int64)
    channels = np.broadcast_to(x.reshape(-1), (inputs * op.groups,))
    read = channels[group[:, None] * inputs + np.arange(inputs)]  # [outputs or 1, inputs]
    shape = [1] * len(op.w_layout)
    shape[i], shape[o] = inputs, len(group)
    read = (read if o < i else read.T).reshape(shape)
    found = _sums(weights, read, tuple(a for a in range(len(shape)) if a != o)).reshape(-1)
    if op.bias is not None:
        bias = powers.constant(op, 2)
        _need(bias is not None)
        assert bias is not None
        found = np.where(weights.old.any(axis=tuple(a for a in range(len(shape)) if a != o)), found, _between(*bias))
        _agree(bias, found)
    wide = [1] * len(op.y_layout)
    wide[op.y_layout.index("C")] = outputs
    return found.reshape(wide)


def _matmul(op: core.MatMul, powers: Powers) -> Array:
    a, weights = powers.at(op, 0), powers.constant(op, 1)
    a = np.swapaxes(a, -1, -2) if op.transpose_a else a
    if weights is not None:
        _need(a.shape[-2] == 1)
        rank = op.y.tensor.rank or 0
        old, new = (_ranked(np.swapaxes(w, -1, -2) if op.transpose_b else w, rank) for w in weights)
        return _sums(Pair(old, new), _ranked(np.swapaxes(a, -1, -2), rank), (rank - 2,))
    b = powers.at(op, 1)
    b = np.swapaxes(b, -1, -2) if op.transpose_b else b
    _need(a.size * b.size <= _LARGEST)
    sums = a[..., :, :, None] + b[..., None, :, :]
    _need(bool((sums == sums[..., :, :1, :]).all()))
    return np.asarray(sums[..., :, 0, :])


def _sum(op: core.Add | core.Sub, powers: Powers) -> Array:
    for i in range(2):
        constant = powers.constant(op, i)
        if constant is not None:
            other = powers.at(op, 1 - i)
            _agree(constant, other)
            return _ranked(other, op.y.tensor.rank or 0)
    return _common([powers.at(op, 0), powers.at(op, 1)])


def _common(found: list[Array]) -> Array:
    """What all are, broadcast to one shape."""
    first, *rest = np.broadcast_arrays(*found)
    _need(all(bool((other == first).all()) for other in rest))
    return np.asarray(first)


def _ranked(array: Array, rank: int) -> Array:
    """With axes of size 1 in front."""
    return array.reshape((1,) * (rank - array.ndim) + array.shape)


def _mul(op: core.Mul, powers: Powers) -> Array:
    factors = []
    for i in range(2):
        constant = powers.constant(op, i)
        if constant is None:
            factors.append(powers.at(op, i))
        else:
            found = _between(*constant)
            _agree(constant, found)
            factors.append(found)
    return _ranked(factors[0] + factors[1], op.y.tensor.rank or 0)


def _clamp(op: core.Clamp, powers: Powers) -> Array:
    _need(op.lo in (0.0, -np.inf) and op.hi == np.inf)
    return powers.at(op, 0)


def _alike(op: OpDef, powers: Powers) -> Array:
    return powers.at(op, 0)


def _sign(op: Compare, powers: Powers) -> Array:
    """Of a number: powers of two do not change it."""
    _need(is_unmoved(op.a) or is_unmoved(op.b))
    return np.zeros((1,) * (op.results[0].tensor.rank or 0), np.int32)


def _each(op: core.Select | core.Maximum | core.Minimum, powers: Powers) -> Array:
    """Numbers of one operand or another, all with the same powers but zeros and infinities."""
    floats = [i for i, v in enumerate(op.inputs) if v.tensor.dtype is DType.F32 and not is_unmoved(v)]
    found = [_ranked(powers.at(op, i), op.y.tensor.rank or 0) for i in floats]
    _need(bool(found))
    return _common(found)


def _pad(op: core.Pad, powers: Powers) -> Array:
    x, amounts = powers.at(op, 0), pad_amounts(op.pads)
    _need(op.mode != "constant" or is_unmoved(op.value))
    _need(all(size == 1 or pads == (0, 0) for size, pads in zip(x.shape, amounts or (None,) * x.ndim, strict=True)))
    return x


def _resize(op: core.Resize, powers: Powers) -> Array:
    x = powers.at(op, 0)
    _need(op.coordinates != "tf_crop_and_resize" and all(x.shape[a] == 1 for a in op.axes))
    return x


def _pool(op: core.MaxPool | core.AvgPool, powers: Powers) -> Array:
    x = powers.at(op, 0)
    _need(x.size == x.shape[op.layout.index("C")])
    return x


def _reduce(op: Reduce, powers: Powers) -> Array:
    x = powers.at(op, 0)
    axes = tuple(a % x.ndim for a in op.axes)
    _need(all(x.shape[a] == 1 for a in axes))
    return x if op.keepdims else x.squeeze(axes)


def _concat(op: core.Concat, powers: Powers) -> Array:
    """Constants among the operands are as they were."""
    parts = [powers.at(op, i) for i in range(len(op.xs))]
    ends = [(x.tensor.shape or ())[op.axis] for x in op.xs]
    shape = list(np.broadcast_shapes(*(tuple(1 if i == op.axis else n for i, n in enumerate(p.shape)) for p in parts)))
    wide = []
    for part, size in zip(parts, ends, strict=True):
        _need(isinstance(size, int))
        assert isinstance(size, int)
        wide.append(np.broadcast_to(part, [size if i == op.axis else n for i, n in enumerate(shape)]))
    return np.concatenate(wide, op.axis)


def _transpose(op: core.Transpose, powers: Powers) -> Array:
    return powers.at(op, 0).transpose(op.perm)


def _reshape(op: core.Reshape, powers: Powers) -> Array:
    """Axes in front that stay as they are may be of any size."""
    x, old, new = powers.at(op, 0), op.x.tensor.shape or (), op.y.tensor.shape or ()
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same] and x.shape[same] == 1:
        same += 1
    before, behind = ([d for d in shape[same:] if isinstance(d, int)] for shape in (old, new))
    _need(len(before) == len(old) - same and len(behind) == len(new) - same)
    _need(int(np.prod(before)) <= _LARGEST)
    return np.broadcast_to(x.reshape(x.shape[same:]), before).reshape((1,) * same + tuple(behind))


_RULES: dict[type[Op], Callable[..., Array]] = {
    core.Conv: _conv,
    core.ConvTranspose: _conv,
    core.MatMul: _matmul,
    core.Add: _sum,
    core.Sub: _sum,
    core.Mul: _mul,
    core.Clamp: _clamp,
    core.LeakyRelu: _alike,
    core.Neg: _alike,
    core.Abs: _alike,
    core.Less: _sign,
    core.LessEqual: _sign,
    core.Greater: _sign,
    core.GreaterEqual: _sign,
    core.Select: _each,
    core.Maximum: _each,
    core.Minimum: _each,
    core.Pad: _pad,
    core.Resize: _resize,
    core.MaxPool: _pool,
    core.AvgPool: _pool,
    core.ReduceMean: _reduce,
    core.ReduceSum: _reduce,
    core.ReduceMax: _reduce,
    core.ReduceMin: _reduce,
    core.Concat: _concat,
    core.Transpose: _transpose,
    core.Reshape: _reshape,
}
