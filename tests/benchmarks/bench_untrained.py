"""Untrained nets: the QR factorisation against NumPy's least squares, and errors by time."""

from __future__ import annotations

import numpy as np
import pytest

from bench.methods.untrained.solving import solve_untrained
from nets.untrained.triangle import least_squares

GROUP = "untrained nets"


@pytest.mark.parametrize("columns", [300, 900])
def test_least_squares(measured, columns):
    """2.4 rows per column in blocks, compared with NumPy's solver (singular values)."""
    matrix = np.random.default_rng(0).normal(size=(12 * columns // 5, columns + 1))

    def ours():
        return least_squares(np.array_split(matrix, 4), columns)

    turns = measured.in_turns(
        ours, 3, numpy=lambda: np.linalg.lstsq(matrix[:, :-1], matrix[:, -1])[0]
    )
    expected = np.linalg.lstsq(matrix[:, :-1], matrix[:, -1])[0]
    assert measured.result == pytest.approx(expected, rel=1e-8, abs=1e-10)
    measured.info.update(numpy_over_ours=turns.ratio("numpy", "ours").value)


@pytest.mark.parametrize(
    ("problem", "features"), [("maxwell", 200), ("helix", 200), ("curlsing", 120), ("screen", 120)]
)
def test_solve(benchmark, problem, features):
    """A whole solve, the choice of the scale included; errors on the cube."""
    config = {"problem": problem, "features": features}
    solved = benchmark.pedantic(solve_untrained, (config,), rounds=1)
    assert solved.values["l2_error"] < 1e-2
    names = ("l2_error", "curl_error", "unknowns", "seconds")
    benchmark.extra_info.update({name: solved.values[name] for name in names})
