"""The views of `mlconv inspect` as text: lines of at most 80 columns, names that are too long without their middles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlconv.commands.console import size_text, type_text
from mlconv.commands.tables import COLUMNS, fitted, folded, shortened
from mlconv.diagnostics.text import printable_data

if TYPE_CHECKING:
    from mlconv.driver.views.delegates import DelegatesFacts, PartitionFacts, SubgraphFacts
    from mlconv.driver.views.nodes import NodeFacts, NodesFacts, ValueFacts
    from mlconv.driver.views.quantization import QuantizationFacts, QuantizedFacts
    from mlconv.driver.views.sizes import PartFacts, SizesFacts
    from mlconv.driver.views.tensors import TensorFacts, TensorsFacts

_MOST_NAME = 40
_MOST_NAMES = 6


def report_nodes(facts: NodesFacts) -> str:
    """A paragraph for each op, and what all of them are together."""
    facts = printable_data(facts)
    lines = []
    for node in facts["nodes"]:
        lines += _node(node)
    shown = "" if len(facts["nodes"]) == facts["matched"] else f", {len(facts['nodes'])} shown"
    lines.append(
        f"{facts['matched']} of {facts['ops']} ops{shown}: {facts['parameters']:,} parameters, "
        f"{size_text(facts['parameter_bytes'])}"
    )
    uncounted = f"; {facts['uncounted']} ops are not counted" if facts["uncounted"] else ""
    macs = "" if facts["macs"] is None else f", {_count(facts['macs'], 'MAC')}"
    lines += folded(f"{_count(facts['flops'], 'FLOP')}{macs}{uncounted}", "  ")
    return "\n".join(lines)


def _node(node: NodeFacts) -> list[str]:
    place = node["line"]
    head = f"{node['op']}  {'/'.join((*node['inside'], node['name'])) if node['inside'] else node['name']}"
    room = COLUMNS - len(place) - 2 if place and len(place) < COLUMNS // 2 else COLUMNS
    first = shortened(head, room)
    lines = [f"{first:<{room}}  {place}" if place and room < COLUMNS else first]
    if place and room == COLUMNS:
        lines.append(f"    {shortened(place, COLUMNS - 4)}")
    ports = f"{', '.join(map(_value, node['inputs']))} -> {', '.join(map(_value, node['outputs']))}"
    lines += folded(f"    {ports}", "      ")
    parts = [f"{node['parameters']:,} parameters ({size_text(node['parameter_bytes'])})"] if node["parameters"] else []
    parts += [] if node["flops"] in (0, None) else [_count(node["flops"], "FLOP")]
    parts += [] if node["bytes"] is None else [f"moves {_size(node['bytes'])}"]
    parts += [f"{name}={value}" for name, value in node["attributes"].items()]
    return [*lines, *folded(f"    {'; '.join(parts)}", "      ")] if parts else lines


def _value(value: ValueFacts | None) -> str:
    if value is None:
        return "none"
    return f"{shortened(value['name'], _MOST_NAME)} {type_text(value)}{'*' if value['constant'] else ''}".strip()


def _count(number: int | str | None, unit: str) -> str:
    if not isinstance(number, int):
        return f"{number} {unit}"
    value, prefix = float(number), ""
    for prefix in ("", "K", "M", "G", "T"):
        if value < 1000 or prefix == "T":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if not prefix else f"{value:.1f} {prefix}{unit}"


def _size(size: int | str) -> str:
    return size_text(size) if isinstance(size, int) else f"{size} B"


def report_tensors(facts: TensorsFacts) -> str:
    facts = printable_data(facts)
    head = ("name", "type", "kind", "bytes", "made by", "read by")
    rows = [
        (t["name"], type_text(t), t["kind"], _unknown(t["bytes"]), t["op"], str(t["readers"])) for t in facts["shown"]
    ]
    lines = fitted(head, rows, frozenset({3, 5}))
    told = [t for t in facts["shown"] if t["statistics"] is not None]
    if told:
        names = ("constant", "min", "max", "mean", "std", "zeros", "not finite")
        lines += ["", *fitted(names, [_statistics(t) for t in told], frozenset(range(1, 7)))]
    return "\n".join(
        [
            *lines,
            f"{facts['tensors']} tensors; {facts['constants']} constants of {size_text(facts['constant_bytes'])}",
        ]
    )


def _statistics(tensor: TensorFacts) -> tuple[str, ...]:
    found = tensor["statistics"]
    if found is None:
        return ()
    numbers = (found["min"], found["max"], found["mean"], found["std"])
    texts = ("-" if n is None else f"{n:.4g}" for n in numbers)
    return (tensor["name"], *texts, str(found["zeros"]), str(found["not_finite"]))


def _unknown(size: int | str | None) -> str:
    return "?" if size is None else str(size)


def report_sizes(facts: SizesFacts) -> str:
    facts = printable_data(facts)
    lines = [size_text(facts["bytes"]) + (f" in {len(facts['files'])} files" if len(facts["files"]) > 1 else "")]
    if len(facts["files"]) > 1:
        rows = [(str(f["bytes"]), f["path"]) for f in facts["files"]]
        lines += fitted(("bytes", "file"), rows, frozenset({0}))
    lines += ["", *_parts("section", facts["sections"]), ""]
    layers = [(str(x["bytes"]), f"{x['share']:.1%}", x["name"], x["op"], x["line"]) for x in facts["layers"]]
    lines += fitted(("bytes", "share", "layer", "op", "line"), layers, frozenset({0, 1}))
    if any(x["line"] for x in facts["layers"]):
        lines += ["", *_parts("line", facts["lines"])]
    return "\n".join(lines)


def _parts(title: str, parts: Sequence[PartFacts]) -> list[str]:
    rows = [(str(p["bytes"]), f"{p['share']:.1%}", p["name"]) for p in parts]
    return fitted(("bytes", "share", title), rows, frozenset({0, 1}))


def report_quantization(facts: QuantizationFacts) -> str:
    facts = printable_data(facts)
    tensors, borders = facts["tensors"], facts["borders"]
    if not tensors and not borders:
        return "nothing is quantized"
    kinds = ", ".join(f"{count} {NUMERICS[name]}" for name, count in facts["numerics"].items())
    lines = folded(f"{len(tensors)} quantized tensors; ops: {kinds or 'none'}", "  ")
    head = ("tensor", "integers", "scheme", "scale", "zero point")
    lines += ["", *fitted(head, [_quantized(t) for t in tensors])] if tensors else []
    if facts["floats"]:
        floats = [(f["op"], f["name"], f["line"]) for f in facts["floats"]]
        lines += ["", *fitted(("computed in floats", "", ""), floats)]
    if borders:
        rounding = [(b["kind"], b["op"], b["name"], b["value"]) for b in borders]
        lines += ["", *fitted(("border", "op", "node", "value"), rounding)]
    return "\n".join(lines)


NUMERICS = {
    "integers": "of integers",
    "rounded": "of floats that are rounded on all sides",
    "weights": "of floats with integer weights",
    "floats": "of floats",
    "other": "of neither",
}


def _quantized(tensor: QuantizedFacts) -> tuple[str, ...]:
    low, high = tensor["least_scale"], tensor["greatest_scale"]
    scale = f"{low:.6g}" if low == high else f"{low:.4g}..{high:.4g}"
    zeros = {*tensor["zero_points"]}
    zero = str(zeros.pop()) if len(zeros) == 1 else f"{min(zeros)}..{max(zeros)}" if zeros else "0"
    axis = "" if tensor["axis"] is None else f" {tensor['axis']}"
    block = "" if tensor["block"] is None else f" of {tensor['block']}"
    return tensor["name"], tensor["storage"], f"{tensor['scheme']}{axis}{block}", scale, zero


def report_delegates(facts: DelegatesFacts) -> str:
    facts = printable_data(facts)
    parts = facts["partitions"]
    lines = folded(
        f"{facts['runtime']}: {facts['delegate']} takes {facts['delegated']} of {facts['operators']} operators, "
        f"{_in_partitions(parts)}",
        "  ",
    )
    rows = [(str(i), str(len(p["nodes"])), _range(p["nodes"]), _some(p["ops"])) for i, p in enumerate(parts)]
    lines += fitted(("partition", "ops", "nodes", "kinds"), rows, frozenset({0, 1})) if rows else []
    for title, splits in (("left, and splits the partitions", True), ("left", False)):
        left = [one for one in facts["left"] if one["splits"] is splits]
        if left:
            rows = [(str(x["node"]), x["op"], x["name"], x["line"]) for x in left]
            lines += ["", *fitted(("node", title, "", ""), rows, frozenset({0}))]
            reasons = dict.fromkeys((x["op"], x["why"]) for x in left if x["why"])
            lines += [line for op, why in reasons for line in folded(f"  {op}: {why}", "    ")]
    for one in facts["others"]:
        lines += folded(_subgraph_text(one), "  ")
    more = facts["other_subgraphs"] - len(facts["others"])
    if more:
        lines += folded(f"and {more} more subgraphs", "  ")
    return "\n".join(lines)


def _in_partitions(parts: Sequence[PartitionFacts]) -> str:
    return f"in {len(parts)} partition{'s' * (len(parts) != 1)}"


def _subgraph_text(facts: SubgraphFacts) -> str:
    head = f"subgraph {facts['number']}: "
    if facts["refused"]:
        return f"{head}{facts['refused']}"
    left = Counter(one["op"] for one in facts["left"])
    splits = sorted({one["op"] for one in facts["left"] if one["splits"]})
    text = f"{head}{facts['delegated']} of {facts['operators']} operators, {_in_partitions(facts['partitions'])}"
    text += f"; left: {_some(dict(left))}" if left else ""
    return text + (f"; {', '.join(splits)} split{'s' * (len(splits) == 1)} the partitions" if splits else "")


def _range(nodes: Sequence[int]) -> str:
    whole = list(nodes) == list(range(nodes[0], nodes[-1] + 1)) if nodes else True
    return "" if not nodes else f"{nodes[0]}..{nodes[-1]}{'' if whole else ' with gaps'}"


def _some(ops: dict[str, int]) -> str:
    found = sorted(ops.items(), key=lambda item: -item[1])
    more = ", ..." if len(found) > _MOST_NAMES else ""
    return ", ".join(f"{name} {count}" for name, count in found[:_MOST_NAMES]) + more
