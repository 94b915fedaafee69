"""What is known about rows: which are labeled positive, which are known to be normal, which belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

EXPECTED = "expected 1 for a labeled positive row, and 0 (or -1) for an unlabeled one"
# How missing values of Python, NumPy and pandas read as text.
MISSING = ("", "None", "nan", "NaT", "<NA>")


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
            f"found {len(classes)} values; rows known to be normal are given by normal="
        )
    if np.isin(classes, [-1, 0, 1]).all():
        labeled = y == 1
    else:
        labeled = y == (classes[-1] if len(classes) == 2 else 1)
    return classes, labeled


def normal_rows(normal: ArrayLike, rows: int) -> NDArray[np.bool_]:
    """Which rows are known to be normal: True or 1."""
    marks = np.asarray(normal)
    if marks.shape != (rows,):
        raise ValueError(f"normal: expected one mark per row, an array of {(rows,)}, found {marks.shape}")
    if not np.isin(marks, [0, 1]).all():
        raise ValueError("normal: expected True for a row known to be normal, and False for any other")
    return marks == 1


def group_names(groups: ArrayLike, rows: int) -> list[str]:
    """The name of each row's group: text, numbers, a column of a data frame."""
    values = np.asarray(groups)
    if values.shape != (rows,):
        raise ValueError(f"groups: expected one group per row, an array of {(rows,)}, found {values.shape}")
    names = [str(value).strip() for value in values.tolist()]
    for row, name in enumerate(names):
        if name in MISSING:
            raise ValueError(f"groups: row {row} has no group, found {name!r}")
    return names
