"""The layers of docs/architecture.md: who may import whom, read from the source."""

from __future__ import annotations

import ast
import pathlib

ROOT = pathlib.Path(__file__).parent.parent.parent
LEVEL = {
    "formats": -1,
    "diagnostics": 0,
    "ir": 1,
    "dialects": 2,
    "rewrite": 3,
    "interp": 3,
    "passes": 4,
    "importers": 5,
    "legalize": 5,
    "quantize": 5,
    "exporters": 5,
    "options": 0,
    "run_files": 0,
    "stdio": 0,
    "protos": 1,
    "native_contract": 1.5,
    "native": 5.5,
    "runtime": 6,
    "contract": 6,
    "profiles": 6,
    "driver": 7,
    "inprocess": 7.5,
    "running": 8,
    "inspection": 8.5,
    "bench": 8.5,
    "console": 8,
    "reproducer": 8,
    "check": 8,
    "streams": 8,
    "check_report": 9,
    "reporting": 10,
    "arguments": 10.5,
    "cli": 11,
    "__main__": 12,
}
# locations; errors; Module.run calls the interpreter late
EXCEPTIONS = {("diagnostics", "ir"), ("ir", "diagnostics"), ("ir", "interp")}


def imports(path: pathlib.Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("mlconv"):
            found.update({node.module} if node.module != "mlconv" else {f"mlconv.{a.name}" for a in node.names})
        elif isinstance(node, ast.Import):
            found.update(a.name for a in node.names if a.name.startswith("mlconv."))
    return found


def test_layers() -> None:
    wrong = []
    for path in sorted((ROOT / "mlconv").rglob("*.py")):
        parts = path.relative_to(ROOT / "mlconv").with_suffix("").parts
        own = parts[0]
        if own == "__init__":
            continue
        for target in imports(path):
            other = target.split(".")[1]
            if other not in LEVEL or other == own or (own, other) in EXCEPTIONS:
                continue
            sibling = LEVEL[own] == LEVEL[other] and {own, other} != {"rewrite", "interp"} and LEVEL[own] != 0
            if LEVEL[other] > LEVEL[own] or sibling:
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


def test_diagnostics_imports_only_locations() -> None:
    for path in sorted((ROOT / "mlconv" / "diagnostics").rglob("*.py")):
        outside = {t for t in imports(path) if not t.startswith("mlconv.diagnostics")}
        assert outside <= {"mlconv.ir.locations", "mlconv.formats.files"}, path
