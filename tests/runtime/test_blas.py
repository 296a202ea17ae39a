"""Threads of numpy's BLAS: none until there is a large product."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_SAID = """
import os
os.sched_setaffinity(0, range(os.cpu_count()))
from mlconv.runtime.blas import load_without_threads
load_without_threads()
import numpy as np
count = lambda: len(os.listdir("/proc/self/task"))
small, x = count(), np.ones((1024, 1024), np.float32)
print(small, bool((x @ x == 1024).all()), count())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads as Linux does")
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="has threads for further processors")
def test_none_wait_until_there_is_a_large_product() -> None:
    free = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    said = subprocess.run([sys.executable, "-c", _SAID], capture_output=True, text=True, check=True, env=free).stdout
    first, right, later = said.split()
    assert (first, right) == ("1", "True") and int(later) > 1
