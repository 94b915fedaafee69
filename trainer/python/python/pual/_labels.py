"""Which rows are labeled positive."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

EXPECTED = "expected 1 for a labeled positive row, and 0 (or -1) for an unlabeled one"


def classes_of(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The two classes, unlabeled first, and which rows are labeled positive.

    1 and True are labeled positive; 0, -1 and False are unlabeled. Of any other two numbers, the larger is positive. Words are
    refused: nothing says which of the two is positive, and a wrong guess would go unnoticed.
    """
    check_classification_targets(y)
    if y.dtype == object:
        y = np.array(y.tolist())
    if y.dtype.kind not in "biuf":
        raise ValueError(f"y: {EXPECTED}, found {y[0]!r}; for words give y == 'positive'")
    classes = np.unique(y)
    if len(classes) > 2:
        found = type_of_target(y)
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {found}: {EXPECTED}, "
            f"found {len(classes)} values"
        )
    if np.isin(classes, [-1, 0, 1]).all():
        labeled = y == 1
    else:
        labeled = y == (classes[-1] if len(classes) == 2 else 1)
    return classes, labeled
