"""One fit to 1,000 to 1,000,000 rows: time, memory and F1 of ours, scikit-learn's, pulearn's and linfa-svm's, in one run.

Run it with scale.sh, which builds the programs and creates the environment. Each program runs alone, in its own process, on the same
rows (those of speed.py: 8 features, positives on both sides of the rest, half of them labeled). A peer's seconds are for its fit only,
with the rows in memory; ours are for the whole command: start, reading the CSV file, fitting, exporting, writing, checking.
"""

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time

# Keep numpy and the rows out of this process: its memory would count as peak memory of the programs it starts.
from scale_report import report

SIZES = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]
# Small fits are repeated, and the best counts.
REPEATS, PATIENCE = 3, 10.0
PUAL = ["--no-tune", "--supports", "256", "--no-compress", "--json"]
# gamma of the RBF kernel, as in scale_peer.py.
GAMMA = 1 / 8
# Runs at every size, however long it takes: the target at 1,000,000 rows is relative to it.
ALWAYS = {"nystroem"}
NAMES = {
    "pual": "PUAL",
    "pual-no-graph": "PUAL, no graph",
    "svc": "SVC",
    "svc-balanced": "SVC, balanced",
    "nystroem": "Nystroem + LinearSVC",
    "nystroem-balanced": "Nystroem + LinearSVC, balanced",
    "bagging": "pulearn, bagging SVC",
    "linfa": "linfa-svm, balanced",
}


def run(command, limit):
    """(seconds, peak MB, standard output) of a process; None if it was still running after `limit` seconds."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=errors)
        clock = threading.Timer(limit, process.kill)
        clock.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        clock.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if seconds >= limit:
            return None
        if process.returncode:
            errors.seek(0)
            raise ChildProcessError(f"{' '.join(command)}: {process.returncode}\n{errors.read()[-2000:]}")
        out.seek(0)
        return seconds, usage.ru_maxrss / 1024, out.read()


def beside(name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def f1(called, truth):
    hits = sum(c and t for c, t in zip(called, truth, strict=True))
    return 2 * hits / (sum(called) + sum(truth))


class Bench:
    """The programs, and the folder with the rows of one size."""

    def __init__(self, pual, linfa, limit, folder):
        self.pual, self.linfa, self.limit, self.folder = pual, linfa, limit, folder
        self.no_graph = ["--method", "pual", "--neighbours", "0"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def make_rows(self, n):
        subprocess.run([sys.executable, beside("scale_rows.py"), str(n), self.folder], check=True)
        with open(self.path("fresh.csv")) as lines:
            self.truth = [row["truth"] == "1" for row in csv.DictReader(lines)]

    def measure(self, name):
        """seconds, peak MB and F1 of one program; None if it was stopped."""
        if name.startswith("pual"):
            return self.ours(["--method", "pual"] if name == "pual" else self.no_graph)
        last = [str(REPEATS), str(PATIENCE)]
        if name == "linfa":
            command = [self.linfa, self.path("rows.csv"), self.path("fresh.csv"), str(GAMMA), *last]
        else:
            command = [sys.executable, "-W", "ignore", beside("scale_peer.py"), name, self.path("rows.npz"), *last]
        try:
            done = run(command, REPEATS * PATIENCE + 4 * self.limit)
        except ChildProcessError as error:
            # Most likely out of memory. A peer may fail, and is then reported as failed; ours may not.
            print(error, file=sys.stderr)
            return {"left_out": "failed"}
        if done is None:
            return None
        answer = json.loads(done[2])
        return {"seconds": answer["seconds"], "peak": done[1], "f1": answer["f1"]}

    def ours(self, flags):
        model, best = self.path("m.pual"), None
        total, repeats = 0.0, 0
        while repeats < REPEATS and total < PATIENCE:
            command = [self.pual, "train", self.path("rows.csv"), *flags, *PUAL, "-o", model]
            done = run(command, 4 * self.limit)
            if done is None:
                return None
            if best is None or done[0] < best[0]:
                best = done
            total, repeats = total + done[0], repeats + 1
        scored = subprocess.run(
            [self.pual, "score", model, self.path("fresh.csv"), "--only-scores"], check=True, capture_output=True, text=True
        ).stdout.splitlines()
        called = [row["class"] == "1" for row in csv.DictReader(scored)]
        timing = json.loads(best[2]).get("timing")
        return {"seconds": best[0], "peak": best[1], "f1": f1(called, self.truth), "timing": timing}


def predicted(sizes, values, n):
    """Extrapolates to n with the exponent between the last two sizes, limited to 1 to 3; with one size only, 2."""
    if not values:
        return 0.0
    exponent = 2.0
    if len(values) > 1 and values[-2] > 0:
        exponent = math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2])
    return values[-1] * (n / sizes[-1]) ** min(max(exponent, 1.0), 3.0)


def free_megabytes():
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) / 1024


def why_left_out(name, results, n, limit):
    """Empty if `name` should run at n rows."""
    if name in ALWAYS or name.startswith("pual"):
        return ""
    if any(result.get("left_out") for result in results[name].values()):
        return "-"
    sizes = list(results[name])
    seconds = predicted(sizes, [results[name][size]["seconds"] for size in sizes], n)
    megabytes = predicted(sizes, [results[name][size]["peak"] for size in sizes], n)
    if seconds > limit:
        return f"about {seconds:.0f} s"
    if megabytes > 0.8 * free_megabytes():
        return f"about {megabytes / 1000:.0f} GB"
    return ""


def arguments():
    parser = argparse.ArgumentParser(prog="scale.sh", description="Compares one fit of ours with its peers at growing sizes.")
    parser.add_argument("pual", help=argparse.SUPPRESS)
    parser.add_argument("linfa", help=argparse.SUPPRESS)
    parser.add_argument("--sizes", type=lambda text: sorted(int(size) for size in text.split(",")), default=SIZES,
                        metavar="N,N,...", help="rows [default: 1000 to 1000000]")
    peers = [name for name in NAMES if not name.startswith("pual")]
    parser.add_argument("--peers", type=lambda text: text.split(","), default=peers, metavar="NAME,...",
                        help=f"of {', '.join(peers)} [default: all]")
    parser.add_argument("--limit", type=float, default=150.0, metavar="SECONDS",
                        help="skip a peer if it is predicted to take longer [default: 150]")
    parser.add_argument("--out", metavar="LOG.md", help="write the report to this file after each size, instead of to standard output")
    given = parser.parse_args()
    unknown = [peer for peer in given.peers if peer not in peers]
    if unknown:
        parser.error(f"--peers: no peer {', '.join(unknown)}; there are {', '.join(peers)}")
    if not given.sizes or given.sizes[0] < 1000:
        parser.error("--sizes: at least 1000 rows")
    return given


def main():
    given = arguments()
    programs = ["pual", "pual-no-graph", *given.peers]
    results = {name: {} for name in programs}
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given.pual, given.linfa, given.limit, folder)
        for n in given.sizes:
            bench.make_rows(n)
            for name in programs:
                reason = why_left_out(name, results, n, given.limit)
                result = None if reason else bench.measure(name)
                if result is None:
                    result = {"left_out": reason or f"stopped after {4 * given.limit:.0f} s"}
                results[name][n] = result
                print(f"{n} {name}: {result}", file=sys.stderr, flush=True)
            names = {name: NAMES[name] for name in programs}
            text, missed = report(results, names, load, given.limit, " ".join(bench.no_graph))
            if given.out:
                with open(given.out + ".part", "w") as out:
                    out.write(text)
                os.replace(given.out + ".part", given.out)
    if not given.out:
        print(text)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
