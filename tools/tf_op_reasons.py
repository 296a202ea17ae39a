"""Why ops do not convert, for tools/tf_op_coverage.py."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, str]] = {}
