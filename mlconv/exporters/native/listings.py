"""LLVM IR and assembly of an object as text, a file for each instruction set, with lines of the user's source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.program.compile import assembly
from mlconv.codegen.program.module import module_text
from mlconv.diagnostics import Code, ConversionError
from mlconv.exporters.native.abi.names import Built

SUFFIXES = {"llvm": ".ll", "asm": ".s"}
_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(\w+)\((.*)\)$")
_PLACE = re.compile(r", !dbg !(\d+)$")


def kinds_of(asked: str) -> list[str]:
    """Names of `SUFFIXES`, of a list with commas.  Raises ConversionError UsageError."""
    names = list(dict.fromkeys(filter(None, asked.split(","))))
    unknown = [n for n in names if n not in SUFFIXES]
    if unknown:
        raise ConversionError(Code.UsageError, f"emit is {asked!r}, expected some of {', '.join(SUFFIXES)}")
    return names


def listing_suffixes(kinds: Sequence[str], cpus: Sequence[Cpu]) -> list[str]:
    """Of the files' names, behind the artifact's stem."""
    return [f".{cpu.name}{SUFFIXES[kind]}" for cpu in cpus for kind in kinds]


def listings(built: Built, check: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(suffix of the file's name, text).  The code of a set is what it is in the object, where names of functions end
    with the set's if there are several.  check: as for `module_text`.
    """
    settings, block = built.settings, built.function.block
    for cpu in built.cpus:
        text = module_text(built.prefix, built.target, [cpu], built.plan, block, settings, check).text
        for kind in settings.listings:
            mark = ";" if kind == "llvm" else _mark(built.target.arch)
            head = f"{mark} {built.prefix} for {built.target.triple}, {cpu.name}; weights are put in afterwards\n"
            body = commented(text) if kind == "llvm" else assembly(text, built.target, cpu)
            yield f".{cpu.name}{SUFFIXES[kind]}", head + body


def _mark(arch: str) -> str:
    """What begins a comment of assembly."""
    return "//" if arch in ("aarch64", "arm64") else "@" if arch.startswith(("arm", "thumb")) else "#"


def commented(text: str) -> str:
    """IR with a comment where the line of the source changes, which is that of what follows."""
    places = _places(text)
    out: list[str] = []
    before = ""
    for line in text.split("\n"):
        found = _PLACE.search(line)
        place = places.get(found[1], "") if found and line.startswith("  ") else ""
        if line == "}" or (found and not place):
            before = ""
        elif place and place != before:
            out.append(f"  ; {place}")
            before = place
        out.append(line)
    return "\n".join(out)


def _places(text: str) -> dict[str, str]:
    """`file:line` of each DILocation that has a line, by its number."""
    nodes = {m[1]: (m[2], m[3]) for m in map(_NODE.match, text.split("\n")) if m}
    found = {}
    for number, (kind, fields) in nodes.items():
        line, scope = re.search(r"\bline: (\d+)", fields), re.search(r"\bscope: !(\d+)", fields)
        if kind != "DILocation" or not line or line[1] == "0" or not scope:
            continue
        file = re.search(r"\bfile: !(\d+)", nodes[scope[1]][1])
        name = re.search(r'filename: "([^"]*)"', nodes[file[1]][1]) if file else None
        if name:
            found[number] = f"{name[1]}:{line[1]}"
    return found
