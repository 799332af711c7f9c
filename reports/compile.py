"""From results on disk to the finished files, computed again only when an input has changed."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.core.guards.output import folder_for, write_whole
from bench.core.guards.reading import plain_bytes
from bench.store.files import Damaged
from bench.store.folder import Store
from reports.context import Run
from reports.document import Document
from reports.faults import note, noted

if TYPE_CHECKING:
    from reports.svg import Drawing

TRIES = 5
STAMP = "report.json"
MOST_STAMP_BYTES = 2**16


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
    wanted = [name for name, on in (("report.html", html), ("report.pdf", pdf)) if on]
    return _tried(lambda: _compiled(Run.read(run, others), folder, wanted))


def _tried(compiled: Callable[[], list[Path]]) -> list[Path]:
    """Begins again where a result that was sound when it was surveyed is gone when it is used:
    another process has replaced it, and the next survey sees what there is now."""
    for _ in range(TRIES - 1):
        try:
            return compiled()
        except Damaged:
            continue
    return compiled()


def _compiled(context: Run, folder: Path, wanted: list[str]) -> list[Path]:
    inputs = digest(context)
    if _stamped(folder, inputs, wanted):
        return [folder / name for name in wanted]
    with noted() as faults:
        document = build_document(context)
        drawings: dict[str, Drawing] = {}  # by name; one is enough for both files
        made = {name: _RENDER[name](document, drawings) for name in wanted}
    for name, data in made.items():
        write_whole(folder / name, data)
    _warn(document, made, drawings)
    stamp = {"inputs": "" if faults else inputs, "files": wanted}
    write_whole(folder / STAMP, json.dumps(stamp).encode())
    return [folder / name for name in wanted]


def _warn(document: Document, made: Mapping[str, bytes], drawings: Mapping[str, Drawing]) -> None:
    """What an author would mend: a line each on standard error, and the report all the same."""
    from reports.checks import findings, weight

    heavy = [line for name, data in made.items() for line in weight(name, data)]
    faults = [fault for drawing in drawings.values() for fault in drawing.faults]
    for line in [*findings(document), *faults, *heavy]:
        logging.getLogger("femnets.report").warning("report: %s", line)


def write_figures(run: Path, out: Path, dots_per_inch: int = 144) -> list[Path]:
    """Every figure of the report as a PNG of its own, for slides and for README."""
    Store(run)
    folder = folder_for(out, "--figures")
    with noted():
        return _tried(lambda: _figures(Run.read(run), folder, dots_per_inch))


def _figures(run: Run, out: Path, dots_per_inch: int) -> list[Path]:
    from reports.document import slug
    from reports.style import drawn, saved

    written = []
    for picture in build_document(run).pictures():
        with drawn(picture, text_as_text=False) as figure:
            data = saved(figure, "png", dpi=dots_per_inch)
        written.append(out / f"{slug(picture.name)}.png")
        write_whole(written[-1], data)
    return written


def build_document(run: Run) -> Document:
    """The report of a run; a study without results leaves its gap in its place."""
    from reports.header import SUBTITLE, header
    from reports.names import shortened, versions
    from reports.sections import all_sections
    from reports.sections.own import titles
    from reports.tables import lean_section

    named = versions(v for s in run.standings for v in s.cell.config.values())
    own = titles(run)
    document = Document(
        title="; ".join(own) or "When does a neural network beat a finite element?",
        subtitle=SUBTITLE,
        sections=[lean_section(section) for section in all_sections(run)],
        facts=[
            *header(run),
            *(("from outside", name) for name in named),
            *(("compared with", other.name) for other in run.others),
        ],
    )
    return shortened(_explorable(document, run), named)


def _explorable(document: Document, run: Run) -> Document:
    """With what the page offers beyond the document, unless that cannot be made."""
    from reports.interactive.explored import explored

    try:
        return replace(document, explored=explored(run))
    except Damaged:
        raise
    except Exception as error:
        note("the interactive part", error)
        return document


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
        stamp = json.loads(plain_bytes(folder / STAMP, MOST_STAMP_BYTES))
        made = set(stamp["files"])
        return stamp["inputs"] == inputs and made >= set(wanted) and _there(folder, wanted)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _there(folder: Path, wanted: list[str]) -> bool:
    return all((folder / name).is_file() for name in wanted)


def _html(document: Document, drawings: dict[str, Drawing] | None = None) -> bytes:
    from reports.html import render_html

    return render_html(document, drawings).encode()


def _pdf(document: Document, drawings: dict[str, Drawing] | None = None) -> bytes:
    from reports.pdf import render_pdf

    return render_pdf(document, drawings)


_RENDER: dict[str, Callable[[Document, dict[str, Drawing]], bytes]] = {
    "report.html": _html,
    "report.pdf": _pdf,
}
