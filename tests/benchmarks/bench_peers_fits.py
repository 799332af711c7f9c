"""Kernels and random features of scikit-learn and SciPy in one run with our baselines.

The same samples of `helix`, positions only, the search among settings included in the time; one
thread. Peers that are not installed are skipped; `pip install 'femnets[peers]'` brings them.
"""

import importlib.util
from time import process_time

import numpy as np
import peers_fits
import pytest
from peers_fem import version

from bench import problems
from bench.methods.linear_models import fit_baseline

GROUP = "peers"
PROBLEM = problems.helix
TEST_POINTS = 5000
needs_sklearn = pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None, reason="pip install 'femnets[peers]'"
)
# peer: distribution, what fits, our counterpart
PEERS = {
    "KernelRidge": ("scikit-learn", peers_fits.scikit_kernel_ridge, "kernel_ridge"),
    "RBFSampler": ("scikit-learn", peers_fits.scikit_fourier_features, "fourier_features"),
    "RBFInterpolator": ("scipy", peers_fits.scipy_interpolator, "kernel_ridge"),
    "RBFInterpolator Gaussians": ("scipy", peers_fits.scipy_gaussians, "kernel_ridge"),
}
SAME_FUNCTION = {"KernelRidge", "RBFInterpolator Gaussians"}
CASES = [
    pytest.param(peer, marks=[needs_sklearn] if PEERS[peer][0] == "scikit-learn" else [])
    for peer in PEERS
]


@pytest.mark.parametrize("peer", CASES)
@pytest.mark.parametrize("samples", [1000], ids=lambda n: f"N{n}")
def test_fit(measured, samples, peer):
    measured.benchmark.group = GROUP
    distribution, fit, name = PEERS[peer]
    x = PROBLEM.sample_cylinder(samples, 0)
    y = PROBLEM.targets(x)
    test = PROBLEM.sample_cylinder(TEST_POINTS, 0, test=True)
    wanted = PROBLEM.targets(test)
    found = {}

    def theirs():
        found["peer"] = fit(np.ascontiguousarray(x.T), y)

    def ours():
        return fit_baseline(name, PROBLEM, x, features=("x",), seed=0)

    turns = measured.in_turns(ours, 3, warm=False, peer=theirs)

    def judged(predict, points):
        start = process_time()
        values = predict(points)
        seconds = process_time() - start
        return float(np.linalg.norm(values - wanted) / np.linalg.norm(wanted)), seconds

    error, predicting = judged(found["peer"], np.ascontiguousarray(test.T))
    our_error, our_predicting = judged(lambda points: measured.result(points).T, test)
    measured.info.update(
        samples=samples,
        rel_test_error=our_error,
        microseconds_per_prediction=1e6 * our_predicting / TEST_POINTS,
        peer_microseconds_per_prediction=1e6 * predicting / TEST_POINTS,
    )
    measured.info["peers"] = {
        f"{distribution} {peer}": {
            "version": version(distribution),
            "seconds": turns.median("peer"),
            "error": error,
            "ours": name,
            "ours_seconds": turns.median("ours"),
            "ours_error": our_error,
        }
    }
    assert our_error < 1e-5
    if peer in SAME_FUNCTION:  # two codes, one minimiser
        assert error == pytest.approx(our_error, rel=0.1)
