"""Competitors of every kind of cell: tracks, names, conditions and decisions."""

import pytest
from records import record_of

from bench.cells import Cell
from bench.claims.facts import all_facts
from bench.claims.themes.samples import CLAIMS as SAMPLES
from bench.store.results import Results
from fem import elements
from reports.competitors import competitors, given_in_words, same_conditions
from reports.decision import decision


def made(kind, values, **config):
    return record_of(Cell(kind, config), values)


def fem(error, n, **config):
    values = {"n": n, "h": 1.7 / n, "dofs": 10 * n**3, "l2_error": error, "seconds": 0.1 * n}
    values |= {"solver": "kuhn", "l2_error_inside": error, "seconds_per_point": 1e-6}
    return made("fem", values | labels(config.get("element", "N0")), n=n, **config)


def labels(element):
    """What results carry of the element that made them."""
    return elements.get(element).labels


@pytest.fixture
def results():
    tuned = {"parameters": 200, "l2_error": 1e-6, "l2_error_inside": 1e-7, "seconds": 20.0}
    tuned |= {"seconds_tuning": 5.0}
    fit = labels("N0") | {
        "unknowns": 57,
        "l2_error_inside": 9e-3,
        "seconds": 0.1,
        "seconds_per_point": 1e-6,
    }
    return Results(
        [
            *(fem(0.02 / n, n) for n in (1, 2, 4)),
            *(fem(10.0**-p, 1, element="hexP", order=p) for p in (1, 2, 3)),
            fem(0.3, 2, solve=True),
            fem(0.005, 4, grading=2.5),
            *(made("tuned_net", {**tuned, "seconds_per_point": 2e-6}, seed=s) for s in (0, 1)),
            made("fem_fit", fit, n=1),
        ]
    )


def test_tracks_and_names(results):
    found = {c.name: c for c in competitors(results, "maxwell")}
    assert found["N₀ tetrahedra n=2"].information in ("field", "equation")
    given = {c.information for c in competitors(results, "maxwell")}
    assert given == {"field", "equation", "samples"}
    assert found["tuned ResNet + τ (x,f,phi), 1000 samples"].is_net
    assert found["tuned ResNet + τ (x,f,phi), 1000 samples"].seeds == 2
    assert found["N₀ tetrahedra graded n=4"].look == "finite element/N0/graded"
    fitted = found["N₀ tetrahedra least squares, cylinder n=1"]
    assert (fitted.information, fitted.error) == ("samples", None)
    assert fitted.median("l2_error_inside") == 9e-3


def test_decisions_know_every_kind(results):
    """12 000 samples of positions and 1000 with f and φ are two questions."""
    groups = {}
    for c in competitors(results, "maxwell"):
        key = (c.conditions.information, c.conditions.samples)
        groups.setdefault(key, []).append(c)
    fitted = decision(groups["samples", 12_000], 1e-2).winner
    assert fitted.method.name.startswith("N₀ tetrahedra least squares")
    assert decision(groups["samples", 12_000], 1e-6).nearest.smallest == 9e-3
    tuned = decision(groups["samples", 1000], 1e-6).winner
    assert tuned.method.name.startswith("tuned ResNet")
    assert (tuned.seconds, tuned.method.search) == (15.0, 5.0)
    assert decision(groups["equation", None], 1e-3).winner is None
    best = decision(groups["field", None], 1e-2).winner
    assert best.method.name == "p-version, hexahedra p=2 n=1"


def test_conditions_are_those_in_which_the_best_net_is_best(results):
    """At 1000 samples a net competes, at 12 000 none does."""
    field = competitors(results, "maxwell")
    (only,) = {c.declared.samples for c in same_conditions(field, "samples")}
    assert only == 12_000, "no net meets another method: the set that most methods share"
    linear = made(
        "baseline",
        {"l2_error_inside": 1e-2, "unknowns": 8, "seconds": 0.1},
        method="linear",
        samples=1000,
    )
    field = competitors(Results([*results, linear]), "maxwell")
    shown = same_conditions(field, "samples")
    assert {c.declared.samples for c in shown} == {1000}
    assert given_in_words(shown[0].conditions) == "1\u202f000 samples at x, with f and φ"
    assert given_in_words(same_conditions(field, "equation")[0].conditions) == "the equation"
    assert {c.name: c.end_error for c in shown}["tuned ResNet + τ (x,f,phi), 1000 samples"] == 1e-7


def fit(method, error, seed=0):
    values = {"unknowns": 10, "l2_error": error, "l2_error_inside": error, "seconds": 0.1}
    config = {"method": method, "features": "x", "samples": 1000, "problem": "curlsing"}
    return made("baseline", values, **config, seed=seed, data_seed=seed)


def test_a_model_that_knows_the_kind_of_singularity_competes_with_its_like_only():
    values = {"parameters": 200, "l2_error": 1e-3, "l2_error_inside": 1e-3, "seconds": 20.0}
    config = {"features": "x", "problem": "curlsing"}
    net = made("tuned_net", values, **config, seed=0, data_seed=0)
    results = Results([net, fit("kernel_ridge", 1e-2), fit("singular_polynomials", 1e-15)])
    field = same_conditions(competitors(results, "curlsing"), "samples")
    assert [c.series for c in field if not c.is_net] == ["kernel ridge"]
    facts, notes = all_facts(results, "baselines")
    assert facts["baselines/curlsing-other-error"].value == 1e-2
    assert facts["baselines/curlsing-ratio"].value == pytest.approx(0.1)
    assert facts["baselines/curlsing-cube-draws-won"].value == 1
    assert facts["baselines/curlsing-p"].value == 1, "one draw decides nothing"
    assert notes == []
    claim = next(c for c in SAMPLES if c.name == "tuned-net-beats-linear-models")
    assert [*claim.finding(results).table] == ["curlsing, given x, against kernel_ridge"]


def test_hp_meshes_of_two_ratios_are_two_competitors():
    at = {"problem": "curlsing", "element": "hexP", "order": 8, "layers": 4, "solve": True}
    meshes = [fem(error, 1, **at, ratio=ratio) for ratio, error in ((0.1, 1e-3), (0.3, 1e-5))]
    found = competitors(Results(meshes), "curlsing")
    assert sorted(c.end_error for c in found) == [1e-5, 1e-3]
    assert all(c.name.endswith("ratio 0.1") or c.name.endswith("ratio 0.3") for c in found)
