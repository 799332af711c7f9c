"""ResNet, Fractional-DNN, DenseNet and feedforward nets with fixed or learned time steps.

The public names live one file each and are imported when first used, so that `import nets` costs
nothing and an engine (torch, numba) is loaded only by what needs it.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "UserError": "base.errors",
    "Loss": "nets.loss",
    "build": "nets.module",
    "grad_norms": "nets.gradients.norms",
    "gradient_study": "nets.laboratory.study",
    "load": "nets.storage",
    "loss_and_grad": "nets.gradients.methods",
    "memory_weights": "nets.fractional.weights",
    "record_gradients": "nets.gradients.recorder",
    "save": "nets.storage",
    "train": "nets.training.loop",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'nets' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
