"""From an estimator's parameters to the flags of ``pual train``, whose code checks them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

# Parameters that are given as they are; None is the command's default.
GIVEN = {
    "ensemble": "ensemble",
    "solver": "solver",
    "kernel": "kernel",
    "bandwidth": "bandwidth",
    "reg_lambda": "lambda",
    "c_p": "c-p",
    "c_u": "c-u",
    "prior": "prior",
    "sigma": "sigma",
    "neighbours": "neighbours",
    "mu_1": "mu-1",
    "scaling": "scaling",
    "supports": "supports",
    "budget": "budget",
    "encoding": "encoding",
    "scenario": "scenario",
    "rule": "rule",
    "grid": "grid",
    "folds": "folds",
    "repeats": "repeats",
    "final_repeats": "final-repeats",
    "sample": "sample",
    "graph": "graph",
    "memory": "memory",
    "threads": "threads",
}


def flags_of(parameters: dict[str, Any], seed: int) -> list[str]:
    """The command line, without data and output."""
    flags = [f"--seed={seed}"]
    # The command's default: auto, or pual where nothing is searched.
    if parameters["method"] != "auto":
        flags.append(f"--method={text_of(parameters['method'])}")
    for parameter, flag in GIVEN.items():
        if parameters[parameter] is not None:
            flags.append(f"--{flag}={text_of(parameters[parameter])}")
    if parameters["tolerance"] is not None:
        flags.append(f"--tolerance={percent_of(parameters['tolerance'])}")
    for flag, given in (
        ("refine", parameters["refine"]),
        ("no-tune", not parameters["tune"]),
        ("no-compress", not parameters["compress"]),
    ):
        if given:
            flags.append(f"--{flag}")
    return flags


def text_of(value: Any) -> str:
    """A value as on the command line; numbers so that they are read back as they are."""
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    return str(value)


def percent_of(share: Any) -> str:
    """A share such as 0.005 as percent; text such as 0.5% as it is."""
    return f"{100.0 * float(share)!r}%" if isinstance(share, Real) else str(share)
