"""Packages that mlconv uses: what is installed of them, and what each enables."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import NamedTuple, TypedDict


class Package(NamedTuple):
    """module: that is imported.  names: of distributions that have it, the usual one first.  needed: nothing works
    without it.
    """

    module: str
    names: tuple[str, ...]
    enables: str
    needed: bool = False


class PackageFacts(TypedDict):
    """version: None where it is not installed.  install: the command that gets it."""

    name: str
    version: str | None
    needed: bool
    enables: str
    install: str


PACKAGES = (
    Package("onnx", ("onnx",), "ONNX files", needed=True),
    Package("numpy", ("numpy",), "constants, the reference interpreter", needed=True),
    Package("flatbuffers", ("flatbuffers",), "TFLite files", needed=True),
    Package("llvmlite", ("llvmlite",), "native code: --to native, run, bench, calibration", needed=True),
    Package("click", ("click",), "the command line", needed=True),
    Package("rich", ("rich",), "colours and progress", needed=True),
    Package(
        "tensorflow",
        ("tensorflow", "tensorflow-cpu", "tensorflow-macos", "tensorflow-intel"),
        "Keras files with layers of their own; --verify-with source for SavedModel, GraphDef and Keras; Keras models "
        "and functions of TensorFlow in a program",
    ),
    Package("ai_edge_litert", ("ai-edge-litert",), "--verify of TFLite files, and their interpreter in verify"),
    Package("onnxruntime", ("onnxruntime", "onnxruntime-gpu"), "--verify of ONNX files; simplify verifies with it"),
    Package("jax", ("jax",), "--verify of HLO and StableHLO on XLA; functions of jax in a program"),
    Package("torch", ("torch",), "programs of torch.export (.pt2); torch modules in a program"),
    Package("PIL", ("pillow",), "images as samples and inputs"),
    Package("distributed", ("distributed",), "--jobs dask:ADDRESS"),
)


def installed_packages() -> Iterator[PackageFacts]:
    """All that are used, none of which is imported for it."""
    for package in PACKAGES:
        there = find_spec(package.module) is not None
        yield {
            "name": package.names[0],
            "version": _version(package) if there else None,
            "needed": package.needed,
            "enables": package.enables,
            "install": f"pip install {package.names[0]}",
        }


def _version(package: Package) -> str:
    """Of a package that is there; `unknown` for one that no installer put there."""
    for name in package.names:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return "unknown"
