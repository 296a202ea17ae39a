"""Writes mlconv/codegen/machines/cpu_names.py: LLVM's processors, and which features that rows of the table ask for
each has.

LLVM is asked which: a function for a processor and a feature is inlined into one for the processor alone only when that
has the feature.  A name that LLVM refuses (processors without a 64-bit mode) ends the process, so that each is first
asked about alone.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm

from mlconv.codegen.machines.features import SIGNS

OUTPUT = Path(__file__).resolve().parent.parent / "mlconv" / "codegen" / "machines" / "cpu_names.py"
# By architecture.
ASKED = {
    "x86_64": tuple(dict.fromkeys(f for n in ("avx-vnni", "x86-64-v4", "avx512-bf16", "amx") for f in SIGNS[n])),
    "aarch64": ("neon", "dotprod", "i8mm", "bf16", "sve"),
    "riscv64": SIGNS["rv64gc"],
    "armv7": SIGNS["armv7-a"],
    "thumbv7em": ("vfp4d16sp", "fp-armv8d16sp", "mve.fp"),
}
LISTED = {
    "thumbv7em": "cortex-m|star-mc",
    "armv7": "(?!cortex-m|star-mc|sc)",
}  # what names of an architecture begin with
TABLES = {"thumbv7em": "CORTEX_M"}
LEVELS = ("x86-64-v4", "x86-64-v3")
HEAD = '''"""Processors by LLVM's names, and which features that rows of the table ask for each has.  Written by
`tools/gen_cpu_names.py`, which asks LLVM; a test holds it to LLVM.  `x86-64-v3` and `v4` stand for their features.
"""

from __future__ import annotations
'''


def processors(arch: str) -> list[str]:
    """What LLVM lists."""
    code = (
        "import sys, llvmlite.binding as llvm; llvm.initialize_all_targets();"
        "llvm.Target.from_triple(sys.argv[1]).create_target_machine(cpu='help')"
    )
    command = [sys.executable, "-P", "-c", code, f"{arch}-unknown-linux-gnu"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    listed = said.partition("Available CPUs")[2].partition("Available features")[0]
    return re.findall(r"^\s+(\S+) +- ", listed, re.MULTILINE)


def features(arch: str, cpu: str) -> list[str]:
    """Those of `ASKED` that a processor has."""
    triple, text, asked = f"{arch}-unknown-linux-gnu", "", ASKED[arch]
    for i, feature in enumerate(asked):
        made_for = f'"target-cpu"="{cpu}" "target-features"="+{feature}"'
        text += f"define internal i32 @f{i}(i32 %x) {made_for} {{\n  %y = add i32 %x, 7\n  ret i32 %y\n}}\n"
        text += f'define i32 @g{i}(i32 %x) "target-cpu"="{cpu}" {{\n'
        text += f"  %y = call i32 @f{i}(i32 %x)\n  ret i32 %y\n}}\n"
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(f'target triple = "{triple}"\n{text}')
    machine = llvm.Target.from_triple(triple).create_target_machine()
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes.getModulePassManager().run(module, passes)
    left = str(module)
    return [feature for i, feature in enumerate(asked) if f"@f{i}(" not in left]


def is_known(arch: str, cpu: str) -> bool:
    """Whether LLVM makes code of 64 bits for a processor."""
    command = [sys.executable, __file__, arch, cpu]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def row(arch: str, cpu: str) -> str:
    """Features as the table has them."""
    left = features(arch, cpu)
    level = next((n for n in LEVELS if set(SIGNS[n]) <= set(left)), "")
    return " ".join([level] * bool(level) + [f for f in left if f not in SIGNS.get(level, ())])


def page() -> str:
    text = HEAD
    for arch in ASKED:
        names = [n for n in processors(arch) if re.match(LISTED.get(arch, ""), n) and "_" not in n]
        rows = {n: row(arch, n) for n in names if "generic" not in n and is_known(arch, n)}
        least = "" if arch == "x86_64" else ASKED[arch][0]  # what code for the first row asks for
        lines = [f'    "{n}": "{features}",' for n, features in rows.items() if least in features.split() or not least]
        text += "\n".join([f"\n{TABLES.get(arch, arch.upper())}_NAMES = {{", *lines, "}", ""])
    return text


if __name__ == "__main__":
    if sys.argv[1:]:
        features(*sys.argv[1:])
    else:
        OUTPUT.write_text(page(), encoding="utf-8")
