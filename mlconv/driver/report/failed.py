"""The page of a conversion that failed: what is in its way, at which lines, and what would have become of the rest."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.beside import REPORT, SHOWN
from mlconv.driver.context import Context
from mlconv.driver.options import OF_QUANTIZATION, Options
from mlconv.driver.report.conversion import Recorder, fate_columns, view_of
from mlconv.driver.report.found import findings
from mlconv.driver.report.model import Judged, judged
from mlconv.driver.report.places import Places, readable
from mlconv.exporters.target import Target
from mlconv.formats.atomic import write_text
from mlconv.formats.run_files import RunFiles
from mlconv.ir.module import Module
from mlconv.pages.page import page_of
from mlconv.quantize.report import Report


def write_failed_page(
    page: str,
    model: str,
    error: ConversionError,
    read: Callable[[DiagnosticEngine], Module],
    options: Options,
    target: Target,
    context: Context,
    files: RunFiles,
    quantization: Report | None = None,
    recorder: Recorder | None = None,
    purpose: str = "",
) -> None:
    """page, purpose: where to write, and what for.  model: its path.  error: what ended the conversion.  read: gives
    the model as it is read.  files: of the run.  recorder: of the conversion, where it came as far as the target's ops.
    Raises ConversionError OutputNotWritable.
    """
    places = Places() if recorder is None else recorder.places
    told = list(error.diagnostics or (error.diagnostic,))
    shown = _recorded(recorder) or _judged(read, error, options, target, context, places)
    found, seen = list(told), {(d.code, d.node, d.message) for d in told}
    found += [d for d in (shown.found if shown is not None else ()) if (d.code, d.node, d.message) not in seen]
    said, view = findings(found, places), view_of(options)
    data: dict[str, object] = {"diagnostics": said}
    if shown is not None:
        data["fates"] = fate_columns(shown.fates)
    if quantization is not None:
        data["quantization"] = quantization.data()
    graphs = shown.graphs if shown is not None else []
    data["graph"] = {"graphs": graphs, "places": places.data(view), "target": target.name}
    files.read(readable(places, view), SHOWN)
    heading = f"{os.path.basename(model.rstrip('/')) or 'model'} to {target.label}: failed"
    write_text(
        page, page_of("failed" if graphs else "unread", heading, f"from {model}", data), files, purpose or REPORT
    )


def _recorded(recorder: Recorder | None) -> Judged | None:
    """What a conversion has noted that came as far as the target's ops."""
    if recorder is None or recorder.source is None or recorder.written is None:
        return None
    return Judged([recorder.source.facts, recorder.written], recorder.fates, [])


def _judged(
    read: Callable[[DiagnosticEngine], Module],
    error: ConversionError,
    options: Options,
    target: Target,
    context: Context,
    places: Places,
) -> Judged | None:
    """None of a model that cannot be read.  Nothing is quantized, for that needs weights and samples."""
    default = Options()
    plain = replace(options, **{name: getattr(default, name) for name in OF_QUANTIZATION}, quantize="", verify=False)
    engine = DiagnosticEngine()
    try:
        module = read(engine)
        engine.raise_errors()
        return judged(module, engine, plain, target, context, places, error.diagnostics or (error.diagnostic,))
    except ConversionError:
        return None  # the error says why already
