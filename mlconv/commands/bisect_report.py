"""What `mlconv bisect` says."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, TypedDict

import click

from mlconv.commands.verify_report import finite
from mlconv.diagnostics.text import amount, printable

if TYPE_CHECKING:
    from mlconv.driver.bisection import Bisection
    from mlconv.driver.reduction import Reduced

_OWN = frozenset(
    {"model", "target", "output", "data", "expect", "rtol", "atol", "min_snr", "seed", "as_json", "config"}
)
_READING = frozenset({"inputs", "outputs", "shapes", "signature", "tags", "imports", "unsafe_keras", "linked_data"})


def written_arguments(ctx: click.Context) -> list[str]:
    """The options that the user wrote and that a model in core ops takes, too, as a command line has them."""
    found: list[str] = []
    for parameter in ctx.command.params:
        name = parameter.name or ""
        written = ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if not isinstance(parameter, click.Option) or not written or name in _OWN | _READING:
            continue
        flag, value = parameter.opts[-1], ctx.params.get(name)
        if isinstance(value, bool):
            found += [flag] if value else []
        elif isinstance(value, dict):
            found += [part for key, one in value.items() for part in (flag, f"{key}={one}")]
        elif isinstance(value, tuple):
            found += [part for one in value for part in (flag, str(one))]
        elif value is not None:
            found += [flag, str(value)]
    return found


def report_bisection(found: Bisection, reduced: Reduced | None) -> str:
    """Which pass, which op, and how to see it."""
    lines = [f"{printable(found.model)} to {found.target}: {len(found.passes)} passes, {found.tried} comparisons"]
    if found.stage is None:
        held = [f"  {what} gives the given answers" for what, m in found.held.items() if all(x.verdict.ok for x in m)]
        notes = (f"  note: {printable(n)}" for n in found.notes)
        wrong = [printable(found.wrong_answers)] if found.wrong_answers else []
        return "\n".join([*lines, "no pass changes the result", *wrong, *held, *notes])
    lines.append(printable(found.problem))
    if not found.stage.is_written:
        lines.append(f"  pass {found.stage.number} of {len(found.passes)}: {found.passes[found.stage.number - 1]}")
    if reduced is not None:
        shown = f"{amount(reduced.ops, 'op')} {'shows' if reduced.ops == 1 else 'show'} it"
        lines.append(printable(f"  {reduced.path}: {shown}, on {reduced.data}:"))
        lines.append(printable(f"  {reduced.command}"))
    elif found.stage.name == "from-onnx":
        model = shlex.quote(found.model)
        command = f"mlconv verify {model} {model} --backend-a reference --backend-b onnxruntime --per-layer"
        lines.append(printable(f"  {command}"))
    return "\n".join(lines)


class OpData(TypedDict):
    """The op whose result differs first."""

    name: str
    node: str
    nodes: list[str]
    line: str
    why: str


class ReducedData(TypedDict):
    """A small model that shows the fault, its inputs, and the command that does."""

    path: str
    data: str
    ops: int
    command: str


class HeldData(TypedDict):
    """An output beside what it should be."""

    output: str
    verdict: str
    max_abs: float | None


BisectionData = TypedDict(
    "BisectionData",
    {
        "version": int,
        "ok": bool,
        "model": str,
        "target": str,
        "passes": list[str],
        "comparisons": int,
        "pass": str | None,
        "number": int | None,
        "op": OpData | None,
        "reduced": ReducedData | None,
        "held": dict[str, list[HeldData]],
        "notes": list[str],
    },
)
"""pass: whose result differs first, and its number; None where none does.  held: outputs beside given answers, by what
gave them.
"""


def bisection_data(found: Bisection, reduced: Reduced | None) -> BisectionData:
    """The same as data."""
    from mlconv.driver.layering import line_of, nodes_of
    from mlconv.provenance.locations import first_name

    layer = found.layer
    return {
        "version": 1,
        "ok": found.stage is None and not found.wrong_answers,
        "model": found.model,
        "target": found.target,
        "passes": [*found.passes],
        "comparisons": found.tried,
        "pass": None if found.stage is None else found.stage.name,
        "number": None if found.stage is None else found.stage.number,
        "op": None
        if layer is None
        else {
            "name": layer.op.name,
            "node": first_name(layer.location),
            "nodes": [*nodes_of(layer)],
            "line": line_of(layer),
            "why": layer.why,
        },
        "reduced": None
        if reduced is None
        else {"path": reduced.path, "data": reduced.data, "ops": reduced.ops, "command": reduced.command},
        "held": {
            what: [{"output": m.name, "verdict": m.verdict.value, "max_abs": finite(m.max_abs)} for m in measures]
            for what, measures in found.held.items()
        },
        "notes": [*found.notes],
    }
