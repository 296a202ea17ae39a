"""Shared fixtures."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest

from tests.support.browser import BROWSER, Browser, started

ROOT = pathlib.Path(__file__).parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write what text cases and pages expect; compare nothing")


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
