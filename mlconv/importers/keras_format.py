"""Files of Keras: read here where all of their layers are known, else by Keras in a process of its own.

`importers/keras` and `importers/tf` know nothing of one another; here they come together.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from mlconv.diagnostics import Code, ConversionError, Diagnostic, Severity
from mlconv.importers.format import CUT, Confidence, LoadRequest, SourceFormat
from mlconv.importers.sniff import suffix_of

if TYPE_CHECKING:
    from mlconv.importers.loaded import LoadedModel
    from mlconv.ir.module import Module


class Keras(SourceFormat):
    """Files of Keras.  Core ops are made of layers that are known, else the ops of the SavedModel that Keras writes."""

    name = "keras"
    label = "Keras"
    prefix = "tf."
    other_prefixes = ("hlo.",)
    legalization = "from-tf"
    needs = "tensorflow"
    takes: ClassVar[frozenset[str]] = CUT | {"signature", "tags", "imports", "unsafe_keras"}
    keeps_ops = True

    def recognises(self, head: bytes, path: str) -> Confidence:
        is_zip = head.startswith(b"PK\x03\x04") and suffix_of(path) == ".keras"
        return Confidence.CERTAIN if head.startswith(b"\x89HDF") or is_zip else Confidence.NO

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.importers.keras.fields import LeftToKerasError
        from mlconv.importers.loaded import LoadedModel

        try:
            return LoadedModel(_read(path, request))
        except LeftToKerasError as unknown:
            return _by_keras(path, request, str(unknown))

    def status(self) -> str:
        there = find_spec(self.needs) is not None
        return "reads" if there else f"reads built-in layers; others not, for {self.needs} is not installed"


def _read(path: str, request: LoadRequest) -> Module:
    """The model as it is read here.  Raises LeftToKerasError."""
    from mlconv.importers.keras.fields import LeftToKerasError

    if request.imports:
        raise LeftToKerasError("modules are imported, which may define custom objects")
    if request.keep_node_defs:
        raise LeftToKerasError("TensorFlow's ops may be kept")
    if request.signature or request.tags:
        raise LeftToKerasError("a signature is asked for, which a SavedModel has")
    from mlconv.importers.keras.model import read_keras

    module = read_keras(path, request.shapes)
    if request.inputs or request.outputs:
        raise ConversionError(Code.NameNotFound, "values are named, of which the file says nothing")
    return module


def _by_keras(path: str, request: LoadRequest, why: str) -> LoadedModel:
    """The SavedModel that Keras makes of the file."""
    from mlconv.importers.keras.process import to_saved_model
    from mlconv.importers.tf.format import SAVED_MODEL

    request.opened(name.replace(".", os.sep) + ".py" for name in request.imports)
    message = (
        f"{os.path.basename(path)} is a Keras file: loaded with "
        f"your Keras in a separate process, which takes some seconds"
    )
    diagnostic = Diagnostic(Code.VariantUnsupported, message, Severity.NOTE, notes=(f"not read without it: {why}",))
    request.engine.add(diagnostic)
    folder = to_saved_model(path, request.imports, request.unsafe_keras)
    loaded = SAVED_MODEL.load(folder.name, replace(request, imports=(), unsafe_keras=False))
    loaded.resources = (folder,)
    loaded.source["path"] = path
    return loaded


KERAS = Keras()
