"""Times one peer's fit in its own process: `scale_peer.py PEER ROWS.npz REPEATS PATIENCE` prints a JSON object.

The rows are in memory before the clock starts. It fits up to REPEATS times, as long as all fits together have taken less than
PATIENCE seconds, and reports the best. Labels: 1 is labeled positive, 0 unlabeled. F1 is measured on fresh rows with known truth.
"""

import json
import os
import sys
import time

import numpy as np
from pulearn import BaggingPuClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

# gamma = 1/8 is scikit-learn's own default for eight z-scored features. `balanced` weights the classes by 1 / their counts, as our rule
# of thumb does. Without it the unlabeled positives win and nearly every row is called negative, which is fast and useless.
GAMMA = 1 / 8


def nystroem(weights):
    # dual="auto" is LinearSVC's default: the primal problem, since there are more rows than features.
    return make_pipeline(Nystroem(gamma=GAMMA, n_components=256, random_state=0), LinearSVC(class_weight=weights))


def bagging(labeled):
    # As in its paper: each machine sees all labeled rows and the same number of unlabeled ones.
    return BaggingPuClassifier(
        SVC(gamma=GAMMA), n_estimators=10, max_samples=int(labeled.sum()), oob_score=False,
        n_jobs=len(os.sched_getaffinity(0)), random_state=0,
    )


MACHINES = {
    "svc": lambda labeled: SVC(gamma=GAMMA),
    "svc-balanced": lambda labeled: SVC(gamma=GAMMA, class_weight="balanced"),
    "nystroem": lambda labeled: nystroem(None),
    "nystroem-balanced": lambda labeled: nystroem("balanced"),
    "bagging": bagging,
}


def f1(called, truth):
    hits = np.sum(called & truth)
    return float(2 * hits / (np.sum(called) + np.sum(truth)))


def main():
    name, path, repeats, patience = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    data = np.load(path)
    rows, labeled = data["rows"], data["labeled"].astype(int)
    # A small fit first, to load libraries and start the processes of n_jobs, which should not be timed.
    MACHINES[name](labeled[:600]).fit(rows[:600], labeled[:600])
    seconds = []
    while len(seconds) < repeats and sum(seconds) < patience:
        machine = MACHINES[name](labeled)
        start = time.perf_counter()
        machine.fit(rows, labeled)
        seconds.append(time.perf_counter() - start)
    called = machine.predict(data["fresh"]).astype(bool)
    print(json.dumps({"seconds": min(seconds), "f1": f1(called, data["truth"])}))


if __name__ == "__main__":
    main()
