"""Writes bsvm.json beside this file: decision values of libsvm (through scikit-learn's SVC) that BSVM must reproduce.

    pip install scikit-learn==1.9.1 && python3 make_bsvm.py

BSVM minimises lambda/2 |w|^2 + C_p sum_p hinge + C_u sum_u hinge; SVC minimises 1/2 |w|^2 + C sum weight * hinge. Hence
C = 1, class weights C_p/lambda and C_u/lambda, and gamma = 1 / (2 bandwidth^2).
"""

import json
import pathlib

import numpy as np
from sklearn.svm import SVC

ROWS, FEATURES = 150, 3

rng = np.random.default_rng(20)
side = np.resize([0.8, 0.0, 1.6, 0.0], ROWS)
rows = np.round(rng.normal(size=(ROWS, FEATURES)) + side[:, None], 3)
labeled = (side != 0) & (rng.random(ROWS) < 0.5)

cases = []
for bandwidth in (None, 0.6, 2.0):
    for lambda_, c_p, c_u in ((1.0, 1.0, 0.3), (0.1, 2.0, 0.05), (0.01, 1.0, 0.5), (10.0, 3.0, 1.0)):
        kernel = {"kernel": "linear"} if bandwidth is None else {"kernel": "rbf", "gamma": 1 / (2 * bandwidth**2)}
        weights = {True: c_p / lambda_, False: c_u / lambda_}
        machine = SVC(C=1.0, class_weight=weights, tol=1e-9, **kernel).fit(rows, labeled)
        scores = machine.decision_function(rows)
        cases.append(
            {
                "bandwidth": bandwidth,
                "lambda": lambda_,
                "c_p": c_p,
                "c_u": c_u,
                "scores": [float(f"{score:.9g}") for score in scores],
            }
        )

golden = {
    "features": FEATURES,
    "rows": rows.ravel().tolist(),
    "labeled": labeled.tolist(),
    "cases": cases,
}
path = pathlib.Path(__file__).with_name("bsvm.json")
path.write_text(json.dumps(golden, separators=(",", ":")) + "\n")
