"""From results on disk to the finished files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bench.core.guards.output import folder_for, write_whole
from bench.store.files import Damaged
from bench.store.folder import Store
from reports.context import Run
from reports.document import Document
from reports.faults import noted, tried

TRIES = 5


def compile_report(
    run: Path,
    html: bool = True,
    pdf: bool = True,
    out: Path | None = None,
    others: Sequence[Path] = (),
) -> list[Path]:
    """Writes report.html and report.pdf for a run directory and returns their paths.

    The run is compared with `others`: their verdicts and errors stand next to its own. It may be
    incomplete, damaged in places, and computed by other processes just now: what is sound at this
    moment is reported, and the rest is named.
    """
    Store(run)  # or there is nothing to report
    folder = folder_for(run if out is None else out, "--out")
    with noted():
        made = _made(run, others, html, pdf)
    for name, data in made.items():
        write_whole(folder / name, data)
    return [folder / name for name in made]


def _made(run: Path, others: Sequence[Path], html: bool, pdf: bool) -> dict[str, bytes]:
    """The files by name. Begins again where a result that was sound when it was surveyed is gone
    when it is used: another process has replaced it, and the next survey sees what there is now."""
    for _ in range(TRIES - 1):
        with suppress(Damaged):
            return _rendered(build_document(Run.read(run, others)), html, pdf)
    return _rendered(build_document(Run.read(run, others)), html, pdf)


def _rendered(document: Document, html: bool = True, pdf: bool = True) -> dict[str, bytes]:
    from reports.html import render_html
    from reports.pdf import render_pdf

    drawings: dict[str, bytes] = {}  # figures by name: drawn once for both files
    made: dict[str, bytes] = {}
    if html:
        made["report.html"] = render_html(document, drawings).encode()
    if pdf:
        made["report.pdf"] = render_pdf(document, drawings)
    return made


def build_document(run: Run) -> Document:
    """The report of a run; a study without results leaves its gap in its place."""
    from reports.header import SUBTITLE, header
    from reports.interactive.cells import listings
    from reports.interactive.finder import find
    from reports.names import short_names
    from reports.sections import all_sections
    from reports.sections.own import titles
    from reports.tables import lean_section

    names = short_names(v for s in run.standings for v in s.cell.config.values())
    return Document(
        title="; ".join(titles(run)) or "When does a neural network beat a finite element?",
        subtitle=SUBTITLE,
        sections=[lean_section(section) for section in all_sections(run)],
        facts=[
            *header(run),
            *(("from outside", full.replace("@", ", version ")) for full in names),
            *(("compared with", other.name) for other in run.others),
        ],
        finder=tried("the finder", lambda: find(run), lambda _: None),
        cells=tried("the list of results", lambda: listings(run.records), lambda _: []),
        names=names,
    )
