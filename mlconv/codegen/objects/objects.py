"""Finished objects of every format: what they take from elsewhere, and weights put into them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise

from mlconv.codegen.machines.targets import Target
from mlconv.codegen.objects import coff, elf, macho, wasm
from mlconv.codegen.objects.c_library import NAMES
from mlconv.diagnostics import Code, ConversionError

WEIGHTS_SECTION = {
    "elf": ".mlconv.weights",
    "macho": "__TEXT,__mlc_weights",
    "coff": ".mlcwts",
    "wasm": ".mlconv.weights",
}
_UNDEFINED: dict[str, Callable[[bytes], list[str]]] = {
    "elf": elf.undefined_symbols,
    "macho": macho.undefined_symbols,
    "coff": coff.undefined_symbols,
    "wasm": wasm.undefined_symbols,
}
_GROWN: dict[str, Callable[[bytes, str, str, int], bytes]] = {
    "elf": elf.grown,
    "macho": macho.grown,
    "coff": coff.grown,
}
_PLACES: dict[str, Callable[[bytes], list[tuple[int, int, str]]]] = {
    "elf": elf.places,
    "macho": macho.places,
    "coff": coff.places,
}
_SECTIONS: dict[str, Callable[[bytes], dict[str, int]]] = {
    "elf": elf.sections,
    "macho": macho.sections,
    "coff": coff.sections,
    "wasm": wasm.sections,
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


def undefined_symbols(image: bytes, target: Target, foreign: Collection[str] = ()) -> list[str]:
    """What the object takes from elsewhere.  foreign: functions of other libraries.  Raises ConversionError
    ArtifactInvalid for names that are neither these nor functions of libc, libm or the compiler's runtime.
    """
    names = [n for n in _UNDEFINED[target.format](image) if n != "_GLOBAL_OFFSET_TABLE_"]
    strange = [n for n in names if n not in foreign and not _KNOWN.fullmatch(n)]
    if strange:
        raise ConversionError(
            Code.ArtifactInvalid, f"the object for {target.triple} needs {', '.join(strange)}, which no C library has"
        )
    return names


def section_sizes(image: bytes, target: Target) -> dict[str, int]:
    """Bytes of the sections of an object, by their names.  image: all of it, or what is in front of its weights."""
    return _SECTIONS[target.format](image)


def is_of_c(name: str) -> bool:
    """A function of libc, libm or the compiler's runtime has the name, or a program that is linked with them."""
    return name in NAMES or _KNOWN.fullmatch(name) is not None


def function_sizes(image: bytes, target: Target) -> dict[str, int]:
    """Bytes of what lies in front of something else in its section of an object for x86-64: from each to the next."""
    found = sorted(_PLACES[target.format](image))
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
    head, tail = (
        wasm.grown(image, section, symbol, size)
        if target.format == "wasm"
        else (_GROWN[target.format](image, section, symbol, size), b"")
    )
    yield head
    yield from blocks
    yield tail
