"""Which axes of Einsum's operands become those of batches of matrix products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MOST_AXES = 5  # of products whose batches are broadcast, on TFLite
_ENOUGH_ROWS = 4  # to be a product of its own


def leading_rows(
    labels: str, batch: Sequence[str], summed: Sequence[str], sizes: Mapping[str, object], by_weights: bool
) -> str:
    """Labels that only the left operand has, in front of those of the batch: as more axes of the batch, over which the
    right operand is broadcast, they stay where they are, and nothing is transposed.  "" where that would leave few
    rows, or the operand is in another order.  Rows of a product with weights come in any order: all but the last stay
    apart, so that what is transposed around it need not be.

    labels, sizes: of the left operand.  summed: labels that are summed over.  by_weights: the right one is constant.
    """
    if by_weights and not batch:
        return "".join([c for c in labels if c not in summed][:-1])
    lead = labels[: min((labels.index(c) for c in batch), default=0)]
    rows = [c for c in labels if c not in (*lead, *batch, *summed)]
    stays = list(labels) == [*lead, *batch, *rows, *summed] and not any(c in summed for c in lead)
    if not rows or not stays or len(lead) + len(batch) + 2 > _MOST_AXES or all(sizes[c] == 1 for c in lead):
        return ""
    count = 1
    for c in rows:
        n = sizes[c]
        count *= n if isinstance(n, int) else _ENOUGH_ROWS
    return lead if count >= _ENOUGH_ROWS else ""
