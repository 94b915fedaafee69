"""scikit-learn's own checks, and common uses of an estimator."""

import multiprocessing
import pickle

import numpy as np
import pytest
from pual import PUAL, puf_score
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

# Checks that do not apply, and why. A listed check that passes fails the test.
DO_NOT_APPLY = {
    "check_classifiers_classes": "labels are words: nothing says which of the two means labeled positive, so they are refused",
}

CHECKED = [PUAL(), PUAL(method="gllc", tune=False, compress=False)]


@parametrize_with_checks(CHECKED, expected_failed_checks=lambda _: DO_NOT_APPLY)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_a_grid_search_by_puf_finds_what_f1_would(data):
    X, y, truth = data
    grid = {"pual__reg_lambda": [1e-3, 1.0, 1e6]}
    pipeline = make_pipeline(StandardScaler(), PUAL(method="bls-svm", tune=False, compress=False))
    pipeline.steps[1] = ("pual", pipeline.steps[1][1])
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["pual__reg_lambda"] != 1e6
    by_scorer = GridSearchCV(pipeline, grid, cv=3, scoring=make_scorer(puf_score)).fit(X, y)
    assert np.array_equal(search.cv_results_["mean_test_score"], by_scorer.cv_results_["mean_test_score"])
    assert f1_score(truth, search.predict(X)) > 0.85
    assert search.best_score_ > 1.5, "better than calling every row positive"


def test_cross_validation_hands_groups_and_normal_rows_to_fit(data, monkeypatch):
    X, y, truth = data
    groups, normal = np.arange(240) // 30, (truth == 0) & (np.arange(240) % 3 == 0)
    given = []
    fit = PUAL.fit

    def remember(self, X, y, *, groups=None, normal=None):
        given.append((len(X), groups, normal))
        return fit(self, X, y, groups=groups, normal=normal)

    monkeypatch.setattr(PUAL, "fit", remember)
    estimator = PUAL(method="gllc", tune=False)
    params = {"groups": groups, "normal": normal}
    alone = cross_val_score(estimator, X, y, groups=groups, params=params, cv=GroupKFold(4))
    with config_context(enable_metadata_routing=True):
        routed = cross_validate(estimator, X, y, params=params, cv=GroupKFold(4))["test_score"]
        search = GridSearchCV(estimator, {"c_p": [1.0, 2.0]}, cv=GroupKFold(4)).fit(X, y, **params)
    assert np.array_equal(alone, routed) and len(alone) == 4
    assert search.best_params_["c_p"] in (1.0, 2.0)
    # Each fold's rows with their own, and none of the groups that are held out; the last fit has all rows.
    assert len(given) == 4 + 4 + 8 + 1
    for rows, some_groups, some_normal in given:
        assert len(some_groups) == len(some_normal) == rows
        assert len(np.unique(some_groups)) == (8 if rows == 240 else 6)


def test_it_runs_in_other_processes(data):
    X, y, _ = data
    estimator = PUAL(method="gllc", tune=False, threads=1)
    alone = cross_val_score(estimator, X, y, cv=3)
    assert np.array_equal(alone, cross_val_score(estimator, X, y, cv=3, n_jobs=2))


def _fit_and_score(rows):
    X, y = rows
    return PUAL(method="gllc", repeats=1).fit(X, y).decision_function(np.tile(X, (30, 1)))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
def test_it_survives_a_fork(data):
    X, y, _ = data
    here = _fit_and_score((X, y))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        there = pool.map_async(_fit_and_score, [(X, y)]).get(timeout=120)[0]
    assert here.tobytes() == there.tobytes()


def test_score_is_puf(data):
    X, y, _ = data
    model = PUAL(method="gllc", tune=False).fit(X, y)
    called = model.predict(X)
    recall = called[y == 1].mean()
    assert model.score(X, y) == pytest.approx(recall**2 / called.mean())
    apart = PUAL(method="gllc", tune=False, scenario="case-control").fit(X, y)
    called = apart.predict(X)
    assert apart.score(X, y) == pytest.approx(called[y == 1].mean() ** 2 / called[y == 0].mean())
    with pytest.raises(ValueError, match="fit knows the labels"):
        model.score(X, y + 5)


def test_a_copy_is_the_same(data):
    X, y, _ = data
    model = PUAL(method="gllc", tune=False, random_state=4).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.model_ == model.model_ and copy.report_ == model.report_
    assert copy.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    fresh = clone(model)
    assert fresh.get_params() == model.get_params() and not hasattr(fresh, "model_")
    assert fresh.set_params(method="bsvm").fit(X, y).method_ == "BSVM"
