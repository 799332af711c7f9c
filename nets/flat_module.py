"""A torch module whose trainable parameters are one flat vector: what every optimiser moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from base.errors import UserError
from nets.differentiated import packed, write


class FlatModule(nn.Module):
    """Rows in, rows out, and the free parameters as one float64 vector."""

    def free_parameters(self) -> list[Tensor]:
        """Return the tensors that an optimiser moves, in the order of `pack`."""
        raise NotImplementedError

    @property
    def dtype(self) -> torch.dtype:
        """The precision of weights, inputs and outputs."""
        return self.free_parameters()[0].dtype

    @property
    def original(self) -> nn.Module:
        """The module that probes are given and a training returns."""
        return self

    def as_batch(self, x: Any, name: str, columns: int) -> Tensor:
        """Return rows in the net's precision; a UserError unless finite and of this shape."""
        x = torch.as_tensor(x).to(self.dtype)
        if x.ndim != 2 or x.shape[1] != columns:
            raise UserError(
                f"{name} must have shape (N, {columns}), got {tuple(x.shape)}; one point is a row"
            )
        if not bool(torch.isfinite(x).all()):
            row = int(torch.nonzero(~torch.isfinite(x).all(1))[0])
            raise UserError(f"{name} has a NaN or infinite entry in row {row}; remove such rows")
        return x

    def pack(self) -> np.ndarray:
        """Return the free parameters as one vector, in the order of `free_parameters`."""
        return packed(self.free_parameters()).copy()

    def unpack(self, theta: np.ndarray) -> None:
        """Write a vector of `pack` back into the parameters."""
        values, parameters = np.asarray(theta, dtype=np.float64), self.free_parameters()
        size = sum(p.numel() for p in parameters)
        if values.shape != (size,):
            raise UserError(f"theta must have {size} entries, got {values.shape}")
        write(values, parameters)


def finite(output: Tensor) -> Tensor:
    """Return the output; a UserError where it overflowed, so that no NaN goes unnoticed."""
    if not bool(torch.isfinite(output).all()):
        raise UserError(
            "the output of the net is not finite: its weights or steps are too large for "
            f"{str(output.dtype).removeprefix('torch.')}; scale them down, e.g. tau0='1/H'"
        )
    return output
