"""A TFLite file, simplified: operators and tables as they are, but for what the rules say."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.exporters.tflite.check import check_file, problems_of
from mlconv.exporters.tflite.model import TflModel
from mlconv.exporters.tflite.writer import write_model
from mlconv.ir.constants import Const
from mlconv.ir.module import Function
from mlconv.provenance.locations import NameLocation
from mlconv.simplifiers.result import Counts, Simplified
from mlconv.simplifiers.tflite.compact import drop_unused, share_buffers, share_constants
from mlconv.simplifiers.tflite.facts import facts_of
from mlconv.simplifiers.tflite.graph import Graph
from mlconv.simplifiers.tflite.reading import read_tables
from mlconv.simplifiers.tflite.rules import NAMES, RULES, fold, merge_equal, take_dead

_ROUNDS = 20


def simplify_tflite(path: str, skipped: frozenset[str] = frozenset()) -> Simplified:
    """skipped: names of rules that are left out.  Raises ConversionError for a file that cannot be read, and UsageError
    for a rule that there is not.
    """
    unknown = sorted(skipped.difference(NAMES))
    if unknown:
        raise ConversionError(
            Code.UsageError, f"--skip names {unknown[0]!r}, which is no rule", help=f"the rules are {', '.join(NAMES)}"
        )
    model = read_tables(path)
    before, applied = _counts(model), Counter[str]()
    share_buffers(model)
    constants = {} if "fold" in skipped else _constants(path, model)
    for number in range(len(model.subgraphs)):
        _simplify(Graph(model, number, constants), applied, skipped)
    drop_unused(model)
    sound = not problems_of(Path(path))  # of a file that has faults, what is written has them, too

    def write(target: Path) -> int:
        size = write_model(model, target, check_file if sound else None)
        if size > os.path.getsize(path) and not applied:
            size = os.path.getsize(path)
            shutil.copyfile(path, target)
        return size

    function = Function.create("main", [], [], NameLocation("main"))
    after = _counts(model)
    return Simplified(Counts(before, os.path.getsize(path)), after, dict(applied), write, function, {}, files=(path,))


def _constants(path: str, model: TflModel) -> dict[str, Const]:
    """Tensors that follow from constants, by names that one tensor has."""
    names = Counter(t.name for g in model.subgraphs for t in g.tensors)
    facts = facts_of(path)
    return {n: f.constant for n, f in facts.items() if f.constant is not None and names[n] == 1}


def _counts(model: TflModel) -> Counter[str]:
    codes = [c.custom or c.builtin for c in model.codes]
    return Counter(codes[op.code] for graph in model.subgraphs for op in graph.operators)


def _simplify(g: Graph, applied: Counter[str], skipped: frozenset[str]) -> None:
    for _ in range(_ROUNDS):
        before = applied.total()
        share_constants(g)
        for op in g.graph.operators:
            for name, rule in RULES.get(g.name(op), ()):
                if name not in skipped and g.is_left(op) and rule(g, op):
                    applied[name] += 1
            if g.constants and g.is_left(op) and fold(g, op):
                applied["fold"] += 1
        g.compact()
        for name, every in (("merge", merge_equal), ("dead", take_dead)):
            count = 0 if name in skipped else every(g)
            if count:
                applied[name] += count
        if applied.total() == before:
            return
