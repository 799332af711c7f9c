"""A small run with everything in it that a page can be explored by, without computing anything."""

from dataclasses import replace

from test_report import baseline_values, fem_values, put

from bench.store.folder import Store
from reports.compile import build_document
from reports.context import Run
from reports.interactive.claims import Item

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


def item(name, status, standing="", keys=(), part="paper", rule="errors, paired"):
    facts = (("verdict", status), ("rule", rule), ("evidence", f"of {name} `x`"), ("seeds", "0–1"))
    return Item(name, part, f"The claim {name}.", status, standing, facts, keys)


def make_document(path):
    """The report of such a run, with claims of every verdict and a name that would break out."""
    run = Run.read(make_run(path))
    document = build_document(run)
    key = run.records[0].key
    claims = {
        "ledger": [
            item("one", "holds", "confirmed", (key,)),
            item("two", "fails", "exploratory"),
            item(EVIL, "depends", "exploratory"),
            item("four", "not testable", part="control", rule="a count"),
        ],
    }
    found = replace(document.explored, claims=claims)
    return replace(document, explored=found)
