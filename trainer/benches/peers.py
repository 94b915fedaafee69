"""Fits scikit-learn's class-weighted forest and logistic regression to splits that pual wrote.

    pual bench rare --data FOLDER --seed 101 --methods auto --write-splits DIR        or: pual bench streams --data RECORDINGS ...
    python3 trainer/benches/peers.py DIR --out peers.csv

Labeled rows are class 1, unlabeled rows class 0, both classes weigh the same, and rows are called at a probability of 1/2. Results already
in --out are not computed again. Prints F1 in percent (mean and standard error over the splits), F1 of the best cut in hindsight, and the
share of test rows called next to the share of positives. Needs numpy and scikit-learn.
"""

import argparse
import collections
import csv
import pathlib
import statistics
import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FIELDS = ["data_set", "seed", "method", "f1", "best_f1", "test_rows", "test_positives", "test_called", "seconds"]


def methods(seed):
    return {
        "forest": RandomForestClassifier(200, min_samples_leaf=5, class_weight="balanced", random_state=seed),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=1000)),
    }


def read(path):
    """Columns by name."""
    with open(path, newline="") as file:
        header = next(csv.reader(file))
    values = np.loadtxt(path, delimiter=",", skiprows=1)
    return {name: values[:, at] for at, name in enumerate(header)}


def f1(truth, called):
    return 2 * (truth & called).sum() / (truth.sum() + called.sum())


def best_f1(truth, scores):
    """The largest F1 over all cuts that call equal scores together."""
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    found = np.cumsum(truth[order])
    apart = np.append(falling[:-1] > falling[1:], True)
    return (2 * found / (np.arange(len(scores)) + 1 + truth.sum()))[apart].max()


def records(train_file, done):
    """The results of a split that are not done yet."""
    name, seed = train_file.name.removesuffix("-train.csv").rsplit("-", 1)
    train, test = read(train_file), read(train_file.with_name(f"{name}-{seed}-test.csv"))
    features = [column for column in train if column not in ("label", "truth", "group")]
    rows = np.column_stack([train[column] for column in features])
    test_rows = np.column_stack([test[column] for column in features])
    truth = test["truth"] > 0.5
    for method, model in methods(int(seed)).items():
        if (name, seed, method) in done:
            continue
        start = time.perf_counter()
        scores = model.fit(rows, train["label"] > 0.5).predict_proba(test_rows)[:, 1]
        called = scores > 0.5
        yield {
            "data_set": name,
            "seed": seed,
            "method": method,
            "f1": f1(truth, called),
            "best_f1": best_f1(truth, scores),
            "test_rows": len(truth),
            "test_positives": truth.sum(),
            "test_called": called.sum(),
            "seconds": time.perf_counter() - start,
        }


def show(results):
    groups = collections.defaultdict(list)
    for record in results:
        groups[record["data_set"], record["method"]].append(record)
    print("| data set | method | F1 | best cut in hindsight | positive | called |\n|---|---|---|---|---|---|")
    for (data_set, method), group in sorted(groups.items()):
        scores = [100 * float(record["f1"]) for record in group]
        error = statistics.stdev(scores) / len(scores) ** 0.5 if len(scores) > 1 else 0
        best = statistics.mean(100 * float(record["best_f1"]) for record in group)
        rows = sum(int(record["test_rows"]) for record in group)
        positive, called = (100 * sum(int(record[key]) for record in group) / rows for key in ("test_positives", "test_called"))
        print(f"| {data_set} | {method} | {statistics.mean(scores):.1f} ± {error:.1f} | {best:.1f} | {positive:.2f} % | {called:.2f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("splits", type=pathlib.Path, help="folder written by --write-splits")
    parser.add_argument("--out", type=pathlib.Path, help="CSV file of all results")
    arguments = parser.parse_args()
    results = []
    if arguments.out and arguments.out.exists():
        with open(arguments.out, newline="") as file:
            results = list(csv.DictReader(file))
    done = {(record["data_set"], record["seed"], record["method"]) for record in results}
    files = sorted(arguments.splits.glob("*-train.csv"))
    if not files:
        parser.error(f"{arguments.splits} holds no file *-train.csv")
    for train_file in files:
        for record in records(train_file, done):
            results.append(record)
            if arguments.out:
                new = not arguments.out.exists()
                with open(arguments.out, "a", newline="") as file:
                    writer = csv.DictWriter(file, FIELDS)
                    if new:
                        writer.writeheader()
                    writer.writerow(record)
    show(results)


if __name__ == "__main__":
    main()
