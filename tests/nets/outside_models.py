"""Eight small modules as users bring them, with data: what the laboratory must diagnose."""

import torch
from torch import nn

LENGTH, LETTERS = 40, 8


def deep_sigmoid():
    """Fifty sigmoid layers as torch starts them."""
    hidden = [part for _ in range(49) for part in (nn.Linear(8, 8), nn.Sigmoid())]
    return nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), *hidden, nn.Linear(8, 1))


class Unrolled(nn.Module):
    """A loop over a recurrent cell, and a read-out of the last state."""

    def __init__(self):
        super().__init__()
        self.cell, self.read = nn.RNNCell(1, 24), nn.Linear(24, 1)

    def forward(self, x):
        h = x.new_zeros(len(x), 24)
        for step in x.unbind(1):
            h = self.cell(step, h)
        return self.read(h)


class Recurrent(nn.Module):
    """A recurrent layer of torch, and a read-out of its last output."""

    def __init__(self, kind):
        super().__init__()
        self.rnn, self.read = kind(1, 24, batch_first=True), nn.Linear(24, 1)

    def forward(self, x):
        return self.read(self.rnn(x)[0][:, -1])


class Transformer(nn.Module):
    """torch's own encoder, normalised in front of its branches or behind them."""

    def __init__(self, norm_first, blocks=6):
        super().__init__()
        self.embed = nn.Embedding(LETTERS, 16)
        self.place = nn.Parameter(torch.randn(10, 16))
        options = {"batch_first": True, "dropout": 0.0, "norm_first": norm_first}
        self.body = nn.ModuleList(
            nn.TransformerEncoderLayer(16, 2, 32, **options) for _ in range(blocks)
        )
        self.read = nn.Linear(16, LETTERS)

    def forward(self, x):
        x = self.embed(x) + self.place
        for block in self.body:
            x = block(x)
        return self.read(x)


def dead_cnn():
    """Convolutions with ReLU whose third layer never fires."""
    sizes = [(1, 8), (8, 8), (8, 8), (8, 8)]
    layers = [p for a, b in sizes for p in (nn.Conv2d(a, b, 3, padding=1), nn.ReLU())]
    nn.init.constant_(layers[4].bias, -5.0)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 4))


class ResidualConv(nn.Module):
    """ReLU(x + f(x)), f: convolution, BatchNorm, ReLU, convolution, BatchNorm."""

    def __init__(self, width=8):
        super().__init__()
        self.conv1, self.conv2 = (nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.norm1, self.norm2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        self.relu = nn.ReLU()

    def forward(self, x):
        y = self.relu(self.norm1(self.conv1(x)))
        return self.relu(x + self.norm2(self.conv2(y)))


def batchnorm_cnn():
    """A residual convolutional net with batch normalisation."""
    start = (nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
    end = (nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 4))
    return nn.Sequential(*start, *(ResidualConv() for _ in range(4)), *end)


def smooth():
    x = torch.randn(16, 4)
    return x, torch.sin(x.sum(1, keepdim=True))


def first_entry():
    """Sequences; the target is their first entry."""
    x = torch.randn(16, LENGTH, 1)
    return x, x[:, 0]


def reversal():
    letters = torch.randint(0, LETTERS, (8, 10))
    return letters, letters.flip(1)


def corners():
    """Images of 8 × 8 with a bright square in one of four corners."""
    images, corner = 0.3 * torch.randn(16, 1, 8, 8), torch.randint(0, 4, (16,))
    for image, k in zip(images, corner.tolist(), strict=True):
        row, column = 5 * (k // 2), 5 * (k % 2)
        image[0, row : row + 3, column : column + 3] += 1.0
    return images, corner


def unrolled():
    return Unrolled()


def rnn():
    return Recurrent(nn.RNN)


def lstm():
    return Recurrent(nn.LSTM)


def pre_norm():
    return Transformer(norm_first=True)


def post_norm():
    return Transformer(norm_first=False)
