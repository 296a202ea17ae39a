"""Writes docs/options.md: the options of all targets, from the fields of their option classes."""

from __future__ import annotations

from dataclasses import Field, fields
from pathlib import Path

from mlconv.driver.context import BUILT_IN
from mlconv.exporters.target import Target, flag_of

OUTPUT = Path(__file__).resolve().parent.parent / "docs" / "options.md"
HEAD = """# Options of targets

Written by `tools/gen_options.py` from the fields of each target's option class; a test holds it to them. An option is
the same on the command line (`--tune`), by `-O NAME=VALUE`, in Python (`mlconv.convert(model, "native", tune=True)`)
and in a TOML file that `--config FILE` (`config=FILE`) names; the command or the call wins over the file. In a
`pyproject.toml` it is the table `[tool.mlconv]`, in any other file the whole of it:

```toml
plugins = []

[targets.native]
weights = "file"
features = "+avx2"
```
"""


def page() -> str:
    return HEAD + "".join(_section(target) for target in BUILT_IN.targets.all())


def _section(target: Target) -> str:
    rows = [_row(option) for option in fields(target.options)]
    table = ["| key | Python | value | default | |", "|---|---|---|---|---|", *rows]
    return f"\n## {target.name}\n\n" + "\n".join(table) + "\n"


def _row(option: Field[object]) -> str:
    shown = option.metadata
    value = " or ".join(shown["choices"]) or shown["metavar"] or type(option.default).__name__
    value = {"bool": "true or false"}.get(value, value) + (", a list of them" if shown["many"] else "")
    words = {True: "true", False: "false"} if isinstance(option.default, bool) else {"": "", (): ""}
    default = words.get(option.default, str(option.default))
    cells = (f"`{flag_of(option)}`", f"`{option.name}`", value, default, shown["help"])
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    OUTPUT.write_text(page(), encoding="utf-8")
