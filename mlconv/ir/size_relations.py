"""Relations of sizes, which are facts about a function, or asked of them."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.ir.dims import Size


class Relation(NamedTuple):
    """What two sizes fulfil.  kind: `==`; `>=`; or `%`, a is a multiple of the number b."""

    a: Size
    kind: str
    b: Size
