"""Gates that remember for as long as the sequences last (chrono start, Tallec & Ollivier 2018).

LSTM: b_f = log u, b_i = −b_f with u uniform between 1 and T − 1, so that the memory of the units
lasts from one step to the whole sequence. GRU: the same for its update gate, where 1 keeps the
state. A plain recurrence gets an orthogonal matrix, which neither shrinks nor stretches.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from nets.laboratory.remedies import Case, Change, DoesNotFit
from nets.laboratory.remedies.orthogonal import drawn

NAME = "long memory"
LSTM, GRU, PLAIN = ("LSTM", "LSTMCell"), ("GRU", "GRUCell"), ("RNN", "RNNCell")


def plan(case: Case) -> Change:
    """Plan gates or matrices that remember as long as the sequences last."""
    chosen = [layer for layer in case.anatomy.layers if layer.kind in (*LSTM, *GRU, *PLAIN)]
    if not chosen:
        raise DoesNotFit("no recurrent layer")
    length = max(case.length, 3)

    def apply(module: nn.Module) -> None:
        generator = torch.Generator().manual_seed(50_000 + case.seed)
        with torch.no_grad():
            for layer in chosen:
                _remember(module.get_submodule(layer.name), layer.kind, length, generator)

    kinds = {layer.kind for layer in chosen}
    gated = not kinds <= {*PLAIN}
    what = f"gates that remember 1 to {length} steps" if gated else "orthogonal recurrent matrix"
    return Change(f"{', '.join(sorted(kinds))}: {what}", apply)


def _remember(layer: Any, kind: str, length: int, generator: torch.Generator) -> None:
    n = layer.hidden_size
    own: dict[str, Tensor] = dict(layer.named_parameters())
    for name, weight in own.items():
        if kind in PLAIN and name.startswith("weight_hh"):
            weight.copy_(drawn(weight.shape, generator))
        if kind in PLAIN or not name.startswith("bias"):
            continue
        if name.startswith("bias_hh"):
            weight.zero_()
            continue
        u = 1 + (length - 2) * torch.rand(n, generator=generator, dtype=torch.float64)
        keep = u.clamp(min=1.0 + 1e-3).log()
        if kind in LSTM:
            weight[:n], weight[n : 2 * n] = -keep, keep  # input and forget gate
        else:
            weight[n : 2 * n] = keep  # reset, update, candidate
