"""Is a learned τ worth it? Controls of ours on the τ study, where every arm is tuned alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from bench.claims import Checked, Claim, Compared, Finding, NotTested
from bench.claims.arms import NAMES
from bench.claims.effects import Effect, effects
from bench.claims.rules import compared_values, tabled
from bench.claims.statistics import DECIDING_SEEDS
from bench.methods.titles import members
from bench.store.results import Results, StoredResult

KIND = "tau_arm"
COMMAND = "femnets run learned_tau --preset paper"
SWEEP = {"resnet": COMMAND, "fractional": "femnets run learned_tau --preset full"}
ADAM = ("adam", (6, 20, 50))
LINE_SEARCHES = {"steepest": "steepest descent", "ssbfgs": "self-scaled BFGS"}
TITLES = {"adam": "Adam", **LINE_SEARCHES}
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
    found: Results, arm: str, than: str, what: str, **mode: Any
) -> Compared | NotTested:
    """`train_mse` of two arms over the seeds and data sets that judged both."""
    records = [found.select(KIND, arm=name, **mode) for name in (arm, than)]
    a, b = (runs_of(side) for side in records)
    shared = sorted(a.keys() & b.keys())
    if not shared:
        return NotTested(COMMAND)
    errors = [[side[seeds]["train_mse"] for seeds in shared] for side in (a, b)]
    cells = records[0].keys() + records[1].keys()
    return compared_values(errors[0], errors[1], shared, cells, what)


@dataclass(frozen=True)
class Setting:
    """Where arms of the study meet: at one rate, or (None) with their rates tuned too."""

    net: str
    hidden: int
    optimizer: str
    rate: float | None = None

    def select(self, found: Results, arm: str) -> Results:
        return found.select(KIND, arm=arm, **self.mode())

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


def learned_over_fixed(results: Results) -> dict[Setting, Effect]:
    """Every setting in which both arms were judged on shared seeds, tuned ones first; one family
    of comparisons."""
    of_all, at_rates = tuned(results), swept(results)
    places = [(setting, of_all) for setting in settings_of(of_all)]
    places += [(setting, at_rates) for setting in settings_of(at_rates, by_rate=True)]
    return effects(
        {s: compared_arms(found, "learned", "fixed", "", **s.mode()) for s, found in places}
    )


def arms_over_fixed(results: Results, arms: Iterable[str]) -> dict[tuple[Setting, str], Effect]:
    """Tuned arms over the tuned fixed τ; one family of comparisons."""
    found = tuned(results)
    return effects(
        {
            (setting, arm): compared_arms(found, arm, "fixed", "", **setting.mode())
            for setting in settings_of(found)
            for arm in arms
        }
    )


def _beats(results: Results, arm: str, than: str, **mode: Any) -> Finding:
    return compared_arms(tuned(results), arm, than, f"train_mse, τ {arm} over τ {than}", **mode)


RULE = (
    "median train_mse of the one arm < that of the other; rate × τ₀ × weight scale of each arm "
    "chosen from equally many points on tuning seeds; same evaluations; paired by seed, over data "
    "sets"
)


def _claim(name: str, sentence: str, arm: str, than: str, net: str, hidden: int, by: str) -> Claim:
    return Claim(
        name=f"{name}-{net}-{hidden}-{by}",
        sentence=f"{sentence} ({NAMES[net]} of {hidden} layers, {TITLES[by]}, each arm tuned "
        "alike).",
        criterion=RULE,
        declared="2026-11-17 afeceeae",
        family="learned_tau",
        examine=partial(_beats, arm=arm, than=than, net=net, hidden=hidden, optimizer=by),
    )


HELPS = ("learned-tau-beats-fixed", "A τ learned per layer trains better than the best fixed τ")
LAYERS = ("layers-beat-global", "A τ learned per layer trains better than one learned for all")
SCALES = ("learned-tau-beats-rescaling", "A learned τ trains better than rescaled weights without")
STAYS = ("learned-tau-beats-its-mean", "A learned τ trains better than its own mean, frozen")
PLACES = ("mean-beats-permuted", "The mean of a learned τ trains better than its values permuted")
REZERO = ("rezero-beats-fixed", "ReZero trains better than the best fixed τ")


def _declared() -> list[Claim]:
    by, depths = ADAM
    both = [(net, hidden) for net in NAMES for hidden in depths]
    claims = [_claim(*HELPS, "learned", "fixed", net, hidden, by) for net, hidden in both]
    claims += [_claim(*LAYERS, "learned", "global", net, hidden, by) for net, hidden in both]
    claims += [_claim(*STAYS, "learned", "averaged", net, hidden, by) for net, hidden in both]
    claims += [_claim(*PLACES, "averaged", "permuted", net, hidden, by) for net, hidden in both]
    for hidden in depths:
        claims.append(_claim(*SCALES, "learned", "rescaled", "resnet", hidden, by))
        claims.append(_claim(*REZERO, "rezero", "fixed", "resnet", hidden, by))
    for by in LINE_SEARCHES:
        claims.append(_claim(*HELPS, "learned", "fixed", "resnet", 20, by))
        claims.append(_claim(*LAYERS, "learned", "global", "resnet", 20, by))
    return claims


def _over_rates(results: Results, net: str) -> Finding:
    """Learned against fixed τ at each rate."""
    found = swept(results).select(KIND, net=net)
    parts = {
        f"H = {hidden}, rate {rate:g}": compared_arms(
            found, "learned", "fixed", "", hidden=hidden, rates=[rate], optimizer="adam"
        )
        for hidden in found.distinct("hidden")
        for rate in sorted({record.config["rates"][0] for record in found})
    }
    return tabled(parts, "train_mse, τ learned over τ fixed", "the rate", SWEEP[net])


def _seeds(found: Results) -> int:
    return len({seed for record in found for seed in record.config["seeds"]})


def _labels(results: Results, net: str) -> Finding:
    """Are the labels of the gradients at the end others with τ learned than with τ fixed?"""
    found = tuned(results).select(KIND, net=net)
    other, total, start, end = 0, 0, Counter[str](), Counter[str]()
    keys: tuple[str, ...] = ()
    for hidden in found.distinct("hidden"):
        for by in found.distinct("optimizer"):
            cells = [found.select(KIND, arm=a, hidden=hidden, optimizer=by) for a in ARMS_COMPARED]
            learned, fixed = (runs_of(side) for side in cells)
            for seeds in learned.keys() & fixed.keys():
                one, two = learned[seeds], fixed[seeds]
                other += one["label_end"] != two["label_end"]
                total += 1
                start.update((one["label_start"], two["label_start"]))
                end.update((one["label_end"], two["label_end"]))
            keys += cells[0].keys() + cells[1].keys()
    if _seeds(found) < DECIDING_SEEDS or not total:
        return NotTested(COMMAND)
    what = (
        f"the label at the end differs in {other} of {total} pairs; at the start {_tally(start)}, "
        f"at the end {_tally(end)}: "
        + (
            "with tuned settings there was nothing to cure, and what learning changes is the "
            "effective rate"
            if set(start) == {"healthy"}
            else "some trainings started with something to cure"
        )
    )
    return Checked(other > MOST_OTHER * total, keys, what)


ARMS_COMPARED = ("learned", "fixed")
MOST_OTHER = 0.05


def _tally(labels: Counter[str]) -> str:
    return ", ".join(f"{number} {label}" for label, number in labels.most_common())


CLAIMS = [
    *_declared(),
    *(
        Claim(
            name=f"learned-tau-helps-at-every-rate-{net}",
            sentence=f"At equal learning rate a learned τ trains better than a fixed one, at every "
            f"rate of a thirty-fold range ({NAMES[net]}, Adam).",
            criterion="median train_mse with τ learned < τ fixed at each rate, two-sided, Holm "
            "over the "
            "rates; τ₀ and weight scale tuned alike at each rate; depends on the rate unless all "
            "rates decide and agree",
            declared="2026-11-17 b64ca131",
            examine=partial(_over_rates, net=net),
        )
        for net in NAMES
    ),
    *(
        Claim(
            name=f"learned-tau-changes-gradients-{net}",
            sentence=f"Learning τ changes what gradients do in a trained {NAMES[net]}, not only "
            "the effective rate.",
            criterion=f"the label at the end (vanishing, exploding, dead, healthy) differs from "
            f"that "
            f"with τ fixed in more than {MOST_OTHER:.0%} of the pairs, both arms tuned",
            declared="2026-11-17 048cc084",
            examine=partial(_labels, net=net),
        )
        for net in NAMES
    ),
]
