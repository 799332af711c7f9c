"""One contract for every optimiser, and what each promises beyond it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import UserError
from nets import optimizers
from nets.optimizers import Diverged, Stop, _line_search
from nets.optimizers._inverse_hessian import InverseHessian
from nets.optimizers._pairs import Pairs

ALL = optimizers.names()
NEVER_UPHILL = [name for name in ALL if optimizers.get(name).LINE_SEARCH]
# Steps to the stated accuracy on the quadratic and on Rosenbrock's function: first-order methods
# need thousands, quasi-Newton ones tens.
BUDGET = {"steepest": 4000, "adam": 4000}
OPTIONS = {"adam": {"rate": 0.02, "schedule": "cosine", "horizon": 4000}}


class Squares:
    """½ Σ r² from r and its Jacobian, with all that an optimiser may ask an objective for.

    `allowed(theta)` False means that there is no value; then J is `bad`.
    """

    def __init__(self, size, residuals, jacobian, allowed=lambda theta: True, bad=np.inf):
        self.size, self.r, self.dr, self.allowed, self.bad = size, residuals, jacobian, allowed, bad
        self.count = len(residuals(np.zeros(size)))
        self.budget = np.inf

    def __call__(self, theta):
        self._spend()
        if not self.allowed(theta):
            return self.bad, np.full_like(theta, self.bad)
        r = self.r(theta)
        return 0.5 * float(r @ r), self.dr(theta).T @ r

    def _spend(self):
        if self.budget <= 0:
            raise Stop("evaluations")
        self.budget -= 1

    def residuals(self, theta):
        self._spend()
        return self.r(theta) if self.allowed(theta) else None

    def jacobian(self, theta):
        self._spend()
        return (self.r(theta), self.dr(theta).T) if self.allowed(theta) else None

    def normal_equations(self, theta):
        self._spend()
        if not self.allowed(theta):
            return None
        r, dr = self.r(theta), self.dr(theta)
        return r, dr.T @ dr, dr.T @ r


def quadratic(size: int = 12, condition: float = 100.0, **more):
    """½ (θ − 1)ᵀ D (θ − 1), D from 1 to the condition number."""
    root = np.sqrt(np.geomspace(1, condition, size))
    return Squares(size, lambda t: root * (t - 1), lambda t: np.diag(root), **more), np.zeros(size)


def rosenbrock_residuals(theta):
    a, b = theta[::2], theta[1::2]
    return np.concatenate([np.sqrt(200) * (b - a**2), np.sqrt(2) * (1 - a)])


def rosenbrock_jacobian(theta):
    half, a = theta.size // 2, theta[::2]
    out = np.zeros((theta.size, theta.size))
    rows = np.arange(half)
    out[rows, 2 * rows], out[rows, 2 * rows + 1] = -2 * np.sqrt(200) * a, np.sqrt(200)
    out[half + rows, 2 * rows] = -np.sqrt(2)
    return out


def rosenbrock_of(size):
    """Σ 100 (θ₁ − θ₀²)² + (1 − θ₀)², over pairs."""
    return Squares(size, rosenbrock_residuals, rosenbrock_jacobian)


def rosenbrock(theta):
    return rosenbrock_of(theta.size)(theta)


def run(name, objective, theta, steps, **options):
    """All that was reported, and how it ended."""
    reports = []

    def report(theta, J, gradient):
        reports.append((theta.copy(), J, gradient.copy()))
        if len(reports) > steps:
            raise Stop("steps")

    try:
        reason = optimizers.get(name).minimize(objective, theta, report, **options)
    except Stop as stop:
        reason = str(stop)
    except Diverged as diverged:
        reason = f"diverged: {diverged}"
    return reports, reason


@pytest.mark.parametrize("name", ALL)
class TestContract:
    def test_documents_how_tau_stays_positive(self, name):
        module = optimizers.get(name)
        assert module.POSITIVE in ("log", "bounds", "reject")
        assert "POSITIVE" in module.__doc__
        keywords = module.minimize.__kwdefaults__ or {}
        assert ("lower" in keywords) == (module.POSITIVE == "bounds")

    def test_declares_its_options_with_help(self, name):
        for option in optimizers.options(optimizers.get(name)).values():
            assert isinstance(option.default, option.type)
            assert option.help.endswith(".")

    def test_state_grows_with_the_net(self, name):
        assert 0 < optimizers.state_bytes(name, 100) < optimizers.state_bytes(name, 200)

    def test_minimises_a_convex_quadratic(self, name):
        objective, theta = quadratic()
        reports, _ = run(name, objective, theta, BUDGET.get(name, 200), **OPTIONS.get(name, {}))
        best = min(reports, key=lambda r: r[1])
        np.testing.assert_allclose(best[0], 1.0, atol=1e-4)

    def test_decreases_rosenbrock(self, name):
        theta = np.array([-1.2, 1.0, -1.2, 1.0, 0.5, 2.0])
        reports, _ = run(
            name, rosenbrock_of(6), theta, BUDGET.get(name, 300), **OPTIONS.get(name, {})
        )
        assert min(J for _, J, _ in reports) < (1e-1 if name in BUDGET else 1e-12)

    def test_reports_what_the_objective_says(self, name):
        reports, _ = run(name, rosenbrock_of(2), np.array([-1.2, 1.0]), 10)
        assert np.array_equal(reports[0][0], [-1.2, 1.0])
        for theta, J, gradient in reports:
            assert rosenbrock(theta)[0] == J
            assert np.array_equal(gradient, rosenbrock(theta)[1])

    def test_does_not_change_its_start(self, name):
        objective, theta = quadratic()
        run(name, objective, theta, 5)
        assert not theta.any()

    def test_stops_at_once_when_asked(self, name):
        for steps in (0, 1, 7):
            reports, reason = run(name, rosenbrock_of(2), np.array([-1.2, 1.0]), steps)
            assert len(reports) == steps + 1
            assert reason == "steps"

    def test_stops_when_the_objective_does(self, name):
        objective, theta = quadratic()
        objective.budget = 5
        _, reason = run(name, objective, theta, 1000)
        assert reason == "evaluations"

    def test_is_deterministic(self, name):
        theta = np.array([-1.2, 1.0])
        first, _ = run(name, rosenbrock_of(2), theta, 30)
        again, _ = run(name, rosenbrock_of(2), theta, 30)
        assert all(np.array_equal(a[0], b[0]) for a, b in zip(first, again, strict=True))

    @pytest.mark.parametrize("bad", [np.inf, np.nan])
    def test_survives_a_wall(self, name, bad):
        """Beyond θ₀ = 0.9 there is no value; the minimum, at 1, lies behind the wall."""
        walled, theta = quadratic(4, allowed=lambda theta: theta[0] < 0.9, bad=bad)
        reports, reason = run(name, walled, theta, 300, **OPTIONS.get(name, {}))
        assert all(np.isfinite(J) and np.all(np.isfinite(t)) for t, J, _ in reports)
        assert all(t[0] < 0.9 for t, _, _ in reports)
        assert reports[-1][1] < 0.1 * reports[0][1]
        if not optimizers.get(name).LINE_SEARCH:  # it runs into the wall and says so
            assert reason.startswith("diverged")

    def test_a_start_without_a_value_has_diverged(self, name):
        objective, _ = quadratic(3, allowed=lambda theta: False, bad=np.nan)
        reports, reason = run(name, objective, np.zeros(3), 10)
        assert not reports
        assert reason.startswith("diverged")

    def test_at_the_minimum_nothing_breaks(self, name):
        objective, _ = quadratic(5)
        reports, _ = run(name, objective, np.ones(5), 3)
        assert all(J == 0 for _, J, _ in reports)

    def test_respects_lower_bounds_where_it_takes_them(self, name):
        if optimizers.get(name).POSITIVE != "bounds":
            return
        objective, theta = quadratic(4, condition=4)
        lower = np.array([2.0, -np.inf, -np.inf, -np.inf])
        theta[0] = 3.0
        reports, _ = run(name, objective, theta, 500, lower=lower)
        assert all(t[0] >= 2.0 for t, _, _ in reports)
        np.testing.assert_allclose(reports[-1][0], [2, 1, 1, 1], atol=1e-3)


@pytest.mark.parametrize("name", NEVER_UPHILL)
def test_J_never_increases(name):
    reports, _ = run(name, rosenbrock_of(4), np.array([-1.2, 1.0, 3.0, -2.0]), 200)
    assert np.all(np.diff([J for _, J, _ in reports]) <= 0)


def test_fewer_residuals_than_parameters_are_solved_in_their_space():
    """The same steps as in the space of the parameters, from a fat Jacobian."""
    random = np.random.default_rng(0)
    A, b = random.normal(size=(3, 7)), random.normal(size=3)
    fat = Squares(7, lambda t: A @ np.tanh(t) - b, lambda t: A * (1 - np.tanh(t) ** 2))
    square = Squares(
        7,
        lambda t: np.r_[fat.r(t), np.zeros(4)],
        lambda t: np.vstack([fat.dr(t), np.zeros((4, 7))]),
    )
    some, _ = run("lm", fat, np.zeros(7), 6)
    same, _ = run("lm", square, np.zeros(7), 6)
    for one, other in zip(some, same, strict=True):
        np.testing.assert_allclose(one[0], other[0], rtol=1e-6, atol=1e-8)
    assert some[-1][1] < 1e-12 * some[0][1]


def test_levenberg_marquardt_takes_the_damped_step():
    """(JᵀJ + λI) d = −Jᵀr with λ = damping · max diag, by a dense solve."""
    objective, theta = rosenbrock_of(2), np.array([-1.2, 1.0])
    reports, _ = run("lm", objective, theta, 1, damping=100.0)
    _, square, right = objective.normal_equations(theta)
    expected = np.linalg.solve(square + 100.0 * square.diagonal().max() * np.eye(2), -right)
    np.testing.assert_allclose(reports[1][0] - theta, expected, rtol=1e-10)


@given(size=st.integers(2, 9), seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_broydens_class_is_the_textbook_formula(size, seed):
    """H⁺ = ρ (H − Hy yᵀH/yᵀHy + φ v vᵀ) + s sᵀ/sᵀy, for φ below and above 1, several steps."""
    random = np.random.default_rng(seed)
    lazy, H = InverseHessian(size), np.eye(size)
    start = random.normal(size=(size, size))
    H = start @ start.T + np.eye(size)
    lazy.triangle = H[np.tril_indices(len(H))]
    g = random.standard_normal(size)
    direction = -H @ g
    for _ in range(4):
        s, rho, phi = random.standard_normal(size), random.uniform(1, 2), random.uniform(-0.1, 1.2)
        y = s * random.uniform(0.1, 2, size)
        Hy, sy = H @ y, s @ y
        yHy = y @ Hy
        if phi * rho <= (phi - 1) * sy / yHy:
            phi = 1.0  # not indefinite: BFGS stands in
        v = np.sqrt(yHy) * (s / sy - Hy / yHy)
        H = rho * (H - np.outer(Hy, Hy) / yHy + phi * np.outer(v, v)) + np.outer(s, s) / sy
        g = g + y
        chosen = (rho, phi)
        direction = lazy.update(s, y, 1.0, direction, g, lambda h, c=chosen: c)
        np.testing.assert_allclose(direction, -H @ g, rtol=1e-7, atol=1e-8 * np.abs(H @ g).max())


def test_self_scaled_broyden_stays_in_its_class():
    """For b = h = 1, where the model was right, it is BFGS or nearly so; ρ ≥ 1 where b > 1."""
    from nets.optimizers.ssbroyden import member

    rho, phi = member(1.0, 1.0 + 1e-9, 50)
    assert rho == pytest.approx(1.0, abs=1e-3)
    assert phi == pytest.approx(1.0, abs=1e-3)
    for b, h in ((3.0, 2.0), (10.0, 0.5), (0.2, 9.0)):
        rho, phi = member(b, h, 50)
        assert rho > 0
        assert phi >= 0
        assert b <= 1 or rho >= b * 0.999


def test_an_unknown_optimiser_or_option_is_named():
    with pytest.raises(UserError, match="did you mean 'ssbfgs'"):
        optimizers.get("sbfgs")
    with pytest.raises(UserError, match="no option 'rates'; did you mean 'rate'"):
        optimizers.check_options(optimizers.get("adam"), {"rates": 1})


def test_steepest_descent_satisfies_armijo():
    """J(θ − αg) ≤ J − c₁ α ‖g‖², with α read off the step itself."""
    reports, _ = run("steepest", rosenbrock_of(2), np.array([-1.2, 1.0]), 50)
    for (before, J, g), (after, J_after, _) in pairwise(reports):
        alpha = np.linalg.norm(before - after) / np.linalg.norm(g)
        assert J_after <= J - 1e-4 * alpha * (g @ g) * (1 - 1e-9)


@given(seed=st.integers(0, 10**6), slope=st.floats(-5, -0.1))
@settings(max_examples=30, deadline=None)
def test_the_line_search_satisfies_weak_wolfe(seed, slope):
    """On a quartic with random coefficients, along a descent direction."""
    a, b = np.random.default_rng(seed).uniform(0.1, 3, 2)

    def objective(t):
        return float(a * t[0] ** 4 + b * t[0] ** 2 + slope * t[0]), 4 * a * t**3 + 2 * b * t + slope

    start = _line_search.evaluate(objective, np.zeros(1))
    point = _line_search.weak_wolfe(objective, start, np.ones(1))
    assert start.J + 1e-4 * point.alpha * slope >= point.J
    assert point.gradient[0] >= 0.9 * slope


@given(size=st.integers(1, 9), seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_the_dense_update_is_the_textbook_formula(size, seed):
    """H ← (I − s yᵀ/sᵀy) ρH (I − y sᵀ/sᵀy) + s sᵀ/sᵀy, several steps, also with skipped pairs."""
    random = np.random.default_rng(seed)
    lazy, H, identity = InverseHessian(size), np.eye(size), np.eye(size)
    g = random.standard_normal(size)
    direction, scaled = -g, False
    for _ in range(6):
        s, rho = random.standard_normal(size), random.uniform(1, 3)
        y = s * random.uniform(0.1, 2, size) * random.choice([1, 1, 1, -1])
        if s @ y > 0:
            if not scaled:
                H, scaled = H * (s @ y) / (y @ y), True
            V = identity - np.outer(y, s) / (s @ y)
            H = V.T @ (rho * H) @ V + np.outer(s, s) / (s @ y)
        g = g + y
        direction = lazy.update(s, y, rho, direction, g)
        np.testing.assert_allclose(direction, -H @ g, rtol=1e-8, atol=1e-9 * np.abs(H @ g).max())


def test_with_all_pairs_kept_limited_memory_is_the_dense_method():
    theta = np.array([-1.2, 1.0, 0.3, 2.0])
    dense, _ = run("ssbfgs", rosenbrock_of(4), theta, 25)
    limited, _ = run("lssbfgs", rosenbrock_of(4), theta, 25, memory=100)
    for a, b in zip(dense, limited, strict=True):
        np.testing.assert_allclose(a[0], b[0], rtol=1e-6)


@given(memory=st.integers(1, 5), seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_with_few_pairs_kept_it_is_the_dense_method_on_those_pairs(memory, seed):
    random, size = np.random.default_rng(seed), 6
    pairs, kept = Pairs(memory, size), []
    for _ in range(8):
        s, ratio = random.standard_normal(size), random.uniform(0.5, 3)
        y = s * random.uniform(0.1, 2, size)
        pairs.add(s, y, sBs=ratio * float(s @ y))
        kept = [*kept, (s, y, max(1.0, ratio))][-memory:]
    s, y, _ = kept[0]
    H = np.eye(size) * (s @ y) / (y @ y)
    for k, (s, y, rho) in enumerate(kept):
        V = np.eye(size) - np.outer(y, s) / (s @ y)
        H = V.T @ ((rho if k else 1.0) * H) @ V + np.outer(s, s) / (s @ y)
    g = random.standard_normal(size)
    np.testing.assert_allclose(pairs.product(g), H @ g, rtol=1e-7, atol=1e-9 * abs(H @ g).max())


def test_adam_is_torchs_adam_with_a_cosine_schedule():
    import torch

    objective, theta = quadratic(3)
    reports, _ = run("adam", objective, theta, 20, rate=0.1, schedule="cosine", horizon=20)
    parameter = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    adam = torch.optim.Adam([parameter], lr=0.1)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(adam, T_max=20)
    D = torch.from_numpy(np.geomspace(1, 100, 3))
    for reported, _, _ in reports:
        np.testing.assert_allclose(reported, parameter.detach().numpy(), rtol=1e-12, atol=1e-15)
        adam.zero_grad()
        (0.5 * (D * (parameter - 1) ** 2).sum()).backward()
        adam.step()
        cosine.step()


def test_adam_draws_every_row_once_an_epoch():
    class Rows:
        rows = 10

        def __init__(self):
            self.seen = []

        def on_rows(self, theta, rows):
            self.seen.append(rows)
            return 0.0, np.zeros_like(theta)

        def __call__(self, theta):
            raise AssertionError("mini batches never need the whole objective")

    def report(theta, J, gradient):
        assert J is None
        if len(rows.seen) == 4:
            raise Stop

    rows = Rows()
    with pytest.raises(Stop):
        optimizers.get("adam").minimize(rows, np.zeros(2), report, batch=5, seed=3)
    for epoch in (rows.seen[:2], rows.seen[2:]):
        assert sorted(np.concatenate(epoch)) == list(range(10))
    assert not np.array_equal(rows.seen[0], rows.seen[2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"schedule": "cosin"}, "no schedule"),
        ({"schedule": "cosine"}, "horizon"),
        ({"batch": 5}, "no rows"),
    ],
)
def test_adam_refuses_what_it_cannot_do(options, message):
    with pytest.raises(UserError, match=message):
        optimizers.get("adam").minimize(rosenbrock, np.zeros(2), lambda *_: None, **options)
