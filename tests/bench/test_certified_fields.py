"""Certificates of nets and elements: never below the true error, refused where they must be."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss

import femnets
from base.errors import UserError
from bench import cells, problems
from bench.cells import Cell
from bench.claims.certified import HAIR
from bench.measure.formulas import verdicts
from bench.methods.certificates import certify as certificates
from bench.methods.certificates.references import reference, unchanging
from bench.methods.certificates.residuals import coefficient
from bench.methods.certificates.unseen import contradicted
from bench.problems import not_known
from bench.studies import reentrant, solve
from fem.boundary_value import trace_of
from fem.certificates.rules import ORDERS

FEWER = {"evaluations": 20.0}
KINDS = {"fem", "edge_solve", "solved_net", "untrained_net", "reentrant_net"}


def quick_cells():
    """Every cell of the quick presets that solves the equation, with shorter trainings and
    without the finest meshes."""
    found = {}
    for study in (solve, reentrant):
        for cell in study.cells(study.PRESETS["quick"]):
            shorter = FEWER if "evaluations" in cell.config else {}
            cell = Cell(cell.kind, cell.config | shorter)
            coarse = (cell.config.get("n") or 1) <= 4
            solves = cell.kind != "fem" or cell.config.get("solve")
            if coarse and solves and cell.kind in KINDS:
                found[cell.key] = cell
    return list(found.values())


def true_error(field, problem):
    """‖u − v‖ by the certificate's own rule."""
    rule = problem.domain.geometry(problem.natural).rules(2, problem.singular_edge).volume
    rest = problem.u(rule.points) - field(rule.points)
    return np.sqrt(rule.weights @ (rest**2).sum(axis=0))


@pytest.mark.parametrize("cell", quick_cells(), ids=lambda cell: f"{cell.kind}-{cell.key[:6]}")
def test_no_bound_of_the_quick_presets_is_below_the_error(cell):
    values = cells.load_kind(cell.kind).run(cell.settings).values
    error = values["l2_error"]
    assert values["l2_bound"] >= (1 - HAIR) * error
    assert (values["l2_lower_bound"] or 0.0) <= (1 + HAIR) * error
    assert values["own_l2_bound"] is None or values["own_l2_bound"] >= (1 - HAIR) * error
    if values["relative_l2_bound"] is not None and "l2_relative" in values:
        assert values["relative_l2_bound"] >= (1 - HAIR) * values["l2_relative"]
    assert values["certified"] == (values["certificate_reason"] is None)


def test_an_accurate_rule_puts_the_error_of_random_features_between_the_bounds():
    """The rule of stored errors misses 5e-3 of such an error; a Gauss rule on the cube does not."""
    net = femnets.random_features("helix", features=300, activation="sine", seed=5).field
    found = femnets.certify(net, "helix")
    nodes, weights = np.polynomial.legendre.leggauss(22)
    points = np.stack(np.meshgrid(*[(nodes + 1) / 2] * 3, indexing="ij")).reshape(3, -1)
    rest = problems.get("helix").u(points) - np.asarray(net(points))
    error = np.sqrt(np.einsum("i,j,k->ijk", *[weights / 2] * 3).ravel() @ (rest**2).sum(axis=0))
    assert found.l2_lower_bound <= error <= found.l2_bound


class Exact:
    """u itself plus a multiple of a smooth field."""

    def __init__(self, problem, size=0.0):
        self.problem, self.size = problem, size

    def __call__(self, x):
        return self.problem.u(x) + self.size * np.sin(3 * x[::-1])


@pytest.mark.parametrize("name", ["maxwell", "helix", "curlsing", "reentrant"])
def test_any_callable_is_enclosed_by_a_reference(name):
    problem = problems.get(name)
    field = Exact(problem, 0.1)
    found = femnets.certify(field, name)
    error = true_error(field, problem)
    close = 1e-6 if problem.smooth else 0.3
    assert error * (1 - close) <= found.l2_lower_bound <= error * (1 + 1e-6)
    assert error * (1 - 1e-6) <= found.l2_bound <= error * (1 + close)
    assert found.method == "reference"
    assert found.reason() is None


def test_a_reference_has_order_one_along_an_edge_where_no_data_change():
    chosen = [name for name in ("reentrant", "reentrant3d", "curlsing", "maxwell")
              if unchanging(problems.get(name))]  # fmt: skip
    assert chosen == ["reentrant"]
    solution, certificate = reference(problems.reentrant, 3)
    assert solution.space.mesh.axes[2].orders == (1,)
    error = true_error(solution, problems.reentrant)
    assert error < certificate.l2_bound < 1.2 * error


def test_the_reason_for_a_missing_energy_bound_is_given():
    """A smooth field does not carry the singular trace of `curlsing`, so nothing can be lifted."""
    found = femnets.certify(Exact(problems.curlsing, 0.1), "curlsing")
    assert found.energy_bound is None
    assert "singular at the edge" in found.reason("energy")
    assert "no curl" in femnets.certify(Exact(problems.maxwell, 0.1), "maxwell").reason("energy")


def test_a_bound_above_half_the_field_certifies_no_digit():
    found = femnets.certify(Exact(problems.maxwell, 0.1), "maxwell")
    at_most = replace(found, l2_bound=0.499 * found.norm)
    too_much = replace(found, l2_bound=0.501 * found.norm)
    assert at_most.relative_l2_bound < 1 < too_much.relative_l2_bound
    assert at_most.document()["certified"]
    assert not too_much.document()["certified"]
    assert "half the norm" in too_much.reason()


@pytest.mark.parametrize(
    ("name", "layers", "order"),
    [("reentrant", 2, 1), ("reentrant", 3, 1), ("reentrant3d", 2, 3), ("reentrant3d", 3, 4)],
)
def test_hp_solutions_are_certified_within_a_fifth(name, layers, order):
    solution = femnets.solve(name, n=1, element="hexP", layers=layers, order=order)
    found = femnets.certify(solution, name)
    assert solution.l2_error < found.l2_bound < 1.2 * solution.l2_error
    assert found.method == "recovered"
    assert found.reason() is None


def test_a_zero_field_is_refused():
    found = femnets.certify(np.zeros_like, "reentrant")
    assert "not below the norm" in found.reason()
    assert found.relative_l2_bound is None
    assert found.doubt is None  # the bound itself is proved


def test_a_trace_outside_l2_does_not_settle():
    """`screen` has boundary values that are not square-integrable: no bound exists."""
    solution = femnets.solve("screen", n=1, element="hexP", layers=3, order=3)
    assert "not settled" in femnets.certify(solution, "screen").doubt


class Layered:
    """A field with derivatives, plus a plateau of height `size` between two parallel planes."""

    def __init__(self, field, normal, planes, steep, size):
        self.field, self.size, self.steep, self.planes = field, size, steep, planes
        self.normal = np.array(normal) / np.linalg.norm(normal)

    def jets(self, x, order):
        found = np.array(self.field.jets(x, order))
        for plane, sign in zip(self.planes, (0.5, -0.5), strict=True):
            value = np.tanh(self.steep * (self.normal @ x - plane))
            slope = self.steep * (1 - value**2)
            found[0, 1] += sign * self.size * value
            if len(found) > 1:
                found[1:4, 1] += sign * self.size * np.multiply.outer(self.normal, slope)
            if len(found) > 4:
                pairs = self.normal[[0, 0, 0, 1, 1, 2]] * self.normal[[0, 1, 2, 1, 2, 2]]
                bend = -2 * self.steep * value * slope
                found[4:, 1] += sign * self.size * np.multiply.outer(pairs, bend)
        return found

    def __call__(self, x):
        return self.jets(x, "value")[0]


def between_the_points():
    """The middle of the widest gap between the Gauss points of all levels, and the gap."""
    points = np.sort(np.concatenate([(leggauss(n)[0] + 1) / 2 for n in ORDERS]))
    widest = np.argmax(np.diff(points))
    return points[widest : widest + 2].mean(), np.diff(points)[widest]


@pytest.mark.parametrize("method", ["own", "reference", "auto"])
@pytest.mark.parametrize(("steep", "size"), [(2e3, 1.0), (2e3, 0.05), (1e5, 1.0)])
def test_a_layer_between_all_points_of_the_rules_is_not_certified(method, steep, size):
    """No norm of any level sees it, so that all settle on a bound far below the error."""
    field = femnets.random_features("maxwell", features=200, seed=5).field
    middle, gap = between_the_points()
    wrong = Layered(field, (1.0, 0.0, 0.0), (middle - gap / 4, middle + gap / 4), steep, size)
    found = certificates.certify(wrong, problems.maxwell, method)
    assert found.l2_bound < 0.1 * size * np.sqrt(gap / 2)
    assert "a layer is not resolved" in found.reason()
    assert certificates.certify(field, problems.maxwell, method).reason() is None


@pytest.mark.parametrize("normal", [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 2.0, 0.5)])
@pytest.mark.parametrize("steep", [30.0, 300.0, 1000.0, 1e4])
@pytest.mark.parametrize("name", ["maxwell", "curlsing"])
def test_no_layer_is_certified_away(name, normal, steep):
    field = femnets.random_features(name, features=200, seed=5).field
    problem = problems.get(name)
    wrong = Layered(field, normal, (0.495, 0.515), steep, 0.5)
    points = problem.domain.sample(20_000, 7)
    error = np.sqrt(((wrong(points) - problem.u(points)) ** 2).sum(axis=0).mean())
    for method in ("own", "reference", "auto"):
        found = certificates.certify(wrong, problem, method)
        assert found.reason() is not None or found.l2_bound > 0.9 * error


def test_certificates_that_contradict_each_other_are_not_believed():
    found = femnets.certify(Exact(problems.maxwell, 0.1), "maxwell")
    below = replace(found, l2_bound=0.9 * found.l2_lower_bound, l2_lower_bound=0.0)
    assert contradicted([found, found]) == [found, found]
    assert all("another at most" in each.reason() for each in contradicted([found, below]))
    doubted = replace(below, doubt="unsettled")
    assert contradicted([found, doubted]) == [found, doubted], "a doubted bound refutes nothing"


def test_what_is_not_proved_is_called_estimated():
    problem = replace(problems.helix, phi_min=None)
    solution = femnets.solve(problem, n=1, element="hexP", order=4)
    found = femnets.certify(solution, problem)
    assert found.word == "estimated"
    assert "phi_min" in found.reason()
    assert not found.document()["certified"]
    assert problems.fichera.domain.geometry().maxwell.tag == "computed"


def test_problems_without_a_closed_form_get_the_bound_of_their_error():
    helix = problems.helix
    unknown = replace(helix, u=not_known, curl_u=not_known, g=trace_of(helix.u))
    solution = femnets.solve(unknown, n=1, element="hexP", order=5)
    values = certificates.stored(solution, unknown)
    assert true_error(solution, helix) < values["l2_bound"]
    assert values["certified"]
    any_field = Exact(helix, 0.1)
    found = certificates.certify(any_field, unknown)
    assert found.l2_lower_bound <= true_error(any_field, helix) * (1 + 1e-6)
    assert found.l2_bound == pytest.approx(true_error(any_field, helix), rel=1e-6)


def test_domains_without_constants_say_so():
    problem = replace(problems.maxwell, natural=("x3=0",))
    with pytest.raises(UserError, match="no constants are known for cube with natural"):
        certificates.certify(problem.u, problem)
    values = certificates.stored(problem.u, problem)
    assert values["l2_bound"] is None
    assert "no constants" in values["certificate_reason"]


def test_torch_modules_are_certified_by_their_own_residuals():
    import torch

    class Net(torch.nn.Module):
        """x ↦ tanh of a random map: it solves nothing."""

        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3, dtype=torch.float64)

        def forward(self, x):
            return torch.tanh(self.layer(x))

    net = Net()
    found = femnets.certify(net, "maxwell", method="own")
    from bench.measure.net_fields import ModuleField

    assert true_error(ModuleField(net), problems.maxwell) <= found.l2_bound
    with pytest.raises(UserError, match="unknown method"):
        femnets.certify(net, "maxwell", method="owm")
    with pytest.raises(UserError, match="no derivatives"):
        femnets.certify(problems.maxwell.u, "maxwell", method="own")


@pytest.mark.parametrize("name", problems.names())
def test_problems_declare_their_coefficient(name):
    phi, doubt = coefficient(problems.get(name))
    assert doubt is None
    assert phi.minimum > 0


@pytest.mark.parametrize(
    ("wrong", "found"), [({"phi_min": 0.6}, "phi_min"), ({"phi_slope": 0.9}, "phi_slope")]
)
def test_check_finds_wrong_declarations(wrong, found):
    bad = [v for v in verdicts(replace(problems.maxwell, **wrong)) if not v.agrees]
    assert [v.name for v in bad] == [found]
    assert "but there is" in bad[0].line()


def test_a_coefficient_that_jumps_is_found_and_nothing_is_certified_with_it():
    """Its gradient vanishes wherever it exists, so phi_slope = 0 looks right."""
    jumps = replace(
        problems.reentrant, phi=lambda x: np.where(x[2] < 0.5, 1.0, 100.0), grad_phi=np.zeros_like,
        phi_min=1.0, phi_slope=0.0,
    )  # fmt: skip
    phi, doubt = coefficient(jumps)
    assert doubt is not None
    assert not phi.constant
    assert "phi_slope" in [v.name for v in verdicts(jumps) if not v.agrees]
    assert femnets.certify(np.zeros_like, jumps).word == "estimated"
