"""Arrays that a caller gives: inputs of runs, and what a model should answer, in the words of every command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.files import files_of
from mlconv.driver.options import Options
from mlconv.ir.constants import Array
from mlconv.runtime.arrays import read_npz
from mlconv.runtime.casting import as_taken
from mlconv.runtime.given import read_ports
from mlconv.runtime.measures import Limits, Measure, Seen, joined, measured
from mlconv.runtime.pairing import number
from mlconv.runtime.ports import Port


def check_given(data: str, expect: str) -> None:
    """Raises ConversionError UsageError for answers without the inputs that they are for."""
    if expect and not data:
        raise ConversionError(
            Code.UsageError, "--expect is given, and no inputs that it is for", help="give them with --data FILE|DIR"
        )


def given(data: str, taken: Sequence[Port], others: Sequence[Port], options: Options) -> list[dict[str, Array]]:
    """Arrays of a file or a folder, by the names of the first side's inputs; the file may have those of the second.
    Raises ConversionError.
    """
    options.reads(files_of(data))
    try:
        return [as_taken(call, taken) for call in read_ports(data, taken)]
    except ConversionError as error:
        if error.code is not Code.NameNotFound or [p.name for p in taken] == [p.name for p in others]:
            raise
    found = read_ports(data, others)
    names = {other.name: port.name for port, other in zip(taken, others, strict=True)}
    return [as_taken({names[name]: array for name, array in call.items()}, taken) for call in found]


def answers_of(path: str, outputs: Sequence[Port], runs: int, options: Options) -> list[dict[str, Array]]:
    """Expected outputs of each run: by their names, or in order where none is known; those that stand for variables may
    be left out.  Raises ConversionError InterfacesDiffer, and what `read_data` raises.
    """
    names = [port.name for port in outputs]
    options.reads(files_of(path))
    try:
        found = read_ports(path, outputs)
    except ConversionError as error:
        arrays = read_npz(path) if error.code is Code.NameNotFound and path.endswith(".npz") else {}
        if len(arrays) == len(plain := [port.name for port in outputs if not port.is_variable]):
            names = plain
        if len(arrays) != len(names) or set(arrays) & set(names):
            raise
        found = [dict(zip(names, arrays.values(), strict=True))]
    if len(found) != runs:
        raise ConversionError(
            Code.InterfacesDiffer, f"there are inputs for {runs} runs, and {path} has answers for {len(found)}"
        )
    return found


def held(
    answers: Sequence[Mapping[str, Array]],
    found: Sequence[Mapping[str, Array]],
    outputs: Sequence[Port],
    rounds: bool,
    limits: Limits,
) -> list[Measure]:
    """Outputs of all runs of a model, held to what they should be.  rounds: the model computes with few bits."""
    runs: list[list[Measure]] = []
    for expected, got in zip(answers, found, strict=True):
        runs.append([])
        for port in (one for one in outputs if one.name in expected):
            x, y = expected[port.name], got[port.name]
            known = port if x.dtype == y.dtype else port._replace(quant=None)
            wanted = Seen(port.name, x, number(x, known), known.quant, rounds)
            runs[-1].append(measured(wanted, Seen(port.name, y, number(y, port), port.quant, rounds), limits))
    return joined(runs)


def differences(measures: Sequence[Measure]) -> str:
    """The outputs that are off, in words; empty when there are none."""
    wrong = [m for m in measures if not m.verdict.ok]
    return "; ".join(f"{m.name}: largest difference {m.max_abs:.3g}, {m.why}" for m in wrong)
