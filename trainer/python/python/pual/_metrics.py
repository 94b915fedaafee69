"""Judging a classifier without known negatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _pual


def puf_score(
    y: ArrayLike, y_pred: ArrayLike, *, pos_label: object = 1, scenario: str = "single-training-set"
) -> float:
    """PUF = recall^2 / P(f > 0), which ranks classifiers almost like F1 and needs only labels.

    Recall is the share of labeled rows that are predicted positive, P(f > 0) the share of all rows that are. With
    ``scenario="case-control"`` it is the share of unlabeled rows, because labeled rows were collected separately. If positives
    are labeled at random, the expected value is precision * recall / P(y = 1). Calling every row positive gives 1.

    Use it as ``sklearn.metrics.make_scorer(puf_score)``; :meth:`PUAL.score` is the same number.

    >>> from pual import puf_score
    >>> puf_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0])
    2.0
    """
    labeled, called = np.asarray(y) == pos_label, np.asarray(y_pred) == pos_label
    if labeled.ndim != 1 or labeled.shape != called.shape:
        raise ValueError(f"y and y_pred: expected one label per row in both, found {labeled.shape} and {called.shape}")
    return _pual.puf(labeled.tobytes(), called.tobytes(), scenario)
