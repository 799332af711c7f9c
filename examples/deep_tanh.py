"""Fifty plain tanh layers as torch starts them: does a gradient reach the first layer?

femnets gradients examples/deep_tanh.py:make --data examples/deep_tanh.py:batch --out page.html
"""

import torch
from torch import Tensor, nn


def make() -> nn.Module:
    """8 inputs, fifty layers of width 32, one output."""
    hidden = [part for _ in range(49) for part in (nn.Linear(32, 32), nn.Tanh())]
    return nn.Sequential(nn.Linear(8, 32), nn.Tanh(), *hidden, nn.Linear(32, 1))


def batch() -> tuple[Tensor, Tensor]:
    """A smooth function of eight variables at the same 64 points every time."""
    x = torch.randn(64, 8, generator=torch.Generator().manual_seed(0))
    return x, torch.sin(x.sum(1, keepdim=True))
