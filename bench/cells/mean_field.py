"""Growth of gradients in one random net, of any width, beside what mean-field theory predicts."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Result
from bench.cells._net import NET, NetInAtlas
from bench.settings import inherited, setting


@dataclass(frozen=True, kw_only=True)
class Config(NetInAtlas):
    activation: str = setting("smoothrelu", panel=NET, help="Activation.")
    normalised: bool = setting(False, panel=NET, help="Pre-activations scaled to variance one.")
    samples: int = inherited(NetInAtlas, "samples", default=32)


DEPENDS = ("nets", "bench.atlas", "bench.problems", "bench.domains")
ALONE = False
TIMED = ()
appearance = None  # nothing is trained


def needs_bytes(config: Config) -> int:
    """Weights and their gradients in float64, and the states."""
    hidden, width = config.hidden, config.width
    return 400 * 2**20 + 8 * hidden * width * (3 * width + 8 * config.samples)


def work(config: Config) -> float:
    return float(config.hidden * config.width**2)


def run(config: Config) -> Result:
    """`log10_growth_before` is told the starting law of the weights alone, for the plain net."""
    from bench.atlas import data_of, net_of, normalise
    from nets.gradients.norms import layer_norms
    from nets.gradients.passes import trajectory
    from nets.gradients.verdict import judge
    from nets.theory import mean_field
    from nets.theory.predicted import alignment, gains, mean_field_growth

    net, (x, y) = net_of(config), data_of(config)
    if config.normalised:
        normalise(net, x)
    hidden = layer_norms(net, x, y).log10()["y"][1:-1]
    at = trajectory(net, x)
    chi, predicted = gains(at), mean_field_growth(at, alignment(at, y))
    before = None
    if config.net == "feedforward" and config.init in ("he", "xavier", "normal", "orthogonal"):
        w = float(at.W[1].square().mean()) * config.width
        first = float(at.W[0].square().mean()) * float(x.square().sum(1).mean())
        if not config.normalised:
            before = mean_field.log10_growth(net.sigma, w, 0.0, first, config.hidden)
    return Result(
        {
            "label": judge(hidden.tolist()).label,
            "log10_growth": float(hidden[0] - hidden[-1]),
            "log10_growth_predicted": float(predicted[0]),
            "log10_growth_before": before,
            "chi": float(chi[1:].mean()) if len(chi) > 1 else float(chi[0]),
        },
        {"log10_y": hidden, "log10_predicted": predicted, "chi": chi},
    )
