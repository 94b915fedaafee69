"""Compares the paper's real-data grid (9 x 9 x 5 settings, 4 folds) with scikit-learn's GridSearchCV over SVC, with as many fits.

Run it with tuning.sh, which creates the environment and builds the Rust side first. Both sides read the same 600 rows, hold out the same
share of them, use all cores, and end with one fit on all rows.
"""

import os
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

ROWS, FEATURES, FOLDS = 600, 6, 4
REPEATS = 3
# Four folds, shuffled once, as in the paper.
PAPER = ["--grid", "paper-real", "--repeats", "1"]
PUAL = ["--method", "pual"]
EXACT = [*PAPER, *PUAL, "--no-compress", "--supports", str(ROWS)]
# Targets: seconds of the paper's grid, seconds of the default tuning, and how many times faster than scikit-learn.
PAPER_SECONDS, DEFAULT_SECONDS, TIMES = 15.0, 3.0, 3.0


def trifurcate(seed):
    """Positives on both sides of the negatives, as many as negatives; half of the positives are labeled. z-scored."""
    rng = np.random.default_rng(seed)
    side = np.repeat([-1.0, 0.0, 1.0], [ROWS // 4, ROWS // 2, ROWS // 4])
    rows = rng.normal(size=(ROWS, FEATURES))
    rows[:, :2] += 1.5 * side[:, None]
    labeled = (side != 0) & (rng.random(ROWS) < 0.5)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    order = rng.permutation(ROWS)
    return rows[order], labeled[order]


def seconds_of(work, repeats=REPEATS):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    pual = sys.argv[1]
    cores = len(os.sched_getaffinity(0))
    rows, labeled = trifurcate(1)
    print(f"{cores} cores, {platform.machine()}, Python {platform.python_version()}, scikit-learn {sklearn.__version__}")
    print(f"{ROWS} rows, {int(labeled.sum())} labeled, {FEATURES} features\n")

    widths = [10.0**k for k in range(-4, 5)]
    grid = {
        "gamma": [1 / (2 * width**2) for width in widths],
        "C": widths,
        "class_weight": [{True: 1.0, False: c_u} for c_u in (0.5, 0.3, 0.1, 0.05, 0.01)],
    }
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
    search = GridSearchCV(SVC(), grid, cv=folds, n_jobs=cores, scoring="f1")
    theirs = seconds_of(lambda: search.fit(rows, labeled), repeats=1)
    fits = 9 * 9 * 5 * FOLDS
    print("| search | fits | seconds | times faster |")
    print("|---|---|---|---|")
    print(f"| GridSearchCV over SVC | {fits} | {theirs:.2f} | 1 |", flush=True)

    missed = False
    with tempfile.TemporaryDirectory() as folder:
        path, model = os.path.join(folder, "rows.csv"), os.path.join(folder, "m.pual")
        header = ",".join([f"x{j}" for j in range(FEATURES)] + ["label"])
        np.savetxt(
            path, np.column_stack([rows, labeled]), delimiter=",", header=header, comments="",
            fmt=["%.9g"] * FEATURES + ["%d"],
        )
        # (name, the command's flags, fits, maximum seconds)
        runs = [
            ("PUAL, paper-real grid", [*PAPER, *PUAL], fits, PAPER_SECONDS),
            ("PUAL, paper-real grid, every row a support", EXACT, fits, PAPER_SECONDS),
            ("GLLC, paper-real grid", [*PAPER, "--method", "gllc"], fits, PAPER_SECONDS),
            ("one PUAL model, default tuning", [*PUAL, "--ensemble", "1"], None, DEFAULT_SECONDS),
            ("ensemble of PUAL models", PUAL, None, DEFAULT_SECONDS),
            ("the default: ensemble, and all single models tuned", [], None, DEFAULT_SECONDS),
        ]
        for name, flags, count, bar in runs:
            command = [pual, "train", path, "-o", model, *flags]
            # The whole command: reading, searching, fitting, exporting, comparing with the device's code.
            ours = seconds_of(lambda: subprocess.run(command, check=True, capture_output=True))
            missed |= ours > bar or (count is not None and theirs / ours < TIMES)
            times = f"{theirs / ours:.1f}" if count else "-"
            print(f"| {name} | {count or '-'} | {ours:.2f} | {times} |", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
