"""Times all register tiles of the products of many networks on this machine, and fits what `tile_costs` goes by.

    python tools/tune_defaults.py [--corpus DIR] [--zoo DIR] [--jobs N|dask:ADDRESS]    # times, writes the log, fits
    python tools/tune_defaults.py --fit                                                 # fits the log again

The log, tools/tune_defaults.log, has a line of JSON for each instruction set and problem: nanoseconds by tile.  The fit
takes, of all costs on a grid, those whose choices are slowest by least, in geometric mean, than the best tile of each
problem; half of the problems say what that is worth for problems that were not seen.  What it finds is written to
mlconv/codegen/kernels/measured_tiles.py.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mlconv.codegen.kernels.register_tiles import cheapest_tile
from mlconv.codegen.kernels.tile_costs import ColumnCosts, GemmCosts, by_hand
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.program.compile import host_cpus
from mlconv.codegen.program.survey import kernels_of, surveyed, text_of, timed_tiles
from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from mlconv.driver.pipeline import lower
from mlconv.driver.running import load_any, pinned
from mlconv.exporters.native.target import TARGET
from mlconv.ir.dtypes import DType
from mlconv.runtime.inputs import random_inputs
from mlconv.runtime.jobs import workers_of
from mlconv.runtime.workers import Pending

ROOT = Path(__file__).resolve().parent.parent
LOG, TABLE = ROOT / "tools" / "tune_defaults.log", ROOT / "mlconv" / "codegen" / "kernels" / "measured_tiles.py"
HEAD = '''\
"""What register tiles of float32 cost, by instruction set.  Written by `tools/tune_defaults.py`
from its log, tools/tune_defaults.log; a test holds it to that.
"""

from mlconv.codegen.kernels.costs import ColumnCosts, GemmCosts, TileCosts

'''
_LOADS, _STEPS, _LATENCIES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0), (0.0, 1.0, 2.0, 3.0, 4.0), (4.0, 6.0, 8.0, 10.0)
_PANELS, _TAPS, _COLUMNS, _VECTORS = (1, 2, 3, 4), (0, 4, 9, 16), (3, 4, 5, 6, 7, 8, 10, 14), (1, 2, 4)
Row = dict[str, Any]
Tile = Callable[[Row, Any], str]


# -- times ---------------------------------------------------------------------------------------


def networks(folder: Path, others: Sequence[Path]) -> Iterator[Path]:
    """Those of the benchmarks, and ONNX files of folders."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import native

    for name, make in native.MODELS.items():
        yield make(folder / f"{name}.onnx")
    for other in others:
        yield from sorted(other.rglob("*.onnx"))


def kernels(path: Path, cpus: Sequence[Cpu]) -> Iterator[tuple[str, Cpu, Any]]:
    """Of a network, by key and instruction set."""
    options = Options()
    loaded = load_any(str(path), options)
    module = pinned(str(path), loaded, random_inputs(loaded.main, 0), options).module
    lower(module, options, DiagnosticEngine(), TARGET, BUILT_IN)
    for cpu in cpus:
        for key, op in kernels_of(module.main.block, cpu):
            yield key, cpu, op


def survey(paths: Iterator[Path], jobs: str) -> list[Row]:
    """Times of all problems, each once."""
    had = host_cpus()
    cpus = [c for c in target_named("").cpus if c.name in had and not c.base]
    pending: list[tuple[Row, Pending[Any] | list[Any]]] = []
    seen: set[tuple[str, str]] = set()
    workers = workers_of(jobs)
    try:
        for path in paths:
            try:
                for key, cpu, op in kernels(path, cpus):
                    if (key, cpu.name) in seen:
                        continue
                    seen.add((key, cpu.name))
                    found = surveyed(op, cpu)
                    assert found is not None
                    row = {"set": cpu.name, "key": key, **found._asdict()}
                    task = (text_of(op), cpu.name)
                    here = workers is None
                    pending.append((row, timed_tiles((), *task) if here else workers.submit(timed_tiles, (), *task)))
            except ConversionError as error:
                print(f"{path}: {error.code.id}, left out")
            print(f"{path}: {len(seen)} problems so far", flush=True)
        return [{**row, "ns": _times(found)} for row, found in pending]
    finally:
        if workers is not None:
            workers.close(at_once=False)


def _times(found: Any) -> dict[str, float]:
    """Nanoseconds by tile, the heuristic's own first."""
    times = found if isinstance(found, list) else found.result()
    return {",".join(map(str, tile)): round(1e9 * seconds, 1) for tile, seconds in times}


# -- the fit -------------------------------------------------------------------------------------


def regret(rows: Sequence[Row], tile: Tile, costs: Any) -> float:
    """How much slower the tiles that costs choose are than the best ones, in geometric mean."""
    logs = []
    for row in rows:
        times = row["ns"]
        worst = max(times.values())  # of tiles that do not fit
        logs.append(math.log(times.get(tile(row, costs), worst) / min(times.values())))
    return math.exp(math.fsum(logs) / len(logs))


def gemm_tile(row: Row, costs: GemmCosts) -> str:
    """As the generator chooses it; the order of loops is that of the row."""
    rows, panels = cheapest_tile(cpu_of(row), row["columns"], row["size"], costs)
    order = next(iter(row["ns"])).split(",")[2]
    return f"{rows},{panels},{order}"


def column_tile(row: Row, costs: ColumnCosts) -> str:
    few = row["size"] <= costs.taps
    limit = costs.few if few else costs.many
    vectors = costs.vectors if row["channels"] >= costs.vectors * cpu_of(row).lanes(DType.F32) else 1
    return f"{-(-row['columns'] // -(-row['columns'] // limit))},{int(row['near'] and not few)},{vectors}"


def cpu_of(row: Row) -> Cpu:
    return next(c for c in target_named("x86_64").cpus if c.name == row["set"])


def fitted(rows: Sequence[Row], grid: Sequence[Any], tile: Tile) -> Any:
    """Costs of least regret; of equal ones the least."""
    return min(grid, key=lambda costs: (round(regret(rows, tile, costs), 5), costs))


def told(rows: Sequence[Row], grid: Sequence[Any], tile: Tile, hand: Any) -> tuple[Any, str]:
    """Costs, and what they are worth."""
    every = sorted(rows, key=lambda row: row["key"])
    chosen, half = fitted(every, grid, tile), fitted(every[::2], grid, tile)
    seen = [f"{regret(every, tile, costs) - 1:.1%}" for costs in (hand, chosen)]
    unseen = [f"{regret(every[1::2], tile, costs) - 1:.1%}" for costs in (hand, half)]
    return chosen, (
        f"{len(every)} problems; slower than the best tile: by hand {seen[0]}, fitted {seen[1]}; "
        f"fitted to a half, on the other: by hand {unseen[0]}, fitted {unseen[1]}"
    )


def table(rows: Sequence[Row]) -> str:
    """The text of the module."""
    sets: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        sets[row["set"]][row["kind"]].append(row)
    gemms = list(itertools.starmap(GemmCosts, itertools.product(_LOADS, _STEPS, _LATENCIES, _PANELS)))
    columns = list(itertools.starmap(ColumnCosts, itertools.product(_TAPS, _COLUMNS, _COLUMNS, _VECTORS)))
    lines = []
    for name, kinds in sorted(sets.items()):
        hand, chosen = by_hand(cpu_of(next(iter(kinds.values()))[0])), []
        for kind, grid, tile, own in (
            ("gemm", gemms, gemm_tile, hand.gemm),
            ("depthwise", columns, column_tile, hand.columns),
        ):
            costs, note = told(kinds[kind], grid, tile, own) if kinds[kind] else (own, "no tiles to choose from")
            print(f"{name}, {kind}: {note}")
            chosen.append(costs)
        texts = (f"{type(c).__name__}({', '.join(map(repr, c))})" for c in chosen)
        lines.append(f'    "{name}": TileCosts({", ".join(texts)}),')
    return HEAD + "\n".join(["MEASURED = {", *lines, "}", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, action="append", default=[])
    parser.add_argument("--zoo", type=Path, action="append", default=[])
    parser.add_argument("--jobs", default="", metavar="N|dask:ADDRESS")
    parser.add_argument("--fit", action="store_true")
    args = parser.parse_args()
    if not args.fit:
        with tempfile.TemporaryDirectory() as folder:
            rows = survey(networks(Path(folder), [*args.corpus, *args.zoo]), args.jobs)
        text = "".join(json.dumps(row) + "\n" for row in sorted(rows, key=lambda row: (row["set"], row["key"])))
        LOG.write_text(text, encoding="utf-8")
    rows = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    TABLE.write_text(table(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
