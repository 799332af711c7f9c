"""Remedies tried on copies and ranked by measurements, with the unchanged module among them.

First those after which the diagnosis is *healthy*, by J after K steps; then the others, by how far
their ratio first/last layer is from one. All arms share starting weights, batches and optimiser.
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


@dataclass(frozen=True)
class Trial:
    """One remedy: the change and its effect (medians over seeds)."""

    remedy: str
    change: str  # in words, or why it does not fit
    fits: bool = True
    verdict: str | None = None
    layer: str | None = None
    log10_ratio: float = math.nan
    loss: float = math.nan  # after K steps; inf: diverged

    @property
    def heals(self) -> bool:
        return self.verdict == "healthy"

    @property
    def rank(self) -> tuple[bool, bool, float, float]:
        """Smaller is better."""
        by = self.loss if self.heals else abs(self.log10_ratio)
        return (not self.fits, not self.heals, by if not math.isnan(by) else math.inf, self.loss)


def try_remedies(
    examiner: Examiner,
    examined: Sequence[Examined],
    trainer: Trainer,
    *,
    steps: int,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Trial]:
    """Every remedy on the given seeds, best first; the unchanged module is one of the trials."""
    tell(AS_IT_IS)
    unchanged = [Change("nothing changed")] * len(examined)
    trials = [_measured(examiner, AS_IT_IS, unchanged, examined, trainer, steps)]
    for name, plan in plans().items():
        tell(name)
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
    diagnoses, losses = [], []
    for one, change in zip(examined, changes, strict=True):
        diagnoses.append(examiner.examine(one.seed, change.apply).diagnosis)
        losses.append(_loss(examiner, change, trainer, steps, one.seed))
    common = typical(diagnoses)
    ratio = float(np.median([diagnosis.log10_ratio for diagnosis in diagnoses]))
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
