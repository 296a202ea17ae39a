"""A project's file for models, written by looking at them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError, Severity
from mlconv.driver.check import TargetReport, check_model
from mlconv.driver.context import context_of
from mlconv.driver.inspection import Inspection, inspect_model
from mlconv.driver.options import Options
from mlconv.driver.projects.reading import FILE
from mlconv.exporters.target import Target
from mlconv.formats.atomic import replacing

TARGETS = ("tflite", "native")
"""What is proposed where nothing is asked for."""

_HEAD = "# `mlconv build` makes what is listed here, where it is stale; `mlconv build --check` says what is.\n"
_FOLDER = "build"


def propose(
    models: Sequence[str], targets: Sequence[str] = (), path: str = FILE, options: Options | None = None
) -> list[str]:
    """Write a project's file with a conversion of each model to each target; what is refused is a comment that says
    why.  path: of the file, which must not be there.  Returns the names of the conversions.

    Raises ConversionError OutputNotWritable, UsageError for an unknown target, and what reading a model raises.
    """
    options = options or Options()
    if os.path.lexists(path):
        raise ConversionError(
            Code.OutputNotWritable, f"cannot write {path}: it is there already", help="name another file with -f FILE"
        )
    root = os.path.dirname(os.path.abspath(path))
    text, names = _HEAD, list[str]()
    for model in models:
        parts, own = _conversions(model, targets or TARGETS, root, options)
        text += "".join(parts)
        names += own
    from pathlib import Path

    with replacing(Path(path)) as out:
        out.write(text.encode())
    return names


def _conversions(model: str, targets: Sequence[str], root: str, options: Options) -> tuple[list[str], list[str]]:
    """Tables of a model, and the names of those that are no comments."""
    context = context_of(options.plugins, targets[0] if len(targets) == 1 else "", [model])
    report = check_model(model, targets, (), options, context)
    facts = inspect_model(model, options)
    stem = os.path.splitext(os.path.basename(model.rstrip("/")))[0]
    about = f"{facts['format']}, {sum(facts['ops'].values())} ops, {facts['parameters']} parameters"
    names: list[str] = []
    parts = [f"\n# {os.path.basename(model.rstrip('/'))}: {about}\n"]
    for found in report.targets:
        target = context.target(found.target)
        name = _name(stem, target.name, len(targets))
        lines = _table(name, model, stem, target, root)
        if found.ok:
            names.append(name)
            parts.append("\n".join(["", *lines, *_remarks(facts)]) + "\n")
        else:
            parts.append("\n".join(["", *_refusal(model, found), *(f"# {line}" for line in lines)]) + "\n")
    return parts, names


def _table(name: str, model: str, stem: str, target: Target, root: str) -> list[str]:
    where = os.path.relpath(os.path.abspath(model), root).replace(os.sep, "/")
    return [
        f"[conversions.{name}]",
        f"model = {_quoted(where)}",
        f"to = {_quoted(target.name)}",
        f"output = {_quoted(f'{_FOLDER}/{stem}{target.suffix}')}",
        "verify = true",
    ]


def _remarks(facts: Inspection) -> list[str]:
    """Options that the model may want, as comments."""
    lines = []
    for port in facts["inputs"]:
        shape = port["shape"]
        if shape is None or all(isinstance(size, int) for size in shape):
            continue
        sizes = ", ".join(str(size) if isinstance(size, int) else "1" for size in shape)
        text = ", ".join(map(str, shape))
        lines.append(f"# {_plain(port['name'])} is [{text}], with sizes known at run time; fixed ones would be")
        lines.append(f"# shape.{_quoted(port['name'])} = [{sizes}]")
    return [*lines, '# quantize = "int8"', '# calibration = "samples.npz"']


def _refusal(model: str, found: TargetReport) -> list[str]:
    errors = [d for d in found.diagnostics if d.severity is Severity.ERROR]
    first = errors[0]
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return [
        f"# {found.target} refuses it: {first.code.id} {_plain(first.message)}{more}",
        f"# mlconv check {_plain(model)} --to {found.target} says all of it",
    ]


def _name(stem: str, target: str, targets: int) -> str:
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_") or "model"
    return f"{plain}-{target}" if targets > 1 else plain


def _quoted(text: str) -> str:
    """A basic string of TOML.  Source: TOML 1.0, "String"."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    """A text within a comment."""
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text)
