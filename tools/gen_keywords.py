"""Writes mlconv/driver/keywords.py: the keywords of the Python API with their types, from the fields of `Options` and
of the option classes of targets.
"""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import OF_MODELS, OF_QUANTIZATION, PATHS, Options

OUTPUT = Path(__file__).resolve().parent.parent / "mlconv" / "driver" / "keywords.py"
HEAD = '''"""Keywords of the Python API: what `mlconv.convert`, `load`, `quantize`, `simplify` and `check` take besides
their own arguments.  `Options`, and docs/options.md for those of targets, say what they mean.

Written by `tools/gen_keywords.py` from the fields of `Options` and of the option classes of targets; a test holds it
to them.  Options of plug-ins' targets have no name here: they go into `target={NAME: VALUE}`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from mlconv.quantize.metrics import OwnMetric
from mlconv.runtime.samples import Source
'''
FINER = {
    "io_layout": 'Literal["keep", "nhwc"]',
    "verify_with": 'Literal["reference", "source"]',
    "calibration": "str | os.PathLike[str] | Source",
    "evaluation": "str | os.PathLike[str] | Source",
    "metric": "str | OwnMetric",
    "jobs": "int | str",
    "quantize": "str | os.PathLike[str]",
    "input_types": 'Mapping[str, Literal["uint8", "int8"]]',
}
"""Types that say more than the field's."""
QUANTIZES = (
    "calibration",
    "granularity",
    "require_int8",
    "measure",
    "max_drop",
    "metric",
    "evaluation",
    "labels",
    "jobs",
)
"""Arguments that `mlconv.quantize` has itself."""


def page() -> str:
    own = {f.name: _type(f.name, str(f.type)) for f in fields(Options) if f.name != "files"}
    reading = [n for n in own if n in OF_MODELS - {"inputs", "outputs", "signature"}]
    general = [n for n in own if n not in (*reading, *OF_QUANTIZATION, "quantize", "plugins")]
    whole = ["quantize", "quantize_rules", *QUANTIZES]
    quantization = [n for n in OF_QUANTIZATION if n not in whole]
    targets = _of_targets()
    clashes = sorted(targets.keys() & own.keys())
    if clashes:
        raise SystemExit(f"options of targets that all conversions have: {clashes}")
    parts = [
        _class(
            "LoadOptions", "TypedDict, total=False", "Of `mlconv.load`.", {n: own[n] for n in [*reading, "plugins"]}
        ),
        _class(
            "SimplifyOptions",
            "TypedDict, total=False",
            "Of `mlconv.simplify`.",
            {n: own[n] for n in ("shapes", "linked_data", "plugins")},
        ),
        _class("TargetKeywords", "TypedDict, total=False", "Of the targets that come along.", targets),
        _class(
            "QuantizeOptions",
            "LoadOptions, TargetKeywords, total=False",
            "Of `mlconv.quantize`.",
            {n: own[n] for n in [*general, *quantization]},
        ),
        _class("ConvertOptions", "QuantizeOptions, total=False", "Of `mlconv.convert`.", {n: own[n] for n in whole}),
    ]
    return HEAD + "".join(f"\n\n{part}" for part in parts)


def _type(name: str, text: str) -> str:
    if name in FINER:
        return FINER[name]
    if name in PATHS:
        return "str | os.PathLike[str]"
    return text.replace("tuple[str, ...]", "Sequence[str]").replace(
        "tuple[tuple[str, str], ...]", "Sequence[tuple[str, str]]"
    )


def _of_targets() -> dict[str, str]:
    """By name; choices of several targets together."""
    types: dict[str, str] = {}
    choices: dict[str, list[str]] = {}
    for target in BUILT_IN.targets.all():
        for option in fields(target.options):
            plain = str(option.type).replace("tuple[str, ...]", "Sequence[str]")
            types.setdefault(option.name, "str | os.PathLike[str]" if option.metadata["is_path"] else plain)
            choices.setdefault(option.name, []).extend(
                c for c in option.metadata["choices"] if c not in choices.get(option.name, ())
            )
    listed = {name: ", ".join(f'"{c}"' for c in found) for name, found in choices.items()}
    return {name: f"Literal[{listed[name]}]" if listed[name] else text for name, text in types.items()}


def _class(name: str, bases: str, about: str, names: dict[str, str]) -> str:
    lines = [f"class {name}({bases}):", f'    """{about}"""', "", *(f"    {n}: {t}" for n, t in names.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(sys.argv[1]) if sys.argv[1:] else OUTPUT).write_text(page(), encoding="utf-8")
