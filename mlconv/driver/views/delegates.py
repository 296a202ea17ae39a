"""What XNNPACK takes over of a TFLite file, as LiteRT partitions it, and the operators that it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.views.delegates_table import CONSTANT_OPERANDS, FLOAT_ONLY, XNNPACK
from mlconv.driver.views.seen import Match, Seen, constant_of, line_of, name_of
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.runtime.delegation import Delegation, delegation_of

_MOST_SUBGRAPHS = 32  # beside the first
_TAKEN = frozenset({DType.F32, DType.F16, DType.I8, DType.U8})
_ANY_TYPES = frozenset({"CAST", "DEQUANTIZE", "QUANTIZE", "RESHAPE", "EXPAND_DIMS"})


class PartitionFacts(TypedDict):
    """nodes: numbers of its operators in the file.  ops: how many of each kind."""

    nodes: list[int]
    ops: dict[str, int]


class LeftFacts(TypedDict):
    """An operator that LiteRT's own kernels run.  splits: partitions in front of it and behind it read and give what it
    gives and reads.  why: empty where that is not known; XNNPACK has further conditions, which LiteRT does not tell.
    """

    node: int
    op: str
    name: str
    line: str
    splits: bool
    why: str


class SubgraphFacts(TypedDict):
    """refused: why LiteRT does not take it as it stands, by itself; empty where it does."""

    number: int
    operators: int
    delegated: int
    partitions: list[PartitionFacts]
    left: list[LeftFacts]
    refused: str


class DelegatesFacts(TypedDict):
    """runtime: with its version.  operators: of the first subgraph.  other_subgraphs: how many more there are; others:
    what is delegated of these, bodies of loops and branches, and further signatures.
    """

    runtime: str
    delegate: str
    operators: int
    delegated: int
    partitions: list[PartitionFacts]
    left: list[LeftFacts]
    other_subgraphs: int
    others: list[SubgraphFacts]


def delegates_view(seen: Seen, match: str = "", top: int | None = None) -> DelegatesFacts:
    """match: of the operators that are left.  top: so many of these, those first that split.

    Raises ConversionError: UsageError for files of other formats, VerificationImpossible where LiteRT is not installed,
    VerificationFailed where it refuses the file.
    """
    if seen.module.source.get("format") != "tflite":
        raise ConversionError(
            Code.UsageError,
            "delegates take operators of TFLite files, this is none",
            help="convert it first: mlconv convert MODEL --to tflite; mlconv check --profile NAME tells what a "
            "delegate would refuse",
        )
    found = delegation_of(seen.path)
    ops = _ops_of(seen, found)
    delegated = {i for part in found.partitions for i in part}
    splitting = _splitting(found, delegated)
    left = [_left(seen, found, i, ops.get(i), i in splitting) for i in range(len(found.nodes)) if i not in delegated]
    if match:
        chooses = Match(match)
        left = [one for one in left if (op := ops.get(one["node"])) is not None and chooses(op)]
    if top is not None:
        left = sorted(left, key=lambda one: not one["splits"])[:top]
    return {
        "runtime": f"LiteRT {found.version}",
        "delegate": "XNNPACK",
        "operators": len(found.nodes),
        "delegated": len(delegated),
        "partitions": [_partition(found, part) for part in found.partitions],
        "left": left,
        "other_subgraphs": found.subgraphs - 1,
        "others": [_other(seen.path, number) for number in range(1, min(found.subgraphs, _MOST_SUBGRAPHS + 1))],
    }


def _other(path: str, number: int) -> SubgraphFacts:
    """Another subgraph, whose operators are told by what they make."""
    try:
        found = delegation_of(path, number)
    except ConversionError as error:
        return _subgraph(number, [], [], [], error.diagnostic.message)
    delegated = {i for part in found.partitions for i in part}
    splitting = _splitting(found, delegated)
    left: list[LeftFacts] = [
        {
            "node": i,
            "op": node.name,
            "name": next(iter(node.made), ""),
            "line": "",
            "splits": i in splitting,
            "why": _why(node.name, None),
        }
        for i, node in enumerate(found.nodes)
        if i not in delegated
    ]
    return _subgraph(number, found.nodes, [_partition(found, part) for part in found.partitions], left)


def _subgraph(
    number: int,
    nodes: Sequence[object],
    partitions: list[PartitionFacts],
    left: list[LeftFacts],
    refused: str = "",
) -> SubgraphFacts:
    return {
        "number": number,
        "operators": len(nodes),
        "delegated": sum(len(part["nodes"]) for part in partitions),
        "partitions": partitions,
        "left": left,
        "refused": refused,
    }


def _partition(found: Delegation, part: list[int]) -> PartitionFacts:
    names = [found.nodes[i].name for i in part]
    return {"nodes": part, "ops": {name: names.count(name) for name in dict.fromkeys(names)}}


def _ops_of(seen: Seen, found: Delegation) -> dict[int, Op]:
    """Operators of the first subgraph by number: the importer reads them in order, and leaves out or adds some that
    have no counterpart: then kinds say which belong together.
    """
    ops = iter([op for op in seen.ops if op.name.startswith("tfl.") and not _is_nested(op)])
    paired: dict[int, Op] = {}
    waiting = next(ops, None)
    for i, node in enumerate(found.nodes):
        if waiting is not None and waiting.name.rpartition(".")[2].upper() == node.name.upper():
            paired[i] = waiting
            waiting = next(ops, None)
    return paired


def _is_nested(op: Op) -> bool:
    return op.block is not None and op.block.parent is not None


def _splitting(found: Delegation, delegated: set[int]) -> set[int]:
    """Operators that are left, between others that are taken: something in front of them and something behind is."""
    made = {t: i for i, node in enumerate(found.nodes) for t in node.outputs}
    reads = [{made[t] for t in node.inputs if t in made} for node in found.nodes]
    behind_taken: set[int] = set()
    for i in range(len(found.nodes)):
        if any(j in delegated or j in behind_taken for j in reads[i]):
            behind_taken.add(i)
    before_taken: set[int] = set()
    for i in reversed(range(len(found.nodes))):
        if i in delegated or i in before_taken:
            before_taken |= reads[i]
    return {i for i in behind_taken & before_taken if i not in delegated}


def _left(seen: Seen, found: Delegation, number: int, op: Op | None, splits: bool) -> LeftFacts:
    name = found.nodes[number].name
    return {
        "node": number,
        "op": name,
        "name": "" if op is None else name_of(op),
        "line": "" if op is None else line_of(op),
        "splits": splits,
        "why": _why(name, op),
    }


def _why(name: str, op: Op | None) -> str:
    """The first reason that shows in the file."""
    if name not in XNNPACK:
        return f"XNNPACK has no {name}"
    if op is None:
        return ""
    computed = [i for i in CONSTANT_OPERANDS.get(name, ()) if _is_computed(op, i)]
    if computed:
        return f"its operand {computed[0]} is computed, XNNPACK wants a constant"
    for what, i, value in _data(op):
        t = value.type
        if not isinstance(t, TensorType) or name in _ANY_TYPES:
            continue
        if name in FLOAT_ONLY and t.stored.dtype is not DType.F32:
            return f"its {what} {i} is {t.stored.dtype.display}, XNNPACK's {name} takes float32"
        if t.stored.dtype not in _TAKEN:
            return f"its {what} {i} is {t.stored.dtype.display}, XNNPACK takes float32, int8 and uint8"
    return ""


def _is_computed(op: Op, i: int) -> bool:
    value = op.operands[i] if i < len(op.operands) else None
    return value is not None and constant_of(value) is None


def _data(op: Op) -> list[tuple[str, int, Value]]:
    """Operands that are no constants, and results."""
    read = [("operand", i, v) for i, v in enumerate(op.operands) if v is not None and constant_of(v) is None]
    return [*read, *(("result", i, v) for i, v in enumerate(op.results))]
