"""HLO importer: an HloModuleProto becomes a module of `hlo.*` source ops."""

from __future__ import annotations

import os

from mlconv.ir.module import Module


def load(path: str | os.PathLike[str]) -> Module:
    """Read an HLO proto.  Inputs are `arg0`, ... (or the names of the file's parameters), outputs `out0`, ...

    Raises ConversionError MLC00xx and MLC01xx.
    """
    from mlconv.importers.hlo.graph import import_hlo

    return import_hlo(os.fspath(path))
