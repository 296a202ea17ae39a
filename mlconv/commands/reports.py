"""What commands print with --json."""

from __future__ import annotations

from collections.abc import Mapping

_VIEWS = "mlconv.driver.views"
REPORTS: Mapping[str, tuple[str, ...]] = {
    "diagnostic": ("mlconv.diagnostics.render:DiagnosticData",),
    "convert": ("mlconv.driver.result:Result",),
    "quantize": ("mlconv.quantize.report:ReportData",),
    "simplify": ("mlconv.commands.simplify_report:SimplificationData",),
    "build": ("mlconv.commands.build_report:BuildData", "mlconv.driver.result:Result"),
    "init": ("mlconv.commands.init:InitData",),
    "inspect": ("mlconv.driver.inspection:Inspection", f"{_VIEWS}.objects:ObjectFacts"),
    "inspect-nodes": (f"{_VIEWS}.nodes:NodesFacts",),
    "inspect-tensors": (f"{_VIEWS}.tensors:TensorsFacts",),
    "inspect-sizes": (f"{_VIEWS}.sizes:SizesFacts", f"{_VIEWS}.objects:ObjectFacts"),
    "inspect-memory": ("mlconv.driver.memory_facts:MemoryFacts",),
    "inspect-quantization": (f"{_VIEWS}.quantization:QuantizationFacts",),
    "inspect-delegates": (f"{_VIEWS}.delegates:DelegatesFacts",),
    "check": ("mlconv.commands.check_data:CheckData", "mlconv.commands.check_data:CheckData[]"),
    "verify": ("mlconv.commands.verify_report:ComparisonData",),
    "bisect": ("mlconv.commands.bisect_report:BisectionData",),
    "run": ("mlconv.commands.run_report:RunData",),
    "diff": ("mlconv.driver.differences:Differences",),
    "bench": (
        "mlconv.driver.bench:BenchFacts",
        "mlconv.driver.bench_threads:CurveFacts",
        "mlconv.driver.bench_batches:BatchesFacts",
        "mlconv.driver.bench_objects:ObjectTimes",
    ),
    "tune": ("mlconv.driver.tuning:TuneFacts",),
    "explain": ("mlconv.commands.explain:ExplainData",),
    "doctor": ("mlconv.commands.doctor:DoctorData",),
    "completion": ("mlconv.commands.completion:CompletionData",),
    "opt": ("mlconv.commands.opt:OptData",),
}
"""Types of what is printed, by the name of the command and of the view; one of several.  A list ends in brackets."""
