"""Shared by the tests: the program to compare with, training rows, figures to print at the end."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

FIGURES = []


def pytest_terminal_summary(terminalreporter):
    checks = {"passed": 0, "xfailed": 0}
    for outcome in checks:
        reports = terminalreporter.stats.get(outcome, [])
        checks[outcome] = sum("test_scikit_learn_accepts_it" in report.nodeid for report in reports)
    terminalreporter.section("figures")
    if any(checks.values()):
        terminalreporter.write_line(
            f"scikit-learn's checks: {checks['passed']} passed, {checks['xfailed']} do not apply"
        )
    for line in FIGURES:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def figures():
    return FIGURES


class Program:
    """The command line `pual`."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)

    def train(self, data, output, *flags):
        """The bytes of the model it writes."""
        done = self.run("train", data, "-o", output, *flags)
        assert done.returncode == 0, done.stderr
        return Path(output).read_bytes()


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("PUAL_BINARY", "")
    assert os.access(path, os.X_OK), "PUAL_BINARY names the program to compare with; test.sh sets it"
    return Program(path)


def refrigerators(rows=240, seed=0):
    """Temperature and slope; positive if too cold or too warm, and half of those are labeled."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(5.0, 1.5, rows), rng.normal(0.0, 0.5, rows)])
    ill = rng.random(rows) < 0.4
    X[ill, 0] += rng.choice([-6.0, 6.0], ill.sum())
    y = (ill & (rng.random(rows) < 0.5)).astype(int)
    return X, y, ill.astype(int)


@pytest.fixture(scope="session")
def data():
    return refrigerators()
