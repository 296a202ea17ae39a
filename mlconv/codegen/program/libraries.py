"""Functions of other libraries in this process, for objects that call them.

A library that is opened stays open: code that was linked with it may run as long as the process does.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.foreign_abi import library_path


def bind_function(name: str, libraries: Sequence[str], folder: str = "", what: str = "the model") -> None:
    """Choose the function that objects are linked with from now on.  libraries: names or paths, the first one that has
    it is taken; else what this process has already.  folder: where those are looked for first that have no folder of
    their own.  what: needs it, for messages.  Raises ConversionError ForeignUnavailable.
    """
    from llvmlite import binding as llvm

    problems = []
    for path in _paths(libraries, folder):
        try:
            address = ctypes.cast(getattr(ctypes.CDLL(path), name), ctypes.c_void_p).value
        except (OSError, AttributeError) as error:
            problems.append(str(error))
            continue
        llvm.add_symbol(name, address)
        return
    if llvm.address_of_symbol(name) is None:
        named = f"{' and '.join(libraries)} do not give" if libraries else "no library is named for"
        raise ConversionError(
            Code.ForeignUnavailable,
            f"{what} calls the function {name}, which {named}",
            why=tuple(problems),
            help="name the shared library that has it: --library FILE, or `library` in its declaration",
        )


def _paths(libraries: Sequence[str], folder: str) -> Iterator[str]:
    for name in libraries:
        beside = os.path.join(folder, name)
        is_there = folder and os.sep not in name and os.path.exists(beside)
        yield os.path.abspath(beside) if is_there else library_path(name)
