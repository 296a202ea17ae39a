"""Writes docs/benchmarks.md, and a picture of each of its tables, from docs/benchmarks.toml."""

from __future__ import annotations

import html
import tomllib
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
PICTURES = DOCS / "pictures"
HEAD = """# Benchmarks

Written by `tools/plots.py` from `docs/benchmarks.toml`. What tools are compared in was measured in one run, interleaved
where they allow it; machines differ, so that figures of different tables are not to be compared. Each table has its
command, at whose head stands what it needs besides. Less is better throughout.
"""
TAIL = """
## Where others are ahead

- int8 on processors with AVX2 alone: ONNX Runtime and OpenVINO add products of bytes with saturation there; these
  objects are exact, and slower on ResNet-50: the best of three others takes 0.87 of the time (1.02 on MobileNetV2, 1.1
  on U-Net, 1.3 on EfficientNet-B0 and MiniLM; AMD Zen 3, `benchmarks/native.py --precision int8 --cpu x86-64-v3`).
- int8 on 64-bit Arm, counted in instructions and not timed (`benchmarks/arm.py`, as a Cortex-A76): LiteRT takes 0.94 of
  them on MobileNetV2, 0.86 on EfficientNet-B0, 0.72 on MiniLM and 1.2 times as many on U-Net; with SMMLA ONNX Runtime
  takes 0.7 of them on MobileNetV2. In float32 both take more.
- Batches above 32 on GPUs, and anything on a GPU: nothing is measured, as there is no code for them.
- The first pass of a language model over its prompt (128 tokens of a decoder with weights of 4 bits): OpenVINO takes
  half of the time (`benchmarks/decoder.py --words 128`; 0.83 to 1.18 of it on processors with AMX). Token by token it
  is the other way round: 1.8 times as fast as OpenVINO,
  2.3 times as ONNX Runtime, at 90 % of what a plain loop in C reads. llama.cpp with Q4_0, which rounds what it
  multiplies to 8 bits, takes 1.4 times as long for a word and 0.8 of the time for the first pass.
- The first conversion of a Keras file with layers of its own waits for Keras, as TFLiteConverter does.
"""
_COLOURS = ("#1f5fc4", "#c2541b", "#1a7f4b", "#8f6400", "#7a4fb0")
_BAR, _GAP, _LEFT, _WIDTH, _ROW_GAP, _TOP = 14, 2, 210, 640, 12, 34


def page(tables: list[dict[str, Any]]) -> str:
    return HEAD + "".join(map(_section, tables)) + TAIL


def _section(table: dict[str, Any]) -> str:
    tools, unit = table["tools"], table["unit"]
    head = f"| {unit} | " + " | ".join(tools) + " |"
    rows = ["| --- |" + " ---: |" * len(tools)]
    for name, *values in table["rows"]:
        rows.append(f"| {name} | " + " | ".join(_number(v) if v else "-" for v in values) + " |")
    text = "\n".join([head, *rows])
    picture = f"![{table['title']}](pictures/{table['name']}.svg)"
    return f"\n## {table['title']}\n\n{table['machine']}. `{table['command']}`\n\n{picture}\n\n{text}\n"


def picture(table: dict[str, Any]) -> str:
    """Bars, each row by its own scale: the longest is the slowest of the row."""
    tools = table["tools"]
    parts = [_legend(tools)]
    y = _TOP
    for name, *values in table["rows"]:
        shown = [(tool, value) for tool, value in enumerate(values) if value]
        parts.append(_text(_LEFT - 10, y + (_BAR + _GAP) * len(shown) / 2 + 4, name, "end"))
        for tool, value in shown:
            length = max(2.0, (_WIDTH - _LEFT - 80) * value / max(values))
            parts.append(f'<rect x="{_LEFT}" y="{y}" width="{length:.1f}" height="{_BAR}" fill="{_COLOURS[tool]}"/>')
            parts.append(_text(_LEFT + length + 6, y + 11, f"{_number(value)} {table['unit']}", "start"))
            y += _BAR + _GAP
        y += _ROW_GAP
    size = f'viewBox="0 0 {_WIDTH} {y}" width="{_WIDTH}" height="{y}"'
    label = html.escape(table["title"], quote=True)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">'
    back = f'<rect width="{_WIDTH}" height="{y}" fill="#ffffff"/>'
    style = "<style>text { font: 12px system-ui, sans-serif; fill: #1a1f29; }</style>"
    return "\n".join([head, style, back, *parts, "</svg>", ""])


def _legend(tools: list[str]) -> str:
    parts, x = [], 10
    for tool, colour in zip(tools, _COLOURS, strict=False):
        parts.append(f'<rect x="{x}" y="10" width="12" height="12" fill="{colour}"/>')
        parts.append(_text(x + 17, 20, tool, "start"))
        x += 30 + 7 * len(tool)
    return "\n".join(parts)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def files() -> dict[Path, str]:
    """All that is written, by path."""
    tables = tomllib.loads((DOCS / "benchmarks.toml").read_text(encoding="utf-8"))["table"]
    found = {DOCS / "benchmarks.md": page(tables)}
    return found | {PICTURES / f"{table['name']}.svg": picture(table) for table in tables}


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
