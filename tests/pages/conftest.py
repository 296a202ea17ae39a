"""Fixtures of pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import Browser, Page


@pytest.fixture
def page(browser: Browser, written: Path) -> Iterator[Page]:
    """The page that a module of tests is about, opened anew; it never complains.  written: its file."""
    with browser.page(written) as page:
        yield page
        assert page.complaints() == []
