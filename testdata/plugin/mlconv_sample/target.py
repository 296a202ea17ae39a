"""The target `dot`: core ops as a graph that Graphviz draws."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from mlconv.plugin import Module, Target, TargetOptions, Value, WriteRequest, core, replacing, setting


@dataclass(frozen=True)
class DotOptions(TargetOptions):
    """How the graph is drawn."""

    direction: str = setting("down", "where the graph goes.", choices=("down", "right"))


class Dot(Target):
    """Graphviz's language.  An op is a node, a value that another op reads is an edge."""

    name = "dot"
    label = "Graphviz"
    suffix = ".dot"
    prefix = "core."
    options: ClassVar[type[TargetOptions]] = DotOptions
    takes_any_layout = True
    one_file = True

    def pipeline(self, options: DotOptions) -> str:
        return "sample-squares"

    def write(self, module: Module, options: DotOptions, request: WriteRequest) -> int:
        lines = ["digraph model {", f"  rankdir={'TB' if options.direction == 'down' else 'LR'};"]
        numbers: dict[Value, int] = {}
        for number, op in enumerate(module.main.block.ops):
            if isinstance(op, core.Constant):
                continue
            numbers.update(dict.fromkeys(op.results, number))
            lines.append(f'  n{number} [label="{op.name}"];')
            lines += [f"  n{numbers[v]} -> n{number};" for v in op.inputs if v in numbers]
        data = ("\n".join([*lines, "}"]) + "\n").encode()
        with replacing(Path(request.path)) as out:
            out.write(data)
        return len(data)


TARGET = Dot()
