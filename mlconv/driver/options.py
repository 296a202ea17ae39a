"""Options of a run: frozen, with all defaults in one place."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import nearest
from mlconv.driver.option_types import check_types, unboxed
from mlconv.exporters.target import Target, flag_of
from mlconv.formats.run_files import RunFiles
from mlconv.runtime.tolerances import ATOL, LEAST_SNR, RTOL

if TYPE_CHECKING:
    from mlconv.driver.context import Context

_RANGE = re.compile(r"(?:([A-Za-z_]\w*):)?(\d+)\.\.(\d+)")
_NAME = re.compile(r"[A-Za-z_]\w*")
# Options that say how a model file is read.
OF_MODELS = frozenset(
    ("inputs", "outputs", "shapes", "freeze", "signature", "tags", "imports", "unsafe_keras", "linked_data")
)
# Options that say how a model is quantized.
OF_QUANTIZATION = (
    "quantize_rules",
    "granularity",
    "activation_ranges",
    "quant_profile",
    "require_int8",
    "calibration",
    "calibration_images",
    "max_drop",
    "metric",
    "evaluation",
    "labels",
    "save_recipe",
    "save_calibration",
    "jobs",
    "measure",
)
_OF_VERIFICATION = ("data", "expect", "verify_with", "rtol", "atol", "min_snr")
# Options that name files, which may be path objects.
PATHS = ("data", "expect", "save_recipe", "save_calibration", "dump_ir", "certificate", "report")
_OF_BUDGET = ("max_drop", "metric", "evaluation")
# Flags of the command line that have another name.
_FLAGS = {
    "shapes": "shape",
    "tags": "tag-set",
    "quantize_rules": "quantize-rule",
    "imports": "import",
    "linked_data": "allow-linked-data",
    "layouts": "layout",
    "means": "mean",
    "stds": "std",
    "input_types": "input-type",
}
_MAX_RANK = 64
_MAX_SIZE = 1 << 40  # of one axis, and of all of a shape: no machine holds more


@dataclass(frozen=True, slots=True)
class Options:
    """What a conversion is asked to do.

    inputs, outputs: names of nodes and values that cut the graph.  shapes: input name to sizes: a number, -1 for a
    dynamic one, a name (`N`) for a symbol, a range (`1..32`) for a dynamic one with bounds, or both (`N:1..32`) for one
    that several inputs share; of a value that is no input, how large it may be (`0..9`), where data decide that.
    freeze: inputs that are constants, by name: a number, lists of numbers, or their text in JSON.
    signature, tags: of a SavedModel.  imports: modules with the custom objects of a Keras file.
    io_layout: `keep` leaves inputs and outputs as the source has them, `nhwc` makes image inputs and outputs
    channels-last.
    layouts: orders of axes that inputs and outputs shall have, by name: `nhwc`, `nchw`, `nwc`, `ncw`, `ndhwc`, `ncdhw`,
    `hwc`, `chw`.  The source's are channels first in ONNX, channels last otherwise, or as said: `nchw:nhwc`.
    means, stds: of inputs by name: the artifact takes x, where the source takes (x - mean) / std; a number, or one for
    each channel.  input_types: `uint8` or `int8` for inputs that shall take these.
    target: options of targets by name; each target takes those that it has (fields of `Target.options`).
    strip_locations, path_map: no lines of source in the output, or with prefixes of their paths replaced (from, to).
    io_json: also write the model interface, ARTIFACT.io.json.
    unsafe_keras: let a Keras file run the Python code that it holds (Lambda layers).
    linked_data: follow links of external data that lead out of the model's folder, as those of the Hugging Face cache
    do.
    verify, verify_with, data: run the artifact before it takes its name, and compare it with the `reference`
    interpreter on the model as imported, or with the `source`'s own runtime; on random inputs, or on arrays of a file
    or folder.  expect: a file or folder with what the model should answer for `data`, which the artifact is held to
    instead.
    rtol, atol: how far floats may be apart then, as parts of the largest magnitude in their channel or row, and
    besides.  min_snr: decibels that a quantized artifact keeps of answers of floats, at least.
    quantize: a scheme, `auto`, or the path of a recipe (TOML); nothing is quantized without it.  quantize_rules:
    `SELECT=SCHEME`, for ops that have another.  granularity: what one scale of weights is for.  activation_ranges:
    `min-max`, `mse`, `percentile` or `auto`; `mse` if scoring takes little where nothing is asked for.  quant_profile:
    `portable`, by which targets have the same integers, or a target, whose ops over integers are taken then.
    require_int8: ops that compute with floats are an error.
    calibration: a file, a folder or `module:function` with samples; or an iterable of samples, or a function that gives
    one.  They are gone over several times: what an iterator gives is kept in memory for that.  calibration_images: how
    images become inputs.
    max_drop: how much worse the score of the quantized model may be, in units of the metric: layers that cost too much
    are found and kept in more bits.  metric: `top1`, `psnr`, `rmse`, `agreement`, `fidelity`, or `module:function` or a
    function, which takes outputs and a sample, both by name, and says what that is worth.  evaluation: samples with
    labels, as `calibration`; labels: the name of these.  save_recipe: a file for the recipe that does the same.
    save_calibration: a file for what samples showed, which another run takes as `calibration`.
    jobs: how many processes run the model on samples, or `dask:ADDRESS` of a cluster that does; one without it.
    measure: the report says what each layer loses, and why, which takes another pass over some of the samples.
    fold_limit: largest growth in bytes that one constant folding may cause.
    plugins: names of plug-ins to load.
    certificate: a file that says where the artifact came from, as an in-toto statement.
    report: a page that says what became of the model.  source_roots: folders whose Python files it may show, besides
    the current one and what the path map leads to.
    files: takes note of the files that the run reads and writes, and refuses to write one over another; a conversion
    has its own without it.
    """

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    signature: str | None = None
    tags: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    shapes: Mapping[str, Sequence[int | str]] = field(default_factory=dict)
    freeze: Mapping[str, object] = field(default_factory=dict)
    io_layout: str = "keep"
    layouts: Mapping[str, str] = field(default_factory=dict)
    means: Mapping[str, float | Sequence[float]] = field(default_factory=dict)
    stds: Mapping[str, float | Sequence[float]] = field(default_factory=dict)
    input_types: Mapping[str, str] = field(default_factory=dict)
    target: Mapping[str, object] = field(default_factory=dict)
    quantize: str = ""
    quantize_rules: tuple[str, ...] = ()
    granularity: str = ""
    activation_ranges: str = ""
    quant_profile: str = ""
    require_int8: bool = False
    calibration: Any = ""
    calibration_images: str = ""
    max_drop: float | None = None
    metric: Any = ""
    evaluation: Any = ""
    labels: str = ""
    save_recipe: str = ""
    save_calibration: str = ""
    jobs: str = ""
    measure: bool = False
    fold_limit: int = 1 << 20
    strip_locations: bool = False
    path_map: tuple[tuple[str, str], ...] = ()
    io_json: bool = False
    unsafe_keras: bool = False
    linked_data: bool = False
    verify: bool = False
    verify_with: str = "reference"
    data: str = ""
    expect: str = ""
    rtol: float = RTOL
    atol: float = ATOL
    min_snr: float = LEAST_SNR
    verify_each: bool = False
    time_passes: bool = False
    print_ir_after: str = ""
    dump_ir: str = ""
    plugins: tuple[str, ...] = ()
    certificate: str = ""
    report: str = ""
    source_roots: tuple[str, ...] = ()
    files: RunFiles | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        """What is not at its default."""
        changed = [f for f in fields(self) if f.repr and self.is_given(f)]
        return f"Options({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in changed)})"

    def is_given(self, option: Field[object]) -> bool:
        """Whether a field is not at its default.  What is no text may have no order, as arrays of samples."""
        value, default = getattr(self, option.name), _default(option)
        return not _is_unsaid(value) if isinstance(default, str) and not default else bool(value != default)

    def __post_init__(self) -> None:
        check_types(self)
        if self.io_layout not in ("keep", "nhwc"):
            raise ConversionError(Code.UsageError, f"io_layout is {self.io_layout!r}, expected keep or nhwc")
        self.forms()
        if self.verify_with not in ("reference", "source"):
            raise ConversionError(Code.UsageError, f"verify_with is {self.verify_with!r}, expected reference or source")
        try:
            re.compile(self.print_ir_after)
        except re.error as e:
            raise ConversionError(Code.UsageError, f"{self.print_ir_after!r} is not a regular expression: {e}") from e
        if self.fold_limit < 0:
            raise ConversionError(Code.UsageError, f"fold_limit is {self.fold_limit}, expected a number of bytes")
        for name in _OF_VERIFICATION if not self.verify else ():
            if self.is_given(self.__dataclass_fields__[name]):
                raise _without_verify(name)
        for name in OF_QUANTIZATION:
            if not self.quantize and self.is_given(self.__dataclass_fields__[name]):
                raise ConversionError(
                    Code.UsageError,
                    f"--{flag_name(name)} is given, and nothing is quantized",
                    help="add --quantize SCHEME",
                )
        self._check_budget()
        for name, shape in self.shapes.items():
            for size in shape:
                _check_size(name, size)
            _check_elements(name, shape)

    def forms(self) -> dict[str, dict[str, str]]:
        """What is asked of inputs and outputs, by option of the pass `io-forms` and by name.  Raises ConversionError
        UsageError.
        """
        found = {
            "layouts": dict(self.layouts),
            "means": {name: _listed(numbers) for name, numbers in self.means.items()},
            "stds": {name: _listed(numbers) for name, numbers in self.stds.items()},
            "types": dict(self.input_types),
        }
        if any(found.values()):
            from mlconv.passes.io_forms import check_forms

            check_forms(**found)
        return {option: texts for option, texts in found.items() if texts}

    def _check_budget(self) -> None:
        """Raises ConversionError UsageError."""
        given = [name for name in _OF_BUDGET if not _is_unsaid(getattr(self, name))]
        missing = [name for name in _OF_BUDGET if name not in given]
        if (given or self.labels) and missing:
            raise ConversionError(
                Code.UsageError,
                f"--{flag_name(given[0] if given else 'labels')} is given, and not "
                f"{' nor '.join('--' + flag_name(name) for name in missing)}",
                help="give --max-drop VALUE --metric top1|psnr|rmse|agreement|fidelity|module:function "
                "--evaluation DATA",
            )
        if self.metric and not (isinstance(self.metric, str) or callable(self.metric)):
            raise ConversionError(Code.UsageError, f"metric is {self.metric!r}, expected a name or a function")
        if self.max_drop is not None and not math.isfinite(self.max_drop):
            raise ConversionError(Code.UsageError, f"max_drop is {self.max_drop}, expected a number")

    def of_target(self, target: Target) -> Any:
        """The target's own options.  Raises ConversionError UsageError for values that they do not take."""
        return target.options.of(self.target)

    def check_targets(self, targets: Sequence[Target], context: Context, given: Collection[str] = ()) -> None:
        """Raises ConversionError UsageError for options that none of the targets has, whatever their values.  given:
        names of other options that the user wrote, though it may be with their defaults.
        """
        own = {f.name for t in targets for f in fields(t.options)}
        having: dict[str, list[Target]] = {}
        for target in context.targets.all() if self.target else ():
            for option in fields(target.options):
                having.setdefault(option.name, []).append(target)
        for name in self.target:
            if name not in having:
                raise ConversionError(Code.UsageError, f"no target has the option {name!r}")
            option = having[name][0].options.__dataclass_fields__[name]
            if name not in own:
                has, listed = (" and ".join(dict.fromkeys(t.name for t in ts)) for ts in (having[name], targets))
                raise ConversionError(
                    Code.UsageError, f"--{flag_of(option)} is an option of target {has}, not of {listed}"
                )
        for target in targets:
            self.of_target(target)
        if "verify_with" in given and not self.verify:
            raise _without_verify("verify_with")

    def reads(self, paths: Iterable[str]) -> None:
        """Take note of files that the run reads, where someone keeps notes.  Raises ConversionError OutputNotWritable
        for one that is to be written.
        """
        if self.files is not None:
            self.files.read(paths)

    def sizes_given(self) -> dict[str, list[int]]:
        """Shapes of inputs by name, with -1 where a size is no number."""
        return {name: [n if isinstance(n, int) else -1 for n in shape] for name, shape in self.shapes.items()}

    def check_plain(self, what: str, taken: Collection[str] = ()) -> None:
        """Raises ConversionError UsageError for options that say how to read a model, but for those that `what`
        takes.
        """
        for option in fields(self):
            if option.name in OF_MODELS.difference(taken) and self.is_given(option):
                raise ConversionError(Code.UsageError, f"--{flag_name(option.name)} does not apply to {what}")

    def with_settings(self, settings: Mapping[str, Any], context: Context) -> Options:
        """These options with others: fields of this class, or options of targets.  Path objects and lists become texts
        and tuples.  Raises TypeError for other names, and for one text where several are wanted; ConversionError
        PluginUnusable for an option of a target that has the name of a field.
        """
        taken = sorted(context.target_options & self.__dataclass_fields__.keys()) if context.plugins else []
        if taken:
            raise ConversionError(
                Code.PluginUnusable, f"a target has the option {taken[0]!r}, which all conversions have"
            )
        known = self.__dataclass_fields__
        own = {name: _plain_field(known[name], value) for name, value in settings.items() if name in known}
        others = {name: value for name, value in settings.items() if name not in own}
        unknown = [name for name in others if name not in context.target_options]
        if unknown:
            raise TypeError(no_option(unknown[0], (*self.__dataclass_fields__, *context.target_options)))
        others = {name: _plain(name, v) for name, v in others.items()}
        return replace(self, **{**own, "target": {**self.target, **own.get("target", {}), **others}})

    def plain_shapes(self) -> dict[str, tuple[int | str, ...]]:
        """Shapes as importers take them: a range has become a symbol, named after the input and the axis."""
        return {name: tuple(_symbol(name, i, d) for i, d in enumerate(shape)) for name, shape in self.shapes.items()}

    @staticmethod
    def most(shape: Sequence[int | str]) -> tuple[tuple[int, ...], ...] | None:
        """The ends of each size of a shape of which one is a range without a name: none of those that are left open, by
        -1 or a name.  None of other shapes.
        """
        found = [_RANGE.fullmatch(str(size)) for size in shape]
        ranges = [m for m in found if m is not None]
        if not ranges or any(m.group(1) for m in ranges):
            return None
        return tuple(
            (int(m.group(2)), int(m.group(3))) if m is not None else (d, d) if isinstance(d, int) and d >= 0 else ()
            for m, d in zip(found, shape, strict=True)
        )

    def ranges(self) -> dict[str, tuple[int, int]]:
        """Smallest and largest value of each symbol that was given as a range.  Raises ConversionError UsageError when
        one has two.
        """
        found: dict[str, tuple[int, int]] = {}
        for name, shape in self.shapes.items():
            for i, size in enumerate(shape):
                match = _RANGE.fullmatch(str(size))
                if match:
                    symbol, span = str(_symbol(name, i, size)), (int(match.group(2)), int(match.group(3)))
                    if found.get(symbol, span) != span:
                        raise ConversionError(
                            Code.UsageError, f"size {symbol} has the ranges {found[symbol]} and {span}"
                        )
                    found[symbol] = span
        return found


def no_option(name: str, known: Iterable[str], who: str = "") -> str:
    """What is said of a keyword that does not exist: the nearest that does.  who: the function that is called."""
    known = [k for k in known if k not in ("files", "target")]
    by_flag = {flag.replace("-", "_"): field for field, flag in _FLAGS.items()}
    near = [by_flag[name]] if by_flag.get(name) in known else nearest(name, [*known, *by_flag])
    hint = f": did you mean {by_flag.get(near[0], near[0])!r}?" if near else "; docs/options.md lists them"
    return f"{f'{who} has' if who else 'there is'} no option {name!r}{hint}"


def check_keywords(who: str, given: Iterable[str], taken: Collection[str]) -> None:
    """Raises TypeError for a keyword that a function does not take."""
    for name in given:
        if name not in taken:
            raise TypeError(no_option(name, taken, f"mlconv.{who}"))


_SEVERAL = frozenset(
    {"inputs", "outputs", "tags", "imports", "plugins", "quantize_rules", "source_roots", "path_map", "extern"}
)


def _plain_field(option: Field[object], value: object) -> Any:
    """As `_plain`; a text or a truth value that is None is not given."""
    return _default(option) if value is None and option.type in ("bool", "str") else _plain(option.name, value)


def _plain(name: str, value: Any) -> Any:
    """A value as a field has it.  Raises TypeError."""
    if name in _SEVERAL and value is not None:
        if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
            raise TypeError(f"{name} is {value!r}, expected a list of texts, such as [{value!r}]")
        return tuple(value)
    if isinstance(value, list):
        return tuple(value)
    if name == "freeze" and isinstance(value, Mapping):  # certificates have it as JSON
        return {key: x.tolist() if hasattr(x, "tolist") else x for key, x in value.items()}
    if name == "jobs" and isinstance(value, int):
        return str(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else unboxed(value)


def _listed(numbers: float | Sequence[float]) -> str:
    """Numbers as text has them."""
    if isinstance(numbers, str):
        return numbers
    return ",".join(map(repr, map(float, numbers if isinstance(numbers, Iterable) else (numbers,))))


def _is_unsaid(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value)


def _without_verify(name: str) -> ConversionError:
    return ConversionError(
        Code.UsageError, f"--{flag_name(name)} is given, and nothing is verified", help="add --verify"
    )


def flag_name(name: str) -> str:
    """An option's name on the command line, without dashes."""
    return _FLAGS.get(name, name.replace("_", "-"))


def _default(option: Field[object]) -> object:
    return option.default_factory() if option.default_factory is not MISSING else option.default


def _symbol(name: str, axis: int, size: int | str) -> int | str:
    match = _RANGE.fullmatch(size) if isinstance(size, str) else None
    return size if match is None else match.group(1) or f"{name.removesuffix(':0')}_{axis}"


def _check_size(name: str, size: int | str) -> None:
    """Raises ConversionError UsageError."""
    if isinstance(size, str):
        match = _RANGE.fullmatch(size)
        good = (
            bool(_NAME.fullmatch(size))
            if match is None
            else len(size) < 200 and 0 <= int(match.group(2)) <= int(match.group(3)) <= _MAX_SIZE
        )
    else:
        good = -1 <= size <= _MAX_SIZE
    if not good:
        raise ConversionError(
            Code.UsageError,
            f"shape of {name} has the size {size!r}: expected a number, -1, a name, or a range like 1..32 or N:1..32",
        )


def _check_elements(name: str, shape: Sequence[int | str]) -> None:
    """Raises ConversionError UsageError for more than a machine holds."""
    count = math.prod(size for size in shape if isinstance(size, int) and size > 0)
    if count > _MAX_SIZE or len(shape) > _MAX_RANK:
        raise ConversionError(
            Code.UsageError,
            f"shape of {name} has {len(shape)} axes and {count} "
            f"elements: at most {_MAX_RANK} and {_MAX_SIZE} are possible",
        )
