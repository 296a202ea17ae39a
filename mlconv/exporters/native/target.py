"""The target `native`: objects for linkers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.exporters.target import (
    IN_FLOAT32,
    ComputedElsewhere,
    MachineRow,
    Target,
    TargetOptions,
    WriteRequest,
    setting,
)

if TYPE_CHECKING:
    from mlconv.exporters.memory import MemoryUse
    from mlconv.formats.run_files import RunFiles
    from mlconv.ir.module import Module
    from mlconv.runtime.verify import Runner

FUSIONS = (
    "kernel-fuse-maps,kernel-elide-copies,kernel-fuse-rows,kernel-fuse-attention,kernel-fuse-convs,kernel-fuse-parts,"
    "kernel-round-factors"
)


@dataclass(frozen=True)
class NativeOptions(TargetOptions):
    """Options of native objects."""

    weights: str = setting("inline", "weights in the object, or in a file beside it.", choices=("inline", "file"))
    machine: str = setting(
        "", "the machine, e.g. aarch64-linux-gnu; by default this one.", flag="target", metavar="TRIPLE"
    )
    cpu: str = setting(
        "",
        "one instruction set, or a processor by LLVM's name; by default all of the target, chosen among at run time.",
        metavar="NAME",
    )
    features: str = setting("", "features of LLVM to add or leave out.", metavar="+A,-B")
    tune: bool = setting(False, "choose register tiles, column tiles, blocks and row tiles by timing on this machine.")
    tune_cache: str = setting("", "keep what was chosen, and take them from there.", metavar="FILE", is_path=True)
    winograd: str = setting(
        "auto",
        "convolutions by Winograd's algorithm, whose weights are several times as large: where it is faster in models "
        "that do not come quantized, wherever it is faster, or nowhere.",
        choices=("auto", "faster", "never"),
        lowers=True,
    )
    optimize: str = setting(
        "speed",
        "all instruction sets and transformed weights, or an object near the size of its weights.",
        choices=("speed", "size"),
        lowers=True,
    )
    pool: bool = setting(False, "with a small thread pool.")
    shared: bool = setting(False, "also MODEL.so, by cc or ld.")
    archive: bool = setting(False, "also MODEL.a.")
    example: bool = setting(False, "also MODEL.example.c, a program that calls it.")
    emit_code: str = setting(
        "",
        "also MODEL.SET.ll (LLVM IR) and MODEL.SET.s (assembly) of each instruction set, with source lines.",
        flag="emit",
        metavar="llvm,asm",
    )
    extern: tuple[str, ...] = setting(
        (),
        "an op that a C function computes, or a TOML file of such. Repeatable.",
        metavar="OP=SYMBOL|FILE.toml",
        parse=str,
        many=True,
        lowers=True,
    )
    library: str = setting("", "the shared library with the functions of --extern, to run them here.", metavar="FILE")
    reduce_float64: bool = setting(False, IN_FLOAT32, lowers=True)
    self_test: bool = setting(False, "also MODEL.test.c and its data, a program that checks it on recorded inputs.")


class Native(Target):
    """Object files with a C header, compiled by LLVM."""

    name = "native"
    label = "Native code"
    suffix = ".o"
    op_bytes = 2500  # code for three instruction sets, and tables of lines
    prefix = "kernel."
    widens_float16 = True
    computes_quantized = True
    quantizes_trained = True
    windows_anywhere = True
    multiplies_stored_weights = True
    quantized_ops = "windows=true,tables=true,int16=true,sums=true,chains=true,least=1024"
    schedules = "kernel-schedule"
    options: ClassVar[type[TargetOptions]] = NativeOptions

    def pipeline(self, options: NativeOptions) -> str:
        from mlconv.codegen.machines.targets import candidates, target_named
        from mlconv.dialects.kernel import WORD

        machine = target_named(options.machine)
        cpus = candidates(machine, options.cpu, options.features)
        unsigned, small = machine.unsigned, options.optimize == "size"
        winograd = options.winograd != "never" and not small
        pairs = all(c.pairs and not c.dots for c in cpus)  # else weights of two forms lie in the object
        forms = {"winograd": winograd, "unsigned": unsigned, "small": small, "pairs": pairs}
        forms["grows"] = options.winograd == "faster"
        forms["caches"] = not (small or machine.bare)
        given = ",".join(f"{name}={str(value).lower()}" for name, value in forms.items())
        places = cpus[-1].places
        given += "" if machine.dispatch or places == WORD else f",places={places}"
        first = f"to-kernel{{{given}}}"
        fusions = FUSIONS.replace("fuse-convs", "fuse-convs{memory=true}") if machine.bare else FUSIONS
        last = f"{first},{fusions},cse{{fills=false}},{_claims(options)}"
        last += f"{',kernel-unsign' if unsigned else ''},{self.schedules}"
        kept = "apart=true,rounded=true,sums=true"
        sizes = (
            "data-sizes,refine-shapes,expand-resize{stretched=true},expand-transforms,size-conditions{branches=true}"
        )
        passes = f"reduce-float16,dce,quant-to-arithmetic{{{kept}}},cse,join-tables,{sizes},{last}"
        return self.reduced(passes, options.reduce_float64)

    def claim(self, options: NativeOptions, files: RunFiles | None) -> None:
        from mlconv.formats.atomic import check_target

        if options.tune_cache:
            check_target(Path(options.tune_cache), files, "the tuning cache")

    def prepare(self, module: Module, options: NativeOptions, verified: bool) -> Any:
        """The recorded runs of a self-test."""
        from mlconv.codegen.machines.targets import candidates, target_named
        from mlconv.codegen.program.compile import check_features

        machine, here = target_named(options.machine), target_named("")
        candidates(machine, options.cpu, options.features)
        if options.features:
            check_features(machine, options.features)
        if verified and (machine.arch, machine.format) != (here.arch, here.format):
            raise ConversionError(
                Code.VerificationImpossible,
                f"code for {machine.triple} cannot be verified on this machine",
                help="leave --verify out, or use --self-test",
            )
        if verified:
            bind_functions(module)
        if not options.self_test:
            return None
        from mlconv.interp import run_function
        from mlconv.runtime.inputs import random_inputs

        inputs = random_inputs(module.main)
        return inputs, run_function(module.main, inputs)

    def write(self, module: Module, options: NativeOptions, request: WriteRequest) -> int:
        from mlconv.codegen.kernels.kind import KINDS
        from mlconv.codegen.settings import Settings
        from mlconv.exporters.native.export import export

        kinds = {**KINDS, **request.kernels}
        settings = Settings(
            machine=options.machine,
            cpu=options.cpu,
            features=options.features,
            separate_weights=options.weights == "file",
            pool=options.pool,
            shared=options.shared,
            archive=options.archive,
            example=options.example,
            vectors=request.prepared,
            choices=tuned_choices(module, options, kinds),
            listings=_kinds_of_listings(options),
            small=options.optimize == "size",
            interface=request.interface,
            kinds=kinds,
        )
        request.computed.extend(computed_elsewhere(module, kinds))
        request.tell("compile kernels", settings.progress.fraction)
        return export(module, request.path, settings, request.sizes)

    def beside(self, artifact: Path, options: NativeOptions, io_json: bool) -> list[str]:
        asked = {
            ".h": True,
            ".io.json": True,
            ".weights.bin": options.weights == "file",
            ".so": options.shared,
            ".a": options.archive,
            ".example.c": options.example,
            ".test.c": options.self_test,
            ".test.bin": options.self_test,
        }
        suffixes = [suffix for suffix, is_asked in asked.items() if is_asked]
        return [artifact.stem + suffix for suffix in (*suffixes, *_listings(options))]

    def writes_interface(self) -> bool:
        return True

    def memory(self, module: Module, kernels: Mapping[str, str]) -> MemoryUse:
        from mlconv.codegen.kernels.kind import KINDS
        from mlconv.codegen.program.memory import buffers
        from mlconv.codegen.program.memory_plan import plan_memory
        from mlconv.exporters.memory import Held, MemoryUse

        kinds, block = {**KINDS, **kernels}, module.main.block
        plan = plan_memory(block, kinds)
        return MemoryUse(plan.arena_bytes, plan.weight_bytes, [Held(*b) for b in buffers(block, plan, kinds)])

    def runner(self, path: str) -> Runner:
        from mlconv.runtime.verify import NativeRunner

        return NativeRunner(path)

    def status(self) -> str:
        from mlconv.codegen.machines.targets import target_named
        from mlconv.codegen.program.compile import host_cpu

        return f"writes, runs and verifies {target_named('').triple} ({host_cpu()})"

    def machines(self) -> list[MachineRow]:
        from mlconv.codegen.machines.features import needs, used_for
        from mlconv.codegen.machines.targets import tables, target_named
        from mlconv.codegen.program.compile import host_cpus

        here, had = target_named("").cpus, host_cpus()
        return [
            MachineRow(arch, c.name, needs(c), used_for(c), cpus is here and c.name in had)
            for arch, cpus in tables().items()
            for c in cpus
        ]


def _claims(options: NativeOptions) -> str:
    """The pass that gives kernels to plug-ins; what they are measured by, where that is asked."""
    given = {"tune": "true"} if options.tune else {}
    given |= {"cache": json.dumps(options.tune_cache)} if options.tune_cache else {}
    given |= {"machine": options.machine, "cpu": options.cpu} if given else {}
    inner = ",".join(f"{name}={value}" for name, value in given.items() if value)
    return f"kernel-claim{{{inner}}}" if inner else "kernel-claim"


def computed_elsewhere(module: Module, kinds: Mapping[str, str]) -> list[ComputedElsewhere]:
    """The kernels of a module that call functions of other libraries."""
    from mlconv.codegen.program.foreign import foreign_uses
    from mlconv.dialects.kernel import ForeignCall

    return [
        ComputedElsewhere(
            u.source, u.node, u.line, u.function.name, u.function.libraries, isinstance(u.problem, ForeignCall)
        )
        for u in foreign_uses(module.main.block, kinds)
    ]


def bind_functions(module: Module) -> None:
    """C functions that ops of a module of core ops are computed by, in this process.  Raises ConversionError
    ForeignUnavailable.
    """
    from mlconv.codegen.program.libraries import bind_function
    from mlconv.dialects import core

    for op in module.walk():
        if isinstance(op, core.Foreign):
            bind_function(op.symbol, [op.library] if op.library else [], what=op.source)


def _kinds_of_listings(options: NativeOptions) -> tuple[str, ...]:
    if not options.emit_code:
        return ()
    from mlconv.exporters.native.listings import kinds_of

    return tuple(kinds_of(options.emit_code))


def _listings(options: NativeOptions) -> list[str]:
    """Suffixes of IR and assembly, of all instruction sets that there may be code for."""
    if not options.emit_code:
        return []
    from mlconv.codegen.machines.targets import candidates, target_named
    from mlconv.exporters.native.listings import kinds_of, listing_suffixes

    cpus = candidates(target_named(options.machine), options.cpu, options.features)
    return listing_suffixes(kinds_of(options.emit_code), cpus)


def tuned_choices(module: Module, options: NativeOptions, kinds: Mapping[str, str]) -> Any:
    """What `tune` and `tune_cache` choose for the kernels of a module, for this machine's instruction set.  Raises
    ConversionError.
    """
    if not options.tune and not options.tune_cache:
        return {}
    from mlconv.codegen.program.tune import tuned, tuning_cpu

    block = module.main.block
    cpu = tuning_cpu(options.machine, options.cpu, options.tune, block, kinds)
    return tuned(block, cpu, options.tune, options.tune_cache, kinds)


TARGET = Native()
