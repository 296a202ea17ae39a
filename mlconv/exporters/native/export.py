"""A module of kernel calls to `model.o`, `model.h`, `model.io.json` and the files that are asked for besides."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import Target, target_named
from mlconv.codegen.objects.objects import undefined_symbols, with_weights
from mlconv.codegen.program.compile import compilation, effort_that_repays
from mlconv.codegen.program.defined import check_defined
from mlconv.codegen.program.fits import fits
from mlconv.codegen.program.foreign import ForeignUse, check_foreign_names, check_foreign_uses, foreign_uses
from mlconv.codegen.program.memory_plan import MemoryPlan, plan_memory
from mlconv.codegen.program.module import module_text
from mlconv.codegen.program.sets import made_for
from mlconv.codegen.settings import Settings
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.dialects.kernel import KernelOp
from mlconv.exporters.native.abi.header import header, io_facts
from mlconv.exporters.native.abi.names import Built, identifier
from mlconv.exporters.native.parts import file_sizes, smaller
from mlconv.exporters.target import FileSizes
from mlconv.formats.atomic import replacing, write_pieces
from mlconv.ir.core import Block, Yield, walk
from mlconv.ir.module import Function, Module

# Of everything that may be written beside MODEL.o.
_BESIDE = (".h", ".io.json", ".weights.bin", ".so", ".a", ".example.c", ".test.c", ".test.bin")
_OWN = (KernelOp, Constant, Yield)
_PIECE = 1 << 18  # bytes of weights: such fit into what compilation leaves free
Pieces = Iterator[bytes | memoryview]


def export(module: Module, path: str, settings: Settings, sizes: FileSizes | None = None) -> int:
    """Write the object, its header and its model interface beside it, and what else is asked for; returns the object's
    size in bytes.  sizes: where what they are goes.

    Raises ConversionError: UsageError for unknown names, TargetUnavailable for what the machine does not have,
    TargetLacksOp for ops that are no kernel calls, OutputNotWritable, ArtifactInvalid.
    """
    target, machine = Path(path), target_named(settings.machine)
    command = list[str]()
    if settings.shared:
        from mlconv.codegen.objects.archive import linker

        command = linker(machine)
    _check_request(target, machine, settings)
    built, image = _built(module.main, target, machine, settings)
    if sizes is not None:
        sizes.model_weights, sizes.parts = built.sizes.model_weights, built.sizes.parts
    return _write(built, image, target, command)


def _check_request(target: Path, machine: Target, settings: Settings) -> None:
    """Raises ConversionError for what cannot be made, whatever the model."""
    if settings.archive and machine.format == "macho":
        raise ConversionError(
            Code.TargetUnavailable,
            "static libraries are not made for macOS, whose linker wants a form of its own",
            help="link the object itself",
        )
    if settings.pool and not ("linux" in machine.triple or machine.format == "macho"):
        raise ConversionError(
            Code.TargetUnavailable, f"the thread pool needs POSIX threads, which {machine.triple} does not have"
        )
    if target.name in [target.stem + suffix for suffix in _BESIDE]:
        raise ConversionError(
            Code.UsageError,
            f"{target.name} is the name of a file that goes beside the object",
            help="name the object MODEL.o or MODEL.obj",
        )


def _built(function: Function, target: Path, machine: Target, settings: Settings) -> tuple[Built, bytes]:
    """What the object is made of, and the object without its weights."""
    prefix, block = identifier(target.stem.split(".")[0]), function.block
    _check_ops(block)
    cpus = made_for(machine, settings.cpu, settings.features, block, settings.kinds)
    check_defined(block)
    layout = plan_memory(block, settings.kinds)
    asked = _fits(function, layout, machine, settings)
    uses = foreign_uses(block, settings.kinds)
    check_foreign_uses(uses)

    while True:
        image = _compilation(prefix, machine, cpus, layout, block, settings, asked, uses)()
        parts = file_sizes(image, machine, cpus, layout, block)
        form = smaller(parts, cpus, settings.sums) if settings.small else None
        if form is None:
            break
        cpus, settings = cpus[: form.sets], replace(settings, sums=form.sums)
    symbols = undefined_symbols(image, machine, {u.function.name for u in uses})
    built = Built(prefix, target.stem, function, layout, machine, cpus, symbols, settings, target.name, sizes=parts)
    return built._replace(code=bytes(next(_object(image, built)))), image


def _compilation(
    prefix: str,
    machine: Target,
    cpus: Sequence[Cpu],
    layout: MemoryPlan,
    block: Block,
    settings: Settings,
    asked: Sequence[str],
    uses: list[ForeignUse],
) -> Callable[[], bytes]:
    """What makes the object without its weights."""
    settings.progress.begin(sum(isinstance(op, KernelOp) for op in walk(block)) * len(cpus))
    text, nanoseconds = module_text(prefix, machine, cpus, layout, block, settings, asked)
    check_foreign_names(uses, text)
    settings.progress.optimizes()
    for constant, _ in layout.weights:
        constant.release()  # what passes have looked at
    return compilation(text, machine, cpus[0], effort_that_repays(text, settings.runs, nanoseconds))


def _fits(function: Function, layout: MemoryPlan, machine: Target, settings: Settings) -> list[str]:
    """What is asked of sizes that are known at run time."""
    ranges = {**function.facts.where.ranges, **(settings.interface or {}).get("ranges", {})}
    return fits(layout, function, machine.pointer, ranges, settings.kinds) if layout.symbols else []


def _write(built: Built, image: bytes, target: Path, command: list[str]) -> int:
    """All files; returns the object's size in bytes.  command: to link it, or nothing."""
    prefix, stem, settings = built.prefix, built.stem, built.settings
    with contextlib.ExitStack() as stack:
        for suffix, pieces in _side_files(built).items():
            out = stack.enter_context(replacing(target.with_name(stem + suffix)))
            write_pieces(out, pieces)

        def link_too(whole: Path) -> None:
            from mlconv.codegen.objects.archive import link

            link(command, whole, target.with_name(f"{stem}.so"))

        out = stack.enter_context(replacing(target, link_too if settings.shared else None))
        size = write_pieces(out, _object(image, built))
        if settings.archive:
            from mlconv.codegen.objects.archive import archive

            static = stack.enter_context(replacing(target.with_name(f"{stem}.a")))
            defined = [
                f"{prefix}_run",
                f"{prefix}_workspace_bytes",
                *([f"{prefix}_pool_create", f"{prefix}_pool_destroy"] if settings.pool else []),
            ]
            static.writelines(archive(f"{stem}.o", size, _object(image, built), defined))
    return size


def _check_ops(block: Block) -> None:
    for op in walk(block):
        if not isinstance(op, _OWN):
            raise ConversionError(Code.TargetLacksOp, f"{op.describe()} is no kernel call", location=op.location)


def _object(image: bytes, built: Built) -> Pieces:
    """The object with its weights, in pieces."""
    if built.plan.weight_bytes and not built.settings.separate_weights:
        return with_weights(
            image, built.target, f"{built.prefix}_weights", built.plan.weight_bytes, _weights(built.plan)
        )
    return iter([image])


def _side_files(built: Built) -> dict[str, Pieces]:
    """Contents of the files beside the object, by suffix."""
    settings = built.settings
    interface = json.dumps(io_facts(built), indent=1, ensure_ascii=False) + "\n"
    files: dict[str, Pieces] = {
        ".h": iter([_bytes(header(built))]),
        ".io.json": iter([interface.encode("utf-8", "backslashreplace")]),
    }
    if built.weights_file:
        files[".weights.bin"] = _weights(built.plan)
    if settings.listings:
        from mlconv.exporters.native.listings import listings

        for suffix, text in listings(built, _fits(built.function, built.plan, built.target, settings)):
            files[suffix] = iter([_bytes(text)])
    if settings.example:
        from mlconv.exporters.native.abi.examples import example

        files[".example.c"] = iter([_bytes(example(built))])
    if settings.vectors is not None:
        from mlconv.exporters.native.abi.examples import self_test, vector_bytes

        files[".test.c"] = iter([_bytes(self_test(built, settings.vectors[0]))])
        files[".test.bin"] = vector_bytes(built, *settings.vectors)
    return files


def _bytes(source: str) -> bytes:
    """C source.  Names of files in it are as the system has them, UTF-8 or not."""
    return source.encode("utf-8", "surrogateescape")


def _weights(layout: MemoryPlan) -> Pieces:
    """Constants in order, with zeros between them.  What was read for one is not kept in memory for the next."""
    starts = [at for _, at in layout.weights]
    for (constant, at), following in zip(layout.weights, [*starts[1:], layout.weight_bytes], strict=True):
        yield from constant.blocks(_PIECE)
        yield bytes(following - at - constant.nbytes)
        constant.release()
