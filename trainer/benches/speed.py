"""Compares one certified PUAL fit with one scikit-learn SVC fit, on the same rows, in the same run.

Run it with speed.sh, which creates the environment and builds the Rust side first.
"""

import os
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np
import sklearn
from sklearn.svm import SVC

FEATURES = 8
BARS = {2000: 1.0, 5000: 0.3, 20000: 0.06}
REPEATS = {2000: 5, 5000: 3, 20000: 1}


def trifurcate(n, seed):
    """Positives on both sides of the negatives, as many as negatives; half of the positives are labeled. z-scored.

    Returns the rows, which of them are labeled, and which are positive."""
    rng = np.random.default_rng(seed)
    side = np.repeat([-1.0, 0.0, 1.0], [n // 4, n - 2 * (n // 4), n // 4])
    rows = rng.normal(size=(n, FEATURES))
    rows[:, :2] += 1.5 * side[:, None]
    labeled = (side != 0) & (rng.random(n) < 0.5)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    order = rng.permutation(n)
    return rows[order], labeled[order], (side != 0)[order]


def ours(binary, path, threads, repeats):
    command = [binary, path, "--threads", str(threads), "--repeats", str(repeats)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split(maxsplit=2)
    return float(answer[0]), int(answer[1]), answer[2].strip()


def main():
    binary = sys.argv[1]
    cores = len(os.sched_getaffinity(0))
    print(f"{cores} cores, {platform.machine()}, Python {platform.python_version()}, scikit-learn {sklearn.__version__}\n")
    print("| n | labeled | SVC s | PUAL s, all cores | PUAL s, 1 thread | ratio | target | peak MB |")
    print("|---|---|---|---|---|---|---|---|")
    details, missed = [], False
    for n, bar in BARS.items():
        rows, labeled, _ = trifurcate(n, seed=n)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            np.savetxt(path, np.column_stack([rows, labeled]), delimiter=",", fmt=["%.17g"] * FEATURES + ["%d"])
            seconds = []
            for _ in range(REPEATS[n]):
                # The same kernel as ours: gamma = 1 / (2 l^2) with l = 2, which is also SVC's own default here.
                machine = SVC(C=1.0, gamma=1 / (2 * 2.0**2), cache_size=200)
                start = time.perf_counter()
                machine.fit(rows, labeled)
                seconds.append(time.perf_counter() - start)
            svc = min(seconds)
            all_cores, peak, stages = ours(binary, path, 0, 5)
            one_thread, _, _ = ours(binary, path, 1, 5)
        ratio = all_cores / svc
        missed |= ratio > bar or (n == 20000 and peak > 1000)
        print(
            f"| {n} | {int(labeled.sum())} | {svc:.3f} | {all_cores:.3f} | {one_thread:.3f} "
            f"| {ratio:.3f} | {bar} | {peak} |",
            flush=True,
        )
        details.append(f"n = {n}: {stages}")
    print("\n" + "\n\n".join(details))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
