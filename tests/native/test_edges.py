"""Every row of docs/native-edges.md, in native code of each instruction set that this machine has: in vectors, and in
what is left over behind them.
"""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from tests.support.modules import const, module
from tests.support.native import CPUS, INTEGERS, Array, InProcess, to_object

PAGE = pathlib.Path(__file__).parent.parent.parent / "docs" / "native-edges.md"
REALS = ["float64", "float32", "float16", "bfloat16"]
NAN, INF = np.nan, np.inf
Emit = Callable[..., "Value | Sequence[Value]"]


class Case(NamedTuple):
    """What native code makes of inputs.  emit: (builder, *inputs)."""

    emit: Emit
    inputs: Sequence[Array]
    expected: Sequence[Array]


CASES: dict[str, Callable[[], list[Case]]] = {}


def row(name: str) -> Callable[[Callable[[], list[Case]]], Callable[[], list[Case]]]:
    """A function that gives the cases of a row of the page."""

    def keep(make: Callable[[], list[Case]]) -> Callable[[], list[Case]]:
        CASES[name] = make
        return make

    return keep


def typed(values: Any, name: str) -> Array:
    dtype = DType.from_numpy(name).numpy
    if dtype.kind in "iu":
        return np.array(values, dtype)
    with np.errstate(all="ignore"):
        return np.asarray(values).astype(dtype)


def each(ops: dict[str, Emit], inputs: Sequence[Any], expected: dict[str, Any], name: str) -> Case:
    """Elementwise ops over the same numbers, each often enough to fill vectors and to leave some over."""
    many = [np.resize(typed(x, name), 37 * len(x)) for x in inputs]
    wanted = [np.resize(np.asarray(expected[op]), len(many[0])) for op in ops]
    return Case(lambda b, *v: [y for make in ops.values() for y in [make(b, *v)]], many, wanted)


def of(kind: Any, **attributes: Any) -> Emit:
    return lambda b, *v: b.emit(kind(*v, **attributes)).y


def ends(name: str) -> tuple[int, int]:
    info = np.iinfo(name)
    return int(info.min), int(info.max)


def wrapped(values: Sequence[int], name: str) -> Array:
    """As two's complement keeps them."""
    low, high = ends(name)
    return np.array([(v - low) % (high - low + 1) + low for v in values], name)


DIVISIONS = {k.__name__: of(k) for k in (core.Div, core.FloorDiv, core.Rem, core.FloorMod)}


@row("integers divided by 0")
def _division_by_zero() -> list[Case]:
    cases = []
    for name in INTEGERS:
        low, high = ends(name)
        a = [low, high, 0, 7, 1]
        cases.append(each(DIVISIONS, [a, [0] * 5], {op: typed([0] * 5, name) for op in DIVISIONS}, name))
    return cases


@row("the least integer by -1")
def _lowest_by_minus_one() -> list[Case]:
    cases = []
    for name in (n for n in INTEGERS if not n.startswith("u")):
        low = ends(name)[0]
        whole, rest = typed([low, -7], name), typed([0, 0], name)
        whole[1] = 7
        expected = {"Div": whole, "FloorDiv": whole, "Rem": rest, "FloorMod": rest}
        cases.append(each(DIVISIONS, [[low, -7], [-1, -1]], expected, name))
    return cases


@row("signs of quotients")
def _signs_of_quotients() -> list[Case]:
    a, b = [7, -7, 7, -7], [2, 2, -2, -2]
    expected = {"Div": [3, -3, -3, 3], "FloorDiv": [3, -4, -4, 3], "Rem": [1, -1, 1, -1], "FloorMod": [1, 1, -1, -1]}
    names = [n for n in INTEGERS if not n.startswith("u")]
    cases = [each(DIVISIONS, [a, b], {op: typed(y, n) for op, y in expected.items()}, n) for n in names]
    halves = {"Div": [3.5, -3.5, -3.5, 3.5], **{op: expected[op] for op in ("FloorDiv", "Rem", "FloorMod")}}
    return cases + [each(DIVISIONS, [a, b], {op: typed(y, n) for op, y in halves.items()}, n) for n in REALS]


@row("shifts by too much")
def _shifts() -> list[Case]:
    cases, ops = [], {"shl": of(core.ShiftLeft), "shr": of(core.ShiftRight)}
    for name in INTEGERS:
        (low, high), bits = ends(name), np.iinfo(name).bits
        far = [bits, bits + 1, 127]
        expected = {"shl": typed([0] * 6, name), "shr": typed([0] * 3 + [-1 if low else 0] * 3, name)}
        cases.append(each(ops, [[high] * 3 + [low or high] * 3, far * 2], expected, name))
        if low:
            same = {op: typed([high, -5], name) for op in ops}
            cases.append(each(ops, [[high, -5], [-1, low]], same, name))
    return cases


@row("integers that overflow")
def _wraps() -> list[Case]:
    cases = []
    for name in INTEGERS:
        low, high = ends(name)
        two = {"add": of(core.Add), "sub": of(core.Sub), "mul": of(core.Mul)}
        expected = {
            "add": wrapped([high + 1, low + low], name),
            "sub": wrapped([high - 1, 0], name),
            "mul": wrapped([high, low * low], name),
        }
        cases.append(each(two, [[high, low], [1, low]], expected, name))
        one = {"neg": of(core.Neg), "abs": of(core.Abs)}
        if low:
            cases.append(
                each(one, [[low, 3]], {"neg": wrapped([-low, -3], name), "abs": wrapped([low, 3], name)}, name)
            )
    return cases


@row("integers to a negative power")
def _powers() -> list[Case]:
    cases = []
    for name in (n for n in INTEGERS if not n.startswith("u")):
        low, _ = ends(name)
        zero = low if np.iinfo(name).bits >= 32 else 0
        a, b = [1, -1, -1, 2, -3, 0, 0], [-5, -5, -4, -1, -2, -1, 0]
        cases.append(each({"pow": of(core.Pow)}, [a, b], {"pow": typed([1, -1, 1, 0, 0, zero, 1], name)}, name))
    return cases


@row("floats divided by 0")
def _float_division() -> list[Case]:
    a, b = [1.0, -1.0, 0.0, 1.0, NAN], [0.0, 0.0, 0.0, -0.0, 0.0]
    expected = {"Div": [INF, -INF, NAN, -INF, NAN], "FloorDiv": [INF, -INF, NAN, -INF, NAN]}
    expected |= {"Rem": [NAN] * 5, "FloorMod": [NAN] * 5}
    return [each(DIVISIONS, [a, b], {op: typed(y, n) for op, y in expected.items()}, n) for n in REALS]


@row("NaN in maximum and minimum")
def _maximum() -> list[Case]:
    ops = {
        "max": of(core.Maximum),
        "min": of(core.Minimum),
        "clamp": lambda b, x, y: b.emit(core.Clamp(x, lo=0.0, hi=6.0)).y,
        "relu": lambda b, x, y: b.emit(core.Clamp(x, lo=0.0, hi=INF)).y,
    }
    a, c = [NAN, 1.0, NAN, 2.0], [1.0, NAN, NAN, 3.0]
    expected = {
        "max": [NAN, NAN, NAN, 3],
        "min": [NAN, NAN, NAN, 2],
        "clamp": [NAN, 1, NAN, 2],
        "relu": [NAN, 1, NAN, 2],
    }
    cases = [each(ops, [a, c], {op: typed(y, n) for op, y in expected.items()}, n) for n in REALS]
    for name in REALS:
        for width in (5, 40):
            x = typed(np.arange(3 * width).reshape(1, 3, width, 1), name)
            x[0, 1, width - 2] = NAN
            most, least = x.astype(np.float64).max(2), x.astype(np.float64).min(2)
            slid = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), 3, 2).max(-1)

            def make(b: Builder, v: Value) -> list[Value]:
                pads: Any = ((0, 0), (0, 0))
                pool = core.MaxPool(v, window=(1, 3), strides=(1, 1), pads=pads, dilations=(1, 1), layout="N01C")
                return [b.emit(op).y for op in (core.ReduceMax(v, axes=(2,)), core.ReduceMin(v, axes=(2,)), pool)]

            cases.append(Case(make, [x], [typed(most, name), typed(least, name), typed(slid, name)]))
    return cases


@row("NaN in comparisons")
def _comparisons() -> list[Case]:
    kinds = {k.__name__: k for k in (core.Equal, core.Less, core.LessEqual, core.Greater, core.GreaterEqual)}
    ops = {name: of(kind) for name, kind in kinds.items()} | {"NotEqual": of(core.NotEqual)}
    expected = {name: np.array([False] * 3) for name in kinds} | {"NotEqual": np.array([True] * 3)}
    return [each(ops, [[NAN, 1.0, NAN], [1.0, NAN, NAN]], expected, n) for n in REALS]


@row("NaN in ArgMax and ArgMin")
def _arg() -> list[Case]:
    cases = []
    for name in REALS:
        for width in (4, 40):
            x = typed(np.tile(np.arange(width, dtype=np.float64), (3, 1)), name)
            x[0, [1, 3]], x[1, :] = NAN, NAN
            last = width - 1
            for axis, given in ((1, x), (0, np.ascontiguousarray(x.T))):
                cases.append(
                    Case(
                        lambda b, v, axis=axis: [
                            b.emit(core.ArgMax(v, axis=axis)).y,
                            b.emit(core.ArgMin(v, axis=axis)).y,
                        ],
                        [given],
                        [np.array([1, 0, last]), np.array([1, 0, 0])],
                    )
                )
    return cases


@row("NaN in TopK")
def _top_k() -> list[Case]:
    cases = []
    for name in REALS:
        x = typed([[1, NAN, 3, NAN], [NAN] * 4, [4, 2, NAN, 9]], name)

        def make(b: Builder, v: Value) -> list[Value]:
            most = b.emit(core.TopK(v, const(b, np.int64(3))))
            least = b.emit(core.TopK(v, const(b, np.int64(3)), largest=False))
            return [most.values, most.indices, least.values, least.indices]

        largest = typed([[3, 1, NAN], [NAN] * 3, [9, 4, 2]], name), np.array([[2, 0, 1], [0, 1, 2], [3, 0, 1]])
        smallest = typed([[1, 3, NAN], [NAN] * 3, [2, 4, 9]], name), np.array([[0, 2, 1], [0, 1, 2], [1, 0, 3]])
        cases.append(Case(make, [x], [*largest, *smallest]))
    return cases


def casts(values: Sequence[float], target: str, expected: Sequence[int], saturate: bool = False) -> list[Case]:
    emit = of(core.Cast, dtype=DType.from_numpy(target), saturate=saturate)
    return [
        each({"cast": emit}, [values], {"cast": np.array(expected).astype(target)}, n) for n in ("float32", "float64")
    ]


@row("NaN to integers")
def _nan_to_integers() -> list[Case]:
    cases = [c for n in INTEGERS if "64" not in n for c in casts([NAN, -NAN], n, [0, 0])]
    cases += casts([NAN], "int64", [-(1 << 63)])
    return cases + [c for n in INTEGERS for c in casts([NAN], n, [0], saturate=True)]


@row("floats beyond an integer's range")
def _beyond() -> list[Case]:
    x = [2.0**31, -(2.0**31) - 256, 2.0**32 + 512, -1.0, 300.0, 1e30, -INF]
    cases = []
    for name in ("int32", "int16", "int8", "uint32", "uint16", "uint8"):
        whole = [2**31, -(2**31) - 256, 2**32 + 512, -1, 300, 0, 0]
        cases += casts(x, name, wrapped(whole, name).tolist())
    cases += casts([2.0**63, -(2.0**63), INF, -INF, 1e30], "int64", [-(1 << 63)] * 5)
    for name in INTEGERS:
        low, high = ends(name)
        beyond = casts([1e30, -1e30, INF, -INF, 0.75, -0.75], name, [0] * 6, saturate=True)
        limits = np.array([high, low, high, low, 0, 0], name)
        cases += [c._replace(expected=[np.resize(limits, len(c.inputs[0]))]) for c in beyond]
    return cases


@row("integers to narrower ones")
def _narrower() -> list[Case]:
    x = [300, -1, 65537, -129, 2**31 - 1]
    emit = {n: of(core.Cast, dtype=DType.from_numpy(n)) for n in ("int8", "uint8", "int16", "uint16", "uint32")}
    return [each(emit, [x], {n: wrapped(x, n) for n in emit}, "int32")]


@row("numbers as truth")
def _truth() -> list[Case]:
    emit = {"bool": of(core.Cast, dtype=DType.BOOL)}
    real = {"bool": np.array([True, False, False, True, True])}
    cases = [each(emit, [[NAN, 0.0, -0.0, 0.25, -INF]], real, n) for n in REALS]
    return cases + [each(emit, [[0, 1, 3]], {"bool": np.array([False, True, True])}, n) for n in INTEGERS]


@row("halves and zeros when rounding")
def _rounding() -> list[Case]:
    x = [0.5, 1.5, 2.5, -0.5, -1.5, -0.25, -0.0, NAN, INF]
    ops = {"round": of(core.Round), "floor": of(core.Floor), "ceil": of(core.Ceil)}
    expected = {
        "round": [0.0, 2.0, 2.0, -0.0, -2.0, -0.0, -0.0, NAN, INF],
        "floor": [0.0, 1.0, 2.0, -1.0, -2.0, -1.0, -0.0, NAN, INF],
        "ceil": [1.0, 2.0, 3.0, -0.0, -1.0, -0.0, -0.0, NAN, INF],
    }
    return [each(ops, [x], {op: typed(y, n) for op, y in expected.items()}, n) for n in REALS]


@row("zeros with a sign")
def _zeros() -> list[Case]:
    ops = {"abs": of(core.Abs), "neg": of(core.Neg), "sqrt": of(core.Sqrt)}
    expected = {"abs": [0.0, 0.0], "neg": [-0.0, 0.0], "sqrt": [0.0, -0.0]}
    return [each(ops, [[0.0, -0.0]], {op: typed(y, n) for op, y in expected.items()}, n) for n in REALS]


@row("numbers below the normal ones")
def _subnormal() -> list[Case]:
    cases = []
    for name, least in (("float32", 2.0**-149), ("float64", 5e-324)):
        ops = {"add": lambda b, v: b.emit(core.Add(v, v)).y, "half": lambda b, v: b.emit(core.Mul(v, v)).y}
        cases.append(
            each(
                ops,
                [[least, -3 * least]],
                {"add": typed([2 * least, -6 * least], name), "half": typed([0.0, 0.0], name)},
                name,
            )
        )
        normal = float(np.finfo(name).tiny)
        quarter = {"quarter": lambda b, v, name=name: b.emit(core.Mul(v, const(b, typed(0.25, name)))).y}
        cases.append(each(quarter, [[normal, 4 * least]], {"quarter": typed([normal / 4, least], name)}, name))
    return cases


@row("functions at their ends")
def _ends() -> list[Case]:
    table: dict[str, tuple[list[float], list[float]]] = {
        "Exp": ([INF, -INF, NAN, 0.0], [INF, 0.0, NAN, 1.0]),
        "Log": ([INF, 0.0, -1.0, NAN], [INF, -INF, NAN, NAN]),
        "Sqrt": ([INF, -1.0, NAN, -INF], [INF, NAN, NAN, NAN]),
        "Rsqrt": ([INF, 0.0, NAN, -1.0], [0.0, INF, NAN, NAN]),
        "Tanh": ([INF, -INF, NAN, 20.0], [1.0, -1.0, NAN, 1.0]),
        "Sigmoid": ([INF, -INF, NAN, 0.0], [1.0, 0.0, NAN, 0.5]),
        "Erf": ([INF, -INF, NAN, 0.0], [1.0, -1.0, NAN, 0.0]),
        "Softplus": ([INF, -INF, NAN, 0.0], [INF, 0.0, NAN, float(np.log(2.0))]),
        "Sin": ([INF, -INF, NAN, 0.0], [NAN, NAN, NAN, 0.0]),
        "Asin": ([2.0, -2.0, NAN, 0.0], [NAN, NAN, NAN, 0.0]),
        "Lgamma": ([INF, 0.0, -2.0, NAN], [INF, INF, INF, NAN]),
        "Sign": ([INF, -INF, NAN, 0.0], [1.0, -1.0, NAN, 0.0]),
    }
    cases = []
    for name in ("float32", "float64"):
        for op, (x, y) in table.items():
            cases.append(each({op: of(getattr(core, op))}, [x], {op: typed(y, name)}, name))
        powers = [0.0, 1.0, 2.0, -1.0, 0.0], [0.0, NAN, INF, 0.5, -1.0]
        cases.append(each({"pow": of(core.Pow)}, powers, {"pow": typed([1.0, 1.0, INF, NAN, INF], name)}, name))
    return cases


@row("NaN and infinity in Softmax")
def _softmax() -> list[Case]:
    cases = []
    for width in (5, 40):
        x = np.zeros((3, width), np.float32)
        x[0, 2], x[1, :], x[2, 1:] = NAN, -INF, -INF
        y = np.zeros((3, width), np.float32)
        y[0], y[1], y[2, 0] = NAN, NAN, 1.0
        cases.append(Case(of(core.Softmax, axis=1), [x], [y]))
    return cases


@row("NaN and infinity in a ConvTranspose with strides")
def _conv_transpose() -> list[Case]:
    x = np.asarray([1, INF, 1, 1], np.float32).reshape(1, 4, 1)

    def make(b: Builder, v: Value, window: int) -> Value:
        w = const(b, np.ones((window, 1, 1), np.float32))
        layouts = {"x_layout": "N0C", "w_layout": "0OI", "y_layout": "N0C"}
        fixed = {"pads": ((0, 0),), "dilations": (1,), "groups": 1, "output_pads": (0,)}
        return b.emit(core.ConvTranspose(v, w, strides=(2,), **fixed, **layouts)).y  # type: ignore[arg-type]

    wanted = {2: [1, 1, INF, INF, 1, 1, 1, 1], 3: [1, 1, INF, INF, INF, NAN, 2, 1, 1]}
    return [
        Case(functools.partial(make, window=k), [x], [np.asarray(y, np.float32).reshape(1, -1, 1)])
        for k, y in wanted.items()
    ]


PLACES = np.array([0, -1, -4, -5, 3, 4, 100, -100, 2**31 - 1, -(2**31)])
ROWS = np.arange(8, dtype=np.float32).reshape(4, 2)
TAKEN = ROWS[[0, 3, 0, 0, 3, 3, 3, 0, 3, 0]]


@row("indices that leave an axis when reading")
def _reading() -> list[Case]:
    def make(b: Builder, v: Value, at: Value) -> list[Value]:
        column = b.emit(core.Reshape(at, const(b, [len(PLACES), 1]))).y
        pairs = b.emit(core.Concat((column, column), axis=1)).y
        elements, tuples = core.GatherElements(v, pairs, axis=0), core.GatherNd(v, column)
        return [b.emit(op).y for op in (core.Gather(v, at, axis=0), elements, tuples)]

    return [Case(make, [ROWS, PLACES.astype(n)], [TAKEN] * 3) for n in ("int32", "int64")]


@row("indices that leave an axis when writing")
def _writing() -> list[Case]:
    updates = np.arange(10, 10 + 2 * len(PLACES), dtype=np.float32).reshape(-1, 2)
    expected = ROWS.copy()
    for i, at in enumerate(PLACES):
        if -4 <= at < 4:
            expected[at] = updates[i]

    def make(b: Builder, v: Value, at: Value) -> list[Value]:
        column = b.emit(core.Reshape(at, const(b, [len(PLACES), 1]))).y
        pairs, new = b.emit(core.Concat((column, column), axis=1)).y, const(b, updates)
        return [b.emit(core.ScatterNd(v, column, new)).y, b.emit(core.ScatterElements(v, pairs, new, axis=0)).y]

    return [Case(make, [ROWS, PLACES.astype(n)], [expected] * 2) for n in ("int32", "int64")]


@row("classes and segments that there are none of")
def _classes() -> list[Case]:
    updates = np.arange(2 * len(PLACES), dtype=np.float32).reshape(-1, 2)
    hot = (PLACES[:, None] == np.arange(4)).astype(np.float32)
    sums = np.stack([updates[i == PLACES].sum(0) for i in range(5)])

    def make(b: Builder, at: Value) -> list[Value]:
        depth, on, off = (const(b, v) for v in (np.int64(4), np.float32(1), np.float32(0)))
        segments = core.SegmentReduce(const(b, updates), at, const(b, np.int64(5)))
        return [b.emit(core.OneHot(at, depth, on, off)).y, b.emit(segments).y]

    return [Case(make, [PLACES.astype(n)], [hot, sums]) for n in ("int32", "int64")]


@row("slices that begin outside")
def _slices() -> list[Case]:
    cases = []
    for begin in ([-1, 0], [3, 1], [9, -9], [1, 1], [2**31 - 1, -(2**31)]):
        row_, column = min(max(begin[0], 0), 2), min(max(begin[1], 0), 1)
        written = ROWS.copy()
        written[row_ : row_ + 2, column] = -1

        def make(b: Builder, v: Value, at: Value, one: Value, two: Value) -> list[Value]:
            update = const(b, np.full((2, 1), -1, np.float32))
            return [
                b.emit(core.DynamicSlice(v, at, const(b, [2, 1]))).y,
                b.emit(core.UpdateSlice(v, update, [one, two])).y,
            ]

        piece = ROWS[row_ : row_ + 2, column : column + 1]
        for name in ("int32", "int64"):
            at = np.array(begin).astype(name)
            cases.append(Case(make, [ROWS, at, at[0], at[1]], [piece, written]))
    return cases


@row("lengths beyond a sequence")
def _lengths() -> list[Case]:
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    expected = np.stack([x[0], x[1][::-1], x[2], x[3][[1, 0, 2]]])
    emit = of(core.ReverseSequence, time_axis=1, batch_axis=0)
    return [Case(emit, [x, np.array([0, 9, -3, 2]).astype(n)], [expected]) for n in ("int32", "int64")]


def test_every_row_of_the_page_has_a_test() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Values")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", section, re.MULTILINE)
    assert rows[2:] == list(CASES)


@pytest.mark.share(4)
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("name", CASES)
def test_edges(name: str, cpu: str, tmp_path: pathlib.Path) -> None:
    cases = CASES[name]()
    inputs = [np.asarray(x) for c in cases for x in c.inputs]

    def make(b: Builder, *given: Value) -> list[Value]:
        out, at = [], 0
        for c in cases:
            made = c.emit(b, *given[at : at + len(c.inputs)])
            out += [made] if isinstance(made, Value) else list(made)
            at += len(c.inputs)
        return out

    to_object(module(make, inputs), tmp_path / "m.o", cpu)
    code, outputs = InProcess(tmp_path / "m.o").call(inputs)
    assert code == 0
    expected = [y for c in cases for y in c.expected]
    for y, wanted in zip(outputs, expected, strict=True):
        assert y.dtype == wanted.dtype, (y.dtype, wanted.dtype)
        if y.dtype.kind in "iub":
            np.testing.assert_array_equal(y, wanted)
        else:
            np.testing.assert_allclose(y.astype(np.float64), wanted.astype(np.float64), rtol=1e-6, atol=0)
            zero = wanted.astype(np.float64) == 0
            np.testing.assert_array_equal(np.signbit(y)[zero], np.signbit(wanted)[zero])
