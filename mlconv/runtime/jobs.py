"""Workers as the command line asks for them."""

from __future__ import annotations

import re

from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.workers import Workers

MAX_WORKERS = 1024
_DASK = "dask:"


def workers_of(text: str) -> Workers | None:
    """text: a number of processes, or `dask:ADDRESS`; None where there is one process, this one.  Raises
    ConversionError UsageError, PackageMissing, WorkerLost.
    """
    if text.startswith(_DASK):
        from mlconv.runtime.dask_cluster import Cluster

        return Cluster(text.removeprefix(_DASK))
    if not re.fullmatch(r"[0-9]{1,4}", text or "1") or not 1 <= int(text or "1") <= MAX_WORKERS:
        raise ConversionError(
            Code.UsageError, f"jobs is {text!r}, expected a number of processes of 1 to {MAX_WORKERS}, or dask:ADDRESS"
        )
    if int(text or "1") == 1:
        return None
    from mlconv.runtime.processes import Processes

    return Processes(int(text))
