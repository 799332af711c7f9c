"""One baseline without a net, fitted to the same samples as the nets (track: fit)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.cells import MACHINE, Result
from bench.core.settings import setting
from bench.methods.competitor import Competitor, samples_given, samples_title


@dataclass(frozen=True, kw_only=True)
class Config:
    method: str = setting(help="The baseline: a file of bench/methods/baselines.")
    problem: str = setting("maxwell", help="The field to learn.")
    features: str = setting("x,f,phi", help="Inputs of the method.")
    samples: int = setting(12_000, min=1, help="Training points.")
    data_seed: int = setting(0, min=0, help="Seed of the points only.")
    seed: int = setting(0, min=0, help="Seed of the method's own random numbers.")


ALONE = False
TIMED = MACHINE


def needs_bytes(config: Config) -> int:
    """Memory of the process, the features at all samples and the copies for a factorisation."""
    return (400 + config.samples // 20) * 2**20


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    return Competitor(
        title=f"{config.method.replace('_', ' ')} ({config.features})"
        + (" given the kind of singularity" if _known(config.method) else "")
        + samples_title(config.samples),
        series=config.method.replace("_", " "),
        family="linear model",
        look=config.method,
        information="samples",
        given=samples_given(config.samples, config.features) + _known(config.method),
        inputs=config.features,
        unknowns=int(values["unknowns"]),
        tuned=_tuned(values.get("chosen")),
        search="counted" if values.get("chosen") else "none",
        samples=config.samples,
    )


def _known(method: str) -> str:
    """What a method is given beyond the samples, as its file declares it."""
    from bench.methods.baselines import get

    more = getattr(get(method), "KNOWS", "")
    return f"; also {more}" if more else ""


def _tuned(chosen: Mapping[str, Any] | None) -> str:
    names = ", ".join(chosen or ())
    return f"{names} by validation on a fifth of the samples; counted" if names else "nothing"


def run(config: Config) -> Result:
    from bench import problems
    from bench.measure.norms import field_errors, relative_test_error
    from bench.measure.queries import seconds_per_point
    from bench.measure.timing import warm
    from bench.methods.linear_models import fit_baseline

    problem = problems.get(config.problem)
    points = problem.domain.sample_training(config.samples, config.data_seed)
    held_out = problem.domain.sample_training(config.samples, config.data_seed, test=True)
    features, seed = config.features.split(","), config.seed
    field, seconds = warm(
        lambda: fit_baseline(config.method, problem, points, features=features, seed=seed)
    )
    return Result(
        {
            **field_errors(field, problem, jacobian=field.jacobian),
            "rel_test_error": relative_test_error(field(held_out).T, problem.targets(held_out)),
            "unknowns": field.fitted.unknowns,
            "smooth": problem.smooth,
            "chosen": dict(field.fitted.chosen),
            "seconds": seconds,
            "seconds_tuning": field.fitted.seconds_tuning,
            "seconds_per_point": seconds_per_point(field, problem.domain),
        }
    )
