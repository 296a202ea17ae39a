"""Sizes that data decide, in HLO, against ONNX Runtime: modules compute with the most, and say how much there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import mlconv
from tests.support.bounded import BOUNDED, Bounds
from tests.support.computed_sizes import COMPUTED
from tests.support.data_sizes import CASES, I64, NODE, Array, F, detector, save
from tests.support.growing_loops import LOOPS
from tests.support.thinning import thinned
from tests.support.xla import xla_here


def ranges(path: Path, feeds: list[dict[str, Array]]) -> dict[str, list[Any]]:
    """Of the inputs whose sizes are open: up to some more than there will be."""
    found: dict[str, list[Any]] = {}
    for given in onnx.load(path).graph.input:
        dims = given.type.tensor_type.shape.dim
        most = [max(feed[given.name].shape[i] for feed in feeds) + 2 for i in range(len(dims))]
        if any(d.dim_param for d in dims):
            found[given.name] = [
                f"{d.dim_param}:0..{n}" if d.dim_param else d.dim_value for d, n in zip(dims, most, strict=True)
            ]
    return found


@pytest.mark.share(6)
@pytest.mark.parametrize("name", thinned(4, CASES | LOOPS | COMPUTED))
def test_cases(name: str, tmp_path: Path) -> None:
    path, feeds = (CASES | LOOPS | COMPUTED)[name](tmp_path)
    check(path, feeds, {}, tmp_path)


def test_a_part_that_must_be_whole_says_how_large_a_size_is(tmp_path: Path) -> None:
    """The first row that is left is added to one that is always there: there is one in every turn."""
    path, feeds = LOOPS["rows that are left"](tmp_path)
    check(path, feeds, {}, tmp_path)


def test_what_has_no_most_is_refused_by_its_name(tmp_path: Path) -> None:
    """Rows of a number that is an input, written where something is found among them."""
    nodes = [
        NODE("Concat", ["k", "four"], ["shape"], axis=0),
        NODE("Expand", ["x", "shape"], ["rows"]),
        NODE("NonZero", ["rows"], ["found"]),
        NODE("Transpose", ["found"], ["at"]),
        NODE("Reshape", ["rows", "all"], ["values"]),
        NODE("ScatterND", ["x", "at", "values"], ["y"]),
    ]
    constants = {"four": np.array([4]), "all": np.array([-1])}
    path = save(tmp_path, nodes, {"x": (F, ["N", 4]), "k": (I64, [1])}, ["y"], **constants)
    with pytest.raises(mlconv.ConversionError, match="MLC0203"):
        mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo.pb", shapes={"x": ["N:1..5", 4]})


@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_that_are_given(name: str, tmp_path: Path) -> None:
    (path, feeds), bounds = BOUNDED[name](tmp_path)
    check(path, feeds, bounds, tmp_path)


def check(path: Path, feeds: list[dict[str, Array]], bounds: Bounds, tmp_path: Path) -> None:
    shapes = ranges(path, feeds) | dict(bounds)
    mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo.pb", shapes=shapes)
    main, module = (
        mlconv.load(path, shapes=shapes).main,
        xla_here(tmp_path / "m.hlo.pb"),
    )
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    for feed in feeds:
        got = module.run(main, feed)
        for output, want in zip(names, session.run(None, feed), strict=True):
            assert got[output].dtype == want.dtype and got[output].shape == want.shape, output
            np.testing.assert_allclose(got[output], want, rtol=1e-5, atol=1e-5)


def test_what_is_written_beside_it(tmp_path: Path) -> None:
    path = save(tmp_path, [NODE("NonZero", ["x"], ["y"])], {"x": (F, [3, 5])}, ["y"])
    mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo.pb")
    facts = json.loads((tmp_path / "m.hlo.pb.json").read_text(encoding="utf-8"))
    assert facts["outputs"] == ["y"] and facts["shapes"] == {"y": [2, "count0"]}
    assert facts["sizes"] == [] and facts["counted"] == [{"name": "count0", "low": 0, "high": 15}]


def test_a_split_that_fits_one_number_of_what_is_found(tmp_path: Path) -> None:
    """As a trace of experts has it: all of them were asked for."""
    nodes = [
        NODE("NonZero", ["x"], ["found"]),
        NODE("Transpose", ["found"], ["at"]),
        NODE("Split", ["at", "ones"], ["a", "b", "c"], axis=0),
        NODE("Concat", ["c", "a", "b"], ["y"], axis=0),
    ]
    path = save(tmp_path, nodes, {"x": (F, ["N"])}, ["y"], ones=np.array([1, 1, 1]))
    feeds: list[dict[str, Array]] = [
        {"x": np.asarray(x, np.float32)} for x in ([1, 0, 2, 3], [4, 5, 6], [0, 0, 1, 2, 0, 3])
    ]
    check(path, feeds, {"x": ["N:1..6"]}, tmp_path)


@pytest.mark.parametrize("target", ["hlo", "stablehlo"])
def test_results_are_verified(target: str, tmp_path: Path) -> None:
    path = detector(tmp_path, 2, 30)
    result = mlconv.convert(path, to=target, output=tmp_path / "d.out", verify=True, verify_each=True)
    assert all(v["ok"] for v in result.verification)
