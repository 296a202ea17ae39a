"""Finished objects of every format: what they take from elsewhere, and weights put into them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from importlib import import_module
from itertools import pairwise
from types import ModuleType

from mlconv.codegen.machines.targets import Target
from mlconv.diagnostics import Code, ConversionError

WEIGHTS_SECTION = {
    "elf": ".mlconv.weights",
    "macho": "__TEXT,__mlc_weights",
    "coff": ".mlcwts",
    "wasm": ".mlconv.weights",
}
_LIBM = (
    "acos|acosh|asin|asinh|atan|atan2|atanh|cbrt|ceil|copysign|cos|cosh|erf|erfc|exp|exp2|expm1|fabs|floor|fma|fmax|fmin|fmod|ldexp|lgamma_r|log|log10|"
    "log1p|log2|nearbyint|pow|rint|round|roundeven|sin|sincos|sinh|sqrt|tan|tanh|tgamma|trunc"
)
_KNOWN = re.compile(
    rf"({_LIBM})f?|mem(cpy|move|set|cmp)|bzero|calloc|free|clock_gettime|sched_yield|pthread_(create|join|(mutex|cond)_(init|lock|unlock|wait|broadcast|destroy))"
    # the compiler's own runtime (libgcc, compiler-rt; Run-time ABI for the Arm Architecture; the C runtime of Windows)
    r"|__aeabi_\w+|__(u?div|u?mod|mul|ashl|ashr|lshr|fix|fixuns|float|floatun|floatuns|extend|trunc|add|sub|cmp|eq|ne|lt|le|gt|ge|unord|neg|pow)[dhstx]\w*"
    r"|_GLOBAL_OFFSET_TABLE_|_fltused|_tls_index|__chkstk"
)


def _format(target: Target) -> ModuleType:
    """The module for the format of a target's objects."""
    return import_module(f"mlconv.codegen.objects.{target.format}")


def undefined_symbols(image: bytes, target: Target, foreign: Collection[str] = ()) -> list[str]:
    """What the object takes from elsewhere.  foreign: functions of other libraries.  Raises ConversionError
    ArtifactInvalid for names that are neither these nor functions of libc, libm or the compiler's runtime.
    """
    names = [n for n in _format(target).undefined_symbols(image) if n != "_GLOBAL_OFFSET_TABLE_"]
    strange = [n for n in names if n not in foreign and not _KNOWN.fullmatch(n)]
    if strange:
        raise ConversionError(
            Code.ArtifactInvalid, f"the object for {target.triple} needs {', '.join(strange)}, which no C library has"
        )
    return names


def section_sizes(image: bytes, target: Target) -> dict[str, int]:
    """Bytes of the sections of an object, by their names.  image: all of it, or what is in front of its weights."""
    sizes: dict[str, int] = _format(target).sections(image)
    return sizes


def is_of_c(name: str) -> bool:
    """A function of libc, libm or the compiler's runtime has the name, or a program that is linked with them."""
    from mlconv.codegen.objects.c_library import NAMES

    return name in NAMES or _KNOWN.fullmatch(name) is not None


def function_sizes(image: bytes, target: Target) -> dict[str, int]:
    """Bytes of what lies in front of something else in its section of an object for x86-64: from each to the next."""
    places: list[tuple[int, int, str]] = _format(target).places(image)
    found = sorted(places)
    return {
        name: next_at - at
        for (section, at, name), (next_section, next_at, _) in pairwise(found)
        if section == next_section
    }


def with_weights(
    image: bytes, target: Target, symbol: str, size: int, blocks: Iterable[bytes | memoryview]
) -> Iterator[bytes | memoryview]:
    """The object in pieces, with `blocks` (size bytes in all) in its weights section.  Raises ConversionError
    ArtifactInvalid.
    """
    section = WEIGHTS_SECTION[target.format]
    grown: bytes | tuple[bytes, bytes] = _format(target).grown(image, section, symbol, size)
    head, tail = grown if isinstance(grown, tuple) else (grown, b"")
    yield head
    yield from blocks
    yield tail
