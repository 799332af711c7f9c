"""ResNet, Fractional-DNN, DenseNet and feedforward nets with fixed or learned time steps.

The public names live one file each and are imported when first used, so that `import nets` costs
nothing and an engine (torch, numba) is loaded only by what needs it.
"""

from typing import TYPE_CHECKING

from base.lazy import lazily

if TYPE_CHECKING:
    from base.errors import UserError as UserError
    from nets.fractional.weights import memory_weights as memory_weights
    from nets.gradients.methods import loss_and_grad as loss_and_grad
    from nets.gradients.norms import grad_norms as grad_norms
    from nets.gradients.recorder import record_gradients as record_gradients
    from nets.laboratory.study import gradient_study as gradient_study
    from nets.loss import Loss as Loss
    from nets.module import build as build
    from nets.storage import load as load
    from nets.storage import save as save
    from nets.training.loop import train as train

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
__getattr__, __dir__ = lazily(__name__, _HOME)
