"""What `mlconv tune` prints."""

from __future__ import annotations

from mlconv.commands.tables import fitted
from mlconv.diagnostics.text import printable
from mlconv.driver.tuning import TuneFacts


def report_tuning(found: TuneFacts) -> str:
    """A row for each model, and what takes the file.  faster: kernels whose default form is not the fastest."""
    rows = [
        (printable(one["model"]), one["cpu"], str(one["problems"]), str(one["timed"]), str(one["faster"]))
        for one in found["models"]
    ]
    head = ("model", "instruction set", "kernels", "timed now", "faster")
    cache = printable(found["cache"])
    if not any(one["problems"] for one in found["models"]):
        end = "no kernel has fixed sizes and forms to choose among: name sizes with --shape"
    else:
        end = f"mlconv convert MODEL --to native --tune-cache {cache} takes what was chosen"
    return "\n".join(
        [
            f"{cache}: {printable(found['processor'])}, {found['seconds']:.2f} s",
            *fitted(head, rows, numbers=frozenset({2, 3, 4})),
            end,
        ]
    )
