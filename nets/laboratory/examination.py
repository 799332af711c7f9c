"""A module at the start of its training, seed by seed: profile, memory, spectra, diagnosis."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from nets.laboratory.anatomy import Anatomy, dissect
from nets.laboratory.branches import Branch, residual_branches
from nets.laboratory.diagnosis import Diagnosis, Findings, diagnose
from nets.laboratory.jacobians import Spectra, chain_spectra, spectra
from nets.laboratory.memory import hidden_states, memory_profiles
from nets.laboratory.profile import Profile, plain_attention, profile
from nets.laboratory.remedies import Apply
from nets.laboratory.subject import Batch, Subject, seeded

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Examined:
    """The measurements of one seed before the first step."""

    seed: int
    profile: Profile
    memory: Mapping[str, Array]
    diagnosis: Diagnosis

    @property
    def decisive_memory(self) -> str | None:
        """The recurrent layer that decided the diagnosis; None if depth did."""
        if self.diagnosis.over != "time":
            return None
        return max(self.memory, key=lambda name: abs(self.memory[name][0] - self.memory[name][-1]))


class Examiner:
    """Measurements of copies of one subject, changed or not, always made in the same way."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        with seeded(20_000):  # unchanged, so that errors refer to what the user gave
            own = subject.make(0)
            self.anatomy: Anatomy = dissect(subject, own, subject.batches(0, 1)[0])
        module, batch = self.fresh(0)
        with seeded(20_000), plain_attention():
            self.branches: dict[str, list[Branch]] = residual_branches(module, batch, self.anatomy)
        self.lyapunov = math.nan

    def fresh(self, seed: int, change: Apply | None = None) -> tuple[nn.Module, Batch]:
        """Return the module of a seed, changed, and its first batch; in float64 where it runs."""
        module, batch = self.subject.make(seed), self.subject.batches(seed, 1)[0]
        if self.subject.fits_double(module, batch):
            module, batch = module.double(), batch.to(torch.float64)
        if change is not None:
            change(module)
        return module, batch

    def examine(self, seed: int, change: Apply | None = None) -> Examined:
        """Profile, memory and diagnosis of a copy."""
        module, batch = self.fresh(seed, change)
        with seeded(20_000 + seed), plain_attention():
            found = profile(self.subject, module, batch, self.anatomy)
            memory = memory_profiles(module, batch, self.anatomy)
        normalised = [b.normalised for branches in self.branches.values() for b in branches]
        diagnosis = diagnose(
            Findings(
                profile=found,
                memory=memory,
                lyapunov=self.lyapunov if change is None else math.nan,
                residual_blocks=len(self.branches),
                normalised=bool(normalised) and all(normalised),
                forget_gate=forget_gates(module),
            )
        )
        return Examined(seed, found, memory, diagnosis)

    def spectra(self, recurrent: str | None = None) -> Spectra | None:
        """Jacobians of the first seed, in depth or over the time of a recurrent layer.

        None where torch cannot differentiate it twice, or where there is no chain of states.
        """
        module, batch = self.fresh(0)
        with seeded(20_000), plain_attention():
            try:
                if recurrent is None:
                    return spectra(module, batch, self.anatomy)
                states = hidden_states(module, batch, self.anatomy, recurrent)
            except RuntimeError:  # an operation without a second derivative
                return None
            names = [f"{recurrent}[{t}]" for t in range(len(states or ()))]
            return chain_spectra(states or [], names, per="time step")


def forget_gates(module: nn.Module) -> dict[str, float]:
    """The mean of σ(b_f) of every LSTM: its forget gate before any input."""
    found = {}
    for name, part in module.named_modules():
        if isinstance(part, nn.LSTM) and part.bias:
            n = part.hidden_size
            layer: Any = part
            bias = (layer.bias_ih_l0 + layer.bias_hh_l0)[n : 2 * n]
            found[name] = float(torch.sigmoid(bias.detach().double()).mean())
    return found
