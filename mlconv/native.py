"""Native objects in process: an object file is loaded through llvmlite's linker, without a C compiler, and called through its C ABI."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array

ABI_VERSION = 1


class NativeModel:
    """A loaded object.  Calls use the model's own workspace: one call at a time for each `NativeModel`."""

    def __init__(self, path: str, facts: dict[str, Any]) -> None:
        from llvmlite import binding as llvm

        self.facts = facts
        self.inputs = [(i["name"], np.dtype(i["dtype"]), tuple(i["shape"])) for i in facts["inputs"]]
        self.outputs = [(o["name"], np.dtype(o["dtype"]), tuple(o["shape"])) for o in facts["outputs"]]
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_path(path))
        self._engine.finalize_object()
        address = self._engine.get_function_address(facts["entry"])
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self._call = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, pointer, pointer, size, pointer)(address)
        room = np.empty(facts["workspace_bytes"] + facts["alignment"], np.uint8)
        skip = -room.ctypes.data % facts["alignment"]
        self._workspace = room[skip : skip + facts["workspace_bytes"]]

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """{input name: array} to {output name: array}; types and shapes must be the model's own.

        Raises ConversionError MLC0107, MLC0201, MLC0202; MLC0702 when the object reports an error.
        """
        arrays = [self._checked(inputs, *facts) for facts in self.inputs]
        results = [np.empty(shape, dtype) for _, dtype, shape in self.outputs]
        ins = (ctypes.c_void_p * max(1, len(arrays)))(*(a.ctypes.data for a in arrays))
        outs = (ctypes.c_void_p * max(1, len(results)))(*(a.ctypes.data for a in results))
        code = self._call(ctypes.addressof(ins), ctypes.addressof(outs), None, self._workspace.ctypes.data, self._workspace.nbytes, None)
        if code:
            reason = next((k for k, v in self.facts["errors"].items() if v == code), "unknown")
            raise ConversionError(Code.MLC0702, f"{self.facts['entry']} returned the error {code} ({reason}); it needs {self.facts['cpu']}")
        return {name: array for (name, _, _), array in zip(self.outputs, results, strict=True)}

    def _checked(self, inputs: Mapping[str, Any], name: str, dtype: Any, shape: tuple[int, ...]) -> Array:
        if name not in inputs:
            raise ConversionError(Code.MLC0107, f"missing input {name!r}; the model's inputs are {[n for n, _, _ in self.inputs]}")
        array = np.ascontiguousarray(inputs[name])
        if array.dtype != dtype:
            raise ConversionError(Code.MLC0202, f"input {name} is {array.dtype}, the model takes {dtype}")
        if array.shape != shape:
            raise ConversionError(Code.MLC0201, f"input {name} has shape {list(array.shape)}, the model takes {list(shape)}")
        return array


def load_native(path: str | os.PathLike[str]) -> NativeModel:
    """Load `model.o` with the `model.io.json` beside it.

    Raises ConversionError: MLC0001 when either is missing, MLC0702 when this machine cannot run it.
    """
    from llvmlite import binding as llvm

    name = os.fspath(path)
    contract = os.path.splitext(name)[0] + ".io.json"
    try:
        with open(contract, encoding="utf-8") as f:
            facts = json.load(f)
        os.stat(name)
    except (OSError, ValueError) as e:
        raise ConversionError(Code.MLC0001, f"{name} cannot be loaded with its contract {contract}: {e}") from e
    if facts.get("version") != ABI_VERSION or facts.get("target") != "native":
        raise ConversionError(Code.MLC0702, f"{contract} is no contract of a native object of version {ABI_VERSION}")
    here = llvm.get_process_triple().split("-")[0]
    if facts["triple"].split("-")[0] != here:
        raise ConversionError(Code.MLC0702, f"{name} is for {facts['triple']}, this machine is {here}")
    return NativeModel(name, facts)
