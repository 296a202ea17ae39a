"""The report as a page, in a real browser without a screen: it draws itself, sorts, filters, and runs nothing of the
model's names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from mlconv.quantize.report import Cause, Layer, OutputLoss, Report, RuleUse
from tests.support.browser import Browser
from tests.support.cli import call
from tests.support.npz import npz

EVIL = '</script><script>document.title="run"</script><img src=x onerror="document.title=\'run\'">'
Dump = Callable[..., str]


def report() -> Report:
    """Four layers of which one was not measured, and two ops of floats."""
    rounding = Cause("rounding", 0.7, f"rounding of {EVIL}", f"--quantize-rule '{EVIL}=int16x8'")
    earlier = Cause("earlier", 0.3, "it comes from layers in front")
    numbers = {"low": -1.5, "high": 300.0, "scale": 0.5, "zero_point": -3, "macs": 10**7, "bytes": 1000}
    layers = [
        Layer("core.conv", "first", "net.py:7", "int8", snr=41.0, network_snr=41.0, causes=[rounding], **numbers),
        Layer("core.conv", EVIL, "", "int8", snr=18.5, network_snr=17.0, saturation=0.02, causes=[rounding, earlier]),
        Layer("core.matmul", "third", f"{EVIL}:3", "int16x8", snr=150.0, network_snr=25.0, fused=["core.add"]),
        Layer("core.gather", "fourth", "net.py:9", "int8"),
        Layer("core.sqrt", "island", "", "float", "it has no form over integers", macs=0, bytes=64),
        Layer("core.sqrt", EVIL, "", "float", EVIL, macs=None, bytes=None),
    ]
    return Report(
        "int8",
        samples=20,
        measured=10,
        model=f"/tmp/{EVIL}.onnx",
        target="tflite",
        output="out.tflite",
        source_bytes=4000,
        output_bytes=1200,
        float_bytes=3600,
        stored_bytes=900,
        outputs=[OutputLoss(EVIL, 25.0), OutputLoss("other", None)],
        layers=layers,
        rules=[RuleUse(f"{EVIL}=int8", 2)],
    )


@pytest.fixture
def dump(browser: Browser, tmp_path: Path) -> Dump:
    """The document of a page as the browser has it when its scripts, and then one more, are through."""

    def run(text: str, address: str = "", script: str = "0") -> str:
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        with browser.page(path, address) as page:
            page.run(script)
            assert page.complaints() == []
            return page.document()

    return run


def rows(document: str) -> list[str]:
    """Numbers of the layers in the order of the table."""
    body = document[document.index('id="table"') :]
    return re.findall(r'<tr class="row[^"]*" data-index="(\d+)"', body[: body.index("</table>")])


def test_it_draws_itself(dump: Dump) -> None:
    document = dump(report().html(), "")
    assert 'data-ready="true"' in document
    assert rows(document) == ["1", "0", "2", "3"]  # the worst first, what was not measured last
    assert document.count("<circle") == 3 and document.count("<polyline") == 1 and 'class="span"' in document
    assert "net.py:7" in document and "18.5 dB" in document and "2.00 %" in document and "900 B" in document
    assert "it has no form over integers" in document and "exact" in document
    assert 'aria-sort="ascending"' in document


def test_it_sorts_and_filters(dump: Dump) -> None:
    page = report().html()
    assert rows(dump(page, "#sort=snr&order=descending")) == ["2", "0", "1", "3"]
    assert rows(dump(page, "#sort=index&order=ascending")) == ["0", "1", "2", "3"]
    document = dump(page, "#sort=index&filter=net.py&scheme=int8")
    assert rows(document) == ["0", "3"] and "2 of 4 layers" in document
    assert rows(dump(page, "#cause=earlier")) == ["1"]


def test_it_answers_clicks(dump: Dump) -> None:
    """A header sorts, a second click turns the order around, a layer opens."""
    clicks = """
    const header = [...document.querySelectorAll("th button")].find((b) => b.textContent === "network dB");
    header.click(); header.click();
    document.querySelector("button.open").click();
    document.querySelector(".hit").dispatchEvent(new MouseEvent("mousemove", { clientX: 5, clientY: 5 }));
    """
    document = dump(report().html(), "", clicks)
    assert rows(document) == ["0", "2", "1", "3"] and 'aria-sort="descending"' in document
    assert 'aria-expanded="true"' in document and "zero point -3" in document
    assert re.search(r'<div id="tip" role="status" style', document)


def test_many_layers_are_drawn_when_they_are_asked_for(dump: Dump) -> None:
    """The worst 200 at first, so that pages of large networks open at once and print on few sheets."""
    found = report()
    found.layers = [Layer("core.conv", f"n{i}", "", "int8", snr=10.0 + i) for i in range(300)]
    page, button = found.html(), "document.getElementById('more-rows')"
    document = dump(page)
    assert rows(document) == [str(i) for i in range(200)]
    assert "Show the other 100 layers" in document and "300 layers" in document
    assert len(rows(dump(page, script=f"{button}.click()"))) == 300
    chosen = "document.querySelector('.hit[data-index=\"{}\"]').dispatchEvent(new MouseEvent('click'))"
    assert len(rows(dump(page, script=chosen.format(5)))) == 200
    document = dump(page, script=chosen.format(299))
    assert len(rows(document)) == 300 and 'class="row chosen" data-index="299"' in document
    assert "hidden" in re.findall(r'<button id="more-rows"[^>]*>', dump(report().html()))[0]


def test_names_are_no_markup(dump: Dump) -> None:
    document = dump(report().html(), "")
    assert "<title>run</title>" not in document and "<img" not in document
    assert "onerror" in document  # as text


class Links(HTMLParser):
    """What a page would load, and its scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.found += [f"{tag} {name}" for name, _ in attrs if name in ("src", "srcset", "data", "action")]
        self.found += [
            f"{tag} {value}" for name, value in attrs if name == "href" and not (value or "").startswith("#")
        ]


def test_it_asks_for_nothing() -> None:
    """No address in it but those of its own parts, a policy that forbids all others, and no script of a name."""
    page = report().html()
    links = Links()
    links.feed(page)
    assert not links.found and links.scripts == 2
    assert "default-src 'none'" in page
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp|innerHTML|insertAdjacent", page)
    assert [a for a in re.findall(r"https?://[^\s\"'`]+", page) if a != "http://www.w3.org/2000/svg"] == []


def test_the_command_writes_it(models: Path, tmp_path: Path, dump: Dump) -> None:
    np.savez(tmp_path / "in.npz", image=npz(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2))
    ran = call(
        "quantize", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite",
        "--calibration", tmp_path / "in.npz", "--report", tmp_path / "r.html",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    document = dump((tmp_path / "r.html").read_text(encoding="utf-8"), "")
    assert "digits_cnn.onnx" in document and "4 of 4" in document and len(rows(document)) >= 4
