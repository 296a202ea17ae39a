"""The page of a model: its graph, and what would become of each op on a target, weights unread, as `check` says it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from mlconv.diagnostics import ConversionError, Diagnostic, DiagnosticEngine, Severity
from mlconv.driver.beside import REPORT, SHOWN
from mlconv.driver.check import legalize_partly
from mlconv.driver.context import Context, context_of
from mlconv.driver.loading import import_model
from mlconv.driver.options import Options
from mlconv.driver.pipeline import instruments, parts_of
from mlconv.driver.report.conversion import fate_columns, view_of
from mlconv.driver.report.fates import Fate, Following
from mlconv.driver.report.found import findings
from mlconv.driver.report.graph import GraphFacts, SourceGraph, graph_of
from mlconv.driver.report.places import Places, readable
from mlconv.exporters.target import Target
from mlconv.formats.atomic import write_text
from mlconv.ir.module import Module
from mlconv.pages.page import page_of
from mlconv.passes.pipeline import OnPass, parse_pipeline, run_pipeline
from mlconv.provenance.locations import origins


@dataclass
class Judged:
    """A model, and what would become of it.  graphs: of the source, and of the target as far as it came.  found: on the
    way.
    """

    graphs: list[GraphFacts]
    fates: list[Fate]
    found: list[Diagnostic]


def judged(
    module: Module,
    engine: DiagnosticEngine,
    options: Options,
    target: Target,
    context: Context,
    places: Places,
    known: Sequence[Diagnostic] = (),
) -> Judged:
    """What becomes of a module as it is read, which is used up.  known: diagnostics of nodes that are refused, too."""
    source = SourceGraph(module, "source", places)
    following = Following(module)
    failed, unjudged, assumed = legalize_partly(module, engine, options, context, following.seen)
    source.tell_types(module)
    found = [*(failed or engine.diagnostics), *_lowered(module, engine, options, target, context, following.seen)]
    found = [d for d in found if d.node not in assumed]
    errors = [d for d in (*known, *found) if d.severity is Severity.ERROR]
    written = graph_of(module, f"{target.name}, as far as it came" if errors else target.name, places)
    refused = {name for d in errors for name in (d.node, *origins(d.location))}
    left = {name for op in module.walk() if not op.name.startswith(target.prefix) for name in origins(op.location)}
    return Judged(
        [source.facts, written], following.fates(module, refused, unjudged | left if errors else unjudged), found
    )


def write_model_page(path: str, options: Options, to: str, page: str) -> None:
    """Write the graph of a model file.  to: the target whose fates are shown.  Raises ConversionError for a file that
    cannot be read, OutputNotWritable.
    """
    context = context_of(options.plugins, to, [path])
    target, engine, places = context.target(to), DiagnosticEngine(), Places()
    module = import_model(path, options, engine, context).module
    engine.raise_errors()
    model = str(module.source.get("path", "")) or path
    made = " · ".join(str(module.source[key]) for key in ("format", "producer") if module.source.get(key))
    shown = judged(module, engine, options, target, context, places)
    said, view = findings(shown.found, places), view_of(options)
    data = {
        "fates": fate_columns(shown.fates),
        "diagnostics": said,
        "graph": {"graphs": shown.graphs, "places": places.data(view), "target": to},
    }
    if options.files is not None:
        options.files.read(readable(places, view), SHOWN)
    heading = os.path.basename(model.rstrip("/")) or "model"
    write_text(page, page_of("graph", heading, f"{made} · fates on {target.label}", data), options.files, REPORT)


def _lowered(
    module: Module, engine: DiagnosticEngine, options: Options, target: Target, context: Context, seen: OnPass
) -> list[Diagnostic]:
    """Core ops to the target's, in place, as far as it goes.  Returns what was found."""
    own = DiagnosticEngine([], engine.no_lines, engine.model)
    watch = instruments(options, own, context)
    watch.seen = seen
    parts = parts_of(module, options, target, context)
    try:
        items = parse_pipeline(f"{parts.common},{parts.target}", context.passes)
        run_pipeline(module, [item for item in items if not item.reads_weights], watch)
    except ConversionError as error:
        if not own.has_errors:
            own.error(error)
    return own.explained()
