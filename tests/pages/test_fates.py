"""What pages say became of the source's ops, against what is written."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from onnx import NodeProto, helper

from tests.support.cli import call
from tests.support.paged_models import blocks, data_of, fates_of, saved, traced


def model(folder: Path, *nodes: NodeProto, output: str = "y", shape: tuple[int, ...] = (4, 16)) -> Path:
    return saved(list(nodes), folder, {"x": [4, 16]}, {output: list(shape)})


def node(op: str, reads: str, makes: str, **attributes: object) -> NodeProto:
    """A node of the name of its result."""
    return helper.make_node(op, reads.split(), [makes], name=f"n_{makes}", **attributes)


def converted(path: Path, to: str, *options: str) -> str:
    page, artifact = path.with_suffix(".html"), path.with_name(f"out.{to}")
    ran = call("convert", path, "--to", to, "-o", artifact, "--report", page, *options)
    assert ran.exit_code == 0, ran.output
    return page.read_text(encoding="utf-8")


def test_kept_fused_composed_folded_and_removed(tmp_path: Path) -> None:
    path = model(
        tmp_path,
        node("Sin", "x", "sin"),
        node("MatMul", "sin w", "product"),
        node("Relu", "product", "relu"),
        node("Identity", "relu", "same"),
        node("Neg", "w", "negative"),
        node("MatMul", "same negative", "second"),
        node("Selu", "second", "y"),
    )
    found = fates_of(converted(path, "tflite"))
    assert found["n_sin"] == ("kept", "", ["tfl.SIN"])
    assert found["n_product"] == ("fused", "", ["tfl.FULLY_CONNECTED"]) == found["n_relu"]
    assert found["n_same"][0] == "removed" and found["n_same"][2] == []
    assert found["n_negative"] == ("folded", "fold", [])
    status, _, ops = found["n_y"]
    assert status == "composed" and len(ops) > 2 and set(ops) > {"tfl.MUL"}


def test_sizes_that_are_known_are_folded(tmp_path: Path) -> None:
    path = model(
        tmp_path,
        node("Shape", "x", "shape"),
        node("Relu", "x", "relu"),
        node("Reshape", "relu shape", "y"),
    )
    found = fates_of(converted(path, "native"))
    assert found["n_shape"][0] == "folded"


def test_custom_ops_are_left(tmp_path: Path) -> None:
    own = helper.make_node("Own", ["x"], ["y"], name="n_y", domain="acme")
    path = model(tmp_path, own)
    found = fates_of(converted(path, "tflite", "--allow-custom-ops"))
    assert found["n_y"][0] == "left" and len(found["n_y"][2]) == 1


def test_more_origins_than_are_kept_are_fused_all_the_same(tmp_path: Path) -> None:
    """One loop over a chain of 40 functions names 16 of them."""
    names = ["x", *(f"v{i}" for i in range(39)), "y"]
    path = model(tmp_path, *(node("Sin", a, b) for a, b in pairwise(names)))
    statuses = [status for status, _, _ in fates_of(converted(path, "native")).values()]
    assert statuses.count("fused") == 40


def test_links_go_both_ways(tmp_path: Path) -> None:
    """Each op of the target that names a node is among the ops of its fate, and no other."""
    data = data_of(converted(blocks(tmp_path, 3), "tflite"))
    source, target = data["graph"]["graphs"]
    named = {i for ops in data["fates"]["ops"] for i in ops}
    assert named == set(range(len(target["nodes"]["kind"])))
    assert len(source["nodes"]["kind"]) == 30 == len(data["fates"]["status"])


@pytest.mark.parametrize("to", ["tflite", "native", "onnx", "stablehlo"])
def test_a_report_changes_no_byte(tmp_path: Path, to: str) -> None:
    path = blocks(tmp_path, 2)
    converted(path, to)
    written = path.with_name(f"out.{to}").read_bytes()
    assert call("convert", path, "--to", to, "-o", path.with_name(f"out.{to}")).exit_code == 0
    assert path.with_name(f"out.{to}").read_bytes() == written


def test_the_same_run_gives_the_same_page(tmp_path: Path) -> None:
    path = blocks(tmp_path, 2)
    first, second = (data_of(converted(path, "tflite")) for _ in range(2))
    assert first.pop("stages").keys() == second.pop("stages").keys()
    assert first == second


def test_memory_is_counted(tmp_path: Path) -> None:
    """relu(x) + x of 4 x 16 floats, op by op: 256 bytes in and out, then 512 in and 256 out."""
    path = model(tmp_path, node("Relu", "x", "r"), node("Add", "r x", "y"))
    memory = data_of(converted(path, "native"))["memory"]
    before, after = memory["before"], memory["after"]
    assert (before["ops"], before["buffers"]) == (2, 2)
    assert (before["read"], before["written"], before["peak"]) == (768, 512, 512)
    assert after["ops"] == 1 and after["written"] == 256 and after["read"] <= 512
    assert memory["plan"]["arena"] >= 0


def test_sizes_of_a_run_are_not_made_up(tmp_path: Path) -> None:
    path = saved([node("Relu", "x", "y")], tmp_path, {"x": ["N", 16]}, {"y": ["N", 16]})  # type: ignore[list-item]
    memory = data_of(converted(path, "native"))["memory"]
    assert memory["before"]["read"] is None and memory["before"]["peak"] is None and memory["before"]["ops"] == 1
    assert memory["plan"]["peak"] is None and memory["plan"]["curve"] == []


def test_refused_ops_are_shown(tmp_path: Path) -> None:
    """A model that cannot be converted has a graph too: what is in the way, and what became of the rest."""
    own = traced(helper.make_node("Own", ["r"], ["o"], name="n_o", domain="acme"), 5)
    path = model(tmp_path, node("Relu", "x", "r"), own, node("Sin", "o", "y"))
    ran = call("inspect", path, "--to", "tflite", "--html", tmp_path / "m.html")
    assert ran.exit_code == 0, ran.output
    page = (tmp_path / "m.html").read_text(encoding="utf-8")
    found = fates_of(page)
    assert found["n_o"][0] == "refused"
    assert found["n_r"][0] == "kept"
    assert found["n_y"][0] == "unknown"  # nobody knows what it reads
    (said,) = data_of(page)["diagnostics"]
    assert said["severity"] == "error" and "Own" in said["message"]


def test_long_names_and_attributes_are_cut(tmp_path: Path) -> None:
    """However long they are, a page stays small, and says how much is left out."""
    long = "n" * 200_000
    relu = helper.make_node("Relu", ["x"], [long], name=long)
    cast = helper.make_node("CastLike", [long, "x"], ["y"], name="cast")
    page = converted(model(tmp_path, relu, cast), "tflite")
    assert len(page) < 100_000 and "199700 characters more" in page


def test_only_source_that_may_be_read_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = blocks(tmp_path, 1)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "self.w" not in converted(path, "tflite")
    assert "self.w" in converted(
        path, "tflite", "--path-map", f"net.py={tmp_path / 'net.py'}", "--source-root", str(tmp_path)
    )
    monkeypatch.chdir(tmp_path)
    places = data_of(converted(path, "tflite"))["graph"]["places"]
    assert places["files"] == ["net.py"] and places["lines"][0]["3"] == "        q = x @ self.w"


def test_a_report_is_not_written_over_what_is_read(tmp_path: Path) -> None:
    path = blocks(tmp_path, 1)
    page = tmp_path / "model.html"
    page.write_bytes(path.read_bytes())
    ran = call("convert", page, "--to", "tflite", "-o", tmp_path / "m.tflite", "--report", page)
    assert ran.exit_code == 1 and "MLC0007" in ran.output and not (tmp_path / "m.tflite").exists()
    ran = call("convert", path, "--to", "tflite", "--report", tmp_path / "page.pdf")
    assert ran.exit_code == 2 and "does not end in .html" in ran.output


def test_types_of_long_names_are_told(tmp_path: Path) -> None:
    """A page has no room for a name of 400 characters, but for the type of what it names."""
    path = model(tmp_path, node("Relu", "x", "r" * 400), node("Identity", "r" * 400, "s"), node("Sin", "s", "y"))
    source = data_of(converted(path, "tflite"))["graph"]["graphs"][0]
    types = {name: source["types"][i] for name, i in zip(source["names"], source["type_of"], strict=True)}
    assert {types[name] for name in types if name.startswith(("rr", "s"))} == {"float32[4,16]"}
