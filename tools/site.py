"""Pages of the documentation site that are made of the program: its commands, diagnostics, schemas and decisions.

A hook of MkDocs, which calls the functions whose names begin with `on_`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlconv.cli import COMMANDS, main
from mlconv.commands.reports import REPORTS
from mlconv.commands.schemas import schema
from mlconv.commands.sections import Option
from mlconv.diagnostics import Code

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "mlconv" / "diagnostics" / "pages"
REPOSITORY = re.compile(r"\]\((?:\.\./)+((?!docs/)[A-Za-z][^)\s]*)\)")
"""Links to files that are beside the folder of the documentation."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages."""
    from mkdocs.structure.files import File

    for path, text in generated():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Files of the repository that are no pages are named, and not linked to."""
    return REPOSITORY.sub(lambda m: f"] (`{m[1]}`)", markdown)


def generated() -> Iterator[tuple[str, str]]:
    """Paths below the folder of the documentation, and texts."""
    yield "commands/index.md", _commands()
    for name in (name for listed in COMMANDS.values() for name in listed):
        yield f"commands/{name}.md", _command(name)
    yield "codes/index.md", _codes()
    for code in Code:
        yield f"codes/{code.id}.md", (PAGES / f"{code.id}.md").read_text(encoding="utf-8")
    yield "schemas.md", _schemas()
    for name in REPORTS:
        yield f"schemas/{name}.json", json.dumps(schema(name), indent=1) + "\n"
    yield "decisions/index.md", _decisions()


def _commands() -> str:
    lines = ["# Commands", ""]
    for heading, commands in COMMANDS.items():
        lines += [f"## {heading}", "", "| | |", "| --- | --- |"]
        lines += [f"| [{name}]({name}.md) | {_cell(text)} |" for name, text in commands.items()]
        lines.append("")
    return "\n".join(lines)


def _command(name: str) -> str:
    """A command's help as a page."""
    ctx = click.Context(main, info_name="mlconv")
    command = main.get_command(ctx, name)
    assert command is not None
    own = click.Context(command, info_name=name, parent=ctx)
    usage = own.get_usage().removeprefix("Usage: ")
    help_ = re.sub(r"^\s*\\b\n((?:.+\n?)+)", r"```text\n\1\n```\n", _dedented(command.help or ""), flags=re.M)
    lines = [f"# mlconv {name}", "", "```text", re.sub(r"\s+", " ", usage), "```", "", help_, ""]
    for section, rows in _sections(command, own).items():
        lines += [f"## {section or 'Options'}", "", "| option | |", "| --- | --- |"]
        lines += [f"| {_code(flags)} | {_cell(text)} |" for flags, text in rows]
        lines.append("")
    return "\n".join(lines)


def _sections(command: click.Command, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
    rows: dict[str, list[tuple[str, str]]] = {"": []}
    for parameter in command.get_params(ctx):
        record = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
        if record is not None:
            rows.setdefault(parameter.section if isinstance(parameter, Option) else "", []).append(record)
    return {section: listed for section, listed in rows.items() if listed}


def _codes() -> str:
    lines = ["# Diagnostics", "", "| | | exit status |", "| --- | --- | --- |"]
    lines += [f"| [{code.id}]({code.id}.md) | {_cell(code.title)} | {code.exit_status} |" for code in Code]
    return "\n".join([*lines, ""])


def _schemas() -> str:
    text = (
        "# Reports as JSON\n\nEvery command prints its report as data with `--json`. `mlconv explain --schema NAME`"
        " prints the schema of one (JSON Schema 2020-12); a test holds what is printed to it. A key that is added makes"
        " no new version; one that goes, or changes its type, is in the change log.\n\n"
    )
    return text + "\n".join(f"- [{name}](schemas/{name}.json)" for name in REPORTS) + "\n"


def _decisions() -> str:
    lines = ["# Decisions", "", "Why things are as they are, one page each.", ""]
    for path in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        title = path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")
        lines.append(f"- [{path.stem[:4]}: {title}]({path.name})")
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def _code(text: str) -> str:
    """In a table, where a code span cannot have a bar."""
    return f"<code>{html.escape(text).replace('|', '&#124;')}</code>"


def _dedented(text: str) -> str:
    """Help of a command, whose lines behind the first are indented as its source is."""
    first, _, rest = text.partition("\n")
    return f"{first}\n" + "\n".join(line.strip() if not line.startswith("\b") else line for line in rest.splitlines())
