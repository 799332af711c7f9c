"""Optimisers from outside this folder: a function, or a class like those of torch.optim.

Undeclared properties get the safest default: τ > 0 by its logarithm for a function, whose steps are
unknown, and by bounds for a class, which has no line search that could reject a step.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, get_args, get_origin

import numpy as np

from base.errors import UserError
from nets.optimizers import (
    SET_BY_THE_TRAINING,
    Diverged,
    Objective,
    Option,
    Report,
    Stop,
    Vector,
)
from nets.optimizers._line_search import is_finite

ARGUMENTS = ("objective", "theta", "report")  # what every optimiser is called with
FAR = 1e6  # J this many times above its start counts as divergence
STILL = 10  # steps without any change of the parameters after which a torch class has ended
NUMBERS_KEPT = 6  # vectors of the size of θ: the state of most methods without matrices


@dataclass(eq=False)
class OwnOptimizer:
    """The definitions of a file of this folder, for a function or a class of a user."""

    NAME: str
    minimize: Callable[..., str]
    POSITIVE: str
    LINE_SEARCH: bool
    OPTIONS: dict[str, Option]
    TUNED: dict[str, Any] = field(default_factory=dict)

    def state_bytes(self, parameters: int, **options: Any) -> int:
        return 8 * NUMBERS_KEPT * parameters


def of(found: Any, name: str = "", declared: Any = None) -> OwnOptimizer:
    """Wrap a callable or a torch class as an optimiser; `declared` may add declarations."""
    name = name or getattr(found, "__name__", "your own")
    if not callable(found):
        raise UserError(
            f"optimiser {name!r} is neither a function (objective, theta, report) nor a class "
            "like those of torch.optim"
        )
    is_torch = isinstance(found, type) and hasattr(found, "step")
    options = _torch_options(found) if is_torch else _options(found, name)
    minimize = _by_torch(found) if is_torch else _guarded(found, name)
    declared = declared if declared is not None else found
    return OwnOptimizer(
        name,
        minimize,
        getattr(declared, "POSITIVE", "bounds" if is_torch else "log"),
        getattr(declared, "LINE_SEARCH", "rate" not in options),
        options,
        dict(getattr(declared, "TUNED", {})),
    )


def _options(found: Callable[..., Any], name: str) -> dict[str, Option]:
    """The arguments with a default, with or without a help text."""
    parameters = list(inspect.signature(found, eval_str=True).parameters.values())
    if len(parameters) < len(ARGUMENTS):
        raise UserError(
            f"optimiser {name!r} must take ({', '.join(ARGUMENTS)}), and may take options"
        )
    known = {}
    for parameter in parameters[len(ARGUMENTS) :]:
        if parameter.default is parameter.empty or parameter.name in SET_BY_THE_TRAINING:
            continue
        hint, text = parameter.annotation, ""
        if get_origin(hint) is Annotated:
            hint, text, *_ = get_args(hint)
        kind = hint if isinstance(hint, type) else type(parameter.default)
        known[parameter.name] = Option(kind, parameter.default, text)
    return known


def _guarded(found: Callable[..., Any], name: str) -> Callable[..., str]:
    """Wrap the function so that an exception in it becomes an error message of one line."""
    takes = inspect.signature(found).parameters

    def minimize(objective: Objective, theta: Vector, report: Report, **options: Any) -> str:
        ours: list[Exception] = []
        try:
            reason = found(_noting(objective, ours), theta, _noting(report, ours), **options)
        except (Stop, Diverged, UserError):
            raise
        except Exception as error:
            if error in ours:
                raise
            message = " ".join(str(error).split())
            raise UserError(
                f"optimiser {name!r} raised {type(error).__name__}: {message}{_place(error)}"
            ) from error
        return str(reason) if reason else "the optimiser returned"

    minimize.__kwdefaults__ = {  # what the training sets, if the function takes it
        part: None for part in SET_BY_THE_TRAINING if part in takes
    }
    return minimize


def _noting(call: Any, raised: list[Exception]) -> Any:
    """Wrap a call to remember its own exceptions, which are not the optimiser's."""

    def noted(*arguments: Any) -> Any:
        try:
            return call(*arguments)
        except Exception as error:
            raised.append(error)
            raise

    for extra in ("exceeds", "on_rows", "rows"):
        if hasattr(call, extra):
            setattr(noted, extra, getattr(call, extra))
    return noted


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno})"


def _torch_options(found: type) -> dict[str, Option]:
    """The class's own arguments; its `lr` also under the name that commands know, `rate`."""
    known = {
        p.name: Option(type(p.default), p.default, f"{p.name} of {found.__name__}.")
        for p in inspect.signature(found).parameters.values()
        if p.name != "params" and p.default is not p.empty
    }
    if "lr" in known:
        known["rate"] = Option(float, known["lr"].default, f"Learning rate of {found.__name__}.")
    return known


def _by_torch(found: type) -> Callable[..., str]:
    def minimize(
        objective: Objective,
        theta: Vector,
        report: Report,
        *,
        lower: Vector | None = None,
        parameters: Sequence[Any] | None = None,
        **options: Any,
    ) -> str:
        """Steps of `found` on the module's own parameters: some methods need their shapes.

        J and the gradient are computed before each step, so that a class that does not call the
        closure works; the closure serves methods that ask more often (torch's LBFGS).
        """
        if "rate" in options:
            options["lr"] = options.pop("rate")
        point = _Point(theta, parameters, objective, found.__name__)
        takes = inspect.signature(found.step).parameters  # type: ignore[attr-defined]
        closure = [point.closure] if len(takes) > 1 else []
        stepper, still = found(point.parameters, **options), 0
        try:
            while still < STILL:
                before = point.theta()
                J, gradient = point.evaluated()
                report(before, J, gradient)
                stepper.step(*closure)
                if lower is not None and np.any(point.theta() < lower):
                    point.move(np.maximum(point.theta(), lower))
                still = still + 1 if np.array_equal(point.theta(), before) else 0
        finally:
            for parameter in point.parameters:
                parameter.grad = None
        return f"{found.__name__} has not moved the parameters in {STILL} steps"

    guarded = _guarded(minimize, found.__name__)
    guarded.__kwdefaults__ = {"lower": None, "parameters": None}
    return guarded


class _Point:
    """Parameter tensors where an optimiser stands, with J and the gradient there."""

    def __init__(
        self, theta: Vector, parameters: Sequence[Any] | None, objective: Objective, name: str
    ) -> None:
        import torch

        self.objective, self.name, self.highest = objective, name, np.inf
        found = [torch.from_numpy(theta.copy())] if parameters is None else parameters
        # A part of a parameter (ReZero's τ) is stood for by one on the same memory.
        self.parameters = [
            p if isinstance(p, torch.nn.Parameter) else torch.nn.Parameter(p.detach())
            for p in found
        ]
        self.last: tuple[Vector, float, Vector] | None = None
        self.move(theta)

    def theta(self) -> Vector:
        from nets.differentiated import packed

        return packed(self.parameters)

    def move(self, theta: Vector) -> None:
        from nets.differentiated import write

        write(theta, self.parameters)

    def evaluated(self) -> tuple[float, Vector]:
        """Return J and the gradient, computed once per point, and set the gradients."""
        import torch

        from nets.differentiated import write

        theta = self.theta()
        if self.last is None or not np.array_equal(theta, self.last[0]):
            J, gradient = self.objective(theta)
            if not (is_finite(J, gradient) and self.highest >= J):
                raise Diverged(f"J diverged with {self.name}; use a smaller rate")
            self.highest = min(self.highest, FAR * max(J, 1.0))
            self.last = theta, J, gradient
        gradients = [torch.empty_like(p) for p in self.parameters]
        write(self.last[2], gradients)
        for parameter, part in zip(self.parameters, gradients, strict=True):
            parameter.grad = part
        return self.last[1:]

    def closure(self) -> Any:
        import torch

        return torch.tensor(self.evaluated()[0], dtype=torch.float64)
