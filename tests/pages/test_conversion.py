"""The page of a conversion in a real browser: what it shows is what the run did."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.pages.test_graph import CONTRAST, DRAWN
from tests.support.browser import Browser, Page
from tests.support.cli import call
from tests.support.npz import npz
from tests.support.paged_models import blocks, data_of, traced


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A conversion to native code, verified."""
    folder = tmp_path_factory.mktemp("conversion")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        path = blocks(folder, 12)
        ran = call(
            "convert", path, "--to", "native", "-o", folder / "m.o", "--report", folder / "page.html", "--verify"
        )
    assert ran.exit_code == 0, ran.output
    return folder / "page.html"


def text_of(page: Page, name: str) -> str:
    text: str = page.run(f"document.getElementById({json.dumps(name)}).innerText")
    return text


def test_figures_are_those_of_the_run(page: Page, written: Path) -> None:
    data = data_of(written.read_text(encoding="utf-8"))
    size = written.with_name("m.o").stat().st_size
    assert data["summary"]["output_bytes"] == size
    assert data["summary"]["source_bytes"] == written.with_name("model.onnx").stat().st_size
    shown = text_of(page, "summary")
    assert f"{size / 1000:.1f} KB" in shown and "of 120 ops of the source" in shown and "agrees" in shown
    before, after = data["memory"]["before"], data["memory"]["after"]
    assert 0 < after["written"] < before["written"] and after["buffers"] < before["buffers"]
    assert data["memory"]["plan"]["peak"]["bytes"] <= data["memory"]["plan"]["arena"]
    assert "bytes written" in text_of(page, "memory")
    assert re.search(r"row_reduce\s+\d+\s+Add, Softmax, Mul", text_of(page, "memory-fused"))
    assert page.run("document.querySelectorAll('#memory-chart path').length") == 2
    stages = text_of(page, "stages")
    assert all(name in stages for name in ("import", "legalize", "optimize", "write", "verify"))
    assert "y" in text_of(page, "interface") and "Verification" in text_of(page, "interface")


def test_every_op_is_in_the_table(page: Page) -> None:
    assert page.run("document.querySelectorAll('#fates-table tbody tr').length") == 100
    page.click("#fates-more")
    assert page.run("document.querySelectorAll('#fates-table tbody tr').length") == 120
    page.run(
        "document.getElementById('fates-filter').value = 'net.py:6 layers.3/',"
        "document.getElementById('fates-filter').dispatchEvent(new Event('input'))"
    )
    row = text_of(page, "fates-table")
    assert "/layers.3/Softmax_3" in row and "net.py:6" in row and "fused" in row and "row_reduce" in row
    assert text_of(page, "fates-count") == "1 of 120 ops"


def test_the_table_leads_into_the_graph(page: Page) -> None:
    page.click("#fates-table tbody tr:nth-child(4) td:last-child button.go")
    page.run(DRAWN)
    assert page.run("document.querySelector('#graph-tabs [aria-pressed=true]').innerText").startswith("native")
    assert "kernel." in page.run("document.querySelector('#graph-details h3').innerText")
    assert "/layers.0/Softmax_3" in text_of(page, "graph-details")
    assert page.run("document.querySelectorAll('.box.chosen').length") == 1


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_it_is_legible(page: Page, scheme: str, width: int) -> None:
    page.media("screen", scheme)
    page.resize(width)
    found = page.run(CONTRAST.replace("PAPER", "[255, 255, 255]"))
    assert found["seen"] > 300 and not found["low"]
    assert page.run("document.documentElement.scrollWidth") <= width


def test_what_quantization_lost_is_there_too(models: Path, tmp_path: Path, browser: Browser) -> None:
    np.savez(tmp_path / "in.npz", image=npz(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2)[:8])
    ran = call(
        "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--quantize", "int8",
        "--calibration", tmp_path / "in.npz", "--report", tmp_path / "page.html",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    with browser.page(tmp_path / "page.html") as page:
        assert "Products in fewer bits" in text_of(page, "quantization-summary")
        assert page.run("document.querySelectorAll('#table tbody tr.row').length") >= 4
        assert "fused" in text_of(page, "fates-chart") and page.complaints() == []


BLOCKED = """<ir_version: 8, opset_import: ["" : 17, "own": 1]>
net (float[4, 2] x) => (float[4, 2] y)
<float[2, 3] w = {1, 2, 3, 4, 5, 6}, float[3, 2] v = {1, -1, 2, 1, -1, 4}>
{ h = MatMul (x, w) r = own.Wobble (h) s = Relu (x) t = MatMul (r, v) y = Add (s, t) }
"""


@pytest.mark.parametrize("command", ["convert", "quantize"])
def test_a_conversion_that_fails_says_what_was_in_the_way(tmp_path: Path, browser: Browser, command: str) -> None:
    model = onnx.parser.parse_model(BLOCKED)
    wobble = next(node for node in model.graph.node if node.op_type == "Wobble")
    traced(wobble, 7)
    onnx.save(model, tmp_path / "m.onnx")
    extra = ("--calibration", "random:4") if command == "quantize" else ()
    page_file = tmp_path / "page.html"
    ran = call(command, tmp_path / "m.onnx", "--to", "tflite", *extra, "--report", page_file)
    assert ran.exit_code == 1 and "MLC0301" in ran.stderr and not (tmp_path / "m.tflite").exists()
    with browser.page(page_file) as page:
        assert page.complaints() == [] and "failed" in page.run("document.querySelector('h1').innerText")
        said = text_of(page, "diagnostics-list")
        assert "MLC0301" in said and "own.Wobble is not supported" in said and "net.py:7" in said
        assert page.run("document.querySelectorAll('#fates-table tbody tr').length") == 5
        rows = text_of(page, "fates-table").split("\n")
        assert sum("refused" in row for row in rows) == 1 and sum("kept" in row for row in rows) == 2


def test_the_page_of_a_model_that_cannot_be_read(tmp_path: Path, browser: Browser) -> None:
    (tmp_path / "m.onnx").write_bytes(b"no model <script>alert(1)</script>")
    ran = call("convert", tmp_path / "m.onnx", "--to", "tflite", "--report", tmp_path / "page.html")
    assert ran.exit_code == 1
    with browser.page(tmp_path / "page.html") as page:
        assert page.complaints() == [] and "MLC0002" in text_of(page, "diagnostics-list")


def test_the_page_of_an_artifact_that_gives_other_numbers(models: Path, tmp_path: Path, browser: Browser) -> None:
    images = npz(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2)[:4]
    np.savez(tmp_path / "x.npz", image=images)
    np.savez(tmp_path / "y.npz", scores=np.zeros((4, 10), np.float32))
    ran = call(
        "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--verify", "--data",
        tmp_path / "x.npz", "--expect", tmp_path / "y.npz", "--report", tmp_path / "page.html",
    )  # fmt: skip
    assert ran.exit_code == 3 and not (tmp_path / "m.tflite").exists()
    with browser.page(tmp_path / "page.html") as page:
        assert page.complaints() == [] and "scores: largest difference" in text_of(page, "diagnostics-list")
        assert page.run("document.querySelectorAll('#graph-tabs button').length") == 2
