"""Loops whose condition data decide: inputs are drawn that let them end, or an error says that none do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime import loop_ends
from mlconv.runtime.loop_ends import ended, ends, has_open_loops
from tests.support.simplified import parsed

BODY = """
  g (float[2] step, float[2] start) => (float[2] y) <bool go = {1}, float far = {9}>
  {
    y = Loop ("", go, start) <body = b (int64 i, bool on, float[2] x) => (bool more, float[2] next)
    {
      next = Add(x, step)
      total = ReduceSum <keepdims = 0> (next)
      TEST
    }>
  }
"""
ENDS, ENDLESS = "more = Less(total, far)", "more = Equal(total, total)"
OURS, NEVER = ({"step": np.array([s, s], np.float32), "start": np.zeros(2, np.float32)} for s in (1, -1))


@pytest.fixture
def saved(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(loop_ends, "_LONG", 20000)
    path = tmp_path / "m.onnx"
    path.write_bytes(parsed(BODY.replace("TEST", request.param)).SerializeToString())
    return path


@pytest.mark.parametrize("saved", [ENDS], indirect=True)
def test_what_ends(saved: Path) -> None:
    main = mlconv.load(saved).main
    assert has_open_loops(main)
    assert ends(main, OURS, 2000)
    assert not ends(main, NEVER, 2000)


@pytest.mark.parametrize("saved", [ENDS], indirect=True)
def test_such_are_drawn_that_let_it_end(saved: Path) -> None:
    """Half of all draws take steps downwards."""
    for seed in range(3):
        assert mlconv.verify(saved, saved, seed=seed).ok
    mlconv.convert(saved, "onnx", saved.parent / "out.onnx", verify=True)
    assert mlconv.simplify(saved, saved.parent / "less.onnx").checked.runs


def test_a_long_loop_ends() -> None:
    """One that takes a hundred thousand turns on whatever is drawn."""
    found = ended(lambda k: {"x": np.full(1, k)}, lambda inputs, most: most > 400_000)
    assert found["x"] == [7]


def test_large_ops_count_as_many() -> None:
    """Turns of 65 536 numbers: some 4 of them are as much as 3 000 small ops."""
    text = BODY.replace("TEST", ENDS).replace("float[2]", "float[65536]").replace("{9}", "{262144}")
    main = mlconv.load(parsed(text)).main
    given = {"step": np.ones(1 << 16, np.float32), "start": np.zeros(1 << 16, np.float32)}
    assert ends(main, given, 20_000)
    assert not ends(main, given, 1_000)


@pytest.mark.parametrize("saved", [ENDLESS], indirect=True)
def test_none_let_it_end(saved: Path) -> None:
    with pytest.raises(ConversionError, match="a loop of the model does not end within") as error:
        mlconv.convert(saved, "onnx", saved.parent / "out.onnx", verify=True)
    assert error.value.code is Code.VerificationImpossible
    assert "--data" in error.value.diagnostic.help
    assert "does not end" in mlconv.simplify(saved, saved.parent / "less.onnx").checked.why
