"""Runs the public conformance suites through the interpreter and through TFLite on LiteRT, and writes docs/coverage.md.

    python tools/conformance.py --suites FOLDER [--jobs 2] [onnx] [tf]

The suites are separate programs; FOLDER holds them.  Cases that use element types that no TFLite kernel has are counted apart.
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
from typing import Any

ROOT = pathlib.Path(__file__).parent.parent
TOOLS = ROOT / "tools"
HEAD = """# Coverage, measured

Written by `make conformance`, from the public cases of onnx's backend tests and of TensorFlow's op tests (core subset, development half).  What fails is listed
by reason.

"""
LACKING = ("no TFLite kernel", "MLC0402")
SUITES = {"onnx": ("onnx_suite.py", "onnx_dev.txt"), "tf": ("tf_suite.py", "tf_dev.txt")}


def run(suite: str, route: str, suites: pathlib.Path, jobs: int, bind: bool) -> list[dict[str, Any]]:
    script, names = SUITES[suite]
    report = ROOT / "build" / f"{suite}-{route}{'-bind' if bind else ''}.json"
    report.parent.mkdir(exist_ok=True)
    if suite == "onnx":
        cache = pathlib.Path(os.path.expanduser("~/.cache/mlconv-conformance/onnx/manifest.json"))
        if not cache.exists():
            for step in ("onnx_gen.py", "onnx_bind.py"):
                subprocess.run([sys.executable, step], cwd=suites, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    command = [sys.executable, script, "--adapter", f"{TOOLS}/adapters.py:{route}", "--subset", "core", "--names", f"splits/{names}", "--jobs", str(jobs)]
    subprocess.run([*command, *(["--bind"] if bind else []), "--json", str(report)], cwd=suites, check=True)
    cases: list[dict[str, Any]] = json.loads(report.read_text())["cases"]
    return cases


def reason(error: str) -> str:
    """The first line of a failure, without names and numbers."""
    found = re.search(r"(MLC\d{4}): (.*)", error)
    text = f"{found.group(1)} {found.group(2)}" if found else error.split("\n")[0]
    return re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?", "#", re.sub(r"\[[^\]]*\]", "[...]", text))[:110]


def section(title: str, cases: list[dict[str, Any]], target: bool) -> list[str]:
    failed = [c for c in cases if c["status"] != "PASS"]
    lacking = [c for c in failed if target and any(mark in c.get("error", "") for mark in LACKING)]
    judged = len(cases) - len(lacking)
    passed = len(cases) - len(failed)
    lines = [f"## {title}", "", f"{passed} of {len(cases)} cases pass ({passed / len(cases):.1%})."]
    if target:
        lines.append(f"{len(lacking)} need element types that TFLite's kernels do not have; of the other {judged}, {passed / judged:.1%} pass.")
    counts = collections.Counter(reason(c.get("error", "")) for c in failed)
    lines += ["", "| cases | reason |", "| --- | --- |", *(f"| {n} | {r.replace('|', '/')} |" for r, n in counts.most_common()), ""]
    lines += ["<details><summary>cases</summary>", "", ", ".join(c["name"] for c in failed), "", "</details>", ""] if failed else []
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", nargs="*", default=list(SUITES), help="onnx, tf; both without it, which also writes the page")
    parser.add_argument("--suites", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    lines: list[str] = []
    for suite in args.which:
        for route, title in (("interpreter", "reference interpreter"), ("tflite", "TFLite on LiteRT")):
            bind = suite == "onnx" and route == "tflite"
            cases = run(suite, route, args.suites.resolve(), args.jobs, bind)
            shapes = ", shape-deciding inputs as initializers" if bind else ""
            lines += section(f"{suite.upper()} cases, {title}{shapes}", cases, route == "tflite")
    if set(args.which) == set(SUITES):
        (ROOT / "docs" / "coverage.md").write_text(HEAD + "\n".join(lines), encoding="utf-8")
    print("\n".join(line for line in lines if "pass" in line or line.startswith("## ")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
