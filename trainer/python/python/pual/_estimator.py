"""The estimator: ``pual train`` for scikit-learn."""

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
from ._labels import EXPECTED, classes_of, group_names, normal_rows
from ._metrics import puf_score
from ._model import Model


class PualWarning(UserWarning):
    """A warning of ``pual train``."""


class PUAL(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Positive-unlabeled learning whose result runs on a microcontroller.

    ``fit`` does the same as ``pual train`` with the flags of the same names: the same rows, parameters and seed give the same
    bytes. The chip's own code computes the scores, so ``predict`` gives the chip's answers.

    Parameters are checked when ``fit`` begins. None means the command's default.

    Parameters
    ----------
    method : {"auto", "pual", "gllc", "bls-svm", "bsvm", "upu", "nnpu", "wus-svm", "llsvm", "imbalanced-nnpu", "spy-svm"}
        The classifier. "auto" takes whatever does best on held-out rows: an ensemble, or one of the next four. With ``tune=False``
        or a ``solver`` it means "pual".
    ensemble : int
        Number of ensemble members that are averaged, for "auto" and "pual"; 1 trains a single model.
    solver : {"exact", "admm", "algorithm2", "mean"}
        How PUAL is solved.
    kernel : {"rbf", "linear"}
    bandwidth, reg_lambda, c_p, c_u, sigma : float
        The kernel's width, the ridge (``--lambda``), the weights of the two losses, the width of the graph's weights. If None, they are
        searched for or follow a rule of thumb.
    neighbours : int
        Neighbours per row in the graph; 0 means no graph.
    prior : float
        Share of positives in the population, if it is known: as many rows are called as are positive. "upu", "nnpu",
        "imbalanced-nnpu" and "llsvm" estimate it if it is None.
    max_features : int
        Learn from at most this many features: those that say most about rows held out.
    independent_rows : bool
        Hold out rows one by one, even if they look like a log or belong to groups.
    mu_1 : float
        Step of the solvers "admm" and "algorithm2".
    scaling : str
        How features are scaled, for single models: "z-score", "min-max" or "none". You need no scaler before this estimator.
    compress : bool
        Whether to compress the model; if not, it is written as trained, in f32.
    budget : int or str
        Maximum size of the model: 512, "2kB".
    supports : int
        Support instances of the model.
    tolerance : float or str
        F1 that compression may lose: 0.005, "0.5%".
    encoding : {"f32", "i16", "i8"}
    tune : bool
        Whether to search for settings that are not given; if not, they follow rules of thumb.
    scenario : {"single-training-set", "case-control"}
        What the rows are a sample of; decides how PUF and ``score`` count.
    rule, grid, refine, folds, repeats, final_repeats
        How to search for settings.
    sample, graph, memory
        For many rows: the number of rows that settings are chosen on, the rows among which neighbours are searched ("all",
        "sample"), the memory that may be used.
    threads : int
        One per core if None. The result does not depend on it.
    random_state : int, RandomState or None
        The seed. An int is the command's ``--seed``; otherwise every ``fit`` draws a new one.

    Attributes
    ----------
    classes_ : array of two labels, the second is the positive one
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn
    model_ : Model
        What the chip runs.
    kept_features_ : array of int
        The columns of X that the chip takes, in its order: all except constant ones.
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

    # With metadata routing, cross-validation hands both to ``fit`` without being told to.
    __metadata_request__fit = {"groups": True, "normal": True}

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
        max_features: int | None = None,
        independent_rows: bool = False,
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
        self.max_features = max_features
        self.independent_rows = independent_rows
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

    def fit(
        self, X: ArrayLike, y: ArrayLike, *, groups: ArrayLike | None = None, normal: ArrayLike | None = None
    ) -> PUAL:
        """Learns from ``X``, rows of readings in raw units, and ``y``: 1 for a labeled positive row, 0 for an unlabeled one.

        X is rounded to 32-bit floats, as the chip reads them and as ``pual train`` reads a file. In ``y``, -1 and False count as 0 and
        True as 1; of any other two numbers, the larger is positive. Other Python threads keep running, and Ctrl-C stops it.

        ``groups`` names the recording, machine or patient of each row (``--group``): text or numbers, one per row. ``normal`` is True for
        rows that are known to be normal, that is not positive; in ``y`` they are unlabeled.
        """
        options = {**self.get_params(deep=False), "random_state": self._seed()}
        _pual.check(options)
        # The library checks the values, and its message names row and feature.
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=False)
        classes, labeled = classes_of(labels)
        names = [name.strip() for name in getattr(self, "feature_names_in_", _numbered(rows.shape[1]))]
        known = None if normal is None else normal_rows(normal, len(rows)).tobytes()
        grouped = None if groups is None else group_names(groups, len(rows))
        try:
            model, report, told = _pual.train(options, names, rows.tobytes(), labeled.tobytes(), known, grouped)
        except ValueError as error:
            if len(classes) == 1:
                raise ValueError(f"y has one class only: {error}") from None
            raise
        for warning in told:
            warnings.warn(warning, PualWarning, stacklevel=2)
        self.classes_ = classes
        self.model_ = Model(model)
        self.report_ = json.loads(report)
        # Shown as Python's warnings.
        del self.report_["warnings"]
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
        """The label of each row: ``classes_[1]`` if the score is above 0, else ``classes_[0]``."""
        called = self.decision_function(X) > 0
        labels: NDArray[Any] = self.classes_[called.astype(int)]
        return labels

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """PUF = recall^2 / P(f > 0), not accuracy; see :func:`puf_score`.

        Calling an unlabeled row positive is not necessarily wrong, so accuracy would prefer a classifier that finds nothing new. PUF
        ranks classifiers almost like F1 and needs no negatives; a grid search with it chooses like ``pual train``. Above 1 is better
        than calling every row positive. If you know the truth, use ``sklearn.metrics.f1_score``.
        """
        predicted = self.predict(X)
        labels = column_or_1d(y)
        if not np.isin(labels, self.classes_).all():
            raise ValueError(f"y: {EXPECTED}; fit knows the labels {self.classes_.tolist()}")
        return puf_score(labels, predicted, pos_label=self.classes_[1], scenario=self.scenario)

    def export(self, path: str | os.PathLike[str]) -> None:
        """Writes the file a chip runs: the same bytes as ``pual train`` for the same rows, flags and seed."""
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
    """Names for columns without names, as for an NPY file."""
    return [f"x{feature}" for feature in range(features)]
