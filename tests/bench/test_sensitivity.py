"""Sensitivity to what the paper leaves open: the cell, its changes, and verdicts that say so."""

import numpy as np
from test_claims import MadeUp

from bench.cells import Cell, load_kind
from bench.claims import ledger
from bench.claims.statistics import largest_family
from bench.claims.themes.sensitivity import BASE, CLAIMS, QUESTIONS
from bench.store.results import Results
from bench.studies import sensitivity as study

SMALL = {"samples": 40, "steps": 4, "width": 8, "depths": [2]}


def run(**settings):
    cell = Cell("sensitivity", {**SMALL, **settings})
    return load_kind("sensitivity").run(cell.settings).values


def test_a_cell_has_the_four_nets_of_every_depth():
    values = run()
    assert set(values) == {
        f"{net}-{tau}-2" for net in ("resnet", "fractional") for tau in ("fixed", "learned")
    }
    fixed, learned = values["resnet-fixed-2"], values["resnet-learned-2"]
    assert fixed["tau"] == [1.0, 1.0] != learned["tau"]
    assert fixed["mse_rises"] == fixed["loss_rises"] == 0
    assert 0 < fixed["l2_error_outside"] < fixed["l2_error"]


def test_every_choice_changes_something_and_gamma_only_the_fractional_net():
    base = run()
    for change in ({"lambda2": 1.0}, {"tau0": "1/H"}, {"init": "he"}, {"scale": 0.5},
                   {"optimizer": "adam"}, {"carry_input": True}):  # fmt: skip
        changed = run(**change)
        key = "resnet-learned-2"
        assert changed[key]["train_mse"] != base[key]["train_mse"], change
    gamma = run(gamma=0.75)
    assert gamma["resnet-learned-2"] == base["resnet-learned-2"]
    assert gamma["fractional-learned-2"] != base["fractional-learned-2"]


def test_a_carried_input_enters_the_read_out():
    """With the first layer dead the padded input is what is left."""
    import torch

    from bench.methods.paper_nets import PaperNet, padded

    free = {"lambda2": 0.0, "optimizer": "steepest", "steps": 1}
    x = padded(PaperNet(width=9, carry_input=True, **free), np.ones((3, 7)))
    assert x.shape == (3, 9)
    assert not x[:, 7:].any()
    assert padded(PaperNet(width=9, carry_input=False, **free), np.ones((3, 7))).shape == (3, 7)
    from nets import build

    net = build(net="resnet", tau="fixed", tau0=0.0, hidden=1, width=9, inputs=9, carry_input=True)
    out = net(torch.from_numpy(x))
    torch.testing.assert_close(out, torch.from_numpy(x) @ net.W[-1].T)


def test_one_setting_is_changed_at_a_time():
    for preset in study.PRESETS.values():
        for change in study.variations(preset):
            assert len(change) <= 1
    cells = study.cells(study.PRESETS["paper"])
    lambdas = {c.config["lambda2"] for c in cells if c.kind == "net"}
    assert lambdas == {1e-3}
    seeds = {c.config["seed"] for c in cells}
    assert min(seeds) >= 1000
    points = len(study.variations(study.PRESETS["paper"]))
    assert largest_family(len(seeds)) >= points, "seeds that agree decide among all points"


def made_up(ratio, seed, data_seed=None, **change):
    """A cell in which everything that a question calls smaller is `ratio` times the other."""
    error = 1e-4 * (1 + seed % 7)
    names = {q.smaller for q in QUESTIONS} | {q.than for q in QUESTIONS}
    values = {}
    for name in names:
        factor = ratio if "resnet-learned-6" in name else 1.0
        metrics = dict.fromkeys(("train_mse", "l2_error", "l2_error_outside"), error * factor)
        rises = int(change.get("lambda2", 0) > 0 and "learned" in name)
        values[name] = {**metrics, "mse_rises": rises, "loss_rises": 0}
    config = {**BASE, **change, "samples": 250, "seed": seed, "data_seed": data_seed or seed}
    return MadeUp(config, values, kind="sensitivity")


def verdicts(records):
    return {entry.claim.name: entry for entry in ledger(Results(list(records)), CLAIMS)}


def cells(ratio, **change):
    return [made_up(ratio, seed, **change) for seed in range(1000, 1012)]


def test_a_sign_that_flips_names_the_question():
    kept = [*cells(0.5), *cells(0.6, tau0="1/H"), *cells(0.4, lambda2=1e-3)]
    name = "open-choices-keep-signs"
    assert verdicts(kept)[name].verdict == "holds"
    flipped = verdicts([*kept, *cells(1.5, optimizer="adam"), *cells(2.0, gamma=0.75)])[name]
    assert flipped.verdict == "depends"
    assert {row.name for row in flipped.rows if row.verdict == "fails"} == {
        "tau-trains-better-resnet", "shallow-beats-deep",
    }  # fmt: skip
    assert flipped.standing == "confirmed"
    undecided = [made_up(2.0 if s % 2 else 0.5, s, init="he") for s in range(1000, 1012)]
    assert verdicts([*kept, *undecided])[name].verdict == "holds"
    assert verdicts(cells(0.5))[name].verdict == "not testable"
    few = [record for record in kept if record.config["seed"] < 1010]
    assert verdicts(few)[name].rule == "seeds"
