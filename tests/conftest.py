"""Shared fixtures."""

from __future__ import annotations

import pathlib

import pytest

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
