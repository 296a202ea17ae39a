"""Custom operators: kept under their names, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Value
from mlconv.legalize.from_tfl.node import TflNode, stored_rules

RULES: Final = stored_rules()


@RULES.rule("CUSTOM")
def custom(n: TflNode) -> Sequence[Value]:
    code = n.attr("custom_code")
    raise ConversionError(
        Code.OpUnsupported,
        f"custom operator {code} is not supported",
        help=f"--allow-custom-ops keeps it; --extern {code}=FUNCTION has native code call a C function",
    )
