"""Every baseline fits what it can represent, and reaches the errors known on `maxwell`."""

import numpy as np
import pytest

from bench import baselines, problems
from bench.baselines._polynomials import monomials
from bench.errors import UserError
from bench.measure.ruler import field_errors, relative_test_error

POINTS = problems.maxwell.sample_cylinder(3000, 0)
TEST = problems.maxwell.sample_cylinder(2000, 0, test=True)


@pytest.mark.parametrize("name", baselines.names())
@pytest.mark.parametrize("features", [("x",), ("x", "f", "phi")])
def test_contract(name, features):
    """Same data and seed, same field; any shape of points; a linear field is learnt."""
    first = baselines.fit_baseline(name, problems.maxwell, POINTS, features=features, seed=3)
    again = baselines.fit_baseline(name, problems.maxwell, POINTS, features=features, seed=3)
    x = np.random.default_rng(0).uniform(0.1, 0.6, (3, 4, 5))
    assert first(x).shape == x.shape
    assert np.array_equal(first(x), again(x))
    assert first.unknowns > 0

    inputs = problems.maxwell.inputs(POINTS, features)
    mix = np.random.default_rng(1).normal(size=(inputs.shape[1], 3))
    predict, _ = baselines.load(name).fit(inputs, inputs @ mix, 0)
    held_out = problems.maxwell.inputs(TEST, features)
    assert relative_test_error(predict(held_out), held_out @ mix) < 1e-2


def errors(name, **options):
    return field_errors(
        baselines.fit_baseline(name, problems.maxwell, POINTS, **options), problems.maxwell
    )


def test_linear_and_quadratic_reach_the_known_errors():
    """Measured before on 12 000 samples: 1.05e-3 and 3.4e-7 on the cube."""
    assert errors("linear")["l2_error"] == pytest.approx(1.05e-3, rel=0.05)
    assert errors("quadratic")["l2_error"] == pytest.approx(3.4e-7, rel=0.2)


def test_curl_and_divergence():
    """A fit to 1e-9 has the field's curl and no divergence; a field that jumps has neither."""
    cubic = baselines.fit_baseline("cubic", problems.maxwell, POINTS)
    found = field_errors(cubic, problems.maxwell, jacobian=cubic.jacobian)
    assert 0 < found["curl_error"] < 1e-7
    assert 0 < found["div_norm"] < 1e-7
    assert baselines.fit_baseline("rbf", problems.maxwell, POINTS).jacobian is None


def test_without_f_the_task_is_harder():
    assert errors("quadratic", features=("x",))["l2_error"] > 1e3 * errors("quadratic")["l2_error"]


def test_monomials_by_hand():
    assert monomials(np.array([[2.0, 3.0]]), 2).tolist() == [[2, 3, 4, 6, 9]]
    assert monomials(np.ones((1, 7)), 2).shape == (1, 35)


def test_unknown_baseline_is_refused():
    with pytest.raises(UserError, match="quadratic"):
        baselines.load("quadratc")
