"""Long hunts for wrong numbers and for bad input that is not refused, in slices that go on where the last run stopped.

    python tools/fuzz.py mutate   --fuzz DIR --corpus DIR --out build/fuzz [--seed N] [--cases N] [--minutes M] python
    tools/fuzz.py numerics --fuzz DIR --out build/fuzz [--seed N] [--cases N] [--minutes M] [--generators
    gen_ops,gen_graphs,gen_tf]

`mutate` converts mutated files of all formats to all targets: no internal error, no signal, no hang, no file that is
left behind.  `numerics` runs random ops, graphs and TensorFlow functions on all targets beside their own runtimes, then
handmade structures.  A difference that a decision record explains is a row of `tools/known_differences.toml`; every
other one is a finding.  OUT/state.json holds the next case of each seed.  The last line sums up; the exit code is 1
with findings.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from typing import Any

HERE = pathlib.Path(__file__).parent
SLICE = {"mutate": 2000, "gen_ops": 400, "gen_graphs": 200, "gen_tf": 300}
AMPLIFIED = 4  # times what numbers in the last place do to ONNX Runtime's results
BAD = ("WRONG", "internal", "exception", "crash", "generr")


class State:
    """The next case of each hunt and seed."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.next: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}

    def advance(self, hunt: str, to: int) -> None:
        self.next[hunt] = to
        self.path.write_text(json.dumps(self.next, indent=1, sort_keys=True) + "\n")


class Known:
    """Differences that a record explains.  A row: op, target, status, label, message, oracle (patterns), record."""

    def __init__(self, path: pathlib.Path) -> None:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("difference", [])
        self.rows = [
            {k: re.compile(r.get(k, "")) for k in ("op", "target", "status", "label", "message", "oracle")}
            for r in rows
        ]

    def __contains__(self, found: dict[str, Any]) -> bool:
        facts = {"op": found["label"].split(" ")[0], "message": found["msg"], "oracle": found.get("oracle", "")}
        facts.update({k: found[k] for k in ("target", "status", "label")})
        return any(all(pattern.search(str(facts[k])) for k, pattern in row.items()) for row in self.rows)


def slices(hunt: str, args: argparse.Namespace, minutes: float, state: State) -> Iterator[tuple[int, int, float]]:
    """(first case, how many, seconds left) until the cases or the minutes are used up; whoever runs a slice says how
    far it came.
    """
    started, key = time.monotonic(), f"{hunt}:{args.seed}"
    while (at := state.next.get(key, 0)) < args.cases:
        left = minutes * 60 - (time.monotonic() - started)
        if left <= 0:
            return
        yield at, min(SLICE[hunt], args.cases - at), left


def mutate(args: argparse.Namespace, state: State) -> list[str]:
    """Findings of mutated files, one line each."""
    found: list[str] = []
    for at, count, left in slices("mutate", args, args.minutes, state):
        out = args.out / f"mutate-{args.seed}"
        command = [
            sys.executable,
            str(args.fuzz / "fuzz_mutate.py"),
            "--seed",
            str(args.seed),
            "--start",
            str(at),
            "--cases",
            str(count),
        ]
        run(
            [*command, "--seconds", f"{max(left, 30):.0f}", "--out", str(out), "--corpus", str(args.corpus)],
            args.out / "mutate.log",
        )
        summary = json.loads((out / "summary.json").read_text())
        found += [f"{key}: {facts['count']} cases, {facts['cases']}" for key, facts in summary["findings"].items()]
        print(
            f"mutate seed {args.seed}, {summary['done']} cases from {at}: {len(summary['findings'])} findings",
            flush=True,
        )
        state.advance(f"mutate:{args.seed}", at + max(1, summary["done"]))
    return found


def numerics(args: argparse.Namespace, state: State) -> list[str]:
    """Findings of random models and of handmade structures, one line each."""
    known, found, generators = Known(args.known), [], args.generators.split(",")
    for generator in generators:
        for at, count, left in slices(generator, args, args.minutes / len(generators), state):
            rows = generated(generator, args.seed * 1_000_000 + at, count, left, args)
            bad = [r for r in rows if r["status"] in BAD and r not in known]
            bad = [r for r in bad if not (_may_amplify(generator, r) and is_amplified(generator, r, args.fuzz))]
            found += [
                f"{generator} {r['seed']} {r['target']} {r['status']}: {r['label'][:120]}: {r['msg'][:200]}"
                for r in bad
            ]
            done = max((r["seed"] for r in rows), default=0) - args.seed * 1_000_000 + 1 - at
            statuses = dict(collections.Counter(r["status"] for r in rows))
            print(f"{generator} seed {args.seed}, {done} cases from {at}: {statuses}, {len(bad)} findings", flush=True)
            state.advance(f"{generator}:{args.seed}", at + max(1, done))
    return found + (structures(args) if args.structures else [])


def _may_amplify(generator: str, found: dict[str, Any]) -> bool:
    """Networks, and layers that feed their results back."""
    return generator == "gen_graphs" or (
        generator == "gen_ops" and found["label"].startswith(("LSTM ", "GRU ", "RNN "))
    )


def is_amplified(generator: str, found: dict[str, Any], fuzz: pathlib.Path) -> bool:
    """Whether ONNX Runtime's own results differ about as much when numbers move in the last place (`sensitivity.py`,
    decision record 0012).
    """
    difference = re.search(r"out (\S+): float\d+ .*maxerr ([\d.e+-]+) ", found["msg"])
    if found["status"] != "WRONG" or difference is None or found.get("oracle") != "ort":
        return False
    from sensitivity import spread

    return float(difference[2]) <= AMPLIFIED * spread(fuzz, generator, found["seed"]).get(difference[1], 0.0)


def generated(generator: str, start: int, count: int, seconds: float, args: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of a run of one generator: seed, label, target, status, msg."""
    out = args.out / f"{generator}-{start}.jsonl"
    out.unlink(missing_ok=True)
    script = [str(args.fuzz / "gen_tf.py")] if generator == "gen_tf" else [str(args.fuzz / "harness.py"), generator]
    limits = ["--targets", args.targets, "--budget", f"{max(seconds, 30):.0f}"]
    run([sys.executable, *script, str(start), str(count), str(out), *limits], args.out / "numerics.log")
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def structures(args: argparse.Namespace) -> list[str]:
    """Findings of handmade structures.  Errors against float64 go to OUT/accuracy.txt, to be read."""
    for name in ("structural", "accuracy"):
        (args.out / f"{name}.txt").unlink(missing_ok=True)
        run([sys.executable, str(args.fuzz / f"{name}.py")], args.out / f"{name}.txt")
    lines = (args.out / "structural.txt").read_text().splitlines()
    return [
        f"structure: {line.strip()}"
        for line in lines
        if line.startswith("    ") and any(status in line for status in BAD)
    ]


def run(command: list[str], log: pathlib.Path) -> None:
    """A script of the generators, with what it prints in a file."""
    with open(log, "a", encoding="utf-8") as f:
        subprocess.run(
            command,
            stdout=f,
            stderr=subprocess.STDOUT,
            check=False,
            cwd=log.parent,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hunt", choices=("mutate", "numerics"))
    parser.add_argument("--fuzz", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/fuzz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=240)
    parser.add_argument("--generators", default="gen_ops,gen_graphs,gen_tf")
    parser.add_argument("--targets", default="ref,tflite,native,hlo")
    parser.add_argument("--structures", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--known", type=pathlib.Path, default=HERE / "known_differences.toml")
    args = parser.parse_args()
    if not args.fuzz.is_dir():
        print(f"the generators are not here ({args.fuzz}): nothing was run")
        return
    args.out, args.fuzz = args.out.resolve(), args.fuzz.resolve()
    args.corpus = args.corpus.resolve() if args.corpus else None
    args.out.mkdir(parents=True, exist_ok=True)
    found = {"mutate": mutate, "numerics": numerics}[args.hunt](args, State(args.out / "state.json"))
    print("\n".join(found))
    print(f"{len(found)} findings")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
