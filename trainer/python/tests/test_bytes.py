"""The same rows, settings and seed give the same bytes as the command line."""

import numpy as np
import pytest
from conftest import refrigerators
from pual import PUAL, load

# Parameters, and the flags that mean the same.
ALIKE = [
    ({}, ""),
    ({"random_state": 7}, "--seed 7"),
    ({"compress": False}, "--no-compress"),
    ({"method": "pual", "ensemble": 1, "repeats": 1}, "--method pual --ensemble 1 --repeats 1"),
    ({"method": "gllc"}, "--method gllc"),
    ({"method": "gllc", "compress": False, "random_state": 3}, "--method gllc --no-compress --seed 3"),
    ({"method": "bls-svm", "encoding": "i8"}, "--method bls-svm --encoding i8"),
    ({"method": "bsvm", "budget": "300B", "folds": 3}, "--method bsvm --budget 300B --folds 3"),
    ({"method": "bsvm", "budget": 90, "tune": False}, "--method bsvm --budget 90 --no-tune"),
    ({"method": "upu", "prior": 0.4, "repeats": 1}, "--method upu --prior 0.4 --repeats 1"),
    ({"prior": 0.3, "max_features": 2}, "--prior 0.3 --max-features 2"),
    ({"method": "gllc", "independent_rows": True, "repeats": 1}, "--method gllc --independent-rows --repeats 1"),
    ({"method": "nnpu", "tune": False}, "--method nnpu --no-tune"),
    ({"method": "gllc", "kernel": "linear"}, "--method gllc --kernel linear"),
    ({"tune": False, "c_p": 2.5, "neighbours": 3, "sigma": 0.7}, "--no-tune --c-p 2.5 --neighbours 3 --sigma 0.7"),
    ({"tune": False, "reg_lambda": 0.1, "supports": 12}, "--no-tune --lambda 0.1 --supports 12"),
    ({"solver": "admm", "mu_1": 2, "tune": False, "threads": 1}, "--solver admm --mu-1 2 --no-tune --threads 1"),
    ({"method": "gllc", "tolerance": 0.02, "scaling": "min-max"}, "--method gllc --tolerance 2% --scaling min-max"),
    ({"method": "gllc", "scenario": "case-control", "rule": "a"}, "--method gllc --scenario case-control --rule a"),
    ({"method": "gllc", "sample": 120, "graph": "all"}, "--method gllc --sample 120 --graph all"),
    ({"method": "bls-svm", "sample": 120, "refine": True}, "--method bls-svm --sample 120 --refine"),
]


def write(path, X, y, names):
    """Writes a CSV file, each number as the shortest text that reads back as the same number."""
    with open(path, "w") as file:
        file.write(",".join([*names, "label"]) + "\n")
        for row, label in zip(X.tolist(), y.tolist()):
            file.write(",".join([*map(repr, row), str(label)]) + "\n")


@pytest.mark.parametrize("parameters, flags", ALIKE, ids=[flags or "default" for _, flags in ALIKE])
def test_bytes_are_those_of_the_command_line(parameters, flags, program, data, tmp_path, figures):
    X, y, _ = data
    write(tmp_path / "rows.csv", X, y, ["x0", "x1"])
    theirs = program.train(tmp_path / "rows.csv", tmp_path / "theirs.pual", *flags.split())
    ours = PUAL(**parameters).fit(X, y)
    ours.export(tmp_path / "ours.pual")
    assert (tmp_path / "ours.pual").read_bytes() == theirs == ours.model_.to_bytes()
    assert load(tmp_path / "theirs.pual") == ours.model_
    figures.append(f"{len(theirs):6} bytes equal the command line's: {flags or 'default'}")


def test_names_constant_columns_and_row_order_go_along(program, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, _ = refrigerators(200, seed=5)
    frame = pandas.DataFrame({"temperature": X[:, 0], "site": 3, " slope ": X[:, 1]})
    frame.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    theirs = program.train(tmp_path / "rows.csv", tmp_path / "theirs.pual", "--method", "gllc")
    ours = PUAL(method="gllc").fit(frame, y)
    assert ours.model_.to_bytes() == theirs
    assert ours.model_.feature_names == ["temperature", "slope"]
    assert ours.n_features_in_ == 3 and ours.kept_features_.tolist() == [0, 2]
    assert list(ours.feature_names_in_) == ["temperature", "site", " slope "]
    # The chip takes two values per reading, the estimator all three columns it was fitted with.
    assert (ours.decision_function(frame) == ours.model_.decision_function(X)).all()
    other = PUAL(method="gllc").fit(frame[::-1], y[::-1])
    assert other.model_.to_bytes() != theirs, "the seed shuffles rows in their order"


def test_float32_and_float64_of_the_same_values_are_alike(data):
    X, y, _ = data
    single = X.astype(np.float32)
    estimator = PUAL(method="gllc", tune=False)
    assert estimator.fit(single, y).model_ == estimator.fit(single.astype(float), y).model_
    # X is rounded to what the chip reads.
    assert estimator.fit(X, y).model_ == estimator.fit(single, y).model_


def test_scores_are_those_of_the_command_line(program, data, tmp_path):
    X, y, _ = data
    write(tmp_path / "rows.csv", X, y, ["x0", "x1"])
    model = PUAL(method="gllc").fit(X, y)
    model.export(tmp_path / "model.pual")
    done = program.run("score", tmp_path / "model.pual", tmp_path / "rows.csv")
    header, *lines = done.stdout.splitlines()
    at = header.split(",").index("score")
    scores = np.array([line.split(",")[at] for line in lines], dtype=np.float32)
    assert scores.tobytes() == model.decision_function(X).tobytes()


def test_what_the_command_line_refuses_is_refused_by_parameter(program, data, tmp_path):
    X, y, _ = data
    write(tmp_path / "rows.csv", X, y, ["x0", "x1"])
    for parameters, flags, words in [
        ({"method": "gllc", "solver": "admm"}, "--method gllc --solver admm", "solver goes with method pual"),
        ({"method": "gllc", "ensemble": 5}, "--method gllc --ensemble 5", "ensemble goes with method auto and pual"),
        ({"method": "bsvm", "neighbours": 3}, "--method bsvm --neighbours 3", "neighbours would have no effect"),
        ({"method": "svm"}, "--method svm", "method: expected one of auto, pual, gllc"),
        ({"c_p": -1.0}, "--c-p=-1.0", "c_p: expected a positive number, found -1"),
        ({"c_p": "much"}, "--c-p=much", "c_p: expected a value such as 0.5, found 'much'"),
        ({"reg_lambda": 0.0}, "--lambda=0", "reg_lambda: expected a positive number, found 0"),
        ({"budget": "10 apples"}, "--budget 10apples", "budget: expected bytes, such as 512 or"),
        ({"budget": 10, "method": "gllc"}, "--budget 10 --method gllc", "10 bytes are too few"),
        ({"compress": False, "budget": 100}, "--budget 100 --no-compress", "budget would have no effect"),
        ({"tune": False, "folds": 3}, "--no-tune --folds 3", "folds would have no effect"),
    ]:
        done = program.run("train", tmp_path / "rows.csv", "-o", tmp_path / "m.pual", *flags.split())
        assert done.returncode != 0
        with pytest.raises(ValueError) as refused:
            PUAL(**parameters).fit(X, y)
        assert words in str(refused.value)
        assert "--" not in str(refused.value)


def test_groups_and_normal_rows_are_those_of_a_file(program, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, truth = refrigerators(200, seed=6)
    normal = (truth == 0) & (np.arange(200) % 4 == 0)
    frame = pandas.DataFrame({"temperature": X[:, 0], "slope": X[:, 1], "machine": np.arange(200) // 20})
    frame.assign(label=np.where(normal, -1, y)).to_csv(tmp_path / "rows.csv", index=False)
    theirs = program.train(tmp_path / "rows.csv", tmp_path / "m.pual", "--method", "gllc", "--group", "machine")
    features = frame[["temperature", "slope"]]
    ours = PUAL(method="gllc").fit(features, y, groups=frame["machine"], normal=normal)
    assert ours.model_.to_bytes() == theirs
    assert ours.model_.feature_names == ["temperature", "slope"]
