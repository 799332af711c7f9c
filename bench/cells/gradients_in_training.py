"""Gradient norms layer by layer, τ and J along one training, and where it ended."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Result
from bench.core.settings import inherited, setting
from bench.methods.configurations import NetInAtlas


@dataclass(frozen=True, kw_only=True)
class Config(NetInAtlas):
    init: str = inherited(NetInAtlas, "init", default="torch")
    optimizer: str = setting("adam", help="An optimiser of `femnets list`.")
    rate: float = setting(1e-3, above=0, help="Rate, if the optimiser has no line search.")
    evaluations: int = setting(
        500, min=1, help="Evaluations of J and its gradient, line searches included."
    )
    rows: int = setting(100, min=1, help="Approximate rows of the recorded history.")


ALONE = False
TIMED = ()
competitor = None  # it records gradients, on few samples


def needs_bytes(config: Config) -> int:
    return 400 * 2**20


def run(config: Config) -> Result:
    import numpy as np

    from bench.methods.gradient_atlas import inputs_and_targets, net_of
    from nets import optimizers
    from nets.gradients.verdict import judge
    from nets.gradients.watched import train_with_norms

    net, (x, y) = net_of(config), inputs_and_targets(config)
    line_search = optimizers.get(config.optimizer).LINE_SEARCH
    history = train_with_norms(
        net,
        x,
        y,
        optimizer=config.optimizer,
        evaluations=config.evaluations,
        every=max(1, config.evaluations // config.rows),
        options={} if line_search else {"rate": config.rate},
    )
    test_x, test_y = inputs_and_targets(config, test=True)
    error = (net(test_x) - test_y).detach()
    verdicts = [judge(profile.tolist()) for profile in history["log10_y"]]
    start, end = verdicts[0], verdicts[-1]
    labels = [verdict.label for verdict in verdicts]
    weights = history["log10_W"][:, 1:-1]
    values = {
        "train_mse": float(history["J"].min()),
        "rel_test_error": float(error.norm() / test_y.norm()),
        "label_start": start.label,
        "label_end": end.label,
        "label_shares": {label: labels.count(label) / len(labels) for label in sorted(set(labels))},
        "log10_growth_start": start.log10_ratio,
        "log10_growth_end": end.log10_ratio,
        "log10_weight_ratio_end": float(weights[-1, 0] - weights[-1, -1]),
        "tau_min": float(history["tau"][-1].min()),
        "tau_max": float(history["tau"][-1].max()),
        "steps": int(history["step"][-1]),
    }
    diverged = not np.isfinite(history["J"][-1])
    return Result(values, history, diverged=diverged)
