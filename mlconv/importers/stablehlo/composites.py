"""Ops of CHLO, which files have as composites or as calls of custom code, that HLO has an opcode for.

Source: stablehlo/dialect/ChloOps.td; stablehlo/transforms/StablehloCreateCompatibilityExpander.cpp;
jax/_src/lax/lax.py for the targets of custom calls.
"""

from __future__ import annotations

from mlconv.importers.stablehlo.ir import MlirOp

_UNARY = frozenset(
    [
        "erf",
        "asin",
        "acos",
        "atan",
        "atanh",
        "asinh",
        "acosh",
        "sinh",
        "cosh",
        "tan",
        "erfc",
        "lgamma",
        "digamma",
        "square",
    ]
)


def direct(name: str, op: MlirOp) -> tuple[str, dict[str, object]] | None:
    """The opcode and the attributes of a composite or of the target of a call; None for one that has no opcode."""
    dialect, _, kind = name.rpartition(".")
    if dialect not in ("chlo", "mhlo"):
        return None
    if kind in _UNARY:
        return kind, {}
    fields = op.fields.get("composite_attributes") or op.fields.get("mhlo.attributes")
    given = fields if isinstance(fields, dict) else op.fields
    if kind in ("top_k", "topk") and isinstance(given.get("k"), int):
        return "topk", {"k": given["k"], "largest": bool(given.get("largest", True))}
    return None
