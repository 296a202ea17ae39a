"""Runs the public conformance suites through the interpreter and through every target, and writes docs/coverage.md.

    python tools/conformance.py --suites FOLDER [--jobs 2] [--routes interpreter,tflite,hlo,native] [onnx] [tf]

The suites are separate programs; FOLDER holds them.  What is not run keeps its section of the page.  Cases that use
element types that a target does not have are counted apart.
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

from mlconv.diagnostics import Code

ROOT = pathlib.Path(__file__).parent.parent
TOOLS = ROOT / "tools"
HEAD = """# Coverage, measured

Written by `make conformance`, from the public cases of onnx's backend tests and of TensorFlow's op tests
(core subset, development half).  What fails is listed by reason.

"""
LACKING = ("no TFLite kernel", Code.TargetLacksType.id)
SUITES = {"onnx": ("onnx_suite.py", "onnx_dev.txt"), "tf": ("tf_suite.py", "tf_dev.txt")}
ROUTES = {
    "interpreter": "reference interpreter",
    "tflite": "TFLite on LiteRT",
    "hlo": "HLO on jaxlib's XLA",
    "onnx": "ONNX on ONNX Runtime",
    "native": "native object",
}
STATIC = ("hlo", "native")  # targets whose shapes are pinned


def run(suite: str, route: str, suites: pathlib.Path, jobs: int, bind: bool) -> list[dict[str, Any]]:
    script, names = SUITES[suite]
    report = ROOT / "build" / f"{suite}-{route}{'-bind' if bind else ''}.json"
    report.parent.mkdir(exist_ok=True)
    if suite == "onnx":
        cache = pathlib.Path(
            os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "mlconv-conformance/onnx/manifest.json"
        )
        if not cache.exists():
            for step in ("onnx_gen.py", "onnx_bind.py"):
                subprocess.run(
                    [sys.executable, step], cwd=suites, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
    subset = "core_static" if suite == "onnx" and route in STATIC else "core"
    command = [
        sys.executable,
        script,
        "--adapter",
        f"{TOOLS}/adapters.py:{route}",
        "--subset",
        subset,
        "--names",
        f"splits/{names}",
        "--jobs",
        str(jobs),
    ]
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
        lines.append(
            f"{len(lacking)} need element types that the target does not "
            f"have; of the other {judged}, {passed / judged:.1%} pass."
        )
    counts = collections.Counter(reason(c.get("error", "")) for c in failed)
    lines += [
        "",
        "| cases | reason |",
        "| --- | --- |",
        *(f"| {n} | {r.replace('|', '/')} |" for r, n in counts.most_common()),
        "",
    ]
    lines += (
        ["<details><summary>cases</summary>", "", ", ".join(c["name"] for c in failed), "", "</details>", ""]
        if failed
        else []
    )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "which", nargs="*", default=list(SUITES), help="onnx, tf; both without it, which also writes the page"
    )
    parser.add_argument("--suites", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--routes", default=",".join(ROUTES), help="what to run, separated by commas")
    args = parser.parse_args()
    sections: dict[str, list[str]] = {}
    for suite in args.which:
        for route in args.routes.split(","):
            bind = route in STATIC or (suite == "onnx" and route in ("tflite", "onnx"))
            cases = run(suite, route, args.suites.resolve(), args.jobs, bind)
            shapes = ", shape-deciding inputs as constants" if bind else ""
            static = ", static shapes" if route in STATIC else ""
            sections[f"{suite.upper()} cases, {ROUTES[route]}"] = section(
                f"{suite.upper()} cases, {ROUTES[route]}{static}{shapes}", cases, route != "interpreter"
            )
    write_page(ROOT / "docs" / "coverage.md", sections)
    print("\n".join(line for lines in sections.values() for line in lines if "pass" in line or line.startswith("## ")))
    return 0


def write_page(page: pathlib.Path, new: dict[str, list[str]]) -> None:
    """Put new sections into the page, in the order of suites and routes, then others; those that are there stay."""
    old = page.read_text(encoding="utf-8").split("\n## ")[1:] if page.exists() else []
    texts = {",".join(text.split("\n")[0].split(",")[:2]): "## " + text.rstrip("\n") + "\n" for text in old}
    texts.update({title: "\n".join(lines).rstrip("\n") + "\n" for title, lines in new.items()})
    order = [f"{suite.upper()} cases, {title}" for suite in SUITES for title in ROUTES.values()]
    order += [title for title in texts if title not in order]
    page.write_text(HEAD + "\n".join(texts[title] for title in order if title in texts), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
