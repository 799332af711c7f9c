"""Does a gradient reach the first of fifty layers?

Fifty plain tanh layers as torch starts them: each multiplies gradients by 0.58, so that hardly
anything of them arrives at the first.

femnets gradients examples/deep_tanh.py:make --data examples/deep_tanh.py:batch --out page.html
"""

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from nets import gradient_study


def make() -> nn.Module:
    """8 inputs, fifty layers of width 32, one output."""
    hidden = [part for _ in range(49) for part in (nn.Linear(32, 32), nn.Tanh())]
    return nn.Sequential(nn.Linear(8, 32), nn.Tanh(), *hidden, nn.Linear(32, 1))


def batch() -> tuple[Tensor, Tensor]:
    """A smooth function of eight variables at the same 64 points every time."""
    x = torch.randn(64, 8, generator=torch.Generator().manual_seed(0))
    return x, torch.sin(x.sum(1, keepdim=True))


def figure() -> Figure:
    """The figure that carries the verdict."""
    study = gradient_study(make, batch, steps=0, remedies=False)
    return study.figure("depth")
