"""Loops whose variables grow, with inputs: for a number of turns that sizes tell, and until data end them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from tests.support.data_sizes import I64, NODE, Case, F, drawn, save

BOOL = TensorProto.BOOL
Typed = dict[str, tuple[int, Any]]
COUNT = [NODE("Shape", ["k"], ["shape"]), NODE("Gather", ["shape", "nothing"], ["count"])]
NUMBERS = {"half": np.float32(0.5), "three": np.float32(3), "seven": np.array(7), "yes": np.array(True)}


def loop(body: Sequence[Any], carried: Typed, scans: Typed, turns: str, outputs: Sequence[str]) -> Any:
    """Variables start with `first_NAME` and become `next_NAME`; the body gives `more`."""

    def typed(names: Typed, prefix: str = "") -> list[Any]:
        return [helper.make_tensor_value_info(prefix + n, t, s) for n, (t, s) in names.items()]

    given = {"turn": (I64, []), "go_on": (BOOL, [])} | carried
    made = [*typed({"more": (BOOL, [])}), *typed(carried, "next_"), *typed(scans)]
    graph = helper.make_graph(list(body), "body", typed(given), made)
    return NODE("Loop", [turns, "yes", *(f"first_{n}" for n in carried)], list(outputs), body=graph)


def rows_until_a_sum_is_large(folder: Path) -> Case:
    """What is collected has as many rows as there were turns."""
    body = [
        NODE("Gather", ["k", "turn"], ["row"]),
        NODE("Add", ["s", "row"], ["next_s"]),
        NODE("ReduceMax", ["next_s"], ["largest"], keepdims=0),
        NODE("Less", ["largest", "three"], ["more"]),
        NODE("Mul", ["next_s", "half"], ["half_of_it"]),
    ]
    nodes = [*COUNT, loop(body, {"s": (F, [3])}, {"half_of_it": (F, [3])}, "count", ["last", "rows"])]
    inputs = {"k": (F, ["R", 3]), "first_s": (F, [3])}
    path = save(folder, nodes, inputs, ["last", "rows"], nothing=np.array(0), **NUMBERS)
    return path, [
        {"k": drawn(i, r, 3, shift=0.5), "first_s": np.zeros(3, np.float32)} for i, r in enumerate((1, 9, 30))
    ]


def sequences(turns: str, ends: bool, folder: Path) -> Case:
    """The next element follows from all so far."""
    body = [
        NODE("ReduceMean", ["t"], ["mean"], keepdims=1),
        NODE("Add", ["mean", "half"], ["new"]),
        NODE("Concat", ["t", "new"], ["next_t"], axis=0),
        NODE("ReduceMax", ["next_t"], ["largest"], keepdims=0),
        NODE("Less", ["largest", "three"], ["more"]) if ends else NODE("Identity", ["go_on"], ["more"]),
    ]
    nodes = [*COUNT, loop(body, {"t": (F, ["L"])}, {}, turns, ["all"])]
    inputs = {"first_t": (F, ["S"]), "k": (F, ["K"])}
    path = save(folder, nodes, inputs, ["all"], nothing=np.array(0), **NUMBERS)
    sizes = ((1, 1), (4, 3), (6, 9), (2, 30))
    return path, [{"first_t": drawn(i, s, shift=1.0), "k": np.zeros(k, np.float32)} for i, (s, k) in enumerate(sizes)]


def two_that_grow_differently(folder: Path) -> Case:
    """By one and by two elements, each from both; and one that is collected."""
    body = [
        NODE("Concat", ["t", "u"], ["both"], axis=0),
        NODE("ReduceMean", ["both"], ["mean"], keepdims=1),
        NODE("Concat", ["t", "mean"], ["next_t"], axis=0),
        NODE("Concat", ["u", "mean", "mean"], ["next_u"], axis=0),
        NODE("ReduceMax", ["mean"], ["most"], keepdims=0),
        NODE("Add", ["next_t", "most"], ["moved"]),
        NODE("ReduceSum", ["moved"], ["total"], keepdims=0),
        NODE("Less", ["total", "three"], ["more"]),
    ]
    carried = {"t": (F, ["L"]), "u": (F, ["M"])}
    nodes = [loop(body, carried, {"total": (F, [])}, "seven", ["t_all", "u_all", "totals"])]
    inputs = {"first_t": (F, ["S"]), "first_u": (F, ["U"])}
    path = save(folder, nodes, inputs, ["t_all", "u_all", "totals"], **NUMBERS)
    sizes = ((1, 2), (3, 1), (8, 4))
    return path, [
        {"first_t": 0.2 * drawn(i, s, shift=0.5), "first_u": 0.1 * drawn(9 + i, u, shift=1.0)}
        for i, (s, u) in enumerate(sizes)
    ]


def columns_that_are_appended(folder: Path) -> Case:
    """Six along the second axis in every turn, unread by the body."""
    body = [
        NODE("Mul", ["piece", "half"], ["next_piece"]),
        NODE("Concat", ["t", "next_piece", "piece"], ["next_t"], axis=1),
        NODE("Identity", ["go_on"], ["more"]),
    ]
    carried = {"t": (F, [2, "L"]), "piece": (F, [2, 3])}
    nodes = [*COUNT, loop(body, carried, {}, "count", ["all", "last"])]
    inputs = {"first_t": (F, [2, "S"]), "first_piece": (F, [2, 3]), "k": (F, ["K"])}
    path = save(folder, nodes, inputs, ["all", "last"], nothing=np.array(0), **NUMBERS)
    sizes = ((1, 1), (4, 3), (6, 9))
    return path, [
        {"first_t": drawn(i, 2, s), "first_piece": drawn(5 + i, 2, 3), "k": np.zeros(k, np.float32)}
        for i, (s, k) in enumerate(sizes)
    ]


def rows_in_front_of_halves(folder: Path) -> Case:
    """What is written back is not what was read with more behind it: all is multiplied in every turn."""
    body = [
        NODE("Mul", ["t", "half"], ["less"]),
        NODE("Gather", ["k", "turn"], ["row"]),
        NODE("Unsqueeze", ["row", "axis"], ["new"]),
        NODE("Concat", ["new", "less"], ["next_t"], axis=0),
        NODE("Shape", ["next_t"], ["size"]),
        NODE("Cast", ["size"], ["number"], to=F),
        NODE("ReduceMax", ["number"], ["length"], keepdims=0),
        NODE("Less", ["length", "limit"], ["more"]),
    ]
    nodes = [*COUNT, loop(body, {"t": (F, ["L", 4])}, {}, "count", ["all"])]
    inputs = {"first_t": (F, ["S", 4]), "k": (F, ["R", 4]), "limit": (F, [])}
    path = save(folder, nodes, inputs, ["all"], nothing=np.array(0), axis=np.array([0]), **NUMBERS)
    sizes = ((1, 1, 9), (4, 7, 9), (6, 9, 99), (5, 3, 2))
    return path, [
        {"first_t": drawn(i, s, 4), "k": drawn(5 + i, r, 4), "limit": np.array(m, np.float32)}
        for i, (s, r, m) in enumerate(sizes)
    ]


def one_that_grows_by_two(folder: Path) -> Case:
    """Beside one that grows by one, of which two are as long: no guess but the right one fits."""
    body = [
        NODE("Concat", ["u", "u"], ["twice"], axis=0),
        NODE("Add", ["t", "twice"], ["both"]),
        NODE("ReduceMax", ["both"], ["largest"], keepdims=1),
        NODE("Concat", ["both", "largest", "half_of_it"], ["next_t"], axis=0),
        NODE("Concat", ["u", "half_of_it"], ["next_u"], axis=0),
        NODE("Squeeze", ["largest"], ["most"]),
        NODE("Less", ["most", "limit"], ["more"]),
    ]
    carried = {"t": (F, ["L"]), "u": (F, ["M"])}
    nodes = [loop(body, carried, {}, "seven", ["t_all", "u_all"])]
    numbers = {"half_of_it": np.array([0.5], np.float32), "first_u": np.ones(1, np.float32)}
    path = save(folder, nodes, {"first_t": (F, [2]), "limit": (F, [])}, ["t_all", "u_all"], **numbers, **NUMBERS)
    return path, [{"first_t": drawn(i, 2), "limit": np.array(m, np.float32)} for i, m in enumerate((-9, 3, 99))]


def elements_that_are_set_behind_the_end(computed: bool, folder: Path) -> Case:
    """As lists of TensorFlow grow: by an element, of which the number is told.  computed: by what it takes."""
    amount = [
        NODE("Shape", ["t"], ["size"], start=0, end=1),
        NODE("Add", ["turn", "one"], ["after"]),
        NODE("Sub", ["after", "size"], ["needs"]),
        NODE("Concat", ["axis", "axis", "needs", "axis"], ["amounts"], axis=0),
    ]
    body = [
        NODE("Gather", ["k", "turn"], ["row"]),
        *(amount if computed else []),
        NODE("Pad", ["t", "amounts" if computed else "one_row"], ["longer"]),
        NODE("Reshape", ["turn", "pair"], ["place"]),
        NODE("Unsqueeze", ["row", "axis"], ["new"]),
        NODE("ScatterND", ["longer", "place", "new"], ["next_t"]),
        NODE("ReduceMax", ["row"], ["largest"], keepdims=0),
        NODE("Less", ["largest", "three"], ["more"]),
    ]
    nodes = [*COUNT, loop(body, {"t": (F, ["L", 4])}, {}, "count", ["all"])]
    numbers = {"one_row": np.array([0, 0, 1, 0]), "pair": np.array([1, 1]), "axis": np.array([0])}
    numbers |= {"one": np.array([1])} if computed else {}
    first = np.zeros((0, 4), np.float32)
    path = save(folder, nodes, {"k": (F, ["R", 4])}, ["all"], nothing=np.array(0), first_t=first, **numbers, **NUMBERS)
    return path, [{"k": drawn(i, r, 4, shift=0.5)} for i, r in enumerate((1, 5, 40))]


def turns_that_the_body_counts(limit: str, folder: Path) -> Case:
    """As scripted `while i < limit` is exported: no limit of turns, the body says whether there is another; what is
    appended follows from the last element, which is there.
    """
    body = [
        NODE("Slice", ["t", "last", "end", "second"], ["tail"]),
        NODE("Mul", ["tail", "half"], ["new"]),
        NODE("Concat", ["t", "new"], ["next_t"], axis=1),
        NODE("Add", ["i", "one"], ["next_i"]),
        NODE("Less", ["next_i", limit], ["more"]),
    ]
    nodes = [*COUNT, loop(body, {"t": (F, [2, "L"]), "i": (I64, [])}, {}, "all_turns", ["all", "turns"])]
    numbers = {"all_turns": np.array(2**63 - 1), "last": np.array([-1]), "end": np.array([2**63 - 1])}
    more = {"second": np.array([1]), "one": np.array(1), "first_i": np.array(0), "nothing": np.array(0)}
    path = save(
        folder, nodes, {"first_t": (F, [2, "S"]), "k": (F, ["K"])}, ["all", "turns"], **numbers, **more, **NUMBERS
    )
    sizes = ((1, 1), (4, 3), (6, 9))
    return path, [{"first_t": drawn(i, 2, s), "k": np.zeros(k, np.float32)} for i, (s, k) in enumerate(sizes)]


def turns_while_both_hold(folder: Path) -> Case:
    """As scripted `while i < len(k) and s < 3` is exported: a branch that asks for the second where the first holds."""
    result = [helper.make_tensor_value_info("both", BOOL, [])]
    second = helper.make_graph([NODE("Less", ["largest", "three"], ["both"])], "second", [], result)
    neither = helper.make_graph([NODE("Identity", ["no"], ["both"])], "neither", [], result)
    body = [
        NODE("Concat", ["t", "half_row"], ["next_t"], axis=0),
        NODE("Gather", ["k", "i"], ["row"]),
        NODE("Add", ["s", "row"], ["next_s"]),
        NODE("ReduceMax", ["next_s"], ["largest"], keepdims=0),
        NODE("Add", ["i", "one"], ["next_i"]),
        NODE("Less", ["next_i", "count"], ["first"]),
        NODE("If", ["first"], ["more"], then_branch=second, else_branch=neither),
    ]
    carried = {"t": (F, ["L"]), "s": (F, [3]), "i": (I64, [])}
    nodes = [*COUNT, loop(body, carried, {}, "all_turns", ["all", "sum", "turns"])]
    numbers = {"first_i": np.array(0), "one": np.array(1), "no": np.array(False), "all_turns": np.array(2**63 - 1)}
    more = {"half_row": np.full(1, 0.5, np.float32), "first_s": np.zeros(3, np.float32), "nothing": np.array(0)}
    inputs = {"k": (F, ["R", 3]), "first_t": (F, ["S"])}
    path = save(folder, nodes, inputs, ["all", "sum", "turns"], **numbers, **more, **NUMBERS)
    return path, [{"k": drawn(i, r, 3, shift=0.5), "first_t": drawn(i, i + 1)} for i, r in enumerate((1, 5, 40))]


def what_is_kept_goes_through(folder: Path) -> Case:
    """A variable that does not grow, of as many elements as data decide."""
    body = [NODE("Mul", ["t", "half"], ["next_t"]), NODE("Identity", ["go_on"], ["more"])]
    nodes = [
        *COUNT,
        NODE("Greater", ["k", "half"], ["m"]),
        NODE("Compress", ["k", "m"], ["first_t"]),
        loop(body, {"t": (F, ["L"])}, {}, "count", ["y"]),
    ]
    path = save(folder, nodes, {"k": (F, ["K"])}, ["y"], nothing=np.array(0), **NUMBERS)
    return path, [{"k": drawn(i, n)} for i, n in enumerate((1, 5, 12))]


def halves(folder: Path) -> Case:
    """`while len(x) > 1: x = x[::2]`, scripted: the variable becomes shorter, until one row is left."""
    body = [
        NODE("Slice", ["t", "start", "end", "start", "pair"], ["even"]),
        NODE("Mul", ["even", "half"], ["next_t"]),
        NODE("Shape", ["next_t"], ["size"]),
        NODE("Gather", ["size", "nothing"], ["length"]),
        NODE("Greater", ["length", "one"], ["more"]),
    ]
    numbers = {"all_turns": np.array(2**63 - 1), "start": np.array([0]), "end": np.array([2**63 - 1])}
    more = {"pair": np.array([2]), "one": np.array(1), "nothing": np.array(0)}
    nodes = [loop(body, {"t": (F, ["L", 4])}, {}, "all_turns", ["y"])]
    path = save(folder, nodes, {"first_t": (F, ["S", 4])}, ["y"], **numbers, **more, **NUMBERS)
    return path, [{"first_t": drawn(i, s, 4)} for i, s in enumerate((1, 6, 16, 33))]


def rows_that_are_left(folder: Path) -> Case:
    """Those near the first one go in every turn, and it does: suppression, written by hand."""
    body = [
        NODE("Slice", ["t", "start", "one", "start"], ["first"]),
        NODE("Sub", ["t", "first"], ["difference"]),
        NODE("Abs", ["difference"], ["away"]),
        NODE("ReduceSum", ["away", "one"], ["distance"], keepdims=0),
        NODE("Greater", ["distance", "half"], ["far"]),
        NODE("Compress", ["t", "far"], ["next_t"], axis=0),
        NODE("Add", ["total", "first"], ["next_total"]),
        NODE("Shape", ["next_t"], ["size"]),
        NODE("Gather", ["size", "nothing"], ["length"]),
        NODE("Greater", ["length", "nothing"], ["more"]),
    ]
    numbers = {"all_turns": np.array(2**63 - 1), "start": np.array([0]), "one": np.array([1]), "nothing": np.array(0)}
    carried = {"t": (F, ["L", 2]), "total": (F, [1, 2])}
    nodes = [loop(body, carried, {}, "all_turns", ["left", "sum"])]
    zeros = {"first_total": np.zeros((1, 2), np.float32)}
    path = save(folder, nodes, {"first_t": (F, ["S", 2])}, ["left", "sum"], **numbers, **zeros, **NUMBERS)
    return path, [{"first_t": drawn(i, s, 2)} for i, s in enumerate((1, 6, 17))]


LOOPS: dict[str, Callable[[Path], Case]] = {
    "halves": halves,
    "rows that are left": rows_that_are_left,
    "rows until": rows_until_a_sum_is_large,
    **{f"sequences {n} {e}": partial(sequences, n, e) for n in ("seven", "count") for e in (True, False)},
    "two": two_that_grow_differently,
    "by two": one_that_grows_by_two,
    "columns": columns_that_are_appended,
    "rows in front": rows_in_front_of_halves,
    "elements set": partial(elements_that_are_set_behind_the_end, False),
    "elements set where they go": partial(elements_that_are_set_behind_the_end, True),
    **{f"counted by the body to {n}": partial(turns_that_the_body_counts, n) for n in ("seven", "count")},
    "both hold": turns_while_both_hold,
    "kept goes through": what_is_kept_goes_through,
}
