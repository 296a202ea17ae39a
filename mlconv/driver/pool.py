"""Modules of core ops that are run on many samples: as native code where there is some for all of them, here or on
workers; else by the reference interpreter, here.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

from mlconv.codegen.progress import Compiling
from mlconv.diagnostics import ConversionError, Family
from mlconv.driver.context import Context
from mlconv.driver.inprocess import compile_to, compiled
from mlconv.driver.options import Options
from mlconv.interp import run_function
from mlconv.ir.module import Module
from mlconv.quantize.collect import Chunk, Run, Work
from mlconv.runtime.native import load_native
from mlconv.runtime.programs import OBJECT, run_on_samples
from mlconv.runtime.workers import Done, Pending, Workers

R = TypeVar("R")
OnCompile = Callable[[Compiling], None]
_MOST_FOLDED = 1 << 28  # nothing is written: weights that two ops read are brought into their order once, beforehand


class Program:
    """A module that is ready to run.  shared: its object's folder, for workers; None where only this process runs
    it.
    """

    def __init__(self, run: Run | None, path: str = "", shared: object = None) -> None:
        """run: None where an object at a path is to be loaded once this process runs it."""
        self._run, self._path, self.shared = run, path, shared

    @property
    def run(self) -> Run:
        """In this process."""
        if self._run is None:
            self._run = load_native(self._path).run
        return self._run


class NativePool:
    """A context.  workers: they end with it; None where this process does all.  on_compile: is told of each object that
    is made, while that is under way.
    """

    def __init__(
        self,
        options: Options,
        context: Context,
        workers: Workers | None,
        on_compile: OnCompile = lambda progress: None,
    ) -> None:
        settings: dict[str, Any] = {
            "dump_ir": "",
            "print_ir_after": "",
            "verify_each": False,
            "fold_limit": _MOST_FOLDED,
        }
        self.options = replace(options, target={"winograd": "never"}, **settings)
        self.context, self.workers, self.on_compile = context, workers, on_compile

    def __enter__(self) -> NativePool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.workers is not None:
            self.workers.close(at_once=kind is not None)

    def ready(self, module: Module, runs: int = 0) -> Program:
        """Raises ConversionError for what is wrong with the module, but that native code has no form for it."""
        progress = Compiling()
        self.on_compile(progress)
        try:
            if self.workers is None:
                made = compiled(module, self.options, context=self.context, runs=runs, progress=progress)
                return Program(made.model.run)
            return self._shared(module, self.workers, runs, progress)
        except ConversionError as error:
            first = (*error.diagnostics, error.diagnostic)[0]
            if first.code.family not in (Family.Types, Family.Target, Family.SourceOps):
                raise
        return Program(lambda inputs: run_function(module.main, inputs))

    def _shared(self, module: Module, workers: Workers, runs: int, progress: Compiling) -> Program:
        """An object in a folder that goes with the program."""
        folder = tempfile.mkdtemp(prefix="mlconv-")
        program = Program(None, os.path.join(folder, OBJECT))
        weakref.finalize(program, shutil.rmtree, folder, ignore_errors=True)
        path = os.path.join(folder, OBJECT)
        compile_to(path, module, self.options, self.context, serial=True, runs=runs, progress=progress)
        program.shared = workers.share(folder)
        return program

    def map(self, work: Work[R], chunks: Iterable[Chunk]) -> Iterator[R]:
        """What `work` makes of each chunk, in order; what only this process can run is run here."""
        if self.workers is None:
            for chunk in chunks:
                yield work((program.run, sample) for program, sample in chunk)
        else:
            yield from self.workers.in_order(self._submitted(work, chunk, self.workers) for chunk in chunks)

    def _submitted(self, work: Work[R], chunk: Chunk, workers: Workers) -> Pending[R]:
        items = list(chunk)
        programs = list(dict.fromkeys(program for program, _ in items))
        if any(program.shared is None for program in programs):
            return Done(work((program.run, sample) for program, sample in items))
        numbers = {program: number for number, program in enumerate(programs)}
        numbered = [(numbers[program], sample) for program, sample in items]
        return _Kept(workers.submit(run_on_samples, [program.shared for program in programs], work, numbered), programs)


class _Kept(NamedTuple):
    """A result that is under way, with the programs that it needs until it is there."""

    pending: Pending[Any]
    programs: Sequence[Program]

    def result(self) -> Any:
        return self.pending.result()
