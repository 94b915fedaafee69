"""The estimator: scikit-learn's side of ``pual train``."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from . import _pual
from ._flags import flags_of
from ._labels import EXPECTED, classes_of
from ._metrics import puf_score
from ._model import Model


class PualWarning(UserWarning):
    """What ``pual train`` prints as a warning."""


class PUAL(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Positive-unlabeled learning whose result runs on a microcontroller.

    ``fit`` does what ``pual train`` does with the flags of the same names: the same rows, parameters and seed give the same
    bytes. What it learns is scored by the code of the chip, so ``predict`` says what the chip will say.

    Parameters are checked when ``fit`` begins, by the command's own code: messages speak of ``--c-p`` where the parameter is
    ``c_p``. None is the command's default.

    Parameters
    ----------
    method : {"auto", "pual", "gllc", "bls-svm", "bsvm", "upu", "nnpu"}
        The classifier. "auto" takes whichever does best on rows held out: an ensemble or one of the next four. With ``tune=False``
        or a ``solver`` it is "pual".
    ensemble : int
        Members of an ensemble that are averaged, for "auto" and "pual"; 1 trains a single model.
    solver : {"exact", "admm", "algorithm2", "mean"}
        How PUAL is solved.
    kernel : {"rbf", "linear"}
    bandwidth, reg_lambda, c_p, c_u, sigma : float
        The kernel's width, the ridge (``--lambda``), the weights of the two losses, the width of the graph's weights. Searched for,
        or by rule of thumb, where they are None.
    neighbours : int
        Neighbours of a row in the graph; 0 is no graph.
    prior : float
        P(y = 1), for "upu" and "nnpu"; estimated if None.
    mu_1 : float
        Step of the solvers "admm" and "algorithm2".
    scaling : str
        How features are scaled, for single models: "z-score" and others. No scaler is needed before this estimator.
    compress : bool
        Whether the model is made small; if not it is written as trained, in f32.
    budget : int or str
        Bytes that the model may have: 512, "2kB".
    supports : int
        Support instances of the model.
    tolerance : float or str
        F1 that may be lost to size: 0.005, "0.5%".
    encoding : {"f32", "i16", "i8"}
    tune : bool
        Whether settings that are not given are searched for; if not they follow rules of thumb.
    scenario : {"single-training-set", "case-control"}
        What the rows are a sample of; decides how PUF, and ``score``, count.
    rule, grid, refine, folds, repeats, final_repeats
        How settings are searched for.
    sample, graph, memory
        Many rows: how many settings are chosen from, among which neighbours are searched ("all", "sample"), memory that may be used.
    threads : int
        One a processor if None. The result does not depend on it.
    random_state : int, RandomState or None
        The seed. The command's ``--seed`` if it is an int; otherwise drawn anew by every ``fit``.

    Attributes
    ----------
    classes_ : array of two labels, the second of which is the positive one
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn
    model_ : Model
        What the chip runs.
    kept_features_ : array of int
        The columns of X that the chip takes, in its order: all but constant ones.
    method_ : str
        What was learned: "ensemble", "PUAL", "GLLC", ...
    report_ : dict
        What ``pual train --json`` prints: settings, certificate, ladder of sizes, seconds.

    Examples
    --------
    >>> import numpy as np
    >>> from pual import PUAL
    >>> X = np.array([[5.0], [5.5], [4.5], [5.2], [4.8], [12.0], [12.5], [11.5], [-2.0], [-2.5]])
    >>> y = [0, 0, 0, 0, 0, 1, 1, 0, 1, 1]
    >>> PUAL(tune=False).fit(X, y).predict([[5.1], [11.8], [-2.2]])
    array([0, 1, 1])
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        ensemble: int | None = None,
        solver: str | None = None,
        kernel: str = "rbf",
        bandwidth: float | None = None,
        reg_lambda: float | None = None,
        c_p: float | None = None,
        c_u: float | None = None,
        prior: float | None = None,
        sigma: float | None = None,
        neighbours: int | None = None,
        mu_1: float | None = None,
        scaling: str | None = None,
        compress: bool = True,
        budget: int | str | None = None,
        supports: int | None = None,
        tolerance: float | str | None = None,
        encoding: str | None = None,
        tune: bool = True,
        scenario: str = "single-training-set",
        rule: str | None = None,
        grid: str | None = None,
        refine: bool = False,
        folds: int | None = None,
        repeats: int | None = None,
        final_repeats: int | None = None,
        sample: int | None = None,
        graph: str | None = None,
        memory: int | str | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.method = method
        self.ensemble = ensemble
        self.solver = solver
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.reg_lambda = reg_lambda
        self.c_p = c_p
        self.c_u = c_u
        self.prior = prior
        self.sigma = sigma
        self.neighbours = neighbours
        self.mu_1 = mu_1
        self.scaling = scaling
        self.compress = compress
        self.budget = budget
        self.supports = supports
        self.tolerance = tolerance
        self.encoding = encoding
        self.tune = tune
        self.scenario = scenario
        self.rule = rule
        self.grid = grid
        self.refine = refine
        self.folds = folds
        self.repeats = repeats
        self.final_repeats = final_repeats
        self.sample = sample
        self.graph = graph
        self.memory = memory
        self.threads = threads
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> PUAL:
        """Learns from ``X``, rows of readings in raw units, and ``y``: 1 for a labeled positive row, 0 for an unlabeled one.

        X is rounded to 32-bit floats, as the chip reads them and as ``pual train`` reads a file. In ``y``, -1 and False are 0 and True
        is 1; of any other two numbers the larger is positive. Other threads of Python go on meanwhile, and Ctrl-C ends it.
        """
        flags = flags_of(self.get_params(deep=False), self._seed())
        _pual.check(flags)
        # The library checks the values: its message names row and feature.
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=False)
        classes, labeled = classes_of(labels)
        names = [name.strip() for name in getattr(self, "feature_names_in_", _numbered(rows.shape[1]))]
        try:
            model, report, told = _pual.train(flags, names, rows.tobytes(), labeled.tobytes())
        except ValueError as error:
            if len(classes) == 1:
                raise ValueError(f"y has one class only: {error}") from None
            raise
        for warning in told:
            warnings.warn(warning, PualWarning, stacklevel=2)
        self.classes_ = classes
        self.model_ = Model(model)
        self.report_ = json.loads(report)
        # There is no file yet.
        del self.report_["model"]
        self.method_ = self.report_["method"]
        self.kept_features_ = np.array([names.index(name) for name in self.report_["features"]])
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float32]:
        """The chip's score of each row, bit for bit: positive where it is above 0."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False)
        try:
            scores = self.model_.decision_function(rows[:, self.kept_features_])
        except ValueError as error:
            raise ValueError(f"X: {error}") from None
        return scores - np.float32(self.model_.threshold)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The label of each row: ``classes_[1]`` where the score is above 0, ``classes_[0]`` elsewhere."""
        called = self.decision_function(X) > 0
        labels: NDArray[Any] = self.classes_[called.astype(int)]
        return labels

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """PUF = recall^2 / P(f > 0) of labels ``y``, as :func:`puf_score` explains it: not accuracy.

        A row without a label is not a wrong answer when it is called positive, so accuracy would prefer a classifier that finds
        nothing new. PUF ranks classifiers nearly as F1 does and needs no negative; a grid search by it chooses as ``pual train`` does. Above 1
        is better than calling every row positive. Where the truth is known, use ``sklearn.metrics.f1_score``.
        """
        predicted = self.predict(X)
        labels = column_or_1d(y)
        if not np.isin(labels, self.classes_).all():
            raise ValueError(f"y: {EXPECTED}; fit knows the labels {self.classes_.tolist()}")
        return puf_score(labels, predicted, pos_label=self.classes_[1], scenario=self.scenario)

    def export(self, path: str | os.PathLike[str]) -> None:
        """Writes the file a chip runs: the bytes that ``pual train`` writes for the same rows, flags and seed."""
        check_is_fitted(self)
        self.model_.save(path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))


def _numbered(features: int) -> list[str]:
    """What columns without names are called, as in a file of NumPy's."""
    return [f"x{feature}" for feature in range(features)]
