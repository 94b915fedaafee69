"""Positive-unlabeled learning that fits a microcontroller.

>>> from pual import PUAL
>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> X = rng.normal(5.0, 1.0, (200, 1))          # a refrigerator's temperature ...
>>> X[:60] += rng.choice([-6.0, 6.0], (60, 1))  # ... too cold or too warm in sixty readings
>>> y = np.zeros(200)
>>> y[:30] = 1                                  # half of which are known
>>> model = PUAL(method="gllc").fit(X, y)
>>> model.predict([[5.0], [12.0]])
array([0., 1.])
"""

from ._estimator import PUAL, PualWarning
from ._metrics import puf_score
from ._model import Model, load

__all__ = ["PUAL", "Model", "PualWarning", "load", "puf_score"]
