"""Every baseline fits what it can represent, and reaches the errors known on `maxwell`."""

import numpy as np
import pytest

from base.errors import UserError
from bench import problems
from bench.measure.norms import field_errors, relative_test_error
from bench.methods import baselines, linear_models
from bench.methods.baselines import _products, gaussian_process, kernel_ridge
from bench.methods.baselines._least_squares import Linear, coefficients, fit_features, triangle
from bench.methods.baselines._polynomials import monomials
from bench.methods.baselines._search import Split, Trained

POINTS = problems.maxwell.sample_cylinder(3000, 0)
FEW = POINTS[:, :1000]
TEST = problems.maxwell.sample_cylinder(2000, 0, test=True)


@pytest.mark.parametrize("name", baselines.names())
@pytest.mark.parametrize("features", [("x",), ("x", "f", "phi")])
def test_contract(name, features):
    """Same data and seed, same field; any shape of points; a linear field is learnt."""
    if not baselines.takes(name, features):
        with pytest.raises(UserError, match="accepts only x"):
            linear_models.fit_baseline(name, problems.maxwell, FEW, features=features)
        return
    points = FEW[:, :200] if name == "gaussian_process" else FEW  # a fit to 1000 takes 10 s
    first = linear_models.fit_baseline(name, problems.maxwell, points, features=features, seed=3)
    again = linear_models.fit_baseline(name, problems.maxwell, points, features=features, seed=3)
    x = np.random.default_rng(0).uniform(0.1, 0.6, (3, 4, 5))
    assert first(x).shape == x.shape
    assert np.array_equal(first(x), again(x))
    assert first.fitted.unknowns > 0

    inputs = problems.maxwell.inputs(points, features)
    mix = np.random.default_rng(1).normal(size=(inputs.shape[1], 3))
    fitted = baselines.fitted(name, inputs, inputs @ mix, 0)
    held_out = problems.maxwell.inputs(TEST, features)
    assert relative_test_error(fitted.predict(held_out), held_out @ mix) < 1e-2
    assert fitted.seconds_tuning >= 0
    assert bool(fitted.chosen) == (fitted.seconds_tuning > 0)


def errors(name, **options):
    return field_errors(
        linear_models.fit_baseline(name, problems.maxwell, POINTS, **options), problems.maxwell
    )


def test_linear_and_quadratic_reach_the_known_errors():
    """Measured before on 12 000 samples: 1.05e-3 and 3.4e-7 on the cube."""
    assert errors("linear")["l2_error"] == pytest.approx(1.05e-3, rel=0.05)
    assert errors("quadratic")["l2_error"] == pytest.approx(3.4e-7, rel=0.2)


def test_curl_and_divergence():
    """A fit to 1e-9 has the field's curl and no divergence; a field that jumps has neither."""
    cubic = linear_models.fit_baseline("cubic", problems.maxwell, POINTS)
    found = field_errors(cubic, problems.maxwell, jacobian=cubic.jacobian)
    assert 0 < found["curl_error"] < 1e-7
    assert 0 < found["div_norm"] < 1e-7
    assert linear_models.fit_baseline("rbf", problems.maxwell, POINTS).jacobian is None


def test_without_f_the_task_is_harder():
    assert errors("quadratic", features=("x",))["l2_error"] > 1e3 * errors("quadratic")["l2_error"]


def test_monomials_by_hand():
    assert monomials(np.array([[2.0], [3.0]]), 2).T.tolist() == [[2, 3, 4, 6, 9]]
    assert monomials(np.ones((7, 1)), 2).shape == (35, 1)


@pytest.mark.parametrize(("inputs", "degree"), [(1, 5), (3, 4), (7, 2)])
def test_products_are_products_of_legendre_polynomials(inputs, degree):
    """Against NumPy's own Legendre series, exponent by exponent, in the order of total degree."""
    rows = np.random.default_rng(0).uniform(-1, 1, (inputs, 6))
    steps = _products.products(inputs, degree, whole=True)
    found = _products.evaluate(steps, _products.legendre(rows, degree))
    assert len(found) == _products.count(inputs, degree)
    exponents = [tuple(0 for _ in range(inputs))]
    for step in steps:
        new = list(exponents[step.parent])
        assert new[step.variable] == 0
        new[step.variable] = step.degree
        exponents.append(tuple(new))
    assert len(set(exponents)) == len(exponents)
    totals = [sum(e) for e in exponents]
    assert totals == sorted(totals)
    assert max(totals) == degree
    for values, powers in zip(found, exponents, strict=True):
        expected = np.ones(6)
        for row, n in zip(rows, powers, strict=True):
            series = np.polynomial.legendre.Legendre.basis(n)
            expected *= np.sqrt(2 * n + 1) * series(row)
        assert values == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_triangle_solves_least_squares():
    """Against NumPy's, whole and for the first features; with a dependent column too."""
    generator = np.random.default_rng(1)
    features, targets = generator.normal(size=(8, 60)), generator.normal(size=(60, 3))
    R = triangle(features, targets)
    for k in (8, 5):
        oracle = np.linalg.lstsq(features[:k].T, targets)[0]
        assert coefficients(R, 3, k) == pytest.approx(oracle, rel=1e-10)
    more, answers = generator.normal(size=(8, 20)), generator.normal(size=(20, 3))
    both = np.concatenate([features, more], axis=1), np.concatenate([targets, answers])
    oracle = np.linalg.lstsq(both[0].T, both[1])[0]
    assert coefficients(triangle(more, answers, above=R), 3) == pytest.approx(oracle, rel=1e-10)
    dependent = np.vstack([features, features[0] - 2 * features[3]])
    fitted = coefficients(triangle(dependent, targets), 3)
    residual = dependent.T @ fitted - targets
    best = features.T @ np.linalg.lstsq(features.T, targets)[0] - targets
    assert np.linalg.norm(residual) == pytest.approx(np.linalg.norm(best), rel=1e-10)
    assert np.abs(fitted).max() < 1e3


def test_predictions_in_blocks_are_those_of_one_product():
    inputs = np.random.default_rng(2).normal(size=(20_000, 2))
    predict, _ = fit_features(lambda rows: monomials(rows, 3), inputs, inputs[:, :1] ** 2)
    assert isinstance(predict, Linear)
    assert predict(inputs) == pytest.approx(monomials(inputs.T, 3).T @ predict.c, abs=1e-12)


def test_refitted_is_the_fit_to_all_samples():
    """The chosen features see the held-out samples too, with nothing computed twice."""
    inputs = np.random.default_rng(3).uniform(-1, 1, (300, 2))
    targets = np.sin(3 * inputs)
    split = Split.of(inputs, targets)
    assert len(split.held_targets) == 60
    tried = Trained.of(lambda rows: monomials(rows, 6), split)
    k = len(monomials(split.rows, 4))
    refitted = tried.refitted(split, k, lambda rows: monomials(rows, 4))
    direct, _ = fit_features(lambda rows: monomials(rows, 4), inputs, targets)
    assert refitted.c == pytest.approx(direct.c, rel=1e-8)


@pytest.mark.parametrize("degree", [2, 4])
def test_the_degree_is_found(degree):
    """Samples of a polynomial with noise of 1e-3: a higher degree would follow the noise."""
    generator = np.random.default_rng(4)
    inputs = generator.uniform(-1, 1, (400, 3))
    exact = np.column_stack([inputs[:, 0] ** degree, inputs.sum(axis=1) ** degree, inputs[:, 2]])
    noisy = exact + 1e-3 * generator.normal(size=exact.shape)
    fitted = baselines.get("legendre").fit(inputs, noisy, 0)
    assert fitted.chosen["degree"] == degree
    assert fitted.unknowns == 3 * _products.count(3, degree)


@pytest.mark.parametrize(
    ("name", "bound"),
    [("legendre", 5e-7), ("fourier_features", 1e-6), ("tanh_features", 1e-4),
     ("kernel_ridge", 1e-5)],
)  # fmt: skip
def test_strong_where_the_field_is_smooth(name, bound):
    """`helix`, 1000 samples of positions alone. Measured: 9.6e-8, 5e-8, 9e-7, 5e-7."""
    points = problems.helix.sample_cylinder(1000, 0)
    test = problems.helix.sample_cylinder(1000, 0, test=True)
    field = linear_models.fit_baseline(name, problems.helix, points, features=("x",))
    assert relative_test_error(field(test).T, problems.helix.targets(test)) < bound


def test_a_ridge_on_few_centres_is_the_regularised_problem(monkeypatch):
    """Against its normal equations, with more samples than centres."""
    monkeypatch.setattr(kernel_ridge, "CENTRES", 30)
    generator = np.random.default_rng(5)
    x, y = generator.uniform(-1, 1, (90, 2)), generator.normal(size=(90, 3))
    kernel = kernel_ridge.Kernel("matern", 1.0, np.zeros(2), np.ones(2))
    ridge = kernel_ridge.Ridge.of(kernel, 1e-2, x, y)
    K, G = kernel(x, x[:30]), kernel(x[:30], x[:30])
    oracle = np.linalg.solve(K.T @ K + 1e-2 * G, K.T @ y)
    assert ridge(x) == pytest.approx(K @ oracle, abs=1e-6)
    monkeypatch.setattr(kernel_ridge, "CENTRES", 90)
    whole = kernel_ridge.Ridge.of(kernel, 1e-2, x, y)
    assert whole.c == pytest.approx(np.linalg.solve(kernel(x, x) + 1e-2 * np.eye(90), y))


def test_a_larger_nugget_is_taken_where_rounding_needs_it(monkeypatch):
    monkeypatch.setattr(gaussian_process, "NUGGET_RANGE", (1e-20, 1e-19))
    x = np.repeat(np.linspace(0, 1, 40), 2)[:, None]
    found = gaussian_process.fit(x, np.sin(x), 0)
    assert found.chosen["nugget"] > 1e-19
    assert found.predict(x) == pytest.approx(np.sin(x), abs=1e-3)


def density(kernel, lengths, nugget, x, y):
    """Minus the logarithm of the normal density, by NumPy, with the best amplitude per output."""
    total = 0.0
    correlation = kernel_ridge.Kernel(kernel, 1.0, np.zeros(x.shape[1]), lengths)
    A = correlation(x, x) + nugget * np.eye(len(x))
    for column in y.T:
        variance = column @ np.linalg.solve(A, column) / len(x)
        covariance = variance * A
        total += 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1]
        total += 0.5 * column @ np.linalg.solve(covariance, column)
    return total


@pytest.mark.parametrize("kernel", ["gauss", "matern"])
def test_the_likelihood_is_that_of_the_normal_density(kernel):
    """Up to a constant; its gradient against differences."""
    generator = np.random.default_rng(6)
    x = generator.normal(size=(40, 3))
    y = np.sin(x @ generator.normal(size=(3, 2)))
    one, two = (np.log([0.8, 2.0, 5.0, 1e-2]), np.log([1.5, 1.0, 3.0, 1e-1]))

    def misfit(logs):
        return gaussian_process.misfit(logs, kernel, x, y)[0]

    expected = [density(kernel, np.exp(logs[:-1]), np.exp(logs[-1]), x, y) for logs in (one, two)]
    assert misfit(one) - misfit(two) == pytest.approx(expected[0] - expected[1], rel=1e-8)
    steps = 1e-5 * np.eye(4)
    slopes = [(misfit(one + step) - misfit(one - step)) / 2e-5 for step in steps]
    gradient = gaussian_process.misfit(one, kernel, x, y)[1]
    assert gradient == pytest.approx(slopes, rel=1e-5, abs=1e-5)


def test_a_process_predicts_by_the_dense_formula():
    generator = np.random.default_rng(7)
    x = np.column_stack([generator.uniform(-1, 1, (60, 2)), np.full(60, 0.3)])
    y = np.column_stack([np.sin(2 * x[:, 0]) + 5.0, np.zeros(60)])
    found = gaussian_process.fit(x, y, 0)
    new = generator.uniform(-1, 1, (9, 3))  # the constant input has other values here
    scale = np.array(found.chosen["lengths"]) * np.where(
        x.std(axis=0) > 1e-9, x.std(axis=0), np.inf
    )
    kernel = kernel_ridge.Kernel(found.chosen["kernel"], 1.0, np.zeros(3), scale)
    A = kernel(x, x) + found.chosen["nugget"] * np.eye(60)
    expected = kernel(new, x) @ np.linalg.solve(A, y - y.mean(axis=0)) + y.mean(axis=0)
    assert found.predict(new) == pytest.approx(expected, abs=1e-5)
    assert found.chosen["lengths"][1] > 50, "the field does not depend on the second input"
    assert np.array_equal(found.predict(new)[:, 1], np.zeros(9))


def test_a_length_per_input_pays_where_the_field_is_anisotropic():
    """Measured: 1.4e-6 and 0.53."""
    generator = np.random.default_rng(8)
    x, new = generator.uniform(-1, 1, (2, 300, 4))

    def field(x):
        return np.sin(6 * x[:, :1]) + 0.1 * x[:, 1:2]

    errors = {
        name: relative_test_error(baselines.fitted(name, x, field(x), 0).predict(new), field(new))
        for name in ("gaussian_process", "kernel_ridge")
    }
    assert errors["gaussian_process"] < 1e-3 * errors["kernel_ridge"]


def test_unknown_baseline_is_refused():
    with pytest.raises(UserError, match="quadratic"):
        baselines.get("quadratc")
