"""The re-entrant edge in the harness: what nets are given, what warns, claims, the study."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from base.errors import UserError
from bench import problems
from bench.cells import Cell
from bench.claims import Checked, Compared, NotTested
from bench.claims.themes import reentrant as claims
from bench.measure.norms import tabulated_domain
from bench.methods import calibration, coarse_solves
from bench.methods.collocation import operators as op
from bench.methods.edge_forms import EdgeLoss
from bench.methods.edge_forms.built_in import edge_factors
from bench.methods.edge_forms.geometry import edge_faces
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


def factors_of(name):
    return partial(edge_factors, edge_faces(problems.get(name)))


@pytest.mark.parametrize("name", ["reentrant", "fichera"])
def test_jets_of_what_is_built_in(name):
    jets = factors_of(name)
    x = problems.get(name).domain.sample(200, 3)
    x = x[:, (np.hypot(x[0], x[1]) > 0.05) & (abs(x).min(axis=0) > 1e-3)]
    slopes = differences(lambda y: jets(y, "value")[0], x)
    np.testing.assert_allclose(jets(x, "first")[1:], slopes, atol=1e-6)


@pytest.mark.parametrize("name", ["reentrant", "reentrant3d", "fichera"])
def test_built_in_values_vanish_where_they_must(name):
    problem = problems.get(name)
    faces = [face.name for face in edge_faces(problem)]
    assert faces == (["x1=0", "x2=0", "x3=0"] if name == "fichera" else ["x1=0", "x2=0"])
    rim = problem.domain.sample_boundary(200, 0, faces=faces)
    factors = factors_of(name)(rim.x, "value")[0]
    tangential = np.cross(factors, rim.normal, axis=0)
    np.testing.assert_allclose(tangential, 0, atol=1e-14)
    assert (factors_of(name)(problem.domain.sample(200, 0), "value") > 0).all()


A, B = np.array([0.3, -0.2, 0.5]), np.array([[0.2, 1, 0], [0.3, -0.4, 0.1], [0, 0.2, 0.6]])


def squares(terms):
    """Of the affine field a + B x, by part of the loss."""
    found = {}
    for term in terms:
        value = A[:, None] + B @ term.x.T
        jet = np.stack([value, *(np.repeat(B[:, j : j + 1], value.shape[1], 1) for j in range(3))])
        r = np.einsum("mcin,cin->mn", term.A, jet[: term.A.shape[1]]) - term.b
        for label, row in zip(term.labels, r, strict=True):
            found[label] = found.get(label, 0.0) + float((row**2).sum())
    return found


@pytest.mark.parametrize("inside", ["uniform", "graded"])
@pytest.mark.parametrize("rim", ["uniform", "graded"])
def test_the_loss_is_a_mean_of_squares(inside, rim):
    """For an affine field: curl and divergence are constants, boundary values by Green's rule."""
    setting = EdgeLoss(PROBLEM, inside=inside, rim=rim, points=648, boundary_points=4000)
    curl = np.array([B[2, 1] - B[1, 2], B[0, 2] - B[2, 0], B[1, 0] - B[0, 1]])
    trained, fine = squares(setting.terms()), squares(setting._fine)
    for found in (trained, fine):
        assert found["curl"] == pytest.approx(curl @ curl, rel=1e-4)
        assert found["divergence"] == pytest.approx(np.trace(B) ** 2, rel=1e-4)
    assert trained["boundary"] == pytest.approx(fine["boundary"], rel=0.1)


@pytest.mark.parametrize("rule", ["uniform", "graded"])
@pytest.mark.parametrize("name", ["reentrant3d", "fichera"])
def test_rules_are_means_on_the_relatives_too(name, rule):
    """Of x·x: 5/3 in mean on each, an exact integral, and on the faces of the edges."""
    from bench.methods.edge_forms import rules

    problem = problems.get(name)
    cloud = rules.inside(problem, 3000, rule, 0)
    exact = {"reentrant3d": 2 / 3 + 1 / 3, "fichera": 1.0}[name]
    assert cloud.weights @ (cloud.x**2).sum(axis=0) == pytest.approx(exact, rel=5e-3)
    rim = rules.edge_rim(problem, 4000, rule, 0)
    inner = [face.name for face in edge_faces(problem)]
    assert rim.weights.sum() == pytest.approx(rules.share(problem, inner))
    on_square = 2 / 3  # two of the three coordinates run over a unit interval
    mean = rim.weights @ (rim.x**2).sum(axis=0) / rim.weights.sum()
    assert mean == pytest.approx(on_square, rel=2e-2)
    assert problem.domain.contains(rim.x).all()


def residuals_of(terms, field, outputs):
    """r of every term for a field whose jets (values and slopes) are known."""
    for term in terms:
        jets = field(np.ascontiguousarray(term.x.T), outputs)
        r = np.einsum("mcin,cin->mn", term.A, jets[: term.A.shape[1]]) - term.b
        yield r.ravel() if term.test is None else term.test @ r.ravel()


def jets_of(problem):
    """u, or u and its curl, with slopes by differences, away from the singular edge."""

    def jets(x, outputs):
        parts = [problem.u] + ([problem.curl_u] if outputs == 6 else [])
        value = np.concatenate([part(x) for part in parts])
        step = 1e-4 * np.hypot(x[0], x[1])
        slopes = [
            np.concatenate([part(x + step * e) - part(x - step * e) for part in parts]) / (2 * step)
            for e in np.eye(3)[:, :, None]
        ]
        return np.stack([value, *slopes])

    return jets


@pytest.mark.parametrize("form", ["first-order", "weak"])
def test_the_exact_field_of_the_relative_has_no_residual(form):
    """`reentrant3d` has f, curl u and data on natural faces, all of them not 0."""
    problem = problems.reentrant3d
    setting = EdgeLoss(problem, form=form, points=162, boundary_points=200)
    found = residuals_of(setting.terms(), jets_of(problem), setting.outputs)
    nothing = residuals_of(
        setting.terms(), lambda x, m: np.zeros((4, m, x.shape[1])), setting.outputs
    )
    size = sum(float((r**2).sum()) for r in nothing)
    # differences near the edge, and a rule of four points per cell for the weak form
    assert sum(float((r**2).sum()) for r in found) < 1e-4 * size
    assert size > 1


def test_the_weak_form_measures_in_dual_norms():
    """Its sum of squares is r·(Gram⁻¹ r), here by scikit-fem's own assembly of both Grams."""
    from skfem import Basis, BilinearForm, ElementTetN0, ElementTetP1
    from skfem.helpers import curl, dot, grad

    from bench.methods.edge_forms.tested import tests_of

    tests = tests_of(PROBLEM, 2, False)
    mesh = tests.complex.mesh
    edges = np.setdiff1d(np.arange(tests.complex.dofs), tests.complex.boundary_dofs)
    nodes = np.setdiff1d(np.arange(mesh.nvertices), tests.complex.boundary_scalars)
    hcurl = BilinearForm(lambda u, v, _: dot(u, v) + dot(curl(u), curl(v)))
    h1 = BilinearForm(lambda u, v, _: dot(grad(u), grad(v)))
    grams = [
        hcurl.assemble(Basis(mesh, ElementTetN0()))[edges][:, edges],
        h1.assemble(Basis(mesh, ElementTetP1()))[nodes][:, nodes],
    ]
    field = jets_of(problems.get("reentrant3d"))
    jets = field(tests.points, 3)
    rot = np.einsum("mcin,cin->mn", op.curl("first", len(tests.phi)), jets)
    r = tests.residuals(jets[0], rot)
    parts = np.split(r, [len(edges)])
    expected = [
        part @ np.linalg.solve(gram.toarray(), part)
        for part, gram in zip(parts, grams, strict=True)
    ]
    np.testing.assert_allclose(tests.dual_squares(r), expected, rtol=1e-8)
    term = EdgeLoss(PROBLEM, form="weak", points=162).terms()[0]
    (whitened,) = residuals_of([term], field, 3)
    assert whitened @ whitened == pytest.approx(sum(expected), rel=1e-8)


def test_u_itself_has_no_loss_and_the_fine_rule_knows_its_size():
    square = integrate(lambda x: (PROBLEM.u(x) ** 2).sum(axis=0), PROBLEM.domain.rules()["whole"])
    assert np.sqrt(square) == pytest.approx(1.3551, rel=1e-4)
    for term in EdgeLoss(PROBLEM)._fine:
        if term.order == "value":  # the trace of u
            r = np.einsum("min,in->mn", term.A[:, 0], PROBLEM.u(term.x.T)) - term.b
            np.testing.assert_allclose(r, 0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"boundary": "hope"}, "penalty or exact"),
        ({"inside": "gradd"}, "uniform or graded"),
        ({"problem": problems.maxwell}, "no re-entrant edge"),
        ({"problem": problems.fichera}, "first-order or weak"),
        ({"form": "wek"}, "div-curl or first-order or weak"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(UserError, match=message):
        EdgeLoss(**{"problem": PROBLEM} | options)


def coarse_error(name):
    """The error of the coarse solve itself."""
    table = tabulated_domain(problems.get(name), ("x",))
    return table.l2_error(coarse_solves.coarse_solve(name).T)


def test_a_net_cell_says_what_is_true_and_what_can_be_known():
    from bench.cells.reentrant_net import Config, run

    result = run(Config(points=162, boundary_points=80, width=6, evaluations=8))
    values = result.values
    assert 0 < values["l2_relative"] < 3
    assert values["l2_error"] == pytest.approx(values["l2_relative"] * values["norm"])
    assert abs(values["coarse_distance"] - values["l2_error"]) <= coarse_error("reentrant") * 1.001
    frames = result.arrays["frames"]
    assert len(frames) == len(result.arrays["curve_fine_loss"]) >= 3
    assert len(frames) == len(result.arrays["curve_l2_error"])
    assert np.allclose(frames[-1], result.arrays["slice"], equal_nan=True), "the last is the end"
    assert not np.allclose(frames[0], frames[-1], equal_nan=True)
    assert values["reference_error"] is None


@pytest.mark.parametrize("form", ["first-order", "weak"])
def test_nets_on_the_fichera_cube(form):
    """Against the stored reference, whose own error is said."""
    from bench.cells.reentrant_net import Config, run

    config = Config(
        problem="fichera", form=form, boundary="exact", points=162, boundary_points=80, width=6,
        evaluations=8,
    )  # fmt: skip
    values = run(config).values
    assert 0 < values["l2_relative"] < 4
    assert values["reference_error"] == problems.fichera.reference_error
    assert abs(values["coarse_distance"] - values["l2_error"]) <= coarse_error("fichera") * 1.001


@pytest.mark.parametrize("name", ["reentrant3d", "fichera"])
def test_the_command_that_trains_takes_them_too(name):
    """With the error of a computed u beside errors against it; what cannot be is refused."""
    from bench.methods.solving import solve_net

    options = {"problem": name, "points": 60, "width": 4, "evaluations": 3}
    values = solve_net(options).values
    assert 0 < values["relative_l2_error"] < 3
    assert values.get("reference_error") == problems.get(name).reference_error
    with pytest.raises(UserError, match="use --boundary penalty"):
        solve_net({**options, "boundary": "exact"})


def record(kind, values, **config):
    cell = Cell(kind, config)
    return StoredResult(
        key=cell.key, kind=kind, config=dict(cell.config), values=values, state="done",
        fingerprint="", provenance={}, files={}, directory=Path(),
    )  # fmt: skip


def net(relative, distance=0.1, seed=1000, fall=1.0, **config):
    values = {
        "l2_relative": relative, "training_loss": 0.1, "coarse_distance": distance,
        "coarse_norm": 1.0, "diverged": False, "late_fall": fall,
    }  # fmt: skip
    return record("reentrant_net", values, seed=seed, **config)


def test_ends_and_warnings():
    assert claims.end_of(net(0.1)) == "right"
    assert claims.end_of(net(0.5)) == "nodal limit"
    assert claims.end_of(net(0.9)) == "elsewhere"
    assert claims.end_of(net(0.5, fall=0.6)) == "still falling"
    assert claims.warned(net(0.5, distance=0.6)) == (True, True)
    assert claims.warned(net(0.1)) == (False, False)


def test_claims_decide_by_the_numbers():
    def nodal(n, relative, energy):
        values = {"l2_relative": relative, "energy": energy, "l2_error": relative}
        return record("edge_solve", values, element="nodalP1", n=n)

    stalled = [nodal(2, 0.563, 1.19), nodal(4, 0.539, 1.13), nodal(8, 0.525, 1.10)]
    falling = [nodal(2, 0.563, 1.19), nodal(4, 0.4, 1.13), nodal(8, 0.3, 1.10)]

    def graded(n, error):
        values = {"l2_error": error, "l2_relative": error, "dofs": n**3}
        return record("fem", values, problem="reentrant", element="N0", n=n, grading=2.5)

    meshes = [graded(4, 0.1), graded(8, 0.05)]
    claim = next(c for c in claims.CLAIMS if "nodal-elements-stay" in c.name)
    slow = [graded(4, 0.1), graded(8, 0.09)]
    cases = ((stalled, meshes, True), (falling, meshes, False), (stalled, slow, False))
    for nodes, edges, true in cases:
        finding = claim.finding(Results([*nodes, *edges]))
        assert isinstance(finding, Checked)
        assert finding.true is true


def claim(name):
    return next(c for c in claims.CLAIMS if name in c.name)


def test_the_distance_is_right_or_not_about_every_net():
    tested = claim("distance-tells")
    good = [net(0.1, distance=0.1, seed=1000), net(0.5, distance=0.6, seed=1001)]
    found = tested.finding(Results(good))
    assert found.true == found.seeds
    bad = [*good, net(0.1, distance=0.6, seed=1002), net(0.5, distance=0.1, seed=1003)]
    found = tested.finding(Results(bad))
    assert (found.true, found.seeds) == (2, 4)
    assert "missed 1, falsely alarmed 1" in found.what


@pytest.mark.parametrize(
    ("name", "arm"),
    [
        ("penalty over built in", {"boundary": "penalty"}),
        ("built in, weak form over div-curl", {"form": "weak", "boundary": "exact"}),
    ],
)
def test_arms_are_paired_at_one_size(name, arm):
    """Nets of other widths, which share the seeds, are no partners."""
    seeds = range(1000, 1012)
    better = [net(0.1, seed=seed, **arm) for seed in seeds]
    worse = [net(0.5, seed=seed, boundary="exact") for seed in seeds]
    others = [net(0.9, seed=seed, width=40, **arm) for seed in (1000, 1001)]
    others += [net(0.01, seed=seed, width=40, boundary="exact") for seed in (1000, 1001)]
    found = claim("built-in").finding(Results([*others, *better, *worse, *others]))
    assert isinstance(found, Compared)
    assert found.table.keys() == {name}
    assert (found.comparison.pairs, found.domain) == (12, "prism")
    assert found.comparison.ratio == pytest.approx(0.2)
    assert isinstance(claim("built-in").finding(Results(better)), NotTested)


def test_presets_have_the_corners_of_the_map():
    quick, paper = (study.cells(study.PRESETS[name]) for name in ("quick", "paper"))
    nets = [cell for cell in paper if cell.kind == "reentrant_net"]
    seeds = {cell.config["seed"] for cell in nets}
    assert len(seeds) == 12
    assert min(seeds) >= 1000
    wanted = {"problem": "reentrant", "form": "div-curl"}.items()
    corners = {
        tuple(cell.config[k] for k in ("boundary", "inside", "rim"))
        for cell in nets
        if wanted <= dict(cell.config).items()
    }
    assert len(corners) == 6
    for corner in corners:  # ten seeds or more at each
        where = dict(zip(("boundary", "inside", "rim"), corner, strict=True))
        where |= {**claims.MAP, **where, "problem": "reentrant"}
        found = [c.config["seed"] for c in nets if where.items() <= dict(c.config).items()]
        assert len(set(found)) == 12
    assert {cell.config["problem"] for cell in nets} == {"reentrant", "reentrant3d", "fichera"}
    assert len({cell.key for cell in paper}) == len(paper)
    assert len(quick) < 40


class TestCalibration:
    def test_a_threshold_parts_what_can_be_parted(self):
        rows = [{"error": 0.1, "distance": 1.0}, {"error": 0.2, "distance": 2.0},
                {"error": 0.5, "distance": 8.0}]  # fmt: skip
        assert calibration.threshold(rows) == pytest.approx(4.0)
        with pytest.raises(ValueError, match="both right and wrong"):
            calibration.threshold(rows[:2])

    def test_it_is_the_best_of_all_by_brute_force(self):
        generator = np.random.default_rng(3)
        errors = generator.uniform(0, 0.5, 60)
        rows = [
            {"error": e, "distance": t}
            for e, t in zip(errors, np.exp(errors + generator.normal(0, 0.2, 60)), strict=True)
        ]
        wrong = errors > calibration.WRONG_ABOVE
        said = np.array([row["distance"] for row in rows])

        def score(t):
            return (said > t)[wrong].mean() + (said <= t)[~wrong].mean()

        found = score(calibration.threshold(rows))
        assert found == pytest.approx(max(score(t) for t in np.linspace(0.5, 3, 4001)))

    def test_what_is_kept_repeats_in_small(self):
        """The first ends are computed again; a busy machine changes no number."""
        first = calibration.stored()[0]
        (again,) = calibration.ends(
            (first["problem"],), (first["points"],), (first["evaluations"],), (first["seed"],)
        )
        for name in ("error", "distance"):
            assert again[name] == pytest.approx(first[name], rel=1e-2)

    def test_it_saw_no_re_entrant_edge_and_no_confirmatory_seed(self):
        rows = calibration.stored()
        assert {row["problem"] for row in rows} == set(calibration.PROBLEMS)
        assert not {*calibration.PROBLEMS} & {*claims.PROBLEMS, *claims.RELATIVES}
        assert max(row["seed"] for row in rows) < 1000
        assert 10 < sum(row["error"] > calibration.WRONG_ABOVE for row in rows) < len(rows) - 10
