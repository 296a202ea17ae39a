"""What `mlconv check` ends with: its problems but for those of a baseline, its tables, its exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from mlconv.commands.reporting import (
    FOR_PEOPLE,
    files_of_run,
    outputs_of,
    report_format,
    show,
    tell,
    terminal_form,
    view_of,
)

if TYPE_CHECKING:
    from mlconv.diagnostics import Diagnostic
    from mlconv.driver.check import CheckReport, TargetReport

_BASELINE = "the baseline"


def claim_baselines(ctx: click.Context, baseline: str | None, write_baseline: str | None) -> None:
    """Take note of the files of known problems, before the work.  Raises ConversionError OutputNotWritable."""
    from pathlib import Path

    from mlconv.formats.atomic import check_target

    if baseline is not None:
        files_of_run(ctx).read([baseline], _BASELINE)
    if write_baseline is not None:
        check_target(Path(write_baseline), files_of_run(ctx), _BASELINE)


def conclude_check(
    ctx: click.Context, reports: list[CheckReport], as_json: bool, baseline: str | None, write_baseline: str | None
) -> int:
    """Print checks and their problems, those of the baseline left out; the exit code: 1 when something is refused, 3
    when no more than a budget is exceeded.

    The table goes to standard output, but to standard error when a machine format has that.
    """
    from mlconv.commands.check_data import check_data
    from mlconv.commands.check_report import report_check
    from mlconv.diagnostics import Severity
    from mlconv.diagnostics.text import json_text

    found = list(dict.fromkeys(d for report in reports for d in report.diagnostics))
    new, notes = _without_known(ctx, found, [report.path for report in reports], baseline, write_baseline)
    form = terminal_form(ctx)
    machine = form not in FOR_PEOPLE and not any(not f for f, _ in outputs_of(ctx))
    show(ctx, new, {report.path: {t.target: _verdict(t, new) for t in report.targets} for report in reports})
    view = view_of(ctx, report_format(ctx))
    if as_json:
        data = [check_data(report, view) for report in reports]
        text = json_text(data[0] if len(data) == 1 else data, indent=1)
    else:
        text = "\n\n".join([*(report_check(report, view) for report in reports), *notes])
    tell(text, asked=as_json, err=machine)
    return _exit_code(d for d in new if d.severity is Severity.ERROR) if write_baseline is None else 0


def _without_known(
    ctx: click.Context, found: list[Diagnostic], models: Sequence[str], baseline: str | None, write_baseline: str | None
) -> tuple[list[Diagnostic], list[str]]:
    """The problems that no baseline knows, and what there is to say of the others.  Writes the baseline that is
    asked for.  Raises ConversionError.
    """
    from mlconv.commands.baseline import Baseline
    from mlconv.diagnostics import Severity
    from mlconv.formats.atomic import write_text

    known = Baseline.read(baseline) if baseline is not None else Baseline()
    new, gone = known.only_new(found), known.gone(found, models)
    notes = [f"{len(found) - len(new)} known problems are in the baseline"] if len(new) < len(found) else []
    if gone:
        notes.append(f"{gone} problems of the baseline are gone; --write-baseline takes them out")
    if write_baseline is not None:
        errors = [d for d in found if d.severity is Severity.ERROR]
        text = Baseline.read_if_there(write_baseline).with_problems(errors, models).text()
        write_text(write_baseline, text, files_of_run(ctx), _BASELINE)
    return new, notes


def _verdict(target: TargetReport, new: Sequence[Diagnostic]) -> str:
    """Of a table of models: what one target says."""
    from mlconv.diagnostics import Code, Severity

    errors = [d for d in target.diagnostics if d.severity is Severity.ERROR]
    if not errors:
        return "ok"
    fresh = [d for d in errors if d in new]
    over = sum(d.code is Code.BudgetExceeded for d in fresh)
    refused = len(fresh) - over
    said = [f"{refused} refused"] * bool(refused) + ["over budget"] * bool(over)
    return ", ".join(said) or "known"


def _exit_code(errors: Iterable[Diagnostic]) -> int:
    """That of the worst: what cannot be converted, before gates."""
    found = {d.code.exit_status for d in errors}
    return 0 if not found else 3 if found == {3} else 1
