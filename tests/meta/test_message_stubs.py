"""The stubs of protobuf messages are what their generator makes of the installed TensorFlow."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", ["hlo_messages.pyi", "graph_messages.pyi"])
def test_stubs_are_up_to_date(name: str, tmp_path: pathlib.Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "tools" / "gen_message_types.py"), str(tmp_path)], check=True)
    made = (tmp_path / name).read_text(encoding="utf-8")
    assert made == (ROOT / "mlconv" / "formats" / name).read_text(encoding="utf-8")
