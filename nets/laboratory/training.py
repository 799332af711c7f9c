"""A short training with a record: J at every step, all norms at some of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from base.errors import UserError, nearest
from nets.laboratory.anatomy import Anatomy
from nets.laboratory.profile import Profile, layer_norms, profile
from nets.laboratory.subject import Batch, Subject, seeded

Array = NDArray[np.float64]
FRESH = 4  # batches on which remedies are compared; the same one if the data are one pair

OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}


@dataclass(frozen=True)
class Trainer:
    """How a module is trained here: the same for everything that is compared."""

    optimizer: str = "adam"
    rate: float = 1e-3
    clip: float | None = None  # of the norm of the whole gradient

    def __post_init__(self) -> None:
        if self.optimizer not in OPTIMIZERS:
            known = nearest(self.optimizer, sorted(OPTIMIZERS))
            raise UserError(f"unknown optimizer {self.optimizer!r} of the laboratory; {known}")
        if not (self.rate > 0 and math.isfinite(self.rate)):
            raise UserError(f"rate must be positive, got {self.rate}; 1e-3 is usual for adam")

    def build(self, module: nn.Module) -> torch.optim.Optimizer:
        """Return the optimiser of the parameters that are not frozen."""
        free = [p for p in module.parameters() if p.requires_grad]
        return OPTIMIZERS[self.optimizer](free, lr=self.rate)


@dataclass(frozen=True)
class Row:
    """A profile during training, with the size of the step that followed it."""

    step: int
    profile: Profile
    update: Array  # ‖θ after − θ before‖ per layer


@dataclass(frozen=True)
class Training:
    """J before every step and after the last; rows at some steps."""

    J: Array
    rows: tuple[Row, ...]

    @property
    def diverged(self) -> bool:
        """Whether J was infinite or NaN at some step."""
        return not bool(np.isfinite(self.J).all())


def train_watched(
    subject: Subject,
    module: nn.Module,
    anatomy: Anatomy,
    trainer: Trainer,
    *,
    steps: int,
    seed: int,
    rows: int = 40,
) -> Training:
    """Train in place for `steps` steps; a run whose J is not finite ends there with J = inf."""
    batches = subject.batches(seed, steps + 1)
    watched = set(
        np.unique(np.linspace(0, max(steps - 1, 0), min(rows, steps)).round().astype(int))
    )
    optimizer = trainer.build(module)
    J: list[float] = []
    found: list[Row] = []
    with seeded(30_000 + seed):
        for step in range(steps):
            try:
                if step in watched:
                    seen = profile(subject, module, batches[step], anatomy, keep=True)
                    J.append(seen.J)
                    update = _step_sizes(module, anatomy, lambda: _step(module, optimizer, trainer))
                    found.append(Row(step, seen, update))
                else:
                    J.append(_plain_step(subject, module, batches[step], optimizer, trainer))
            except UserError:  # J is not finite
                J.append(math.inf)
                break
        J.append(final_loss(subject, module, batches[0]))
    return Training(np.array(J), tuple(found))


def loss_after(
    subject: Subject,
    module: nn.Module,
    anatomy: Anatomy,
    trainer: Trainer,
    *,
    steps: int,
    seed: int,
) -> float:
    """Return the mean of J on the next FRESH batches after so many steps; inf if it diverged."""
    if train_watched(subject, module, anatomy, trainer, steps=steps, seed=seed, rows=0).diverged:
        return math.inf
    fresh = subject.batches(seed, steps + FRESH)[steps:]
    return float(np.mean([final_loss(subject, module, batch) for batch in fresh]))


def final_loss(subject: Subject, module: nn.Module, batch: Batch) -> float:
    """Put the module into evaluation mode (no dropout) and return J; inf if it is not finite."""
    module.eval()
    with torch.enable_grad():
        value = float(subject.forward(module, batch).item())
    return value if math.isfinite(value) else math.inf


def _plain_step(
    subject: Subject,
    module: nn.Module,
    batch: Batch,
    optimizer: torch.optim.Optimizer,
    trainer: Trainer,
) -> float:
    optimizer.zero_grad(set_to_none=True)
    with torch.enable_grad():
        J = subject.forward(module, batch)
    if not math.isfinite(J.item()):
        raise UserError(f"J is {J.item()} during the training; take a smaller rate")
    J.backward()
    _step(module, optimizer, trainer)
    return float(J.item())


def _step(module: nn.Module, optimizer: torch.optim.Optimizer, trainer: Trainer) -> None:
    if trainer.clip is not None:
        nn.utils.clip_grad_norm_(module.parameters(), trainer.clip)
    optimizer.step()


def _step_sizes(module: nn.Module, anatomy: Anatomy, step: Callable[[], None]) -> Array:
    named = dict(module.named_parameters(remove_duplicate=False))
    moving: dict[str, Tensor] = {name: p for name, p in named.items() if p.requires_grad}
    before = {name: p.detach().clone() for name, p in moving.items()}
    step()
    with torch.no_grad():
        moved: dict[str, Any] = {name: p.detach() - before[name] for name, p in moving.items()}
    return layer_norms(anatomy, moved)
