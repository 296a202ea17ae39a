"""Native code of these tests is for x86-64 with AVX2; elsewhere they are skipped, visibly."""

from __future__ import annotations

import platform
from collections.abc import Iterable

import pytest

from mlconv.codegen.kernels import tilings


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    if platform.machine() == "x86_64":
        return
    for item in items:
        if "tests/native" in str(item.path):
            item.add_marker(pytest.mark.skip(reason=f"native code is for x86-64, this machine is {platform.machine()}"))


@pytest.fixture
def always_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of integers use tiles of matrices however small they are."""
    monkeypatch.setattr(tilings, "_pays", lambda *given: True)
