"""Watch gradients during training, in two lines.

`record_gradients` around a plain training loop of a small convolutional net.

The data are images of a bright square in one of four corners; the net has a learned scalar, τ, on
its residual branch. Run: python examples/record_gradients_cnn.py
"""

import matplotlib.pyplot as plt
import torch
from matplotlib.figure import Figure
from torch import nn

from nets import record_gradients
from nets.gradients.recorder import GradientHistory


class SmallNet(nn.Module):
    """Convolutions with one residual step x + τ σ(conv(x)), then a linear classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.lift = nn.Conv2d(1, 8, 3, padding=1)
        self.residual = nn.Conv2d(8, 8, 3, padding=1)
        self.tau = nn.Parameter(torch.tensor([0.1]))
        self.classify = nn.Linear(8 * 4 * 4, 4)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.lift(image)), 2)
        x = x + self.tau * torch.relu(self.residual(x))
        return self.classify(nn.functional.max_pool2d(x, 2).flatten(1))


def corner_images(count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Noise of 16 × 16 pixels with a bright 6 × 6 square in corner 0, 1, 2 or 3."""
    images = 0.3 * torch.randn(count, 1, 16, 16, generator=generator)
    corners = torch.randint(4, (count,), generator=generator)
    for image, corner in zip(images, corners.tolist(), strict=True):
        row, column = 10 * (corner // 2), 10 * (corner % 2)
        image[0, row : row + 6, column : column + 6] += 1.0
    return images, corners


def trained(steps: int = 60) -> tuple[GradientHistory, float]:
    """The history of a short training, and its last loss."""
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    model = SmallNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with record_gradients(model, entries=["tau"]) as history:
        for _ in range(steps):
            images, corners = corner_images(64, generator)
            loss = nn.functional.cross_entropy(model(images), corners)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return history, loss.item()


def main(steps: int = 60) -> str:
    history, loss = trained(steps)
    taus = history.values["tau"][:, 0]
    return (
        f"{history.table()}\n"
        f"τ went from {taus[0]:.3f} to {taus[-1]:.3f}; loss {loss:.3f} after {steps} steps"
    )


def figure() -> Figure:
    drawn, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
    trained()[0].plot(axes)
    return drawn


if __name__ == "__main__":
    print(main())
