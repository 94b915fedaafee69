"""Ctrl-C stops a long training."""

import subprocess
import sys

LONG = """
import os, signal, threading
import numpy as np
from pual import PUAL

rng = np.random.default_rng(0)
X, y = rng.normal(size=(4000, 6)), np.arange(4000) < 800
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    PUAL(grid="paper-real", refine=True, ensemble=1, repeats=50).fit(X, y)
    print("ended")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_a_training():
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, timeout=300)
    assert done.stdout == "interrupted\n", done.stderr
    assert done.stderr == ""
