"""Whether two checkouts convert models to the same bytes.

    python tools/same_artifacts.py OLD NEW CORPUS [--targets tflite,hlo,native] [--only PATTERN]

OLD, NEW: checkouts, each imported in a process of its own.  CORPUS: a folder with `models/`.  Each model is converted
to each target by both; an artifact is all the files that a run leaves.  A model that both refuse is the same where the
codes are.  Prints what differs, then a line that sums up; the exit code is 1 when anything does.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

WORKER = r"""
import json, pathlib, shutil, sys, tempfile, time
import mlconv
for line in sys.stdin:
    model, target = json.loads(line)
    folder = pathlib.Path(tempfile.mkdtemp(dir=sys.argv[1]))
    started = time.process_time()
    try:
        mlconv.convert(model, target, folder / f"m.{target}" if target != "native" else folder / "m.o", io_json=True)
        said = ""
    except mlconv.ConversionError as error:
        found = error.diagnostics or (error.diagnostic,)
        said = " ".join(sorted({getattr(d.code, "id", None) or d.code.name for d in found}))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:200]
    print(json.dumps([str(folder), said, time.process_time() - started]), flush=True)
"""
SUFFIXES = (".onnx", ".pb", ".pbtxt", ".tflite")


def models(corpus: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    """Files, and folders of SavedModels; a folder of an ONNX model beside its data gives the model."""
    found = []
    for path in sorted((corpus / "models").rglob("*")):
        if path.name in ("saved_model.pb", "saved_model.pbtxt"):
            found.append(path.parent)
        elif path.is_file() and path.suffix in SUFFIXES and not path.name.startswith("."):
            found.append(path)
    return [p for p in found if fnmatch.fnmatch(str(p), f"*{pattern}*")]


def content(folder: pathlib.Path) -> dict[str, str]:
    """What a run left: name and hash of each file."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


class Side:
    """A checkout's process."""

    def __init__(self, checkout: str, folder: pathlib.Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(pathlib.Path(checkout).resolve()), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
            cwd=folder,
        )
        self.seconds = 0.0

    def ask(self, model: str, target: str) -> tuple[str, dict[str, str]]:
        """What the conversion said, and what it left."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([model, target]) + "\n")
        self.process.stdin.flush()
        folder, said, seconds = json.loads(self.process.stdout.readline())
        self.seconds += seconds
        left = content(pathlib.Path(folder))
        subprocess.run(["rm", "-r", folder], check=True)
        return said, left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--targets", default="tflite,hlo,native")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    for checkout in (arguments.old, arguments.new):
        if not (pathlib.Path(checkout) / "mlconv" / "__init__.py").is_file():
            parser.error(f"{checkout} is no checkout of mlconv")
    same = different = 0
    with tempfile.TemporaryDirectory() as scratch:
        sides = [Side(checkout, pathlib.Path(scratch)) for checkout in (arguments.old, arguments.new)]
        for path in models(arguments.corpus.resolve(), arguments.only):
            for target in arguments.targets.split(","):
                old, new = (side.ask(str(path), target) for side in sides)
                if old == new:
                    same += 1
                    continue
                different += 1
                files = [n for n in {**old[1], **new[1]} if old[1].get(n) != new[1].get(n)]
                print(f"{path.name} to {target}: {old[0] or 'written'} | {new[0] or 'written'} | {' '.join(files)}")
    seconds = " and ".join(f"{side.seconds:.1f} s" for side in sides)
    print(f"{same} the same, {different} different; {seconds} of processor time")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
