"""Programs that torch.export saved: torch opens them, in a process of its own, and writes them as ONNX.

A `.pt2` archive may hold pickles, which run code when they are opened; nothing of it is opened here.  The ONNX file has
the lines of the module's source, as torch.export recorded them.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from mlconv.diagnostics import Code, ConversionError, Diagnostic, Severity
from mlconv.importers.format import CUT, Confidence, LoadRequest, SourceFormat
from mlconv.importers.sniff import suffix_of

if TYPE_CHECKING:
    from mlconv.importers.loaded import LoadedModel

_SCRIPT = """
import importlib, os, sys
source, target, *modules = sys.argv[1:]
if modules:
    sys.path.append(os.getcwd())
for module in modules:
    importlib.import_module(module)
import torch
program = torch.export.load(source)
torch.onnx.export(program, dynamo=True, verbose=False, output_names=output_names(program)).save(target)
"""


class TorchExport(SourceFormat):
    """Archives of torch.export.  Their ops are those of the ONNX model that torch makes of them."""

    name = "torch_export"
    label = "torch.export"
    prefix = "onnx."
    legalization = "from-onnx"
    needs = "torch"
    takes: ClassVar[frozenset[str]] = CUT | {"imports"}
    keeps_ops = True

    def recognises(self, head: bytes, path: str) -> Confidence:
        return Confidence.CERTAIN if head.startswith(b"PK\x03\x04") and suffix_of(path) == ".pt2" else Confidence.NO

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        import inspect

        from mlconv.importers import torch_names
        from mlconv.importers.child import Folder, last_words
        from mlconv.importers.onnx.format import FORMAT

        request.opened(name.replace(".", os.sep) + ".py" for name in request.imports)
        message = f"{os.path.basename(path)} is an archive of torch.export: your torch makes an ONNX model of it"
        request.engine.add(Diagnostic(Code.VariantUnsupported, message, Severity.NOTE))
        folder = Folder("mlconv-torch-")
        target = os.path.join(folder.name, "model.onnx")
        script = inspect.getsource(torch_names) + _SCRIPT
        said = last_words(script, [path, target, *request.imports], f"torch did not load {path}")
        if said is not None:
            folder.remove()
            raise _refusal(path, said)
        loaded = FORMAT.load(target, replace(request, imports=()))
        loaded.resources = (*loaded.resources, folder)
        loaded.source["path"] = target
        return loaded


def _refusal(path: str, said: list[str]) -> ConversionError:
    """Why torch did not write the model."""
    for package in ("torch", "onnxscript"):
        if f"No module named '{package}'" in said[0]:
            return ConversionError(
                Code.PackageMissing,
                f"{path} is an archive of torch.export, and {package} is not installed",
                help=f"pip install {package}",
            )
    return ConversionError(
        Code.VariantUnsupported,
        f"torch cannot make an ONNX model of {path}: {said[0]}",
        notes=tuple(said[1:4]),
        help="name the module that registers the model's own ops with --import MODULE",
    )


TORCH_EXPORT = TorchExport()
