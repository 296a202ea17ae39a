"""The arena of TFLite's runtime: where it puts the tensors of a graph that runs in the order of its ops.

Source: LiteRT `arena_planner.cc` and `simple_memory_arena.cc`.  A tensor lives from the op that makes it to its last
reader; inputs, outputs and tensors that nobody reads live to the end.  Views share the memory of what they look at, and
some ops write over an operand that they alone read.  Those that always live come first, then the largest, each in the
smallest gap that is free during its whole life.  What kernels take besides, which their build decides, is not counted.
"""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import TflOp, View
from mlconv.ir.core import Block, Op, Value, Yield
from mlconv.ir.dim_fold import number_at
from mlconv.ir.dims import Dim, product
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.alias import SCALAR_BYTES, WRITES

UNKNOWN = "?"  # a size that depends on data
ALIGNMENT = 64  # kDefaultTensorAlignment
ALWAYS = 1 << 62
_STRETCH = 64  # ops
_MANY_MEETINGS = 20_000_000  # pairs of tensors of the same stretch

_Place: TypeAlias = tuple[int, int, int, int]  # offset, end, first and last op


def nbytes(value: Value, each: int = 1) -> int | None:
    """Bytes of a tensor in the arena; none where the runtime makes it when its size is known.  A handle is a number.
    each: counts for a size that an input has, 1 in the file.
    """
    t = value.type
    if not isinstance(t, TensorType):
        return 4
    count = None if t.shape is None else product(t.shape)
    if isinstance(count, Dim) and UNKNOWN not in count.symbols():
        count = number_at(count, dict.fromkeys(count.symbols(), each))
    if not isinstance(count, int) or t.dtype is DType.STRING:
        return None
    return -(-count * t.dtype.bits // 8)


class Tensor(NamedTuple):
    """Memory of a tensor, and of those that share it, in bytes.  first, last: positions of the ops that make it, and
    that read it last.  value: the tensor, none for a copy of an output.
    """

    size: int
    first: int
    last: int
    value: Value | None = None


def owners(block: Block, ops: Iterable[Op]) -> dict[Value, Value]:
    """The tensor whose memory each result is in, for those that are in another one's."""
    fixed = {*block.arguments, *(v for v in block.outputs if v.producer is None)}
    outputs = set(block.outputs)
    found: dict[Value, Value] = {}
    for op in ops:
        if not isinstance(op, TflOp) or not op.results or op.results[0] in outputs:
            continue
        result, view = op.results[0], View in op.spec.traits
        for i in (0,) if view else WRITES.get(op.builtin, ()):
            source = op.operands[i]
            if source is None or source in fixed or isinstance(source.producer, Constant):
                continue
            if view or (_is_alone(source, outputs) and nbytes(source) == nbytes(result) != 0 and _is_large(source)):
                owner = found.get(source, source)
                if view or _is_alone(owner, outputs):
                    found[result] = owner
                break
    return found


def _is_alone(value: Value, outputs: set[Value]) -> bool:
    """One op reads it, once."""
    return len(value.uses) == 1 and value not in outputs


def _is_large(value: Value) -> bool:
    return (nbytes(value) or 0) > SCALAR_BYTES


def tensors_of(block: Block, ops: Sequence[Op], main: bool, each: int = 1) -> list[Tensor] | None:
    """The tensors of a graph with memory of their own, by the order of its ops; none where some are not in the arena.
    main: it is the graph of a function.  each: see `nbytes`.
    """
    at = {op: i for i, op in enumerate(ops)}
    shared = owners(block, ops)
    found = []
    for owner, (members, readers, kept) in memory_of(block, ops, shared).items():
        size = nbytes(owner, each)
        if size is None or any(nbytes(v, each) is None for v in members):
            return None
        first = at[owner.producer] if owner.producer else 0
        found.append(Tensor(size, first, ALWAYS if kept else max(at[op] for op in readers), owner))
    for i, value in enumerate(copied(block, main)):
        found.append(Tensor(nbytes(value, each) or 0, len(ops) + i, ALWAYS))
    return found


def memory_of(
    block: Block, ops: Iterable[Op], shared: Mapping[Value, Value]
) -> dict[Value, tuple[list[Value], list[Op], bool]]:
    """What is in memory of its own, by the first tensor there: the tensors that are in it, the ops that read one of
    them, and whether it lives to the end.
    """
    outputs = set(block.outputs)
    found: dict[Value, tuple[list[Value], list[Op], bool]] = {v: ([v], v.users, True) for v in block.arguments}
    for op in ops:
        for value in op.results:
            owner = shared.get(value, value)
            users = [user for user in value.users if not isinstance(user, Yield)]
            if owner is value:
                found[value] = [value], users, value in outputs or not users
            else:
                found[owner][0].append(value)
                found[owner][1].extend(users)
    return found


def copied(block: Block, main: bool) -> list[Value]:
    """The outputs that the file has copies of: those that are another output too, or an input, or a constant."""
    found, taken = [], set()
    inputs = block.arguments
    for i, value in enumerate(block.outputs):
        is_moved = value.owner is block and (main or i >= len(inputs) or inputs[i] is not value)
        if value in taken or is_moved or (main and isinstance(value.producer, Constant)):
            found.append(value)
        taken.add(value)
    return found


def arena_bytes(tensors: Sequence[Tensor]) -> int | None:
    """The size of the arena that tensors are put in; none where very many live at the same time."""
    offsets = placed(tensors)
    return None if offsets is None else max((o + t.size for o, t in zip(offsets, tensors, strict=True)), default=0)


def placed(tensors: Sequence[Tensor]) -> list[int] | None:
    """Where each tensor is put in the arena; none where very many live at the same time."""
    offsets = [0] * len(tensors)
    base = 0
    for i, tensor in enumerate(tensors):
        if _is_always(tensor):
            offsets[i] = _aligned(base)
            base = offsets[i] + tensor.size
    others = [i for i, t in enumerate(tensors) if t.size and not _is_always(t)]
    stop = max((t.first for t in tensors), default=0)
    spans = {i: range(tensors[i].first // _STRETCH, min(tensors[i].last, stop) // _STRETCH + 1) for i in others}
    if sum(count * count for count in Counter(itertools.chain(*spans.values())).values()) > _MANY_MEETINGS:
        return None
    everywhere: list[_Place] = []
    taken: dict[int, list[_Place]] = {}  # by stretches of time
    for i in sorted(others, key=lambda i: (-tensors[i].size, tensors[i].first)):
        size, first, last, _ = tensors[i]
        near = _near([taken.get(s, []) for s in spans[i]], everywhere)
        offsets[i] = _gap([p for p in near if p[2] <= last and first <= p[3]], size, base)
        for places in (everywhere, *(taken.setdefault(s, []) for s in spans[i])):
            bisect.insort(places, (offsets[i], offsets[i] + size, first, last))
    return offsets


def _near(stretches: Sequence[list[_Place]], everywhere: list[_Place]) -> list[_Place]:
    """What lies in any of some stretches, by offsets, and more where that is less than looking for them takes."""
    if len(stretches) == 1:
        return stretches[0]
    if 4 * sum(map(len, stretches)) > len(everywhere):
        return everywhere
    return sorted({*itertools.chain(*stretches)})


def _is_always(tensor: Tensor) -> bool:
    """Those that live from the first op to the end come first, and lie one behind the other."""
    return tensor.size > 0 and tensor.first == 0 and tensor.last == ALWAYS


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _gap(placed: Iterable[_Place], size: int, current: int) -> int:
    """The smallest gap behind `current` that is large enough, the first of those, else the end.  As in the source, what
    is compared is not quite what is kept: one starts at the alignment, the other where the gap begins.
    """
    best, fit = -1, -1
    for low, high, _, _ in placed:
        if low - current >= size:
            start = _aligned(current)
            if start + size <= low and (fit < 0 or low - start < fit):
                best, fit = start, low - current
        if high > current:
            current = high
        if fit == 0:
            break
    return best if best >= 0 else _aligned(current)
