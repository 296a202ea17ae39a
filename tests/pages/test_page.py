"""The generator: names are no markup, and no script runs but the page's own."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from mlconv.pages.page import page_of
from tests.support.paged_models import data_of

EVIL = "</script><script>alert(1)</script><!-- \u2028\u2029\x1b[31m\x00\u202e\"'&amp;<img src=x onerror=a()>"


def quantization(name: str) -> dict[str, object]:
    return {"quantization": {"layers": [{"node": name}], name: 1}}


class Elements(HTMLParser):
    """What a page has of each element."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "action")]


@pytest.mark.parametrize("content", ["quantization", "conversion", "graph"])
def test_names_are_text(content: str) -> None:
    plain, page = (page_of(content, name, name, quantization(name)) for name in ("model", EVIL))
    assert Elements(page).found == Elements(plain).found
    assert Elements(page).found.count("script") == 2 and "img" not in Elements(page).found
    inside = page[page.index('id="data">') :]
    assert not set("\u2028\u2029\x1b\x00\u202e") & set(page) and "<!--" not in inside


def test_what_is_not_seen_is_shown() -> None:
    """Names read back as they are, but for what would change how a text looks."""
    page = page_of("quantization", "m", "", quantization("a\"b'c<d>&\\ \u00e9 \u65e5 \x1b \u202e"))
    (layer,) = data_of(page)["quantization"]["layers"]
    assert layer["node"] == "a\"b'c<d>&\\ \u00e9 \u65e5 \\x1b \\u202e"


@pytest.mark.parametrize("content", ["quantization", "conversion", "graph"])
def test_it_asks_for_nothing(content: str) -> None:
    every = {part: {"any": 1} for part in ("summary", "fates", "memory", "stages", "diagnostics", "graph")}
    page = page_of(content, "m", "", {**every, **quantization("n")})
    assert set(Elements(page).links) <= {"#main"}
    assert re.findall(r"https?://[^\s\"'`]+", page) in ([], ["http://www.w3.org/2000/svg"])
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp|innerHTML|outerHTML|insertAdjacent|\beval\b|Function\(", page)


def test_its_policy_takes_its_own_script_alone() -> None:
    page = page_of("graph", "m", "", {"graph": {"any": 1}})
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    for name, element in (("style-src", "style"), ("script-src", "script")):
        (text,) = re.findall(rf"<{element}>(.*?)</{element}>", page, re.S)
        assert parts[name] == f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_same_data_give_the_same_page() -> None:
    assert page_of("quantization", "m", "x", quantization("n")) == page_of("quantization", "m", "x", quantization("n"))
