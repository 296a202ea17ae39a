"""Names for the outputs of a program of torch.export: ONNX files of torch have those of its ops.

Nothing is imported, since torch's own process runs the text of this file, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

Foreign: TypeAlias = Any
"""An object of a framework."""


def output_names(program: Foreign) -> list[str] | None:
    """By the keys of the dictionary, or the fields of the tuple, that the module returns, `key.0` for what lies deeper;
    None where it returns something else, or a name would not be one of a kind.
    """
    spec, signature = program.call_spec.out_spec, program.graph_signature
    made = spec.unflatten(list(range(spec.num_leaves)))
    if not isinstance(made, dict) and not hasattr(made, "_fields"):
        return None
    found = dict(_leaves(made, ()))
    names = [found.get(i, "") for i in range(spec.num_leaves)]
    taken = {*names, *map(str, signature.user_inputs)}
    whole = all(names) and all(isinstance(name, str) for name in signature.user_outputs)
    return names if whole and len(taken) == len(names) + len(signature.user_inputs) else None


def _leaves(value: Foreign, path: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    if isinstance(value, int):
        yield value, ".".join(path)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    elif isinstance(value, (list, tuple)):
        for key, inner in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
            yield from _leaves(inner, (*path, str(key)))
