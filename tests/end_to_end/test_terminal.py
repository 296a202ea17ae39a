"""Lines that are wider than the terminal fold between words; nowhere else."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from typing import IO

import pytest

from mlconv.commands.tables import Listing, shortened
from mlconv.commands.terminal import on_terminal
from tests.support.pages import ROOT

_HELP = "  = help: --allow-custom-ops keeps it as a custom op; --extern com.acme::wobble=FUNCTION calls a C function"
_ROW = "    x86_64     x86-64       here  float32 in vectors of 4, sums of two products of int16 in 4 lanes"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """To be called in a test: pytest captures its parts anew."""
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "60")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            _HELP,
            "  = help: --allow-custom-ops keeps it as a custom op;\n"
            "          --extern com.acme::wobble=FUNCTION calls a C\n"
            "          function",
        ),
        (
            _ROW,
            "    x86_64     x86-64       here  float32 in vectors of 4,\n"
            "                                  sums of two products of\n"
            "                                  int16 in 4 lanes",
        ),
        ("a" * 90, "a" * 90),
        ("\x1b[1m" + "word " * 12 + "end\x1b[0m", "\x1b[1m" + "word " * 11 + "word\n    end\x1b[0m"),
        ("10 | " + "x = y + z " * 9, "10 | " + "x = y + z " * 9),
        ("```\n" + "$ long " * 12 + "\n```", "```\n" + "$ long " * 12 + "\n```"),
        ('{"a": "' + "b " * 50 + '"}', '{"a": "' + "b " * 50 + '"}'),
    ],
    ids=("help", "table", "one word", "colour", "source", "fenced", "json"),
)
def test_folds(text: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_terminal(monkeypatch)
    assert on_terminal(text) == expected


def test_whole_in_a_pipe() -> None:
    assert on_terminal(_HELP) == _HELP


def test_words_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    use_terminal(monkeypatch)
    words = re.sub(r"\s+", " ", _HELP + _ROW)
    assert re.sub(r"\s+", " ", on_terminal(_HELP) + on_terminal(_ROW)) == words


def test_a_command_on_a_terminal_of_70_columns() -> None:
    ours, its = pty.openpty()
    command, env = [sys.executable, "-m", "mlconv", "explain", "MLC0301"], {"PYTHONPATH": str(ROOT), "COLUMNS": "70"}
    with (
        subprocess.Popen(command, env=env, stdin=its, stdout=its, stderr=its),
        open(ours, "rb", buffering=0) as terminal,
    ):
        os.close(its)
        page = "".join(iter(lambda: _read(terminal), ""))
    prose = re.sub(r"^```.*?^```$", "", page.replace("\r", ""), flags=re.M | re.S)
    assert "Cut the model before it with" in prose and max(map(len, prose.splitlines())) <= 70


def _read(terminal: IO[bytes]) -> str:
    try:
        return terminal.read(4096).decode()
    except OSError:  # the other end is closed
        return ""


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (40, "2 CONV_2D, RESHAPE, ADD and 1 more"),
        (33, "2 CONV_2D, RESHAPE and 2 more"),
        (20, "2 CONV_2D and 3 more"),
        (19, "2 C…V_2D and 3 more"),
    ],
)
def test_lists_name_fewer_where_they_do_not_fit(width: int, text: str) -> None:
    assert shortened(Listing.of(["2 CONV_2D", "RESHAPE", "ADD", "MUL"], 3), width) == text
