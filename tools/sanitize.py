"""Runs native objects of a model corpus in a C program built with the address and undefined-behaviour sanitizers, every
buffer of which touches a page that may not be touched: behind it in one run, before it in the other.

    python tools/sanitize.py --corpus FOLDER [--count 50] [--cpu NAME]

The sanitizers see the program's own accesses and its leaks; the pages see those of the object, which is not
instrumented.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

import mlconv
from mlconv.diagnostics import ConversionError

MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "net.h"
static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }
/* `size` bytes that end at (behind = 1) or begin behind (behind = 0) a page without rights. */
static unsigned char *guarded(size_t size, int behind) {
  size_t inner = (size + page()) / page() * page();
  unsigned char *p = mmap(NULL, inner + 2 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || mprotect(p + page(), inner, PROT_READ | PROT_WRITE)) exit(90);
  memset(p + page(), 0xFF, inner);
  return behind ? p + page() + inner - size : p + page();
}
static const size_t in_bytes[] = {INS 0}, out_bytes[] = {OUTS 0};
int main(void) {
  for (int behind = 0; behind < 2; behind++) {
    void **inputs = malloc((N_IN + 1) * sizeof(void *)), **outputs = malloc((N_OUT + 1) * sizeof(void *));
    FILE *file = fopen("inputs.bin", "rb");
    for (int i = 0; i < N_IN; i++) {
      inputs[i] = guarded(in_bytes[i], behind);
      if (fread(inputs[i], 1, in_bytes[i], file) != in_bytes[i]) return 91;
      mprotect((void *)((size_t)inputs[i] / page() * page()), in_bytes[i], PROT_READ);
    }
    fclose(file);
    for (int i = 0; i < N_OUT; i++) outputs[i] = guarded(out_bytes[i], behind);
    void *workspace = guarded(NET_WORKSPACE_BYTES, behind);
    int error = net_run((const void *const *)inputs, outputs, NULL, workspace, NET_WORKSPACE_BYTES, NULL);
    if (error) return 92;
    free(inputs);
    free(outputs);
  }
  return 0;
}
"""


def check(model: dict[str, Any], root: pathlib.Path, folder: pathlib.Path, cpu: str) -> str:
    """What is wrong, or an empty string; raises ConversionError for a model that has no native form."""
    golden = np.load(root / model["golden"])
    arrays = {i["name"]: golden[f"c0_in{k}"] for k, i in enumerate(model["inputs"])}
    shapes = {i["name"]: arrays[i["name"]].shape for i in model["inputs"] if i.get("dynamic_dims")}
    given = model.get("convert_args") or {}
    cuts = {k: tuple(given[k]) for k in ("inputs", "outputs") if given.get(k)}
    settings = {
        **cuts,
        "shapes": {**given.get("input_shapes", {}), **shapes},
        "signature": model.get("signature"),
        "cpu": cpu,
    }
    mlconv.convert(root / model["path"], to="native", output=folder / "net.o", **settings)
    facts = json.loads((folder / "net.io.json").read_text())
    (folder / "inputs.bin").write_bytes(
        b"".join(np.ascontiguousarray(arrays[i["name"]]).tobytes() for i in facts["inputs"])
    )
    text = MAIN
    for mark, side in (("INS", "inputs"), ("OUTS", "outputs")):
        text = text.replace(mark, "".join(f"{v['bytes']}, " for v in facts[side]))
    (folder / "main.c").write_text(text)
    flags = [
        "-g",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        f"-DN_IN={len(facts['inputs'])}",
        f"-DN_OUT={len(facts['outputs'])}",
    ]
    built = subprocess.run(
        ["cc", *flags, "-o", "main", "main.c", "net.o", "-lm"], cwd=folder, capture_output=True, text=True, check=False
    )
    if built.returncode:
        return built.stderr[-500:]
    done = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        name = signal.Signals(-done.returncode).name if done.returncode < 0 else f"exit {done.returncode}"
        return f"{name} {done.stderr[-1500:]}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--cpu", default="")
    args = parser.parse_args()
    if not (args.corpus / "manifest.json").exists() or shutil.which("cc") is None:
        sys.stdout.write(f"SKIPPED: {args.corpus} is no corpus, or there is no C compiler\n")
        return 0
    models = [
        m
        for m in json.loads((args.corpus / "manifest.json").read_text())["models"]
        if m["expect"].get("native") == "yes"
    ]
    clean, wrong, refused = 0, [], 0
    for model in models:
        if clean + len(wrong) == args.count:
            break
        with tempfile.TemporaryDirectory() as folder:
            try:
                problem = check(model, args.corpus, pathlib.Path(folder), args.cpu)
            except ConversionError as error:
                sys.stdout.write(f"refused {model['name']}: {error}\n".split("\n")[0] + "\n")
                refused += 1
                continue
        if problem:
            wrong.append(model["name"])
            sys.stdout.write(f"FAIL {model['name']}: {problem}\n")
        else:
            clean += 1
    sys.stdout.write(f"clean: {clean} of {clean + len(wrong)} models ({refused} others have no native form)\n")
    return 1 if wrong or not clean else 0


if __name__ == "__main__":
    sys.exit(main())
