"""The tables of scale.py, in Markdown."""

import math
import os
import platform
import statistics
import subprocess
from importlib.metadata import version

# Targets for one fit with 256 pivots on two cores: (what, how it is measured, "<=" or ">=", the target)
BARS = [
    ("seconds at 1,000,000 rows, with graph", lambda r: r.seconds("pual", 1_000_000), "<=", 60.0),
    ("seconds at 1,000,000 rows, no graph", lambda r: r.seconds("pual-no-graph", 1_000_000), "<=", 25.0),
    ("peak MB at 1,000,000 rows, with graph", lambda r: r.of("pual", 1_000_000, "peak"), "<=", 4000.0),
    ("times faster than SVC at 20,000 rows", lambda r: r.times("svc", "pual", 20_000), ">=", 20.0),
    ("times faster than Nystroem + LinearSVC at 1,000,000 rows", lambda r: r.times("nystroem", "pual", 1_000_000), ">=", 2.0),
    ("exponent in n from 100,000 to 1,000,000 rows, with graph", lambda r: r.late_exponent("pual"), "<=", 1.1),
    ("the same, no graph", lambda r: r.late_exponent("pual-no-graph"), "<=", 1.1),
]


class Results:
    """results[program][n], and figures derived from it. None if not measured."""

    def __init__(self, results):
        self.results = results

    def of(self, name, n, key):
        return self.results.get(name, {}).get(n, {}).get(key)

    def seconds(self, name, n):
        return self.of(name, n, "seconds")

    def times(self, name, than, n):
        theirs, ours = self.seconds(name, n), self.seconds(than, n)
        return None if theirs is None or ours is None else theirs / ours

    def late_exponent(self, name):
        first, last = self.seconds(name, 100_000), self.seconds(name, 1_000_000)
        return None if first is None or last is None else math.log10(last / first)

    def exponent(self, name):
        """Least squares of log seconds on log n, over all measured sizes, and the range of sizes."""
        sizes = [n for n in self.results[name] if self.seconds(name, n)]
        if len(sizes) < 2:
            return None, ""
        seconds = [math.log(self.seconds(name, n)) for n in sizes]
        slope = statistics.linear_regression([math.log(n) for n in sizes], seconds).slope
        return slope, f"{sizes[0]:,} to {sizes[-1]:,}"


def shown(value, form):
    return "-" if value is None else format(value, form)


def seconds_form(value):
    return ".3f" if value is not None and value < 1 else ".1f"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def machine(load):
    def first(path, start):
        with open(path) as lines:
            return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(start)), "unknown")

    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.split()
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn", "pulearn"))
    widest = "AVX-512, " if "avx512f" in first("/proc/cpuinfo", "flags").split() else ""
    gigabytes = int(first("/proc/meminfo", "MemTotal:").split()[0]) / 1e6
    return (
        f"Machine: {len(os.sched_getaffinity(0))} cores of {first('/proc/cpuinfo', 'model name')}, {platform.machine()}, "
        f"{widest}{gigabytes:.0f} GB, {platform.system()}; load average {load:.1f} at the start. "
        f"rustc {rustc[1] if len(rustc) > 1 else 'unknown'}, Python {platform.python_version()}, {libraries}, linfa-svm 0.8.1.\n"
    )


def bars(r):
    rows, missed = [], False
    for what, measure, direction, bar in BARS:
        value = measure(r)
        if value is None:
            rows.append([what, "-", f"{direction} {bar:g}", "not measured"])
            continue
        met = value <= bar if direction == "<=" else value >= bar
        missed |= not met
        rows.append([what, f"{value:.2f}", f"{direction} {bar:g}", "met" if met else "**missed**"])
    return table(["what", "measured", "target", ""], rows), missed


def phases(results):
    """Our seconds by phase, if the command reports them."""
    rows = []
    for name, what in [("pual", "with graph"), ("pual-no-graph", "no graph")]:
        for n, result in results[name].items():
            if result.get("timing"):
                rows.append([f"{n:,}", what, ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in result["timing"].items())])
    return "Ours by phase, as reported by `--json`:\n\n" + table(["n", "", "seconds"], rows) if rows else ""


def report(results, names, load, limit, no_graph):
    """The whole text, and whether a target was missed."""
    r = Results(results)
    sizes = list(results["pual"])
    peers = [name for name in names if not name.startswith("pual")]
    header = ["n", *names.values()]

    def cell(name, n):
        value = r.seconds(name, n)
        return shown(value, seconds_form(value)) if value is not None else r.of(name, n, "left_out") or "-"

    def each(names, what):
        return [[f"{n:,}", *(what(name, n) for name in names)] for n in sizes]

    growth = []
    for name, shown_name in names.items():
        exponent, over = r.exponent(name)
        growth.append([shown_name, shown(r.late_exponent(name), ".2f"), shown(exponent, ".2f"), over])
    bar_table, missed = bars(r)
    peer_header = ["n", *(names[peer] for peer in peers)]
    parts = [
        f"# One fit, from {sizes[0]:,} to {sizes[-1]:,} rows\n",
        "Command: `trainer/benches/scale.sh` (one run; each program runs alone, in its own process).\n",
        machine(load),
        "Rows: 8 features; half of the rows are positive, on both sides of the rest, and half of those are labeled. **A peer's seconds are for\n"
        "its fit only, with the rows in memory; ours are for the whole command** (`pual train rows.csv --method pual --no-tune\n"
        f"--supports 256 --no-compress`; no graph: `{no_graph}`), including CSV reading, export and checks, which counts against us. Best of up to\n"
        "three runs, as long as they take less than 10 s together. Both sides use rules of thumb as settings: gamma = 1/8 (scikit-learn's\n"
        "default here), C = 1. \"balanced\" weights classes by 1 / their counts; without it nearly every row is called negative.\n"
        f"A peer is skipped if its last times predict more than {limit:g} s, or more memory than there is; the table then shows the\n"
        "prediction.\n",
        "Seconds:\n",
        table(header, each(names, cell)),
        "Time as a multiple of PUAL's with the graph:\n",
        table(peer_header, each(peers, lambda name, n: shown(r.times(name, "pual", n), ".2f"))),
        "Time as a multiple of ours without the graph:\n",
        table(peer_header, each(peers, lambda name, n: shown(r.times(name, "pual-no-graph", n), ".2f"))),
        "Growth: the exponent p of seconds ~ n^p, from 100,000 to 1,000,000 rows, and by least squares over all sizes measured:\n",
        table(["program", "1e5 to 1e6", "all sizes", "measured"], growth),
        "F1 on 20,000 fresh rows, against their true classes, in % (calling every row positive: 66.7):\n",
        table(header, each(names, lambda name, n: shown(r.of(name, n, "f1") and 100 * r.of(name, n, "f1"), ".1f"))),
        "Peak memory of the largest process, in MB (about 150 of it are Python's libraries; bagging has one process per core):\n",
        table(header, each(names, lambda name, n: shown(r.of(name, n, "peak"), ".0f"))),
        phases(results),
        "Targets:\n",
        bar_table,
    ]
    return "\n".join(part for part in parts if part), missed
