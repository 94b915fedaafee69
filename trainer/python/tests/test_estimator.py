"""The estimator: labels, errors, attributes after fit."""

import threading
import time

import numpy as np
import pytest
from conftest import refrigerators
from pual import PUAL, PualWarning
from sklearn.metrics import f1_score

QUICK = {"method": "gllc", "tune": False}


def test_it_is_the_installed_package():
    import pual

    assert "site-packages" in pual.__file__


def test_positives_are_found_on_both_sides(data):
    X, y, truth = data
    model = PUAL().fit(X, y)
    assert f1_score(truth, model.predict(X)) > 0.85
    assert model.predict([[5.0, 0.0], [13.0, 0.0], [-3.0, 0.0]]).tolist() == [0, 1, 1]
    assert model.score(X, y) > 1.5


@pytest.mark.parametrize(
    "labels", [(0, 1), (-1, 1), (False, True), (0.0, 1.0), (2, 7)], ids=lambda labels: str(labels)
)
def test_labels_of_several_kinds_mean_the_same(labels, data):
    X, y, _ = data
    expected = PUAL(**QUICK).fit(X, y)
    model = PUAL(**QUICK).fit(X, np.array(labels)[y])
    assert model.model_ == expected.model_
    assert model.classes_.tolist() == list(labels)
    assert (model.predict(X) == np.array(labels)[expected.predict(X)]).all()
    assert model.score(X, np.array(labels)[y]) == expected.score(X, y)


def test_labels_that_may_mean_anything_are_refused(data):
    X, y, _ = data
    with pytest.raises(ValueError, match="y == 'positive'"):
        PUAL(**QUICK).fit(X, np.array(["unlabeled", "positive"])[y])
    three = y.copy()
    three[:5] = -1
    with pytest.raises(ValueError, match="found 3 values"):
        PUAL(**QUICK).fit(X, three)
    with pytest.raises(ValueError, match="0 of 240 rows labeled positive; expected at least 2"):
        PUAL(**QUICK).fit(X, y - 1 - (y == 1))


def test_rows_that_cannot_be_learned_from_are_refused(data):
    X, y, _ = data
    refused = [
        (X, np.zeros(240), "one class only: 0 of 240 rows labeled positive"),
        (X, np.ones(240), "one class only: all 240 rows are labeled positive"),
        (X, np.arange(240) == 3, "1 of 240 rows labeled positive; expected at least 2"),
        (np.ones((240, 2)), y, r"every feature is constant \(x0, x1\)"),
    ]
    for value, shown in [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf"), (1e39, "1e39")]:
        wrong = X.copy()
        wrong[17, 1] = value
        refused.append((wrong, y, "row 17, feature `x1`: .*is not a finite 32-bit number"))
        assert shown in str(pytest.raises(ValueError, PUAL(**QUICK).fit, wrong, y).value) or value == 1e39
    for rows, labels, words in refused:
        with pytest.raises(ValueError, match=words):
            PUAL(**QUICK).fit(rows, labels)
    model = PUAL(**QUICK).fit(X, y)
    with pytest.raises(ValueError, match="X: row 1, feature `x0`: NaN is not a finite 32-bit number"):
        model.predict([[1.0, 2.0], [np.nan, 0.0]])


def test_columns_need_names_of_their_own(data):
    pandas = pytest.importorskip("pandas")
    X, y, _ = data
    with pytest.raises(ValueError, match="two columns are called `a`"):
        PUAL(**QUICK).fit(pandas.DataFrame(X, columns=["a", "a "]), y)
    with pytest.raises(ValueError, match="column 2 has no name"):
        PUAL(**QUICK).fit(pandas.DataFrame(X, columns=["a", ""]), y)


def test_frames_of_other_libraries_bring_their_names(data):
    polars = pytest.importorskip("polars")
    X, y, _ = data
    model = PUAL(**QUICK).fit(polars.DataFrame({"a": X[:, 0], "b": X[:, 1]}), polars.Series(y))
    assert model.model_.feature_names == ["a", "b"]


def test_warnings_are_python_s(data):
    X, y, _ = data
    with pytest.warns(PualWarning, match="column `x2` is 1 in every row: dropped"):
        PUAL(**QUICK).fit(np.column_stack([X, np.ones(240)]), y)


def test_the_report_is_the_command_s(data):
    X, y, _ = data
    model = PUAL(method="gllc", budget=400).fit(X, y)
    report = model.report_
    assert (report["rows"], report["labeled"], report["features"]) == (240, int(y.sum()), ["x0", "x1"])
    assert report["bytes"] == len(model.model_) <= 400
    assert report["tuning"]["folds"] == 4 and report["settings"]["lambda"] > 0
    assert model.method_ == report["method"] == "GLLC"


def test_the_seed_may_be_drawn(data):
    X, y, _ = data
    draw = np.random.RandomState(1)
    seeds = {PUAL(random_state=draw, **QUICK).fit(X, y).report_["seed"] for _ in range(3)}
    assert len(seeds) == 3
    assert PUAL(random_state=None, **QUICK).fit(X, y).model_ is not None
    with pytest.raises(ValueError, match="random_state: expected"):
        PUAL(random_state=-1, **QUICK).fit(X, y)


def test_other_threads_go_on_while_it_learns():
    X, y, _ = refrigerators(600)
    ticks, learned = [], threading.Event()

    def learn():
        PUAL(threads=1).fit(X, y)
        learned.set()

    worker = threading.Thread(target=learn)
    worker.start()
    while not learned.is_set():
        ticks.append(None)
        time.sleep(0.01)
    worker.join()
    assert len(ticks) > 5


def test_groups_are_text_or_numbers(data):
    pandas = pytest.importorskip("pandas")
    X, y, _ = data
    numbers = np.arange(240) // 40
    expected = PUAL(**QUICK).fit(X, y, groups=numbers)
    words = [f" machine {number}" for number in numbers]
    for groups in [words, np.array(words), pandas.Series(words), pandas.Categorical(words), numbers.astype(float)]:
        assert PUAL(**QUICK).fit(X, y, groups=groups).model_ == expected.model_


def test_groups_that_are_not_one_per_row_are_refused(data):
    pandas = pytest.importorskip("pandas")
    X, y, _ = data
    names = ["a"] * 240
    refused = [
        (names[1:], r"groups: expected one group per row, an array of \(240,\), found \(239,\)"),
        ("machine", r"groups: expected one group per row, .* found \(\)"),
        (np.ones((240, 1)), r"groups: expected one group per row, .* found \(240, 1\)"),
    ]
    for missing in [None, np.nan, "", "  ", pandas.NA, pandas.NaT]:
        refused.append((pandas.Series([*names[:7], missing, *names[8:]], dtype=object), "groups: row 7 has no group"))
    for groups, words in refused:
        with pytest.raises(ValueError, match=words):
            PUAL(**QUICK).fit(X, y, groups=groups)


def test_rows_known_to_be_normal_are_a_mask(data):
    X, y, truth = data
    normal = (truth == 0) & (np.arange(240) % 2 == 0)
    expected = PUAL(**QUICK).fit(X, y, normal=normal)
    assert PUAL(**QUICK).fit(X, y, normal=normal.astype(int).tolist()).model_ == expected.model_
    assert PUAL(**QUICK).fit(X, y, normal=np.zeros(240)).model_ == PUAL(**QUICK).fit(X, y).model_
    for wrong, words in [
        (normal[1:], r"normal: expected one mark per row, an array of \(240,\), found \(239,\)"),
        (y - 1, "normal: expected True for a row known to be normal"),
        (y == 1, "row [0-9]+ is marked both positive and normal"),
    ]:
        with pytest.raises(ValueError, match=words):
            PUAL(**QUICK).fit(X, y, normal=wrong)
    with pytest.warns(PualWarning, match="no row is unlabeled"):
        PUAL(**QUICK).fit(X, y, normal=y == 0)
