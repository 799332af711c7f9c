"""Gradient norms, end-to-end Jacobians and their predictions for one net before training."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Result
from bench.core.settings import setting
from bench.methods.configurations import NetInAtlas, gradient_profile_bytes


@dataclass(frozen=True, kw_only=True)
class Config(NetInAtlas):
    theory_samples: int = setting(8, min=1, help="Rows on which the theorems are evaluated.")
    jacobian_samples: int = setting(16, min=0, help="Rows with end-to-end Jacobians.")


ALONE = False
TIMED = ()
competitor = None  # nothing is trained


def needs_bytes(config: Config) -> int:
    return gradient_profile_bytes(config, max(config.theory_samples, config.jacobian_samples))


def run(config: Config) -> Result:
    import numpy as np

    from bench.methods.gradient_atlas import gradient_profile, inputs_and_targets, net_of
    from nets.gradients.verdict import judge

    net, (x, y) = net_of(config), inputs_and_targets(config)
    found = gradient_profile(
        net, x, y, theory=config.theory_samples, spectra=config.jacobian_samples
    )
    hidden = found.log10_norms["y"][1:-1]
    on_states, on_weights = judge(hidden.tolist()), judge(found.log10_norms["W"][1:-1].tolist())
    spectral = np.array([spectrum[:, 0].mean() for spectrum in found.log10_spectra])
    return Result(
        {
            "label": on_states.label,
            "label_weights": on_weights.label,
            "log10_growth": float(hidden[0] - hidden[-1]),
            "log10_growth_predicted": float(found.predicted[0]),
            "log10_spectral_norm": float(spectral[0]),
            "exponent_per_layer": float(hidden[0] - hidden[-1]) / max(len(hidden) - 1, 1),
            "exponent_per_layer_predicted": float(found.predicted[0]) / max(len(hidden) - 1, 1),
            "theory_error": found.theory_error,
        },
        {
            **{f"log10_{kind}": norms for kind, norms in found.log10_norms.items()},
            "log10_predicted": found.predicted,
            "log10_spectral_norms": spectral,
            "log10_spectrum": np.mean(found.log10_spectra[0], axis=0),
        },
    )
