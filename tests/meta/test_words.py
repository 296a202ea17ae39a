"""One word for one thing, the one that compilers and BLAS libraries use: words of our own that it replaced."""

from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent.parent
SUFFIXES = {".py", ".pyi", ".md", ".toml", ".c", ".h", ".txt"}

WORDS = {
    r"hand(ed|s|ing)?[ _-]through": "pass-through",
    r"settl(e|es|ed|ing)\b": "a fixed point, with_settings, propagate",
    r"idioms?\b": "activations, or the pattern's name",
    r"moves( of\b| need\b|[,)]|\.(mlir|py)\b)|(\b|_)moves = |[,_] ?moves and\b": "data movement",
    r"cells\b": "elements",
    r"growing\b": "preallocated",
    r"kits?\b": "builder",
    r"(tile|rows|loops)[ _]kernels?\b": "GEMM microkernel, row reduction, loop nest",
    r"bands?\b": "fused convolution chain, RowBuffer",
    r"moving[ _](size|axis|time)s?\b": "dynamic size",
}
"""A word of our own, behind the start of a word or `_`, and what the field says."""
TAKEN = {
    "cells": {  # of printed tables, of recurrent layers
        "mlconv/commands/console.py",
        "mlconv/dialects/tfl_checks/products.py",
        "mlconv/importers/keras/layers/cells.py",
        "mlconv/importers/keras/layers/recurrent.py",
        "mlconv/importers/keras/layers/conv_lstm.py",
        "mlconv/legalize/from_tf/recurrent.py",
    },
    "bands?": {"mlconv/dialects/tf_table.py", "mlconv/legalize/from_tf/matrix.py", "mlconv/legalize/from_tf/norm.py"},
}
"""Files in which a word has its usual meaning."""


def texts() -> list[tuple[str, str]]:
    """Every file that people read, in small letters, with line breaks as spaces."""
    paths = list(ROOT.glob("*.md"))
    for folder in ("mlconv", "docs", "testdata/plugin", "testdata/openblas"):
        paths += [p for p in sorted((ROOT / folder).rglob("*")) if p.is_file() and p.suffix in SUFFIXES]
    return [(str(p.relative_to(ROOT)), " ".join(p.read_text(encoding="utf-8").lower().split())) for p in paths]


def names() -> list[tuple[str, str]]:
    """Names of files, of tests too."""
    return [
        (str(path.relative_to(ROOT)), path.name.lower())
        for folder in ("mlconv", "docs", "testdata/plugin", "testdata/openblas", "tests")
        for path in sorted((ROOT / folder).rglob("*"))
        if "__pycache__" not in path.parts
    ]


def test_words() -> None:
    wrong, read = [], (*texts(), *names())
    for word, better in WORDS.items():
        anywhere, pattern = re.compile(word), re.compile(r"(?:\b|_)" + word)  # the first skips texts quickly
        taken = next((files for key, files in TAKEN.items() if word.startswith(key)), set())
        for where, text in read:
            match = pattern.search(text) if where not in taken and anywhere.search(text) else None
            if match:
                around = text[max(match.start() - 30, 0) : match.end() + 30]
                wrong.append(f"{where}: {match.group()!r} in {around!r}; say {better}")
    assert not wrong, "\n".join(wrong)
