"""A gradient study as one self-contained page. It is given the study and asks it for its tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from reports.document import Block, Column, Document, Paragraph, Picture, Section, Source, Table
from reports.html import render_html

if TYPE_CHECKING:
    from nets.laboratory.study import GradientStudy

Row = Mapping[str, Any]
SHOWN_LAYERS = 200


CAPTIONS = {
    "depth": "Left: gradient of the loss J by each state, from first to last; the median over "
    "seeds with all seeds as a band. Right: the scale of activations, and gradients of the layers "
    "relative to their weights.",
    "training": "Gradient norms of the layers and relative updates along training, first seed; J "
    "of every seed.",
    "jacobians": "Leading singular values of the Jacobian from the first state to the last, and "
    "Lyapunov exponents per block: positive ones stretch gradients on their way back. With a "
    "recurrent layer, the derivative of its last output by each input.",
    "remedies": "Each remedy on a copy: the ratio first/last state, with the thresholds of the "
    "verdicts dotted, and J after the same number of steps.",
}


def page(study: GradientStudy, command: str = "") -> str:
    """The page as text."""
    return render_html(build_document(study, command))


def build_document(study: GradientStudy, command: str = "") -> Document:
    """Diagnosis first, then the remedies, then the figures and every number."""
    found = study.diagnosis
    source = Source(command) if command else None
    sections = [Section("Diagnosis", [Paragraph(text) for text in sentences(study)])]
    remedies = study.rows("remedies")
    if remedies:
        sections.append(Section("What helps", [_remedy_table(remedies, study.trial_steps, source)]))
    pictures = [_picture(study, kind, source) for kind in study.shown()]
    sections.append(Section("Figures", pictures))
    sections.append(Section("Layers", [_layer_table(study.rows("layers"), source)]))
    scales = [row for row in study.rows("scales") if row["scale"] != 1.0]
    if scales:
        sections.append(Section("Other starting scales", [_scale_table(study.rows("scales"))]))
    facts = [("verdict", study.verdict), ("starts at", study.layer or "–")]
    facts += [("parameters", f"{study.parameters:,}"), ("over", found.over)]
    return Document(f"Gradients of {study.name}", _subtitle(study), sections, facts)


def _subtitle(study: GradientStudy) -> str:
    return f"{study.verdict}, first over last state 1e{study.diagnosis.log10_ratio:+.1f}"


def sentences(study: GradientStudy) -> list[str]:
    """The diagnosis in words, all of them from the numbers."""
    found = study.diagnosis
    where = f" It starts at {study.layer}." if study.layer else ""
    lines = [f"{study.name} is {study.verdict}.{where}"]
    if found.cause:
        lines.append(f"Cause: {found.cause}.")
    fitting = [row for row in study.rows("remedies") if row["fits"]]
    healing = [row for row in fitting if row["heals"] and row["change"] != "nothing changed"]
    before = next((row for row in fitting if row["change"] == "nothing changed"), None)
    if healing and before is not None:
        best = healing[0]
        lines.append(
            f"Try first: {best['remedy']} ({best['change']}). It took the ratio from "
            f"1e{before['log10_ratio']:+.1f} to 1e{best['log10_ratio']:+.1f}, and J after "
            f"{best['steps']} steps from {_plain(before['loss'])} to {_plain(best['loss'])}."
        )
    elif fitting:
        lines.append("None of the remedies that fit makes it healthy.")
    return lines


def _plain(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "not finite (diverged)"


def _picture(study: GradientStudy, kind: str, source: Source | None) -> Picture:
    return Picture(kind, CAPTIONS[kind], partial(study.figure, kind), CAPTIONS[kind], source)


def _remedy_table(rows: Sequence[Row], steps: int, source: Source | None) -> Table:
    columns = [
        Column("remedy"), Column("verdict"), Column("log₁₀ first/last", "number"),
        Column(f"J after {steps} steps", "number"), Column("change, or why none"),
    ]  # fmt: skip
    body = [
        [r["remedy"], r["verdict"], _finite(r["log10_ratio"]), _finite(r["loss"]), r["change"]]
        for r in rows
    ]
    caption = (
        "Remedies tried on copies, best first: those that make the verdict healthy by J, the "
        "others by their ratio. All arms share starting weights, batches and optimiser; medians "
        "over seeds."
    )
    return Table("remedies", caption, columns, body, source)


def _layer_table(rows: Sequence[Row], source: Source | None) -> Block:
    """The first seed at its start, with the first update of the training."""
    first = [r for r in rows if (r["phase"], r["seed"], r["scale"]) == ("start", 0, 1.0)]
    updates = {
        (r["study"], r["layer"]): r["update_over_weight"]
        for r in rows
        if (r["phase"], r["seed"], r["step"]) == ("training", 0, 0)
    }
    columns = [Column("study"), Column("block"), Column("layer"), Column("kind")]
    names = ("gradient", "gradient_over_weight", "adjoint", "activation", "dead")
    titles = ("‖∂J/∂θ‖", "‖∂J/∂θ‖/‖θ‖", "‖∂J/∂y‖", "|y|", "dead")
    columns += [Column(title, "number") for title in (*titles, "‖Δθ‖/‖θ‖")]
    body = [
        [r["study"], r["block"], r["layer"], r["kind"], *(_finite(r[n]) for n in names),
         _finite(updates.get((r["study"], r["layer"])))]
        for r in first[:SHOWN_LAYERS]
    ]  # fmt: skip
    left = f" The first {SHOWN_LAYERS} of {len(first)}." if len(first) > SHOWN_LAYERS else ""
    caption = f"Layers in the order of execution at the start, first seed.{left}"
    return Table("layers", caption, columns, body, source)


def _scale_table(rows: Sequence[Row]) -> Table:
    columns = [Column("study"), Column("scale", "number"), Column("seed", "count")]
    columns += [Column("verdict"), Column("starts at"), Column("log₁₀ first/last", "number")]
    body = [
        [r["study"], r["scale"], r["seed"], r["verdict"], r["layer"], _finite(r["log10_ratio"])]
        for r in sorted(rows, key=lambda r: (r["study"], r["scale"], r["seed"]))
    ]
    return Table("scales", "Verdicts at other factors on the starting weights.", columns, body)


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
