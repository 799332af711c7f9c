"""How far back in time a recurrent layer depends on its input.

For the outputs o[0..T-1] of a recurrent layer at its inputs x[0..T-1], and a random vector v, the
profile ‖vᵀ ∂o[T-1]/∂x[t]‖ over t says how the last output depends on each input: a property of the
layer at these data, whatever the loss is. A loop over a cell needs none of this: its calls are
states like those of any block. `hidden_states` makes such a chain of a recurrent layer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nets.laboratory.anatomy import Anatomy, first_arguments
from nets.laboratory.subject import Batch

Array = NDArray[np.float64]


def memory_profiles(
    module: nn.Module, batch: Batch, anatomy: Anatomy, seed: int = 0
) -> dict[str, Array]:
    """log₁₀ of the profile over time of every recurrent layer (nn.RNN, LSTM, GRU), by its name."""
    known = dict(module.named_modules())
    layers = (layer.name for layer in anatomy.layers)
    names = {name for name in layers if isinstance(known.get(name), nn.RNNBase)}
    if not names:
        return {}
    given = first_arguments(names, anatomy, module, batch)
    return {
        name: _profile(module.get_submodule(name), given[name], seed)
        for name in given
        if isinstance(given[name][0][0], torch.Tensor)
    }


def _profile(layer: nn.Module, arguments: Any, seed: int) -> Array:
    (x, *rest), options = arguments
    x = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        output = layer(x, *rest, **options)[0]
    axis = 1 if getattr(layer, "batch_first", False) and x.ndim == 3 else 0
    last = output.select(axis, output.shape[axis] - 1)
    generator = torch.Generator().manual_seed(seed)
    v = torch.randn(last.shape, generator=generator, dtype=torch.float64).to(last)
    (gradient,) = torch.autograd.grad(last, x, v)
    norms = gradient.movedim(axis, 0).flatten(1).double().norm(dim=1).numpy()
    with np.errstate(divide="ignore"):
        found: Array = np.log10(norms)
    return found


def hidden_states(
    module: nn.Module, batch: Batch, anatomy: Anatomy, name: str, samples: int = 2
) -> list[Tensor] | None:
    """The states h[1..T] (an LSTM's with its cell) of a recurrent layer, each a function of the
    one before it, (samples, numbers); None for a layer of both directions or with projections."""
    layer: Any = module.get_submodule(name)
    (x, *given), _ = first_arguments({name}, anatomy, module, batch)[name]
    if layer.bidirectional or layer.proj_size or x.ndim != 3:
        return None
    x = (x.movedim(1, 0) if layer.batch_first else x)[:, :samples].detach()
    parts = 2 if isinstance(layer, nn.LSTM) else 1
    state = x.new_zeros(x.shape[1], parts, layer.num_layers, layer.hidden_size)
    if given:
        pair = given[0] if parts == 2 else given[:1]
        state = torch.stack([part.detach() for part in pair]).movedim(2, 0)[:samples]
    states, state = [], state.requires_grad_()
    with torch.enable_grad():
        for step in x:
            h = [part.contiguous() for part in state.movedim(0, 2)]
            one = step[:, None] if layer.batch_first else step[None]
            last = layer(one, tuple(h) if parts == 2 else h[0])[1]
            state = torch.stack(last if parts == 2 else [last]).movedim(2, 0)
            states.append(state.flatten(1))
            state = states[-1].view_as(state)
    return states
