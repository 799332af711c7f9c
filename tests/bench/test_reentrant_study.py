"""The re-entrant edge in the harness: what nets are told, indicators, claims, the study."""

from pathlib import Path

import numpy as np
import pytest

from bench import problems
from bench.cells import Cell
from bench.claims import Fact, ledger
from bench.claims import reentrant as claims
from bench.errors import UserError
from bench.forms._div_curl import Setting, cut_off_singularity, edge_factors
from bench.store.files import StoredResult
from bench.store.results import Results
from bench.studies import reentrant as study
from fem.rules.quadrature import integrate

PROBLEM = problems.reentrant


def differences(function, x, step=1e-6):
    """Central differences of a field (3, N), [j, i] = ∂_j of component i."""
    rows = []
    for axis in np.eye(3)[:, :, None]:
        rows.append((function(x + step * axis) - function(x - step * axis)) / (2 * step))
    return np.stack(rows)


@pytest.mark.parametrize("jets", [edge_factors, cut_off_singularity])
def test_jets_of_what_is_built_in(jets):
    x = PROBLEM.domain.sample(200, 3)
    x = x[:, (np.hypot(x[0], x[1]) > 0.05) & (abs(x[:2]).min(axis=0) > 1e-3)]
    slopes = differences(lambda y: jets(y, "value")[0], x)
    np.testing.assert_allclose(jets(x, "first")[1:], slopes, atol=1e-6)


def test_built_in_values_vanish_where_they_must():
    rim = PROBLEM.domain.sample_boundary(200, 0, faces=("x1=0", "x2=0"))
    factors = edge_factors(rim.x, "value")[0]
    tangential = np.cross(factors, rim.normal, axis=0)
    np.testing.assert_allclose(tangential, 0, atol=1e-14)
    assert (edge_factors(PROBLEM.domain.sample(200, 0), "value") > 0).all()


def test_the_singular_function_is_that_of_u():
    x = np.array([[1e-4], [2e-4], [0.5]])
    np.testing.assert_allclose(cut_off_singularity(x, "value")[0], PROBLEM.u(x), rtol=1e-5)


@pytest.mark.parametrize("inside", ["uniform", "graded"])
@pytest.mark.parametrize("rim", ["uniform", "graded"])
def test_the_loss_is_a_mean_of_squares(inside, rim):
    """For an affine field: curl and divergence are constants, boundary values by Green's rule."""
    setting = Setting(inside=inside, rim=rim, points=648, boundary_points=4000)
    a, b = (
        np.array([0.3, -0.2, 0.5]),
        np.array([[0.2, 1.0, 0.0], [0.3, -0.4, 0.1], [0.0, 0.2, 0.6]]),
    )

    def squares(terms):
        found = {}
        for term in terms:
            value = a[:, None] + b @ term.x.T
            jet = np.stack(
                [value, *(np.repeat(b[:, j : j + 1], value.shape[1], 1) for j in range(3))]
            )
            r = np.einsum("mcin,cin->mn", term.A, jet[: term.A.shape[1]]) - term.b
            for label, row in zip(term.labels, r, strict=True):
                found[label] = found.get(label, 0.0) + float((row**2).sum())
        return found

    curl = np.array([b[2, 1] - b[1, 2], b[0, 2] - b[2, 0], b[1, 0] - b[0, 1]])
    trained, fine = squares(setting.terms()), squares(setting.fine_terms())
    for found in (trained, fine):
        assert found["curl"] == pytest.approx(curl @ curl, rel=1e-4)
        assert found["divergence"] == pytest.approx(np.trace(b) ** 2, rel=1e-4)
    assert trained["boundary"] == pytest.approx(fine["boundary"], rel=0.1)


def test_u_itself_has_no_loss_and_the_fine_rule_knows_its_size():
    square = integrate(lambda x: (PROBLEM.u(x) ** 2).sum(axis=0), PROBLEM.domain.rules()["whole"])
    assert np.sqrt(square) == pytest.approx(1.3551, rel=1e-4)
    for term in Setting().fine_terms():
        if term.order == "value":  # the trace of u
            r = np.einsum("min,in->mn", term.A[:, 0], PROBLEM.u(term.x.T)) - term.b
            np.testing.assert_allclose(r, 0, atol=1e-12)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"boundary": "hope"}, "penalty or exact"),
        ({"inside": "gradd"}, "uniform or graded"),
        ({"problem": "maxwell"}, "is for reentrant"),
    ],
)
def test_bad_settings(told, said):
    with pytest.raises(UserError, match=said):
        Setting(**told)


def test_a_net_cell_says_what_is_true_and_what_can_be_known():
    from bench.cells.reentrant_net import Config, run

    result = run(Config(points=162, boundary_points=80, width=6, evaluations=8))
    values = result.values
    assert 0 < values["l2_relative"] < 3
    assert values["l2_error"] == pytest.approx(values["l2_relative"] * values["norm"])
    assert values["coarse_estimate"] > 2 * values["coarse_error"]  # η is no underestimate
    assert abs(values["coarse_distance"] - values["l2_error"]) <= values["coarse_error"] * 1.001
    assert values["tested_residual"] <= values["l2_error"] * 1.001  # a lower bound
    assert len(result.arrays["curve_fine_loss"]) == len(result.arrays["curve_l2_error"])


def record(kind, values, **config):
    cell = Cell(kind, config)
    return StoredResult(
        key=cell.key, kind=kind, config=dict(cell.config), values=values, state="done",
        fingerprint="", provenance={}, files={}, directory=Path(),
    )  # fmt: skip


def net(relative, training=0.1, held=0.1, distance=0.1, seed=1000, fall=1.0, **config):
    values = {
        "l2_relative": relative, "training_loss": training, "held_out_loss": held,
        "coarse_distance": distance, "coarse_estimate": 0.4, "diverged": False, "late_fall": fall,
        "tested_residual": 0.1, "field_norm": 1.0,
    }  # fmt: skip
    return record("reentrant_net", values, seed=seed, **config)


def test_ends_and_warnings():
    assert claims.end_of(net(0.1)) == "right"
    assert claims.end_of(net(0.5)) == "nodal limit"
    assert claims.end_of(net(0.9)) == "elsewhere"
    assert claims.end_of(net(0.5, training=1e-4)) == "overfitted"
    assert claims.end_of(net(0.5, fall=0.6)) == "still falling"
    wrong, said = claims.warned(net(0.5, distance=0.6))
    assert wrong
    assert list(said.values()) == [False, False, True]


def test_claims_decide_by_the_numbers():
    def nodal(n, relative, energy):
        values = {"l2_relative": relative, "energy": energy, "l2_error": relative}
        return record("edge_solve", values, element="nodalQ", order=1, n=n)

    stalled = [nodal(2, 0.563, 1.19), nodal(4, 0.539, 1.13), nodal(8, 0.525, 1.10)]
    falling = [nodal(2, 0.563, 1.19), nodal(4, 0.4, 1.13), nodal(8, 0.3, 1.10)]
    claim = next(c for c in claims.CLAIMS if "nodal-elements-stay" in c.name)
    for records, true in ((stalled, True), (falling, False)):
        finding = claim.examine(Results(records))
        assert isinstance(finding, Fact)
        assert finding.true is true
    assert {entry.status for entry in ledger(Results([]), claims.CLAIMS)} == {"not tested yet"}


def test_presets_have_the_corners_of_the_map():
    quick, paper = (study.cells(study.PRESETS[name]) for name in ("quick", "paper"))
    nets = [cell for cell in paper if cell.kind == "reentrant_net"]
    seeds = {cell.config["seed"] for cell in nets}
    assert len(seeds) == 12
    assert min(seeds) >= 1000
    corners = {tuple(cell.config[k] for k in ("boundary", "inside", "rim")) for cell in nets}
    assert len(corners) == 6
    assert len({cell.key for cell in paper}) == len(paper)
    assert len(quick) < 40


def test_the_tested_residual_is_the_size_of_a_gradient():
    """u itself has none; u + ∇q has ‖∇q‖, for q a function of the mesh without trace."""
    from bench.forms import _div_curl as told

    complex_, G, _ = told._potentials("reentrant")
    q = np.zeros(G.shape[1])
    q[G.shape[1] // 2] = 0.3
    x = G @ q
    size = float(np.sqrt(x @ (complex_.mass() @ x)))
    found = told.tested_residual("reentrant", lambda y: complex_.evaluate(x, y))
    assert found == pytest.approx(size, rel=1e-6)
    assert told.tested_residual("reentrant", PROBLEM.u) < 0.02
