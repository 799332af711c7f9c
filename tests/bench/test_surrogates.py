"""Families and their surrogates: against closed forms, naive assembly, and each other."""

import numpy as np
import pytest

from base.errors import UserError
from bench.methods.surrogates import nets, saving
from bench.methods.surrogates.interpolation import Interpolation, Samples
from bench.methods.surrogates.making import made
from bench.methods.surrogates.names import METHODS
from bench.methods.surrogates.plan import Plan
from bench.methods.surrogates.queries import Ruler
from bench.methods.surrogates.reduced_basis import Basis, Galerkin
from bench.methods.surrogates.regression import Chebyshev, counts, tensor_design
from bench.methods.surrogates.truth import Truth
from bench.problems import families
from fem.boundary_value import solve_boundary_value


@pytest.mark.parametrize("name", families.names())
def test_a_query_is_a_solve_of_its_problem(name):
    """Against `solve_boundary_value`, which knows no family; where u is known, against u."""
    family = families.get(name, 2, 10.0)
    truth, points = Truth(family, 7), np.random.default_rng(0).random((3, 40))
    for mu in family.sample(2, 3):
        x = truth.coefficients(mu, truth.solve(mu, 1e-10).y)
        other = solve_boundary_value(family.problem(mu), 1, element="hexP", order=7)
        assert np.allclose(truth.space.evaluate(x, points), other(points), atol=1e-8)
        if family.u is not None:
            assert np.allclose(other(points), family.u(mu, points), atol=2e-3)


def test_ranges_of_mu():
    family = families.get("bump", 4, 1000.0)
    mus = family.sample(50, 1)
    assert np.allclose(family.from_unit(family.unit(mus)), mus)
    assert abs(family.unit(family.design(33, 0))).max() <= 1.0
    assert family.beyond(mus[0]) == 0.0
    assert family.beyond(np.array([10.0, 0.5, 0.5, 1.0])) == pytest.approx(1.0)
    with pytest.raises(UserError, match=r"needs 4 finite values of μ \(a, c1, c2, c3\)"):
        family.checked([1.0])
    with pytest.raises(UserError, match="no dimension 3"):
        families.get("bump", 3)


@pytest.mark.parametrize(("name", "terms"), [("bump", 12), ("source", 12), ("shifted", 14)])
def test_interpolation_of_unseen_functions(name, terms):
    family = families.get(name, 2, 10.0)
    found, samples = Interpolation.of(family, 1e-5), Samples(family)
    assert len(found.mus) <= terms
    known = np.stack([samples.all(mu) for mu in found.mus])
    for mu in family.sample(5, 8):
        whole = samples.all(mu)
        assert np.allclose(found.values(mu), whole[found.positions])
        rest = found.inverse @ found.values(mu) @ known - whole
        assert abs(rest).max() < 1e-3 * abs(whole).max()


@pytest.mark.parametrize("name", families.names())
def test_the_reduced_system_is_galerkins(name):
    """The stored terms against the full operator applied to every basis field at an unseen μ."""
    family = families.get(name, 2, 10.0)
    truth = Truth(family, 5)
    basis = Basis.of(truth, [truth.solve(mu, 1e-8).y for mu in family.design(6, 0)])
    gram = basis.fields.reshape(len(basis), -1)
    assert np.allclose(gram @ gram.T, np.eye(len(basis)), atol=1e-12)
    reduced = Galerkin.of(basis, Interpolation.of(family, 1e-9))
    for mu in family.sample(3, 4):
        phi, ys = truth.coefficient(mu), basis.ys.reshape(len(basis), -1)
        A = np.stack([phi.apply(y).ravel() for y in basis.ys]) @ ys.T
        exact = np.linalg.solve(A, ys @ phi.load(truth.lift(mu).curls).ravel())
        assert np.allclose(reduced(mu), exact, atol=1e-6 * abs(exact).max())


def test_the_reduced_basis_at_the_targets():
    """Worst L² error over unseen μ and the estimator's effectivity, dimension 1 and 2."""
    for dimension, snapshots, order, most in ((1, 6, 14, 1e-5), (2, 40, 14, 1e-5)):
        plan = Plan(dimension=dimension, snapshots=snapshots, order=order, tol=1e-7)
        surrogate = made(plan)
        mus = surrogate.family.sample(15, 77)
        ruler = Ruler.of(surrogate.family, order, mus)
        errors = [ruler.error(k, surrogate) for k in range(len(mus))]
        assert max(errors) < most
        for mu in mus[:5]:
            y = surrogate.basis.combined(surrogate.coefficients(mu))
            energy = surrogate.truth.energy(mu, y - surrogate.truth.solve(mu, 1e-13).y)
            assert 1.0 - 1e-6 <= surrogate.bound(mu) / energy < 1.4


def test_greedy_snapshots_are_where_the_bound_is_large():
    plan = Plan(method="rb-greedy", snapshots=8, order=5, tol=1e-5)
    mus = plan.chosen().sample(20, 5)
    errors = []
    for method in ("rb-greedy", "rb"):
        surrogate = made(Plan(**{**plan.__dict__, "method": method}))
        errors.append(max(surrogate.bound(mu) for mu in mus))
    assert errors[0] < 2.0 * errors[1]


def test_chebyshev_is_exact_for_polynomials():
    family = families.get("source", 2, 10.0)
    shape = counts(2, 20)
    assert shape == (4, 5)
    t = family.unit(tensor_design(family, 20))

    def polynomial(t):
        return np.stack([t[:, 0] ** 3 * t[:, 1] ** 4, t[:, 0] - t[:, 1] ** 2], axis=1)

    fit = Chebyshev(polynomial(t).reshape(*shape, -1))
    rows = np.vstack([np.random.default_rng(0).uniform(-1, 1, (5, 2)), t[3]])
    assert np.allclose(fit(rows), polynomial(rows))
    assert counts(4, 200) == (3, 4, 4, 4)


def test_rows_of_the_equation_are_its_curl_and_divergence():
    """The coefficients of the residuals against differences of m ∘ N, for a net N of tanh."""
    family = families.get("bump", 1, 10.0)
    truth = Truth(family, 4)
    rows = nets.equation_rows(truth, family.sample(1, 2), 0)
    rng = np.random.default_rng(1)
    W, c = rng.standard_normal((4, 5)), rng.standard_normal((5, 3))
    space = nets.SpaceNet(lambda z: np.tanh(z @ W) @ c)
    x, t = (rows.x[:, :3].T + 1.0) / 2.0, rows.x[0, 3:]
    bent = np.tanh(rows.x @ W)
    jets = np.stack([(bent @ c).T, *(((1 - bent**2) * W[j] @ c).T for j in range(3))])
    found = np.einsum("mcin,cin->mn", rows.A, jets) * np.sqrt(nets.POINTS)
    step = 1e-6
    slopes = [
        (space(x + step * e[:, None], t) - space(x - step * e[:, None], t)) / (2 * step)
        for e in np.eye(3)
    ]
    phi = family.phi(family.sample(1, 2)[0], x)
    curl = [slopes[(d + 1) % 3][(d + 2) % 3] - slopes[(d + 2) % 3][(d + 1) % 3] for d in range(3)]
    assert np.allclose(found[:3], phi**0.5 * np.array(curl), atol=1e-6)
    assert np.allclose(found[3], sum(slopes[d][d] for d in range(3)), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_something(method):
    plan = Plan(method=method, dimension=1, order=4, snapshots=6, tol=1e-2, steps=40, width=10,
                hidden=1)  # fmt: skip
    surrogate = made(plan)
    mus = surrogate.family.sample(3, 50)
    points = np.random.default_rng(2).random((3, 200))
    for mu in mus:
        exact = surrogate.truth.coefficients(mu, surrogate.truth.solve(mu, 1e-8).y)
        values = surrogate.truth.space.evaluate(exact, points)
        rest = np.linalg.norm(surrogate(mu)(points) - values) / np.linalg.norm(values)
        assert rest < 0.15
        near = surrogate.truth.on_grid(exact)
        assert np.linalg.norm(surrogate.whole(mu) - near) < 0.15 * np.linalg.norm(near)
        assert surrogate.mean(mu) == pytest.approx(surrogate.truth.mean @ exact, abs=0.05)
    with pytest.warns(UserWarning, match="outside the trained range"):
        surrogate([1e3])


def test_the_reduced_basis_against_pymor():
    """The same snapshots: its POD and its Galerkin projection, on matrices of the whole truth."""
    pytest.importorskip("pymor")
    from pymor.algorithms.pod import pod
    from pymor.models.basic import StationaryModel
    from pymor.operators.constructions import LincombOperator
    from pymor.operators.numpy import NumpyMatrixOperator
    from pymor.parameters.functionals import ProjectionParameterFunctional
    from pymor.reductors.basic import StationaryRBReductor
    from pymor.vectorarrays.numpy import NumpyVectorSpace

    family = families.get("bump", 1, 10.0)
    truth = Truth(family, 3)
    scale = np.broadcast_to(truth.system.scale, (3, *truth.system.scale.shape))
    one, two = (truth.coefficient(np.array([a])) for a in (0.0, 1.0))
    identity = np.eye(scale.size).reshape(-1, *scale.shape)
    matrices = [np.stack([(phi.apply(e * scale) * scale).ravel() for e in identity])
                for phi in (one, two)]  # fmt: skip
    loads = [(phi.load(truth.lift(family.middle).curls) * scale).ravel() for phi in (one, two)]
    amplitude = ProjectionParameterFunctional("a", 1, 0)
    model = StationaryModel(
        LincombOperator(
            [NumpyMatrixOperator(m) for m in (matrices[0], matrices[1] - matrices[0])],
            [1.0, amplitude],
        ),
        LincombOperator(
            [NumpyMatrixOperator(b[:, None]) for b in (loads[0], loads[1] - loads[0])],
            [1.0, amplitude],
        ),
    )
    ys = [truth.solve(mu, 1e-12).y for mu in family.design(4, 0)]
    snapshots = np.stack([(y / scale).ravel() for y in ys])
    space = NumpyVectorSpace(scale.size)
    fields, singular = pod(space.from_numpy(snapshots.T), rtol=1e-14)
    basis = Basis.of(truth, ys)
    ours = Galerkin.of(basis, Interpolation.of(family, 1e-12))
    assert np.allclose(singular[:3], basis.singular[:3], rtol=1e-8)
    reductor = StationaryRBReductor(model, fields)
    reduced = reductor.reduce()
    for mu in family.sample(5, 60):
        theirs = reductor.reconstruct(reduced.solve(mu)).to_numpy().ravel()
        found = np.tensordot(ours(mu), basis.fields, axes=1).ravel()
        assert np.linalg.norm(theirs - found) < 1e-8 * np.linalg.norm(found)


@pytest.mark.parametrize("method", ["rb", "chebyshev", "kernel", "net", "space-net"])
def test_a_saved_surrogate_answers_as_before(method, tmp_path):
    family = "source" if method == "rb" else "bump"
    plan = Plan(family=family, method=method, dimension=2, order=3, snapshots=9, tol=1e-2, steps=5,
                width=8, hidden=1)  # fmt: skip
    surrogate, path = made(plan), tmp_path / "s.safetensors"
    path.write_bytes(saving.to_bytes(surrogate))
    again = saving.load(path)
    assert again.plan == plan
    points = np.random.default_rng(0).random((3, 20))
    mu = surrogate.family.sample(1, 5)[0]
    assert np.allclose(again(mu)(points), surrogate(mu)(points), atol=1e-12)
    assert again.mean(mu) == pytest.approx(surrogate.mean(mu), abs=1e-12)


def test_damaged_files_are_refused_in_one_line(tmp_path):
    plan = Plan(method="chebyshev", dimension=1, order=2, snapshots=3, tol=1e-1)
    whole, path = saving.to_bytes(made(plan)), tmp_path / "s.safetensors"
    changed = bytearray(whole)
    changed[-9] ^= 1
    for data, message in (
        (bytes(changed), "checksum differs"), (whole[:-40], "cannot read"), (b"", "cannot read"),
        (whole.replace(b"surrogate 1", b"surrogate 9"), "holds no surrogate"),
    ):  # fmt: skip
        path.write_bytes(data)
        with pytest.raises(UserError, match=message) as refused:
            saving.load(path)
        assert "\n" not in str(refused.value)
    with pytest.raises(UserError, match="cannot read"):
        saving.load(tmp_path / "none")
    with pytest.raises(UserError, match="cannot be saved"):
        saving.to_bytes(made(Plan(**{**plan.__dict__, "method": "space-features"})))
