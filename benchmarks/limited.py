"""This program again as on a machine that ends at AVX2 with FMA (x86-64-v3), for peers that choose kernels by CPUID.

`limited.c` stands between the loader and the libraries of the peers: where CPUID is called in them, as `objdump`
finds, it answers without what is newer.  Needs Linux on x86-64, a C compiler and binutils.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PEERS = ("onnxruntime", "ai_edge_litert", "openvino")
_CALL = re.compile(r"^\s*([0-9a-f]+):\s+cpuid\s*$", re.MULTILINE)


def libraries(package: str) -> list[pathlib.Path]:
    """Shared objects in which the two bytes of CPUID stand somewhere."""
    spec = importlib.util.find_spec(package)
    folder = pathlib.Path(spec.origin).parent if spec and spec.origin else None
    found = [] if folder is None else sorted(p.resolve() for p in folder.rglob("*.so*") if p.is_file())
    return [path for path in found if b"\x0f\xa2" in path.read_bytes()]


def places(path: pathlib.Path) -> str:
    """A line of `limited.c`'s file: the library, and the addresses of CPUID in its code."""
    command = ["objdump", "-d", "--no-show-raw-insn", str(path)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return " ".join([str(path), *_CALL.findall(text)])


def again(arguments: list[str]) -> None:
    """Replace this process by this program with these arguments, its peers limited."""
    here, folder = pathlib.Path(__file__), pathlib.Path(tempfile.mkdtemp())
    library, where = folder / "limited.so", folder / "places"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, here.with_suffix(".c")], check=True)
    where.write_text("".join(f"{places(path)}\n" for package in PEERS for path in libraries(package)))
    environment = {**os.environ, "LD_AUDIT": str(library), "LIMITED": str(where)}
    os.execve(sys.executable, [sys.executable, *arguments], environment)
