"""Is a learned τ worth it? Findings of ours on the τ study, where every arm is tuned alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from bench.claims import Claim, Compared, Finding, NotTested, Row, admissibility
from bench.claims.domains import domain_of
from bench.claims.rules import compared_values, tabled
from bench.claims.verdicts import effects
from bench.methods.titles import members, net_title
from bench.store.results import Results, StoredResult

KIND = "tau_arm"
COMMAND = "femnets run learned_tau --preset paper"
TITLES = {"adam": "Adam", "steepest": "steepest descent", "ssbfgs": "self-scaled BFGS"}
# Where τ starts from 0 the hidden weights do not act at first: their smallest scale is a natural
# end: pilot, H = 6, best of ReZero 5.0e-6 at scale 0.03 and 5.4e-6 at 0.004.
SCALE_FREE = ("rezero",)
GRID = {"rate": "rates", "tau0": "tau0s", "scale": "scales"}
Runs = dict[tuple[int, int], dict[str, Any]]


def tuned(results: Results) -> Results:
    """The cells in which the rate was tuned too, or needs none; of several sizes the largest."""
    return _largest([r for r in results.select(KIND) if len(r.config["rates"]) != 1])


def swept(results: Results) -> Results:
    """The cells of the sweep over the rate; of several sizes the largest."""
    return _largest([r for r in results.select(KIND) if len(r.config["rates"]) == 1])


def _largest(found: Sequence[StoredResult]) -> Results:
    most = max(map(_size, found), default=0)
    return Results([record for record in found if _size(record) == most])


def _size(record: StoredResult) -> int:
    return int(record.config["samples"] * record.config["evaluations"])


def runs_of(records: Iterable[StoredResult]) -> Runs:
    """The judged runs of an arm by (seed, data seed), over all cells that have some."""
    return {
        (run["seed"], run["data_seed"]): run for record in records for run in record.values["runs"]
    }


def compared_arms(
    found: Results, arm: str, than: str, metric: str = "train_mse", **mode: Any
) -> Compared | NotTested:
    """An error of two arms over the seeds and data sets that judged both."""
    records = [found.select(KIND, arm=name, **mode) for name in (arm, than)]
    a, b = (runs_of(side) for side in records)
    shared = sorted(a.keys() & b.keys())
    if not shared:
        return NotTested(COMMAND)
    errors = [[side[seeds].get(metric) for seeds in shared] for side in (a, b)]
    cells = records[0].keys() + records[1].keys()
    complaints = (_at_an_end(record) for side in records for record in side)
    refused = admissibility.first_broken({"interior": next(filter(None, complaints), None)})
    where = domain_of(metric, "")
    return compared_values(errors[0], errors[1], shared, cells, metric, where, refused)


def _at_an_end(record: StoredResult) -> str | None:
    grid = {name: record.config[of] for name, of in GRID.items()}
    arm = str(record.config["arm"])
    bounds = [("scale", min(grid["scale"]))] if arm in SCALE_FREE else []
    return admissibility.interior(record.values["chosen"], grid, bounds, f"τ {arm}")


@dataclass(frozen=True)
class Setting:
    """Where arms of the study meet: at one rate, or (None) with their rates tuned too."""

    net: str
    hidden: int
    optimizer: str
    rate: float | None = None

    def select(self, found: Results, arm: str) -> Results:
        return found.select(KIND, arm=arm, **self.mode())

    def __str__(self) -> str:
        rate = "" if self.rate is None else f" at rate {self.rate:g}"
        by = TITLES.get(self.optimizer, self.optimizer)
        return f"{net_title(self.net)}, H = {self.hidden}, {by}{rate}"

    def mode(self) -> dict[str, Any]:
        mode = {name: value for name, value in asdict(self).items() if name != "rate"}
        return mode if self.rate is None else {**mode, "rates": [self.rate]}


def settings_of(found: Results, *, by_rate: bool = False) -> list[Setting]:
    """Adam first, architectures in their order, then by depth and rate."""
    order = members("net")
    seen = {
        Setting(c["net"], c["hidden"], c["optimizer"], c["rates"][0] if by_rate else None)
        for c in (record.config for record in found)
    }
    return sorted(
        seen,
        key=lambda s: (
            s.optimizer != "adam",
            s.optimizer,
            order.index(s.net) if s.net in order else len(order),
            s.net,
            s.hidden,
            s.rate or 0.0,
        ),
    )


def learned_over_fixed(results: Results) -> dict[Setting, Row]:
    """Every setting in which both arms were judged on shared seeds: tuned, then at equal rates."""
    found = _by_setting(tuned(results)), _by_setting(swept(results), by_rate=True)
    return effects(found[0]) | effects(found[1])


def arms_over_fixed(results: Results, arms: Iterable[str]) -> dict[tuple[Setting, str], Row]:
    """Tuned arms over the tuned fixed τ."""
    found = tuned(results)
    return effects(
        {
            (setting, arm): compared_arms(found, arm, "fixed", **setting.mode())
            for setting in settings_of(found)
            for arm in arms
        }
    )


def _by_setting(
    found: Results,
    arm: str = "learned",
    than: str = "fixed",
    metric: str = "train_mse",
    by_rate: bool = False,
) -> dict[Setting, Finding]:
    settings = settings_of(found, by_rate=by_rate)
    return {s: compared_arms(found, arm, than, metric, **s.mode()) for s in settings}


def _over_settings(
    results: Results, arm: str, than: str, metric: str = "train_mse", by_rate: bool = False
) -> Finding:
    """One comparison over the settings of the study."""
    found = swept(results) if by_rate else tuned(results)
    parts = {str(s): f for s, f in _by_setting(found, arm, than, metric, by_rate).items()}
    along = "the rate" if by_rate else "net, depth and optimiser"
    return tabled(parts, f"{metric}, τ {arm} over τ {than}", along, COMMAND)


def _simpler(results: Results) -> Finding:
    found = tuned(results)
    parts = {
        f"{title}: {setting}": part
        for arm, title in (("rescaled", "rescaled weights"), ("rezero", "ReZero"))
        for setting, part in _by_setting(found, arm, "learned").items()
    }
    what = "train_mse, rescaled weights or ReZero over τ learned"
    return tabled(parts, what, "treatment, net and depth", COMMAND)


def _claim(
    name: str, sentence: str, declared: str, arm: str, than: str, metric: str = "train_mse"
) -> Claim:
    return Claim(
        name=name,
        sentence=f"{sentence}, each arm tuned alike.",
        criterion=f"{metric} of τ {arm} < that of τ {than} after the same number "
        "of evaluations; rate, τ₀ and scale of the weights of each arm searched alike on tuning "
        "seeds, none at the end of its range; a seed counts once, over data sets, nets, depths and "
        "optimisers",
        declared=declared,
        family="learned_tau",
        examine=partial(_over_settings, arm=arm, than=than, metric=metric),
    )


CLAIMS = [
    _claim(
        "learned-tau-trains-better",
        "A step size τ learned per layer lowers the training error more than the best fixed τ",
        "2026-11-18 8d7d487c", arm="learned", than="fixed",
    ),
    _claim(
        "learned-tau-tests-better",
        "A step size τ learned per layer lowers the test error more than the best fixed τ",
        "2026-11-18 7ababf44", arm="learned", than="fixed", metric="rel_test_error",
    ),
    Claim(
        name="simpler-treatments-train-better",
        sentence="Rescaled weights without any τ, and ReZero, whose τ start from 0, end at a "
        "smaller training error than a learned τ, each arm tuned alike.",
        criterion="train_mse of the arms `rescaled` and `rezero` < that of τ learned, searched and "
        "counted in the same way",
        declared="2026-11-18 7653df84",
        family="learned_tau",
        examine=_simpler,
    ),
    _claim(
        "order-of-learned-tau-matters",
        "A learned τ trains better than the same values frozen in another order of the layers",
        "2026-11-18 00293430", arm="learned", than="permuted",
    ),
    Claim(
        name="learned-tau-helps-at-every-rate",
        sentence="At equal learning rate a learned τ trains better than a fixed one, at every rate "
        "of a thirty-fold range.",
        criterion="train_mse of τ learned < that of τ fixed at one rate for both, τ₀ and scale of "
        "the weights searched alike; depends if the sign changes significantly with the rate",
        declared="2026-11-18 dbc3316c",
        family="learned_tau",
        examine=partial(_over_settings, by_rate=True, arm="learned", than="fixed"),
    ),
]  # fmt: skip
