"""The layers of docs/architecture.md: who may import whom, read from the source."""

from __future__ import annotations

import ast
import pathlib

from tests.support.sources import tree_of

ROOT = pathlib.Path(__file__).parent.parent.parent
# Lowest first; rooms of one floor do not import one another.
FLOORS = (
    ("provenance",),
    ("diagnostics",),
    ("formats",),
    ("pages",),
    ("ir",),
    ("dialects",),
    ("rewrite",),
    ("interp",),
    ("passes",),
    ("importers", "legalize", "quantize"),
    ("codegen",),
    ("profiles",),
    ("runtime",),
    ("exporters",),
    ("simplifiers",),
    ("driver",),
    ("plugin",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}


def imports(path: pathlib.Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("mlconv"):
            found.update({node.module} if node.module != "mlconv" else {f"mlconv.{a.name}" for a in node.names})
        elif isinstance(node, ast.Import):
            found.update(a.name for a in node.names if a.name.startswith("mlconv."))
    return found


def test_every_room_has_a_floor() -> None:
    rooms = {
        p.stem if p.suffix == ".py" else p.name for p in (ROOT / "mlconv").iterdir() if not p.name.startswith("__py")
    }
    assert rooms - {"__init__", "py.typed", "py"} == set(LEVEL)


def test_layers() -> None:
    wrong = []
    for path in sorted((ROOT / "mlconv").rglob("*.py")):
        own = path.relative_to(ROOT / "mlconv").with_suffix("").parts[0]
        for target in imports(path) if own != "__init__" else ():
            other = target.split(".")[1]
            if other != own and LEVEL.get(other, len(LEVEL)) >= LEVEL[own]:
                wrong.append(f"{path.relative_to(ROOT)} imports {target}")
    assert not wrong, "\n".join(wrong)


def test_importers_and_legalizations_do_not_import_one_another() -> None:
    wrong = []
    for group in ("importers", "legalize", "exporters"):
        for path in sorted((ROOT / "mlconv" / group).rglob("*.py")):
            parts = path.relative_to(ROOT / "mlconv" / group).parts
            for target in imports(path):
                pieces = target.split(".")
                if (
                    pieces[1] == group
                    and len(pieces) > 2
                    and (ROOT / "mlconv" / group / pieces[2]).is_dir()
                    and len(parts) > 1
                    and parts[0] != pieces[2]
                ):
                    wrong.append(f"{path.relative_to(ROOT)} imports {target}")
    assert not wrong, "\n".join(wrong)


def test_dimensions_are_taken_apart_in_ir_alone() -> None:
    """What is algebra on sizes is asked of `ir/size_facts`; what goes over their parts is a `Fold`."""
    wrong = [
        f"{path.relative_to(ROOT)}:{i}"
        for path in sorted((ROOT / "mlconv").rglob("*.py"))
        if path.relative_to(ROOT / "mlconv").parts[0] != "ir"
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if ".terms" in line or ("import" in line and " Atom" in line)
    ]
    assert not wrong, "\n".join(wrong)


def test_diagnostics_imports_only_locations() -> None:
    for path in sorted((ROOT / "mlconv" / "diagnostics").rglob("*.py")):
        outside = {t for t in imports(path) if not t.startswith("mlconv.diagnostics")}
        assert outside <= {"mlconv.provenance.locations"}, path
