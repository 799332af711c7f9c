"""Facts of the open questions: noise, initial guesses, tasks of neural ODEs, time grids."""

import math

import pytest
from records import record_of

from bench.cells import Cell, paired
from bench.claims.facts import all_facts
from bench.claims.initial_guesses import predicted, stops_helping
from bench.store.results import Results

STUDIES = ("noise", "initial_guess", "neural_ode_tasks", "time_grid")


def facts_of(cells):
    found, notes = all_facts(Results([record_of(Cell(*cell), values) for *cell, values in cells]))
    assert not notes
    return {name: fact for name, fact in found.items() if name.startswith(STUDIES)}


def test_noise_by_field_method_samples_and_noise():
    cells = [
        ("noisy_fit", {"method": "paper net", "noise": 0.01, **paired(seed)},
         {"l2_error_inside": error, "l2_error_outside": 10 * error})
        for seed, error in enumerate((1e-3, 2e-3, 9e-3))
    ]  # fmt: skip
    values = {"l2_error_inside": 0.3, "l2_error_outside": None}  # diverged outside
    cells.append(("known_properties", {"known": "equation"}, values))
    found = facts_of(cells)
    fact = found["noise/maxwell-paper-net-1000-0.01-inside"]
    assert (fact.value, fact.seeds, fact.domain) == (2e-3, 3, "cylinder")
    assert found["noise/maxwell-paper-net-1000-0.01-outside"].value == pytest.approx(2e-2)
    assert found["noise/known-equation-0-outside"].value == float("inf")


def test_iterations_on_the_finest_mesh_and_the_mesh_where_the_net_stops_paying():
    cells = [
        ("initial_guess", {"n": (8, 16), "steps": 100, **paired(seed)}, {
            "zero_iterations": [9, 20], "coarse_iterations": [9, 10],
            "net_iterations": [5, 11 + seed], "net_hcurl_error": 0.1 * (1 + seed),
            "predicted_n": 12.0, "measured_n": 16 if seed else None,
            "repaid_against_zero": None, "repaid_against_coarse": 7.0,
        })
        for seed in range(3)
    ]  # fmt: skip
    found = facts_of(cells)
    name = "initial_guess/maxwell-N0-best-100-16"
    assert found[f"{name}-net"].value == 12
    assert found[f"{name}-coarse"].value == 10
    assert found[f"{name}-net-error"].value == pytest.approx(0.2)
    assert found[f"{name}-repaid"].value == 7
    assert found[f"{name}-measured-n"].value == 16
    assert found[f"{name}-predicted"].value == 3
    assert f"{name}-repaid-against-zero" not in found


@pytest.mark.parametrize(
    ("net", "coarse", "interval", "right"),
    [
        ([9, 9, 9], [9, 10, 11], (32, math.inf), (17, 500)),  # a tie on the first mesh
        ([9, 9, 9], [10, 10, 9], (16, 32), (9, 63)),
        ([9, 9, 9], [8, 8, 8], (0, 8), (1, 15)),
    ],
)
def test_where_a_net_stops_helping(net, coarse, interval, right):
    def record(n):
        values = {"net_iterations": net, "coarse_iterations": coarse, "predicted_n": n}
        return record_of(Cell("initial_guess", {"n": (8, 16, 32)}), values)

    assert stops_helping(record(1.0)) == interval
    assert all(predicted(record(n)) for n in right)
    assert not predicted(record(right[0] / 2.5)) or interval[0] == 0
    assert not predicted(record(right[1] * 2.5)) or interval[1] == math.inf


def test_tasks_and_grids_count_their_judging_seeds():
    runs = [{"seed": seed} for seed in (1000, 1001)]
    task = {"task": "crossing", "net": "resnet", "tau": "learned", "small_steps": True}
    ends = {"accuracy": 0.5, "test_accuracy": 0.4, "cross_entropy": None, "runs": runs}
    grid = {"correlation": -0.2, "transferred": 2e-4, "uniform": 1e-4, "reversed": None}
    found = facts_of([
        ("ode_task", task, ends),
        ("time_grid", {"net": "resnet", "hidden": 12}, {**grid, "runs": runs}),
    ])  # fmt: skip
    fact = found["neural_ode_tasks/crossing-resnet-small-learned-0-accuracy"]
    assert (fact.value, fact.seeds, fact.domain) == (0.5, 2, "training points")
    assert "neural_ode_tasks/crossing-resnet-small-learned-0-cross-entropy" not in found
    assert found["time_grid/resnet-12-transferred"].value == 2e-4
    assert found["time_grid/resnet-12-correlation"].value == -0.2
    assert "time_grid/resnet-12-reversed" not in found
