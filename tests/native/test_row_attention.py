"""Attention of a few rows over a cache: keys and values of earlier steps are read where they lie."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from onnx import helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from tests.native.test_guarded_buffers import run as run_guarded
from tests.support.native import OWN, needs_cc
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference

pytestmark = needs_cc
SIZES = ((0, 1), (1, 3), (17, 1), (64, 9), (3, 51))
SETS = [*dict.fromkeys([*host_cpus(), "x86-64"])]


class Case(NamedTuple):
    """times: heads of q that share keys and values.  rows, new: numbers, or a size of the run.  mask: its batches,
    heads and rows.  spread: the factor lies on q and on keys, and weights that are NaN become 0, as PyTorch has it.
    causal: a table of so many rows hides later keys, as GPT-2 has it.
    """

    batch: int
    heads: int
    times: int
    rows: int | str
    new: int | str
    depth: int
    width: int
    mask: tuple[int, int, int | str] | None = None
    spread: bool = False
    causal: int | None = None

    @property
    def total(self) -> str:
        return f"past+{self.new}"

    def proto(self) -> onnx.ModelProto:
        inputs = [
            value("q", [self.batch, self.heads * self.times, self.rows, self.depth]),
            *(
                value(name, [self.batch, self.heads, n, size])
                for kind, size in (("k", self.depth), ("v", self.width))
                for name, n in ((f"past_{kind}", "past"), (f"new_{kind}", self.new))
            ),
        ]
        node = helper.make_node
        nodes = [node("Concat", [f"past_{n}", f"new_{n}"], [n], axis=2) for n in "kv"]
        kept: dict[str, np.ndarray] = {"root": np.asarray(self.depth**0.5, np.float32)}
        for n, size in (("k", self.depth), ("v", self.width)) if self.times > 1 else ():
            wide, merged = [1, 1, self.times, 1, 1], [self.batch, self.heads * self.times, -1, size]
            kept |= {f"{n}{i}": np.asarray(a) for i, a in enumerate(([2], wide, merged))}
            nodes += [
                node("Unsqueeze", [n, f"{n}0"], [f"{n}_apart"]),
                node("Expand", [f"{n}_apart", f"{n}1"], [f"{n}_wide"]),
                node("Reshape", [f"{n}_wide", f"{n}2"], [f"{n}_all"]),
            ]
        keys, values = ("k_all", "v_all") if self.times > 1 else ("k", "v")
        q, scores = "q", "products"
        if self.spread:
            kept["part"] = np.asarray([self.depth**-0.25], np.float32)
            nodes += [node("Mul", [n, "part"], [f"{n}_less"]) for n in (q, keys)]
            q, keys = f"{q}_less", f"{keys}_less"
        nodes += [
            node("Transpose", [keys], ["turned"], perm=[0, 1, 3, 2]),
            node("MatMul", [q, "turned"], ["products"]),
        ]
        if not self.spread:
            nodes.append(node("Div", ["products", "root"], ["scaled"]))
            scores = "scaled"
        if self.causal:
            kept |= {n: np.asarray([i]) for i, n in enumerate(("first", "second", "third"))}
            kept |= {n: np.asarray([i]) for n, i in (("r", 2), ("c", 3))} | {"least": np.asarray(-1e4, np.float32)}
            kept["table"] = np.tril(np.ones((1, 1, self.causal, self.causal), bool))
            nodes += [
                node("Shape", [scores], ["whole"]),
                node("Gather", ["whole", "r"], ["rows"]),
                node("Gather", ["whole", "c"], ["total"]),
                node("Sub", ["total", "rows"], ["begin"]),
                node("Slice", ["table", "begin", "total", "r"], ["lower"]),
                node("Slice", ["lower", "first", "total", "c"], ["seen"]),
                node("Where", ["seen", scores, "least"], ["hidden"]),
            ]
            scores = "hidden"
        if self.mask:
            inputs.append(value("mask", [*self.mask, self.total]))
            nodes.append(node("Add", [scores, "mask"], ["masked"]))
            scores = "masked"
        nodes.append(node("Softmax", [scores], ["weights"], axis=-1))
        if self.spread:
            kept["zero"] = np.zeros((), np.float32)
            nodes.append(node("IsNaN", ["weights"], ["lost"]))
            nodes.append(node("Where", ["lost", "zero", "weights"], ["clean"]))
        nodes.append(node("MatMul", ["clean" if self.spread else "weights", values], ["y"]))
        return model(nodes, inputs, [value("y"), value("k"), value("v")], kept, opset=17)

    def feeds(self, past: int, rows: int = 1) -> dict[str, Any]:
        rng = np.random.default_rng(past)
        shapes = {
            i.name: [d.dim_value or d.dim_param for d in i.type.tensor_type.shape.dim] for i in self.proto().graph.input
        }
        known = {"past": past, "t": rows, self.total: past + (rows if isinstance(self.new, str) else self.new)}
        return {
            name: rng.standard_normal([known.get(n, n) for n in shape]).astype(np.float32)
            for name, shape in shapes.items()
        }


CASES = {
    "grouped": Case(2, 2, 4, 1, 1, 64, 32),
    "one row": Case(1, 3, 1, 1, 1, 32, 64, (1, 1, 1)),
    "several": Case(2, 2, 1, 5, 3, 16, 48, (2, 1, 1)),
    "heads": Case(2, 3, 1, 2, 1, 48, 16, (1, 3, 2)),
    "most": Case(1, 1, 4, 2, 2, 80, 80),
    "shared": Case(2, 2, 3, 1, 1, 32, 32, (2, 1, 1)),
    "shared rows": Case(1, 2, 2, 2, 2, 32, 32, (1, 1, 2)),
    "exported": Case(2, 2, 3, 1, 1, 32, 32, (2, 1, 1), spread=True),
}

OPEN = {
    "steps": Case(2, 2, 3, "t", "t", 32, 48, (2, 1, "t")),
    "heads": Case(1, 2, 1, "t", "t", 16, 16, (1, 2, "t"), spread=True),
    "many": Case(1, 1, 8, "t", "t", 32, 16, (1, 1, "t")),
    "plain": Case(2, 1, 2, "t", 1, 16, 32),
    "prompt": Case(1, 2, 2, 9, 9, 32, 32, (1, 1, 9)),
    "long prompt": Case(1, 2, 1, 55, 55, 32, 32, (1, 2, 55), spread=True),
    "causal": Case(2, 2, 1, "t", "t", 32, 32, (2, 1, 1), causal=128),
    "hidden": Case(1, 2, 2, "t", "t", 16, 16, causal=128),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", CASES)
def test_numbers(name: str, tmp_path: Path) -> None:
    """With open sizes and with fixed ones, on one thread and on two."""
    case, path = CASES[name], save(tmp_path, CASES[name].proto())
    for shapes, pasts in (({}, (0, 1, 15, 16, 77)), ({"past": 99}, (99,))):
        pinned = {n: a.shape for n, a in case.feeds(99).items()} if shapes else {}
        for cpu in [OWN] if shapes else SETS:
            made = mlconv.convert(
                path, to="native", output=tmp_path / "m.o", cpu=cpu, **({"shapes": pinned} if pinned else {})
            )
            assert made.ops["kernel.routine"] == 1 and not {"kernel.gemm", "kernel.attention"} & made.ops.keys()
            one, two = (mlconv.load_native(tmp_path / "m.o", threads=n) for n in (1, 2))
            for past in pasts:
                inputs = case.feeds(past)
                found = one.run(inputs)
                for key, want in zip(("y", "k", "v"), run_reference(case.proto(), inputs), strict=True):
                    np.testing.assert_allclose(found[key], want, rtol=1e-4, atol=1e-5)
                np.testing.assert_array_equal(two.run(inputs)["y"], found["y"])


@pytest.mark.share(2)
@pytest.mark.parametrize("name", OPEN)
def test_rows_whose_number_is_known_at_run_time(name: str, tmp_path: Path) -> None:
    """One object for steps and prompts, the same numbers for any threads."""
    case, path = OPEN[name], save(tmp_path, OPEN[name].proto())
    for cpu in SETS:
        made = mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu)
        assert made.ops["kernel.routine"] == 1 and "kernel.row_reduce" not in made.ops
        one, two = (mlconv.load_native(tmp_path / "m.o", threads=n) for n in (1, 2))
        for past, rows in ((77, 1), (0, 2), (16, 3), (5, 9), (0, 70), (21, 64)):
            inputs = case.feeds(past, rows)
            found = one.run(inputs)
            for key, want in zip(("y", "k", "v"), run_reference(case.proto(), inputs), strict=True):
                np.testing.assert_allclose(found[key], want, rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(two.run(inputs)["y"], found["y"])


@pytest.mark.parametrize("case", [CASES["grouped"], CASES["several"], OPEN["steps"]])
def test_nothing_is_read_beside_buffers(case: Case, tmp_path: Path) -> None:
    mlconv.convert(save(tmp_path, case.proto()), to="native", output=tmp_path / "m.o", cpu=OWN)
    sizes = [{"past": n, "t": t, case.total: n + (t if case.new == "t" else case.new)} for n, t in SIZES]
    done = run_guarded(tmp_path / "m.o", sizes)
    assert done.returncode == 0, json.dumps([done.stdout, done.stderr])


def test_machines_without_vectors_have_tiles_of_few_rows_alone(tmp_path: Path) -> None:
    path = save(tmp_path, OPEN["plain"].proto())
    mlconv.convert(path, to="native", output=tmp_path / "m.o", machine="riscv64")
    assert (tmp_path / "m.o").stat().st_size < 20_000


def test_what_else_is_read_stays(tmp_path: Path) -> None:
    """Weights of attention that are a result are no such kernel."""
    proto = CASES["several"].proto()
    proto.graph.output.append(value("weights"))
    made = mlconv.convert(save(tmp_path, proto), to="native", output=tmp_path / "m.o", cpu=OWN)
    assert "kernel.routine" not in made.ops


@pytest.mark.parametrize("shape", [(1, 6, 80), (1, 1, 6, 80), (6, 80), (1, 3, 2, 80)])
def test_masks_of_scores_in_other_axes(shape: tuple[int, ...], tmp_path: Path) -> None:
    """Rows of all heads in one axis, where the mask is added: each head reads its own."""
    numbers = {"into": np.int64(shape), "back": np.int64((1, 3, 2, 80))}
    nodes = [
        helper.make_node("Transpose", ["k"], ["t"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "t"], ["s"]),
        helper.make_node("Reshape", ["s", "into"], ["grouped"]),
        helper.make_node("Add", ["grouped", "mask"], ["masked"]),
        helper.make_node("Softmax", ["masked"], ["p"], axis=-1),
        helper.make_node("Reshape", ["p", "back"], ["w"]),
        helper.make_node("MatMul", ["w", "v"], ["y"]),
    ]
    shapes = {"q": (1, 3, 2, 32), "k": (1, 3, 80, 32), "v": (1, 3, 80, 32), "mask": shape}
    proto = model(nodes, [value(n, list(s)) for n, s in shapes.items()], [value("y")], numbers)
    rng = np.random.default_rng(0)
    feeds = {n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}
    mlconv.convert(save(tmp_path, proto), "native", tmp_path / "m.o")
    got = mlconv.load_native(tmp_path / "m.o").run(feeds)["y"]
    np.testing.assert_allclose(got, run_reference(proto, feeds)[0], rtol=1e-4, atol=1e-5)
