"""The list of TensorFlow's stateless numeric ops agrees with the rules, and 95 % of them convert."""

from __future__ import annotations

import re
from pathlib import Path

from mlconv.legalize.from_tf import op_table

PAGE = (Path(__file__).parents[2] / "docs" / "tensorflow-ops.md").read_text().split("## Quantized")[0]


def test_list() -> None:
    names = re.search(r"^Converted: (.*)\.$", PAGE, re.MULTILINE)
    assert names is not None
    done = names[1].split(", ")
    left = dict(re.findall(r"^\| (\w+) \| (.+) \|$", PAGE, re.MULTILINE))
    del left["op"]
    known = set(op_table().names)
    assert [n for n in done if n not in known] == []
    assert [n for n, why in left.items() if not why.strip() or why == "no rule"] == []
    assert len(done) >= 0.95 * (len(done) + len(left))
