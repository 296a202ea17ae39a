"""Bounds that users give for sizes that data decide: `--shape VALUE=0..N`."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import DIALECTS
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from tests.native.test_data_sizes import check
from tests.support.bounded import BOUNDED
from tests.support.data_sizes import I64, NODE, F, drawn, save
from tests.support.native import OWN


@pytest.mark.parametrize("name", BOUNDED)
def test_cases(name: str, tmp_path: Path) -> None:
    (path, feeds), bounds = BOUNDED[name](tmp_path)
    check(path, feeds, shapes=bounds)


@pytest.mark.parametrize("name", BOUNDED)
def test_what_to_give_is_said(name: str, tmp_path: Path) -> None:
    (path, _), bounds = BOUNDED[name](tmp_path)
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
    assert caught.value.code is Code.TargetLacksOp
    said = "".join(d.help for d in caught.value.diagnostics)
    value, sizes = next(iter(bounds.items()))
    pattern = ",".join(str(size) if isinstance(size, int) else r"0\.\.N" for size in sizes)
    assert re.search(f"--shape '{value}={pattern}'", said)


def test_what_follows_from_it_names_it(tmp_path: Path) -> None:
    """All that has such a size is refused, and says whose bound is missing; sizes that follow are left open."""
    nodes = [
        NODE("Concat", ["rows", "pair"], ["shape"], axis=0),
        NODE("ConstantOfShape", ["shape"], ["zeros"]),
        NODE("Add", ["zeros", "x"], ["wide"]),
        NODE("ReduceSum", ["wide", "axis"], ["y"]),
    ]
    constants = {"pair": np.array([1, 4]), "axis": np.array([2])}
    path = save(tmp_path, nodes, {"x": (F, [1, "M", 4]), "rows": (I64, [1])}, ["y"], **constants)
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
    assert len(caught.value.diagnostics) > 1
    assert {d.help.split("'")[1] for d in caught.value.diagnostics} == {"zeros=0..N,1,4"}
    feeds = [{"x": drawn(i, 1, i, 4), "rows": np.array([i])} for i in (1, 3)]
    check(path, feeds, shapes={"wide": ["0..5", -1, "columns"], "zeros": ["0..5", 1, 4]})


def test_more_than_the_bound_ends_the_run(tmp_path: Path) -> None:
    """And so does another number than the one that was given, and a turn too many."""
    (path, feeds), bounds = BOUNDED["numbers"](tmp_path)
    mlconv.convert(path, to="native", output=tmp_path / "m.o", shapes=bounds, cpu=OWN)
    model = mlconv.load_native(tmp_path / "m.o")
    with pytest.raises(ConversionError) as caught:
        model.run(feeds[0] | {"limit": np.array(13)})
    assert caught.value.code is Code.VerificationImpossible and "dimensions" in str(caught.value)

    (path, feeds), bounds = BOUNDED["turns"](tmp_path)
    mlconv.convert(path, to="native", output=tmp_path / "m.o", shapes=bounds, cpu=OWN)
    with pytest.raises(ConversionError):
        mlconv.load_native(tmp_path / "m.o").run(feeds[0] | {"turns": np.array(9)})


@pytest.mark.parametrize(("name", "bounds"), [("doubled", {"all": ["0..7", 2]}), ("chosen", {"all": ["0..7"]})])
def test_a_variable_without_room_ends_the_run(name: str, bounds: dict[str, list[str | int]], tmp_path: Path) -> None:
    (path, feeds), whole = BOUNDED[name](tmp_path)
    mlconv.convert(path, to="native", output=tmp_path / "m.o", shapes={**whole, **bounds}, cpu=OWN)
    model = mlconv.load_native(tmp_path / "m.o")
    assert len(model.run(feeds[0])["all"]) <= 7
    with pytest.raises(ConversionError) as caught:
        model.run(max(feeds, key=lambda feed: float(feed.get("limit", len(feed["first_t"])))))
    assert caught.value.code is Code.VerificationImpossible and "larger than its bound" in str(caught.value)


def test_a_number_is_held_to(tmp_path: Path) -> None:
    nodes = [NODE("ConstantOfShape", ["shape"], ["zeros"]), NODE("Add", ["zeros", "x"], ["y"])]
    path = save(tmp_path, nodes, {"x": (F, [1, 1]), "shape": (I64, [2])}, ["y"])
    mlconv.convert(path, to="native", output=tmp_path / "m.o", shapes={"zeros": ["0..5", 4]}, cpu=OWN)
    model = mlconv.load_native(tmp_path / "m.o")
    assert model.run({"x": drawn(0, 1, 1), "shape": np.array([3, 4])})["y"].shape == (3, 4)
    with pytest.raises(ConversionError):
        model.run({"x": drawn(0, 1, 1), "shape": np.array([3, 5])})


def test_names_that_are_no_values(tmp_path: Path) -> None:
    (path, _), bounds = BOUNDED["numbers"](tmp_path)
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(path, to="native", output=tmp_path / "m.o", shapes=dict(bounds) | {"plces": ["0..3"]})
    assert caught.value.code is Code.NameNotFound and "plces" in str(caught.value)
    with pytest.raises(ConversionError) as caught:  # what is no bound is a shape of an input
        mlconv.convert(path, to="native", output=tmp_path / "m.o", shapes={"places": [7]})
    assert caught.value.code is Code.NameNotFound


def test_text_has_them(tmp_path: Path) -> None:
    (path, _), bounds = BOUNDED["shapes"](tmp_path)
    loaded = mlconv.load(path, shapes=bounds)
    assert loaded.main.facts.most == {"wide": ((0, 9), (4, 4)), "zeros": ((0, 9), (4, 4))}
    text = print_module(loaded.module)
    assert '"most" = {' in text and print_module(parse_module(text, DIALECTS)) == text


def test_a_shape_of_which_nothing_is_known_is_refused(tmp_path: Path) -> None:
    """Flattening names no size: it is looked at once."""
    nodes = [NODE("Expand", ["x", "shape"], ["wide"]), NODE("Reshape", ["wide", "flat"], ["y"])]
    path = save(tmp_path, nodes, {"x": (F, [1, 1]), "shape": (I64, [2])}, ["y"], flat=np.array([-1]))
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
    assert caught.value.code is Code.TargetLacksOp
