"""A file dropped in takes part in every preset that says "every …", and makes no result stale."""

import sys

import pytest
from test_architecture import MOMENTUM
from test_element import WHOLE
from test_problem import SHEAR

from bench import studies
from bench.store.fingerprint import fingerprint_of

BASELINE = '''
    """The mean of the targets."""


    def fit(inputs, targets, seed):
        mean = targets.mean(axis=0, keepdims=True)
        return lambda x: mean.repeat(len(x), axis=0), 3
'''
DOMAIN = '''
    """The cube again, under another name."""

    from dataclasses import replace

    from bench.domains.cube import DOMAIN as CUBE

    DOMAIN = replace(CUBE, name="madeup")
'''
# The file, the setting of cells that names it, and the presets that it is in.
DROPPED = {
    "architecture": (
        ("nets.architectures", "madeup", MOMENTUM),
        "net",
        {"gradient_atlas/quick", "gradient_atlas/paper", "training/full"},
    ),
    "element": (
        ("fem.elements", "madeup", WHOLE),
        "element",
        {"elements/quick", "elements/paper", "elements/full"},
    ),
    "problem": (
        ("bench.problems", "madeup", SHEAR),
        "problem",
        {"convergence/full", "elements/quick", "baselines/quick", "strong_nets/paper",
         "solve/paper"},
    ),
    "baseline": (
        ("bench.methods.baselines", "madeup", BASELINE),
        "method",
        {"baselines/quick", "baselines/paper", "baselines/full"},
    ),
    "domain": (("bench.domains", "madeup", DOMAIN), "problem", set()),
}  # fmt: skip


def forget_presets() -> None:
    """Presets are read when a study is loaded: it is loaded again."""
    for study in studies.REGISTRY.files.values():
        sys.modules.pop(study, None)
    sys.modules.pop("bench.studies._meshes", None)
    studies.REGISTRY.forget()


@pytest.fixture
def added(dropped_in):
    """`added(file)`: the file dropped in, and presets read again."""

    def add(file):
        dropped_in(*file)
        forget_presets()

    yield add
    forget_presets()


def planned(study, preset):
    (plan,) = studies.plan([study], preset, {})
    return plan.cells


@pytest.mark.parametrize("kind", DROPPED)
def test_a_dropped_in_plugin_is_in_the_presets_that_say_every(added, kind):
    file, setting, presets = DROPPED[kind]
    quick = {cell for study in studies.names() for cell in planned(study, "quick")}
    before = {cell: fingerprint_of(cell) for cell in quick}
    added(file)
    for preset in presets:
        named = {cell.config.get(setting) for cell in planned(*preset.split("/"))}
        assert "madeup" in named, preset
    stale = [cell.label for cell in quick if fingerprint_of(cell) != before[cell]]
    assert not stale, "a new file makes no result stale"


def test_a_plugin_that_cannot_be_loaded_is_left_out_with_a_warning(added):
    added(("bench.problems", "madeup", 'raise RuntimeError("no such luck")'))
    with pytest.warns(UserWarning, match="problem 'madeup' cannot be loaded .*: no such luck"):
        cells = planned("elements", "quick")
    assert {cell.config["problem"] for cell in cells} == {"maxwell", "helix", "screen", "curlsing"}
