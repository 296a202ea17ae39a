"""Stable codes of diagnostics, by their meaning.

A number is never given to another code; each code has a page in `pages/` and a test.
"""

from __future__ import annotations

import enum


class Family(enum.Enum):
    """What codes of the same leading digits have in common.  exit_status: of a run that such a code ends."""

    def __init__(self, number: str, about: str, exit_status: int) -> None:
        self.number, self.about, self.exit_status = number, about, exit_status

    Files = "00", "input and output files", 1
    Structure = "01", "structure of the source graph", 1
    Types = "02", "types and shapes", 1
    SourceOps = "03", "source ops", 1
    Target = "04", "target legalization", 1
    Constants = "05", "constants and quantization", 1
    Passes = "06", "passes", 1
    Verification = "07", "verification", 3
    Usage = "08", "usage", 2
    Internal = "09", "internal", 4
    Machines = "10", "machines that take part", 1


class Code(enum.Enum):
    """id: what users see and `mlconv explain` takes; title: a few words."""

    def __init__(self, id: str, title: str) -> None:
        self.id, self.title = id, title
        self.family = next(f for f in Family if f.number == id[3:5])

    @property
    def exit_status(self) -> int:
        """Of a run that this code ends."""
        return self.family.exit_status

    InputNotReadable = "MLC0001", "input not found or not readable"
    FormatUnknown = "MLC0002", "file format not recognised"
    FileDamaged = "MLC0003", "file is damaged or truncated"
    NestedTooDeeply = "MLC0004", "file nests too deeply"
    ExternalDataInvalid = "MLC0005", "external data missing, short or outside the model's folder"
    TextNotUtf8 = "MLC0006", "text that is not UTF-8"
    OutputNotWritable = "MLC0007", "output cannot be written"
    PackageMissing = "MLC0008", "model needs a package that is not installed"
    VersionUnsupported = "MLC0009", "model format version or opset not supported"

    NameDefinedTwice = "MLC0101", "name defined twice"
    InputNotProduced = "MLC0102", "input produced by no node"
    GraphHasCycle = "MLC0103", "graph has a cycle"
    NoOutputs = "MLC0104", "graph has no outputs"
    WrongArity = "MLC0105", "wrong number of inputs or outputs of a node"
    AttributeInvalid = "MLC0106", "attribute missing or ill-typed"
    NameNotFound = "MLC0107", "input, output or signature not found"
    ControlFlowUnstructured = "MLC0108", "control flow that cannot be structured"

    ShapeMismatch = "MLC0201", "shapes do not fit"
    TypeMismatch = "MLC0202", "element types do not fit"
    ShapeNotStatic = "MLC0203", "shape or value must be known at conversion time"
    TensorTooLarge = "MLC0204", "tensor too large"
    ElementTypeUnsupported = "MLC0205", "element type not supported"
    DeclaredTypeWrong = "MLC0206", "declared type of a value is not what its op gives"

    OpUnsupported = "MLC0301", "operator not supported"
    VariantUnsupported = "MLC0302", "operator variant not supported"

    TargetLacksOp = "MLC0401", "target has no form for an operator"
    TargetLacksType = "MLC0402", "target cannot hold a value's type or rank"
    ArtifactInvalid = "MLC0403", "output file failed its structural check"
    TargetUnavailable = "MLC0404", "target not available"
    ForeignUnavailable = "MLC0405", "foreign function cannot be run here"

    ConstantInvalid = "MLC0501", "constant's size and data disagree"
    ConstantNotFinite = "MLC0502", "constant is not finite"
    QuantizationInvalid = "MLC0503", "quantization parameters are not valid"
    CalibrationUnfit = "MLC0504", "saved calibration does not fit the model"
    CalibrationRandom = "MLC0505", "calibrated with random numbers"
    CalibrationPartial = "MLC0506", "saved calibration does not tell how weights are rounded best"
    CalibrationAssumed = "MLC0507", "images taken as pixels of 0 to 255"
    CalibrationIncomplete = "MLC0508", "samples that fill no run are left out"

    RewriteDiverged = "MLC0601", "rewriting did not come to an end"
    TextNotUnderstood = "MLC0602", "pipeline or IR text not understood"
    IrInvalid = "MLC0603", "IR is not valid"

    VerificationFailed = "MLC0701", "verification failed"
    VerificationImpossible = "MLC0702", "verification not possible"

    FloatsLeft = "MLC0703", "ops that were to compute with integers compute with floats"
    AccuracyLost = "MLC0704", "quantized model loses more than it may"
    InterfacesDiffer = "MLC0705", "inputs or outputs of two models do not fit"
    PassFaulty = "MLC0706", "pass changes what a model computes"
    ModelsDiffer = "MLC0707", "models differ in what must be the same"
    CertificateBroken = "MLC0708", "certificate does not hold"
    BudgetExceeded = "MLC0709", "artifact larger or slower than it may be"
    ArtifactStale = "MLC0710", "artifact of a project is not up to date"
    BoundBroken = "MLC0711", "artifact breaks a bound of its project"

    UsageError = "MLC0801", "option not understood"
    PluginUnusable = "MLC0802", "plug-in not installed, or unusable"
    CalibrationMissing = "MLC0803", "calibration data missing"
    RuleMatchesNothing = "MLC0804", "quantization rule matches no op"
    ForeignDeclaration = "MLC0805", "foreign function not declared as it must be"

    InternalError = "MLC0901", "internal error"

    WorkerLost = "MLC1001", "worker ended, or cannot be reached"


def code_of(id: str) -> Code | None:
    """The code that users see as `id`."""
    return next((code for code in Code if code.id == id), None)
