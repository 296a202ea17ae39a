"""Kernel ops as functions of their own, changed in one place, and run where memory around every buffer is forbidden.

A buffer ends, or begins, at a page that must not be touched, so that a kernel that leaves it is killed.  Whatever is
made of a text is made in a child process.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import pathlib
import random
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

import mlconv
from mlconv.codegen.settings import Settings
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import DIALECTS
from mlconv.dialects.kernel import KernelOp
from mlconv.dialects.kernel.beyond import beyond
from mlconv.dialects.kernel.functions import ARITY, DTYPES
from mlconv.dialects.kernel.routines import ROUTINES
from mlconv.exporters.native.export import export
from mlconv.ir.dims import Dim, substitute
from mlconv.ir.module import Module, clone_module
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.ir.verifier import verify
from mlconv.runtime.native import load_native
from tests.support.guarded import room
from tests.support.lowering import lower

RAN, SLOW = "ran", "slow"
SECONDS = 3  # of a run that goes over far more than there is
_OP = re.compile(r'"(kernel\.\w+)"\([^)]*\) (?:\{"problem" = (.*)\} )?: \((.*)\) -> \((.*)\)$')
_NUMBER = re.compile(r"(?<![\w.\"-])-?\d+(?![\w.]| : f)")
_TYPE = re.compile(r"tensor<(?:[^<>]|<\w+>)*>")
_WORDS = {
    "opcode": [*ARITY, "load", "load_at", "const", "size", "frobnicate"],
    "combine": ["", "add", "mul", "maximum", "and", "add_wide", "frobnicate"],
    "name": [*ROUTINES, "nosuch"],
}
_KINDS = (
    "loop_nest",
    "gemm",
    "depthwise",
    "winograd",
    "integer_winograd",
    "conv_chain",
    "row_reduce",
    "attention",
    "routine",
    "alias",
)


@dataclass(frozen=True)
class KernelText:
    """One kernel op.  given, made: types of its operands and results.  change: what was done to it."""

    name: str
    problem: str
    given: tuple[str, ...]
    made: tuple[str, ...]
    change: str = ""

    @property
    def text(self) -> str:
        """A module with a function of nothing else."""
        values = [f"%{i}" for i in range(len(self.given) + len(self.made))]
        inputs, outputs = values[: len(self.given)], values[len(self.given) :]
        arguments = ", ".join(f"{v}: {t}" for v, t in zip(inputs, self.given, strict=True))
        problem = f'{{"problem" = {self.problem}}} ' if self.problem else ""
        of, to = ", ".join(self.given), ", ".join(self.made)
        names = [", ".join(f'"{kind}{i}"' for i in range(len(v))) for kind, v in (("in", inputs), ("out", outputs))]
        made = f"{', '.join(outputs)} = " if outputs else ""
        return f"""\
"builtin.module"() ({{
"mlconv.func"() ({{
^bb({arguments}):
  {made}"{self.name}"({", ".join(inputs)}) {problem}: ({of}) -> ({to}) loc("k")
  "mlconv.yield"({", ".join(outputs)}) : ({to}) -> () loc("k")
}}) {{sym_name = "main", input_names = [{names[0]}], output_names = [{names[1]}]}} : () -> () loc("main")
}}) : () -> ()
"""


def kernel_texts(m: Module) -> list[KernelText]:
    """The kernels that a module of core ops becomes, each once; without ops that have regions."""
    m = clone_module(m)
    engine = DiagnosticEngine()
    lower(m, "native", engine, cpu="x86-64-v3")
    engine.raise_errors()
    lines = [found for line in print_module(m, False).splitlines() if (found := _OP.search(line.strip()))]
    kernels = [op for op in m.walk() if isinstance(op, KernelOp) and not op.regions]
    found: dict[KernelText, None] = {}
    for op, match in zip(kernels, lines, strict=True):
        name, problem, given, made = match.groups(default="")
        types = [_with_room(op, i, t) for i, t in enumerate(_TYPE.findall(given))]
        found[KernelText(name, problem, tuple(types), tuple(_TYPE.findall(made)))] = None
    assert found
    return [*found]


def _with_room(op: KernelOp, i: int, type_: str) -> str:
    """The type of an operand, a constant no more, which holds what is read behind one."""
    t, more = op.inputs[i].tensor, beyond(op.problem, i)
    return f"tensor<{(t.size or 0) + more // t.dtype.itemsize}x{t.dtype.value}>" if more else type_


def mutant(kernel: KernelText, rng: random.Random) -> KernelText:
    """The same with one change."""
    for _ in range(100):
        changed = rng.choice(
            (_number, _number, _number, _number, _word, _dtype, _item, _type, _type, _operands, _kind)
        )(kernel, rng)
        if changed is not None and changed != kernel:
            return changed
    raise AssertionError(f"nothing can be changed of {kernel.name}")


def _replaced(kernel: KernelText, match: re.Match[str], new: str, group: int = 0) -> KernelText:
    start, end = match.span(group)
    change = f"{kernel.problem[max(0, start - 30) : start]}[{match.group(group)} -> {new}]"
    return replace(kernel, problem=kernel.problem[:start] + new + kernel.problem[end:], change=change)


def _number(kernel: KernelText, rng: random.Random) -> KernelText | None:
    found = [*_NUMBER.finditer(kernel.problem)]
    if not found:
        return None
    match = rng.choice(found)
    n = int(match.group())
    numbers = [n + 1, n - 1, n * 2, n // 2, n * 16, 0, 1, -1, 3, 4_000_000, 1 << 40, rng.randrange(64), -n]
    return _replaced(kernel, match, str(rng.choice(numbers)))


def _word(kernel: KernelText, rng: random.Random) -> KernelText | None:
    found = [*re.finditer(r'(\w+) = "(\w*)"', kernel.problem)]
    found = [m for m in found if m.group(1) in _WORDS]
    if not found:
        return None
    match = rng.choice(found)
    return _replaced(kernel, match, rng.choice(_WORDS[match.group(1)]), 2)


def _dtype(kernel: KernelText, rng: random.Random) -> KernelText | None:
    found = [*re.finditer(r"(?<=[ \[])(?:b?f|u?i|complex<f)\d+>?(?=[,\]>])", kernel.problem)]
    return _replaced(kernel, rng.choice(found), _any_dtype(rng)) if found else None


def _any_dtype(rng: random.Random) -> str:
    return rng.choice(sorted(d.value for d in DTYPES))


def _item(kernel: KernelText, rng: random.Random) -> KernelText | None:
    """One item of a list of numbers more or less."""
    found = [*re.finditer(r"\[([\d, -]*)\]", kernel.problem)]
    if not found:
        return None
    match = rng.choice(found)
    items = [i for i in match.group(1).split(", ") if i]
    if items and rng.random() < 0.6:
        del items[rng.randrange(len(items))]
    else:
        items.insert(rng.randrange(len(items) + 1), str(rng.choice((0, 1, 2, 16))))
    return _replaced(kernel, match, ", ".join(items), 1)


def _type(kernel: KernelText, rng: random.Random) -> KernelText | None:
    """The type of an operand or a result."""
    types = [*kernel.given, *kernel.made]
    if not types:
        return None
    i = rng.randrange(len(types))
    *sizes, dtype = types[i].removeprefix("tensor<").removesuffix(">").split("x")
    if "complex" in types[i] or "?" in types[i]:
        return None
    if sizes and rng.random() < 0.7:
        k = rng.randrange(len(sizes))
        old = int(sizes[k]) if sizes[k].isdigit() else 2
        sizes[k] = str(rng.choice((max(old - 1, 0), old + 1, 1, 2 * old, old // 2)))
    else:
        dtype = _any_dtype(rng)
    new = f"tensor<{'x'.join((*sizes, dtype))}>"
    change = f"type {i}: {types[i]} -> {new}"
    types[i] = new
    n = len(kernel.given)
    return replace(kernel, given=tuple(types[:n]), made=tuple(types[n:]), change=change)


def _operands(kernel: KernelText, rng: random.Random) -> KernelText | None:
    """One operand less, one more, or two exchanged."""
    given = list(kernel.given)
    if not given:
        return None
    i, k = rng.randrange(len(given)), rng.randrange(len(given))
    what = rng.choice(("drop", "again", "exchange"))
    if what == "drop":
        del given[i]
    elif what == "again":
        given.insert(k, given[i])
    else:
        given[i], given[k] = given[k], given[i]
    return replace(kernel, given=tuple(given), change=f"{what} operands {i}, {k}")


def _kind(kernel: KernelText, rng: random.Random) -> KernelText | None:
    name = f"kernel.{rng.choice(_KINDS)}"
    return replace(kernel, name=name, change=name) if rng.random() < 0.3 else None


_CHANGES = (*(_number,) * 4, _word, _dtype, _item, _type, _type, _operands, _kind)


def outcome(kernel: KernelText, folder: pathlib.Path) -> str:
    """What becomes of a text: the code that it is refused with, RAN, SLOW, or how it failed."""
    try:
        module = parse_module(kernel.text, DIALECTS)
        verify(module)
    except ConversionError as e:
        return e.code.id
    path, report = folder / "kernel.o", folder / "report"
    return _in_a_child(lambda: _export_and_run(module, path, report), report)


def _export_and_run(module: Module, path: pathlib.Path, report: pathlib.Path) -> None:
    export(module, str(path), Settings(cpu="x86-64-v3"))
    report.write_text("killed while it ran")
    _run(path)


def _in_a_child(act: Callable[[], None], report: pathlib.Path) -> str:
    report.write_text("killed while it was made")
    with warnings.catch_warnings():  # of threads that other tests have left: the child uses nothing of them
        warnings.simplefilter("ignore")
        child = os.fork()
    if not child:
        _report(act, report)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return SLOW if os.WTERMSIG(status) == signal.SIGALRM else f"signal {os.WTERMSIG(status)}, {report.read_text()}"
    return report.read_text()


def _report(act: Callable[[], None], report: pathlib.Path) -> None:
    """The child's part; it ends here."""
    try:
        faulthandler.disable()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        act()
        report.write_text(RAN)
    except ConversionError as e:
        code = (e.diagnostics or (e.diagnostic,))[0].code
        report.write_text(code.id if code is not Code.InternalError else traceback.format_exc())
    finally:
        if sys.exc_info()[0] is not None:
            report.write_text(traceback.format_exc())
        os._exit(0)


def _run(path: pathlib.Path) -> None:
    """Twice for each of some sizes: with forbidden memory behind buffers, and before them."""
    model = load_native(path)
    for size in (1, 3) if model.dimensions else (0,):
        given = dict.fromkeys(model.dimensions, size)
        dims = (ctypes.c_int64 * max(1, len(given)))(*given.values())
        need = model._need(ctypes.addressof(dims))
        if need == ctypes.c_size_t(-1).value:
            continue
        for at_end in (True, False):
            signal.alarm(SECONDS)
            rooms = [room(_bytes_of(p, given), at_end) for p in (*model.inputs, *model.outputs)]
            for held, (_, dtype, _) in zip(rooms, model.inputs, strict=False):
                _fill(held.view(dtype))
            places, n = [held.ctypes.data for held in rooms], len(model.inputs)
            ins = (ctypes.c_void_p * (n + 1))(*places[:n])
            outs = (ctypes.c_void_p * (len(rooms) - n + 1))(*places[n:])
            table = ctypes.addressof(dims) if given else None
            workspace = room(-(-need // 64) * 64, at_end)
            model._call(ctypes.addressof(ins), ctypes.addressof(outs), table, workspace.ctypes.data, need, None)


def _elements(shape: tuple[int | Dim, ...], given: dict[str, int]) -> int:
    return int(np.prod([substitute(d, given) for d in shape], dtype=np.int64))


def _bytes_of(port: tuple[str, np.dtype, tuple[int | Dim, ...]], given: dict[str, int]) -> int:
    _, dtype, shape = port
    return _elements(shape, given) * dtype.itemsize


def _fill(held: np.ndarray) -> None:
    """Numbers of any size, for integers: indices may be anything."""
    count, dtype = held.size, held.dtype
    rng = np.random.default_rng(count)
    if dtype.kind in "iu":
        held[...] = rng.choice([0, 1, 2, 5, 100], count).astype(dtype) * rng.choice([1, -1], count).astype(dtype)
    elif dtype.kind == "b":
        held[...] = rng.integers(0, 2, count).astype(bool)
    else:
        held[...] = (rng.standard_normal(count) * 3).astype(dtype)


def whole_mutant(text: str, rng: random.Random) -> tuple[str, str]:
    """The text of a model with one number, word or type of one kernel changed, and what was done."""
    lines = text.splitlines()
    i = rng.choice([k for k, line in enumerate(lines) if '{"problem" = ' in line])
    start, end = lines[i].index(" = ", lines[i].index('{"problem"')) + 3, lines[i].rindex("} : ")
    kernel = KernelText("", lines[i][start:end], (), ())
    changed = None
    while changed is None:
        changed = rng.choice((_number, _number, _number, _word, _dtype, _item))(kernel, rng)
    lines[i] = lines[i][:start] + changed.problem + lines[i][end:]
    return "\n".join(lines), changed.change


def converted(text: str, folder: pathlib.Path) -> str:
    """What becomes of the text of a model, as users convert it: see `outcome`; it is run without guards."""
    source, path, report = (folder / name for name in ("net.mlir", "net.o", "report"))
    source.write_text(text)
    return _in_a_child(lambda: _convert_and_run(source, path, report), report)


def _convert_and_run(source: pathlib.Path, path: pathlib.Path, report: pathlib.Path) -> None:
    mlconv.convert(source, to="native", output=path, cpu="x86-64-v3")
    report.write_text("killed while it ran")
    _run(path)


def mutants(kernels: list[KernelText], count: int, seed: int) -> Iterator[KernelText]:
    """Changed kernels, all of them in turn."""
    rng = random.Random(seed)
    for i in range(count):
        yield mutant(kernels[i % len(kernels)], rng)
