"""Which axes of Einsum's operands become those of batches of matrix products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MOST_AXES = 5  # of products whose batches are broadcast, on TFLite
_ENOUGH_ROWS = 4  # to be a product of its own


def leading_columns(labels: str, batch: Sequence[str], rows: Sequence[str], summed: Sequence[str]) -> str:
    """Labels that only the right operand has, in front of those that are summed over, where the left one is a vector
    for each element of the batch: as more axes of that, over which the vector is broadcast, they stay where they are.
    "" where the operand is in another order.

    labels: of the right operand.  rows: labels that only the left one has.
    """
    lead = labels[len(batch) : min((labels.index(c) for c in summed), default=0)]
    columns = [c for c in labels if c not in (*batch, *lead, *summed)]
    stays = list(labels) == [*batch, *lead, *summed, *columns] and len(labels) - len(columns) + 1 <= _MOST_AXES
    return lead if stays and batch and columns and not rows else ""


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
