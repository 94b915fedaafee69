"""Writes N rows for scale.py: `scale_rows.py N FOLDER`.

rows.npz is for the Python programs; rows.csv and fresh.csv have the same numbers for the others.
"""

import os
import sys

import numpy as np
from speed import FEATURES, trifurcate

FRESH = 20_000


def write_csv(path, rows, last, name):
    header = ",".join([f"x{feature}" for feature in range(FEATURES)] + [name])
    # Nine digits represent a 32-bit float exactly.
    form = ["%.9g"] * FEATURES + ["%d"]
    np.savetxt(path, np.column_stack([rows, last]), delimiter=",", header=header, comments="", fmt=form)


def main():
    n, folder = int(sys.argv[1]), sys.argv[2]
    rows, labeled, _ = trifurcate(n, seed=n)
    fresh, _, truth = trifurcate(FRESH, seed=3_000_000)
    # Ours reads 32-bit floats; rounding here gives every program the same numbers.
    rows, fresh = rows.astype(np.float32).astype(float), fresh.astype(np.float32).astype(float)
    np.savez(os.path.join(folder, "rows.npz"), rows=rows, labeled=labeled, fresh=fresh, truth=truth)
    write_csv(os.path.join(folder, "rows.csv"), rows, labeled, "label")
    write_csv(os.path.join(folder, "fresh.csv"), fresh, truth, "truth")


if __name__ == "__main__":
    main()
