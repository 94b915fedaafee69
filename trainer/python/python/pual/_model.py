"""A model file, scored with the chip's own code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _pual


class Model:
    """What a chip runs: the bytes of a model file, all checked.

    Scores are the chip's, bit for bit: readings are rounded to 32-bit floats, and ``pual-infer`` scores them.

    >>> from pual import load
    >>> model = load("fridge.pual")                       # doctest: +SKIP
    >>> model.decision_function([[12.0, 0.0]])            # doctest: +SKIP
    array([0.9481], dtype=float32)
    """

    def __init__(self, data: bytes) -> None:
        """Checks ``data``, the bytes of a model file; a ValueError says what is wrong with them."""
        self._decoded = _pual.Decoded(bytes(data))

    def to_bytes(self) -> bytes:
        """The model file."""
        return self._decoded.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file under a temporary name, then renames it, so that there is never half a file."""
        _pual.write_file(os.fspath(path), self.to_bytes())

    def decision_function(self, X: ArrayLike) -> NDArray[np.float32]:
        """The chip's score of each reading, in raw units. NaN and infinities are a ValueError."""
        return np.frombuffer(self._decoded.scores(self._rows(X)), dtype=np.float32).copy()

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """1 if the score is above the threshold, else 0."""
        return (self.decision_function(X) > np.float32(self.threshold)).astype(np.int64)

    def inside(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Whether each reading is within the range of the training rows. True if the model does not store the range."""
        return np.frombuffer(self._decoded.inside(self._rows(X)), dtype=np.uint8).astype(bool)

    @property
    def n_features(self) -> int:
        """Numbers per reading."""
        return self._decoded.features

    @property
    def feature_names(self) -> list[str] | None:
        """The features' names, if the model stores them."""
        return self._decoded.names

    @property
    def ranges(self) -> list[tuple[float, float]] | None:
        """Smallest and largest training value of each feature, if the model stores them."""
        return self._decoded.ranges

    @property
    def n_supports(self) -> int:
        """Number of support instances; the weights of a linear model count as one."""
        return self._decoded.supports

    @property
    def threshold(self) -> float:
        """Scores above it are positive."""
        return self._decoded.threshold

    @property
    def encoding(self) -> str:
        """How numbers are stored: f32, i16 or i8."""
        return self._decoded.encoding

    @property
    def kernel(self) -> str:
        """rbf or linear."""
        return self._decoded.kernel

    def __len__(self) -> int:
        return len(self.to_bytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return (Model, (self.to_bytes(),))

    def __repr__(self) -> str:
        return (
            f"<pual.Model: {self.n_features} features, {self.n_supports} supports, "
            f"{self.kernel}, {self.encoding}, {len(self)} bytes>"
        )

    def _rows(self, X: ArrayLike) -> bytes:
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise ValueError(
                f"the model takes {self.n_features} features: expected an array of "
                f"(rows, {self.n_features}), found {rows.shape}"
            )
        return rows.tobytes()


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a model file written by ``pual train`` or :meth:`PUAL.export`."""
    try:
        return Model(Path(path).read_bytes())
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
