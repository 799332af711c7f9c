"""The progress of a training on stderr: loss, errors and the time left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from base.progress import StatusLine, in_notebook, is_watched, spent_and_left, time_left

if TYPE_CHECKING:
    from nets.training.loop import Progress

__all__ = [
    "StatusLine",
    "TrainingProgress",
    "describe",
    "in_notebook",
    "is_watched",
    "spent_and_left",
    "time_left",
]


class TrainingProgress(StatusLine):
    """J, error, time left of a training."""

    def __call__(self, progress: Progress) -> None:
        self.say(describe(progress), progress.seconds)


def describe(progress: Progress) -> str:
    """`step 120  J 1.3e-04  rel_test_error 2.0e-02  12 s, 18 s left`."""
    parts = [f"step {progress.steps}", f"J {progress.J:.2e}"]
    parts += [f"{name} {value:.1e}" for name, value in progress.probes.items()]
    parts.append(spent_and_left(progress.seconds, progress.fraction))
    return "  ".join(parts)
