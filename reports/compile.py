"""From results on disk to the finished files, computed again only when an input has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.store.files import write_whole
from bench.store.results import Results
from reports.context import Run
from reports.document import Document, Missing, Paragraph, Section

STAMP = "report.json"
REFERENCES = (
    "H. Antil, H. Díaz, E. Herberg: An Optimal Time Variable Learning Framework for Deep Neural "
    "Networks. The paper whose claims are held against results here.",
    "J.-C. Nédélec: Mixed finite elements in R³. Numer. Math. 35, 1980.",
    "F. Kikuchi: Mixed and penalty formulations for finite element analysis of an eigenvalue "
    "problem in electromagnetism. Comput. Methods Appl. Mech. Engrg. 64, 1987.",
    "M. Costabel: A coercive bilinear form for Maxwell's equations. J. Math. Anal. Appl. 157, "
    "1991.",
    "M. Al-Baali: Numerical experience with a class of self-scaling quasi-Newton algorithms. JOTA "
    "96, 1998.",
)


def compile_report(
    run: Path,
    html: bool = True,
    pdf: bool = True,
    out: Path | None = None,
    others: Sequence[Path] = (),
) -> list[Path]:
    """Writes report.html and report.pdf for a run directory and returns their paths.

    The run is compared with `others`: their verdicts and errors stand beside its own.
    """
    context = Run.read(run, others)
    folder = run if out is None else out
    wanted = [name for name, on in (("report.html", html), ("report.pdf", pdf)) if on]
    inputs = digest(context)
    if _stamped(folder, inputs, wanted):
        return [folder / name for name in wanted]
    document = build_document(context)
    folder.mkdir(parents=True, exist_ok=True)
    for name in wanted:
        write_whole(folder / name, _RENDER[name](document))
    write_whole(folder / STAMP, json.dumps({"inputs": inputs, "files": wanted}).encode())
    return [folder / name for name in wanted]


def write_figures(run: Path, out: Path, dots_per_inch: int = 144) -> list[Path]:
    """Every figure of the report as a PNG of its own, for slides and for README."""
    from reports.document import slug
    from reports.style import drawn, saved

    out.mkdir(parents=True, exist_ok=True)
    written = []
    for picture in build_document(Run.read(run)).pictures():
        with drawn(picture, text_as_text=False) as figure:
            data = saved(figure, "png", dpi=dots_per_inch)
        written.append(out / f"{slug(picture.name)}.png")
        write_whole(written[-1], data)
    return written


def build_document(run: Run) -> Document:
    """The article and its supplement; what is missing in the run stands in one place."""
    from reports.plain_names import shortened, versions
    from reports.sections import all_sections, headlines

    named = versions(v for s in run.standings for v in s.cell.config.values())
    parts = all_sections(run)
    document = Document(
        title="When does a neural network beat a finite element?",
        subtitle="Nédélec elements, neural networks and linear models by one ruler",
        sections=parts.article,
        facts=[
            ("run", run.name),
            *_facts(run.results),
            *(("from outside", name) for name in named),
            *(("compared with", other.name) for other in run.others),
        ],
        abstract=headlines(run),
        supplement=[*parts.supplement, *_missing(parts.missing)],
        references=REFERENCES,
    )
    return shortened(document, named)


def _missing(gaps: Sequence[Missing]) -> list[Section]:
    if not gaps:
        return []
    lead = Paragraph("These parts of the report have no results in this run.")
    return [Section("Not in this run", [lead, *gaps], part="supplement")]


def _facts(results: Results) -> list[tuple[str, str]]:
    return [("cells", str(len(results)))] if len(results) else [("cells", "none yet")]


def digest(run: Run) -> str:
    """A hash of what the report depends on: the results, the plans and the code that draws."""
    hasher = hashlib.blake2b(digest_size=16)
    for each in (run, *run.others):
        for standing in each.standings:
            values = standing.record.values if standing.record else None
            state = [standing.cell.key, standing.state, standing.reason, values]
            hasher.update(json.dumps(state, sort_keys=True).encode())
        hasher.update(json.dumps([each.name, dict(each.plans)], sort_keys=True).encode())
    package = Path(__file__).parent
    for path in sorted([*package.rglob("*.py"), *(package / "templates").iterdir()]):
        hasher.update(path.read_bytes())
    return hasher.hexdigest()


def _stamped(folder: Path, inputs: str, wanted: list[str]) -> bool:
    try:
        stamp = json.loads((folder / STAMP).read_bytes())
    except (OSError, ValueError):
        return False
    made = set(stamp.get("files", []))
    there = all((folder / name).is_file() for name in wanted)
    return stamp.get("inputs") == inputs and set(wanted) <= made and there


def _html(document: Document) -> bytes:
    from reports.html import render_html

    return render_html(document).encode()


def _pdf(document: Document) -> bytes:
    from reports.pdf import render_pdf

    return render_pdf(document)


_RENDER: dict[str, Callable[[Document], bytes]] = {"report.html": _html, "report.pdf": _pdf}
