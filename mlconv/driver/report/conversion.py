"""The report of a conversion: what became of the source's ops, memory before and after, times, diagnostics."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypedDict

from mlconv.diagnostics import Diagnostic
from mlconv.diagnostics.source_spans import View
from mlconv.driver.beside import REPORT, SHOWN
from mlconv.driver.memory_facts import PeakFacts, peak_facts, plain_size
from mlconv.driver.options import Options
from mlconv.driver.report.fates import STATUSES, Fate, Following
from mlconv.driver.report.found import Finding, findings
from mlconv.driver.report.graph import MOST_NODES, GraphFacts, SourceGraph, graph_of, shortened
from mlconv.driver.report.places import Places, readable
from mlconv.driver.report.traffic import TrafficFacts, thinned, traffic_of
from mlconv.exporters.memory import MemoryUse, curve_of, peak_of
from mlconv.exporters.target import FileSizes, Target
from mlconv.formats.atomic import write_text
from mlconv.formats.run_files import RunFiles
from mlconv.ir.module import Module
from mlconv.pages.page import page_of
from mlconv.quantize.report import Report

_MOST_BUFFERS = 50  # of those in use at the peak


class Outcome(Protocol):
    """What a conversion did, as its result has it."""

    @property
    def output(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def sizes(self) -> FileSizes: ...
    @property
    def source(self) -> Mapping[str, object]: ...
    @property
    def inputs(self) -> Sequence[object]: ...
    @property
    def outputs(self) -> Sequence[object]: ...
    @property
    def ops(self) -> Mapping[str, int]: ...
    @property
    def transposes(self) -> int: ...
    @property
    def timings(self) -> Mapping[str, float]: ...
    @property
    def pass_timings(self) -> Mapping[str, float]: ...
    @property
    def pass_statistics(self) -> Mapping[str, int]: ...
    @property
    def plugins(self) -> Sequence[object]: ...
    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...
    @property
    def verification(self) -> Sequence[Mapping[str, object]]: ...
    @property
    def computed_elsewhere(self) -> Sequence[object]: ...
    @property
    def unverified(self) -> Sequence[str]: ...
    @property
    def quantization(self) -> Report | None: ...


class FateColumns(TypedDict):
    """Of each op of the source: number of its status, the pass that took it away, the target's ops."""

    statuses: list[str]
    status: list[int]
    by: list[str]
    ops: list[list[int]]


class PlanFacts(TypedDict):
    """Where the target keeps values.  curve: bytes in use, along its calls."""

    arena: int | str
    weights: int
    buffers: int
    peak: PeakFacts | None
    curve: list[int]


def fate_columns(fates: Sequence[Fate]) -> FateColumns:
    shown = fates[:MOST_NODES]
    return {
        "statuses": list(STATUSES),
        "status": [STATUSES.index(f.status) for f in shown],
        "by": [f.by for f in shown],
        "ops": [[number for number in f.ops if number < MOST_NODES] for f in shown],
    }


def view_of(options: Options) -> View:
    """Which source may be shown, and how its paths are."""
    try:
        folder = os.getcwd()
    except OSError:  # it is gone
        folder = ""
    return View(path_map=options.path_map, folder=folder, source_roots=options.source_roots)


@dataclass
class Recorder:
    """Looks at a conversion as it goes on, and changes nothing of it.  counts: of all source ops by status."""

    target: Target
    options: Options
    places: Places = field(default_factory=Places)
    following: Following | None = None
    source: SourceGraph | None = None
    written: GraphFacts | None = None
    fates: list[Fate] = field(default_factory=list)
    before: TrafficFacts | None = None
    after: TrafficFacts | None = None
    plan: PlanFacts | None = None

    def imported(self, module: Module) -> Following:
        """The module as it was read.  Returns what is to be shown it after each pass."""
        self.source = SourceGraph(module, "source", self.places)
        self.following = Following(module)
        return self.following

    def legalized(self, module: Module) -> None:
        """Of core ops, before anything was done to them."""
        assert self.source is not None
        self.source.tell_types(module)
        self.before = traffic_of(module.main)

    def lowered(self, module: Module, kernels: Mapping[str, str]) -> None:
        """Of the target's ops."""
        assert self.following is not None
        self.written = graph_of(module, self.target.name, self.places)
        self.fates = self.following.fates(module)
        self.after = traffic_of(module.main)
        use = self.target.memory(module, kernels)
        self.plan = None if use is None else _plan(use)

    def write(self, result: Outcome, model_files: Sequence[str], files: RunFiles) -> None:
        """The page of a conversion that is done.  files: of the run.  Raises ConversionError OutputNotWritable."""
        view = view_of(self.options)
        found = findings(result.diagnostics, self.places)
        files.read(readable(self.places, view), SHOWN)
        sizes = (os.path.getsize(name) for name in dict.fromkeys(model_files) if os.path.isfile(name))
        write_text(self.options.report, self.page(result, found, sum(sizes), view), files, REPORT)

    def page(self, result: Outcome, found: list[Finding], source_bytes: int, view: View) -> str:
        """source_bytes: of the model's files."""
        assert self.source is not None and self.written is not None
        model = str(result.source.get("path", "")) or "model"
        data: dict[str, object] = {
            "summary": _summary(result, source_bytes, self.options.quantize),
            "fates": fate_columns(self.fates),
            "memory": {"before": self.before, "after": self.after, "plan": self.plan},
            "stages": {"stages": result.timings, "passes": result.pass_timings, "counts": result.pass_statistics},
            "diagnostics": found,
            "graph": {"graphs": [self.source.facts, self.written], "places": self.places.data(view)},
        }
        if result.quantization is not None:
            data["quantization"] = result.quantization.data()
        heading = f"{os.path.basename(model.rstrip('/'))} to {self.target.label}"
        return page_of("conversion", heading, f"written to {result.output} · from {model}", data)


def _plan(use: MemoryUse) -> PlanFacts:
    peak = peak_facts(peak_of(use.buffers))
    if peak is not None:
        largest = sorted(peak["buffers"], key=lambda b: -_number(b["size"]))[:_MOST_BUFFERS]
        peak["buffers"] = [{**b, "node": shortened(b["node"])} for b in largest]
    arena = plain_size(use.arena)
    return {
        "arena": shortened(arena) if isinstance(arena, str) else arena,
        "weights": use.weights,
        "buffers": len(use.buffers),
        "peak": peak,
        "curve": thinned(curve_of(use.buffers)),
    }


def _summary(result: Outcome, source_bytes: int, scheme: str) -> dict[str, object]:
    return {
        "target": result.target,
        "format": str(result.source.get("format", "")),
        "producer": str(result.source.get("producer", "")),
        "source_bytes": source_bytes,
        "output_bytes": result.size_bytes,
        "parts": dict(result.sizes.parts),
        "weights": result.sizes.model_weights,
        "ops": result.ops,
        "transposes": result.transposes,
        "inputs": result.inputs,
        "outputs": result.outputs,
        "verification": [{k: _finite(v) for k, v in row.items()} for row in result.verification],
        "elsewhere": result.computed_elsewhere,
        "unverified": result.unverified,
        "scheme": scheme,
        "plugins": result.plugins,
    }


def _finite(value: object) -> object:
    """Numbers that JSON does not have are text."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _number(size: int | str) -> int:
    return size if isinstance(size, int) else 0
