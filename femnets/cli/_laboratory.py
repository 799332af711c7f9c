"""The gradient laboratory in a terminal: progress, a table, a JSON document, files."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from base.errors import UserError, nearest
from bench.core.plain_values import finite
from bench.core.plugin_files import PATH, PluginFile, located, read
from bench.core.settings import setting
from bench.store.files import write_whole, written_whole
from nets.training.progress import StatusLine, spent_and_left

if TYPE_CHECKING:
    from nets.laboratory.study import GradientStudy

LABORATORY = "Any torch module"
SECONDS_BETWEEN_LOOKS = 0.2
KNOWN_FROM = 0.02  # share of the work after which the time left is shown
ENDINGS = (".html", ".png", ".svg", ".pdf", ".csv", ".parquet")
NAME_WIDTH = 14
BAR_WIDTH = 8
of_module = partial(setting, panel=LABORATORY)


@dataclass(frozen=True, kw_only=True)
class AnyModule:
    """The options for studying any torch module; objects are given as FILE.py:NAME."""

    data: str | None = of_module(
        None,
        help="FILE.py:NAME of a pair (x, y), or of a function that returns it.",
    )
    loss: str | None = of_module(
        None,
        help="FILE.py:NAME of loss(output, y).",
        unset="cross entropy for whole-number targets, else the mean square",
    )
    steps: int = of_module(200, min=0, help="Training steps to observe.")
    seeds: int = of_module(1, min=1, help="Number of random starts.")
    against: str | None = of_module(None, help="FILE.py:NAME of a second module to compare with.")
    remedies: bool | None = of_module(
        None,
        help="Try remedies on copies of the module.",
        unset="if the verdict is not healthy",
    )
    remedy_steps: int = of_module(50, min=0, help="Training steps for each remedy.")
    optimizer: str = of_module("adam", help="adam, adamw or sgd.")
    rate: float = of_module(1e-3, above=0, help="Learning rate.")


def study_of(module: str, asked: AnyModule, scales: tuple[float, ...]) -> GradientStudy:
    """Run the study that a command line asks for."""
    if asked.data is None:
        raise UserError(
            f"{module} needs data: --data FILE.py:NAME, a function that returns a pair (x, y)"
        )
    from nets.laboratory.study import gradient_study

    other = None if asked.against is None else named(asked.against)
    with Progress() as tell:
        return gradient_study(
            named(module),
            named(asked.data),
            None if asked.loss is None else named(asked.loss),
            steps=asked.steps,
            seeds=asked.seeds,
            scales=scales,
            against=other,
            remedies=asked.remedies,
            remedy_steps=asked.remedy_steps,
            optimizer=asked.optimizer,
            rate=asked.rate,
            names=(module.rpartition(":")[2], (asked.against or "").rpartition(":")[2]),
            tell=tell,
        )


def named(reference: str) -> Any:
    """Return what `FILE.py:NAME` refers to; the file is executed once, whatever is named in it."""
    found = PATH.fullmatch(reference)
    if found is None or found["what"] is None:
        raise UserError(f"{reference!r} must be FILE.py:NAME, for example my_nets.py:make")
    module = _file(str(located(found["path"]))).module
    if not hasattr(module, found["what"]):
        known = [key for key in vars(module) if not key.startswith("_")]
        raise UserError(
            f"{found['path']} has no {found['what']!r}; {nearest(found['what'], known)}"
        )
    return getattr(module, found["what"])


@cache
def _file(path: str) -> PluginFile:
    return read(path)


class Progress(StatusLine):
    """A status line with the present task and the time left."""

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__(stream)
        self.began, self.shown = time.monotonic(), 0.0

    def __call__(self, what: str, share: float) -> None:
        spent = time.monotonic() - self.began
        if spent - self.shown >= SECONDS_BETWEEN_LOOKS:
            self.shown = spent
            known = share if share > KNOWN_FROM else 0.0
            self.say(f"{what}  {share:.0%}  {spent_and_left(spent, known)}", spent)


def document(study: GradientStudy) -> dict[str, Any]:
    """Return the study as one JSON document; missing numbers are null."""
    found = study.diagnosis
    best = study.remedy
    result = {
        "name": study.name,
        "verdict": study.verdict,
        "layer": study.layer,
        "cause": found.cause,
        "over": found.over,
        "log10_ratio": found.log10_ratio,
        "factor": found.factor,
        "remedy": None if best is None else best.remedy,
        "parameters": study.parameters,
        "lyapunov": _column(study, "lyapunov"),
        "singular_values": _column(study, "singular"),
        "J": [training.J.tolist() for training in study.trainings],
        "layers": [row for row in study.rows("layers") if row["phase"] == "start"],
        "states": [row for row in study.rows("states") if row["phase"] == "start"],
        "remedies": study.rows("remedies"),
        "scales": study.rows("scales"),
        "against": None if study.against is None else document(study.against),
    }
    plain: dict[str, Any] = finite(result)
    return plain


def _column(study: GradientStudy, what: str) -> list[float]:
    rows = study.rows("jacobians")
    return [
        float(row["value"])
        for row in rows
        if (row["study"], row["what"], row["phase"]) == (study.name, what, "start")
    ]


def show(study: GradientStudy) -> None:
    """Print the blocks with a bar for log₁₀ ‖∂J/∂y‖, the verdict and the remedies."""
    from rich.console import Console

    console = Console()
    for one in (study.against, study):
        if one is not None:
            console.print(_table(one))
            console.print(summary(one), highlight=False, markup=False)
    if study.trials:
        console.print(_remedies(study))


def _table(study: GradientStudy) -> Any:
    from rich import box
    from rich.table import Table

    first = study.examined[0].profile
    logs = first.log10_states
    known = logs[[math.isfinite(value) for value in logs]]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("block", no_wrap=True)
    for title in ("∂J/∂θ", "∂J/∂θ/θ", "Δθ/θ", "|y|", "dead", "∂J/∂y"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column(f"1e{low:+.0f}..1e{high:+.0f}", no_wrap=True)
    for k, name in enumerate(first.states):
        gradient, weight, update = _block_norms(study, name)
        cells = [gradient, _divided(gradient, weight), _divided(update, weight)]
        cells += [float(first.state_scale[k])]
        dead = first.state_dead[k]
        table.add_row(
            _escaped(name),
            *[_number(value) for value in cells],
            "" if math.isnan(dead) else f"{dead:.0%}",
            _number(float(first.state_adjoint[k])),
            _bar(float(logs[k]), low, high),
        )
    return table


def _block_norms(study: GradientStudy, state: str) -> tuple[float, float, float]:
    """Return ‖∂J/∂θ‖, ‖θ‖ and the first ‖Δθ‖ of a block; NaN if it has no parameters."""
    block = state.partition("#")[0]
    places = [k for k, layer in enumerate(study.anatomy.layers) if layer.block == block]
    first = study.examined[0].profile
    rows = study.trainings[0].rows
    update = rows[0].update if rows else first.gradient * math.nan
    found = []
    for values in (first.gradient, first.weight, update):
        known = [float(values[k]) for k in places if not math.isnan(values[k])]
        found.append(math.hypot(*known) if known else math.nan)
    return found[0], found[1], found[2]


def _remedies(study: GradientStudy) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("remedy, best first", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("first/last", justify="right", no_wrap=True)
    table.add_column(f"J at {study.trial_steps}", justify="right", no_wrap=True)
    table.add_column("change, or why not tried")
    for trial in study.trials:
        ratio = f"1e{trial.log10_ratio:+.1f}" if math.isfinite(trial.log10_ratio) else ""
        loss = "diverged" if math.isinf(trial.loss) else _number(trial.loss)
        table.add_row(trial.remedy, trial.verdict or "–", ratio, loss, _escaped(trial.change, 200))
    return table


def summary(study: GradientStudy) -> str:
    """Return the verdict in words."""
    from nets.laboratory.drawing import headline

    lines = [headline(study)]
    if study.diagnosis.cause:
        lines.append(study.diagnosis.cause)
    verdicts = [one.diagnosis.verdict for one in study.examined if one.scale == 1.0]
    if len(verdicts) > 1:
        lines.append(f"{verdicts.count(study.verdict)} of {len(verdicts)} seeds agree")
    if study.spectra is not None:
        top = float(study.spectra.lyapunov[:, 0].mean())
        lines.append(f"largest Lyapunov exponent {top:+.3f} per {study.spectra.per}")
    for scale in sorted({one.scale for one in study.examined} - {1.0}):
        words = [one.diagnosis.verdict for one in study.examined if one.scale == scale]
        lines.append(f"weights × {scale:g}: {max(set(words), key=words.count)}")
    if study.remedy is not None:
        lines.append(f"try first: {study.remedy.remedy} ({study.remedy.change})")
    elif study.trials:
        lines.append("no remedy makes it healthy and lowers J")
    return "\n".join(lines)


def write(study: GradientStudy, path: Path, command: str) -> None:
    """Write one file: a page, a figure or a table, by its ending."""
    ending = path.suffix.lower()
    if ending == ".html":
        from reports.laboratory import page

        write_whole(path, page(study, command).encode())
    elif ending in (".csv", ".parquet"):
        with written_whole(path) as part:
            _write_table(study, part, ending)
    else:
        import matplotlib.pyplot as plt

        figure = study.figure()
        with written_whole(path) as part:
            figure.savefig(part, format=ending[1:], dpi=150)
        plt.close(figure)


def _write_table(study: GradientStudy, part: Path, ending: str) -> None:
    if ending == ".csv":
        study.to_csv(part)
        return
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UserError("parquet needs pyarrow: pip install 'femnets[export]'") from None
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(study.rows("layers")), part)


def check_outputs(paths: list[Path]) -> None:
    """Raise a UserError for files that cannot be written, before the work starts."""
    from bench.core.guards.output import file_for

    for path in paths:
        if path.suffix.lower() not in ENDINGS:
            raise UserError(f"{path.name}: --out writes {', '.join(ENDINGS)}")
        file_for(path, "--out")


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1e}"


def _divided(a: float, b: float) -> float:
    return a / b if b else math.nan


def _bar(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return "·"
    share = 1.0 if high == low else (value - low) / (high - low)
    eighths = max(1, round(8 * BAR_WIDTH * share))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _escaped(name: str, most: int = NAME_WIDTH) -> str:
    """Return a user's name without markup and control characters, cut at its beginning."""
    from rich.markup import escape

    shown = "".join(c if c.isprintable() else "?" for c in name)
    return escape(shown if len(shown) <= most else f"…{shown[1 - most :]}")
