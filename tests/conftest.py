"""Shared fixtures."""

from __future__ import annotations

import gc
import math
import os
import pathlib
from collections.abc import Iterator
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from mlconv.exporters.native import export
from tests.support.browser import BROWSER, Browser, started
from tests.support.objects import kept_in

ROOT = pathlib.Path(__file__).parent.parent
gc.set_threshold(
    50_000, 20, 50
)  # a fifth of the time of tests was spent on looking for cycles among syntax trees and IR
settings.register_profile("suite", suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no fault of a test
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write what text cases and pages expect; compare nothing")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Rows of tests with a share: one of so many runs in `make test`, all in `make test-long`."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("share") is not None and item.get_closest_marker("long") is None:
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for rows in tests.values():
        share = rows[0].get_closest_marker("share")
        rows.sort(key=lambda item: crc32(item.nodeid.encode()))
        for item in rows[math.ceil(len(rows) / share.args[0]) :] if share is not None else ():
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session", autouse=True)
def objects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Code that is compiled in the tests' processes is compiled once for all workers of a run."""
    base = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "objects"
        patch.setattr(export, "compilation", kept_in(folder))
        yield


@pytest.fixture(scope="session")
def models() -> pathlib.Path:
    """The folder of small trained models."""
    return ROOT / "testdata" / "models"


@pytest.fixture(scope="session")
def corpus() -> pathlib.Path:
    """The shared corpus, where it is present."""
    path = ROOT.parent / "shared" / "corpus"
    if not path.is_dir():
        pytest.skip("the shared corpus is not here")
    return path


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser that all tests of pages share."""
    if BROWSER is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with started(tmp_path_factory.mktemp("profile")) as found:
        yield found
