"""What a net is made of, checked once: the arguments of `build`, the metadata of a saved net."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from base.errors import UserError, nearest
from nets.config_checks import check_config


@dataclass(frozen=True, kw_only=True)
class NetConfig:
    """The arguments of `build`, as plain values (so that they fit into JSON)."""

    net: str = "resnet"
    tau: str = "learned"
    hidden: int = 6
    width: int | tuple[int, ...] = 50
    inputs: int = 7
    outputs: int = 3
    gamma: float = 0.5
    tau0: float | str | tuple[float, ...] = 1.0
    activation: str = "smoothrelu"
    eta: float = 1e-4
    carry_input: bool = False
    init: str = "torch"
    scale: float = 1.0
    first_scale: float = 1.0
    sort_biases: bool = False
    seed: int = 0
    dtype: str = "float64"

    def __post_init__(self) -> None:
        for name in ("gamma", "eta", "scale", "first_scale"):
            value = getattr(self, name)
            if type(value) is int:  # Python integers are unbounded; tensors take 64 bits
                object.__setattr__(self, name, float(value))
        check_config(self)

    @property
    def widths(self) -> tuple[int, ...]:
        """n₀, the widths of the hidden layers 1..H, n_L."""
        inner = (self.width,) * self.hidden if isinstance(self.width, int) else self.width
        return (self.inputs, *inner, self.outputs)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "NetConfig":
        """Return the config from parsed JSON, where tuples have become lists."""
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise UserError(f"unknown setting {name!r} of a net; {nearest(name, known)}")
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        return cls(**plain)
