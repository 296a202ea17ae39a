"""LLVM IR text to an object, in memory."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError

TRIPLE = "x86_64-unknown-linux-gnu"


def compile_object(text: str, cpu: str) -> bytes:
    """A relocatable ELF object, position independent.  No mid-level passes: the generators write what those would."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        module = llvm.parse_assembly(text)
    except RuntimeError as error:
        raise ConversionError(Code.MLC0901, f"generated code is not valid: {error}") from error
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu=cpu, opt=2, reloc="pic", codemodel="small")
    image: bytes = machine.emit_object(module)
    return image
