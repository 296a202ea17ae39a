"""Core ops to artifacts: one function for each target, which legalizes a module and writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.driver.options import Options
from mlconv.ir.module import Module, clone_module


def _write_tflite(module: Module, engine: DiagnosticEngine, options: Options, path: str) -> int:
    from mlconv.exporters.tflite.export import export
    from mlconv.legalize.to_tfl.driver import legalize
    from mlconv.passes.relocate import relocate

    legalize(module, engine, options.reduce_float64)
    engine.raise_errors()
    relocate(module, options.strip_locations, options.path_map)
    return export(module, path)


def _write_hlo(module: Module, engine: DiagnosticEngine, options: Options, path: str) -> int:
    from mlconv.exporters.hlo.export import export
    from mlconv.exporters.hlo.sharding import Sharding
    from mlconv.legalize.to_hlo.driver import legalize
    from mlconv.passes.relocate import relocate

    legalize(module, engine)
    engine.raise_errors()
    relocate(module, options.strip_locations, options.path_map)
    return export(module, path, options.weights == "parameters", Sharding(options.mesh, options.shard_rules))


def _write_stablehlo(module: Module, engine: DiagnosticEngine, options: Options, path: str) -> int:
    from mlconv.exporters.hlo.sharding import Sharding
    from mlconv.exporters.hlo.stablehlo import export_text
    from mlconv.legalize.to_hlo.driver import legalize
    from mlconv.passes.relocate import relocate

    legalize(module, engine)
    engine.raise_errors()
    relocate(module, options.strip_locations, options.path_map)
    return export_text(module, path, Sharding(options.mesh, options.shard_rules))


def claim_tune_cache(options: Options) -> None:
    """The tuning cache can be written, and is nothing else of the run.  Raises ConversionError MLC0007."""
    from mlconv.formats.atomic import check_target

    if options.tune_cache:
        check_target(Path(options.tune_cache), options.files, "the tuning cache")


def native_choices(module: Module, options: Options) -> Any:
    """What `--tune` and `--tune-cache` choose for the kernels of a module, for this machine's instruction set.  Raises
    ConversionError.
    """
    if not options.tune and not options.tune_cache:
        return {}
    from mlconv.codegen.machines.targets import chosen_cpus, target_named
    from mlconv.codegen.program.compile import host_cpu
    from mlconv.codegen.program.tune import tuned

    here = target_named("")
    if target_named(options.machine).arch != here.arch:
        raise ConversionError(
            Code.UsageError, f"tiles are chosen by timing on this machine, which is not {options.machine}"
        )
    best, cpu = host_cpu(), chosen_cpus(here, options.cpu or host_cpu(), "")[0]
    names = [c.name for c in here.cpus]
    if options.tune and here.dispatch and names.index(cpu.name) > names.index(best):
        raise ConversionError(
            Code.UsageError, f"tiles are chosen by timing on this machine, which has {best} and not {cpu.name}"
        )
    return tuned(module.main.block, cpu, options.tune, options.tune_cache)


def _write_native(module: Module, engine: DiagnosticEngine, options: Options, path: str) -> int:
    from mlconv.codegen.machines.targets import chosen_cpus, target_named
    from mlconv.codegen.program.compile import check_features
    from mlconv.codegen.settings import Settings
    from mlconv.driver.interface import contract_of
    from mlconv.exporters.native.export import export
    from mlconv.legalize.to_kernel.driver import legalize
    from mlconv.passes.relocate import relocate
    from mlconv.runtime.inputs import random_inputs

    machine, here = target_named(options.machine), target_named("")
    chosen_cpus(machine, options.cpu, options.features)
    if options.features:
        check_features(machine, options.features)
    if options.verify and (machine.arch, machine.format) != (here.arch, here.format):
        raise ConversionError(
            Code.VerificationImpossible,
            f"code for {machine.triple} cannot be verified on this machine",
            help="leave --verify out, or use --self-test",
        )
    interface, reference = contract_of(module, "native", path), clone_module(module) if options.self_test else None
    legalize(module, engine, options.winograd == "auto")
    engine.raise_errors()
    relocate(module, options.strip_locations, options.path_map)
    choices = native_choices(module, options)
    vectors = None
    if reference is not None:
        inputs = random_inputs(reference.main)
        vectors = inputs, reference.run(inputs)
    settings = Settings(
        options.machine,
        options.cpu,
        options.features,
        options.weights == "file",
        options.pool,
        False,
        options.shared,
        options.archive,
        options.example,
        vectors,
        choices,
        interface,
    )
    return export(module, path, settings)


# By target: legalizes a module of core ops and writes it; the prefix of the target's ops.
WRITERS: dict[str, tuple[Callable[[Module, DiagnosticEngine, Options, str], int], str]] = {
    "tflite": (_write_tflite, "tfl."),
    "hlo": (_write_hlo, "hlo."),
    "stablehlo": (_write_stablehlo, "hlo."),
    "native": (_write_native, "kernel."),
}
