"""`gradient_study`: everything the laboratory measures about one module, and its diagnosis."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import nn

from base.errors import UserError
from nets.laboratory.anatomy import Anatomy
from nets.laboratory.diagnosis import Diagnosis
from nets.laboratory.examination import Examined, Examiner
from nets.laboratory.jacobians import Spectra
from nets.laboratory.profile import Profile
from nets.laboratory.subject import Loss, Subject
from nets.laboratory.training import Trainer, Training, train_watched
from nets.laboratory.trials import Trial, try_remedies, typical

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
Tell = Callable[[str], None]  # of the current task

MOST_TRIAL_SEEDS = 3


@dataclass(frozen=True)
class GradientStudy:
    """The measurements of one module and its diagnosis; `TABLES` names those that are tables."""

    name: str
    anatomy: Anatomy
    parameters: int
    examined: tuple[Examined, ...]  # one per seed, before training
    trainings: tuple[Training, ...]  # one per seed
    spectra: Spectra | None  # before training, first seed
    diagnosis: Diagnosis
    trials: tuple[Trial, ...]  # best first
    trial_steps: int
    against: GradientStudy | None = None

    TABLES = ("layers", "states", "remedies", "training")
    FIGURES = ("depth", "memory", "remedies", "training", "jacobians")

    @property
    def verdict(self) -> str:
        """The diagnosis in one word; see `nets.laboratory.diagnosis`."""
        return self.diagnosis.verdict

    @property
    def layer(self) -> str | None:
        """The layer where the trouble starts; None for a healthy module."""
        return self.diagnosis.layer

    @property
    def remedy(self) -> Trial | None:
        """The best remedy that helps: healthy, and a lower J; None where none does."""
        return next((t for t in self.trials if t.helps), None)

    def rows(self, table: str = "layers") -> list[Row]:
        """Return a table as dicts; the rows of `against` follow under its name."""
        if table not in self.TABLES:
            raise UserError(f"no table {table!r}; there are {', '.join(self.TABLES)}")
        own = [{"study": self.name, **row} for row in getattr(self, f"_{table}")()]
        return own + (self.against.rows(table) if self.against is not None else [])

    def to_pandas(self, table: str = "layers") -> pandas.DataFrame:
        """A table as a DataFrame, one of `TABLES`; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise UserError("to_pandas needs pandas: pip install 'femnets[export]'") from None
        return pandas.DataFrame(self.rows(table))

    def figure(self, kind: str | None = None) -> Any:
        """A matplotlib figure: one of `FIGURES`, or all of them on one page."""
        from nets.laboratory.drawing import draw

        return draw(self, kind)

    def shown(self) -> list[str]:
        """Those of `FIGURES` for which there are numbers."""
        from nets.laboratory.drawing import panels

        return list(panels(self))

    def _profiles(self) -> Iterator[tuple[Row, Profile, Any]]:
        """Yield where each profile was taken, the profile, and the step's updates (or None)."""
        for one in self.examined:
            yield {"phase": "start", "seed": one.seed, "step": 0}, one.profile, None
        for seed, training in enumerate(self.trainings):
            for row in training.rows:
                taken = {"phase": "training", "seed": seed, "step": row.step}
                yield taken, row.profile, row.update

    def _layers(self) -> Iterator[Row]:
        for taken, profile, update in self._profiles():
            for k, layer in enumerate(self.anatomy.layers):
                gradient, weight = profile.gradient[k], profile.weight[k]
                moved = math.nan if update is None else update[k]
                yield {
                    **taken, "place": k, "block": layer.block, "layer": layer.name,
                    "kind": layer.kind, "frozen": layer.frozen, "shared": layer.shared,
                    "gradient": float(gradient), "weight": float(weight),
                    "gradient_over_weight": _over(gradient, weight),
                    "update": float(moved), "update_over_weight": _over(moved, weight),
                    "adjoint": float(profile.adjoint[k]), "activation": float(profile.scale[k]),
                    "dead": float(profile.dead[k]), "saturated": float(profile.saturated[k]),
                }  # fmt: skip

    def _states(self) -> Iterator[Row]:
        for taken, profile, _ in self._profiles():
            for k, name in enumerate(profile.states):
                yield {
                    **taken, "place": k, "state": name,
                    "adjoint": float(profile.state_adjoint[k]),
                    "activation": float(profile.state_scale[k]),
                    "dead": float(profile.state_dead[k]),
                }  # fmt: skip

    def _remedies(self) -> Iterator[Row]:
        for trial in self.trials:
            yield {
                "remedy": trial.remedy, "change": trial.change, "fits": trial.fits,
                "heals": trial.heals, "helps": trial.helps,
                "verdict": trial.verdict, "layer": trial.layer,
                "log10_ratio": trial.log10_ratio, "loss": trial.loss, "steps": self.trial_steps,
            }  # fmt: skip

    def _training(self) -> Iterator[Row]:
        for seed, training in enumerate(self.trainings):
            for step, value in enumerate(training.J):
                yield {"seed": seed, "step": step, "J": float(value)}


def gradient_study(
    module: nn.Module | Callable[[], nn.Module],
    data: Any,
    loss: Loss | None = None,
    *,
    steps: int = 50,
    seeds: int = 1,
    against: nn.Module | Callable[[], nn.Module] | None = None,
    remedies: bool | None = None,
    remedy_steps: int = 50,
    optimizer: str = "adam",
    rate: float = 1e-3,
    names: tuple[str, str] | None = None,
    tell: Tell = lambda task: None,
) -> GradientStudy:
    """Study the gradients of any torch module: what is wrong, where, and what helps.

    module: a module, or a function that makes one (called once per seed); it is never changed.
    data: a pair (x, y), a function that returns one, or a loader. loss: `loss(output, y)`; without
    it cross entropy for whole-number targets, else the mean square. steps: recorded training steps.
    seeds: their number. against: a module to compare with. remedies: whether to try them on copies,
    `remedy_steps` steps each; by default where the verdict is not healthy. names: of the two
    modules. tell: is called with each task as it begins.
    """
    _check_counts(steps=steps, seeds=seeds, remedy_steps=remedy_steps)
    own, other = names or (_name(module, "module"), _name(against, "other"))
    options: dict[str, Any] = {
        "steps": steps, "seeds": seeds, "remedy_steps": remedy_steps,
        "trainer": Trainer(optimizer, rate), "tell": tell,
    }  # fmt: skip
    rival = None
    if against is not None:
        rival = _studied(Subject(against, data, loss, other), remedies=False, **options)
    return _studied(Subject(module, data, loss, own), remedies=remedies, against=rival, **options)


def _studied(
    subject: Subject,
    *,
    steps: int,
    seeds: int,
    remedies: bool | None,
    remedy_steps: int,
    trainer: Trainer,
    tell: Tell,
    against: GradientStudy | None = None,
) -> GradientStudy:
    tell(f"{subject.name}: layers and Jacobians")
    examiner = Examiner(subject)
    spectrum = examiner.spectra()
    if spectrum is not None:
        examiner.lyapunov = float(spectrum.lyapunov[:, 0].mean())
    examined = [examiner.examine(seed) for seed in range(seeds)]
    diagnosis = typical([one.diagnosis for one in examined])
    recurrent = examined[0].decisive_memory
    if recurrent is not None:
        spectrum = examiner.spectra(recurrent)
    trainings = []
    for seed in range(seeds):
        tell(f"{subject.name}: training, seed {seed + 1} of {seeds}")
        trainings.append(
            train_watched(
                subject, subject.make(seed), examiner.anatomy, trainer, steps=steps, seed=seed
            )
        )
    trials: list[Trial] = []
    if remedies or (remedies is None and not diagnosis.healthy):
        chosen = examined[:MOST_TRIAL_SEEDS]
        trials = try_remedies(examiner, chosen, trainer, steps=remedy_steps, tell=tell)
    return GradientStudy(
        name=subject.name, anatomy=examiner.anatomy,
        parameters=sum(p.numel() for p in subject.make(0).parameters()),
        examined=tuple(examined), trainings=tuple(trainings), spectra=spectrum,
        diagnosis=diagnosis, trials=tuple(trials), trial_steps=remedy_steps, against=against,
    )  # fmt: skip


def _over(a: Any, b: Any) -> float:
    return float(a / b) if b and np.isfinite(b) else math.nan


def _name(module: Any, otherwise: str) -> str:
    if isinstance(module, nn.Module):
        return type(module).__name__
    return str(getattr(module, "__name__", otherwise))


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        least = 1 if name == "seeds" else 0
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise UserError(f"{name} must be a whole number >= {least}, got {value!r}")
