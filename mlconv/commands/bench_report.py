"""What `mlconv bench` prints for people."""

from __future__ import annotations

from mlconv.commands.console import size_text, table
from mlconv.diagnostics.text import printable_data
from mlconv.driver.bench import BenchFacts
from mlconv.driver.bench_threads import CurveFacts


def report_bench(facts: BenchFacts, top: int) -> str:
    """Times by op, the longest first."""
    facts = printable_data(facts)
    seconds, peak = facts["seconds"], facts["peak"]
    rows = []
    for op in sorted(facts["ops"], key=lambda o: -o["seconds"])[:top]:
        percent = "-" if op["peak_percent"] is None else f"{op['peak_percent']:.0f}%"
        numbers = f"{op['seconds'] * 1e3:.4f}", f"{op['share']:.1%}", f"{op['gflops']:.1f}", percent
        what = f"{op['op']} by {', '.join(op['by'])}" if op["by"] else op["op"]
        rows.append((*numbers, what, op["line"] or op["node"]))
    lines = [
        f"{facts['model']}: {seconds['median'] * 1e3:.3f} ms (best "
        f"{seconds['best'] * 1e3:.3f}), {facts['cpu']}, {facts['threads']} threads",
        f"  one core: {peak['flops'] / 1e9:.0f} GFLOP/s; reads "
        + ", ".join(f"{b / 1e9:.0f} GB/s up to {size_text(n)}" for n, b in peak["bandwidth"]),
        *(f"  {x['output']} as expected: {x['verdict']}, off by {x['max_abs']:.3g}" for x in facts["expected"]),
        *table(("ms", "share", "GFLOP/s", "of peak", "op", "where"), rows),
        "by line:",
        *(f"  {x['seconds'] * 1e3:10.4f} ms {x['share']:6.1%}  {x['line']}" for x in facts["lines"][:top]),
    ]
    return "\n".join(lines)


def report_curve(facts: CurveFacts, top: int) -> str:
    """Times by number of threads, then ops, those first that lose most."""
    facts = printable_data(facts)
    curve = facts["curve"]
    points = [
        (str(p["threads"]), f"{p['median'] * 1e3:.3f}", f"{p['best'] * 1e3:.3f}", f"{p['speedup']:.2f}x") for p in curve
    ]
    rows = []
    for op in sorted(facts["ops"], key=lambda o: -o["lost"])[:top]:
        times = [f"{seconds * 1e3:.4f}" for seconds in op["seconds"]]
        rows.append((*times, f"{op['speedup']:.2f}x", f"{op['lost'] * 1e3:.4f}", op["op"], op["line"] or op["node"]))
    lines = [
        f"{facts['model']}: {facts['cpu']}, {facts['rounds']} rounds",
        *table(("threads", "median ms", "best ms", "speed-up"), points),
        f"ops by the time that they lack of {curve[-1]['threads'] / curve[0]['threads']:g} times:",
        *table((*(f"ms on {p['threads']}" for p in curve), "speed-up", "lost ms", "op", "where"), rows),
    ]
    return "\n".join(lines)
