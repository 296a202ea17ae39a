"""LLVM IR text to an object, in memory."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.exporters.native.targets import Target


def compile_object(text: str, target: Target) -> bytes:
    """A relocatable object, position independent.  No mid-level passes: the generators write what those would."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        module = llvm.parse_assembly(text)
    except RuntimeError as error:
        raise ConversionError(Code.MLC0901, f"generated code is not valid: {error}") from error
    backend = llvm.Target.from_triple(target.triple)
    machine = backend.create_target_machine(opt=2, reloc="pic", codemodel="small", abiname=target.abi)
    image: bytes = machine.emit_object(module)
    return image
