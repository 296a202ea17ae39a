"""LiteRT's Python, without the line that its C++ writes to standard error where a process first uses XNNPACK.

The line goes through progress bars and into logs, says nothing of the run, and no setting of LiteRT's Python leaves it
out (its MinimalLogger writes to the C library's stderr, and lets C++ alone choose what; it says it once in a process).
So the first use is that of a file of one op, right behind the import, while standard error is held for about a
millisecond: what else is written to it meanwhile, by other threads, is written when that is over.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from mlconv.diagnostics import Code, ConversionError

ONE_OP = bytes.fromhex(
    "1800000054464c3300000e00140010000c000800000004000e0000001000000014000000180000000300000001000000cc00000001000000"
    "3000000001000000100000000c000c000b000000000004000c00000013000000000000130c00140010000c00080004000c00000010000000"
    "20000000240000000c000000010000002c0000000200000058000000440000000100000001000000010000000000000000000a000c000000"
    "080004000a000000080000000c00000001000000010000000100000000000000000006000a00040006000000140000000000060008000400"
    "060000000c000000010000000100000001000000010000000400040004000000"
)
"""A TFLite file: RELU of float32[1]."""
_PACKAGE = "ai_edge_litert.interpreter"
_LINE = b"Created TensorFlow Lite XNNPACK delegate"
_STDERR = 2
_STARTING = threading.Lock()  # of threads that use LiteRT first


def litert() -> ModuleType:
    """The module `ai_edge_litert.interpreter`.  Where the program has imported it before, nothing is held.  Raises
    ConversionError VerificationImpossible when LiteRT is not installed.
    """
    with _STARTING:
        begun = _PACKAGE in sys.modules
        try:
            from ai_edge_litert import interpreter
        except ImportError as e:
            raise ConversionError(
                Code.VerificationImpossible,
                "LiteRT is not installed",
                help="pip install ai-edge-litert, or leave --verify out",
            ) from e
        if not begun:
            with without(_LINE):
                interpreter.Interpreter(model_content=ONE_OP).allocate_tensors()
    found: ModuleType = interpreter
    return found


@contextmanager
def without(text: bytes) -> Iterator[None]:
    """Lines with a text do not reach standard error; others do, when the work is over.  A process that is started
    meanwhile, by another thread, has what it writes lost.
    """
    try:
        kept = os.dup(_STDERR)
    except OSError:  # it is closed
        yield
        return
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(kept, _STDERR)
            os.close(kept)
            held.seek(0)
            left = b"".join(line for line in held if text not in line)
            while left:
                left = left[os.write(_STDERR, left) :]
