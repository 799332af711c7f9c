"""Why does this transformer explode?

A small transformer without normalisation that is to reverse sequences. The gradient of the loss
grows by five decades from the last block to the first: nothing normalises the residual stream.

femnets gradients examples/bare_transformer.py:make --data examples/bare_transformer.py:batch
"""

import math

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from nets import gradient_study

LETTERS, LENGTH, WIDTH = 16, 12, 32


class Block(nn.Module):
    """x + attention(x), then x + mlp(x)."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, 4, batch_first=True)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return x + self.mlp(x)


class Transformer(nn.Module):
    """Embedding with learned positions, a stack of blocks, a linear read-out."""

    def __init__(self, blocks: int = 16) -> None:
        super().__init__()
        self.embed = nn.Embedding(LETTERS, WIDTH)
        self.places = nn.Parameter(torch.randn(LENGTH, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))
        self.read = nn.Linear(WIDTH, LETTERS)
        for name, weight in self.blocks.named_parameters():
            if name.endswith("weight"):
                nn.init.normal_(weight, std=1 / math.sqrt(weight.shape[1]))

    def forward(self, letters: Tensor) -> Tensor:
        x = self.embed(letters) + self.places
        for block in self.blocks:
            x = block(x)
        out: Tensor = self.read(x)
        return out


def make() -> nn.Module:
    return Transformer()


def batch() -> tuple[Tensor, Tensor]:
    letters = torch.randint(0, LETTERS, (8, LENGTH))
    return letters, letters.flip(1)


def figure() -> Figure:
    """The figure that carries the verdict."""
    study = gradient_study(make, batch, steps=0, remedies=False)
    return study.figure("depth")
