"""How far back does an LSTM remember?

An LSTM that is to repeat two letters after a pause of fifty blanks. At the start its last output
depends on the first letter a million times less than on the last: its forget gate starts at 0.5.

femnets gradients examples/lstm_copy.py:make --data examples/lstm_copy.py:batch --rate 0.01
"""

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from nets import gradient_study

LETTERS, PAUSE, WORD = 8, 50, 2
BLANK, GO = 0, LETTERS + 1
IGNORED = -100  # ignored by torch's cross entropy


class Copier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(LETTERS + 2, 16)
        self.lstm = nn.LSTM(16, 48, batch_first=True)
        self.read = nn.Linear(48, LETTERS + 2)

    def forward(self, letters: Tensor) -> Tensor:
        out: Tensor = self.read(self.lstm(self.embed(letters))[0])
        return out


def make() -> nn.Module:
    return Copier()


def batch() -> tuple[Tensor, Tensor]:
    """A word, a pause, a start sign; the target is the word again at the end."""
    word = torch.randint(1, LETTERS + 1, (32, WORD))
    letters = torch.full((32, PAUSE + 2 * WORD), BLANK)
    letters[:, :WORD], letters[:, PAUSE + WORD - 1] = word, GO
    target = torch.full_like(letters, IGNORED)
    target[:, -WORD:] = word
    return letters, target


def figure() -> Figure:
    """The figure that carries the verdict."""
    study = gradient_study(make, batch, steps=0, remedies=False)
    return study.figure("memory")
