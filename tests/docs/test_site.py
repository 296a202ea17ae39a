"""The documentation site: it is built without warnings, and its pages are drawn without complaints."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlconv.cli import COMMANDS
from mlconv.commands.reports import REPORTS
from mlconv.diagnostics import Code
from tests.support.browser import BROWSER, Browser, started
from tests.support.pages import ROOT
from tools import pictures, plots

FEW = ("index", "deploy", "quantization", "coverage", "api", "commands/convert", "codes/MLC0401", "decisions/index")
MODES = ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark"))
# The theme's script has chosen the colours.
_SCHEME = """new Promise((done) => {
  const look = (left) => {
    if (document.body.dataset.mdColorScheme === "%s") done(true);
    else if (left) setTimeout(look, 20, left - 1);
    else done(false);
  };
  look(250);
})"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", str(folder)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if BROWSER is None:
        pytest.skip("no Chromium: pages are not opened")
    with started(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.mark.long
def test_all_of_the_program_is_there(site: Path) -> None:
    names = [f"commands/{name}" for listed in COMMANDS.values() for name in listed]
    names += [f"codes/{code.id}" for code in Code]
    names += [f"decisions/{path.stem}" for path in (ROOT / "docs" / "decisions").glob("*.md")]
    assert not [name for name in names if not (site / f"{name}.html").is_file()]
    assert not [name for name in REPORTS if not (site / "schemas" / f"{name}.json").is_file()]
    text = (site / "api.html").read_text()
    assert "mlconv.convert" in text and "Convert a model file" in text


def test_pages_and_pictures_are_those_of_their_data() -> None:
    """What tools write from data and from the program is what they would write now."""
    for path, text in plots.files().items():
        assert path.read_text(encoding="utf-8") == text, path
    assert pictures.error_picture() == (pictures.PICTURES / "error.svg").read_text(encoding="utf-8")


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text()
        assert "fonts.googleapis" not in text and 'src="http' not in text and "url(http" not in text, path


def _held(browser: Browser, site: Path, name: str, width: int, scheme: str) -> None:
    with browser.page(site / f"{name}.html", width=width, scheme=scheme) as page:
        scheme_now = page.run(_SCHEME % {"light": "default", "dark": "slate"}[scheme])
        assert scheme_now, (name, scheme)
        own = (site.as_uri(), "data:", "blob:")
        assert [text for text in page.complaints() if not text.startswith(own)] == [], (name, width, scheme)
        assert page.run("document.querySelector('h1') !== null"), name
        # a wide table scrolls by itself, and not the page
        assert page.run("document.documentElement.scrollWidth") <= width, (name, width)


@pytest.mark.parametrize("name", FEW)
def test_pages_are_drawn(browser: Browser, site: Path, name: str) -> None:
    for width, scheme in (MODES[0], MODES[3]):
        _held(browser, site, name, width, scheme)


@pytest.mark.long
def test_all_pages_are_drawn(browser: Browser, site: Path) -> None:
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).with_suffix("").as_posix()
        if name != "404":
            for width, scheme in MODES:
                _held(browser, site, name, width, scheme)
