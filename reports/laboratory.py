"""A gradient study as one self-contained page. It is given the study and asks it for its tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from nets.laboratory.words import headline, sentences
from reports.document import Block, Column, Document, Paragraph, Picture, Section, Source, Table
from reports.html import render_html

if TYPE_CHECKING:
    from nets.laboratory.study import GradientStudy

Row = Mapping[str, Any]
SHOWN_LAYERS = 200


CAPTIONS = {
    "depth": "Gradient of the loss J by each state, from first to last. Left: the norm, the median "
    "over seeds with all seeds as a band. Right: the scale of activations, and gradients of the "
    "blocks relative to their weights; for a dead module the share of dead units.",
    "memory": "What a recurrent layer remembers: the derivative of its last output by each of its "
    "inputs, relative to that by the last. Dotted: the thresholds of the verdicts.",
    "training": "Gradient norms of the layers (first dark, last bright) and relative updates along "
    "training, first seed; J of every seed. Zeros, below the precision of the module, are left "
    "out.",
    "jacobians": "Leading singular values of the Jacobian from the first state to the last, and "
    "Lyapunov exponents: positive ones stretch gradients on their way back. If time decides the "
    "verdict, the states are those of the recurrent layer, step by step.",
    "remedies": "Each remedy on a copy. Left: the ratio first/last, with the thresholds of the "
    "verdicts dotted. Right: J after the same number of steps; green: healthy, and lower than "
    "without.",
}


def page(study: GradientStudy, command: str = "") -> str:
    """The page as text."""
    return render_html(build_document(study, command))


def build_document(study: GradientStudy, command: str = "") -> Document:
    """Diagnosis first, then the remedies, then the figures and every number."""
    found = study.diagnosis
    source = Source(command) if command else None
    first, *others = [_picture(study, kind, source) for kind in study.shown()]
    words = [Paragraph(text) for text in sentences(study)]
    sections = [Section("Diagnosis", [*words, first])]
    remedies = study.rows("remedies")
    if remedies:
        table = _remedy_table(remedies, study.trial_steps, source)
        drawn = [picture for picture in others if picture.name == "remedies"]
        sections.append(Section("What helps", [*drawn, table]))
    others = [picture for picture in others if picture.name != "remedies"]
    if others:
        sections.append(Section("Further figures", others))
    sections.append(Section("Layers", [_layer_table(study.rows("layers"), source)]))
    facts = [("verdict", study.verdict), ("starts at", study.layer or "–")]
    facts += [("parameters", f"{study.parameters:,}"), ("over", found.over)]
    return Document(f"Gradients of {study.name}", headline(study), sections, facts)


def _picture(study: GradientStudy, kind: str, source: Source | None) -> Picture:
    return Picture(kind, CAPTIONS[kind], partial(study.figure, kind), source)


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
        "others, which are not trained, by their ratio. All arms share starting weights, batches "
        "and optimiser; medians over seeds."
    )
    return Table("remedy table", caption, columns, body, source)


def _layer_table(rows: Sequence[Row], source: Source | None) -> Block:
    """The first seed at its start, with the first update of the training."""
    first = [r for r in rows if (r["phase"], r["seed"]) == ("start", 0)]
    updates = {
        (r["study"], r["layer"]): r["update_over_weight"]
        for r in rows
        if (r["phase"], r["seed"], r["step"]) == ("training", 0, 0)
    }
    several = len({r["study"] for r in first}) > 1
    labels = ("study", "layer", "kind") if several else ("layer", "kind")
    columns = [Column(label) for label in labels]
    names = ("gradient", "adjoint", "activation", "dead")
    titles = ("‖∂J/∂θ‖", "‖∂J/∂y‖", "|y|", "dead")
    columns += [Column(title, "number") for title in (*titles, "‖Δθ‖/‖θ‖")]
    body = [
        [*(r[label] for label in labels), *(_finite(r[n]) for n in names),
         _finite(updates.get((r["study"], r["layer"])))]
        for r in first[:SHOWN_LAYERS]
    ]  # fmt: skip
    left = f" The first {SHOWN_LAYERS} of {len(first)}." if len(first) > SHOWN_LAYERS else ""
    caption = f"Layers in the order of execution at the start, first seed.{left}"
    return Table("layers", caption, columns, body, source)


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
