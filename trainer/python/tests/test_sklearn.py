"""scikit-learn's own checks, and common uses of an estimator."""

import multiprocessing
import pickle

import numpy as np
import pytest
from pual import PUAL, puf_score
from sklearn.base import clone
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
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
