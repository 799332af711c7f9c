"""`gradient_study`: everything the laboratory measures about one module, and its diagnosis."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import nn

from base.errors import UserError
from nets.laboratory.anatomy import Anatomy
from nets.laboratory.diagnosis import Diagnosis
from nets.laboratory.examination import Examined, Examiner
from nets.laboratory.jacobians import Spectra
from nets.laboratory.profile import Profile
from nets.laboratory.remedies import Apply
from nets.laboratory.remedies.scale import scaled
from nets.laboratory.subject import Loss, Subject
from nets.laboratory.training import Trainer, Training, train_watched
from nets.laboratory.trials import Trial, try_remedies, typical

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
Tell = Callable[[str, float], None]  # the current task, and the share that is done

MOST_TRIAL_SEEDS = 3


@dataclass(frozen=True)
class GradientStudy:
    """The measurements of one module and its diagnosis; all numbers are available as tables."""

    name: str
    anatomy: Anatomy
    parameters: int
    examined: tuple[Examined, ...]  # scale 1 first, every seed
    trainings: tuple[Training, ...]  # one per seed
    spectra: Spectra | None  # before training, first seed
    spectra_after: Spectra | None
    diagnosis: Diagnosis
    trials: tuple[Trial, ...]  # best first
    trial_steps: int
    against: GradientStudy | None = None

    TABLES = ("layers", "states", "remedies", "jacobians", "memory", "scales", "training")
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
        """A table as a DataFrame, one row per number of `TABLES`; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise UserError("to_pandas needs pandas: pip install 'femnets[export]'") from None
        return pandas.DataFrame(self.rows(table))

    def to_csv(self, path: str | Path, table: str = "layers") -> None:
        """A table as a file of comma-separated values."""
        rows = self.rows(table)
        names = list(dict.fromkeys(name for row in rows for name in row))
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)

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
            yield _taken("start", one.seed, one.scale, 0), one.profile, None
        for seed, training in enumerate(self.trainings):
            for row in training.rows:
                yield _taken("training", seed, 1.0, row.step), row.profile, row.update

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
                    "gradient_over_update": _over(gradient, moved),
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

    def _jacobians(self) -> Iterator[Row]:
        for when, found in (("start", self.spectra), ("end", self.spectra_after)):
            if found is None:
                continue
            whole = f"{found.states[0]} → {found.states[-1]}"
            for name, values in (("singular", found.end_to_end), ("lyapunov", found.lyapunov)):
                for i, value in enumerate(values.mean(axis=0)):
                    yield {"phase": when, "what": name, "from_to": whole, "i": i, "value": value}
            for k, values in enumerate(found.blocks):
                step = f"{found.states[k]} → {found.states[k + 1]}"
                for i, value in enumerate(values):
                    row = {"phase": when, "what": "block", "from_to": step, "i": i}
                    yield {**row, "value": float(value)}

    def _memory(self) -> Iterator[Row]:
        for one in self.examined:
            for name, logs in one.memory.items():
                for t, value in enumerate(logs):
                    row = {"seed": one.seed, "scale": one.scale, "layer": name, "time": t}
                    yield {**row, "log10_felt": float(value)}

    def _scales(self) -> Iterator[Row]:
        for one in self.examined:
            yield {
                "scale": one.scale, "seed": one.seed, "verdict": one.diagnosis.verdict,
                "layer": one.diagnosis.layer, "log10_ratio": one.diagnosis.log10_ratio,
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
    scales: Sequence[float] = (),
    against: nn.Module | Callable[[], nn.Module] | None = None,
    remedies: bool | None = None,
    remedy_steps: int = 50,
    optimizer: str = "adam",
    rate: float = 1e-3,
    names: tuple[str, str] | None = None,
    tell: Tell | None = None,
) -> GradientStudy:
    """Study the gradients of any torch module: what is wrong, where, and what helps.

    module: a module, or a function that makes one (called once per seed); it is never changed.
    data: a pair (x, y), a function that returns one, or a loader. loss: `loss(output, y)`; without
    it cross entropy for whole-number targets, else the mean square. steps: recorded training steps.
    seeds: their number. scales: factors on the starting weights to examine besides 1. against: a
    module to compare with. remedies: whether to try them on copies, `remedy_steps` steps each;
    by default where the verdict is not healthy.
    """
    _check_counts(steps=steps, seeds=seeds, remedy_steps=remedy_steps)
    trainer = Trainer(optimizer, rate)
    own, other = names or (_name(module, "module"), _name(against, "other"))
    tell = tell or (lambda what, share: None)
    options: dict[str, Any] = {"steps": steps, "seeds": seeds, "scales": scales}
    options |= {"remedy_steps": remedy_steps, "trainer": trainer}
    rival = None
    if against is not None:
        subject = Subject(against, data, loss, other)
        rival = _studied(subject, remedies=False, tell=lambda what, s: tell(what, s / 3), **options)
    begin = 0.0 if rival is None else 1 / 3
    return _studied(
        Subject(module, data, loss, own),
        remedies=remedies,
        tell=lambda what, share: tell(what, begin + (1 - begin) * share),
        against=rival,
        **options,
    )


def _studied(
    subject: Subject,
    *,
    steps: int,
    seeds: int,
    scales: Sequence[float],
    remedies: bool | None,
    remedy_steps: int,
    trainer: Trainer,
    tell: Tell,
    against: GradientStudy | None = None,
) -> GradientStudy:
    tell(f"{subject.name}: layers and Jacobians", 0.0)
    examiner = Examiner(subject)
    spectrum = examiner.spectra(*examiner.fresh(0))
    if spectrum is not None:
        examiner.lyapunov = float(spectrum.lyapunov[:, 0].mean())
    examined = [examiner.examine(seed) for seed in range(seeds)]
    diagnosis = typical([one.diagnosis for one in examined])
    recurrent = examined[0].decisive_memory
    if recurrent is not None:
        spectrum = examiner.spectra(*examiner.fresh(0), recurrent)
    tried = remedies if remedies is not None else not diagnosis.healthy
    share = _Share(tell, subject.name, seeds * steps, seeds if tried else 0, remedy_steps)
    trainings, after = [], None
    for seed in range(seeds):
        module = subject.make(seed)
        trainings.append(
            train_watched(
                subject, module, examiner.anatomy, trainer, steps=steps, seed=seed,
                tell=share.stepped,
            )
        )  # fmt: skip
        if seed == 0 and steps and not trainings[0].diverged:
            after = examiner.spectra(*examiner.precise(module, 0), recurrent)
    trials: list[Trial] = []
    if tried:
        chosen = examined[: min(seeds, MOST_TRIAL_SEEDS)]
        trials = try_remedies(examiner, chosen, trainer, steps=remedy_steps, tell=share.tried)
    for scale in scales:
        if scale != 1.0:
            change = _scale_change(examiner, scale)
            examined += _at_scale(examiner, seeds, scale, change)
    tell(f"{subject.name}: done", 1.0)
    return GradientStudy(
        name=subject.name, anatomy=examiner.anatomy,
        parameters=sum(p.numel() for p in subject.make(0).parameters()),
        examined=tuple(examined), trainings=tuple(trainings), spectra=spectrum,
        spectra_after=after, diagnosis=diagnosis, trials=tuple(trials), trial_steps=remedy_steps,
        against=against,
    )  # fmt: skip


class _Share:
    """The share that is done: steps of training, and remedies at K steps and a few passes each."""

    REMEDIES = 11  # with the unchanged module

    def __init__(self, tell: Tell, name: str, steps: int, seeds: int, remedy_steps: int) -> None:
        self.tell, self.name, self.done = tell, name, 0
        self.seeds, self.each = min(seeds, MOST_TRIAL_SEEDS), remedy_steps + 2
        self.total = max(1, steps + self.REMEDIES * self.seeds * self.each)

    def stepped(self, step: int) -> None:
        self.done += 1
        self.tell(f"{self.name}: training, step {step}", self.done / self.total)

    def tried(self, remedy: str) -> None:
        self.tell(f"{self.name}: {remedy}", min(1.0, self.done / self.total))
        self.done += self.seeds * self.each


def _scale_change(examiner: Examiner, scale: float) -> Apply:
    if not (scale > 0 and math.isfinite(scale)):
        raise UserError(f"a scale must be a positive number, got {scale}")
    layers = examiner.anatomy.layers
    named = dict(examiner.fresh(0)[0].named_parameters(remove_duplicate=False))
    weights = [p for layer in layers for p in layer.parameters if named[p].ndim >= 2]
    return scaled(weights, scale)


def _at_scale(examiner: Examiner, seeds: int, scale: float, change: Apply) -> list[Examined]:
    """Examine at one scale; where J is not finite, return a diagnosis that says so."""
    found = []
    for seed in range(seeds):
        try:
            found.append(examiner.examine(seed, change, scale))
        except UserError:
            base = examiner.examine(seed)
            cause = f"J is not finite at scale {scale:g}"
            beyond = Diagnosis("exploding", None, math.inf, "depth", math.inf, cause)
            found.append(Examined(seed, scale, base.profile, base.memory, beyond))
    return found


def _taken(phase: str, seed: int, scale: float, step: int) -> Row:
    """Return the first columns of a row: when a profile was taken."""
    return {"phase": phase, "seed": seed, "scale": scale, "step": step}


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
