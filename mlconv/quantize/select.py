"""Selectors of ops: by type, by name, by line of the user's Python."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from glob import escape

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Op
from mlconv.provenance.locations import (
    CallStack,
    FileLocation,
    Fused,
    Location,
    NameLocation,
    frames,
    node_names,
)

_SHOWN = 12  # spans of lines
_LINES = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?")
_TYPES = {name.replace("_", ""): name for name in (cls.name.removeprefix("core.") for cls in core.OPS)}
_KINDS = {
    "matmul": "Gemm BatchMatMul BatchMatMulV2 FULLY_CONNECTED BATCH_MATMUL Dense Linear",
    "conv": "Conv1D Conv2D Conv3D CONV_2D CONV_3D Conv1d Conv2d Conv3d"
    " DepthwiseConv2D DepthwiseConv2dNative DEPTHWISE_CONV_2D",
    "conv_transpose": "Conv1DTranspose Conv2DTranspose Conv3DTranspose TRANSPOSE_CONV Conv2DBackpropInput",
    "clamp": "Relu Relu6 ReLU ReLU6 RELU RELU6",
}
_KIND = re.compile(r"[A-Z](?:[A-Za-z0-9]*|[A-Z0-9_]*)")
"""What a source may call its ops."""
_SOURCES = {name: kind for kind, names in _KINDS.items() for name in names.split()}
"""What ONNX, TensorFlow, TFLite, Keras and PyTorch call ops that have another name in core, as they spell it: nodes are
often called the same in small letters.
"""


@dataclass(frozen=True, slots=True)
class Selector:
    """text: as it was written.  type: of core ops.  file, first, last: lines of source.  glob: of names of nodes;
    beside a type where that is spelt as sources do, and beside lines, which names may look like (`split:1`).  names: of
    nodes of a kind that are no ops of a type in core.
    """

    text: str
    type: str = ""
    file: str = ""
    first: int = 0
    last: int = 0
    glob: str = ""
    names: frozenset[str] = frozenset()

    @staticmethod
    def parse(text: str) -> Selector:
        """`conv` (or `Conv`), `file.py:120-145`, or a pattern of names such as `encoder/layer_3/*`."""
        lines = _LINES.fullmatch(text)
        if lines:
            first = int(lines.group(2))
            return Selector(text, "", lines.group(1), first, int(lines.group(3) or first), text)
        kind = text.removeprefix("core.")
        found = _TYPES.get(kind.replace("_", "").lower(), "") or _SOURCES.get(kind, "")
        return Selector(text, type=found, glob="" if found == kind else text)

    def among(self, kinds: Mapping[str, Collection[str]], ops: Collection[str]) -> Selector:
        """The same for a model with such nodes: `LSTM` and `LayerNormalization` are several ops of core.  kinds: names
        of nodes by what the source calls their ops.  ops: names of those that the model has in core.
        """
        return self if f"core.{self.type}" in ops else replace(self, names=frozenset(kinds.get(self.text, ())))

    def matches(self, op: Op) -> bool:
        if self.type and op.name == f"core.{self.type}":
            return True
        if self.file and any(self._is_on(frame) for frame in every_frame(op.location)):
            return True
        return any(name in self.names or fnmatchcase(name, self.glob) for name in node_names(op.location))

    def is_in(self, frame: FileLocation) -> bool:
        """A line of the file that is named."""
        return frame.file == self.file or frame.file.endswith("/" + self.file)

    def _is_on(self, frame: FileLocation) -> bool:
        return self.is_in(frame) and self.first <= frame.line <= self.last


def matches_nothing(rule: str, selector: Selector, ops: Sequence[Op]) -> ConversionError:
    """What to say of a rule.  ops: that there are."""
    own = [frame for op in ops for frame in frames(op.location)]
    every = [frame for op in ops for frame in every_frame(op.location)]
    files = list(dict.fromkeys(frame.file for frame in (*own, *every)))
    lines = sorted({frame.line for frame in every if selector.is_in(frame)})
    named = "an op's type (conv), the name of a node (encoder/*)"
    help_ = f"a rule selects by {named}, or lines of source (model.py:120-145)"
    if selector.file and lines:
        help_ = f"ops of {selector.file} are of lines {_spans(lines)}"
    elif selector.file and files:
        help_ = f"ops are of lines of {', '.join(files[:3])}{' ...' if len(files) > 3 else ''}"
    elif selector.file:
        help_ = f"the model records no lines of source: select by {named.replace(', the', ', or the')}"
    return ConversionError(Code.RuleMatchesNothing, f"the rule {rule} matches no op", help=help_)


def _spans(lines: Sequence[int]) -> str:
    """Numbers in order, those that follow one another as `3-5`; the first few where they are many."""
    spans = list[list[int]]()
    for line in lines:
        if spans and spans[-1][-1] + 1 == line:
            spans[-1][1:] = [line]
        else:
            spans.append([line])
    shown = ", ".join("-".join(map(str, span)) for span in spans[:_SHOWN])
    return f"{shown} ..." if len(spans) > _SHOWN else shown


def selecting(op: Op) -> str:
    """A text that selects an op: the name of its first node, else its line; its type where it has neither.  Other ops
    of the same node or line are selected, too.
    """
    name = next(node_names(op.location), "")
    if name:
        # a pattern that is no type and no line, whatever the name is
        text = escape(name)
        if Selector.parse(text).file:
            return text.replace(":", "[:]")
        return f"[{text[0]}]{text[1:]}" if may_be_kind(text) else text
    frame = next(every_frame(op.location), None)
    return op.name.removeprefix("core.") if frame is None else f"{frame.file}:{frame.line}"


def may_be_kind(text: str) -> bool:
    """A rule takes the text for ops of a kind, in some model."""
    return bool(Selector.parse(text).type or _KIND.fullmatch(text))


def every_frame(location: Location | None) -> Iterator[FileLocation]:
    """All frames of all origins, those of libraries too where they were kept."""
    if isinstance(location, FileLocation):
        yield location
    elif isinstance(location, CallStack):
        yield from location.every or location.frames
    elif isinstance(location, NameLocation):
        yield from every_frame(location.child)
    elif isinstance(location, Fused):
        for part in location.locations:
            yield from every_frame(part)
