"""Arguments of the command line: how texts become values, and options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from mlconv.commands.reporting import report_options
from mlconv.commands.sections import Command, option, together
from mlconv.runtime.tolerances import ATOL, LEAST_SNR, RTOL

if TYPE_CHECKING:
    from mlconv.driver.config import Config

MAX_THREADS = 1024
_MAX_DIGITS = 18  # of a number; longer ones are no sizes


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS


def parse_shapes(
    ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, tuple[int | str, ...]]:
    """NAME=1,224,224,3; names may hold `=`; an empty right side is a scalar; sizes may be names and ranges."""
    shapes: dict[str, tuple[int | str, ...]] = {}
    for text in values:
        name, sign, dims = text.rpartition("=")
        if not sign or not name:
            raise click.BadParameter(f"{text!r} is not NAME=SIZE,SIZE,...")
        if name in shapes:
            raise click.BadParameter(f"the shape of {name!r} is given twice")
        parts = [d.strip() for d in dims.split(",")] if dims.strip() else []
        shapes[name] = tuple(int(d) if _is_number(d.removeprefix("-")) else d for d in parts)
    return shapes


def parse_named(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE, each name once; names may hold `=`."""
    found: dict[str, str] = {}
    for text in values:
        name, sign, value = text.rpartition("=")
        if not sign or not name or not value:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE")
        if name in found:
            raise click.BadParameter(f"{name!r} is given twice")
        found[name] = value
    return found


def parse_names(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """A,B,C."""
    names = tuple(n for n in (value or "").split(",") if n)
    if value is not None and not names:
        raise click.BadParameter(f"{value!r} names nothing")
    return names


def completing(
    names: Callable[[click.Context], Iterable[str]], many: bool = False
) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """For completion in a shell: names that begin as what was typed.  many: several, with commas between them."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",") if many else ("", "", incomplete)
        return [f"{before}{comma}{name}" for name in names(ctx) if name.startswith(last)]

    return complete


def parse_path(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str:
    """The name of a file or a folder: an empty one stands for an option that is not given, and is nothing to be
    given.
    """
    if value == "":
        raise click.BadParameter("the name is empty")
    return value or ""


def jobs_option(help_: str) -> Callable[[Command], Command]:
    """Who does the work: `runtime.jobs.workers_of` takes the text."""
    return option("--jobs", default="", metavar="N|dask:ADDRESS", help=help_)


def page_option(flag: str, help_: str) -> Callable[[Command], Command]:
    """A file with a page, by default none."""

    def parse(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str:
        if value is not None and not value.endswith(".html"):
            raise click.BadParameter(f"{value!r} does not end in .html")
        return value or ""

    return option(flag, callback=parse, type=click.Path(), metavar="FILE.html", help=help_)


def read_config(ctx: click.Context, parameter: click.Parameter, value: str | None) -> Config:
    """A callback: the options of a TOML file, none without one."""
    from mlconv.driver.config import Config

    return Config.read(value) if value else Config()


reading_options = together(
    option(
        "--config",
        callback=read_config,
        type=click.Path(),
        metavar="FILE",
        help="Options of targets, and plug-ins, from a TOML file; the command line wins.",
    ),
    option("--plugin", "plugins", multiple=True, metavar="NAME", help="An installed plug-in to load. Repeatable."),
    option(
        "--inputs", callback=parse_names, metavar="A,B", help="Inputs, if other than the model's own (node or node:0)."
    ),
    option(
        "--outputs",
        callback=parse_names,
        metavar="A,B",
        help="Outputs, if other than the model's own (node or node:0).",
    ),
    option(
        "--shape",
        "shapes",
        multiple=True,
        callback=parse_shapes,
        metavar="NAME=D,D,...",
        help="Sizes of an input: numbers, -1 (dynamic), names, ranges like 1..32 or N:1..32; of another value 0..N, how"
        " large it may be. Repeatable.",
    ),
    option(
        "--freeze",
        multiple=True,
        callback=parse_named,
        metavar="NAME=VALUE",
        help="An input that is a constant: a number, true, false, or a list in JSON. Repeatable.",
    ),
    option(
        "--signature", metavar="NAME", help="Signature of a SavedModel; several separated by commas, or '*' for all."
    ),
    option(
        "--tag-set",
        "tags",
        callback=parse_names,
        metavar="A,B",
        help="Tags of a SavedModel's meta graph; serve by default.",
    ),
    option(
        "--import",
        "imports",
        multiple=True,
        metavar="MODULE",
        help="Module with the custom objects of a Keras file. Repeatable.",
    ),
    option("--unsafe-keras", is_flag=True, help="Let a Keras file run the Python code that it holds (Lambda layers)."),
    option(
        "--allow-linked-data",
        "linked_data",
        is_flag=True,
        help="Follow links of external data that leave the model's folder.",
    ),
    section="How the model is read",
)

model_options = together(reading_options, report_options)
"""Options of every command that reads a model."""

data_option = option(
    "--data",
    callback=parse_path,
    type=click.Path(),
    metavar="FILE|DIR",
    help="Arrays to run with: an .npz, an .npy, or a folder with one for each run; random without it.",
)

expect_option = option(
    "--expect",
    callback=parse_path,
    type=click.Path(),
    metavar="FILE|DIR",
    help="What the model should give for --data: an .npz, an .npy, or a folder with one for each run.",
)

limit_options = together(
    option(
        "--rtol",
        type=click.FloatRange(min=0),
        default=RTOL,
        show_default=True,
        help="How far floats may be apart, as a part of the largest magnitude in their channel or row.",
    ),
    option(
        "--atol",
        type=click.FloatRange(min=0),
        default=ATOL,
        show_default=True,
        help="How far floats may be apart besides.",
    ),
    option(
        "--min-snr",
        type=float,
        default=LEAST_SNR,
        show_default=True,
        metavar="DB",
        help="Ratio of signal to noise, in dB, that a quantized model has at least to one that is not.",
    ),
    section="Limits of differences",
)

_SCHEMES = (
    "int8",
    "int8-io-int8",
    "int8-io-uint8",
    "int16x8",
    "dynamic-range",
    "int8-weights",
    "int4",
    "float16",
    "bfloat16",
    "bfloat16-weights",
)
SCHEMES = (
    f"{', '.join(_SCHEMES)}; auto: int8, with layers in more bits where answers would change, or, for native code with "
    "--max-drop, what is fastest layer by layer; or a recipe, a TOML file"
)

scheme_option = option(
    "--quantize",
    callback=parse_path,
    metavar="SCHEME|FILE.toml",
    shell_complete=completing(lambda ctx: (*_SCHEMES, "auto")),
    help=f"Store and compute numbers in fewer bits: {SCHEMES}.",
)

recipe_options = together(
    option(
        "--quantize-rule",
        "quantize_rules",
        multiple=True,
        metavar="SELECT=SCHEME",
        help="Another scheme, or float, for ops of a type (conv, Conv), of a name (encoder/*) or of lines "
        "(model.py:120-145). Repeatable.",
    ),
    option(
        "--granularity",
        default="",
        metavar="G",
        help="What one scale of weights is for: channel, tensor, or blocks of 32, 64, 128 or 256.",
    ),
    option(
        "--quant-profile",
        default="",
        metavar="P",
        help="portable, where an op computes with floats on all targets if one has no form of it over integers; or a "
        "target, for what that one has.",
    ),
    option("--require-int8", is_flag=True, help="Fail where an op still computes with floats."),
    section="Quantization",
)

calibration_options = together(
    option(
        "--calibration",
        callback=parse_path,
        metavar="DATA",
        help="Samples of what the model will see: an .npz, an .npy, a folder of them or of images, module:function; "
        "what --save-calibration wrote; or random:N, which tells nothing about accuracy.",
    ),
    option(
        "--calibration-images",
        default="",
        metavar="FORM",
        help="How images become inputs: 'size=224x224 mean=A,B,C std=A,B,C layout=nchw'.",
    ),
    section="Quantization",
)

quantize_options = together(
    calibration_options,
    recipe_options,
    option(
        "--activation-ranges",
        default="",
        metavar="R",
        help="min-max of all numbers; or mse, percentile, or auto for both: without outermost numbers, where outputs "
        "are closer to the model's then. Default: mse, and min-max where large samples would take long to score.",
    ),
    option(
        "--max-drop",
        type=float,
        metavar="VALUE",
        help="How much worse than the model the result may score: layers that cost too much are found, and kept in "
        "more bits. Exit code 3 where that is not enough; the best model then lies beside the output as "
        "STEM.best.SUFFIX.",
    ),
    option(
        "--metric",
        default="",
        metavar="METRIC",
        help="What scores: top1, psnr (dB), rmse; agreement or fidelity with the model; or "
        "module:function(outputs, sample).",
    ),
    option(
        "--evaluation",
        callback=parse_path,
        metavar="DATA",
        help="Samples to score with, as --calibration takes them, with an array of labels beside the inputs.",
    ),
    option(
        "--labels",
        default="",
        metavar="NAME",
        help="The array of labels; without it label, labels, y, target or targets.",
    ),
    option(
        "--save-recipe",
        callback=parse_path,
        type=click.Path(),
        metavar="FILE.toml",
        help="Write the recipe that gives this result again.",
    ),
    option(
        "--save-calibration",
        callback=parse_path,
        type=click.Path(),
        metavar="FILE",
        help="Write what the samples showed; another run takes it as --calibration, and needs no samples.",
    ),
    jobs_option("Processes that run the model on samples, or the scheduler of a dask cluster; the result is the same."),
    section="Quantization",
)

verify_options = together(
    option(
        "--verify",
        is_flag=True,
        help="Run the result before it takes its name, and compare it with the model as imported.",
    ),
    option(
        "--verify-with",
        type=click.Choice(("reference", "source")),
        default="reference",
        show_default=True,
        help="Compare with the reference interpreter, or with the source's own runtime (ONNX Runtime, TensorFlow).",
    ),
    data_option,
    expect_option,
    limit_options,
    section="Verification",
)

verify_each_option = option("--verify-each", is_flag=True, help="Check the IR after every pass.")

debug_options = together(
    verify_each_option,
    option("--time-passes", is_flag=True, help="Print the time of every pass, and how often what was done."),
    option("--print-ir-after", metavar="REGEX", default="", help="Print the IR after passes whose name matches."),
    option("--dump-ir", metavar="DIR", callback=parse_path, help="Write the IR after every pass into a folder."),
    section="Passes",
)

form_options = together(
    option(
        "--layout",
        "layouts",
        multiple=True,
        callback=parse_named,
        metavar="NAME=ORDER",
        help="Order of axes that an input or output shall have: nhwc, nchw, nwc, ncw, ndhwc, ncdhw, hwc, chw. The "
        "model's own is channels first in ONNX, channels last otherwise, or as said: NAME=nchw:nhwc. Repeatable.",
    ),
    option(
        "--mean",
        "means",
        multiple=True,
        callback=parse_named,
        metavar="NAME=A,B,C",
        help="Of an input: the result takes x, where the model takes (x - mean) / std. One number, or one for each "
        "channel. Repeatable.",
    ),
    option("--std", "stds", multiple=True, callback=parse_named, metavar="NAME=A,B,C", help="As --mean. Repeatable."),
    option(
        "--input-type",
        "input_types",
        multiple=True,
        callback=parse_named,
        metavar="NAME=TYPE",
        help="uint8 or int8, which an input takes instead of floats. Repeatable.",
    ),
    section="Inputs and outputs of the result",
)

threads_option = option(
    "--threads", type=click.IntRange(1, MAX_THREADS), default=1, show_default=True, help="Threads of native code."
)
