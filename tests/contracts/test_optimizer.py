"""A made-up optimiser, one file, goes through everything that an optimiser goes through."""

import json
import subprocess
import sys

import numpy as np
import pytest

from bench.studies import optimizers as race
from nets import UserError, build, optimizers, train

HEAVYBALL = '''
    """Gradient steps with momentum (Polyak 1964)."""

    from __future__ import annotations

    from typing import Annotated

    import numpy as np

    POSITIVE = "bounds"
    LINE_SEARCH = False
    TUNED = {"rate": 0.02}


    def minimize(
        objective,
        theta,
        report,
        *,
        rate: Annotated[float, "Step length."] = 0.01,
        friction: Annotated[float, "Share of the speed that is lost per step."] = 0.1,
        lower=None,
    ):
        speed = np.zeros_like(theta)
        while True:
            J, gradient = objective(theta)
            report(theta, J, gradient)
            speed = (1 - friction) * speed - rate * gradient
            theta = theta + speed if lower is None else np.maximum(theta + speed, lower)


    def state_bytes(parameters, **options):
        return 8 * parameters
'''


@pytest.fixture
def heavyball(dropped_in):
    dropped_in("nets.optimizers", "heavyball", HEAVYBALL)
    return "heavyball"


def test_its_options_are_read_off_its_signature(heavyball):
    found = optimizers.options(optimizers.get(heavyball))
    assert found == {
        "rate": optimizers.Option(float, 0.01, "Step length."),
        "friction": optimizers.Option(float, 0.1, "Share of the speed that is lost per step."),
    }
    assert optimizers.state_bytes(heavyball, 10) == 80


@pytest.mark.parametrize("net", ["resnet", "fractional"])
def test_it_trains(heavyball, net):
    x = np.random.default_rng(0).uniform(-1, 1, (40, 7))
    model = build(net=net, hidden=2, width=5, tau0=1e-3)
    training = train(model, x, x[:, :3], optimizer=heavyball, steps=200, rate=0.1, friction=0.2)
    assert 0.8 * training.history["J"][0] > training.J
    assert training.steps == 200
    if net == "fractional":
        assert (model.tau > 0).all()
    with pytest.raises(UserError, match="no option 'frictio'; did you mean 'friction'"):
        train(model, x, x[:, :3], optimizer=heavyball, frictio=0.2)


def test_commands_know_it(heavyball, shell):
    size = ("--hidden", "2", "--width", "4", "--samples", "50", "--steps", "3")
    result = shell.inside("train", "--optimizer", heavyball, *size, "--rate", "1e-3", "--json")
    assert json.loads(result.stdout)["steps"] == 3
    result = shell.inside("train", "--optimizer", heavyball, *size, "--batch", "5")
    assert result.returncode == 2
    assert "no option 'batch'" in result.stderr


def test_it_joins_the_race_with_its_own_settings(heavyball, shell):
    assert {cell.config["rate"] for cell in race.cells(race.Config(optimizers=(heavyball,)))} == {
        0.02
    }
    result = shell.inside(
        "run", "learned_tau", "--run", "mine", "--jobs", "0", "--no-report", "--set",
        "optimizers=heavyball", "--set", "seeds=1000", "--set", "depths=3", "--set",
        "evaluations=4", "--set", "samples=20", "--set", "width=4",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("lacking", sorted(optimizers.DECLARATIONS))
def test_what_is_missing_is_named(dropped_in, lacking):
    source = HEAVYBALL.replace(f"{lacking} =", "_OTHER =").replace(f"def {lacking}(", "def _o(")
    dropped_in("nets.optimizers", "heavyball", source)
    with pytest.raises(UserError, match=f"heavyball.*{lacking}"):
        optimizers.get("heavyball")


def test_an_option_without_help_is_named(dropped_in):
    source = HEAVYBALL.replace('Annotated[float, "Step length."]', "float")
    dropped_in("nets.optimizers", "heavyball", source)
    with pytest.raises(UserError, match="option 'rate' of optimiser 'heavyball' has no help"):
        optimizers.options(optimizers.get("heavyball"))


def test_descriptions_import_no_engine():
    """Planning, `femnets list` and reports read them."""
    code = (
        "import sys; from nets import architectures, optimizers, tau\n"
        "for name in architectures.names(): architectures.get(name)\n"
        "for name in optimizers.names(): optimizers.options(optimizers.get(name))\n"
        "assert not {'torch', 'numba', 'scipy', 'skfem'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_nothing_is_left_behind():
    assert "heavyball" not in optimizers.names()
