"""`femnets check` accuses what is wrong, by name, and nothing else."""

import dataclasses
import json

import numpy as np
import pytest
from journey import DIPOLE, MINE

import femnets
from base.errors import UserError
from bench import problems
from bench.domains import get as domain
from bench.measure.formulas import verdicts
from bench.measure.net_fields import difference_jacobian
from bench.methods.training import Data
from bench.problems import Problem
from femnets.cli import invoke


def wrong(problem):
    return {verdict.name: verdict for verdict in verdicts(problem) if not verdict.agrees}


@pytest.mark.parametrize("name", problems.names())
def test_the_problems_of_the_package_agree_with_themselves(name):
    """The singular ones too, up to a thousandth from their edge."""
    assert not wrong(problems.get(name))


def helix(**changes):
    return dataclasses.replace(problems.get("helix"), **changes)


right = problems.get("helix")
ACCUSED = {
    "curl u": {
        "curl_u": lambda x: right.curl_u(x) * np.array([1, 1, -1]).reshape(3, *[1] * (x.ndim - 1))
    },
    "div u": {"rho": lambda x: 0.01 + right.rho(x)},
    "equation": {"f": lambda x: 1.00001 * right.f(x)},
    "grad phi": {"grad_phi": lambda x: 0.5 * right.grad_phi(x) + 1},
    "phi": {"phi": lambda x: -right.phi(x)},
    "trace": {"g": lambda x, n: -np.cross(right.u(x), n, axis=0)},
}


@pytest.mark.parametrize("formula", sorted(ACCUSED))
def test_a_wrong_formula_is_accused_by_name(formula):
    found = wrong(helix(**ACCUSED[formula]))
    assert formula in found
    if formula in ("div u", "equation", "trace"):
        assert list(found) == [formula]  # no other formula


def test_a_right_trace_agrees():
    assert not wrong(helix(g=lambda x, n: np.cross(right.u(x), n, axis=0)))


def test_it_says_where_and_by_how_much():
    flipped = helix(curl_u=lambda x: -right.curl_u(x))
    verdict = wrong(flipped)["curl u"]
    x = np.array(verdict.where)[:, None]
    np.testing.assert_allclose(verdict.said, -right.curl_u(x)[:, 0])
    np.testing.assert_allclose(verdict.found, right.curl_u(x)[:, 0], rtol=1e-6)
    assert "its sign is wrong" in verdict.line()


def test_bad_shapes_and_values_are_reported_before_formulas():
    found = wrong(helix(u=lambda x: np.zeros(3)))
    assert "gives shape (3,)" in found["u"].line()
    found = wrong(helix(f=lambda x: np.full(x.shape, np.nan)))
    assert "is not finite at" in found["f"].line()
    found = wrong(helix(phi=lambda x: 1 / 0))
    assert "ZeroDivisionError" in found["phi"].line()


def test_differences_are_of_fourth_order():
    x = np.random.default_rng(0).uniform(0, 1, (3, 50))

    def error(step):
        exact = np.exp(x[0]) * np.cos(2 * x[1])
        found = difference_jacobian(
            lambda p: np.exp(p[0]) * np.cos(2 * p[1]), x, np.full(50, step)
        )[0]
        return np.abs(found - exact).max()

    rate = np.log2(error(0.4) / error(0.2))
    assert 3.8 < rate < 4.2


INSIDE = DIPOLE.replace("[-1.3, 0.5, 0.5]", "[-0.4, -0.3, 0.5]")  # in the cylinder only


def test_a_singularity_outside_the_cube_but_in_the_cylinder_is_named(mine, capsys):
    mine.write_text(DIPOLE, encoding="utf-8")
    assert invoke(["check", "./mine.py"]) == 0
    mine.write_text(INSIDE, encoding="utf-8")
    assert invoke(["check", "./mine.py"]) == 2
    out = capsys.readouterr().out
    assert "WRONG u: grows without bound near (-0.4, -0.3, 0.5), which lies in the train" in out
    assert invoke(["train", "--problem", "./mine.py", "--steps", "1"]) == 2
    assert "grows without bound" in capsys.readouterr().err


def test_a_problem_may_be_trained_in_the_cube_only(mine, capsys):
    mine.write_text(INSIDE.replace("title=", "training='cube', title="), encoding="utf-8")
    assert invoke(["check", "./mine.py"]) == 0
    problem = femnets.problem("./mine.py")
    x = problem.sample_cylinder(500, seed=0)
    assert problem.domain.contains(x).all()
    assert problem.in_cylinder(np.array([[0.9], [0.9], [0.5]])).all()
    (rule,) = problem.domain.rules().values()
    assert sum(part.weights.sum() for part in rule.chunks()) == pytest.approx(1.0)
    with pytest.raises(UserError, match="the cube has no training part 'ball'"):
        dataclasses.replace(right, training="ball")


def test_a_coefficient_that_is_negative_in_the_training_part_is_named(mine, capsys):
    mine.write_text(DIPOLE.replace("1 + x[0] / 2", "0.4 + x[0] / 2"), encoding="utf-8")
    assert invoke(["check", "./mine.py"]) == 2
    line = next(line for line in capsys.readouterr().out.splitlines() if "WRONG" in line)
    assert "phi: must be positive, is -0.1" in line
    assert "outside the cube" in line


def test_samples_without_a_value_are_named():
    def hole(x):
        return np.where(x[0] < -0.5, np.nan, right.u(x))

    with pytest.raises(UserError, match=r"u is not finite at \(-0\.\d+"):
        Data.of(helix(u=hole), ("x",), 100, seed=0)


def test_without_a_closed_form_the_data_are_checked():
    def f(x):
        return np.stack([x[0], 0 * x[0], 0 * x[0]])  # not a curl: its divergence is 1

    problem = Problem(name="open", title="", f=f, g=lambda x, n: 0 * x, domain=domain("cube"))
    assert list(wrong(problem)) == ["div f"]


def test_the_command(mine, capsys):
    assert invoke(["check", "./mine.py", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["agrees"]
    assert all(entry["agrees"] for entry in document["verdicts"])
    mine.write_text(MINE.replace("phi(x) * u(x)", "2 * u(x)"), encoding="utf-8")
    assert invoke(["check", "./mine.py"]) == 2
    out = capsys.readouterr().out
    assert "WRONG equation: f and curl(phi curl_u) differ" in out
    assert "ok   curl u" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = (", "mine.py, line 1: SyntaxError"),
        ("raise SystemExit(7)", "mine.py, line 1: SystemExit: 7"),
        ("import numpy\n1 / 0", "mine.py, line 2: ZeroDivisionError: division by zero"),
        ("import not_there", "a plugin is one file: install the missing module"),
        ("x = 1", "contains no plugin"),
        ("from femnets import Problem\nPROBLEM = Problem(name='m', title='')", "line 2: TypeError"),
    ],
)
def test_what_is_no_plug_is_one_line(mine, capsys, text, said):
    mine.write_text(text, encoding="utf-8")
    assert invoke(["check", "./mine.py"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert said in err


NET = """
import warnings
import torch

warnings.warn("old")

class Net(torch.nn.Module):
    def __init__(self, inputs, outputs, width):
        super().__init__()
        warnings.warn("made")
        self.a, self.b = torch.nn.Linear(inputs, width), torch.nn.Linear(width, outputs)

    def forward(self, rows):
        return self.b(torch.tanh(self.a(rows)))
"""


def checked(mine, capsys, text):
    mine.write_text(text, encoding="utf-8")
    code = invoke(["check", "./mine.py"])
    return code, capsys.readouterr().out


def test_warnings_of_a_file_are_notes(mine, capsys):
    """pytest turns them into errors here, as -W error does for users."""
    code, out = checked(mine, capsys, NET)
    assert code == 0
    assert "ok   Net\nnote mine.py, line 5: old\nnote mine.py, line 10: made\n" in out


def test_randomness_in_a_net_is_found(mine, capsys):
    dropout = NET.replace("torch.tanh(self.a(rows))", "torch.nn.Dropout(0.2)(self.a(rows))")
    code, out = checked(mine, capsys, dropout)
    assert code == 2
    assert "WRONG Net: as a net: random, J is" in out


@pytest.mark.parametrize("place", ["warnings.warn('made')", "return self.b"])
def test_what_a_net_raises_is_one_line(mine, capsys, place):
    text = NET.replace('"made"', "'made'").replace(place, "if len(self.__dict__): 1 / 0\n        1")
    code, out = checked(mine, capsys, text)
    assert code == 2
    assert "division by zero" in out
