"""Is a learned τ worth it? Findings of ours on the τ study, where every arm is tuned alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from bench.claims.admissibility import first_broken, interior
from bench.claims.claim import Claim
from bench.claims.domains import domain_of
from bench.claims.entry import Row
from bench.claims.findings import Compared, Finding, need
from bench.claims.rules import over, paired, tabled
from bench.claims.verdicts import effects
from bench.methods.titles import members, net_title
from bench.store.results import Results, StoredResult

KIND = "tau_arm"
TITLES = {"adam": "Adam", "steepest": "steepest descent", "ssbfgs": "self-scaled BFGS"}
# Where τ starts from 0 the hidden weights do not act at first: their smallest scale is a natural
# end: pilot, H = 6, best of ReZero 5.0e-6 at scale 0.03 and 5.4e-6 at 0.004.
SCALE_FREE = ("rezero",)
# A learned τ leaves a start next to 0 within a few steps: pilot, ResNet with 50 layers, rates from
# 0.002 to 0.06, errors from 0.001/H and 0.003/H within 1.1 of each other in four of six, 2 in all.
START_FREE = ("global", "learned", "averaged", "permuted")
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


@dataclass(frozen=True)
class Setting:
    """Where arms of the study meet: at one rate, or (None) with their rates tuned too."""

    net: str
    hidden: int
    optimizer: str
    rate: float | None = None

    def __str__(self) -> str:
        rate = "" if self.rate is None else f" at rate {self.rate:g}"
        by = TITLES.get(self.optimizer, self.optimizer)
        return f"{net_title(self.net)}, H = {self.hidden}, {by}{rate}"

    def select(self, found: Results, arm: str) -> Results:
        mode = {name: value for name, value in asdict(self).items() if name != "rate"}
        rates = {} if self.rate is None else {"rates": [self.rate]}
        return found.select(KIND, arm=arm, **mode, **rates)

    def compare(self, found: Results, arm: str, than: str, metric: str = "train_mse") -> Compared:
        """An error of two arms over the seeds and data sets that judged both."""
        sides = [self.select(found, name) for name in (arm, than)]
        a, b = map(runs_of, sides)
        shared = sorted(a.keys() & b.keys())
        rows = [(seeds[0], a[seeds].get(metric), b[seeds].get(metric)) for seeds in need(shared)]
        cells = sides[0].keys() + sides[1].keys()
        refused = first_broken(
            ("interior", _tuned_inside(record)) for side in sides for record in side
        )
        return paired(rows, cells, metric, domain_of(metric, ""), refused)


def _tuned_inside(record: StoredResult) -> str | None:
    grid = {name: record.config[of] for name, of in GRID.items()}
    arm = str(record.config["arm"])
    bounds = [("scale", min(grid["scale"]))] if arm in SCALE_FREE else []
    bounds += [("tau0", grid["tau0"][0])] if arm in START_FREE else []
    return interior(record.values["chosen"], grid, bounds, f"τ {arm}")


def settings_of(found: Results) -> list[Setting]:
    """Adam first, architectures in their order, then by depth and rate."""
    order = members("net")
    seen = {
        Setting(
            c["net"], c["hidden"], c["optimizer"], c["rates"][0] if len(c["rates"]) == 1 else None
        )
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


def compare_all(
    found: Results, arm: str, than: str, metric: str = "train_mse"
) -> dict[Setting, Compared]:
    """Two arms in every setting in which both were judged on shared seeds."""
    return over(settings_of(found), lambda setting: setting.compare(found, arm, than, metric))


def learned_over_fixed(results: Results) -> dict[Setting, Row]:
    """Every setting in which both arms were judged: tuned, then at equal rates."""
    tuned_rows, swept_rows = (
        effects(compare_all(found, "learned", "fixed"))
        for found in (tuned(results), swept(results))
    )
    return tuned_rows | swept_rows


def tuned_over_fixed(results: Results, metric: str) -> dict[Setting, Row]:
    """Learned over fixed τ, each tuned, by that error."""
    return effects(compare_all(tuned(results), "learned", "fixed", metric))


def arms_over_fixed(results: Results, arms: Iterable[str]) -> dict[tuple[Setting, str], Row]:
    """Tuned arms over the tuned fixed τ."""
    found = tuned(results)
    meetings = [(setting, arm) for setting in settings_of(found) for arm in arms]
    return effects(over(meetings, lambda at: at[0].compare(found, at[1], "fixed")))


def _named(parts: Mapping[Setting, Compared], title: str = "") -> dict[str, Compared]:
    return {f"{title}{setting}": part for setting, part in parts.items()}


def _over_settings(results: Results, arm: str, than: str, metric: str = "train_mse") -> Finding:
    """One comparison over the settings of the study."""
    parts = _named(compare_all(tuned(results), arm, than, metric))
    return tabled(parts, f"{metric}, τ {arm} over τ {than}", "net, depth and optimiser")


def _over_rates(results: Results) -> Finding:
    parts = _named(compare_all(swept(results), "learned", "fixed"))
    return tabled(parts, "train_mse, τ learned over τ fixed", "the rate")


def _simpler(results: Results) -> Finding:
    rescaled, rezero = (
        compare_all(tuned(results), arm, "learned") for arm in ("rescaled", "rezero")
    )
    parts = _named(rescaled, "rescaled weights: ") | _named(rezero, "ReZero: ")
    what = "train_mse, rescaled weights or ReZero over τ learned"
    return tabled(parts, what, "treatment, net and depth")


claim = partial(Claim, family="learned_tau")


def _tuned_alike(
    name: str, sentence: str, declared: str, arm: str, than: str, metric: str = "train_mse"
) -> Claim:
    return claim(
        name=name,
        sentence=f"{sentence}, each arm tuned alike.",
        criterion=f"{metric} of τ {arm} < that of τ {than} after the same number "
        "of evaluations; rate and τ₀ of each arm searched alike on tuning seeds, no choice at the "
        "end of its range, except that a learned τ may start next to 0; a seed counts once, over "
        "data sets, nets, depths and optimisers",
        declared=declared,
        examine=partial(_over_settings, arm=arm, than=than, metric=metric),
    )


CLAIMS = [
    _tuned_alike(
        "learned-tau-trains-better",
        "A step size τ learned per layer lowers the training error more than the best fixed τ",
        "2026-11-18 ca2f43c2", arm="learned", than="fixed",
    ),
    _tuned_alike(
        "learned-tau-tests-better",
        "A step size τ learned per layer lowers the test error more than the best fixed τ",
        "2026-11-18 d0fe683c", arm="learned", than="fixed", metric="rel_test_error",
    ),
    claim(
        name="simpler-treatments-train-better",
        sentence="Rescaled weights without any τ, and ReZero, whose τ start from 0, end at a "
        "smaller training error than a learned τ, each arm tuned alike.",
        criterion="train_mse of the arms `rescaled` and `rezero` < that of τ learned, searched and "
        "counted in the same way",
        declared="2026-11-18 7653df84",
        examine=_simpler,
    ),
    _tuned_alike(
        "order-of-learned-tau-matters",
        "A learned τ trains better than the same values frozen in another order of the layers",
        "2026-11-18 db4964b7", arm="learned", than="permuted",
    ),
    claim(
        name="learned-tau-helps-at-every-rate",
        sentence="At equal learning rate a learned τ trains better than a fixed one, at every rate "
        "of a thirty-fold range.",
        criterion="train_mse of τ learned < that of τ fixed at one rate for both, τ₀ "
        "searched alike; depends if the sign changes significantly with the rate",
        declared="2026-11-18 37d013f2",
        examine=_over_rates,
    ),
]  # fmt: skip
