"""Instructions of one inference on 64-bit Arm, counted in QEMU: native objects against ONNX Runtime and LiteRT.

    python benchmarks/arm.py --root FOLDER [--models mobilenet_v2,minilm] [--precision int8] [--cpu cortex-a76]

A count is that of 11 runs in a process less that of 1, by ten.  It is no time: instructions take as long as their
processor needs, and QEMU has no caches.  Processors: cortex-a72 has NEON alone, cortex-a76 and neoverse-n1 dot products
of bytes, max all that QEMU knows (SVE and SME included).  Outputs are compared with ours first.  Needs
`qemu-user` and `gcc-aarch64-linux-gnu`; the peers need FOLDER, the root of a system of that machine, else we are alone:

    dpkg --add-architecture arm64 && apt-get update
    for p in libc6 libstdc++6 libgcc-s1 zlib1g libexpat1 libffi8 libssl3 libbz2-1.0 liblzma5 \\
             python3.11-minimal libpython3.11-minimal libpython3.11-stdlib; do apt-get download $p:arm64; done
    for d in *.deb; do dpkg -x $d FOLDER; done
    pip install --target FOLDER/site --python-version 3.11 --only-binary=:all: --platform manylinux_2_28_aarch64 \\
        --platform manylinux_2_27_aarch64 --platform manylinux_2_17_aarch64 numpy onnxruntime ai-edge-litert
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import tempfile

import native
import numpy as np

HERE = pathlib.Path(__file__).parent
FEW, MANY = 1, 11
PEERS = ("onnxruntime", "litert")
# what ONNX Runtime reads about the processor; QEMU answers with files of this machine where the root has none
CPUINFO = """processor\t: 0
Features\t: fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop{more}
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x1
CPU part\t: {part}
CPU revision\t: 0
"""
PARTS = {"cortex-a72": "0xd08", "cortex-a76": "0xd0b", "neoverse-n1": "0xd0c", "max": "0xd49"}
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "net.h"
static void *room(size_t bytes) {
  void *p = aligned_alloc(NET_ALIGNMENT, (bytes + NET_ALIGNMENT) / NET_ALIGNMENT * NET_ALIGNMENT);
  if (!p) exit(3);
  return p;
}
int main(int count, char **given) {
  const void *inputs[NET_INPUTS];
  void *outputs[NET_OUTPUTS], *workspace = room(NET_WORKSPACE_BYTES);
  for (int i = 0; i < NET_OUTPUTS; i++) outputs[i] = room(net_output_bytes[i]);
  void *values = room(net_input_bytes[0]);
  FILE *file = fopen(given[1], "rb");
  if (count != 4 || !file || fread(values, 1, net_input_bytes[0], file) != net_input_bytes[0]) return 2;
  inputs[0] = values;
  for (int i = 0; i < atoi(given[3]); i++)
    if (net_run(inputs, outputs, NULL, workspace, NET_WORKSPACE_BYTES, NULL)) return 1;
  file = fopen(given[2], "wb");
  return fwrite(outputs[0], 1, net_output_bytes[0], file) != net_output_bytes[0];
}
"""


class Machine:
    """QEMU with a processor, and the root of its system (empty without peers)."""

    def __init__(self, cpu: str, root: pathlib.Path | None, folder: pathlib.Path) -> None:
        self.cpu, self.root, self.folder = cpu, root, folder
        self.plugin = folder / "counted.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", self.plugin, HERE / "counted.c"], check=True)
        if root is not None:
            self._describe(root)

    def _describe(self, root: pathlib.Path) -> None:
        more = "" if self.cpu == "cortex-a72" else " asimddp"
        files = {"proc/cpuinfo": CPUINFO.format(more=more, part=PARTS[self.cpu])}
        files |= {f"sys/devices/system/cpu/{name}": "0\n" for name in ("possible", "present")}
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)

    def instructions(self, *command: str | pathlib.Path) -> int:
        """Of one inference, by a program whose last argument is how many it makes."""
        few, many = (self.run(*command, str(runs)) for runs in (FEW, MANY))
        return (many - few) // (MANY - FEW)

    def run(self, *command: str | pathlib.Path) -> int:
        """Instructions of a program."""
        to = self.folder / "instructions"
        emulator = ["qemu-aarch64", "-cpu", self.cpu, "-plugin", f"{self.plugin},to={to}"]
        system = ["-L", str(self.root)] if self.root is not None else []
        environment = os.environ | ({"PYTHONPATH": str(self.root / "site")} if self.root is not None else {})
        subprocess.run([*emulator, *system, *command], check=True, env=environment, stderr=subprocess.DEVNULL)
        return int(to.read_text())


def ours(model: native.Model, machine: Machine, cpu: str, value: np.ndarray) -> tuple[int, np.ndarray]:
    """Instructions, and the first output as it lies in memory."""
    model.converted("native", ".o", "--target", "aarch64", *(["--cpu", cpu] if cpu else []))
    folder = model.path.parent
    (folder / "main.c").write_text(MAIN)
    command = ["aarch64-linux-gnu-gcc", "-O2", "-static", "-o", "main", "main.c", "net.o", "-lm"]
    subprocess.run(command, check=True, cwd=folder)
    (folder / "in").write_bytes(value.tobytes())
    count = machine.instructions(folder / "main", folder / "in", folder / "out")
    return count, np.fromfile(folder / "out", np.float32)


def theirs(peer: str, model: native.Model, machine: Machine, value: np.ndarray) -> tuple[int, np.ndarray]:
    assert machine.root is not None
    plain = model._replace(scheme=[]) if model.precision == "float32" else model
    path = model.as_onnx if peer == "onnxruntime" else plain.converted("tflite", ".tflite")
    given, result = model.path.with_suffix(".in.npy"), model.path.with_suffix(".out.npy")
    np.save(given, value)
    command = (machine.root / "usr/bin/python3.11", HERE / "arm_peer.py", peer, path, given, result)
    machine.run(*command, str(FEW))  # Python writes its .pyc files
    count = machine.instructions(*command)
    return count, np.load(result).ravel()


def compare(name: str, machine: Machine, args: argparse.Namespace) -> None:
    path = machine.folder / name / "net.onnx"
    path.parent.mkdir()
    ({**native.MODELS, **native.FURTHER})[name](path)
    inputs = native.feeds(path)
    model = native.Model(path, native.scheme_of(path, args.precision, inputs), args.precision)
    (value,) = inputs.values()
    count, golden = ours(model, machine, args.our_cpu, value)
    print(f"{name}:\n  {'mlconv':12} {count / 1e6:10.1f} million instructions", flush=True)
    for peer in PEERS if machine.root is not None else ():
        other, out = theirs(peer, model, machine, value)
        error = float(np.abs(out - golden).max() / np.abs(golden).max())
        print(f"  {peer:12} {other / 1e6:10.1f}   {other / count:5.2f}x   differs by {error:.1e}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, help="of a system of that machine, with Python and the peers")
    parser.add_argument("--models", default=",".join(native.MODELS))
    parser.add_argument("--precision", choices=["float32", "int8", "dynamic-range"], default="float32")
    parser.add_argument("--cpu", choices=list(PARTS), default="cortex-a76", help="processor that QEMU is")
    parser.add_argument("--our-cpu", default="", help="instruction set of our objects, by default chosen at run time")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(args.cpu, args.root and args.root.resolve(), pathlib.Path(folder))
        for name in args.models.split(","):
            compare(name, machine, args)


if __name__ == "__main__":
    main()
