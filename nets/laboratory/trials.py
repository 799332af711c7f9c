"""Remedies tried on copies and ranked by measurements, with the unchanged module among them.

A remedy *heals* if the diagnosis is healthy after it; then it is trained, and *helps* if J after K
steps is also lower than without it. First those that help, by J, then those that heal, then the
others, by how far their ratio first/last layer is from one. All arms share starting weights,
batches and optimiser.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from torch import nn

from base.errors import UserError
from nets.laboratory.branches import plain_blocks
from nets.laboratory.diagnosis import Diagnosis
from nets.laboratory.examination import Examined, Examiner
from nets.laboratory.remedies import Apply, Case, Change, DoesNotFit, plans
from nets.laboratory.subject import seeded
from nets.laboratory.training import Trainer, loss_after

AS_IT_IS = "as it is"
ALWAYS_TRAINED = (AS_IT_IS, "clipping")  # neither changes the start
MARGIN = 0.01  # of J: a smaller difference may be the noise of a few batches


@dataclass(frozen=True)
class Trial:
    """One remedy: the change and its effect (medians over seeds)."""

    remedy: str
    change: str  # in words, or why it does not fit
    fits: bool = True
    verdict: str | None = None
    layer: str | None = None
    log10_ratio: float = math.nan
    loss: float = math.nan  # after K steps; inf: diverged; NaN: not trained, since not healthy
    untreated: float = math.nan  # the loss of the unchanged module after as many steps

    @property
    def heals(self) -> bool:
        return self.verdict == "healthy"

    @property
    def helps(self) -> bool:
        """Whether it heals and lowers J by more than MARGIN."""
        if not self.heals or not math.isfinite(self.loss):
            return False
        return self.loss < self.untreated - MARGIN * abs(self.untreated)

    @property
    def rank(self) -> tuple[bool, bool, bool, float, float]:
        """Smaller is better."""
        by = self.loss if self.heals else abs(self.log10_ratio)
        by = by if not math.isnan(by) else math.inf
        return (not self.fits, not self.helps, not self.heals, by, self.loss)


def try_remedies(
    examiner: Examiner,
    examined: Sequence[Examined],
    trainer: Trainer,
    *,
    steps: int,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Trial]:
    """Every remedy on the given seeds, best first; the unchanged module is one of the trials."""
    unchanged = [Change("nothing changed")] * len(examined)
    trials = [_measured(examiner, AS_IT_IS, unchanged, examined, trainer, steps)]
    for name, plan in plans().items():
        tell(f"{examiner.subject.name}: {name}")
        try:
            changes = [plan(_case(examiner, one)) for one in examined]
        except DoesNotFit as reason:
            trials.append(Trial(name, str(reason), fits=False))
            continue
        try:
            trials.append(_measured(examiner, name, changes, examined, trainer, steps))
        except (UserError, RuntimeError) as error:
            why = f"fails on this module: {str(error).splitlines()[0][:120]}"
            trials.append(Trial(name, why, fits=False))
    trials = [replace(trial, untreated=trials[0].loss) for trial in trials]
    return sorted(trials, key=lambda trial: trial.rank)


def _case(examiner: Examiner, one: Examined) -> Case:
    module, _ = examiner.fresh(one.seed)
    calls = Counter(name.partition("#")[0] for name in one.profile.states)
    lengths = [len(profile) for profile in one.memory.values()] + [max(calls.values(), default=0)]
    return Case(
        anatomy=examiner.anatomy,
        branches=examiner.branches,
        plain=plain_blocks(examiner.anatomy, examiner.branches),
        diagnosis=one.diagnosis,
        length=max(lengths),
        seed=one.seed,
        ratio=lambda change: _ratio(examiner, one.seed, change),
        module=module,
    )


def _ratio(examiner: Examiner, seed: int, change: Apply) -> float:
    try:
        return examiner.examine(seed, change).diagnosis.log10_ratio
    except UserError:  # J is not finite after this change
        return math.nan


def _measured(
    examiner: Examiner,
    name: str,
    changes: Sequence[Change],
    examined: Sequence[Examined],
    trainer: Trainer,
    steps: int,
) -> Trial:
    """Diagnose the changed copies; train them if that is healthy, or to compare with."""
    pairs = list(zip(examined, changes, strict=True))
    diagnoses = [examiner.examine(one.seed, change.apply).diagnosis for one, change in pairs]
    common = typical(diagnoses)
    ratio = float(np.median([diagnosis.log10_ratio for diagnosis in diagnoses]))
    loss = math.nan
    if common.healthy or name in ALWAYS_TRAINED:
        losses = [_loss(examiner, change, trainer, steps, one.seed) for one, change in pairs]
        loss = float(np.median(losses))
    return Trial(name, changes[0].text, True, common.verdict, common.layer, ratio, loss)


def _loss(examiner: Examiner, change: Change, trainer: Trainer, steps: int, seed: int) -> float:
    module: nn.Module = examiner.subject.make(seed)
    change.apply(module)
    how = replace(trainer, clip=change.clip or trainer.clip)
    with seeded(0):
        return loss_after(examiner.subject, module, examiner.anatomy, how, steps=steps, seed=seed)


def typical(diagnoses: Sequence[Diagnosis]) -> Diagnosis:
    """The diagnosis of most seeds (of two equally frequent, the graver), at its median ratio."""
    counts = Counter(diagnosis.verdict for diagnosis in diagnoses)
    word = max(counts, key=lambda verdict: (counts[verdict], verdict != "healthy"))
    chosen = sorted(
        (d for d in diagnoses if d.verdict == word), key=lambda diagnosis: diagnosis.log10_ratio
    )
    return chosen[len(chosen) // 2]
