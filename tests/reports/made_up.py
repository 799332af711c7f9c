"""A small run with everything in it that a page can be explored by, without computing anything."""

from test_report import baseline_values, fem_values, put

from bench.claims import Checked, Claim, Entry
from bench.store.folder import Store
from reports.compile import build_document
from reports.context import Run

EVIL = "</script><script>alert(1)</script>"
PLANS = {
    "convergence": {"n": [1, 2, 4], "elements": ["N0"], "problems": ["maxwell", "helix"]},
    "baselines": {
        "methods": ["linear", "cubic"],
        "features": ["x,f,phi"],
        "problems": ["maxwell", "helix"],
        "samples": [12_000],
        "data_seeds": [0, 1],
    },
}
# Linear least squares is ready sooner, and slower at every value: who wins depends on their number.
COSTS = {"linear": (0.02, 1e-5, 4e-4), "cubic": (0.5, 1e-7, 3e-6)}


def make_run(path):
    store = Store.writable(path)
    for study, config in PLANS.items():
        store.plan(study, {"study": study, "preset": "quick", "config": config})
    for problem in ("maxwell", "helix"):
        for n in (1, 2, 4):
            measured = {"seconds": 0.0123 * n, "seconds_per_point": 1e-6, "smooth": True}
            values = {**fem_values(n), **measured}
            put(store, "fem", {"n": n, "problem": problem}, values)
        for method, (seconds, per_point, error) in COSTS.items():
            for seed in (0, 1):
                measured = {"seconds": seconds, "seconds_per_point": per_point, "smooth": True}
                # to many digits, so that a mark in a figure differs from all others
                measured["l2_error"] = error * (3 + seed) * (1.2345678 if problem == "helix" else 1)
                measured["l2_error_inside"] = error * (1 + 0.1 * seed)
                config = {"method": method, "seed": seed, "data_seed": seed, "problem": problem}
                put(store, "baseline", config, {**baseline_values(seed), **measured})
    store.close()
    return path


def entry(name, verdict, standing="", keys=(), part="paper", criterion="errors, paired"):
    sentence = f"The claim {name}."
    claim = Claim(name=name, sentence=sentence, criterion=criterion, examine=Checked, part=part)
    finding = Checked(True, (), "")
    return Entry(claim, verdict, f"of {name} `x`", keys, finding, seeds=2, standing=standing)


def make_document(path):
    """The report of such a run, with claims of every verdict and a name that would break out."""
    run = Run.read(make_run(path))
    run.__dict__["ledger"] = [
        entry("one", "holds", "confirmed", (run.records[0].key,)),
        entry("two", "fails", "exploratory"),
        entry(EVIL, "depends", "exploratory"),
        entry("four", "not testable", part="control", criterion="a count"),
    ]
    return build_document(run)
