"""The command line: the program, and its group of commands, one file each in `commands`.

Exit codes: 0 done, 1 conversion failed, 2 usage, 3 a gate failed (verification), 4 internal error (with a reproducer).
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

import click

import mlconv
from mlconv.commands.group import Group
from mlconv.commands.reporting import voice_options
from mlconv.commands.stdio import prepare
from mlconv.formats.files import CHANGING

COMMANDS = {
    "Convert": {
        "convert": "Convert a model and check the result.",
        "quantize": "Quantize a model, convert it, and report what each layer loses.",
        "simplify": "Simplify a model in its own format: fewer nodes, the same results.",
        "build": "Build the conversions of a project, those that are stale.",
        "init": "Write a project file by looking at a model.",
    },
    "Understand": {
        "check": "Say what converting models would say, without converting.",
        "inspect": "Show inputs, outputs, ops and parameters of a model.",
        "verify": "Run two models of any format, and compare what they give.",
        "bisect": "Find the first pass of a conversion that changes what a model computes.",
        "diff": "Say what two models differ in: ops, weights, interface, sizes.",
        "explain": "Explain a diagnostic, an op, or the JSON of a report.",
    },
    "Run": {
        "run": "Run a model file or a native object.",
        "bench": "Time a model as native code, by op and by line of source.",
        "tune": "Choose forms of kernels by timing on this machine, in advance.",
    },
    "More": {
        "opt": "Run passes over a model and print the IR.",
        "doctor": "List what is installed, and what it enables.",
        "completion": "Print a script that completes commands in a shell.",
    },
}
"""What help lists, by heading; each is the module of its name in `commands`, loaded when it is called."""


@click.group(name="mlconv", cls=Group, modules=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mlconv.__version__, prog_name="mlconv")
@voice_options
def main() -> None:
    """Convert trained models: TensorFlow, Keras, ONNX, TFLite, StableHLO and HLO to TFLite, ONNX, SavedModel,
    StableHLO, HLO and native objects.

    \b
    mlconv convert model.onnx -o model.tflite
    mlconv check model.onnx --to tflite,hlo
    mlconv inspect model.pb
    """


def run_process() -> None:
    """The `mlconv` program: one command, then the process ends."""
    prepare()
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _leave)
    if CHANGING:
        signal.signal(CHANGING, _input_changes)
    try:
        main(prog_name="mlconv")
    finally:
        if CHANGING:  # all is written; the interpreter gives handlers back before it closes files
            signal.signal(CHANGING, signal.SIG_IGN)


def _input_changes(number: int, frame: FrameType | None) -> None:
    """What was read of the file may be of two versions of it."""
    from mlconv.diagnostics import Code, ConversionError

    raise ConversionError(Code.FileDamaged, "an input file is being changed by another process")


def _leave(number: int, frame: FrameType | None) -> None:
    """Ends as an interrupt does: temporary files go on the way out, which no further signal disturbs."""
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        other = getattr(signal, name, None)
        if other is not None and signal.getsignal(other) is _leave:
            signal.signal(other, _wait)
    if CHANGING:
        signal.signal(CHANGING, _wait)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _wait(number: int, frame: FrameType | None) -> None:
    """The process is ending."""
