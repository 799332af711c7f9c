"""Unfair comparisons on made-up runs: each is refused, by the name of the rule it breaks."""

import numpy as np
import pytest
from test_claims import MadeUp

from bench.claims import Claim, ledger
from bench.claims import admissibility as rules
from bench.claims.facts import all_facts
from bench.claims.rules import compared, refusal_of, tabled
from bench.claims.themes import solve
from bench.methods import baselines
from bench.methods.baselines import _random
from bench.store.results import Results

SEEDS = range(1000, 1012)


def verdict_on(pairs, metric="l2_error"):
    claim = Claim(
        name="x", sentence="X.", criterion="c", examine=lambda _: compared(pairs, metric),
        family="f", problems=(),
    )  # fmt: skip
    (entry,) = ledger(Results([record for pair in pairs for record in pair]), [claim])
    return entry


def net(seed, error, kind="solved_net", arrays=None, **config):
    known = {"problem": "maxwell", "seed": seed, "data_seed": seed, **config}
    return MadeUp(known, {"l2_error": error}, kind=kind, arrays=arrays or {})


def pairs(a=None, b=None, seeds=SEEDS, **arrays):
    return [
        (net(seed, 0.5, arrays=arrays, **(a or {})), net(seed, 1.0 + seed / 1e6, **(b or {})))
        for seed in seeds
    ]


def test_a_fair_comparison_is_admitted():
    assert (verdict_on(pairs()).verdict, verdict_on(pairs()).rule) == ("holds", "")


def test_an_arm_at_the_edge_of_its_grid_is_refused():
    unfair = pairs()
    for mine, _ in unfair:
        mine.kind = "tuned_net"
        mine.config |= {"etas": [1e-4, 4.0, 40.0], "first_scales": [1.0, 3.0, 10.0]}
        mine.values["chosen"] = {"activation": "tanh", "eta": 1e-4, "first_scale": 10.0}
    entry = verdict_on(unfair)
    assert (entry.verdict, entry.rule, entry.standing) == ("refused", "interior", "")
    assert "first_scale = 10.0" in entry.evidence
    for mine, _ in unfair:
        mine.values["chosen"]["first_scale"] = 3.0
    assert verdict_on(unfair).verdict == "holds"


def test_natural_bounds_and_settings_that_are_not_tuned_are_no_edges():
    grid = {"eta": [1e-4, 4.0, 40.0], "rate": [0.1]}
    assert "eta = 0.0001" in rules.interior({"eta": 1e-4, "rate": 0.1}, grid)
    assert rules.interior({"eta": 1e-4, "rate": 0.1}, grid, rules.NATURAL) is None
    assert rules.interior({"eta": 4.0, "rate": 0.1}, grid) is None


def fitted(method, **chosen):
    return MadeUp({"method": method}, {"l2_error": 1.0, "chosen": chosen}, kind="baseline")


def test_the_other_model_must_lie_inside_its_grid_too():
    unfair = pairs()
    for _, other in unfair:
        other.kind = "baseline"
        other.config["method"] = "kernel_ridge"
        other.values["chosen"] = {"kernel": "gauss", "length": 8.0, "nugget": 1e-6}
    refusal = refusal_of(unfair, "l2_error")
    assert refusal.rule == "interior"
    assert "kernel_ridge was tuned to the end of its grid (length = 8.0)" in refusal.why
    for _, other in unfair:
        other.values["chosen"] |= {"length": 2.0, "nugget": 1e-12}
    assert refusal_of(unfair, "l2_error") is None, "rounding is a natural end"


def test_an_input_without_influence_is_no_edge():
    process = {"kernel": "gauss", "nugget": 1e-12}
    free = fitted("gaussian_process", lengths=[0.4, 0.2, 1000.0], **process)
    assert rules.tuned_inside(free) is None
    short = fitted("gaussian_process", lengths=[0.4, 0.01, 1000.0], **process)
    assert "lengths = 0.01" in rules.tuned_inside(short)
    assert rules.tuned_inside(fitted("legendre", degree=12)) is None
    assert rules.tuned_inside(fitted("linear")) is None


def test_the_grids_are_those_of_the_baselines():
    ridge, process = map(baselines.get, ("kernel_ridge", "gaussian_process"))
    grids = {"length": ridge.LENGTHS, "nugget": ridge.NUGGETS}
    assert rules.BASELINES["kernel_ridge"] == grids
    grids = {"lengths": process.LENGTHS, "nugget": process.NUGGET_RANGE}
    assert rules.BASELINES["gaussian_process"] == grids
    for method in ("fourier_features", "tanh_features", "multiscale_features"):
        assert rules.BASELINES[method] == {"scale": _random.SCALES}


def test_the_best_error_along_the_way_is_refused():
    entry = verdict_on(pairs(curve_l2_error=np.array([2.0, 0.5, 0.7])))
    assert (entry.verdict, entry.rule) == ("refused", "end")
    assert "at the end it is 0.7" in entry.evidence
    for curve in ([2.0, 0.7, 0.5], [2.0, 0.4, 0.3], [np.nan]):
        assert verdict_on(pairs(curve_l2_error=np.array(curve))).verdict == "holds"


def test_eleven_seeds_are_refused():
    entry = verdict_on(pairs(seeds=SEEDS[:11]))
    assert (entry.verdict, entry.rule) == ("refused", "seeds")
    assert entry.evidence.startswith("number of seeds: 11, at least 12 are needed")


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"grading": 2.5}, "the edge"),
        ({"layers": 3}, "the edge"),
        ({"rim": "graded"}, "the edge"),
        ({"singular": True}, "its exponent"),
        ({"samples": 12_000}, "12000"),
        ({"features": "x,f,phi"}, "x,f,phi"),
    ],
)
def test_unequal_information_is_refused(more, what):
    entry = verdict_on(pairs(a=more))
    assert (entry.verdict, entry.rule) == ("refused", "information")
    assert what in entry.evidence
    assert verdict_on(pairs(a=more, b=more)).verdict == "holds"


def test_the_track_of_a_cell_is_its_information():
    """A best approximation is given the field, a solve the equation."""
    common = {"problem": "maxwell", "element": "N0", "n": 2}
    field, equation = (
        MadeUp({**common, "solve": solve}, {"l2_error": 1.0, "dofs": 5}, kind="fem")
        for solve in (False, True)
    )
    assert "field" in rules.information(field, equation)
    assert rules.information(field, field) is None


def test_a_slow_evaluation_is_refused():
    known = {"cell by cell": 2.3e-6, "re-expanded": 4.5e-7}
    why = rules.evaluation(2.3e-6, known, "the p-version")
    assert rules.first_broken([("evaluation", why)]).rule == "evaluation"
    assert "5.1 times slower than by re-expanded" in why
    assert rules.evaluation(4.6e-7, known, "the p-version") is None
    assert rules.evaluation(1.0, {}, "the net")


def rungs(*rows):
    return [rules.Rung(*row) for row in rows]


def test_a_ladder_that_was_cut_short_is_refused():
    falling = rungs((100, 0.1, 1e-1), (800, 1.0, 5e-2))
    why = rules.ladder(falling, "N₀")
    assert rules.first_broken([("ladder", why)]).rule == "ladder"
    assert "ends after 1 of 60 s and still falls" in why
    assert rules.ladder([*falling, rules.Rung(6400, 30.0, 2.5e-2)], "N₀") is None, "half used"
    assert rules.ladder([*falling, rules.Rung(1600, 2.0, 4.8e-2)], "N₀") is None, "levels off"
    assert rules.ladder([*falling, rules.Rung(1600, 2.0, 1e-13)], "N₀") is None, "rounding"
    assert rules.ladder(falling[:1], "N₀")
    assert rules.ladder([], "N₀")
    layers = [solved("screen", 1, 1e-2, 0.1, layers=17), solved("screen", 2, 1e-3, 0.2, layers=18)]
    assert rules.ladders(layers[:1], "hp")
    assert rules.ladders(layers, "hp") is None, "at its natural end"


def solved(problem, n, error, seconds, **config):
    known = {"problem": problem, "element": "N0", "n": n, "solve": True, "grading": None}
    values = {"l2_error": error, "seconds": seconds, "dofs": n**3}
    return MadeUp({**known, "layers": None, **config}, values, kind="fem")


def trained(problem, error, seconds=40.0):
    known = {"problem": problem, "form": "strong", "boundary": "penalty", "optimizer": "auto"}
    for seed in SEEDS:
        config = {**known, "evaluations": 6000.0, "seed": seed, "data_seed": seed}
        values = {"l2_error": error * (1 + seed / 1e6), "seconds": seconds, "parameters": 9}
        yield MadeUp(config, values, kind="solved_net")


def test_a_net_does_not_overtake_a_ladder_that_stopped():
    """The field whose ladder was cut short is refused; the claim is decided by the other."""
    meshes = [solved("screen", 8, 0.2, 0.1), solved("screen", 16, 0.1, 0.5)]
    whole = [solved("maxwell", 8, 0.2, 5.0), solved("maxwell", 16, 0.1, 45.0)]
    given = solved("maxwell", 32, 1e-9, 45.0, grading=2.5)
    records = [*meshes, *whole, given, *trained("screen", 0.05), *trained("maxwell", 0.05)]
    entries = {e.claim.name: e for e in ledger(Results(records), solve.CLAIMS)}
    entry = entries["solving-net-beats-n0"]
    assert {row.name: row.verdict for row in entry.rows} == {
        "maxwell": "holds",
        "screen": "refused",
    }
    assert (entry.verdict, entry.domain) == ("holds", "cube")
    assert entry.effect == pytest.approx(0.5, rel=0.01), "a mesh given the edge does not compare"
    only = {
        e.claim.name: e for e in ledger(Results([*meshes, *trained("screen", 0.05)]), solve.CLAIMS)
    }
    assert only["solving-net-beats-n0"].rule == "ladder"
    facts, notes = all_facts(Results(records), "solve")
    assert not notes
    assert facts["solve/screen-n0-error"].refused == "ladder"
    assert facts["solve/maxwell-net-error"].refused == ""
    assert {fact.domain for fact in facts.values()} == {"cube"}


def test_settings_that_a_rule_refuses_keep_their_row():
    fair, unfair = compared(pairs(), "l2_error"), compared(pairs(a={"layers": 2}), "l2_error")
    found = tabled({"fair": fair, "unfair": unfair}, "error", "the mesh")
    claim = Claim(name="x", sentence="X.", criterion="c", examine=lambda _: found, family="f")
    (entry,) = ledger(Results([]), [claim])
    assert [(row.verdict, row.rule) for row in entry.rows] == [
        ("holds", ""),
        ("refused", "information"),
    ]
    assert entry.verdict == "holds"
