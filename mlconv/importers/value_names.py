"""Names of inputs and outputs of formats that name what they belong to, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

_KEY = re.compile(r"""\[(?:'([^']*)'|"([^"]*)"|(\d+))\]|\.(\w+)""")


def distinct(names: Iterable[str]) -> list[str]:
    """The names, with a number behind those that came before."""
    seen: set[str] = set()
    out = []
    for name in names:
        unique, k = name, 1
        while unique in seen:
            unique, k = f"{name}_{k}", k + 1
        seen.add(unique)
        out.append(unique)
    return out


def path_name(path: str, root: str) -> str:
    """`params['dense'][0].w` as `params.dense.0.w`.  root: what the whole is called in Python, which says nothing; a
    number behind it, or nothing, keeps `out`.
    """
    head = re.match(r"\w*", path)
    keys = [next(filter(None, found), "") for found in _KEY.findall(path)]
    first = head.group() if head else ""
    if first == root:
        return ".".join(keys) if keys and not keys[0].isdigit() else "out" + ".".join(keys or ["0"])
    return ".".join([first, *keys]) if first else path
